type Reviver = (key: string, value: unknown, context?: { readonly source?: string }) => unknown;

/** A number that a `double` would round stays text, with all its digits. */
const exactly: Reviver = (_key, value, context) =>
  typeof value === 'number' &&
  context?.source !== undefined &&
  String(value) !== context.source &&
  !/[eE]/.test(context.source)
    ? context.source
    : value;

/** Reads JSON without losing a digit of a number. */
export const parseExactly = (text: string): unknown =>
  JSON.parse(text, exactly as (key: string, value: unknown) => unknown);
