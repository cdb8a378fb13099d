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
