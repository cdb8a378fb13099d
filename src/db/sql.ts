import { Decimal, plain } from '../kernel/decimal.ts';
import { columnOf, columnsOf } from './names.ts';

/** A statement or a part of one: texts, and between each two of them a value or another part. */
export class Sql {
  readonly texts: readonly string[];
  readonly values: readonly unknown[];

  constructor(texts: readonly string[], values: readonly unknown[]) {
    this.texts = texts;
    this.values = values;
  }
}

const quoted = (name: string): string => `"${name.replaceAll('"', '""')}"`;

const named = (path: string): Sql => new Sql([path.split('.').map(quoted).join('.')], []);

const comma = new Sql([', '], []);

/**
 * SQL as text with parameters (decision 0198). A value in the template becomes a parameter, and another `Sql` becomes
 * a part of the statement.
 */
export const sql = Object.assign(
  (texts: TemplateStringsArray, ...values: readonly unknown[]): Sql => new Sql(texts, values),
  {
    /** A column, in quotes; `a.b` is the column `b` of `a`. */
    ref: named,
    /** A table, in quotes. */
    table: named,
    /** Text as it stands. It must not come from a request. */
    raw: (text: string): Sql => new Sql([text], []),
    /** A number as text, where PostgreSQL takes no parameter or plans better without one. */
    lit: (value: number): Sql => new Sql([String(value)], []),
    /** Values or parts in a row; no separator is a comma. */
    join: (items: readonly unknown[], separator: Sql = comma): Sql => {
      const values = items.flatMap((item, place) => (place === 0 ? [item] : [separator, item]));
      return new Sql(
        Array.from({ length: values.length + 1 }, () => ''),
        values,
      );
    },
  },
);

/**
 * Text and parameters as the driver wants them: decimals, instants and durations are written out, never left to chance.
 */
export function compile(query: Sql): { text: string; values: unknown[] } {
  const known = fixedOf(query);
  if (known) return { text: known.text, values: query.values.filter(isValue).map(toParameter) };
  const parameters: unknown[] = [];
  return { text: written(query.texts, query.values, parameters), values: parameters };
}

/** The name of the plan of a statement whose text is always the same; undefined for any other. */
export const planNameOf = (query: Sql): string | undefined => fixedOf(query)?.name;

/** A statement of one template: between its texts are values, and parts that have no values and are always the same. */
interface Fixed {
  readonly name: string;
  readonly text: string;
  readonly parts: readonly (Sql | null)[];
}

/** A template always hands the same array to its tag, so it is the key; a statement of no template is another one. */
const fixed = new WeakMap<readonly string[], Fixed>();
let countOfFixed = 0;

function fixedOf({ texts, values }: Sql): Fixed | undefined {
  const known = fixed.get(texts);
  if (known) return values.every((value, place) => partOf(value) === known.parts[place]) ? known : undefined;
  const parts = values.map(partOf);
  if (!('raw' in texts) || parts.some((part) => part !== null && hasValues(part))) return;
  countOfFixed += 1;
  const added = { name: `fixed_${countOfFixed}`, text: written(texts, values, []), parts };
  fixed.set(texts, added);
  return added;
}

const partOf = (value: unknown): Sql | null => (value instanceof Sql ? value : null);

const isValue = (value: unknown): boolean => !(value instanceof Sql);

const hasValues = ({ values }: Sql): boolean => values.some((value) => !(value instanceof Sql) || hasValues(value));

/** The text of a statement with parts. It adds the parameters to a list; the place in the list is the number. */
function written(texts: readonly string[], values: readonly unknown[], parameters: unknown[]): string {
  let text = texts[0] ?? '';
  for (const [place, value] of values.entries()) {
    if (value instanceof Sql) text += written(value.texts, value.values, parameters);
    else text += `$${parameters.push(toParameter(value))}`;
    text += texts[place + 1] ?? '';
  }
  return text;
}

/** A statement whose text and parameters are written out once and sent many times. */
export interface Prepared {
  /** The name of its plan on each connection; the same text always has the same name. */
  readonly name: string;
  readonly text: string;
  readonly values: readonly unknown[];
}

/** A statement that is written out once and sent with other parameters each time. */
export interface Template<Name extends string> {
  readonly name: string;
  readonly text: string;
  /** The names of its parameters, in their order. */
  readonly parameters: readonly Name[];
}

/** Writes a statement out. Each of its parameters is the name under which `filled` gives it a value. */
export function template<Name extends string>(name: string, query: Sql): Template<Name> {
  const { text, values } = compile(query);
  return { name, text, parameters: values as Name[] };
}

/** The statement with its parameters, as the driver sends them. */
export const filled = <Name extends string>(
  { name, text, parameters }: Template<Name>,
  values: Readonly<Partial<Record<Name, string>>>,
): Prepared => ({ name, text, values: parameters.map((parameter) => values[parameter]) });

/**
 * The elements of a flat array as PostgreSQL reads them between its braces: texts, numbers, decimals, instants. Written
 * out once, they can be joined with others by commas.
 */
export const arrayElements = (elements: readonly unknown[]): string =>
  elements.map((element) => elementText(toParameter(element) as Element)).join();

/** An element of an array of parameters. */
type Element = string | number | boolean | null;

const elementText = (element: Element): string =>
  element === null ? 'null' : `"${String(element).replaceAll(/["\\]/g, String.raw`\$&`)}"`;

function toParameter(value: unknown): unknown {
  if (value instanceof Decimal) return plain(value);
  if (value instanceof Temporal.Instant || value instanceof Temporal.Duration) return value.toString();
  if (typeof value === 'bigint') return value.toString();
  if (Array.isArray(value)) return value.map(toParameter);
  return value === undefined ? null : value;
}

/** A value as `jsonb`; numbers that were read exactly are written exactly. */
export const jsonb = (value: unknown): Sql => sql`${JSON.stringify(value)}::jsonb`;

/**
 * Rows as one parameter, for `jsonb_to_recordset` and `jsonb_populate_recordset`: fields become columns; decimals,
 * instants and big integers are text, which PostgreSQL reads as what the column is.
 */
export const recordset = (rows: readonly object[]): Sql =>
  sql`${JSON.stringify(rows.map(columnsOf), (_, value: unknown) => (typeof value === 'bigint' ? value.toString() : value))}::jsonb`;

/** The column of a field, as a name in a statement. @param table its table, where several have such a column */
export const column = (field: string, table?: string): Sql =>
  sql.ref(table === undefined ? columnOf(field) : `${table}.${columnOf(field)}`);

/** The columns of some fields, as a list in a statement. */
export const columns = (fields: readonly string[]): Sql => sql.join(fields.map((field) => column(field)));

/** The `set` list of an update from the fields that are present: absent means unchanged, null means cleared. */
export function assignments(fields: Readonly<Record<string, unknown>>): Sql {
  const pairs = Object.entries(fields)
    .filter(([, value]) => value !== undefined)
    .map(([field, value]) => sql`${column(field)} = ${value}`);
  return sql.join(pairs, sql`, `);
}

/** Conditions joined by `and`; none at all is `true`. */
export const allOf = (conditions: readonly (Sql | undefined | false)[]): Sql => {
  const given = conditions.filter((condition) => condition !== undefined && condition !== false);
  return given.length === 0 ? sql`true` : sql.join(given, sql` and `);
};
