import { createHash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import type pg from 'pg';
import { sqlState } from './sql-state.ts';
import { countOf, identifier, splitAt, type Token, tokenize, UNSURE_IN_CONDITION, wordAt } from './tokens.ts';

/** The unique keys of each table: lists of columns. */
type UniqueKeys = ReadonlyMap<string, readonly (readonly string[])[]>;

/**
 * Does a statement find its rows by a whole unique key of one table, or insert the values of one row? Then its plan is
 * right for all parameters (decision 0177). The shapes are `insert … values` and, with `column = $n` or
 * `column = any ($n)` for each column of a key, `select`, `update` and `delete` of one table. Pure.
 * @returns false where that is not certain
 */
export function isByKey(statement: string, keys: UniqueKeys): boolean {
  const tokens = tokenize(statement.trim());
  if (!tokens) return false;
  switch (tokens[0]?.text) {
    case 'select':
      return countOf(tokens, 'from') === 1 && isOfRows(tokens, wordAt(tokens, 'from') + 1, keys);
    case 'update':
      return countOf(tokens, 'from') + countOf(tokens, 'select') === 0 && isOfRows(tokens, 1, keys);
    case 'delete':
      return countOf(tokens, 'from') === 1 && countOf(tokens, 'using') === 0 && isOfRows(tokens, 2, keys);
    case 'insert':
      return countOf(tokens, 'select') === 0 && isOneRow(tokens.slice(wordAt(tokens, 'values') + 1));
    default:
      return false;
  }
}

/** Is it `(…)` and no further row? Rows in any number are statements in any number. */
function isOneRow(tokens: readonly Token[]): boolean {
  const end = tokens.findIndex(({ text, depth }) => text === ')' && depth === 0);
  return tokens[0]?.text === '(' && tokens[end + 1]?.text !== ',';
}

/** Words that end a condition. */
const AFTER_CONDITION = ['group', 'having', 'window', 'union', 'order', 'limit', 'offset', 'fetch', 'for', 'returning'];

/** Do the tokens from the name of a table on read that table alone, by one of its keys? */
function isOfRows(tokens: readonly Token[], from: number, keys: UniqueKeys): boolean {
  const where = wordAt(tokens, 'where');
  const relation = tokens.slice(from, tokens[0]?.text === 'update' ? wordAt(tokens, 'set') : where);
  const [table, alias, ...others] = relation.filter(({ text }) => text !== 'as').map(identifier);
  if (from < 1 || where < from || table?.[0] === undefined || others.length > 0) return false;
  const ends = AFTER_CONDITION.map((word) => wordAt(tokens, word)).filter((place) => place > where);
  const condition = tokens.slice(where + 1, Math.min(...ends, tokens.length));
  const outer = condition.filter(({ depth }) => depth === 0);
  if (outer.some(({ text }) => UNSURE_IN_CONDITION.has(text))) return false;
  const name = (alias ?? table)[0];
  const columns = new Set(splitAt(condition, 'and').flatMap((tokens) => comparedColumn(tokens, name)));
  return (keys.get(table[0]) ?? []).some((key) => key.every((column) => columns.has(column)));
}

/** The column of `column = $n` or `column = any ($n::text[])`. @returns none for another form */
function comparedColumn(tokens: readonly Token[], table: string | undefined): string[] {
  const isQualified = tokens[1]?.text === '.';
  if (isQualified && identifier(tokens[0] as Token)[0] !== table) return [];
  const [column, equals, ...value] = isQualified ? tokens.slice(2) : tokens;
  if (!column || equals?.text !== '=') return [];
  const [any, open, ...inner] = value;
  const isAny = any?.text === 'any' && open?.text === '(' && inner.at(-1)?.text === ')';
  const [parameter, cast, type, ...brackets] = isAny ? inner.slice(0, -1) : value;
  if (parameter?.kind !== 'parameter' || (cast && (cast.text !== '::' || type?.kind !== 'word'))) return [];
  return brackets.every(({ text }) => text === '[' || text === ']') ? identifier(column) : [];
}

/** Of ordinary tables: a plan for one that is split into partitions depends on them. */
const UNIQUE_KEYS = `select t.relname as "table", array_agg(k.columns) as keys
    from pg_class t
    join pg_index i on i.indrelid = t.oid and i.indisunique and i.indisvalid and i.indpred is null
                   and i.indexprs is null
   cross join lateral (
     select to_json(array_agg(a.attname::text)) as columns
       from pg_attribute a where a.attrelid = t.oid and a.attnum = any (i.indkey::int2[])) k
   where t.relkind = 'r' and not t.relispartition and t.relnamespace = 'public'::regnamespace
   group by t.relname`;

/** A statement keeps its plan from this time on that it is asked: the plan of a rare one would only take memory. */
const OFTEN = 10;
/** So many statements keep their plans at most: each takes 20 to 80 KiB in each connection that has asked it. */
const MOST = 200;
/** The texts that are remembered: those of changes and lists are of any number. */
const MOST_TEXTS = 2000;

/** The names of statements whose plans are kept on the connections of a database. */
export class KeptPlans {
  /** By the text of a statement its name, or how often it was asked; null: it is planned each time. */
  readonly #known = new LRUCache<string, { name: string | null } | { asked: number }>({ max: MOST_TEXTS });
  #keys: UniqueKeys | undefined;
  #named = 0;
  #generation = 0;

  /** The name under which each connection keeps the plan of a statement; undefined where it is planned each time. */
  async nameOf(client: pg.PoolClient, text: string): Promise<string | undefined> {
    const known = this.#known.get(text) ?? { asked: 0 };
    if ('name' in known) return known.name ?? undefined;
    known.asked += 1;
    this.#known.set(text, known);
    if (known.asked < OFTEN || this.#named >= MOST) return undefined;
    this.#keys ??= await selectUniqueKeys(client);
    const name = isByKey(text, this.#keys) ? planName(text, this.#generation) : null;
    if (name !== null) this.#named += 1;
    this.#known.set(text, { name });
    return name ?? undefined;
  }

  /** Gives all statements other names, after a table has changed: a plan that answers other columns is refused. */
  renew(): void {
    this.#known.clear();
    this.#keys = undefined;
    this.#named = 0;
    this.#generation += 1;
  }
}

/** Has a statement another answer than the plan that is kept under its name, because a table got a column? */
export const isOutdated = (error: unknown): boolean =>
  sqlState(error) === '0A000' && (error as { routine?: string }).routine === 'RevalidateCachedQuery';

async function selectUniqueKeys(client: pg.PoolClient): Promise<UniqueKeys> {
  const { rows } = await client.query<{ table: string; keys: string[][] }>(UNIQUE_KEYS);
  return new Map(rows.map(({ table, keys }) => [table, keys]));
}

const planName = (text: string, generation: number): string =>
  `k${generation}${createHash('sha256').update(text).digest('base64url').slice(0, 20)}`;
