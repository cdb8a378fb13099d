/** A field that a change has touched; undefined: it was or is not there. */
export interface FieldChange {
  readonly path: string;
  readonly before: unknown;
  readonly after: unknown;
}

const isThing = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Which fields of a thing differ between two states, in the order of their names; `updatedAt` differs always. */
export function fieldChanges(before: unknown, after: unknown, prefix = ''): readonly FieldChange[] {
  if (JSON.stringify(before) === JSON.stringify(after)) return [];
  if (!isThing(before) && !isThing(after)) return [{ path: prefix, before, after }];
  const [old, now] = [isThing(before) ? before : {}, isThing(after) ? after : {}];
  const names = [...new Set([...Object.keys(old), ...Object.keys(now)])].filter((each) => each !== 'updatedAt');
  return names.toSorted().flatMap((name) => fieldChanges(old[name], now[name], prefix ? `${prefix}.${name}` : name));
}
