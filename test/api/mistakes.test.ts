import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Answer, type Merchant, sharedEnvironment, type TestEnvironment } from '../support/environment.ts';
import { type Shop, shopOf } from '../support/shop.ts';

/** Mistakes of callers, and the help in the answers. */
let env: TestEnvironment;
let merchant: Merchant;
let shop: Shop;
const known: Record<string, string> = {};

beforeAll(async () => {
  env = await sharedEnvironment();
  env.setNow('2026-03-01T12:00:00Z');
  merchant = await env.merchant();
  shop = shopOf(merchant);
  const made = async (path: string, body: object) => {
    const answer = await merchant.post(path, body);
    if (answer.status !== 201) throw new Error(answer.text);
    return answer.body;
  };
  known.customer = (await shop.customer()).id;
  const product = await made('/v0/products', { name: 'API', description: 'Calls' });
  known.product = product.id;
  const fee = await made('/v0/fees', { name: 'Base', description: 'monthly', productId: product.id });
  known.fee = fee.id;
  const price = await made('/v0/prices', {
    feeId: fee.id,
    invoiceDisplayName: 'Base',
    paymentTerm: 'in_arrears',
    billingCadence: 'P1M',
    properties: { unitPrice: '10' },
  });
  const plan = await made('/v0/plans', { name: 'Pro', productId: product.id, currency: 'EUR', prices: [price.id] });
  known.plan = plan.id;
  const subscription = await made('/v0/subscriptions', {
    name: 'Pro',
    planId: plan.id,
    customerId: known.customer,
    startedAt: '2026-03-01T00:00:00Z',
  });
  known.subscription = subscription.id;
  const clock = await made('/v0/testClocks', { currentTime: '2026-03-01T00:00:00Z' });
  known.clock = clock.id;
  const invoice = await made('/v2/invoices', {
    customerId: known.customer,
    currency: 'EUR',
    lines: [{ displayName: 'Work', quantity: '1', unitPrice: '10' }],
    autoApprove: true,
  });
  known.invoice = invoice.id;
});
afterAll(() => env.close());

const filled = (text: string): string => text.replaceAll(/\{(\w+)\}/g, (_, name: string) => known[name] as string);

const errorsOf = ({ body }: Answer): Record<string, string> =>
  Object.fromEntries(
    (body.errors ?? []).map(({ field, message }: { field: string; message: string }) => [field, message]),
  );

const metric = {
  name: 'Tokens',
  description: 'd',
  unit: 'token',
  aggregation: 'SUM',
  eventType: 'call',
  productId: '{product}',
  valueProperty: '$.tokens',
};
const feePrice = { feeId: '{fee}', invoiceDisplayName: 'Base', paymentTerm: 'in_arrears', billingCadence: 'P1M' };
const discount = { type: 'percentageDiscount', effectiveFrom: '2026-03-01T00:00:00Z' };
const consumer = { name: 'Ada', email: 'ada@example.com', address: { country: 'CH' } };

it.each([
  {
    path: '/v0/customers',
    body: { external_id: 'a' },
    errors: {
      external_id: 'is not a known field; did you mean externalId?',
      consumer: 'is required, or consumerId: exactly one of them',
    },
  },
  {
    path: '/v0/customers',
    body: { consumer: { ...consumer, adress: {} }, metdata: {} },
    errors: {
      'consumer.adress': 'is not a known field; did you mean address?',
      metdata: 'is not a known field; did you mean metadata?',
    },
  },
  {
    path: '/v0/customers/{customer}/wallet/topUps',
    body: { amount: '10.005', currency: 'EUR' },
    errors: { idempotencyKey: 'is required', amount: 'must have at most 2 decimal places: EUR has 2' },
  },
  {
    path: '/v0/payments',
    body: { amount: '10.5', currency: 'JPY' },
    errors: { amount: 'must be a whole number: JPY has no decimal places' },
  },
  {
    path: '/v0/prices',
    body: { ...feePrice, properties: { unitPrice: '3e-7' }, minimumAmount: '€5', maximumAmount: '1,000.50' },
    errors: {
      'properties.unitPrice': 'has an exponent; write "0.0000003"',
      minimumAmount: 'has the currency €; write "5"',
      maximumAmount: 'has "," between its digits; write "1000.50"',
    },
  },
  {
    path: '/v0/prices',
    body: { ...feePrice, model: 'package', properties: { size: '1M', unitPrice: '0.4' } },
    errors: {
      'properties.size': 'has the unit M; write "1000000"',
      'properties.price': 'is required',
      'properties.unitPrice': 'package takes no unitPrice (standard does); it takes size, price and includedUnits',
    },
  },
  {
    path: '/v0/prices',
    body: {
      ...feePrice,
      model: 'graduated',
      properties: { tiers: [{ upTo: '1k', unitPrice: '1e400' }], size: '1_000' },
    },
    errors: {
      'properties.tiers.0.upTo': 'has the unit k; write "1000"',
      'properties.tiers.0.unitPrice': 'has an exponent; write a decimal of at most 38 digits without it',
      'properties.size': 'graduated takes no size (package does); it takes tiers and includedUnits',
    },
  },
  {
    path: '/v0/prices',
    body: { ...feePrice, model: 'percentage', properties: { percentage: '2.9%' } },
    errors: { 'properties.percentage': 'must be a fraction, such as "0.029" for 2.9 %' },
  },
  {
    path: '/v0/billableMetrics',
    body: { ...metric, valueProperty: 'tokens', groupBy: ['$.model'] },
    errors: {
      valueProperty: 'must be a path of at most 8 segments in the data of an event, such as $.tokens or $.usage.tokens',
      groupBy: 'must be an object such as {"model": "$.model"}',
    },
  },
  {
    path: '/v0/features',
    body: { key: 'api_calls', name: 'Calls', type: 'metered', productId: '{product}' },
    errors: { key: 'must be lowercase letters and digits, groups joined by single hyphens, such as api-calls' },
  },
  {
    path: '/v0/subscriptions/{subscription}/adjustments',
    body: { ...discount, percentageDiscount: 20 },
    errors: { percentageDiscount: 'must be a fraction as a string, such as "0.2" for 20 %' },
  },
  {
    path: '/v0/subscriptions/{subscription}/adjustments',
    body: { ...discount, percentageDiscount: '20' },
    errors: { percentageDiscount: 'must be at most 1' },
  },
  {
    path: '/v0/subscriptions',
    body: { name: 'Old', planId: '{plan}', customerId: '{customer}', startedAt: '2025-01-01T00:00:00Z' },
    errors: { startedAt: 'must not be more than one billing period (P1M) ago' },
  },
  {
    path: '/v0/subscriptions',
    body: { name: 'Wrong', planId: '{customer}', startedAt: '2026-03-01T00:00:00Z' },
    errors: {
      planId: '{customer} is a customer id; this needs a plan id (plan_…)',
      customerId: 'is required, or customer: exactly one of them',
    },
  },
  {
    path: '/v2/invoices/{invoice}/refunds',
    body: { amount: '5' },
    errors: { amount: 'is not taken: a refund is always of the whole invoice' },
  },
])('POST $path with $body is told $errors', async ({ path, body, errors }) => {
  const answer = await merchant.post(filled(path), JSON.parse(filled(JSON.stringify(body))));
  expect({ status: answer.status, errors: errorsOf(answer) }).toEqual({
    status: 400,
    errors: JSON.parse(filled(JSON.stringify(errors))),
  });
});

it.each([
  { query: 'customer=x', says: 'is not a known query parameter; did you mean customerId? (known are limit, offset' },
  { query: 'colour=x', says: 'is not a known query parameter; known are limit, offset' },
])('a list with ?$query is told which parameters there are', async ({ query, says }) => {
  const answer = await merchant.get(`/v2/invoices?${query}`);
  expect(answer.status).toBe(400);
  expect(Object.values(errorsOf(answer))[0]).toContain(says);
});

it.each([
  {
    path: '/v2/invoices/{invoice}/approve',
    code: 'INVALID_TRANSITION',
    says: 'This invoice is ISSUED: it cannot be approved. It can be approved only when it is DRAFT.',
    details: { status: 'ISSUED', trigger: 'approve', allowedFrom: ['DRAFT'] },
  },
  {
    path: '/v2/invoices/{invoice}/recalculate',
    code: 'INVALID_TRANSITION',
    says: 'This invoice is ISSUED: it cannot be recalculated. It can be recalculated only when it is DRAFT or FAILED.',
    details: { status: 'ISSUED', trigger: 'recalculate', allowedFrom: ['DRAFT', 'FAILED'] },
  },
])('POST $path in the wrong state is told from which states it can be done', async ({ path, code, says, details }) => {
  const { status, body } = await merchant.post(filled(path), {});
  expect({ status, ...body }).toMatchObject({ status: 409, code, message: says, details });
});

it.each([
  {
    path: '/v2/invoices/{subscription}',
    says: '{subscription} is a subscription id; this needs an invoice id (inv_…).',
  },
  { path: '/v2/invoices/nothing', says: 'No such invoice.' },
  {
    path: '/v2/invoices/{invoice}/refunds/{invoice}/pdf',
    says: '{invoice} is an invoice id; this needs a refund id (crn_…).',
  },
  { path: '/v0/plans/{plan}/versions/2', says: 'Plan {plan} has no version 2.' },
  { path: `/v0/sources/src_${'a'.repeat(22)}/events/sev_${'a'.repeat(22)}`, says: 'No such source.' },
])('GET $path is a 404 that says $says', async ({ path, says }) => {
  const { status, body } = await merchant.get(filled(path));
  expect({ status, message: body.message }).toEqual({ status: 404, message: filled(says) });
});

it('a clock that is moved back is told so, without a section of the specification', async () => {
  const { status, body } = await merchant.patch(filled('/v0/testClocks/{clock}'), {
    currentTime: '2026-02-01T00:00:00Z',
  });
  expect({ status, message: body.message }).toEqual({ status: 400, message: 'A test clock only moves forward.' });
});

it.each([
  { externalId: 'auth0|123', warned: true },
  { externalId: 'ada@example.com', warned: true },
  { externalId: 'org_42-b', warned: false },
])('a customer with the externalId $externalId is told whether events can name it', async ({ externalId, warned }) => {
  const made = await merchant.post('/v0/customers', {
    consumer: { ...consumer, email: `${warned}@a.example` },
    externalId,
  });
  expect(made.status).toBe(201);
  const { body } = await merchant.get(`/v0/customers/${made.body.id}`);
  for (const each of [made.body, body])
    expect((each.warnings ?? []).map(({ field }: { field: string }) => field)).toEqual(warned ? ['externalId'] : []);
  const event = { type: 'call', source: 's', externalSubject: externalId };
  expect((await merchant.post('/v0/events', event)).status).toBe(warned ? 400 : 202);
});
