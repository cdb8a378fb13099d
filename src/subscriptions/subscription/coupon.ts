import type { AppliesTo, BilledRedemption } from '../../invoicing/index.ts';
import { type Decimal, decimal } from '../../kernel/decimal.ts';
import { type Instant, isAfter } from '../../kernel/time.ts';

export const DURATIONS = ['once', 'periods', 'forever'] as const;

export interface Coupon {
  readonly merchantId: string;
  readonly id: string;
  readonly name: string;
  /** Null: only the merchant applies it. */
  readonly code: string | null;
  /** A fraction; null: an amount. */
  readonly percentOff: Decimal | null;
  /** For each period of the plan. */
  readonly amountOff: Decimal | null;
  readonly currency: string | null;
  readonly duration: (typeof DURATIONS)[number];
  readonly durationInPeriods: number | null;
  readonly carriesOver: boolean;
  readonly appliesTo: AppliesTo;
  readonly minimumAmount: Decimal | null;
  readonly maxRedemptions: number | null;
  readonly maxRedemptionsPerCustomer: number;
  readonly newCustomersOnly: boolean;
  readonly redeemBy: Instant | null;
  readonly metadata: Record<string, unknown>;
  readonly archived: boolean;
  readonly redemptionCount: number;
  readonly createdAt: Instant;
  readonly updatedAt: Instant;
}

export const COUPON_STATUSES = ['active', 'exhausted', 'expired', 'archived'] as const;

/** Can it be redeemed? Exactly at `redeemBy` it no longer can. */
export function statusOf(
  { archived, redeemBy, maxRedemptions, redemptionCount }: Coupon,
  now: Instant,
): (typeof COUPON_STATUSES)[number] {
  if (archived) return 'archived';
  if (redeemBy !== null && !isAfter(redeemBy, now)) return 'expired';
  return maxRedemptions !== null && redemptionCount >= maxRedemptions ? 'exhausted' : 'active';
}

/** The number of periods of a plan in its window; null: no end. */
export const periodsOf = ({ duration, durationInPeriods }: Coupon): number | null =>
  duration === 'once' ? 1 : durationInPeriods;

/** A coupon as a subscription has redeemed it; counts for the limits of the coupon. */
export interface Redemption {
  readonly merchantId: string;
  readonly id: string;
  readonly couponId: string;
  readonly customerId: string;
  readonly subscriptionId: string;
  readonly idempotencyKey: string | null;
  readonly idempotencyPrint: Buffer | null;
  readonly givenBackAt: Instant | null;
  readonly createdAt: Instant;
}

/** What billing needs of a redemption, as a subscription stores it. */
export interface RedeemedCoupon {
  readonly id: string;
  readonly couponId: string;
  readonly name: string;
  readonly percentOff: string | null;
  readonly amountOff: string | null;
  readonly carriesOver: boolean;
  readonly minimumAmount: string | null;
  readonly appliesTo: AppliesTo;
  /** RFC 3339. */
  readonly from: string;
  readonly until: string | null;
  readonly createdAt: string;
}

/** A redemption as billing needs it. */
export const redemptionOf = (stored: RedeemedCoupon): BilledRedemption => ({
  ...stored,
  percentOff: stored.percentOff === null ? null : decimal(stored.percentOff),
  amountOff: stored.amountOff === null ? null : decimal(stored.amountOff),
  minimumAmount: stored.minimumAmount === null ? null : decimal(stored.minimumAmount),
  from: Temporal.Instant.from(stored.from),
  until: stored.until === null ? null : Temporal.Instant.from(stored.until),
  createdAt: Temporal.Instant.from(stored.createdAt),
});
