import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { cases } from '../support/cases.ts';
import { changeTo, costOf, end, fee, payAll, promptPlan, subscribed } from '../support/crossings.ts';
import { sharedEnvironment, type TestEnvironment } from '../support/environment.ts';
import { exact, nearest } from '../support/exact.ts';
import { type Resource, type Shop, shopOf } from '../support/shop.ts';

/**
 * A plan with a yearly fee is left and taken again: each time is a service interval of its own (domain.md §3, Owed less
 * billed). It is billed whole with its own discounts, and the remainder of the one before is credited with its own.
 */
let env: TestEnvironment;
let shop: Shop;
beforeAll(async () => {
  env = await sharedEnvironment({ recomputed: true });
  shop = shopOf(await env.merchant());
});
afterAll(() => env.close());

const YEARLY = 120_000n;

/** Two plans with the same monthly price, one of them with a yearly fee. */
async function plans(monthly: Resource) {
  const yearly = await fee(shop, 'in_advance', '1200', { billingCadence: 'P1Y' });
  return { with: await promptPlan(shop, [yearly, monthly]), without: await promptPlan(shop, [monthly]) };
}

const discount = (subscription: Resource, from: string, to: string, part = '0.1') =>
  shop.create(`/v0/subscriptions/${subscription.id}/adjustments`, {
    ...{ type: 'percentageDiscount', percentageDiscount: part, description: 'Off' },
    ...{ effectiveFrom: from, effectiveTo: to },
  });

const upcoming = async ({ id }: Resource, cadence = 'P1M'): Promise<Resource> =>
  shop.read(`/v0/subscriptions/${id}/upcomingInvoice?billingCadence=${cadence}`);

const january1 = Temporal.Instant.from('2024-01-01T00:00:00Z');
const at = (hours: number): string => january1.add({ hours }).toString();

describe('away and back at period ends', () => {
  it.each([
    { discounted: false, invoice: '111.64', yearly: 130_164 }, // 31 of 366 days, and another year
    { discounted: true, invoice: '0.00', yearly: 118_164 }, // the year for 1,080.00
  ])('bills what the preview says; with a discount: $discounted', async ({ discounted, invoice, yearly }) => {
    const plan = await plans(await fee(shop, 'in_advance', '10'));
    const { clock, subscription, customerId } = await subscribed(shop, plan.with, at(0));
    await payAll(shop, customerId);
    await shop.advance(clock, '2024-01-10T00:00:00Z');
    await changeTo(shop, subscription, plan.without, { effective: 'periodEnd' });
    await shop.advance(clock, '2024-02-01T00:00:00Z');
    if (discounted) await discount(subscription, '2024-02-20T00:00:00Z', '2024-03-10T00:00:00Z');
    const changed = await changeTo(shop, subscription, plan.with, { effective: 'periodEnd' });
    expect(changed.invoicePreview.grandTotal).toBe(invoice);
    await shop.advance(clock, '2024-02-29T23:00:00Z');
    const { id, grandTotal } = await upcoming(subscription);
    await shop.advance(clock, '2024-03-01T00:00:00Z');
    expect([grandTotal, (await shop.invoice(id)).grandTotal]).toEqual([invoice, invoice]);
    await shop.advance(clock, '2024-04-01T00:00:00Z');
    const months = discounted ? 3900 : 4000; // January to April, March less a tenth
    expect(await costOf(shop, customerId)).toBe(((yearly + months) / 100).toFixed(2));
  });
});

it('a year that gave no credit when it was left goes on', async () => {
  const plan = await plans(await fee(shop, 'in_advance', '10'));
  const { clock, subscription, customerId } = await subscribed(shop, plan.with, at(0));
  await payAll(shop, customerId);
  await shop.advance(clock, '2024-01-10T00:00:00Z');
  await changeTo(shop, subscription, plan.without, { credit: 'none' });
  await shop.advance(clock, '2024-01-21T00:00:00Z');
  await changeTo(shop, subscription, plan.with);
  await shop.advance(clock, '2024-02-01T00:00:00Z');
  // Of the year from the 21st of January 346 of 366 days are paid: 1,200.00 less 1,134.43. And two months.
  expect(await costOf(shop, customerId)).toBe('1285.57');
});

it('a yearly fee left at a change without credit, and changed again at the same instant, is billed once', async () => {
  const plan = await plans(await fee(shop, 'in_advance', '10'));
  const { clock, subscription, customerId } = await subscribed(shop, plan.with, '2023-11-30T23:59:59Z');
  const change = async (to: Resource, fields: Record<string, unknown> = {}) => {
    const preview = await shop.act(`/v0/subscriptions/${subscription.id}/changes`, {
      planId: to.id,
      ...fields,
      dryRun: true,
    });
    const { change: _, ...done } = await changeTo(shop, subscription, to, fields);
    expect(done.invoicePreview?.grandTotal).toBe(preview.invoicePreview?.grandTotal);
    await payAll(shop, customerId);
  };
  await shop.advance(clock, '2023-12-30T23:59:59Z');
  await change(plan.without, { proration: 'none' });
  await shop.advance(clock, '2024-01-09T17:55:36Z');
  await change(plan.with);
  await shop.advance(clock, '2024-01-30T23:59:59Z');
  await change(plan.without, { effective: 'periodEnd' });
  await shop.advance(clock, '2024-02-29T23:59:59Z');
  await change(plan.with, { effective: 'periodEnd', credit: 'wallet' });
  await discount(subscription, '2024-03-30T00:00:00Z', '2024-03-31T12:00:00Z');
  await shop.advance(clock, '2024-03-30T23:59:59Z');
  await change(plan.without, { effective: 'periodEnd', credit: 'none' });
  await shop.advance(clock, '2024-04-30T23:59:59Z');
  await change(plan.with, { credit: 'wallet' });
  await shop.advance(clock, '2024-06-10T00:00:00Z');
  // The last change at the 30th of April is back at that instant: the year from the 30th of March goes on.
  const billed = (await shop.invoices(subscription)).filter(({ status }) => status !== 'ACTIVE');
  const lines: Resource[] = billed.flatMap((invoice) => invoice.lines);
  const years = lines.filter(
    ({ type, periodStart, periodEnd }) => type === 'charge' && yearsApart(periodStart, periodEnd),
  );
  expect(years.map(({ periodStart, totalPrice }) => `${periodStart.slice(0, 10)} ${totalPrice}`)).toEqual([
    '2023-11-30 1200.00',
    '2024-01-09 1200.00',
    '2024-03-30 1200.00',
  ]);
});

const yearsApart = (start: string, end: string): boolean =>
  Temporal.Instant.from(start).until(Temporal.Instant.from(end)).total('hours') > 24 * 300;

interface Flip {
  readonly gap: number;
  readonly effective: 'now' | 'periodEnd';
}
interface Life {
  /** Usage comes three weeks late before each change. */
  readonly isLate: boolean;
  readonly flips: readonly Flip[];
  readonly windows: readonly { readonly from: number; readonly length: number; readonly part: '0.1' | '0.25' }[];
}
const life = fc.record({
  isLate: fc.boolean(),
  flips: fc.array(
    fc.record({
      gap: fc.integer({ min: 30, max: 900 }),
      effective: fc.constantFrom('now' as const, 'periodEnd' as const),
    }),
    { minLength: 2, maxLength: 5 },
  ),
  windows: fc.array(
    fc.record({
      from: fc.integer({ min: 1, max: 3000 }),
      length: fc.integer({ min: 24, max: 1500 }),
      part: fc.constantFrom('0.1' as const, '0.25' as const),
    }),
    { maxLength: 2 },
  ),
});

const hoursOf = (date: Temporal.PlainDate): number => 24 * Temporal.PlainDate.from('2024-01-01').until(date).days;
/** The first of the month after an hour. */
function nextMonth(hour: number): number {
  for (let month = 1; ; month += 1) {
    const found = hoursOf(Temporal.PlainDate.from('2024-01-01').add({ months: month }));
    if (found > hour) return found;
  }
}
/** A year from an hour on, in hours. */
const yearFrom = (hour: number): number =>
  january1
    .add({ hours: hour })
    .toZonedDateTimeISO('UTC')
    .add({ years: 1 })
    .since(january1.toZonedDateTimeISO('UTC'), { largestUnit: 'hours' }).hours - hour;

interface Interval {
  readonly from: number;
  to: number;
  /** The instant of the invoice that bills it; null: the upfront invoice, which has no discount. */
  billedAt: number | null;
}

/**
 * What remains of the yearly fee: each interval whole less its discounts, less its share after the interval's end. One
 * that is over before its invoice is billed for its time alone.
 */
const yearlyOf = ({ windows }: Life, intervals: readonly Interval[]): bigint =>
  intervals.reduce((total, { from, to, billedAt }) => {
    const year = BigInt(yearFrom(from));
    const part = (amount: bigint, hours: number) => nearest(exact(amount * BigInt(hours), year));
    const isOver = billedAt !== null && to <= billedAt;
    let net = isOver ? part(YEARLY, to - from) : YEARLY;
    for (const { from: opens, length, part: off } of windows)
      if (billedAt !== null && opens <= billedAt && billedAt < opens + length)
        net -= nearest(exact(net, off === '0.1' ? 10n : 4n));
    return total + net - (isOver ? 0n : part(net, Number(year) + from - to));
  }, 0n);

it('each interval is billed with its own discounts, and each preview is the bill', { timeout: 600_000 }, async () => {
  await fc.assert(
    fc.asyncProperty(life, async (of) => {
      const plan = await plans(await shop.usagePrice());
      const { clock, subscription, customerId } = await subscribed(shop, plan.with, at(0));
      for (const { from, length, part } of of.windows) await discount(subscription, at(from), at(from + length), part);
      const intervals: Interval[] = [{ from: 0, to: 0, billedAt: null }];
      let [now, isWith] = [0, true];
      const advance = async (to: number) => {
        for (let month = nextMonth(now); month <= to; month = nextMonth(month)) {
          await shop.advance(clock, at(month - 1));
          const open = [await upcoming(subscription), await upcoming(subscription, 'P1Y').catch(() => null)];
          await shop.advance(clock, at(month));
          for (const shown of open) {
            const billed = shown && (await shop.invoice(shown.id));
            if (billed && billed.status !== 'ACTIVE')
              expect(billed.grandTotal, `${billed.billingCadence} at ${month} h`).toBe(shown.grandTotal);
          }
        }
        if (to > nextMonth(now) || nextMonth(now) !== to) await shop.advance(clock, at(to));
        now = to;
      };
      for (const { gap, effective } of of.flips) {
        const target = now + gap;
        await advance(nextMonth(target) === target + 1 || nextMonth(target - 1) === target ? target + 3 : target);
        const to = isWith ? plan.without : plan.with;
        if (of.isLate && now > 24 * 21) await shop.use(subscription.id, at(now - 24 * 21), 5);
        const dryRun = await shop.act(`/v0/subscriptions/${subscription.id}/changes`, {
          planId: to.id,
          effective,
          dryRun: true,
        });
        const done = await changeTo(shop, subscription, to, { effective });
        expect(done.invoicePreview.grandTotal).toBe(dryRun.invoicePreview.grandTotal);
        const effectiveAt = effective === 'now' ? now : nextMonth(now);
        if (effective === 'periodEnd') await advance(effectiveAt + 1);
        const last = intervals.at(-1) as Interval;
        if (isWith) last.to = effectiveAt;
        else
          intervals.push({
            from: effectiveAt,
            to: 0,
            billedAt: effective === 'now' ? nextMonth(effectiveAt) : effectiveAt,
          });
        isWith = !isWith;
      }
      await advance(nextMonth(now) === now + 2 ? now + 5 : now + 2);
      await end(shop, subscription);
      for (const each of intervals) each.billedAt &&= Math.min(each.billedAt, now); // the end closes the open invoice
      if (isWith) (intervals.at(-1) as Interval).to = now;
      await shop.advance(clock, 'PT2H');
      if (!of.isLate) expect(await costOf(shop, customerId)).toBe((Number(yearlyOf(of, intervals)) / 100).toFixed(2));
    }),
    cases(2, 15),
  );
});
