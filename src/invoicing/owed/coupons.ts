import { type Fraction, NONE, WHOLE } from '../../kernel/fraction.ts';
import { intersect, lengthOf } from '../../kernel/spans.ts';
import { type Instant, isBefore, type Period } from '../../kernel/time.ts';
import { appliesTo, hasPlan, namesCharges } from '../terms/applies-to.ts';
import type { BilledPrice, BilledRedemption } from '../terms/billing-terms.ts';
import { cadenceOfPrice, type HistoricTerms, type Segment, segmentAt, segmentsOf } from '../timeline/segments.ts';

/** A charge, as far as coupons look at it. */
interface Served {
  readonly price: BilledPrice;
  readonly period: Period;
  readonly spans: readonly Period[];
}

/** A percentage off one charge. */
export interface ChargeCoupon {
  readonly redemption: BilledRedemption;
  /** The part of the charge that is in the window. */
  readonly share: Fraction;
}

/** Later than any allowed time: the end of endless things. */
const NEVER: Instant = Temporal.Instant.from('9999-01-01T00:00:00Z');

/** The window of a redemption: it follows its subscription only to a plan that the coupon is for. */
export function windowOf({ from, until, createdAt, appliesTo: of }: BilledRedemption, terms: HistoricTerms): Period {
  const left = segmentsOf(terms).find(
    ({ planId, start }) => planId !== undefined && !isBefore(start, createdAt) && !hasPlan(of, planId),
  );
  const end = until ?? NEVER;
  return { start: from, end: left && isBefore(left.start, end) ? left.start : end };
}

/**
 * The redemptions in two: percentages that are worked out on each charge alone, and all from the first one on that
 * looks at a whole period, because each takes of what the older ones left.
 */
export function inTwoKinds(all: readonly BilledRedemption[] = []): {
  readonly ofCharges: readonly BilledRedemption[];
  readonly ofPeriods: readonly BilledRedemption[];
} {
  const first = all.findIndex(({ percentOff, minimumAmount }) => percentOff === null || minimumAmount !== null);
  return first === -1
    ? { ofCharges: all, ofPeriods: [] }
    : { ofCharges: all.slice(0, first), ofPeriods: all.slice(first) };
}

/** Charges with the coupons that are worked out on each alone. */
export function withCoupons<Charge extends Served>(terms: HistoricTerms, charges: readonly Charge[]): Charge[] {
  const { ofCharges } = inTwoKinds(terms.redemptions);
  if (ofCharges.length === 0) return [...charges];
  return charges.map((charge) => {
    const coupons = ofCharges.flatMap((redemption): ChargeCoupon[] => {
      if (!isForPrice(redemption, charge.price)) return [];
      const share = shareIn(terms, charge, windowOf(redemption, terms));
      return share.numerator === 0n ? [] : [{ redemption, share }];
    });
    return coupons.length === 0 ? charge : { ...charge, coupons };
  });
}

/** The coupons that take part in the minimum of the plan in a period: those that name no charges. */
export const couponsOfMinimum = (terms: HistoricTerms, { start }: Period): ChargeCoupon[] =>
  inTwoKinds(terms.redemptions).ofCharges.flatMap((redemption): ChargeCoupon[] => {
    const window = windowOf(redemption, terms);
    const isIn = !isBefore(start, window.start) && isBefore(start, window.end);
    return isIn && !namesCharges(redemption.appliesTo) ? [{ redemption, share: WHOLE }] : [];
  });

/**
 * The percentages that name charges, for the minimum of the plan: it is measured after them, as if the others were not
 * there. Null: there are no others, so what is billed says it.
 */
export function namedOnly(terms: HistoricTerms): readonly BilledRedemption[] | null {
  const { redemptions = [] } = terms;
  const named = redemptions.filter(
    ({ appliesTo: of, percentOff, minimumAmount }) => namesCharges(of) && percentOff !== null && minimumAmount === null,
  );
  return named.length === redemptions.length ? null : named;
}

/** Is a coupon for a price, of whichever plan? */
export const isForPrice = ({ appliesTo: of }: BilledRedemption, price: BilledPrice): boolean =>
  appliesTo({ ...of, planIds: [] }, { planId: '', price });

/** The same of a charge. @param price null: the minimum of the plan, which has none */
export const isForCharge = (redemption: BilledRedemption, price: BilledPrice | null): boolean =>
  price === null ? !namesCharges(redemption.appliesTo) : isForPrice(redemption, price);

/** When the service of a charge begins: with its period or the last change of its terms, never with a cut. */
const serviceOf = ({ spans, period }: Served): readonly Period[] => (spans.length > 0 ? spans : [period]);

/**
 * The share of a charge in a window of service time (commercial.md §2): all where its service begins there; of one that
 * is longer than a period of the plan the seconds inside.
 */
export function shareIn(terms: HistoricTerms, charge: Served, window: Period): Fraction {
  const service = serviceOf(charge);
  const [{ start }] = service as [Period];
  const segment = segmentAt(segmentsOf(terms), start);
  if (!isLongerThanPlan(segment, charge.price))
    return isBefore(start, window.start) || !isBefore(start, window.end) ? NONE : WHOLE;
  return { numerator: lengthOf(intersect(service, [window])), denominator: lengthOf(service) };
}

const DAYS_PER_MONTH = 30;
const DAYS_PER_YEAR = 365;

/** Is a period of a price longer than one of the plan? */
export function isLongerThanPlan(segment: Segment, price: BilledPrice): boolean {
  const cadence = cadenceOfPrice(segment, price);
  return cadence !== 'P0D' && nominalDays(cadence) > nominalDays(segment.planCadence);
}

function nominalDays(cadence: string): number {
  const { years, months, weeks, days, hours, minutes } = Temporal.Duration.from(cadence);
  return years * DAYS_PER_YEAR + months * DAYS_PER_MONTH + weeks * 7 + days + (hours + minutes / 60) / 24;
}
