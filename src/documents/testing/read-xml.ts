/**
 * The visible content of XML: a strict reader of the syntax of e-invoices (no comments, no CDATA, no document type).
 */
export interface XmlNode {
  name: string;
  attributes: Record<string, string>;
  children: XmlNode[];
  text: string;
}

const ENTITIES: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"' };

function unescaped(text: string): string {
  if (/[<>"]|&(?!(?:amp|lt|gt|quot);)/.test(text)) throw new Error(`Not escaped: ${text}`);
  return text.replace(/&(\w+);/g, (_, name: string) => ENTITIES[name] as string);
}

const HEAD = '<?xml version="1.0" encoding="UTF-8"?>\n';
const TAG = /<(\/?)([\w:.-]+)((?: [\w:.-]+="[^"<]*")*)(\/?)>/y;

/** Reads a document. @throws for text that is not well-formed, or has a character that XML 1.0 forbids. */
export function readXml(xml: string): XmlNode {
  if (!xml.startsWith(HEAD)) throw new Error('No declaration.');
  if (!xml.isWellFormed() || /[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/u.test(xml))
    throw new Error('A character that XML cannot hold.');
  const outside: XmlNode = { name: '', attributes: {}, children: [], text: '' };
  const open = [outside];
  for (let at = HEAD.length; at < xml.length; ) {
    const inner = open.at(-1) as XmlNode;
    const tagAt = xml.indexOf('<', at);
    if (tagAt === -1 || tagAt > at) {
      const end = tagAt === -1 ? xml.length : tagAt;
      inner.text += unescaped(xml.slice(at, end));
      at = end;
      continue;
    }
    TAG.lastIndex = at;
    const tag = TAG.exec(xml);
    if (!tag) throw new Error(`No tag at ${xml.slice(at, at + 40)}`);
    const [whole, closing, name, attributes, empty] = tag as unknown as [string, string, string, string, string];
    at += whole.length;
    if (closing !== '') {
      if (open.pop()?.name !== name) throw new Error(`${name} is closed and was not open.`);
      continue;
    }
    const found = [...attributes.matchAll(/ ([\w:.-]+)="([^"]*)"/g)].map(([, key, value]) => [
      key,
      unescaped(value ?? ''),
    ]);
    const node: XmlNode = { name, attributes: Object.fromEntries(found), children: [], text: '' };
    inner.children.push(node);
    if (empty === '') open.push(node);
  }
  const [root] = outside.children;
  if (open.length !== 1 || outside.children.length !== 1 || !root || outside.text.trim() !== '')
    throw new Error('Not one root element.');
  return root;
}

/** The nodes at a path of names without their prefixes: `Header/TaxTotalAmount`; the path begins below `node`. */
export const nodesAt = (node: XmlNode, path: string): XmlNode[] =>
  path
    .split('/')
    .reduce<XmlNode[]>(
      (nodes, name) =>
        nodes.flatMap(({ children }) => children.filter((child) => child.name.replace(/^\w+:/, '') === name)),
      [node],
    );

/** The texts at a path. */
export const textsAt = (node: XmlNode, path: string): string[] => nodesAt(node, path).map(({ text }) => text);
