import type { CodesOf, ErrorTable } from '../kernel/result.ts';

/**
 * The refusals of payments. A session that is over is a 409: its state is to blame, not the request (§7 names the code,
 * not the status).
 */
export const paymentErrors = {
  PAYMENT_SESSION_EXPIRED: { status: 409, message: 'This payment session has expired; open a new one.' },
  PAYMENT_IN_PROGRESS: { status: 409, message: 'A payment is already in progress; wait for its outcome.' },
  PROVIDER_SIGNATURE_INVALID: { status: 401, message: 'The signature of this webhook is wrong or too old.' },
  PAID_AT_PROVIDER: { status: 409, message: 'This session is paid on the page of its payment provider.' },
  PAYMENT_DISPUTED: {
    status: 409,
    message: 'A payment of this invoice is disputed. Refund the invoice when the dispute has ended.',
  },
  PAYMENT_METHOD_REQUIRED: { status: 409, message: 'This customer has no stored payment method that can be charged.' },
  NO_PAYMENT_METHOD: { status: 409, message: 'This customer has no stored card that can be charged.' },
  NO_PAYMENT_PROVIDER: {
    status: 409,
    message: 'This merchant has no payment provider that takes cards here. Set bankTransferOnly, or record payments.',
  },
} as const satisfies ErrorTable;

declare module '../kernel/result.ts' {
  interface ErrorCodes extends CodesOf<typeof paymentErrors> {}
}
