import type { ClockBook } from '../jobs/index.ts';
import { lockClockRow, selectClocksWithWork, updateAdvanceSteps, updateClock } from './clocks.sql.ts';

/** The view of test clocks for background jobs. */
export const clockBook: ClockBook = {
  withWork: selectClocksWithWork,
  lock: async (tx, { id }) => {
    const clock = await lockClockRow(tx, id);
    if (clock?.deletedAt !== null) return null;
    return { currentTime: clock.currentTime, advancingTo: clock.advancingTo };
  },
  move: async (tx, { id }, to, arrived, now) => {
    await updateClock(tx, id, {
      currentTime: to,
      ...(arrived && { advancingTo: null }),
      updatedAt: now,
    });
  },
  count: async (tx, { id }, steps) => {
    await updateAdvanceSteps(tx, id, steps);
  },
};
