import { z } from 'zod';
import type { Answer, Client } from '../support/environment.ts';
import { type Call, urlOf } from '../support/operations.ts';

/** A JSON schema of the document. */
export type Schema = Record<string, unknown>;

interface Content {
  readonly $ref?: string;
  readonly content?: Readonly<Record<string, { readonly schema?: Schema }>>;
}

export interface OpenApiDocument {
  readonly paths: Readonly<
    Record<
      string,
      Readonly<
        Record<
          string,
          {
            readonly operationId: string;
            readonly requestBody?: Content;
            readonly responses: Readonly<Record<string, Content>>;
          }
        >
      >
    >
  >;
  readonly components: {
    readonly schemas: Readonly<Record<string, Schema>>;
    readonly responses?: Readonly<Record<string, Content>>;
  };
  readonly servers: readonly { readonly url: string }[];
}

/** An operation as a generated client has it. */
export interface Operation {
  readonly method: string;
  readonly path: string;
  /** Null where the body is no JSON, or there is none. */
  readonly body: z.ZodType | null;
  /** The JSON schema of the body, references resolved. */
  readonly bodySchema: Schema | null;
  /** By status; null for an answer without JSON. */
  readonly replies: ReadonlyMap<number, z.ZodType | null>;
}

/**
 * The operations of a document, each with parsers that zod generates. They are as strict as a client can be: an answer
 * with a field that the document does not declare is refused too.
 */
export function generateClient(document: OpenApiDocument): ReadonlyMap<string, Operation> {
  const {
    paths,
    components: { schemas, responses: shared = {} },
    servers: [server],
  } = withoutParts(document);
  const prefix = server === undefined ? '' : new URL(server.url).pathname.replace(/\/$/, '');
  const parsers = { sent: parsersOf(schemas, (part) => part), answered: parsersOf(schemas, closing) };
  return new Map(
    Object.entries(paths).flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, { operationId, requestBody, responses }]) => {
        const sent = jsonOf(requestBody);
        const replies = Object.entries(responses).map(([status, reply]) => {
          const answered = jsonOf(reply.$ref === undefined ? reply : shared[nameOf(reply.$ref)]);
          return [Number(status), answered && parsers.answered(answered)] as const;
        });
        const operation: Operation = {
          method: method.toUpperCase(),
          path: `${prefix}${path.replaceAll(/\{([A-Za-z]+)\}/g, ':$1')}`,
          body: sent && parsers.sent(sent),
          bodySchema: sent && (resolve(sent, schemas) as Schema),
          replies: new Map(replies),
        };
        return [operationId, operation] as const;
      }),
    ),
  );
}

/**
 * A document without `allOf`: the fields of all parts stand in one object. Parsers here are closed, and each part would
 * refuse the fields of the others.
 */
export function withoutParts(document: OpenApiDocument): OpenApiDocument {
  const { schemas } = document.components;
  return mapped(document, (schema) => {
    const { allOf, unevaluatedProperties: others, ...rest } = schema;
    if (!Array.isArray(allOf)) return schema;
    const parts = allOf.map((part: Schema) => (typeof part.$ref === 'string' ? schemas[nameOf(part.$ref)] : part));
    return {
      ...rest,
      type: 'object',
      properties: Object.assign({}, ...parts.map((part) => part?.properties)) as Schema,
      required: parts.flatMap((part) => part?.required ?? []),
      ...(others !== undefined && { additionalProperties: others }),
    };
  }) as OpenApiDocument;
}

const nameOf = (reference: string): string => reference.split('/').at(-1) as string;

/** Makes a parser of a schema, once for each that is different, with the named schemas that it refers to. */
function parsersOf(named: Readonly<Record<string, Schema>>, change: (part: unknown) => unknown) {
  const known = new Map<string, z.ZodType>();
  return (schema: Schema): z.ZodType => {
    const key = JSON.stringify(schema);
    const before = known.get(key);
    if (before) return before;
    const $defs = Object.fromEntries(
      [...namesIn(schema, named)].map((name) => [name, change(inDefinitions(named[name]))]),
    );
    const parser = z.fromJSONSchema({ ...(change(inDefinitions(schema)) as Schema), $defs } as never);
    known.set(key, parser);
    return parser;
  };
}

/** The names in a schema, and the names in their schemas. */
function namesIn(part: unknown, named: Readonly<Record<string, Schema>>, found = new Set<string>()): Set<string> {
  if (typeof part !== 'object' || part === null) return found;
  const { $ref } = part as Schema;
  const name = typeof $ref === 'string' ? nameOf($ref) : '';
  const schema = named[name];
  if (schema && !found.has(name)) namesIn(schema, named, found.add(name));
  for (const each of Object.values(part)) namesIn(each, named, found);
  return found;
}

/** Makes a call as the client would. @throws if the document does not allow the request or the answer */
export async function callOperation(operation: Operation, by: Client, call: Call): Promise<Answer> {
  const { method, path, body, replies } = operation;
  if (body && call.body !== undefined) body.parse(JSON.parse(JSON.stringify(call.body)));
  const url = urlOf(path, call);
  const answer = method === 'GET' ? await by.get(url) : await by[method.toLowerCase() as 'post'](url, call.body);
  const reply = replies.get(answer.status);
  if (reply === undefined) throw new Error(`The document does not declare ${answer.status}: ${answer.text}`);
  reply?.parse(answer.body);
  return answer;
}

/** A request of a client that writes null for every omitted field, where `isMeant` allows it. */
export function withNulls(schema: Schema, value: unknown, isMeant: (field: string) => boolean = () => true): unknown {
  if (Array.isArray(value)) {
    const items = schema.items as Schema | undefined;
    return items ? value.map((each) => withNulls(items, each)) : value;
  }
  if (typeof value !== 'object' || value === null) return value;
  const form = formOf(schema, value as Schema);
  const properties = (form.properties ?? {}) as Record<string, Schema>;
  const required = new Set((form.required ?? []) as string[]);
  const absent = Object.keys(properties).filter((name) => !required.has(name) && !(name in value) && isMeant(name));
  return {
    ...Object.fromEntries(absent.map((name) => [name, null])),
    ...Object.fromEntries(
      Object.entries(value).map(([name, field]) => [
        name,
        properties[name] ? withNulls(properties[name], field) : field,
      ]),
    ),
  };
}

/** The branch of a union that is an object of this kind. */
function formOf(schema: Schema, value: Schema): Schema {
  const { anyOf, oneOf = anyOf } = schema as { anyOf?: Schema[]; oneOf?: Schema[] };
  if (oneOf === undefined) return schema;
  const branches = oneOf.map((branch) => formOf(branch, value)).filter(({ properties }) => properties);
  const fitting = branches.find(({ properties, required = [] }) => {
    const fields = properties as Record<string, Schema>;
    const hasAll = (required as string[]).every((name) => name in value);
    const isOf = Object.entries(fields).every(([name, { const: only }]) => only === undefined || value[name] === only);
    return hasAll && isOf && Object.keys(value).every((name) => name in fields);
  });
  return fitting ?? {};
}

const jsonOf = (part: Content | undefined): Schema | null => part?.content?.['application/json']?.schema ?? null;

/** The references as zod reads them. */
const inDefinitions = (part: unknown): unknown =>
  mapped(part, (schema) =>
    typeof schema.$ref === 'string' ? { $ref: schema.$ref.replace('#/components/schemas/', '#/$defs/') } : schema,
  );

/** Objects with declared fields have no others. */
const closing = (part: unknown): unknown =>
  mapped(part, (schema) =>
    schema.type === 'object' && schema.properties && schema.additionalProperties === undefined
      ? { ...schema, additionalProperties: false }
      : schema,
  );

/** A schema with the named ones in their places; a recursive one stays a reference inside. */
function resolve(part: unknown, named: Readonly<Record<string, Schema>>, within: readonly string[] = []): unknown {
  return mapped(part, (schema) => {
    const name = typeof schema.$ref === 'string' ? nameOf(schema.$ref) : '';
    const found = within.includes(name) ? undefined : named[name];
    return found === undefined ? schema : (resolve(found, named, [...within, name]) as Schema);
  });
}

/** Each object of a JSON value, changed from the leaves up. */
function mapped(part: unknown, change: (schema: Schema) => Schema): unknown {
  if (Array.isArray(part)) return part.map((each) => mapped(each, change));
  if (typeof part !== 'object' || part === null) return part;
  return change(Object.fromEntries(Object.entries(part).map(([key, value]) => [key, mapped(value, change)])));
}
