import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Merchant, sharedEnvironment, type TestEnvironment } from '../support/environment.ts';
import { newOrder, orderLine } from '../support/orders.ts';
import { approveOrder, intervalBody, newSchedule, putIntervals, scheduleBody } from '../support/schedules.ts';
import { type Resource, type Shop, START, shopOf } from '../support/shop.ts';

let env: TestEnvironment;
let merchant: Merchant;
let shop: Shop;
let customer: Resource;
beforeAll(async () => {
  env = await sharedEnvironment();
  merchant = await env.merchant();
  shop = shopOf(merchant);
  customer = await shop.customer();
});
afterAll(() => env.close());

const rowsOf = async (schedule: Resource): Promise<Resource[]> =>
  (await shop.read(`/v0/billingSchedules/${schedule.id}/invoices`)).data;
const cents = (amount: string): number => Math.round(Number(amount) * 100);
/** The sum of a schedule's rows, in cents. */
const sumOf = (rows: readonly Resource[]): number =>
  rows.filter(({ status }) => status !== 'cancelled').reduce((sum, { amount }) => sum + cents(amount), 0);
/** The charges of a schedule's invoices, less their credit notes, in cents before tax. */
const invoicedBy = async (rows: readonly Resource[]): Promise<number> => {
  let sum = 0;
  for (const { invoiceId } of rows.filter((row) => row.invoiceId !== null)) {
    const { status, subtotal } = await shop.read(`/v2/invoices/${invoiceId}`);
    if (status === 'CANCELLED') continue;
    const notes = (await shop.read(`/v2/invoices/${invoiceId}/creditNotes`)).data;
    sum += cents(subtotal) - notes.reduce((all: number, { amount }: Resource) => all + cents(amount), 0);
  }
  return sum;
};
const lineOver = (total: string, fields: object = {}) =>
  orderLine({ quantity: '1', listUnitPrice: total, unitPrice: total, totalPrice: total, ...fields });

/** An order over three years with one line, its schedule by quarters, on a clock of its own. */
async function threeYears(line: object, interval: object = {}, fields: object = {}) {
  const clock = await shop.clock(START);
  const order = await newOrder(shop, customer, {
    testClockId: clock.id,
    termEndDate: '2029-01-01T00:00:00Z',
    defaultPaymentTermDays: 30,
    lineItems: [line],
    ...fields,
  });
  const schedule = await newSchedule(shop, order, { endDate: '2029-01-01T00:00:00Z', periodPreset: 'P3M' });
  const orderLineItemId = order.lineItems[0].id;
  await putIntervals(shop, schedule, [intervalBody({ orderLineItemId, billingCadence: 'P3M', ...interval })]);
  return { clock, order, schedule, orderLineItemId };
}

const RAMP = {
  baseQuantity: '100',
  quantityTransitions: [
    { effectiveDate: '2027-01-01T00:00:00Z', quantity: '150' },
    { effectiveDate: '2028-01-01T00:00:00Z', quantity: '200' },
  ],
};

describe('an order of three years with ramps, each quarter in advance', () => {
  it('is invoiced to the cent, amended after two quarters and cancelled half-way', { timeout: 120_000 }, async () => {
    const seats = orderLine({ quantity: '450', listUnitPrice: '10', unitPrice: '10', totalPrice: '4500' });
    const { clock, order, schedule, orderLineItemId } = await threeYears(seats, RAMP);
    const quarters = ['250.00', '375.00', '500.00'].flatMap((amount) => Array(4).fill(amount));
    expect((await rowsOf(schedule)).map(({ amount }) => amount)).toEqual(quarters);
    await approveOrder(env, order);
    await shop.advance(clock, '2026-04-02T00:00:00Z');
    const line = `/v0/orders/${order.id}/lineItems/${orderLineItemId}`;
    await shop.change(line, { quantity: '540', totalPrice: '5400' });
    const amended = await rowsOf(schedule);
    expect(amended.map(({ amount, status }) => `${amount} ${status}`).slice(0, 4)).toEqual([
      '250.00 pushed',
      '250.00 pushed',
      '400.00 staged', // its own 300, and 50 for each quarter before
      '300.00 staged',
    ]);
    expect(sumOf(amended)).toBe(540_000);
    await approveOrder(env, order);
    await shop.advance(clock, '2027-07-02T00:00:00Z');
    await shop.change(`/v0/orders/${order.id}`, { cancelledAt: '2027-08-15T00:00:00Z' });
    await shop.advance(clock, '2027-07-03T00:00:00Z');
    const rows = await rowsOf(schedule);
    const owed = 4 * 30_000 + 2 * 45_000 + 22_011; // 45 of 92 days of a quarter over 450
    expect([sumOf(rows), await invoicedBy(rows)]).toEqual([owed, owed]);
    expect(rows.filter(({ status }) => status === 'staged')).toEqual([]);
    expect(await shop.read(`/v0/billingSchedules/${schedule.id}`)).toMatchObject({ status: 'cancelled' });
  });

  it('credits a lower price on the next invoice, and the excess by a credit note', async () => {
    const { clock, order, schedule, orderLineItemId } = await threeYears(lineOver('1200'));
    await approveOrder(env, order);
    await shop.advance(clock, '2026-07-02T00:00:00Z');
    for (const { invoiceId } of (await rowsOf(schedule)).filter(({ status }) => status === 'pushed'))
      await shop.create(`/v2/invoices/${invoiceId}/payments`, {
        amount: '100.00',
        method: 'bank_transfer',
        idempotencyKey: invoiceId,
      });
    await shop.change(`/v0/orders/${order.id}/lineItems/${orderLineItemId}`, {
      listUnitPrice: '600',
      unitPrice: '600',
      totalPrice: '600',
    });
    await approveOrder(env, order);
    await shop.advance(clock, '2026-10-02T00:00:00Z');
    const rows = await rowsOf(schedule);
    expect(rows.slice(0, 4).map(({ amount }) => amount)).toEqual(['100.00', '100.00', '100.00', '-100.00']);
    expect(await shop.read(`/v2/invoices/${rows[3]?.invoiceId}`)).toMatchObject({ status: 'PAID', grandTotal: '0.00' });
    expect([sumOf(rows), await invoicedBy(rows)]).toEqual([60_000, 20_000]);
    expect((await shop.read(`/v0/customers/${customer.id}/wallet`)).balances).toMatchObject([{ balance: '100.00' }]);
  });

  it('replaces an invoice that waits for an approval when the order changes', async () => {
    const other = shopOf(await env.merchant());
    const buyer = await other.customer();
    const clock = await other.clock(START);
    const order = await newOrder(other, buyer, { testClockId: clock.id, lineItems: [lineOver('1200')] });
    const schedule = await newSchedule(other, order);
    await putIntervals(other, schedule, [intervalBody({ orderLineItemId: order.lineItems[0].id })]);
    const settings = { settings: { requiredApprovals: { invoice: ['financial_review'] } } };
    await other.change(`/v0/organizations/${order.merchantId}`, settings);
    await approveOrder(env, order);
    await other.advance(clock, '2026-01-02T00:00:00Z');
    const read = async () => (await other.read(`/v0/billingSchedules/${schedule.id}/invoices?status=pushed`)).data;
    const [draft] = await read();
    expect(await other.read(`/v2/invoices/${draft.invoiceId}`)).toMatchObject({ status: 'DRAFT', subtotal: '100.00' });
    await other.change(`/v0/orders/${order.id}/lineItems/${order.lineItems[0].id}`, {
      listUnitPrice: '600',
      unitPrice: '600',
      totalPrice: '600',
    });
    await other.advance(clock, '2026-01-03T00:00:00Z');
    expect(await other.read(`/v2/invoices/${draft.invoiceId}`)).toMatchObject({ status: 'CANCELLED' });
    const [again] = await read();
    expect(await other.read(`/v2/invoices/${again.invoiceId}`)).toMatchObject({ status: 'DRAFT', subtotal: '50.00' });
  });

  const pays = (invoiceId: string) =>
    shop.create(`/v2/invoices/${invoiceId}/payments`, {
      amount: '100.00',
      method: 'bank_transfer',
      idempotencyKey: `${invoiceId} paid`,
    });
  it.each([
    {
      what: 'its refund is voided',
      fall: async (id: string) => {
        await pays(id);
        return (await shop.create(`/v2/invoices/${id}/refunds`)).id;
      },
      rise: (id: string, refundId: string) =>
        shop.act(`/v2/invoices/${id}/refunds/${refundId}/void`, { reason: 'Not so' }),
    },
    {
      what: 'it is paid after it was written off',
      fall: async (id: string) => (await shop.act(`/v2/invoices/${id}/writeOff`)).id,
      rise: (id: string) => pays(id),
    },
  ])('credits what an invoice billed too much once $what', async ({ fall, rise }) => {
    const { id: customerId } = await shop.customer(); // with an empty wallet
    const { clock, order, schedule } = await threeYears(lineOver('1200'), {}, { customerId });
    await approveOrder(env, order);
    await shop.advance(clock, '2026-01-02T00:00:00Z');
    const [first] = await rowsOf(schedule);
    const fallen = await fall(first?.invoiceId);
    await shop.change(`/v0/orders/${order.id}`, { cancelledAt: '2026-02-15T00:00:00Z' });
    await shop.advance(clock, '2026-01-03T00:00:00Z');
    const amounts = async () =>
      (await rowsOf(schedule)).filter(({ status }) => status !== 'cancelled').map(({ amount }) => amount);
    expect(await amounts()).toEqual(['100.00']);
    await rise(first?.invoiceId, fallen);
    await shop.advance(clock, '2026-01-04T00:00:00Z');
    expect(await amounts()).toEqual(['100.00', '-50.00']); // 45 of 90 days were owed
    const notes: Resource[] = (await shop.read(`/v2/invoices/${first?.invoiceId}/creditNotes`)).data;
    expect(notes).toContainEqual(expect.objectContaining({ amount: '50.00' }));
  });

  it('bills once, with any cancellation in between', { timeout: 120_000 }, async () => {
    for (let round = 0; round < 3; round += 1) {
      const { clock, order, schedule } = await threeYears(lineOver('1200'));
      await approveOrder(env, order);
      const [advanced, cancelled] = await Promise.all([
        merchant.patch(`/v0/testClocks/${clock.id}`, { currentTime: '2026-08-01T00:00:00Z' }),
        merchant.patch(`/v0/orders/${order.id}`, { cancelledAt: '2026-04-01T00:00:00Z' }),
      ]);
      expect([advanced.status, cancelled.status]).toEqual([200, 200]);
      await shop.advance(clock, '2026-08-02T00:00:00Z');
      const rows = await rowsOf(schedule);
      expect([sumOf(rows), await invoicedBy(rows)]).toEqual([10_000, 10_000]);
    }
  });
});

describe('a schedule of a subscription', () => {
  it('bills beside the plan, and ends with the subscription', async () => {
    const clock = await shop.clock(START);
    const price = await shop.feePrice();
    const subscription = await shop.subscribe(await shop.plan([price]), { clock });
    const schedule = await shop.create('/v0/billingSchedules', scheduleBody({ subscriptionId: subscription.id }));
    expect(schedule).toMatchObject({ status: 'active', orderId: null, subscriptionId: subscription.id });
    const usage = await shop.usagePrice();
    for (const [interval, field] of [
      [intervalBody({ unitPrice: '31', priceId: price.id }), 'intervals.0.priceId'],
      [intervalBody({ unitPrice: '31', priceId: usage.id }), 'intervals.0.priceId'],
      [intervalBody(), 'intervals.0.unitPrice'],
    ] as const)
      expect(
        await merchant.put(`/v0/billingSchedules/${schedule.id}/intervals`, { intervals: [interval] }),
      ).toMatchObject({ status: 400, body: { errors: [{ field }] } });
    await putIntervals(shop, schedule, [intervalBody({ unitPrice: '31', description: 'Support' })]);
    await shop.advance(clock, '2026-03-02T00:00:00Z');
    const pushed = (await rowsOf(schedule)).filter(({ status }) => status === 'pushed');
    expect(pushed.map(({ amount }) => amount)).toEqual(['31.00', '31.00', '31.00']);
    const invoice = await shop.read(`/v2/invoices/${pushed[0]?.invoiceId}`);
    expect(invoice).toMatchObject({ kind: 'order', subscriptionId: subscription.id, subtotal: '31.00' });
    await shop.act(`/v0/subscriptions/${subscription.id}/termination`, { reason: 'Moved' });
    await shop.advance(clock, '2026-04-02T00:00:00Z');
    const rows = await rowsOf(schedule);
    expect(sumOf(rows)).toBe(2 * 3100 + 100); // one day of March
    expect(await shop.read(`/v0/billingSchedules/${schedule.id}`)).toMatchObject({ status: 'cancelled' });
  });
});

describe('what is refused', () => {
  const DATE = { startDate: '2026-01-01T00:00:00Z' };
  it.each([
    { fields: { endDate: '2026-01-01T00:00:00Z' }, field: 'endDate' },
    { fields: { periodPreset: 'P2M' }, field: 'periodPreset' },
    { fields: { periodPreset: 'custom' }, field: 'customPeriodWindows' },
    { fields: { customPeriodWindows: [{ start: START, end: '2026-02-01T00:00:00Z' }] }, field: 'customPeriodWindows' },
    {
      fields: { periodPreset: 'custom', customPeriodWindows: [{ start: '2026-02-01T00:00:00Z', end: START }] },
      field: 'customPeriodWindows.0.end',
    },
    {
      fields: {
        periodPreset: 'custom',
        customPeriodWindows: [
          { start: START, end: '2026-03-01T00:00:00Z' },
          { start: '2026-02-01T00:00:00Z', end: '2026-04-01T00:00:00Z' },
        ],
      },
      field: 'customPeriodWindows.1.start',
    },
    { fields: { paymentTermDays: 366 }, field: 'paymentTermDays' },
    { fields: { endDate: '2199-01-01T00:00:00Z' }, field: 'periodPreset' },
  ])('of a schedule: $fields', async ({ fields, field }) => {
    const order = await newOrder(shop, customer);
    const answer = await merchant.post('/v0/billingSchedules', scheduleBody({ orderId: order.id, ...fields }));
    expect(answer).toMatchObject({ status: 400, body: { error: 'validation_error' } });
    expect(answer.body.errors.map((error: Resource) => error.field)).toContain(field);
  });

  it.each([
    { fields: { billingCadence: 'monthly' }, field: 'billingCadence' },
    { fields: { billingCadence: 'P0D' }, field: 'billingCadence' },
    { fields: { billDate: START }, field: 'billDate' },
    { fields: { startDate: '2025-12-31T00:00:00Z' }, field: 'startDate' },
    { fields: { startDate: '2027-01-01T00:00:00Z' }, field: 'startDate' },
    { fields: { endDate: '2027-01-02T00:00:00Z' }, field: 'endDate' },
    { fields: { ...DATE, endDate: START }, field: 'endDate' },
    { fields: { baseQuantity: '-1' }, field: 'baseQuantity' },
    { fields: { unitPrice: '-1' }, field: 'unitPrice' },
    { fields: { unitPrice: null }, field: 'unitPrice' },
    {
      fields: { quantityTransitions: [{ effectiveDate: '2027-01-01T00:00:00Z', quantity: '2' }] },
      field: 'quantityTransitions.0.effectiveDate',
    },
    {
      fields: {
        quantityTransitions: [
          { effectiveDate: '2026-03-01T00:00:00Z', quantity: '2' },
          { effectiveDate: '2026-03-01T00:00:00Z', quantity: '3' },
        ],
      },
      field: 'quantityTransitions.1.effectiveDate',
    },
  ])('of an interval: $fields', async ({ fields, field }) => {
    const schedule = await newSchedule(shop, await newOrder(shop, customer));
    const intervals = [intervalBody({ unitPrice: '1', ...fields })];
    const answer = await merchant.put(`/v0/billingSchedules/${schedule.id}/intervals`, { intervals });
    expect(answer).toMatchObject({ status: 400, body: { error: 'validation_error' } });
    expect(answer.body.errors.map((error: Resource) => error.field)).toContain(`intervals.0.${field}`);
  });

  it('of a line of another order, and of a schedule that has begun', async () => {
    const [order, other] = [await newOrder(shop, customer), await newOrder(shop, customer)];
    const schedule = await newSchedule(shop, order);
    const path = `/v0/billingSchedules/${schedule.id}`;
    const foreign = [intervalBody({ orderLineItemId: other.lineItems[0].id })];
    expect(await merchant.put(`${path}/intervals`, { intervals: foreign })).toMatchObject({ status: 400 });
    const own = await putIntervals(shop, schedule, [intervalBody({ orderLineItemId: order.lineItems[0].id })]);
    const again = await putIntervals(shop, schedule, [intervalBody({ orderLineItemId: order.lineItems[0].id })]);
    expect(again).toEqual(own); // an interval with the same content keeps its id
    expect(await merchant.delete(`/v0/orders/${order.id}/lineItems/${order.lineItems[0].id}`)).toMatchObject({
      status: 409,
      body: { details: { blockers: [{ type: 'scheduleInterval', count: 1 }] } },
    });
    expect(await merchant.delete(`/v0/orders/${order.id}`)).toMatchObject({ status: 409 });
    await approveOrder(env, order);
    expect(await merchant.delete(path)).toMatchObject({ status: 409, body: { code: 'INVALID_TRANSITION' } });
  });
});
