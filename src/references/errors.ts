import type { CodesOf, ErrorTable } from '../kernel/result.ts';

export const referenceErrors = {
  REFERENCE_TAKEN: { status: 409, message: 'This external id is already the primary reference of another entity.' }, // §2
} as const satisfies ErrorTable;

declare module '../kernel/result.ts' {
  interface ErrorCodes extends CodesOf<typeof referenceErrors> {}
}
