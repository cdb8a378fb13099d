import { afterAll, beforeAll, expect, it } from 'vitest';
import { Decimal } from '../../src/kernel/decimal.ts';
import { type Merchant, sharedEnvironment, type TestEnvironment } from '../support/environment.ts';
import { usageTrace } from '../support/usage-trace.ts';

/**
 * The main job, end to end, on real usage: raw events, then a correct invoice that is paid and refunded. Events come by
 * externalSubject before the customer exists, and two thousand of them come twice.
 */
const { requests, isReal } = usageTrace();
const START = '2023-11-16T00:00:00Z';

let env: TestEnvironment;
let merchant: Merchant;
beforeAll(async () => {
  env = await sharedEnvironment({ documents: 'typeset', recomputed: true });
  merchant = await env.merchant();
});
afterAll(() => env.close());

const created = async (path: string, body: unknown) => {
  const answer = await merchant.post(path, body);
  expect(answer, `${path} ${answer.text}`).toMatchObject({ status: 201 });
  return answer.body;
};

async function meteredPrice(productId: string, name: string, valueProperty: string, unitPrice: string) {
  const metric = await created('/v0/billableMetrics', {
    productId,
    name,
    description: `${name} of completions`,
    unit: 'token',
    aggregation: 'SUM',
    eventType: 'completion',
    valueProperty,
  });
  const price = await created('/v0/prices', {
    billableMetricId: metric.id,
    invoiceDisplayName: name,
    paymentTerm: 'in_arrears',
    properties: { unitPrice },
  });
  return { metricId: metric.id as string, priceId: price.id as string };
}

const half = (value: Decimal) => value.toDecimalPlaces(2, Decimal.ROUND_HALF_UP);

it('bills an hour of real requests to the cent, is paid once, and is refunded', { timeout: 240_000 }, async () => {
  const events = requests.map(({ time, promptTokens, generatedTokens }, index) => ({
    type: 'completion',
    source: 'gateway',
    externalSubject: 'acme-42',
    timestamp: time,
    idempotencyKey: `request-${index}`,
    data: { promptTokens, generatedTokens },
  }));
  const batches = [];
  for (let start = 0; start < events.length; start += 1000) batches.push(events.slice(start, start + 1000));
  for (const batch of batches) expect((await merchant.post('/v0/events', batch)).status).toBe(202);
  for (const batch of [events.slice(0, 1000), events.slice(4000, 5000)]) {
    expect((await merchant.post('/v0/events', batch)).status).toBe(202); // again: counted once
  }

  const product = await created('/v0/products', { name: 'Completions', description: 'A model by the token' });
  const prompt = await meteredPrice(product.id, 'Prompt tokens', '$.promptTokens', '0.000003');
  const generated = await meteredPrice(product.id, 'Generated tokens', '$.generatedTokens', '0.000015');
  const plan = await created('/v0/plans', {
    name: 'Pay per token',
    productId: product.id,
    currency: 'USD',
    defaultTaxRate: 20,
    prices: [prompt.priceId, generated.priceId],
  });
  const clock = await created('/v0/testClocks', { name: 'November', currentTime: START });
  const customer = await created('/v0/customers', {
    externalId: 'acme-42',
    consumer: {
      name: 'Acme Ltd',
      email: 'billing@acme.example',
      address: { line1: '1 High Street', city: 'London', country: 'GB' },
    },
  });
  const subscription = await created('/v0/subscriptions', {
    name: 'Acme on tokens',
    planId: plan.id,
    customerId: customer.id,
    startedAt: START,
    testClockId: clock.id,
  });
  expect(subscription).toMatchObject({ status: 'active', payment: null, estimatedTaxRate: 20 });

  const open = await merchant.get(`/v2/invoices?subscriptionId=${subscription.id}`);
  expect(open.body.data).toHaveLength(1);
  expect(open.body.data[0]).toMatchObject({
    status: 'ACTIVE',
    periodStart: START,
    periodEnd: '2023-12-16T00:00:00Z',
    sequenceNumber: 1,
    invoiceNumber: null,
    billingCadence: 'P1M',
  });

  const advanced = await merchant.patch(`/v0/testClocks/${clock.id}`, { currentTime: '2023-12-16T00:00:00Z' });
  expect(advanced).toMatchObject({ status: 200, body: { advancingTo: null, currentTime: '2023-12-16T00:00:00Z' } });

  const promptTokens = requests.reduce((sum, request) => sum + request.promptTokens, 0);
  const generatedTokens = requests.reduce((sum, request) => sum + request.generatedTokens, 0);
  const promptPrice = half(new Decimal(promptTokens).times('0.000003'));
  const generatedPrice = half(new Decimal(generatedTokens).times('0.000015'));
  const subtotal = promptPrice.plus(generatedPrice);
  const tax = half(subtotal.times('0.2'));
  const total = subtotal.plus(tax).toFixed(2);

  const id = open.body.data[0].id as string;
  const issued = (await merchant.get(`/v2/invoices/${id}?expand=lineItems`)).body;
  expect(issued).toMatchObject({
    status: 'ISSUED',
    invoiceNumber: 'INV-000001',
    subtotal: subtotal.toFixed(2),
    totalTax: tax.toFixed(2),
    grandTotal: total,
    paidAmount: '0.00',
    unpaidAmount: total,
    issuedAt: '2023-12-16T00:00:00Z',
    dueAt: '2023-12-16T00:00:00Z',
    itemCount: 2,
  });
  expect(issued.lineItems.lineItems).toMatchObject([
    {
      invoiceDisplayName: 'Prompt tokens',
      quantity: promptTokens,
      unitPrice: '0.000003',
      totalPrice: promptPrice.toFixed(2),
      taxRate: 20,
    },
    {
      invoiceDisplayName: 'Generated tokens',
      quantity: generatedTokens,
      unitPrice: '0.000015',
      totalPrice: generatedPrice.toFixed(2),
    },
  ]);
  if (isReal) {
    expect([promptTokens, generatedTokens]).toEqual([18_059_974, 245_896]);
    expect(issued).toMatchObject({ subtotal: '57.87', totalTax: '11.57', grandTotal: '69.44' });
  }

  const pdf = await merchant.get(`/v2/invoices/${id}/pdf`);
  expect(pdf).toMatchObject({ status: 200, headers: { 'content-type': 'application/pdf' } });
  expect(pdf.bytes.subarray(0, 5).toString()).toBe('%PDF-');
  expect((await merchant.get(`/v2/invoices/${id}/pdf`)).bytes.equals(pdf.bytes)).toBe(true);

  const sessionId = issued.paymentUrl.split('/').at(-1);
  const completed = await merchant.post(`/v0/paymentSessions/${sessionId}/complete`, { paymentMethod: 'pm_ok' });
  expect(completed).toMatchObject({ status: 200, body: { status: 'completed', amount: total } });
  const paid = (await merchant.get(`/v2/invoices/${id}`)).body;
  expect(paid).toMatchObject({
    status: 'PAID',
    paidAmount: total,
    unpaidAmount: '0.00',
    paymentUrl: null,
    nextActionAt: null,
  });

  const refund = await merchant.post(`/v2/invoices/${id}/refunds`, { reason: 'A gesture' });
  expect(refund).toMatchObject({
    status: 201,
    body: {
      object: 'invoice_refund',
      status: 'ISSUED',
      amount: subtotal.toFixed(2),
      taxAmount: tax.toFixed(2),
      total,
      reason: 'A gesture',
      voidedAt: null,
    },
  });
  expect(await merchant.post(`/v2/invoices/${id}/refunds`)).toMatchObject({
    status: 400,
    body: { code: 'INVOICE_ALREADY_REFUNDED' },
  });
  const voided = await merchant.post(`/v2/invoices/${id}/refunds/${refund.body.id}/void`);
  expect(voided).toMatchObject({ status: 200, body: { status: 'VOIDED' } });
  expect((await merchant.get(`/v2/invoices/${id}`)).body.status).toBe('PAID');
});
