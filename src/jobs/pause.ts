import { setTimeout as sleep } from 'node:timers/promises';

/** Waits so many milliseconds, or until the signal is aborted. Never rejects. */
export const pause = (milliseconds: number, signal: AbortSignal): Promise<void> =>
  sleep(milliseconds, undefined, { signal }).catch(() => undefined);
