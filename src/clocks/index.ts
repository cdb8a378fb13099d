export type { Clock } from './clock.ts';
export { clockBook } from './clock-book.ts';
export { selectClockNames as findClockNames, selectFirstAdvance as findFirstAdvance } from './clocks.sql.ts';
export type { Blocker, ClockBlockers } from './clocks.ts';
export { effectiveNowOf } from './effective-now.sql.ts';
export {
  checkTestClockAllowed,
  effectiveNow,
  effectiveNowForReading,
  effectiveNows,
  effectiveNowsForReading,
  findClock,
} from './effective-now.ts';
export { clockErrors } from './errors.ts';
export { type ClockRoutesOptions, clockRoutes } from './routes.ts';
