import type { CodesOf, ErrorTable } from '../kernel/result.ts';

/** The refusals of sources; if two apply, the first in the list answers. */
export const sourceErrors = {
  WEBHOOK_SIGNATURE_INVALID: {
    status: 401,
    message: 'The signature of the webhook is missing, is older than five minutes, or does not match the body.',
  },
  SECRET_UNREADABLE: {
    status: 503,
    message: 'The stored secret was encrypted with another key. Set the secret again.',
  },
  SOURCE_DISABLED: { status: 409, message: 'The source is disabled and accepts no events.' },
} as const satisfies ErrorTable;

declare module '../kernel/result.ts' {
  interface ErrorCodes extends CodesOf<typeof sourceErrors> {}
}
