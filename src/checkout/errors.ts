import type { CodesOf, ErrorTable } from '../kernel/result.ts';

/** The codes of checkouts (docs/checkout.md). */
export const checkoutErrors = {
  CHECKOUT_NOT_POSSIBLE: {
    status: 400,
    message: 'Nobody can subscribe by a link: invoices need approvals, or their tax is calculated outside.',
  },
  CHECKOUT_LINK_USED: { status: 409, message: 'As many people have subscribed by this link as its maxUses allows.' },
  CHECKOUT_CHANGED: {
    status: 409,
    message: 'What is due has changed since the page showed it. Nothing was charged; open the link again.',
  },
} as const satisfies ErrorTable;

declare module '../kernel/result.ts' {
  interface ErrorCodes extends CodesOf<typeof checkoutErrors> {}
}
