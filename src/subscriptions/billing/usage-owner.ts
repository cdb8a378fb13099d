import type { Pause } from '../../invoicing/index.ts';
import { earliest, type Instant, isAfter, isBefore, latest, type Period } from '../../kernel/time.ts';
import { type ActiveSpan, ownSpans } from '../../metering/index.ts';

/** The metrics that a subscription prices for a time, each with the cadences of its prices. */
export interface PricedSpan extends ActiveSpan {
  readonly metrics: ReadonlyMap<string, readonly string[]>;
  /** It is paused, and bills only what no other subscription prices (commercial.md §6). */
  readonly isPaused: boolean;
}

/** When a subscription that is or was active prices which metrics. One that waits for its payment claims nothing. */
export interface UsageClaim {
  readonly subscriptionId: string;
  /** One for each version that held for any time, in the order of time; none goes beyond the end. */
  readonly spans: readonly PricedSpan[];
  /** Of the version that holds at the end, also where it begins there: it billed what came after an end of the past. */
  readonly metricsAtEnd: PricedSpan['metrics'];
  /** When it ends, or ended; null: no end is set. */
  readonly end: Instant | null;
}

/** A series of a subscription, and the end of its last period whose usage was read. */
export interface ReadSeries {
  readonly subscriptionId: string;
  readonly cadence: string;
  readonly until: Instant;
}

/**
 * The parts of a period in which usage that is addressed to the customer is billed by one of its subscriptions
 * (domain.md §3, "Whose usage"). At each instant this is the oldest active subscription with a price of the metric, and
 * of several one that is not paused. Without one, usage stays with the oldest subscription that was ended as of the
 * past and had billed it before.
 *
 * @param claims all subscriptions of the customer on one clock, in the order of their creation
 * @param read of subscriptions that ended before the end of the period; a question counts as a reading
 */
export function ownedSpans(
  claims: readonly UsageClaim[],
  { subscriptionId, metricId }: { readonly subscriptionId: string; readonly metricId: string },
  period: Period,
  read: readonly ReadSeries[] = [],
): Period[] {
  const place = claims.findIndex((claim) => claim.subscriptionId === subscriptionId);
  const own = claims[place];
  if (!own) return [];
  const older = claims.slice(0, place);
  const active = (those: readonly UsageClaim[]) => those.flatMap((claim) => pricing(claim, metricId));
  const running = active(claims).filter(({ isPaused }) => !isPaused);
  const whileActive = pricing(own, metricId).flatMap((span) => {
    const before = active(older).filter(({ isPaused }) => isPaused === span.isPaused);
    return ownSpans(period, span, span.isPaused ? [...running, ...before] : before);
  });
  const after = afterEnd(own, metricId, period.end);
  if (after === null) return whileActive;
  const olderAfter = older.flatMap((claim) => afterEnd(claim, metricId, readUntil(claim, metricId, read)) ?? []);
  return joined([...whileActive, ...ownSpans(period, after, [...active(claims), ...olderAfter])]);
}

/** A version of a subscription, from when on it holds. */
export interface PricedVersion {
  readonly from: Instant;
  readonly metrics: PricedSpan['metrics'];
  /** It is paused, and its usage is billed or free. */
  readonly paused?: Pause['usage'] | undefined;
}

/** The claim of a subscription with its versions, in the order of time; the first one applies from its start. */
export function claimOf(
  { subscriptionId, start, end }: { subscriptionId: string; start: Instant; end: Instant | null },
  versions: readonly PricedVersion[],
): UsageClaim {
  const spans = versions.flatMap(({ from, metrics, paused }, index): PricedSpan[] => {
    const next = versions[index + 1]?.from ?? null;
    const to = next && end ? earliest(next, end) : (next ?? end);
    const isPaused = paused !== undefined;
    return paused === 'free' ? [] : [{ metrics, isPaused, from: index === 0 ? start : latest(from, start), to }];
  });
  const hasBegun = end === null || isBefore(start, end);
  const last = versions.findLast(({ from }, index) => index === 0 || end === null || !isAfter(from, end));
  return {
    subscriptionId,
    end,
    spans: spans.filter(({ from, to }) => to === null || isBefore(from, to)),
    metricsAtEnd: (hasBegun ? last?.metrics : undefined) ?? new Map(),
  };
}

/** Do two subscriptions price a metric that is the same? */
export const shareMetric = (one: UsageClaim, other: UsageClaim): boolean => {
  const metricsOf = ({ spans, metricsAtEnd }: UsageClaim) =>
    new Set([...spans.map(({ metrics }) => metrics), metricsAtEnd].flatMap((metrics) => [...metrics.keys()]));
  return !metricsOf(one).isDisjointFrom(metricsOf(other));
};

const pricing = ({ spans }: UsageClaim, metricId: string): PricedSpan[] =>
  spans.filter(({ metrics }) => metrics.has(metricId));

/** The time after the end of a subscription that it had billed before the end was set; null where there is none. */
function afterEnd(claim: UsageClaim, metricId: string, until: Instant | null): ActiveSpan | null {
  const { end } = claim;
  const hasSome = end !== null && until !== null && isAfter(until, end);
  return hasSome && claim.metricsAtEnd.has(metricId) ? { from: end, to: until } : null;
}

/** Until when the usage of a metric was read in the periods of a subscription; null: never. */
function readUntil({ subscriptionId, metricsAtEnd }: UsageClaim, metricId: string, read: readonly ReadSeries[]) {
  const cadences = metricsAtEnd.get(metricId) ?? [];
  const ends = read.filter((each) => each.subscriptionId === subscriptionId && cadences.includes(each.cadence));
  return ends.length === 0 ? null : ends.map(({ until }) => until).reduce(latest);
}

/** Spans in the order of time; those that touch are one. */
function joined(spans: readonly Period[]): Period[] {
  const all: Period[] = [];
  for (const span of spans.toSorted((a, b) => Temporal.Instant.compare(a.start, b.start))) {
    const before = all.at(-1);
    if (before?.end.equals(span.start)) all[all.length - 1] = { start: before.start, end: span.end };
    else all.push(span);
  }
  return all;
}
