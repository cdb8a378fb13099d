import { Decimal, decimal, plain, sum, ZERO } from '../../kernel/decimal.ts';
import { scale } from '../../kernel/fraction.ts';
import { allocate, roundTo, roundTogether } from '../../kernel/money.ts';
import { type Instant, isAfter, isBefore } from '../../kernel/time.ts';
import type { FrozenAdjustment } from '../invoice/frozen-terms.ts';
import type { RatedLine, Workings } from '../rating/index.ts';
import type { Adjustment } from '../terms/billing-terms.ts';
import type { ChargeCoupon } from './coupons.ts';

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
  readonly kind: 'adjustment' | 'coupon';
  readonly chargeAt: number;
  /** The adjustment or the redemption, and the name of its lines. */
  readonly by: { readonly id: string; readonly description: string };
  /** The percentage, and the amount that it is taken of. */
  readonly workings: Pick<Workings, 'coupon'> & Required<Pick<Workings, 'discount'>>;
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
      return [{ ...charge, ...DISCOUNT, chargeAt: index, by: adjustment, ...price, workings }];
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

/** What is left of an amount after percentages, one after the other, each rounded. */
export const leftAfter = (amount: Decimal, coupons: readonly ChargeCoupon[], currency: string): Decimal =>
  coupons.reduce((left, { redemption: { percentOff }, share }) => {
    const off = scale(left.times(percentOff ?? ZERO), share);
    return left.minus(roundTo(off, currency, 'half-away-from-zero'));
  }, amount);

/** A line of a charge as it counts for the minimum of the plan. */
export interface CountedLine {
  readonly type: string;
  readonly amount: Decimal;
  /** The part of a correction that is of the limits of the price. */
  readonly limits?: Decimal;
}

/**
 * What the lines of a charge count for the minimum of the plan (commercial.md §2).
 * @param named the percentages that name it, where others are not to count; null: all count
 */
export function beforeMinimum(
  lines: readonly CountedLine[],
  named: readonly ChargeCoupon[] | null,
  currency: string,
): Decimal {
  if (named === null) return sum(lines.map(({ amount }) => amount));
  const own = lines.filter(({ type }) => type !== 'coupon');
  const isLimit = (type: string) => type === 'maximum' || type === 'minimum';
  const limits = sum(own.map(({ type, amount, limits: part = ZERO }) => (isLimit(type) ? amount : part)));
  const charged = sum(own.map(({ amount }) => amount)).minus(limits);
  return leftAfter(charged, named, currency).plus(limits);
}

/** What coupons are taken of, and what they took before. */
export interface Couponed {
  /** The new charges, each with what adjustments left of it. */
  readonly charges: readonly { readonly line: RatedLine; readonly left: Decimal }[];
  /** What is billed of the charge after adjustments, and what each redemption took of it (below 0). */
  readonly before: { readonly amount: Decimal; readonly coupons: Readonly<Record<string, Decimal>> };
  readonly coupons: readonly ChargeCoupon[];
}

/**
 * The lines of coupons on the charges of one price (commercial.md §2), the oldest redemption first, each on what the
 * former ones left: taken of all of the price so far, rounded once, less what it took before, and shared to the new
 * charges. So the parts of a period come to what one invoice would have come to.
 */
export function couponLines({ charges, before, coupons }: Couponed, currency: string): readonly DiscountLine[] {
  if (charges.length === 0) return [];
  let left = charges.map((charge) => charge.left);
  let soFar = before.amount;
  return coupons.flatMap(({ redemption, share }) => {
    const { id, couponId, name, percentOff } = redemption;
    const fraction = percentOff ?? ZERO;
    const of = Decimal.max(ZERO, soFar.plus(sum(left)));
    const all = roundTo(scale(of.times(fraction), share), currency, 'half-away-from-zero').negated();
    const taken = before.coupons[id] ?? ZERO;
    const shares = allocate(
      all.minus(taken),
      left.map((amount) => amount.abs()),
      currency,
    );
    const lines = charges.flatMap(({ line }, index): DiscountLine[] => {
      const off = shares[index] as Decimal;
      if (off.isZero()) return [];
      const workings = {
        discount: { percent: plain(fraction.times(100)), of: plain(left[index] as Decimal) },
        coupon: { couponId, redemptionId: id },
      };
      const by = { id, description: name };
      const price = { unitPrice: off, totalPrice: off, exactPrice: off };
      return [{ ...line, ...DISCOUNT, kind: 'coupon', chargeAt: index, by, ...price, workings }];
    });
    left = left.map((amount, index) => amount.plus(shares[index] as Decimal));
    soFar = soFar.plus(taken);
    return lines;
  });
}
