import type { Period } from '../../kernel/time.ts';

/** The windows of a percentile, as durations. They lie in UTC; each divides a day. */
export const SAMPLE_WINDOWS = ['PT1M', 'PT5M', 'PT10M', 'PT15M', 'PT30M', 'PT1H', 'PT6H', 'PT12H', 'P1D'] as const;
export type SampleWindow = (typeof SAMPLE_WINDOWS)[number];

const HOUR = 3600;
const SECONDS: Readonly<Record<SampleWindow, number>> = {
  PT1M: 60,
  PT5M: 300,
  PT10M: 600,
  PT15M: 900,
  PT30M: 1800,
  PT1H: HOUR,
  PT6H: 6 * HOUR,
  PT12H: 12 * HOUR,
  P1D: 24 * HOUR,
};

/** The length of a window. */
export const secondsOf = (window: SampleWindow): number => SECONDS[window];

/** Do full hours answer it? */
export const isOfHours = (window: SampleWindow): boolean => SECONDS[window] >= HOUR;

/** How many windows some spans touch, each once. The spans are in order and do not overlap. */
export function samplesIn(window: SampleWindow, spans: readonly Period[]): bigint {
  const length = BigInt(SECONDS[window]) * 1_000_000_000n;
  let count = 0n;
  let next: bigint | null = null;
  for (const { start, end } of spans) {
    const first = floored(start.epochNanoseconds, length);
    const begin: bigint = next !== null && next > first ? next : first;
    const behind = floored(end.epochNanoseconds - 1n, length) + 1n;
    if (behind > begin) count += behind - begin;
    next = behind > begin ? behind : begin;
  }
  return count;
}

const floored = (dividend: bigint, divisor: bigint): bigint =>
  dividend / divisor - (dividend < 0n && dividend % divisor !== 0n ? 1n : 0n);
