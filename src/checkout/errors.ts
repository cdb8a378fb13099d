import type { CodesOf, ErrorTable } from '../kernel/result.ts';

/** The codes of checkouts (docs/checkout.md). */
export const checkoutErrors = {
  CHECKOUT_NOT_POSSIBLE: {
    status: 400,
    message: 'Checkout links are not possible: invoices need approvals, or an external provider calculates their tax.',
  },
  CHECKOUT_LINK_USED: { status: 409, message: 'This link has reached its maxUses.' },
  CHECKOUT_REPEATED: { status: 409, message: 'The same details have subscribed by this link less than a day ago.' },
  CHECKOUT_CHANGED: {
    status: 409,
    message: 'The amount due has changed since the page was opened. Nothing was charged; open the link again.',
  },
} as const satisfies ErrorTable;

declare module '../kernel/result.ts' {
  interface ErrorCodes extends CodesOf<typeof checkoutErrors> {}
}
