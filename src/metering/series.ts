import type { Tx } from '../db/index.ts';
import type { Chore } from '../jobs/index.ts';
import { lockIngest } from './lock.sql.ts';
import { backfillSeries, findSeries, forgetRollups, insertSeries, pendingSeries } from './series.sql.ts';
import { seriesOf } from './series-spec.ts';

/**
 * Has what a meter counts rolled up from now on. Called in the transaction that makes a metric or a cost, or changes what it
 * measures. Nobody is accepting events of the merchant then, so each event is either before it, and added by
 * `backfillChore`, or after it. What was rolled up before stays, until `rebuildRollups` or for whoever shares it.
 */
export async function registerMeter(tx: Tx, merchantId: string, meter: Parameters<typeof seriesOf>[0]): Promise<void> {
  const spec = seriesOf(meter);
  if (spec === null || (await findSeries(tx, merchantId, spec))) return;
  await lockIngest(tx, merchantId, 'exclusive');
  await insertSeries(tx, merchantId, spec);
}

/** Forgets all that was rolled up of a merchant; it is added up from the events again, which stay the truth. Until then, questions read them. */
export async function rebuildRollups(tx: Tx, merchantId: string): Promise<void> {
  await lockIngest(tx, merchantId, 'exclusive');
  await forgetRollups(tx, merchantId);
}

const EVENTS_AT_ONCE = 5_000;

/** Adds up the events that were there before their meter, some thousands in a transaction; several may do it at once. */
export const backfillChore: Chore = {
  name: 'adding up earlier events of new meters',
  everySeconds: 5,
  run: async (database) => {
    const pending = await database.transaction('every merchant, reading', pendingSeries);
    for (const { merchantId, id } of pending) {
      let hasMore = true;
      while (hasMore)
        hasMore = await database.transaction({ merchants: [merchantId] }, (tx) =>
          backfillSeries(tx, merchantId, id, EVENTS_AT_ONCE),
        );
    }
  },
};
