import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { approve, decideApproval } from '../support/approvals.ts';
import { type Merchant, sharedEnvironment, type TestEnvironment } from '../support/environment.ts';
import { newOrder, orderLine } from '../support/orders.ts';
import { intervalBody, newSchedule, putIntervals } from '../support/schedules.ts';
import { type Resource, type Shop, START, shopOf } from '../support/shop.ts';

/** Approved once, changed by one person (domain.md §6, Order): nothing of it is billed before a second one agrees. */
let env: TestEnvironment;
let merchant: Merchant;
let maker: Shop;
let checker: Shop;
let customer: Resource;
beforeAll(async () => {
  env = await sharedEnvironment();
  merchant = await env.merchant();
  maker = shopOf(merchant);
  checker = shopOf(await env.userOf(merchant, 'member'));
  customer = await maker.customer();
});
afterAll(() => env.close());

const line = (total: string) =>
  orderLine({ quantity: '1', listUnitPrice: total, unitPrice: total, totalPrice: total, description: 'Platform' });
const quarterly = (unitPrice: string) =>
  intervalBody({ billingCadence: 'P3M', unitPrice, description: 'Platform', endDate: '2027-01-01T00:00:00Z' });

/** An order of 400.00 in four quarters, approved, with its first invoice. */
async function pushed() {
  const clock = await maker.clock(START);
  const order = await newOrder(maker, customer, { testClockId: clock.id, lineItems: [line('400')] });
  const schedule = await newSchedule(maker, order, { periodPreset: 'P3M' });
  await putIntervals(maker, schedule, [quarterly('100')]);
  await approve(maker, checker, order);
  await maker.advance(clock, '2026-01-02T00:00:00Z');
  return { clock, order, schedule };
}
const statusOf = async (order: Resource): Promise<string> =>
  (await maker.read(`/v0/orders/${order.id}`)).approvalStatus;
const pendingOf = async (order: Resource): Promise<Resource[]> =>
  (await maker.read(`/v0/approvals?resourceId=${order.id}&decision=pending`)).data;
/** The invoices of a schedule by their bill dates: amount and status. */
async function invoicesOf(schedule: Resource): Promise<Resource[]> {
  const rows: Resource[] = (await maker.read(`/v0/billingSchedules/${schedule.id}/invoices`)).data;
  const made = rows.filter(({ invoiceId }) => invoiceId !== null);
  const invoices = await Promise.all(made.map(({ invoiceId }) => maker.read(`/v2/invoices/${invoiceId}`)));
  return invoices.map((invoice) => ({ ...invoice, said: `${invoice.subtotal} ${invoice.status}` }));
}
const said = async (schedule: Resource) => (await invoicesOf(schedule)).map((invoice) => invoice.said);

describe('an order that one person changes after its first invoice', () => {
  it('waits with its invoices, and goes on where it is edited back', async () => {
    const { clock, order, schedule } = await pushed();
    await putIntervals(maker, schedule, [quarterly('9000')]);
    expect(await statusOf(order)).toBe('pending');
    expect(await pendingOf(order)).toMatchObject([{ kind: 'data_review', requester: merchant.userId }]);
    await maker.advance(clock, '2026-04-02T00:00:00Z');
    const waiting = await invoicesOf(schedule);
    expect(waiting.map((invoice) => invoice.said)).toEqual(['100.00 ISSUED', '17900.00 DRAFT']);
    const byHand = await merchant.post(`/v2/invoices/${waiting[1]?.id}/approve`, {});
    expect([byHand.status, byHand.body.code]).toEqual([409, 'APPROVAL_PENDING']);
    const [approval] = await pendingOf(order);
    const checkerUser = await env.userOf(merchant, 'member');
    const wrong = await checkerUser.patch(`/v0/approvals/${approval?.id}`, { decision: 'approved' });
    expect([wrong.status, wrong.body.code, wrong.body.details.schedulesTotal]).toEqual([
      409,
      'ORDER_TOTAL_DIFFERS',
      '36000',
    ]);

    await putIntervals(maker, schedule, [quarterly('100')]);
    expect([await statusOf(order), await pendingOf(order)]).toEqual(['approved', []]);
    await maker.advance(clock, '2026-07-02T00:00:00Z');
    expect((await said(schedule)).toSorted()).toEqual([
      '100.00 ISSUED',
      '100.00 ISSUED',
      '100.00 ISSUED',
      '17900.00 CANCELLED',
    ]);
  });

  it('is billed as it is now when a second one approves it', async () => {
    const { clock, order, schedule } = await pushed();
    const [own] = order.lineItems;
    await maker.change(`/v0/orders/${order.id}/lineItems/${own.id}`, { quantity: '2', totalPrice: '800' });
    await putIntervals(maker, schedule, [quarterly('200')]);
    await maker.advance(clock, '2026-04-02T00:00:00Z');
    expect(await said(schedule)).toEqual(['100.00 ISSUED', '300.00 DRAFT']);
    const [approval] = await pendingOf(order);
    await decideApproval(checker, approval as Resource, 'approved');
    expect(await statusOf(order)).toBe('approved');
    await maker.advance(clock, '2026-07-02T00:00:00Z');
    expect(await said(schedule)).toEqual(['100.00 ISSUED', '300.00 ISSUED', '200.00 ISSUED']);
  });

  it('still waits when the second one rejects, and credits nothing until then', async () => {
    const { clock, order, schedule } = await pushed();
    await maker.change(`/v0/orders/${order.id}`, { totalAmount: '200' });
    await putIntervals(maker, schedule, [quarterly('50')]);
    const [approval] = await pendingOf(order);
    await decideApproval(checker, approval as Resource, 'rejected', 'Too cheap');
    await maker.advance(clock, '2026-01-03T00:00:00Z');
    expect([await statusOf(order), await said(schedule)]).toEqual(['pending', ['100.00 ISSUED']]);
    expect(await maker.read(`/v2/invoices/${(await invoicesOf(schedule))[0]?.id}`)).toMatchObject({
      unpaidAmount: '100.00',
    });
  });

  it('is cancelled with its credits, and what it charges waits for a person', async () => {
    const { clock, order, schedule } = await pushed();
    await putIntervals(maker, schedule, [quarterly('9000')]);
    await maker.change(`/v0/orders/${order.id}`, { cancelledAt: START });
    await maker.advance(clock, '2026-01-03T00:00:00Z');
    expect(await maker.read(`/v2/invoices/${(await invoicesOf(schedule))[0]?.id}`)).toMatchObject({
      unpaidAmount: '0.00',
    });
  });
});

it('an order is not submitted while its schedules come to another sum than its total', async () => {
  const order = await newOrder(maker, customer, { lineItems: [line('400')] });
  const schedule = await newSchedule(maker, order, { periodPreset: 'P3M' });
  await putIntervals(maker, schedule, [quarterly('9000')]);
  const refused = await merchant.post(`/v0/orders/${order.id}/approvals`, {});
  expect([refused.status, refused.body.code, refused.body.details]).toEqual([
    409,
    'ORDER_TOTAL_DIFFERS',
    { field: 'totalAmount', totalAmount: '400', lineItemsTotal: '400', schedulesTotal: '36000' },
  ]);
  await putIntervals(maker, schedule, [quarterly('100')]);
  expect((await merchant.post(`/v0/orders/${order.id}/approvals`, {})).status).toBe(201);
});
