import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { auditDatabase, recomputeDatabase } from '../../src/app.ts';
import { wireDomains } from '../../src/wiring.ts';
import { type Merchant, openTestEnvironment, type TestEnvironment } from '../support/environment.ts';
import { type Resource, type Shop, START, shopOf } from '../support/shop.ts';

/**
 * Price pages as companies have them, each with two customers over three months. Amounts are worked by hand: January
 * has 31 days, February 2026 has 28, March 31.
 */
let env: TestEnvironment;
let merchant: Merchant;
let shop: Shop;
let clock: Resource;
beforeAll(async () => {
  env = await openTestEnvironment();
  merchant = counting(await env.merchant());
  shop = shopOf(merchant);
});
afterAll(() => env.close());
afterEach(() => {
  // A call for each price and one for what it measures, one for its plan, and one more; then at most twelve.
  const { catalog, prices, selling } = calls;
  expect(catalog).toBeLessThanOrEqual(prices === 0 ? 0 : 2 * prices + 2);
  expect(selling).toBeLessThanOrEqual(12);
});
beforeEach(async () => {
  Object.assign(calls, { catalog: 0, prices: 0, selling: 0 });
  clock = await shop.clock(START);
});

/** The calls of a page that make something: its catalog, and all that is sold from it. */
const calls = { catalog: 0, prices: 0, selling: 0 };
const CATALOG = /^\/v0\/(?:products|billableMetrics|fees|prices|plans|features|coupons)\b/;
/** Customers, usage and time come with any catalog. */
const OTHER = /^\/v0\/(?:customers$|events\b|testClocks\b)/;

/** A client that counts its calls. Reading is for the tests. */
function counting(client: Merchant): Merchant {
  const counted =
    (method: 'post' | 'put' | 'patch' | 'delete'): Merchant['post'] =>
    (path, body, headers) => {
      if (CATALOG.test(path)) calls.catalog += 1;
      else if (!OTHER.test(path)) calls.selling += 1;
      if (path === '/v0/prices') calls.prices += 1;
      return client[method](path, body, headers);
    };
  return {
    ...client,
    ...{ post: counted('post'), put: counted('put'), patch: counted('patch'), delete: counted('delete') },
  };
}

/** Advances the three months, a month at a time. */
async function threeMonths(): Promise<void> {
  for (const end of ['02', '03', '04']) await shop.advance(clock, `2026-${end}-01T00:00:00Z`);
}

/** The issued invoices of a subscription, oldest first. */
const issued = async (subscription: Resource): Promise<Resource[]> =>
  (await shop.invoices(subscription))
    .filter(({ issuedAt }) => issuedAt !== null)
    .toSorted((a, b) => Date.parse(a.issuedAt) - Date.parse(b.issuedAt));

/** Their lines, and what they come to before tax. */
const bills = async (subscription: Resource): Promise<string[]> =>
  (await issued(subscription)).map(
    ({ lines, subtotal }) =>
      `${lines.map((line: Resource) => `${line.invoiceDisplayName} ${line.totalPrice}`).join(', ')} = ${subtotal}`,
  );

const unpaid = async (subscription: Resource): Promise<string[]> =>
  (await issued(subscription)).map(({ unpaidAmount }) => unpaidAmount);

/** Fees in advance are asked by invoice, and nothing waits for their payment. */
const byTransfer = { bankTransferOnly: true };

let seconds = 0;
/** Looks at credits after usage, as the program does by itself within a second. */
async function look(): Promise<void> {
  seconds += 20; // the lease of the look before is over
  const { chores } = wireDomains('sandbox', 'http://localhost');
  await chores.find(({ isPrompt }) => isPrompt)?.run(env.database, Temporal.Instant.from(START).add({ seconds }));
  await env.runDueWork();
}

const at = (day: string, time = '12:00:00') => `2026-${day}T${time}Z`;
const metricsOf = async (eventType: string, metrics: readonly object[], name: string): Promise<Resource[]> => {
  const product = await shop.product({ name });
  const body = metrics.map((metric) => ({ productId: product.id, eventType, aggregation: 'SUM', ...metric }));
  return (await shop.create('/v0/billableMetrics/bulk', { metrics: body })).data;
};

describe('a price page', () => {
  it('of a model: input, output and cached tokens by the million, half price in batches', async () => {
    const tokens = (name: string, property: string) => ({
      ...{ name, unit: 'token', valueProperty: `$.${property}` },
      groupBy: { model: '$.model', tier: '$.tier' },
      displayUnit: { per: '1000000', name: '1M tokens' },
    });
    const kinds = [tokens('Input', 'input'), tokens('Output', 'output'), tokens('Cached input', 'cached')];
    const metrics = await metricsOf('llm.request', kinds, 'Models');
    const perMillion = [
      ['0.000003', '0.0000015', '0.0000004', '0.0000002'],
      ['0.000015', '0.0000075', '0.0000016', '0.0000008'],
      ['0.0000003', '0.0000003', '0.00000004', '0.00000004'],
    ];
    const prices = await Promise.all(
      metrics.map(({ id, name }, place) => {
        const [pro, proBatch, mini, miniBatch] = perMillion[place] as string[];
        const cells = [
          { match: { model: 'atlas-pro' }, unitPrice: pro },
          { match: { model: 'atlas-pro', tier: 'batch' }, unitPrice: proBatch },
          { match: { model: 'atlas-mini' }, unitPrice: mini },
          { match: { model: 'atlas-mini', tier: 'batch' }, unitPrice: miniBatch },
        ];
        const properties = { dimensions: ['model', 'tier'], default: pro, cells };
        return shop.usagePrice({ billableMetricId: id, invoiceDisplayName: name, model: 'matrix', properties });
      }),
    );
    const plan = await shop.plan(prices);
    const [one, two] = [await shop.subscribe(plan, { clock }), await shop.subscribe(plan, { clock })];
    const ask = (of: Resource, day: string, data: object) => shop.use(of.id, at(day), 0, { type: 'llm.request', data });
    await ask(one, '01-05', {
      model: 'atlas-pro',
      tier: 'standard',
      input: 12_400_000,
      output: 2_000_000,
      cached: 50e6,
    });
    await ask(one, '01-06', { model: 'atlas-mini', tier: 'batch', input: 10_000_000, output: 1_234_567, cached: 0 });
    await ask(one, '02-28', { model: 'atlas-pro', tier: 'batch', input: 1_000_000, output: 100_001, cached: 0 });
    await ask(two, '03-31', { model: 'atlas-next', tier: 'standard', input: 1, output: 1, cached: 1 });
    await threeMonths();
    // Input 12.4 × 3 = 37.20 and 10 × 0.20 = 2.00; output 2 × 15 = 30.00 and 1.234567 × 0.80 = 0.9876536 → 0.99;
    // cached 50 × 0.30 = 15.00. February: 1 × 1.50, 0.100001 × 7.50 = 0.7500075 → 0.75.
    expect(await bills(one)).toEqual([
      'Input 37.20, Input 2.00, Output 30.00, Output 0.99, Cached input 15.00 = 85.19',
      'Input 1.50, Output 0.75, Cached input 0.00 = 2.25',
      'Input 0.00, Output 0.00, Cached input 0.00 = 0.00',
    ]);
    // A model without a cell: the price of the dear one, which is less than a cent for one token.
    expect((await bills(two))[2]).toBe('Input 0.00, Output 0.00, Cached input 0.00 = 0.00');
  });

  it('of a cloud database: compute-seconds, gigabyte-hours, branches beyond ten', async () => {
    const compute = await shop.metric({ name: 'Compute', unit: 's', eventType: 'compute', valueProperty: '$.seconds' });
    const levels = { aggregation: 'TIME_WEIGHTED', valueProperty: '$.value' };
    const storage = await shop.metric({
      ...levels,
      name: 'Storage',
      unit: 'GB h',
      eventType: 'storage',
      timeUnit: 'hour',
    });
    const branches = await shop.metric({
      ...levels,
      name: 'Branches',
      unit: 'branch',
      eventType: 'branches',
      timeUnit: 'period',
    });
    const price = (metric: Resource, properties: object) =>
      shop.usagePrice({ billableMetricId: metric.id, invoiceDisplayName: metric.name, properties });
    const plan = await shop.plan([
      await price(compute, { unitPrice: '0.00003' }), // 0.108 an hour
      await price(storage, { unitPrice: '0.000164' }), // about 0.12 a GB and month
      await price(branches, { unitPrice: '1.50', includedUnits: '10' }),
    ]);
    const [one, two] = [await shop.subscribe(plan, { clock }), await shop.subscribe(plan, { clock })];
    const tell = (of: Resource, type: string, time: string, data: object) => shop.use(of.id, time, 0, { type, data });
    await tell(one, 'compute', at('01-10'), { seconds: 7_200 });
    await tell(one, 'compute', at('02-10'), { seconds: 100_001 });
    await tell(one, 'storage', at('01-11', '00:00:00'), { value: 50 });
    await tell(one, 'storage', at('02-15', '00:00:00'), { value: 20 });
    await tell(one, 'branches', at('01-01', '00:00:00'), { value: 12 });
    await tell(one, 'branches', at('03-01', '00:00:00'), { value: 9 });
    await tell(two, 'storage', at('03-31', '23:00:00'), { value: 1000 });
    await threeMonths();
    // January: 7200 × 0.00003 = 0.216 → 0.22; 50 GB × 21 days × 24 = 25,200 × 0.000164 = 4.1328 → 4.13; 2 × 1.50.
    // February: 3.00003 → 3.00; (50 × 14 + 20 × 14) × 24 = 23,520 × 0.000164 = 3.85728 → 3.86; 3.00.
    // March: 20 × 31 × 24 = 14,880 × 0.000164 = 2.44032 → 2.44; 9 of 10 branches are included.
    expect(await bills(one)).toEqual([
      'Compute 0.22, Storage 4.13, Branches 3.00 = 7.35',
      'Compute 3.00, Storage 3.86, Branches 3.00 = 9.86',
      'Compute 0.00, Storage 2.44, Branches 0.00 = 2.44',
    ]);
    // One hour of 1,000 GB: 0.164.
    expect((await bills(two))[2]).toBe('Compute 0.00, Storage 0.16, Branches 0.00 = 0.16');
  });

  it('of a hosting platform: seats in advance, transfer included by the plan, overage by started hundreds', async () => {
    const seats = await shop.feePrice({
      ...{ invoiceDisplayName: 'Seats', paymentTerm: 'in_advance', properties: { unitPrice: '20' } },
    });
    const transfer = await shop.metric({ name: 'Transfer', unit: 'GB', eventType: 'transfer', valueProperty: '$.gb' });
    const overage = await shop.usagePrice({
      ...{ billableMetricId: transfer.id, invoiceDisplayName: 'Transfer', model: 'package' },
      properties: { size: '100', price: '40', includedUnits: '1000' },
    });
    const plan = await shop.plan([seats, overage]);
    const one = await shop.subscribe(plan, { ...byTransfer, clock, quantities: { [seats.id]: 3 } });
    const two = await shop.subscribe(plan, { ...byTransfer, clock });
    await shop.create('/v0/alerts', {
      ...{ type: 'usage', customerId: one.customerId, billableMetricId: transfer.id, name: 'Spend limit' },
      ...{ threshold: '1500', blocksAccess: true },
    });
    const send = (of: Resource, day: string, gb: number) =>
      shop.use(of.id, at(day), 0, { type: 'transfer', data: { gb } });
    await send(one, '01-20', 1_000);
    await send(one, '02-20', 1_001);
    await send(one, '03-20', 1_600.5);
    await shop.advance(clock, '2026-02-15T00:00:00Z');
    // Two more seats from the 15th on: 14 of 28 days of February, and March whole.
    await shop.create(`/v0/subscriptions/${one.id}/changes`, { quantities: { [seats.id]: 5 }, effective: 'now' });
    for (const end of ['03', '04']) await shop.advance(clock, `2026-${end}-01T00:00:00Z`);
    // 5 × 20 × 14 ÷ 28 = 50.00; one GB above 1,000 is a package of 40.00; 600.5 are seven, 280.00. The three seats for
    // the rest of February, 30.00, go off the invoice that is not paid yet.
    expect(await bills(one)).toEqual([
      'Seats 60.00 = 60.00',
      'Transfer 0.00, Seats 60.00 = 60.00',
      'Transfer 40.00, Seats 100.00, Seats 50.00 = 190.00',
      'Transfer 280.00, Seats 100.00 = 380.00',
    ]);
    expect(await unpaid(one)).toEqual(['60.00', '30.00', '190.00', '380.00']);
    expect((await bills(two)).at(-1)).toBe('Transfer 0.00, Seats 20.00 = 20.00');
  });

  it('of an observability vendor: hosts at the 99th percentile, gigabytes in, a commitment with a monthly true-up', async () => {
    const hosts = await shop.metric({
      ...{ name: 'Hosts', unit: 'host', eventType: 'hosts', aggregation: 'PERCENTILE', valueProperty: '$.value' },
      ...{ percentile: '99', sampleWindow: 'PT1H', sampleAggregation: 'MAX' },
    });
    const ingested = await shop.metric({ name: 'Ingested', unit: 'GB', eventType: 'ingest', valueProperty: '$.value' });
    const price = (metric: Resource, unitPrice: string) =>
      shop.usagePrice({ billableMetricId: metric.id, invoiceDisplayName: metric.name, properties: { unitPrice } });
    const plan = await shop.plan([await price(hosts, '15'), await price(ingested, '0.10')]);
    const [one, two] = [await shop.subscribe(plan, { clock }), await shop.subscribe(plan, { clock })];
    const months = Array.from({ length: 13 }, (_, month) =>
      Temporal.PlainDate.from('2026-01-01').add({ months: month }).toString(),
    );
    const segments = months.slice(1).map((end, place) => ({
      ...{ startDate: `${months[place]}T00:00:00Z`, endDate: `${end}T00:00:00Z`, amount: '300' },
    }));
    const commitment = await shop.create('/v0/commitments', {
      ...{ customerId: one.customerId, subscriptionId: one.id, name: 'Annual', currency: 'USD', type: 'postpaid' },
      ...{ trueUp: 'segment', segments },
    });
    const run = async (of: Resource, month: string, hours: number, value: number) => {
      for (let hour = 0; hour < hours; hour += 1)
        await shop.use(of.id, at(`${month}-10`, `${String(hour).padStart(2, '0')}:30:00`), 0, {
          ...{ type: 'hosts', data: { value } },
        });
    };
    await run(one, '01', 8, 12);
    await run(one, '02', 7, 20);
    await run(two, '01', 7, 40); // an hour less than one in a hundred of January's 744
    for (const [day, value] of [['01-15', 500] as const, ['02-15', 250] as const])
      await shop.use(one.id, at(day), 0, { type: 'ingest', data: { value } });
    await threeMonths();
    // January: of 744 hours the 737th from below, so that 8 hours of 12 hosts count: 180.00, and 50.00 for 500 GB.
    // February: of 672 the 666th, which is one of 7 hours: 300.00 and 25.00. March: nothing.
    expect(await bills(one)).toEqual([
      'Hosts 180.00, Ingested 50.00, Annual: true-up 70.00 = 300.00',
      'Hosts 300.00, Ingested 25.00 = 325.00',
      'Hosts 0.00, Ingested 0.00, Annual: true-up 300.00 = 300.00',
    ]);
    expect((await bills(two))[0]).toBe('Hosts 0.00, Ingested 0.00 = 0.00');
    const { segments: told } = await shop.read(`/v0/commitments/${commitment.id}`);
    expect(told.slice(0, 3).map(({ spent, shortfall }: Resource) => [spent, shortfall])).toEqual([
      ['230.00', '70.00'],
      ['325.00', '0.00'],
      ['0.00', '300.00'],
    ]);
    // The rest of the year, of which nothing is used: nine more true-ups.
    await shop.advance(clock, '2027-01-01T00:00:00Z');
    expect((await bills(one)).slice(3)).toEqual(
      Array.from({ length: 9 }, () => 'Hosts 0.00, Ingested 0.00, Annual: true-up 300.00 = 300.00'),
    );
  });

  it('of an enterprise contract: negotiated prices, and a parent who pays for five children by one document', async () => {
    const calls = await shop.metric({ name: 'Calls', unit: 'call', eventType: 'call', valueProperty: '$.value' });
    const seats = await shop.feePrice({ invoiceDisplayName: 'Seats', properties: { unitPrice: '100' } });
    const used = await shop.usagePrice({
      ...{ billableMetricId: calls.id, invoiceDisplayName: 'Calls', properties: { unitPrice: '0.10' } },
    });
    const plan = await shop.plan([seats, used], { defaultTaxRate: 19 });
    const parent = await shop.customer({ invoiceGrouping: 'customer' });
    const priceOverrides = [
      { priceId: seats.id, properties: { unitPrice: '80' } },
      { priceId: used.id, multiplier: '0.9' },
    ];
    const children: Resource[] = [];
    for (const seatCount of [1, 2, 3, 4, 5]) {
      const customer = await shop.customer({ payerId: parent.id });
      const quantities = { [seats.id]: seatCount };
      const child = await shop.subscribe(plan, { clock, customer, quantities, priceOverrides, ...byTransfer });
      children.push(child);
      await shop.use(child.id, at('01-20'), 0, { type: 'call', data: { value: 10 * seatCount } });
    }
    const alone = await shop.subscribe(plan, { clock, ...byTransfer }); // another customer, at the price of the list
    await threeMonths();
    const grouped = (await shop.read(`/v2/invoices?customerId=${parent.id}`)).data
      .filter(({ kind }: Resource) => kind === 'grouped')
      .toSorted((a: Resource, b: Resource) => Date.parse(a.issuedAt) - Date.parse(b.issuedAt));
    // January: 80.00 × 15 seats = 1,200.00, and 150 calls at 0.09 = 13.50. The tax is 230.565, once for all: 230.57.
    expect(grouped.map(({ subtotal, totalTax }: Resource) => [subtotal, totalTax])).toEqual([
      ['1213.50', '230.57'],
      ['1200.00', '228.00'],
      ['1200.00', '228.00'],
    ]);
    const [{ id }] = grouped;
    const january = await shop.invoice(id);
    expect(january.sections.map(({ subscriptionId, subtotal }: Resource) => [subscriptionId, subtotal])).toEqual(
      children.map(({ id: child }, place) => [child, (80.9 * (place + 1)).toFixed(2)]),
    );
    expect(january.lines.map((line: Resource) => line.listUnitPrice).slice(0, 2)).toEqual(['100', '0.1']);
    expect((await bills(alone))[0]).toBe('Seats 100.00, Calls 0.00 = 100.00');
  });

  it('of telephony: by the second and country, from a prepaid credit that tops itself up', async () => {
    const talk = await shop.metric({
      ...{ name: 'Calls', unit: 's', eventType: 'call.ended', valueProperty: '$.seconds' },
      groupBy: { country: '$.country' },
    });
    const cells = [
      { match: { country: 'DE' }, unitPrice: '0.00015' }, // 0.009 a minute
      { match: { country: 'US' }, unitPrice: '0.0001' },
    ];
    const calls = await shop.usagePrice({
      ...{ billableMetricId: talk.id, invoiceDisplayName: 'Calls', model: 'matrix' },
      properties: { dimensions: ['country'], default: '0.0005', cells },
    });
    const plan = await shop.plan([calls]);
    const [one, two] = [await shop.subscribe(plan, { clock }), await shop.subscribe(plan, { clock })];
    for (const [{ customerId }, card] of [[one, 'pm_ok'] as const, [two, 'pm_then_declined'] as const]) {
      const setup = await shop.create(`/v0/customers/${customerId}/paymentMethods`);
      await shop.act(`/v0/paymentSessions/${setup.id}/complete`, { paymentMethod: card });
      await shop.replace(`/v0/customers/${customerId}/creditTopUp`, { currency: 'USD', threshold: '5', amount: '20' });
    }
    await look();
    const call = async (of: Resource, day: string, country: string, units: number) => {
      await shop.advance(clock, at(day, '13:00:00'));
      await shop.use(of.id, at(day), 0, { type: 'call.ended', data: { country, seconds: units } });
      await look();
    };
    const left = async ({ customerId }: Resource) => {
      const path = `/v0/customers/${customerId}/billingCredits/balance?currency=USD`;
      const { granted, available } = await shop.read(path);
      return `${available} of ${granted}`;
    };
    await call(one, '01-10', 'DE', 60_000); // 9.00
    expect(await left(one)).toBe('11.00 of 20.00');
    await call(one, '01-20', 'US', 70_000); // 7.00, so that 4.00 are left
    expect(await left(one)).toBe('24.00 of 40.00');
    await call(two, '01-21', 'US', 50_000); // its card is declined
    await shop.advance(clock, '2026-02-01T00:00:00Z');
    await call(one, '02-10', 'BR', 50_000); // 25.00: 1.00 more than there is, before the next 20.00 come
    expect(await left(one)).toBe('20.00 of 60.00');
    await shop.advance(clock, '2026-03-01T00:00:00Z');
    await call(one, '03-10', 'DE', 10_000); // 1.50
    await shop.advance(clock, '2026-04-01T00:00:00Z');
    expect(await bills(one)).toEqual([
      'Calls 9.00, Calls 7.00, Calls: Billing credit -9.00, Calls: Billing credit -7.00 = 0.00',
      'Calls 25.00, Calls: Billing credit -4.00, Calls: Billing credit -20.00 = 1.00',
      'Calls 1.50, Calls: Billing credit -1.50 = 0.00',
    ]);
    expect(await left(one)).toBe('18.50 of 60.00');
    expect((await bills(two))[0]).toBe('Calls 5.00 = 5.00');
    const { status, declines } = await shop.read(`/v0/customers/${two.customerId}/creditTopUp`);
    expect([status, declines]).toEqual(['paused', 3]);
  });

  it('of a marketplace: 2.9 % and 0.30 a payment, from 0.50 to 5.00 each, the first ten free', async () => {
    const payments = await shop.metric({
      name: 'Payments',
      unit: 'USD',
      eventType: 'payment',
      valueProperty: '$.amount',
    });
    const perEvent = { min: '0.50', max: '5' };
    const plan = await shop.plan([
      await shop.usagePrice({
        ...{ billableMetricId: payments.id, invoiceDisplayName: 'Payments', model: 'percentage' },
        properties: { percentage: '0.029', fixed: '0.30', perEvent, freeEvents: 10 },
      }),
    ]);
    const [one, two] = [await shop.subscribe(plan, { clock }), await shop.subscribe(plan, { clock })];
    const take = (of: Resource, time: string, amount: string) =>
      shop.use(of.id, time, 0, { type: 'payment', data: { amount } });
    for (let number = 10; number < 20; number += 1) await take(one, at('01-02', `${number}:00:00`), '1000');
    for (const [hour, amount] of ['5', '49.99', '120', '1000', '-120'].entries())
      await take(one, at('01-03', `1${hour}:00:00`), amount);
    for (let number = 10; number < 21; number += 1) await take(two, at('02-02', `${number}:00:00`), '10');
    await threeMonths();
    // 5 × 2.9 % + 0.30 = 0.445 → 0.50; 1.74971; 3.78; 29.30 → 5.00; a return bears its percentage only: −3.48.
    // 0.5 + 1.74971 + 3.78 + 5 − 3.48 = 7.54971.
    expect((await bills(one))[0]).toBe('Payments 7.55 = 7.55');
    // The eleventh of ten free ones: 0.29 + 0.30 = 0.59.
    expect(await bills(two)).toEqual(['Payments 0.00 = 0.00', 'Payments 0.59 = 0.59', 'Payments 0.00 = 0.00']);
  });

  it('of an e-mail API: a fee with 10,000 mails a month, then by started thousands', async () => {
    const mails = await shop.metric({ name: 'E-mails', unit: 'mail', eventType: 'mails', valueProperty: '$.sent' });
    const fee = await shop.feePrice({
      ...{ invoiceDisplayName: 'Pro', paymentTerm: 'in_advance', properties: { unitPrice: '15' } },
    });
    const more = await shop.usagePrice({
      ...{ billableMetricId: mails.id, invoiceDisplayName: 'E-mails', model: 'package' },
      properties: { size: '1000', price: '0.90', includedUnits: '10000' },
    });
    const plan = await shop.plan([fee, more]);
    const one = await shop.subscribe(plan, { ...byTransfer, clock });
    const two = await shop.subscribe(plan, { ...byTransfer, clock });
    const send = (day: string, sent: number) => shop.use(one.id, at(day), 0, { type: 'mails', data: { sent } });
    await send('01-15', 10_000);
    await send('02-15', 10_001);
    await send('03-09', 12_500);
    await shop.advance(clock, '2026-03-10T00:00:00Z');
    await send('02-20', 999); // told late, it fills the thousand that was begun
    await shop.act(`/v0/subscriptions/${two.id}/termination`, { reason: 'Over' });
    await shop.advance(clock, '2026-04-01T00:00:00Z');
    expect(await bills(one)).toEqual([
      'Pro 15.00 = 15.00',
      'E-mails 0.00, Pro 15.00 = 15.00',
      'E-mails 0.90, Pro 15.00 = 15.90',
      'E-mails 2.70, Pro 15.00, E-mails: late usage 0.00 = 17.70',
    ]);
    // From the 10th of March on 22 of 31 days of 15.00 go off what is not paid yet: 10.65.
    expect(await unpaid(two)).toEqual(['15.00', '15.00', '4.35', '0.00']);
  });

  it('of a GPU cloud: on-demand by the second, reserved for less with a minimum', async () => {
    const seconds = await shop.metric({
      ...{ name: 'GPU seconds', unit: 's', eventType: 'gpu', valueProperty: '$.seconds' },
      groupBy: { term: '$.term', type: '$.type' },
    });
    const price = (name: string, term: string, fields: object) =>
      shop.usagePrice({
        ...{ billableMetricId: seconds.id, invoiceDisplayName: name, groupFilters: { term: [term] } },
        ...fields,
      });
    const cells = (large: string, small: string) => ({
      model: 'matrix',
      properties: {
        ...{ dimensions: ['type'], default: large },
        cells: [
          { match: { type: 'large' }, unitPrice: large },
          { match: { type: 'small' }, unitPrice: small },
        ],
      },
    });
    const plan = await shop.plan([
      await price('On demand', 'onDemand', cells('0.0011', '0.0003')),
      await price('Reserved', 'reserved', { ...cells('0.0007', '0.0002'), minimumAmount: '500' }),
    ]);
    const [one, two] = [await shop.subscribe(plan, { clock }), await shop.subscribe(plan, { clock })];
    const run = (of: Resource, day: string, data: object) => shop.use(of.id, at(day), 0, { type: 'gpu', data });
    await run(one, '01-04', { term: 'onDemand', type: 'large', seconds: 86_400 });
    await run(one, '01-05', { term: 'reserved', type: 'large', seconds: 600_000 });
    await run(one, '02-05', { term: 'reserved', type: 'large', seconds: 700_000 });
    await run(one, '02-06', { term: 'reserved', type: 'small', seconds: 123_456 });
    await run(two, '03-31', { term: 'onDemand', type: 'small', seconds: 1 });
    await threeMonths();
    // 86,400 × 0.0011 = 95.04; 600,000 × 0.0007 = 420.00, 80.00 short of 500.00. February: 490.00 + 24.6912.
    expect(await bills(one)).toEqual([
      'On demand 95.04, Reserved 420.00, Reserved: minimum 80.00 = 595.04',
      'On demand 0.00, Reserved 490.00, Reserved 24.69 = 514.69',
      'On demand 0.00, Reserved 0.00, Reserved: minimum 500.00 = 500.00',
    ]);
    expect((await bills(two))[2]).toBe('On demand 0.00, Reserved 0.00, Reserved: minimum 500.00 = 500.00');
  });

  it('of an API with a free tier: 1,000 calls free, then tiers, and credits of a campaign', async () => {
    const plan = await shop.plan([
      await shop.usagePrice({
        model: 'graduated',
        properties: {
          includedUnits: '1000',
          tiers: [
            { upTo: '10000', unitPrice: '0.01' },
            { upTo: null, unitPrice: '0.005' },
          ],
        },
      }),
    ]);
    const [one, two] = [await shop.subscribe(plan, { clock }), await shop.subscribe(plan, { clock })];
    await shop.create(`/v0/customers/${one.customerId}/billingCredits`, {
      ...{ name: 'Spring', amount: '60', currency: 'USD', expiresAt: '2026-03-01T00:00:00Z', idempotencyKey: 'spring' },
    });
    await shop.use(one.id, at('01-10'), 6_000);
    await shop.use(one.id, at('02-10'), 14_000);
    await shop.use(one.id, at('03-10'), 2_000);
    await shop.use(two.id, at('02-10'), 1_000);
    await threeMonths();
    // 5,000 × 0.01 = 50.00 of 60.00; then 100.00 + 3,000 × 0.005 = 115.00, of which the last 10.00 are paid. March has
    // 1,000 × 0.01 = 10.00.
    expect(await bills(one)).toEqual([
      'Calls 50.00, Calls: Spring -50.00 = 0.00',
      'Calls 115.00, Calls: Spring -10.00 = 105.00',
      'Calls 10.00 = 10.00',
    ]);
    expect(await bills(two)).toEqual(['Calls 0.00 = 0.00', 'Calls 0.00 = 0.00', 'Calls 0.00 = 0.00']);
  });

  it('of a developer tool: half price for three months after a trial without a card', async () => {
    const seats = await shop.feePrice({
      invoiceDisplayName: 'Team',
      paymentTerm: 'in_advance',
      properties: { unitPrice: '29' },
    });
    const plan = await shop.plan([seats], { trialPeriod: 'P14D' });
    const coupon = await shop.create('/v0/coupons', {
      ...{ name: 'Launch', code: 'LAUNCH50', percentOff: '0.5', duration: 'periods', durationInPeriods: 3 },
    });
    const one = await shop.subscribe(plan, {
      ...byTransfer,
      clock,
      coupons: ['launch50'],
      quantities: { [seats.id]: 4 },
    });
    const two = await shop.subscribe(plan, { ...byTransfer, clock, quantities: { [seats.id]: 4 } });
    expect(coupon.status).toBe('active');
    for (const end of ['02-15', '03-15', '05-20']) await shop.advance(clock, `2026-${end}T00:00:00Z`);
    // The trial ends on the 15th of January; 4 × 29 = 116.00 from then on, of which three are half.
    expect((await bills(one)).filter((bill) => !bill.startsWith(' ='))).toEqual([
      'Team 116.00, Team: Launch -58.00 = 58.00',
      'Team 116.00, Team: Launch -58.00 = 58.00',
      'Team 116.00, Team: Launch -58.00 = 58.00',
      'Team 116.00 = 116.00',
      'Team 116.00 = 116.00',
    ]);
    expect((await bills(two)).filter((bill) => !bill.startsWith(' ='))).toHaveLength(5);
  });

  it('of a CRM: seats for three years in advance, a falling discount, and an add-on that ends with the rest', async () => {
    const seats = await shop.feePrice({
      ...{
        invoiceDisplayName: 'Seats',
        paymentTerm: 'in_advance',
        billingCadence: 'P1Y',
        properties: { unitPrice: '1200' },
      },
    });
    const plan = await shop.plan([seats], { billingCadence: 'P1Y' });
    const ramp = [
      { priceId: seats.id, multiplier: '0.8', to: '2027-01-01T00:00:00Z' },
      { priceId: seats.id, multiplier: '0.9', from: '2027-01-01T00:00:00Z', to: '2028-01-01T00:00:00Z' },
    ];
    const endingAt = '2029-01-01T00:00:00Z';
    const customer = await shop.customer();
    const one = await shop.subscribe(plan, {
      ...{ ...byTransfer, clock, customer, endingAt },
      quantities: { [seats.id]: 10 },
      priceOverrides: ramp,
    });
    const two = await shop.subscribe(plan, { ...byTransfer, clock, quantities: { [seats.id]: 2 } });
    for (const end of ['2026-07-02', '2027-07-01']) await shop.advance(clock, `${end}T00:00:00Z`);
    // An add-on from the middle of the second year on: billed with the contract's years, and until its end.
    const reports = await shop.feePrice({
      ...{ invoiceDisplayName: 'Reports', paymentTerm: 'in_advance', billingCadence: 'P1Y' },
      properties: { unitPrice: '3650' },
    });
    const addOn = await shop.subscribe(await shop.plan([reports], { billingCadence: 'P1Y', billingAnchor: START }), {
      ...{ ...byTransfer, clock, customer, endingAt },
      startedAt: '2027-07-01T00:00:00Z',
    });
    for (const end of ['2028-01-02', '2029-01-02', '2030-01-02']) await shop.advance(clock, `${end}T00:00:00Z`);
    // 10 × 1200 × 0.8, × 0.9, and the list price in the third year, which is the last one.
    expect(await bills(one)).toEqual([
      'Seats 9600.00 = 9600.00',
      'Seats 10800.00 = 10800.00',
      'Seats 12000.00 = 12000.00',
    ]);
    // 184 of 365 days at 10.00 a day, then a year.
    expect(await bills(addOn)).toEqual(['Reports 1840.00 = 1840.00', 'Reports 3650.00 = 3650.00']);
    for (const { id } of [one, addOn])
      expect(await shop.read(`/v0/subscriptions/${id}`)).toMatchObject({
        status: 'terminated',
        terminatedAt: endingAt,
      });
    // Another customer has no term: 2 × 1200 each year.
    expect(await bills(two)).toEqual(Array.from({ length: 5 }, () => 'Seats 2400.00 = 2400.00'));
  });

  it('leaves books that balance, and invoices that can be calculated again', async () => {
    expect((await auditDatabase(env.url)).violations).toEqual([]);
    expect((await recomputeDatabase(env.url)).differing).toEqual([]);
  });
});
