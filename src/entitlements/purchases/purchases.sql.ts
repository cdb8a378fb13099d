import { insertion, sql, type Tx } from '../../db/index.ts';
import type { Decimal } from '../../kernel/decimal.ts';
import type { Instant } from '../../kernel/time.ts';
import type { EntitlementKey } from '../entitlement/lock.ts';

/** A grant that is made when its invoice is paid (§2 Grant purchase). */
export interface PurchaseRow {
  readonly merchantId: string;
  readonly invoiceId: string;
  readonly entitlementId: string;
  readonly idempotencyKey: string;
  readonly amount: Decimal;
  /** Without tax, as it was sent. */
  readonly price: Decimal;
  readonly currency: string;
  /** null: when it is paid. */
  readonly effectiveAt: Instant | null;
  readonly expiresAt: Instant | null;
  readonly resetMaxRollover: Decimal;
  readonly resetMinRollover: Decimal;
  readonly createdAt: Instant;
}

/** Stores a purchase. The caller holds the entitlement's lock and has looked for the key. */
export const insertPurchase = (tx: Tx, row: PurchaseRow): Promise<PurchaseRow> =>
  tx.one<PurchaseRow>(sql`${insertion('grant_purchase', row)} returning *`);

/** The purchase for an entitlement under a key. */
export const selectPurchaseByKey = (
  tx: Tx,
  { merchantId, entitlementId }: EntitlementKey,
  key: string,
): Promise<PurchaseRow | undefined> =>
  tx.maybe<PurchaseRow>(sql`
    select * from grant_purchase
     where merchant_id = ${merchantId} and entitlement_id = ${entitlementId} and idempotency_key = ${key}`);

/** The purchase of an invoice. */
export const selectPurchase = (tx: Tx, invoiceId: string): Promise<PurchaseRow | undefined> =>
  tx.maybe<PurchaseRow>(sql`
    select * from grant_purchase where merchant_id = ${tx.merchantId} and invoice_id = ${invoiceId}`);
