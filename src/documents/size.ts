import type { PrintedDocument } from './document.ts';

/**
 * Rows that one document has at the most: some 170 pages, typeset in two seconds of a core and in 0.6 GB, which grow
 * with the rows. Nobody reads more, and what takes longer would keep all other documents waiting.
 */
export const MOST_ROWS = 5_000;

/** Rows of the table of a document: its lines, and the tiers below them, or the entries of a statement. */
export function rowsOf(document: PrintedDocument): number {
  if (document.kind === 'receipt') return 0;
  if (document.kind === 'statement') return document.entries.length;
  const headings = 2 * (document.sections?.length ?? 0);
  return document.lines.reduce((rows, { tiers }) => rows + 1 + (tiers?.length ?? 0), headings);
}
