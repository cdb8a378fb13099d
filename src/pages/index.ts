/** The building blocks of every page for the customers of merchants. */
export { billTable, type PageBill, type PageLine, type PageTotal } from './bill.ts';
export {
  endFrame,
  errorPage,
  type FramedPage,
  frame,
  LOGO_HEADERS,
  mark,
  PRIVATE,
  pageReply,
  unknownReply,
} from './frame.ts';
export { escapeHtml, Html, html } from './html.ts';
export { type Look, lookOf, plainLook } from './look.ts';
export {
  addressBlock,
  type Contact,
  contactLinks,
  countryOptions,
  downloadLinks,
  logoImage,
  openForm,
  type PageDownload,
  partyLines,
} from './parts.ts';
export { FORM, HTML, IMAGE, isForeign } from './requests.ts';
export { type Column, stackedTable, type TableRow } from './table.ts';
export { PAGE_TERMS } from './words.ts';
