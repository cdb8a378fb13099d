import type { Instant } from '../../kernel/time.ts';

/** The options of an invoice's payment session. */
export interface SessionOptions {
  readonly redirectUrls?: { readonly onSuccess?: string; readonly onFailure?: string };
  readonly sessionExpiryMinutes?: number;
  /** Instead of minutes. */
  readonly expiresAt?: Instant;
  /** Keep the card for later charges. */
  readonly savePaymentMethod?: boolean;
}
