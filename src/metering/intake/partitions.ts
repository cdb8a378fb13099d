import { sql } from '../../db/index.ts';
import type { Chore } from '../../jobs/index.ts';
import type { Instant } from '../../kernel/time.ts';

const MONTHS_AHEAD = 4;
const SIX_HOURS = 6 * 60 * 60;

/**
 * Makes the event partitions of this month and the next ones before there are events in them. What has no month of its
 * own lies in the default partition, as right as anywhere, only slower to find.
 */
export const eventPartitionChore: Chore = {
  name: 'making event partitions',
  everySeconds: SIX_HOURS,
  run: (database, now) =>
    database.transaction('nobody', async (tx) => {
      await tx.run(sql`select ensure_event_partitions(${dateOf(now)}::date, ${MONTHS_AHEAD})`);
    }),
};

const dateOf = (now: Instant): string => now.toZonedDateTimeISO('UTC').toPlainDate().toString();
