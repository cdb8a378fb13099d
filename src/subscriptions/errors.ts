import type { CodesOf, ErrorTable } from '../kernel/result.ts';

/** The refusals of subscriptions; if two apply, the first in the list answers. */
export const subscriptionErrors = {
  ADJUSTMENT_IN_USE: {
    status: 409,
    message: 'An issued invoice uses this adjustment, so it is permanent.', // §4, Adjustment rules
  },
  COUPON_EXPIRED: { status: 409, message: 'The coupon can no longer be redeemed: its redeemBy is over.' },
  COUPON_ALREADY_REDEEMED: { status: 409, message: 'The customer has redeemed the coupon as often as it allows.' },
  COUPON_EXHAUSTED: { status: 409, message: 'The coupon has been redeemed as often as its maxRedemptions allows.' },
  COUPON_NOT_APPLICABLE: { status: 409, message: 'The coupon is not for this subscription.' },
  CHANGE_SCHEDULED: {
    status: 409,
    message: 'Another change of this subscription is scheduled. Cancel it first.', // domain.md §3, Plan change
  },
  OTHER_PLAN_VERSION: {
    status: 409,
    message: 'The subscription has a different version of its plan now, so the migration did not change it.',
  },
  PLAN_MIGRATION_RUNNING: {
    status: 409,
    message: 'Another migration of this version is running. Wait for its end, or cancel it.',
  },
} as const satisfies ErrorTable;

declare module '../kernel/result.ts' {
  interface ErrorCodes extends CodesOf<typeof subscriptionErrors> {}
}
