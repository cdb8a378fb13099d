import type { Decimal } from '../../kernel/decimal.ts';
import type { Instant } from '../../kernel/time.ts';

/** Tops up the billing credits of a customer by its stored card (commercial.md §3). */
export interface CreditTopUp {
  readonly merchantId: string;
  readonly customerId: string;
  readonly currency: string;
  readonly threshold: Decimal;
  readonly amount: Decimal;
  /** How long a credit lasts that it makes; ISO 8601. Null: it does not expire. */
  readonly expiresAfter: string | null;
  /** Credits in a calendar month (UTC) at most; null: any number. */
  readonly maximumPerMonth: number | null;
  readonly status: 'active' | 'paused';
  /** In a row. */
  readonly declines: number;
  readonly clockId: string | null;
  /** Of the top-up that is being paid. */
  readonly invoiceId: string | null;
  readonly createdAt: Instant;
  readonly updatedAt: Instant;
}
