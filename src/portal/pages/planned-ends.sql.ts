import { sql, type Tx } from '../../db/index.ts';
import type { Instant } from '../../kernel/time.ts';

/** The end that a customer plans for its subscription, in place of an earlier one. */
export const upsertPlannedEnd = (tx: Tx, subscriptionId: string, endingAt: Instant): Promise<number> =>
  tx.run(sql`
    insert into portal_planned_end (merchant_id, subscription_id, ending_at)
    values (${tx.merchantId}, ${subscriptionId}, ${endingAt})
    on conflict (merchant_id, subscription_id) do update set ending_at = excluded.ending_at`);

/** @returns null where the customer has planned none */
export const selectPlannedEnd = async (tx: Tx, subscriptionId: string): Promise<Instant | null> =>
  (
    await tx.maybe<{ endingAt: Instant }>(sql`
      select ending_at from portal_planned_end
       where merchant_id = ${tx.merchantId} and subscription_id = ${subscriptionId}`)
  )?.endingAt ?? null;

/** Forgets it. */
export const deletePlannedEnd = (tx: Tx, subscriptionId: string): Promise<number> =>
  tx.run(sql`
    delete from portal_planned_end
     where merchant_id = ${tx.merchantId} and subscription_id = ${subscriptionId}`);
