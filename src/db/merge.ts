import { type Token, tokenize } from './tokens.ts';

/** The name that the relation of inputs has in a merged statement. */
const INPUT = '"~"';
/** The column that says which input a row is for. */
const NUMBER = '"~n"';

/** The effect of a function: `pure` depends on its arguments alone, `reads` reads tables, `changes` may do anything. */
export type Effect = 'pure' | 'reads' | 'changes';

/** The facts that PostgreSQL knows of a statement. */
export interface Facts {
  /** The types of its parameters, as PostgreSQL names them. */
  readonly types: readonly string[];
  /** The functions that it calls. A name that is missing is none of a function. */
  readonly effects: ReadonlyMap<string, Effect>;
}

/**
 * A statement that does for many inputs what another does for one. Its first parameter is a JSON array of theirs; those
 * that all inputs share follow.
 */
export interface Merged {
  readonly text: string;
  readonly types: readonly string[];
  /**
   * The input of each row: `numbered` rows begin with its number, from 1; `touched` rows have only that number, one for
   * each changed row; `counted` rows have that number and the count of inserted rows; `one each` are the rows of the
   * inputs in their order.
   */
  readonly rows: 'numbered' | 'touched' | 'counted' | 'one each';
  /**
   * Parameters, from 0, of which two inputs must not agree in all: then both may change the same row. Absent: the
   * inputs may be equal.
   */
  readonly keys?: readonly Key[];
}

interface Key {
  readonly parameter: number;
  readonly isInteger: boolean;
}

/** The names that look like calls of functions in a statement. */
export const calledNames = (statement: string): string[] => {
  const tokens = tokenize(statement) ?? [];
  return [...new Set(tokens.filter((_, place) => tokens[place + 1]?.text === '(').flatMap(identifier))];
};

/** May a statement have a shape that can be merged? Then it is worth to ask for the facts. */
export const mayMerge = (statement: string): boolean => MERGEABLE.test(statement) && tokenize(statement) !== null;
const MERGEABLE = /^\s*(?:select|insert|update|delete)\b[\s\S]*\$1/;

const MERCHANT = /\bmerchant_id\s*=\s*(?:any\s*\(\s*)?\$(\d+)/g;

/**
 * The merchants, or lists of them, that a statement names where all inputs name the same: places of parameters, from 0.
 * As constants they lead the planner to the one part of a table that is split by merchant, and to the front of every
 * key.
 */
export const sharedMerchants = (statement: string, inputs: readonly (readonly unknown[])[]): number[] =>
  [...new Set(Array.from(statement.matchAll(MERCHANT), ([, number]) => Number(number) - 1))].filter((place) => {
    const shared = asText(inputs[0]?.[place]);
    return inputs.every((values) => asText(values[place]) === shared);
  });

const asText = (merchants: unknown): string => JSON.stringify(merchants);

/**
 * Rewrites a statement so that it does for many lists of parameters what it does for each of them, one after another.
 * `select` is joined laterally, `insert` takes its rows from the inputs, `update` and `delete` are joined with them.
 * @param shared places of parameters that are the same in all inputs and stay parameters, in this order from the second
 * @returns null where that is not certain: then the statement is sent once for each
 */
export function merge(statement: string, { types, effects }: Facts, shared: readonly number[] = []): Merged | null {
  const text = statement.trim();
  const tokens = tokenize(text);
  if (!tokens || types.length === 0 || tokens.some((token) => token.text.startsWith('"~'))) return null;
  if (types.some((type) => /^jsonb?\[\]$/.test(type))) return null;
  const effect = effectOf(tokens, effects);
  const source: Source = { text, tokens, types, shared, inputs: inputsOf(types) };
  switch (tokens[0]?.text) {
    case 'select':
      return mergedSelect(source, effect);
    case 'insert':
      return effect === 'pure' ? (mergedValues(source) ?? mergedInsertSelect(source)) : null;
    case 'update':
      return effect === 'pure' ? mergedUpdate(source) : null;
    case 'delete':
      return effect === 'pure' ? mergedDelete(source) : null;
    default:
      return null;
  }
}

interface Source {
  readonly text: string;
  readonly tokens: readonly Token[];
  readonly types: readonly string[];
  /** Parameters, from 0, that stay parameters. */
  readonly shared: readonly number[];
  /** The relation of the inputs, for a `from`. */
  readonly inputs: string;
}

function effectOf(tokens: readonly Token[], effects: ReadonlyMap<string, Effect>): Effect {
  const found = tokens.flatMap((token, place) =>
    tokens[place + 1]?.text === '(' ? identifier(token).map((name) => effects.get(name)) : [],
  );
  if (found.includes('changes')) return 'changes';
  return found.includes('reads') ? 'reads' : 'pure';
}

/**
 * All inputs see the same rows. A function that may change some is called for one input after another, but a table
 * beside it would be read as it was before all calls; so there must be none.
 */
function mergedSelect(source: Source, effect: Effect): Merged | null {
  const { tokens, types, inputs } = source;
  if (effect === 'changes' && (countOf(tokens, 'select') > 1 || countOf(tokens, 'from') > 0)) return null;
  return {
    text: `select ${INPUT}.${NUMBER}, "~q".* from ${inputs} cross join lateral (${rewritten(source, tokens)}) "~q"`,
    types,
    rows: 'numbered',
  };
}

/** `insert into t (…) values (…)`: a row for each input, else the statement fails or is found out by its count. */
function mergedValues(source: Source): Merged | null {
  const { tokens, types, inputs } = source;
  const into = intoOf(tokens);
  const [values, open] = tokens.slice(into);
  if (values?.text !== 'values' || open?.text !== '(') return null;
  const end = tokens.findIndex(({ text, depth }, place) => place > into && text === ')' && depth === 0);
  const row = tokens.slice(into + 2, end);
  const tail = tokens.slice(end + 1);
  const [next] = tail;
  if (next && next.text !== 'on' && next.text !== 'returning') return null;
  // The parts after it refer to the table alone, and rows that may be left out have no known input.
  if (tail.some(({ kind }) => kind === 'parameter')) return null;
  if (countOf(tail, 'conflict') > 0 && countOf(tail, 'returning') > 0) return null;
  if (countOf(tokens, 'select') > 0 || countOf(row, 'default') > 0) return null;
  const head = rewritten(source, tokens.slice(0, into));
  return {
    text: `${head} select ${rewritten(source, row)} from ${inputs} order by ${INPUT}.${NUMBER} ${rewritten(source, tail)}`,
    types,
    rows: 'one each',
  };
}

/** `insert into t (…) select … from a_function(…)`: it reads no table, so no input sees what another one inserted. */
function mergedInsertSelect(source: Source): Merged | null {
  const { tokens, types, inputs } = source;
  const into = intoOf(tokens);
  const question = tokens.slice(into);
  if (question[0]?.text !== 'select' || countOf(tokens, 'select') > 1) return null;
  if (question.some(({ text }) => UNSURE_BESIDE_INSERT.has(text))) return null;
  const from = question.findIndex(({ text }) => text === 'from');
  if (from >= 0 && !isOneFunction(question.slice(from + 1))) return null;
  const head = rewritten(source, tokens.slice(0, into));
  return {
    text:
      `with "~r" as materialized (select ${INPUT}.${NUMBER}, "~q" as "~v" from ${inputs} cross join lateral (${rewritten(source, question)}) "~q"), ` +
      `"~w" as (${head} select ("~r"."~v").* from "~r" order by "~r".${NUMBER}) ` +
      `select ${NUMBER}, count(*)::int from "~r" group by ${NUMBER}`,
    types,
    rows: 'counted',
  };
}

const UNSURE_BESIDE_INSERT = new Set(['returning', 'conflict', 'join', 'union', 'intersect', 'except', 'default']);

/** `a_function(…)` with its alias, and at most a condition after it. */
function isOneFunction(tokens: readonly Token[]): boolean {
  const [name, open] = tokens;
  if (name?.kind !== 'word' || open?.text !== '(') return false;
  const where = tokens.findIndex(({ text, depth }) => text === 'where' && depth === 0);
  const relation = where < 0 ? tokens : tokens.slice(0, where);
  return countOf(tokens, 'from') === 0 && !relation.some(({ text, depth }) => text === ',' && depth === 0);
}

/** `update t a set … where … returning …`, of one table. */
function mergedUpdate(source: Source): Merged | null {
  const { tokens } = source;
  const relation = relationOf(tokens, 1, 'set');
  const where = wordAt(tokens, 'where');
  if (!relation || where < 0) return null;
  const assigned = assignedColumns(tokens.slice(relation.end + 1, where));
  return assigned && mergedChange(source, 'from', relation.name, where, assigned);
}

/** `delete from t a where … returning …`, of one table. */
function mergedDelete(source: Source): Merged | null {
  const { tokens } = source;
  if (tokens[1]?.text !== 'from') return null;
  const relation = relationOf(tokens, 2, 'where');
  return relation && mergedChange(source, 'using', relation.name, relation.end, new Set());
}

/**
 * A change of one table, joined with the inputs. A row is changed once by a statement, whatever it matches, and the
 * inputs do not see each other's changes. So no two of them may match the same row: they differ in a column that is
 * compared with a parameter and that nobody assigns.
 */
function mergedChange(
  source: Source,
  joins: 'from' | 'using',
  name: string,
  where: number,
  assigned: ReadonlySet<string>,
): Merged | null {
  const { tokens, types, inputs } = source;
  if (countOf(tokens, 'select') > 0 || countOf(tokens.slice(2, where), 'from') > 0) return null;
  const returning = wordAt(tokens, 'returning');
  const condition = tokens.slice(where + 1, returning < 0 ? undefined : returning);
  const keys = keysOf(condition, name, assigned, types);
  const columns = returning < 0 ? '' : returned(source, tokens.slice(returning + 1), name);
  if (keys.length === 0 || columns === null) return null;
  const head = rewritten(source, tokens.slice(0, where));
  return {
    text: `${head} ${joins} ${inputs} where (${rewritten(source, condition)}) returning ${INPUT}.${NUMBER}${columns}`,
    types,
    rows: returning < 0 ? 'touched' : 'numbered',
    keys,
  };
}

/** The answer of an update or delete beside the number of the input; null if a `*` would include the inputs. */
function returned(source: Source, tokens: readonly Token[], name: string): string | null {
  if (tokens.length === 1 && tokens[0]?.text === '*') return `, ${name}.*`;
  const hasStar = tokens.some(({ text }, place) => text === '*' && (place === 0 || tokens[place - 1]?.text === ','));
  return hasStar || tokens[0]?.text === 'with' ? null : `, ${rewritten(source, tokens)}`;
}

/** The table of a change and its alias, up to a word. */
function relationOf(tokens: readonly Token[], from: number, until: string): { name: string; end: number } | null {
  const end = tokens.findIndex(({ text }, place) => place > from && text === until);
  const names = tokens.slice(from, end).filter(({ text }) => text !== 'as');
  if (end < 0 || names.length > 2 || names.some((token) => identifier(token).length === 0)) return null;
  return { name: (names.at(-1) as Token).text, end };
}

/** The columns that a `set` list assigns; null where it is not a plain list. */
function assignedColumns(tokens: readonly Token[]): ReadonlySet<string> | null {
  const starts = tokens.flatMap((token, place) =>
    place === 0 || (tokens[place - 1]?.text === ',' && tokens[place - 1]?.depth === 0) ? [identifier(token)] : [],
  );
  return starts.some((names) => names.length === 0) ? null : new Set(starts.flat());
}

/** Words with which a condition is no plain list of conditions that all hold. */
const UNSURE_IN_CONDITION = new Set(['or', 'between', 'case']);

/** Values of these types are equal when, and only when, their texts are; integers when they are the same number. */
const TEXT_TYPES = new Set(['text', 'character varying']);
const INTEGER_TYPES = new Set(['smallint', 'integer', 'bigint']);

/**
 * The parameters that a row must equal in a column that stays as it is: `column = $n`, among conditions that all must
 * hold.
 */
function keysOf(
  condition: readonly Token[],
  name: string,
  assigned: ReadonlySet<string>,
  types: readonly string[],
): Key[] {
  const outer = condition.filter(({ depth }) => depth === 0);
  if (outer.some(({ text }) => UNSURE_IN_CONDITION.has(text))) return [];
  return splitAt(condition, 'and').flatMap((tokens) => {
    const [column, equals, value, ...others] = tokens[1]?.text === '.' ? tokens.slice(2) : tokens;
    if (tokens[1]?.text === '.' && tokens[0]?.text !== name) return [];
    if (!column || equals?.text !== '=' || value?.kind !== 'parameter' || others.length > 0) return [];
    const [known] = identifier(column);
    const parameter = Number(value.text.slice(1)) - 1;
    const type = types[parameter] ?? '';
    if (known === undefined || assigned.has(known) || !(TEXT_TYPES.has(type) || INTEGER_TYPES.has(type))) return [];
    return [{ parameter, isInteger: INTEGER_TYPES.has(type) }];
  });
}

/** The parts of a condition between a word that stands outside of all parentheses. */
function splitAt(tokens: readonly Token[], word: string): Token[][] {
  const parts: Token[][] = [[]];
  for (const token of tokens)
    if (token.text === word && token.depth === 0) parts.push([]);
    else parts.at(-1)?.push(token);
  return parts;
}

/** The end of the head of an insert: `insert into t (…)`. @returns the place of the token after it, or -1 */
function intoOf(tokens: readonly Token[]): number {
  const [, into, table, next] = tokens;
  if (into?.text !== 'into' || !table || identifier(table).length === 0) return -1;
  if (next?.text !== '(') return 3;
  return tokens.findIndex(({ text, depth }) => text === ')' && depth === 0) + 1;
}

/** The name that a token is, without its quotes; none where it is something else. */
function identifier({ kind, text }: Token): string[] {
  if (kind === 'word') return [text];
  return kind === 'name' ? [text.slice(1, -1).replaceAll('""', '"')] : [];
}

const wordAt = (tokens: readonly Token[], word: string): number =>
  tokens.findIndex(({ kind, text, depth }) => kind === 'word' && text === word && depth === 0);

const countOf = (tokens: readonly Token[], word: string): number =>
  tokens.filter(({ kind, text }) => kind === 'word' && text === word).length;

/**
 * The text from the first token to the last one, with the inputs' columns in place of parameters that are not shared.
 */
function rewritten({ text, types, shared }: Source, tokens: readonly Token[]): string {
  const [first] = tokens;
  if (!first) return '';
  let place = first.start;
  let made = '';
  for (const token of tokens.filter(({ kind }) => kind === 'parameter')) {
    const number = Number(token.text.slice(1));
    const constant = shared.indexOf(number - 1);
    const value = constant < 0 ? `${INPUT}.p${number}` : `$${constant + 2}::${types[number - 1]}`;
    made += text.slice(place, token.start) + value;
    place = token.end;
  }
  return made + text.slice(place, tokens.at(-1)?.end);
}

/**
 * The inputs as a relation with a column for each parameter. JSON comes as text, so that none is mistaken for a string
 * of it.
 */
function inputsOf(types: readonly string[]): string {
  const names = types.map((_, index) => `p${index + 1}`);
  const isJson = (type: string) => type === 'json' || type === 'jsonb';
  const columns = types.map((type, index) => (isJson(type) ? `${names[index]}::${type}` : names[index]));
  const record = types.map((type, index) => `${names[index]} ${isJson(type) ? 'text' : type}`);
  return (
    `(select ${columns.join(', ')}, ${NUMBER} from rows from (jsonb_to_recordset($1::jsonb) as (${record.join(', ')})) ` +
    `with ordinality as "~i" (${names.join(', ')}, ${NUMBER})) ${INPUT}`
  );
}

/** Do two inputs agree in all keys of a merged statement, so that both may change the same row? */
export function collide({ keys }: Merged, inputs: readonly (readonly unknown[])[]): boolean {
  if (!keys) return false;
  const told = inputs.map((values) =>
    JSON.stringify(
      keys.map(({ parameter, isInteger }) => {
        const text = String(values[parameter]);
        return isInteger && /^-?\d+$/.test(text) ? BigInt(text).toString() : text;
      }),
    ),
  );
  return new Set(told).size < inputs.length;
}

/**
 * The one parameter of a merged statement. Each value is written as the driver would send it alone.
 * @returns null where a value has no such form in JSON: bytes, dates, objects, lists where no list is wanted
 */
export function mergedParameter({ types }: Merged, inputs: readonly (readonly unknown[])[]): string | null {
  const all = inputs.map((values) =>
    values.map((value, index) => written(value, types[index]?.endsWith('[]') ?? false)),
  );
  if (all.some((values) => values.includes(undefined))) return null;
  return JSON.stringify(
    all.map((values) => Object.fromEntries(values.map((value, index) => [`p${index + 1}`, value]))),
  );
}

type Written = string | null | readonly Written[];

/** @returns undefined where it cannot be written */
function written(value: unknown, isList: boolean): Written | undefined {
  switch (typeof value) {
    case 'string':
      return value;
    case 'number':
    case 'bigint':
    case 'boolean':
      return String(value);
    case 'undefined':
      return null;
    case 'object': {
      if (value === null) return null;
      if (!isList || !Array.isArray(value)) return undefined;
      const items = value.map((item: unknown) => written(item, true));
      return items.every((item) => item !== undefined) ? items : undefined;
    }
    default:
      return undefined;
  }
}
