import { parseExactJson } from '../db/index.ts';
import { takesNull } from './nulls.ts';

/** The prefix of a second path for every operation, with answers without nulls. */
export const COMPACT_PATH = '/compact';

/** The path of the operation that a compact path names. What is repeated counts once. */
export const plainUrl = (url: string): string => (isOfDocument(url) ? url : url.replace(/^(?:\/compact)+(?=\/.)/, ''));

/** The document of the compact paths and its page have routes of their own. */
const isOfDocument = (url: string): boolean => /^\/compact\/(?:docs|openapi\.json)(?:[/?]|$)/.test(url);

/** A JSON text without the fields whose value is null, at any depth; numbers keep their digits. */
export const compactText = (text: string): string =>
  JSON.stringify(parseExactJson(text), (_key, value: unknown) => (value === null ? undefined : value));

type Schema = Record<string, unknown>;
type Schemas = Readonly<Record<string, Schema>>;

/** The OpenAPI document of the compact paths: nothing in it is nullable, and what could be null may be absent. */
export function compactDocument(document: unknown): unknown {
  const { paths, components, ...rest } = document as Schema & { components: { schemas?: Schemas } };
  const named = components?.schemas ?? {};
  return {
    ...rest,
    paths: Object.fromEntries(
      Object.entries(paths as Schema).map(([path, operations]) => [
        `${COMPACT_PATH}${path}`,
        withoutNull(operations, named),
      ]),
    ),
    components: { ...components, schemas: withoutNull(named, named) },
  };
}

/** A part of a document without null among the types and values of its schemas. */
function withoutNull(part: unknown, named: Schemas): unknown {
  if (Array.isArray(part)) return part.map((each) => withoutNull(each, named));
  if (!isObject(part)) return part;
  const { properties, ...rest } = collapsed(part);
  const shown = Object.fromEntries(
    Object.entries(rest).map(([key, value]) => [key, isExample(key) ? compactValue(value) : withoutNull(value, named)]),
  );
  if (!isObject(properties)) return shown;
  const fields = Object.entries(properties as Schemas);
  const absent = new Set(fields.filter(([, field]) => takesNull(resolved(field, named))).map(([name]) => name));
  return {
    ...shown,
    properties: Object.fromEntries(
      fields.filter(([, field]) => !isNull(field)).map(([name, field]) => [name, withoutNull(field, named)]),
    ),
    ...(Array.isArray(rest.required) && { required: rest.required.filter((name: string) => !absent.has(name)) }),
  };
}

const isExample = (key: string): boolean => key === 'example' || key === 'examples';

const compactValue = (value: unknown): unknown => JSON.parse(compactText(JSON.stringify(value))) as unknown;

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
  const found = typeof schema.$ref === 'string' ? (named[schema.$ref.split('/').at(-1) as string] ?? {}) : schema;
  if (!Array.isArray(found.anyOf)) return found;
  return { ...found, anyOf: (found.anyOf as Schema[]).map((each) => resolved(each, named)) };
}

const isObject = (value: unknown): value is Schema =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const isNull = (schema: unknown): boolean =>
  isObject(schema) && (schema.type === 'null' || ('const' in schema && schema.const === null));
