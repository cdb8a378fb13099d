import {
  addListChanges,
  countListsAgain,
  type Database,
  selectAllMerchants,
  selectMerchantsToCount,
} from '../db/index.ts';
import type { Chore } from './runner.ts';

const MOST_AT_ONCE = 5_000;

/** Adds changes to the counts of lists, so that few changes wait. Totals are exact without it. */
export const listCountChore: Chore = {
  name: 'adding changes to the counts of lists',
  everySeconds: 5,
  run: async (database) => {
    const merchants = await database.transaction('every merchant, reading', selectMerchantsToCount);
    for (const merchantId of merchants) await addAllListChanges(database, merchantId);
  },
};

/** Adds all changes of a merchant, some thousands in each transaction. */
export async function addAllListChanges(database: Database, merchantId: string): Promise<void> {
  let added: number;
  do {
    added = await database.transaction({ merchants: [merchantId] }, (tx) => addListChanges(tx, MOST_AT_ONCE));
  } while (added === MOST_AT_ONCE);
}

/**
 * Counts all lists of all merchants again; the program may run at the same time. @returns the number of wrong counts
 */
export async function rebuildListCounts(database: Database): Promise<number> {
  const merchants = await database.transaction('every merchant, reading', selectAllMerchants);
  let mended = 0;
  for (const merchantId of merchants)
    mended += await database.transaction({ merchants: [merchantId] }, (tx) => countListsAgain(tx));
  return mended;
}
