import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { Database, Reports, secondsBehind, sql, type Tx } from '../../src/db/index.ts';
import { loginUrl, type Merchant, openTestEnvironment, type TestEnvironment } from '../support/environment.ts';
import { openReplicatedPair, type ReplicatedPair } from '../support/replicated-pair.ts';
import { type Resource, type Shop, shopOf } from '../support/shop.ts';

/** Reports from a real standby: their age, its bound, whose rows they show, and a standby that dies. */
const MAX_AGE_SECONDS = 4;
const PAUSE_SECONDS = 5;

let pair: ReplicatedPair;
let env: TestEnvironment;
let merchant: Merchant;
let shop: Shop;
let metric: Resource;
let customer: Resource;
beforeAll(async () => {
  pair = await openReplicatedPair('standby', false);
  env = await openTestEnvironment({
    database: { url: pair.primaryUrl, drop: async () => undefined },
    standby: { url: loginUrl(pair.standbyUrl), maxAgeSeconds: MAX_AGE_SECONDS },
    audited: false,
  });
  merchant = await env.merchant();
  shop = shopOf(merchant);
  metric = await shop.metric();
  customer = await shop.customer();
}, 120_000);
afterAll(async () => {
  await env?.close();
  await pair?.close();
}, 60_000);

const DAY = { from: '2026-01-01T00:00:00Z', to: '2026-01-02T00:00:00Z' };

/** The usage of a day, and the age of the answer; null: of now. */
async function usage(headers: Record<string, string> = {}) {
  const path = `/v0/billableMetrics/${metric.id}/meter?from=${DAY.from}&to=${DAY.to}`;
  const { status, body, headers: answered, text } = await merchant.get(path, headers);
  if (status !== 200) throw new Error(text);
  return { total: Number(body.totalValue), age: ageIn(answered) };
}

const ageIn = (headers: Record<string, unknown>): number | null =>
  headers['reckoner-data-age'] === undefined ? null : Number(headers['reckoner-data-age']);

/** Waits until the standby answers with this total. */
async function untilStandbyHas(total: number): Promise<void> {
  await expect.poll(() => usage(), { timeout: 20_000, interval: 200 }).toEqual({ total, age: expect.any(Number) });
}

const use = (units: number) => shop.use(customer.id, '2026-01-01T12:00:00Z', units);

describe('a report', () => {
  it('comes from the standby with its age, then from the primary once it is too old', { timeout: 60_000 }, async () => {
    await use(1);
    await untilStandbyHas(1);
    expect((await usage()).age).toBeLessThanOrEqual(2);

    await pair.query('select pg_wal_replay_pause()');
    const paused = performance.now();
    await use(2);
    const shown: { total: number; age: number | null; after: number }[] = [];
    while (performance.now() - paused < (MAX_AGE_SECONDS + 2) * 1_000) {
      shown.push({ ...(await usage()), after: (performance.now() - paused) / 1_000 });
      await sleep(100);
    }
    expect(await usage({ 'cache-control': 'no-cache' })).toEqual({ total: 3, age: null });
    const old = shown.filter(({ age }) => age !== null);
    expect(old.length).toBeGreaterThan(5);
    for (const { total, age } of old)
      expect({ total, isTooOld: (age as number) > MAX_AGE_SECONDS }).toEqual({ total: 1, isTooOld: false });
    expect(Math.max(...old.map(({ age }) => age as number))).toBe(MAX_AGE_SECONDS);
    expect(shown.filter(({ total }) => total === 3).map(({ age }) => age)).toContain(null);
    expect(shown.at(-1)).toMatchObject({ total: 3, age: null });

    await pair.query('select pg_wal_replay_resume()');
    await untilStandbyHas(3);
  });

  it('of a resource that the standby does not have yet is answered too', { timeout: 60_000 }, async () => {
    await untilStandbyHas(3);
    await pair.query('select pg_wal_replay_pause()');
    const cost = await shop.metric({ name: 'New' });
    const path = `/v0/billableMetrics/${cost.id}/meter?from=${DAY.from}&to=${DAY.to}`;
    const { status, headers } = await merchant.get(path);
    await pair.query('select pg_wal_replay_resume()');
    expect({ status, age: ageIn(headers) }).toEqual({ status: 200, age: null });
  });

  it('shows each merchant its own rows alone', { timeout: 60_000 }, async () => {
    await untilStandbyHas(3);
    const other = await env.merchant();
    await shopOf(other).product();
    const log = async (of: Pick<Merchant, 'get'>) => {
      const { body, headers } = await of.get('/v0/auditLog?limit=100');
      const owners = body.data.map(({ merchantId }: Resource) => merchantId);
      return { owners: [...new Set(owners)].toSorted(), isOfStandby: ageIn(headers) !== null };
    };
    const wait = { timeout: 20_000, interval: 200 };
    await expect.poll(() => log(other), wait).toEqual({ owners: [other.id], isOfStandby: true });
    await expect.poll(() => log(merchant), wait).toEqual({ owners: [merchant.id], isOfStandby: true });
    const both = [merchant.id, other.id].toSorted();
    await expect.poll(() => log(env.platform), wait).toEqual({ owners: both, isOfStandby: true });
    const path = `/v0/billableMetrics/${metric.id}/meter?from=${DAY.from}&to=${DAY.to}`;
    expect((await other.get(path)).status).toBe(403);
  });
});

describe('a standby', () => {
  const reportsOf = async (url: string) => {
    const primary = new Database({ url: loginUrl(pair.primaryUrl), connections: 2 });
    const standby = new Database({ url, connections: 2, isStandby: true });
    const reports = new Reports({ primary, beating: primary, standby, maxAgeSeconds: 10, onChange: () => undefined });
    onTestFinished(async () => {
      await Promise.all([reports.close(), primary.close()]);
    });
    await reports.start();
    await sleep(300); // the first beat has arrived
    return reports;
  };
  const isStandby = (tx: Tx) => tx.one(sql`select pg_is_in_recovery() as is_standby`);

  it('is found among several hosts', async () => {
    const reports = await reportsOf(pair.url);
    const { value, age } = await reports.transaction('nobody', isStandby);
    expect({ value, isKnown: age !== null }).toEqual({ value: { isStandby: true }, isKnown: true });
  });

  it.each<{ when: string; lockedAfter: number; outcome: 'conflict' | 'away' }>([
    { when: 'in a statement', lockedAfter: 300, outcome: 'conflict' },
    { when: 'between two statements, with its connection,', lockedAfter: 0, outcome: 'away' },
  ])('that ends a report for its recovery $when is not asked again', async ({ lockedAfter, outcome }) => {
    await pair.query('alter system set max_standby_streaming_delay = 0');
    await pair.query('select pg_reload_conf()');
    const reports = await reportsOf(loginUrl(pair.standbyUrl));
    const lock = 'begin; lock table product in access exclusive mode; commit';
    const answered: unknown[] = [];
    const value = await reports.transaction({ merchants: [merchant.id] }, async (tx) => {
      await tx.rows(sql`select from product`);
      const where = await isStandby(tx);
      answered.push(where);
      if (answered.length === 1) {
        const locking = sleep(lockedAfter).then(() => pair.queryPrimary(lock));
        if (lockedAfter === 0) await locking.then(() => sleep(300));
        await Promise.all([tx.rows(sql`select pg_sleep(8)`), locking]);
      }
      return where;
    });
    expect(value).toEqual({ value: { isStandby: false }, age: null });
    expect(answered).toEqual([{ isStandby: true }, { isStandby: false }]);
    expect(reports.counts).toMatchObject({ [outcome]: 1 });
  });

  it('gets a change within the second, as the doctor asks', async () => {
    expect(await secondsBehind(loginUrl(pair.primaryUrl), loginUrl(pair.standbyUrl))).toBeLessThan(1);
  });

  it('that is killed under reports is replaced by the primary without an error', { timeout: 60_000 }, async () => {
    await untilStandbyHas(3);
    const seen: { status: number; age: number | null; at: number }[] = [];
    let isOver = false;
    const reading = Array.from({ length: 4 }, async () => {
      while (!isOver) {
        const { status, headers } = await merchant.get('/v0/overview');
        seen.push({ status, age: ageIn(headers), at: performance.now() });
        expect((await env.client().get('/readyz')).status).toBe(200);
      }
    });
    await sleep(1_000);
    const killed = performance.now();
    await pair.killStandby();
    await sleep(PAUSE_SECONDS * 1_000 + 1_500);
    isOver = true;
    await Promise.all(reading);
    const slowest = seen.reduce((most, { at }, index) => Math.max(most, at - (seen[index - 1]?.at ?? at)), 0);
    console.log(
      `${seen.length} reports, ${seen.filter(({ age }) => age !== null).length} from the standby; ` +
        `the longest silence was ${Math.round(slowest)} ms`,
    );
    expect([...new Set(seen.map(({ status }) => status))]).toEqual([200]);
    expect(seen.some(({ age, at }) => age !== null && at < killed)).toBe(true);
    expect(seen.filter(({ at }) => at > killed + 1_000).every(({ age }) => age === null)).toBe(true);
    const text = await env.metrics();
    expect(Number(/reckoner_reports_total\{outcome="away"\} (\d+)/.exec(text)?.[1])).toBeGreaterThan(0);
    await expect(secondsBehind(loginUrl(pair.primaryUrl), loginUrl(pair.standbyUrl))).rejects.toThrow();
  });
});
