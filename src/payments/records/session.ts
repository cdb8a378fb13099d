import type { Decimal } from '../../kernel/decimal.ts';
import type { Instant } from '../../kernel/time.ts';
import type { DeclineReason, ProviderName } from '../provider/provider.ts';
import type { TestCard } from '../provider/test-cards.ts';
import type { SessionStatus } from './session-states.ts';

/** The subjects of a session; in mode `setup` a `customer`, or a `subscription` that waits for a card. */
export const ENTITY_TYPES = ['invoice', 'subscription', 'payment', 'topup', 'customer'] as const;

export type EntityType = (typeof ENTITY_TYPES)[number];

/** A payment session as it is stored. */
export interface PaymentSession {
  merchantId: string;
  id: string;
  mode: 'payment' | 'setup';
  entityType: EntityType;
  entityId: string;
  /** The entity's name for a person, e.g. an invoice number. */
  entityLabel: string | null;
  /** The invoice of the money; null in mode `setup`. */
  invoiceId: string | null;
  customerId: string | null;
  subscriptionId: string | null;
  amount: Decimal;
  currency: string;
  status: SessionStatus;
  failureReason: DeclineReason | null;
  attempts: number;
  savePaymentMethod: boolean;
  /** Of a setup: the card is the one that is charged first from then on. */
  becomesDefault: boolean;
  paymentMethodId: string | null;
  provider: ProviderName;
  providerReference: string | null;
  /** The test card whose outcome is open. */
  pendingCard: TestCard | null;
  successRedirectUrl: string | null;
  failureRedirectUrl: string | null;
  metadata: Record<string, unknown>;
  clockId: string | null;
  expiresAt: Instant;
  nextActionAt: Instant | null;
  completedAt: Instant | null;
  createdAt: Instant;
  updatedAt: Instant;
}
