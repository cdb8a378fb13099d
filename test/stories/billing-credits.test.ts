import fc from 'fast-check';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { auditDatabase, recomputeDatabase } from '../../src/app.ts';
import { type Merchant, openTestEnvironment, type TestEnvironment } from '../support/environment.ts';
import { type Resource, type Shop, START, shopOf } from '../support/shop.ts';

/** Billing credits (commercial.md §3). Amounts are worked by hand: January has 31 days, February 2026 has 28. */
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

let keys = 0;
const give = (fields: object, customerId: string = subscription.customerId): Promise<Resource> => {
  keys += 1;
  const credit = { name: 'Welcome', amount: '30', currency: 'USD', idempotencyKey: `credit-${keys}`, ...fields };
  return shop.create(`/v0/customers/${customerId}/billingCredits`, credit);
};
const creditsOf = async (customerId: string = subscription.customerId): Promise<Resource[]> =>
  (await shop.read(`/v0/customers/${customerId}/billingCredits`)).data;
const creditNow = async ({ id, customerId }: Resource): Promise<Resource> =>
  (await creditsOf(customerId)).find((each) => each.id === id) as Resource;
const balance = (query = '', customerId: string = subscription.customerId): Promise<Resource> =>
  shop.read(`/v0/customers/${customerId}/billingCredits/balance?currency=USD${query}`);
/** The lines of the n-th invoice: type, name, amount. */
const linesOf = async (place: number, of = subscription) =>
  ((await shop.invoices(of))[place].lines as Resource[]).map((line) => [
    ...[line.type, line.invoiceDisplayName, line.totalPrice],
  ]);
const amountsOf = async (of = subscription) => (await shop.invoices(of)).map(({ subtotal }: Resource) => subtotal);

describe('a billing credit', () => {
  it('pays fees before usage, and each use is a line', async () => {
    const credit = await give({ amount: '105' });
    await shop.use(subscription.id, '2026-01-10T00:00:00Z', 10);
    // 100.00 of the fee, 5.00 of the 10 calls.
    expect(await balance()).toMatchObject({
      at: START,
      granted: '105.00',
      used: '0.00',
      pending: '105.00',
      available: '0.00',
    });
    await shop.advance(clock, 'P1M');
    expect(await linesOf(0)).toEqual([
      ['charge', 'Flat fee', '100.00'],
      ['charge', 'Calls', '10.00'],
      ['billing_credit', 'Flat fee: Welcome', '-100.00'],
      ['billing_credit', 'Calls: Welcome', '-5.00'],
    ]);
    const [{ id, subtotal, lines }] = await shop.invoices(subscription);
    expect(subtotal).toBe('5.00');
    expect(lines[2]).toMatchObject({
      ...{ eventType: 'discount', billingCreditId: credit.id, appliesToLineId: lines[0].id, priceId: fee.id },
      discountPrice: '100.00',
    });
    expect(lines[0].billingCreditId).toBe(null);
    const explained = (await shop.read(`/v2/invoices/${id}/explain`)).lines;
    expect(explained.map((line: Resource) => line.discounts[0])).toMatchObject([
      { description: 'Flat fee: Welcome', amount: '-100.00', adjustmentId: null },
      { description: 'Calls: Welcome', amount: '-5.00', adjustmentId: null },
    ]);
    expect(await creditNow(credit)).toMatchObject({
      ...{ amount: '105.00', remaining: '0.00', usedAmount: '105.00', pendingAmount: '0.00', status: 'used_up' },
      ...{ category: 'promotional', priority: 0, effectiveAt: START, expiresAt: null, source: 'manual' },
    });
  });

  it('is used before tax', async () => {
    const taxed = await shop.plan([await shop.feePrice({ properties: { unitPrice: '100' }, taxRate: 20 })]);
    const of = await shop.subscribe(taxed, { clock });
    await give({ amount: '40' }, of.customerId);
    await shop.advance(clock, 'P1M');
    const [{ subtotal, totalTax, grandTotal }] = await shop.invoices(of);
    expect([subtotal, totalTax, grandTotal]).toEqual(['60.00', '12.00', '72.00']);
  });

  it('pays usage by its own time: what was spent in its window', async () => {
    await shop.use(subscription.id, '2026-01-05T00:00:00Z', 7);
    await shop.use(subscription.id, '2026-01-15T00:00:00Z', 11);
    await shop.use(subscription.id, '2026-01-25T00:00:00Z', 13);
    await give({ effectiveAt: '2026-01-10T00:00:00Z', expiresAt: '2026-01-20T00:00:00Z' });
    await shop.advance(clock, 'P1M');
    // 100.00 and 31 calls; the credit pays the 11 of its ten days, not the fee, whose service began before.
    expect(await amountsOf()).toEqual(['120.00', expect.anything()]);
    const [credit] = await creditsOf();
    expect(credit).toMatchObject({ usedAmount: '11.00', expiredAmount: '19.00', remaining: '0.00', status: 'expired' });
  });

  it('pays nothing of a window of agreed prices that begins after it, also without usage', async () => {
    const properties = { tiers: [{ upTo: null, unitPrice: '1', flatPrice: '2' }] };
    const tiered = await shop.usagePrice({ model: 'graduated', properties });
    const of = await shop.subscribe(await shop.plan([tiered]), {
      clock,
      priceOverrides: [{ priceId: tiered.id, properties, from: '2026-01-20T00:00:00Z' }],
    });
    await give({ expiresAt: '2026-01-10T00:00:00Z' }, of.customerId);
    await shop.advance(clock, 'P1M');
    // 19 and 12 of 31 days of 2.00, from the start of each part on. The credit is over before the second one.
    expect((await linesOf(0, of)).map(([type, , amount]) => [type, amount])).toEqual([
      ['charge', '1.23'],
      ['charge', '0.77'],
      ['billing_credit', '-1.23'],
    ]);
  });

  it('burns by priority, then the earliest expiry, then promotional before paid, then the oldest', async () => {
    const names = ['last', 'fourth', 'third', 'second', 'first'];
    await give({ name: 'last', amount: '30', priority: 1 });
    await give({ name: 'fourth', amount: '30', category: 'paid' });
    await give({ name: 'third', amount: '30' });
    await give({ name: 'second', amount: '30', expiresAt: '2026-06-01T00:00:00Z' });
    await give({ name: 'first', amount: '30', priority: -1 });
    await shop.advance(clock, 'P1M');
    const uses = (await linesOf(0)).filter(([type]) => type === 'billing_credit');
    expect(uses).toEqual([
      ...names
        .slice(1)
        .toReversed()
        .map((name) => ['billing_credit', `Flat fee: ${name}`, name === 'fourth' ? '-10.00' : '-30.00']),
    ]);
  });

  it('pays only what it is for', async () => {
    await give({ amount: '500', appliesTo: { billableMetricIds: [calls.billableMetricId] } });
    await give({ amount: '500', appliesTo: { planIds: [(await shop.plan([await shop.feePrice()])).id] } });
    await shop.use(subscription.id, '2026-01-10T00:00:00Z', 10);
    await shop.advance(clock, 'P1M');
    expect(await amountsOf()).toEqual(['100.00', expect.anything()]);
  });

  it('is of one subscription, or of all; the older one first', async () => {
    const second = await shop.subscribe(plan, { clock, customer: { id: subscription.customerId } as Resource });
    await give({ amount: '150' });
    await give({ amount: '10', subscriptionId: second.id });
    await shop.advance(clock, 'P1M');
    expect((await amountsOf())[0]).toBe('0.00');
    // 50.00 are left of the first credit, and its own pays 10.00.
    expect((await amountsOf(second))[0]).toBe('40.00');
  });

  it('goes on over periods until it is used up', async () => {
    await give({ amount: '250' });
    for (let month = 0; month < 3; month += 1) await shop.advance(clock, 'P1M');
    expect((await amountsOf()).slice(0, 3)).toEqual(['0.00', '0.00', '50.00']);
  });

  it('is voided: what open periods used before is still paid', async () => {
    await shop.use(subscription.id, '2026-01-05T00:00:00Z', 7);
    const credit = await give({ appliesTo: { priceIds: [calls.id] } });
    await shop.advance(clock, '2026-01-20T00:00:00Z');
    const voided = await shop.act(`/v0/billingCredits/${credit.id}/void`, { reason: 'Wrong' });
    expect(voided).toMatchObject({
      ...{ voidedAt: '2026-01-20T00:00:00Z', status: 'voided' },
      ...{ remaining: '0.00', pendingAmount: '7.00', voidedAmount: '23.00' },
    });
    await shop.use(subscription.id, '2026-01-25T00:00:00Z', 9);
    await shop.advance(clock, '2026-02-01T00:00:00Z');
    expect((await amountsOf())[0]).toBe('109.00'); // 116.00 less 7.00
    expect(await balance()).toMatchObject({ granted: '7.00', used: '7.00', available: '0.00' });
    const again = await merchant.post(`/v0/billingCredits/${credit.id}/void`, {});
    expect([again.status, again.body.code]).toEqual([409, 'INVALID_TRANSITION']);
  });

  it('has back what a refund or a cancellation takes back', async () => {
    const credit = await give({ amount: '40' });
    await shop.advance(clock, 'P1M');
    const [invoice] = await shop.invoices(subscription);
    expect(await creditNow(credit)).toMatchObject({ usedAmount: '40.00' });
    await shop.act(`/v2/invoices/${invoice.id}/cancel`, { reason: 'Wrong' });
    // Another subscription has it: February's fee of this one would take it again.
    expect(await creditNow(credit)).toMatchObject({ usedAmount: '0.00', pendingAmount: '40.00', status: 'active' });
  });

  it('is the same under its key, and another one under it is refused', async () => {
    const body = { name: 'Once', amount: '5', currency: 'USD', idempotencyKey: 'once' };
    const path = `/v0/customers/${subscription.customerId}/billingCredits`;
    const [first, again, other] = [
      await merchant.post(path, body),
      await merchant.post(path, body),
      await merchant.post(path, { ...body, amount: '6' }),
    ];
    expect([first.status, again.status, again.body.id, other.status, other.body.code]).toEqual([
      ...[201, 200, first.body.id, 409, 'IDEMPOTENCY_KEY_REUSED'],
    ]);
  });

  it.each([
    [{ amount: '0' }, 'amount'],
    [{ amount: '1.234' }, 'amount'],
    [{ currency: 'XXY' }, 'currency'],
    [{ category: 'gift' }, 'category'],
    [{ effectiveAt: '2026-02-01T00:00:00Z', expiresAt: '2026-02-01T00:00:00Z' }, 'expiresAt'],
    [{ idempotencyKey: undefined }, 'idempotencyKey'],
    [{ appliesTo: { prices: [] } }, 'appliesTo.prices'],
  ])('refuses %o', async (fields, field) => {
    const body = { name: 'Bad', amount: '5', currency: 'USD', idempotencyKey: 'bad', ...fields };
    const refused = await merchant.post(`/v0/customers/${subscription.customerId}/billingCredits`, body);
    expect([refused.status, refused.body.errors?.[0]?.field]).toEqual([400, field]);
  });
});

describe('a charge that owes less', () => {
  it('gives back what credits paid above it: an end', async () => {
    const advance = await shop.plan([
      await shop.feePrice({ paymentTerm: 'in_advance', properties: { unitPrice: '310' } }),
    ]);
    const customer = await shop.customer();
    await give({ amount: '200', testClockId: clock.id }, customer.id);
    const of = await shop.subscribe(advance, { clock, customer, bankTransferOnly: true });
    const [upfront] = (await shop.invoices(of)).filter(({ kind }: Resource) => kind === 'upfront');
    expect(upfront.unpaidAmount).toBe('110.00');
    await shop.create(`/v2/invoices/${upfront.id}/payments`, {
      ...{ amount: '110.00', method: 'bank_transfer', idempotencyKey: upfront.id },
    });
    await shop.advance(clock, '2026-01-11T00:00:00Z');
    await shop.act(`/v0/subscriptions/${of.id}/termination`, { reason: 'x', credit: 'wallet' });
    await shop.advance(clock, '2026-02-02T00:00:00Z');
    // 10 of 31 days are 100.00: the credit pays all of it, and 110.00 go back.
    const { balances } = await shop.read(`/v0/customers/${customer.id}/wallet`);
    const [credit] = await creditsOf(customer.id);
    expect([balances[0]?.balance, credit?.usedAmount, credit?.remaining]).toEqual(['110.00', '100.00', '100.00']);
  });

  it('gives it back by the credit note where no invoice follows: an end in the past', async () => {
    const advance = await shop.plan([
      await shop.feePrice({ paymentTerm: 'in_advance', properties: { unitPrice: '310' } }),
    ]);
    const customer = await shop.customer();
    await give({ amount: '200', testClockId: clock.id }, customer.id);
    const of = await shop.subscribe(advance, { clock, customer, bankTransferOnly: true });
    const [upfront] = (await shop.invoices(of)).filter(({ kind }: Resource) => kind === 'upfront');
    await shop.create(`/v2/invoices/${upfront.id}/payments`, {
      ...{ amount: '110.00', method: 'bank_transfer', idempotencyKey: upfront.id },
    });
    await shop.advance(clock, '2026-02-10T00:00:00Z');
    await shop.change(`/v0/subscriptions/${of.id}`, { terminatedAt: '2026-01-11T00:00:00Z' });
    await shop.advance(clock, '2026-06-01T00:00:00Z');
    const { balances } = await shop.read(`/v0/customers/${customer.id}/wallet`);
    const [credit] = await creditsOf(customer.id);
    const owed = (await shop.invoices(of)).map(({ unpaidAmount }: Resource) => unpaidAmount);
    expect([balances[0]?.balance, credit?.usedAmount, owed]).toEqual(['110.00', '100.00', ['0.00', '0.00']]);
  });

  it.each([
    ['in_advance', '740.00'],
    ['in_arrears', '120.00'],
  ])('pays the new terms of a change %s with what goes back, before it expires', async (paymentTerm, asked) => {
    const priced = async (unitPrice: string) =>
      shop.plan([await shop.feePrice({ paymentTerm, properties: { unitPrice } })]);
    const customer = await shop.customer();
    await give({ amount: '400', testClockId: clock.id, expiresAt: '2026-02-01T00:00:00Z' }, customer.id);
    const of = await shop.subscribe(await priced('310'), { clock, customer, bankTransferOnly: true });
    await shop.advance(clock, '2026-01-11T00:00:00Z');
    const { id: planId } = await priced('620');
    const { invoicePreview } = await shop.create(`/v0/subscriptions/${of.id}/changes`, { planId });
    await shop.advance(clock, '2026-02-01T00:00:00Z');
    // January owes 100.00 and 420.00: the credit pays all but 120.00. In advance February stands beside it, 620.00.
    const invoice = (await shop.invoices(of)).find(
      ({ kind, status }) => kind === 'subscription' && status === 'ISSUED',
    );
    expect([invoicePreview.subtotal, invoice.subtotal]).toEqual([asked, asked]);
    expect((await creditsOf(customer.id))[0]).toMatchObject({ usedAmount: '400.00', expiredAmount: '0.00' });
  });

  it.each([
    { what: 'is unpaid', isPaid: false, least: null, credit: 'invoice', wallet: '0.00', left: '15.00' },
    { what: 'is paid', isPaid: true, least: null, credit: 'invoice', wallet: '6.00', left: '15.00' },
    { what: 'has no further invoice', isPaid: true, least: null, credit: 'wallet', wallet: '6.00', left: '15.00' },
    {
      what: 'is below the least of the coupon',
      isPaid: true,
      least: '30',
      credit: 'invoice',
      wallet: '6.00',
      left: '5.00',
    },
  ])('gives back what credits paid above its coupon where it $what: an end', async (given) => {
    const { isPaid, least: minimumAmount, credit, wallet, left } = given;
    const month = await shop.plan([
      await shop.feePrice({ properties: { unitPrice: '31' }, paymentTerm: 'in_advance' }),
    ]);
    const fields = { name: 'Voucher', amountOff: '10', currency: 'USD', duration: 'once', minimumAmount };
    const { id } = await shop.create('/v0/coupons', fields);
    const customer = await shop.customer();
    const made = await give({ amount: '15', testClockId: clock.id }, customer.id);
    const own = await shop.subscribe(month, { clock, customer, coupons: [id], bankTransferOnly: true });
    const [, upfront] = await shop.invoices(own);
    expect(upfront.grandTotal).toBe('6.00'); // 31.00 − 10.00 − 15.00
    const transfer = { amount: '6', method: 'bank_transfer', idempotencyKey: upfront.id };
    if (isPaid) await shop.create(`/v2/invoices/${upfront.id}/payments`, transfer);
    await shop.advance(clock, '2026-01-11T00:00:00Z');
    await shop.act(`/v0/subscriptions/${own.id}/termination`, { reason: 'Over', credit });
    await shop.advance(clock, '2026-02-01T00:00:00Z');
    // 10.00 are owed. The coupon takes all of them, or nothing any more, and then the credit does.
    expect((await creditNow(made)).remaining).toBe(left);
    const { balances } = await shop.read(`/v0/customers/${customer.id}/wallet`);
    expect(balances[0]?.balance ?? '0.00').toBe(wallet);
    expect((await shop.invoices(own)).map(({ unpaidAmount }: Resource) => unpaidAmount)).toEqual(['0.00', '0.00']);
  });

  it('gives back all that credits paid above a coupon, of a fee and of the minimum of the plan', async () => {
    const thirty = await shop.feePrice({ properties: { unitPrice: '31' } });
    const fields = { name: 'Voucher', amountOff: '10', currency: 'USD', duration: 'once' };
    const { id } = await shop.create('/v0/coupons', fields);
    const own = await shop.subscribe(await shop.plan([thirty], { minimumAmount: '62' }), { clock, coupons: [id] });
    const made = await give({ amount: '40' }, own.customerId);
    await shop.advance(clock, 'P1M');
    const [january] = await shop.invoices(own);
    expect(january.grandTotal).toBe('12.00'); // 31.00 and 31.00 that are missing, less 10.00 and 40.00
    const transfer = { amount: '12', method: 'bank_transfer', idempotencyKey: january.id };
    await shop.create(`/v2/invoices/${january.id}/payments`, transfer);
    await shop.change(`/v0/subscriptions/${own.id}`, { terminatedAt: '2026-01-11T00:00:00Z' });
    // 10.00 and 10.00 are owed, less 10.00: the credit pays the rest, and the customer nothing.
    expect((await creditNow(made)).remaining).toBe('30.00');
    const { balances } = await shop.read(`/v0/customers/${own.customerId}/wallet`);
    expect(balances[0].balance).toBe('12.00');
  });

  it('gives each credit back what it paid of usage that a correction takes back, beside a coupon', async () => {
    const five = { name: 'Five', amountOff: '5', currency: 'USD', duration: 'forever' };
    const { id } = await shop.create('/v0/coupons', five);
    const own = await shop.subscribe(await shop.plan([calls]), { clock, coupons: [id] });
    const [first, second] = [await give({ amount: '90' }, own.customerId), await give({ amount: '5' }, own.customerId)];
    await shop.use(own.id, '2026-01-10T00:00:00Z', 100);
    await shop.advance(clock, 'P1M'); // 100.00 − 5.00 − 90.00 − 5.00
    await shop.use(own.id, '2026-01-10T00:00:00Z', -50);
    await shop.advance(clock, '2026-03-01T00:00:00Z');
    // 50.00 are owed, less 5.00: the last credit has all of its 5.00 back, and the first one 45.00.
    expect([await creditNow(first), await creditNow(second)]).toMatchObject([
      { usedAmount: '45.00', remaining: '45.00' },
      { usedAmount: '0.00', remaining: '5.00' },
    ]);
  });

  it('and late usage burns what is left of the credit of its time', async () => {
    await give({ amount: '105', expiresAt: '2026-02-01T00:00:00Z' });
    await shop.advance(clock, 'P1M');
    expect((await amountsOf())[0]).toBe('0.00');
    await shop.use(subscription.id, '2026-01-20T00:00:00Z', 8);
    await shop.advance(clock, 'P1M');
    // 8 late calls, 5 of them paid by what was left of the credit.
    expect((await amountsOf())[1]).toBe('103.00');
  });
});

describe('late usage burns what was valid at its time', () => {
  it('in a credit that began inside the closed period, twice', async () => {
    await shop.use(subscription.id, '2026-01-05T00:00:00Z', 7);
    await shop.use(subscription.id, '2026-01-15T00:00:00Z', 4);
    const credit = await give({ effectiveAt: '2026-01-10T00:00:00Z', appliesTo: { priceIds: [calls.id] } });
    await shop.advance(clock, 'P1M');
    await shop.use(subscription.id, '2026-01-06T00:00:00Z', 5);
    await shop.use(subscription.id, '2026-01-25T00:00:00Z', 13);
    await shop.advance(clock, 'P1M');
    await shop.use(subscription.id, '2026-01-26T00:00:00Z', 2);
    await shop.use(subscription.id, '2026-01-07T00:00:00Z', 1);
    await shop.advance(clock, 'P1M');
    // 111.00 less 4.00; 18 late calls, of which 13 came after the credit began; 3 more, 2 of them after.
    expect((await amountsOf()).slice(0, 3)).toEqual(['107.00', '105.00', '101.00']);
    expect(await creditNow(credit)).toMatchObject({ usedAmount: '19.00', remaining: '11.00' });
  });

  it('in a credit that is over by now', async () => {
    await shop.use(subscription.id, '2026-01-15T00:00:00Z', 11);
    const window = { effectiveAt: '2026-01-10T00:00:00Z', expiresAt: '2026-01-20T00:00:00Z' };
    const credit = await give({ amount: '15', ...window });
    await shop.advance(clock, 'P1M');
    await shop.use(subscription.id, '2026-01-12T00:00:00Z', 6);
    await shop.use(subscription.id, '2026-01-25T00:00:00Z', 3);
    await shop.advance(clock, 'P1M');
    // Of 9 late calls 6 are of its days, and 4.00 are left of it.
    expect((await amountsOf()).slice(0, 2)).toEqual(['100.00', '105.00']);
    expect(await creditNow(credit)).toMatchObject({ usedAmount: '15.00', expiredAmount: '0.00' });
  });
});

it('spends whole amounts of its currency until it begins', async () => {
  const calledAt = async (at: string) => shop.use(kuwaiti.id, at, 1);
  const inDinars = await shop.usagePrice({ properties: { unitPrice: '0.3335' } });
  const kuwaiti = await shop.subscribe(await shop.plan([inDinars], { currency: 'KWD' }), { clock });
  await calledAt('2026-01-05T00:00:00Z');
  await calledAt('2026-01-15T00:00:00Z');
  const window = { currency: 'KWD', effectiveAt: '2026-01-10T00:00:00Z' };
  const credit = await give(window, kuwaiti.customerId);
  await shop.advance(clock, '2026-01-20T00:00:00Z');
  // 0.334 until it begins, of 0.667.
  expect(await creditNow(credit)).toMatchObject({ pendingAmount: '0.333', remaining: '29.667' });
  await shop.advance(clock, '2026-02-02T00:00:00Z');
  expect(await amountsOf(kuwaiti)).toEqual(['0.334', expect.anything()]);
});

describe('the minimum of a price is spent at the end of its period', () => {
  it('also that of a fee: a credit that ends before pays the fee alone', async () => {
    const least = await shop.feePrice({ properties: { unitPrice: '10' }, minimumAmount: '15' });
    const own = await shop.subscribe(await shop.plan([least]), { clock });
    await give({ amount: '100', expiresAt: '2026-01-20T00:00:00Z' }, own.customerId);
    await shop.advance(clock, 'P1M');
    expect(await linesOf(0, own)).toEqual([
      ['charge', 'Flat fee', '10.00'],
      ['minimum', 'Flat fee: minimum', '5.00'],
      ['billing_credit', 'Flat fee: Welcome', '-10.00'],
    ]);
  });

  it('so that each credit pays the lines of its time, and one pays usage before the minimum', async () => {
    const least = await shop.usagePrice({ minimumAmount: '50' });
    const plan = await shop.plan([least]);
    const [own, other] = [await shop.subscribe(plan, { clock }), await shop.subscribe(plan, { clock })];
    await give({ name: 'A', amount: '100', expiresAt: '2026-01-20T00:00:00Z' }, own.customerId);
    await give({ name: 'B', amount: '100', effectiveAt: '2026-01-31T00:00:00Z' }, own.customerId);
    await give({ name: 'C', amount: '12' }, other.customerId);
    for (const { id } of [own, other]) await shop.use(id, '2026-01-05T00:00:00Z', 10);
    await shop.advance(clock, 'P1M');
    const usesOf = async (of: Resource) => (await linesOf(0, of)).filter(([type]) => type === 'billing_credit');
    expect(await usesOf(own)).toEqual([
      ['billing_credit', 'Calls: A', '-10.00'],
      ['billing_credit', 'Calls: minimum: B', '-40.00'],
    ]);
    expect(await usesOf(other)).toEqual([
      ['billing_credit', 'Calls: C', '-10.00'],
      ['billing_credit', 'Calls: minimum: C', '-2.00'],
    ]);
  });

  it('behind a fee of another subscription that begins within the period', async () => {
    const customer = await shop.customer();
    const least = await shop.plan([await shop.usagePrice({ minimumAmount: '50' })]);
    const first = await shop.subscribe(least, { clock, customer });
    await shop.use(first.id, '2026-01-05T00:00:00Z', 5);
    await shop.advance(clock, '2026-01-10T00:00:00Z');
    const thirty = await shop.plan([await shop.feePrice({ properties: { unitPrice: '30' } })]);
    const second = await shop.subscribe(thirty, { clock, customer, startedAt: '2026-01-10T00:00:00Z' });
    await give({ amount: '40', effectiveAt: START }, customer.id);
    // By time: 5.00 of usage, 30.00 of the fee, and 5.00 of the 45.00 that are missing.
    expect((await balance('', customer.id)).pending).toBe('35.00');
    await shop.advance(clock, '2026-03-01T00:00:00Z');
    expect([(await amountsOf(first))[0], (await amountsOf(second))[0]]).toEqual(['40.00', '0.00']);
  });
});

describe('open periods of several subscriptions', () => {
  /** A plan of calls alone. */
  const byCall = (fields: Record<string, unknown> = {}) => shop.plan([calls], fields);

  it('burn by their time, whoever is billed first: the older one of one instant', async () => {
    const customer = await shop.customer();
    const monthly = await shop.subscribe(await byCall(), { clock, customer });
    const weekly = await shop.subscribe(await byCall({ billingCadence: 'P1W' }), { clock, customer });
    await give({ testClockId: clock.id }, customer.id);
    await shop.use(monthly.id, '2026-01-03T00:00:00Z', 20);
    await shop.use(weekly.id, '2026-01-02T00:00:00Z', 18);
    const split = { used: '0.00', pending: '30.00', available: '0.00' };
    expect(await balance('', customer.id)).toMatchObject(split);
    const [open] = await shop.invoices(weekly);
    expect(open.subtotal).toBe('8.00'); // the preview is what will be: 20.00 of the credit are the older one's
    await shop.advance(clock, '2026-01-09T00:00:00Z');
    expect((await amountsOf(weekly))[0]).toBe('8.00');
    expect(await balance('', customer.id)).toMatchObject({ used: '10.00', pending: '20.00', available: '0.00' });
    await shop.advance(clock, '2026-02-02T00:00:00Z');
    expect((await amountsOf(monthly))[0]).toBe('0.00');
  });

  it('burn by their time: what began before leaves less for a later fee', async () => {
    const customer = await shop.customer();
    const monthly = await shop.subscribe(await byCall(), { clock, customer });
    const weeklyFee = await shop.feePrice({ properties: { unitPrice: '100' }, billingCadence: 'P1W' });
    const fees = await shop.plan([weeklyFee], { billingCadence: 'P1W' });
    await give({ testClockId: clock.id }, customer.id);
    await shop.advance(clock, '2026-01-10T00:00:00Z');
    const weekly = await shop.subscribe(fees, { clock, customer, startedAt: '2026-01-10T00:00:00Z' });
    await shop.use(monthly.id, '2026-01-12T00:00:00Z', 20);
    await shop.advance(clock, '2026-01-18T00:00:00Z');
    expect((await amountsOf(weekly))[0]).toBe('90.00');
    await shop.use(monthly.id, '2026-01-19T00:00:00Z', 20);
    await shop.advance(clock, '2026-02-02T00:00:00Z');
    expect((await amountsOf(monthly))[0]).toBe('20.00');
  });

  it('of children for whom one pays: their own credits come first, and leave more of those of who pays', async () => {
    const payer = await shop.customer();
    const [first, second] = [await shop.customer({ payerId: payer.id }), await shop.customer({ payerId: payer.id })];
    const monthly = await shop.subscribe(await byCall(), { clock, customer: first });
    const weekly = await shop.subscribe(await byCall({ billingCadence: 'P1W' }), { clock, customer: second });
    await give({ testClockId: clock.id }, payer.id);
    await give({ amount: '15', testClockId: clock.id }, first.id);
    await shop.use(monthly.id, '2026-01-03T00:00:00Z', 20);
    await shop.use(weekly.id, '2026-01-02T00:00:00Z', 28);
    await shop.advance(clock, '2026-01-09T00:00:00Z');
    // 15.00 of 20.00 are paid by the first child's own credit, 5.00 of the payer's 30.00 are for the rest.
    expect((await amountsOf(weekly))[0]).toBe('3.00');
    await shop.advance(clock, '2026-02-02T00:00:00Z');
    expect((await amountsOf(monthly))[0]).toBe('0.00');
  });

  it('burn at one instant for the older subscription first: its fee of the new period before one in advance', async () => {
    const customer = await shop.customer();
    const ofMonth = (unitPrice: string, fields: object = {}) =>
      shop.feePrice({ properties: { unitPrice }, ...fields }).then((price) => shop.plan([price]));
    await shop.subscribe(await ofMonth('20'), { clock, customer });
    const younger = await shop.subscribe(await ofMonth('28', { paymentTerm: 'in_advance' }), {
      ...{ clock, customer, bankTransferOnly: true },
    });
    await give({ testClockId: clock.id, effectiveAt: '2026-01-15T00:00:00Z' }, customer.id);
    await shop.advance(clock, '2026-02-02T00:00:00Z');
    const closed = (await shop.invoices(younger)).filter(
      ({ kind, status }: Resource) => kind === 'subscription' && status !== 'ACTIVE',
    );
    // 20.00 of the 30.00 are for the older one's February, though it is asked a month later.
    expect(closed.map(({ subtotal }: Resource) => subtotal)).toEqual(['18.00']);
  });

  it('leave to a period that is over, and waits for late usage, what was spent after it', async () => {
    const customer = await shop.customer();
    const monthly = await shop.subscribe(await byCall(), { clock, customer });
    const waiting = await byCall({ billingCadence: 'P1W', gracePeriod: 'P3D' });
    const weekly = await shop.subscribe(waiting, { clock, customer });
    await give({ testClockId: clock.id }, customer.id);
    await shop.use(weekly.id, '2026-01-02T00:00:00Z', 28);
    await shop.use(monthly.id, '2026-01-09T00:00:00Z', 20);
    await shop.advance(clock, '2026-01-12T00:00:00Z');
    expect((await amountsOf(weekly))[0]).toBe('0.00');
    await shop.advance(clock, '2026-02-02T00:00:00Z');
    expect((await amountsOf(monthly))[0]).toBe('18.00');
  });

  it('another currency or clock reserves nothing', async () => {
    const customer = await shop.customer();
    const other = await shop.clock(START);
    await shop
      .subscribe(await byCall(), { clock: other, customer })
      .then(({ id }) => shop.use(id, '2026-01-03T00:00:00Z', 20));
    const weekly = await shop.subscribe(await byCall({ billingCadence: 'P1W' }), { clock, customer });
    await give({ testClockId: clock.id }, customer.id);
    await shop.use(weekly.id, '2026-01-02T00:00:00Z', 28);
    await shop.advance(clock, '2026-01-09T00:00:00Z');
    expect((await amountsOf(weekly))[0]).toBe('0.00');
  });
});

it('comes out the same from the events, and holds what the auditor asks', async () => {
  expect((await recomputeDatabase(env.url)).differing).toEqual([]);
  expect((await auditDatabase(env.url)).violations).toEqual([]);
});

describe('balances that are asked at the same time', () => {
  it('are what each is by itself: of who pays, of who is paid for, and of strangers', async () => {
    const [payer, stranger, idle] = [await shop.customer(), await shop.customer(), await shop.customer()];
    const children = [await shop.customer({ payerId: payer.id }), await shop.customer({ payerId: payer.id })];
    const [first, second] = children as [Resource, Resource];
    const other = await shop.clock(START);
    const ofFirst = await shop.subscribe(plan, { clock, customer: first });
    for (const customer of [payer, second, stranger]) await shop.subscribe(plan, { clock, customer });
    await shop.subscribe(plan, { clock: other, customer: idle });
    await give({ amount: '250', testClockId: clock.id }, payer.id);
    await give({ amount: '40', testClockId: clock.id, subscriptionId: ofFirst.id }, first.id);
    await give({ amount: '8', testClockId: clock.id, effectiveAt: '2026-01-06T00:00:00Z' }, second.id);
    await give({ amount: '500', testClockId: clock.id }, stranger.id);
    await give({ amount: '99', testClockId: other.id }, idle.id);
    for (const [place, { id }] of [payer, first, second, stranger, idle].entries())
      for (const day of ['03', '07']) await shop.use(id, `2026-01-${day}T00:00:00Z`, place + 1);
    await shop.advance(clock, '2026-01-10T00:00:00Z');
    const customers: Resource[] = [payer, first, second, stranger, idle, await shop.customer()];
    const pending = async ({ id }: Resource) => (await balance('&at=2026-01-10T00:00:00Z', id)).pending;
    const alone: string[] = [];
    for (const customer of customers) alone.push(await pending(customer));
    // The payer's pays three fees of 100.00 and usage of 2, 4 and 6, as far as it goes; before it the children's own
    // pay 40.00 of a fee, and the usage of the 7th, 3.00. The clock of the idle one stands before its usage.
    expect(alone).toEqual(['250.00', '40.00', '3.00', '108.00', '99.00', '0.00']);
    const some = fc.array(fc.nat(customers.length - 1), { minLength: 2, maxLength: 12 });
    await fc.assert(
      fc.asyncProperty(some, async (places) => {
        const together = await Promise.all(places.map((place) => pending(customers[place])));
        expect(together).toEqual(places.map((place) => alone[place]));
      }),
      { numRuns: 15 },
    );
  });

  it('know what was written before', async () => {
    const customers = await Promise.all([1, 2, 3, 4, 5, 6].map(() => shop.customer()));
    await Promise.all(
      customers.map(async ({ id }) => {
        for (const granted of ['30.00', '60.00', '90.00']) {
          await give({}, id);
          expect((await balance('', id)).granted).toBe(granted);
        }
      }),
    );
  });
});
