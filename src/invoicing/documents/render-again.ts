import type { Instant } from '../../kernel/time.ts';

/**
 * The pauses between attempts at a document, in minutes: what ailed the typesetter passes within a day, or it is the
 * document.
 */
const PAUSES_MINUTES = [1, 10, 60, 360, 1440] as const;

/** When a document that could not be made for the n-th time is tried again; null: by who asks for it only. */
export function nextRendering(failures: number, now: Instant): Instant | null {
  const minutes = PAUSES_MINUTES[failures - 1];
  return minutes === undefined ? null : now.add({ minutes });
}
