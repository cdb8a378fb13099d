export type {
  DecimalText,
  DocumentLine,
  DocumentTier,
  InvoiceDocument,
  Party,
  PrintedDocument,
  ReceiptDocument,
} from './document.ts';
export { type EInvoice, eInvoiceOf } from './e-invoice/e-invoice.ts';
export { type Figures, figuresOf } from './format.ts';
export { lineNameIn, OWN_REASONS, reasonIn } from './line-names.ts';
export { notesOf } from './line-notes.ts';
export {
  createDocumentRenderer,
  DocumentRenderError,
  type DocumentRenderer,
  type RendererEvent,
  type RendererOptions,
} from './renderer.ts';
export { type TaxWord, taxWord } from './tax-words.ts';
export { cleanLine } from './text.ts';
