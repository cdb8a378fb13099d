import { isRawNumber } from './decimal.ts';

/** Is this value of JSON an object: no list, no null, and no number that is kept as text? */
export const isJsonObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && !isRawNumber(value);

/** The order of two texts by their code units, the same on every machine. */
export const compareText = (a: string, b: string): number => (a < b ? -1 : Number(a > b));

/** The fields of an object in the order of their names, so that two spellings of one value are one. */
export const sortedEntries = <Value>(fields: Readonly<Record<string, Value>>): [string, Value][] =>
  Object.entries(fields).toSorted(([a], [b]) => compareText(a, b));
