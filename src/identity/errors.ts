import type { ErrorTable } from '../kernel/result.ts';

/** The codes of identity (api.md, Identity). */
export const identityErrors = {
  CONSUMER_EXISTS: { status: 409, message: 'The merchant has a consumer with this e-mail address already.' },
} as const satisfies ErrorTable;
