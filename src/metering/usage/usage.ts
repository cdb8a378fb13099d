import type { Sql, Tx } from '../../db/index.ts';
import { eachInTurns, inTurns } from '../../http/index.ts';
import { type Decimal, ZERO } from '../../kernel/decimal.ts';
import { isLevel, isOverTime, isPercentile } from '../meter/meter.ts';
import { TooManyRows } from '../meter/most-rows.ts';
import { type RollupDefinition, rollupDefinitionOf } from '../meter/rollup-definition.ts';
import type { EventRule, UsageCut, UsageQuery, UsageRequest, UsageRow, UsageScope } from '../meter/usage-request.ts';
import { clippedWindow, type Window, type WindowSize } from '../meter/windows.ts';
import { type AnsweredRow, selectAnswers, selectUsedSpans, type UsedSpanRow } from './figure-sets.sql.ts';
import { figure, isKept, keptFigures, type UsageFigure } from './figures.ts';
import { type Stamped, withoutRepeats } from './levels.ts';
import { selectOverTime } from './over-time.sql.ts';
import { overTime } from './over-time.ts';
import { selectPercentile } from './percentile.sql.ts';
import {
  columnNames,
  intervalsOf,
  type MeasuredRow,
  selectOfEach,
  selectRolledUsage,
  selectUsage,
  type UsageColumns,
} from './usage.sql.ts';

/** Usage straight from the raw events in PostgreSQL, all cuts in one statement and so of one moment. */
export const rawUsage: UsageQuery<Tx> = {
  async measure(tx, scope, cuts) {
    const { columns, distinct } = askedOf(cuts);
    if (isOverTime(scope.meter)) return measureOverTime(tx, scope, cuts, null);
    const query = isPercentile(scope.meter)
      ? (selectPercentile(scope, columns, distinct, null) as Sql)
      : selectUsage(scope, columns, distinct);
    return cutRows(await measuredRows(tx, query, scope, columns), scope, cuts, columns);
  },
};

/** Usage from roll-ups where there are, and from the events where there are none; the same figures as `rawUsage`. */
export const postgresUsage: UsageQuery<Tx> = {
  async measure(tx, scope, cuts) {
    const { columns, distinct } = askedOf(cuts);
    if (columnNames(columns).length === 0 && isKept(scope)) {
      const [kept] = await keptFigures(tx, [scope]);
      return kept ? cuts.map(() => [{ group: {}, ...kept }]) : rawUsage.measure(tx, scope, cuts);
    }
    const definition = scope.acceptedUpTo === undefined ? rollupDefinitionOf(scope.meter) : null;
    if (isOverTime(scope.meter)) return measureOverTime(tx, scope, cuts, definition);
    const select = isPercentile(scope.meter) ? selectPercentile : selectRolledUsage;
    const query = definition && select(scope, columns, distinct, definition);
    const rows = query && (await measuredRows(tx, query, scope, columns));
    if (!rows?.every(({ isComplete }) => isComplete)) return rawUsage.measure(tx, scope, cuts);
    return cutRows(rows, scope, cuts, columns);
  },
};

/** A figure over time: earlier levels come from roll-ups where they hold all events, all others from the events. */
async function measureOverTime(
  tx: Tx,
  scope: UsageScope,
  cuts: readonly UsageCut[],
  definition: RollupDefinition | null,
): Promise<UsageRow[][]> {
  const { columns, distinct } = askedOf(cuts);
  if (intervalsOf(scope).length === 0) return cuts.map((cut) => (setOf(cut, columns).length === 0 ? [NO_TIME] : []));
  const rows = await measuredRows(tx, selectOverTime(scope, columns, distinct, definition), scope, columns);
  return rows.every(({ isComplete }) => isComplete)
    ? cutRows(rows, scope, cuts, columns)
    : measureOverTime(tx, scope, cuts, null);
}

const NO_TIME: UsageRow = { group: {}, value: ZERO, eventCount: 0 };

function askedOf(cuts: readonly UsageCut[]): { columns: UsageColumns; distinct: string[][] } {
  const columns = columnsOf(cuts);
  const sets = cuts.map((cut) => setOf(cut, columns));
  return { columns, distinct: [...new Map(sets.map((set) => [set.join(), set])).values()] };
}

/** @throws TooManyRows */
async function measuredRows(
  tx: Tx,
  query: Sql,
  { mostRows }: UsageScope,
  columns: UsageColumns,
): Promise<MeasuredRow[]> {
  if (columnNames(columns).length === 0) return tx.rows<MeasuredRow>(query);
  const rows = await tx.manyRows<MeasuredRow>(query);
  if (mostRows !== undefined && rows.length > mostRows) throw new TooManyRows();
  return rows;
}

async function cutRows(
  rows: readonly MeasuredRow[],
  scope: UsageScope,
  cuts: readonly UsageCut[],
  columns: UsageColumns,
): Promise<UsageRow[][]> {
  const sets: UsageRow[][] = [];
  for (const cut of cuts) {
    const mask = summedOver(setOf(cut, columns), columns);
    const found = rows.filter((row) => row.summedOver === mask);
    const shown = await eachInTurns(found, rowMaker(cut, columns, scope));
    const isCutByTime = isLevel(scope.meter) && cut.window !== undefined;
    const stamped = (row: UsageRow, index: number): Stamped => [row, stampOf(found[index] as MeasuredRow)];
    sets.push(isCutByTime ? await inTurns(withoutRepeats(shown.map(stamped))) : shown);
  }
  return sets;
}

const stampOf = ({ latestAt: at, latestSeq: seq }: MeasuredRow): Stamped[1] => ({
  at: (at as Temporal.Instant).epochNanoseconds,
  seq: seq as bigint,
});

/** The figures of one cut; see `UsageQuery`. */
export async function usage(tx: Tx, request: UsageRequest): Promise<UsageRow[]> {
  const [rows = []] = await postgresUsage.measure(tx, request, [request]);
  return rows;
}

/** Several cuts of the same events, all of one moment. */
export const measure = (tx: Tx, scope: UsageScope, cuts: readonly UsageCut[]): Promise<UsageRow[][]> =>
  postgresUsage.measure(tx, scope, cuts);

/** The rows of each of many requests of a merchant, in their order; whole figures of some subjects in one call. */
export async function usageOfEach(tx: Tx, requests: readonly UsageRequest[]): Promise<UsageRow[][]> {
  const whole = requests.filter((request) => columnNames(columnsOf([request])).length === 0);
  const figures = new Map((await measureEach(tx, whole)).map((each, place) => [whole[place], each]));
  const rows: UsageRow[][] = [];
  for (const request of requests) {
    const kept = figures.get(request);
    rows.push(kept ? [{ group: {}, ...kept }] : await usage(tx, request));
  }
  return rows;
}

/** What the events of a sum or a count come to one by one. */
export async function amountOfEach(tx: Tx, scope: UsageScope, rule: EventRule): Promise<Decimal> {
  const { amount } = await tx.one<{ amount: Decimal }>(selectOfEach(scope, rule));
  return amount;
}

/**
 * The whole figure of each of many questions of a merchant, in their order: in one call where roll-ups keep it, else in
 * one statement for each meter. Levels, and questions about groups or all subjects, have a statement each.
 */
export async function measureEach(tx: Tx, questions: readonly UsageScope[]): Promise<UsageFigure[]> {
  const figures = await keptFigures(tx, questions);
  const open = questions.flatMap((question, place) => (figures[place] ? [] : [{ question, place }]));
  for (const ofOne of Map.groupBy(open, ({ question }) => togetherWith(question)).values()) {
    const found = await answersOf(
      tx,
      ofOne.map(({ question }) => question),
    );
    for (const [index, { place }] of ofOne.entries()) figures[place] = found[index] as UsageFigure;
  }
  return figures as UsageFigure[];
}

/** Questions with the same text have one statement; a level is of the last event before, whenever that came. */
const togetherWith = (question: UsageScope): unknown => {
  const { meter, sources, groupFilters = {}, acceptedUpTo } = question;
  const isAlone = sources === null || acceptedUpTo !== undefined || Object.keys(groupFilters).length > 0;
  if (isAlone || isLevel(meter) || isOverTime(meter) || isPercentile(meter)) return question;
  const { eventType, aggregation, valueProperty } = meter;
  return JSON.stringify([eventType, aggregation, valueProperty, meter.groupBy]);
};

async function answersOf(tx: Tx, questions: readonly UsageScope[]): Promise<UsageFigure[]> {
  const [first] = questions as [UsageScope];
  const { meter } = first;
  if (typeof togetherWith(first) !== 'string' || questions.length === 1) {
    const [[row] = []] = await postgresUsage.measure(tx, first, [{}]);
    return questions.map(() => row as UsageRow);
  }
  const definition = meter.aggregation === 'UNIQUE_COUNT' ? rollupDefinitionOf(meter) : null;
  const rolled = definition && (await tx.rows<AnsweredRow>(selectAnswers(questions, definition)));
  const isComplete = rolled?.every(({ isComplete: each }) => each) === true;
  const rows = rolled && isComplete ? rolled : await tx.rows<AnsweredRow>(selectAnswers(questions, null));
  const found = new Map(rows.map((row) => [row.question, row]));
  return questions.map((_, question) => {
    const { value, eventCount: events } = found.get(question) as AnsweredRow;
    const eventCount = Number(events);
    return { value: figure(meter, value, eventCount), eventCount };
  });
}

/**
 * The times in which some subjects have values of a meter, as spans of full hours, in order and apart. They may hold
 * more than the hours that are asked about, never less.
 */
export async function usedSpans(
  tx: Tx,
  scope: Pick<UsageScope, 'merchantId' | 'meter' | 'from' | 'to'>,
  subjects: readonly string[],
): Promise<{ from: Temporal.Instant; to: Temporal.Instant }[]> {
  if (scope.meter.eventType === null) return [];
  const definition = rollupDefinitionOf(scope.meter);
  const rolled = definition && (await tx.rows<UsedSpanRow>(selectUsedSpans(scope, subjects, definition)));
  const isComplete = rolled?.every(({ from }) => from !== null) === true;
  const rows = rolled && isComplete ? rolled : await tx.rows<UsedSpanRow>(selectUsedSpans(scope, subjects, null));
  return rows.flatMap(({ from, to }) => (from && to ? [{ from, to }] : []));
}

function columnsOf(cuts: readonly UsageCut[]): UsageColumns {
  const windows = new Set(cuts.flatMap(({ window }) => (window === undefined ? [] : [window])));
  if (windows.size > 1) throw new RangeError('One request has windows of one size.');
  const [window = null] = windows;
  return {
    dimensions: [...new Set(cuts.flatMap(({ groups }) => groups ?? []))],
    byCustomer: cuts.some(({ byCustomer }) => byCustomer === true),
    window,
  };
}

function setOf(cut: UsageCut, columns: UsageColumns): string[] {
  const dimensions = new Set(cut.groups);
  return columnNames(columns).filter((name) => {
    if (name === 'customer_id') return cut.byCustomer === true;
    if (name === 'window_start') return cut.window !== undefined;
    return dimensions.has(columns.dimensions[Number(name.slice(1))] as string);
  });
}

const summedOver = (set: readonly string[], columns: UsageColumns): number =>
  columnNames(columns).reduce((mask, name) => mask * 2 + (set.includes(name) ? 0 : 1), 0);

/** Makes the rows of a cut: what many of them have in common, such as a window, is made once. */
function rowMaker(cut: UsageCut, { dimensions }: UsageColumns, scope: UsageScope): (row: MeasuredRow) => UsageRow {
  const groups = (cut.groups ?? []).map((name) => [name, `d${dimensions.indexOf(name)}`] as const);
  const windows = new Map<number, Window>();
  const windowOf = (start: Temporal.Instant, size: WindowSize): Window => {
    const known = windows.get(start.epochMilliseconds) ?? clippedWindow(start, size, scope.from, scope.to);
    windows.set(start.epochMilliseconds, known);
    return known;
  };
  const figureIn = ({ value, windowStart }: MeasuredRow, eventCount: number) => {
    if (!isOverTime(scope.meter)) return { value: figure(scope.meter, value, eventCount) };
    const isByWindow = cut.window !== undefined && windowStart && scope.wholePeriod === undefined;
    const window = isByWindow ? windowOf(windowStart, cut.window) : null;
    const asked = window ? { from: window.windowStart, to: window.windowEnd } : scope;
    return overTime(scope.meter, value ?? ZERO, asked);
  };
  return (row) => {
    const eventCount = Number(row.eventCount);
    return {
      group: Object.fromEntries(groups.map(([name, column]) => [name, row[column as `d${number}`] ?? null])),
      ...(cut.byCustomer === true && { customerId: row.customerId }),
      ...(cut.window !== undefined && row.windowStart && windowOf(row.windowStart, cut.window)),
      ...figureIn(row, eventCount),
      eventCount,
    };
  };
}
