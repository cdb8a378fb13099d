import {
  allOf,
  type Changed,
  changedRows,
  insertion,
  isChanged,
  type PageRequest,
  pageOfRows,
  type Sql,
  sql,
  type Tx,
} from '../../db/index.ts';
import type { Decimal } from '../../kernel/decimal.ts';
import type { Instant } from '../../kernel/time.ts';
import type { ProviderName } from '../provider/provider.ts';
import { type ReturnStatus, statusesFor, type TakenOfPayment } from './return-states.ts';

/** The means of payment without a provider, which are only recorded. */
export const RECORDED_METHODS = ['bank_transfer', 'cash', 'other'] as const;
export type RecordedMethod = (typeof RECORDED_METHODS)[number];

/** Money that came in, and whether it went back. */
export interface PaymentReceipt {
  merchantId: string;
  id: string;
  /** Null: of a payment link, which is for no invoice. */
  invoiceId: string | null;
  /** By which session or which charge a card paid; both null for recorded money. */
  sessionId: string | null;
  chargeId: string | null;
  paymentMethodId: string | null;
  amount: Decimal;
  /** The excess over the invoice, which went to the customer's wallet. */
  overpaid: Decimal;
  currency: string;
  method: 'card' | RecordedMethod;
  /** The provider; null for recorded money. */
  provider: ProviderName | null;
  providerReference: string | null;
  /** The card as it was then; both null where it is not known, and for recorded money. */
  cardBrand: string | null;
  cardLast4: string | null;
  /** The purpose on the payer's bank statement. */
  reference: string | null;
  /** The receipt (`rcp_`) whose money it is; null: the money came for the invoice. */
  receiptId: string | null;
  idempotencyKey: string | null;
  idempotencyPrint: Buffer | null;
  receivedAt: Instant;
  createdAt: Instant;
  returnStatus: ReturnStatus;
  /** The refund (`crn_`) that asked for it last. */
  returnRefundId: string | null;
  /** The intent: from here on the money may have left. */
  returnStartedAt: Instant | null;
  returnedAt: Instant | null;
  returnReference: string | null;
  /** The parts that the payer's bank, and the merchant at the provider, took before: they do not go back again. */
  lessDisputed: Decimal;
  lessOutside: Decimal;
  /** How often a provider outside was asked what came of it. */
  returnLookUps: number;
  clockId: string | null;
  /** It came back, or was a mistake: when, and why in the words of a person. Null: it counts. */
  reversedAt: Instant | null;
  reverseReason: string | null;
  reverseKey: string | null;
  reversePrint: Buffer | null;
  /** The dispute about it that began last; only where payments of an invoice are listed. */
  dispute?: ReceiptDispute | null;
}

/** The amount that the payer's bank takes back, or asks about. */
export interface ReceiptDispute {
  readonly status: 'inquiry' | 'open' | 'won' | 'lost';
  readonly amount: string;
  readonly reason: string;
}

/** A receipt with the dispute about it. */
const WITH_DISPUTE = sql`payment_receipt.*, (
  select jsonb_build_object('status', d.status, 'amount', d.amount::text, 'reason', d.reason) from payment_dispute d
   where d.merchant_id = payment_receipt.merchant_id and d.payment_id = payment_receipt.id
     and d.next_action_at is null -- else it opens later
   order by d.seq desc limit 1) as dispute`;

export type NewReceipt = Omit<
  PaymentReceipt,
  | 'receiptId'
  | 'returnStatus'
  | 'returnRefundId'
  | 'returnStartedAt'
  | 'returnedAt'
  | 'returnReference'
  | 'returnLookUps'
  | 'lessDisputed'
  | 'lessOutside'
  | 'reversedAt'
  | 'reverseReason'
  | 'reverseKey'
  | 'reversePrint'
  | 'dispute'
> & { readonly receiptId?: string };

/** The unique indexes on session, charge and key are what makes one payment of many notices. */
export const insertReceipt = (tx: Tx, receipt: NewReceipt): Promise<PaymentReceipt> =>
  tx.one<PaymentReceipt>(sql`${insertion('payment_receipt', receipt)} returning *`);

export const selectReceiptByKey = (tx: Tx, key: string): Promise<PaymentReceipt | undefined> =>
  tx.maybe<PaymentReceipt>(
    sql`select * from payment_receipt where merchant_id = ${tx.merchantId} and idempotency_key = ${key}`,
  );

/** The payment that was reversed under a key. */
export const selectReceiptByReverseKey = (tx: Tx, key: string): Promise<PaymentReceipt | undefined> =>
  tx.maybe<PaymentReceipt>(
    sql`select * from payment_receipt where merchant_id = ${tx.merchantId} and reverse_key = ${key}`,
  );

/** A payment shows its dispute. */
const changedReceipts = (changed: Changed): Sql =>
  isChanged('payment_receipt', changed, [
    { column: 'id', changed: changedRows('payment_dispute', 'payment_id', changed) },
  ]);

/** The money of one invoice, newest first. */
export const selectReceiptsPage = (
  tx: Tx,
  invoiceId: string,
  updatedFrom: Instant | null,
  page: PageRequest,
): Promise<{ rows: PaymentReceipt[]; total: number }> =>
  pageOfRows<PaymentReceipt>(
    tx,
    {
      kind: 'payment',
      select: WITH_DISPUTE,
      from: sql`payment_receipt`,
      exists: sql`merchant_id = ${tx.merchantId} and invoice_id = ${invoiceId}`,
      where: allOf([updatedFrom !== null && changedReceipts({ merchantId: tx.merchantId, from: updatedFrom })]),
    },
    page,
  );

export const selectReceipts = (tx: Tx, invoiceId: string): Promise<PaymentReceipt[]> =>
  tx.rows<PaymentReceipt>(sql`
    select * from payment_receipt where merchant_id = ${tx.merchantId} and invoice_id = ${invoiceId} order by seq`);

export const selectReceipt = (tx: Tx, id: string): Promise<PaymentReceipt> =>
  tx.one<PaymentReceipt>(sql`select * from payment_receipt where merchant_id = ${tx.merchantId} and id = ${id}`);

/** Is there an open dispute about a payment? */
const IS_DISPUTED = sql`exists (
  select from payment_dispute d
   where d.merchant_id = r.merchant_id and d.payment_id = r.id and d.status = 'open')`;

const TAKEN = sql`
  ${IS_DISPUTED} as is_disputed,
  (select coalesce(sum(d.withheld), 0) from payment_dispute d
    where d.merchant_id = r.merchant_id and d.payment_id = r.id and d.status = 'lost') as disputed,
  (select coalesce(sum(o.amount), 0) from outside_refund o
    where o.merchant_id = r.merchant_id and o.payment_id = r.id and o.status = 'succeeded'
      and o.booked_as = 'adjustment') as outside`;

/** What others have taken of a payment, and whether there is an open dispute about it. */
export const selectTakenOf = (
  tx: Tx,
  { merchantId, id }: { readonly merchantId: string; readonly id: string },
): Promise<TakenOfPayment & { readonly isDisputed: boolean }> =>
  tx.one<TakenOfPayment & { readonly isDisputed: boolean }>(
    sql`select ${TAKEN} from payment_receipt r where r.merchant_id = ${merchantId} and r.id = ${id}`,
  );

/** Is there an open dispute about a payment of an invoice? */
export const selectIsDisputed = (tx: Tx, invoiceId: string): Promise<boolean> =>
  tx.value<boolean>(sql`
    select coalesce(bool_or(${IS_DISPUTED}), false) as is_disputed
      from payment_receipt r where r.merchant_id = ${tx.merchantId} and r.invoice_id = ${invoiceId}`);

/** The payments of an invoice that count, locked, in the order of their ids. */
export const lockReceiptsOf = (tx: Tx, invoiceId: string): Promise<PaymentReceipt[]> =>
  tx.rows<PaymentReceipt>(sql`
    select * from payment_receipt
     where merchant_id = ${tx.merchantId} and invoice_id = ${invoiceId} and reversed_at is null
     order by id for update`);

/** Recorded money came back, or never came. */
export const markReversed = (
  tx: Tx,
  { merchantId, id }: PaymentReceipt,
  { at, reason, key, print }: { at: Instant; reason: string; key: string; print: Buffer },
): Promise<PaymentReceipt> =>
  tx.one<PaymentReceipt>(sql`
    update payment_receipt
       set reversed_at = ${at}, reverse_reason = ${reason}, reverse_key = ${key}, reverse_print = ${print}
     where merchant_id = ${merchantId} and id = ${id} and provider is null and reversed_at is null
       and return_status in ('none', 'stopped')
    returning *`);

/**
 * Only money that has not been asked back, or whose return was stopped before it left. What no provider took is
 * `manual`.
 */
export const markRequested = (
  tx: Tx,
  { merchantId, id }: PaymentReceipt,
  { refundId, disputed, outside }: TakenOfPayment & { readonly refundId: string },
  now: Instant,
): Promise<number> =>
  tx.run(sql`
    update payment_receipt
       set return_status = case when provider is null then 'manual' else 'requested' end,
           return_refund_id = ${refundId}, less_disputed = ${disputed}, less_outside = ${outside},
           next_action_at = case when provider is null then null else ${now}::timestamptz end
     where merchant_id = ${merchantId} and id = ${id} and return_status = any (${statusesFor('request')})`);

/** Less goes back, or nothing: then its return is stopped. */
export const updateLess = (
  tx: Tx,
  { merchantId, id }: PaymentReceipt,
  { disputed, outside }: TakenOfPayment,
): Promise<PaymentReceipt> =>
  tx.one<PaymentReceipt>(sql`
    update payment_receipt
       set less_disputed = ${disputed}, less_outside = ${outside},
           return_status = case when amount - overpaid > ${disputed}::numeric + ${outside}::numeric
             then return_status else 'stopped' end,
           next_action_at = case when amount - overpaid > ${disputed}::numeric + ${outside}::numeric
             then next_action_at end
     where merchant_id = ${merchantId} and id = ${id} and return_status = any (${statusesFor('stop')})
       and return_started_at is null
    returning *`);

/** Only while no intent stands: after it the money may have left. What goes back by hand has no intent. */
export const markStopped = (tx: Tx, refundId: string): Promise<PaymentReceipt[]> =>
  tx.rows<PaymentReceipt>(sql`
    update payment_receipt set return_status = 'stopped', next_action_at = null
     where merchant_id = ${tx.merchantId} and return_refund_id = ${refundId}
       and return_status = any (${statusesFor('stop')})
       and return_started_at is null
    returning *`);

/** Money of this refund that is being sent or has left. */
export const selectLeft = (tx: Tx, refundId: string): Promise<PaymentReceipt[]> =>
  tx.rows<PaymentReceipt>(sql`
    select * from payment_receipt
     where merchant_id = ${tx.merchantId} and return_refund_id = ${refundId} and return_started_at is not null`);

export const markStarted = (tx: Tx, { merchantId, id }: PaymentReceipt, now: Instant): Promise<number> =>
  tx.run(sql`
    update payment_receipt set return_started_at = ${now}
     where merchant_id = ${merchantId} and id = ${id} and return_status = 'requested' and return_started_at is null`);

export const markReturned = (
  tx: Tx,
  { merchantId, id }: PaymentReceipt,
  reference: string,
  now: Instant,
): Promise<number> =>
  tx.run(sql`
    update payment_receipt
       set return_status = 'returned', returned_at = ${now}, return_reference = ${reference}, next_action_at = null
     where merchant_id = ${merchantId} and id = ${id} and return_status = 'requested'
       and return_started_at is not null`);

/** Asks a provider outside, or what came of it: when that is looked up next. */
export const markAsked = (
  tx: Tx,
  { merchantId, id }: PaymentReceipt,
  { startedAt, lookUps, at }: { startedAt: Instant | null; lookUps: number; at: Instant },
): Promise<number> =>
  tx.run(sql`
    update payment_receipt
       set return_started_at = ${startedAt}, return_look_ups = ${lookUps}, next_action_at = ${at}
     where merchant_id = ${merchantId} and id = ${id} and return_status = 'requested'`);

/** A call that had no effect: the return is only asked for again. When it is tried next stays. */
export const markNotStarted = (tx: Tx, { merchantId, id }: PaymentReceipt): Promise<number> =>
  tx.run(sql`
    update payment_receipt set return_started_at = null
     where merchant_id = ${merchantId} and id = ${id} and return_status = 'requested'`);

/** The provider could not send it back: the money is here, and the merchant gives it back by hand. */
export const markFailed = (tx: Tx, { merchantId, id }: PaymentReceipt): Promise<number> =>
  tx.run(sql`
    update payment_receipt set return_status = 'manual', return_started_at = null, next_action_at = null
     where merchant_id = ${merchantId} and id = ${id} and return_status = any (${statusesFor('fail')})`);

/** A receipt, locked; undefined where there is none. */
export const lockAnyReceipt = (tx: Tx, id: string): Promise<PaymentReceipt | undefined> =>
  tx.maybe<PaymentReceipt>(
    sql`select * from payment_receipt where merchant_id = ${tx.merchantId} and id = ${id} for update`,
  );

/** A receipt that a provider took for an invoice; undefined where there is none. */
export const selectInvoiceReceipt = (tx: Tx, id: string): Promise<PaymentReceipt | undefined> =>
  tx.maybe<PaymentReceipt>(sql`
    select * from payment_receipt
     where merchant_id = ${tx.merchantId} and id = ${id} and invoice_id is not null and provider is not null`);

/** A receipt of an invoice. */
export const selectReceiptOf = (
  tx: Tx,
  { merchantId, invoiceId, id }: { merchantId: string; invoiceId: string; id: string },
): Promise<PaymentReceipt | undefined> =>
  tx.maybe<PaymentReceipt>(sql`
    select * from payment_receipt where merchant_id = ${merchantId} and invoice_id = ${invoiceId} and id = ${id}`);

/** A receipt of an invoice, locked. */
export const lockReceipt = (
  tx: Tx,
  { merchantId, invoiceId, id }: { merchantId: string; invoiceId: string; id: string },
): Promise<PaymentReceipt | undefined> =>
  tx.maybe<PaymentReceipt>(sql`
    select * from payment_receipt
     where merchant_id = ${merchantId} and invoice_id = ${invoiceId} and id = ${id} for update`);

/** The merchant has given it back. @param at when, as the merchant says */
export const markReturnedByHand = (
  tx: Tx,
  { merchantId, id }: PaymentReceipt,
  { at, reference }: { at: Instant; reference: string | null },
): Promise<PaymentReceipt> =>
  tx.one<PaymentReceipt>(sql`
    update payment_receipt
       set return_status = 'returned', return_started_at = ${at}, returned_at = ${at}, return_reference = ${reference}
     where merchant_id = ${merchantId} and id = ${id} and return_status = any (${statusesFor('sayReturned')})
    returning *`);
