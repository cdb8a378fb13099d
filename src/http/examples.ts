type Schema = Readonly<Record<string, unknown>>;
type Schemas = Readonly<Record<string, Schema>>;

/** An id of an example ends so: sixteen digits that every kind of id takes. */
const ID_END = '8c3d5e0f1a2b4c6d';

/** What the formats and the patterns of schemas take. */
const OF_FORMATS: Readonly<Record<string, string>> = {
  'date-time': '2026-03-01T00:00:00.000Z',
  date: '2026-03-01',
  currency: 'EUR',
  email: 'ada@example.com',
  uri: 'https://example.com',
};

/** Deeper schemas are shown as an empty object. */
const DEEPEST = 12;

/**
 * A value of a schema of the OpenAPI document: its own example, or one that is composed from those of its fields. What
 * can be null and has no example is null.
 * @param named the schemas to which references lead
 */
export function exampleOf(schema: Schema, named: Schemas, depth = 0): unknown {
  const { examples, type, anyOf, $ref } = schema;
  if (Array.isArray(examples)) return examples[0];
  if ('const' in schema) return schema.const;
  if (typeof $ref === 'string') return exampleOf(named[$ref.split('/').at(-1) as string] ?? {}, named, depth);
  if ('default' in schema) return schema.default;
  if (Array.isArray(schema.enum)) return schema.enum[0];
  if (Array.isArray(anyOf)) {
    const isNullable = anyOf.some((branch: Schema) => branch.type === 'null');
    return isNullable ? null : exampleOf(anyOf[0] as Schema, named, depth);
  }
  if (Array.isArray(type)) return type.includes('null') ? null : exampleOf({ ...schema, type: type[0] }, named, depth);
  if (depth > DEEPEST) return {};
  if (type === 'array') return schema.items ? [exampleOf(schema.items as Schema, named, depth + 1)] : [];
  if (type === 'object') return objectExample(schema, named, depth);
  return plainExample(schema);
}

function objectExample({ properties = {} }: Schema, named: Schemas, depth: number): Schema {
  const fields = Object.entries(properties as Schemas);
  return Object.fromEntries(fields.map(([name, field]) => [name, exampleOf(field, named, depth + 1)]));
}

function plainExample({ type, format, pattern, minimum }: Schema): unknown {
  if (type === 'integer' || type === 'number') return typeof minimum === 'number' ? minimum : 1;
  if (type === 'boolean') return false;
  if (type !== 'string') return null;
  if (typeof format === 'string') return OF_FORMATS[format] ?? '';
  const prefix = typeof pattern === 'string' ? /^\^([a-z]+_)/.exec(pattern)?.[1] : undefined;
  if (prefix !== undefined) return `${prefix}${ID_END}`;
  return typeof pattern === 'string' ? '12.50' : 'text';
}
