import type { Decimal } from '../kernel/decimal.ts';
import { sum, ZERO } from '../kernel/decimal.ts';
import { compareText, sortedEntries } from '../kernel/json.ts';
import type { Meter } from '../metering/index.ts';

/**
 * Why nobody pays for usage: the reasons of GET /v0/events, in the order in which they are told. `NO_PERIOD`: no
 * subscription of the customer was active. `NOT_PRICED`: one was, and no price of it is for the metric.
 * `GROUP_FILTERED`: its prices take other values of the dimensions. `PERIOD_CLOSED`: a price takes it, but it came
 * after the usage of a subscription that has ended was read for the last time. `INVOICE_CANCELLED`: its invoice is
 * cancelled, and no other bills it.
 */
export const REASONS = [
  'UNKNOWN_SUBJECT',
  'UNKNOWN_TYPE',
  'BEFORE_EVENT_FROM',
  'NO_VALUE',
  'NO_PERIOD',
  'NOT_PRICED',
  'GROUP_FILTERED',
  'PERIOD_CLOSED',
  'INVOICE_CANCELLED',
] as const;
export type Reason = (typeof REASONS)[number];

/** Some events, and their sum; null if figures of the metric are not additive. */
export interface Amount {
  readonly eventCount: number;
  readonly quantity: Decimal | null;
}

/** Unbilled events of one reason and metric (null: no metric counts them). */
export interface UnbilledPart extends Amount {
  readonly reason: Reason;
  readonly metricId: string | null;
  readonly eventType: string;
  /** The values of the dimensions without a price. */
  readonly group: Readonly<Record<string, string | null>> | null;
}

/** Figures of these add up, so a part of them has a quantity of its own. */
export const addsUp = (aggregation: Meter['aggregation']): boolean => aggregation === 'SUM' || aggregation === 'COUNT';

/** The remainder without a part. */
export const less = (all: Amount, part: Amount): Amount => ({
  eventCount: all.eventCount - part.eventCount,
  quantity: all.quantity && part.quantity && all.quantity.minus(part.quantity),
});

/** Several parts of one metric together. */
export const addUp = (parts: readonly Amount[]): Amount => ({
  eventCount: parts.reduce((count, each) => count + each.eventCount, 0),
  quantity: parts.some(({ quantity }) => quantity === null) ? null : sum(parts.map(({ quantity }) => quantity ?? ZERO)),
});

/** Does a price with one of these filters take usage with these values? A missing value is none of a filter's. */
export const isTaken = (
  filters: readonly (Readonly<Record<string, readonly string[]>> | null)[],
  group: Readonly<Record<string, string | null>>,
): boolean =>
  filters.some((filter) =>
    Object.entries(filter ?? {}).every(
      ([dimension, values]) => values.includes(group[dimension] ?? '') && group[dimension] !== null,
    ),
  );

export const GROUPINGS = ['reason', 'metric'] as const;
export type Grouping = (typeof GROUPINGS)[number];

/** A line of the report. */
export interface UnbilledGroup extends Amount {
  readonly reason: Reason | null;
  readonly metricId: string | null;
  readonly eventType: string | null;
  readonly group: Readonly<Record<string, string | null>> | null;
  readonly parts: readonly UnbilledPart[];
}

/**
 * Parts as lines of a report, by what it is grouped by: by reason and metric each part is a line of its own. Quantities
 * of several metrics are never added. The most events first.
 */
export function groupParts(parts: readonly UnbilledPart[], by: readonly Grouping[]): UnbilledGroup[] {
  const [byReason, byMetric] = [by.includes('reason'), by.includes('metric')];
  const keyOf = (part: UnbilledPart) =>
    JSON.stringify([
      byReason && part.reason,
      byMetric && [part.metricId, part.metricId === null && part.eventType],
      byReason && byMetric && part.group && sortedEntries(part.group),
    ]);
  return [...Map.groupBy(parts, keyOf)]
    .map(([key, those]) => ({ key, line: lineOf(those) }))
    .toSorted((a, b) => b.line.eventCount - a.line.eventCount || compareText(a.key, b.key))
    .map(({ line }) => line);
}

function lineOf(parts: readonly UnbilledPart[]): UnbilledGroup {
  const only = <Kind>(fieldOf: (part: UnbilledPart) => Kind): Kind | null => {
    const values = new Set(parts.map(fieldOf));
    return values.size === 1 ? fieldOf(parts[0] as UnbilledPart) : null;
  };
  const { eventCount, quantity } = addUp(parts);
  const [metricId, eventType] = [only((part) => part.metricId), only((part) => part.eventType)];
  return {
    reason: only(({ reason }) => reason),
    metricId,
    eventType,
    group: parts.length === 1 ? (parts[0] as UnbilledPart).group : null,
    eventCount,
    quantity: metricId === null ? null : quantity,
    parts,
  };
}
