import { type Sql, sql, type Tx } from '../db/index.ts';
import type { Decimal } from '../kernel/decimal.ts';
import type { Instant } from '../kernel/time.ts';

/** `requested`: due work will send it. `stopped`: the refund was voided before the money left, so a later one may send it. */
export type ReturnStatus = 'none' | 'requested' | 'returned' | 'stopped';

/** Money that came in for an invoice, and whether it went back. */
export interface PaymentReceipt {
  merchant_id: string;
  id: string;
  invoice_id: string;
  session_id: string;
  payment_method_id: string | null;
  amount: Decimal;
  currency: string;
  method: 'card';
  provider: 'sandbox';
  provider_reference: string;
  received_at: Instant;
  return_status: ReturnStatus;
  /** The refund (`crn_`) that asked for it last. */
  return_refund_id: string | null;
  /** The intent: from here on the money may be on its way. */
  return_started_at: Instant | null;
  returned_at: Instant | null;
  return_reference: string | null;
  clock_id: string | null;
}

export type NewReceipt = Omit<
  PaymentReceipt,
  'return_status' | 'return_refund_id' | 'return_started_at' | 'returned_at' | 'return_reference'
>;

/** The unique index on the session is what makes one payment of many notices. */
export const insertReceipt = (tx: Tx, receipt: NewReceipt): Promise<number> =>
  tx.run(sql`
    insert into payment_receipt
      (merchant_id, id, invoice_id, session_id, payment_method_id, amount, currency, method, provider, provider_reference,
       received_at, clock_id)
    values (${receipt.merchant_id}, ${receipt.id}, ${receipt.invoice_id}, ${receipt.session_id},
            ${receipt.payment_method_id}, ${receipt.amount}, ${receipt.currency}, ${receipt.method}, ${receipt.provider},
            ${receipt.provider_reference}, ${receipt.received_at}, ${receipt.clock_id})`);

export const selectReceipts = (tx: Tx, merchantId: string, invoiceId: string): Promise<PaymentReceipt[]> =>
  tx.rows<PaymentReceipt>(sql`
    select * from payment_receipt where merchant_id = ${merchantId} and invoice_id = ${invoiceId} order by seq`);

export const selectReceipt = (tx: Tx, merchantId: string, id: string): Promise<PaymentReceipt> =>
  tx.one<PaymentReceipt>(sql`select * from payment_receipt where merchant_id = ${merchantId} and id = ${id}`);

/** Only money that has not been asked back, or whose return was stopped before it left. */
export const markRequested = (
  tx: Tx,
  { merchantId, invoiceId, refundId }: { merchantId: string; invoiceId: string; refundId: string },
  now: Instant,
): Promise<PaymentReceipt[]> => {
  const statement: Sql = sql`
    update payment_receipt set return_status = 'requested', return_refund_id = ${refundId}, next_action_at = ${now}
     where merchant_id = ${merchantId} and invoice_id = ${invoiceId} and return_status in ('none', 'stopped')
    returning *`;
  return tx.rows<PaymentReceipt>(statement);
};

/** Only while no intent stands: after it the money may have left. */
export const markStopped = (tx: Tx, merchantId: string, refundId: string): Promise<PaymentReceipt[]> =>
  tx.rows<PaymentReceipt>(sql`
    update payment_receipt set return_status = 'stopped', next_action_at = null
     where merchant_id = ${merchantId} and return_refund_id = ${refundId} and return_status = 'requested'
       and return_started_at is null
    returning *`);

/** Money of this refund that is on its way or has left. */
export const selectLeft = (tx: Tx, merchantId: string, refundId: string): Promise<PaymentReceipt[]> =>
  tx.rows<PaymentReceipt>(sql`
    select * from payment_receipt
     where merchant_id = ${merchantId} and return_refund_id = ${refundId} and return_started_at is not null`);

export const markStarted = (tx: Tx, { merchant_id, id }: PaymentReceipt, now: Instant): Promise<number> =>
  tx.run(sql`
    update payment_receipt set return_started_at = ${now}
     where merchant_id = ${merchant_id} and id = ${id} and return_status = 'requested' and return_started_at is null`);

export const markReturned = (
  tx: Tx,
  { merchant_id, id }: PaymentReceipt,
  reference: string,
  now: Instant,
): Promise<number> =>
  tx.run(sql`
    update payment_receipt
       set return_status = 'returned', returned_at = ${now}, return_reference = ${reference}, next_action_at = null
     where merchant_id = ${merchant_id} and id = ${id} and return_status = 'requested' and return_started_at is not null`);
