import type { InvoiceDocument } from './document.ts';

/**
 * Rows that one document has at the most: some 550 pages, typeset in a few seconds and in a gigabyte, which grow with the rows.
 * Nobody reads such a document, and one that takes longer would keep all others waiting.
 */
export const MOST_ROWS = 10_000;

/** Rows of the table of a document: its lines, and the tiers below them. */
export const rowsOf = ({ lines }: InvoiceDocument): number =>
  lines.reduce((rows, { tiers }) => rows + 1 + (tiers?.length ?? 0), 0);
