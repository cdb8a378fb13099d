import fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { cases } from '../support/cases.ts';
import { closeNow, costOf, endAsOf, promptPlan, subscribed } from '../support/crossings.ts';
import { sharedEnvironment, type TestEnvironment } from '../support/environment.ts';
import { type Exact, exact, minus, nearest, plus, times } from '../support/exact.ts';
import { type Resource, type Shop, shopOf } from '../support/shop.ts';

/**
 * Random plans with a minimum beside prices of every cadence, with cuts and ends that are told late: the net amount of
 * the whole life is that of the closed formula of domain.md §2, in fractions of big integers. Times are whole days, and
 * a fee is a whole number of cents for each day of each of its periods.
 */
const RUNS = cases(3, 30);

let env: TestEnvironment;
let shop: Shop;
beforeAll(async () => {
  env = await sharedEnvironment({ recomputed: true });
  shop = shopOf(await env.merchant());
});
afterAll(() => env.close());

type Cadence = 'P1W' | 'P1M' | 'P3M' | 'P1Y';
interface Price {
  readonly cadence: Cadence;
  readonly kind: 'advance' | 'arrears' | 'usage';
  readonly size: number;
}
interface Life {
  readonly start: string;
  readonly own: Cadence;
  /** In cents. */
  readonly minimum: number;
  readonly graceDays: number;
  readonly prices: readonly Price[];
  readonly uses: readonly { readonly price: number; readonly day: number; readonly units: number }[];
  readonly cuts: readonly { readonly price: number; readonly day: number }[];
  readonly end: number;
  readonly toldLater: number;
}

/** Cents: a multiple of the days of each period that begins on the first or the 15th of a month. */
const BASE: Record<Cadence, number> = { P1W: 7, P1M: 377_580, P3M: 376_740, P1Y: 133_590 };
const MOST: Record<Cadence, number> = { P1W: 9000, P1M: 2, P3M: 3, P1Y: 40 };

const cadence = fc.constantFrom<Cadence>('P1W', 'P1M', 'P3M', 'P1Y');
const price = fc
  .tuple(cadence, fc.constantFrom('advance' as const, 'arrears' as const, 'usage' as const), fc.nat())
  .map(([of, kind, size]): Price => ({ cadence: of, kind, size: 1 + (size % MOST[of]) }));
const life = fc
  .record({
    start: fc.constantFrom('2024-01-01', '2023-04-01', '2024-01-15'),
    own: fc.constantFrom<Cadence>('P1M', 'P1M', 'P3M', 'P1Y'),
    minimum: fc.integer({ min: 1, max: 2_000_000 }),
    graceDays: fc.constantFrom(0, 0, 2),
    prices: fc.array(price, { minLength: 1, maxLength: 4 }),
    uses: fc.array(fc.record({ price: fc.nat(3), day: fc.nat(429), units: fc.integer({ min: 1, max: 4000 }) }), {
      maxLength: 6,
    }),
    cuts: fc.array(fc.record({ price: fc.nat(3), day: fc.integer({ min: 1, max: 429 }) }), { maxLength: 3 }),
    end: fc.oneof(fc.integer({ min: 2, max: 100 }), fc.integer({ min: 2, max: 430 })),
    toldLater: fc.constantFrom(0, 0, 1, 5, 20, 34),
  })
  .map(({ uses, cuts, ...of }): Life => {
    const within = <Deed extends { price: number; day: number }>(deeds: readonly Deed[]) =>
      deeds.filter((deed) => deed.day < of.end).map((deed) => ({ ...deed, price: deed.price % of.prices.length }));
    return { ...of, uses: within(uses), cuts: within(cuts) };
  });

/** The day with which period `number` begins. */
function boundary({ start }: Life, of: Cadence, number: number): number {
  const first = Temporal.PlainDate.from(start);
  const length = {
    P1W: { weeks: number },
    P1M: { months: number },
    P3M: { months: 3 * number },
    P1Y: { years: number },
  };
  return first.until(first.add(length[of])).days;
}

interface Span {
  readonly from: number;
  readonly to: number;
}

/** The periods that begin before the end. */
function periodsOf(of: Life, every: Cadence): Span[] {
  const found: Span[] = [];
  for (let number = 0; boundary(of, every, number) < of.end; number += 1)
    found.push({ from: boundary(of, every, number), to: boundary(of, every, number + 1) });
  return found;
}

interface Bill {
  readonly cadence: Cadence;
  readonly isArrears: boolean;
  readonly cents: Exact;
  /** The time that is billed and not credited. */
  readonly time: Span;
  readonly period: Span;
  /** The day on which a cut billed it. */
  readonly cutAt: number | null;
}

function billsOf(of: Life, index: number): Bill[] {
  const { cadence: every, kind, size } = of.prices[index] as Price;
  return periodsOf(of, every).flatMap((whole): Bill[] => {
    const period = { from: whole.from, to: Math.min(whole.to, of.end) };
    const share = (time: Span) =>
      exact(BigInt(size * BASE[every]) * BigInt(time.to - time.from), BigInt(whole.to - whole.from));
    const bill = { cadence: every, isArrears: kind !== 'advance', period };
    if (kind === 'advance') return [{ ...bill, cents: share(period), time: period, cutAt: null }];
    const cuts = of.cuts.filter(
      ({ price: at, day }) => of.prices[at]?.cadence === every && period.from < day && day < period.to,
    );
    const days = [...new Set(cuts.map(({ day }) => day))].toSorted((a, b) => a - b);
    // Usage of a period that was billed before the end was told stays billed, for all of the period.
    const wasBilled = whole.to + of.graceDays <= of.end + of.toldLater;
    const last = kind === 'usage' && wasBilled ? whole.to : period.to;
    return [period.from, ...days].map((from, place): Bill => {
      const time = { from, to: days[place] ?? last };
      const used = of.uses.filter(({ price: at, day }) => at === index && time.from <= day && day < time.to);
      const cents = exact(BigInt(used.reduce((total, { units }) => total + 100 * units, 0)));
      return { ...bill, cents: kind === 'usage' ? cents : share(time), time, cutAt: days[place] ?? null };
    });
  });
}

/** domain.md §2, "A plan's minimumAmount". */
function counted(
  { own }: Life,
  plan: Span,
  whole: Span,
  { cadence: every, isArrears, cents, time, period, cutAt }: Bill,
): Exact {
  if (every === own) return period.from === plan.from ? cents : exact(0n);
  const served = Math.min(time.to, plan.to) - Math.max(time.from, plan.from);
  if (served <= 0) return exact(0n);
  if (isArrears) {
    if ((cutAt ?? period.to) > plan.to) return exact(0n);
    if (cutAt !== null && LENGTH[every] > whole.to - whole.from) return exact(0n);
  }
  return times(cents, exact(BigInt(served), BigInt(time.to - time.from)));
}

const LENGTH: Record<Cadence, number> = { P1W: 7, P1M: 30, P3M: 91, P1Y: 365 };

function owed(of: Life): bigint {
  const bills = of.prices.flatMap((_, index) => billsOf(of, index));
  const missing = periodsOf(of, of.own).map((whole) => {
    const plan = { from: whole.from, to: Math.min(whole.to, of.end) };
    const share = exact(BigInt(of.minimum * (plan.to - plan.from)), BigInt(whole.to - whole.from));
    const reached = bills.map((bill) => counted(of, plan, whole, bill)).reduce(plus, exact(0n));
    const cents = nearest(minus(share, reached));
    return cents > 0n ? cents : 0n;
  });
  const charged = bills.map(({ cents }) => cents).reduce(plus, exact(0n));
  expect(charged.under).toBe(1n);
  return missing.reduce((total, cents) => total + cents, charged.over);
}

const centsText = (cents: number): string => (cents / 100).toFixed(2);

async function lived(of: Life): Promise<string> {
  const dayOf = (day: number) => `${Temporal.PlainDate.from(of.start).add({ days: day }).toString()}T00:00:00Z`;
  const prices: Resource[] = [];
  for (const [index, { cadence: billingCadence, kind, size }] of of.prices.entries()) {
    const fields = { invoiceDisplayName: `p${index}`, billingCadence };
    prices.push(
      kind === 'usage'
        ? await shop.usagePrice({ ...fields, billableMetricId: (await shop.metric({ eventType: `use-${index}` })).id })
        : await shop.feePrice({
            ...fields,
            paymentTerm: kind === 'advance' ? 'in_advance' : 'in_arrears',
            properties: { unitPrice: centsText(size * BASE[billingCadence]) },
          }),
    );
  }
  const plan = await promptPlan(shop, prices, {
    ...{ billingCadence: of.own, minimumAmount: centsText(of.minimum), gracePeriod: `P${of.graceDays}D` },
  });
  const { clock, subscription, customerId } = await subscribed(shop, plan, dayOf(0));
  const deeds = [
    ...of.uses.map(({ price: index, day, units }) => ({
      day,
      act: () => shop.use(subscription.id, dayOf(day), units, { type: `use-${index}` }),
    })),
    ...of.cuts.map(({ price: index, day }) => ({
      day,
      // Two cuts on one day, or on the first day of a period, are one or none.
      act: () => closeNow(shop, subscription, of.prices[index]?.cadence).catch(() => undefined),
    })),
    { day: of.end + of.toldLater, act: () => endAsOf(shop, subscription, dayOf(of.end)) },
  ].toSorted((a, b) => a.day - b.day);
  let now = 0;
  for (const { day, act } of deeds) {
    if (day > now) await shop.advance(clock, dayOf(day));
    now = Math.max(now, day);
    await expectNothingAskedOfOpen(subscription);
    await act();
  }
  await shop.advance(clock, dayOf(now + 45));
  if (of.toldLater === 0) await expectAskedOnce(subscription);
  return costOf(shop, customerId);
}

/** All series that end with a period of the plan were billed before it asked: nothing is asked and taken back. */
async function expectAskedOnce(subscription: Resource): Promise<void> {
  const lines = (await shop.invoices(subscription)).flatMap((invoice) => invoice.lines);
  const asked = lines.filter(({ type }: Resource) => type === 'commitment');
  expect(asked.filter(({ totalPrice }: Resource) => totalPrice.startsWith('-'))).toEqual([]);
  expect(new Set(asked.map(({ periodStart }: Resource) => periodStart)).size).toBe(asked.length);
}

async function expectNothingAskedOfOpen({ id }: Resource): Promise<void> {
  const { data } = await shop.read(`/v2/invoices?subscriptionId=${id}&status=ACTIVE&limit=100`);
  for (const open of data) {
    const { lines } = await shop.invoice(open.id);
    expect(lines.filter(({ type }: Resource) => type === 'commitment')).toEqual([]);
  }
}

it('a minimum beside prices of other cadences comes to the closed formula', { timeout: 600_000 }, async () => {
  await fc.assert(
    fc.asyncProperty(life, async (of) => {
      expect(await lived(of)).toBe(centsText(Number(owed(of))));
    }),
    RUNS,
  );
});
