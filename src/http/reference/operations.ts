import type { Preconditions } from '../answers/preconditions.ts';
import type { Route } from '../route.ts';
import { MapOut, type TSchema } from '../schema.ts';
import { errorStatuses, takesIdempotencyKey } from '../statuses.ts';
import { exampleOf, type OperationParts } from './examples.ts';
import { type NamedSchemas, nameIn } from './named-schemas.ts';
import { DELIVERY_PARAMETERS, errorResponse, headersOf, parameter, showHeaders } from './shared-parts.ts';
import { pathWords } from './words.ts';

type Schema = Readonly<Record<string, unknown>>;
type Declaration = Route['declaration'];

/** The webhooks that the program sends. */
export interface Deliveries {
  /** The union of their bodies by type. */
  readonly body: TSchema;
  readonly descriptions: Readonly<Record<string, string>>;
}

/** Stands for the webhooks of all types, as in the types of an endpoint. */
const ANY_TYPE = '*';

const FILE = { type: 'string', format: 'binary' } as const;

const SUCCESS_WORDS: Readonly<Record<number, string>> = {
  200: 'Done.',
  201: 'Created.',
  202: 'Accepted, and stored on disk.',
  204: 'Deleted.',
};

/** A route as an operation of the document, its named schemas as references. */
export function describeOperation(route: Route, schemas: NamedSchemas, preconditions: Preconditions): OperationParts {
  const { declaration } = route;
  const { operationId, tag, summary, description, access, replies } = declaration;
  const takesIfMatch = preconditions.takesIfMatch(route);
  const parameters = [...parametersOf(declaration, schemas), ...(takesIfMatch ? [parameter('If-Match')] : [])];
  const body = bodyOf(declaration, schemas);
  const answers = Object.entries(replies).map(
    ([status, reply]) => [status, answerOf(Number(status), reply, declaration, schemas, preconditions)] as const,
  );
  const own = new Set(Object.keys(replies));
  const errors = errorStatuses(declaration, takesIfMatch).filter((status) => !own.has(String(status)));
  return {
    operationId,
    tags: [tag],
    summary,
    ...(description !== undefined && { description }),
    ...('public' in access && { security: [] }),
    ...(parameters.length > 0 && { parameters }),
    ...(body !== null && { requestBody: body }),
    responses: Object.fromEntries([...answers, ...errors.map((status) => [status, errorResponse(status)] as const)]),
  };
}

/** The webhooks by their types: what a receiver gets. */
export function describeDeliveries({ body, descriptions }: Deliveries, schemas: NamedSchemas): Schema {
  const union = schemas.ofReply(body) as { readonly $ref: string };
  const { discriminator } = schemas.resolved(union) as {
    discriminator: { mapping: Readonly<Record<string, string>> };
  };
  return Object.fromEntries(
    Object.entries({ ...discriminator.mapping, [ANY_TYPE]: union.$ref }).map(([type, $ref]) => {
      const content = { 'application/json': { schema: { $ref }, example: exampleOf({ $ref }, schemas.all) } };
      const post = {
        operationId: `receive${nameIn({ $ref })}`,
        tags: ['Webhooks'],
        summary: type === ANY_TYPE ? 'Receive any webhook' : `Receive ${type}`,
        description: descriptions[type] ?? 'Every webhook, by its `type`.',
        security: [],
        parameters: Object.keys(DELIVERY_PARAMETERS).map(parameter),
        requestBody: { required: true, content },
        responses: { '2XX': { description: 'Received. After any other status there are further attempts.' } },
      };
      return [type, { post }];
    }),
  );
}

function parametersOf(declaration: Declaration, schemas: NamedSchemas): readonly Schema[] {
  const { path, query, headers, access } = declaration;
  const merchant = 'merchant' in access ? access.merchant : undefined;
  const inPath = [...path.matchAll(/:([A-Za-z]+)/g)].map(([, name = '']) => ({
    name,
    in: 'path',
    required: true,
    description: pathWords(name, typeof merchant === 'object' && merchant.of === name ? merchant.kind : undefined),
    schema: { type: 'string' },
  }));
  return [
    ...inPath,
    ...fieldsOf('query', query, schemas),
    ...fieldsOf('header', headers, schemas),
    ...(takesIdempotencyKey(declaration) ? [parameter('Idempotency-Key')] : []),
  ];
}

/** The fields of an object as parameters. */
function fieldsOf(place: 'query' | 'header', object: TSchema | undefined, schemas: NamedSchemas): readonly Schema[] {
  if (object === undefined) return [];
  const { properties = {}, required = [] } = schemas.ofQuery(object) as {
    properties?: Record<string, Schema>;
    required?: readonly string[];
  };
  return Object.entries(properties).map(([name, { description, ...schema }]) => ({
    name,
    in: place,
    required: required.includes(name),
    ...(description !== undefined && { description }),
    schema,
  }));
}

/** The body of a request. One without required fields may be left out. */
function bodyOf(declaration: Declaration, schemas: NamedSchemas): Schema | null {
  const { body, bodyBytes, bodyForms = {} } = declaration;
  if (bodyBytes) return { required: true, content: filesOf(declaration, schemas) };
  if (body === undefined) return null;
  const content = { 'application/json': body, ...bodyForms };
  const shown = schemas.ofBody(body);
  schemas.tellOperation(shown, declaration.operationId);
  const { type, required = [] } = schemas.resolved(shown) as { type?: string; required?: unknown[] };
  return {
    required: type !== 'object' || required.length > 0,
    content: Object.fromEntries(
      Object.entries(content).map(([contentType, form]) => [contentType, sentContent(form, schemas)]),
    ),
  };
}

/** A JSON body with its first example. */
function sentContent(body: TSchema, schemas: NamedSchemas): Schema {
  const schema = schemas.ofBody(body);
  const { examples } = schemas.resolved(schema);
  const { examples: _, ...rest } = schema;
  return { schema: rest, ...(Array.isArray(examples) && { example: examples[0] }) };
}

/** JSON whose bytes the handler needs, for their signature, is JSON to the caller. */
function filesOf({ contentTypes = [], bodyExample }: Declaration, schemas: NamedSchemas): Schema {
  const json = { schema: schemas.ofBody(MapOut), ...(bodyExample && { example: bodyExample }) };
  return Object.fromEntries(contentTypes.map((type) => [type, type === 'application/json' ? json : { schema: FILE }]));
}

/** An answer that is no error. */
function answerOf(
  status: number,
  reply: Declaration['replies'][number],
  declaration: Declaration,
  schemas: NamedSchemas,
  preconditions: Preconditions,
): Schema {
  const names = headersOf({
    hasLimits: !('public' in declaration.access),
    takesKey: takesIdempotencyKey(declaration),
    hasTag: status === 200 && preconditions.hasTag(declaration),
    isReport: declaration.reads === 'report',
  });
  const headers = showHeaders(status === 503 ? [...names, 'Retry-After'] : names);
  const description = SUCCESS_WORDS[status] ?? 'Not available. Wait for the time in `Retry-After`.';
  if (status === 204) return { description, headers };
  if ('contentType' in reply)
    return { description: reply.description, headers, content: { [reply.contentType]: { schema: FILE } } };
  const schema = schemas.ofReply(reply);
  const { otherForm } = declaration;
  const file = otherForm && status === 200 && { [otherForm.contentType]: { schema: FILE } };
  return { description, headers, content: { 'application/json': { schema }, ...file } };
}
