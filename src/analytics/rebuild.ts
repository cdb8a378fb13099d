import type { Database } from '../db/index.ts';
import { rebuildSums, selectMerchantsWithRevenue } from './sums.sql.ts';

/** The number of wrong facts and sums. */
export interface Rebuilt {
  readonly facts: number;
  readonly sums: number;
}

/** Rebuilds the facts and sums of revenue, a transaction for each merchant; the program may run at the same time. */
export async function rebuildRevenue(database: Database): Promise<Rebuilt> {
  const merchants = await database.transaction('every merchant, reading', selectMerchantsWithRevenue);
  const all = { facts: 0, sums: 0 };
  for (const merchantId of merchants) {
    const { facts, sums } = await database.transaction({ merchants: [merchantId] }, (tx) => rebuildSums(tx));
    all.facts += facts;
    all.sums += sums;
  }
  return all;
}
