import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { auditDatabase, recomputeDatabase } from '../../src/app.ts';
import { type Merchant, openTestEnvironment, type TestEnvironment } from '../support/environment.ts';
import { type Resource, type Shop, START, shopOf } from '../support/shop.ts';

/** Agreed prices of commitments (commercial.md §4). Amounts are worked by hand: a month costs 100.00, a call 1.00. */
let env: TestEnvironment;
let merchant: Merchant;
let shop: Shop;
let fee: Resource;
let calls: Resource;
let plan: Resource;
let clock: Resource;
let subscription: Resource;
beforeAll(async () => {
  env = await openTestEnvironment();
  merchant = await env.merchant();
  shop = shopOf(merchant);
});
afterAll(() => env.close());
beforeEach(async () => {
  fee = await shop.feePrice({ properties: { unitPrice: '100' } });
  calls = await shop.usagePrice();
  plan = await shop.plan([fee, calls]);
  clock = await shop.clock(START);
  subscription = await shop.subscribe(plan, { clock });
});

const day = (date: string): string => `2026-${date}T00:00:00Z`;
const bodyOf = (overrides: object[], fields: object = {}) => ({
  ...{ customerId: subscription.customerId, subscriptionId: subscription.id, name: 'Contract', currency: 'USD' },
  ...{ type: 'postpaid', segments: [{ startDate: day('01-01'), endDate: day('03-01'), amount: '0' }], overrides },
  ...fields,
});
const commit = (overrides: object[], fields: object = {}): Promise<Resource> =>
  shop.create('/v0/commitments', bodyOf(overrides, fields));
const half = (price: Resource, fields: object = {}) => ({ priceId: price.id, multiplier: '0.5', ...fields });
const charges = async (place: number, of = subscription) =>
  ((await shop.invoices(of))[place] as Resource).lines.map(({ totalPrice }: Resource) => totalPrice);
/** The upcoming invoice says what the period comes to. */
const advanceAsPromised = async (by: string, of = subscription): Promise<void> => {
  const { id, grandTotal } = await shop.read(`/v0/subscriptions/${of.id}/upcomingInvoice`);
  await shop.advance(clock, by);
  expect((await shop.invoice(id)).grandTotal).toBe(grandTotal);
};

describe('the agreed prices of a commitment', () => {
  it('hold while it does, and the document says list and agreed price', async () => {
    const made = await commit([half(calls)]);
    expect(made.overrides).toMatchObject([{ priceId: calls.id, multiplier: '0.5', from: null, to: null }]);
    await shop.use(subscription.id, day('01-10'), 10);
    await advanceAsPromised('P1M');
    expect(await charges(0)).toEqual(['100.00', '5.00']);
    const [january] = await shop.invoices(subscription);
    expect(january.lines[1]).toMatchObject({ priceId: calls.id, unitPrice: '0.5', listUnitPrice: '1' });
    const { lines } = await shop.read(`/v2/invoices/${january.id}/explain`);
    expect(lines[1].price.override).toMatchObject({ priceId: calls.id, multiplier: '0.5', to: day('03-01') });
    // What is spent is what is owed.
    expect((await shop.read(`/v0/commitments/${made.id}`)).segments[0].spent).toBe('205.00');
    await shop.use(subscription.id, day('02-10'), 10);
    await shop.use(subscription.id, day('03-10'), 10);
    await shop.advance(clock, 'P2M');
    expect([await charges(1), await charges(2)]).toEqual([
      ['100.00', '5.00'],
      ['100.00', '10.00'],
    ]);
    expect((await shop.read(`/v0/subscriptions/${subscription.id}`)).priceOverrides).toEqual([]);
  });

  it('hold for a subscription of several that is in its trial as they are agreed', async () => {
    const trial = await shop.plan([fee, calls], { trialPeriod: 'P14D' });
    const customer = await shop.customer();
    const of = await shop.subscribe(trial, { clock, customer });
    await commit([half(calls)], { customerId: customer.id, subscriptionId: null, testClockId: clock.id });
    await shop.advance(clock, day('01-20'));
    await shop.use(of.id, day('01-20'), 10);
    await shop.advance(clock, day('02-15'));
    expect(await charges(0, of)).toEqual(['100.00', '5.00']);
  });

  it('stand behind those of the subscription, and have windows of their own', async () => {
    const of = await shop.subscribe(plan, {
      clock,
      priceOverrides: [{ priceId: calls.id, multiplier: '0.9', to: day('02-01') }],
    });
    await commit([half(calls, { to: day('02-15') }), half(fee, { from: day('02-01'), multiplier: '0.2' })], {
      ...{ customerId: of.customerId, subscriptionId: of.id },
    });
    for (const date of ['01-10', '02-10', '02-20']) await shop.use(of.id, day(date), 10);
    await shop.advance(clock, 'P2M');
    // 10 calls at 0.90; then 10 at 0.50 and 10 at 1.00, and the fee at 20.00.
    expect((await charges(0, of)).toSorted()).toEqual(['100.00', '9.00']);
    expect((await charges(1, of)).toSorted()).toEqual(['10.00', '20.00', '5.00']);
  });

  it('end with an early end, by the second', async () => {
    const made = await commit([half(calls), half(fee)]);
    await shop.use(subscription.id, day('01-10'), 10);
    await shop.advance(clock, 'P15D');
    await shop.act(`/v0/commitments/${made.id}/end`, {});
    await shop.use(subscription.id, day('01-20'), 10);
    await advanceAsPromised('P16D');
    // 15 of 31 days at 50.00, 16 at 100.00; 10 calls at 0.50, 10 at 1.00.
    expect((await charges(0)).toSorted()).toEqual(['10.00', '24.19', '5.00', '51.61']);
  });

  it('begin when it is made, and give back what a fee in advance cost more', async () => {
    const ahead = await shop.feePrice({ paymentTerm: 'in_advance', properties: { unitPrice: '100' } });
    const of = await shop.subscribe(await shop.plan([ahead]), { clock, bankTransferOnly: true, paymentTermDays: 30 });
    await shop.advance(clock, 'P15D');
    const made = await commit([half(ahead)], { customerId: of.customerId, subscriptionId: of.id });
    await shop.advance(clock, 'P16D');
    const asked = async () =>
      (await shop.invoices(of)).map(({ kind, subtotal, unpaidAmount }: Resource) => [kind, subtotal, unpaidAmount]);
    // 16 of 31 days of January: 51.61 go back, and 25.81 are owed beside February at 50.00.
    const credited = ['upfront', '100.00', '48.39'];
    expect((await asked()).toSorted()).toEqual([
      ['subscription', '100.00', '100.00'],
      ['subscription', '75.81', '75.81'],
      credited,
    ]);
    await shop.advance(clock, 'P14D');
    await shop.act(`/v0/commitments/${made.id}/end`, {});
    await shop.advance(clock, 'P14D');
    // Half of February: 25.00 go back, and 50.00 are owed beside March at 100.00.
    expect(await asked()).toContainEqual(['subscription', '75.81', '50.81']);
    expect(await asked()).toContainEqual(['subscription', '150.00', '150.00']);
  });

  it('of all of a customer hold for each subscription that has the price, also a later one', async () => {
    const { customerId } = subscription;
    await commit([half(calls)], { subscriptionId: null, testClockId: clock.id });
    const other = await shop.subscribe(await shop.plan([calls]), { clock, customer: { id: customerId } });
    const none = await shop.subscribe(await shop.plan([await shop.usagePrice()]), {
      clock,
      customer: { id: customerId },
    });
    for (const { id } of [subscription, other, none]) await shop.use(id, day('01-10'), 10);
    await advanceAsPromised('P1M', other);
    expect([await charges(0), await charges(0, other), await charges(0, none)]).toEqual([
      ['100.00', '5.00'],
      ['5.00'],
      ['10.00'],
    ]);
  });

  it('of a prepaid one are what its credits pay', async () => {
    await commit([half(calls)], {
      ...{ type: 'prepaid', segments: [{ startDate: day('01-01'), endDate: day('03-01'), amount: '300' }] },
    });
    await shop.use(subscription.id, day('01-10'), 10);
    await shop.advance(clock, 'P1M');
    const january = (await shop.invoices(subscription)).find(({ kind }: Resource) => kind === 'subscription');
    expect(january?.lines.map(({ totalPrice }: Resource) => totalPrice)).toEqual([
      '100.00',
      '5.00',
      '-100.00',
      '-5.00',
    ]);
  });

  it('are of prices that the subscription has', async () => {
    const strange = await shop.usagePrice();
    const answerTo = async (overrides: object[], fields: object = {}) => {
      const { status, body } = await merchant.post('/v0/commitments', bodyOf(overrides, fields));
      return [status, body.errors?.[0]?.field ?? body.details?.field ?? null];
    };
    expect(await answerTo([half(strange)])).toEqual([400, 'overrides.0.priceId']);
    expect(await answerTo([half(strange)], { subscriptionId: null })).toEqual([400, 'overrides.0.priceId']);
    expect(await answerTo([half(calls, { to: day('02-01') }), half(calls)])).toEqual([400, 'overrides.0']);
    expect(await answerTo([{ priceId: calls.id }])).toEqual([400, 'overrides.0.multiplier']);
    const foreign = await shopOf(await env.merchant()).usagePrice();
    expect((await answerTo([half(foreign)]))[0]).toBe(403);
    expect((await answerTo([half({ ...calls, id: calls.id.replace(/.{6}$/, '000000') })]))[0]).toBe(404);
    expect((await commit([], { overrides: null })).overrides).toEqual([]);
  });
});

it('comes out the same from the events, and holds what the auditor asks', async () => {
  expect((await recomputeDatabase(env.url)).differing).toEqual([]);
  expect((await auditDatabase(env.url)).violations).toEqual([]);
});
