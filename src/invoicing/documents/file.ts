import { inlineFile, tagOf } from '../../http/index.ts';

/** A document as a file. Its bytes never change. */
export interface DocumentFile {
  readonly content: Uint8Array;
  /** The number that stands on it. */
  readonly number: string;
  readonly type: 'pdf' | 'xml';
}

/** The headers of a document, named by its number. */
export const fileHeaders = ({ content, number, type }: DocumentFile) => ({
  'content-type': `application/${type}`,
  'content-disposition': inlineFile(number, type),
  etag: tagOf(content),
});
