import { type Sql, sql } from '../../db/index.ts';
import type { Decimal } from '../../kernel/decimal.ts';
import type { Instant } from '../../kernel/time.ts';
import type { Aggregation } from '../meter/meter.ts';
import { definitionText, type RollupDefinition } from '../meter/rollup-definition.ts';
import type { UsageSource } from '../meter/usage-request.ts';
import { contentOf } from './rollup-definitions.sql.ts';

/** The functions that add up what roll-ups keep (`migrations/0054_metering_usage.sql`). */
export type FigureFunction = 'usage_sum' | 'usage_least' | 'usage_greatest';

/** The field of the column that `figureColumns` adds for a function. */
export const FIGURE_FIELDS = {
  usage_sum: 'usageSum',
  usage_least: 'usageLeast',
  usage_greatest: 'usageGreatest',
} as const satisfies Readonly<Record<FigureFunction, string>>;

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
  readonly definition: RollupDefinition;
  readonly parts: readonly FigurePart[];
}

export interface FigurePart extends UsageSource {
  /** The earlier readings of hours that the part cuts. */
  readonly known: readonly KnownHour[];
}

/** The figure of an hour's part for one row of a subject. It holds as long as the hour has as many values. */
export interface KnownHour {
  readonly subject: string;
  readonly hour: string;
  /** The start and end of the part in the hour; null: it has all events before or after. */
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
  readonly eventCount: bigint;
  /** Did the roll-ups hold all events, at the moment of the statement? Else the figure is worth nothing. */
  readonly isComplete: boolean;
  /** Hours of its parts that are worth to be known the next time, by row of their subjects. */
  readonly readHours: readonly (readonly ReadHour[])[] | null;
}

/** The arguments of the functions after the merchant: their types, in their order. */
export const FIGURE_ARGUMENTS = {
  meterTypes: 'text',
  meterContents: 'text',
  questions: 'int',
  meters: 'int',
  subjects: 'text',
  froms: 'timestamptz',
  tos: 'timestamptz',
  knownParts: 'int',
  knownSubjects: 'bigint',
  knownHours: 'timestamptz',
  knownFroms: 'timestamptz',
  knownTos: 'timestamptz',
  knownCounts: 'bigint',
  knownValues: 'numeric',
  knownEvents: 'bigint',
} as const;
export type FigureArgument = keyof typeof FIGURE_ARGUMENTS;

/** The figures of many questions of a merchant in one call: a row for each that has a part, in no order. */
export const selectFigures = (name: FigureFunction, merchantId: string, questions: readonly FigureQuestion[]): Sql => {
  const values = figureArguments(questions);
  return sql`
    select question, value, event_count, is_complete, read_hours
      from ${figuresFrom(name, merchantId, (argument) => values[argument])}`;
};

/**
 * The same as columns of another statement, one for each function and each after a comma: a line for each question,
 * with its number, the value (`-`: none, `!`: the figure is not complete), the number of events, and JSON of the hours
 * that were read, if any were; with spaces between them.
 * @param argumentOf an argument of one of the functions
 */
export const figureColumns = (
  names: readonly FigureFunction[],
  merchant: Sql,
  argumentOf: (name: FigureFunction, argument: FigureArgument) => unknown,
): Sql =>
  sql.join(
    names.map(
      (name) => sql`,
    (select string_agg(concat_ws(' ', f.question, case when f.is_complete then coalesce(f.value::text, '-')
                                 else '!' end,
                                 f.event_count, f.read_hours), E'\\n')
       from ${figuresFrom(name, merchant, (argument) => argumentOf(name, argument))} f) as ${sql.ref(name)}`,
    ),
    sql``,
  );

/** The arguments for some questions. */
export function figureArguments(questions: readonly FigureQuestion[]): Readonly<Record<FigureArgument, unknown[]>> {
  const meters = new Map<string, { readonly place: number; readonly eventType: string; readonly content: string }>();
  const asked = questions.flatMap(({ definition, parts }, question) => {
    const { eventType } = definition;
    const [text, content] = [definitionText(definition), contentOf(definition)];
    const { place } = meters.get(text) ?? { place: meters.size + 1 };
    meters.set(text, { place, eventType, content });
    return parts.map((part) => ({ ...part, question, meter: place }));
  });
  const listed = [...meters.values()];
  const known = asked.flatMap((part, index) => part.known.map((hour) => ({ ...hour, part: index + 1 })));
  return {
    meterTypes: listed.map(({ eventType }) => eventType),
    meterContents: listed.map(({ content }) => content),
    questions: asked.map(({ question }) => question),
    meters: asked.map(({ meter }) => meter),
    subjects: asked.map(({ subject }) => subject),
    froms: asked.map(({ from }) => from),
    tos: asked.map(({ to }) => to),
    knownParts: known.map(({ part }) => part),
    knownSubjects: known.map(({ subject }) => subject),
    knownHours: known.map(({ hour }) => hour),
    knownFroms: known.map(({ from }) => from),
    knownTos: known.map(({ to }) => to),
    knownCounts: known.map(({ eventCount }) => eventCount),
    knownValues: known.map(({ value }) => value),
    knownEvents: known.map(({ events }) => events),
  };
}

function figuresFrom(
  name: FigureFunction,
  merchant: string | Sql,
  argumentOf: (argument: FigureArgument) => unknown,
): Sql {
  const values = Object.entries(FIGURE_ARGUMENTS).map(
    ([argument, type]) => sql`${argumentOf(argument as FigureArgument)}::${sql.raw(type)}[]`,
  );
  return sql`${sql.ref(name)}(${merchant}, ${sql.join(values)})`;
}
