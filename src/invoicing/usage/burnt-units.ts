import { Decimal, sum, ZERO } from '../../kernel/decimal.ts';
import { overlap } from '../../kernel/spans.ts';
import { type Instant, isAfter, isBefore, latest, type Period } from '../../kernel/time.ts';
import type { BilledUsage, TakenUnits } from '../invoice/billed-usage.ts';
import type { InvoiceRow } from '../invoice/invoice.ts';
import type { BurntUnits } from '../terms/billing-terms.ts';
import { boundsOfSeries, cadenceOfPrice, cadencesOf, type HistoricTerms, segmentsOf } from '../timeline/segments.ts';
import { periodHolding, periodOf } from '../timeline/series.ts';

/** The usage of a price with `grantDiscountEnabled`, and its time. */
export interface GrantClaim {
  readonly metricId: string;
  readonly spans: readonly Period[];
  readonly used: Decimal;
}

/** The burnt units in a stretch without the start or end of a claim. */
export interface BurntIn extends BurntUnits {
  readonly stretch: Period;
}

/** The units that a price does not charge, and their source. */
export interface Allotment {
  readonly units: Decimal;
  readonly taken: readonly TakenUnits[];
}

/** The period of a series of a subscription. */
export type WholePeriod = Pick<InvoiceRow, 'billingCadence' | 'billingAnchor' | 'periodNumber'>;

/** A period whose usage was read again, and the usage. It is not stored yet. */
export interface RereadPeriod {
  readonly invoice: WholePeriod;
  readonly usage: readonly BilledUsage[];
}

/**
 * The burnt units of other series: the stored ones, replaced by new readings for some of their periods. So every unit
 * reduces exactly one price, even if the periods of several series are corrected at once.
 */
export function takenWithRereads<
  Stored extends TakenUnits & { readonly priceId: string; readonly period: WholePeriod },
>(
  stored: readonly Stored[],
  reread: readonly RereadPeriod[],
  { cadence, time }: { readonly cadence: string; readonly time: Period },
): TakenUnits[] {
  const others = reread.filter(({ invoice }) => invoice.billingCadence !== cadence);
  const isReplaced = ({ priceId, period }: Stored): boolean =>
    others.some(
      ({ invoice, usage }) =>
        isSamePeriod(invoice, period) && usage.some((row) => row.priceId === priceId && row.taken !== undefined),
    );
  const fresh = others
    .flatMap(({ usage }) => usage.flatMap(({ taken = [] }) => taken))
    .filter(({ stretch }) => overlap(stretch, time));
  return [...stored.filter((row) => !isReplaced(row)), ...fresh].toSorted((a, b) =>
    Temporal.Instant.compare(a.stretch.start, b.stretch.start),
  );
}

const isSamePeriod = (one: WholePeriod, other: WholePeriod): boolean =>
  one.billingCadence === other.billingCadence &&
  one.billingAnchor.equals(other.billingAnchor) &&
  one.periodNumber === other.periodNumber;

/** The time of some claims, cut wherever one of them begins or ends, and at other instants. */
export function stretchesOf(claims: readonly Pick<GrantClaim, 'spans'>[], others: readonly Instant[] = []): Period[] {
  const spans = claims.flatMap((claim) => claim.spans);
  const cuts = [...spans.flatMap(({ start, end }) => [start, end]), ...others].toSorted(Temporal.Instant.compare);
  return cuts
    .map((start, index) => ({ start, end: cuts[index + 1] ?? start }))
    .filter(({ start, end }) => isBefore(start, end))
    .filter((stretch) => spans.some((span) => holds(span, stretch)));
}

/**
 * The starts and ends of other series' periods in a time, for prices that grants may cover, too. After a cut there, the
 * burnt units of one series lie in one period of each other series.
 */
export function cutsBySeries(terms: HistoricTerms, cadence: string, time: Period): Instant[] {
  return segmentsOf(terms)
    .filter((segment) => overlap(segment, time))
    .flatMap((segment) =>
      cadencesOf(segment)
        .filter((other) => other !== cadence)
        .filter((other) =>
          segment.prices.some((price) => price.grantDiscountEnabled && cadenceOfPrice(segment, price) === other),
        )
        .flatMap((other) => endsOfPeriods(terms, other, { ...time, start: latest(time.start, segment.start) })),
    );
}

function endsOfPeriods(terms: HistoricTerms, cadence: string, { start, end }: Period): Instant[] {
  const bounds = boundsOfSeries(terms, cadence, start);
  const ends: Instant[] = [];
  let period = bounds && periodHolding(cadence, bounds, start);
  while (bounds && period && isBefore(period.start, end)) {
    ends.push(period.start, period.end);
    period = periodOf(cadence, bounds, period.number + 1);
  }
  return ends;
}

/**
 * The burnt units without those of other series' invoices. If the time of taken units goes beyond a stretch (a period
 * was cut since), their instant is unknown: the first stretch that has them loses them, so that no unit reduces two
 * prices.
 */
export function withoutTaken(burnt: readonly BurntIn[], taken: readonly TakenUnits[]): BurntIn[] {
  const left = burnt.map(({ units }) => units);
  for (const { entitlementId, stretch, units } of taken) {
    let missing = units;
    for (const [index, pool] of burnt.entries()) {
      if (pool.entitlementId !== entitlementId || !overlap(pool.stretch, stretch)) continue;
      const part = Decimal.min(missing, Decimal.max(ZERO, left[index] as Decimal));
      left[index] = (left[index] as Decimal).minus(part);
      missing = missing.minus(part);
    }
  }
  return burnt.map((pool, index) => ({ ...pool, units: left[index] as Decimal }));
}

/**
 * How many units grants take off each of some prices, in their order (domain.md §5, `grantDiscountEnabled`): a unit
 * that was burnt leaves the quantity of one price alone, the first that measures a metric of its entitlement and has
 * used so much.
 */
export function allotBurnt(burnt: readonly BurntIn[], claims: readonly GrantClaim[]): Allotment[] {
  const left = burnt.map(({ units }) => units);
  return claims.map(({ metricId, spans, used }) => {
    const open = burnt.flatMap(({ metricIds, stretch }, index) =>
      metricIds.includes(metricId) && spans.some((span) => holds(span, stretch)) ? [index] : [],
    );
    const there = sum(open.map((index) => left[index] as Decimal)); // usage that was taken back has given back, too
    const units = Decimal.max(ZERO, Decimal.min(there, used));
    const taken: TakenUnits[] = [];
    let missing = units;
    for (const index of open) {
      const { entitlementId, stretch } = burnt[index] as BurntIn;
      const part = Decimal.min(missing, Decimal.max(ZERO, left[index] as Decimal));
      left[index] = (left[index] as Decimal).minus(part);
      missing = missing.minus(part);
      if (part.gt(0)) taken.push({ entitlementId, stretch, units: part });
    }
    return { units, taken };
  });
}

const holds = (span: Period, { start, end }: Period): boolean =>
  !isAfter(span.start, start) && !isBefore(span.end, end);
