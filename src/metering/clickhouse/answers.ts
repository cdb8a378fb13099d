import { plain } from '../../kernel/decimal.ts';
import type { Cell, CellSets, Key } from './cells.ts';
import { columnNames, goesOn, type Question } from './question.ts';
import type { TailRow, TailUniqueRow } from './tail-rows.ts';

/**
 * An answer by columns: what each row is summed over, its keys, how many events, their value, and for LATEST the time
 * and place of the one that has it. Numbers are numbers or texts.
 */
export type Answer = readonly (readonly unknown[])[];

/** Of subjects, by their number as text: whose they are today, null for nobody's. */
export type Customers = ReadonlyMap<string, string | null>;

/** A key of what PostgreSQL holds after the mark, as ClickHouse writes it. */
export function keyOfTail(row: TailRow | TailUniqueRow, name: string): Key[number] {
  if (name === 'owner') return row.owner === null ? null : String(row.owner);
  if (name === 'w') return row.w === null ? null : Number(row.w);
  return row[name as `d${number}`] ?? null;
}

/** The rows of PostgreSQL after the mark, as an answer. */
export const answerOfTail = (rows: readonly TailRow[], names: readonly string[]): Answer => [
  rows.map((row) => row.summedOver),
  ...names.map((name) => rows.map((row) => keyOfTail(row, name))),
  rows.map((row) => row.eventCount),
  rows.map((row) => row.value && plain(row.value)),
  rows.map((row) => row.latestAt),
  rows.map((row) => row.latestSeq),
];

/** The value of a row, from its figures. */
export type ValueOf = (figures: readonly string[][], row: number) => string;

/**
 * The cells of an answer, with customers in the place of subjects: those of one customer are one. A column that a row
 * is summed over says nothing, each store puts something else there. There are hundreds of thousands of rows: nothing
 * is made for each of them but its cell.
 * @param textOf null: the value is how many events there are
 */
export function cellSetsOf(
  [masks = [], ...columns]: Answer,
  question: Question,
  customers: Customers,
  textOf: ValueOf | null,
): CellSets {
  const names = columnNames(question.columns);
  const keys = columns.slice(0, names.length) as Key[];
  const [counts = [], ...figures] = columns.slice(names.length) as string[][];
  const [times, places] = goesOn(question) ? figures.slice(-2) : [];
  const owner = names.indexOf('owner');
  const sets = new Map<number, Cell[]>();
  for (const [row, eachMask] of masks.entries()) {
    const mask = Number(eachMask);
    const key: Key[number][] = [];
    for (const [place, values] of keys.entries()) {
      const value = values[row] ?? null;
      if ((mask >> (keys.length - 1 - place)) % 2 === 1) key.push(null);
      else key.push(place === owner ? (customers.get(value as string) ?? null) : value);
    }
    const eventCount = Number(counts[row]);
    // A level needs no event of the time; one that nobody ever set has no place in the order of acceptance.
    const isNothing = places === undefined ? eventCount === 0 : Number(places[row] ?? 0) === 0;
    const value = isNothing ? null : textOf === null ? String(eventCount) : textOf(figures, row);
    const cell =
      times === undefined || value === null
        ? { key, eventCount, value }
        : { key, eventCount, value, latest: { at: BigInt(times[row] ?? 0), seq: BigInt(places?.[row] ?? 0) } };
    const set = sets.get(mask);
    if (set === undefined) sets.set(mask, [cell]);
    else set.push(cell);
  }
  return sets;
}
