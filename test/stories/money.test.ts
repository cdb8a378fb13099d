import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sharedEnvironment, type TestEnvironment } from '../support/environment.ts';
import { type Resource, START, shopOf } from '../support/shop.ts';

/** Currencies, models and taxes on an invoice, computed by hand (domain.md §2 and §4). */
let env: TestEnvironment;
beforeAll(async () => {
  env = await sharedEnvironment();
});
afterAll(() => env.close());

/** Bills a month of `usage` units of a metric on a plan of these prices. */
async function billed(of: {
  usage?: readonly (number | string)[];
  usagePrices?: readonly Record<string, unknown>[];
  feePrices?: readonly Record<string, unknown>[];
  plan?: Record<string, unknown>;
  subscription?: Record<string, unknown>;
  customer?: Record<string, unknown>;
  merchant?: Record<string, unknown>;
}): Promise<Resource> {
  const merchant = await env.merchant();
  const shop = shopOf(merchant);
  if (of.merchant) await shop.change(`/v0/organizations/${merchant.id}`, of.merchant);
  const metric = await shop.metric();
  const prices = [];
  for (const fields of of.usagePrices ?? [])
    prices.push(await shop.usagePrice({ billableMetricId: metric.id, ...fields }));
  for (const fields of of.feePrices ?? []) prices.push(await shop.feePrice(fields));
  const plan = await shop.plan(prices, of.plan);
  const clock = await shop.clock(START);
  const customer = await shop.customer(of.customer);
  const subscription = await shop.subscribe(plan, { clock, customer, ...of.subscription });
  for (const units of of.usage ?? []) await shop.use(customer.id, '2026-01-10T00:00:00Z', units);
  await shop.advance(clock, '2026-02-01T00:00:00Z');
  return (await shop.invoices(subscription))[0];
}

const amounts = ({ subtotal, totalTax, grandTotal }: Resource) => [subtotal, totalTax, grandTotal];
const lines = ({ lines: all }: Resource) =>
  all.map(({ totalPrice, totalTax, totalAmount }: Resource) => [totalPrice, totalTax, totalAmount]);

describe('currencies', () => {
  // Proves 1.conventions.money.
  it('JPY has no minor unit', async () => {
    const invoice = await billed({
      plan: { currency: 'JPY', defaultTaxRate: 10 },
      usage: [1],
      usagePrices: [{ properties: { unitPrice: '1234.5' } }],
    });
    expect(amounts(invoice)).toEqual(['1235', '124', '1359']); // half away from zero, twice: 1234.5, 123.5
  });

  // Proves 1.conventions.money.
  it('KWD has three digits', async () => {
    const invoice = await billed({
      plan: { currency: 'KWD', defaultTaxRate: 5 },
      usage: ['3.3333'],
      usagePrices: [{ properties: { unitPrice: '0.1235' } }],
    });
    expect(amounts(invoice)).toEqual(['0.412', '0.021', '0.433']); // 0.41166…, 0.0206
    expect(invoice.lines[0]).toMatchObject({ quantity: 3.3333, unitPrice: '0.1235', totalPrice: '0.412' });
  });

  it('never mix: a plan has one', async () => {
    const invoice = await billed({ plan: { currency: 'EUR' }, feePrices: [{}], merchant: { defaultCurrency: 'USD' } });
    expect(invoice).toMatchObject({ currency: 'EUR', grandTotal: '10.00' });
  });
});

describe('tax', () => {
  it('comes on top, is rounded once for a rate and shared out, so that the lines sum up', async () => {
    const feePrices = ['0.33', '0.33', '0.34'].map((unitPrice) => ({ properties: { unitPrice } }));
    const invoice = await billed({ plan: { defaultTaxRate: 8.875 }, feePrices });
    expect(amounts(invoice)).toEqual(['1.00', '0.09', '1.09']);
    expect(lines(invoice)).toEqual([
      ['0.33', '0.03', '0.36'],
      ['0.33', '0.03', '0.36'],
      ['0.34', '0.03', '0.37'],
    ]);
  });

  it('inclusive is taken out of the amounts', async () => {
    const invoice = await billed({ plan: { defaultTaxRate: 20, taxBehavior: 'inclusive' }, feePrices: [{}] });
    expect(amounts(invoice)).toEqual(['8.33', '1.67', '10.00']);
    expect(lines(invoice)).toEqual([['8.33', '1.67', '10.00']]);
  });

  // Proves 2.subscription.taxExempt.
  it('of a subscription that is exempt is 0 on every line, whoever names a rate', async () => {
    const invoice = await billed({
      subscription: { taxExempt: true },
      plan: { defaultTaxRate: 20 },
      customer: { taxRates: { default: 19 } },
      feePrices: [{ taxRate: 7 }, {}],
    });
    expect(amounts(invoice)).toEqual(['20.00', '0.00', '20.00']);
    expect(invoice.lines.map(({ taxRate }: Resource) => taxRate)).toEqual([0, 0]);
  });

  it('is the first that is named: the customer’s for the metric, for the plan, by default; price; metric; plan; merchant', async () => {
    const merchant = await env.merchant();
    const shop = shopOf(merchant);
    await shop.change(`/v0/organizations/${merchant.id}`, { settings: { defaultTaxRate: 7 } });
    const metric = await shop.metric({ taxRate: 5 });
    const usage = await shop.usagePrice({ billableMetricId: metric.id, properties: { unitPrice: '100' }, taxRate: 4 });
    const fee = await shop.feePrice({ properties: { unitPrice: '100' } });
    const plan = await shop.plan([usage, fee], { defaultTaxRate: 6 });
    const bare = await shop.plan([
      await shop.usagePrice({ billableMetricId: metric.id, properties: { unitPrice: '100' } }),
      fee,
    ]);
    const rates = async (ofPlan: Resource, taxRates: unknown) => {
      const clock = await shop.clock(START);
      const customer = await shop.customer(taxRates === undefined ? {} : { taxRates });
      const subscription = await shop.subscribe(ofPlan, { clock, customer });
      await shop.use(customer.id, '2026-01-10T00:00:00Z', 1);
      await shop.advance(clock, '2026-02-01T00:00:00Z');
      const [{ lines: billedLines }] = await shop.invoices(subscription);
      return billedLines.map(({ taxRate }: Resource) => taxRate);
    };
    expect(await rates(plan, { [metric.id]: 1, [plan.id]: 2, default: 3 })).toEqual([1, 2]);
    expect(await rates(plan, { [plan.id]: 2, default: 3 })).toEqual([2, 2]);
    expect(await rates(plan, 3)).toEqual([3, 3]);
    expect(await rates(plan, { [metric.id]: 0 })).toEqual([0, 6]); // 0 is a rate
    expect(await rates(plan, undefined)).toEqual([4, 6]);
    expect(await rates(bare, undefined)).toEqual([5, 7]);
  });

  it('of several rates is on each line, and every rate is summed alone', async () => {
    const invoice = await billed({
      plan: { defaultTaxRate: 20 },
      feePrices: [
        { taxRate: 7 },
        { properties: { unitPrice: '0.05' } },
        { taxRate: 7, properties: { unitPrice: '0.07' } },
      ],
    });
    expect(amounts(invoice)).toEqual(['10.12', '0.71', '10.83']); // 7 % of 10.07 is 0.7049, 20 % of 0.05 is 0.01
    expect(lines(invoice).map(([, tax]: string[]) => tax)).toEqual(['0.70', '0.01', '0.00']);
  });
});

describe('price models on an invoice', () => {
  const tiers = [
    { upTo: '10', unitPrice: '1', flatPrice: '5' },
    { upTo: null, unitPrice: '0.5' },
  ];

  it.each([
    { model: 'standard', properties: { unitPrice: '0.10', includedUnits: '5' }, usage: [25], total: '2.00' },
    { model: 'graduated', properties: { tiers }, usage: [10], total: '15.00' }, // the bound belongs to its tier
    { model: 'graduated', properties: { tiers }, usage: [12], total: '16.00' },
    { model: 'graduated', properties: { tiers }, usage: [], total: '5.00' }, // the first tier is entered at 0
    { model: 'volume', properties: { tiers }, usage: [12], total: '6.00' },
    { model: 'package', properties: { size: '10', price: '3' }, usage: [21], total: '9.00' },
    { model: 'standard', properties: { unitPrice: '1' }, usage: [3, -5], total: '0.00' }, // below 0 counts as 0
    // 2^53 + 1
    { model: 'standard', properties: { unitPrice: '0.0000001' }, usage: ['9007199254740993'], total: '900719925.47' },
  ])('$model $properties of $usage: $total', async ({ model, properties, usage, total }) => {
    const invoice = await billed({ usagePrices: [{ model, properties }], usage });
    expect(invoice.grandTotal).toBe(total);
  });

  it('a minimum adds what is missing, a maximum takes what is too much, a line each', async () => {
    const minimum = await billed({ usagePrices: [{ minimumAmount: '50' }], usage: [20] });
    expect([minimum.grandTotal, lines(minimum).map(([price]: string[]) => price)]).toEqual([
      '50.00',
      ['20.00', '30.00'],
    ]);
    const maximum = await billed({ usagePrices: [{ maximumAmount: '15' }], usage: [20] });
    expect([maximum.grandTotal, lines(maximum).map(([price]: string[]) => price)]).toEqual([
      '15.00',
      ['20.00', '-5.00'],
    ]);
    expect(maximum.lines[1]).toMatchObject({ eventType: 'discount', lineItemType: 'charge', discountPrice: '5.00' });
  });

  it('a rebate never takes an invoice below zero', async () => {
    const invoice = await billed({
      plan: { defaultTaxRate: 20 },
      feePrices: [{}, { properties: { unitPrice: '-30' } }],
    });
    expect(amounts(invoice)).toEqual(['0.00', '0.00', '0.00']);
    expect(invoice.status).toBe('PAID');
  });
});
