import swagger from '@fastify/swagger';
import Fastify from 'fastify';
import { Type } from 'typebox';
import type { Route } from '../route.ts';
import { ErrorBody, MapOut, ValidationErrorBody } from '../schema.ts';
import { errorStatuses } from '../statuses.ts';
import { compactDocument, withoutForms } from './compact-document.ts';
import { exampleOf } from './examples.ts';
import { NamedSchemas, withReferences } from './named-schemas.ts';
import { pathWords } from './words.ts';

const BadRequest = Type.Union([ErrorBody, ValidationErrorBody], { $id: 'BadRequest' });

const ABOUT = `Usage events in, correct invoices out, paid and refunded.

Send \`Authorization: Bearer <API key>\` and JSON. Money is a decimal string in major units (\`"12.50"\`). Times are
ISO 8601 in UTC. Each resource has the name of its type in \`object\`. Lists take \`limit\` and \`offset\` or
\`after\`.

An unknown field is refused. A 400 lists every wrong field. A refusal because of a state has a \`code\`.
A POST takes an \`Idempotency-Key\`: a repeated key answers the first reply and does nothing.
\`merchantId\` is your own organization; only operators may send another one.

Null for an optional field of a body is the same as no field; in a PATCH it clears a nullable field. Every path is
served a second time below \`/compact\`, where answers omit null fields: \`/compact/openapi.json\`.

To try a call, enter an API key on this page. \`npm start\` writes one to \`.reckoner/credentials.json\`.`;

/** The order of the reference, and the subject of each part. A tag that is not in the list comes last. */
const TAGS: readonly { readonly name: string; readonly description: string }[] = [
  {
    name: 'Identity',
    description:
      'Merchants, their users and API keys, and the audit log. A `viewer` reads, a `member` runs ' +
      'billing, an `admin` may do everything.',
  },
  { name: 'Catalog', description: 'Products, items, features, metrics, costs, fees and prices.' },
  {
    name: 'Plans',
    description: 'Sets of prices in versions. A published version never changes; a subscription keeps its version.',
  },
  {
    name: 'Customers',
    description: 'The customers of a merchant, with their tax rates, wallets and stored cards.',
  },
  { name: 'Metering', description: 'Usage events, each counted once, and the usage of metrics and costs.' },
  {
    name: 'Subscriptions',
    description: 'The plans of customers, from their start to their end. Billing follows by itself.',
  },
  {
    name: 'Invoices',
    description:
      'One invoice for each period of a subscription. It is open while the period runs, then calculated, ' +
      'issued with a number and a document, and paid. An issued invoice is never edited; a credit note ' +
      'corrects it.',
  },
  {
    name: 'Payments',
    description:
      'Payment sessions, payment links and payments that need a person. In the sandbox test cards stand ' +
      'for money.',
  },
  {
    name: 'Emails',
    description: 'The emails to customers. Only production sends them; the sandbox stores them.',
  },
  { name: 'Test clocks', description: 'Simulated time in the sandbox: a year of billing in one call.' },
  {
    name: 'Entitlements',
    description: 'The rights of customers to features, with balances, grants and reservations.',
  },
  { name: 'Checkout links', description: 'Pages on which people subscribe to a plan by themselves.' },
  {
    name: 'Alerts',
    description:
      'Thresholds of balances, usage and invoice totals. An alert triggers once in a period. A budget ' +
      'also blocks access.',
  },
  { name: 'Orders', description: 'Agreements with customers for a term: lines, quantities and prices.' },
  {
    name: 'Integrations',
    description: 'The accounts of a merchant in outside systems. Their secrets are never answered.',
  },
  {
    name: 'Billing schedules',
    description: 'Dates and amounts by which orders and subscriptions are billed in addition to a plan.',
  },
  {
    name: 'Approvals',
    description: 'Decisions of a second person before an order bills or an invoice is issued.',
  },
  { name: 'Sources', description: 'Revenue that outside systems report. It becomes usage once it is approved.' },
  { name: 'Webhooks', description: 'Events of the merchant, sent to your endpoints or listed for you to read.' },
  { name: 'Reports', description: 'Revenue, profit by customer, and usage that nobody pays for.' },
  { name: 'External references', description: 'The ids of resources in outside systems.' },
  { name: 'Operations', description: 'Health and metrics of the program. No API key is needed.' },
];

const STATUS_WORDS: Readonly<Record<string, string>> = {
  200: 'Done.',
  201: 'Created.',
  202: 'Accepted, and stored on disk.',
  204: 'Deleted.',
  400: 'Fields are wrong: `errors` lists each. Or a state forbids it: `code` says which.',
  401: 'The API key is missing, unknown or expired.',
  403: 'The role does not allow it, or the resource is another merchant’s.',
  404: 'There is no such resource.',
  409: 'The state does not allow it: `code` says why.',
  413: 'The body is larger than this operation allows.',
  415: 'The body has another content type than this operation takes.',
  429: 'Too many requests. Wait for the time in `Retry-After`.',
  500: 'A fault on our side. A retry with the same idempotency key is safe.',
  503: 'Not available. Wait for the time in `Retry-After`.',
};

interface ShownOperation {
  requestBody?: { required?: boolean; content?: Record<string, ShownContent> };
  responses?: Record<string, { description?: string; content?: Record<string, ShownContent> }>;
}

interface ShownContent {
  schema?: Record<string, unknown> & { $ref?: string };
  example?: unknown;
}

interface ShownDocument {
  paths?: Record<string, Record<string, ShownOperation>>;
  components?: { schemas?: Record<string, ShownSchema> };
}

interface ShownSchema extends Record<string, unknown> {
  type?: string;
  required?: readonly string[];
}

/** Says each status in words where the route has none, and that a body without required fields may be left out. */
function inWords<Document>(document: Document): Document {
  const { paths = {}, components } = document as ShownDocument;
  for (const { requestBody, responses = {} } of Object.values(paths).flatMap((methods) => Object.values(methods))) {
    for (const [status, response] of Object.entries(responses))
      if (response.description === 'Default Response') response.description = STATUS_WORDS[status] ?? status;
    const named = requestBody?.content?.['application/json']?.schema?.$ref?.split('/').at(-1);
    const schema = named === undefined ? undefined : components?.schemas?.[named];
    if (requestBody && schema?.type === 'object' && (schema.required ?? []).length === 0) requestBody.required = false;
  }
  return document;
}

/** Gives an example to each success reply, and to each body of which the route has one. */
function withExamples<Document>(document: Document): Document {
  const { paths = {}, components } = document as ShownDocument;
  const named = components?.schemas ?? {};
  for (const { requestBody, responses = {} } of Object.values(paths).flatMap((methods) => Object.values(methods))) {
    for (const [status, response] of Object.entries(responses)) {
      const content = response.content?.['application/json'];
      if (status.startsWith('2') && content?.schema) content.example ??= exampleOf(content.schema, named);
    }
    const sent = requestBody?.content?.['application/json'];
    const schema = sent?.schema;
    const examples = schema?.examples ?? named[schema?.$ref?.split('/').at(-1) ?? '']?.examples;
    if (sent && Array.isArray(examples)) sent.example ??= examples[0];
  }
  return document;
}

export interface ApiDocuments {
  readonly plain: unknown;
  /** Of the compact paths. */
  readonly compact: unknown;
}

/**
 * The OpenAPI documents of some routes. A server that only holds their schemas is made for it, and never listens.
 * @param baseUrl the address of the server that the documents name
 */
export async function describeApi(routes: readonly Route[], baseUrl: string): Promise<ApiDocuments> {
  const schemas = new NamedSchemas();
  schemas.ofReply(BadRequest);
  for (const { declaration } of routes) {
    if (declaration.query) schemas.ofQuery(declaration.query);
    for (const schema of Object.values(declaration.replies)) if (!('contentType' in schema)) schemas.ofReply(schema);
  }
  for (const { declaration } of routes) if (declaration.body) schemas.ofBody(declaration.body);
  const app = Fastify();
  app.setValidatorCompiler(() => () => true);
  app.setSerializerCompiler(() => JSON.stringify);
  for (const schema of schemas.all) app.addSchema(schema);
  await app.register(swagger, {
    openapi: {
      openapi: '3.1.1',
      info: { title: 'Reckoner', version: '0.1.0', description: ABOUT },
      tags: [...TAGS],
      servers: [{ url: baseUrl }],
      components: {
        securitySchemes: {
          BearerAuth: { type: 'http', scheme: 'bearer', description: 'An API key: rk_live_… or rk_test_…' },
        },
      },
      security: [{ BearerAuth: [] }],
    },
    refResolver: {
      buildLocalReference: (json, _baseUri, _fragment, index) =>
        typeof json.$id === 'string' ? json.$id : `def-${index}`,
    },
  });
  for (const { declaration } of routes)
    app.route({
      method: declaration.method,
      url: declaration.path,
      schema: operationSchema(declaration, schemas),
      handler: async () => undefined,
    });
  await app.ready();
  const document = inWords(withReferences(app.swagger()));
  await app.close();
  return { plain: withExamples(withoutForms(document)), compact: withExamples(compactDocument(document)) };
}

function replySchema(status: number, schema: Route['declaration']['replies'][number], schemas: NamedSchemas): unknown {
  if (status === 204) return { description: 'Done.', type: 'null' };
  if (!('contentType' in schema)) return schemas.ofReply(schema);
  const content = { [schema.contentType]: { schema: { type: 'string', format: 'binary' } } };
  return { description: schema.description, content };
}

/** JSON whose bytes the handler needs, for their signature, is JSON to the caller. */
function filesOf({ contentTypes = [], bodyExample }: Route['declaration'], schemas: NamedSchemas) {
  const json = { ...(schemas.ofBody(MapOut) as object), ...(bodyExample && { examples: [bodyExample] }) };
  const schemaOf = (type: string) => (type === 'application/json' ? json : { type: 'string', format: 'binary' });
  return Object.fromEntries(contentTypes.map((type) => [type, { schema: schemaOf(type) }]));
}

function pathParameter(name: string, { access }: Route['declaration']): Record<string, unknown> {
  const merchant = 'merchant' in access ? access.merchant : undefined;
  const kind = typeof merchant === 'object' && merchant.of === name ? merchant.kind : undefined;
  return { type: 'string', description: pathWords(name, kind) };
}

/** The schemas of an operation, named ones as references. */
function operationSchema(declaration: Route['declaration'], schemas: NamedSchemas): Record<string, unknown> {
  const replies = Object.entries(declaration.replies).map(([status, schema]) => [
    status,
    replySchema(Number(status), schema, schemas),
  ]);
  const failures = errorStatuses(declaration).map((status) => [
    status,
    { $ref: status === 400 ? 'BadRequest#' : 'Error#' },
  ]);
  const parameters = [...declaration.path.matchAll(/:([A-Za-z]+)/g)].map((match) => match[1] as string);
  return {
    operationId: declaration.operationId,
    tags: [declaration.tag],
    summary: declaration.summary,
    ...(declaration.description && { description: declaration.description }),
    ...('public' in declaration.access && { security: [] }),
    ...(declaration.hidden && { hide: true }),
    ...(parameters.length > 0 && {
      params: {
        type: 'object',
        properties: Object.fromEntries(parameters.map((name) => [name, pathParameter(name, declaration)])),
      },
    }),
    ...(declaration.query && { querystring: schemas.ofQuery(declaration.query) }),
    ...(declaration.body && { body: schemas.ofBody(declaration.body) }),
    ...(declaration.bodyBytes && { body: { content: filesOf(declaration, schemas) } }),
    response: Object.fromEntries([...replies, ...failures]),
  };
}
