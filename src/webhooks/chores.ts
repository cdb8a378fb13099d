import type { Chore } from '../jobs/index.ts';
import { HOURS_PER_DAY, SECONDS_PER_HOUR } from '../kernel/time.ts';
import { adoptEvents, forgetEvents } from './deliveries.sql.ts';

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

/** Gives events of a restored dump a place among those of this cluster, so that readers get what comes after them. */
export const adoptWebhookEvents: Chore = {
  name: 'adopting webhook events',
  everySeconds: SECONDS_PER_HOUR,
  run: async (database) => void (await adoptEvents(database)),
};
