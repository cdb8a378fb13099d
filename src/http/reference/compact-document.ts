import { takesNull } from '../nulls.ts';
import { type CompactForms, keepsNull } from '../schema.ts';
import type { DocumentParts } from './examples.ts';
import type { FixedType } from './fixed-types.ts';

type Schema = Record<string, unknown>;
type Schemas = Readonly<Record<string, Schema>>;

/** The schema of JSON of any content, in which null is a value like others. */
const ANY_JSON: FixedType = 'JsonValue';

/** The keyword of the forms of fields below `/compact`. No document shows it. */
const FORMS = 'x-compact';

/** A document without the keyword. */
export function withoutForms<Part>(part: Part): Part {
  if (Array.isArray(part)) return part.map(withoutForms) as Part;
  if (!isObject(part)) return part;
  const { [FORMS]: _, ...rest } = part as Schema;
  return Object.fromEntries(Object.entries(rest).map(([key, value]) => [key, withoutForms(value)])) as Part;
}

/**
 * The OpenAPI document of the compact paths: what could be null may be absent, but for fields of another form
 * (`x-compact`) and JSON of any content.
 * @param url the address of the server, with the prefix of the compact paths
 */
export function compactDocument(document: DocumentParts, url: string): DocumentParts & { readonly servers: unknown } {
  const { paths, components, ...rest } = document;
  const named = components.schemas;
  const schemas = Object.fromEntries(
    Object.entries(named).map(([name, schema]) => [
      name,
      name === ANY_JSON ? schema : (withoutNull(schema, named) as Schema),
    ]),
  );
  return {
    ...rest,
    servers: [{ url }],
    paths: withoutNull(paths, named) as DocumentParts['paths'],
    components: { ...components, schemas },
  };
}

/** A part of a document without null among the types and values of its schemas. */
function withoutNull(part: unknown, named: Schemas): unknown {
  if (Array.isArray(part)) return part.map((each) => withoutNull(each, named));
  if (!isObject(part)) return part;
  const { properties, [FORMS]: own, ...rest } = collapsed(part);
  const shown = Object.fromEntries(
    Object.entries(rest).map(([key, value]) => [key, key.startsWith('example') ? value : withoutNull(value, named)]),
  );
  if (!isObject(properties)) return shown;
  const forms = (own ?? {}) as CompactForms;
  const fields = Object.entries(properties as Schemas).filter(
    ([name, field]) => forms[name] !== 'absent' && (keepsNull(forms[name]) || !isNull(field)),
  );
  const required = new Set((rest.required ?? []) as readonly string[]);
  for (const [name, field] of Object.entries(properties as Schemas)) {
    if (forms[name] === 'text') required.add(name);
    else if (forms[name] === 'absent' || (!keepsNull(forms[name]) && canBeNull(field, named))) required.delete(name);
  }
  return {
    ...shown,
    properties: Object.fromEntries(fields.map(([name, field]) => [name, inForm(forms[name], field, named)])),
    ...((Array.isArray(rest.required) || required.size > 0) && { required: [...required] }),
  };
}

/** The schema of a field in its compact form. */
function inForm(form: CompactForms[string] | undefined, field: Schema, named: Schemas): unknown {
  if (form === 'number') return asNumber(field);
  if (form === 'null' && isNull(field)) return field;
  const plain = withoutNull(field, named) as Schema;
  if (form === 'null') return besides(plain, { type: 'null' });
  return form === 'text' && plain.pattern !== undefined ? besides(plain, { type: 'string', const: '' }) : plain;
}

/** The union of a schema and another one, with the words of the first. */
function besides({ description, examples, ...schema }: Schema, other: Schema): Schema {
  return {
    anyOf: [schema, other],
    ...(description !== undefined && { description }),
    ...(examples !== undefined && { examples }),
  };
}

/** A schema of decimals with JSON numbers in the place of strings. */
function asNumber(part: unknown): unknown {
  if (Array.isArray(part)) return part.map(asNumber);
  if (!isObject(part)) return part;
  const { $ref, examples, ...rest } = part;
  return {
    ...(typeof $ref === 'string' && { $ref: $ref.replace(/(?<=\/)Decimal$/, 'DecimalNumber' satisfies FixedType) }),
    ...Object.fromEntries(Object.entries(rest).map(([key, value]) => [key, asNumber(value)])),
    ...(Array.isArray(examples) && { examples: examples.map(Number) }),
  };
}

/** Can a field be null? JSON of any content is never left out. */
const canBeNull = (field: Schema, named: Schemas): boolean =>
  nameOf(field) !== ANY_JSON && takesNull(resolved(field, named));

const nameOf = ({ $ref }: Schema): string | undefined =>
  typeof $ref === 'string' ? $ref.split('/').at(-1) : undefined;

/** A schema without null at its own level: of a union with one other branch, that branch. */
function collapsed(schema: Schema): Schema {
  const { type, enum: words, default: usual, anyOf, ...rest } = schema;
  const branches = Array.isArray(anyOf) ? anyOf.filter((each) => !isNull(each)) : undefined;
  const types = Array.isArray(type) ? type.filter((each) => each !== 'null') : undefined;
  const plain: Schema = {
    ...(type !== undefined && { type: types?.length === 1 ? types[0] : (types ?? type) }),
    ...(words !== undefined && { enum: Array.isArray(words) ? words.filter((word) => word !== null) : words }),
    ...(usual !== undefined && usual !== null && { default: usual }),
    ...rest,
  };
  if (branches === undefined) return plain;
  const isUnion = branches.length > 1 || branches.length === (anyOf as unknown[]).length;
  return isUnion ? { ...plain, anyOf: branches } : { ...collapsed(branches[0] as Schema), ...plain };
}

/** The schema that a reference names; where a branch of a union is one, the union with the schema in its place. */
function resolved(schema: Schema, named: Schemas): Schema {
  const name = nameOf(schema);
  const found = name === undefined ? schema : (named[name] ?? {});
  if (!Array.isArray(found.anyOf)) return found;
  return { ...found, anyOf: (found.anyOf as Schema[]).map((each) => resolved(each, named)) };
}

const isObject = (value: unknown): value is Schema =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const isNull = (schema: unknown): boolean =>
  isObject(schema) && (schema.type === 'null' || ('const' in schema && schema.const === null));
