type Thing = Readonly<Record<string, unknown>>;

const isThing = (value: unknown): value is Thing =>
  typeof value === 'object' &&
  value !== null &&
  !Array.isArray(value) &&
  Object.getPrototypeOf(value) === Object.prototype;

const isEmpty = (value: unknown): boolean => value === null || value === undefined || value === '';

/**
 * What is sent for a change of a thing that has objects which the API replaces as a whole: their fields that were not
 * changed are sent too. Such an object is null if all its fields are empty.
 */
export function wholeOf(
  before: unknown,
  change: Thing,
  isWhole: (path: string) => boolean,
  prefix = '',
): Record<string, unknown> {
  const old = isThing(before) ? before : {};
  return Object.fromEntries(
    Object.entries(change).map(([name, value]) => {
      if (!isThing(value)) return [name, value];
      const path = `${prefix}${name}`;
      if (!isWhole(path)) return [name, wholeOf(old[name], value, isWhole, `${path}.`)];
      const kept = isThing(old[name]) ? old[name] : {};
      const whole = { ...kept, ...wholeOf(kept, value, () => true) };
      return [name, Object.values(whole).every(isEmpty) ? null : whole];
    }),
  );
}
