import type { Decimal } from '../../kernel/decimal.ts';
import { type Fraction, NONE } from '../../kernel/fraction.ts';
import { intersect, lengthOf } from '../../kernel/spans.ts';
import { type Instant, isBefore, latest, type Period } from '../../kernel/time.ts';
import { cellAt, chargesInArrears, type OwedCharge } from '../owed/charges.ts';
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

/** All bills of a subscription, and the charges that an invoice adds to them. */
export interface Bills {
  readonly items: readonly BilledItem[];
  readonly charges: readonly Pick<OwedCharge, 'price' | 'spans'>[];
}

/** The share of a bill in a time: by the seconds of its service where it is longer, else where its service begins. */
export function shareOfItem(terms: HistoricTerms, period: Period, item: BilledItem, bills: Bills): Fraction {
  const { start } = item.period;
  const segments = segmentsOf(terms);
  const price = priceOfItem(terms, item);
  const segment = segmentAt(segments, start);
  const isIn = (at: Instant): Fraction =>
    isBefore(at, period.start) || !isBefore(at, period.end) ? NONE : { numerator: 1n, denominator: 1n };
  if (price === null || cadenceOfPrice(segment, price) === 'P0D') return isIn(start);
  if (isLongerThanPlan(segment, price)) {
    const spans = serviceOf(terms, item, price, bills) ?? timeOfItem(item);
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

/**
 * The service of the charge in arrears of which an item bills a part, as far as anything bills it: invoices that cut it
 * divide no service (commercial.md §2). Null: it is in advance, and the item is all of its charge.
 */
function serviceOf(
  terms: HistoricTerms,
  item: BilledItem,
  price: BilledPrice,
  { items, charges }: Bills,
): readonly Period[] | null {
  const { start } = item.period;
  const cell = cellAt(terms, cadenceOfPrice(segmentAt(segmentsOf(terms), start), price), start);
  if (!cell || price.paymentTerm !== 'in_arrears') return null;
  const isOf = (of: { readonly id: string | null; readonly quantity: Decimal }): boolean =>
    of.id === price.id && (price.metric !== null || of.quantity.eq(item.quantity));
  const until = [
    ...items.filter(({ priceId: id, quantity }) => isOf({ id, quantity })).flatMap(timeOfItem),
    ...charges.filter((charge) => isOf(charge.price)).flatMap(({ spans }) => spans),
  ]
    .filter((span) => !isBefore(span.start, cell.start) && isBefore(span.start, cell.end))
    .reduce((last, { end }) => latest(last, end), start);
  const charge = chargesInArrears(terms, cell, until).findLast(
    (each) => isOf(each.price) && !isBefore(start, (each.spans[0] ?? each.period).start),
  );
  return charge?.spans ?? null;
}
