import type { CodesOf, ErrorTable } from '../kernel/result.ts';

export const referenceErrors = {
  // §2
  REFERENCE_TAKEN: { status: 409, message: 'This external id is already the primary reference of another entity.' },
} as const satisfies ErrorTable;

declare module '../kernel/result.ts' {
  interface ErrorCodes extends CodesOf<typeof referenceErrors> {}
}
