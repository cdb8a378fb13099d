import type { Decimal } from '../kernel/decimal.ts';
import type { Instant } from '../kernel/time.ts';

export const ALERT_TYPES = ['balance', 'invoice_total', 'usage', 'billing_credits'] as const;
export type AlertType = (typeof ALERT_TYPES)[number];

/** Of these types a figure falls to its threshold, and a percentage is of what there was. */
export const isFalling = (type: AlertType): boolean => type === 'balance' || type === 'billing_credits';

/** The period of counted usage; all but `billing` in UTC. */
export const USAGE_PERIODS = ['billing', 'day', 'week', 'month'] as const;
export type UsagePeriod = (typeof USAGE_PERIODS)[number];

/** When the figure of an alert has reached it: exactly one of `threshold` and `percent` is set. */
export interface AlertRule {
  readonly type: AlertType;
  readonly threshold: Decimal | null;
  readonly percent: Decimal | null;
  /** The whole of the percentage; null for a balance, which has its own whole. */
  readonly whole: Decimal | null;
}

/** A period whose figure is watched. */
export interface WatchedPeriod {
  readonly start: Instant;
  /** null: it has no end. */
  readonly end: Instant | null;
}

/** An alert as it is stored. */
export interface Alert extends AlertRule {
  readonly merchantId: string;
  readonly id: string;
  readonly name: string | null;
  /** The customer of the figure. */
  readonly customerId: string;
  readonly entitlementId: string | null;
  readonly subscriptionId: string | null;
  readonly billableMetricId: string | null;
  readonly period: UsagePeriod | null;
  /** Of billing credits. */
  readonly currency: string | null;
  readonly blocksAccess: boolean;
  readonly notifiesCustomer: boolean;
  readonly metadata: Readonly<Record<string, unknown>>;
  readonly clockId: string | null;
  /** The period of the last evaluation; null: there was none. */
  readonly periodStart: Instant | null;
  readonly periodEnd: Instant | null;
  /** The open invoice that gave this period. */
  readonly invoiceId: string | null;
  /** Had the figure of this period reached the threshold at the last evaluation? */
  readonly isReached: boolean;
  /** Effective now of the last step. */
  readonly lookedAt: Instant;
  readonly nextActionAt: Instant | null;
  readonly createdAt: Instant;
  readonly updatedAt: Instant;
}

/** The record of a triggered alert: one for each period. */
export interface AlertTrigger {
  readonly merchantId: string;
  readonly alertId: string;
  readonly periodStart: Instant;
  readonly periodEnd: Instant | null;
  readonly threshold: Decimal | null;
  readonly percent: Decimal | null;
  readonly whole: Decimal | null;
  /** The figure that was seen. */
  readonly value: Decimal;
  readonly webhookEventId: string;
  readonly triggeredAt: Instant;
}
