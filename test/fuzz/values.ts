import fc from 'fast-check';

/** A JSON schema is whatever it is. */
// biome-ignore lint/suspicious/noExplicitAny: it is walked, not used
export type Schema = any;

/** Ids that exist, by their prefix (`prod_`). */
export type KnownIds = Map<string, string[]>;

/** Values that have broken other services before. */
const hostile: fc.Arbitrary<unknown> = fc.oneof(
  fc.jsonValue({ maxDepth: 2 }),
  fc.constantFrom<unknown>(
    ...[null, '', '0', '-1', 'NaN', '1e400', 1e300, -0, 2 ** 53, 0.1 + 0.2, '9'.repeat(60), [], {}, [[]]],
    ...['2026-02-30T00:00:00Z', '2026-01-31T00:00:00.123456789Z', '2199-12-31T23:59:59Z', '2000-01-01T00:00:00Z'],
    ...['P1M', 'P0D', 'PT0S', 'P9999Y', '$.a', 'USD', 'XXX', '\ud800', 'a\0b', "'; drop table x; --", '%', '\\'],
    ...['__proto__', 'constructor', 'toString', { a: { b: {} } }, 'İ', '🂡'.repeat(40)],
  ),
);

const decimals = fc.oneof(
  fc.constantFrom('1', '0.5', '19.99', '0', '-3', '0.000001', '99999999999999', '0.123456789'),
  fc.integer({ min: -5, max: 1000 }).map(String),
);

/** Mostly values that the schema allows, and sometimes others. */
export function valueFor(schema: Schema, ids: KnownIds, depth = 0): fc.Arbitrary<unknown> {
  return fc.oneof({ weight: 30, arbitrary: wanted(schema, ids, depth) }, { weight: 1, arbitrary: hostile });
}

function wanted(schema: Schema, ids: KnownIds, depth: number): fc.Arbitrary<unknown> {
  if (schema === undefined || schema === true || depth > 6) return hostile;
  const inner = (part: Schema) => valueFor(part, ids, depth + 1);
  const choices = schema.anyOf ?? schema.oneOf;
  if (choices) return fc.oneof(...choices.map(inner));
  if (schema.const !== undefined) return fc.constant(schema.const);
  if (schema.enum) return fc.constantFrom(...schema.enum);
  return schema['x-decimal'] ? decimalFor(schema['x-decimal'].accept) : ofType(schema, ids, inner);
}

function decimalFor(accept = 'string'): fc.Arbitrary<unknown> {
  return accept === 'string' ? decimals : fc.oneof(decimals.map(Number), ...(accept === 'both' ? [decimals] : []));
}

function ofType(schema: Schema, ids: KnownIds, inner: (part: Schema) => fc.Arbitrary<unknown>): fc.Arbitrary<unknown> {
  switch (schema.type) {
    case 'string':
      return textFor(schema, ids);
    case 'integer':
      return fc.integer({ min: schema.minimum ?? -10, max: Math.min(schema.maximum ?? 1000, 1000) });
    case 'number':
      return fc.integer({ min: -10, max: 1000 });
    case 'boolean':
      return fc.boolean();
    case 'array':
      return fc.array(inner(schema.items), { minLength: schema.minItems ?? 0, maxLength: 3 });
    case 'object':
      return objectFor(schema, ids, inner);
    default:
      return hostile;
  }
}

function textFor(schema: Schema, ids: KnownIds): fc.Arbitrary<string> {
  if (schema.format === 'date-time') {
    const days = { min: new Date('2025-01-01'), max: new Date('2027-12-31'), noInvalidDate: true };
    return fc.date(days).map((date) => date.toISOString());
  }
  if (schema.format === 'currency') return fc.constantFrom('USD', 'USD', 'JPY', 'BHD');
  if (schema.format === 'email') return fc.constantFrom('a@b.example', 'B@b.example');
  const prefix = /^\^([a-z]+_)\[/.exec(schema.pattern ?? '')?.[1];
  const known: string[] = prefix === undefined ? [] : (ids.get(prefix) ?? []);
  if (known.length > 0) return fc.constantFrom(...known);
  if (schema.pattern) return fc.stringMatching(new RegExp(schema.pattern)).filter((text) => text.length < 100);
  const plain = [
    '{"region":["\\u0000"]}',
    '{"region":["eu"]}',
    '{"\\ud800":["eu"]}',
    'P1M',
    'P1Y',
    'PT0S',
    '$.tokens',
    'api.call',
    'https://a.example/x',
    'word',
  ];
  const [minLength, maxLength] = [schema.minLength ?? 0, Math.min(schema.maxLength ?? 30, 30)];
  return fc.oneof(fc.constantFrom(...plain), fc.string({ minLength, maxLength: Math.max(minLength, maxLength) }));
}

/** A map: mostly keys in their form, sometimes another key. */
function mapFor(schema: Schema, ids: KnownIds, inner: (part: Schema) => fc.Arbitrary<unknown>): fc.Arbitrary<unknown> {
  const key = fc.oneof(
    { weight: 8, arbitrary: textFor({ maxLength: 20, ...schema.propertyNames }, ids) },
    { weight: 1, arbitrary: fc.constantFrom(...UNSTORABLE_TEXTS, '__proto__x', 'constructor', '') },
  );
  return fc.dictionary(key, inner(schema.additionalProperties), { maxKeys: 3 });
}

/** Texts that PostgreSQL cannot store. */
export const UNSTORABLE_TEXTS = ['\0', 'a\0b', '\ud800', '\udc00x'] as const;

/** The value again and again, each time with another text or object key replaced. */
export function replacements(value: unknown, text: string): unknown[] {
  if (typeof value === 'string') return [text];
  if (Array.isArray(value))
    return value.flatMap((part, index) => replacements(part, text).map((other) => value.with(index, other)));
  if (typeof value !== 'object' || value === null) return [];
  const entries = Object.entries(value);
  return [
    { ...value, [text]: 1 },
    ...entries.flatMap(([key, part]) => replacements(part, text).map((other) => ({ ...value, [key]: other }))),
    ...entries.map(([key, part]) =>
      Object.fromEntries(entries.map(([name, same]) => (name === key ? [text, part] : [name, same]))),
    ),
  ];
}

/** No merchantId of another merchant: it is refused before the other fields are read. */
function objectFor(
  schema: Schema,
  ids: KnownIds,
  inner: (part: Schema) => fc.Arbitrary<unknown>,
): fc.Arbitrary<unknown> {
  const properties = Object.entries(schema.properties ?? {}).filter(([name]) => name !== 'merchantId');
  if (typeof schema.additionalProperties === 'object') return mapFor(schema, ids, inner);
  if (properties.length === 0) return fc.dictionary(fc.string({ maxLength: 10 }), hostile, { maxKeys: 3 });
  const required = (schema.required ?? []).filter((name: string) => name !== 'merchantId');
  const record = fc.record(Object.fromEntries(properties.map(([name, part]) => [name, inner(part)])), {
    requiredKeys: required,
  });
  // Few fields at a time get deeper than many, because each field may cause the refusal.
  return fc.tuple(record, fc.double({ min: 0, max: 1, noNaN: true })).map(([values, share]) => {
    const names = Object.keys(values);
    const kept = names.filter((name, index) => required.includes(name) || index % 7 < share * 7);
    return Object.fromEntries(kept.map((name) => [name, values[name]]));
  });
}
