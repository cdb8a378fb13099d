import { earliest, type Instant, latest } from '../kernel/time.ts';

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
  const unit = `${size.toLowerCase()}s` as 'minutes' | 'hours' | 'days' | 'months';
  const end = start
    .toZonedDateTimeISO('UTC')
    .add({ [unit]: 1 })
    .toInstant();
  return { windowStart: latest(start, from), windowEnd: earliest(end, to) };
}
