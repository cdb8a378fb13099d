import { type Fraction, NONE } from '../../kernel/fraction.ts';
import { intersect, lengthOf } from '../../kernel/spans.ts';
import { type Instant, isBefore, type Period } from '../../kernel/time.ts';
import { cellAt } from '../owed/charges.ts';
import { isLongerThanPlan } from '../owed/coupons.ts';
import type { BilledPrice } from '../terms/billing-terms.ts';
import {
  cadenceOfPrice,
  type HistoricTerms,
  type Segment,
  segmentAt,
  segmentsOf,
  spansOf,
} from '../timeline/segments.ts';
import { type BilledItem, timeOfItem } from './billed.ts';

/** The price of an item; null: the minimum of the plan. */
export const priceOfItem = (terms: HistoricTerms, { priceId }: BilledItem): BilledPrice | null =>
  priceId === null
    ? null
    : (segmentsOf(terms)
        .flatMap(({ prices }) => prices)
        .find(({ id }) => id === priceId) ?? null);

/** The share of a bill in a time: by its seconds where it is longer, else where its service begins. */
export function shareOfItem(terms: HistoricTerms, period: Period, item: BilledItem): Fraction {
  const { start } = item.period;
  const segments = segmentsOf(terms);
  const price = priceOfItem(terms, item);
  const segment = segmentAt(segments, start);
  const isIn = (at: Instant): Fraction =>
    isBefore(at, period.start) || !isBefore(at, period.end) ? NONE : { numerator: 1n, denominator: 1n };
  if (price === null || cadenceOfPrice(segment, price) === 'P0D') return isIn(start);
  if (isLongerThanPlan(segment, price)) {
    const spans = timeOfItem(item);
    return spans.length === 0
      ? NONE
      : { numerator: lengthOf(intersect(spans, [period])), denominator: lengthOf(spans) };
  }
  const cell = cellAt(terms, cadenceOfPrice(segment, price), start);
  // A fee begins again behind a pause; usage is one charge.
  const holds = ({ prices, paused }: Segment): boolean =>
    prices.some(({ id }) => id === price.id) && (price.metric !== null || paused === undefined);
  const held = cell ? spansOf(cell, segments, holds).findLast((span) => !isBefore(start, span.start)) : undefined;
  return isIn(held?.start ?? start);
}
