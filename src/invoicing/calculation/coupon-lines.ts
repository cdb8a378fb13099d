import { Decimal, plain, sum, ZERO } from '../../kernel/decimal.ts';
import { scale } from '../../kernel/fraction.ts';
import { allocate, roundTo } from '../../kernel/money.ts';
import type { Instant } from '../../kernel/time.ts';
import type { CouponInPeriod, DueCoupons } from '../difference/coupons-due.ts';
import { isForPrice } from '../owed/coupons.ts';
import { namesCharges } from '../terms/applies-to.ts';
import type { BilledPrice, BilledRedemption } from '../terms/billing-terms.ts';
import type { CalculationInput, DraftLine } from './calculation.ts';
import type { DraftsOfDue } from './commitment-lines.ts';
import { otherDraft, PLAIN_LINE, underLine } from './line-content.ts';

/** A charge of a period, on this invoice or another one. */
interface InPeriod {
  /** Null: the minimum of the plan. */
  readonly price: BilledPrice | null;
  readonly whole: Decimal;
  /** The line on this invoice that bears it, where it is not a correction of another period. */
  readonly line: DraftLine | null;
}

/**
 * The lines of the coupons that are worked out for a whole period of the plan, the oldest first, each on what the
 * former ones left: what the period owes of them now, less what other invoices took. They stand under the charges of
 * this invoice, in proportion to what is left of those and never below 0. What was taken too much is a line of its own.
 * @param minimums the lines of the plan's minimum in that period
 */
export function couponDrafts(
  input: CalculationInput,
  due: DueCoupons,
  charges: readonly DraftsOfDue[],
  minimums: readonly DraftLine[],
): DraftLine[] {
  const { all, amounts } = chargesIn(due, charges, minimums);
  let left = amounts;
  // What the lines of this invoice can still bear: the former coupons may stand under those of another one.
  let room = amounts.map((amount, at) => (all[at]?.line ? Decimal.max(ZERO, amount) : ZERO));
  return due.coupons.flatMap((coupon) => {
    const { redemption } = coupon;
    const isFor = all.map(({ price }) => isForCharge(redemption, price));
    const of = left.map((amount, at) => (isFor[at] ? amount : ZERO));
    const off = roundTo(offPeriod(coupon, all, isFor, sum(of)), input.currency, 'half-away-from-zero');
    const shares = share(off, of, input.currency);
    const own = room.map((amount, at) => (isFor[at] ? amount : ZERO));
    left = left.map((amount, at) => amount.minus(shares[at] as Decimal));
    const now = Decimal.min(off.minus(coupon.taken), roundTo(sum(own), input.currency, 'half-away-from-zero'));
    if (now.isZero()) return [];
    if (now.lt(0)) return [takenBack(input, redemption, due.period.start, now.negated(), all, isFor)];
    const given = share(now, own, input.currency);
    room = room.map((amount, at) => amount.minus(given[at] as Decimal));
    return given.flatMap((amount, at) => {
      const { line } = all[at] as InPeriod;
      return line === null || amount.isZero()
        ? []
        : [draftOf(redemption, due.period.start, amount.negated(), line, sum(own))];
    });
  });
}

/** All charges of a period, with what is left of them after the coupons of charges. */
function chargesIn(
  { billed, shareOf, isLate }: DueCoupons,
  charges: readonly DraftsOfDue[],
  minimums: readonly DraftLine[],
): { readonly all: readonly InPeriod[]; readonly amounts: Decimal[] } {
  const own = charges.flatMap(({ due, drafts }) => {
    const [line] = drafts;
    const part = shareOf(due.charge);
    if (!line || part.numerator === 0n) return [];
    const isOwn = isLate === (due.late !== undefined);
    const amountOf = (those: readonly DraftLine[]) => scale(sum(those.map(({ amount }) => amount)), part);
    const whole = amountOf(drafts.filter(({ type }) => type !== 'coupon'));
    return [{ price: due.charge.price, whole, line: isOwn ? line : null, amount: amountOf(drafts) }];
  });
  const ofPlan = minimums
    .filter(({ type }) => type === 'commitment')
    .map((line) => {
      const coupons = sum(minimums.filter((each) => each.appliesTo === line).map(({ amount }) => amount));
      return { price: null, whole: line.amount, line, amount: line.amount.plus(coupons) };
    });
  const all = [...billed.map((each) => ({ ...each, line: null })), ...own, ...ofPlan];
  return { all, amounts: all.map(({ amount }) => amount) };
}

/** The minimum of the plan has no price. */
const isForCharge = (redemption: BilledRedemption, price: BilledPrice | null): boolean =>
  price === null ? !namesCharges(redemption.appliesTo) : isForPrice(redemption, price);

/** What a coupon takes of a period that comes to so much; exact. */
function offPeriod(
  { redemption, available }: CouponInPeriod,
  all: readonly InPeriod[],
  isFor: readonly boolean[],
  of: Decimal,
): Decimal {
  const { minimumAmount, percentOff } = redemption;
  const whole = sum(all.filter((_, at) => isFor[at]).map((each) => each.whole));
  if (of.lte(0) || (minimumAmount !== null && whole.lt(minimumAmount))) return ZERO;
  return percentOff === null ? Decimal.max(ZERO, Decimal.min(available, of)) : of.times(percentOff);
}

/** An amount in proportion to others that are above 0. */
const share = (amount: Decimal, of: readonly Decimal[], currency: string): Decimal[] =>
  of.length === 0
    ? []
    : allocate(
        amount,
        of.map((each) => Decimal.max(ZERO, each)),
        currency,
      );

const contentOf = ({ id, couponId, name }: BilledRedemption, period: Instant, amount: Decimal) => ({
  ...PLAIN_LINE,
  eventType: 'discount' as const,
  type: 'coupon',
  displayName: name,
  unitPrice: amount,
  discountPrice: Decimal.max(ZERO, amount.negated()),
  workings: { coupon: { couponId, redemptionId: id, period: period.toString() } },
});

/** The line of a coupon under a charge: with its dates and its tax. */
function draftOf(
  redemption: BilledRedemption,
  period: Instant,
  amount: Decimal,
  charge: DraftLine,
  of: Decimal,
): DraftLine {
  const content = contentOf(redemption, period, amount);
  const { percentOff } = redemption;
  const discount = percentOff && { percent: plain(percentOff.times(100)), of: plain(of) };
  const made = otherDraft({
    amount,
    taxRate: charge.taxRate,
    content: {
      ...content,
      ...{ periodStart: period, periodEnd: period },
      workings: { ...content.workings, ...(discount && { discount }) },
    },
  });
  return underLine(made, charge);
}

/** What a coupon took of a period that owes less by now. */
function takenBack(
  input: CalculationInput,
  redemption: BilledRedemption,
  period: Instant,
  amount: Decimal,
  all: readonly InPeriod[],
  isFor: readonly boolean[],
): DraftLine {
  const price = all.find((each, at) => isFor[at] && each.price !== null)?.price;
  const content = { ...contentOf(redemption, period, amount), periodStart: period, periodEnd: period };
  const taxRate = (price && input.taxRates.get(price.id)) ?? [...input.taxRates.values()][0] ?? ZERO;
  return otherDraft({ amount, taxRate, content });
}
