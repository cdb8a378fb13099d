import type { PrintedDocument } from './document.ts';
import type { DocumentView } from './document-view.ts';
import { invoiceView } from './invoice-view.ts';
import { receiptView } from './receipt-view.ts';

/** Lays out the words and figures of a document. @throws for no ISO 4217 currency, or for text that is no decimal. */
export const viewOf = (document: PrintedDocument): DocumentView =>
  document.kind === 'receipt' ? receiptView(document) : invoiceView(document);
