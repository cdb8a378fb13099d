/** A difference between the approved content and the present one. */
export interface Change {
  /** The place of the change: `lineItems[oli_…].quantity`. */
  readonly path: string;
  /** Null where it was not there. */
  readonly before: unknown;
  /** Null where it is not there any more. */
  readonly after: unknown;
  /** The same as a sentence. */
  readonly text: string;
}

type Fields = Readonly<Record<string, unknown>>;

const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** The name of an element in an array; other arrays use the name of the field. */
const ELEMENTS: Readonly<Record<string, string>> = {
  lineItems: 'Line item',
  lines: 'Line',
  billingSchedules: 'Billing schedule',
  intervals: 'Interval',
};

/** `unitPrice` → `unit price` */
const inWords = (field: string): string => field.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);

const capital = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

/** The element's own key, by which it is found again; null: it has none. */
function keyOf(value: unknown): string | null {
  if (!isFields(value)) return null;
  const key = value.id ?? value.key;
  return typeof key === 'string' ? key : null;
}

function nameOf(array: string, value: Fields, key: string): string {
  const name = value.description ?? value.displayName ?? value.name;
  return `${ELEMENTS[array] ?? capital(inWords(array))} “${typeof name === 'string' && name !== '' ? name : key}”`;
}

function shown(value: unknown): string {
  if (value === null || value === undefined) return 'nothing';
  return typeof value === 'string' ? value : JSON.stringify(value);
}

const isSame = (a: unknown, b: unknown): boolean => {
  if (Array.isArray(a) && Array.isArray(b))
    return a.length === b.length && a.every((each, index) => isSame(each, b[index]));
  if (!isFields(a) || !isFields(b)) return a === b;
  const keys = new Set([...Object.keys(a), ...Object.keys(b)]);
  return [...keys].every((key) => isSame(a[key] ?? null, b[key] ?? null));
};

interface Place {
  readonly path: string;
  /** The subject of the sentence; null: the resource itself. */
  readonly of: string | null;
  /** The field's name. */
  readonly field: string;
}

/**
 * The differences between two contents, in the order of their fields. Elements of arrays are found again by their `id`
 * or `key`, so that an inserted line is one change. Absent and null are the same.
 */
export const changesBetween = (before: unknown, after: unknown): Change[] =>
  compare(before, after, { path: '', of: null, field: '' });

function compare(before: unknown, after: unknown, place: Place): Change[] {
  if (isSame(before, after)) return [];
  if (isFields(before) && isFields(after)) return compareFields(before, after, place);
  if (isKeyed(before) && isKeyed(after)) return compareElements(before, after, place);
  const { path, of, field } = place;
  const what = of === null ? capital(inWords(field)) : `${of}: ${inWords(field)}`;
  return [
    {
      path,
      before: before ?? null,
      after: after ?? null,
      text: `${what} changed from ${shown(before)} to ${shown(after)}.`,
    },
  ];
}

const compareFields = (before: Fields, after: Fields, { path, of }: Place): Change[] =>
  [...new Set([...Object.keys(after), ...Object.keys(before)])].flatMap((field) =>
    compare(before[field], after[field], { path: path === '' ? field : `${path}.${field}`, of, field }),
  );

const isKeyed = (value: unknown): value is Fields[] =>
  Array.isArray(value) && value.every((each) => keyOf(each) !== null);

function compareElements(before: readonly Fields[], after: readonly Fields[], { path, field }: Place): Change[] {
  const byKey = (elements: readonly Fields[]) => new Map(elements.map((each) => [keyOf(each) as string, each]));
  const [old, fresh] = [byKey(before), byKey(after)];
  return [...new Set([...old.keys(), ...fresh.keys()])].flatMap((key): Change[] => {
    const [was, is] = [old.get(key), fresh.get(key)];
    const at = `${path}[${key}]`;
    const named = nameOf(field, (was ?? is) as Fields, key);
    if (!was) return [{ path: at, before: null, after: is, text: `${named} was added.` }];
    if (!is) return [{ path: at, before: was, after: null, text: `${named} was removed.` }];
    return compare(was, is, { path: at, of: named, field });
  });
}
