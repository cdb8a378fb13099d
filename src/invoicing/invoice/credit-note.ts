import type { Decimal } from '../../kernel/decimal.ts';
import type { Instant } from '../../kernel/time.ts';

export interface CreditNoteRow {
  merchantId: string;
  id: string;
  /** `credit`, `partial`: over a part, of which there may be several; `partial` is of a person. */
  kind: 'refund' | 'cancellation' | 'credit' | 'partial' | 'reissue';
  invoiceId: string;
  number: string;
  amount: Decimal;
  taxAmount: Decimal;
  total: Decimal;
  currency: string;
  status: 'ISSUED' | 'VOIDED';
  reason: string | null;
  /** The refund of another invoice whose credits this gives back, and whose void makes it void; null: none. */
  refundId: string | null;
  voidReason: string | null;
  /** Of a `partial` one, if it was said: where its amount went. */
  settlement: Settlement | null;
  /** The part that is money for the wallet, and no revenue. */
  toppedUp: Decimal;
  /** And of purchases of billing credits. */
  advanced: Decimal;
  idempotencyKey: string | null;
  idempotencyPrint: Buffer | null;
  createdAt: Instant;
  voidedAt: Instant | null;
  /** The record of an external tax provider; null: none. */
  outsideTax: { reference: string; permalink: string | null; pdfUrl: string | null } | null;
}

/** A credit note, and whose it is. */
export interface ReadCreditNote extends CreditNoteRow {
  customerId: string;
}

/** `refund`: back as it came. `reduce`: off what is unpaid. */
type Settlement = 'refund' | 'wallet' | 'reduce';

/** Is it over a part of its invoice, with lines of its own? */
export const isOverPart = ({ kind }: Pick<CreditNoteRow, 'kind'>): boolean => kind === 'credit' || kind === 'partial';

/** A line of a credit note over a part of an invoice. */
export interface CreditNoteLine {
  /** The credit of unused time; absent for other credits. */
  creditId?: string | null;
  id?: string;
  /** The line of the invoice that it credits: by its id, or by its charge. */
  appliesTo?: string | CreditedCharge | null;
  priceId: string | null;
  displayName: string;
  /** `amount`, or with inclusive prices the amount with tax, is this many times `unitPrice`. */
  quantity: Decimal;
  unitPrice: Decimal;
  /** It is an amount, and no quantity of anything. */
  isAmount: boolean;
  /** Net of tax; below 0 where a deduction of the invoice is credited as well. */
  amount: Decimal;
  taxAmount: Decimal;
  /** Percent. */
  taxRate: Decimal;
  periodStart: Instant;
  periodEnd: Instant;
}

/** A line of a credit note as it is stored. */
export interface CreditNoteLineRow extends Omit<CreditNoteLine, 'appliesTo'> {
  id: string;
  appliesToLineId: string | null;
}

/** The charge that lines of an invoice bill. */
export interface CreditedCharge {
  /** Null: it is of an order. */
  readonly subscriptionId: string | null;
  readonly priceId: string | null;
  readonly sourceKey: string | null;
  readonly from: Instant;
  readonly to: Instant;
}
