import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { auditDatabase, recomputeDatabase } from '../../src/app.ts';
import { sql } from '../../src/db/index.ts';
import type { Chore } from '../../src/jobs/index.ts';
import { wireDomains } from '../../src/wiring.ts';
import { type Merchant, openTestEnvironment, type TestEnvironment } from '../support/environment.ts';
import { type Resource, type Shop, START, shopOf } from '../support/shop.ts';

/** Balances that a level over time uses up (commercial.md §5). Figures and instants are worked by hand. */
let env: TestEnvironment;
let merchant: Merchant;
let shop: Shop;
beforeAll(async () => {
  env = await openTestEnvironment();
  env.setNow(START);
  merchant = await env.merchant();
  shop = shopOf(merchant);
});
afterAll(() => env.close());

let count = 0;
interface Sold {
  readonly metric: Resource;
  readonly id: string;
  readonly clock: Resource;
  readonly subscription: Resource;
}

/** A subscription to a feature that is measured in gigabyte-hours (or -days), on a clock from the 1st of January. */
async function sell(
  template: object,
  { metric: of = {}, price: fields = {} }: { metric?: object; price?: object } = {},
): Promise<Sold> {
  count += 1;
  const metric = await shop.metric({
    ...{ aggregation: 'TIME_WEIGHTED', timeUnit: 'hour', eventType: `stored-${count}` },
    ...of,
  });
  const feature = await shop.create('/v0/features', {
    ...{ key: `storage-${count}`, name: 'Storage', productId: metric.productId, type: 'metered' },
  });
  const clock = await shop.clock(START);
  const price = await shop.usagePrice({
    billableMetricId: metric.id,
    feature: { featureId: feature.id, entitlementTemplate: { type: 'metered', ...template } },
    ...fields,
  });
  const subscription = await shop.subscribe(await shop.plan([price]), { clock });
  const [{ entitlementId: id }] = (await shop.read(`/v1/entitlements?subscriptionId=${subscription.id}`)).data;
  return { metric, id, clock, subscription };
}

const store = ({ metric, subscription }: Sold, at: string, units: number | string, data = {}) =>
  shop.use(subscription.id, at, units, { type: metric.eventType, data: { units, ...data } });
const balance = async ({ id }: Sold, at?: string) => {
  const shown = await shop.read(`/v1/entitlements/${id}${at === undefined ? '' : `?at=${at}`}`);
  return `${shown.balance} left, ${shown.usageInPeriod} used, ${shown.overage} over, ${shown.hasAccess ? 'access' : 'no access'}`;
};
/** The notices of an entitlement with their instants. */
const told = async ({ id }: Sold): Promise<string[]> => {
  const rows = await env.database.transaction({ merchants: [merchant.id] }, (tx) =>
    tx.rows<{ type: string; at: Temporal.Instant; value: string }>(sql`
      select type, created_at as at, data ->> 'value' as value from outbox
       where data ->> 'entitlementId' = ${id}
         and type in ('entitlement.balance_low.v0', 'entitlement.exhausted.v0') order by seq`),
  );
  return rows.map(({ type, at, value }) => `${type.split('.')[1]} ${value} ${at}`);
};
/** Lines in words. */
const linesOf = ({ lines }: Resource): string[] =>
  lines.map(({ type, quantity, totalPrice }: Resource) => `${type} ${quantity} ${totalPrice}`);
/** The triggers of an alert with the figures that were seen. */
const triggers = async ({ id }: Resource) =>
  (await shop.read(`/v0/alerts/${id}/triggers`)).data.map(
    ({ value, triggeredAt }: Resource) => `${value} ${triggeredAt}`,
  );
const MONTHLY = { usagePeriod: { interval: 'P1M' }, issueAfterReset: 100 };

describe('a balance of gigabyte-hours', () => {
  it('falls with time, by the level that is known, and the integral ends now', async () => {
    const sold = await sell(MONTHLY);
    await store(sold, START, 4);
    expect(await balance(sold)).toBe('100 left, 0 used, 0 over, access');
    await shop.advance(sold.clock, 'PT10H');
    expect(await balance(sold)).toBe('60 left, 40 used, 0 over, access');
    // Stamped ahead: it counts from its own time on, also for an instant ahead.
    await store(sold, '2026-01-01T12:00:00Z', 20);
    expect(await balance(sold)).toBe('60 left, 40 used, 0 over, access');
    expect(await balance(sold, '2026-01-01T12:00:00Z')).toBe('52 left, 48 used, 0 over, access');
    expect(await balance(sold, '2026-01-01T15:00:00Z')).toBe('0 left, 108 used, 8 over, no access');
    await shop.advance(sold.clock, 'PT4H30M'); // 4 × 12 + 20 × 2.5
    expect(await balance(sold)).toBe('2 left, 98 used, 0 over, access');
    const access = await shop.read(`/v1/customers/${sold.subscription.customerId}/access`);
    expect(access.features).toMatchObject([{ hasAccess: true, balance: 2 }]);
  });

  it('is shown with 12 digits, and three thirds of a unit are a unit', async () => {
    const sold = await sell({ usagePeriod: { interval: 'P1M' }, issueAfterReset: 1 });
    await store(sold, START, 1);
    await shop.advance(sold.clock, 'PT20M');
    expect(await balance(sold)).toBe('0.666666666667 left, 0.333333333333 used, 0 over, access');
    await shop.advance(sold.clock, 'PT20M');
    await shop.create(`/v1/entitlements/${sold.id}/grants`, {
      amount: 1,
      priority: -2,
      expiresAt: '2026-01-01T00:50:00Z',
    });
    await shop.advance(sold.clock, 'PT20M');
    // An hour is used, and a sixth of it by the grant that has expired with five sixths.
    expect(await balance(sold)).toBe('0.166666666667 left, 1 used, 0 over, access');
    await shop.advance(sold.clock, 'PT10M');
    expect(await balance(sold)).toBe('0 left, 1.166666666667 used, 0 over, no access');
  });

  it('is burnt by priority, and its history says of which grant', async () => {
    const sold = await sell({});
    const grant = (fields: object) => shop.create(`/v1/entitlements/${sold.id}/grants`, fields);
    const { id: late } = await grant({ amount: 30, priority: 1 });
    const { id: soon } = await grant({ amount: 20, expiresAt: '2026-01-03T00:00:00Z' });
    await store(sold, START, 0.5); // 12 a day
    await shop.advance(sold.clock, 'P3D');
    const { windows } = await shop.read(
      `/v1/entitlements/${sold.id}/history?from=${START}&to=2026-01-04T00:00:00Z&windowSize=DAY`,
    );
    const burned = ({ grants }: Resource) =>
      [soon, late].map((id) => grants.find(({ grantId }: Resource) => grantId === id)?.burned ?? 0);
    expect(
      windows.map((each: Resource) => [each.balanceAtStart, each.usage, each.balanceAtEnd, ...burned(each)]),
    ).toEqual([
      [50, 12, 38, 12, 0],
      [38, 12, 26, 8, 4],
      [26, 12, 14, 0, 12],
    ]);
  });

  it('counts days, a group at a time, and starts anew at each reset with the level of before', async () => {
    const sold = await sell(
      { usagePeriod: { interval: 'P1M' }, issueAfterReset: 100, resetMaxRollover: 10, preserveOverageAtReset: true },
      { metric: { timeUnit: 'day', groupBy: { region: '$.region' } } },
    );
    await store(sold, START, 2, { region: 'eu' });
    await store(sold, '2026-01-11T00:00:00Z', 1, { region: 'us' });
    await shop.advance(sold.clock, '2026-02-01T00:00:00Z');
    // 2 × 31 + 1 × 21 = 83 of 100; 10 of the remaining 17 roll over.
    expect(await balance(sold)).toBe('110 left, 0 used, 0 over, access');
    await shop.advance(sold.clock, '2026-02-11T00:00:00Z');
    expect(await balance(sold)).toBe('80 left, 30 used, 0 over, access');
    await store(sold, '2026-02-11T00:00:00Z', 9, { region: 'us' }); // 11 a day from here on
    await shop.advance(sold.clock, '2026-03-01T00:00:00Z');
    // 80 − 18 × 11 = −118, which the next 100 do not cover.
    expect(await balance(sold)).toBe('0 left, 0 used, 18 over, no access');
  });

  it('adds up with usage of other metrics, and with another unit of time', async () => {
    const sold = await sell(MONTHLY);
    const days = await shop.metric({
      aggregation: 'TIME_WEIGHTED',
      timeUnit: 'day',
      eventType: `${sold.metric.eventType}-d`,
    });
    const calls = await shop.metric({ eventType: `${sold.metric.eventType}-c` });
    const feature = await shop.create('/v0/features', {
      ...{ key: 'all-of-it', name: 'All', productId: days.productId, type: 'metered' },
    });
    const { id } = await shop.create('/v1/entitlements', {
      ...{ customerId: sold.subscription.customerId, subscriptionId: sold.subscription.id, featureId: feature.id },
      template: { type: 'metered', issueAfterReset: 100, billableMetricIds: [sold.metric.id, days.id, calls.id] },
    });
    const mixed = { ...sold, id };
    await store(sold, START, 2); // 48 a day
    await store({ ...sold, metric: days }, '2026-01-01T12:00:00Z', 12); // 12 a day from noon on
    const { body } = await merchant.post('/v0/events?expand=entitlements', {
      ...{ type: calls.eventType, source: 'test', subject: sold.subscription.id, timestamp: START, data: { units: 4 } },
    });
    expect(body.entitlements.map((each: Resource) => [each.id, each.balance])).toEqual([[id, 96]]);
    await shop.advance(sold.clock, '2026-01-02T00:00:00Z');
    expect(await balance(mixed)).toBe('42 left, 58 used, 0 over, access'); // 4 + 48 + 6
    await shop.advance(sold.clock, '2026-01-03T00:00:00Z');
    // 60 a day: 22 more are 80 after 8.8 hours, 42 are all after 16.8.
    expect(await told(mixed)).toEqual(['balance_low 20 2026-01-02T08:48:00Z', 'exhausted 0 2026-01-02T16:48:00Z']);
  });

  it('is not reserved, and not measured by an average of a period or a percentile', async () => {
    const sold = await sell(MONTHLY);
    const reserved = await merchant.post(`/v1/entitlements/${sold.id}/reservations`, {
      ...{ amount: 1, expiresAt: '2026-01-02T00:00:00Z' },
    });
    expect([reserved.status, reserved.body.code]).toEqual([400, 'RESERVATION_UNAVAILABLE']);
    const average = await shop.metric({ aggregation: 'TIME_WEIGHTED', timeUnit: 'period' });
    const peak = await shop.metric({ aggregation: 'PERCENTILE', percentile: '95', sampleWindow: 'PT1H' });
    const feature = await shop.create('/v0/features', {
      ...{ key: 'averages', name: 'Averages', productId: average.productId, type: 'metered' },
    });
    const [ofAverage, ofPeak] = [
      'must have the timeUnit hour or day: an average of a period uses nothing up',
      'must be of SUM, COUNT, UNIQUE_COUNT, MAX, LATEST, TIME_WEIGHTED',
    ];
    const made = (billableMetricIds: string[]) => ({ type: 'metered', billableMetricIds });
    const refusal = async (path: string, body: object) => {
      const { status, body: answer } = await merchant.post(path, body);
      return [status, ...answer.errors.map(({ field, message }: Resource) => `${field} ${message}`)];
    };
    const { id: customerId } = await shop.customer();
    expect(
      await refusal('/v1/entitlements', { customerId, featureId: feature.id, template: made([average.id, peak.id]) }),
    ).toEqual([400, `template.billableMetricIds.0 ${ofAverage}`, `template.billableMetricIds.1 ${ofPeak}`]);
    const price = { invoiceDisplayName: 'Averages', paymentTerm: 'in_arrears', properties: { unitPrice: '1' } };
    const template = { featureId: feature.id, entitlementTemplate: { type: 'metered' } };
    expect(await refusal('/v0/prices', { ...price, billableMetricId: average.id, feature: template })).toEqual([
      400,
      `feature.entitlementTemplate.billableMetricIds is required: the metric that backs a feature ${ofAverage}`,
    ]);
  });

  it('leaves a bill the units that no grant covers', async () => {
    const sold = await sell(
      { usagePeriod: { interval: 'P1M' }, issueAfterReset: 1000 },
      {
        price: { grantDiscountEnabled: true, properties: { unitPrice: '0.01' } },
      },
    );
    await store(sold, START, 2); // 2 × 744 hours
    await shop.advance(sold.clock, '2026-02-01T00:00:00Z');
    const [invoice] = await shop.invoices(sold.subscription);
    expect(linesOf(invoice)).toEqual(['charge 488 4.88', 'grants 1000 0.00']);
  });
});

describe('a bill of usage over time', () => {
  it('says covered units with 12 digits, and charges nothing for the others', async () => {
    const sold = await sell(
      { usagePeriod: { interval: 'P1M' }, issueAfterReset: 1000 },
      { price: { grantDiscountEnabled: true, properties: { unitPrice: '100' } } },
    );
    await store(sold, START, 1);
    await store(sold, '2026-01-01T00:20:00Z', 0);
    await shop.advance(sold.clock, '2026-02-01T00:00:00Z');
    await store(sold, '2026-01-01T00:10:00Z', 0); // late: 10 minutes less, which were covered
    await shop.advance(sold.clock, '2026-03-01T00:00:00Z');
    const invoices = await shop.invoices(sold.subscription);
    expect(linesOf(invoices[0])).toEqual(['charge 0 0.00', 'grants 0.333333333333 0.00']);
    expect(invoices.slice(1).flatMap(({ subtotal }) => subtotal)).toEqual(['0.00', '0.00']);
  });
});

describe('what is told of a balance that time uses up', () => {
  it('is told at the very instant, which a new event moves', async () => {
    const sold = await sell(MONTHLY);
    await store(sold, START, 4); // low after 20 hours, used up after 25
    await shop.advance(sold.clock, 'PT10H');
    await store(sold, '2026-01-01T10:00:00Z', 8); // 40 used: low after 5 hours more, used up after 7.5
    await shop.advance(sold.clock, 'P1D');
    expect(await told(sold)).toEqual(['balance_low 20 2026-01-01T15:00:00Z', 'exhausted 0 2026-01-01T17:30:00Z']);
    await shop.advance(sold.clock, '2026-02-02T00:00:00Z'); // 8 an hour go on: low after 10 hours, used up after 12.5
    expect((await told(sold)).slice(2)).toEqual([
      'balance_low 20 2026-02-01T10:00:00Z',
      'exhausted 0 2026-02-01T12:30:00Z',
    ]);
  });

  it('is told at the first microsecond by which it is true', async () => {
    const sold = await sell({ usagePeriod: { interval: 'P1M' }, issueAfterReset: 10 });
    await store(sold, START, 7); // 10 ÷ 7 hours: 5142.857142857… seconds; 8 ÷ 7: 4114.285714285…
    await shop.advance(sold.clock, 'P1D');
    expect(await told(sold)).toEqual([
      'balance_low 1.999999998611 2026-01-01T01:08:34.285715Z', // 0.714… microseconds of 7 beyond
      'exhausted 0 2026-01-01T01:25:42.857143Z',
    ]);
  });

  it('waits while the level is 0, and comes with what is stamped ahead', async () => {
    const sold = await sell(MONTHLY);
    await store(sold, START, 4);
    await store(sold, '2026-01-01T10:00:00Z', 0); // 40 used
    await store(sold, '2026-01-03T00:00:00Z', 10); // low after 4 hours, used up after 6
    await shop.advance(sold.clock, '2026-01-02T00:00:00Z');
    expect(await told(sold)).toEqual([]);
    await shop.advance(sold.clock, '2026-01-04T00:00:00Z');
    expect(await told(sold)).toEqual(['balance_low 20 2026-01-03T04:00:00Z', 'exhausted 0 2026-01-03T06:00:00Z']);
  });

  it('counts grants that begin and expire on the way', async () => {
    const sold = await sell({});
    const grant = (fields: object) => shop.create(`/v1/entitlements/${sold.id}/grants`, fields);
    await grant({ amount: 50 });
    await grant({ amount: 100, priority: -1, effectiveAt: '2026-01-01T04:00:00Z', expiresAt: '2026-01-01T06:00:00Z' });
    await store(sold, START, 10);
    // 40 of 50 with another 100; then 60 of 70, because 80 of the 100 have expired; the last 10 end at 7 o'clock.
    await shop.advance(sold.clock, '2026-01-02T00:00:00Z');
    expect(await told(sold)).toEqual(['balance_low 10 2026-01-01T06:00:00Z', 'exhausted 0 2026-01-01T07:00:00Z']);
  });

  it('is told by wall time, too, once an event has been seen', async () => {
    const sold = await sell(MONTHLY);
    const { id: customerId } = await shop.customer();
    const { featureId } = await shop.read(`/v1/entitlements/${sold.id}`);
    const template = { type: 'metered', ...MONTHLY, billableMetricIds: [sold.metric.id] };
    const made = await shop.create('/v1/entitlements', { customerId, featureId, template, activeFrom: START });
    const byHand = { ...sold, id: made.id };
    const half = await shop.create('/v0/alerts', { type: 'balance', entitlementId: made.id, percent: 50 });
    await env.runDueWork();
    await shop.use(customerId, START, 4, { type: sold.metric.eventType });
    const watch = wireDomains('sandbox', 'http://localhost').chores.find(({ isPrompt }) => isPrompt) as Chore;
    await watch.run(env.database, Temporal.Instant.from(START));
    // Half after 12.5 hours, low after 20, used up after 25; in between nothing is due but the alert's hourly look.
    const passed = [
      { at: '2026-01-01T12:29:59Z', notices: 0, alerts: 0 },
      { at: '2026-01-01T12:30:00Z', notices: 0, alerts: 1 },
      { at: '2026-01-01T19:59:59Z', notices: 0, alerts: 1 },
      { at: '2026-01-01T20:00:00Z', notices: 1, alerts: 1 },
      { at: '2026-01-02T00:59:59Z', notices: 1, alerts: 1 },
      { at: '2026-01-02T01:00:00Z', notices: 2, alerts: 1 },
    ];
    for (const { at, ...expected } of passed) {
      env.setNow(at);
      await env.runDueWork();
      expect({ notices: (await told(byHand)).length, alerts: (await triggers(half)).length }, at).toEqual(expected);
    }
    expect(await told(byHand)).toEqual(['balance_low 20 2026-01-01T20:00:00Z', 'exhausted 0 2026-01-02T01:00:00Z']);
    expect(await triggers(half)).toEqual(['50 2026-01-01T12:30:00Z']);
    env.setNow(START);
  });
});

describe('an alert on a figure over time', () => {
  it('is triggered at the instant at which a balance falls to the threshold', async () => {
    const sold = await sell(MONTHLY);
    const alert = (fields: object) => shop.create('/v0/alerts', { type: 'balance', entitlementId: sold.id, ...fields });
    const [half, few] = [await alert({ percent: 50 }), await alert({ threshold: '5' })];
    await store(sold, START, 4);
    await shop.advance(sold.clock, 'PT10H'); // 40 used
    await store(sold, '2026-01-01T10:00:00Z', 2); // half of it in 5 hours, 95 in 27.5
    await shop.advance(sold.clock, 'P2D');
    expect(await triggers(half)).toEqual(['50 2026-01-01T15:00:00Z']);
    expect(await triggers(few)).toEqual(['5 2026-01-02T13:30:00Z']);
  });

  it('blocks access as a budget from this instant on', async () => {
    const sold = await sell(MONTHLY);
    const { customerId } = sold.subscription;
    const budget = await shop.create('/v0/alerts', {
      ...{ type: 'usage', customerId, billableMetricId: sold.metric.id, percent: 50, limit: '48', blocksAccess: true },
    });
    const reason = async () => (await shop.read(`/v1/customers/${customerId}/access`)).features[0].reason;
    await store(sold, START, 1);
    await shop.advance(sold.clock, '2026-01-01T23:59:59Z');
    expect(await reason()).toBeNull();
    await shop.advance(sold.clock, '2026-01-02T00:00:00Z');
    expect(await reason()).toBe('budget_spent');
    expect(await triggers(budget)).toEqual(['24 2026-01-02T00:00:00Z']);
  });

  it('is triggered at the instant at which usage reaches it, and not by time to come', async () => {
    const sold = await sell(MONTHLY);
    const { customerId } = sold.subscription;
    const alert = await shop.create('/v0/alerts', {
      ...{ type: 'usage', customerId, billableMetricId: sold.metric.id, threshold: '90' },
    });
    await store(sold, START, 3);
    await shop.advance(sold.clock, 'PT29H');
    expect(await triggers(alert)).toEqual([]);
    await shop.advance(sold.clock, 'PT5H');
    expect(await triggers(alert)).toEqual(['90 2026-01-02T06:00:00Z']);
  });
});

it('is found right by the auditor and by a second calculation', async () => {
  expect((await auditDatabase(env.url)).violations).toEqual([]);
  expect((await recomputeDatabase(env.url)).differing).toEqual([]);
});
