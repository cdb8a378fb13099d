import type { Chore } from '../../jobs/index.ts';
import { tallyEvents } from './tally.sql.ts';

const EVENTS_AT_ONCE = 1_000_000;
const TEN_SECONDS = 10;

/** Counts accepted events, so that the total of a list does not count all events again. */
export const eventTallyChore: Chore = {
  name: 'counting events',
  everySeconds: TEN_SECONDS,
  run: async (database) => {
    let hasMore = true;
    while (hasMore) hasMore = await database.transaction('nobody', (tx) => tallyEvents(tx, EVENTS_AT_ONCE));
  },
};
