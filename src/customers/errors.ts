import type { CodesOf, ErrorTable } from '../kernel/result.ts';

/** The codes of customers (api.md, Customers and wallet). */
export const customerErrors = {
  EXTERNAL_ID_TAKEN: {
    status: 409,
    message: 'Another customer of this merchant has this externalId.',
  },
  CUSTOMER_EXISTS: {
    status: 409,
    message: 'This customer exists with a different name, address or externalId; see details.differing.',
  },
  CUSTOMER_IN_USE: { status: 409, message: 'The customer cannot be deleted; see details.blockers.' },
} as const satisfies ErrorTable;

declare module '../kernel/result.ts' {
  interface ErrorCodes extends CodesOf<typeof customerErrors> {}
}
