import { effectiveNowOf } from '../clocks/index.ts';
import { sql, type Tx } from '../db/index.ts';
import { hasMetered } from '../entitlements/index.ts';
import { hasCreditWatches } from '../invoicing/index.ts';
import type { Instant } from '../kernel/time.ts';
import { findOldestAcceptedAfter, type UsedCustomer } from '../metering/index.ts';

/** The mark of the evaluated events, and is there anything of any merchant that usage may change? */
export const selectStanding = async (tx: Tx): Promise<{ seenSeq: bigint; isWatched: boolean }> => {
  const { seenSeq, hasAlerts } = await tx.one<{ seenSeq: bigint; hasAlerts: boolean }>(sql`
    select seen_seq, exists (select from alert) as has_alerts from alert_mark`);
  return { seenSeq, isWatched: hasAlerts || (await hasMetered(tx)) || (await hasCreditWatches(tx)) };
};

/** The time of acceptance of the oldest event that is not evaluated; null: none, or there is nothing to evaluate. */
export const selectOldestUnseen = async (tx: Tx): Promise<Instant | null> => {
  const { seenSeq, isWatched } = await selectStanding(tx);
  return isWatched ? findOldestAcceptedAfter(tx, seenSeq) : null;
};

/** Takes the work for a while. @returns false: another process has it */
export const claimMark = async (tx: Tx, worker: string, now: Instant, until: Instant): Promise<boolean> =>
  (await tx.run(sql`
    update alert_mark set leased_by = ${worker}, leased_until = ${until}
     where leased_by is not distinct from ${worker} or leased_until is null or leased_until <= ${now}`)) === 1;

/** Stores the mark: events up to here are evaluated. The mark never goes back. */
export const updateMark = (tx: Tx, seenSeq: bigint): Promise<number> =>
  tx.run(sql`update alert_mark set seen_seq = ${seenSeq} where seen_seq < ${seenSeq}`);

/** An alert whose customer has new usage. */
export interface UsedAlert {
  readonly merchantId: string;
  readonly id: string;
}

/** The alerts of some customers, in the order of merchants and ids. */
export const selectAlertsOfCustomers = (tx: Tx, customers: readonly UsedCustomer[]): Promise<UsedAlert[]> =>
  tx.rows<UsedAlert>(sql`
    select a.merchant_id, a.id
      from unnest(${customers.map(({ merchantId }) => merchantId)}::text[],
                  ${customers.map(({ customerId }) => customerId)}::text[]) c (merchant_id, customer_id)
      join alert a on a.merchant_id = c.merchant_id and a.customer_id = c.customer_id
     order by a.merchant_id, a.id`);

/** Leaves alerts to their background job, because their evaluation threw. The job counts its attempts. */
export const updateToBeDue = (tx: Tx, ids: readonly string[], now: Instant): Promise<number> =>
  tx.run(sql`
    update alert set next_action_at = ${effectiveNowOf('alert', now)}
     where merchant_id = ${tx.merchantId} and id = any (${[...ids]}::text[])
       and (next_action_at is null or next_action_at > ${effectiveNowOf('alert', now)})`);
