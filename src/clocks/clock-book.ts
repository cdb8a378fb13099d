import type { ClockBook } from '../jobs/index.ts';
import { lockClockRow, selectClocksWithWork, updateAdvanceSteps, updateClock } from './clocks.sql.ts';

/** The view of test clocks for background jobs. */
export const clockBook: ClockBook = {
  withWork: selectClocksWithWork,
  lock: async (tx, { merchantId, id }) => {
    const clock = await lockClockRow(tx, merchantId, id);
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
    await updateAdvanceSteps(tx, merchantId, id, steps);
  },
};
