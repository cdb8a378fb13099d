import { type Instant, isBefore, latest } from '../../kernel/time.ts';
import { boundsOfSeries, type HistoricTerms, segmentAt, segmentsOf } from '../timeline/segments.ts';
import { periodOf } from '../timeline/series.ts';
import { type Cell, cellAt } from './charges.ts';

/** The period of the plan's own series that holds an instant; the first one before billing starts; null at the end. */
export function ownPeriodAt(terms: HistoricTerms, at: Instant): Cell | null {
  const from = latest(at, terms.bounds.startedAt);
  return cellAt(terms, segmentAt(segmentsOf(terms), from).planCadence, from);
}

/** The window of a coupon, or why it has none. */
export type CouponWindow =
  | { readonly from: Instant; readonly until: Instant | null }
  | { readonly refused: 'too early' | 'after the end' };

/**
 * The window of a coupon that is redeemed now (commercial.md §2): so many periods of the plan's own series, from the
 * first one of which nothing is billed, or from the next start of a period after a later instant. No change moves it.
 * @param billed the start of the last service that is billed; null: nothing is
 * @param periods null: it does not end
 */
export function couponWindow(
  terms: HistoricTerms,
  {
    billed,
    from,
    periods,
  }: { readonly billed: Instant | null; readonly from: Instant | null; readonly periods: number | null },
): CouponWindow {
  const last = ownPeriodAt(terms, billed ?? terms.bounds.startedAt);
  const first = billed === null ? last : last && ownPeriodAt(terms, last.end);
  if (!first) return { refused: 'after the end' };
  if (from !== null && billed !== null && isBefore(from, first.start)) return { refused: 'too early' };
  const held = from === null || !isBefore(first.start, from) ? first : ownPeriodAt(terms, from);
  const cell = held && from !== null && isBefore(held.start, from) ? ownPeriodAt(terms, held.end) : held;
  if (!cell) return { refused: 'after the end' };
  const bounds = boundsOfSeries(terms, cell.cadence, cell.start);
  const after =
    periods === null || !bounds ? null : periodOf(cell.cadence, { ...bounds, endsAt: null }, cell.number + periods);
  return { from: cell.start, until: after?.whole.start ?? null };
}
