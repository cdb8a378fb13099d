import { type Decimal, sum, ZERO } from '../../kernel/decimal.ts';
import { type Fraction, scale } from '../../kernel/fraction.ts';
import { earliest, type Instant, isBefore, latest, type Period } from '../../kernel/time.ts';
import { type Cell, cellAt, cellOf, cellsIn } from '../owed/charges.ts';
import { inTwoKinds, shareIn, windowOf } from '../owed/coupons.ts';
import type { BilledPrice, BilledRedemption } from '../terms/billing-terms.ts';
import { type HistoricTerms, segmentAt, segmentsOf } from '../timeline/segments.ts';
import { type BilledItem, leftBeforeNotes } from './billed.ts';
import type { BillingState, DueCharge } from './due.ts';
import { priceOfItem, shareOfItem } from './share-of-item.ts';

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
  /** The period is closed, and this corrects its bill. */
  readonly isLate: boolean;
}

/**
 * The coupons that an invoice bears for whole periods of the plan (commercial.md §2): of the periods of its charges, so
 * that the first invoice with service of a period takes what it can, and a later one the remainder.
 */
export function couponsDue(
  state: Pick<BillingState, 'terms' | 'items'> & { readonly invoice: BillingState['invoice'] | null },
  due: readonly DueCharge[],
): DueCoupons[] {
  const { terms, invoice } = state;
  const { ofPeriods } = inTwoKinds(terms.redemptions);
  if (ofPeriods.length === 0) return [];
  const own = due.filter(({ late }) => late === undefined);
  const start = invoice?.kind === 'subscription' ? cellOf(terms, invoice).start : null;
  const ownCells = cellsOf(terms, own, start);
  const first = ownCells.map((cell) => cell.start).reduce<Instant | null>((a, b) => (a ? earliest(a, b) : b), null);
  const late = cellsOf(
    terms,
    due.filter((each) => each.late !== undefined),
    null,
  ).filter((cell) => first === null || isBefore(cell.start, first));
  const make = (cell: Cell, isLate: boolean) => couponsIn(state, cell, ofPeriods, isLate);
  return [...ownCells.flatMap((cell) => make(cell, false)), ...late.flatMap((cell) => make(cell, true))];
}

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

function couponsIn(
  { terms, items }: Pick<BillingState, 'terms' | 'items'>,
  cell: Cell,
  redemptions: readonly BilledRedemption[],
  isLate: boolean,
): DueCoupons[] {
  const period = { start: cell.start, end: cell.whole.end };
  const quoted = (item: BilledItem) => leftBeforeNotes(item, terms.taxBehavior);
  const coupons = redemptions.flatMap((redemption): CouponInPeriod[] => {
    const own = items.filter(({ redemptionId }) => redemptionId === redemption.id);
    const [here, elsewhere] = [
      own.filter((item) => item.period.start.equals(cell.start)),
      own.filter((item) => !item.period.start.equals(cell.start)),
    ].map((those) => sum(those.map(quoted)).negated()) as [Decimal, Decimal];
    const available = availableIn(terms, cell, redemption, elsewhere);
    return available === null && here.isZero() ? [] : [{ redemption, available: available ?? ZERO, taken: here }];
  });
  if (coupons.length === 0) return [];
  const billed = items.flatMap((item): BilledInPeriod[] => {
    if (item.redemptionId !== undefined) return [];
    const share = shareOfItem(terms, period, item);
    if (share.numerator === 0n) return [];
    const ofCoupons = item.lines
      .filter(({ type }) => type === 'coupon')
      .map(({ net, tax }) => (terms.taxBehavior === 'inclusive' ? net.plus(tax) : net));
    const amount = scale(quoted(item), share);
    return [{ price: priceOfItem(terms, item), amount, whole: amount.minus(scale(sum(ofCoupons), share)) }];
  });
  return [{ period, coupons, billed, shareOf: (charge) => shareIn(terms, charge, period), isLate }];
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
