import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { auditDatabase, recomputeDatabase } from '../../src/app.ts';
import { type Merchant, openTestEnvironment, type TestEnvironment } from '../support/environment.ts';
import { type Resource, type Shop, START, shopOf } from '../support/shop.ts';

/** Coupons (commercial.md §2). Amounts are worked by hand: January has 31 days, February 2026 has 28. */
let env: TestEnvironment;
let merchant: Merchant;
let shop: Shop;
let fee: Resource;
let calls: Resource;
let plan: Resource;
let clock: Resource;
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
});

const coupon = (fields: object): Promise<Resource> =>
  shop.create('/v0/coupons', { name: 'Half', percentOff: '0.5', duration: 'once', ...fields });
const amountCoupon = (fields: object): Promise<Resource> =>
  shop.create('/v0/coupons', { name: 'Voucher', amountOff: '30', currency: 'USD', duration: 'forever', ...fields });
const redeem = ({ id }: Resource, body: object) => merchant.post(`/v0/subscriptions/${id}/coupons`, body);
const redemptionsOf = async ({ id }: Resource): Promise<Resource[]> =>
  (await shop.read(`/v0/subscriptions/${id}/coupons`)).data;
/** The lines of the n-th invoice: type, name, amount. */
const linesOf = async (subscription: Resource, place: number) =>
  ((await shop.invoices(subscription))[place].lines as Resource[]).map((line) => [
    ...[line.type, line.invoiceDisplayName, line.totalPrice],
  ]);
/** Pays the upfront invoice by a transfer. */
const payUpfront = async (subscription: Resource) => {
  const upfront = (await shop.invoices(subscription)).find(({ kind }: Resource) => kind === 'upfront');
  const amount = upfront.unpaidAmount;
  await shop.create(`/v2/invoices/${upfront.id}/payments`, {
    amount,
    method: 'bank_transfer',
    idempotencyKey: upfront.id,
  });
};
const amountsOf = async (subscription: Resource) =>
  (await shop.invoices(subscription)).map(({ subtotal }: Resource) => subtotal);

describe('a percentage', () => {
  it('halves three months of fees and usage, and not the fourth', async () => {
    const { id: couponId } = await coupon({ duration: 'periods', durationInPeriods: 3 });
    const subscription = await shop.subscribe(plan, { clock, coupons: [couponId] });
    for (const month of ['01', '02', '03', '04']) await shop.use(subscription.id, `2026-${month}-10T00:00:00Z`, 10);
    for (let month = 0; month < 4; month += 1) await shop.advance(clock, 'P1M');
    // The fee in arrears: 100.00 and 10 calls at 1 are 110.00, half of it for three months.
    expect((await amountsOf(subscription)).slice(0, 4)).toEqual(['55.00', '55.00', '55.00', '110.00']);
    expect(await linesOf(subscription, 0)).toEqual([
      ['charge', 'Flat fee', '100.00'],
      ['coupon', 'Flat fee: Half', '-50.00'],
      ['charge', 'Calls', '10.00'],
      ['coupon', 'Calls: Half', '-5.00'],
    ]);
    const [{ lines }] = await shop.invoices(subscription);
    const [redemption] = await redemptionsOf(subscription);
    expect(lines[1]).toMatchObject({
      ...{ eventType: 'discount', couponId, redemptionId: redemption.id, appliesToLineId: lines[0].id },
      ...{ priceId: fee.id, discountPrice: '50.00' },
    });
    expect(lines[0]).toMatchObject({ couponId: null, redemptionId: null });
    expect(redemption).toEqual({
      ...{ id: redemption.id, object: 'redemption', couponId, subscriptionId: subscription.id },
      ...{ customerId: subscription.customerId, from: START, until: '2026-04-01T00:00:00Z' },
      ...{ remainingAmount: null, totalDiscount: '165.00', currency: 'USD', createdAt: START },
    });
  });

  it('counts by the start of the service: three fees in advance, also the first one', async () => {
    const advance = await shop.plan([
      await shop.feePrice({ paymentTerm: 'in_advance', properties: { unitPrice: '100' } }),
    ]);
    const { id } = await coupon({ duration: 'periods', durationInPeriods: 3 });
    const subscription = await shop.subscribe(advance, { clock, coupons: [id], bankTransferOnly: true });
    for (let month = 0; month < 4; month += 1) await shop.advance(clock, 'P1M');
    // Upfront January; then February, March, and April without the coupon.
    expect((await amountsOf(subscription)).slice(0, 4)).toEqual(['50.00', '50.00', '50.00', '100.00']);
  });

  it('that is redeemed later begins with the first period that is not billed', async () => {
    const advance = await shop.plan([
      await shop.feePrice({ paymentTerm: 'in_advance', properties: { unitPrice: '100' } }),
    ]);
    const subscription = await shop.subscribe(advance, { clock, bankTransferOnly: true });
    const { id: couponId } = await coupon({});
    const early = await redeem(subscription, { couponId, from: '2026-01-20T00:00:00Z' });
    expect([early.status, early.body.errors?.[0]?.field]).toEqual([400, 'from']);
    const { status, body } = await redeem(subscription, { couponId });
    expect([status, body.from, body.until]).toEqual([201, '2026-02-01T00:00:00Z', '2026-03-01T00:00:00Z']);
    for (let month = 0; month < 2; month += 1) await shop.advance(clock, 'P1M');
    // The invoice of January bears February, then the upfront one, then the one of February.
    expect((await amountsOf(subscription)).slice(0, 3)).toEqual(['50.00', '100.00', '100.00']);
  });

  it('is mirrored by the credit of an end', async () => {
    const advance = await shop.plan([
      await shop.feePrice({ paymentTerm: 'in_advance', properties: { unitPrice: '310' } }),
    ]);
    const { id } = await coupon({ duration: 'forever' });
    const subscription = await shop.subscribe(advance, { clock, coupons: [id], bankTransferOnly: true });
    await payUpfront(subscription);
    await shop.advance(clock, '2026-01-11T00:00:00Z');
    await shop.act(`/v0/subscriptions/${subscription.id}/termination`, { reason: 'x', credit: 'wallet' });
    // 310.00 less 155.00; 21 of 31 days are 105.00 of 155.00.
    const { balances } = await shop.read(`/v0/customers/${subscription.customerId}/wallet`);
    expect(balances[0].balance).toBe('105.00');
    expect((await redemptionsOf(subscription))[0].totalDiscount).toBe('50.00');
  });
});

describe('an amount', () => {
  it('is for each period, shared over its lines, and never more than they come to', async () => {
    const { id } = await amountCoupon({ amountOff: '33', duration: 'periods', durationInPeriods: 2 });
    const subscription = await shop.subscribe(plan, { clock, coupons: [id] });
    await shop.use(subscription.id, '2026-01-10T00:00:00Z', 10);
    const remaining: string[] = [];
    for (let month = 0; month < 3; month += 1) {
      const [{ remainingAmount }] = await redemptionsOf(subscription);
      remaining.push(remainingAmount);
      await shop.advance(clock, 'P1M');
    }
    expect(remaining, 'of the running period by the clock: of March nothing').toEqual(['33.00', '33.00', '0.00']);
    // January: 110.00 less 33.00, 30.00 of it under the fee. February 100.00 less 33.00. March 100.00.
    expect((await amountsOf(subscription)).slice(0, 3)).toEqual(['77.00', '67.00', '100.00']);
    expect(await linesOf(subscription, 0)).toEqual([
      ['charge', 'Flat fee', '100.00'],
      ['charge', 'Calls', '10.00'],
      ['coupon', 'Voucher', '-30.00'],
      ['coupon', 'Voucher', '-3.00'],
    ]);
  });

  it('carries over: a voucher of 250.00 until it is used up', async () => {
    const { id } = await amountCoupon({ amountOff: '250', duration: 'once', carriesOver: true });
    const subscription = await shop.subscribe(plan, { clock, coupons: [id] });
    await shop.advance(clock, 'P1M');
    const [running] = await redemptionsOf(subscription);
    expect([running.until, running.remainingAmount, running.totalDiscount]).toEqual([null, '150.00', '100.00']);
    for (let month = 0; month < 3; month += 1) await shop.advance(clock, 'P1M');
    expect((await amountsOf(subscription)).slice(0, 4)).toEqual(['0.00', '0.00', '50.00', '100.00']);
    const [used] = await redemptionsOf(subscription);
    expect([used.remainingAmount, used.totalDiscount]).toEqual(['0.00', '250.00']);
  });

  it('is worked out anew on what the period owes after an end', async () => {
    const advance = await shop.plan([
      await shop.feePrice({ paymentTerm: 'in_advance', properties: { unitPrice: '310' } }),
    ]);
    const { id } = await amountCoupon({ amountOff: '110' });
    const subscription = await shop.subscribe(advance, { clock, coupons: [id], bankTransferOnly: true });
    await payUpfront(subscription);
    await shop.advance(clock, '2026-01-21T00:00:00Z');
    await shop.act(`/v0/subscriptions/${subscription.id}/termination`, { reason: 'x', credit: 'wallet' });
    // Paid 200.00. Owed are 20 of 31 days, 200.00, less 110.00: 110.00 goes back.
    const { balances } = await shop.read(`/v0/customers/${subscription.customerId}/wallet`);
    expect(balances[0].balance).toBe('110.00');
  });

  it('that took all of a fee takes less of what an end leaves of it', async () => {
    const advance = await shop.plan([
      await shop.feePrice({ paymentTerm: 'in_advance', properties: { unitPrice: '310' } }),
    ]);
    const { id } = await amountCoupon({ amountOff: '310' });
    const subscription = await shop.subscribe(advance, { clock, coupons: [id], bankTransferOnly: true });
    await shop.advance(clock, '2026-01-21T00:00:00Z');
    await shop.act(`/v0/subscriptions/${subscription.id}/termination`, { reason: 'x' });
    await shop.advance(clock, '2026-01-22T00:00:00Z');
    // 310.00 less 310.00, then 200.00 less 200.00: the credit of 110.00 and what the coupon gives back of its 310.00.
    expect(await amountsOf(subscription)).toEqual(['0.00', '0.00']);
    expect((await redemptionsOf(subscription))[0].totalDiscount).toBe('200.00');
  });

  it('gives back with the credit note where no invoice follows, and not into the wallet', async () => {
    const advance = await shop.plan([
      await shop.feePrice({ paymentTerm: 'in_advance', properties: { unitPrice: '310' } }),
    ]);
    const { id } = await amountCoupon({ amountOff: '250' });
    const subscription = await shop.subscribe(advance, { clock, coupons: [id], bankTransferOnly: true });
    await payUpfront(subscription);
    await shop.advance(clock, '2026-01-21T00:00:00Z');
    await shop.act(`/v0/subscriptions/${subscription.id}/termination`, { reason: 'x', credit: 'wallet' });
    // Paid 60.00. Owed are 20 of 31 days, 200.00 less 200.00: of the credit of 110.00 the coupon has back 50.00.
    const upfront = (await shop.invoices(subscription)).find(({ kind }: Resource) => kind === 'upfront');
    const { data } = await shop.read(`/v2/invoices/${upfront.id}/creditNotes`);
    expect(data.map(({ total }: Resource) => total)).toEqual(['60.00']);
    const note = await shop.read(`/v2/invoices/${upfront.id}/creditNotes/${data[0].id}`);
    expect(note.lines.map(({ displayName, total }: Resource) => [displayName, total])).toEqual([
      ['Voucher: coupon given back', '-50.00'],
      ['Flat fee: not used', '110.00'],
    ]);
    const { balances } = await shop.read(`/v0/customers/${subscription.customerId}/wallet`);
    expect(balances[0].balance).toBe('60.00');
    expect((await redemptionsOf(subscription))[0].totalDiscount).toBe('200.00');
  });

  it('changes its place with a newer one that the first invoice of a period left no room', async () => {
    const advance = await shop.feePrice({ paymentTerm: 'in_advance', properties: { unitPrice: '10' } });
    const both = await shop.plan([advance, calls]);
    const all = await amountCoupon({});
    const ofFee = await amountCoupon({ name: 'Fee', amountOff: '8', appliesTo: { priceIds: [advance.id] } });
    const subscription = await shop.subscribe(both, { clock, coupons: [all.id, ofFee.id], bankTransferOnly: true });
    await shop.use(subscription.id, '2026-01-10T00:00:00Z', 90);
    await shop.advance(clock, '2026-02-02T00:00:00Z');
    // Of 100.00 the first takes 30.00, of them 3.00 of the fee, and the second the 7.00 that this leaves of the fee.
    // The upfront invoice bore 10.00 of the first under the fee, so 20.00 and 7.00 stand under the usage.
    const invoices = await shop.invoices(subscription);
    const lines = invoices.flatMap((invoice: Resource) => invoice.lines as Resource[]);
    const off = lines.filter(({ type, priceId }: Resource) => type === 'coupon' && priceId === calls.id);
    expect(off.map(({ invoiceDisplayName, totalPrice }) => [invoiceDisplayName, totalPrice])).toEqual([
      ['Voucher', '-20.00'],
      ['Fee', '-7.00'],
    ]);
  });

  it('and a percentage apply in the order of their redemption', async () => {
    const half = await coupon({ duration: 'forever' });
    const off = await amountCoupon({ amountOff: '10' });
    const first = await shop.subscribe(plan, { clock, coupons: [half.id, off.id] });
    const second = await shop.subscribe(plan, { clock, coupons: [off.id, half.id] });
    await shop.advance(clock, 'P1M');
    // 100 - 50 - 10 and 100 - 10 - 45.
    expect([(await amountsOf(first))[0], (await amountsOf(second))[0]]).toEqual(['40.00', '45.00']);
  });

  it('that stands under a fee in advance leaves the usage to the percentage after it, also in parts', async () => {
    const advance = await shop.feePrice({ paymentTerm: 'in_advance', properties: { unitPrice: '50' } });
    const both = await shop.plan([advance, calls]);
    const off = await amountCoupon({});
    const all = await coupon({ percentOff: '1', duration: 'forever', appliesTo: { priceIds: [calls.id] } });
    const subscription = await shop.subscribe(both, { clock, coupons: [off.id, all.id], bankTransferOnly: true });
    await payUpfront(subscription);
    await shop.use(subscription.id, '2026-01-10T00:00:00Z', 20);
    await shop.advance(clock, '2026-01-16T00:00:00Z');
    const open = (await shop.invoices(subscription)).find(({ status }: Resource) => status === 'ACTIVE');
    await shop.act(`/v2/invoices/${open.id}/closeNow`);
    await shop.use(subscription.id, '2026-01-20T00:00:00Z', 80);
    await shop.advance(clock, '2026-02-02T00:00:00Z');
    const lines = (await shop.invoices(subscription)).flatMap(({ lines }: Resource) => lines as Resource[]);
    const ofUsage = lines.filter(({ type, priceId }) => type === 'coupon' && priceId === calls.id);
    // 30.00 are taken of the fee of 50.00. By the cut 8.57 of them are off the usage of 20.00, and leave 11.43 to the
    // percentage. In the end 20.00 of them are off the usage of 100.00: of 80.00 that leaves, 68.57 are new.
    expect(ofUsage.map(({ totalPrice }) => totalPrice).toSorted()).toEqual(['-11.43', '-68.57']);
  });

  it('and percentages after it are of what the period owes of each price once late usage takes one back', async () => {
    const first = await amountCoupon({});
    const half = await coupon({ duration: 'forever' });
    const rest = await coupon({
      name: 'Rest',
      percentOff: '1',
      duration: 'forever',
      appliesTo: { priceIds: [fee.id] },
    });
    const subscription = await shop.subscribe(plan, { clock, coupons: [first.id, half.id, rest.id] });
    await shop.use(subscription.id, '2026-01-10T00:00:00Z', 140);
    await shop.advance(clock, '2026-02-05T00:00:00Z');
    // 240.00 less 30.00, less 105.00, less what is left of the fee: 100.00 less 12.50 and 43.75
    expect(await amountsOf(subscription)).toEqual(['61.25', '0.00']);
    await shop.use(subscription.id, '2026-01-10T00:00:00Z', -140);
    await shop.advance(clock, '2026-03-05T00:00:00Z');
    // 100.00 less 30.00, less 35.00, less 35.00 in each month
    const [{ id }] = await shop.invoices(subscription);
    expect((await shop.read(`/v2/invoices/${id}/creditNotes`)).data).toMatchObject([{ total: '61.25' }]);
    expect((await redemptionsOf(subscription)).map(({ totalDiscount }) => totalDiscount).toSorted()).toEqual([
      ...['60.00', '70.00', '70.00'],
    ]);
  });

  it('with a minimum is given once the period has come to it', async () => {
    const { id } = await amountCoupon({ minimumAmount: '105' });
    const subscription = await shop.subscribe(plan, { clock, coupons: [id] });
    await shop.use(subscription.id, '2026-01-10T00:00:00Z', 5);
    for (let month = 0; month < 2; month += 1) await shop.advance(clock, 'P1M');
    expect((await amountsOf(subscription)).slice(0, 2)).toEqual(['75.00', '100.00']);
  });

  it('that late usage brings counts once, the part too that no line can bear', async () => {
    const { id } = await amountCoupon({ amountOff: '10', minimumAmount: '50' });
    const subscription = await shop.subscribe(await shop.plan([calls]), { clock, coupons: [id] });
    await shop.use(subscription.id, '2026-01-10T00:00:00Z', 49);
    await shop.advance(clock, 'P1M');
    await shop.use(subscription.id, '2026-01-11T00:00:00Z', 1);
    await shop.advance(clock, 'P1M');
    // February: late usage of 1.00 less 1.00; the other 9.00 go off the invoice of January.
    expect((await amountsOf(subscription)).slice(0, 2)).toEqual(['49.00', '0.00']);
    expect((await shop.invoices(subscription))[0].unpaidAmount).toBe('40.00');
    expect((await redemptionsOf(subscription))[0].totalDiscount).toBe('10.00');
  });
});

describe('a coupon with a minimum that an end leaves unreached', () => {
  it('is asked back by the last invoice, else by one of its own as far as no credit note can say it', async () => {
    const advance = await shop.plan([
      await shop.feePrice({ paymentTerm: 'in_advance', properties: { unitPrice: '310' } }),
    ]);
    const { id } = await amountCoupon({ amountOff: '250', minimumAmount: '300' });
    const coupons = [id];
    const [inTime, past] = [
      await shop.subscribe(advance, { clock, coupons, bankTransferOnly: true }),
      await shop.subscribe(advance, { clock, coupons, bankTransferOnly: true }),
    ];
    for (const subscription of [inTime, past]) await payUpfront(subscription);
    await shop.advance(clock, '2026-01-21T00:00:00Z');
    await shop.act(`/v0/subscriptions/${inTime.id}/termination`, { reason: 'x' });
    await shop.advance(clock, '2026-02-03T00:00:00Z');
    await shop.change(`/v0/subscriptions/${past.id}`, { terminatedAt: '2026-01-21T00:00:00Z' });
    await shop.advance(clock, 'P2M');
    // Owed are 20 of 31 days, 200.00, and no coupon: January must come to 300.00. Billed are 60.00, and the credit of
    // 110.00 gives 110.00 of the coupon back. So the invoice of January asks 140.00.
    expect(await amountsOf(inTime)).toEqual(['140.00', '60.00']);
    // As of the past it is issued, with February: 60.00 more. The credit of that fee of 310.00 gives back its own
    // 250.00 of the coupon, so nobody pays the 60.00. The 140.00 of January are asked alone.
    const invoices = await shop.invoices(past);
    expect(invoices.map(({ kind, subtotal, unpaidAmount }: Resource) => [kind, subtotal, unpaidAmount])).toEqual([
      ['subscription', '60.00', '0.00'],
      ['upfront', '60.00', '0.00'],
      ['ad_hoc', '140.00', '140.00'],
    ]);
    expect(invoices[2].lines).toMatchObject([{ type: 'coupon', invoiceDisplayName: 'Voucher', totalPrice: '140.00' }]);
    for (const subscription of [inTime, past])
      expect((await redemptionsOf(subscription))[0].totalDiscount).toBe('0.00');
  });

  it('is asked back beside what late usage lowers', async () => {
    const metered = await shop.plan([calls]);
    const { id } = await amountCoupon({ amountOff: '50', minimumAmount: '100' });
    const subscription = await shop.subscribe(metered, { clock, coupons: [id] });
    await shop.use(subscription.id, '2026-01-10T00:00:00Z', 120);
    await shop.advance(clock, '2026-02-01T00:00:00Z');
    await shop.act(`/v0/subscriptions/${subscription.id}/termination`, { reason: 'x' });
    await shop.use(subscription.id, '2026-01-11T00:00:00Z', -40);
    await shop.advance(clock, 'P2M');
    // 120.00 less 50.00; then 80.00 are owed. Of the 40.00 that go back the coupon has all, and 10.00 are left to ask.
    expect(await amountsOf(subscription)).toEqual(['70.00', '10.00']);
  });

  it('gives back what it took of an earlier period, too, of which an end in the past credits a bill', async () => {
    const week = await shop.feePrice({ billingCadence: 'P1W', properties: { unitPrice: '70' } });
    const half = await coupon({ duration: 'forever', minimumAmount: '10', currency: 'USD' });
    const subscription = await shop.subscribe(await shop.plan([week]), { clock, coupons: [half.id] });
    await shop.advance(clock, '2026-02-20T00:00:00Z');
    await shop.change(`/v0/subscriptions/${subscription.id}`, { terminatedAt: '2026-02-02T00:00:00Z' });
    await shop.advance(clock, '2026-03-02T00:00:00Z');
    const invoices = await shop.invoices(subscription);
    const notes = await Promise.all(invoices.map(({ id }) => shop.read(`/v2/invoices/${id}/creditNotes`)));
    const billed = invoices.reduce((total, { subtotal }) => total + Number(subtotal), 0);
    const credited = notes
      .flatMap(({ data }) => data as Resource[])
      .reduce((total, { amount }) => total + Number(amount), 0);
    expect(billed - credited).toBeCloseTo(160, 9); // half of four weeks and of four days of the fifth
  });

  it('stays where the period still comes to it', async () => {
    const advance = await shop.plan([
      await shop.feePrice({ paymentTerm: 'in_advance', properties: { unitPrice: '310' } }),
    ]);
    const { id } = await amountCoupon({ amountOff: '50', minimumAmount: '200' });
    const subscription = await shop.subscribe(advance, { clock, coupons: [id], bankTransferOnly: true });
    await payUpfront(subscription);
    await shop.advance(clock, '2026-01-21T00:00:00Z');
    await shop.act(`/v0/subscriptions/${subscription.id}/termination`, { reason: 'x', credit: 'wallet' });
    await shop.advance(clock, 'P2M');
    expect((await shop.invoices(subscription)).filter(({ kind }: Resource) => kind === 'ad_hoc')).toEqual([]);
  });
});

describe('a coupon of a year that is cut into parts', () => {
  /** Cuts the invoice of the year on a day. */
  const cutYear = async (subscription: Resource, at: string) => {
    await shop.advance(clock, `${at}T00:00:00Z`);
    const open = (await shop.invoices(subscription)).find(
      ({ status, billingCadence }: Resource) => status === 'ACTIVE' && billingCadence === 'P1Y',
    );
    await shop.act(`/v2/invoices/${open.id}/closeNow`);
    await shop.advance(clock, 'PT2S');
  };
  /** The coupon lines of the closed invoices of the year. */
  const offYear = async (subscription: Resource) =>
    (await shop.invoices(subscription))
      .filter(({ billingCadence, status }: Resource) => billingCadence === 'P1Y' && status !== 'ACTIVE')
      .flatMap(({ lines }: Resource) => lines as Resource[])
      .filter(({ type }) => type === 'coupon')
      .map(({ totalPrice }) => totalPrice);

  it('is an amount of a month of the whole service so far', async () => {
    const yearly = await shop.feePrice({ billingCadence: 'P1Y', properties: { unitPrice: '365' } });
    const both = await shop.plan([yearly, calls]);
    const { id } = await amountCoupon({ amountOff: '40', duration: 'once', appliesTo: { priceIds: [yearly.id] } });
    const subscription = await shop.subscribe(both, { clock, coupons: [id] });
    await cutYear(subscription, '2026-01-21');
    await cutYear(subscription, '2026-02-10');
    // A day is 1.00. By the first cut January owes 20.00, and by the second 31.00 of the 40.00 so far.
    expect(await offYear(subscription)).toEqual(['-20.00', '-11.00']);
  });

  it('is a percentage of its months, and credits an earlier part where a later one is less', async () => {
    const yearly = await shop.usagePrice({ billingCadence: 'P1Y' });
    const alone = await shop.plan([yearly]);
    const subscription = await shop.subscribe(alone, { clock });
    const { id: couponId } = await coupon({ percentOff: '1', duration: 'forever' });
    const { body } = await redeem(subscription, { couponId, from: '2026-02-01T00:00:00Z' });
    expect(body.from).toBe('2026-02-01T00:00:00Z');
    await shop.use(subscription.id, '2026-01-05T00:00:00Z', 40);
    await cutYear(subscription, '2026-02-10');
    await cutYear(subscription, '2026-02-20');
    // 9 of the 40 days are from February on: 9.00 of 40.00. Then 19 of 50: 15.20. The second part is 0.00, so the 6.20
    // are a credit of the first one.
    expect(await offYear(subscription)).toEqual(['-9.00', '0.00']);
    const first = (await shop.invoices(subscription)).find(({ grandTotal }: Resource) => grandTotal === '31.00');
    const { data } = await shop.read(`/v2/invoices/${first.id}/creditNotes`);
    expect(data.map(({ total }: Resource) => total)).toEqual(['6.20']);
    expect((await redemptionsOf(subscription))[0].totalDiscount).toBe('15.20');
  });

  it('is an amount that an earlier part bears, where a later one is nothing', async () => {
    const yearly = await shop.usagePrice({ billingCadence: 'P1Y' });
    const subscription = await shop.subscribe(await shop.plan([yearly]), { clock });
    const { id: couponId } = await amountCoupon({ amountOff: '10', duration: 'once' });
    await redeem(subscription, { couponId, from: '2026-02-01T00:00:00Z' });
    await shop.use(subscription.id, '2026-01-05T00:00:00Z', 40);
    await cutYear(subscription, '2026-02-10');
    await cutYear(subscription, '2026-02-20');
    // By the first cut February has 9 of 40 days, and owes 9.00 of the 10.00. By the second it has 19 of 50, which are
    // 15.20: the coupon owes its last 1.00. The second part is 0.00, so that is a credit of the first one.
    expect(await offYear(subscription)).toEqual(['-9.00', '0.00']);
    const first = (await shop.invoices(subscription)).find(({ grandTotal }: Resource) => grandTotal === '31.00');
    const { data } = await shop.read(`/v2/invoices/${first.id}/creditNotes`);
    expect(data.map(({ total }: Resource) => total)).toEqual(['1.00']);
    expect((await redemptionsOf(subscription))[0].totalDiscount).toBe('10.00');
    // It is given, so the third part is asked whole.
    await shop.use(subscription.id, '2026-02-25T00:00:00Z', 10);
    await cutYear(subscription, '2026-03-01');
    expect(await offYear(subscription)).toEqual(['-9.00', '0.00']);
  });
});

describe('a coupon and the minimum of the plan', () => {
  it('halves the minimum too where it names no prices', async () => {
    const least = await shop.plan([calls], { minimumAmount: '100' });
    const { id } = await coupon({ duration: 'forever' });
    const subscription = await shop.subscribe(least, { clock, coupons: [id] });
    await shop.use(subscription.id, '2026-01-10T00:00:00Z', 40);
    await shop.advance(clock, 'P1M');
    // 40.00 of usage and 60.00 to the minimum, half of both: 50.00.
    expect((await amountsOf(subscription))[0]).toBe('50.00');
  });

  it('is made up for by the minimum where it names prices', async () => {
    const least = await shop.plan([calls], { minimumAmount: '100' });
    const { id } = await coupon({ duration: 'forever', appliesTo: { priceIds: [calls.id] } });
    const subscription = await shop.subscribe(least, { clock, coupons: [id] });
    await shop.use(subscription.id, '2026-01-10T00:00:00Z', 40);
    await shop.advance(clock, 'P1M');
    // 20.00 of usage after the coupon, and 80.00 to the minimum.
    expect((await amountsOf(subscription))[0]).toBe('100.00');
  });
  it('that takes all of the minimum is not forgotten by a correction of late usage', async () => {
    const least = await shop.plan([calls], { minimumAmount: '100' });
    const { id } = await coupon({ percentOff: '1', duration: 'forever' });
    const subscription = await shop.subscribe(least, { clock, coupons: [id] });
    await shop.use(subscription.id, '2026-01-10T00:00:00Z', 40);
    await shop.advance(clock, 'P1M');
    await shop.advance(clock, '2026-02-05T00:00:00Z');
    await shop.use(subscription.id, '2026-01-20T00:00:00Z', 10);
    await shop.advance(clock, '2026-04-01T00:00:00Z');
    // All of the usage and all of the minimum: nothing is to pay, before and after 10.00 moved from one to the other.
    expect((await amountsOf(subscription)).map(Number)).toEqual((await amountsOf(subscription)).map(() => 0));
    const lines = (await shop.invoices(subscription)).flatMap(({ lines }: Resource) => lines as Resource[]);
    const january = lines.filter(({ type, periodStart }) => type === 'commitment' && periodStart === START);
    // 60.00 to the minimum, and 10.00 of it taken back.
    expect(january.map(({ totalPrice }) => totalPrice)).toEqual(['60.00', '-10.00']);
  });

  it('goes with all of the minimum that late usage takes back', async () => {
    const least = await shop.plan([calls], { minimumAmount: '100' });
    const { id } = await coupon({ duration: 'forever' });
    const subscription = await shop.subscribe(least, { clock, coupons: [id] });
    await shop.use(subscription.id, '2026-01-10T00:00:00Z', 40);
    await shop.advance(clock, '2026-02-05T00:00:00Z');
    await shop.use(subscription.id, '2026-01-20T00:00:00Z', 50);
    await shop.advance(clock, '2026-03-02T00:00:00Z');
    const lines = (await shop.invoices(subscription)).flatMap(({ lines }: Resource) => lines as Resource[]);
    const january = lines.filter(({ type, periodStart }) => type === 'commitment' && periodStart === START);
    // 60.00 to the minimum, then 10.00. Half of 90.00 and half of 10.00 are 50.00, and February is half of 100.00.
    expect(january.map(({ totalPrice }) => totalPrice)).toEqual(['60.00', '-50.00']);
    const total = (await amountsOf(subscription)).reduce((all: number, amount: string) => all + Number(amount), 0);
    expect(total).toBe(100);
  });

  it('of prices lowers what is measured as if others were not there, in any order', async () => {
    const least = await shop.plan([calls], { minimumAmount: '100' });
    const half = await coupon({ duration: 'forever' });
    const quarter = await coupon({ percentOff: '0.25', duration: 'forever', appliesTo: { priceIds: [calls.id] } });
    const one = await shop.subscribe(least, { clock, coupons: [half.id, quarter.id] });
    const other = await shop.subscribe(least, { clock, coupons: [quarter.id, half.id] });
    for (const { id } of [one, other]) await shop.use(id, '2026-01-10T00:00:00Z', 40);
    await shop.advance(clock, '2026-02-05T00:00:00Z');
    // 40.00 less a quarter are 30.00, so 70.00 are missing. Half of 100.00 at least are 50.00.
    expect([(await amountsOf(one))[0], (await amountsOf(other))[0]]).toEqual(['50.00', '50.00']);
    expect(await linesOf(one, 0)).toEqual([
      ['charge', 'Calls', '40.00'],
      ['coupon', 'Calls: Half', '-20.00'],
      ['coupon', 'Calls: Half', '-5.00'],
      ['commitment', 'Minimum commitment', '70.00'],
      ['coupon', 'Minimum commitment: Half', '-35.00'],
    ]);
    for (const { id } of [one, other]) await shop.use(id, '2026-01-20T00:00:00Z', 20);
    await shop.advance(clock, '2026-03-02T00:00:00Z');
    // 20.00 more are 7.50 more to pay and 15.00 less of the minimum, half of it 7.50. February is 50.00, too.
    expect([(await amountsOf(one))[1], (await amountsOf(other))[1]]).toEqual(['50.00', '50.00']);
  });

  it('of prices lowers what is measured also where it is taken after an amount', async () => {
    const least = await shop.plan([calls], { minimumAmount: '100' });
    const off = await amountCoupon({});
    const quarter = await coupon({ percentOff: '0.25', duration: 'forever', appliesTo: { priceIds: [calls.id] } });
    const subscription = await shop.subscribe(least, { clock, coupons: [off.id, quarter.id] });
    await shop.use(subscription.id, '2026-01-10T00:00:00Z', 44);
    await shop.advance(clock, '2026-02-05T00:00:00Z');
    // 44.00 less a quarter are 33.00, so 67.00 are missing. 30.00 off 111.00 are 11.89 off the 44.00 and 18.11 off the
    // 67.00. A quarter of 32.11 is 8.03.
    expect((await linesOf(subscription, 0)).map(([type, , amount]) => [type, amount])).toEqual([
      ['charge', '44.00'],
      ['commitment', '67.00'],
      ['coupon', '-11.89'],
      ['coupon', '-18.11'],
      ['coupon', '-8.03'],
    ]);
  });

  it('is for the minimum of its own period alone', async () => {
    const advance = await shop.feePrice({ paymentTerm: 'in_advance', properties: { unitPrice: '18' } });
    const least = await shop.plan([advance], { minimumAmount: '50' });
    const subscription = await shop.subscribe(least, { clock, bankTransferOnly: true });
    const { id: couponId } = await amountCoupon({});
    await redeem(subscription, { couponId });
    for (let month = 0; month < 2; month += 1) await shop.advance(clock, 'P1M');
    // The invoice of January has its minimum, 32.00, and the fee of February: 18.00, all of it taken.
    expect(await linesOf(subscription, 0)).toEqual([
      ['charge', 'Flat fee', '18.00'],
      ['commitment', 'Minimum commitment', '32.00'],
      ['coupon', 'Voucher', '-18.00'],
    ]);
    // February has 32.00 to the minimum less 12.00, the rest of 30.00. The fee of March is taken whole.
    expect((await amountsOf(subscription))[2]).toBe('20.00');
  });
});

describe('the redemption of a coupon', () => {
  it('follows a subscription only to a plan that it is for', async () => {
    const other = await shop.plan([calls]);
    const { id } = await coupon({ duration: 'forever', appliesTo: { planIds: [plan.id] } });
    const subscription = await shop.subscribe(plan, { clock, coupons: [id] });
    await shop.advance(clock, 'P1M');
    await shop.create(`/v0/subscriptions/${subscription.id}/changes`, { planId: other.id, effective: 'now' });
    await shop.use(subscription.id, '2026-02-10T00:00:00Z', 10);
    for (let month = 0; month < 2; month += 1) await shop.advance(clock, 'P1M');
    await shop.use(subscription.id, '2026-04-01T00:00:00Z', 10);
    expect((await amountsOf(subscription)).slice(0, 2)).toEqual(['50.00', '10.00']);
  });

  it.each([
    ['archived', { archived: true }, 'COUPON_NOT_APPLICABLE'],
    ['over', { redeemBy: '2025-12-31T00:00:00Z' }, 'COUPON_EXPIRED'],
  ])('is refused where it is %s', async (_, change, code) => {
    const { id } = await coupon({});
    await shop.change(`/v0/coupons/${id}`, change);
    const subscription = await shop.subscribe(plan, { clock });
    expect((await redeem(subscription, { couponId: id })).body).toMatchObject({ code });
  });

  it('is refused with its reason', async () => {
    const customer = await shop.customer();
    const subscription = await shop.subscribe(plan, { clock, customerId: customer.id });
    const other = await shop.subscribe(plan, { clock });
    const codeOf = async (of: Resource, body: object) => {
      const answer = await redeem(of, body);
      return [answer.status, answer.body.code ?? answer.body.details?.field];
    };
    const once = await coupon({ code: 'Once1', maxRedemptions: 1 });
    expect((await redeem(subscription, { code: 'ONCE1' })).status).toBe(201);
    expect(await codeOf(subscription, { couponId: once.id })).toEqual([409, 'COUPON_ALREADY_REDEEMED']);
    expect(await codeOf(other, { code: 'once1' })).toEqual([409, 'COUPON_EXHAUSTED']);
    expect(await codeOf(other, { code: 'nothing' })).toEqual([404, 'code']);
    const euro = await amountCoupon({ currency: 'EUR' });
    expect(await codeOf(other, { couponId: euro.id })).toEqual([409, 'COUPON_NOT_APPLICABLE']);
    const forNew = await coupon({ newCustomersOnly: true });
    expect(await codeOf(other, { couponId: forNew.id })).toEqual([409, 'COUPON_NOT_APPLICABLE']);
    const elsewhere = await coupon({ appliesTo: { planIds: [(await shop.plan([calls])).id] } });
    expect(await codeOf(other, { couponId: elsewhere.id })).toEqual([409, 'COUPON_NOT_APPLICABLE']);
    const taken = await merchant.post('/v0/coupons', { name: 'x', code: 'oNCE1', percentOff: '1', duration: 'once' });
    expect([taken.status, taken.body.code]).toEqual([409, 'KEY_TAKEN']);
    expect(await shop.read(`/v0/coupons/${once.id}`)).toMatchObject({ status: 'exhausted', redemptionCount: 1 });
  });

  it('is answered again under its key, and refused with another body', async () => {
    const [one, two] = [await coupon({}), await coupon({})];
    const subscription = await shop.subscribe(plan, { clock });
    const made = await redeem(subscription, { couponId: one.id, idempotencyKey: 'a' });
    const again = await redeem(subscription, { couponId: one.id, idempotencyKey: 'a' });
    expect([made.status, again.status, again.body.id]).toEqual([201, 200, made.body.id]);
    const reused = await redeem(subscription, { couponId: two.id, idempotencyKey: 'a' });
    expect([reused.status, reused.body.code]).toEqual([409, 'IDEMPOTENCY_KEY_REUSED']);
  });

  it('goes out whole where it gave nothing, and ends where it gave something', async () => {
    const { id: couponId } = await coupon({ duration: 'forever' });
    const subscription = await shop.subscribe(plan, { clock });
    const path = (id: string) => `/v0/subscriptions/${subscription.id}/coupons/${id}`;
    const first = await redeem(subscription, { couponId });
    expect((await merchant.delete(path(first.body.id))).status).toBe(204);
    expect(await redemptionsOf(subscription)).toEqual([]);
    const second = await redeem(subscription, { couponId });
    await shop.advance(clock, '2026-02-10T00:00:00Z');
    expect((await merchant.delete(path(second.body.id))).status).toBe(204);
    expect((await redemptionsOf(subscription))[0].until).toBe('2026-02-10T00:00:00Z');
    for (let month = 0; month < 2; month += 1) await shop.advance(clock, 'P1M');
    // February began before, March did not.
    expect((await amountsOf(subscription)).slice(0, 3)).toEqual(['50.00', '50.00', '100.00']);
  });

  it('is given back where the subscription is never paid', async () => {
    const advance = await shop.plan([await shop.feePrice({ paymentTerm: 'in_advance' })]);
    const { id } = await coupon({ maxRedemptions: 1 });
    const subscription = await shop.subscribe(advance, { clock, coupons: [id] });
    expect((await shop.read(`/v0/coupons/${id}`)).redemptionCount).toBe(1);
    await shop.act(`/v0/subscriptions/${subscription.id}/termination`, { reason: 'x' });
    expect((await shop.read(`/v0/coupons/${id}`)).redemptionCount).toBe(0);
  });
});

it('is redeemed exactly as often as it allows, by 1,000 at once', async () => {
  const { id: couponId } = await coupon({ maxRedemptions: 10, maxRedemptionsPerCustomer: 1000, duration: 'forever' });
  const subscriptions = await Promise.all(Array.from({ length: 25 }, () => shop.subscribe(plan, { clock })));
  const answers = await Promise.all(
    Array.from({ length: 1000 }, (_, place) => redeem(subscriptions[place % 25], { couponId })),
  );
  const of = Map.groupBy(answers, ({ status }) => status);
  expect(of.get(201)).toHaveLength(10);
  expect(of.get(409)?.length).toBeGreaterThan(0);
  // What comes while too many wait is told to come again.
  expect([...of.keys()].filter((status) => ![201, 409, 429, 503].includes(status))).toEqual([]);
  expect(await shop.read(`/v0/coupons/${couponId}`)).toMatchObject({ redemptionCount: 10, status: 'exhausted' });
  const redeemed = await Promise.all(subscriptions.map(redemptionsOf));
  expect(redeemed.flat()).toHaveLength(10);
}, 120_000);

it('a coupon says what is wrong with it', async () => {
  const wrong = async (body: object) => {
    const answer = await merchant.post('/v0/coupons', { name: 'x', duration: 'once', ...body });
    return [answer.status, answer.body.errors?.map(({ field }: Resource) => field)];
  };
  const { body: refusal } = await merchant.post('/v0/coupons', { name: 'x', duration: 'once', code: 'a b' });
  expect(refusal.errors.map(({ message }: Resource) => message)).toEqual([
    'must be 1 to 64 letters, digits, - or _, such as SPRING50',
  ]);
  expect(await wrong({})).toEqual([400, ['percentOff']]);
  expect(await wrong({ percentOff: '0.5', amountOff: '1', currency: 'USD' })).toEqual([400, ['percentOff']]);
  expect(await wrong({ amountOff: '1' })).toEqual([400, ['currency']]);
  expect(await wrong({ amountOff: '1.001', currency: 'USD' })).toEqual([400, ['amountOff']]);
  expect(await wrong({ percentOff: '0.5', duration: 'periods' })).toEqual([400, ['durationInPeriods']]);
  expect(await wrong({ percentOff: '0.5', carriesOver: true })).toEqual([400, ['carriesOver']]);
  expect(await wrong({ percentOff: '0.5', minimumAmount: '5' })).toEqual([400, ['currency']]);
});

it('comes out the same when it is calculated again, and the books are right', async () => {
  const { differing } = await recomputeDatabase(env.url);
  expect(differing).toEqual([]);
  expect((await auditDatabase(env.url)).violations).toEqual([]);
});
