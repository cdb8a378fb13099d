import pg from 'pg';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type Merchant, openTestEnvironment, type TestEnvironment } from '../../test/support/environment.ts';
import { openReceiver, type Receiver } from '../../test/support/receiver.ts';
import { type Resource, shopOf } from '../../test/support/shop.ts';
import { publish } from './index.ts';

const now = Temporal.Instant.from('2026-03-01T00:00:00Z');
let env: TestEnvironment;
let merchant: Merchant;
let receiver: Receiver;
let status = 204;
beforeAll(async () => {
  env = await openTestEnvironment();
  receiver = await openReceiver((response) => response.writeHead(status).end());
});
beforeEach(async () => {
  env.setNow(now.toString());
  merchant = await env.merchant();
  receiver.received.length = 0;
  status = 204;
});
afterAll(async () => {
  await env.close();
  await receiver.close();
});

const happen = (customerId: string, at = now): Promise<string> =>
  env.database.transaction({ merchants: [merchant.id] }, (tx) =>
    publish(tx, { merchantId: merchant.id, type: 'customer.created.v0', data: { customerId } }, at),
  );
const list = async (query = ''): Promise<Resource[]> => {
  const answer = await merchant.get(`/v0/webhookEvents?limit=100&${query}`);
  expect(answer.status, answer.text).toBe(200);
  return answer.body.data;
};
const idsOf = (events: readonly Resource[]): string[] => events.map(({ id }) => id);
const newEndpoint = async (fields: object = {}): Promise<Resource> =>
  (await merchant.post('/v0/webhookEndpoints', { url: receiver.url, ...fields })).body;

describe('a reader', () => {
  it('gets what comes after an event, oldest first, and all of it from the start', async () => {
    const made = [await happen('cus_1'), await happen('cus_2'), await happen('cus_3')];
    // A transaction anywhere in the cluster may delay the readers for a moment.
    await expect.poll(async () => idsOf(await list('after=start'))).toEqual(made);
    expect(idsOf(await list(`after=${made[0]}`))).toEqual(made.slice(1));
    expect(await list(`after=${made[2]}`)).toEqual([]);
    expect(idsOf(await list())).toEqual(made.toReversed());
    expect(idsOf(await list('resourceId=cus_2'))).toEqual([made[1]]);
    expect(idsOf(await list('after=start&resourceId=cus_3'))).toEqual([made[2]]);
  });

  it('passes over no event whose transaction commits later than another one that began after it', async () => {
    const first = await happen('cus_1');
    const { promise: isWritten, resolve: written } = Promise.withResolvers<string>();
    const { promise: mayCommit, resolve: commit } = Promise.withResolvers<void>();
    const slow = env.database.transaction({ merchants: [merchant.id] }, async (tx) => {
      written(
        await publish(tx, { merchantId: merchant.id, type: 'customer.created.v0', data: { customerId: 'cus_s' } }, now),
      );
      await mayCommit;
    });
    const late = await isWritten;
    const quick = await happen('cus_q');
    expect(idsOf(await list())).toContain(quick);
    expect(idsOf(await list(`after=${first}`))).toEqual([]);
    commit();
    await slow;
    await expect.poll(async () => idsOf(await list(`after=${first}`))).toEqual([late, quick]);
  });

  it.each([
    { query: 'after=wev_0000000000000000000000', status: 404 },
    { query: 'after=now', status: 400 },
    { query: 'type=customer.vanished.v0', status: 400 },
    { query: 'limit=0', status: 400 },
  ])('is refused $query with $status', async ({ query, status: expected }) => {
    expect((await merchant.get(`/v0/webhookEvents?${query}`)).status).toBe(expected);
  });

  it('goes on where its events were restored into a cluster whose transactions have lower ids', async () => {
    const [before, foreign] = [await happen('cus_1'), await happen('cus_2')];
    const client = new pg.Client({ connectionString: env.url });
    await client.connect();
    await client.query(`update outbox set transaction_id = '900000000000' where id = $1`, [foreign]);
    expect(idsOf(await list(`after=${before}`))).toEqual([]);
    const { rows } = await client.query('select adopt_webhook_events() as count');
    expect(rows).toEqual([{ count: '1' }]);
    const after = await happen('cus_3');
    await expect.poll(async () => idsOf(await list(`after=${before}`))).toEqual([foreign, after]);
    await client.end();
  });
});

describe('a redelivery', () => {
  it('of one event goes to an endpoint again under the same id, from the beginning of the schedule', async () => {
    const { id } = await newEndpoint();
    const other = await newEndpoint();
    const event = await happen('cus_1');
    await env.deliverWebhooks();
    receiver.received.length = 0;
    const again = await merchant.post(`/v0/webhookEvents/${event}/redeliver`, { endpointId: id });
    expect(again.status, again.text).toBe(200);
    const byEndpoint = (each: Resource) => each.deliveries.find(({ endpointId }: Resource) => endpointId === id);
    expect(byEndpoint(again.body)).toEqual({ endpointId: id, status: 'pending', attempts: 1, nextAttemptAt: null });
    expect(await env.deliverWebhooks()).toBe(1);
    expect(receiver.received.map(({ headers }) => headers['webhook-id'])).toEqual([event]);
    const { data } = (await merchant.get(`/v0/webhookEvents/${event}/attempts?endpointId=${id}`)).body;
    expect(data.map(({ number }: Resource) => number)).toEqual([2, 1]);
    await merchant.post(`/v0/webhookEvents/${event}/redeliver`);
    expect(await env.deliverWebhooks()).toBe(2);
    expect(receiver.received.map(({ headers }) => headers['webhook-endpoint-id']).toSorted()).toEqual(
      [id, id, other.id].toSorted(),
    );
  });

  it('reaches an endpoint that was made after the event', async () => {
    const event = await happen('cus_1');
    await newEndpoint();
    expect(await env.deliverWebhooks()).toBe(0);
    await merchant.post(`/v0/webhookEvents/${event}/redeliver`);
    expect(await env.deliverWebhooks()).toBe(1);
  });

  it('of a time takes its events, by kind, and only those that failed where that is asked', async () => {
    const { id } = await newEndpoint();
    const at = (hours: number) => now.add({ hours });
    const delivered = await happen('cus_1', at(1));
    await env.deliverWebhooks();
    await merchant.patch(`/v0/webhookEndpoints/${id}`, { status: 'disabled' });
    const missed = await happen('cus_2', at(2));
    await happen('cus_3', at(5));
    await merchant.patch(`/v0/webhookEndpoints/${id}`, { status: 'enabled' });
    const range = { from: at(0).toString(), to: at(5).toString() };
    const redeliver = async (more: object = {}) => {
      receiver.received.length = 0;
      const answer = await merchant.post('/v0/webhookEvents/redeliver', { ...range, ...more });
      expect(answer.status, answer.text).toBe(200);
      expect(await env.deliverWebhooks()).toBe(answer.body.deliveries);
      return receiver.received.map(({ headers }) => headers['webhook-id']).toSorted();
    };
    expect(await redeliver({ onlyFailed: true })).toEqual([missed]);
    expect(await redeliver({ onlyFailed: true })).toEqual([]);
    expect(await redeliver()).toEqual([delivered, missed].toSorted());
    expect(await redeliver({ types: ['invoice.paid.v0'] })).toEqual([]);
    expect(await redeliver({ endpointId: id, types: ['customer.created.v0'] })).toEqual([delivered, missed].toSorted());
  });

  it('is refused for a disabled, unknown or foreign endpoint, and for a time that runs backwards', async () => {
    const event = await happen('cus_1');
    const { id } = await newEndpoint({ status: 'disabled' });
    const path = `/v0/webhookEvents/${event}/redeliver`;
    expect(await merchant.post(path, { endpointId: id })).toMatchObject({
      status: 409,
      body: { code: 'ENDPOINT_DISABLED' },
    });
    expect(await merchant.post(path, { endpointId: 'whe_0000000000000000000000' })).toMatchObject({ status: 404 });
    const other = await env.merchant();
    const foreign = (await other.post('/v0/webhookEndpoints', { url: receiver.url })).body.id;
    expect(await merchant.post(path, { endpointId: foreign })).toMatchObject({ status: 403 });
    const backwards = { from: now.toString(), to: now.toString() };
    expect(await merchant.post('/v0/webhookEvents/redeliver', backwards)).toMatchObject({
      status: 400,
      body: { errors: [{ field: 'to' }] },
    });
  });
});

describe('an endpoint', () => {
  it('is one of 20 at most, however many are made at once', async () => {
    const answers = await Promise.all(
      Array.from({ length: 24 }, () => merchant.post('/v0/webhookEndpoints', { url: receiver.url })),
    );
    expect(answers.filter(({ status: made }) => made === 201).length).toBe(20);
    expect(answers.find(({ status: made }) => made !== 201)).toMatchObject({
      status: 409,
      body: { code: 'TOO_MANY_ENDPOINTS' },
    });
    const [first] = (await merchant.get('/v0/webhookEndpoints')).body.data;
    await merchant.delete(`/v0/webhookEndpoints/${first.id}`);
    expect(await merchant.post('/v0/webhookEndpoints', { url: receiver.url })).toMatchObject({ status: 201 });
  });

  it.each([
    { fields: {}, field: 'url' },
    { fields: { url: 'https://10.0.0.1/' }, field: 'url' },
    { fields: { url: 'http://example.com/' }, field: 'url' },
    { fields: { url: 'https://example.com/', eventTypes: [] }, field: 'eventTypes' },
    { fields: { url: 'https://example.com/', eventTypes: ['customer.vanished.v0'] }, field: 'eventTypes.0' },
    { fields: { url: 'https://example.com/', status: 'gone' }, field: 'status' },
    { fields: { url: 'https://example.com/', secret: 'whsec_mine' }, field: 'secret' },
  ])('is a 400 for $fields', async ({ fields, field }) => {
    const answer = await merchant.post('/v0/webhookEndpoints', fields);
    expect(answer).toMatchObject({ status: 400, body: { errors: [{ field }] } });
  });

  it('is changed by admins alone, whose viewers read it', async () => {
    const { id } = await newEndpoint();
    for (const role of ['member', 'viewer'] as const) {
      const colleague = await env.userOf(merchant, role);
      expect(await colleague.post('/v0/webhookEndpoints', { url: receiver.url })).toMatchObject({ status: 403 });
      for (const action of ['rotateSecret', 'test'])
        expect(await colleague.post(`/v0/webhookEndpoints/${id}/${action}`)).toMatchObject({ status: 403 });
      expect(await colleague.patch(`/v0/webhookEndpoints/${id}`, {})).toMatchObject({ status: 403 });
      expect(await colleague.delete(`/v0/webhookEndpoints/${id}`)).toMatchObject({ status: 403 });
      expect(await colleague.get(`/v0/webhookEndpoints/${id}`)).toMatchObject({ status: 200 });
    }
  });

  it('is tested at once, also while it is disabled, and says what came back', async () => {
    const { id } = await newEndpoint({ status: 'disabled' });
    const test = () => merchant.post(`/v0/webhookEndpoints/${id}/test`);
    expect((await test()).body).toMatchObject({ delivered: true, statusCode: 204, error: null });
    status = 404;
    expect((await test()).body).toMatchObject({ delivered: false, statusCode: 404 });
    expect(receiver.received.map(({ body }) => JSON.parse(body).type)).toEqual(
      Array(2).fill('webhook_endpoint.test.v0'),
    );
    expect(await list()).toEqual([]);
  });

  it('is refused where its host leads to a private address, and taken where nobody knows its host yet', async () => {
    const hosts: Record<string, string[]> = {
      'inside.example.com': ['10.0.0.1'],
      'mixed.example.com': ['1.1.1.1', '::1'],
    };
    const guarded = await openTestEnvironment({
      environment: 'production',
      resolveHost: async (name) => hosts[name] ?? Promise.reject(new Error('unknown')),
    });
    const owner = await guarded.merchant();
    const make = (url: string) => owner.post('/v0/webhookEndpoints', { url });
    for (const host of Object.keys(hosts))
      expect(await make(`https://${host}/`)).toMatchObject({
        status: 400,
        body: { errors: [{ field: 'url', message: 'must lead to a public address' }] },
      });
    expect(await make('http://localhost:3000/')).toMatchObject({ status: 400 });
    const made = await make('https://later.example.com/');
    expect(made).toMatchObject({ status: 201, body: { eventTypes: ['*'], status: 'enabled', description: null } });
    hosts['later.example.com'] = ['169.254.169.254'];
    await shopOf(owner).customer();
    expect(await guarded.deliverWebhooks()).toBe(1);
    const [event] = (await owner.get('/v0/webhookEvents')).body.data;
    expect((await owner.get(`/v0/webhookEvents/${event.id}/attempts`)).body.data).toMatchObject([
      { statusCode: null, error: 'later.example.com does not lead to a public address.' },
    ]);
    await guarded.close();
  });
});
