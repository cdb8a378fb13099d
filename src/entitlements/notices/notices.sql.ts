import { effectiveNowOf } from '../../clocks/index.ts';
import { type Sql, sql, type Tx } from '../../db/index.ts';
import type { Instant } from '../../kernel/time.ts';
import type { UsedCustomer } from '../../metering/index.ts';
import type { EntitlementRow } from '../entitlement/entitlement.ts';

/** A notice about a balance. */
export type BalanceNotice = 'balance_low' | 'exhausted';

/** The notices of a usage period of an entitlement, each once. */
export interface Notice {
  readonly entitlementId: string;
  readonly periodStart: Instant;
  readonly kind: BalanceNotice | 'reset';
}

type Key = Pick<EntitlementRow, 'merchantId' | 'id'>;

/** Stores notices. @returns the new ones; only these are sent */
export const insertNotices = (tx: Tx, notices: readonly Notice[], now: Instant): Promise<Notice[]> =>
  tx.rows<Notice>(sql`
    insert into entitlement_notice (merchant_id, entitlement_id, period_start, kind, created_at)
    select ${tx.merchantId}, n.entitlement_id, n.period_start, n.kind, ${now}
      from unnest(${notices.map(({ entitlementId }) => entitlementId)}::text[],
                  ${notices.map(({ periodStart }) => periodStart)}::timestamptz[],
                  ${notices.map(({ kind }) => kind)}::text[])
           n (entitlement_id, period_start, kind)
    on conflict do nothing returning entitlement_id, period_start, kind`);

/**
 * The metered entitlements of some customers, unless they have ended, in the order of merchants and ids. One that was
 * reported as used up since its last reset is left out: its usage period needs no more notices.
 */
export const selectUnnotified = (tx: Tx, customers: readonly UsedCustomer[], now: Instant): Promise<Key[]> =>
  tx.rows<Key>(sql`
    select e.merchant_id, e.id
      from unnest(${customers.map(({ merchantId }) => merchantId)}::text[],
                  ${customers.map(({ customerId }) => customerId)}::text[]) c (merchant_id, customer_id)
      join entitlement e on e.merchant_id = c.merchant_id and e.customer_id = c.customer_id
                        and e.feature_type = 'metered'
     where (e.clock_id is not null or e.active_to is null or e.active_to > ${now})
       and not exists (
         select from entitlement_notice n
          where n.merchant_id = e.merchant_id and n.entitlement_id = e.id and n.kind = 'exhausted'
            and n.period_start >= coalesce((
                  select r.period_start from entitlement_notice r
                   where r.merchant_id = e.merchant_id and r.entitlement_id = e.id and r.kind = 'reset'
                   order by r.period_start desc limit 1), e.active_from))
     order by e.merchant_id, e.id`);

/** Leaves entitlements to their background job, which counts its attempts. */
const updateToBeDue = (tx: Tx, where: Sql, now: Sql): Promise<number> =>
  tx.run(sql`
    update entitlement set next_action_at = ${now}
     where merchant_id = ${tx.merchantId} and ${where} and (next_action_at is null or next_action_at > ${now})`);

/** Leaves an entitlement whose evaluation threw to its background job. */
export const updateFailed = (tx: Tx, { merchantId, id }: Key, wall: Instant): Promise<number> =>
  updateToBeDue(tx, sql`id = ${id}`, effectiveNowOf('entitlement', wall, merchantId));

/** Leaves entitlements whose balances fall with time to their background jobs. */
export const updateFallingToBeDue = async (tx: Tx, ids: readonly string[], wall: Instant): Promise<void> => {
  const now = effectiveNowOf('entitlement', wall, tx.merchantId);
  if (ids.length > 0) await updateToBeDue(tx, sql`id = any (${[...ids]}::text[])`, now);
};

/** Leaves entitlements to their background jobs: earlier events became addressed to their customer. */
export function updateOfCustomer(tx: Tx, { merchantId, customerId }: UsedCustomer, wall: Instant): Promise<number> {
  const now = effectiveNowOf('entitlement', wall, merchantId);
  const where = sql`customer_id = ${customerId} and feature_type = 'metered' and (active_to is null or active_to > ${now})`;
  return updateToBeDue(tx, where, now);
}
