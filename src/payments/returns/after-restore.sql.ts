import { sql, type Tx } from '../../db/index.ts';
import type { Instant } from '../../kernel/time.ts';

/** Were the payments of the merchant compared in this life of the database? */
export const isCompared = async (tx: Tx, life: number): Promise<boolean> =>
  (await tx.maybe(sql`select from payment_comparison where merchant_id = ${tx.merchantId} and life = ${life}`)) !==
  undefined;

/** Notes that they were. A second process that compared at the same time notes nothing. */
export const insertComparison = (tx: Tx, life: number, now: Instant): Promise<number> =>
  tx.run(sql`
    insert into payment_comparison (merchant_id, life, compared_at) values (${tx.merchantId}, ${life}, ${now})
    on conflict do nothing`);
