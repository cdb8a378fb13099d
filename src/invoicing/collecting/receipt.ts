import { type Decimal, sum } from '../../kernel/decimal.ts';
import type { Instant } from '../../kernel/time.ts';
import type { RECORDED_METHODS } from '../../payments/index.ts';

/** Money of a customer that names no invoice. */
export interface ReceiptRow {
  readonly merchantId: string;
  readonly id: string;
  readonly customerId: string;
  readonly amount: Decimal;
  readonly currency: string;
  readonly method: (typeof RECORDED_METHODS)[number];
  readonly reference: string | null;
  readonly receivedAt: Instant;
  readonly returnedAmount: Decimal;
  readonly returnedAt: Instant | null;
  readonly returnReference: string | null;
  readonly clockId: string | null;
  readonly idempotencyKey: string;
  readonly idempotencyPrint: Buffer;
  readonly createdAt: Instant;
}

/** A part of a receipt that pays an invoice by a payment of it, or (both null) is in the wallet. */
export interface ReceiptApplication {
  readonly merchantId: string;
  readonly id: string;
  readonly receiptId: string;
  readonly paymentId: string | null;
  readonly invoiceId: string | null;
  readonly amount: Decimal;
  readonly appliedAt: Instant;
}

/** A receipt with the applications that count. */
export interface Receipt {
  readonly receipt: ReceiptRow;
  readonly applications: readonly ReceiptApplication[];
}

export type ReceiptStatus = 'unapplied' | 'applied' | 'returned';

/** What waits of a receipt. */
export const leftOfReceipt = ({ receipt, applications }: Receipt): Decimal =>
  receipt.amount.minus(receipt.returnedAmount).minus(sum(applications.map(({ amount }) => amount)));

/** While something waits it is unapplied; then it is returned if a part of it was. */
export function statusOfReceipt(of: Receipt): ReceiptStatus {
  if (leftOfReceipt(of).gt(0)) return 'unapplied';
  return of.receipt.returnedAt === null ? 'applied' : 'returned';
}
