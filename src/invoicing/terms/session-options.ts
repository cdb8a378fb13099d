import type { Instant } from '../../kernel/time.ts';

/** How the payment session of an invoice is opened, where somebody says. */
export interface SessionOptions {
  readonly redirectUrls?: { readonly onSuccess?: string; readonly onFailure?: string };
  readonly sessionExpiryMinutes?: number;
  /** Instead of minutes. */
  readonly expiresAt?: Instant;
  /** Keep the card for later charges. */
  readonly savePaymentMethod?: boolean;
}
