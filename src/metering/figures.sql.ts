import { type Sql, sql } from '../db/index.ts';
import type { Decimal } from '../kernel/decimal.ts';
import type { Instant } from '../kernel/time.ts';
import type { Aggregation } from './meter.ts';
import { contentOf } from './series.sql.ts';
import { type SeriesSpec, seriesText } from './series-spec.ts';
import type { UsageSource } from './usage-request.ts';

/** The functions that add up what roll-ups keep (`migrations/0044_usage_reading.sql`). */
export type FigureFunction = 'usage_sum' | 'usage_least' | 'usage_greatest';

/** The function that has the figure of an aggregation. Of the others, roll-ups keep no single value. */
export const FIGURES: Readonly<Partial<Record<Aggregation, FigureFunction>>> = {
  SUM: 'usage_sum',
  AVG: 'usage_sum',
  COUNT: 'usage_sum',
  MIN: 'usage_least',
  MAX: 'usage_greatest',
};

/** A question about one figure. No moment of a subject is in two of its parts. */
export interface FigureQuestion {
  readonly spec: SeriesSpec;
  readonly parts: readonly FigurePart[];
}

export interface FigurePart extends UsageSource {
  /** What was read before of hours that the part cuts. */
  readonly known: readonly KnownHour[];
}

/** The figure of an hour's part for one row of a subject. It holds as long as the hour has as many values. */
export interface KnownHour {
  readonly subject: string;
  readonly hour: string;
  /** Where the part begins and ends in the hour; null: it has all events before or after. */
  readonly from: Instant | null;
  readonly to: Instant | null;
  /** Of the whole hour. */
  readonly eventCount: string;
  readonly value: string | null;
  readonly events: string;
}

/** An hour that was read event by event, for the part at a place of the list, from 1. */
export interface ReadHour extends Omit<KnownHour, 'from' | 'to'> {
  readonly part: string;
  readonly isFromCut: boolean;
  readonly isToCut: boolean;
}

export interface FigureRow {
  /** The place of the question in the list. */
  readonly question: number;
  /** Null: no value; or only the number of events is kept. */
  readonly value: Decimal | null;
  readonly event_count: bigint;
  /** Did the roll-ups hold all events, at the moment of the statement? Else the figure is worth nothing. */
  readonly is_complete: boolean;
  /** Hours of its parts that are worth to be known the next time, by row of their subjects. */
  readonly read_hours: readonly (readonly ReadHour[])[] | null;
}

/** The figures of many questions of a merchant in one call: a row for each that has a part, in no order. */
export const selectFigures = (
  name: FigureFunction,
  merchantId: string,
  questions: readonly FigureQuestion[],
): Sql => sql`
    select question, value, event_count, is_complete, read_hours from ${figuresFrom(name, merchantId, questions)}`;

/**
 * The same as columns of another statement, one for each function and each after a comma: a text with the number of the
 * question, the value (`-`: none) and the number of events, with spaces between them and commas between the questions. It
 * is null where one is not complete.
 */
export const figureColumns = (
  calls: readonly { readonly name: FigureFunction; readonly questions: readonly FigureQuestion[] }[],
  merchant: Sql,
): Sql =>
  sql.join(
    calls.map(
      ({ name, questions }) => sql`,
    (select case when bool_and(f.is_complete)
                 then string_agg(concat_ws(' ', f.question, coalesce(f.value::text, '-'), f.event_count), ',') end
       from ${figuresFrom(name, merchant, questions)} f) as ${sql.ref(name)}`,
    ),
    sql``,
  );

function figuresFrom(name: FigureFunction, merchant: string | Sql, questions: readonly FigureQuestion[]): Sql {
  const meters = new Map<string, { readonly place: number; readonly eventType: string; readonly content: string }>();
  const asked = questions.flatMap(({ spec, parts }, question) => {
    const { eventType } = spec;
    const [text, content] = [seriesText(spec), contentOf(spec)];
    const { place } = meters.get(text) ?? { place: meters.size + 1 };
    meters.set(text, { place, eventType, content });
    return parts.map((part) => ({ ...part, question, meter: place }));
  });
  const listed = [...meters.values()];
  const known = asked.flatMap((part, index) => part.known.map((hour) => ({ ...hour, part: index + 1 })));
  return sql`
      ${sql.ref(name)}(${merchant}, ${listed.map(({ eventType }) => eventType)}::text[], ${listed.map(({ content }) => content)}::text[],
             ${asked.map(({ question }) => question)}::int[], ${asked.map(({ meter }) => meter)}::int[],
             ${asked.map(({ subject }) => subject)}::text[], ${asked.map(({ from }) => from)}::timestamptz[],
             ${asked.map(({ to }) => to)}::timestamptz[],
             ${known.map(({ part }) => part)}::int[], ${known.map(({ subject }) => subject)}::bigint[],
             ${known.map(({ hour }) => hour)}::timestamptz[], ${known.map(({ from }) => from)}::timestamptz[],
             ${known.map(({ to }) => to)}::timestamptz[], ${known.map(({ eventCount }) => eventCount)}::bigint[],
             ${known.map(({ value }) => value)}::numeric[], ${known.map(({ events }) => events)}::bigint[])`;
}
