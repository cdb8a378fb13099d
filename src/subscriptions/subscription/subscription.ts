import type { CreditMode, Pause, PriceOverride } from '../../invoicing/index.ts';
import type { Decimal } from '../../kernel/decimal.ts';
import type { Instant } from '../../kernel/time.ts';
import type { RedeemedCoupon } from './coupon.ts';
import type { Quantities } from './quantities.ts';

export type SubscriptionStatus = 'pending_payment' | 'active' | 'terminated';

export interface SubscriptionRow {
  merchantId: string;
  id: string;
  seq: bigint;
  customerId: string;
  /** The order that it was made for; null: none. */
  orderId: string | null;
  planId: string;
  planVersionId: string;
  planVersionNumber: number;
  /** Null: the plan's; only of subscriptions that older programs made. */
  currency: string | null;
  quantities: Quantities;
  /** Its coupons with what billing needs of them, the oldest first. */
  redemptions: readonly RedeemedCoupon[];
  /** The agreed prices as they stand; those of earlier times are in its versions. */
  priceOverrides: readonly PriceOverride[];
  /** In the order of time; none is within another one. */
  pauses: readonly Pause[];
  name: string;
  status: SubscriptionStatus;
  autoCharge: boolean;
  /** Its metered features give access only while there are billing credits. */
  creditsRequired: boolean;
  autoApprove: boolean | null;
  taxExempt: boolean;
  bankTransferOnly: boolean;
  paymentTermDays: number;
  renewalReminderEnabled: boolean | null;
  renewalReminderDays: number | null;
  startedAt: Instant;
  billingStartsAt: Instant;
  billingAnchor: Instant;
  billingOpened: boolean;
  /** When the trial ends or ended; null: there is none. Billing starts then, or later after a pause. */
  trialEnd: Instant | null;
  /** The ends that the merchant was told of, RFC 3339. */
  trialEndsTold: readonly string[];
  /** Its spending counts, or counted, for a commitment. */
  isCommitted: boolean;
  endingAt: Instant | null;
  terminatedAt: Instant | null;
  terminatedBy: string | null;
  terminationReason: string | null;
  /** The target of credits for unused time at its end. */
  endCredit: CreditMode;
  clockId: string | null;
  /** Put into the customer's wallet with the first payment; 0: nothing. */
  prefundAmount: Decimal;
  /** How long the upfront session is open; null: as usual. */
  sessionExpiryMinutes: number | null;
  /** Null: not (yet) paid for. */
  activatedAt: Instant | null;
  /** The number of the last period of the plan's series whose renewal was told of. */
  remindedPeriod: number | null;
  redirectUrls: Record<string, string> | null;
  metadata: Record<string, unknown>;
  idempotencyKey: string | null;
  idempotencyPrint: Buffer | null;
  nextActionAt: Instant | null;
  createdAt: Instant;
  updatedAt: Instant;
}

export type NewSubscription = Omit<
  SubscriptionRow,
  | 'seq'
  | 'createdAt'
  | 'updatedAt'
  | 'terminatedAt'
  | 'terminatedBy'
  | 'terminationReason'
  | 'endCredit'
  | 'remindedPeriod'
  | 'pauses'
  | 'redemptions'
  | 'trialEndsTold'
  | 'isCommitted'
>;
