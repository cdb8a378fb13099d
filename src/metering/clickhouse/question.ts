import type { Instant } from '../../kernel/time.ts';
import { dimensionPath, isLevel, type Meter, pathSegments } from '../meter/meter.ts';
import type { UsageCut, UsageScope } from '../meter/usage-request.ts';
import type { WindowSize } from '../meter/windows.ts';

/** The events of one subject row in `[from, to)`. */
export interface Address {
  readonly subjectId: bigint;
  readonly from: Instant;
  readonly to: Instant;
}

/** The columns of the keys: dimensions `d0`, `d1` … in the order asked, then the subject, then the window. */
export interface KeyColumns {
  readonly dimensions: readonly string[];
  readonly bySubject: boolean;
  readonly window: WindowSize | null;
}

/**
 * A usage request as both stores are asked it: the same keys, the same addresses, cut between them by the order of
 * acceptance. Subjects are numbers here; who they are is said once, afterwards.
 */
export interface Question {
  readonly scope: UsageScope;
  /** Up to here, inclusive, ClickHouse answers; PostgreSQL after it. */
  readonly mark: bigint;
  /** The batch that ends there: ClickHouse cuts by it, a number of half the width. */
  readonly lastBatch: number;
  /** Null: whoever they are addressed to. */
  readonly addresses: readonly Address[] | null;
  readonly columns: KeyColumns;
  /** The ways to group: lists of names of columns. */
  readonly sets: readonly (readonly string[])[];
}

/** The names of the columns to group by, in their order. */
export const columnNames = ({ dimensions, bySubject, window }: KeyColumns): string[] => [
  ...dimensions.map((_, index) => `d${index}`),
  ...(bySubject ? ['owner'] : []),
  ...(window === null ? [] : ['w']),
];

/** The columns that some cuts need. @throws where they want windows of two sizes. */
export function columnsOf(cuts: readonly UsageCut[]): KeyColumns {
  const windows = new Set(cuts.flatMap(({ window }) => (window === undefined ? [] : [window])));
  if (windows.size > 1) throw new RangeError('One request has windows of one size.');
  const [window = null] = windows;
  return {
    dimensions: [...new Set(cuts.flatMap(({ groups }) => groups ?? []))],
    bySubject: cuts.some(({ byCustomer }) => byCustomer === true),
    window,
  };
}

/** The columns of a cut's groups. */
export function setOf(cut: UsageCut, columns: KeyColumns): string[] {
  const dimensions = new Set(cut.groups);
  return columnNames(columns).filter((name) => {
    if (name === 'owner') return cut.byCustomer === true;
    if (name === 'w') return cut.window !== undefined;
    return dimensions.has(columns.dimensions[Number(name.slice(1))] as string);
  });
}

/**
 * The columns over which a row of this set is summed, in the bits of `grouping` in both stores: the first is the
 * highest bit.
 */
export const summedOver = (set: readonly string[], columns: KeyColumns): number =>
  columnNames(columns).reduce((mask, name) => mask * 2 + (set.includes(name) ? 0 : 1), 0);

/** The path of a meter's value; null if every event counts. */
export const valuePath = (meter: Meter): string[] | null =>
  meter.valueProperty === null ? null : pathSegments(meter.valueProperty);

/**
 * Does what came before the time asked about go on in it? Then events of any time before its end are read, and counted
 * by `inside`.
 */
export const goesOn = ({ scope }: Question): boolean => isLevel(scope.meter);

/** The paths of the dimensions that rows are grouped by. */
export const groupPaths = ({ scope, columns }: Question): string[][] =>
  columns.dimensions.map((dimension) => dimensionPath(scope.meter, dimension));

/** The paths that are filtered by, with the values that pass. */
export const filterPaths = ({ scope }: Question): { path: string[]; values: readonly (string | null)[] }[] =>
  Object.entries(scope.groupFilters ?? {}).map(([dimension, values]) => ({
    path: dimensionPath(scope.meter, dimension),
    values,
  }));

/** Microseconds since 1970, as PostgreSQL rounds to them. */
export const microseconds = (at: Instant): bigint => {
  const shifted = at.epochNanoseconds + 500n;
  const whole = shifted / 1000n;
  return shifted < 0n && whole * 1000n !== shifted ? whole - 1n : whole;
};

/** How long a window is; months have no length. */
export const WINDOW_MICROSECONDS: Readonly<Record<Exclude<WindowSize, 'MONTH'>, bigint>> = {
  MINUTE: 60_000_000n,
  HOUR: 3_600_000_000n,
  DAY: 86_400_000_000n,
};

/** The start of a window, from its number: the count of windows since 1970, months since the year 0. */
export function windowStart(number: number, size: WindowSize): Instant {
  if (size !== 'MONTH')
    return Temporal.Instant.fromEpochNanoseconds(BigInt(number) * WINDOW_MICROSECONDS[size] * 1000n);
  return new Temporal.PlainDate(Math.floor(number / 12), (number % 12) + 1, 1).toZonedDateTime('UTC').toInstant();
}
