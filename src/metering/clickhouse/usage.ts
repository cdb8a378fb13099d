import { setTimeout as sleep } from 'node:timers/promises';
import type { Tx } from '../../db/index.ts';
import { eachInTurns, inTurns } from '../../http/index.ts';
import { isLevel, isOverTime, isPercentile } from '../meter/meter.ts';
import { TooManyRows } from '../meter/most-rows.ts';
import { disjointSources, type UsageCut, type UsageQuery, type UsageRow } from '../meter/usage-request.ts';
import { clippedWindow, type Window, type WindowSize } from '../meter/windows.ts';
import { type Stamped, withoutRepeats } from '../usage/levels.ts';
import { type Answer, answerOfTail, type Customers, cellSetsOf, keyOfTail, type ValueOf } from './answers.ts';
import { type CellSets, figureOf, NOTHING, type PartialFigure, textOfLimbs, unite } from './cells.ts';
import { columnNames, columnsOf, type Question, setOf, summedOver, windowStart } from './question.ts';
import {
  countUnshipped,
  type Standing,
  selectAddresses,
  selectOwners,
  selectServingStanding,
  selectSharedOwners,
} from './shipping.sql.ts';
import type { ClickHouse, Statement } from './store.ts';
import type { EngineMode } from './tables.sql.ts';
import { selectTail, selectTailValues } from './tail.sql.ts';
import type { TailRow, TailUniqueRow } from './tail-rows.ts';
import {
  type AskedProjection,
  isUnique,
  selectLarge,
  selectRowsAfter,
  selectSmall,
  selectStanding,
  selectUnique,
  type TailValue,
} from './usage.sql.ts';

/** Up to this many subjects PostgreSQL is the faster one. */
const FEW_SUBJECTS = 100;
/** More events than this after the mark, or subjects that must be told, and PostgreSQL answers alone. */
const MOST_UNSHIPPED = 200_000;
const MOST_TOLD = 100_000;
/**
 * All that is asked for one answer, together. PostgreSQL may need 10 seconds for it afterwards, and a request has 20.
 */
const MOST_MILLISECONDS = 9_000;
const PAUSE_MILLISECONDS = 5_000;

export interface ClickHouseUsageOptions {
  readonly clickhouse: ClickHouse;
  readonly mode: EngineMode;
  /** Answers instead of ClickHouse: for few subjects, an unfinished projection, an unreachable server. */
  readonly postgres: UsageQuery<Tx>;
  /** Up to this many subjects PostgreSQL is asked; default 100. */
  readonly fewSubjects?: number;
  /** How long one answer may take there in all; default 9,000. */
  readonly mostMilliseconds?: number;
  /** How long ClickHouse is not asked after it has not answered or was not whole; default 5,000. */
  readonly pauseMilliseconds?: number;
  /** Called when PostgreSQL had to answer in place of ClickHouse, but not during a pause. */
  readonly onFallback: (error: Error) => void;
}

/** ClickHouse is unreachable, or its content differs from the shipped events. */
export class ProjectionUnavailable extends Error {}

/** This question is not one for ClickHouse, though it is there. */
class QuestionTooLarge extends ProjectionUnavailable {}

/**
 * Usage over many subjects from ClickHouse, exact: what was shipped is counted there, what was accepted since in
 * PostgreSQL, cut by the order of acceptance. So an event is counted from the moment of its 2xx, and once. Anything
 * that ClickHouse cannot answer now is answered by PostgreSQL, more slowly and with the same figures. After a failure
 * it pauses, so that not every question waits in vain for a server that is away.
 */
export function clickhouseUsage(options: ClickHouseUsageOptions): UsageQuery<Tx> {
  const { postgres, onFallback, fewSubjects = FEW_SUBJECTS, pauseMilliseconds = PAUSE_MILLISECONDS } = options;
  let isPaused = false;
  const pause = async () => {
    isPaused = true;
    await sleep(pauseMilliseconds, null, { ref: false });
    isPaused = false;
  };
  const measure: UsageQuery<Tx>['measure'] = async (tx, scope, cuts) => {
    const sources = scope.sources === null ? null : disjointSources(scope.sources, scope.from, scope.to);
    // The order of events decides the one, the figures of small windows the other.
    if (isOverTime(scope.meter) || isPercentile(scope.meter)) return postgres.measure(tx, scope, cuts);
    if (isPaused || (sources !== null && new Set(sources.map(({ subject }) => subject)).size <= fewSubjects))
      return postgres.measure(tx, scope, cuts);
    const standing = await selectServingStanding(tx);
    if (standing === undefined || (await countUnshipped(tx, standing.mark, MOST_UNSHIPPED)) === MOST_UNSHIPPED)
      return postgres.measure(tx, scope, cuts);
    const addresses = sources === null ? null : await selectAddresses(tx, sources);
    const columns = columnsOf(cuts);
    const sets = [...new Map(cuts.map((cut) => [setOf(cut, columns).join(), setOf(cut, columns)])).values()];
    const question: Question = { scope, mark: standing.mark, lastBatch: standing.batchNo, addresses, columns, sets };
    try {
      return await measureIn(tx, question, cuts, standing, options);
    } catch (error) {
      if (!(error instanceof ProjectionUnavailable)) throw error;
      if (!(error instanceof QuestionTooLarge) && pauseMilliseconds > 0) void pause();
      onFallback(error);
      return postgres.measure(tx, scope, cuts);
    }
  };
  return { measure };
}

async function measureIn(
  tx: Tx,
  question: Question,
  cuts: readonly UsageCut[],
  standing: Standing,
  { clickhouse, mode, mostMilliseconds = MOST_MILLISECONDS }: ClickHouseUsageOptions,
): Promise<UsageRow[][]> {
  const projection: AskedProjection = { name: standing.name, mode };
  const ask = asker(clickhouse, AbortSignal.timeout(mostMilliseconds));
  const cells = isUnique(question.scope.meter)
    ? await uniqueCells(tx, question, projection, ask)
    : await addedCells(tx, question, projection, ask);
  await checkStanding(ask, projection, standing);
  const sets: UsageRow[][] = [];
  for (const cut of cuts) sets.push(await rowsOf(cut, question, cells));
  return sets;
}

type Ask = (statement: Statement) => Promise<Answer>;

/** The errors of ClickHouse are separate from errors here. */
const asker =
  (clickhouse: ClickHouse, end: AbortSignal): Ask =>
  async (statement) => {
    try {
      return await clickhouse.columns(statement, end);
    } catch (error) {
      throw new ProjectionUnavailable(`ClickHouse does not answer: ${String(error)}`, { cause: error });
    }
  };

/** An insert may arrive between the two counts; once more, then. */
const MOST_COUNTS = 3;

/**
 * Is all that was shipped still there? A table that was emptied, lost or restored from a backup has other batches, or
 * fewer rows. Asked after the figures: what is whole then was whole before, because nothing is ever put back into the
 * same tables. What is under way now may already be there, and is not counted: all rows first, then those after the
 * mark, so that an insert between them makes the rest smaller and never larger.
 */
async function checkStanding(ask: Ask, projection: AskedProjection, standing: Standing): Promise<void> {
  const { name, batchNo, token } = standing;
  for (let counts = 1; ; counts += 1) {
    const [[batches], [lastToken] = [], [events = '0'] = [], [all = '0'] = []] = (await ask(
      selectStanding(projection, batchNo),
    )) as [string[], ...string[][]];
    const [[later = '0'] = []] = (await ask(selectRowsAfter(projection, batchNo))) as string[][];
    const rows = BigInt(all) - BigInt(later);
    const isSame = Number(batches) === batchNo && lastToken === token;
    if (isSame && rows >= BigInt(events)) return;
    if (!isSame || later === '0' || counts === MOST_COUNTS)
      throw new ProjectionUnavailable(
        `Projection ${name} should have ${batchNo} batches, the last one ${token}; ` +
          `it has ${batches}, the last one ${lastToken}, and ${rows} rows of ${events} events.`,
      );
  }
}

async function addedCells(tx: Tx, question: Question, projection: AskedProjection, ask: Ask): Promise<CellSets> {
  const { aggregation } = question.scope.meter;
  const largeQuestion = selectLarge(question, projection);
  const [small, large, tailRows] = await allOrFirstFailure([
    ask(selectSmall(question, projection)),
    largeQuestion === null ? Promise.resolve([]) : ask(largeQuestion),
    tx.rows<TailRow>(selectTail(question)),
  ]);
  const tail = answerOfTail(tailRows, columnNames(question.columns));
  const customers = await customersIn(tx, question, [small, large, tail]);
  const cellsOf = (answer: Answer, textOf: ValueOf | null) => cellSetsOf(answer, question, customers, textOf);
  const first: ValueOf = ([values], row) => values?.[row] as string;
  const limbs: ValueOf = (figures, row) => textOfLimbs(figures.map((limb) => limb[row] as string));
  const cells = [
    cellsOf(small, aggregation === 'COUNT' ? null : first),
    cellsOf(large, aggregation === 'LATEST' ? first : limbs),
    cellsOf(tail, first),
  ];
  const areOneEach = new Set(customers.values()).size === customers.size;
  return unite(aggregation, cells, areOneEach);
}

async function uniqueCells(tx: Tx, question: Question, projection: AskedProjection, ask: Ask): Promise<CellSets> {
  const tailRows = await tx.rows<TailUniqueRow>(selectTailValues(question));
  const shared = question.columns.bySubject ? await selectSharedOwners(tx, MOST_TOLD + 1) : [];
  if (tailRows.length > MOST_TOLD || shared.length > MOST_TOLD)
    throw new QuestionTooLarge('The query of different values is too large for ClickHouse.');
  const owners = new Map(shared.map(({ id, first }) => [id, first]));
  const names = columnNames(question.columns);
  const tail: TailValue[] = tailRows.map((row) => {
    const owner = row.owner === null ? null : (owners.get(row.owner) ?? row.owner);
    return { keys: names.map((name) => keyOfTail({ ...row, owner }, name)), value: row.value, count: row.eventCount };
  });
  const answer = await ask(selectUnique(question, projection, tail, owners));
  const customers = await customersIn(tx, question, [answer]);
  return cellSetsOf(answer, question, customers, ([values], row) => values?.[row] as string);
}

/** The customers of the subjects in some answers. */
async function customersIn(tx: Tx, { columns }: Question, answers: readonly Answer[]): Promise<Customers> {
  if (!columns.bySubject) return new Map();
  const place = columnNames(columns).indexOf('owner');
  const ids = new Set(answers.flatMap((answer) => (answer[place + 1] ?? []) as (string | null)[]));
  const known = [...ids].filter((id) => id !== null); // null where a row is summed over subjects
  const owners = await selectOwners(tx, known.map(BigInt));
  return new Map(owners.map(({ id, customerId }) => [String(id), customerId]));
}

async function rowsOf(cut: UsageCut, { scope, columns }: Question, sets: CellSets): Promise<UsageRow[]> {
  const names = columnNames(columns);
  const { meter, from, to } = scope;
  const mask = summedOver(setOf(cut, columns), columns);
  const isWhole = mask === 2 ** names.length - 1;
  const found = (sets.get(mask) ?? []).filter(
    ({ eventCount, value }) => eventCount > 0 || isWhole || (isLevel(meter) && value !== null),
  );
  if (found.length > (scope.mostRows ?? found.length)) throw new TooManyRows();
  const cells = found.length === 0 && isWhole ? [{ key: names.map(() => null), ...NOTHING }] : found;
  const groups = (cut.groups ?? []).map((name) => [name, columns.dimensions.indexOf(name)] as const);
  const [owner, window] = [names.indexOf('owner'), names.indexOf('w')];
  const windows = new Map<number, Window>();
  const windowOf = (number: number, size: WindowSize): Window => {
    const known = windows.get(number) ?? clippedWindow(windowStart(number, size), size, from, to);
    windows.set(number, known);
    return known;
  };
  const rows = await eachInTurns(cells, (cell) => {
    const { key, eventCount } = cell;
    const entries = groups.map(([name, place]) => [name, (key[place] ?? null) as string | null] as const);
    const group = entries.length === 0 ? NO_GROUP : Object.fromEntries(entries);
    const row: Writable<UsageRow> = { group, value: figureOf(meter.aggregation, cell), eventCount };
    if (cut.byCustomer === true) row.customerId = (key[owner] ?? null) as string | null;
    return cut.window === undefined ? row : Object.assign(row, windowOf(key[window] as number, cut.window));
  });
  if (!isLevel(meter) || cut.window === undefined) return rows;
  const stamped = (row: UsageRow, index: number): Stamped => [row, stampOf(cells[index] as PartialFigure)];
  return inTurns(withoutRepeats(rows.map(stamped)));
}

const stampOf = ({ latest }: PartialFigure): Stamped[1] => latest as Stamped[1];

const NO_GROUP: UsageRow['group'] = {};

type Writable<T> = { -readonly [Name in keyof T]: T[Name] };

/** All of them; a failure is thrown after the others have ended: nothing else may use the transaction before. */
async function allOrFirstFailure<T extends readonly Promise<unknown>[]>(
  work: readonly [...T],
): Promise<{ [Index in keyof T]: Awaited<T[Index]> }> {
  await Promise.allSettled(work);
  return Promise.all(work);
}
