import type { Tx } from '../../db/index.ts';
import { disjointSources, type UsageCut, type UsageQuery, type UsageRow } from '../usage-request.ts';
import { clippedWindow } from '../windows.ts';
import { figureOf, type Part, scaled, together, unitsOf, unitsOfDecimal } from './cells.ts';
import { SMALL_PLACES } from './leaves.ts';
import { columnNames, columnsOf, type KeyColumns, type Question, setOf, summedOver, windowStart } from './question.ts';
import {
  ownersOf,
  type Standing,
  selectAddresses,
  servingStanding,
  sharedOwners,
  unshippedCount,
} from './shipping.sql.ts';
import type { ClickHouse, Statement } from './store.ts';
import type { EngineMode } from './tables.sql.ts';
import { selectTail, selectTailValues, type TailRow, type TailUniqueRow } from './tail.sql.ts';
import {
  type AskedProjection,
  isUnique,
  selectLarge,
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

export interface ClickHouseUsageOptions {
  readonly clickhouse: ClickHouse;
  readonly mode: EngineMode;
  /** Who answers what ClickHouse does not: few subjects, a projection that is not ready, a server that is away. */
  readonly postgres: UsageQuery<Tx>;
  /** Up to this many subjects PostgreSQL is asked; default 100. */
  readonly fewSubjects?: number;
  /** Told each time when ClickHouse should have answered and PostgreSQL had to. */
  readonly onFallback: (error: Error) => void;
}

/** ClickHouse is away, or what it holds is not what was shipped. */
export class ProjectionUnavailable extends Error {}

/** A key of a cell: the values of its columns, in their order. */
type Key = readonly (string | null)[];

/**
 * Usage over many subjects from ClickHouse, exact: what was shipped is counted there, what was accepted since in
 * PostgreSQL, cut by the order of acceptance. So an event is counted from the moment of its 2xx, and once. Anything that
 * ClickHouse cannot answer now is answered by PostgreSQL, more slowly and with the same figures.
 */
export const clickhouseUsage = (options: ClickHouseUsageOptions): UsageQuery<Tx> => ({
  async measure(tx, scope, cuts) {
    const { postgres, onFallback, fewSubjects = FEW_SUBJECTS } = options;
    const sources = scope.sources === null ? null : disjointSources(scope.sources, scope.from, scope.to);
    if (sources !== null && new Set(sources.map(({ subject }) => subject)).size <= fewSubjects)
      return postgres.measure(tx, scope, cuts);
    const standing = await servingStanding(tx);
    if (
      standing === undefined ||
      (await unshippedCount(tx, scope.merchantId, standing.mark, MOST_UNSHIPPED)) === MOST_UNSHIPPED
    )
      return postgres.measure(tx, scope, cuts);
    const addresses = sources === null ? null : await selectAddresses(tx, scope.merchantId, sources);
    const columns = columnsOf(cuts);
    const sets = [...new Map(cuts.map((cut) => [setOf(cut, columns).join(), setOf(cut, columns)])).values()];
    const question: Question = { scope, mark: standing.mark, addresses, columns, sets };
    try {
      return await measureIn(tx, question, cuts, standing, options);
    } catch (error) {
      if (!(error instanceof ProjectionUnavailable)) throw error;
      onFallback(error);
      return postgres.measure(tx, scope, cuts);
    }
  },
});

async function measureIn(
  tx: Tx,
  question: Question,
  cuts: readonly UsageCut[],
  standing: Standing,
  { clickhouse, mode }: Pick<ClickHouseUsageOptions, 'clickhouse' | 'mode'>,
): Promise<UsageRow[][]> {
  const projection: AskedProjection = { name: standing.name, mode };
  const ask = asker(clickhouse);
  await checkStanding(ask, projection, standing);
  const cells = isUnique(question.scope.meter)
    ? await uniqueCells(tx, question, projection, ask)
    : await addedCells(tx, question, projection, ask);
  const named = await withCustomers(tx, question, cells);
  return cuts.map((cut) => rowsOf(cut, question, named));
}

type Ask = (statement: Statement) => Promise<string[][]>;

/** An answer of ClickHouse: texts, numbers as texts too, and null. What goes wrong there is told apart from what goes wrong here. */
const asker =
  (clickhouse: ClickHouse): Ask =>
  async (statement) => {
    try {
      const rows = await clickhouse.rows(statement);
      return rows.map((row) => row.map((value) => (typeof value === 'number' ? String(value) : value) as string));
    } catch (error) {
      throw new ProjectionUnavailable(`ClickHouse does not answer: ${String(error)}`, { cause: error });
    }
  };

/** Is all that was shipped still there? A table that was emptied, lost or restored from a backup has other batches, or fewer rows. */
async function checkStanding(ask: Ask, projection: AskedProjection, standing: Standing): Promise<void> {
  const { name, batchNo, shippedCount, token } = standing;
  const [[batches, lastToken, events, rows = '0'] = []] = await ask(selectStanding(projection, batchNo));
  const isWhole = Number(batches) === batchNo && lastToken === token && events === String(shippedCount);
  if (!isWhole || BigInt(rows) < shippedCount)
    throw new ProjectionUnavailable(
      `Projection ${name} should hold ${batchNo} batches with ${shippedCount} events; it holds ${batches} with ${events} in ${rows} rows.`,
    );
}

/** The cells of all sets, by set (as what they are summed over) and key. */
class Cells {
  readonly #sets = new Map<number, Map<string, { key: Key; part: Part }>>();
  readonly #put: (one: Part, other: Part) => Part;

  constructor(put: (one: Part, other: Part) => Part) {
    this.#put = put;
  }

  add(mask: number, key: Key, part: Part): void {
    const cells = this.#sets.getOrInsertComputed(mask, () => new Map());
    const name = JSON.stringify(key);
    const known = cells.get(name);
    cells.set(name, { key, part: known === undefined ? part : this.#put(known.part, part) });
  }

  of(mask: number): { key: Key; part: Part }[] {
    return [...(this.#sets.get(mask)?.values() ?? [])];
  }

  get masks(): number[] {
    return [...this.#sets.keys()];
  }
}

/** Keys of columns that a row is summed over say nothing: each store puts something else there. */
const keyOf = (mask: number, values: Key): Key =>
  values.map((value, index) => ((mask >> (values.length - 1 - index)) % 2 === 1 ? null : value));

async function addedCells(tx: Tx, question: Question, projection: AskedProjection, ask: Ask): Promise<Cells> {
  const { aggregation } = question.scope.meter;
  const width = columnNames(question.columns).length;
  const cells = new Cells((one, other) => together(aggregation, one, other));
  const large = selectLarge(question, projection);
  const [smallRows, largeRows, tailRows] = await allOrFirstFailure([
    ask(selectSmall(question, projection)),
    large === null ? Promise.resolve([]) : ask(large),
    tx.rows<TailRow>(selectTail(question)),
  ]);
  const take = (rows: readonly string[][], partOf: (eventCount: bigint, figures: string[]) => Part) => {
    for (const [mask = '0', ...rest] of rows) {
      const [eventCount = '0', ...figures] = rest.slice(width);
      const part = eventCount === '0' ? { eventCount: 0n, value: null } : partOf(BigInt(eventCount), figures);
      cells.add(Number(mask), keyOf(Number(mask), rest.slice(0, width)), part);
    }
  };
  const isLatest = aggregation === 'LATEST';
  const hasValues = question.scope.meter.valueProperty !== null && aggregation !== 'COUNT';
  take(smallRows, (eventCount, figures) => ({
    eventCount,
    value: scaled(figures[0] as string, hasValues ? SMALL_PLACES : 0),
    ...(isLatest && { latest: latestOf(figures.slice(-2)) }),
  }));
  take(largeRows, (eventCount, figures) => ({
    eventCount,
    value: isLatest ? unitsOf(figures[0] as string) : limbsOf(figures.slice(-3)),
    ...(isLatest && { latest: latestOf(figures.slice(-2)) }),
  }));
  for (const row of tailRows) {
    const part = { eventCount: row.event_count, value: row.value === null ? null : unitsOfDecimal(row.value) };
    cells.add(row.summed_over, keyOf(row.summed_over, tailKey(row, question.columns)), {
      ...part,
      ...(row.latest_at != null && row.latest_seq != null && { latest: { at: row.latest_at, seq: row.latest_seq } }),
    });
  }
  return cells;
}

const latestOf = ([at = '0', seq = '0']: string[]) => ({ at: BigInt(at), seq: BigInt(seq) });

const LIMB = 38;
const limbsOf = ([whole = '0', first = '0', second = '0']: string[]): bigint =>
  scaled(whole, 0) + scaled(first, LIMB) + scaled(second, 2 * LIMB);

const tailKey = (row: TailRow | TailUniqueRow, columns: KeyColumns): Key =>
  columnNames(columns).map((name) => {
    if (name === 'owner') return row.owner === null ? null : String(row.owner);
    if (name === 'w') return row.w === null ? null : String(row.w);
    return row[name as `d${number}`] ?? null;
  });

async function uniqueCells(tx: Tx, question: Question, projection: AskedProjection, ask: Ask): Promise<Cells> {
  const tailRows = await tx.rows<TailUniqueRow>(selectTailValues(question));
  const shared = question.columns.bySubject ? await sharedOwners(tx, question.scope.merchantId, MOST_TOLD + 1) : [];
  if (tailRows.length > MOST_TOLD || shared.length > MOST_TOLD)
    throw new ProjectionUnavailable('Too much to tell ClickHouse for a count of different values.');
  const owners = new Map(shared.map(({ id, first }) => [id, first]));
  const columns = question.columns;
  const tail: TailValue[] = tailRows.map((row) => {
    const owner = row.owner === null ? null : (owners.get(row.owner) ?? row.owner);
    return { keys: tailKey({ ...row, owner }, columns), value: row.value, count: row.event_count };
  });
  const width = columnNames(columns).length;
  const cells = new Cells((one, other) => together('UNIQUE_COUNT', one, other));
  for (const [mask = '0', ...rest] of await ask(selectUnique(question, projection, tail, owners))) {
    const [eventCount = '0', value = '0'] = rest.slice(width);
    cells.add(Number(mask), keyOf(Number(mask), rest.slice(0, width)), {
      eventCount: BigInt(eventCount),
      value: scaled(value, 0),
    });
  }
  return cells;
}

/** The cells with customers in the place of subjects, those of one customer put together. */
async function withCustomers(tx: Tx, { scope, columns }: Question, cells: Cells): Promise<Cells> {
  if (!columns.bySubject) return cells;
  const names = columnNames(columns);
  const place = names.indexOf('owner');
  const isNamed = (mask: number) => (mask >> (names.length - 1 - place)) % 2 === 0;
  const ids = new Set(
    cells.masks.filter(isNamed).flatMap((mask) => cells.of(mask).map(({ key }) => key[place] as string)),
  );
  const owners = await ownersOf(tx, scope.merchantId, [...ids].map(BigInt));
  const customers = new Map(owners.map(({ id, customerId }) => [String(id), customerId]));
  const { aggregation } = scope.meter;
  // Subjects of one customer were one already where different values are counted, so there is nothing to add up.
  const named = new Cells((one, other) => together(aggregation, one, other));
  for (const mask of cells.masks)
    for (const { key, part } of cells.of(mask))
      named.add(mask, isNamed(mask) ? key.with(place, customers.get(key[place] as string) ?? null) : key, part);
  return named;
}

function rowsOf(cut: UsageCut, { scope, columns }: Question, cells: Cells): UsageRow[] {
  const names = columnNames(columns);
  const { meter, from, to } = scope;
  const mask = summedOver(setOf(cut, columns), columns);
  const isWhole = mask === 2 ** names.length - 1;
  const nothing = { key: names.map(() => null), part: { eventCount: 0n, value: null } };
  const found = cells.of(mask).filter(({ part }) => part.eventCount > 0n || isWhole);
  return (found.length === 0 && isWhole ? [nothing] : found).map(({ key, part }) => {
    const groups = (cut.groups ?? []).map((name) => [name, key[columns.dimensions.indexOf(name)] ?? null]);
    return {
      group: Object.fromEntries(groups) as Record<string, string | null>,
      ...(cut.byCustomer === true && { customerId: key[names.indexOf('owner')] ?? null }),
      ...(cut.window !== undefined &&
        clippedWindow(windowStart(BigInt(key[names.indexOf('w')] as string), cut.window), cut.window, from, to)),
      value: figureOf(meter.aggregation, part),
      eventCount: Number(part.eventCount),
    };
  });
}

/** All of them; where one fails, after the others have ended: the transaction is nobody's else meanwhile. */
async function allOrFirstFailure<T extends readonly Promise<unknown>[]>(
  work: readonly [...T],
): Promise<{ [Index in keyof T]: Awaited<T[Index]> }> {
  await Promise.allSettled(work);
  return Promise.all(work);
}
