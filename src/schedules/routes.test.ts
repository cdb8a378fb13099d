import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Merchant, sharedEnvironment, type TestEnvironment } from '../../test/support/environment.ts';
import { newOrder, orderLine } from '../../test/support/orders.ts';
import { approveOrder, intervalBody, newSchedule, putIntervals, scheduleBody } from '../../test/support/schedules.ts';
import { type Resource, type Shop, START, shopOf } from '../../test/support/shop.ts';

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

const invoicesOf = async (schedule: Resource): Promise<Resource[]> =>
  (await shop.read(`/v0/billingSchedules/${schedule.id}/invoices`)).data;
describe('a schedule of an order', () => {
  it('stages the contract, and invoices it window by window once the order is approved', async () => {
    const clock = await shop.clock(START);
    const order = await newOrder(shop, customer, {
      testClockId: clock.id,
      defaultPaymentTermDays: 30,
      lineItems: [orderLine({ quantity: '1', listUnitPrice: '1000', unitPrice: '1000', totalPrice: '1000' })],
    });
    const schedule = await newSchedule(shop, order, { periodPreset: 'P3M' });
    expect(schedule).toMatchObject({
      object: 'billing_schedule',
      status: 'draft',
      orderId: order.id,
      subscriptionId: null,
    });
    await putIntervals(shop, schedule, [
      intervalBody({ orderLineItemId: order.lineItems[0].id, billingCadence: 'P3M' }),
    ]);
    const staged = await invoicesOf(schedule);
    expect(staged.map(({ amount, status, dueDate }) => [amount, status, dueDate])).toEqual([
      ['250.00', 'staged', '2026-01-31T00:00:00Z'],
      ['250.00', 'staged', '2026-05-01T00:00:00Z'],
      ['250.00', 'staged', '2026-07-31T00:00:00Z'],
      ['250.00', 'staged', '2026-10-31T00:00:00Z'],
    ]);
    await approveOrder(env, order);
    await shop.advance(clock, '2026-04-02T00:00:00Z');
    const pushed = await invoicesOf(schedule);
    expect(pushed.map(({ status }) => status)).toEqual(['pushed', 'pushed', 'staged', 'staged']);
    const invoice = await shop.read(`/v2/invoices/${pushed[1]?.invoiceId}?expand=lineItems`);
    expect(invoice).toMatchObject({
      kind: 'order',
      status: 'ISSUED',
      subtotal: '250.00',
      issuedAt: '2026-04-01T00:00:00Z',
      dueAt: '2026-05-01T00:00:00Z',
    });
    expect(invoice.lineItems.lineItems).toMatchObject([
      { periodStart: '2026-04-01T00:00:00Z', periodEnd: '2026-07-01T00:00:00Z', totalPrice: '250.00' },
    ]);
    expect((await shop.read(`/v0/orders/${order.id}`)).billingSchedules).toMatchObject([
      { id: schedule.id, status: 'active' },
    ]);
    await shop.change(`/v0/orders/${order.id}`, { cancelledAt: '2026-05-16T00:00:00Z' });
    await shop.advance(clock, '2026-04-03T00:00:00Z');
    const after = await invoicesOf(schedule);
    expect(after.map(({ amount, status }) => [amount, status])).toEqual([
      ['250.00', 'pushed'],
      ['250.00', 'pushed'],
      ['-126.37', 'pushed'], // 45 of 91 days were owed
      ['250.00', 'cancelled'],
      ['250.00', 'cancelled'],
    ]);
    expect(await shop.read(`/v2/invoices/${pushed[1]?.invoiceId}`)).toMatchObject({ unpaidAmount: '123.63' });
    expect(await shop.read(`/v0/billingSchedules/${schedule.id}`)).toMatchObject({ status: 'cancelled' });
  });
});
describe('POST /v0/billingSchedules', () => {
  it('belongs to exactly one order or subscription', async () => {
    const order = await newOrder(shop, customer);
    expect(await merchant.post('/v0/billingSchedules', scheduleBody({}))).toMatchObject({ status: 400 });
    const both = scheduleBody({ orderId: order.id, subscriptionId: 'sub_0000000000' });
    expect(await merchant.post('/v0/billingSchedules', both)).toMatchObject({ status: 400 });
  });
});
