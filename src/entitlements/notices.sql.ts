import { sql, type Tx } from '../db/index.ts';
import type { Instant } from '../kernel/time.ts';
import type { EntitlementRow } from './entitlements.sql.ts';

/** What is told of a usage period, each once. */
export interface Notice {
  readonly periodStart: Instant;
  readonly kind: 'balance_low' | 'exhausted' | 'reset';
}

/** Writes down that something is told. @returns false where it was told before, by whomever; then nothing is told. */
export async function tellOnce(
  tx: Tx,
  { merchant_id, id }: Pick<EntitlementRow, 'merchant_id' | 'id'>,
  { periodStart, kind }: Notice,
  now: Instant,
): Promise<boolean> {
  const written = await tx.run(sql`
    insert into entitlement_notice (merchant_id, entitlement_id, period_start, kind, created_at)
    values (${merchant_id}, ${id}, ${periodStart}, ${kind}, ${now})
    on conflict do nothing`);
  return written === 1;
}

/** The metered entitlements, unless they have ended, that count usage addressed to some customers and subscriptions. */
export const selectMeteredOf = (
  tx: Tx,
  merchantId: string,
  addressees: readonly string[],
  now: Instant,
): Promise<EntitlementRow[]> =>
  tx.rows<EntitlementRow>(sql`
    select * from entitlement
     where merchant_id = ${merchantId} and (customer_id = any (${[...addressees]}) or subscription_id = any (${[...addressees]}))
       and feature_type = 'metered' and (clock_id is not null or active_to is null or active_to > ${now})
     order by seq`);

/** An entitlement by its key, and whether there can be something to tell of it. */
export interface SweptRow extends Pick<EntitlementRow, 'merchant_id' | 'id'> {
  readonly is_told_of: boolean;
}

/**
 * The entitlements after one (null: from the first) in the order of their keys, of all merchants. On a test clock nothing is
 * told between due steps; of what is not metered or not active there is nothing to tell.
 */
export const entitlementsAfter = (
  tx: Tx,
  after: Pick<EntitlementRow, 'merchant_id' | 'id'> | null,
  now: Instant,
  most: number,
): Promise<SweptRow[]> =>
  tx.rows<SweptRow>(sql`
    select merchant_id, id,
           feature_type = 'metered' and clock_id is null and active_from <= ${now} and (active_to is null or active_to > ${now})
             as is_told_of
      from entitlement
     where (merchant_id, id) > (${after?.merchant_id ?? ''}, ${after?.id ?? ''})
     order by merchant_id, id limit ${most}`);
