import fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { rebuildRevenue } from '../../src/analytics/rebuild.ts';
import { addAllChanges } from '../../src/analytics/sums.ts';
import { type Decimal, decimal, sum } from '../../src/kernel/decimal.ts';
import { cases } from '../support/cases.ts';
import { type Merchant, openTestEnvironment, type TestEnvironment } from '../support/environment.ts';
import { newOrder, orderLine } from '../support/orders.ts';
import { approveOrder, intervalBody, newSchedule, putIntervals } from '../support/schedules.ts';
import { type Resource, type Shop, shopOf } from '../support/shop.ts';

/** After any acts on invoices, in any order, the report of revenue has the figures of the invoices and refunds. */
let env: TestEnvironment;
beforeAll(async () => {
  env = await openTestEnvironment();
});
afterAll(() => env.close());

const CURRENCIES = ['USD', 'JPY', 'KWD'] as const;
const step = fc.record({
  action: fc.constantFrom(
    ...['bill', 'bill', 'payAll', 'payAll', 'payPart', 'refund', 'void', 'cancel', 'writeOff', 'sum'],
    ...['bill', 'subscribe', 'subscribe', 'end', 'end', 'order'],
  ),
  /** One of the invoices, in turn. */
  at: fc.nat({ max: 4 }),
  amount: fc.integer({ min: 1, max: 999 }),
  currency: fc.constantFrom(...CURRENCIES),
  hours: fc.integer({ min: 0, max: 60 }),
});
type Step = typeof step extends fc.Arbitrary<infer Of> ? Of : never;

let counter = 0;
async function live(merchant: Merchant, steps: readonly Step[]): Promise<void> {
  const shop = shopOf(merchant);
  const customers = [await shop.customer({ taxRates: 19 }), await shop.customer()];
  const ids: string[] = [];
  const subscriptions: string[] = [];
  let now = Temporal.Instant.from('2026-03-30T20:30:00Z');
  env.setNow(now.toString());
  const post = async (path: string, body: unknown = {}) => {
    const answer = await merchant.post(path, body);
    expect(answer.status, `POST ${path} answered ${answer.text}`).toBeLessThan(500);
    return answer.body;
  };
  for (const { action, at, amount, currency, hours } of steps) {
    now = now.add({ hours });
    env.setNow(now.toString());
    counter += 1;
    const id = ids.at(at % Math.max(1, ids.length));
    if (action === 'bill')
      ids.push(
        (
          await shop.create('/v2/invoices', {
            customerId: customers[at % 2].id,
            currency,
            autoApprove: true,
            lines: [{ displayName: 'Work', quantity: 1, unitPrice: String(amount) }],
          })
        ).id,
      );
    else if (action === 'subscribe') {
      const price = await shop.feePrice({ paymentTerm: 'in_advance', properties: { unitPrice: String(amount) } });
      const customer = customers[at % 2];
      const terms = { customer, startedAt: now.toString(), bankTransferOnly: true };
      const { id: subscriptionId } = await shop.subscribe(await shop.plan([price], { currency }), terms);
      await env.runDueWork();
      subscriptions.push(subscriptionId);
      ids.push(...(await issuedTo(shop, ids)));
    } else if (action === 'end') {
      const ended = subscriptions.shift();
      if (ended !== undefined) await post(`/v0/subscriptions/${ended}/termination`, { reason: 'Moved' });
    } else if (action === 'order') {
      await billByOrder(shop, customers[at % 2], { amount: String(amount), currency });
      ids.push(...(await issuedTo(shop, ids)));
    } else if (action === 'sum') await addAllChanges(env.database, merchant.id);
    else if (id !== undefined) {
      const invoice = await shop.invoice(id);
      const pay = (paid: string) =>
        post(`/v2/invoices/${id}/payments`, { amount: paid, method: 'cash', idempotencyKey: `pay-${counter}` });
      if (action === 'payAll') await pay(invoice.unpaidAmount);
      if (action === 'payPart') await pay('1');
      if (action === 'refund') await post(`/v2/invoices/${id}/refunds`);
      if (action === 'void')
        for (const refund of (await shop.read(`/v2/invoices/${id}/refunds`)).data)
          await post(`/v2/invoices/${id}/refunds/${refund.id}/void`);
      if (action === 'cancel') await post(`/v2/invoices/${id}/cancel`);
      if (action === 'writeOff') await post(`/v2/invoices/${id}/writeOff`);
    }
  }
}

/** Invoices that were issued by themselves. */
const issuedTo = async (shop: Shop, known: readonly string[]): Promise<string[]> =>
  (await shop.read('/v2/invoices?status=ISSUED&limit=100')).data
    .map(({ id }: Resource) => id)
    .filter((id: string) => !known.includes(id));

/** An order with one invoice at once. */
async function billByOrder(
  shop: Shop,
  customer: Resource,
  { amount, currency }: Record<'amount' | 'currency', string>,
) {
  const line = orderLine({ quantity: '1', listUnitPrice: amount, unitPrice: amount, totalPrice: amount });
  const order = await newOrder(shop, customer, { currency, lineItems: [line] });
  const schedule = await newSchedule(shop, order, { periodPreset: 'single' });
  const interval = intervalBody({ orderLineItemId: order.lineItems[0].id, billingCadence: 'one_off' });
  await putIntervals(shop, schedule, [interval]);
  await approveOrder(env, order);
  await env.runDueWork();
}

/** All invoices that count, with their refunds in force, from the API. */
async function records(merchant: Merchant) {
  const shop = shopOf(merchant);
  const invoices: Resource[] = (await shop.read('/v2/invoices?limit=100')).data;
  const refunds: Resource[] = [];
  const rebates: Resource[] = [];
  for (const invoice of invoices) {
    refunds.push(...(await shop.read(`/v2/invoices/${invoice.id}/refunds`)).data);
    const notes: Resource[] = (await shop.read(`/v2/invoices/${invoice.id}/creditNotes`)).data;
    invoice.rebates = notes.filter(({ kind }) => kind === 'credit');
    if (invoice.status !== 'CANCELLED') rebates.push(...invoice.rebates);
  }
  return {
    rebates,
    invoices: invoices.filter(({ status }) => ['ISSUED', 'PAYMENT_FAILED', 'PAID', 'WRITTEN_OFF'].includes(status)),
    refunds: refunds.filter(({ status }) => status === 'ISSUED'),
  };
}

const total = (amounts: readonly string[]): Decimal => sum(amounts.map((amount) => decimal(amount)));
/** The unpaid amount without its share of tax. */
const open = (digits: number) => (invoice: Resource) => {
  const noted = (field: string) => total(invoice.rebates.map((note: Resource) => note[field]));
  const remaining = decimal(invoice.grandTotal).minus(noted('total'));
  if (remaining.isZero()) return '0';
  return decimal(invoice.subtotal).minus(noted('amount')).times(invoice.unpaidAmount).div(remaining).toFixed(digits);
};

it('says to the cent what invoices and refunds say, in any part of the time', { timeout: 240_000 }, async () => {
  const range = fc.tuple(fc.integer({ min: 0, max: 4_000 }), fc.integer({ min: 1, max: 60_000 }));
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 10, maxLength: 24 }), range, async (steps, [begin, minutes]) => {
      const merchant = await env.merchant();
      await live(merchant, steps);
      const all = await records(merchant);
      const from = Temporal.Instant.from('2026-03-30T00:00:00Z').add({ minutes: begin });
      const to = from.add({ minutes });
      const isIn = (time: string) => {
        const at = Temporal.Instant.from(time);
        return Temporal.Instant.compare(at, from) >= 0 && Temporal.Instant.compare(at, to) < 0;
      };
      for (const bucketWidth of ['hour', 'day', 'week', 'month'])
        for (const [currency, digits] of [
          ['USD', 2],
          ['JPY', 0],
          ['KWD', 3],
        ] as const) {
          const report = await shopOf(merchant).read(
            `/v0/revenue?startTime=${from}&endTime=${to}&currency=${currency}&bucketWidth=${bucketWidth}&groupBy=customer`,
          );
          const invoices = all.invoices.filter((each) => each.currency === currency && isIn(each.issuedAt));
          const refunds = all.refunds.filter((each) => each.currency === currency && isIn(each.createdAt));
          const of = (...statuses: string[]) => invoices.filter(({ status }) => statuses.includes(status));
          const issued = total(invoices.map(({ subtotal }) => subtotal));
          const unpaid = total(of('ISSUED', 'PAYMENT_FAILED').map(open(digits)));
          const lost = total(of('WRITTEN_OFF').map(open(digits)));
          const refunded = total(refunds.map(({ amount }) => amount));
          const category = (list: readonly Resource[], amount: Decimal) => ({
            count: list.length,
            amount: amount.toFixed(digits),
          });
          expect(report.invoices).toEqual({
            issued: category(invoices, issued),
            outstanding: category(of('ISSUED', 'PAYMENT_FAILED'), unpaid),
            paid: category(of('PAID'), issued.minus(unpaid).minus(lost)),
            writtenOff: category(of('WRITTEN_OFF'), lost),
          });
          expect([report.refundCount, report.totalRefunds]).toEqual([refunds.length, refunded.toFixed(digits)]);
          const rebates = all.rebates.filter((each) => each.currency === currency && isIn(each.createdAt));
          const rebated = total(rebates.map(({ amount }) => amount));
          expect([report.rebateCount, report.totalRebates]).toEqual([rebates.length, rebated.toFixed(digits)]);
          const net = issued.minus(refunded).minus(rebated).minus(lost).toFixed(digits);
          expect(report.netRevenue).toBe(net);
          expect(total(report.trend.map((bucket: Resource) => bucket.netRevenue)).toFixed(digits)).toBe(net);
          expect(total(report.groupBreakdown.map((group: Resource) => group.netRevenue)).toFixed(digits)).toBe(net);
        }
      expect(await rebuildRevenue(env.database)).toEqual({ facts: 0, sums: 0 });
    }),
    cases(2, 8),
  );
});
