import type { Field } from '../api/document.ts';

/** What stands in the fields of a form, by their paths. */
export type Values = Readonly<Record<string, unknown>>;

/** The rows of a field that has some. */
export const rowsOf = (value: unknown): readonly Values[] => (value as readonly Values[] | undefined) ?? [];

/** The value at a dotted path. */
export const valueAt = (thing: unknown, path: string): unknown =>
  path.split('.').reduce<unknown>((part, name) => (part as Record<string, unknown> | null | undefined)?.[name], thing);

/** A value of the API as text: numbers with many digits are texts already. */
export const textOf = (value: unknown): string =>
  typeof value === 'string' ? value : value === undefined || value === null ? '' : JSON.stringify(value);

function put(body: Record<string, unknown>, path: string, value: unknown): void {
  const names = path.split('.');
  let part = body;
  for (const name of names.slice(0, -1)) {
    part[name] ??= {};
    part = part[name] as Record<string, unknown>;
  }
  part[names.at(-1) as string] = value;
}

const isEmpty = (value: unknown): boolean =>
  value === undefined || value === null || value === '' || (Array.isArray(value) && value.length === 0);

const NUMBER = /^-?\d+(\.\d+)?$/;

/** A JSON number with every digit that was typed; what is no number is sent as it is, and the server says so. */
export function numberOf(text: string): unknown {
  if (!NUMBER.test(text)) return text;
  const raw = (JSON as { rawJSON?: (text: string) => unknown }).rawJSON;
  return String(Number(text)) === text || !raw ? Number(text) : raw(text);
}

/** The value of a field as the API takes it. */
function sentValue(field: Field, value: unknown): unknown {
  if (field.kind === 'numbers') return (value as readonly string[]).map(numberOf);
  if (field.kind === 'rows') return rowsOf(value).map((row) => bodyOf(field.rows, row));
  if (typeof value !== 'string') return value;
  const text = value.trim();
  if (field.kind === 'number') return numberOf(text);
  if (field.kind === 'moment') return new Date(text).toISOString();
  if (field.kind === 'json') return JSON.parse(text) as unknown;
  return field.kind === 'long' ? value : text;
}

/** What stands in a field for a value of the API. */
export function shownValue(field: Field, value: unknown): unknown {
  if (value === null || value === undefined) return undefined;
  if (field.kind === 'moment') return localMinute(textOf(value));
  if (field.kind === 'json') return JSON.stringify(value, null, 2);
  if (field.kind === 'rows')
    return rowsOf(value).map((row) =>
      Object.fromEntries(field.rows.map((each) => [each.path, shownValue(each, valueAt(row, each.path))])),
    );
  if (field.kind === 'numbers') return (value as readonly unknown[]).map(textOf);
  if (field.kind === 'number' || field.kind === 'decimal') return textOf(value);
  return value;
}

/** A moment as the field for it wants it, in the zone of the browser. */
export function localMinute(instant: string): string {
  const at = new Date(instant);
  return new Date(at.getTime() - at.getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
}

/**
 * The body of a request: of a new thing what was filled in, of a change what differs from what was there. A field that
 * was emptied is null where that is allowed. @throws SyntaxError for JSON that cannot be read
 */
export function bodyOf(fields: readonly Field[], values: Values, before?: Values): Record<string, unknown> {
  const body: Record<string, unknown> = {};
  for (const field of fields) {
    const value = values[field.path];
    if (before && JSON.stringify(value ?? '') === JSON.stringify(before[field.path] ?? '')) continue;
    if (!isEmpty(value)) put(body, field.path, sentValue(field, value));
    else if (before && field.isNullable && field.kind !== 'rows') put(body, field.path, null);
    else if (before) put(body, field.path, Array.isArray(value) ? [] : '');
  }
  return body;
}
