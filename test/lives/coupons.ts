import { type Exact, exact, minus, NOTHING, nearest, plus, read, times } from '../support/exact.ts';
import {
  type Coupon,
  clipped,
  type History,
  lengthOf,
  NEVER,
  type Period,
  periodsOf,
  type Span,
  segmentsOf,
} from './history.ts';
import { DIGITS, type Life, type Plan } from './life.ts';

/** What coupons need of a bill: its amount before them, and the service that it is for. */
export interface Couponed {
  readonly amount: Exact;
  /** Before all coupons; absent: none took anything yet. */
  readonly before?: Exact;
  readonly service: Span;
  /** Its time without pauses and gaps, which are no service; absent: all of it. */
  readonly served?: readonly Span[];
  /** Of a part of a charge: that service until its own end; absent: all of it. */
  readonly soFar?: readonly Span[];
  readonly cadence?: string;
  /** Of a fee in advance: when it was asked, by which deed (null: as the clock came there), and for which service. */
  readonly asked?: { readonly at: number; readonly order: number | null; readonly service: Span };
  /** The price of the catalog; `minimum`: of the plan. */
  readonly listed: number | 'minimum';
}

const DAYS: Readonly<Record<string, number>> = { P1W: 7, P1M: 30, P3M: 91, P1Y: 365 };

/** Is the service of a bill longer than a period of the plan? */
function isLong(life: Life, history: History, { service, cadence }: Couponed): boolean {
  const plan = (segmentsOf(history).findLast(({ from }) => from <= service.from) ?? history.versions[0])?.plan;
  const own = (life.plans[plan as number] as Plan).cadence;
  return cadence !== undefined && (DAYS[cadence] as number) > (DAYS[own] as number);
}

/**
 * The share of a bill in a window (commercial.md §2): all of it where its service begins there; of one that is longer
 * than a period of the plan, the seconds inside.
 */
function shareIn(life: Life, history: History, bill: Couponed, window: Span): Exact {
  const { service, served = [service] } = bill;
  if (!isLong(life, history, bill)) return exact(window.from <= service.from && service.from < window.to ? 1n : 0n);
  const inside = lengthOf(clipped(served, window));
  return inside <= 0 ? NOTHING : exact(BigInt(inside), BigInt(lengthOf(served)));
}

/**
 * The share of a fee in advance: of the service that was asked, in the window as it was known then. What was asked
 * before a coupon has none of it, and what a coupon gave stays (docs/decisions/0291); a credit mirrors it.
 */
function shareAsked(
  { at, order, service }: NonNullable<Couponed['asked']>,
  coupon: Coupon,
  inWindow: (window: Span, service: Span) => Exact,
): Exact {
  const isBefore = (deed: { readonly at: number; readonly order: number }) =>
    order === null ? deed.at < at : deed.order <= order;
  if (!isBefore({ at: coupon.madeAt, order: coupon.order })) return NOTHING;
  const ends = (coupon.ended ?? []).filter(isBefore).map(({ until }) => until);
  return inWindow({ from: coupon.from, to: Math.min(coupon.planned, ...ends) }, service);
}

/** Coupons that were not taken back. One ends early where the subscription goes on under a plan that it is not for. */
export const withWindows = (history: History): History => ({
  ...history,
  coupons: history.coupons
    .filter(({ isGone }) => !isGone)
    .map((coupon) => {
      const { until, madeAt, plans } = coupon;
      const left = segmentsOf(history).find(({ from, plan }) => from >= madeAt && plans?.includes(plan) === false);
      if (left === undefined || left.from >= until) return coupon;
      const { ended = [] } = coupon;
      const leaves = { until: left.from, at: left.madeAt, order: left.order };
      return { ...coupon, until: left.from, ended: [...ended, leaves] };
    }),
});

const windowOf = ({ from, until }: Coupon): Span => ({ from, to: until });

const isFor = ({ prices }: Coupon, { listed }: Couponed): boolean =>
  prices === undefined || (listed !== 'minimum' && prices.includes(listed));

/** Is a coupon worked out for a whole period? An amount and one with a minimum are, and a percentage after them. */
function ofPeriods({ coupons }: History): Coupon[] {
  const first = coupons.findIndex(({ amount, minimum }) => amount !== undefined || minimum !== undefined);
  return first === -1 ? [] : coupons.slice(first);
}

/**
 * What percentages take off the bills of one charge, one coupon after the other, each rounded once. The bills are the
 * parts of a charge in the order of time, and each bears what has come to it so far.
 */
export function lessPercents<Bill extends Couponed>(life: Life, history: History, bills: readonly Bill[]): Bill[] {
  const later = ofPeriods(history);
  let all = [...bills];
  for (const coupon of history.coupons) {
    if (later.includes(coupon) || !all.some((bill) => isFor(coupon, bill))) continue;
    const part = read(coupon.percent as string);
    let [soFar, taken] = [NOTHING, 0n];
    all = all.map((bill) => {
      soFar = plus(soFar, bill.amount);
      const here = { ...bill, served: bill.soFar ?? bill.served ?? [bill.service] };
      const share = bill.asked
        ? shareAsked(bill.asked, coupon, (window, service) =>
            shareIn(life, history, { ...bill, service, served: [service] }, window),
          )
        : shareIn(life, history, here, windowOf(coupon));
      const off = nearest(times(times(soFar, part), share));
      const own = off - taken;
      taken = off;
      return { ...bill, amount: plus(bill.amount, exact(-own)) };
    });
  }
  return all;
}

/** What all other coupons take, by periods of the plan's own series: below 0. */
export function offPeriods(
  life: Life,
  history: History,
  bills: readonly Couponed[],
): { amount: bigint; because: string[] } {
  const unit = exact(10n ** BigInt(DIGITS[life.currency]));
  const own = ({ chain, span }: Period): boolean => {
    const plan = segmentsOf(history).findLast(({ from }) => from <= span.from)?.plan;
    return plan !== undefined && (life.plans[plan] as Plan).cadence === chain.cadence;
  };
  // Usage after an end as of the past stays billed, and so do the periods of its coupons.
  const last = Math.max(0, ...bills.flatMap(({ service: { from, to } }) => [from + 1, to === NEVER ? 0 : to]));
  const periods = periodsOf(life, { ...history, end: null }, last).filter(own);
  const coupons = ofPeriods(history);
  const carried = new Map<Coupon, bigint>();
  const because: string[] = [];
  let total = 0n;
  const isReached = (coupon: Coupon, period: Span): boolean => {
    const own = bills.filter((bill) => isFor(coupon, bill));
    const parts = own.map((bill) => times(bill.before ?? bill.amount, shareIn(life, history, bill, period)));
    const { minimum } = coupon;
    return minimum === undefined || minus(parts.reduce(plus, NOTHING), times(read(minimum), unit)).over >= 0n;
  };
  for (const { chain, whole, span } of periods) {
    const period = { from: span.from, to: Math.min(whole.to, chain.to) };
    let left = bills.map((bill) => times(bill.amount, shareIn(life, history, bill, period)));
    for (const coupon of coupons) {
      const window = windowOf(coupon);
      const isIn = window.from <= span.from && span.from < window.to && isReached(coupon, period);
      const mine = bills.map((bill, place) => (isFor(coupon, bill) ? (left[place] as Exact) : NOTHING));
      const sum = mine.reduce(plus, NOTHING);
      const most = nearest(sum) > 0n ? nearest(sum) : 0n;
      let off = 0n;
      if (coupon.percent !== undefined) off = isIn ? nearest(times(sum, read(coupon.percent))) : 0n;
      else {
        const fresh = isIn ? nearest(times(read(coupon.amount as string), unit)) : 0n;
        const there = fresh + (carried.get(coupon) ?? 0n);
        off = there < most ? there : most;
        if (coupon.carriesOver) carried.set(coupon, there - off);
      }
      if (off === 0n) continue;
      const rest = exact(sum.over * 1n - off * sum.under, sum.over);
      left = left.map((amount, place) => (isFor(coupon, bills[place] as Couponed) ? times(amount, rest) : amount));
      because.push(`[${span.from / 86_400}d,${span.to / 86_400}d) ${off} of ${sum.over}/${sum.under}`);
      total += off;
    }
  }
  return { amount: -total, because };
}
