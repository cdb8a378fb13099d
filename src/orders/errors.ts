import type { CodesOf, ErrorTable } from '../kernel/result.ts';

/** What orders refuse because of the state they are in; where two apply, the first listed answers. */
export const orderErrors = {
  ORDER_IN_USE: { status: 409, message: 'Billing schedules use this order or this line item.' },
  ORDER_WITHOUT_LINES: { status: 409, message: 'An order without line items cannot be submitted.' },
  ORDER_TOTAL_DIFFERS: { status: 409, message: 'The totalAmount of the order is not the sum of its line items.' },
} as const satisfies ErrorTable;

declare module '../kernel/result.ts' {
  interface ErrorCodes extends CodesOf<typeof orderErrors> {}
}
