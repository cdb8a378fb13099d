/** The name that the relation of inputs has in a merged statement; no statement of ours has such a name. */
const INPUT = '"~"';
/** The column that says which input a row is for. */
const NUMBER = '"~n"';

/** A statement that does for many inputs what another does for one. Its one parameter is a JSON array of theirs. */
export interface Merged {
  readonly text: string;
  /** Does a row begin with the number of its input, from 1? Else rows are for the inputs in their order, one each. */
  readonly isNumbered: boolean;
  /** Of one whose rows are not numbered: is there a row for each input, or else something is wrong? */
  readonly hasOneEach?: boolean;
}

/**
 * Rewrites a statement so that it does for many lists of parameters what it does for one: `select` is joined laterally, `insert`
 * takes its values from the inputs, `update` and `delete` are joined with them. Rows that one input changes must not be those of
 * another one. What a row of an `insert` is for is known by its place alone, so one that may leave rows out and asks for them is
 * not merged.
 * @param types of its parameters, as PostgreSQL names them
 * @returns null where it has none of these shapes: then it is sent once for each
 */
export function merge(statement: string, types: readonly string[]): Merged | null {
  const text = statement.trim();
  if (types.length === 0) return null;
  const shape = SHAPES.find(({ start }) => start.test(text));
  return shape?.merged(withInputs(text), inputsOf(types)) ?? null;
}

interface Shape {
  readonly start: RegExp;
  merged(text: string, inputs: string): Merged | null;
}

const SHAPES: readonly Shape[] = [
  {
    start: /^select\b/,
    merged: (text, inputs) => ({
      text: `select ${INPUT}.${NUMBER}, "~q".* from ${inputs} cross join lateral (${text}) "~q"`,
      isNumbered: true,
    }),
  },
  { start: /^insert into\b/, merged: mergedInsert },
  { start: /^update\b/, merged: (text, inputs) => mergedChange(text, inputs, UPDATE) },
  { start: /^delete from\b/, merged: (text, inputs) => mergedChange(text, inputs, DELETE) },
];

const INSERT = /^(insert into\s+"?\w+"?\s*(?:\([^()]*\)\s*)?)(values\s*\(|select\b)/;

function mergedInsert(text: string, inputs: string): Merged | null {
  const found = INSERT.exec(text);
  if (!found) return null;
  const [head = '', into = '', kind = ''] = found;
  const asksForRows = /\breturning\b/.test(text);
  if (kind === 'select') {
    if (asksForRows) return null;
    const [question = '', ...conflict] = text.slice(into.length).split(/(?=\bon conflict\b)/);
    return {
      text: `${into}select "~q".* from ${inputs} cross join lateral (${question.trim()}) "~q" order by ${INPUT}.${NUMBER} ${conflict.join('')}`,
      isNumbered: false,
    };
  }
  const end = closing(text, head.length);
  if (end === null || (asksForRows && /\bon conflict\b/.test(text))) return null;
  const values = text.slice(head.length, end);
  return {
    text: `${into}select ${values} from ${inputs} order by ${INPUT}.${NUMBER}${text.slice(end + 1)}`,
    isNumbered: false,
    hasOneEach: true,
  };
}

const UPDATE = {
  pattern: /^update\s+(\w+|"\w+")(?:\s+(?!set\b)(\w+))?\s+set\b([\s\S]*?)\bwhere\b/,
  joins: 'from',
} as const;
const DELETE = { pattern: /^delete from\s+(\w+|"\w+")(?:\s+(?!where\b)(\w+))?\s+where\b/, joins: 'using' } as const;

/** An update or a delete of one table: joined with the inputs before its first `where`. */
function mergedChange(text: string, inputs: string, { pattern, joins }: typeof UPDATE | typeof DELETE): Merged | null {
  const found = pattern.exec(text);
  if (!found) return null;
  const [head, table, alias] = found;
  if (/\b(from|select)\b/.test(found[3] ?? '')) return null;
  const name = alias ?? table;
  const rest = text.slice(head.length);
  const where = head.slice(0, -'where'.length);
  const returning = /\breturning\s+([\s\S]*)$/.exec(rest);
  const condition = returning ? rest.slice(0, returning.index) : rest;
  const columns = returning ? `, ${returning[1]?.trim() === '*' ? `${name}.*` : returning[1]}` : '';
  return {
    text: `${where}${joins} ${inputs} where (${condition.trim()}) returning ${INPUT}.${NUMBER}${columns}`,
    isNumbered: true,
  };
}

/** Where the parenthesis closes that was opened before a place. */
function closing(text: string, from: number): number | null {
  let depth = 1;
  for (let place = from; place < text.length; place += 1) {
    const sign = text[place];
    if (sign === '(') depth += 1;
    if (sign === ')') depth -= 1;
    if (depth === 0) return place;
  }
  return null;
}

const withInputs = (text: string): string => text.replaceAll(/\$(\d+)/g, (_, place: string) => `${INPUT}.p${place}`);

/** The inputs as a relation with a column for each parameter. JSON comes as text, so that none is mistaken for a string of it. */
const inputsOf = (types: readonly string[]): string =>
  `(select ${types.map((type, index) => (JSON_TYPES.has(type) ? `p${index + 1}::${type}` : `p${index + 1}`)).join(', ')}, ${NUMBER} ` +
  `from rows from (jsonb_to_recordset($1::jsonb) as (${types.map((type, index) => `p${index + 1} ${JSON_TYPES.has(type) ? 'text' : type}`).join(', ')})) ` +
  `with ordinality as "~i" (${types.map((_, index) => `p${index + 1}`).join(', ')}, ${NUMBER})) ${INPUT}`;

const JSON_TYPES = new Set(['json', 'jsonb']);

/** The one parameter of a merged statement. @returns null where a value has no form as JSON (bytes) */
export function mergedParameter(inputs: readonly (readonly unknown[])[]): string | null {
  if (inputs.some((values) => values.some((value) => value instanceof Uint8Array))) return null;
  return JSON.stringify(
    inputs.map((values) => Object.fromEntries(values.map((value, index) => [`p${index + 1}`, value]))),
  );
}
