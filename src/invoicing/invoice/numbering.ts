const LEAST_DIGITS = 6;

/** `<invoicePrefix or INV>-` and a counter of at least six digits (domain.md §4). */
export const invoiceNumber = (prefix: string | null, counter: bigint): string =>
  `${prefix ?? 'INV'}-${counter.toString().padStart(LEAST_DIGITS, '0')}`;

/** Credit notes have a counter of their own. */
export const creditNoteNumber = (counter: bigint): string => `CN-${counter.toString().padStart(LEAST_DIGITS, '0')}`;
