import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { auditDatabase, recomputeDatabase } from '../../src/app.ts';
import { type Merchant, openTestEnvironment, type TestEnvironment } from '../support/environment.ts';
import { type PageReader, readerOf } from '../support/page-reader.ts';
import { type Resource, type Shop, START, shopOf } from '../support/shop.ts';

/** Prices in several currencies (commercial.md §5). Amounts are worked by hand. */
let env: TestEnvironment;
let merchant: Merchant;
let shop: Shop;
let reader: PageReader;
beforeAll(async () => {
  env = await openTestEnvironment();
  env.setNow(START);
  merchant = await env.merchant();
  shop = shopOf(merchant);
  reader = readerOf(env.client());
});
afterAll(() => env.close());

const EUR_FEE = { EUR: { properties: { unitPrice: '279' } } };
const EUR_CALLS = { EUR: { properties: { unitPrice: '0.9' } } };
const fee = (currencyPrices: object = EUR_FEE, fields: object = {}) =>
  shop.feePrice({ properties: { unitPrice: '310' }, currencyPrices, ...fields });
const calls = (currencyPrices: object = EUR_CALLS, fields: object = {}) =>
  shop.usagePrice({ currencyPrices, ...fields });
const sell = async (plan: Resource, fields: object = {}) => {
  const clock = await shop.clock(START);
  return { clock, subscription: await shop.subscribe(plan, { clock, currency: 'EUR', ...fields }) };
};
const messagesOf = ({ body }: { body: Resource }): string[] =>
  (body.errors ?? []).map(({ field, message }: Resource) => `${field} ${message}`);
const change = (subscription: Resource, body: object) =>
  merchant.post(`/v0/subscriptions/${subscription.id}/changes`, body);
/** The lines of the n-th invoice: name, unit price, amount. */
const linesOf = async (subscription: Resource, place = 0) =>
  ((await shop.invoices(subscription))[place].lines as Resource[]).map((line) => [
    ...[line.invoiceDisplayName, line.unitPrice, line.totalPrice],
  ]);

describe('a subscription in another currency than its plan', () => {
  it('is billed at the prices of its currency, with discounts, and its wallet and ledger are in it', async () => {
    const plan = await shop.plan([await fee(), await calls()], { defaultTaxRate: 20 });
    const { clock, subscription } = await sell(plan, { prefundAmount: '12.50' });
    expect(subscription.currency).toBe('EUR');
    expect(await sell(plan, { currency: undefined })).toMatchObject({ subscription: { currency: 'USD' } });
    // asked before it begins: 12.50 EUR for the wallet
    const [upfront] = await shop.invoices(subscription);
    expect(upfront).toMatchObject({ currency: 'EUR', grandTotal: '12.50' });
    await shop.pay(upfront);
    await shop.create(`/v0/subscriptions/${subscription.id}/adjustments`, {
      ...{ type: 'percentageDiscount', percentageDiscount: '0.1', description: 'Tenth' },
      effectiveFrom: START,
    });
    await shop.use(subscription.id, '2026-01-10T00:00:00Z', 100);
    const upcoming = await shop.read(`/v0/subscriptions/${subscription.id}/upcomingInvoice`);
    expect(upcoming).toMatchObject({ currency: 'EUR', subtotal: '332.10' });
    await shop.advance(clock, 'P1M');
    // 279.00 and 100 × 0.90 = 90.00, a tenth less each: 27.90 and 9.00; 332.10 and 20 % of it, 66.42
    const invoice = (await shop.invoices(subscription)).find(({ kind }) => kind !== 'upfront');
    expect(invoice).toMatchObject({
      ...{ currency: 'EUR', subtotal: '332.10', totalTax: '66.42', grandTotal: '398.52', walletApplied: '12.50' },
    });
    expect(invoice.lines.map((line: Resource) => [line.invoiceDisplayName, line.unitPrice, line.totalPrice])).toEqual(
      expect.arrayContaining([
        ['Flat fee', '279', '279.00'],
        ['Calls', '0.9', '90.00'],
      ]),
    );
    const explained = await shop.read(`/v2/invoices/${invoice.id}/explain`);
    expect(JSON.stringify(explained.lines)).not.toMatch(/"unitPrice":"(310|1)"/);
    const wallet = await shop.read(`/v0/customers/${subscription.customerId}/wallet`);
    expect(wallet.balances).toMatchObject([{ currency: 'EUR', balance: '0.00' }]);
  });

  it.each([
    // 12345.5 yen a month are 12346; 7 × 0.5 are 3.5, so 4
    { currency: 'JPY', fee: '12345.5', call: '0.5', lines: ['12346', '4'] },
    // 7 × 0.0125 dinars are 0.0875, so 0.088
    { currency: 'KWD', fee: '95.1234', call: '0.0125', lines: ['95.123', '0.088'] },
  ])('rounds to the digits of $currency', async ({ currency, fee: each, call, lines }) => {
    const plan = await shop.plan([
      await fee({ [currency]: { properties: { unitPrice: each } } }),
      await calls({ [currency]: { properties: { unitPrice: call } } }),
    ]);
    const { clock, subscription } = await sell(plan, { currency });
    await shop.use(subscription.id, '2026-01-10T00:00:00Z', 7);
    await shop.advance(clock, 'P1M');
    expect((await linesOf(subscription)).map(([, , amount]) => amount)).toEqual(lines);
  });

  it('has the bounds of its entry alone, and the minimum of the plan in its currency', async () => {
    const bounded = { minimumAmount: '50', maximumAmount: '60' };
    const prices = [
      await calls({ EUR: { properties: { unitPrice: '0.9' } } }, bounded), // no bounds in EUR
      await calls({ EUR: { properties: { unitPrice: '0.9' }, minimumAmount: '20' } }, bounded),
    ];
    const plan = await shop.plan(prices, { minimumAmount: '100', currencyMinimums: { EUR: '90.5' } });
    expect(plan.currencyMinimums).toEqual({ EUR: '90.5' });
    expect(plan.prices[1].currencyPrices).toEqual({
      EUR: { properties: { unitPrice: '0.9' }, minimumAmount: '20', maximumAmount: null },
    });
    const { clock, subscription } = await sell(plan);
    await shop.use(subscription.id, '2026-01-10T00:00:00Z', 10);
    await shop.advance(clock, 'P1M');
    // both metrics count the event: 9.00, and 9.00 raised to 20.00; to 90.50 are missing 61.50
    expect((await shop.invoices(subscription))[0]).toMatchObject({ subtotal: '90.50' });
    expect((await linesOf(subscription)).map(([, , amount]) => amount)).toEqual(
      expect.arrayContaining(['9.00', '61.50']),
    );
  });

  it('scales the price of its currency by a multiplier, in tiers too', async () => {
    const tiers = (first: string, flatPrice: string) => ({
      tiers: [
        { upTo: '10', unitPrice: first, flatPrice },
        { upTo: null, unitPrice: '1' },
      ],
    });
    const price = await calls(
      { EUR: { properties: tiers('2', '5'), minimumAmount: '7' } },
      { model: 'graduated', properties: tiers('99', '99') },
    );
    const { clock, subscription } = await sell(await shop.plan([price]), {
      priceOverrides: [{ priceId: price.id, multiplier: '0.5' }],
    });
    await shop.use(subscription.id, '2026-01-10T00:00:00Z', 12);
    await shop.advance(clock, 'P1M');
    // (5 + 10 × 2 + 2 × 1) ÷ 2 = 13.50
    expect((await shop.invoices(subscription))[0]).toMatchObject({ currency: 'EUR', subtotal: '13.50' });
  });

  it('keeps its currency over every change of the plan, and cannot have a plan that lacks it', async () => {
    const one = await fee();
    const own = await shop.feePrice({ properties: { unitPrice: '31' } });
    const lacking = await shop.plan([one, own], { minimumAmount: '5' });
    const inEuro = await shop.plan([own], { currency: 'EUR' });
    const { clock, subscription } = await sell(await shop.plan([one]));
    const refused = await change(subscription, { planId: lacking.id });
    expect([refused.status, messagesOf(refused)]).toEqual([400, [`planId has no EUR for ${own.id}, minimumAmount`]]);
    await shop.advance(clock, '2026-01-11T00:00:00Z');
    const dry = await change(subscription, { planId: inEuro.id, dryRun: true });
    expect(dry.status).toBe(200);
    expect(await change(subscription, { planId: inEuro.id })).toMatchObject({ status: 201 });
    await shop.advance(clock, '2026-02-01T00:00:00Z');
    // 10 of 31 days of 279.00 are 90.00, 21 of 31 days of 31.00 are 21.00
    expect((await shop.invoices(subscription))[0]).toMatchObject({ currency: 'EUR', subtotal: '111.00' });
    const third = await shop.plan([one], { currency: 'CHF' });
    expect(await change(subscription, { planId: third.id, effective: 'periodEnd' })).toMatchObject({ status: 201 });
    await shop.advance(clock, '2026-04-01T00:00:00Z');
    expect((await shop.invoices(subscription))[2]).toMatchObject({ currency: 'EUR', subtotal: '279.00' });
    expect(await shop.read(`/v0/subscriptions/${subscription.id}`)).toMatchObject({
      ...{ currency: 'EUR', planId: third.id },
    });
  });

  it('goes to a new version with a migration where that has the currency, else it stays', async () => {
    const dear = await fee({ EUR: { properties: { unitPrice: '300' } } });
    const first = await fee();
    const plan = await shop.plan([first]);
    const { subscription } = await sell(plan);
    const version = (body: object) => shop.create(`/v0/plans/${plan.id}/versions`, body);
    await version({ replacePrices: [{ replacesPriceId: first.id, withPriceId: dear.id }] });
    const bare = await shop.feePrice();
    await version({ addPrices: [bare.id] });
    const migrate = (toVersion: number) =>
      merchant.post(`/v0/plans/${plan.id}/migrations`, { fromVersion: 1, toVersion });
    expect((await migrate(3)).body).toMatchObject({ progress: { failed: 1 } });
    expect((await migrate(2)).body).toMatchObject({ progress: { failed: 0, done: 1 } });
    expect(await shop.read(`/v0/subscriptions/${subscription.id}`)).toMatchObject({
      ...{ planVersionNumber: 2, currency: 'EUR' },
    });
  });
});

describe('what is refused', () => {
  it('a currency that a price or the minimum of the plan lacks, with all that lack it', async () => {
    const [one, other] = [await fee(), await shop.feePrice()];
    const plan = await shop.plan([one, other], { minimumAmount: '10' });
    const body = { name: 'x', planId: plan.id, startedAt: START, customerId: (await shop.customer()).id };
    const missing = [`currency has no EUR for ${other.id}, minimumAmount`];
    for (const path of ['/v0/subscriptions', '/v0/subscriptions/preview'])
      expect(messagesOf(await merchant.post(path, { ...body, currency: 'EUR' }))).toEqual(missing);
    expect(messagesOf(await merchant.post('/v0/checkoutLinks', { planId: plan.id, currency: 'EUR' }))).toEqual(missing);
    const unknown = await merchant.post('/v0/subscriptions', { ...body, currency: 'EURO' });
    expect([unknown.status, messagesOf(unknown)[0]]).toEqual([400, expect.stringContaining('currency ')]);
    expect((await merchant.post('/v0/subscriptions', { ...body, currency: 'USD' })).status).toBe(201);
  });

  it('an entry for the currency of the plan, wherever it would come in', async () => {
    const price = await fee();
    const inEuro = { productId: price.productId ?? (await shop.product()).id, name: 'x', currency: 'EUR' };
    const message = 'has EUR among other currencies; it is the one of the plan';
    const made = await merchant.post('/v0/plans', {
      ...{ ...inEuro, prices: [price.id], currencyMinimums: { EUR: '5', JPY: '1.5' } },
    });
    expect(messagesOf(made)).toEqual([
      `prices.0 ${message}`,
      `currencyMinimums.EUR ${message}`,
      expect.stringMatching(/^currencyMinimums\.JPY /),
    ]);
    const plan = await shop.plan([price]);
    expect(messagesOf(await merchant.patch(`/v0/plans/${plan.id}`, { currency: 'EUR' }))).toEqual([
      `currency ${message}`,
    ]);
    const euro = await shop.plan([await shop.feePrice()], { currency: 'EUR' });
    expect(messagesOf(await merchant.patch(`/v0/plans/${euro.id}`, { prices: [price.id] }))).toEqual([
      `prices.0 ${message}`,
    ]);
    const added = await merchant.post(`/v0/plans/${euro.id}/versions`, {
      ...{ addPrices: [price.id], currencyMinimums: { EUR: '1' } },
    });
    expect(messagesOf(added)).toEqual([`addPrices.0 ${message}`, `currencyMinimums.EUR ${message}`]);
  });

  it.each([
    [{ EURO: { properties: { unitPrice: '1' } } }, 'currencyPrices.EURO'],
    [{ EUR: { properties: { unitPrice: 'x' } } }, 'currencyPrices.EUR.properties.unitPrice'],
    [{ EUR: { properties: { size: '1' } } }, 'currencyPrices.EUR.properties.unitPrice'],
    [{ EUR: {} }, 'currencyPrices.EUR.properties'],
    [
      { EUR: { properties: { unitPrice: '1' }, minimumAmount: '2', maximumAmount: '1' } },
      'currencyPrices.EUR.minimumAmount',
    ],
  ])('a price with %j', async (currencyPrices, field) => {
    const { id: feeId } = await shop.create('/v0/fees', {
      ...{ name: 'x', description: 'x', productId: (await shop.product()).id },
    });
    const body = { feeId, invoiceDisplayName: 'x', paymentTerm: 'in_arrears', billingCadence: 'P1M' };
    const answer = await merchant.post('/v0/prices', { ...body, properties: { unitPrice: '1' }, currencyPrices });
    expect([answer.status, answer.body.errors[0].field]).toEqual([400, field]);
  });

  it('another price of a version that has it; a free one takes it, and null takes it away', async () => {
    const free = await shop.feePrice();
    const path = `/v0/prices/${free.id}`;
    expect((await shop.change(path, { currencyPrices: EUR_FEE })).currencyPrices.EUR.properties.unitPrice).toBe('279');
    expect((await shop.change(path, { currencyPrices: null })).currencyPrices).toEqual({});
    await shop.change(path, { currencyPrices: EUR_FEE });
    await shop.plan([free]);
    expect(await shop.change(path, { currencyPrices: EUR_FEE })).toMatchObject({ id: free.id });
    expect(await merchant.patch(path, { currencyPrices: null })).toMatchObject({
      ...{ status: 409, body: { code: 'PRICE_IN_USE', details: { fields: ['currencyPrices'] } } },
    });
  });
});

describe('a version', () => {
  it('keeps the minimums in other currencies, until it says others', async () => {
    const price = await fee();
    const plan = await shop.plan([price], { minimumAmount: '10', currencyMinimums: { EUR: '9.00' } });
    const version = (body: object) => merchant.post(`/v0/plans/${plan.id}/versions`, body);
    expect((await version({ minimumAmount: '11' })).body.currencyMinimums).toEqual({ EUR: '9' });
    expect((await version({ currencyMinimums: { EUR: '8', GBP: '7' } })).body).toMatchObject({
      ...{ minimumAmount: '11', currencyMinimums: { EUR: '8', GBP: '7' } },
    });
    const other = await fee();
    await shop.change(`/v0/plans/${plan.id}`, { prices: [other.id] });
    expect((await shop.read(`/v0/plans?limit=100`)).data.find(({ id }: Resource) => id === plan.id)).toMatchObject({
      ...{ minimumAmount: '11', currencyMinimums: { EUR: '8', GBP: '7' }, prices: [{ currencyPrices: EUR_FEE }] },
    });
    expect((await version({ currencyMinimums: {} })).body.currencyMinimums).toEqual({});
    expect((await version({ currencyMinimums: {} })).status).toBe(400);
  });
});

it('a sign-up page shows, asks and takes the currency of its link', async () => {
  const seat = await fee({ EUR: { properties: { unitPrice: '45' } } }, { paymentTerm: 'in_advance' });
  const plan = await shop.plan([seat, await calls()], { minimumAmount: '50', currencyMinimums: { EUR: '48' } });
  const link = await shop.create('/v0/checkoutLinks', { planId: plan.id, currency: 'EUR' });
  expect(link.currency).toBe('EUR');
  expect((await shop.create('/v0/checkoutLinks', { planId: plan.id })).currency).toBe('USD');
  const page = await reader.open(new URL(link.url).pathname);
  for (const part of ['€45.00', '€0.90 per call', '€48.00']) expect(page.words).toContain(part);
  expect(page.words).not.toContain('$');
  const session = await reader.press(page, 'Continue to payment', {
    ...{ name: 'Ada', email: 'ada@engine.example', line1: '1 Rue', city: 'Paris', zipCode: '75001', country: 'FR' },
  });
  expect(session.words).toContain('Pay €45.00');
  await reader.press(session, /^Pay/, { paymentMethod: 'pm_ok' });
  const [subscription] = (await shop.read(`/v0/subscriptions?planId=${plan.id}`)).data;
  expect(subscription).toMatchObject({ status: 'active', currency: 'EUR' });
  const [paid] = (await shop.read(`/v2/invoices?subscriptionId=${subscription.id}&status=PAID`)).data;
  expect(paid).toMatchObject({ currency: 'EUR', grandTotal: '45.00' });
});

it('nothing is left that the auditor or a recomputation would see', async () => {
  expect((await auditDatabase(env.url)).violations).toEqual([]);
  expect((await recomputeDatabase(env.url, { merchants: [merchant.id] })).differing).toEqual([]);
});
