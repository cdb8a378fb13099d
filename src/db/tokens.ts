const KINDS = ['space', 'word', 'name', 'parameter', 'literal', 'number', 'sign'] as const;

/** A piece of a statement's text. A `word` is in lower case; a `name` is a quoted identifier as it stands. */
export interface Token {
  readonly kind: (typeof KINDS)[number];
  readonly text: string;
  /** The place in the statement. */
  readonly start: number;
  readonly end: number;
  /** How many parentheses and brackets are open around it. */
  readonly depth: number;
}

/** One group for each of KINDS. */
const TOKEN =
  /(\s+)|([A-Za-z_][\w$]*)|("(?:[^"]|"")+")|(\$\d+)|('(?:[^']|'')*')|(\d[\w.]*)|([()[\],.]|[-+*/<>=~!@#%^&|`?:]+)/y;

const COMMENT = /--|\/\*/;
/** `E'…'`, `B'…'`, `X'…'`, `N'…'`, `U&'…'`: their quotes have other rules. */
const PREFIX_OF_A_LITERAL = /^(?:[ebxn](?=')|u(?=&))/i;

/**
 * The tokens of one SQL statement, without its spaces.
 * @returns null where the text has anything that is not understood for certain: a comment, a literal with escapes, a
 * dollar quote, a semicolon
 */
export function tokenize(text: string): readonly Token[] | null {
  const tokens: Token[] = [];
  let depth = 0;
  for (let start = 0; start < text.length; ) {
    TOKEN.lastIndex = start;
    const found = TOKEN.exec(text);
    if (!found) return null;
    const [whole, ...groups] = found;
    const kind = KINDS[groups.findIndex((group) => group !== undefined)] as Token['kind'];
    const end = start + whole.length;
    if (kind === 'sign' && COMMENT.test(whole)) return null;
    if (kind === 'word' && PREFIX_OF_A_LITERAL.test(text.slice(start, end + 1)) && whole.length === 1) return null;
    if (whole === ')' || whole === ']') depth -= 1;
    if (depth < 0) return null;
    if (kind !== 'space') tokens.push({ kind, text: kind === 'word' ? whole.toLowerCase() : whole, start, end, depth });
    if (whole === '(' || whole === '[') depth += 1;
    start = end;
  }
  return depth === 0 ? tokens : null;
}
