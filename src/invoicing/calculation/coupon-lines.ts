import { Decimal, plain, sum, ZERO } from '../../kernel/decimal.ts';
import { scale } from '../../kernel/fraction.ts';
import { allocate, roundTo } from '../../kernel/money.ts';
import type { Instant, Period } from '../../kernel/time.ts';
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
  /** The line on this invoice that may bear its coupons; null: none. */
  readonly line: DraftLine | null;
  /** It corrects a closed period: it stands as it is when the invoice is calculated again. */
  readonly isCorrection: boolean;
}

/** The lines of the plan's minimum in a period. */
export interface MinimumDrafts {
  readonly start: Instant;
  readonly isLate: boolean;
  readonly drafts: readonly DraftLine[];
}

/**
 * The lines of the coupons that are worked out for whole periods of the plan: what each period owes of them now, less
 * what other invoices took.
 * @returns those of the invoice's own periods, and of earlier ones
 */
export function couponDrafts(
  input: CalculationInput,
  charges: readonly DraftsOfDue[],
  minimums: readonly MinimumDrafts[],
): { readonly own: DraftLine[]; readonly late: DraftLine[] } {
  const carried = new Map<string, Decimal>();
  const drafts = { own: [] as DraftLine[], late: [] as DraftLine[] };
  for (const due of input.coupons ?? []) {
    const changes = changesIn(input, due, charges, minimums, carried);
    for (const { redemption, amount } of changes.coupons) {
      if (redemption.carriesOver) carried.set(redemption.id, (carried.get(redemption.id) ?? ZERO).plus(amount));
    }
    const { own, late } = draftsIn(input, due, changes);
    drafts[due.isLate ? 'late' : 'own'].push(...own);
    drafts.late.push(...late);
  }
  return drafts;
}

/** What a coupon takes of a period more than other invoices took; below 0: less. */
export interface CouponChange {
  readonly redemption: BilledRedemption;
  readonly period: Period;
  readonly amount: Decimal;
}

/** The same of all periods where no further invoice bears it. */
export function couponChanges(input: Pick<CalculationInput, 'currency'>, due: readonly DueCoupons[]): CouponChange[] {
  const carried = new Map<string, Decimal>();
  return due.flatMap((each) => {
    const { coupons } = changesIn(input, each, [], [], carried);
    for (const { redemption, amount } of coupons)
      if (redemption.carriesOver) carried.set(redemption.id, (carried.get(redemption.id) ?? ZERO).plus(amount));
    return coupons.map(({ redemption, amount }) => ({ redemption, period: each.period, amount }));
  });
}

interface ChangesInPeriod {
  readonly all: readonly InPeriod[];
  /** What is left of them before these coupons. */
  readonly amounts: readonly Decimal[];
  readonly coupons: readonly {
    readonly redemption: BilledRedemption;
    readonly isFor: readonly boolean[];
    readonly amount: Decimal;
  }[];
}

/**
 * What the coupons of a period take now, the oldest first, each on what the former ones left, less what other invoices
 * took.
 * @param carried what earlier periods on this invoice took more of what carries over
 */
function changesIn(
  input: Pick<CalculationInput, 'currency'>,
  due: DueCoupons,
  charges: readonly DraftsOfDue[],
  minimums: readonly MinimumDrafts[],
  carried: ReadonlyMap<string, Decimal>,
): ChangesInPeriod {
  const { all, amounts } = chargesIn(due, charges, minimums);
  let left = amounts;
  const coupons = due.coupons.map((coupon) => {
    const { redemption, taken } = coupon;
    const isFor = all.map(({ price }) => isForCharge(redemption, price));
    const of = left.map((amount, at) => (isFor[at] ? amount : ZERO));
    const available = coupon.available.minus(carried.get(redemption.id) ?? ZERO);
    const off = roundTo(
      offPeriod({ ...coupon, available }, all, isFor, sum(of)),
      input.currency,
      'half-away-from-zero',
    );
    const shares = share(off, of, input.currency);
    left = left.map((amount, at) => amount.minus(shares[at] as Decimal));
    return { redemption, isFor, amount: off.minus(taken) };
  });
  return { all, amounts, coupons };
}

/**
 * The lines of these changes on an invoice, in proportion to what is left of its charges and never below 0: under its
 * own charges first, then under corrections. What was taken too much is a line of its own. What an older coupon took of
 * a charge on another invoice is missing to a newer one there, but not to the charges of this invoice: so the newer one
 * takes its part of those, as if the two had changed their places.
 * @returns those under corrections apart
 */
function draftsIn(
  input: CalculationInput,
  { period }: DueCoupons,
  { all, amounts, coupons }: ChangesInPeriod,
): { readonly own: DraftLine[]; readonly late: DraftLine[] } {
  const { currency } = input;
  const taken = coupons.flatMap(({ redemption, isFor, amount }) =>
    amount.lt(0) ? [takenBack(input, redemption, period.start, amount.negated(), all, isFor)] : [],
  );
  const bearers = [...all, ...taken.map((line) => ({ line, isCorrection: false }))];
  const lefts = [...amounts, ...taken.map(({ amount }) => amount)];
  let room = lefts.map((left, at) => (bearers[at]?.line ? Decimal.max(ZERO, left) : ZERO));
  const drafts = { own: taken, late: [] as DraftLine[] };
  for (const { redemption, isFor, amount } of coupons) {
    let open = Decimal.max(ZERO, amount);
    for (const isOwn of [true, false])
      for (const isCorrection of [false, true]) {
        const those = room.map((each, at) =>
          (isFor[at] ?? false) === isOwn && bearers[at]?.isCorrection === isCorrection ? each : ZERO,
        );
        const most = sum(those);
        const now = Decimal.min(open, roundTo(most, currency, 'half-away-from-zero'));
        if (now.lte(0)) continue;
        const shares = share(now, those, currency);
        room = room.map((each, at) => each.minus(shares[at] as Decimal));
        open = open.minus(now);
        const made = shares.flatMap((part, at) => {
          const line = bearers[at]?.line ?? null;
          const of = isOwn ? most : null;
          return line === null || part.isZero() ? [] : [draftOf(redemption, period.start, part.negated(), line, of)];
        });
        drafts[isCorrection ? 'late' : 'own'].push(...made);
      }
  }
  return drafts;
}

/**
 * All charges of a period, with what is left of them after the coupons of charges: on other invoices, corrections on
 * this one, its own.
 */
function chargesIn(
  { period, billed, shareOf }: DueCoupons,
  charges: readonly DraftsOfDue[],
  minimums: readonly MinimumDrafts[],
): { readonly all: readonly InPeriod[]; readonly amounts: Decimal[] } {
  const amountOf = (drafts: readonly DraftLine[]) => sum(drafts.map(({ amount }) => amount));
  const onThis = charges.flatMap(({ due, drafts }) => {
    const [line] = drafts;
    const part = shareOf(due.charge);
    if (!line || part.numerator === 0n) return [];
    const whole = scale(amountOf(drafts.filter(({ type }) => type !== 'coupon')), part);
    const amount = scale(amountOf(drafts), part);
    return [{ price: due.charge.price, whole, line, isCorrection: due.late !== undefined, amount }];
  });
  const ofPlan = minimums
    .filter(({ start }) => start.equals(period.start))
    .flatMap(({ drafts, isLate: isCorrection }) =>
      drafts
        .filter(({ type }) => type === 'commitment')
        .map((line) => {
          const coupons = drafts.filter((each) => each.appliesTo === line);
          return { price: null, whole: line.amount, line, isCorrection, amount: amountOf([line, ...coupons]) };
        }),
    );
  const own = [...onThis, ...ofPlan];
  const all = [
    ...billed.map((each) => ({ ...each, line: null, isCorrection: false })),
    ...own.filter(({ isCorrection }) => isCorrection),
    ...own.filter(({ isCorrection }) => !isCorrection),
  ];
  return { all, amounts: all.map(({ amount }) => amount) };
}

/** The minimum of the plan has no price. */
const isForCharge = (redemption: BilledRedemption, price: BilledPrice | null): boolean =>
  price === null ? !namesCharges(redemption.appliesTo) : isForPrice(redemption, price);

/** What a coupon takes of a period that comes to so much; exact. */
function offPeriod(
  { redemption, isIn, available }: CouponInPeriod,
  all: readonly InPeriod[],
  isFor: readonly boolean[],
  of: Decimal,
): Decimal {
  const { minimumAmount, percentOff } = redemption;
  const whole = sum(all.filter((_, at) => isFor[at]).map((each) => each.whole));
  if (!isIn || of.lte(0) || (minimumAmount !== null && whole.lt(minimumAmount))) return ZERO;
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

/** The line of a coupon under a charge: with its dates and its tax. @param of null: the charge is not what it is of */
function draftOf(
  redemption: BilledRedemption,
  period: Instant,
  amount: Decimal,
  charge: DraftLine,
  of: Decimal | null,
): DraftLine {
  const content = contentOf(redemption, period, amount);
  const { percentOff } = redemption;
  const discount = percentOff && of && { percent: plain(percentOff.times(100)), of: plain(of) };
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
