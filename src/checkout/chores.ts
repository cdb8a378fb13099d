import type { Chore } from '../jobs/index.ts';
import { SECONDS_PER_HOUR } from '../kernel/time.ts';
import { forgetUnfinished } from './sign-up/checkouts.sql.ts';

const KEPT_HOURS = 24;
const MOST_FORGOTTEN = 5_000;

/** Forgets what people have typed who did not subscribe, a day after they could have. */
export const forgetCheckouts: Chore = {
  name: 'forgetting unfinished checkouts',
  everySeconds: SECONDS_PER_HOUR,
  run: async (database, now) => {
    const expiredBefore = now.subtract({ hours: KEPT_HOURS });
    while ((await forgetUnfinished(database, expiredBefore, MOST_FORGOTTEN)) === MOST_FORGOTTEN);
  },
};
