import { type Logo, LogoError } from './logo.ts';

/**
 * SVG is a program that draws; only drawing is let through. The file is read by a small strict reader and written anew
 * from what the lists below know, so that nothing of the original text survives unread. What could act or fetch
 * (scripts, handlers, links, foreign objects, entities) is refused with the reason; what only describes (comments,
 * metadata, an editor's own words) is left out.
 */

const DRAWING =
  'svg g path rect circle ellipse line polyline polygon defs linearGradient radialGradient stop clipPath title desc';
const LEFT_OUT = 'metadata';
const drawing: ReadonlySet<string> = new Set(DRAWING.split(' '));
const leftOut: ReadonlySet<string> = new Set(LEFT_OUT.split(' '));

const ADVICE: Readonly<Record<string, string>> = {
  text: 'Convert texts to paths.',
  tspan: 'Convert texts to paths.',
  use: 'Draw the shape again instead.',
  style: 'Put its rules into attributes of the shapes.',
};

const ATTRIBUTES =
  'id class d points x y x1 y1 x2 y2 cx cy r rx ry fx fy width height viewBox preserveAspectRatio transform opacity fill fill-opacity ' +
  'fill-rule stroke stroke-width stroke-opacity stroke-linecap stroke-linejoin stroke-miterlimit stroke-dasharray stroke-dashoffset ' +
  'clip-path clip-rule clipPathUnits gradientUnits gradientTransform spreadMethod offset stop-color stop-opacity color display ' +
  'visibility style version';
const attributes: ReadonlySet<string> = new Set(ATTRIBUTES.split(' '));
/** References to a shape of the same file. */
const LINKS: ReadonlySet<string> = new Set(['href', 'xlink:href']);

const MOST_ELEMENTS = 5000;
const MOST_DEPTH = 32;
const MOST_SIDE = 10_000;
const MOST_RATIO = 20;

const NAME = /[A-Za-z_][\w.-]*(?::[A-Za-z_][\w.-]*)?/y;
const SPACE = /\s*/y;
const VALUE = /"([^"<]*)"|'([^'<]*)'/y;
const ENTITIES: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" };

/** Does the text look like an SVG? */
export const isSvg = (text: string): boolean => /^\ufeff?\s*(?:<\?xml|<!--|<!DOCTYPE|<svg)/i.test(text);

/** Reads an SVG, and writes its drawing parts. @throws LogoError with its fault */
export function readSvg(text: string): Logo {
  const writer = new Writer();
  const reader = new Reader(text.replace(/^\ufeff/, ''));
  reader.read(writer);
  const { width, height } = sizeOf(writer.root);
  return { contentType: 'image/svg+xml', width, height, content: Buffer.from(writer.written()) };
}

type Attributes = ReadonlyMap<string, string>;

/** Tags, one after another; all other XML is refused or left out here. */
class Reader {
  readonly #text: string;
  #at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  read(to: Writer): void {
    while (this.#at < this.#text.length) {
      const open = this.#text.indexOf('<', this.#at);
      const words = this.#text.slice(this.#at, open === -1 ? undefined : open);
      if (words.trim() !== '') {
        plainText(words); // refuses what is no XML
        to.words();
      }
      if (open === -1) break;
      this.#at = open;
      this.#markup(to);
    }
    to.end();
  }

  #markup(to: Writer): void {
    const ahead = this.#text.slice(this.#at, this.#at + 9);
    if (ahead.startsWith('<!--')) this.#skip('-->');
    else if (ahead.startsWith('<?')) {
      if (!/^<\?xml\s/.test(ahead)) throw new LogoError('The SVG has a processing instruction, which is refused.');
      this.#skip('?>');
    } else if (ahead.startsWith('<![CDATA[')) {
      this.#skip(']]>');
      to.words();
    } else if (ahead.startsWith('<!'))
      throw new LogoError('The SVG has a DOCTYPE or entities, which are refused. Remove them.');
    else if (ahead.startsWith('</')) this.#close(to);
    else this.#open(to);
  }

  #skip(end: string): void {
    const found = this.#text.indexOf(end, this.#at);
    if (found === -1) throw new LogoError('The SVG breaks off.');
    this.#at = found + end.length;
  }

  #open(to: Writer): void {
    this.#at += 1;
    const name = this.#take(NAME);
    const found = new Map<string, string>();
    for (;;) {
      this.#take(SPACE);
      if (this.#accept('/>')) {
        to.open(name, found);
        to.close(name);
        return;
      }
      if (this.#accept('>')) {
        to.open(name, found);
        return;
      }
      const attribute = this.#take(NAME);
      this.#take(SPACE);
      if (!this.#accept('=')) throw unreadable();
      this.#take(SPACE);
      const quoted = this.#take(VALUE);
      if (found.has(attribute)) throw unreadable();
      found.set(attribute, plainText(quoted.slice(1, -1)));
    }
  }

  #close(to: Writer): void {
    this.#at += 2;
    const name = this.#take(NAME);
    this.#take(SPACE);
    if (!this.#accept('>')) throw unreadable();
    to.close(name);
  }

  #take(pattern: RegExp): string {
    pattern.lastIndex = this.#at;
    const found = pattern.exec(this.#text);
    if (!found) throw unreadable();
    this.#at = pattern.lastIndex;
    return found[0];
  }

  #accept(text: string): boolean {
    if (!this.#text.startsWith(text, this.#at)) return false;
    this.#at += text.length;
    return true;
  }
}

const unreadable = (): LogoError => new LogoError('The SVG is not well-formed XML.');

/**
 * Only the five entities of XML, and characters by number; a text of one's own making is refused with the DOCTYPE
 * already.
 */
const plainText = (text: string): string =>
  text.replace(
    /&(?:#(\d{1,7})|#x([0-9a-f]{1,6})|(\w+));?/gi,
    (whole: string, decimal?: string, hex?: string, name?: string) => {
      const code = decimal === undefined ? Number.parseInt(hex ?? '', 16) : Number(decimal);
      if (name === undefined && code >= 0x20 && code <= 0x10ffff && !(code >= 0xd800 && code <= 0xdfff))
        return String.fromCodePoint(code);
      const known = name === undefined || !whole.endsWith(';') ? undefined : ENTITIES[name];
      if (known === undefined) throw new LogoError('The SVG has an entity that is not known.');
      return known;
    },
  );

/** Checks the input, and keeps the drawing parts. */
class Writer {
  readonly #parts: string[] = [];
  readonly #open: { name: string; isKept: boolean }[] = [];
  #elements = 0;
  #root: Attributes | null = null;

  get root(): Attributes {
    if (!this.#root) throw new LogoError('The SVG has no svg element.');
    return this.#root;
  }

  written(): string {
    return this.#parts.join('');
  }

  open(name: string, given: Attributes): void {
    const parent = this.#open.at(-1);
    const bare = name.replace(/^svg:/, '');
    this.#elements += 1;
    if (this.#elements > MOST_ELEMENTS) throw new LogoError(`The SVG has more than ${MOST_ELEMENTS} elements.`);
    if (this.#open.length >= MOST_DEPTH) throw new LogoError(`The SVG is more than ${MOST_DEPTH} elements deep.`);
    if (!parent && (bare !== 'svg' || this.#root)) throw new LogoError('The SVG must be one svg element.');
    const isOfOthers = bare.includes(':'); // an editor's own elements
    if (!(isOfOthers || drawing.has(bare) || leftOut.has(bare))) throw refused(bare);
    const isKept = (parent?.isKept ?? true) && drawing.has(bare) && bare !== 'title' && bare !== 'desc';
    const kept = attributesOf(given);
    this.#root ??= kept;
    if (isKept) {
      const space = parent ? '' : ' xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink"';
      this.#parts.push(`<${bare}${space}${[...kept].map(([key, value]) => ` ${key}="${escaped(value)}"`).join('')}>`);
    }
    this.#open.push({ name, isKept });
  }

  close(name: string): void {
    const opened = this.#open.pop();
    if (opened?.name !== name) throw unreadable();
    if (opened.isKept) this.#parts.push(`</${name.replace(/^svg:/, '')}>`);
  }

  /** Texts are only in titles and descriptions, which are not drawn. */
  words(): void {
    if (this.#open.length === 0) throw unreadable();
  }

  end(): void {
    if (this.#open.length > 0 || !this.#root) throw new LogoError('The SVG breaks off.');
  }
}

function refused(name: string): LogoError {
  const known = /^[A-Za-z]{1,30}$/.test(name) ? name : 'unknown';
  return new LogoError(`The SVG has a ${known} element, which is refused.${ADVICE[name] ? ` ${ADVICE[name]}` : ''}`);
}

function attributesOf(given: Attributes): Map<string, string> {
  const kept = new Map<string, string>();
  for (const [name, value] of given) {
    if (/^on/i.test(name)) throw new LogoError('The SVG has an event handler, which is refused.');
    if (LINKS.has(name)) {
      if (!/^#[\w.-]+$/.test(value)) throw new LogoError('The SVG has a reference outside the file.');
      kept.set('xlink:href', value);
      continue;
    }
    if (!attributes.has(name)) continue;
    if (!isHarmless(value)) throw new LogoError('The SVG has a reference outside the file.');
    kept.set(name, value);
  }
  return kept;
}

/**
 * `url(#gradient)` is a shape of the file; any other function that fetches, and any escape that could spell one, is
 * none.
 */
const isHarmless = (value: string): boolean =>
  !/[\\@<]|\/\*|javascript:|expression|data:|https?:/i.test(value) &&
  !/url\(/i.test(value.replace(/url\(\s*["']?#[\w.-]+["']?\s*\)/gi, ''));

const escaped = (text: string): string =>
  text.replace(
    /[&<>"]/g,
    (character) => ({ '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' })[character] as string,
  );

/** The size by width and height, else by the viewBox. */
function sizeOf(root: Attributes): { width: number; height: number } {
  const box = (root.get('viewBox') ?? '')
    .trim()
    .split(/[\s,]+/)
    .map(Number);
  const [width, height] = [lengthOf(root.get('width')) ?? box[2], lengthOf(root.get('height')) ?? box[3]];
  if (width === undefined || height === undefined || !(width > 0 && height > 0) || Math.max(width, height) > MOST_SIDE)
    throw new LogoError(`The SVG needs a width and a height, or a viewBox, of more than 0 and at most ${MOST_SIDE}.`);
  if (Math.max(width / height, height / width) > MOST_RATIO)
    throw new LogoError(`The SVG may be at most ${MOST_RATIO} times as wide as high, or as high as wide.`);
  return { width: Math.ceil(width), height: Math.ceil(height) };
}

/** Of `120`, `120px` or `90pt`; percent and the like say nothing by themselves. */
function lengthOf(text: string | undefined): number | undefined {
  const found = /^\s*(\d+(?:\.\d+)?)(?:px|pt|mm|cm|in)?\s*$/.exec(text ?? '');
  return found ? Number(found[1]) : undefined;
}
