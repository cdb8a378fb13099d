type Schema = Readonly<Record<string, unknown>>;
type Schemas = Readonly<Record<string, Schema>>;

/** An id of an example ends so: sixteen digits that every kind of id takes. */
const ID_END = '8c3d5e0f1a2b4c6d';

/** Examples for the formats and patterns of schemas. */
const OF_FORMATS: Readonly<Record<string, string>> = {
  'date-time': '2026-03-01T00:00:00Z',
  date: '2026-03-01',
  currency: 'EUR',
  email: 'ada@example.com',
  uri: 'https://example.com',
};

/** Texts whose schema has no example, by the name of the field. */
const OF_NAMES: Readonly<Record<string, string>> = {
  aggregation: 'SUM',
  billingCadence: 'P1M',
  billingEmails: 'billing@example.com',
  brand: 'visa',
  code: 'VALIDATION_FAILED',
  country: 'DE',
  currency: 'EUR',
  email: 'ada@example.com',
  eventType: 'api.called',
  externalId: 'acme-1',
  externalSubject: 'acme-1',
  featureKey: 'api-calls',
  grandTotal: '120.00',
  invoiceNumber: 'INV-000042',
  key: 'api-calls',
  last4: '4242',
  locale: 'en',
  model: 'standard',
  name: 'Acme',
  paidAmount: '0.00',
  phone: '+49 30 901820',
  quantity: '10',
  subtotal: '100.00',
  taxAmount: '20.00',
  taxId: 'DE136695976',
  total: '120.00',
  totalTax: '20.00',
  unit: 'call',
  unitPrice: '0.02',
  unpaidAmount: '120.00',
};

/** Deeper schemas are shown as an empty object. */
const DEEPEST = 12;

/** As much of a document as has examples. */
export interface DocumentParts {
  readonly paths: Readonly<Record<string, Readonly<Record<string, OperationParts>>>>;
  readonly components: { readonly schemas: Schemas };
}

export interface OperationParts extends Schema {
  readonly responses: Readonly<Record<string, Schema & { readonly content?: Readonly<Record<string, Schema>> }>>;
}

/** The document with an example of each JSON answer of success. */
export function withExamples<Document extends DocumentParts>(document: Document): Document {
  const { schemas } = document.components;
  const paths = structuredClone(document.paths);
  for (const { responses } of Object.values(paths).flatMap((methods) => Object.values(methods)))
    for (const [status, { content }] of Object.entries(responses)) {
      const json = content?.['application/json'] as { schema: Schema; example?: unknown } | undefined;
      if (json && status.startsWith('2')) json.example = exampleOf(json.schema, schemas);
    }
  return { ...document, paths };
}

/**
 * A value of a schema of the OpenAPI document: its own example, or one that is composed from those of its fields. What
 * can be null and has no example is null.
 * @param named the schemas to which references lead
 */
export function exampleOf(schema: Schema, named: Schemas, depth = 0, name = ''): unknown {
  const { examples, type, allOf, anyOf, oneOf, $ref } = schema;
  if (Array.isArray(examples)) return examples[0];
  if ('const' in schema) return schema.const;
  if (typeof $ref === 'string') return exampleOf(named[$ref.split('/').at(-1) as string] ?? {}, named, depth, name);
  if ('default' in schema) return schema.default;
  if (Array.isArray(schema.enum)) return schema.enum[0];
  if (Array.isArray(anyOf)) {
    const isNullable = anyOf.some((branch: Schema) => branch.type === 'null');
    return isNullable ? null : exampleOf(anyOf[0] as Schema, named, depth, name);
  }
  if (Array.isArray(allOf))
    return Object.assign({}, ...allOf.map((part: Schema) => exampleOf(part, named, depth, name))) as unknown;
  if (Array.isArray(oneOf)) return exampleOf(oneOf[0] as Schema, named, depth, name);
  if (Array.isArray(type))
    return type.includes('null') ? null : exampleOf({ ...schema, type: type[0] }, named, depth, name);
  if (depth > DEEPEST) return {};
  if (type === 'array') return schema.items ? [exampleOf(schema.items as Schema, named, depth + 1, name)] : [];
  if (type === 'object') return objectExample(schema, named, depth);
  return plainExample(schema, name);
}

/** The required fields, and the optional ones that have an example: the others are often there in some cases only. */
function objectExample({ properties = {}, required = [] }: Schema, named: Schemas, depth: number): Schema {
  const isShown = ([name, { examples }]: [string, Schema]): boolean =>
    (required as readonly string[]).includes(name) || examples !== undefined;
  const fields = Object.entries(properties as Schemas).filter(isShown);
  return Object.fromEntries(fields.map(([name, field]) => [name, exampleOf(field, named, depth + 1, name)]));
}

function plainExample({ type, format, pattern, minimum }: Schema, name: string): unknown {
  if (type === 'integer' || type === 'number') return typeof minimum === 'number' ? minimum : 1;
  if (type === 'boolean') return false;
  if (type !== 'string') return null;
  if (format === 'decimal') return OF_NAMES[name] ?? '12.50';
  if (typeof format === 'string') return OF_FORMATS[format] ?? '';
  const prefix = typeof pattern === 'string' ? /^\^([a-z]+_)/.exec(pattern)?.[1] : undefined;
  if (prefix !== undefined) return `${prefix}${ID_END}`;
  if (name in OF_NAMES) return OF_NAMES[name];
  if (name.endsWith('Url') || name === 'url') return 'https://example.com';
  return typeof pattern === 'string' ? '12.50' : 'text';
}
