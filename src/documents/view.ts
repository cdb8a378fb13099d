import type { PrintedDocument } from './document.ts';
import type { DocumentView } from './document-view.ts';
import { invoiceView } from './invoice-view.ts';
import { receiptView } from './receipt-view.ts';
import { statementView } from './statement-view.ts';

/** Lays out the words and figures of a document. @throws for no ISO 4217 currency, or for text that is no decimal. */
export function viewOf(document: PrintedDocument): DocumentView {
  if (document.kind === 'receipt') return receiptView(document);
  return document.kind === 'statement' ? statementView(document) : invoiceView(document);
}
