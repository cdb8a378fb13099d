import { join } from 'node:path';
import { NodeCompiler } from '@myriaddreamin/typst-ts-node-compiler';
import { type Fonts, loadFonts } from './fonts.ts';

/** A view as JSON, and the instant that the file names as its creation, in seconds since 1970. */
export interface CompileRequest {
  view: string;
  createdAtSeconds: number;
}

export interface CompileOutcome {
  pdf: Uint8Array;
  /** Plain PDF is made only where PDF/A refuses: a document with a blemish is worth more than none. */
  standard: 'a-3b' | '1.7';
}

export type Compile = (request: CompileRequest) => CompileOutcome;

// Results of the last few documents are kept: the parsed templates and shaped words are worth it, older data is not.
const KEPT_GENERATIONS = 3;

/** Loads fonts and templates, and gives the function that makes PDF bytes from a view: equal views, equal bytes. */
export function createCompiler(fonts: Fonts = loadFonts()): Compile {
  const compiler = NodeCompiler.create({ workspace: import.meta.dirname, fontArgs: [{ fontBlobs: fonts.files }] });
  const mainFilePath = join(import.meta.dirname, 'invoice.typ');

  return ({ view, createdAtSeconds }) => {
    try {
      const displayable = JSON.stringify(
        JSON.parse(view, (_, value) => (typeof value === 'string' ? fonts.displayable(value) : value)),
      );
      const result = compiler.compile({ mainFilePath, inputs: { document: displayable } });
      const document = result.result;
      if (!document)
        throw new Error(`The template failed: ${JSON.stringify(result.takeDiagnostics()?.shortDiagnostics)}`);
      const make = (standard: CompileOutcome['standard']): CompileOutcome => ({
        pdf: compiler.pdf(document, { pdfStandard: standard, creationTimestamp: createdAtSeconds }),
        standard,
      });
      try {
        return make('a-3b');
      } catch {
        return make('1.7');
      }
    } finally {
      compiler.evictCache(KEPT_GENERATIONS);
    }
  };
}
