import { earliest, isBefore, latest, microsecondsBetween, type Period } from './time.ts';

/** Half-open spans of time, and lists of them, in order and apart from each other. */

/** Do two spans share some time? */
export const overlap = (some: Period, other: Period): boolean =>
  isBefore(some.start, other.end) && isBefore(other.start, some.end);

/** The intersection of two lists of spans. */
export const intersect = (some: readonly Period[], others: readonly Period[]): Period[] =>
  some.flatMap((a) =>
    others.flatMap((b): Period[] => {
      const [start, end] = [latest(a.start, b.start), earliest(a.end, b.end)];
      return isBefore(start, end) ? [{ start, end }] : [];
    }),
  );

/** The first list without the second. */
export const subtract = (some: readonly Period[], others: readonly Period[]): Period[] =>
  others.reduce<readonly Period[]>(
    (left, { start, end }) => left.flatMap((span) => without(span, { start, end })),
    some,
  ) as Period[];

function without(span: Period, taken: Period): Period[] {
  if (!overlap(span, taken)) return [span];
  const before = { start: span.start, end: taken.start };
  const after = { start: taken.end, end: span.end };
  return [before, after].filter(({ start, end }) => isBefore(start, end));
}

/** How long spans are together, in microseconds. */
export const lengthOf = (spans: readonly Period[]): bigint =>
  spans.reduce((sum, { start, end }) => sum + microsecondsBetween(start, end), 0n);
