import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { layWire } from '../../../test/support/cut-wire.ts';
import { cloneDatabase, loginUrl } from '../../../test/support/environment.ts';
import { notFound, orThrow } from '../../kernel/result.ts';
import { Database, sql, type Tx } from '../index.ts';
import { type Outcome, Reports } from './reports.ts';

let url: string;
let drop: () => Promise<void>;
beforeAll(async () => {
  const clone = await cloneDatabase();
  url = loginUrl(clone.url);
  drop = clone.drop;
});
afterAll(() => drop());

const NOBODY_LISTENS = 'postgres://reckoner_login@127.0.0.1:1/nowhere';

/** Reports of a database that is its own standby, unless it has another one. */
function reportsOf(standbyUrl = url, maxAgeSeconds = 10) {
  const primary = new Database({ url, connections: 2 });
  const standby = new Database({ url: standbyUrl, connections: 2, isStandby: true });
  const changes: (Outcome | null)[] = [];
  const onChange = (outcome: Outcome | null) => void changes.push(outcome);
  const reports = new Reports({ primary, beating: primary, standby, maxAgeSeconds, onChange });
  onTestFinished(async () => {
    await Promise.all([reports.close(), primary.close()]);
  });
  const failing = (error: unknown) => {
    let tries = 0;
    const work = async () => {
      tries += 1;
      if (tries === 1) throw error;
      return tries;
    };
    return reports.transaction('nobody', work);
  };
  return {
    reports,
    changes,
    failing,
    read: (work: (tx: Tx) => Promise<unknown>) => reports.transaction('nobody', work),
  };
}

const databaseError = (code: string): Error => Object.assign(new Error('The standby failed.'), { code });
const one = (tx: Tx) => tx.one(sql`select 1 as one`);

describe('a report', () => {
  it('is answered by the standby, with the age of its data', async () => {
    const { reports, read } = reportsOf();
    await reports.start();
    const { value, age } = await read(one);
    expect(value).toEqual({ one: 1 });
    expect(age).toBeGreaterThan(0);
    expect(age).toBeLessThan(2_000);
    expect(reports.counts).toMatchObject({ standby: 1, old: 0 });
  });

  it('is answered by the primary while the age is not known, and for some seconds after', async () => {
    const { reports, changes, read } = reportsOf();
    expect(await read(one)).toEqual({ value: { one: 1 }, age: null });
    await reports.start();
    expect((await read(one)).age).toBeNull();
    expect(reports.counts).toMatchObject({ standby: 0, old: 1, paused: 1 });
    expect(changes).toEqual(['old']);
  });

  it('is answered by the primary without a standby', async () => {
    const { reports, changes, read } = reportsOf(NOBODY_LISTENS);
    await reports.start();
    for (let each = 0; each < 3; each += 1) expect(await read(one)).toEqual({ value: { one: 1 }, age: null });
    expect(reports.counts).toMatchObject({ standby: 0, away: 1, paused: 2 });
    expect(changes).toEqual(['away']);
  });

  it('is answered by the primary after two seconds where the standby hangs', async () => {
    const wire = await layWire(url);
    onTestFinished(() => wire.close());
    const { reports, read } = reportsOf(wire.url);
    await reports.start();
    expect((await read(one)).age).not.toBeNull();
    wire.hold();
    const begun = performance.now();
    expect(await read(one)).toEqual({ value: { one: 1 }, age: null });
    expect(performance.now() - begun).toBeLessThan(5_000);
    expect(await read(one)).toEqual({ value: { one: 1 }, age: null });
    expect(reports.counts).toMatchObject({ standby: 1, away: 1, paused: 1 });
    wire.release();
  });

  it.each<[outcome: Outcome, error: Error]>([
    ['conflict', databaseError('40001')],
    ['conflict', databaseError('40P01')],
    ['away', databaseError('57P01')],
    ['failed', databaseError('42703')], // a column that it does not have yet
    ['failed', databaseError('25006')],
  ])('is answered by the primary after a standby: %s', async (outcome, error) => {
    const { reports, changes, failing } = reportsOf();
    await reports.start();
    expect(await failing(error)).toEqual({ value: 2, age: null });
    expect(reports.counts[outcome]).toBe(1);
    expect(changes).toEqual([outcome]);
  });

  it('is looked for on the primary where the standby does not find it, and the standby is asked again', async () => {
    const { reports, changes, read } = reportsOf();
    await reports.start();
    await expect(read(async () => orThrow(notFound('cost')))).rejects.toThrow();
    expect((await read(one)).age).not.toBeNull();
    expect(reports.counts).toMatchObject({ standby: 1, missing: 1, paused: 0 });
    expect(changes).toEqual([]);
  });

  it('that takes too long is not begun again', async () => {
    const { reports, failing } = reportsOf();
    await reports.start();
    await expect(failing(databaseError('57014'))).rejects.toThrow('The standby failed.');
  });

  it('writes nowhere', async () => {
    const { reports, read } = reportsOf();
    await reports.start();
    const write = (tx: Tx) => tx.run(sql`delete from api_key`);
    await expect(read(write)).rejects.toThrow('A report must not write.');
    expect(reports.counts).toMatchObject({ failed: 1 });
  });
});
