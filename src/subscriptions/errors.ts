import type { ErrorTable } from '../kernel/result.ts';

/** What can go wrong with a subscription; where two apply, the first listed answers (style §9). */
export const subscriptionErrors = {
  ADJUSTMENT_IN_USE: {
    status: 409,
    message: 'An invoice has issued under this adjustment; it is permanent.', // §4, Adjustment rules
  },
} as const satisfies ErrorTable;
