import type { ErrorTable } from '../../kernel/result.ts';
import { Preconditions } from '../answers/preconditions.ts';
import { COMPACT_PATH } from '../compact.ts';
import { edgeErrors, mergeTables } from '../errors.ts';
import type { Route } from '../route.ts';
import { compactDocument, withoutForms } from './compact-document.ts';
import { type OperationParts, withExamples } from './examples.ts';
import { NamedSchemas } from './named-schemas.ts';
import { type Deliveries, describeDeliveries, describeOperation } from './operations.ts';
import { DELIVERY_PARAMETERS, HEADERS, PARAMETERS, responsesOf } from './shared-parts.ts';

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
  { name: 'Billing credits', description: 'Money before tax that pays lines of a customer’s invoices.' },
  { name: 'Commitments', description: 'What customers have promised to spend over a term.' },
  { name: 'Coupons', description: 'Discounts that subscriptions redeem, by a code or by you.' },
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
  {
    name: 'Reports',
    description: 'The search, the overview, revenue, profit by customer, and usage that nobody pays for.',
  },
  { name: 'External references', description: 'The ids of resources in outside systems.' },
  { name: 'Operations', description: 'Health and metrics of the program. No API key is needed.' },
];

/** §9: the version of the interface. The program has a version of its own. */
const VERSION = '0.1.0';

/** The content of the documents. */
export interface ApiParts {
  readonly routes: readonly Route[];
  readonly errorTables: readonly ErrorTable[];
  /** Absent: no webhooks are sent. */
  readonly deliveries?: Deliveries | undefined;
  /** The address of the server that the documents name. */
  readonly baseUrl: string;
}

export interface ApiDocuments {
  readonly plain: unknown;
  /** Of the compact paths. */
  readonly compact: unknown;
}

/**
 * The OpenAPI documents of some routes: the plain paths, and the same paths below `/compact`. Webhooks can have null
 * fields, so the document of the compact paths has none.
 */
export function describeApi({ routes, errorTables, deliveries, baseUrl }: ApiParts): ApiDocuments {
  const shown = routes.filter(({ declaration }) => !declaration.hidden);
  const declarations = shown.map(({ declaration }) => declaration);
  const preconditions = new Preconditions(routes);
  const schemas = new NamedSchemas(Object.keys(mergeTables([edgeErrors, ...errorTables])));
  const responses = responsesOf(schemas);
  // Replies come first: a named schema that a body shows otherwise has a second name there.
  for (const { query, replies } of declarations) {
    if (query) schemas.ofQuery(query);
    for (const schema of Object.values(replies)) if (!('contentType' in schema)) schemas.ofReply(schema);
  }
  const paths: Record<string, Record<string, OperationParts>> = {};
  for (const route of shown) {
    const { declaration } = route;
    const path = declaration.path.replaceAll(/:([A-Za-z]+)/g, '{$1}');
    paths[path] = {
      ...paths[path],
      [declaration.method.toLowerCase()]: describeOperation(route, schemas, preconditions),
    };
  }
  const document = {
    openapi: '3.1.1',
    info: {
      title: 'Reckoner',
      version: VERSION,
      description: ABOUT,
      contact: { name: 'Reckoner' },
      license: { name: 'Apache 2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: baseUrl }],
    security: [{ BearerAuth: [] }],
    tags: TAGS,
    paths,
    components: {
      schemas: schemas.all,
      responses,
      parameters: PARAMETERS,
      headers: HEADERS,
      securitySchemes: {
        BearerAuth: { type: 'http', scheme: 'bearer', description: 'An API key: rk_live_… or rk_test_…' },
      },
    },
  };
  const compact = withExamples(compactDocument(document, `${baseUrl}${COMPACT_PATH}`));
  if (deliveries === undefined) return { plain: withExamples(withoutForms(document)), compact };
  const webhooks = describeDeliveries(deliveries, schemas);
  const parameters = { ...PARAMETERS, ...DELIVERY_PARAMETERS };
  const components = { ...document.components, schemas: schemas.all, parameters };
  return { plain: withExamples(withoutForms({ ...document, webhooks, components })), compact };
}
