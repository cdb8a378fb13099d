import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openTestEnvironment, type TestEnvironment } from '../../test/support/environment.ts';
import { type Resource, shopOf } from '../../test/support/shop.ts';
import { sql } from '../db/index.ts';
import { eventTallyChore, postgresUsage } from '../metering/index.ts';
import { countUnbilled } from './daily.sql.ts';
import { lastDay, unbilledUsageChore } from './daily.ts';

let env: TestEnvironment;
beforeAll(async () => {
  env = await openTestEnvironment();
});
afterAll(() => env.close());

const at = (text: string) => Temporal.Instant.from(text);
const search = (now: string) => unbilledUsageChore(postgresUsage).run(env.database, at(now));
const published = (merchantId: string) =>
  env.database.transaction({ merchants: [merchantId] }, (tx) =>
    tx.rows<{ data: Resource }>(
      sql`select data from outbox where merchant_id = ${merchantId} and type = 'usage.unbilled.v0' order by seq`,
    ),
  );

describe('the last day that is over', () => {
  it.each([
    { now: '2026-03-01T01:00:00Z', day: '2026-02-28', start: '2026-02-28T00:00:00Z', end: '2026-03-01T00:00:00Z' },
    { now: '2026-03-01T00:59:59Z', day: '2026-02-27', start: '2026-02-27T00:00:00Z', end: '2026-02-28T00:00:00Z' },
    { now: '2026-03-01T23:00:00Z', day: '2026-02-28', start: '2026-02-28T00:00:00Z', end: '2026-03-01T00:00:00Z' },
  ])('at $now is $day', ({ now, day, start, end }) =>
    expect(lastDay(at(now))).toEqual({ day, period: { start: at(start), end: at(end) } }),
  );
});

it('tells once of each day and metric, however often and by however many it is searched', async () => {
  env.setNow('2026-01-05T12:00:00Z');
  const merchant = await env.merchant();
  const shop = shopOf(merchant);
  const metric = await shop.metric();
  const [known, stranger] = [await shop.customer(), await shop.customer()];
  await shop.subscribe(await shop.plan([await shop.usagePrice({ billableMetricId: metric.id })]), {
    customer: known,
    startedAt: '2026-01-05T12:00:00Z',
  });
  await shop.use(known.id, '2026-01-05T13:00:00Z', 1);
  await shop.use(stranger.id, '2026-01-05T13:00:00Z', 5);
  await shop.use(stranger.id, '2026-01-05T14:00:00Z', 5, { type: 'typo' });
  await shop.use(stranger.id, '2026-01-06T00:00:00Z', 7);
  for (let turn = 0; turn < 3; turn += 1) await eventTallyChore.run(env.database, at('2026-01-05T12:00:00Z'));

  await Promise.all([search('2026-01-06T01:00:00Z'), search('2026-01-06T01:00:00Z')]);
  await search('2026-01-06T20:00:00Z');
  expect((await published(merchant.id)).map(({ data }) => [data.billableMetricId, data.day])).toEqual([
    [metric.id, '2026-01-05'],
    [null, '2026-01-05'],
  ]);
  const counted = await env.database.transaction('every merchant, reading', countUnbilled);
  expect(Object.fromEntries(counted.map(({ reason, events }) => [reason, events]))).toEqual({
    NO_PERIOD: 1,
    UNKNOWN_TYPE: 1,
  });
  await search('2026-01-07T01:00:00Z');
  expect((await published(merchant.id)).slice(2).map(({ data }) => [data.billableMetricId, data.day])).toEqual([
    [metric.id, '2026-01-06'],
  ]);
  await search('2026-01-08T01:00:00Z');
  expect(await published(merchant.id)).toHaveLength(3);
  expect(await env.database.transaction('every merchant, reading', countUnbilled)).toEqual([]);
});

it('tells of usage that came too late on the day on which it came, once', async () => {
  env.setNow('2026-01-01T00:00:00Z');
  const merchant = await env.merchant();
  const shop = shopOf(merchant);
  await shop.change(`/v0/organizations/${merchant.id}`, { settings: { lateUsageDays: 1 } });
  const metric = await shop.metric();
  const customer = await shop.customer();
  const plan = await shop.plan([await shop.usagePrice({ billableMetricId: metric.id })]);
  const subscription = await shop.subscribe(plan, { customer, startedAt: '2026-01-01T00:00:00Z' });
  await shop.use(customer.id, '2026-01-01T12:00:00Z', 1);
  env.setNow('2026-02-02T00:00:00Z');
  await env.runDueWork();
  await shop.act(`/v0/subscriptions/${subscription.id}/termination`, { reason: 'Moved' });
  env.setNow('2026-02-02T00:00:05Z');
  await env.runDueWork();
  env.setNow('2026-02-03T00:00:05Z');
  await env.runDueWork();
  for (let turn = 0; turn < 3; turn += 1) await eventTallyChore.run(env.database, at('2026-02-03T00:00:00Z'));
  await search('2026-02-04T02:00:00Z');
  expect(await published(merchant.id)).toEqual([]);

  await shop.use(customer.id, '2026-01-05T13:00:00Z', 5);
  await shop.use(customer.id, '2026-01-06T13:00:00Z', 7);
  await search('2026-02-05T02:00:00Z');
  expect((await published(merchant.id)).map(({ data }) => [data.billableMetricId, data.day])).toEqual([
    [metric.id, '2026-02-04'],
  ]);
  const counted = await env.database.transaction('every merchant, reading', countUnbilled);
  expect(counted).toContainEqual({ reason: 'PERIOD_CLOSED', events: 2 });
  await search('2026-02-06T02:00:00Z');
  expect(await published(merchant.id)).toHaveLength(1);
});
