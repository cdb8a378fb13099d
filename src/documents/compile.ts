import { join } from 'node:path';
import { NodeCompiler } from '@myriaddreamin/typst-ts-node-compiler';
import type { DocumentLogo } from './document.ts';
import { declareFacturX } from './factur-x.ts';
import { type Fonts, loadFonts } from './fonts.ts';

/** A view as JSON, and the instant that the file names as its creation, in seconds since 1970. */
export interface CompileRequest {
  view: string;
  /** The same as an e-invoice, to be attached; null where there is none. */
  eInvoice: string | null;
  /** The file that the view names as its logo. */
  logo?: DocumentLogo | null;
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
  const viewPath = join(import.meta.dirname, 'view.json');
  const logoPaths = { png: join(import.meta.dirname, 'logo.png'), svg: join(import.meta.dirname, 'logo.svg') };
  const eInvoicePath = join(import.meta.dirname, 'factur-x.xml');

  return ({ view, eInvoice, logo, createdAtSeconds }) => {
    try {
      for (const format of ['png', 'svg'] as const)
        compiler.mapShadow(logoPaths[format], Buffer.from(logo?.format === format ? logo.content : ''));
      // Files in memory and not `sys.inputs`: another input makes Typst build its library, and all that hangs on it,
      // anew.
      compiler.mapShadow(viewPath, Buffer.from(displayableView(view, fonts)));
      compiler.mapShadow(eInvoicePath, Buffer.from(eInvoice ?? ''));
      const result = compiler.compile({ mainFilePath });
      const document = result.result;
      if (!document)
        throw new Error(`The template failed: ${JSON.stringify(result.takeDiagnostics()?.shortDiagnostics)}`);
      const make = (standard: CompileOutcome['standard']): Uint8Array =>
        compiler.pdf(document, { pdfStandard: standard, creationTimestamp: createdAtSeconds });
      const archived = attempt(() => make('a-3b'));
      if (archived === null) return { pdf: make('1.7'), standard: '1.7' };
      return { pdf: eInvoice === null ? archived : declareFacturX(archived), standard: 'a-3b' };
    } finally {
      compiler.evictCache(KEPT_GENERATIONS);
    }
  };
}

/** The view with only such characters as the fonts can show. Most views have no others, and are left as they are. */
const displayableView = (view: string, fonts: Fonts): string =>
  fonts.showsAll(view)
    ? view
    : JSON.stringify(JSON.parse(view, (_, value) => (typeof value === 'string' ? fonts.displayable(value) : value)));

/** The result of a step, or null if it throws. */
function attempt<T>(step: () => T): T | null {
  try {
    return step();
  } catch {
    return null;
  }
}
