import { Decimal, sum, ZERO } from '../kernel/decimal.ts';
import { type Instant, isAfter, isBefore, type Period } from '../kernel/time.ts';
import type { BurntUnits } from './source.ts';

/** What a price with `grantDiscountEnabled` measured, and when it held. */
export interface GrantClaim {
  readonly metricId: string;
  readonly spans: readonly Period[];
  readonly used: Decimal;
}

/** What was burnt in a stretch in which no claim begins or ends. */
export interface BurntIn extends BurntUnits {
  readonly stretch: Period;
}

/** The time of some claims, cut wherever one of them begins or ends. */
export function stretchesOf(claims: readonly Pick<GrantClaim, 'spans'>[]): Period[] {
  const spans = claims.flatMap((claim) => claim.spans);
  const cuts = spans.flatMap(({ start, end }) => [start, end]).toSorted(Temporal.Instant.compare);
  return cuts
    .map((start, index) => ({ start, end: cuts[index + 1] ?? start }))
    .filter(({ start, end }) => isBefore(start, end))
    .filter((stretch) => spans.some((span) => holds(span, stretch)));
}

/**
 * How many units grants take off each of some prices, in their order (domain.md §5, `grantDiscountEnabled`): a unit that was burnt
 * leaves the quantity of one price alone, the first that measures a metric of its entitlement and has used so much.
 */
export function allotBurnt(burnt: readonly BurntIn[], claims: readonly GrantClaim[]): Decimal[] {
  const left = burnt.map(({ units }) => units);
  return claims.map(({ metricId, spans, used }) => {
    const open = burnt.flatMap(({ metricIds, stretch }, index) =>
      metricIds.includes(metricId) && spans.some((span) => holds(span, stretch)) ? [index] : [],
    );
    const there = sum(open.map((index) => left[index] as Decimal)); // usage that was taken back has given back, too
    const taken = Decimal.max(ZERO, Decimal.min(there, used));
    let missing = taken;
    for (const index of open) {
      const part = Decimal.min(missing, Decimal.max(ZERO, left[index] as Decimal));
      left[index] = (left[index] as Decimal).minus(part);
      missing = missing.minus(part);
    }
    return taken;
  });
}

const holds = (span: Period, { start, end }: { readonly start: Instant; readonly end: Instant }): boolean =>
  !isAfter(span.start, start) && !isBefore(span.end, end);
