export type { DecimalText, DocumentLine, DocumentTier, InvoiceDocument, Party } from './document.ts';
export {
  createDocumentRenderer,
  type DocumentRenderer,
  type RendererEvent,
  type RendererOptions,
} from './renderer.ts';
