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
}

/** Which lines that wait for an invoice are taken beside those that name it: those whose time has come at an instant, or all. */
export type Waiting = { readonly until: Instant } | 'none' | 'all';
