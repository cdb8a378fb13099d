import { randomBytes } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { cloneDatabase } from '../../../test/support/environment.ts';
import { Database, sql, type Tx } from '../../db/index.ts';
import { orThrow, RefusalError } from '../../kernel/result.ts';
import { shipRound } from '../clickhouse/shipper.ts';
import { RememberingClickHouse } from '../clickhouse/testing/remembering.ts';
import { eventsAtHand } from '../events/at-hand.sql.ts';
import { acceptEvents } from '../intake/intake.ts';
import { eventTallyChore } from '../intake/tally.ts';
import { openArchive } from './archive.ts';
import { archiveCheck } from './check.ts';
import type { ObjectStore } from './store.ts';
import { archiveRound, firstKeptMonth } from './write.ts';

/** The steps of a month into the archive and back, each cut off once. */

const SENT = Temporal.Instant.from('2026-03-20T00:00:00Z');
const LATER = Temporal.Instant.from('2027-06-01T00:00:00Z');
const minutes = (count: number) => LATER.add({ minutes: count });

let database: Database;
let drop: () => Promise<void>;
let files: Map<string, Uint8Array>;
/** Fails at one of its calls. */
let fault: 'put' | 'after put' | 'get' | null;
let merchantId: string;

const store: ObjectStore = {
  put: async (key, bytes) => {
    if (fault === 'put') throw new Error('cut off');
    files.set(key, bytes);
    if (fault === 'after put') throw new Error('cut off');
  },
  get: async (key) => {
    if (fault === 'get') throw new Error('cut off');
    return files.get(key) as Uint8Array;
  },
};

beforeEach(async () => {
  const clone = await cloneDatabase(); // a month is removed for all merchants together
  drop = clone.drop;
  database = new Database({ url: clone.url, connections: 4, mend: (error) => archive.mend(error) });
  const archive = openArchive({ database, store, now: () => LATER, onTrouble: () => undefined });
  files = new Map();
  fault = null;
  merchantId = `org_${randomBytes(8).toString('hex')}`;
  await send(['2026-01-05T00:00:00Z', '2026-01-31T23:59:59.999999Z', '2026-02-01T00:00:00Z']);
});

afterEach(async () => {
  await database.close();
  await drop();
});

const own = <T>(work: (tx: Tx) => Promise<T>) => database.transaction({ merchants: [merchantId] }, work);

async function send(times: readonly string[], now = SENT): Promise<void> {
  const events = times.map((at) => ({
    ...{ merchantId, type: 'call', source: 'test', subject: null, externalSubject: 'acme', externalId: null },
    ...{ at, isTimeSent: true, idempotencyKey: randomBytes(8).toString('hex'), data: '{"units": 1.50}' },
  }));
  await own(async (tx) => orThrow(await acceptEvents(tx, events, now)));
  await eventTallyChore.run(database, now);
  await eventTallyChore.run(database, now);
}

const terms = { store, retentionDays: 400, findOpenPeriods: async () => [], hasProjection: false, mostEvents: 2 };
const round = (at: number, more: Partial<typeof terms> = {}) =>
  archiveRound(database, { ...terms, ...more }, minutes(at));

const parts = () =>
  own((tx) =>
    tx.rows<{ month: string; state: string; events: number }>(sql`
      select to_char(month, 'YYYY-MM') as month, state, event_count as events from event_archive
       where merchant_id = ${merchantId} order by month, first_seq`),
  );
const here = async () =>
  (
    await own((tx) =>
      tx.one<{ count: number }>(sql`select count(*)::int as count from event
     where merchant_id = ${merchantId}`),
    )
  ).count;
const readAll = () => own((tx) => tx.run(sql`select ${eventsAtHand({ merchantId })}`));

const written = (state: string) => [
  { month: '2026-01', state, events: 2 },
  { month: '2026-02', state, events: 1 },
];

it.each([
  ['2027-06-01T00:00:00Z', '2026-04-01'],
  ['2027-03-07T23:59:59Z', '2026-01-01'],
  ['2027-03-08T00:00:00Z', '2026-02-01'],
])('at %s the first month that stays 400 days is %s', (now, month) => {
  expect(firstKeptMonth(Temporal.Instant.from(now), 400)).toBe(month);
});

describe('a month', () => {
  it('is written, let go, and removed a while later', async () => {
    await round(0);
    expect(await parts()).toEqual(written('leaving'));
    await round(14);
    expect(await here()).toBe(3);
    await round(15);
    expect([await parts(), await here(), files.size]).toEqual([written('away'), 0, 2]);
  });

  it('of a merchant with an open period that reaches into it stays', async () => {
    const from = Temporal.Instant.from('2026-01-31T12:00:00Z');
    await round(0, { findOpenPeriods: async () => [{ merchantId, from }] as never });
    expect(await parts()).toEqual([]);
    const later = Temporal.Instant.from('2026-02-01T00:00:00Z');
    await round(0, { findOpenPeriods: async () => [{ merchantId, from: later }] as never });
    expect(await parts()).toEqual([{ month: '2026-01', state: 'leaving', events: 2 }]);
    await round(30);
    expect(await parts()).toEqual([
      { month: '2026-01', state: 'away', events: 2 },
      { month: '2026-02', state: 'leaving', events: 1 },
    ]);
  });

  it('that is not in ClickHouse yet waits for it', async () => {
    const shipping = { database, clickhouse: new RememberingClickHouse(), mode: { kind: 'single' } as const };
    await archiveRound(database, { ...terms, hasProjection: true }, minutes(0));
    expect(await parts()).toEqual(written('leaving')); // there is no projection
    await own((tx) => tx.run(sql`update event_archive set state = 'here', kept_until = ${minutes(100)}`));
    await send(['2026-01-10T00:00:00Z']);
    await shipRound(shipping, SENT);
    await send(['2026-01-11T00:00:00Z']);
    await archiveRound(database, { ...terms, hasProjection: true }, minutes(5));
    expect((await parts()).map(({ events }) => events)).toEqual([2, 1, 1]);
    await shipRound(shipping, SENT);
    await archiveRound(database, { ...terms, hasProjection: true }, minutes(10));
    expect((await parts()).map(({ events }) => events)).toEqual([2, 1, 1, 1]);
  });

  it('is not removed while somebody reads events, and nobody waits for it for long', async () => {
    await round(0);
    const { promise: end, resolve } = Promise.withResolvers<void>();
    const reading = own(async (tx) => {
      await tx.run(sql`select from event`);
      await end;
    });
    await round(20);
    expect(await here()).toBe(3);
    resolve();
    await reading;
    await round(40);
    expect(await here()).toBe(0);
  });

  it('with an event that came a few days ago waits for it', async () => {
    await send(['2026-01-10T00:00:00Z'], LATER.subtract({ hours: 24 }));
    await round(0);
    await round(20);
    expect(await parts()).toEqual([
      { month: '2026-01', state: 'here', events: 2 },
      { month: '2026-02', state: 'away', events: 1 },
    ]);
    const week = 8 * 24 * 60;
    await round(week);
    await round(week + 20);
    expect(await parts()).toEqual([
      { month: '2026-01', state: 'away', events: 2 },
      { month: '2026-01', state: 'away', events: 1 },
      { month: '2026-02', state: 'away', events: 1 },
    ]);
    expect(await here()).toBe(0);
  });

  it.each(['put', 'after put', 'get'] as const)('goes on after a stop at: %s', async (at) => {
    fault = at;
    await expect(round(0)).rejects.toThrow('cut off');
    expect(await parts()).toMatchObject([{ state: 'writing' }]);
    fault = null;
    await round(5); // the part is still leased
    expect(await parts()).toMatchObject([{ state: 'writing' }, { state: 'leaving' }]);
    await round(10);
    await round(30);
    await round(50);
    expect([await parts(), await here(), files.size]).toEqual([written('away'), 0, 2]);
  });

  it('whose file has become another one is never removed or read', async () => {
    fault = 'after put';
    await expect(round(0)).rejects.toThrow();
    const [[key, bytes] = ['', new Uint8Array()]] = files;
    const put = { ...store, put: async () => undefined };
    files.set(
      key,
      bytes.map((byte, place) => (place === 40 ? byte ^ 1 : byte)),
    );
    fault = null;
    await expect(round(10, { store: put })).rejects.toThrow();
    expect(await parts()).toMatchObject([{ state: 'writing' }]);
    expect(await here()).toBe(3);
  });
});

describe('archived events', () => {
  beforeEach(async () => {
    await round(0);
    await round(20);
    expect(await here()).toBe(0);
  });

  it('come back for whoever asks, exactly once, and go again a day later', async () => {
    await Promise.all([readAll(), readAll(), readAll()]);
    expect([await here(), await parts()]).toEqual([3, written('here')]);
    await round(24 * 60 - 1);
    expect(await parts()).toEqual(written('here'));
    await round(24 * 60 + 1);
    await round(24 * 60 + 20);
    expect([await here(), await parts(), files.size]).toEqual([0, written('away'), 2]);
  });

  it('come back for a function that is called without a transaction', async () => {
    await database.call('asking', sql`select ${eventsAtHand({ merchantId })}`);
    expect(await here()).toBe(3);
  });

  it('that were let go are taken back without a file', async () => {
    await readAll();
    await round(24 * 60 + 1);
    expect(await parts()).toEqual(written('leaving'));
    fault = 'get';
    await readAll();
    expect(await parts()).toEqual(written('here'));
    fault = null;
    await round(24 * 60 + 30);
    expect(await here()).toBe(3);
  });

  it('of other merchants, months and types stay', async () => {
    await own((tx) => tx.run(sql`select ${eventsAtHand({ merchantId: 'org_another' })}`));
    const from = Temporal.Instant.from('2026-03-01T00:00:00Z');
    await own((tx) => tx.run(sql`select ${eventsAtHand({ merchantId, from })}`));
    await own((tx) => tx.run(sql`select ${eventsAtHand({ merchantId, type: 'other' })}`));
    expect(await here()).toBe(0);
    await own((tx) =>
      tx.run(sql`select ${eventsAtHand({ merchantId, to: Temporal.Instant.from('2026-02-01T00:00:00Z') })}`),
    );
    expect(await here()).toBe(2);
  });

  it('come back for a new copy in ClickHouse, in the order of acceptance', async () => {
    const clickhouse = new RememberingClickHouse();
    await shipRound({ database, clickhouse, mode: { kind: 'single' }, mostEvents: 2 }, LATER);
    const { rows } = await database.transaction('every merchant, reading', async (tx) => ({
      rows: await tx.rows<{ name: string }>(sql`select name from usage_projection where state = 'serving'`),
    }));
    expect(clickhouse.seqsOf(rows[0]?.name as string)).toHaveLength(3);
    expect(await here()).toBe(3);
  });

  it('are refused while the store does not answer', async () => {
    fault = 'get';
    await expect(readAll()).rejects.toThrow(RefusalError);
    expect(await parts()).toEqual(written('away'));
  });

  it('are looked at by the auditor', async () => {
    const check = archiveCheck(store);
    const broken = async () =>
      (await database.transaction('every merchant, reading', (tx) => check.next(tx, null))).broken.filter(
        (each) => each.merchantId === merchantId,
      );
    const others = [...files.keys()];
    const lost = others[0] as string;
    expect((await broken()).filter(({ id }) => others.includes(id))).toEqual([]);
    files.set(lost, new Uint8Array(8));
    expect(await broken()).toMatchObject([{ id: lost }]);
  });
});
