import type { Instant } from '../../kernel/time.ts';

/** A beat that this process made on the primary. */
export interface Beat {
  /** Later than that of each beat before it, whoever made it. */
  readonly beatenAt: Instant;
  /** When this process began to make it, in milliseconds of its own clock that never goes back. */
  readonly begunAt: number;
}

/**
 * Adds a beat to those before it. A beat that is not later than the last one comes from a primary that lost some, so
 * the beats before it say nothing any more.
 * @param keptMilliseconds older beats are forgotten
 */
export function withBeat(beats: readonly Beat[], beat: Beat, keptMilliseconds: number): readonly Beat[] {
  const last = beats.at(-1);
  if (last && Temporal.Instant.compare(beat.beatenAt, last.beatenAt) <= 0) return [beat];
  return [...beats.filter(({ begunAt }) => beat.begunAt - begunAt <= keptMilliseconds), beat];
}

/**
 * How old data is, in milliseconds, by the last beat in it: everything is there that was committed before this process
 * began to make that beat, or an earlier one of its own. Null: older than the kept beats.
 */
export function ageOf(beats: readonly Beat[], seen: Instant, elapsed: number): number | null {
  const newest = beats.findLast(({ beatenAt }) => Temporal.Instant.compare(beatenAt, seen) <= 0);
  return newest ? elapsed - newest.begunAt : null;
}
