import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Merchant, openTestEnvironment, type TestEnvironment } from '../../test/support/environment.ts';

let env: TestEnvironment;
let merchant: Merchant;
let invoiceId: string;
let clockId: string;

const create = async (path: string, body: unknown) => (await merchant.post(path, body)).body;
const advance = (currentTime: string) => merchant.patch(`/v0/testClocks/${clockId}`, { currentTime });
const follow = async () => {
  const answer = await env.client().get(`/pay/invoices/${invoiceId}`);
  expect(answer.status).toBe(303);
  return String(answer.headers.location).split('/').at(-1) as string;
};

beforeAll(async () => {
  env = await openTestEnvironment();
  merchant = await env.merchant();
  const product = await create('/v0/products', { name: 'P', description: '' });
  const fee = await create('/v0/fees', { name: 'Seat', description: '', productId: product.id });
  const price = await create('/v0/prices', {
    feeId: fee.id,
    invoiceDisplayName: 'Seat',
    paymentTerm: 'in_arrears',
    billingCadence: 'P1M',
    properties: { unitPrice: '10' },
  });
  const plan = await create('/v0/plans', { name: 'Seats', productId: product.id, currency: 'USD', prices: [price.id] });
  clockId = (await create('/v0/testClocks', { currentTime: '2025-01-01T00:00:00Z' })).id;
  const subscription = await create('/v0/subscriptions', {
    name: 'S',
    planId: plan.id,
    startedAt: '2025-01-01T00:00:00Z',
    testClockId: clockId,
    customer: { name: 'C', email: 'c@example.com', address: {} },
  });
  await advance('2025-02-01T00:00:00Z');
  const { data } = (await merchant.get(`/v2/invoices?subscriptionId=${subscription.id}&status=ISSUED`)).body;
  invoiceId = data[0].id;
});
afterAll(() => env.close());

it('leads to the open session as often as it is followed', async () => {
  const first = await follow();
  expect(await follow()).toBe(first);
  expect((await merchant.get(`/v2/invoices/${invoiceId}`)).body.paymentUrl).toBe(`http://localhost:4401/pay/${first}`);
});

it('opens the next session once the last has expired, which changes nothing of the invoice; the expired page leads there', async () => {
  const first = await follow();
  await advance('2025-02-03T00:00:00Z');
  const invoice = (await merchant.get(`/v2/invoices/${invoiceId}`)).body;
  expect(invoice).toMatchObject({ status: 'ISSUED', paymentUrl: `http://localhost:4401/pay/invoices/${invoiceId}` });
  expect((await env.client().get(`/pay/${first}`)).text).toContain(`href="invoices/${invoiceId}"`);
  const second = await follow();
  expect(second).not.toBe(first);
  expect((await merchant.post(`/v0/paymentSessions/${first}/complete`, { paymentMethod: 'pm_ok' })).status).toBe(409);
  expect((await merchant.post(`/v0/paymentSessions/${second}/complete`, { paymentMethod: 'pm_ok' })).status).toBe(200);
});

it('answers 409 once nothing is asked any more, and 404 for what is no invoice', async () => {
  expect((await env.client().get(`/pay/invoices/${invoiceId}`)).status).toBe(409);
  expect((await env.client().get('/pay/invoices/inv_00')).status).toBe(404);
  expect((await env.client().get('/pay/invoices/nothing')).status).toBe(404);
});

it('names no address where the customer pays by bank transfer only, but a session may be opened by hand', async () => {
  const { planId } = (await merchant.get('/v0/subscriptions')).body.data[0];
  const subscription = await create('/v0/subscriptions', {
    name: 'T',
    planId,
    startedAt: '2025-02-10T00:00:00Z',
    testClockId: clockId,
    bankTransferOnly: true,
    paymentTermDays: 30,
    customer: { name: 'D', email: 'd@example.com' },
  });
  await advance('2025-03-10T00:00:00Z');
  const { data } = (await merchant.get(`/v2/invoices?subscriptionId=${subscription.id}&status=ISSUED`)).body;
  expect(data[0]).toMatchObject({ paymentUrl: null, paymentTermDays: 30, dueAt: '2025-04-09T00:00:00Z' });
  expect((await merchant.get(`/v0/paymentSessions?subscriptionId=${subscription.id}`)).body.data).toEqual([]);
  const session = await merchant.post(`/v2/invoices/${data[0].id}/paymentSessions`);
  expect(session.status).toBe(201);
  expect((await merchant.get(`/v2/invoices/${data[0].id}`)).body.paymentUrl).toBe(session.body.url);
});
