import { earliest, type Instant, isBefore, latest } from '../../kernel/time.ts';

export const WINDOW_SIZES = ['MINUTE', 'HOUR', 'DAY', 'MONTH'] as const;
export type WindowSize = (typeof WINDOW_SIZES)[number];

/** Half-open `[start, end)`. */
export interface Window {
  readonly windowStart: Instant;
  readonly windowEnd: Instant;
}

/**
 * The window that begins at `start`, a boundary of this size in UTC, clipped to `[from, to)` (api.md, Metering).
 */
export function clippedWindow(start: Instant, size: WindowSize, from: Instant, to: Instant): Window {
  return { windowStart: latest(start, from), windowEnd: earliest(nextBoundary(start, size), to) };
}

/** The window of `[from, to)` that holds an instant. */
export function windowAt(at: Instant, size: WindowSize, from: Instant, to: Instant): Window {
  const start =
    size === 'MONTH'
      ? at.toZonedDateTimeISO('UTC').with({ day: 1 }).startOfDay().toInstant()
      : boundary(windowNumber(size, at), size);
  return clippedWindow(start, size, from, to);
}

const MILLISECONDS: Readonly<Record<Exclude<WindowSize, 'MONTH'>, number>> = {
  MINUTE: 60_000,
  HOUR: 3_600_000,
  DAY: 86_400_000,
};

/** All windows of `[from, to)`, aligned in UTC and clipped. */
export function* windowsOf(size: WindowSize, from: Instant, to: Instant): Generator<Window, void> {
  let start = from;
  while (isBefore(start, to)) {
    const end = earliest(nextBoundary(start, size), to);
    yield { windowStart: start, windowEnd: end };
    start = end;
  }
}

/** How many windows there are in `[from, to)`, without looking at each of them. */
export function windowCount(size: WindowSize, from: Instant, to: Instant): number {
  const last = to.subtract({ nanoseconds: 1 });
  return windowNumber(size, last) - windowNumber(size, from) + 1;
}

function windowNumber(size: WindowSize, at: Instant): number {
  if (size !== 'MONTH') return Math.floor(at.epochMilliseconds / MILLISECONDS[size]);
  const { year, month } = at.toZonedDateTimeISO('UTC');
  return year * 12 + month;
}

const boundary = (number: number, size: Exclude<WindowSize, 'MONTH'>): Instant =>
  Temporal.Instant.fromEpochMilliseconds(number * MILLISECONDS[size]);

function nextBoundary(at: Instant, size: WindowSize): Instant {
  if (size !== 'MONTH') return boundary(windowNumber(size, at) + 1, size);
  return at.toZonedDateTimeISO('UTC').with({ day: 1 }).startOfDay().add({ months: 1 }).toInstant();
}
