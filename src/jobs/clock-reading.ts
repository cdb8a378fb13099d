import { noteClock } from '../db/index.ts';
import { SECONDS_PER_MINUTE } from '../kernel/time.ts';
import type { Chore } from './runner.ts';

/** Clocks of two machines differ by less. */
const LEAST_SECONDS = 5 * SECONDS_PER_MINUTE;

/**
 * Keeps the latest time that a worker has read, and notices a clock that was set back: invoices would be dated before
 * others that are there. A restored database knows by it when the life before ended (decision 0250).
 * @param onReading called each minute with the seconds by which the clock is behind; 0: it is not
 */
export const clockReadingChore = (onReading: (seconds: number) => void): Chore => ({
  name: 'reading the clock',
  everySeconds: SECONDS_PER_MINUTE,
  run: async (database, now) => {
    const seconds = await database.transaction('nobody', (tx) => noteClock(tx, now));
    onReading(seconds < LEAST_SECONDS ? 0 : seconds);
  },
});
