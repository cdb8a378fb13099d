import fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { addAllChanges } from '../../src/analytics/sums.ts';
import { type Decimal, decimal, sum } from '../../src/kernel/decimal.ts';
import { type Merchant, openTestEnvironment, type TestEnvironment } from '../support/environment.ts';
import { type Resource, shopOf } from '../support/shop.ts';

/** Whatever happens to invoices, in which order: the report of revenue says what the invoices and refunds say. */
let env: TestEnvironment;
beforeAll(async () => {
  env = await openTestEnvironment();
});
afterAll(() => env.close());

const CURRENCIES = ['USD', 'JPY', 'KWD'] as const;
const step = fc.record({
  action: fc.constantFrom('bill', 'bill', 'payAll', 'payAll', 'payPart', 'refund', 'void', 'cancel', 'writeOff', 'sum'),
  /** Which of the invoices there are, in turn. */
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
    else if (action === 'sum') await addAllChanges(env.database, merchant.id);
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

/** All invoices that count, with their refunds in force, as the API says. */
async function records(merchant: Merchant) {
  const shop = shopOf(merchant);
  const invoices: Resource[] = (await shop.read('/v2/invoices?limit=100')).data;
  const refunds: Resource[] = [];
  for (const { id } of invoices) refunds.push(...(await shop.read(`/v2/invoices/${id}/refunds`)).data);
  return {
    invoices: invoices.filter(({ status }) => ['ISSUED', 'PAYMENT_FAILED', 'PAID', 'WRITTEN_OFF'].includes(status)),
    refunds: refunds.filter(({ status }) => status === 'ISSUED'),
  };
}

const total = (amounts: readonly string[]): Decimal => sum(amounts.map((amount) => decimal(amount)));
/** The share without tax of what is unpaid. */
const open = (digits: number) => (invoice: Resource) =>
  decimal(invoice.subtotal).times(invoice.unpaidAmount).div(invoice.grandTotal).toFixed(digits);

it('says to the cent what invoices and refunds say, in any part of the time', { timeout: 240_000 }, async () => {
  const range = fc.tuple(fc.integer({ min: 0, max: 4_000 }), fc.integer({ min: 1, max: 60_000 }));
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 6, maxLength: 20 }), range, async (steps, [begin, minutes]) => {
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
          const net = issued.minus(refunded).minus(lost).toFixed(digits);
          expect(report.netRevenue).toBe(net);
          expect(total(report.trend.map((bucket: Resource) => bucket.netRevenue)).toFixed(digits)).toBe(net);
          expect(total(report.groupBreakdown.map((group: Resource) => group.netRevenue)).toFixed(digits)).toBe(net);
        }
    }),
    { numRuns: 8 },
  );
});
