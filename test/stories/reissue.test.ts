import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { sql } from '../../src/db/index.ts';
import { expectBooksToBalance } from '../support/books.ts';
import { type Merchant, openTestEnvironment, type TestEnvironment } from '../support/environment.ts';
import { newOrder, orderLine } from '../support/orders.ts';
import { approveOrder, intervalBody, newSchedule, putIntervals } from '../support/schedules.ts';
import { type Resource, type Shop, shopOf } from '../support/shop.ts';

/** An issued invoice is replaced by a corrected one (commercial.md §7). */
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
/** An issued invoice over 100.00 and 20 % tax. */
const issue = (fields: object = {}): Promise<Resource> =>
  shop.create('/v2/invoices', {
    customerId: customer.id,
    currency: 'USD',
    lines: [{ displayName: 'Work', quantity: 1, unitPrice: 100, taxRate: 20 }],
    autoApprove: true,
    ...fields,
  });
const record = (invoice: Resource, amount: string): Promise<Resource> =>
  shop.create(`/v2/invoices/${invoice.id}/payments`, { amount, method: 'bank_transfer', idempotencyKey: key() });
const reissue = (invoice: Resource, fields: object = {}): Promise<Resource> =>
  shop.create(`/v2/invoices/${invoice.id}/reissue`, { reason: 'The address was wrong', ...fields });
const notesOf = async ({ id }: Resource): Promise<Resource[]> =>
  (await shop.read(`/v2/invoices/${id}/creditNotes`)).data;
const linesOf = ({ lines }: Resource): string[][] =>
  lines.map(({ type, displayName, totalPrice, totalTax }: Resource) => [type, displayName, totalPrice, totalTax]);
const wallet = async (of: Resource = customer): Promise<string | undefined> =>
  (await shop.read(`/v0/customers/${of.id}/wallet`)).balances[0]?.balance;
const events = (invoice: Resource) =>
  env.database.transaction({ merchants: [merchant.id] }, (tx) =>
    tx.rows<{ type: string }>(sql`select type from outbox where data ->> 'invoiceId' = ${invoice.id} order by seq`),
  );
const refused = async (invoice: Resource) => {
  const { status, body } = await merchant.post(`/v2/invoices/${invoice.id}/reissue`, { reason: 'Wrong' });
  return [status, body.code];
};

describe('a reissued invoice that is not paid', () => {
  it('is cancelled by a credit note, and a new one with the parties of now has the same lines', async () => {
    const old = await issue();
    await shop.change(`/v0/organizations/${customer.consumerId}`, { name: 'New Name Ltd' });
    const made = await reissue(old);
    expect(made).toMatchObject({
      ...{ status: 'ISSUED', kind: 'ad_hoc', grandTotal: '120.00', unpaidAmount: '120.00', reissueOfId: old.id },
      ...{ reissuedAsId: null, customerId: customer.id },
    });
    expect(made.invoiceNumber).not.toBe(old.invoiceNumber);
    expect(await shop.invoice(old.id)).toMatchObject({ status: 'CANCELLED', reissuedAsId: made.id, reissueOfId: null });
    expect(linesOf(await shop.invoice(made.id))).toEqual(linesOf(await shop.invoice(old.id)));
    expect(await notesOf(old)).toMatchObject([
      { kind: 'reissue', total: '120.00', taxAmount: '20.00', status: 'ISSUED', reason: 'The address was wrong' },
    ]);
    expect(await events(old)).toMatchObject([{ type: 'invoice.issued.v0' }, { type: 'invoice.cancelled.v0' }]);
    expect(await events(made)).toMatchObject([{ type: 'invoice.issued.v0' }]);
    const { bytes } = await merchant.get(`/v2/invoices/${made.id}/pdf`);
    expect(bytes.toString()).toContain('New Name Ltd');
    expect(bytes.toString()).toContain(`This invoice replaces invoice ${old.invoiceNumber} of 10 March 2026.`);
    const [note] = await notesOf(old);
    const credited = await merchant.get(`/v2/invoices/${old.id}/refunds/${note?.id}/pdf`);
    expect(credited.bytes.toString()).toContain(`Invoice ${made.invoiceNumber} replaces it.`);
  });

  it('is once replaced; the new one may be replaced again', async () => {
    const old = await issue();
    const second = await reissue(old);
    expect(await refused(old)).toEqual([409, 'INVALID_TRANSITION']);
    const third = await reissue(second);
    expect(third).toMatchObject({ reissueOfId: second.id, status: 'ISSUED', grandTotal: '120.00' });
  });

  it('pays the new one with what was paid of it', async () => {
    const old = await issue();
    await record(old, '50.00');
    const made = await reissue(old);
    expect(made).toMatchObject({ walletApplied: '50.00', unpaidAmount: '70.00', status: 'ISSUED' });
    expect(await wallet()).toBe('0.00');
  });
});

describe('a reissued invoice that is paid', () => {
  it('stays PAID, and what was paid pays the new one', async () => {
    const old = await issue();
    const payment = await record(old, '120.00');
    const made = await reissue(old);
    expect(made).toMatchObject({ status: 'PAID', walletApplied: '120.00', unpaidAmount: '0.00' });
    expect(await shop.invoice(old.id)).toMatchObject({ status: 'PAID', reissuedAsId: made.id, paidAmount: '120.00' });
    expect(await wallet()).toBe('0.00');
    expect((await events(old)).map(({ type }) => type)).toEqual([
      'invoice.issued.v0',
      'payment_session.expired.v0',
      'invoice.paid.v0',
      'invoice.credited.v0',
    ]);
    const again = await merchant.post(`/v2/invoices/${old.id}/refunds`, {});
    expect([again.status, again.body.code]).toEqual([400, 'INVOICE_ALREADY_REFUNDED']);
    const path = `/v2/invoices/${old.id}/payments/${payment.id}/reverse`;
    const back = await merchant.post(path, { reason: 'Back', idempotencyKey: key() });
    expect([back.status, back.body.code]).toEqual([409, 'PAYMENT_RETURNED']);
    await shop.create(`/v2/invoices/${made.id}/refunds`, { reason: 'After all' });
    expect(await wallet()).toBe('120.00');
  });

  it('counts once in the revenue', async () => {
    const old = await issue();
    await record(old, '120.00');
    await reissue(old);
    const [revenue] = await env.database.transaction({ merchants: [merchant.id] }, (tx) =>
      tx.rows<{ total: string }>(sql`
        select (sum(case when kind = 'refund' then -amount else amount end))::text as total from revenue_fact
         where merchant_id = ${merchant.id} and kind in ('invoice', 'refund')`),
    );
    expect(Number(revenue?.total)).toBe(100);
  });
});

describe('an invoice of a period', () => {
  /** 10.00 a month in arrears and 1.00 a call; 20 % tax. */
  const subscribed = async (until: string) => {
    const clock = await shop.clock('2026-01-01T00:00:00Z');
    const metric = await shop.metric();
    const usage = await shop.usagePrice({ billableMetricId: metric.id, taxRate: 20 });
    const plan = await shop.plan([await shop.feePrice({ taxRate: 20 }), usage]);
    const subscription = await shop.subscribe(plan, { clock, customer });
    await shop.use(subscription.id, '2026-01-10T00:00:00Z', 7);
    await shop.advance(clock, until);
    const [january] = await shop.invoices(subscription);
    return { clock, subscription, january: january as Resource };
  };

  it('keeps its period and its number in the sequence, and later invoices bill nothing of it again', async () => {
    const { clock, subscription, january } = await subscribed('2026-02-05T00:00:00Z');
    expect(january).toMatchObject({ grandTotal: '20.40', sequenceNumber: 1 });
    const made = await reissue(january);
    expect(made).toMatchObject({
      ...{ kind: 'subscription', sequenceNumber: 1, periodStart: january.periodStart, periodEnd: january.periodEnd },
      ...{ grandTotal: '20.40', status: 'ISSUED' },
    });
    await shop.advance(clock, '2026-04-02T00:00:00Z');
    const later = (await shop.invoices(subscription)).filter(({ status }) => status === 'ISSUED');
    expect(later.map(({ id, grandTotal }) => [id === made.id, grandTotal])).toEqual(
      expect.arrayContaining([
        [true, '20.40'],
        [false, '12.00'],
        [false, '12.00'],
      ]),
    );
    expect(later).toHaveLength(3);
  });

  it('bills late usage on the next invoice, as before', async () => {
    const { clock, subscription, january } = await subscribed('2026-02-05T00:00:00Z');
    await reissue(january);
    await shop.use(subscription.id, '2026-01-20T00:00:00Z', 3); // 3.60
    await shop.advance(clock, '2026-03-02T00:00:00Z');
    const february = (await shop.invoices(subscription)).find(
      ({ status, periodStart }) => status === 'ISSUED' && periodStart.startsWith('2026-02-01'),
    );
    expect(february).toMatchObject({ grandTotal: '15.60' });
  });

  it('whose total of 0 had cut a correction credits it no second time', async () => {
    const { clock, subscription, january } = await subscribed('2026-01-15T00:00:00Z');
    await shop.use(subscription.id, '2026-01-14T00:00:00Z', 20);
    await shop.advance(clock, '2026-02-05T00:00:00Z');
    await shop.use(subscription.id, '2026-01-14T00:00:00Z', -20); // 24.00 less, and 12.00 are asked
    await shop.advance(clock, '2026-03-02T00:00:00Z');
    const [, february] = (await shop.invoices(subscription)) as [Resource, Resource];
    const notes = async () => (await shop.read(`/v2/invoices/${january.id}/creditNotes`)).data;
    const before = await notes();
    expect(before).toMatchObject([{ kind: 'credit', total: '12.00' }]);
    expect(await reissue(february)).toMatchObject({ grandTotal: february.grandTotal });
    expect(await notes()).toEqual(before);
  });

  it('that is recalculated has the late usage, and its period is settled', async () => {
    const { clock, subscription, january } = await subscribed('2026-02-05T00:00:00Z');
    await shop.use(subscription.id, '2026-01-20T00:00:00Z', 3);
    const made = await reissue(january, { recalculate: true });
    expect(made).toMatchObject({ grandTotal: '24.00', sequenceNumber: 1, status: 'ISSUED' }); // 10 + 10 and 20 %
    await shop.advance(clock, '2026-03-02T00:00:00Z');
    const february = (await shop.invoices(subscription)).find(
      ({ status, periodStart }) => status === 'ISSUED' && periodStart.startsWith('2026-02-01'),
    );
    expect(february).toMatchObject({ grandTotal: '12.00' });
  });

  it('that is recalculated has the late usage of a later period, too, and that is billed once', async () => {
    const { clock, subscription, january } = await subscribed('2026-04-05T00:00:00Z');
    await shop.use(subscription.id, '2026-03-10T00:00:00Z', 3);
    expect((await reissue(january, { recalculate: true })).grandTotal).toBe('24.00');
    await shop.use(subscription.id, '2026-03-10T00:00:00Z', 1);
    await shop.advance(clock, '2026-05-02T00:00:00Z');
    const april = (await shop.invoices(subscription)).find(({ periodStart }) => periodStart.startsWith('2026-04-01'));
    expect(april?.grandTotal).toBe('13.20'); // 10.00 and one call
  });

  it.each([true, false])('keeps the lines that a person wrote (recalculated: %s)', async (recalculate) => {
    const { clock, subscription } = await subscribed('2026-01-15T00:00:00Z');
    await shop.create('/v2/invoices/lineItems', {
      ...{ merchantId: merchant.id, subscriptionId: subscription.id, displayName: 'Workshop', currency: 'USD' },
      ...{ quantity: 1, unitPrice: 50, periodStart: '2026-01-01T00:00:00Z', periodEnd: '2026-02-01T00:00:00Z' },
      ...{ invoiceAt: '2026-01-20T00:00:00Z', idempotencyKey: key() },
    });
    await shop.advance(clock, '2026-02-05T00:00:00Z');
    const [january] = await shop.invoices(subscription);
    expect(january).toMatchObject({ grandTotal: '70.40' }); // 20.40, and 50.00 without tax
    const made = await reissue(january, { recalculate });
    expect(made).toMatchObject({ grandTotal: '70.40' });
    await shop.advance(clock, '2026-03-05T00:00:00Z');
    const billed = (await shop.invoices(subscription)).filter(({ status }) => status === 'ISSUED');
    expect(billed.map(({ grandTotal }) => grandTotal).toSorted()).toEqual(['12.00', '70.40']);
  });

  it('before a change leaves the next invoice as it was, from the events', async () => {
    const clock = await shop.clock('2026-01-01T00:00:00Z');
    const seat = await shop.feePrice({ paymentTerm: 'in_advance', quantity: 7 });
    const subscription = await shop.subscribe(await shop.plan([seat]), { clock, customer, bankTransferOnly: true });
    const upfront = (await shop.invoices(subscription)).find(({ kind }) => kind === 'upfront');
    await record(upfront as Resource, '70.00');
    await shop.advance(clock, '2026-02-15T00:00:00Z');
    await shop.create(`/v0/subscriptions/${subscription.id}/changes`, { quantities: { [seat.id]: 3 } });
    await shop.advance(clock, '2026-03-02T00:00:00Z');
    const ofPeriod = async (start: string) =>
      (await shop.invoices(subscription)).find(
        ({ kind, periodStart }) => kind === 'subscription' && periodStart.startsWith(start),
      ) as Resource;
    expect((await ofPeriod('2026-02-01')).grandTotal).toBe('45.00'); // March, and half of February
    const made = await reissue(await ofPeriod('2026-01-01'));
    expect(made.grandTotal).toBe('70.00');
  });

  it('that is paid and recalculated takes late usage back that the next one had', async () => {
    const { clock, subscription, january } = await subscribed('2026-02-05T00:00:00Z');
    await record(january, '20.40');
    await shop.use(subscription.id, '2026-01-20T00:00:00Z', 3);
    await shop.advance(clock, '2026-03-02T00:00:00Z'); // February bears 3.60 of January
    const made = await reissue(january, { recalculate: true });
    await shop.advance(clock, '2026-04-02T00:00:00Z');
    const billed = (await shop.invoices(subscription))
      .filter(({ id, status }) => ['ISSUED', 'PAID'].includes(status) && id !== january.id)
      .reduce((total, { grandTotal }) => total + Number(grandTotal), 0);
    expect(made.status).toBe('PAID');
    expect(billed).toBeCloseTo(12 * 3 + 12, 9); // three months, and 10 calls
  });
});

describe('an upfront invoice', () => {
  /** 310.00 a month in advance, 20 % tax, from 1 January. */
  const begun = async () => {
    const clock = await shop.clock('2026-01-01T00:00:00Z');
    const fee = await shop.feePrice({
      ...{ paymentTerm: 'in_advance', properties: { unitPrice: '310' }, taxRate: 20 },
    });
    const subscription = await shop.subscribe(await shop.plan([fee]), { clock, customer, bankTransferOnly: true });
    const [upfront] = (await shop.invoices(subscription)).filter(({ kind }: Resource) => kind === 'upfront');
    return { clock, subscription, upfront: upfront as Resource };
  };
  const statusOf = async ({ id }: Resource) => (await shop.read(`/v0/subscriptions/${id}`)).status;

  it.each([false, true])('that is not paid is asked for in its stead (recalculated: %s)', async (recalculate) => {
    const { clock, subscription, upfront } = await begun();
    const made = await reissue(upfront, { recalculate });
    expect(made).toMatchObject({ kind: 'upfront', status: 'ISSUED', grandTotal: '372.00', unpaidAmount: '372.00' });
    expect(await shop.read(`/v2/invoices/${upfront.id}`)).toMatchObject({ status: 'CANCELLED' });
    await record(made, '372.00');
    expect(await statusOf(subscription)).toBe('active');
    await shop.advance(clock, '2026-02-02T00:00:00Z');
    // The period's own invoice asks February's fee alone.
    const [period] = (await shop.invoices(subscription)).filter(
      ({ kind, status }: Resource) => kind === 'subscription' && status !== 'ACTIVE',
    );
    expect(period?.grandTotal).toBe('372.00');
  });

  it.each([false, true])(
    'that is paid begins nothing again, and bears the credit of an end (recalculated: %s)',
    async (recalculate) => {
      const { clock, subscription, upfront } = await begun();
      await record(upfront, '372.00');
      const made = await reissue(upfront, { recalculate });
      expect(made).toMatchObject({ status: 'PAID', grandTotal: '372.00', walletApplied: '372.00' });
      expect(await statusOf(subscription)).toBe('active');
      expect(await wallet()).toBe('0.00');
      await shop.advance(clock, '2026-01-11T00:00:00Z');
      await shop.act(`/v0/subscriptions/${subscription.id}/termination`, { reason: 'x', credit: 'wallet' });
      await shop.advance(clock, '2026-02-02T00:00:00Z');
      // 21 of 31 days with their tax.
      expect(await wallet()).toBe('252.00');
      const parts = (await notesOf(made)).map(({ kind, total }) => [kind, total]);
      expect(parts).toEqual([['credit', '252.00']]);
    },
  );
});

it.each([
  { what: 'whole', part: null, applied: '300.00' },
  { what: 'with a part in the wallet', part: '50', applied: '250.00' },
])('an invoice of a billing schedule, $what, keeps its window; nothing is asked again', async ({ part, applied }) => {
  const clock = await shop.clock('2026-01-01T00:00:00Z');
  const total = { quantity: '1', listUnitPrice: '1200', unitPrice: '1200', totalPrice: '1200' };
  const order = await newOrder(shop, customer, {
    ...{ testClockId: clock.id, termEndDate: '2027-01-01T00:00:00Z', defaultPaymentTermDays: 30 },
    lineItems: [orderLine(total)],
  });
  const schedule = await newSchedule(shop, order, { endDate: '2027-01-01T00:00:00Z', periodPreset: 'P3M' });
  const line = { orderLineItemId: order.lineItems[0].id, billingCadence: 'P3M' };
  await putIntervals(shop, schedule, [intervalBody(line)]);
  await approveOrder(env, order);
  await shop.advance(clock, '2026-04-02T00:00:00Z');
  const rowsOf = async () => (await shop.read(`/v0/billingSchedules/${schedule.id}/invoices`)).data as Resource[];
  const [first] = await rowsOf();
  await record({ id: first?.invoiceId } as Resource, '300.00');
  const { lines } = await shop.invoice(first?.invoiceId);
  if (part !== null)
    await shop.create(`/v2/invoices/${first?.invoiceId}/creditNotes`, {
      ...{
        lines: [{ lineItemId: lines[0].id, amount: part }],
        settlement: 'wallet',
        reason: 'x',
        idempotencyKey: key(),
      },
    });
  const made = await reissue({ id: first?.invoiceId } as Resource);
  expect(made).toMatchObject({ kind: 'order', status: 'PAID', grandTotal: '300.00', walletApplied: applied });
  await shop.advance(clock, '2026-07-02T00:00:00Z');
  const rows = await rowsOf();
  expect(rows.map(({ amount, status, invoiceId }) => [amount, status, invoiceId === made.id])).toEqual([
    ['300.00', 'pushed', true],
    ['300.00', 'pushed', false],
    ['300.00', 'pushed', false],
    ['300.00', 'staged', false],
  ]);
  // A cancelled order gives back what is left of its windows: of the third 46 of 92 days.
  await shop.change(`/v0/orders/${order.id}`, { cancelledAt: '2026-08-16T00:00:00Z' });
  await shop.advance(clock, '2026-08-17T00:00:00Z');
  const after = await rowsOf();
  const sum = after.filter(({ status }) => status !== 'cancelled').reduce((all, { amount }) => all + Number(amount), 0);
  expect(sum).toBe(750);
});

describe('a reissue is refused', () => {
  it('of drafts, cancelled and written off invoices', async () => {
    const draft = await issue({ autoApprove: false });
    const lost = await issue();
    await shop.act(`/v2/invoices/${lost.id}/writeOff`, {});
    expect(await refused(draft)).toEqual([409, 'INVALID_TRANSITION']);
    expect(await refused(lost)).toEqual([409, 'INVALID_TRANSITION']);
  });

  it('of refunded, credited and top-up invoices', async () => {
    const refunded = await issue();
    await record(refunded, '120.00');
    await shop.create(`/v2/invoices/${refunded.id}/refunds`, {});
    expect(await refused(refunded)).toEqual([409, 'INVALID_TRANSITION']);
    const { invoiceId } = await shop.create(`/v0/customers/${customer.id}/wallet/topUps`, {
      ...{ amount: '25.00', currency: 'USD', idempotencyKey: key() },
    });
    expect(await refused({ id: invoiceId })).toEqual([409, 'INVALID_TRANSITION']);
  });

  it('without a reason', async () => {
    const { status, body } = await merchant.post(`/v2/invoices/${(await issue()).id}/reissue`, {});
    expect([status, body.errors[0].field]).toEqual([400, 'reason']);
  });
});
