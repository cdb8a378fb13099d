import { ZERO } from '../../kernel/decimal.ts';
import { subtract } from '../../kernel/spans.ts';
import {
  HOURS_PER_DAY,
  type Instant,
  isAfter,
  isBefore,
  latest,
  microsecondsBetween,
  normaliseCadence,
  type Period,
} from '../../kernel/time.ts';
import type { BilledPrice, BilledRedemption, BilledVersion, Pause, SeriesBounds } from '../terms/billing-terms.ts';
import { listPriceId } from '../terms/list-price.ts';
import { cutByOverrides } from '../terms/price-overrides.ts';
import { afterPauses, cutByPauses, isSame } from './pauses.ts';
import { type SeriesPeriod, seriesOf } from './series.ts';

/** The versions of the terms, each with its time. */
export interface HistoricTerms {
  readonly planCadence: string;
  readonly prices: readonly BilledPrice[];
  readonly minimumAmount?: BilledVersion['minimumAmount'];
  readonly bounds: SeriesBounds;
  /** The end of `bounds` is the one of a bill that is older than the subscription's own, earlier end (`asBilled`). */
  readonly isOfOpenEnd?: true;
  /** Of an invoice from before docs/decisions/0290: it also asks what is known to come in a period that goes on. */
  readonly asksAhead?: boolean;
  /** In the order of time; absent where there was never another one than the terms' own. */
  readonly versions?: readonly BilledVersion[];
  readonly redemptions?: readonly BilledRedemption[];
  readonly isCommitted?: boolean;
}

/** All versions of the terms, cut by agreed prices and pauses; the terms' own where there was never another one. */
export const versionsOf = <Terms extends { readonly versions?: readonly BilledVersion[] }>(
  terms: Terms,
): readonly (BilledVersion | Terms)[] =>
  terms.versions && terms.versions.length > 0 ? cutVersions(terms.versions) : [terms];

/** The terms as if no version began, and no pause ended, at an instant or after it; the same terms where none does. */
export function termsBefore<Terms extends HistoricTerms>(terms: Terms, instant: Instant): Terms {
  const { versions = [] } = terms;
  const endsLater = ({ to }: Pause): boolean => to !== null && !isBefore(Temporal.Instant.from(to), instant);
  if (versions.every(({ from, pauses = [] }) => isBefore(from, instant) && !pauses.some(endsLater))) return terms;
  const left = versions
    .filter(({ from }, place) => place === 0 || isBefore(from, instant))
    .map(({ pauses, ...version }) => ({
      ...version,
      ...(pauses && { pauses: pauses.map((each) => (endsLater(each) ? { ...each, to: null } : each)) }),
    }));
  return { ...terms, versions: left };
}

function cutVersions(versions: readonly BilledVersion[]): readonly BilledVersion[] {
  const known = CUT.get(versions) ?? cutByPauses(cutByOverrides(afterPauses(versions)));
  CUT.set(versions, known);
  return known;
}

/** Versions do not change. */
const CUT = new WeakMap<readonly BilledVersion[], readonly BilledVersion[]>();

/** The time for which one version is billed. */
export interface Segment
  extends Pick<
      BilledVersion,
      | 'planCadence'
      | 'prices'
      | 'anchors'
      | 'proration'
      | 'credit'
      | 'minimumAmount'
      | 'takesUpAnew'
      | 'agreedAnew'
      | 'paused'
    >,
    Period {
  /** Absent of the only version of a subscription. */
  readonly planId?: string;
}

/** Later than any allowed time: the end of endless things. */
const NEVER: Instant = Temporal.Instant.from('9999-01-01T00:00:00Z');

/**
 * The times of the versions, without gaps, from the start of billing to the end. One that was replaced before it was
 * billed for any time has none; at least one is left.
 */
export function segmentsOf(terms: HistoricTerms): [Segment, ...Segment[]] {
  const known = SEGMENTS.get(terms);
  if (known) return known;
  const segments = findSegments(terms);
  SEGMENTS.set(terms, segments);
  return segments;
}

/** Terms do not change, and a bill asks for their segments hundreds of times. */
const SEGMENTS = new WeakMap<HistoricTerms, [Segment, ...Segment[]]>();

function findSegments({
  planCadence,
  prices,
  minimumAmount = null,
  bounds,
  versions,
}: HistoricTerms): [Segment, ...Segment[]] {
  const own = { from: bounds.startedAt, planCadence, prices, minimumAmount, anchors: {}, proration: 'second' as const };
  const given = versions && versions.length > 0 ? cutVersions(versions) : [own];
  const starts = given.map(({ from }, index) => (index === 0 ? bounds.startedAt : latest(from, bounds.startedAt)));
  const end = bounds.endsAt ?? NEVER;
  const segments = given
    .flatMap((version, index): Segment[] => {
      const start = starts[index] as Instant;
      const next = starts[index + 1] ?? end;
      const segment = { ...version, start, end: isBefore(end, next) ? end : next };
      return isBefore(segment.start, segment.end) ? [segment] : [];
    })
    .map(dividingNothing);
  const first = segments[0] ?? { ...(given.at(-1) as BilledVersion), start: bounds.startedAt, end };
  return [first, ...segments.slice(1)];
}

/** A cut where nothing changes, as of a change and its reversal at one instant, divides no time, prorated or not. */
const dividingNothing = (segment: Segment, place: number, all: readonly Segment[]): Segment => {
  const before = all[place - 1];
  return before && changesNothing(before, segment) ? { ...segment, proration: 'second' } : segment;
};

const changesNothing = (before: Segment, next: Segment): boolean =>
  next.proration === 'none' &&
  next.agreedAnew === undefined &&
  before.planId === next.planId &&
  before.paused === next.paused &&
  (before.minimumAmount ?? ZERO).eq(next.minimumAmount ?? ZERO) &&
  before.prices.length === next.prices.length &&
  before.prices.every(({ id, quantity }, place) => {
    const same = next.prices[place];
    return id === same?.id && quantity.eq(same.quantity);
  }) &&
  cadencesOf(before).every((cadence) => isSame(before.anchors[cadence], next.anchors[cadence]));

/** The segment that holds an instant; before the first one that, after the last one this. */
export const segmentAt = (segments: readonly [Segment, ...Segment[]], at: Instant): Segment =>
  segments.findLast(({ start }) => !isAfter(start, at)) ?? segments[0];

/** The times in which a subscription is paused. @param usage only pauses of this kind */
export const pausesIn = (segments: readonly Segment[], usage?: BilledVersion['paused']): Period[] =>
  segments.filter(({ paused }) => paused !== undefined && (usage === undefined || paused === usage));

/** Is a subscription paused for all of a time? */
export const isPausedThroughout = (terms: HistoricTerms, period: Period): boolean =>
  subtract([period], pausesIn(segmentsOf(terms))).length === 0;

/** On which series a price of a version stands; `P0D`: it is billed once. */
export const cadenceOfPrice = (
  { planCadence }: Pick<BilledVersion, 'planCadence'>,
  { billingCadence }: Pick<BilledPrice, 'billingCadence'>,
): string => normaliseCadence(billingCadence ?? planCadence);

/** The series that a version has, the plan's own first. */
export function cadencesOf(version: Pick<BilledVersion, 'planCadence' | 'prices'>): readonly string[] {
  const known = CADENCES.get(version);
  if (known) return known;
  const cadences = seriesOf(version.planCadence, version.prices).series.map(({ cadence }) => cadence);
  CADENCES.set(version, cadences);
  return cadences;
}

const CADENCES = new WeakMap<Pick<BilledVersion, 'planCadence' | 'prices'>, readonly string[]>();

/** From where the periods of a series are counted in a segment; null where its version has no such series. */
function anchorIn(segment: Segment, cadence: string, { anchor }: SeriesBounds): Instant | null {
  if (!cadencesOf(segment).includes(cadence)) return null;
  return segment.anchors[cadence] ?? anchor;
}

/**
 * The bounds of a series' periods around an instant: the series continues from version to version while cadence and
 * anchor stay the same, and otherwise ends with the version (domain.md §3, Plan change).
 * @returns null if the version at that time has no such series
 */
export function boundsOfSeries(terms: HistoricTerms, cadence: string, at: Instant): SeriesBounds | null {
  const segments = segmentsOf(terms);
  const here = segments.indexOf(segmentAt(segments, at));
  const anchor = anchorIn(segments[here] as Segment, cadence, terms.bounds);
  if (anchor === null) return null;
  const goesOn = (segment: Segment | undefined): boolean =>
    segment !== undefined && (anchorIn(segment, cadence, terms.bounds)?.equals(anchor) ?? false);
  let first = here;
  while (goesOn(segments[first - 1])) first -= 1;
  let last = here;
  while (goesOn(segments[last + 1])) last += 1;
  const after = segments[last + 1];
  return {
    anchor,
    startedAt: (segments[first] as Segment).start,
    endsAt: after === undefined ? terms.bounds.endsAt : after.start,
  };
}

/**
 * The place of an instant in a period for money. A cut by a change is at its instant, at the start of that day of the
 * period, or, not prorated, at the end: the first version has it all. An end at the period's own end stays there; at
 * its very start a change takes all of it. No cut lies before an earlier cut, whose time is already given away; but
 * what goes on through a change is not cut by it (docs/decisions/0293-what-goes-on-is-not-cut.md).
 * @param priceId of the price whose time it is; absent: of the plan's own minimum
 */
export function positionIn(
  period: SeriesPeriod,
  segments: readonly Segment[],
  at: Instant,
  priceId: string | null = null,
): Instant {
  if (!isAfter(at, period.start)) return period.start;
  if (!isBefore(at, period.end)) return period.end;
  const cuts = segments.filter(
    (cut, place) =>
      isAfter(cut.start, period.start) && !isAfter(cut.start, at) && !goesOn(segments[place - 1] ?? cut, cut, priceId),
  );
  const own = cuts.some(({ start }) => start.equals(at)) ? period.start : at;
  return cuts.map((cut) => positionOfCut(period, cut, priceId)).reduce(latest, own);
}

/** Do both versions have a price, or the plan's own minimum, on the same terms? A change cuts only what it changes. */
function goesOn(before: Segment, version: Segment, priceId: string | null): boolean {
  if (priceId === null)
    return before.planCadence === version.planCadence && before.minimumAmount?.eq(version.minimumAmount ?? -1) === true;
  const own = listPriceId(priceId);
  const [had, has] = [before, version].map(({ prices }) => prices.find(({ id }) => listPriceId(id) === own));
  return had !== undefined && has !== undefined && had.id === has.id && had.quantity.eq(has.quantity);
}

function positionOfCut(period: SeriesPeriod, cut: Segment, priceId: string | null): Instant {
  const { start: at } = cut;
  const proration = prorationOf(cut, priceId);
  if (proration === 'none') return period.end;
  if (proration === 'second') return at;
  const days = microsecondsBetween(period.whole.start, at) / (BigInt(HOURS_PER_DAY) * 3_600_000_000n);
  return latest(period.start, period.whole.start.add({ hours: Number(days) * HOURS_PER_DAY }));
}

/** How a cut divides the time of a price: by the second where its agreed terms change (commercial.md §1). */
export const prorationOf = ({ proration, agreedAnew }: Segment, priceId: string | null): Segment['proration'] =>
  priceId !== null && agreedAnew?.has(listPriceId(priceId)) ? 'second' : proration;

/**
 * Some spans of a period, for money. Pieces that make up a period sum to the period's own share. A pause takes its
 * seconds from whoever has them, after changes have divided the period.
 * @param paused the pauses that count
 */
export const timeIn = (
  period: SeriesPeriod,
  segments: readonly Segment[],
  spans: readonly Period[],
  priceId: string | null,
  paused: readonly Period[],
): Period[] =>
  subtract(
    spans
      .map(({ start, end }) => ({
        start: positionIn(period, segments, start, priceId),
        end: positionIn(period, segments, end, priceId),
      }))
      .filter(({ start, end }) => isBefore(start, end)),
    paused,
  );

/** The spans of a period in which a price holds; such that touch are one. */
export function spansOf(period: Period, segments: readonly Segment[], holds: (segment: Segment) => boolean): Period[] {
  const spans: Period[] = [];
  for (const segment of segments) {
    if (!isBefore(segment.start, period.end)) break;
    const start = latest(period.start, segment.start);
    const end = isBefore(segment.end, period.end) ? segment.end : period.end;
    if (!isBefore(start, end) || !holds(segment)) continue;
    const before = spans.at(-1);
    if (before?.end.equals(start)) spans[spans.length - 1] = { start: before.start, end };
    else spans.push({ start, end });
  }
  return spans;
}
