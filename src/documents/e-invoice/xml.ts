/** An element with its attributes and its content. */
export interface Element {
  readonly name: string;
  readonly attributes: Readonly<Record<string, string>>;
  readonly children: readonly (Element | string)[];
}

/** A possible child: a missing one (`null`, `false`) leaves nothing behind. */
export type Child = Element | string | null | false | readonly Child[];

const flat = (child: Child): (Element | string)[] => {
  if (child === null || child === false) return [];
  return typeof child === 'string' || !isList(child) ? [child] : child.flatMap(flat);
};

const isList = (child: Element | readonly Child[]): child is readonly Child[] => Array.isArray(child);

/** An element of these children, in their order. */
export const element = (name: string, ...children: Child[]): Element => ({
  name,
  attributes: {},
  children: children.flatMap(flat),
});

/** The same with attributes. */
export const elementWith = (name: string, attributes: Element['attributes'], ...children: Child[]): Element => ({
  ...element(name, ...children),
  attributes,
});

const ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };
const escaped = (text: string): string => text.replace(/[&<>"]/g, (character) => ENTITIES[character] as string);

// XML 1.0 has no way to write these, not even as a reference: NUL, other controls, lone surrogates, U+FFFE and U+FFFF.
const IMPOSSIBLE = /[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/u;

function written(node: Element | string): string {
  if (typeof node === 'string') return escaped(node);
  const attributes = Object.entries(node.attributes).map(([name, value]) => ` ${name}="${written(value)}"`);
  const head = `${node.name}${attributes.join('')}`;
  return node.children.length === 0 ? `<${head}/>` : `<${head}>${node.children.map(written).join('')}</${node.name}>`;
}

/**
 * The document as XML 1.0 in UTF-8. @throws RangeError for text with a character that XML cannot hold: it is cleaned
 * before.
 */
export function xmlOf(root: Element): string {
  const xml = `<?xml version="1.0" encoding="UTF-8"?>\n${written(root)}\n`;
  if (IMPOSSIBLE.test(xml)) throw new RangeError('A text has a character that XML does not allow.');
  return xml;
}
