import type { ClockBook } from '../jobs/index.ts';
import { addAdvanceSteps, clocksWithWork, readClockForUpdate, updateClock } from './clocks.sql.ts';

/** The view of test clocks for background jobs. */
export const clockBook: ClockBook = {
  withWork: clocksWithWork,
  lock: async (tx, { merchantId, id }) => {
    const clock = await readClockForUpdate(tx, merchantId, id);
    if (clock?.deletedAt !== null) return null;
    return { currentTime: clock.currentTime, advancingTo: clock.advancingTo };
  },
  move: async (tx, { merchantId, id }, to, arrived, now) => {
    await updateClock(tx, merchantId, id, {
      currentTime: to,
      ...(arrived && { advancingTo: null }),
      updatedAt: now,
    });
  },
  count: async (tx, { merchantId, id }, steps) => {
    await addAdvanceSteps(tx, merchantId, id, steps);
  },
};
