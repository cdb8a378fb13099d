import type { Chore } from '../jobs/index.ts';
import { HOURS_PER_DAY, SECONDS_PER_HOUR, SECONDS_PER_MINUTE } from '../kernel/time.ts';
import { adoptEvents, forgetEvents } from './deliveries.sql.ts';
import { noteProgramRun } from './endpoints.sql.ts';

const KEPT_HOURS = 30 * HOURS_PER_DAY;
const MOST_FORGOTTEN = 5_000;

/** Forgets what happened more than 30 days ago, with its deliveries. */
export const forgetWebhookEvents: Chore = {
  name: 'forgetting webhook events',
  everySeconds: SECONDS_PER_HOUR,
  run: async (database, now) => {
    const olderThan = now.subtract({ hours: KEPT_HOURS });
    while ((await forgetEvents(database, olderThan, MOST_FORGOTTEN)) === MOST_FORGOTTEN);
  },
};

/** Says that the program runs, so that time in which it is off does not count as failure of an endpoint. */
export const programRunChore: Chore = {
  name: 'noting that the program runs',
  everySeconds: SECONDS_PER_MINUTE,
  run: async (database, now) => void (await noteProgramRun(database, now)),
};

/** Gives events of a restored dump a place among those of this cluster, so that readers get what comes after them. */
export const adoptWebhookEvents: Chore = {
  name: 'adopting webhook events',
  everySeconds: SECONDS_PER_HOUR,
  run: async (database) => void (await adoptEvents(database)),
};
