import { insertion, type PageRequest, pageOfRows, sql, type Tx } from '../../db/index.ts';
import type { Decimal } from '../../kernel/decimal.ts';
import type { Instant } from '../../kernel/time.ts';
import type { ReceiptApplication, ReceiptRow } from './receipt.ts';

type NewReceipt = Omit<ReceiptRow, 'returnedAmount' | 'returnedAt' | 'returnReference'>;

export const insertReceipt = (tx: Tx, receipt: NewReceipt): Promise<ReceiptRow> =>
  tx.one<ReceiptRow>(sql`${insertion('customer_receipt', receipt)} returning *`);

export const selectReceiptByKey = (tx: Tx, key: string): Promise<ReceiptRow | undefined> =>
  tx.maybe<ReceiptRow>(
    sql`select * from customer_receipt where merchant_id = ${tx.merchantId} and idempotency_key = ${key}`,
  );

interface OfCustomer {
  readonly customerId: string;
  readonly receiptId: string;
}

export const selectReceipt = (tx: Tx, { customerId, receiptId }: OfCustomer): Promise<ReceiptRow | undefined> =>
  tx.maybe<ReceiptRow>(sql`
    select * from customer_receipt
     where merchant_id = ${tx.merchantId} and customer_id = ${customerId} and id = ${receiptId}`);

/** A receipt, locked: of two who apply or return its money one sees what the other has left. */
export const lockReceipt = (tx: Tx, id: string): Promise<ReceiptRow> =>
  tx.one<ReceiptRow>(
    sql`select * from customer_receipt where merchant_id = ${tx.merchantId} and id = ${id} for update`,
  );

/** The receipts of a customer, newest first. */
export const selectReceiptsPage = (
  tx: Tx,
  customerId: string,
  page: PageRequest,
): Promise<{ rows: ReceiptRow[]; total: number }> =>
  pageOfRows<ReceiptRow>(
    tx,
    {
      kind: 'receipt',
      select: sql`*`,
      from: sql`customer_receipt`,
      exists: sql`merchant_id = ${tx.merchantId} and customer_id = ${customerId}`,
    },
    page,
  );

export const insertApplication = (tx: Tx, application: ReceiptApplication): Promise<number> =>
  tx.run(insertion('receipt_application', application));

/** The applications of some receipts that count, in their order: not those whose payment was reversed. */
export const selectApplications = (tx: Tx, receiptIds: readonly string[]): Promise<ReceiptApplication[]> =>
  tx.rows<ReceiptApplication>(sql`
    select * from receipt_application
     where merchant_id = ${tx.merchantId} and receipt_id = any (${[...receiptIds]}::text[]) and reversed_at is null
     order by seq`);

/** The payment that was made of a part of a receipt is reversed. */
export const updateApplicationReversed = (tx: Tx, paymentId: string, now: Instant): Promise<number> =>
  tx.run(sql`
    update receipt_application set reversed_at = ${now}
     where merchant_id = ${tx.merchantId} and payment_id = ${paymentId} and reversed_at is null`);

/** More of a receipt was returned. */
export const updateReturned = (
  tx: Tx,
  { merchantId, id }: ReceiptRow,
  { amount, at, reference }: { readonly amount: Decimal; readonly at: Instant; readonly reference: string | null },
): Promise<ReceiptRow> =>
  tx.one<ReceiptRow>(sql`
    update customer_receipt
       set returned_amount = returned_amount + ${amount}, returned_at = ${at}, return_reference = ${reference}
     where merchant_id = ${merchantId} and id = ${id}
    returning *`);

/** Receipts of a customer of which something waits: they block its deletion. */
export const selectWaitingReceipts = (tx: Tx, customerId: string): Promise<{ id: string }[]> =>
  tx.rows<{ id: string }>(sql`
    select r.id from customer_receipt r
     where r.merchant_id = ${tx.merchantId} and r.customer_id = ${customerId}
       and r.amount - r.returned_amount > (
         select coalesce(sum(a.amount), 0) from receipt_application a
          where a.merchant_id = r.merchant_id and a.receipt_id = r.id and a.reversed_at is null)
     order by r.seq`);
