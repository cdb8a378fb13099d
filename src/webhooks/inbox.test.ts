import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Merchant, openTestEnvironment, type TestEnvironment } from '../../test/support/environment.ts';
import { shopOf } from '../../test/support/shop.ts';
import { sealerOf } from '../kernel/sealing.ts';
import { openInbox } from './index.ts';

const INBOX = 'http://localhost:4401/v0/webhookInbox';

let env: TestEnvironment;
let merchant: Merchant;
beforeAll(async () => {
  env = await openTestEnvironment();
  merchant = await env.merchant();
});
afterAll(() => env.close());

const inboxOf = async (of = merchant, query = '') => (await of.get(`/v0/webhookInbox?${query}`)).body.data;

it('takes what its endpoint is sent, verified, so that nobody needs a server to see a webhook', async () => {
  env.setNow('2026-03-01T00:00:00Z');
  const { id } = (await merchant.post('/v0/webhookEndpoints', { url: INBOX })).body;
  const customer = await shopOf(merchant).customer();
  await merchant.post(`/v0/webhookEndpoints/${id}/rotateSecret`);
  expect(await env.deliverWebhooks()).toBe(1);
  const [event] = (await merchant.get('/v0/webhookEvents')).body.data;
  expect(event.deliveries).toMatchObject([{ endpointId: id, status: 'delivered' }]);
  expect(await inboxOf()).toEqual([
    {
      id: expect.stringMatching(/^wrc_/),
      object: 'webhookReceipt',
      merchantId: merchant.id,
      endpointId: id,
      eventId: event.id,
      type: 'customer.created.v0',
      timestamp: '2026-03-01T00:00:00Z',
      data: { merchantId: merchant.id, customerId: customer.id, consumerId: customer.consumerId, sequence: 1 },
      headers: expect.objectContaining({ 'webhook-id': event.id, 'webhook-timestamp': '1772323200' }),
      createdAt: '2026-03-01T00:00:00Z',
    },
  ]);
  expect(await inboxOf(await env.merchant())).toEqual([]);
});

it('takes a test event', async () => {
  const other = await env.merchant();
  const { id } = (await other.post('/v0/webhookEndpoints', { url: INBOX })).body;
  const answer = await other.post(`/v0/webhookEndpoints/${id}/test`);
  expect(answer.body).toMatchObject({ delivered: true, statusCode: 200, reply: 'Taken into the inbox.' });
  expect(await inboxOf(other, 'type=webhook_endpoint.test.v0')).toMatchObject([{ eventId: answer.body.eventId }]);
});

it('refuses what is not signed by the secret of the endpoint, or is old', async () => {
  env.setNow('2026-03-01T00:00:00Z');
  const other = await env.merchant();
  const { id } = (await other.post('/v0/webhookEndpoints', { url: INBOX })).body;
  const now = () => Temporal.Instant.from('2026-03-01T00:00:00Z');
  const post = openInbox({ database: env.database, sealer: sealerOf('another key'), now });
  const target = { url: new URL(INBOX), isLoopback: true };
  const send = (headers: Record<string, string>) => post(target, '{}', headers, new AbortController().signal);
  const signed = { 'webhook-id': 'wev_1', 'webhook-timestamp': '1772323200', 'webhook-signature': 'v1,forged' };
  expect(await send({ ...signed, 'webhook-endpoint-id': id })).toMatchObject({ status: 401 });
  expect(await send({ ...signed, 'webhook-endpoint-id': 'whe_nobody' })).toMatchObject({ status: 401 });
  expect(await send({})).toMatchObject({ status: 401 });
  expect(await inboxOf(other)).toEqual([]);
});

it('is not there in production', async () => {
  const production = await openTestEnvironment({ environment: 'production' });
  const owner = await production.merchant();
  expect(await owner.get('/v0/webhookInbox')).toMatchObject({ status: 404 });
  expect(await owner.post('/v0/webhookEndpoints', { url: INBOX })).toMatchObject({ status: 400 });
  await production.close();
});

it('is the only address of this machine for webhooks of a program that other machines reach', async () => {
  const open = await openTestEnvironment({ isLocal: false });
  const other = await open.merchant();
  const put = (url: string) => other.post('/v0/webhookEndpoints', { url });
  for (const url of ['http://127.0.0.1:9/hooks', 'http://localhost:4401/v0/webhookInbox/', 'https://[::1]/hooks'])
    expect(await put(url)).toMatchObject({ status: 400, body: { errors: [{ field: 'url' }] } });
  expect((await put('http://localhost:4401/v0/webhookInbox')).status).toBe(201);
  await open.close();
});
