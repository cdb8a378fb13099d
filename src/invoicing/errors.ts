import type { CodesOf, ErrorTable } from '../kernel/result.ts';

/** The refusals of invoicing; if two apply, the first in the list answers. */
export const invoicingErrors = {
  INVOICE_NOT_PAID: { status: 400, message: 'Only a paid invoice can be refunded.' }, // §3
  INVOICE_ALREADY_REFUNDED: { status: 400, message: 'This invoice has already been refunded.' }, // §3
  WALLET_SPENT: { status: 400, message: 'The top-up has been spent from the wallet and cannot be refunded.' },
  PAYMENT_RETURNED: {
    status: 409,
    message: 'The money of this payment goes back, or has: a payment that was returned cannot be reversed.',
  },
  SETTLEMENT_TOO_MUCH: {
    status: 409,
    message: 'The settlement takes less than this credit note is over; see details.most.',
  },
  REBILL_NOT_POSSIBLE: {
    status: 409,
    message: 'Only an invoice of a subscription with a later open invoice can be billed again.',
  },
  TAX_FAILED: {
    status: 503,
    message: 'The tax provider did not calculate the tax; see details.reason. Nothing was changed.',
  },
  DOCUMENT_NOT_AVAILABLE: { status: 404, message: 'The document does not exist; see details.reason.' },
} as const satisfies ErrorTable;

declare module '../kernel/result.ts' {
  interface ErrorCodes extends CodesOf<typeof invoicingErrors> {}
}
