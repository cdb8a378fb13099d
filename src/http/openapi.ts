import { createHash } from 'node:crypto';
import swagger from '@fastify/swagger';
import scalar from '@scalar/fastify-api-reference';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import { COMPACT_PATH, compactDocument } from './compact.ts';
import type { NamedSchemas } from './named-schemas.ts';
import type { Route } from './route.ts';
import { ErrorBody, ValidationErrorBody } from './schema.ts';

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
  requestBody?: { required?: boolean; content?: Record<string, { schema?: { $ref?: string } }> };
  responses?: Record<string, { description?: string }>;
}

interface ShownDocument {
  paths?: Record<string, Record<string, ShownOperation>>;
  components?: { schemas?: Record<string, { type?: string; required?: readonly string[] }> };
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

const REFERENCE_PATH = '/docs';
const REFERENCE_PATHS = [REFERENCE_PATH, `${COMPACT_PATH}${REFERENCE_PATH}`] as const;
const INLINE_SCRIPT = /<script(?: type="text\/javascript")?>([\s\S]*?)<\/script>/g;

/** Gives the reference its content security policy; the script in the page itself is allowed by its hash. */
const guardReference = (baseUrl: string) => async (_: FastifyRequest, reply: FastifyReply, page: unknown) => {
  const scripts = typeof page === 'string' ? [...page.matchAll(INLINE_SCRIPT)] : [];
  const hashes = scripts.map(([, script = '']) => `'sha256-${createHash('sha256').update(script).digest('base64')}'`);
  const policy = [
    "default-src 'none'",
    ["script-src 'self'", ...hashes].join(' '),
    "style-src 'self' 'unsafe-inline'",
    "img-src 'self' data:",
    "font-src 'self' data:",
    `connect-src 'self' ${new URL(baseUrl).origin}`,
    "form-action 'none'",
    "frame-ancestors 'none'",
    "base-uri 'none'",
  ];
  reply.header('content-security-policy', policy.join('; ')).header('x-frame-options', 'DENY');
  return page;
};

/**
 * `GET /openapi.json` (OpenAPI 3.1) and the reference at `/docs`, made from the schemas that validate; `/` leads there.
 * Below `/compact` both are there a second time, for answers without null.
 */
export async function addOpenApi(
  app: FastifyInstance,
  routes: readonly Route[],
  schemas: NamedSchemas,
  baseUrl: string,
): Promise<void> {
  schemas.ofReply(BadRequest);
  for (const { sentence } of routes) {
    for (const schema of [sentence.query, ...Object.values(sentence.replies)])
      if (schema && !('contentType' in schema)) schemas.ofReply(schema as never);
  }
  for (const { sentence } of routes) if (sentence.body) schemas.ofBody(sentence.body);
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
  let document: unknown;
  let compact: unknown;
  app.addHook('onReady', async () => {
    document = inWords(app.swagger());
    compact = compactDocument(document);
  });
  app.get('/openapi.json', { schema: { hide: true } }, async () => document);
  app.get(`${COMPACT_PATH}/openapi.json`, { schema: { hide: true } }, async () => compact);
  // People paste keys into the reference: it runs nothing but its own script, asks nobody but us, and nobody frames it.
  app.addHook('onRoute', (each) => {
    if (REFERENCE_PATHS.some((path) => each.url.startsWith(path))) each.onSend = guardReference(baseUrl);
  });
  app.get('/', { schema: { hide: true } }, async (_, reply) => reply.redirect(REFERENCE_PATH));
  app.get(COMPACT_PATH, { schema: { hide: true } }, async (_, reply) =>
    reply.redirect(`${COMPACT_PATH}${REFERENCE_PATH}`),
  );
  for (const routePrefix of REFERENCE_PATHS)
    await app.register(scalar, {
      routePrefix,
      configuration: {
        withDefaultFonts: false,
        telemetry: false,
        agent: { disabled: true },
        hideClientButton: true,
        url: `${routePrefix.slice(0, -REFERENCE_PATH.length)}/openapi.json`,
        pageTitle: 'Reckoner API reference',
        showDeveloperTools: 'never',
        mcp: { disabled: true },
        documentDownloadType: 'json',
        defaultOpenFirstTag: false,
      } as never,
    });
}
