import type { Decimal } from '../../kernel/decimal.ts';
import type { Instant } from '../../kernel/time.ts';
import type { SessionStatus } from './session-states.ts';

/** An item of a payment link. */
export interface LinkItem {
  readonly description: string;
  /** Of one unit, as decimal text in major units. */
  readonly amount: string;
  /** A whole number, as text. */
  readonly quantity: string;
}

/** An amount that is asked for without an invoice; what became of it stands with its session. */
export interface PaymentLink {
  merchantId: string;
  id: string;
  customerId: string | null;
  sessionId: string;
  amount: Decimal;
  currency: string;
  reference: string | null;
  metadata: Record<string, unknown>;
  lineItems: LinkItem[];
  idempotencyKey: string | null;
  idempotencyPrint: Buffer | null;
  createdAt: Instant;
}

/** A link with the state of its session. */
export interface PaymentLinkNow extends PaymentLink {
  sessionStatus: SessionStatus;
  expiresAt: Instant;
}
