import { type Decimal, decimal, ZERO } from '../../kernel/decimal.ts';
import type { Aggregation } from '../meter/meter.ts';

/** Every value of an event is a whole number of 10^-76: at most 39 digits before the point and 76 after it. */
const PLACES = 76;
const AVERAGE_DIGITS = 50;

/** The part of some events in a cell; parts of one cell can be merged in any order. */
export interface PartialFigure {
  readonly eventCount: number;
  /** A decimal with all its digits; null where no event counts. For an average, the sum. */
  readonly value: string | null;
  /** For LATEST: the time and the place in the order of acceptance of the event that has the value. */
  readonly latest?: { readonly at: bigint; readonly seq: bigint };
}

/** Of no event. */
export const NOTHING: PartialFigure = { eventCount: 0, value: null };

/** A decimal text exactly, as a number of 10^-76. */
export function unitsOf(text: string): bigint {
  const [, sign = '', whole = '', fraction = ''] = /^(-?)(\d+)(?:\.(\d*))?$/.exec(text) ?? [];
  if (whole === '' || fraction.length > PLACES) throw new RangeError(`${text.slice(0, 80)} is no value of an event.`);
  return BigInt(`${sign}${whole}${fraction.padEnd(PLACES, '0')}`);
}

/** Back to the text of a decimal, with all its digits. */
export function textOfUnits(units: bigint): string {
  const digits = (units < 0n ? -units : units).toString().padStart(PLACES + 1, '0');
  return `${units < 0n ? '-' : ''}${digits.slice(0, -PLACES)}.${digits.slice(-PLACES)}`;
}

/** Digits of each of the two limbs after the point (usage.sql.ts). */
export const LIMB_PLACES = 38;

/**
 * A decimal from three whole numbers: its units, then 38 places after the point, then 38 more. Each has a sign of its
 * own.
 */
export function textOfLimbs(limbs: readonly string[]): string {
  const [units = 0n, first = 0n, second = 0n] = limbs.map(BigInt);
  const limb = 10n ** BigInt(LIMB_PLACES);
  return textOfUnits((units * limb + first) * limb + second);
}

/** The part of both together: what the aggregation of all their events is. */
export function combine(aggregation: Aggregation, one: PartialFigure, other: PartialFigure): PartialFigure {
  const eventCount = one.eventCount + other.eventCount;
  if (one.value === null) return { ...other, eventCount };
  if (other.value === null) return { ...one, eventCount };
  switch (aggregation) {
    case 'SUM':
    case 'AVG':
    case 'COUNT':
      return { eventCount, value: textOfUnits(unitsOf(one.value) + unitsOf(other.value)) };
    case 'MIN':
      return { eventCount, value: unitsOf(one.value) < unitsOf(other.value) ? one.value : other.value };
    case 'MAX':
      return { eventCount, value: unitsOf(one.value) > unitsOf(other.value) ? one.value : other.value };
    case 'LATEST':
      return { ...(isLater(one, other) ? one : other), eventCount };
    case 'UNIQUE_COUNT':
    case 'TIME_WEIGHTED':
    case 'PERCENTILE':
      throw new RangeError(`${aggregation} of two parts is not that of both.`);
  }
}

/**
 * The values of a cell's columns, in their order, windows by their number; null too for a column that is summed over.
 */
export type Key = readonly (string | number | null)[];

export interface Cell extends PartialFigure {
  readonly key: Key;
}

/** The cells of each way to group, under what it is summed over (question.ts). */
export type CellSets = ReadonlyMap<number, readonly Cell[]>;

/**
 * Several answers as one, with a cell for each key.
 * @param areOneEach is a key in one answer once at most? Then nothing is compared where only one has cells, as most
 *   have not.
 */
export function unite(aggregation: Aggregation, answers: readonly CellSets[], areOneEach: boolean): CellSets {
  const masks = new Set(answers.flatMap((answer) => [...answer.keys()]));
  return new Map(
    [...masks].map((mask) => {
      const lists = answers.map((answer) => answer.get(mask) ?? []).filter(({ length }) => length > 0);
      if (!areOneEach) return [mask, merged(aggregation, lists.flat())];
      const [most = [], ...others] = lists.toSorted((one, other) => other.length - one.length);
      return [mask, others.length === 0 ? most : joined(aggregation, most, merged(aggregation, others.flat()))];
    }),
  );
}

/**
 * A few cells put to many, of which most are not touched: only where the first value is that of one of the few is the
 * name asked.
 */
function joined(aggregation: Aggregation, many: readonly Cell[], few: readonly Cell[]): Cell[] {
  const left = new Map(few.map((cell) => [nameOf(cell.key), cell]));
  const firsts = new Set(few.map(({ key }) => key[0]));
  const found = many.map((cell) => {
    const name = firsts.has(cell.key[0]) ? nameOf(cell.key) : null;
    const other = name === null ? undefined : left.get(name);
    if (name === null || other === undefined) return cell;
    left.delete(name);
    return { ...combine(aggregation, cell, other), key: cell.key };
  });
  return [...found, ...left.values()];
}

/** One cell for each key. */
function merged(aggregation: Aggregation, cells: readonly Cell[]): Cell[] {
  const found = new Map<string, Cell>();
  for (const cell of cells) {
    const name = nameOf(cell.key);
    const known = found.get(name);
    found.set(name, known === undefined ? cell : { ...combine(aggregation, known, cell), key: cell.key });
  }
  return [...found.values()];
}

/** A text for each key, whatever is in its values: texts bear their length. */
function nameOf(key: Key): string {
  let name = '';
  for (const value of key) name += typeof value === 'string' ? `${value.length}:${value}` : `${value};`;
  return name;
}

/** The latest timestamp, and of equal ones the event that was accepted last. */
function isLater(one: PartialFigure, other: PartialFigure): boolean {
  if (one.latest === undefined || other.latest === undefined) throw new RangeError('A part of LATEST has no time.');
  return one.latest.at === other.latest.at ? one.latest.seq > other.latest.seq : one.latest.at > other.latest.at;
}

/**
 * The figure of a cell: 0 where nothing counts, an average to 50 significant digits, half away from zero, else all
 * digits.
 */
export function figureOf(aggregation: Aggregation, { value, eventCount }: PartialFigure): Decimal {
  if (value === null) return ZERO;
  const total = decimal(value);
  if (aggregation !== 'AVG') return total;
  return total.div(decimal(eventCount)).toSignificantDigits(AVERAGE_DIGITS);
}
