import type { CodesOf, ErrorTable } from '../kernel/result.ts';

/** The codes of identity (api.md, Identity). */
export const identityErrors = {
  CONSUMER_EXISTS: { status: 409, message: 'The merchant already has a consumer with this e-mail address.' },
  TAX_NOT_ENABLED: { status: 400, message: 'This tax provider is connected, but it cannot calculate tax yet.' },
  PROVIDER_NOT_CONNECTED: { status: 400, message: 'This provider is not connected.' },
} as const satisfies ErrorTable;

declare module '../kernel/result.ts' {
  interface ErrorCodes extends CodesOf<typeof identityErrors> {}
}
