import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Merchant, openTestEnvironment, type TestEnvironment } from '../../test/support/environment.ts';
import { type Resource, type Shop, shopOf } from '../../test/support/shop.ts';
import { sql } from '../db/index.ts';
import type { Chore } from '../jobs/index.ts';
import { wireDomains } from '../wiring.ts';

/** Workers of several processes on one database: each alert is reported once, and none is missed. */
let env: TestEnvironment;
let merchant: Merchant;
let shop: Shop;
const START = '2026-01-31T12:00:00Z';
const NOW = Temporal.Instant.from(START);
beforeAll(async () => {
  env = await openTestEnvironment();
  env.setNow(START);
  merchant = await env.merchant();
  shop = shopOf(merchant);
});
afterAll(() => env.close());

const ALERTS = '/v0/alerts';
/** The watcher of alerts in its own process. */
function watcher(): Chore {
  const { chores } = wireDomains('sandbox', 'http://localhost');
  return chores.find(({ isPrompt }) => isPrompt) as Chore;
}
const evaluate = (chore: Chore, after = { seconds: 0 }) => chore.run(env.database, NOW.add(after));
const valuesOf = async ({ id }: Resource): Promise<string[]> =>
  (await shop.read(`${ALERTS}/${id}/triggers`)).data.map(({ value }: Resource) => value);
const webhookCount = async ({ id }: Resource): Promise<number> =>
  env.database.transaction({ merchants: [merchant.id] }, (tx) =>
    tx.run(sql`select 1 from outbox where type = 'alert.triggered.v0' and data ->> 'alertId' = ${id}`),
  );

/** An alert at ten units, checked once. */
async function watched(fields: object = {}) {
  const [customer, metric] = [await shop.customer(), await shop.metric()];
  const of = { type: 'usage', customerId: customer.id, billableMetricId: metric.id, period: 'month' };
  const alert = await shop.create(ALERTS, { ...of, threshold: '10', ...fields });
  await env.runDueWork();
  const use = (units: number, at = START) => shop.use(customer.id, at, units, { type: metric.eventType });
  return { alert, customer, metric, use };
}

it('a process that starts later reports earlier events', async () => {
  const { alert, use } = await watched();
  await use(10);
  expect(await valuesOf(alert)).toEqual([]);
  await evaluate(watcher());
  expect(await valuesOf(alert)).toEqual(['10']);
});

it('processes that evaluate at once trigger once', async () => {
  const { alert, use } = await watched();
  await use(10);
  const later = [0, 10, 20, 30].map((seconds) => ({ seconds })); // each finds the lease of the others over
  await Promise.all(later.map((after) => evaluate(watcher(), after)));
  expect([await valuesOf(alert), await webhookCount(alert)]).toEqual([['10'], 1]);
  await use(10);
  await evaluate(watcher(), { seconds: 60 });
  expect([await valuesOf(alert), await webhookCount(alert)]).toEqual([['10'], 1]);
});

it('one of them evaluates, until it stops', async () => {
  const { alert, use } = await watched();
  const [first, second] = [watcher(), watcher()];
  await use(1);
  await evaluate(first, { seconds: 100 });
  await use(9);
  await evaluate(second, { seconds: 101 });
  expect(await valuesOf(alert)).toEqual([]);
  await evaluate(second, { seconds: 103 });
  expect(await valuesOf(alert)).toEqual(['10']);
});

it('events of a transaction that commits late are not passed over', { timeout: 60_000 }, async () => {
  const [{ alert, use }, slow] = [await watched(), await watched()];
  const chore = watcher();
  const { promise: isHeld, resolve: hold } = Promise.withResolvers<void>();
  const { promise: end, resolve: letGo } = Promise.withResolvers<void>();
  const holding = env.database.transaction('nobody', async (tx) => {
    await tx.run(sql`lock table event in row exclusive mode`); // as a process that stores an event
    hold();
    await end;
  });
  await isHeld;
  await use(10);
  await evaluate(chore, { seconds: 200 });
  expect(await valuesOf(alert)).toEqual(['10']); // visible events are reported, though another transaction takes long
  await slow.use(10);
  letGo();
  await holding;
  await evaluate(chore, { seconds: 210 });
  expect(await valuesOf(slow.alert)).toEqual(['10']);
});

describe('what comes when', () => {
  const chore = watcher();
  it.each([
    { name: 'before the period', at: '2025-12-31T23:59:59Z', triggered: [] },
    { name: 'at its start', at: '2026-01-01T00:00:00Z', triggered: ['10'] },
    { name: 'ahead, just before its end', at: '2026-01-31T23:59:59.999999Z', triggered: ['10'] },
    { name: 'at its end', at: '2026-02-01T00:00:00Z', triggered: [] },
  ])('$name', async ({ at, triggered }) => {
    const { alert, use } = await watched();
    await use(10, at);
    await evaluate(chore, { seconds: 300 });
    expect(await valuesOf(alert)).toEqual(triggered);
  });

  it('a figure that falls below and comes back is not reported again; below, the alert is not reached', async () => {
    const { alert, use } = await watched();
    let seconds = 400;
    const used: [number, boolean][] = [
      [10, true],
      [-5, false],
      [20, true],
    ];
    for (const [units, isReached] of used) {
      await use(units);
      seconds += 10;
      await evaluate(chore, { seconds });
      expect((await shop.read(`${ALERTS}/${alert.id}`)).isReached).toBe(isReached);
    }
    expect(await valuesOf(alert)).toEqual(['10']);
  });
});

it('a deleted alert and an alert of another customer report nothing', async () => {
  const [{ alert, use }, other] = [await watched(), await watched()];
  expect((await merchant.delete(`${ALERTS}/${alert.id}`)).status).toBe(204);
  await use(10);
  await evaluate(watcher(), { seconds: 500 });
  expect([await webhookCount(alert), await valuesOf(other.alert)]).toEqual([0, []]);
  expect((await merchant.get(`${ALERTS}/${alert.id}`)).status).toBe(404);
});
