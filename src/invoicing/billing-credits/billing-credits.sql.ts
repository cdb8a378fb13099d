import { allOf, insertion, type PageRequest, pageOfRows, sql, type Tx, withJsonb } from '../../db/index.ts';
import type { Decimal } from '../../kernel/decimal.ts';
import type { Instant } from '../../kernel/time.ts';
import { CREDIT_COLUMNS, creditUses } from '../difference/billing-credits.sql.ts';
import type { BillingCredit, CreditDeeds, UsedCredit } from '../terms/billing-credit.ts';

/** A new credit, and the print of the request that made it. */
export type NewBillingCredit = BillingCredit & { readonly idempotencyPrint: Buffer | null };

const COLUMNS = sql`merchant_id, id, customer_id, subscription_id, invoice_id, name, amount, currency, category,
  priority, effective_at, expires_at, voided_at, applies_to, source, idempotency_key, idempotency_print, test_clock_id,
  metadata, created_at, updated_at, price, commitment_id, segment, rolled_from, released, is_undone,
  order_id`;

export const insertBillingCredit = (tx: Tx, credit: NewBillingCredit): Promise<unknown> =>
  tx.run(sql`${insertion('billing_credit', withJsonb(credit, 'appliesTo', 'metadata'), COLUMNS)}`);

const USED = sql`billing_credit b cross join lateral (${creditUses()}) u`;

/** A credit; locked: until the transaction ends nothing takes of it. */
export async function selectBillingCredit(tx: Tx, id: string, lock = false): Promise<UsedCredit | undefined> {
  if (lock)
    await tx.run(sql`
      select from billing_credit where merchant_id = ${tx.merchantId} and id = ${id} for no key update`);
  return tx.maybe<UsedCredit>(sql`
    select ${CREDIT_COLUMNS}, u.used, u.held from ${USED} where b.merchant_id = ${tx.merchantId} and b.id = ${id}`);
}

export const selectBillingCreditByKey = (tx: Tx, customerId: string, key: string) =>
  tx.maybe<UsedCredit & { idempotencyPrint: Buffer | null }>(sql`
    select ${CREDIT_COLUMNS}, b.idempotency_print, u.used, u.held from ${USED}
     where b.merchant_id = ${tx.merchantId} and b.customer_id = ${customerId} and b.idempotency_key = ${key}`);

/** Newest first. */
export const selectBillingCreditPage = (tx: Tx, customerId: string, page: PageRequest) =>
  pageOfRows<UsedCredit>(
    tx,
    {
      kind: 'billingCredit',
      select: sql`${CREDIT_COLUMNS}, used, held`,
      from: sql`(select b.*, u.used, u.held from ${USED}) b`,
      where: allOf([sql`b.merchant_id = ${tx.merchantId}`, sql`b.customer_id = ${customerId}`]),
    },
    page,
  );

/** A credit with what took of it, and what was done for it. */
export type KnownCredit = UsedCredit & CreditDeeds;

const KNOWN = sql`${CREDIT_COLUMNS}, b.earned, b.is_expiry_told, u.used, u.held from ${USED}`;

/** All of some customers. */
export const selectCreditsOf = (tx: Tx, customerIds: readonly string[]): Promise<KnownCredit[]> =>
  tx.rows<KnownCredit>(sql`
    select ${KNOWN}
     where b.merchant_id = ${tx.merchantId} and b.customer_id = any (${[...customerIds]}::text[])
     order by b.seq`);

/** What an invoice made; locked as by `selectBillingCredit`. */
export async function selectCreditsOfInvoice(tx: Tx, invoiceId: string, lock = false): Promise<KnownCredit[]> {
  const own = sql`b.merchant_id = ${tx.merchantId} and b.invoice_id = ${invoiceId}`;
  if (lock) await tx.run(sql`select from billing_credit b where ${own} for no key update`);
  return tx.rows<KnownCredit>(sql`select ${KNOWN} where ${own} order by b.seq`);
}

/** How many credits a customer's automatic top-ups have made since an instant. */
export const countTopUps = async (tx: Tx, customerId: string, since: Instant): Promise<number> =>
  Number(
    await tx.value<bigint>(sql`
      select count(*) as count
        from (select from billing_credit
               where merchant_id = ${tx.merchantId} and customer_id = ${customerId} and source = 'top_up'
               group by invoice_id having min(created_at) >= ${since}) bought`),
  );

/** @param isUndone because its invoice was credited, or the payment of it came back */
export const updateVoidedAt = (
  tx: Tx,
  id: string,
  voidedAt: Instant,
  now: Instant,
  isUndone = false,
): Promise<number> =>
  tx.run(sql`
    update billing_credit set voided_at = coalesce(voided_at, ${voidedAt}), is_undone = ${isUndone}, updated_at = ${now}
     where merchant_id = ${tx.merchantId} and id = ${id}`);

export const updateEarned = (tx: Tx, id: string, earned: Decimal): Promise<number> =>
  tx.run(sql`
    update billing_credit set earned = ${earned} where merchant_id = ${tx.merchantId} and id = ${id}`);

export const updateExpiryTold = (tx: Tx, ids: readonly string[]): Promise<number> =>
  tx.run(sql`
    update billing_credit set is_expiry_told = true
     where merchant_id = ${tx.merchantId} and id = any (${[...ids]}::text[])`);
