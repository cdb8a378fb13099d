import type { CodesOf, ErrorTable } from '../kernel/result.ts';

/** What can go wrong with an invoice; where two apply, the first listed answers. */
export const invoicingErrors = {
  INVOICE_NOT_PAID: { status: 400, message: 'Only a paid invoice can be refunded.' }, // §3
  INVOICE_ALREADY_REFUNDED: { status: 400, message: 'This invoice has been refunded already.' }, // §3
  WALLET_SPENT: { status: 400, message: 'What was put into the wallet has been spent and cannot be refunded.' },
  TAX_FAILED: {
    status: 503,
    message: 'The tax provider did not calculate the tax; details.reason says why. Nothing was done.',
  },
  DOCUMENT_NOT_AVAILABLE: { status: 404, message: 'There is no such document; details.reason says why.' },
} as const satisfies ErrorTable;

declare module '../kernel/result.ts' {
  interface ErrorCodes extends CodesOf<typeof invoicingErrors> {}
}
