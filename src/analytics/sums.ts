import type { Database } from '../db/index.ts';
import type { Chore } from '../jobs/index.ts';
import { addChanges, selectMerchantsWithChanges } from './sums.sql.ts';

const MOST_AT_ONCE = 5_000;

/**
 * Adds changes to the sums of revenue, so that a report reads few rows. Reports are right without it: they read the
 * waiting changes.
 */
export const revenueSumsChore: Chore = {
  name: 'adding changes to the sums of revenue',
  everySeconds: 5,
  run: async (database) => {
    const merchants = await database.transaction('every merchant, reading', selectMerchantsWithChanges);
    for (const merchantId of merchants) await addAllChanges(database, merchantId);
  },
};

/** Adds all changes of a merchant, some thousands in each transaction. */
export async function addAllChanges(database: Database, merchantId: string): Promise<void> {
  let added: number;
  do {
    added = await database.transaction({ merchants: [merchantId] }, (tx) => addChanges(tx, MOST_AT_ONCE));
  } while (added === MOST_AT_ONCE);
}
