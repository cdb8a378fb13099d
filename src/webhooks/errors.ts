import type { CodesOf, ErrorTable } from '../kernel/result.ts';

/** The refusals of webhooks; if two apply, the first in the list answers. */
export const webhookErrors = {
  TOO_MANY_ENDPOINTS: { status: 409, message: 'A merchant has at most 20 webhook endpoints.' },
  ENDPOINT_DISABLED: { status: 409, message: 'The webhook endpoint is disabled. Enable it first.' },
  TOO_MANY_DELIVERIES: {
    status: 400,
    message: 'The selection has more than 10,000 deliveries. Choose a shorter time, or fewer kinds.',
  },
} as const satisfies ErrorTable;

declare module '../kernel/result.ts' {
  interface ErrorCodes extends CodesOf<typeof webhookErrors> {}
}
