import type { CodesOf, ErrorTable } from '../kernel/result.ts';

/** The refusals of entitlements because of a state; if two apply, the first in the list answers. */
export const entitlementErrors = {
  ENTITLEMENT_NOT_METERED: { status: 400, message: 'Only a metered entitlement has grants, resets and reservations.' },
  RESERVATION_UNAVAILABLE: {
    status: 400,
    message: 'Reservations need an entitlement of one SUM or COUNT metric that has an event type.',
  },
  ENTITLEMENT_ENDED: { status: 409, message: 'The entitlement has ended.' },
  ENTITLEMENT_EXISTS: {
    status: 409,
    message: 'The customer already has an active entitlement to this feature that was created by hand.',
  },
  INSUFFICIENT_BALANCE: { status: 409, message: 'The available balance is less than the requested amount.' },
} as const satisfies ErrorTable;

declare module '../kernel/result.ts' {
  interface ErrorCodes extends CodesOf<typeof entitlementErrors> {}
}
