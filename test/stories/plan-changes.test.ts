import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Merchant, sharedEnvironment, type TestEnvironment } from '../support/environment.ts';
import { type Resource, type Shop, START, shopOf } from '../support/shop.ts';

/**
 * Changes of the plan of a subscription, on clocks (domain.md §3, Plan change and credits for unused in-advance
 * charges).
 */
let env: TestEnvironment;
let merchant: Merchant;
let shop: Shop;
beforeAll(async () => {
  env = await sharedEnvironment({ recomputed: true });
  merchant = await env.merchant();
  shop = shopOf(merchant);
});
afterAll(() => env.close());

const MIDDLE = '2026-02-15T00:00:00Z'; // half of February
const FEBRUARY = '2026-02-01T00:00:00Z';
const MARCH = '2026-03-01T00:00:00Z';

const seats = (unitPrice: string, fields: object = {}) =>
  shop.feePrice({ paymentTerm: 'in_advance', properties: { unitPrice }, ...fields });
const planOf = async (price: Resource, fields: object = {}) =>
  shop.plan([price].flat(), { gracePeriod: 'P0D', defaultTaxRate: 20, ...fields });
const change = (subscription: Resource, body: object) =>
  shop.create(`/v0/subscriptions/${subscription.id}/changes`, body);
const tried = (subscription: Resource, body: object) =>
  merchant.post(`/v0/subscriptions/${subscription.id}/changes`, body);

/** Each line with its kind, dates and net amount. */
const shown = ({ lines }: Resource): string[] =>
  lines.map(
    ({ type, lineItemType, totalPrice, periodStart, periodEnd }: Resource) =>
      `${lineItemType === 'refund' ? 'credit' : type} ${day(periodStart)}/${day(periodEnd)} ${totalPrice}`,
  );
const day = (text: string) => text.slice(0, 10);

/**
 * Subscribed by bank transfer, so no step waits for a card: from January on, with its clock in the middle of February.
 */
async function subscribed(plan: Resource, fields: object = {}, until = MIDDLE) {
  const clock = await shop.clock(START);
  const subscription = await shop.subscribe(plan, { clock, bankTransferOnly: true, ...fields });
  if (until !== START) await shop.advance(clock, until);
  return { clock, subscription };
}
const payInFull = async (invoice: Resource) =>
  shop.create(`/v2/invoices/${invoice.id}/payments`, {
    amount: invoice.unpaidAmount,
    method: 'bank_transfer',
    receivedAt: invoice.issuedAt,
    idempotencyKey: invoice.id,
  });
/** The invoices of the periods, without those of the beginning. */
const periods = async (subscription: Resource) =>
  (await shop.invoices(subscription)).filter(({ billingCadence }) => billingCadence !== 'P0D');
const wallet = async (subscription: Resource) =>
  (await shop.read(`/v0/customers/${subscription.customerId}/wallet`)).balances;

describe('a change in the midst of a period', () => {
  it('that was paid: a credit for the old, a charge for the new, on the open invoice', async () => {
    const { clock, subscription } = await subscribed(await planOf(await seats('30')));
    const [january] = await periods(subscription);
    await payInFull(january);
    const larger = await planOf(await seats('100'));
    const preview = await shop.act(`/v0/subscriptions/${subscription.id}/changes`, { planId: larger.id, dryRun: true });
    expect(preview.change).toMatchObject({ id: null, status: 'applied', proration: 'second', credit: 'invoice' });
    expect((await shop.read(`/v0/subscriptions/${subscription.id}`)).planId).toBe(subscription.planId);

    const done = await change(subscription, { planId: larger.id });
    expect(done.change).toMatchObject({ status: 'applied', effectiveAt: MIDDLE, planId: larger.id });
    expect({ ...done.invoicePreview, updatedAt: null }).toEqual({ ...preview.invoicePreview, updatedAt: null });
    expect(await shop.read(`/v0/subscriptions/${subscription.id}`)).toMatchObject({ planId: larger.id });

    await shop.advance(clock, MARCH);
    const february = (await periods(subscription))[1];
    expect(shown(february)).toEqual([
      'charge 2026-03-01/2026-04-01 100.00',
      'charge 2026-02-15/2026-03-01 50.00',
      'credit 2026-02-15/2026-03-01 -15.00',
    ]);
    expect(february).toMatchObject({ subtotal: '135.00', totalTax: '27.00', grandTotal: '162.00' });
  });

  it('that is unpaid: a credit note on it first, over what is not used', async () => {
    const { subscription } = await subscribed(await planOf(await seats('30')));
    await change(subscription, { planId: (await planOf(await seats('10'))).id });
    const [january, february] = await periods(subscription);
    expect(january).toMatchObject({
      status: 'ISSUED',
      grandTotal: '36.00',
      paidAmount: '18.00',
      unpaidAmount: '18.00',
    });
    expect(shown(february)).toEqual(['charge 2026-03-01/2026-04-01 10.00', 'charge 2026-02-15/2026-03-01 5.00']);
  });

  it('in the wallet, where it is to go there', async () => {
    const { subscription } = await subscribed(await planOf(await seats('30')));
    const [january] = await periods(subscription);
    await payInFull(january);
    await change(subscription, { planId: (await planOf(await seats('10'))).id, credit: 'wallet' });
    expect(await wallet(subscription)).toEqual([expect.objectContaining({ currency: 'USD', balance: '18.00' })]);
  });

  it('what a credit cannot take off the next invoice is in the wallet: no total is below 0', async () => {
    const { clock, subscription } = await subscribed(await planOf(await seats('300')));
    const [january] = await periods(subscription);
    await payInFull(january);
    await change(subscription, { planId: (await planOf(await shop.usagePrice())).id });
    await shop.advance(clock, MARCH);
    const february = (await periods(subscription))[1];
    expect(february).toMatchObject({ status: 'PAID', grandTotal: '0.00' });
    expect(await wallet(subscription)).toEqual([expect.objectContaining({ balance: '180.00' })]);
  });

  it('of usage: each price counts its own time, and a continued price is one charge', async () => {
    const metric = await shop.metric();
    const other = await shop.metric({ eventType: 'image' });
    const kept = await shop.usagePrice({
      billableMetricId: metric.id,
      properties: { unitPrice: '1', includedUnits: '10' },
    });
    const cheap = await shop.usagePrice({ billableMetricId: other.id, properties: { unitPrice: '1' } });
    const dear = await shop.usagePrice({ billableMetricId: other.id, properties: { unitPrice: '3' } });
    const { clock, subscription } = await subscribed(await planOf([kept, cheap], { defaultTaxRate: 0 }));
    for (const at of ['2026-02-03T00:00:00Z', '2026-02-20T00:00:00Z']) {
      await shop.use(subscription.id, at, 20);
      await shop.use(subscription.id, at, 5, { type: 'image' });
    }
    await change(subscription, { planId: (await planOf([kept, dear], { defaultTaxRate: 0 })).id });
    await shop.advance(clock, MARCH);
    const february = (await periods(subscription)).at(-2);
    expect(shown(february)).toEqual([
      'charge 2026-02-01/2026-03-01 30.00', // 40 − 10
      'charge 2026-02-01/2026-02-15 5.00',
      'charge 2026-02-15/2026-03-01 15.00',
    ]);
  });

  it('there and back bills what no change would', async () => {
    const plan = await planOf(await seats('30'));
    const { clock, subscription } = await subscribed(plan);
    const [january] = await periods(subscription);
    await payInFull(january);
    await change(subscription, { planId: (await planOf(await seats('100'))).id });
    await change(subscription, { planId: plan.id });
    await shop.advance(clock, MARCH);
    expect(shown((await periods(subscription))[1])).toEqual(['charge 2026-03-01/2026-04-01 30.00']);
  });
});

describe('a change to another cadence', () => {
  it('ends the period; its invoice has the new plan’s first charges, less the unused ones', async () => {
    const { clock, subscription } = await subscribed(await planOf(await seats('30')));
    await payInFull((await periods(subscription))[0]);
    const yearly = await planOf(await seats('365', { billingCadence: 'P1Y' }), { billingCadence: 'P1Y' });
    await change(subscription, { planId: yearly.id });
    await shop.advance(clock, 'PT1S');
    const invoices = await periods(subscription);
    expect(invoices[1]).toMatchObject({ status: 'ISSUED', periodEnd: MIDDLE });
    expect(shown(invoices[1])).toEqual(['charge 2026-02-15/2027-02-15 365.00', 'credit 2026-02-15/2026-03-01 -15.00']);
    expect(invoices[2]).toMatchObject({ status: 'ACTIVE', billingCadence: 'P1Y', periodStart: MIDDLE });
  });

  it('at the very start of a period makes an invoice at once', async () => {
    const { subscription } = await subscribed(await planOf(await seats('30')), {}, FEBRUARY);
    await payInFull((await periods(subscription))[0]);
    const yearly = await planOf(await seats('365', { billingCadence: 'P1Y' }), { billingCadence: 'P1Y' });
    const { invoicePreview } = await change(subscription, { planId: yearly.id });
    expect(invoicePreview).toMatchObject({ status: 'ISSUED', subtotal: '335.00' });
    expect((await periods(subscription)).map(({ status, billingCadence }) => `${status} ${billingCadence}`)).toEqual([
      'PAID P1M',
      'ACTIVE P1Y',
    ]);
  });
});

describe('a change at the end of the period', () => {
  it('comes automatically, with its charges on the invoice that ends there', async () => {
    const { clock, subscription } = await subscribed(await planOf(await seats('30')));
    const larger = await planOf(await seats('100'));
    const { change: scheduled } = await change(subscription, { planId: larger.id, effective: 'periodEnd' });
    expect(scheduled).toMatchObject({ status: 'scheduled', effectiveAt: MARCH });
    expect(await tried(subscription, { planId: larger.id })).toMatchObject({
      status: 409,
      body: { code: 'CHANGE_SCHEDULED' },
    });
    await shop.advance(clock, MARCH);
    expect(shown((await periods(subscription))[1])).toEqual(['charge 2026-03-01/2026-04-01 100.00']);
    expect(await shop.read(`/v0/subscriptions/${subscription.id}`)).toMatchObject({ planId: larger.id });
    const { data } = await shop.read(`/v0/subscriptions/${subscription.id}/changes`);
    expect(data).toEqual([expect.objectContaining({ id: scheduled.id, status: 'applied' })]);
  });

  it('can be cancelled until then, and once', async () => {
    const plan = await planOf(await seats('30'));
    const { clock, subscription } = await subscribed(plan);
    const { change: scheduled } = await change(subscription, {
      planId: (await planOf(await seats('100'))).id,
      effective: 'periodEnd',
    });
    const path = `/v0/subscriptions/${subscription.id}/changes/${scheduled.id}`;
    expect((await merchant.delete(path)).status).toBe(204);
    expect(await merchant.delete(path)).toMatchObject({ status: 409, body: { code: 'INVALID_TRANSITION' } });
    await shop.advance(clock, MARCH);
    expect(shown((await periods(subscription))[1])).toEqual(['charge 2026-03-01/2026-04-01 30.00']);
  });
});

describe('a termination', () => {
  it.each([
    { credit: 'invoice', balance: '18.00' }, // the last invoice has no amount for it
    { credit: 'wallet', balance: '18.00' },
    { credit: 'none', balance: null },
  ])('credits what is not used: $credit', async ({ credit, balance }) => {
    const { clock, subscription } = await subscribed(await planOf(await seats('30')));
    await payInFull((await periods(subscription))[0]);
    await shop.act(`/v0/subscriptions/${subscription.id}/termination`, { reason: 'Moved', credit });
    await shop.advance(clock, 'PT1S');
    const balances = await wallet(subscription);
    expect(balances).toEqual(balance === null ? [] : [expect.objectContaining({ balance })]);
  });

  it('owes nothing of what is not used and not paid', async () => {
    const { subscription } = await subscribed(await planOf(await seats('30')));
    await shop.act(`/v0/subscriptions/${subscription.id}/termination`, { reason: 'Moved' });
    expect((await periods(subscription))[0]).toMatchObject({ unpaidAmount: '18.00' });
  });
});

describe('entitlements', () => {
  it('of features that the new version carries go on, the others end', async () => {
    const product = await shop.product();
    const feature = async (key: string) =>
      shop.create('/v0/features', { key, name: key, productId: product.id, type: 'boolean' });
    const [kept, lost] = [await feature('kept'), await feature('lost')];
    const carrying = ({ id }: Resource) =>
      seats('30', { feature: { featureId: id, entitlementTemplate: { type: 'boolean' } } });
    const { subscription } = await subscribed(await planOf([await carrying(kept), await carrying(lost)]));
    const entitlements = async () =>
      (await shop.read(`/v1/entitlements?customerId=${subscription.customerId}`)).data as Resource[];
    const before = await entitlements();
    await change(subscription, { planId: (await planOf(await carrying(kept))).id });
    const after = await entitlements();
    const idOf = (list: Resource[]) => list.find(({ featureKey }) => featureKey === 'kept');
    expect(idOf(after)?.entitlementId).toBe(idOf(before)?.entitlementId);
    expect(after.find(({ featureKey }) => featureKey === 'lost')).toMatchObject({ status: 'canceled' });
  });
});

describe('what is refused', () => {
  it.each([
    { what: 'another currency', fields: { currency: 'EUR' }, field: 'planId' },
    { what: 'another way of taxing', fields: { taxBehavior: 'inclusive' }, field: 'planId' },
  ])('$what', async ({ fields, field }) => {
    const { subscription } = await subscribed(await planOf(await seats('30')), {}, START);
    const other = await planOf(await seats('40'), fields);
    const { status, body } = await tried(subscription, { planId: other.id });
    expect(status).toBe(400);
    expect(body.errors.map(({ field: named }: Resource) => named)).toEqual([field]);
  });

  it('the version that it has, and nothing at all', async () => {
    const plan = await planOf(await seats('30'));
    const { subscription } = await subscribed(plan, {}, START);
    expect((await tried(subscription, { planId: plan.id })).status).toBe(400);
    expect((await tried(subscription, {})).status).toBe(400);
  });
});

describe('a simulation', () => {
  it.each([
    { what: 'given usage', asked: 'usage' },
    { what: 'a customer’s usage', asked: 'customer' },
  ])('tells what $what would have cost, with other prices too, and stores nothing', async ({ asked }) => {
    const metric = await shop.metric();
    const price = await shop.usagePrice({ billableMetricId: metric.id, properties: { unitPrice: '2' } });
    const dear = await shop.usagePrice({ billableMetricId: metric.id, properties: { unitPrice: '5' } });
    const plan = await planOf([price, await seats('30')]);
    const customer = await shop.customer();
    await shop.use(customer.id, '2026-01-10T00:00:00Z', 10);
    const of = asked === 'usage' ? { usage: { [metric.id]: 10 } } : { customerId: customer.id };
    const simulate = (body: object) =>
      shop.act(`/v0/plans/${plan.id}/simulate`, { ...of, from: START, to: FEBRUARY, ...body });
    expect(await simulate({})).toMatchObject({ subtotal: '50.00', totalTax: '10.00', grandTotal: '60.00' });
    const replacePrices = [{ replacesPriceId: price.id, withPriceId: dear.id }];
    const { subtotal, lineItems } = await simulate({ replacePrices });
    expect([subtotal, lineItems.length]).toEqual(['80.00', 2]);
  });
});

describe('a migration', () => {
  it('changes all subscriptions of a version', async () => {
    const price = await seats('30');
    const plan = await planOf(price);
    const { subscription } = await subscribed(plan);
    const dear = await seats('60');
    await shop.create(`/v0/plans/${plan.id}/versions`, {
      replacePrices: [{ replacesPriceId: price.id, withPriceId: dear.id }],
    });
    const body = { fromVersion: 1, toVersion: 2 };
    const dry = await shop.act(`/v0/plans/${plan.id}/migrations`, { ...body, dryRun: true });
    expect(dry.subscriptions).toEqual([
      { subscriptionId: subscription.id, outcome: 'applied', effectiveAt: MIDDLE, changeId: null, reason: null },
    ]);
    expect((await shop.read(`/v0/subscriptions/${subscription.id}`)).planVersionNumber).toBe(1);
    await shop.create(`/v0/plans/${plan.id}/migrations`, body);
    expect((await shop.read(`/v0/subscriptions/${subscription.id}`)).planVersionNumber).toBe(2);
  });
});
