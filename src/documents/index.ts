export type { DecimalText, DocumentLine, DocumentTier, InvoiceDocument, Party } from './document.ts';
export {
  createDocumentRenderer,
  DocumentRenderError,
  type DocumentRenderer,
  type RendererEvent,
  type RendererOptions,
} from './renderer.ts';
