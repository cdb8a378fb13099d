/**
 * Columns are snake_case in the database and camelCase in the program. Names are changed in this room alone: columns of
 * an answer become fields, and fields that a statement writes become columns. Names in jsonb values stay as they are.
 */

/** Every column and field that was met; a program has a few hundred. */
const fields = new Map<string, string>();
const columns = new Map<string, string>();

/** The field that holds a column: `period_start` → `periodStart`. */
export function fieldOf(column: string): string {
  const known = fields.get(column);
  if (known !== undefined) return known;
  const field = column.replace(/_([a-z0-9])/g, (_, letter: string) => letter.toUpperCase());
  fields.set(column, field);
  return field;
}

/** The column that a field is stored in: `periodStart` → `period_start`. No column has a digit after an underscore. */
export function columnOf(field: string): string {
  const known = columns.get(field);
  if (known !== undefined) return known;
  const column = field.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
  columns.set(field, column);
  return column;
}

/** A row from the values of its columns. */
export function rowOf(names: readonly string[], values: readonly unknown[]): Record<string, unknown> {
  const row: Record<string, unknown> = {};
  for (let index = 0; index < names.length; index += 1) row[names[index] as string] = values[index];
  return row;
}

/** A record with columns for fields. */
export function columnsOf(record: object): Record<string, unknown> {
  const stored: Record<string, unknown> = {};
  for (const [field, value] of Object.entries(record)) stored[columnOf(field)] = value;
  return stored;
}
