import { insertion, type Sql, sql, type Tx } from '../../db/index.ts';
import type { Decimal } from '../../kernel/decimal.ts';
import type { Instant } from '../../kernel/time.ts';
import type { DeclineReason } from './provider.ts';

export interface ProviderRecord {
  key: string;
  kind: 'charge' | 'setup' | 'refund';
  token: string | null;
  chargeReference: string | null;
  amount: Decimal;
  currency: string;
  declineReason: DeclineReason | null;
  reference: string;
}

export const selectProviderRecord = (tx: Tx, key: string): Promise<ProviderRecord | undefined> =>
  tx.maybe<ProviderRecord>(
    sql`select * from sandbox_provider_record where merchant_id = ${tx.merchantId} and key = ${key}`,
  );

/** A charge that worked, by the provider's reference. */
export const selectProviderCharge = (tx: Tx, reference: string): Promise<ProviderRecord | undefined> =>
  tx.maybe<ProviderRecord>(sql`
    select * from sandbox_provider_record
     where merchant_id = ${tx.merchantId} and reference = ${reference} and kind = 'charge' and decline_reason is null`);

/** Has the money of a charge gone back? */
export const selectIsRefunded = (tx: Tx, chargeReference: string): Promise<boolean> =>
  tx.value<boolean>(sql`
    select exists (
      select from sandbox_provider_record
       where merchant_id = ${tx.merchantId} and charge_reference = ${chargeReference} and kind = 'refund')
        as is_refunded`);

/** How much of a charge has gone back. */
export const sumRefunded = (tx: Tx, chargeReference: string): Promise<Decimal> =>
  tx.value<Decimal>(sql`
    select coalesce(sum(amount), 0) as total from sandbox_provider_record
     where merchant_id = ${tx.merchantId} and charge_reference = ${chargeReference} and kind = 'refund'`);

/** One card, one queue: how often a card has worked must not change between the count and the record. */
export const lockToken = (tx: Tx, token: string): Promise<number> =>
  tx.run(sql`select pg_advisory_xact_lock(hashtextextended(${`sandbox card ${token}`}, 0))`);

export const countSuccesses = async (tx: Tx, token: string): Promise<number> => {
  const { count } = await tx.one<{ count: number }>(sql`
    select count(*)::int as count from sandbox_provider_record
     where merchant_id = ${tx.merchantId} and token = ${token} and decline_reason is null`);
  return count;
};

/**
 * Waits for a twin under the same key, or for another refund of the same charge. @returns whether this one was written.
 */
export const insertRecord = async (tx: Tx, record: ProviderRecord, now: Instant): Promise<boolean> => {
  const insert: Sql = sql`
    ${insertion('sandbox_provider_record', { ...record, merchantId: tx.merchantId, createdAt: now })}
    on conflict do nothing`;
  return (await tx.run(insert)) === 1;
};
