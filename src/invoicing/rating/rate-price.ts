import { Decimal, decimal, ONE, plain, sum, ZERO } from '../../kernel/decimal.ts';
import { type Fraction, isWhole, scale, WHOLE } from '../../kernel/fraction.ts';
import { averagePrice, roundTo, roundTogether } from '../../kernel/money.ts';
import type { FieldError } from '../../kernel/result.ts';
import type { Charge, Measured, TierUse } from './model.ts';
import { type Pricing, rateModel } from './models.ts';
import {
  type Aggregation,
  filterGroups,
  type GroupFilters,
  type GroupValues,
  isAdditive,
  totalEvents,
  totalOfEach,
  totalQuantity,
  type UsageGroup,
} from './usage.ts';
import { shareOfTime, shortText, type Workings } from './workings.ts';

/** The subject of the price: a fee with the price's quantity, or usage as the meter found it. */
export type Rated =
  | { readonly kind: 'fee'; readonly quantity: Decimal }
  | {
      readonly kind: 'usage';
      readonly aggregation: Aggregation;
      /** One figure, or for SUM and COUNT one for each combination of group values. */
      readonly groups: readonly UsageGroup[];
      /** The price's filters; only for usage that is grouped by their dimensions. */
      readonly groupFilters?: GroupFilters | null;
      /** Units that grants cover (`grantDiscountEnabled`); they are not priced. */
      readonly grants?: Decimal;
    };

/** One price in one period. */
export interface PriceInPeriod {
  readonly pricing: Pricing;
  readonly currency: string;
  readonly rated: Rated;
  /** The part of the period in which the price holds; all of it unless given. */
  readonly fraction?: Fraction;
  readonly minimumAmount?: Decimal | null;
  readonly maximumAmount?: Decimal | null;
  /** The part of the period by which its limits are scaled; `fraction` unless given. */
  readonly limits?: Readonly<Record<Limit, Fraction>>;
  /** The discount lines on these charges: adjustments come after the model and before the limits (domain.md §2). */
  readonly discounts?: (charges: readonly RatedLine[]) => readonly RatedLine[];
}

/** A line of an invoice, before tax. */
export interface RatedLine {
  readonly kind: 'charge' | 'grants' | 'adjustment' | 'coupon' | 'maximum' | 'minimum';
  readonly eventType: 'usage' | 'fee' | 'discount';
  readonly lineItemType: 'charge';
  /** Units used, after grants; those that the price includes are among them. */
  readonly quantity: Decimal;
  /** How many of them the price includes at no cost. */
  readonly includedUnits: Decimal;
  /**
   * The price of a unit; where units differ in price, total ÷ quantity to 9 digits (at quantity 0 the first unit's
   * price).
   */
  readonly unitPrice: Decimal;
  /** Rounded to the currency. */
  readonly totalPrice: Decimal;
  /** The exact amount before rounding, for explanations. */
  readonly exactPrice: Decimal;
  readonly tiers: readonly TierUse[] | null;
  readonly group: GroupValues | null;
  /** The calculation of the amount, if quantity × unit price is not the amount. */
  readonly workings?: Workings | null;
}

/** The lines of one price, and their sum. */
export interface RatedPrice {
  readonly lines: readonly RatedLine[];
  readonly total: Decimal;
}

/**
 * Prices one price in one period, in the order of domain.md §2: quantity (below 0 counts as 0), grants, included units,
 * model, adjustments, maximum, minimum. The price is rounded once, to the currency, and shared to its lines.
 *
 * In a part of a period a fee's amount is scaled, and so is the whole line of a figure that does not add up; usage that
 * adds up is its own measure, so only its included units and flat prices are. Limits are scaled for all (domain.md §3).
 */
export function ratePrice(price: PriceInPeriod): RatedPrice {
  const fraction = price.fraction ?? WHOLE;
  const { covered, ...measured } = measure(price.rated);
  const charges = chargeLines(price, measured, fraction);
  const shown = isQuotient(price.rated) ? covered.toDecimalPlaces(SHOWN_DIGITS) : covered;
  const lines = [...charges, ...grantLines(shown), ...(price.discounts?.(charges) ?? [])];
  const limits = limitLines(price, sum(lines.map((line) => line.totalPrice)));
  const all = [...lines, ...limits];
  return { lines: all, total: sum(all.map((line) => line.totalPrice)) };
}

type Limit = 'maximum' | 'minimum';

/** The limits of a price on earlier invoices. */
type LimitsBefore = Readonly<Record<Limit, Decimal>>;

const NO_LIMITS: LimitsBefore = { maximum: ZERO, minimum: ZERO };

/**
 * The lines for the limits of a price: a negative line for the excess over the maximum, and a line for the difference
 * to the minimum, each less its amount before.
 * @param reached the amount of the price without them
 */
export function limitLines(
  price: Pick<PriceInPeriod, 'currency' | 'fraction' | 'limits' | 'minimumAmount' | 'maximumAmount'>,
  reached: Decimal,
  before: LimitsBefore = NO_LIMITS,
): RatedLine[] {
  const { currency, fraction = WHOLE, limits = { maximum: fraction, minimum: fraction } } = price;
  const lines: RatedLine[] = [];
  let total = reached;
  for (const kind of ['maximum', 'minimum'] as const) {
    const amount = kind === 'maximum' ? price.maximumAmount : price.minimumAmount;
    const limit = amount ? roundTo(scale(amount, limits[kind]), currency, 'half-away-from-zero') : total;
    const bound = kind === 'maximum' ? Decimal.min(total, limit) : Decimal.max(total, limit);
    const more = bound.minus(total).minus(before[kind]);
    if (!more.isZero()) {
      const workings = {
        ...(amount && !isWhole(limits[kind]) && { share: shareOfTime(limits[kind]), whole: plain(amount) }),
        ...(amount && { limit: { amount: plain(limit), reached: plain(total) } }),
      };
      lines.push({ ...limitLine(kind, more), workings });
    }
    total = bound;
  }
  return lines;
}

type Usage = Pick<Measured, 'quantity' | 'eventCount' | 'ofEach' | 'groups'>;

/** The units to price, and those that grants cover. */
function measure(rated: Rated): Usage & { covered: Decimal } {
  if (rated.kind === 'fee')
    return { quantity: Decimal.max(0, rated.quantity), eventCount: 0n, groups: [], covered: ZERO };
  const groups = filterGroups(rated.groups, rated.groupFilters ?? {});
  const used = totalQuantity(groups, rated.aggregation);
  const covered = Decimal.min(used, Decimal.max(0, rated.grants ?? ZERO));
  const ofEach = totalOfEach(groups);
  return { quantity: used.minus(covered), eventCount: totalEvents(groups), ofEach, groups, covered };
}

/** Is the quantity a quotient, with more digits than are shown? */
const isQuotient = (rated: Rated): boolean => rated.kind === 'usage' && rated.aggregation === 'TIME_WEIGHTED';

function chargeLines({ rated, pricing, currency }: PriceInPeriod, used: Usage, fraction: Fraction): RatedLine[] {
  const scalesLine = rated.kind === 'fee' || !isAdditive(rated.aggregation);
  const flatShare = scalesLine ? WHOLE : fraction;
  const lineShare = scalesLine ? fraction : WHOLE;
  const included = Decimal.min(used.quantity, scale(decimal(includedUnitsOf(pricing)), flatShare));
  const charges = rateModel(pricing, { ...used, quantity: used.quantity.minus(included), flatShare });
  const scaled = charges.map((charge) => scale(charge.amount, lineShare));
  const isOfTime = isQuotient(rated);
  const exact = isWhole(fraction) && !isOfTime ? scaled : scaled.map(withoutNoise);
  const rounded = roundTogether(exact, currency, 'half-away-from-zero');
  const share = isWhole(fraction) ? null : shareOfTime(fraction);
  return charges.map((charge, index): RatedLine => {
    const units = charge.group ? charge.quantity : used.quantity;
    const quantity = isOfTime ? units.toDecimalPlaces(SHOWN_DIGITS) : units;
    const totalPrice = rounded[index] as Decimal;
    return {
      kind: 'charge',
      eventType: rated.kind,
      lineItemType: 'charge',
      quantity,
      includedUnits: included,
      unitPrice: unitPriceOf(charge, quantity, totalPrice),
      totalPrice,
      exactPrice: exact[index] as Decimal,
      tiers: charge.tiers?.map((tier) => ({ ...tier, amount: scale(tier.amount, lineShare) })) ?? null,
      group: charge.group,
      workings: workingsOf({
        ...charge.workings,
        ...(scalesLine && share && { share, whole: shortText(charge.amount) }),
        ...(!scalesLine && share && charge.tiers?.some(({ flatPrice }) => !flatPrice.isZero()) && { flatShare: share }),
        ...(included.gt(0) && {
          included: {
            units: shortText(included),
            allowance: plain(decimal(includedUnitsOf(pricing))),
            ...(!scalesLine && share && { share }),
          },
        }),
        ...(charges.length > 1 && { rows: rowsAt(index, exact, rounded) }),
      }),
    };
  });
}

/** No facts are none, and not an empty list of them. */
const workingsOf = (facts: Workings): Workings | null => (Object.keys(facts).length === 0 ? null : facts);

/** A line of several that share one rounding; the last one has the sum of all. */
function rowsAt(index: number, exact: readonly Decimal[], rounded: readonly Decimal[]): NonNullable<Workings['rows']> {
  const own = { exact: shortText(exact[index] as Decimal) };
  if (index < exact.length - 1) return own;
  return { ...own, all: { count: exact.length, exact: shortText(sum(exact)), amount: plain(sum(rounded)) } };
}

/** The digits behind the point with which a figure over time is shown and stored (commercial.md §5). */
const SHOWN_DIGITS = 12;

/** The digits of an amount that is a sum without a last digit; far above its error, far below any rounding. */
const EXACT_DIGITS = 60;

/**
 * The amount without the error of its parts: two thirds of 100 included units are off in their 80th digit, and what is
 * left of 75 units, at 0.003, came to a little less than 0.025, which is another cent.
 */
export const withoutNoise = (amount: Decimal): Decimal => amount.toDecimalPlaces(EXACT_DIGITS);

/** Models that answer several charges take no included units (domain.md §2), so that these belong to the one charge. */
const includedUnitsOf = ({ properties }: Pricing) =>
  ('includedUnits' in properties ? properties.includedUnits : undefined) ?? '0';

function unitPriceOf(charge: Charge, quantity: Decimal, totalPrice: Decimal): Decimal {
  if (charge.unitPrice !== null) return charge.unitPrice;
  if (quantity.isZero()) return charge.firstUnitPrice;
  return averagePrice(totalPrice, quantity);
}

/**
 * The units that grants cover have left the charge; the line shows them at no price, so that the reader finds them
 * again.
 */
const grantLines = (quantity: Decimal): RatedLine[] =>
  quantity.isZero()
    ? []
    : [{ ...PLAIN_LINE, kind: 'grants', eventType: 'discount', quantity, unitPrice: ZERO, ...amounts(ZERO) }];

/** The line for the difference to the minimum, or a negative line for the excess over the maximum. */
const limitLine = (kind: 'maximum' | 'minimum', amount: Decimal): RatedLine => ({
  ...PLAIN_LINE,
  kind,
  eventType: kind === 'maximum' ? 'discount' : 'fee',
  quantity: ONE,
  unitPrice: amount,
  ...amounts(amount),
});

const PLAIN_LINE = { lineItemType: 'charge', includedUnits: ZERO, tiers: null, group: null } as const;

const amounts = (amount: Decimal) => ({ totalPrice: amount, exactPrice: amount });

/** The minimum of a price is not above its maximum, and neither is negative. */
export function checkLimits(minimumAmount: Decimal | null, maximumAmount: Decimal | null): FieldError[] {
  const errors: FieldError[] = [];
  if (minimumAmount?.lt(0)) errors.push({ field: 'minimumAmount', message: 'must be at least 0' });
  if (maximumAmount?.lt(0)) errors.push({ field: 'maximumAmount', message: 'must be at least 0' });
  if (minimumAmount && maximumAmount && minimumAmount.gt(maximumAmount))
    errors.push({ field: 'minimumAmount', message: 'must not be above maximumAmount' });
  return errors;
}
