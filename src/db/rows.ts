import { columnOf } from './names.ts';
import { arrayElements, Sql, sql } from './sql.ts';
import type { Tx } from './tx.ts';

/** Up to so many rows are parameters each; more are an array for each column. */
const MOST_SINGLE = 8;

/** The texts between the parameters, by table, columns, and the number of single rows (0: arrays). */
const knownTexts = new Map<string, readonly string[]>();

/**
 * Rows as a part of a statement, to select from: `r`, with the columns of some fields in the types of a table. Absent
 * fields are null. PostgreSQL reads arrays in a third of the time of JSON, and a few rows in half of it.
 * @param fields of columns that are no arrays
 */
export async function rowsAs(tx: Tx, table: string, fields: readonly string[], rows: readonly object[]): Promise<Sql> {
  const types = await typesOf(tx, table);
  const columns = fields.map((field) => ({ field, name: columnOf(field), type: types.get(columnOf(field)) as string }));
  const records = rows as readonly Readonly<Record<string, unknown>>[];
  const single = rows.length <= MOST_SINGLE ? rows.length : 0;
  const key = `${table} ${single} ${fields.join()}`;
  let texts = knownTexts.get(key);
  if (texts === undefined) {
    texts = single > 0 ? singleTexts(columns, single) : arrayTexts(columns);
    knownTexts.set(key, texts);
  }
  const values =
    single > 0
      ? records.flatMap((record) => columns.map(({ field, type }) => storedAs(record[field], type)))
      : columns.map(({ field, type }) => `{${arrayElements(records.map((record) => storedAs(record[field], type)))}}`);
  return new Sql(texts, values);
}

interface Column {
  readonly field: string;
  readonly name: string;
  readonly type: string;
}

/** A column with its type, by name. */
const typesOf = (tx: Tx, table: string): Promise<ReadonlyMap<string, string>> =>
  tx.constant(`columns of ${table}`, async () => {
    const found = await tx.rows<{ name: string; type: string }>(sql`
      select attname as name, format_type(atttypid, atttypmod) as type
        from pg_attribute where attrelid = ${table}::regclass and attnum > 0 and not attisdropped`);
    return new Map(found.map(({ name, type }) => [name, type]));
  });

const namesOf = (columns: readonly Column[]): string => columns.map(({ name }) => `"${name}"`).join(', ');

/** `(values ($1::text, …), …) r (…)`: the types of the first row hold for all. */
function singleTexts(columns: readonly Column[], rows: number): string[] {
  const texts = ['(values ('];
  for (let row = 0; row < rows; row += 1)
    for (const [place, { type }] of columns.entries()) {
      const cast = row === 0 ? `::${type}` : '';
      const isLast = place === columns.length - 1;
      texts.push(`${cast}${isLast ? (row === rows - 1 ? `)) r (${namesOf(columns)})` : '), (') : ', '}`);
    }
  return texts;
}

/** `unnest($1::text[], …) r (…)`. */
const arrayTexts = (columns: readonly Column[]): string[] => [
  'unnest(',
  ...columns.map(({ type }, place) =>
    place === columns.length - 1 ? `::${type}[]) r (${namesOf(columns)})` : `::${type}[], `,
  ),
];

const storedAs = (value: unknown, type: string): unknown =>
  type === 'jsonb' && value !== null && value !== undefined ? JSON.stringify(value) : value;
