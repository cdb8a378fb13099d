import { inflateSync } from 'node:zlib';

/** The visible content of a PDF by Typst. No general reader: it knows the few forms that Typst uses. */
export interface ReadPdf {
  /** The text of each page, in drawing order, a line for each run of glyphs. */
  pages: string[];
  /** The whole file with every compressed stream opened, one character for each byte. */
  opened: string;
  /** The attached files, as UTF-8. */
  attachments: { name: string; type: string; relationship: string; content: string }[];
}

const latin1 = (bytes: Uint8Array): string => Buffer.from(bytes).toString('latin1');

interface PdfObject {
  head: string;
  stream: string | null;
}

function objectsOf(file: string): Map<number, PdfObject> {
  const objects = new Map<number, PdfObject>();
  const start = /(?:^|\n)(\d+) 0 obj\n/g;
  for (let match = start.exec(file); match; match = start.exec(file)) {
    const end = file.indexOf('endobj', start.lastIndex);
    const streamAt = file.indexOf('\nstream\n', start.lastIndex);
    if (streamAt === -1 || streamAt > end) {
      objects.set(Number(match[1]), { head: file.slice(start.lastIndex, end), stream: null });
      continue;
    }
    const head = file.slice(start.lastIndex, streamAt);
    const length = Number(/\/Length (\d+)/.exec(head)?.[1]);
    const bytes = file.slice(streamAt + 8, streamAt + 8 + length);
    const stream = head.includes('/FlateDecode') ? latin1(inflateSync(Buffer.from(bytes, 'latin1'))) : bytes;
    objects.set(Number(match[1]), { head, stream });
    start.lastIndex = streamAt + 8 + length;
  }
  return objects;
}

const utf16 = (hex: string): string => Buffer.from(hex, 'hex').swap16().toString('utf16le');

function glyphTexts(cmap: string): Map<number, string> {
  const texts = new Map<number, string>();
  for (const [, block] of cmap.matchAll(/beginbfchar([\s\S]*?)endbfchar/g))
    for (const [, glyph, text] of (block as string).matchAll(/<([0-9a-fA-F]+)>\s*<([0-9a-fA-F]+)>/g))
      texts.set(Number.parseInt(glyph as string, 16), utf16(text as string));
  return texts;
}

const ESCAPES: Readonly<Record<string, string>> = { n: '\n', r: '\r', t: '\t', b: '\b', f: '\f' };

/** The strings of a content stream in order, with the names of the fonts chosen between them. */
function* tokensOf(content: string): Generator<{ font: string } | { bytes: Buffer } | { end: true }> {
  const token = /\/(F\d+) [\d.]+ Tf|<([0-9a-fA-F]*)>|\(|\bTJ\b/g;
  for (let match = token.exec(content); match; match = token.exec(content)) {
    const [whole, font, hex] = match;
    if (font !== undefined) yield { font };
    else if (hex !== undefined) yield { bytes: Buffer.from(hex, 'hex') };
    else if (whole === 'TJ') yield { end: true };
    else {
      const { text, end } = literalAt(content, token.lastIndex);
      token.lastIndex = end;
      yield { bytes: Buffer.from(text, 'latin1') };
    }
  }
}

/** A literal string from behind its first parenthesis: parentheses nest, a backslash escapes (ISO 32000-1, 7.3.4.2). */
function literalAt(content: string, from: number): { text: string; end: number } {
  let text = '';
  let depth = 1;
  for (let at = from; ; at += 1) {
    const character = content[at] as string;
    if (character === '\\') {
      const octal = /^[0-7]{1,3}/.exec(content.slice(at + 1, at + 4))?.[0];
      const escaped = content[at + 1] as string;
      text += octal === undefined ? (ESCAPES[escaped] ?? escaped) : String.fromCharCode(Number.parseInt(octal, 8));
      at += octal?.length ?? 1;
      continue;
    }
    if (character === '(') depth += 1;
    if (character === ')') depth -= 1;
    if (depth === 0) return { text, end: at + 1 };
    text += character;
  }
}

function linesOf(content: string, fonts: ReadonlyMap<string, ReadonlyMap<number, string>>): string[] {
  const lines: string[] = [];
  let texts: ReadonlyMap<number, string> | undefined;
  let line = '';
  for (const token of tokensOf(content)) {
    if ('font' in token) texts = fonts.get(token.font);
    else if ('end' in token) {
      lines.push(line);
      line = '';
    } else
      for (let at = 0; at + 1 < token.bytes.length; at += 2)
        line += texts?.get(token.bytes.readUInt16BE(at)) ?? '\ufffd';
  }
  return lines;
}

const reference = (head: string, name: string): number => Number(new RegExp(`/${name} (\\d+) 0 R`).exec(head)?.[1]);

const attachmentsOf = (all: readonly PdfObject[], at: (id: number) => PdfObject): ReadPdf['attachments'] =>
  all
    .filter(({ head }) => head.includes('/Type /Filespec'))
    .map(({ head }) => {
      const file = at(Number(/\/EF <<\s*\/F (\d+) 0 R/.exec(head)?.[1]));
      return {
        name: /\/UF \(([^)]*)\)/.exec(head)?.[1] ?? '',
        type: /\/Subtype \/(\S+)/.exec(file.head)?.[1]?.replace('#2F', '/') ?? '',
        relationship: /\/AFRelationship \/(\w+)/.exec(head)?.[1] ?? '',
        content: Buffer.from(file.stream ?? '', 'latin1').toString(),
      };
    });

/** Reads the text of every page through the fonts' glyph maps. */
export function readPdf(pdf: Uint8Array): ReadPdf {
  const objects = objectsOf(latin1(pdf));
  const at = (id: number): PdfObject => {
    const found = objects.get(id);
    if (!found) throw new Error(`The file has no object ${id}.`);
    return found;
  };
  const tree = [...objects.values()].find(({ head }) => /\/Type \/Pages\b/.test(head))?.head ?? '';
  const kids = /\/Kids \[([^\]]*)\]/.exec(tree)?.[1] ?? '';
  const pages = [...kids.matchAll(/(\d+) 0 R/g)].map(([, page]) => {
    const { head } = at(Number(page));
    const resources = at(reference(head, 'Resources')).head;
    const content = at(reference(head, 'Contents')).stream ?? '';
    const fonts = new Map<string, Map<number, string>>();
    for (const [, name, font] of resources.matchAll(/\/(F\d+) (\d+) 0 R/g))
      fonts.set(name as string, glyphTexts(at(reference(at(Number(font)).head, 'ToUnicode')).stream ?? ''));
    return linesOf(content, fonts).join('\n');
  });
  const opened = [...objects.values()].map(({ head, stream }) => `${head}\n${stream ?? ''}`).join('\n');
  return { pages, opened, attachments: attachmentsOf([...objects.values()], at) };
}
