export type {
  DecimalText,
  DocumentLine,
  DocumentTier,
  InvoiceDocument,
  Party,
  PrintedDocument,
  ReceiptDocument,
  StatementDocument,
  StatementEntry,
  StatementWhat,
} from './document.ts';
export { type EInvoice, eInvoiceOf } from './e-invoice/e-invoice.ts';
export { notesOf } from './line-notes.ts';
export {
  createDocumentRenderer,
  DocumentRenderError,
  type DocumentRenderer,
  type RendererEvent,
  type RendererOptions,
} from './renderer.ts';
export { statementEntryIn } from './statement-words.ts';
export { sumsInWords, taxSentences } from './taxes-in-words.ts';
