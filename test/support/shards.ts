import pg from 'pg';
import { migrationFiles } from '../../src/db/index.ts';
import { applyMigrations } from './migrations.ts';

/** The number of parts of each table of merchants; each part is like a server of a cluster. */
export const SHARDS = 4;

/** Tables of merchants that stay whole, with the reason: a cluster has them on every server. */
export const WHOLE: Readonly<Record<string, string>> = {
  resource: 'says whose an id is, before a merchant is known',
  organization: 'there is one platform among all',
  api_key: 'says whose a key is, before a merchant is known',
  merchant_number: 'no two merchants have one number',
};

const parts = (table: string, storage = ''): string =>
  Array.from(
    { length: SHARDS },
    (_, shard) =>
      `create table ${table}_s${shard} partition of ${table} for values with (modulus ${SHARDS}, remainder ${shard})${storage};`,
  ).join('\n');

const TABLE = /create table (\w+) \(\n([\s\S]*?)\n\)( partition by range \(at\))?( with \([^)]*\))?;/g;

/** The same schema, with every table of merchants split by the hash of the merchant. */
export function sharded(migration: string): string {
  return migration
    .replaceAll(TABLE, (statement, table: string, columns: string, range?: string, storage?: string) => {
      const [, merchant] = /^ {2}(merchant_id text|merchant_number int) not null/m.exec(columns) ?? [];
      if (merchant === undefined || range !== undefined || Object.hasOwn(WHOLE, table)) return statement;
      return `create table ${table} (\n${columns}\n) partition by hash (${merchant.split(' ')[0]});\n${parts(table, storage)}`;
    })
    .replace(
      'create table event_default partition of event default;',
      `create table event_default partition of event default partition by hash (merchant_id);\n${parts('event_default')}`,
    )
    .replace(
      "execute format('create table %I (like event including defaults including constraints)', name);",
      `execute format('create table %I (like event including defaults including constraints) partition by hash (merchant_id)', name);
       for shard in 0..${SHARDS - 1} loop
         execute format('create table %I partition of %I for values with (modulus ${SHARDS}, remainder %s)',
                        name || '_s' || shard, name, shard);
       end loop;`,
    );
}

/** Migrates a database to the split schema. The program then finds no missing migration. */
export async function migrateSharded(url: string): Promise<void> {
  await applyMigrations(
    url,
    (await migrationFiles()).map(({ name, text }) => ({ name, text: sharded(text) })),
  );
}

/** A statement as the program sent it, with the transaction's first statement, which names the merchant. */
export interface Sent {
  readonly text: string;
  readonly values: readonly unknown[];
  readonly begin: string;
}

const ROW_BY_ROW = ['hashjoin', 'mergejoin', 'seqscan', 'material']
  .map((way) => `set local enable_${way} = off`)
  .join('; ');

const READS_OR_WRITES = /^\s*(?:with|select|insert|update|delete)\b/i;

/** Notes each different statement that connections of this process send, until it is stopped. */
export function noteStatements(): { readonly sent: ReadonlyMap<string, Sent>; stop(): void } {
  const sent = new Map<string, Sent>();
  const begins = new WeakMap<object, string>();
  const { prototype } = pg.Client;
  // biome-ignore lint/suspicious/noExplicitAny: the driver's method has many forms
  const original: any = prototype.query;
  // biome-ignore lint/suspicious/noExplicitAny: as above
  prototype.query = function (this: pg.Client, ...words: any[]) {
    const [first] = words;
    const text: string = typeof first === 'string' ? first : (first?.text ?? '');
    if (text.startsWith('begin')) begins.set(this, text);
    else if (READS_OR_WRITES.test(text) && !sent.has(text))
      sent.set(text, { text, values: first.values ?? [], begin: begins.get(this) ?? '' });
    return original.apply(this, words);
  } as typeof prototype.query;
  return {
    sent,
    stop: () => {
      prototype.query = original;
    },
  };
}

/** Statements that call a writing function: a repetition would write again. */
const WRITES = /^\s*select (?:publish_events|book_transactions|draw_numbers)\(/;

/**
 * The parts of each split table that a statement reads. A reading statement is run, because only then the parts of a
 * row are known. For a writing statement the plan must do. Rows lead from table to table: small tables could be read
 * whole and hashed, which proves nothing about the statement.
 */
export async function shardsTouched(
  client: pg.Client,
  { text, values, begin }: Sent,
): Promise<Map<string, Set<string>>> {
  await client.query(`${begin}; ${ROW_BY_ROW}`);
  try {
    const analyze = /^\s*select\b/i.test(text) && !WRITES.test(text) ? 'analyze, ' : '';
    const { rows } = await client.query({ text: `explain (${analyze}format json) ${text}`, values: [...values] });
    const touched = new Map<string, Set<string>>();
    const look = (part: unknown): void => {
      if (typeof part !== 'object' || part === null) return;
      const { 'Relation Name': relation, 'Actual Loops': loops } = part as Record<string, unknown>;
      const [, table, shard] = loops === 0 ? [] : (/^(\w+)_s(\d)$/.exec(String(relation)) ?? []);
      const root = table?.replace(/^event_(?:default|\d{6})$/, 'event');
      if (root !== undefined && shard !== undefined) touched.set(root, (touched.get(root) ?? new Set()).add(shard));
      for (const each of Object.values(part)) look(each);
    };
    look(rows);
    return touched;
  } finally {
    await client.query('rollback');
  }
}
