import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { auditDatabase, recomputeDatabase } from '../../src/app.ts';
import { type Merchant, openTestEnvironment, type TestEnvironment } from '../support/environment.ts';
import { type Resource, type Shop, START, shopOf } from '../support/shop.ts';

/** A percentage of each event by itself (commercial.md §12). Amounts are worked by hand. */
let env: TestEnvironment;
let merchant: Merchant;
let shop: Shop;
let clock: Resource;
beforeAll(async () => {
  env = await openTestEnvironment();
  merchant = await env.merchant();
  shop = shopOf(merchant);
});
afterAll(() => env.close());
beforeEach(async () => {
  clock = await shop.clock(START);
});

/** 2.9 % + 0.30, at least 0.50, at most 5.00 a transaction. */
const CARD = { percentage: '0.029', fixed: '0.30', perEvent: { min: '0.50', max: '5' } };
const priced = (properties: object, fields: object = {}) =>
  shop.usagePrice({ model: 'percentage', properties, ...fields });
const sell = async (price: Resource, fields: object = {}): Promise<Resource> =>
  shop.subscribe(await shop.plan([price]), { clock, ...fields });
/** Values on days of January, each at its own time. */
const used = async ({ id }: Resource, ...values: readonly (readonly [day: number, value: number])[]) => {
  for (const [day, value] of values) await shop.use(id, `2026-01-${String(day).padStart(2, '0')}T12:00:00Z`, value);
};
const billed = async (subscription: Resource) =>
  (await shop.invoices(subscription)).map(({ lines }: Resource) =>
    lines.map(({ quantity, totalPrice }: Resource) => `${quantity} ${totalPrice}`).join(', '),
  );
const refused = async (fields: object) => (await merchant.post('/v0/prices', fields)).body;
const base = async () => ({
  billableMetricId: (await shop.metric()).id,
  invoiceDisplayName: 'Card',
  paymentTerm: 'in_arrears',
  model: 'percentage',
});

describe('an amount for each event', () => {
  it('lies within its bounds, and the price is rounded once', async () => {
    const price = await priced(CARD);
    expect(price.properties).toEqual({ percentage: '0.029', fixed: '0.30', perEvent: { min: '0.50', max: '5' } });
    const subscription = await sell(price);
    // 1: 0.329, so 0.50. 100: 3.20. 1000: 29.30, so 5. 33.3: 1.2657. Together 9.9657.
    await used(subscription, [2, 1], [3, 100], [4, 1000], [5, 33.3]);
    await shop.advance(clock, 'P1M');
    expect((await billed(subscription))[0]).toBe('1134.3 9.97');
    const [invoice] = await shop.invoices(subscription);
    expect((await shop.read(`/v2/invoices/${invoice.id}/explain`)).lines[0].notes).toEqual([
      '2.9% of each event + 0.30, at least 0.50, at most 5.00',
    ]);
  });

  it('is the percentage alone for a value of 0 or less, not below the maximum the other way', async () => {
    const subscription = await sell(await priced(CARD));
    // 100: 3.20. 200: 6.10, so 5. 0: 0. -10: -0.29. -1000: -29, so -5. Together 2.91.
    await used(subscription, [2, 100], [3, 200], [4, 0], [5, -10], [6, -1000]);
    await used(subscription, [7, 1000]); // another 5, so that the units are not below 0
    await shop.advance(clock, 'P1M');
    expect((await billed(subscription))[0]).toBe('290 7.91');
  });

  it('of a count is one of 1', async () => {
    const billableMetricId = (await shop.metric({ aggregation: 'COUNT' })).id;
    const price = await priced({ percentage: '0.1', perEvent: { min: '0.25' }, freeEvents: 1 }, { billableMetricId });
    const subscription = await sell(price);
    await used(subscription, [2, 7], [3, 100], [4, 2]); // three events, one free: 2 × 0.25
    await shop.advance(clock, 'P1M');
    expect((await billed(subscription))[0]).toBe('3 0.50');
  });

  it('passes only what the filters of the price let through, and keeps its own bounds', async () => {
    const metric = await shop.metric({ groupBy: { region: '$.region' } });
    const fields = { billableMetricId: metric.id, groupFilters: { region: ['eu'] }, maximumAmount: '7' };
    const subscription = await sell(await priced({ ...CARD, freeEvents: 1, minCharge: '1' }, fields));
    const at = (day: number, units: number, region: string) =>
      shop.use(subscription.id, `2026-01-${day}T12:00:00Z`, units, { data: { units, region } });
    // The first one in the EU is free. 100: 3.20, 1000: 5, together 8.20, at most 7.
    for (const [day, units, region] of [
      [10, 900, 'us'],
      [11, 50, 'eu'],
      [12, 100, 'eu'],
      [13, 1000, 'eu'],
    ] as const)
      await at(day, units, region);
    await shop.advance(clock, 'P1M');
    expect((await billed(subscription))[0]).toBe('1150 8.20, 1 -1.20');
  });
});

describe('free events', () => {
  it('are the first ones in order of time, also of those that come late', async () => {
    const subscription = await sell(await priced({ percentage: '0.1', freeEvents: 2 }));
    await used(subscription, [10, 100], [8, 10], [20, 1000]); // free are 10 and 100: 100.00
    await shop.advance(clock, '2026-02-10T00:00:00Z');
    await used(subscription, [9, 30]); // now 10 and 30 are free: 110.00
    await shop.advance(clock, '2026-03-10T00:00:00Z');
    expect((await billed(subscription)).slice(0, 2)).toEqual(['1110 100.00', '0 0.00, 30 10.00']);
  });

  it('are counted on over a cut', async () => {
    const subscription = await sell(await priced({ percentage: '0.1', freeEvents: 2 }));
    await shop.advance(clock, '2026-01-10T00:00:00Z');
    await used(subscription, [5, 100]);
    const [open] = await shop.invoices(subscription);
    await shop.act(`/v2/invoices/${open.id}/closeNow`);
    await used(subscription, [11, 50], [12, 40]); // the first one is the second of the period: free
    await shop.advance(clock, '2026-02-01T00:00:00Z');
    expect((await billed(subscription)).slice(0, 2)).toEqual(['100 0.00', '90 4.00']);
  });

  it('are scaled by the seconds of a part, up to whole events', async () => {
    const price = await priced({ percentage: '0.1', freeEvents: 3 });
    const plan = await shop.plan([price], { billingAnchor: START });
    const start = await shop.clock('2026-01-18T00:00:00Z'); // 14 of 31 days: 1.35 events, so 2
    const subscription = await shop.subscribe(plan, { clock: start });
    await used(subscription, [19, 10], [20, 20], [21, 40]);
    await shop.advance(start, '2026-02-01T00:00:00Z');
    expect((await billed(subscription))[0]).toBe('70 4.00');
    const [invoice] = await shop.invoices(subscription);
    expect((await shop.read(`/v2/invoices/${invoice.id}/explain`)).lines[0].notes).toEqual([
      '10% of each event, 2 events free',
    ]);
  });

  it('stay under a negotiated factor, which scales the bounds of each event', async () => {
    const price = await priced({ ...CARD, freeEvents: 1 });
    const subscription = await sell(price, { priceOverrides: [{ priceId: price.id, multiplier: '0.5' }] });
    // One free; 1: 0.1645, so 0.25. 1000: 14.65, so 2.50. Together 2.75; by the list 5.50 of 1,051 units.
    await used(subscription, [2, 50], [3, 1], [4, 1000]);
    await shop.advance(clock, 'P1M');
    const [invoice] = await shop.invoices(subscription);
    expect(invoice.lines[0]).toMatchObject({ totalPrice: '2.75', listUnitPrice: '0.005233111' });
  });
});

describe('such a price', () => {
  it('is estimated from the events of a customer', async () => {
    const price = await priced({ ...CARD, freeEvents: 1 });
    const plan = await shop.plan([price]);
    const customer = await shop.customer();
    await used(customer, [2, 50], [3, 1], [4, 1000]); // 0.50 + 5.00
    const of = { customerId: customer.id, from: START, to: '2026-02-01T00:00:00Z' };
    const { grandTotal } = await shop.act(`/v0/plans/${plan.id}/simulate`, of);
    expect(grandTotal).toBe('5.50');
  });

  it('has no included or granted units, and is for metrics that add up', async () => {
    const faults = async (fields: object) =>
      (await refused({ ...(await base()), ...fields })).errors.map(({ field, message }: Resource) => [field, message]);
    expect(await faults({ properties: { ...CARD, includedUnits: '5' } })).toEqual([
      [
        'properties.includedUnits',
        'is not for a price on each event, which has no units in common; freeEvents makes events free',
      ],
    ]);
    expect(await faults({ properties: { percentage: '0.1', freeEvents: 5 }, grantDiscountEnabled: true })).toEqual([
      ['grantDiscountEnabled', 'is not for a price with freeEvents: which of its events were granted is not known'],
    ]);
    expect(await faults({ properties: { percentage: '0.1', perEvent: { min: '2', max: '1' } } })).toEqual([
      ['properties.perEvent.min', 'must not be above perEvent.max'],
    ]);
    for (const wrong of [{ perEvent: {} }, { freeEvents: 1.5 }, { freeEvents: '2' }, { freeEvents: -1 }])
      expect((await faults({ properties: { percentage: '0.1', ...wrong } }))[0][0]).toMatch(
        /^properties\.(perEvent|freeEvents)/,
      );
    const billableMetricId = (await shop.metric({ aggregation: 'MAX' })).id;
    expect(await faults({ billableMetricId, properties: CARD })).toEqual([
      ['properties.perEvent', 'is for a metric of SUM or COUNT'],
    ]);
    const { feeId } = await shop.feePrice();
    expect(
      await faults({
        billableMetricId: undefined,
        feeId,
        billingCadence: 'P1M',
        properties: { ...CARD, freeEvents: 1 },
      }),
    ).toEqual([
      ['properties.perEvent', 'is for prices of metrics; a fee has no events'],
      ['properties.freeEvents', 'is for prices of metrics; a fee has no events'],
    ]);
  });

  it('is refused in an override where the price cannot be one', async () => {
    const billableMetricId = (await shop.metric({ aggregation: 'MAX' })).id;
    const price = await priced({ percentage: '0.1' }, { billableMetricId });
    const answer = await merchant.post('/v0/subscriptions', {
      name: 'x',
      planId: (await shop.plan([price])).id,
      customerId: (await shop.customer()).id,
      startedAt: START,
      priceOverrides: [{ priceId: price.id, properties: CARD }],
    });
    expect(answer.body.errors).toEqual([
      { field: 'priceOverrides.0.properties.perEvent', message: 'is for a metric of SUM or COUNT' },
    ]);
  });
});

it('is found right by the auditor and by a second calculation', async () => {
  expect((await auditDatabase(env.url)).violations).toEqual([]);
  expect((await recomputeDatabase(env.url)).differing).toEqual([]);
});
