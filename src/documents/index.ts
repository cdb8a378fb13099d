export type { DecimalText, DocumentLine, DocumentTier, InvoiceDocument, Party } from './document.ts';
export { type EInvoice, eInvoiceOf } from './e-invoice/e-invoice.ts';
export {
  createDocumentRenderer,
  DocumentRenderError,
  type DocumentRenderer,
  type RendererEvent,
  type RendererOptions,
} from './renderer.ts';
