import type { CodesOf, ErrorTable } from '../kernel/result.ts';

/** What entitlements refuse because of the state they are in; where two apply, the first listed answers. */
export const entitlementErrors = {
  ENTITLEMENT_NOT_METERED: { status: 400, message: 'Only a metered entitlement has grants, resets and reservations.' },
  RESERVATION_UNAVAILABLE: {
    status: 400,
    message: 'Only an entitlement of one SUM or COUNT metric, one that has an event type, can be reserved from.',
  },
  ENTITLEMENT_ENDED: { status: 409, message: 'The entitlement has ended.' },
  ENTITLEMENT_EXISTS: {
    status: 409,
    message: 'The customer has an active entitlement to this feature that was made by hand.',
  },
  INSUFFICIENT_BALANCE: { status: 409, message: 'Less is available than was asked for.' },
} as const satisfies ErrorTable;

declare module '../kernel/result.ts' {
  interface ErrorCodes extends CodesOf<typeof entitlementErrors> {}
}
