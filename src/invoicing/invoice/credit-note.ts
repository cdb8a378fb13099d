import type { Decimal } from '../../kernel/decimal.ts';
import type { Instant } from '../../kernel/time.ts';

export interface CreditNoteRow {
  merchantId: string;
  id: string;
  /** `credit`: over a part, of which there may be several. */
  kind: 'refund' | 'cancellation' | 'credit';
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
  createdAt: Instant;
  voidedAt: Instant | null;
  /** The record of an external tax provider; null: none. */
  outsideTax: { reference: string; permalink: string | null; pdfUrl: string | null } | null;
}

/** A line of a credit note over a part of an invoice. */
export interface CreditNoteLine {
  /** The credit of unused time; absent for other credits. */
  creditId?: string | null;
  displayName: string;
  /** Net of tax; below 0 where a deduction of the invoice is credited as well. */
  amount: Decimal;
  taxAmount: Decimal;
  /** Percent. */
  taxRate: Decimal;
  periodStart: Instant;
  periodEnd: Instant;
}
