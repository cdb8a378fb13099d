import { columnOf, fieldOf } from './names.ts';
import { compile, jsonb, Sql, sql } from './sql.ts';

/** A field of a record, and the column that it is stored in. */
interface Stored {
  readonly field: string;
  readonly column: string;
}

/** The texts of inserts between their values, by table and columns; a program has a few hundred. */
const knownTexts = new Map<string, readonly string[]>();

/** The columns of lists that were read. */
const lists = new WeakMap<Sql, readonly Stored[]>();

/**
 * `insert into t (…) values (…)` from the fields of a record. A field that is `undefined` is left out, so its column
 * gets its default; null is stored as null. Values of `jsonb` columns are marked by `jsonb` or `withJsonb`. The text is
 * the same for records with the same fields, whatever their order.
 * @param list the columns to store, where a record may have other fields too: a constant part of a statement such as
 *   `merchant_id, id, clock_id as test_clock_id`, which may serve the table's `select` as well
 */
export function insertion(table: string, record: object, list?: Sql): Sql {
  const values = record as Readonly<Record<string, unknown>>;
  const all = list === undefined ? Object.keys(values).toSorted().map(storedAlike) : listed(list);
  const given = all.filter(({ field }) => values[field] !== undefined);
  const texts = textsOf(
    table,
    given.map(({ column }) => column),
  );
  return new Sql(
    texts,
    given.map(({ field }) => values[field]),
  );
}

const storedAlike = (field: string): Stored => ({ field, column: columnOf(field) });

function textsOf(table: string, columns: readonly string[]): readonly string[] {
  const key = `${table} ${columns.join()}`;
  let texts = knownTexts.get(key);
  if (texts === undefined) {
    const names = sql.join(columns.map((column) => sql.ref(column)));
    const { text } = compile(sql`insert into ${sql.table(table)} (${names}) values (`);
    texts = [text, ...columns.slice(1).map(() => ', '), ')'];
    knownTexts.set(key, texts);
  }
  return texts;
}

/** The columns of a list. @throws when one of them is computed: no value can be stored in it */
function listed(list: Sql): readonly Stored[] {
  let stored = lists.get(list);
  if (stored === undefined) {
    stored = compile(list).text.split(',').map(storedOf);
    lists.set(list, stored);
  }
  return stored;
}

function storedOf(item: string): Stored {
  const [, column, name = column] = /^\s*([a-z]\w*)(?:\s+as\s+(\w+))?\s*$/.exec(item) ?? [];
  if (column === undefined || name === undefined) throw new TypeError(`${item.trim()} is not a column`);
  return { field: fieldOf(name), column };
}

/** A record with the values of some fields as `jsonb`, for an insert or an update. What is null or absent stays so. */
export function withJsonb<T extends object>(
  record: T,
  ...fields: readonly (keyof T & string)[]
): Record<string, unknown> {
  const given = fields.filter((field) => record[field] !== undefined && record[field] !== null);
  return { ...record, ...Object.fromEntries(given.map((field) => [field, jsonb(record[field])])) };
}
