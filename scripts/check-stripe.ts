import { readFileSync } from 'node:fs';
import { Ajv, type ValidateFunction } from 'ajv';
import { decimal } from '../src/kernel/decimal.ts';
import { createStripeProvider } from '../src/payments/index.ts';
import { createStripeTax } from '../src/tax-providers/index.ts';
import { openStripeServer, type SeenRequest } from '../test/stripe/server.ts';

/**
 * Holds what we send to Stripe, and what the server of the tests answers, against Stripe's own documents, which are too
 * large to keep here (github.com/stripe/openapi): `node scripts/check-stripe.ts spec3.json fixtures3.json`. Run by
 * hand where the adapter, that server or the version of the API changes. Exits with 1 where something differs.
 */
const [specPath, fixturesPath] = process.argv.slice(2);
if (specPath === undefined) throw new Error('Name the OpenAPI document of Stripe, and its fixtures.');

interface Operation {
  readonly parameters?: readonly { readonly in: string; readonly name: string; readonly schema: object }[];
  readonly requestBody?: { readonly content: Readonly<Record<string, { readonly schema: object }>> };
  readonly responses: Readonly<Record<string, { readonly content: { 'application/json': { schema: object } } }>>;
}
interface Spec {
  readonly info: { readonly version: string };
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: object;
}
type Fixtures = { readonly resources: Readonly<Record<string, object>> };

const spec = asJsonSchema(JSON.parse(readFileSync(specPath, 'utf8'))) as Spec;
const fixtures = (
  fixturesPath === undefined ? { resources: {} } : JSON.parse(readFileSync(fixturesPath, 'utf8'))
) as Fixtures;
const ajv = new Ajv({ strict: false, coerceTypes: true, allErrors: true, validateFormats: false });
ajv.addSchema({ $id: 'spec', components: spec.components });

/**
 * What the version of the SDK has, and the documents that could be had here do not: OpenAPI 2020-08-27 (of April 2022)
 * and fixtures of August 2026. The types of the SDK, 2026-10-28, hold these.
 */
const NEWER = new Set([
  'request GET /v1/checkout/sessions customer',
  'request POST /v1/checkout/sessions currency',
  'checkout.session.allowed_payment_method_types',
  'customer.customer_account',
  'dispute.intended_submission_method',
  'payment_intent.allowed_payment_method_types',
  'payment_intent.payment_record',
  'payment_method.sepa_debit',
  'setup_intent.allowed_payment_method_types',
  'setup_intent.customer_account',
  'setup_intent.managed_payments',
  // Fixtures expand nothing.
  'tax.calculation.line_items',
  'tax.calculation_line_item.performance_location',
  'tax.calculation_line_item.tax_breakdown',
]);

/**
 * The document that could be had as a file is older than Stripe Tax. Of these operations the fields of the answers are
 * held by the fixtures; the parameters were compared by eye with the document 2026-09-30 on 2026-11-23: no difference.
 */
const OLDER_THAN_TAX = !Object.keys(spec.paths).some((path) => path.startsWith('/v1/tax/'));

const differences = new Set<string>();
const validators = new Map<string, ValidateFunction>();
const requests = await exchanges();
const operations = new Map<string, number>();
for (const request of requests) {
  const found = operationOf(request);
  if (!found && OLDER_THAN_TAX && request.path.startsWith('/v1/tax/')) {
    operations.set(request.path, (operations.get(request.path) ?? 0) + 1);
    if (request.answer?.status === 200) compareFields(request.answer.body);
    continue;
  }
  if (!found) {
    differences.add(`${request.method} ${request.path} is no operation of Stripe`);
    continue;
  }
  operations.set(found.name, (operations.get(found.name) ?? 0) + 1);
  compare(
    `request ${found.name}`,
    validatorOf(`request ${found.name}`, requestSchema(found.operation)),
    request.params,
  );
  if (request.answer?.status !== 200) continue;
  const schema = found.operation.responses['200']?.content['application/json'].schema as object;
  compare(`answer ${found.name}`, validatorOf(`answer ${found.name}`, schema), request.answer.body);
  compareFields(request.answer.body);
}
console.log(`${requests.length} exchanges of ${operations.size} operations against version ${spec.info.version}`);
for (const [name, count] of operations) console.log(`  ${name}: ${count}`);
for (const difference of [...differences].toSorted()) console.log(`differs: ${difference}`);
process.exitCode = differences.size === 0 ? 0 : 1;

/** Everything that the adapter does, once. */
async function exchanges(): Promise<readonly SeenRequest[]> {
  const server = await openStripeServer();
  const books = server.account();
  const { secretKey, webhookSecret, id: externalId } = books;
  const account = { merchantId: 'org_1', secretKey, webhookSecret, externalId };
  const stripe = createStripeProvider({ environment: 'sandbox', apiUrl: server.url });
  const page = (key: string, mode: 'payment' | 'setup', customer: string | null) => ({
    key,
    mode,
    sessionId: key,
    invoiceId: 'inv_1',
    customer: customer === null ? null : { id: customer, email: 'ada@example.com', name: 'Ada', reference: null },
    amount: decimal('12'),
    currency: 'USD',
    title: 'Invoice INV-000001',
    lines: [{ description: 'Flat fee', amount: decimal('10') }],
    saveMethod: customer !== null,
    expiresAt: Temporal.Now.instant().add({ hours: 24 }),
    returnUrl: 'https://pay.example/pay/ps_1/return',
    cancelUrl: 'https://pay.example/pay/ps_1',
  });
  await stripe.probe(account);
  const stored = await stripe.openCheckout(account, page('ps_1', 'setup', 'cus1'));
  books.payPage(stored.reference);
  const card = await stripe.readCheckout(account, stored.reference);
  if (card.status !== 'stored') throw new Error('The card was not stored.');
  const paid = await stripe.openCheckout(account, page('ps_2', 'payment', 'cus1'));
  books.payPage(paid.reference);
  const ended = await stripe.openCheckout(account, page('ps_3', 'payment', null));
  await stripe.expireCheckout(account, ended.reference);
  const later = await stripe.openCheckout(account, page('ps_4', 'payment', null));
  books.payPageLater(later.reference);
  books.completePage(later.reference, true);
  const request = {
    key: 'inv_1:1',
    token: card.card.token,
    amount: decimal('12'),
    currency: 'USD',
    invoiceId: 'inv_1',
  };
  const charged = await stripe.charge(account, request);
  await stripe.findCharge(account, request);
  const refund = {
    key: 'return:pay_1',
    chargeReference: charged.reference as string,
    amount: decimal('2'),
    currency: 'USD',
  };
  await stripe.refund(account, refund);
  await stripe.findRefund(account, refund);
  const { id } = books.dispute(charged.reference as string);
  books.closeDispute(id, 'won');
  for (const { id: event, type, data } of books.events)
    await stripe.resolve(account, { id: event, kind: type, objectReference: (data.object as { id: string }).id });
  for (const event of books.events) compareFields(event);
  await taxes(account, server.url);
  await server.close();
  return server.requests;
}

/** Everything that the adapter of Stripe Tax does, once. */
async function taxes(
  account: Parameters<ReturnType<typeof createStripeTax>['probe']>[0],
  apiUrl: string,
): Promise<void> {
  const tax = createStripeTax({ apiUrl });
  const address = { line1: 'Hauptstr. 1', line2: null, city: 'Berlin', state: null, zipCode: '10115', country: 'DE' };
  await tax.probe(account);
  await tax.validateAddress(account, address);
  const items = Array.from({ length: 11 }, (_, place) => ({
    reference: `price_${place}`,
    amount: decimal('10'),
    taxCode: 'eservice',
  }));
  const answer = await tax.calculate(account, {
    currency: 'EUR',
    behavior: 'exclusive',
    customer: { address, taxId: 'DE123456789' },
    isExempt: false,
    items,
  });
  if (answer.kind !== 'calculated') throw new Error(answer.message);
  const sale = await tax.commit(account, { key: 'inv_1', calculation: answer.reference, currency: 'EUR' });
  const part = { net: decimal('12'), tax: decimal('2.28') };
  const credit = { original: sale.reference, currency: 'EUR', behavior: 'exclusive', part, earlier: [] } as const;
  const note = await tax.createCreditNote(account, { ...credit, key: 'crn_1' });
  await tax.voidCreditNote(account, { key: 'crn_1:void', creditNote: note.reference, currency: 'EUR' });
}

/** Templates with fewer parameters come first: `/v1/account` before `/v1/accounts/{account}`. */
function operationOf({ method, path }: SeenRequest): { name: string; operation: Operation } | undefined {
  for (const [template, methods] of Object.entries(spec.paths)) {
    const operation = methods[method.toLowerCase()];
    const pattern = new RegExp(`^${template.replaceAll(/\{[^}]+\}/g, '[^/]+')}$`);
    if (operation && pattern.test(path)) return { name: `${method} ${template}`, operation };
  }
  return;
}

function requestSchema({ parameters = [], requestBody }: Operation): object {
  const query = parameters
    .filter((each) => each.in === 'query')
    .map(({ name, schema }): [string, object] => [name, schema]);
  const body = Object.values(requestBody?.content ?? {})[0]?.schema ?? {};
  const { properties = {} } = body as { properties?: object };
  return closed({ ...body, type: 'object', properties: { ...properties, ...Object.fromEntries(query) } });
}

/** No parameter that the document does not have, at any depth. */
function closed(schema: unknown): object {
  if (Array.isArray(schema)) return schema.map(closed);
  if (typeof schema !== 'object' || schema === null) return schema as unknown as object;
  const inner = Object.fromEntries(Object.entries(schema).map(([name, each]) => [name, closed(each)]));
  return 'properties' in inner && !('additionalProperties' in inner)
    ? { ...inner, additionalProperties: false }
    : inner;
}

/** `nullable` is a word of OpenAPI 3.0, and references lead into the document. */
function asJsonSchema(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(asJsonSchema);
  if (typeof schema !== 'object' || schema === null) return schema;
  const inner = Object.fromEntries(
    Object.entries(schema).map(([name, each]) => [
      name,
      name === '$ref' && typeof each === 'string' ? `spec${each}` : asJsonSchema(each),
    ]),
  );
  const { nullable, ...rest } = inner;
  return nullable === true ? { anyOf: [{ type: 'null' }, rest] } : rest;
}

function validatorOf(name: string, schema: object): ValidateFunction {
  const known = validators.get(name) ?? ajv.compile(schema);
  validators.set(name, known);
  return known;
}

function compare(what: string, validate: ValidateFunction, value: unknown): void {
  if (validate(structuredClone(value))) return;
  for (const { instancePath, message, keyword, params } of validate.errors ?? [])
    if (keyword !== 'anyOf' && !NEWER.has(`${what} ${params.additionalProperty}`))
      differences.add(`${what}${instancePath} ${message} ${JSON.stringify(params)}`);
}

/**
 * The fixtures know newer fields than the document: each object has fields of these names only. That none is missing is
 * held by the types of the SDK (`test/stripe/objects.ts`).
 */
function compareFields(value: unknown): void {
  if (typeof value !== 'object' || value === null) return;
  const { object } = value as { object?: unknown };
  const fixture = typeof object === 'string' ? fixtures.resources[object] : undefined;
  if (fixture) {
    for (const name of Object.keys(value))
      if (!(name in fixture) && !NEWER.has(`${object}.${name}`)) differences.add(`${object}.${name} is in no fixture`);
  }
  for (const inner of Object.values(value)) compareFields(inner);
}
