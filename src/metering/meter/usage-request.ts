import type { Decimal } from '../../kernel/decimal.ts';
import { compareText } from '../../kernel/json.ts';
import { earliest, type Instant, isAfter, isBefore, latest, type Period } from '../../kernel/time.ts';
import type { Meter } from './meter.ts';
import type { WindowSize } from './windows.ts';

/** The events that are addressed to a customer or a subscription, in `[from, to)`. */
export interface UsageSource {
  /** A `cus_` or `sub_` id. Events sent to a subscription count for it alone, not for its customer (domain.md §3). */
  readonly subject: string;
  readonly from: Instant;
  readonly to: Instant;
}

/** The events of a meter in a question. */
export interface UsageScope {
  readonly merchantId: string;
  readonly meter: Meter;
  /** Null: all events, also those without a customer yet. An event in several sources counts once. */
  readonly sources: readonly UsageSource[] | null;
  /** Half-open, over all sources. */
  readonly from: Instant;
  readonly to: Instant;
  /** Only events whose value of the dimension is one of these; null means a missing one. */
  readonly groupFilters?: Readonly<Record<string, readonly (string | null)[]>>;
  /** A question that needs more rows is given up. Absent: any number. */
  readonly mostRows?: number;
  /** The period whose length a figure in `timeUnit: period` is divided by. Absent: the time that is asked about. */
  readonly wholePeriod?: Period;
  /** The time whose windows a percentile is of, in order and apart; it holds all sources. Absent: that asked about. */
  readonly sampled?: readonly Period[];
  /** Only events up to here in the order of acceptance (`usageMark`); then all are read, and no roll-up. */
  readonly acceptedUpTo?: bigint;
}

/** The cut of the figures: by the values of dimensions, by customer, by window, or by several of them together. */
export interface UsageCut {
  readonly groups?: readonly string[];
  readonly byCustomer?: boolean;
  /** Aligned in UTC, clipped to the request. One size for all cuts of a request. */
  readonly window?: WindowSize;
}

export interface UsageRequest extends UsageScope, UsageCut {}

/**
 * A rule by which each event comes to an amount: its value × `part` + `fixed`, within the bounds; one of 0 or less to
 * its part only, at least `most` below 0. The first `free` events in order of time, then of acceptance, come to
 * nothing.
 */
export interface EventRule {
  readonly part: Decimal;
  readonly fixed: Decimal;
  readonly least: Decimal | null;
  readonly most: Decimal | null;
  readonly free: bigint;
}

/** One figure. */
export interface UsageRow {
  /** The value of each dimension of the cut; null where the events have none. */
  readonly group: Readonly<Record<string, string | null>>;
  /** With `byCustomer`: the customer of the events, null for none yet. */
  readonly customerId?: string | null;
  readonly windowStart?: Instant;
  readonly windowEnd?: Instant;
  readonly value: Decimal;
  /** Of a figure over time: the quotient of which `value` has 12 digits. */
  readonly exact?: Decimal;
  /** How many events of the time asked about had a usable value. */
  readonly eventCount: number;
}

/**
 * The usage of a meter, exact. A cut without groups, customers and windows has always
 * one row, 0 where nothing counts; any other cut has a row for each combination that has events.
 * COUNT counts events, with a `valueProperty` those that have a value there. UNIQUE_COUNT compares texts.
 *
 * LATEST is a level: the value of the last event before `to` (the latest timestamp, and of these the one accepted
 * last), whenever it came, so also before `from`. A source adds what is addressed to its subject at any time before its
 * own end. A group that ever had an event has a row; `eventCount` counts those in the time asked about alone. Of
 * windows there are those in which the level was set, and the one with which it begins: it goes on over the others
 * (`everyWindow`).
 *
 * TIME_WEIGHTED is the integral of such levels over the time asked about, each customer and each combination of the
 * meter's dimensions by itself, then added up. All windows from the first level on have a row.
 *
 * PERCENTILE is of the figures of its windows in UTC, clipped to the time asked about; one without events is 0.
 *
 * @throws TooManyRows where the question needs more of them than it may
 *
 * An average is rounded to 50 significant digits, half
 * away from zero, where it has more; everything else keeps all digits.
 */
export interface UsageQuery<Tx> {
  measure(tx: Tx, scope: UsageScope, cuts: readonly UsageCut[]): Promise<UsageRow[][]>;
}

/** Rows of windows in the order of time. No two windows of a question begin in the same millisecond. */
export const byTime = (a: Pick<UsageRow, 'windowStart'>, b: Pick<UsageRow, 'windowStart'>): number =>
  (a.windowStart as Instant).epochMilliseconds - (b.windowStart as Instant).epochMilliseconds;

/** Sources cut to the request, and those of one subject joined where they meet, so that no event is in two of them. */
export function disjointSources(sources: readonly UsageSource[], from: Instant, to: Instant): UsageSource[] {
  const clipped = sources
    .map((source) => ({ ...source, from: latest(source.from, from), to: earliest(source.to, to) }))
    .filter((source) => isBefore(source.from, source.to))
    .toSorted((a, b) => compareText(a.subject, b.subject) || Temporal.Instant.compare(a.from, b.from));
  const joined: UsageSource[] = [];
  for (const source of clipped) {
    const last = joined.at(-1);
    if (last?.subject !== source.subject || isAfter(source.from, last.to)) joined.push(source);
    else joined[joined.length - 1] = { ...last, to: latest(last.to, source.to) };
  }
  return joined;
}
