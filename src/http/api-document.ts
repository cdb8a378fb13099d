import swagger from '@fastify/swagger';
import Fastify from 'fastify';
import { Type } from 'typebox';
import { compactDocument } from './compact.ts';
import { exampleOf } from './examples.ts';
import { NamedSchemas } from './named-schemas.ts';
import type { Route } from './route.ts';
import { ErrorBody, ValidationErrorBody } from './schema.ts';
import { errorStatuses } from './statuses.ts';
import { SHARED_WORDS, wordsOf } from './words.ts';

const BadRequest = Type.Union([ErrorBody, ValidationErrorBody], { $id: 'BadRequest' });

const ABOUT = `Usage events in, correct invoices out, paid and refunded.

Send \`Authorization: Bearer <API key>\` and JSON. Money is a decimal string in major units (\`"12.50"\`), times are ISO 8601 in UTC, and every
resource says what it is in \`object\`. Lists take \`limit\` and \`offset\`. An unknown field is refused, a 400 lists every failing field,
and a refusal that a state is to blame for carries a \`code\`. A POST takes an \`Idempotency-Key\`: the same key again answers the same and does nothing.
\`merchantId\` is your own organization unless an operator says otherwise.

Null for an optional field of a body is the same as no field; in a PATCH it clears what is nullable. Every path is served
a second time below \`/compact\`, where answers leave out fields whose value is null: \`/compact/openapi.json\`.

To try a call, put a key on the right: \`.reckoner/credentials.json\` of the start holds one.`;

/** The order of the reference, and what each part is about. A tag that a route names and this list does not comes last. */
const TAGS: readonly { readonly name: string; readonly description: string }[] = [
  {
    name: 'Identity',
    description:
      'Merchants, their users and API keys, and who changed what. A `viewer` reads, a `member` does what billing takes, an `admin` does all.',
  },
  { name: 'Catalog', description: 'What is sold, how usage of it is measured, and what that costs.' },
  {
    name: 'Plans',
    description:
      'Sets of prices in versions. A published version never changes; a subscription keeps the one it began with.',
  },
  { name: 'Customers', description: 'Whom a merchant bills, with their tax rates and stored cards.' },
  { name: 'Metering', description: 'Usage events, counted once each, and what meters make of them.' },
  {
    name: 'Subscriptions',
    description: 'Which customer is on which plan, from when to when. Billing follows by itself.',
  },
  {
    name: 'Invoices',
    description:
      'One for each period of a subscription: open while the period runs, then calculated, issued with a number and a document, and paid. An issued invoice is never edited, it is credited.',
  },
  { name: 'Payments', description: 'Offers to pay, on the hosted page. In the sandbox test cards stand in for money.' },
  {
    name: 'Emails',
    description: 'What customers receive. Only production sends; the sandbox stores mail and never sends it.',
  },
  { name: 'Test clocks', description: 'Simulated time in the sandbox: a year of billing in one call.' },
  {
    name: 'Entitlements',
    description: 'What customers may use, the balances that grants fund, and what is held of them.',
  },
  { name: 'Checkout links', description: 'Pages on which people subscribe to a plan by themselves.' },
  { name: 'Alerts', description: 'Figures that are watched, and budgets: told before the shock, once in a period.' },
  { name: 'Orders', description: 'What was agreed with a customer for a term: lines, quantities and prices.' },
  {
    name: 'Integrations',
    description: 'The accounts of a merchant in outside systems. Their secrets are never answered.',
  },
  {
    name: 'Billing schedules',
    description: 'When orders and subscriptions are billed beside a plan, and for how much.',
  },
  { name: 'Approvals', description: 'A second person decides before an order bills or an invoice leaves.' },
  { name: 'Sources', description: 'Revenue that outside systems report. It becomes usage once it is approved.' },
  { name: 'Webhooks', description: 'What happened, told to endpoints of yours or listed for you to read.' },
  { name: 'Reports', description: 'What came in, what it cost, and what is left of it.' },
  { name: 'External references', description: 'What a record is called in outside systems.' },
  { name: 'Operations', description: 'For whoever runs the program. No key needed.' },
];

const STATUS_WORDS: Readonly<Record<string, string>> = {
  200: 'Done.',
  201: 'Created.',
  202: 'Accepted, and on disk.',
  204: 'Deleted.',
  400: 'Fields are wrong: `errors` lists each. Or a state is to blame: `code` says which.',
  401: 'No API key, or one that is not known or has expired.',
  403: 'The role does not allow it, or it is another merchant’s.',
  404: 'There is no such resource.',
  409: 'The state does not allow it: `code` says why.',
  413: 'The body is larger than this operation takes.',
  415: 'The body is of another content type.',
  429: 'Too many requests: wait as long as `Retry-After` says.',
  500: 'A fault on our side; with the same idempotency key it is safe to try again.',
  503: 'Not available: wait as long as `Retry-After` says.',
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
    const schema = sent?.schema?.$ref === undefined ? sent?.schema : named[sent.schema.$ref.split('/').at(-1) ?? ''];
    if (sent && Array.isArray(schema?.examples)) sent.example ??= schema.examples[0];
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
  for (const { sentence } of routes) {
    if (sentence.query) schemas.ofQuery(sentence.query);
    for (const schema of Object.values(sentence.replies)) if (!('contentType' in schema)) schemas.ofReply(schema);
  }
  for (const { sentence } of routes) if (sentence.body) schemas.ofBody(sentence.body);
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
  for (const { sentence } of routes)
    app.route({
      method: sentence.method,
      url: sentence.path,
      schema: operationSchema(sentence, schemas),
      handler: async () => undefined,
    });
  await app.ready();
  const plain = withExamples(inWords(app.swagger()));
  await app.close();
  return { plain, compact: compactDocument(plain) };
}

function replySchema(status: number, schema: Route['sentence']['replies'][number], schemas: NamedSchemas): unknown {
  if (status === 204) return { description: 'Done.', type: 'null' };
  if (!('contentType' in schema)) return schemas.ofReply(schema);
  const content = { [schema.contentType]: { schema: { type: 'string', format: 'binary' } } };
  return { description: schema.description, content };
}

/** JSON whose bytes the handler needs, for their signature, is JSON to the caller. */
const filesOf = (types: readonly string[] = []) =>
  Object.fromEntries(
    types.map((type) => [type, { schema: type === 'application/json' ? {} : { type: 'string', format: 'binary' } }]),
  );

const pathParameter = (name: string) => ({
  type: 'string',
  description: name === 'id' ? 'The id of the resource.' : (wordsOf(SHARED_WORDS[name]) ?? ''),
});

/** The schemas of an operation, named ones as references. */
function operationSchema(sentence: Route['sentence'], schemas: NamedSchemas): Record<string, unknown> {
  const replies = Object.entries(sentence.replies).map(([status, schema]) => [
    status,
    replySchema(Number(status), schema, schemas),
  ]);
  const failures = errorStatuses(sentence).map((status) => [
    status,
    { $ref: status === 400 ? 'BadRequest#' : 'Error#' },
  ]);
  const parameters = [...sentence.path.matchAll(/:([A-Za-z]+)/g)].map((match) => match[1] as string);
  return {
    operationId: sentence.operationId,
    tags: [sentence.tag],
    summary: sentence.summary,
    ...(sentence.description && { description: sentence.description }),
    ...('public' in sentence.access && { security: [] }),
    ...(sentence.hidden && { hide: true }),
    ...(parameters.length > 0 && {
      params: { type: 'object', properties: Object.fromEntries(parameters.map((name) => [name, pathParameter(name)])) },
    }),
    ...(sentence.query && { querystring: schemas.ofQuery(sentence.query) }),
    ...(sentence.body && { body: schemas.ofBody(sentence.body) }),
    ...(sentence.bodyBytes && { body: { content: filesOf(sentence.contentTypes) } }),
    response: Object.fromEntries([...replies, ...failures]),
  };
}
