import { sql, type Tx } from '../../db/index.ts';
import type { Instant } from '../../kernel/time.ts';
import type { EntitlementRow } from '../entitlement/entitlement.ts';

/** The notices of a usage period, each once. */
export interface Notice {
  readonly periodStart: Instant;
  readonly kind: 'balance_low' | 'exhausted' | 'reset';
}

/** Stores notices. @returns the new ones; only these are sent */
export const insertNotices = (
  tx: Tx,
  { merchantId, id }: Pick<EntitlementRow, 'merchantId' | 'id'>,
  notices: readonly Notice[],
  now: Instant,
): Promise<number> =>
  tx.run(sql`
    insert into entitlement_notice (merchant_id, entitlement_id, period_start, kind, created_at)
    select ${merchantId}, ${id}, n.period_start, n.kind, ${now}
      from unnest(${notices.map(({ periodStart }) => periodStart)}::timestamptz[],
                  ${notices.map(({ kind }) => kind)}::text[])
           n (period_start, kind)
    on conflict do nothing`);

/** The metered entitlements, unless they have ended, that count usage addressed to some customers and subscriptions. */
export const selectMeteredOf = (
  tx: Tx,
  merchantId: string,
  addressees: readonly string[],
  now: Instant,
): Promise<EntitlementRow[]> =>
  tx.rows<EntitlementRow>(sql`
    select * from entitlement
     where merchant_id = ${merchantId} and (customer_id = any (${[...addressees]})
                                            or subscription_id = any (${[...addressees]}))
       and feature_type = 'metered' and (clock_id is not null or active_to is null or active_to > ${now})
     order by seq`);

/** An entitlement by its key, and the possibility of a notice. */
export interface SweptRow extends Pick<EntitlementRow, 'merchantId' | 'id'> {
  readonly isToldOf: boolean;
}

/**
 * The entitlements after one (null: from the first) in the order of their keys, of all merchants. On a test clock
 * nothing is told between due steps; of what is not metered or not active there is nothing to tell.
 */
export const selectEntitlementsAfter = (
  tx: Tx,
  after: Pick<EntitlementRow, 'merchantId' | 'id'> | null,
  now: Instant,
  most: number,
): Promise<SweptRow[]> =>
  tx.rows<SweptRow>(sql`
    select merchant_id, id,
           feature_type = 'metered' and clock_id is null and active_from <= ${now}
             and (active_to is null or active_to > ${now})
             as is_told_of
      from entitlement
     where (merchant_id, id) > (${after?.merchantId ?? ''}, ${after?.id ?? ''})
     order by merchant_id, id limit ${most}`);
