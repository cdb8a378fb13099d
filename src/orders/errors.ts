import type { CodesOf, ErrorTable } from '../kernel/result.ts';

/** The refusals of orders because of a state; if two apply, the first in the list answers. */
export const orderErrors = {
  ORDER_IN_USE: {
    status: 409,
    message: 'Billing schedules, subscriptions or commitments use this order, or schedules this line item.',
  },
  ORDER_WITHOUT_LINES: { status: 409, message: 'An order without line items cannot be submitted.' },
  ORDER_TOTAL_DIFFERS: {
    status: 409,
    message: 'The totalAmount of the order is not the sum of its line items, or of its billing schedules.',
  },
} as const satisfies ErrorTable;

declare module '../kernel/result.ts' {
  interface ErrorCodes extends CodesOf<typeof orderErrors> {}
}
