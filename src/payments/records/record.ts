import type { PageRequest, Tx } from '../../db/index.ts';
import { type BodyKey, findCreated, keyColumns } from '../../http/index.ts';
import type { Decimal } from '../../kernel/decimal.ts';
import { newId } from '../../kernel/ids.ts';
import { ok, type Result } from '../../kernel/result.ts';
import type { Instant } from '../../kernel/time.ts';
import {
  insertReceipt,
  lockReceipt,
  markReversed,
  type PaymentReceipt,
  type RecordedMethod,
  selectReceiptByKey,
  selectReceiptByReverseKey,
  selectReceiptOf,
  selectReceiptsPage,
} from './receipts.sql.ts';

/** Money that came outside of any provider, recorded by hand. */
export interface RecordedPayment {
  readonly merchantId: string;
  readonly id: string;
  readonly invoiceId: string;
  readonly method: RecordedMethod;
  /** All that came, in major units. */
  readonly amount: Decimal;
  /** The excess over the invoice. */
  readonly overpaid: Decimal;
  readonly currency: string;
  readonly reference: string | null;
  readonly receivedAt: Instant;
  /** The test clock of the invoice. */
  readonly clockId: string | null;
  /** Null: money of a receipt, which has its own. */
  readonly idempotency: BodyKey | null;
  /** The receipt (`rcp_`) whose money it is; absent: the money came for the invoice. */
  readonly receiptId?: string;
}

/**
 * The earlier record of a key; null for a new key. A twin with the same key waits until the first has committed.
 * @returns IDEMPOTENCY_KEY_REUSED if it recorded something else.
 */
export const findRecorded = (tx: Tx, sent: BodyKey): Promise<Result<PaymentReceipt | null>> =>
  findCreated(tx, sent, { kind: 'payment', find: selectReceiptByKey });

/** The id under which money is going to be recorded. */
export const newReceiptId = (): string => newId('payment');

/**
 * Writes down money that came outside of any provider. Its caller has looked for the key before, and holds the invoice.
 */
export const recordReceipt = (tx: Tx, payment: RecordedPayment, now: Instant): Promise<PaymentReceipt> =>
  insertReceipt(tx, {
    merchantId: payment.merchantId,
    id: payment.id,
    invoiceId: payment.invoiceId,
    sessionId: null,
    chargeId: null,
    paymentMethodId: null,
    amount: payment.amount,
    overpaid: payment.overpaid,
    currency: payment.currency,
    method: payment.method,
    provider: null,
    providerReference: null,
    cardBrand: null,
    cardLast4: null,
    reference: payment.reference,
    ...keyColumns(payment.idempotency),
    ...(payment.receiptId !== undefined && { receiptId: payment.receiptId }),
    receivedAt: payment.receivedAt,
    createdAt: now,
    clockId: payment.clockId,
  });

/** The payments of an invoice, newest first. */
export const listReceiptsOf = (
  tx: Tx,
  invoiceId: string,
  updatedFrom: Instant | null,
  page: PageRequest,
): Promise<{ rows: PaymentReceipt[]; total: number }> => selectReceiptsPage(tx, invoiceId, updatedFrom, page);

/** A payment of an invoice; undefined where the invoice has none of this id. */
export const findReceipt = (
  tx: Tx,
  payment: { merchantId: string; invoiceId: string; id: string },
): Promise<PaymentReceipt | undefined> => selectReceiptOf(tx, payment);

/** The same, locked. */
export const lockPayment = (
  tx: Tx,
  payment: { merchantId: string; invoiceId: string; id: string },
): Promise<PaymentReceipt | undefined> => lockReceipt(tx, payment);

/**
 * The payment that was reversed under a key; null for a new key. A twin with the same key waits for the first.
 * @returns IDEMPOTENCY_KEY_REUSED if it reversed something else.
 */
export async function findReversed(tx: Tx, sent: BodyKey): Promise<Result<PaymentReceipt | null>> {
  const find = async (within: Tx, key: string) => {
    const receipt = await selectReceiptByReverseKey(within, key);
    return receipt && { receipt, idempotencyPrint: receipt.reversePrint };
  };
  const known = await findCreated(tx, sent, { kind: 'payment reversal', find });
  return known.ok ? ok(known.value?.receipt ?? null) : known;
}

/** Writes down that recorded money came back, or never came. The caller holds its invoice. */
export const reverseReceipt = (
  tx: Tx,
  receipt: PaymentReceipt,
  { at, reason, idempotency }: { readonly at: Instant; readonly reason: string; readonly idempotency: BodyKey },
): Promise<PaymentReceipt> =>
  markReversed(tx, receipt, { at, reason, key: idempotency.key, print: idempotency.fingerprint });
