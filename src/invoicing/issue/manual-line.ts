import type { Decimal } from '../../kernel/decimal.ts';
import type { Instant } from '../../kernel/time.ts';

export interface ManualLineRow {
  merchant_id: string;
  id: string;
  seq: bigint;
  subscription_id: string;
  invoice_id: string | null;
  item_id: string | null;
  display_name: string;
  description: string | null;
  currency: string;
  quantity: Decimal;
  unit_price: Decimal;
  period_start: Instant;
  period_end: Instant;
  invoice_at: Instant;
  calculated_at: Instant | null;
  idempotency_key: string | null;
  idempotency_print: Buffer | null;
  created_at: Instant;
  updated_at: Instant;
  /** Percent; null: the rate of the invoice that takes it. */
  tax_rate: Decimal | null;
  /** The line that it is left of, where it is carried over. */
  carried_from_id: string | null;
  /** The invoice of that line was too small for it, or was cancelled. */
  carried_because: 'remainder' | 'cancellation' | null;
  /** When it went into the wallet, because no invoice could bear it any more. */
  into_wallet_at: Instant | null;
}

type Carried = Pick<ManualLineRow, 'tax_rate' | 'carried_from_id' | 'carried_because'>;

/** A line to insert; one that somebody writes is not carried over. */
export type NewManualLine = Omit<ManualLineRow, 'seq' | 'into_wallet_at' | keyof Carried> & Partial<Carried>;

/** Which lines that wait for an invoice are taken beside those that name it: those whose time has come at an instant, or all. */
export type Waiting = { readonly until: Instant } | 'none' | 'all';
