import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { sql } from '../../src/db/index.ts';
import { expectBooksToBalance } from '../support/books.ts';
import { type Merchant, openTestEnvironment, type TestEnvironment } from '../support/environment.ts';
import { type Resource, type Shop, shopOf } from '../support/shop.ts';

/** An invoice of which people credited parts is replaced (docs/decisions/0280): its discounts stay, and its money. */
let env: TestEnvironment;
let merchant: Merchant;
let shop: Shop;
let customer: Resource;
beforeAll(async () => {
  env = await openTestEnvironment({ recomputed: true });
});
beforeEach(async () => {
  env.setNow('2026-03-10T09:30:00Z');
  merchant = await env.merchant();
  shop = shopOf(merchant);
  customer = await shop.customer();
});
afterEach(() => expectBooksToBalance(env, merchant));
afterAll(() => env.close());

let counter = 0;
const key = (): string => {
  counter += 1;
  return `key-${counter}`;
};
const LINE = { displayName: 'Work', quantity: '1', unitPrice: '100', taxRate: 20 };
/** An issued invoice over 100.00 and 20 % tax. */
const issue = async (fields: object = {}): Promise<Resource> => {
  const body = { customerId: customer.id, currency: 'USD', lines: [LINE], autoApprove: true };
  return shop.invoice((await shop.create('/v2/invoices', { ...body, ...fields })).id);
};
const record = (invoice: Resource, amount: string): Promise<Resource> =>
  shop.create(`/v2/invoices/${invoice.id}/payments`, { amount, method: 'bank_transfer', idempotencyKey: key() });
/** Credits a part of the line at this place. */
const credit = async (invoice: Resource, part: object, settlement?: string, place = 0): Promise<Resource> => {
  const { lines } = await shop.invoice(invoice.id);
  return shop.create(`/v2/invoices/${invoice.id}/creditNotes`, {
    ...{ lines: [{ lineItemId: lines[place].id, ...part }], reason: 'It was down', idempotencyKey: key() },
    ...(settlement && { settlement }),
  });
};
const reissue = async (invoice: Resource, recalculate = false): Promise<Resource> =>
  shop.invoice((await shop.create(`/v2/invoices/${invoice.id}/reissue`, { reason: 'Address', recalculate })).id);
const notesOf = async ({ id }: Resource): Promise<string[][]> =>
  (await shop.read(`/v2/invoices/${id}/creditNotes`)).data
    .toReversed()
    .map(({ kind, amount, taxAmount, status }: Resource) => [kind, amount, taxAmount, status]);
const wallet = async (of: string = customer.id): Promise<string> =>
  (await shop.read(`/v0/customers/${of}/wallet`)).balances[0]?.balance ?? '0';
const voidNote = (note: Resource) =>
  merchant.post(`/v2/invoices/${note.invoiceId}/creditNotes/${note.id}/void`, { reason: 'A mistake' });
const partOn = async ({ id }: Resource): Promise<Resource> =>
  (await shop.read(`/v2/invoices/${id}/creditNotes`)).data.find(({ kind }: Resource) => kind === 'partial');

describe.each([false, true])('an invoice that is credited in part and reissued (recalculated: %s)', (recalculate) => {
  it('is credited over what is left, and the new one is discounted by the same part', async () => {
    const old = await issue();
    const note = await credit(old, { amount: '10' }); // and 2.00 of tax, off what is unpaid
    const made = await reissue(old, recalculate);
    expect(made).toMatchObject({
      ...{ status: 'ISSUED', grandTotal: '120.00', paidAmount: '12.00', unpaidAmount: '108.00', walletApplied: '0.00' },
    });
    expect(await shop.invoice(old.id)).toMatchObject({ status: 'CANCELLED', reissuedAsId: made.id });
    expect(await notesOf(old)).toEqual([
      ['partial', '10.00', '2.00', 'ISSUED'],
      ['reissue', '90.00', '18.00', 'ISSUED'],
    ]);
    expect(await notesOf(made)).toEqual([['partial', '10.00', '2.00', 'ISSUED']]);
    const again = await shop.read(`/v2/invoices/${made.id}/creditNotes/${(await partOn(made)).id}`);
    expect(again).toMatchObject({
      ...{ reason: 'It was down', settlement: 'reduce', idempotencyKey: note.id },
      lines: [{ appliesToLineId: made.lines[0].id, displayName: 'Work', amount: '10.00', taxAmount: '2.00' }],
    });
    await record(made, '108.00');
    expect(await shop.invoice(made.id)).toMatchObject({ status: 'PAID', unpaidAmount: '0.00' });
    expect(await wallet()).toBe('0');
  });

  it.each([
    { settlement: 'refund', after: '0.00' },
    { settlement: 'wallet', after: '12.00' },
  ])('pays the new one with what is left of its payment ($settlement)', async ({ settlement, after }) => {
    const old = await issue();
    await record(old, '120.00');
    await credit(old, { quantity: '0.1' }, settlement); // 12.00 goes back
    const made = await reissue(old, recalculate);
    expect(made).toMatchObject({ status: 'PAID', paidAmount: '120.00', walletApplied: '108.00' });
    expect(await shop.invoice(old.id)).toMatchObject({ status: 'PAID', reissuedAsId: made.id });
    expect(await wallet()).toBe(after);
    const [revenue] = await env.database.transaction({ merchants: [merchant.id] }, (tx) =>
      tx.rows<{ total: string }>(sql`
        select sum(case when kind = 'invoice' then amount else -amount end)::text as total from revenue_fact
         where merchant_id = ${merchant.id} and kind in ('invoice', 'refund', 'rebate')`),
    );
    expect(Number(revenue?.total)).toBe(90);
  });

  it('keeps what is open of one that is paid in part', async () => {
    const old = await issue();
    await record(old, '50.00');
    await credit(old, { amount: '10' }, 'refund'); // 12.00 of the 50.00 go back
    const made = await reissue(old, recalculate);
    expect(made).toMatchObject({ status: 'ISSUED', walletApplied: '38.00', unpaidAmount: '70.00' });
    expect(await wallet()).toBe('0.00');
  });

  it('keeps what is open of one that the wallet paid in part', async () => {
    await record(await issue(), '170.00'); // 50.00 too much
    const old = await issue();
    expect(old).toMatchObject({ walletApplied: '50.00', unpaidAmount: '70.00' });
    await credit(old, { amount: '10' }, 'wallet'); // 12.00, so 58.00 are owed in all
    const made = await reissue(old, recalculate);
    expect(made).toMatchObject({ status: 'ISSUED', walletApplied: '50.00', unpaidAmount: '58.00' });
    expect(await wallet()).toBe('0.00');
  });

  it('owes what a note had given back of a payment that was reversed', async () => {
    const old = await issue();
    const payment = await record(old, '120.00');
    await credit(old, { amount: '10' }, 'wallet');
    const path = `/v2/invoices/${old.id}/payments/${payment.id}/reverse`;
    await shop.act(path, { reason: 'Bounced', idempotencyKey: key() });
    expect(await reissue(old, recalculate)).toMatchObject({ status: 'ISSUED', unpaidAmount: '108.00' });
    expect(await wallet()).toBe('0.00');
  });

  it('keeps several notes on a line, in units and in amounts, and what is left of it', async () => {
    const old = await issue({ lines: [{ ...LINE, quantity: '3', taxRate: 19 }] }); // 300.00 + 57.00
    await credit(old, { quantity: '1' });
    await credit(old, { amount: '33.33' }); // and 6.33
    const made = await reissue(old, recalculate);
    expect(made).toMatchObject({ grandTotal: '357.00', unpaidAmount: '198.34' });
    expect(await notesOf(made)).toEqual([
      ['partial', '100.00', '19.00', 'ISSUED'],
      ['partial', '33.33', '6.33', 'ISSUED'],
    ]);
    const [line] = made.lines;
    const more = { lines: [{ lineItemId: line.id, quantity: '2.1' }], reason: 'More', idempotencyKey: key() };
    expect((await merchant.post(`/v2/invoices/${made.id}/creditNotes`, more)).body.errors[0].message).toContain('2,');
    await credit(made, { amount: '166.67' }); // with all the tax that is left: 31.67
    expect(await shop.invoice(made.id)).toMatchObject({ status: 'PAID', unpaidAmount: '0.00' });
  });

  it('keeps a line that is credited whole', async () => {
    const old = await issue({ lines: [LINE, { ...LINE, unitPrice: '50' }] });
    await credit(old, { quantity: '1' });
    const made = await reissue(old, recalculate);
    expect(made).toMatchObject({ grandTotal: '180.00', unpaidAmount: '60.00' });
    await credit(made, { quantity: '1' }, undefined, 1);
    expect(await shop.invoice(made.id)).toMatchObject({ status: 'PAID', unpaidAmount: '0.00' });
  });

  it('keeps apart lines that are alike', async () => {
    const old = await issue({ lines: [LINE, LINE, LINE] });
    await credit(old, { amount: '10' }, undefined, 1);
    const made = await reissue(old, recalculate);
    const { lines } = await shop.read(`/v2/invoices/${made.id}/creditNotes/${(await partOn(made)).id}`);
    expect(lines.map(({ appliesToLineId }: Resource) => appliesToLineId)).toEqual([made.lines[1].id]);
  });

  it.each([
    { currency: 'JPY', unitPrice: '1000', taxRate: 10, amount: '333', note: ['333', '33'], unpaid: '734' },
    // 3.335 of 10.005, and of the tax of 0.500 the same share: 0.16667.
    { currency: 'KWD', unitPrice: '10.005', taxRate: 5, amount: '3.335', note: ['3.335', '0.167'], unpaid: '7.003' },
  ])('is exact in $currency', async ({ currency, unitPrice, taxRate, amount, note, unpaid }) => {
    const old = await issue({ currency, lines: [{ ...LINE, unitPrice, taxRate }] });
    await credit(old, { amount });
    const made = await reissue(old, recalculate);
    expect(await notesOf(made)).toEqual([['partial', ...note, 'ISSUED']]);
    expect(made.unpaidAmount).toBe(unpaid);
  });

  it('is voided on the new one alone, which then owes the part', async () => {
    const old = await issue();
    await record(old, '120.00');
    const note = await credit(old, { amount: '10' }, 'refund');
    const made = await reissue(old, recalculate);
    const refused = await voidNote(note);
    expect([refused.status, refused.body.code]).toEqual([409, 'INVALID_TRANSITION']);
    expect(refused.body.message).toContain(made.id);
    expect((await voidNote(await partOn(made))).status).toBe(200);
    expect(await shop.invoice(made.id)).toMatchObject({ status: 'ISSUED', unpaidAmount: '12.00' });
  });

  it('may be replaced again, without the notes that were voided', async () => {
    const old = await issue();
    await credit(old, { amount: '10' });
    await credit(old, { amount: '20' });
    const second = await reissue(old, recalculate);
    const { data } = await shop.read(`/v2/invoices/${second.id}/creditNotes`);
    await voidNote(data.find(({ amount }: Resource) => amount === '20.00'));
    const third = await reissue(second, recalculate);
    expect(third).toMatchObject({ reissueOfId: second.id, unpaidAmount: '108.00' });
    expect(await notesOf(third)).toEqual([['partial', '10.00', '2.00', 'ISSUED']]);
  });
});

it('an invoice of which all is credited is not reissued', async () => {
  const old = await issue();
  await credit(old, { quantity: '1' });
  const { status, body } = await merchant.post(`/v2/invoices/${old.id}/reissue`, { reason: 'Address' });
  expect([status, body.code]).toEqual([409, 'INVALID_TRANSITION']);
});

describe.each([false, true])('an invoice of a period that is credited in part (recalculated: %s)', (recalculate) => {
  /** 10.00 a month in arrears and 1.00 a call; 20 % tax. January: 10.00 and 7 calls. */
  const subscribed = async (
    planFields: Record<string, unknown> = {},
    before: (clock: Resource) => Promise<unknown> = () => Promise.resolve(),
  ) => {
    const clock = await shop.clock('2026-01-01T00:00:00Z');
    await before(clock);
    const metric = await shop.metric();
    const usage = await shop.usagePrice({ billableMetricId: metric.id, taxRate: 20 });
    const plan = await shop.plan([await shop.feePrice({ taxRate: 20 }), usage], planFields);
    const subscription = await shop.subscribe(plan, { clock, customer });
    await shop.use(subscription.id, '2026-01-10T00:00:00Z', 7);
    await shop.advance(clock, '2026-02-05T00:00:00Z');
    const [january] = await shop.invoices(subscription);
    return { clock, subscription, january: january as Resource };
  };
  const placeOf = ({ lines }: Resource, price: string): number =>
    lines.findIndex(({ totalPrice, type }: Resource) => type === 'charge' && totalPrice === price);
  const february = async (clock: Resource, subscription: Resource): Promise<Resource> => {
    await shop.advance(clock, '2026-03-02T00:00:00Z');
    return (await shop.invoices(subscription)).find(
      ({ status, periodStart }) => status === 'ISSUED' && periodStart.startsWith('2026-02-01'),
    ) as Resource;
  };

  it('takes back no more of its usage than the note left', async () => {
    const { clock, subscription, january } = await subscribed();
    await credit(january, { amount: '5' }, undefined, placeOf(january, '7.00'));
    const made = await reissue(january, recalculate);
    expect(made).toMatchObject({ grandTotal: '20.40', unpaidAmount: '14.40' });
    await shop.use(subscription.id, '2026-01-20T00:00:00Z', -4);
    expect(await february(clock, subscription)).toMatchObject({ grandTotal: '9.60' }); // 10.00 − 2.00, not − 4.00
  });

  it('bills late usage, as before', async () => {
    const { clock, subscription, january } = await subscribed();
    await credit(january, { amount: '5' }, undefined, placeOf(january, '7.00'));
    await reissue(january, recalculate);
    await shop.use(subscription.id, '2026-01-20T00:00:00Z', 3);
    expect(await february(clock, subscription)).toMatchObject({ grandTotal: '15.60' }); // 10.00 + 3.00
  });

  it('has a line of less usage with no more than its amount off', async () => {
    const { clock, subscription, january } = await subscribed();
    await credit(january, { amount: '5' }, undefined, placeOf(january, '7.00'));
    await shop.use(subscription.id, '2026-01-20T00:00:00Z', -4);
    const made = await reissue(january, recalculate);
    // The same lines: 17.00 less 5.00. Rated anew: 10.00 and 3.00, of which nothing is asked.
    expect([made.grandTotal, made.unpaidAmount]).toEqual(recalculate ? ['15.60', '12.00'] : ['20.40', '14.40']);
    expect(await february(clock, subscription)).toMatchObject({ grandTotal: recalculate ? '12.00' : '9.60' });
  });

  it('counts its lines before the notes for the minimum of the plan', async () => {
    const { clock, subscription, january } = await subscribed({ minimumAmount: '100', defaultTaxRate: 20 });
    await credit(january, { amount: '4' }, undefined, placeOf(january, '10.00')); // and 0.80
    // 10.00 + 7.00, and 83.00 to the minimum.
    expect(await reissue(january, recalculate)).toMatchObject({ grandTotal: '120.00', unpaidAmount: '115.20' });
    expect(await february(clock, subscription)).toMatchObject({ grandTotal: '120.00' });
  });

  it('discounts lines with adjustments in proportion, as before', async () => {
    const clock = await shop.clock('2026-01-01T00:00:00Z');
    const seats = await shop.feePrice({ properties: { unitPrice: '10' }, quantity: 3, taxRate: 20 });
    const subscription = await shop.subscribe(await shop.plan([seats]), { clock, customer });
    await shop.create(`/v0/subscriptions/${subscription.id}/adjustments`, {
      ...{ type: 'percentageDiscount', percentageDiscount: '0.333333', effectiveFrom: '2026-01-01T00:00:00Z' },
      description: '',
    });
    await shop.advance(clock, 'P1M');
    const [january] = await shop.invoices(subscription);
    await credit(january as Resource, { quantity: '1' }); // a third of 20.00
    const made = await reissue(january as Resource, recalculate);
    expect(await notesOf(made)).toEqual([['partial', '6.67', '1.33', 'ISSUED']]);
    expect([(await credit(made, { quantity: '1' })).amount, (await credit(made, { quantity: '1' })).amount]).toEqual([
      ...['6.66', '6.67'],
    ]);
    expect(await shop.invoice(made.id)).toMatchObject({ status: 'PAID' });
  });

  it('asks of a line that billing credits pay in part what these and the note left', async () => {
    const { january } = await subscribed({}, (clock) =>
      shop.create(`/v0/customers/${customer.id}/billingCredits`, {
        ...{ amount: '4', currency: 'USD', category: 'promotional', name: 'Welcome', idempotencyKey: key() },
        ...{ effectiveAt: '2026-01-01T00:00:00Z', testClockId: clock.id },
      }),
    );
    // 17.00 less 4.00, and a note of 3.00; with 20 % of tax.
    expect(january).toMatchObject({ grandTotal: '15.60' });
    await credit(january, { amount: '3' }, undefined, placeOf(january, '7.00'));
    const made = await reissue(january, recalculate);
    expect(made).toMatchObject({ grandTotal: '15.60', unpaidAmount: '12.00' });
  });
});

describe.each([false, true])('an upfront invoice with prices with tax (recalculated: %s)', (recalculate) => {
  it('gives back at an end the unused share of what the notes left', async () => {
    const clock = await shop.clock('2026-01-01T00:00:00Z');
    const fee = await shop.feePrice({ paymentTerm: 'in_advance', properties: { unitPrice: '310' } });
    const plan = await shop.plan([fee], { taxBehavior: 'inclusive', defaultTaxRate: 24 });
    const subscription = await shop.subscribe(plan, { clock, customer, bankTransferOnly: true });
    const [upfront] = (await shop.invoices(subscription)).filter(({ kind }: Resource) => kind === 'upfront');
    await credit(upfront as Resource, { amount: '31' }); // 25.00 and 6.00
    await credit(upfront as Resource, { amount: '10' }); // of 225.00 and 54.00: 8.06 and 1.94
    const made = await reissue(upfront as Resource, recalculate);
    expect(made).toMatchObject({ kind: 'upfront', grandTotal: '310.00', unpaidAmount: '269.00' });
    expect(await notesOf(made)).toEqual([
      ['partial', '25.00', '6.00', 'ISSUED'],
      ['partial', '8.06', '1.94', 'ISSUED'],
    ]);
    await record(made, '269.00');
    expect((await shop.read(`/v0/subscriptions/${subscription.id}`)).status).toBe('active');
    await shop.advance(clock, '2026-01-11T00:00:00Z');
    await shop.act(`/v0/subscriptions/${subscription.id}/termination`, { reason: 'x', credit: 'wallet' });
    await shop.advance(clock, '2026-02-02T00:00:00Z');
    // 21 of 31 days: of 310.00 they are 210.00, of the notes 16.94 + 4.06 and 5.46 + 1.31.
    expect(await wallet()).toBe('182.23');
  });
});

describe('an invoice of which unused time is credited', () => {
  const END = '2026-01-11T00:00:00Z';
  /** 310.00 a month in advance and 20 % tax, from 1 January. */
  const begun = async () => {
    const clock = await shop.clock('2026-01-01T00:00:00Z');
    const fee = await shop.feePrice({
      ...{ paymentTerm: 'in_advance', properties: { unitPrice: '31' }, quantity: 10, taxRate: 20 },
    });
    const plan = await shop.plan([fee], { gracePeriod: 'P0D' });
    const subscription = await shop.subscribe(plan, { clock, customer, bankTransferOnly: true });
    const [upfront] = (await shop.invoices(subscription)).filter(({ kind }: Resource) => kind === 'upfront');
    return { clock, fee, subscription, upfront: upfront as Resource };
  };
  const end = async ({ id }: Resource) => shop.change(`/v0/subscriptions/${id}`, { terminatedAt: END });

  it.each([
    { paid: null, status: 'ISSUED', unpaid: '120.00', after: '0' },
    { paid: '20.00', status: 'ISSUED', unpaid: '100.00', after: '0.00' },
    { paid: '372.00', status: 'PAID', unpaid: '0.00', after: '252.00' },
  ])('that ended, with $paid paid, has the credit again, once', async ({ paid, status, unpaid, after }) => {
    const { clock, subscription, upfront } = await begun();
    if (paid !== null) await record(upfront, paid);
    await shop.advance(clock, END);
    await shop.act(`/v0/subscriptions/${subscription.id}/termination`, { reason: 'x', credit: 'wallet' });
    await shop.advance(clock, '2026-01-12T00:00:00Z');
    const made = await reissue(upfront);
    // 21 of 31 days: 210.00 and 42.00.
    expect(await notesOf(made)).toEqual([['credit', '210.00', '42.00', 'ISSUED']]);
    expect(made).toMatchObject({ status, grandTotal: '372.00', unpaidAmount: unpaid });
    await shop.advance(clock, '2026-02-02T00:00:00Z');
    expect(await wallet()).toBe(after);
  });

  // From the 11th on there are nine seats: 189.00 and 279.00 for February, less 210.00 that were not used.
  const cancel = (invoice: Resource) => shop.act(`/v2/invoices/${invoice.id}/cancel`, {});
  const pay = (invoice: Resource) => record(invoice, '309.60');
  const refund = (invoice: Resource) => shop.create(`/v2/invoices/${invoice.id}/refunds`, {});
  const after: { what: string; act: (january: Resource) => Promise<unknown>; is: string }[] = [
    { what: 'unpaid', act: async () => undefined, is: '252.00' },
    { what: 'cancelled', act: cancel, is: '252.00' },
    { what: 'paid', act: pay, is: '561.60' },
    { what: 'refunded', act: async (january) => [await pay(january), await refund(january)], is: '252.00' },
    { what: 'reissued', act: (january) => reissue(january), is: '252.00' },
  ];
  it.each(['2026-01-20T00:00:00Z', '2026-02-01T12:00:00Z'].flatMap((at) => after.map((each) => ({ ...each, at }))))(
    'on an invoice that is $what is credited once, also by an end before it (reissued at $at)',
    async ({ at, act, is }) => {
      const { clock, fee, subscription, upfront } = await begun();
      await record(upfront, '372.00');
      await shop.advance(clock, END);
      await shop.create(`/v0/subscriptions/${subscription.id}/changes`, { quantities: { [fee.id]: 9 } });
      await shop.advance(clock, at);
      const made = await reissue(upfront);
      expect(made).toMatchObject({ status: 'PAID', grandTotal: '372.00', walletApplied: '372.00' });
      await shop.advance(clock, '2026-02-01T13:00:00Z');
      const january = (await shop.invoices(subscription)).find(
        ({ kind, status }) => kind === 'subscription' && status === 'ISSUED',
      ) as Resource;
      expect(january.grandTotal).toBe('309.60');
      await act(january);
      await shop.advance(clock, '2026-02-02T00:00:00Z');
      await end(subscription); // 10 days of 10 seats were used: 100.00 and 20.00 of tax
      expect(await wallet()).toBe(is);
      expect((await notesOf(upfront)).map(([kind]) => kind)).toEqual(['reissue']);
    },
  );

  it('is not rated anew', async () => {
    const { clock, subscription, upfront } = await begun();
    await record(upfront, '372.00');
    await shop.advance(clock, '2026-01-12T00:00:00Z');
    await end(subscription);
    const { status, body } = await merchant.post(`/v2/invoices/${upfront.id}/reissue`, {
      ...{ reason: 'Address', recalculate: true },
    });
    expect([status, body.code]).toEqual([409, 'INVALID_TRANSITION']);
  });
});
