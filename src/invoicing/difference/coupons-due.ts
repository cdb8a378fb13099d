import { type Decimal, sum, ZERO } from '../../kernel/decimal.ts';
import { type Fraction, scale } from '../../kernel/fraction.ts';
import { earliest, type Instant, isAfter, isBefore, latest, type Period } from '../../kernel/time.ts';
import { type Cell, cellAt, cellOf, cellsIn } from '../owed/charges.ts';
import { ownPeriodAt } from '../owed/coupon-window.ts';
import { inTwoKinds, isForCharge, shareIn, windowOf } from '../owed/coupons.ts';
import type { BilledPrice, BilledRedemption } from '../terms/billing-terms.ts';
import { boundsOfSeries, type HistoricTerms, segmentAt, segmentsOf } from '../timeline/segments.ts';
import { type BilledItem, leftBeforeNotes, quoted } from './billed.ts';
import type { BillingState, DueCharge, UncalculatedInvoice } from './due.ts';
import { type Bills, priceOfItem, shareOfItem } from './share-of-item.ts';

/** What of a period is on other invoices: a price, or (null) the minimum of the plan. */
export interface BilledInPeriod {
  readonly price: BilledPrice | null;
  /** As the price quotes it, after coupons of charges and before those of periods. */
  readonly amount: Decimal;
  /** Before all coupons. */
  readonly whole: Decimal;
}

/** A coupon in a period of the plan. */
export interface CouponInPeriod {
  readonly redemption: BilledRedemption;
  /** Does its window hold the period, or does it carry an amount over to it? */
  readonly isIn: boolean;
  /** What it may take in the period, where it is an amount. */
  readonly available: Decimal;
  /** What other invoices took for it in the period. */
  readonly taken: Decimal;
}

/** A period of the plan with the coupons that are worked out for all of it. */
export interface DueCoupons {
  readonly period: Period;
  readonly coupons: readonly CouponInPeriod[];
  readonly billed: readonly BilledInPeriod[];
  readonly shareOf: (charge: DueCharge['charge']) => Fraction;
  /** It begins before the periods of the invoice, and this corrects its bill. */
  readonly isLate: boolean;
}

/** What decides on the coupons of periods; without an invoice if only what is billed is asked about. */
export type CouponState = Pick<BillingState, 'terms' | 'items'> & { readonly invoice: UncalculatedInvoice | null };

/**
 * The coupons that an invoice bears for whole periods of the plan (commercial.md §2): of the periods of its charges, so
 * that the first invoice with service of a period takes what it can, and a later one the remainder; and of those from
 * its own period on of which other invoices took something, because a credit may have lowered what they owe. The one
 * with an end, or that follows it, looks at all periods: an end in the past credits bills of earlier ones.
 */
export function couponsDue(state: CouponState, due: readonly DueCharge[]): DueCoupons[] {
  const { ofPeriods } = inTwoKinds(state.terms.redemptions);
  if (ofPeriods.length === 0) return [];
  const terms = withoutEnd(state.terms);
  const own = ownStartOf(terms, state.invoice);
  const touched = cellsOf(terms, due, own);
  const first = isLast(state.terms, state.invoice)
    ? terms.bounds.startedAt
    : (own ?? touched.map(({ start }) => start).reduce<Instant | null>(min, null));
  const starts = [
    ...touched.map(({ start }) => start),
    ...state.items
      .filter(({ redemptionId }) => redemptionId !== undefined)
      .map(({ period }) => period.start)
      .filter((start) => first !== null && !isBefore(start, first)),
  ];
  const known = new Map(starts.map((start) => [start.toString(), start]));
  const charges = due.map(({ charge }) => charge);
  return [...known.values()]
    .toSorted(Temporal.Instant.compare)
    .flatMap((start) =>
      couponsIn({ ...state, terms, charges }, start, ofPeriods, own === null || isBefore(start, own)),
    );
}

/** Is an invoice one of the last ones of its subscription? */
export const isLast = ({ bounds: { endsAt } }: HistoricTerms, invoice: UncalculatedInvoice | null): boolean =>
  invoice?.kind === 'ad_hoc' ||
  (invoice?.kind === 'subscription' && endsAt !== null && !isAfter(endsAt, invoice.periodEnd));

/** What periods owe of their coupons, and what invoices took for them, where no further invoice follows. */
export function couponsBilled(state: Pick<CouponState, 'terms' | 'items'>): DueCoupons[] {
  const { ofPeriods } = inTwoKinds(state.terms.redemptions);
  const terms = withoutEnd(state.terms);
  const starts = state.items.flatMap(({ redemptionId, period: { start } }) =>
    redemptionId === undefined ? [] : start,
  );
  const known = new Map(starts.map((start) => [start.toString(), start]));
  return [...known.values()]
    .toSorted(Temporal.Instant.compare)
    .flatMap((start) => couponsIn({ ...state, terms, charges: [] }, start, ofPeriods, true));
}

/** The bills of a period of the plan that a redemption is for. */
export function billsUnder(
  { terms: all, items }: Pick<CouponState, 'terms' | 'items'>,
  redemption: BilledRedemption,
  start: Instant,
): BilledItem[] {
  const terms = withoutEnd(all);
  const cell = ownPeriodAt(terms, start);
  if (!cell) return [];
  const period = { start, end: endOf(terms, cell) };
  return items.filter(
    (item) =>
      item.redemptionId === undefined &&
      isForCharge(redemption, priceOfItem(terms, item)) &&
      shareOfItem(terms, period, item, { items, charges: [] }).numerator > 0n,
  );
}

/**
 * The start of the first period of the plan that an invoice itself bills: coupons of an earlier one correct its bill.
 * Null: it has no period.
 */
export function ownStartOf(terms: HistoricTerms, invoice: UncalculatedInvoice | null): Instant | null {
  if (invoice === null) return null;
  const { kind, billingAnchor } = invoice;
  if (kind !== 'upfront' && kind !== 'subscription') return null;
  const at = kind === 'upfront' ? billingAnchor : cellOf(terms, invoice).start;
  return ownPeriodAt(withoutEnd(terms), at)?.start ?? null;
}

/** Usage that is billed of a time after an end as of the past stays billed, and so do the periods of its coupons. */
export const withoutEnd = <Terms extends HistoricTerms>(terms: Terms): Terms =>
  terms.bounds.endsAt === null ? terms : { ...terms, bounds: { ...terms.bounds, endsAt: null } };

/** The periods of the plan in which the service of some charges lies, and (of an invoice) all from its own start. */
function cellsOf(terms: HistoricTerms, due: readonly DueCharge[], from: Instant | null): Cell[] {
  const spans = due.flatMap(({ charge: { spans, period } }) => (spans.length > 0 ? spans : [period]));
  const starts = [...spans.map(({ start }) => start), ...(from ? [from] : [])];
  const ends = spans.map(({ start, end }) => latest(end, start.add({ microseconds: 1 })));
  const [first, last] = [starts.reduce<Instant | null>(min, null), ends.reduce<Instant | null>(max, from)];
  if (!(first && last)) return [];
  return cellsIn(terms, { start: first, end: latest(last, first.add({ microseconds: 1 })) }).filter(
    ({ cadence, start }) => segmentAt(segmentsOf(terms), start).planCadence === cadence,
  );
}

const min = (a: Instant | null, b: Instant): Instant => (a ? earliest(a, b) : b);
const max = (a: Instant | null, b: Instant): Instant => (a ? latest(a, b) : b);

/** A period of the plan that begins at an instant, with its coupons; none where no coupon is or was given in it. */
function couponsIn(
  { terms, items, charges }: Pick<CouponState, 'terms'> & Bills,
  start: Instant,
  redemptions: readonly BilledRedemption[],
  isLate: boolean,
): DueCoupons[] {
  const found = ownPeriodAt(terms, start);
  const cell = found?.start.equals(start) ? found : null; // no longer a period, since a change
  const period = { start, end: cell ? endOf(terms, cell) : start };
  const leftOf = (item: BilledItem) => leftBeforeNotes(item, terms.taxBehavior);
  const coupons = redemptions.flatMap((redemption): CouponInPeriod[] => {
    const own = items.filter(({ redemptionId }) => redemptionId === redemption.id);
    const [here, elsewhere] = [
      own.filter((item) => item.period.start.equals(start)),
      own.filter((item) => !item.period.start.equals(start)),
    ].map((those) => sum(those.map(leftOf)).negated()) as [Decimal, Decimal];
    const available = cell && availableIn(terms, cell, redemption, elsewhere);
    if (available === null && here.isZero()) return [];
    return [{ redemption, isIn: available !== null, available: available ?? ZERO, taken: here }];
  });
  if (coupons.length === 0) return [];
  const billed = items.flatMap((item): BilledInPeriod[] => {
    if (item.redemptionId !== undefined) return [];
    const share = shareOfItem(terms, period, item, { items, charges });
    if (share.numerator === 0n) return [];
    const ofCoupons = item.lines.filter(({ type }) => type === 'coupon').map((line) => quoted(line, terms.taxBehavior));
    const amount = scale(leftOf(item), share);
    return [{ price: priceOfItem(terms, item), amount, whole: amount.minus(scale(sum(ofCoupons), share)) }];
  });
  return [{ period, coupons, billed, shareOf: (charge) => shareIn(terms, charge, period), isLate }];
}

/** A period ends early where its series does. */
function endOf(terms: HistoricTerms, { cadence, start, whole }: Cell): Instant {
  const { endsAt = null } = boundsOfSeries(terms, cadence, start) ?? {};
  return endsAt === null ? whole.end : earliest(whole.end, endsAt);
}

/**
 * What a coupon may take in a period, as an amount (0: it is a percentage); null where it does not hold there. What
 * carries over is all of the periods so far, less what the others took.
 */
function availableIn(
  terms: HistoricTerms,
  cell: Cell,
  redemption: BilledRedemption,
  elsewhere: Decimal,
): Decimal | null {
  const window = windowOf(redemption, terms);
  const isIn = !isBefore(cell.start, window.start) && isBefore(cell.start, window.end);
  const { amountOff, carriesOver } = redemption;
  if (amountOff === null || !carriesOver) return isIn ? (amountOff ?? ZERO) : null;
  if (isBefore(cell.start, window.start)) return null;
  let begun = 0;
  for (let at: Cell | null = cellAt(terms, cell.cadence, window.start); at; at = cellAt(terms, cell.cadence, at.end)) {
    if (isBefore(cell.start, at.start) || !isBefore(at.start, window.end)) break;
    begun += 1;
  }
  return amountOff.times(begun).minus(elsewhere);
}
