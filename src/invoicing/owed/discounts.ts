import { decimal, plain } from '../../kernel/decimal.ts';
import { roundTogether } from '../../kernel/money.ts';
import { type Instant, isAfter, isBefore } from '../../kernel/time.ts';
import type { FrozenAdjustment } from '../invoice/frozen-terms.ts';
import type { RatedLine } from '../rating/index.ts';
import type { Adjustment } from '../terms/billing-terms.ts';

/**
 * The adjustments of an invoice, in the order in which they apply: those whose window holds its instant and that were
 * there then, so that it does not matter when a worker comes (domain.md §3, Adjustments).
 * @param instant the end of its grace; of an invoice without a period its creation
 * @param knownAt those that were created later do not count
 */
export const adjustmentsAt = (
  adjustments: readonly Adjustment[],
  instant: Instant,
  knownAt = instant,
): FrozenAdjustment[] =>
  adjustments
    .filter(({ createdAt }) => !isAfter(createdAt, knownAt))
    .filter(({ effectiveFrom }) => !isAfter(effectiveFrom, instant))
    .filter(({ effectiveTo }) => effectiveTo === null || isBefore(instant, effectiveTo))
    .map(({ id, percentageDiscount, description }) => ({
      id,
      percentageDiscount: plain(percentageDiscount),
      description,
    }));

/** The discounts of the first calculation in a second one: they are not chosen again, but a deleted one is omitted. */
export const stillThere = (
  taken: readonly FrozenAdjustment[],
  adjustments: readonly Adjustment[],
): readonly FrozenAdjustment[] => taken.filter(({ id }) => adjustments.some((each) => each.id === id));

/** A line that takes something off a charge: which charge, by its place among them, and which adjustment. */
export interface DiscountLine extends RatedLine {
  readonly kind: 'adjustment';
  readonly chargeAt: number;
  readonly adjustment: FrozenAdjustment;
  /** The percentage, and the amount that it is taken of. */
  readonly workings: { readonly discount: { readonly percent: string; readonly of: string } };
}

/**
 * The discount lines of the charges of one price (§4): the adjustments apply one after another, each to what the former
 * left, a line for each charge of which something is left. What one adjustment takes off a price is rounded once and
 * shared to its charges. The instruction to take something off a negative amount is followed too: a correction of late
 * usage gives back what was paid, not what was listed. Whether a charge is discounted at all is for the caller to say.
 */
export function discountLines(
  charges: readonly RatedLine[],
  adjustments: readonly FrozenAdjustment[],
  currency: string,
): readonly DiscountLine[] {
  let left = charges.map(({ totalPrice }) => totalPrice);
  return adjustments.flatMap((adjustment) => {
    const fraction = decimal(adjustment.percentageDiscount);
    const exact = left.map((amount) => amount.times(fraction));
    const taken = roundTogether(exact, currency, 'half-away-from-zero');
    const lines = charges.flatMap((charge, index): DiscountLine[] => {
      const amount = left[index] as (typeof left)[number];
      if (amount.isZero()) return [];
      const off = (taken[index] as typeof amount).negated();
      const workings = { discount: { percent: plain(fraction.times(100)), of: plain(amount) } };
      const price = offPrice(off, exact[index] as typeof off);
      return [{ ...charge, ...DISCOUNT, chargeAt: index, adjustment, ...price, workings }];
    });
    left = left.map((amount, index) => amount.minus(taken[index] as typeof amount));
    return lines;
  });
}

const DISCOUNT = { kind: 'adjustment', eventType: 'discount', tiers: null } as const;

const offPrice = (off: RatedLine['totalPrice'], exact: RatedLine['totalPrice']) => ({
  unitPrice: off,
  totalPrice: off,
  exactPrice: exact.negated(),
});
