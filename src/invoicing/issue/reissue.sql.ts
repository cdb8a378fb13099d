import { sql, type Tx } from '../../db/index.ts';
import type { Instant } from '../../kernel/time.ts';
import type { InvoiceRow } from '../invoice/invoice.ts';

/**
 * An invoice takes the place of another one: it bears the credits that stood on that, and its usage counts as read
 * where that was read.
 */
export async function insertBilledFactsAgain(tx: Tx, fromId: string, toId: string): Promise<void> {
  await updateCreditTargets(tx, fromId, toId);
  await tx.run(sql`
    insert into invoice_usage (merchant_id, invoice_id, price_id, group_key, group_values, quantity, granted,
                               event_count, share_numerator, share_denominator)
    select merchant_id, ${toId}, price_id, group_key, group_values, quantity, granted, event_count, share_numerator,
           share_denominator
      from invoice_usage where merchant_id = ${tx.merchantId} and invoice_id = ${fromId}`);
  await tx.run(sql`
    insert into usage_taken (merchant_id, invoice_id, snapshot)
    select merchant_id, ${toId}, snapshot from usage_taken
     where merchant_id = ${tx.merchantId} and invoice_id = ${fromId}`);
  await tx.run(sql`
    insert into burnt_taken (merchant_id, invoice_id, price_id, entitlement_id, taken_from, taken_to, units)
    select merchant_id, ${toId}, price_id, entitlement_id, taken_from, taken_to, units from burnt_taken
     where merchant_id = ${tx.merchantId} and invoice_id = ${fromId}`);
  await deleteBurntTaken(tx, fromId);
}

/** Up to where later parts of an invoice's period are billed: what comes to it in all is known. Null: it has none. */
export const selectEndOfLaterParts = (tx: Tx, invoice: InvoiceRow): Promise<Instant | null> =>
  tx.value<Instant | null>(sql`
    select max(period_end) from invoice
     where merchant_id = ${tx.merchantId} and subscription_id = ${invoice.subscriptionId} and kind = 'subscription'
       and billing_cadence = ${invoice.billingCadence} and billing_anchor = ${invoice.billingAnchor}
       and period_number = ${invoice.periodNumber} and period_end > ${invoice.periodEnd}
       and status in ('DRAFT', 'ISSUED', 'PAYMENT_FAILED', 'PAID', 'WRITTEN_OFF', 'CANCELLED')
       and rebilled_from is null`);

/** The credits that stood on an invoice stand on another one. */
export const updateCreditTargets = (tx: Tx, fromId: string, toId: string): Promise<number> =>
  tx.run(sql`
    update unused_credit set target_invoice_id = ${toId}
     where merchant_id = ${tx.merchantId} and target_invoice_id = ${fromId}`);

/** The lines by hand that an invoice took are taken by another one. */
export const updateInvoiceOfManualLines = (tx: Tx, fromId: string, toId: string): Promise<number> =>
  tx.run(sql`
    update manual_line set invoice_id = ${toId}
     where merchant_id = ${tx.merchantId} and invoice_id = ${fromId} and calculated_at is not null`);

/** The units that grants burnt in the period of an invoice are not taken by it any more. */
export const deleteBurntTaken = (tx: Tx, invoiceId: string): Promise<number> =>
  tx.run(sql`delete from burnt_taken where merchant_id = ${tx.merchantId} and invoice_id = ${invoiceId}`);
