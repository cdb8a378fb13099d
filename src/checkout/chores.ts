import type { Chore } from '../jobs/index.ts';
import { SECONDS_PER_HOUR } from '../kernel/time.ts';
import { forgetUnfinished } from './sign-up/checkouts.sql.ts';
import { forgetInputs } from './sign-up/inputs.sql.ts';

const KEPT_HOURS = 24;
const MOST_FORGOTTEN = 5_000;

/** Forgets what people have typed: of unfinished checkouts a day after their end, of forms after a day. */
export const forgetCheckouts: Chore = {
  name: 'forgetting unfinished checkouts',
  everySeconds: SECONDS_PER_HOUR,
  run: async (database, now) => {
    const before = now.subtract({ hours: KEPT_HOURS });
    while ((await forgetUnfinished(database, before, MOST_FORGOTTEN)) === MOST_FORGOTTEN);
    while ((await forgetInputs(database, before, MOST_FORGOTTEN)) === MOST_FORGOTTEN);
  },
};
