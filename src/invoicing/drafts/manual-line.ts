import type { Decimal } from '../../kernel/decimal.ts';
import type { Instant } from '../../kernel/time.ts';

export interface ManualLineRow {
  merchantId: string;
  id: string;
  seq: bigint;
  subscriptionId: string;
  invoiceId: string | null;
  itemId: string | null;
  displayName: string;
  description: string | null;
  currency: string;
  quantity: Decimal;
  unitPrice: Decimal;
  periodStart: Instant;
  periodEnd: Instant;
  invoiceAt: Instant;
  calculatedAt: Instant | null;
  idempotencyKey: string | null;
  idempotencyPrint: Buffer | null;
  createdAt: Instant;
  updatedAt: Instant;
  /** Percent; null: the rate of the invoice that takes it. */
  taxRate: Decimal | null;
  /** The line that it is left of, where it is carried over. */
  carriedFromId: string | null;
  /** The invoice of that line was too small for it, or was cancelled. */
  carriedBecause: 'remainder' | 'cancellation' | null;
  /** The time of its move into the wallet, because no invoice followed. */
  intoWalletAt: Instant | null;
}

type Carried = Pick<ManualLineRow, 'taxRate' | 'carriedFromId' | 'carriedBecause'>;

/** A line to insert; a line by hand is not carried over. */
export type NewManualLine = Omit<ManualLineRow, 'seq' | 'intoWalletAt' | keyof Carried> & Partial<Carried>;

/** The waiting lines to take beside those that name the invoice: those due at an instant, or all. */
export type Waiting = { readonly until: Instant } | 'none' | 'all';
