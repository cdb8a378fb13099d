import type { Decimal } from '../../kernel/decimal.ts';
import type { Instant } from '../../kernel/time.ts';

export interface CreditNoteRow {
  merchant_id: string;
  id: string;
  /** `credit`: over a part, of which there may be several. */
  kind: 'refund' | 'cancellation' | 'credit';
  invoice_id: string;
  number: string;
  amount: Decimal;
  tax_amount: Decimal;
  total: Decimal;
  currency: string;
  status: 'ISSUED' | 'VOIDED';
  reason: string | null;
  void_reason: string | null;
  created_at: Instant;
  voided_at: Instant | null;
  /** What a tax provider outside our database has recorded; null: nothing. */
  outside_tax: { reference: string; permalink: string | null; pdfUrl: string | null } | null;
}

/** A line of a credit note over a part of an invoice. */
export interface CreditNoteLine {
  /** The credit of unused time that it gives back; absent for what is no such. */
  credit_id?: string | null;
  display_name: string;
  /** Net of tax; not negative. */
  amount: Decimal;
  tax_amount: Decimal;
  /** Percent. */
  tax_rate: Decimal;
  period_start: Instant;
  period_end: Instant;
}
