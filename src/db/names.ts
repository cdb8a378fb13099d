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

/** An empty row for each list of columns that was met. */
const shapes = new Map<string, object>();

/**
 * An empty row. The engine keeps what is filled field by field as a hash table, which is seven times as slow to copy;
 * what is read as a whole, and its copies, it keeps as records.
 */
function shapeOf(names: readonly string[]): object {
  const key = names.join();
  const known = shapes.get(key);
  if (known !== undefined) return known;
  const shape = JSON.parse(`{${names.map((name) => `${JSON.stringify(name)}:null`).join()}}`) as object;
  shapes.set(key, shape);
  return shape;
}

/** Rows from the values of their columns. */
export function rowsOf(names: readonly string[], all: readonly (readonly unknown[])[]): Record<string, unknown>[] {
  const shape = shapeOf(names);
  return all.map((values) => {
    const row: Record<string, unknown> = { ...shape };
    for (let index = 0; index < names.length; index += 1) row[names[index] as string] = values[index];
    return row;
  });
}

/** A record with columns for fields. */
export function columnsOf(record: object): Record<string, unknown> {
  const stored: Record<string, unknown> = {};
  for (const [field, value] of Object.entries(record)) stored[columnOf(field)] = value;
  return stored;
}
