import type { Database } from '../db/index.ts';
import { rebuildSums, selectMerchantsWithRevenue } from './sums.sql.ts';

/** How many facts and sums were not what they follow from. */
export interface Rebuilt {
  readonly facts: number;
  readonly sums: number;
}

/** Makes what reports of revenue are read from anew, a transaction for each merchant; the program may run meanwhile. */
export async function rebuildRevenue(database: Database): Promise<Rebuilt> {
  const merchants = await database.transaction('every merchant, reading', selectMerchantsWithRevenue);
  const all = { facts: 0, sums: 0 };
  for (const merchantId of merchants) {
    const { facts, sums } = await database.transaction({ merchants: [merchantId] }, (tx) =>
      rebuildSums(tx, merchantId),
    );
    all.facts += facts;
    all.sums += sums;
  }
  return all;
}
