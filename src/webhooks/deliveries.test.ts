import { Ajv2020 } from 'ajv/dist/2020.js';
import { Webhook } from 'standardwebhooks';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type Merchant, openTestEnvironment, type TestEnvironment } from '../../test/support/environment.ts';
import { openReceiver, type Received, type Receiver } from '../../test/support/receiver.ts';
import { type Resource, shopOf } from '../../test/support/shop.ts';
import { sql } from '../db/index.ts';
import { programRunChore, publish } from './index.ts';
import { ALL_KINDS, EVENT_TYPES } from './kinds.ts';

const START = '2026-03-01T00:00:00Z';

let env: TestEnvironment;
let merchant: Merchant;
let receiver: Receiver;
/** The status of the receiver's answers. */
let status = 204;
let headers: Record<string, string> = {};
beforeAll(async () => {
  env = await openTestEnvironment();
  receiver = await openReceiver((response) => response.writeHead(status, headers).end('said'));
});
beforeEach(async () => {
  env.setNow(START);
  status = 204;
  headers = {};
  receiver.received.length = 0;
  merchant = await env.merchant();
});
afterAll(async () => {
  await env.close();
  await receiver.close();
});

const newEndpoint = async (fields: object = {}, by = merchant): Promise<Resource> => {
  const answer = await by.post('/v0/webhookEndpoints', { url: receiver.url, ...fields });
  expect(answer.status, answer.text).toBe(201);
  return answer.body;
};
const happen = (data: Record<string, string> = { customerId: 'cus_a' }, of = merchant): Promise<string> =>
  env.database.transaction({ merchants: [of.id] }, (tx) =>
    publish(tx, { merchantId: of.id, type: 'customer.created.v0', data }, Temporal.Instant.from(START)),
  );
const later = (duration: string) => env.setNow(Temporal.Instant.from(START).add(duration).toString());
const eventOf = async (id: string): Promise<Resource> => (await merchant.get(`/v0/webhookEvents/${id}`)).body;
const attemptsOf = async (id: string): Promise<Resource[]> =>
  (await merchant.get(`/v0/webhookEvents/${id}/attempts?limit=100`)).body.data;
const verified = ({ headers: sent, body }: Received, secret: string): unknown => {
  const now = globalThis.Date.now;
  globalThis.Date.now = () => Number(sent['webhook-timestamp']) * 1000; // the library reads the wall clock
  try {
    return new Webhook(secret).verify(body, sent as Record<string, string>);
  } finally {
    globalThis.Date.now = now;
  }
};

describe('a delivery', () => {
  // Proves 6.webhooks.delivery.
  it('is signed as Standard Webhooks says, and tells what happened when', async () => {
    const { secret, id } = await newEndpoint();
    const customer = await shopOf(merchant).customer();
    expect(await env.deliverWebhooks()).toBe(1);
    const [got] = receiver.received as [Received];
    const expected = {
      type: 'customer.created.v0',
      timestamp: START,
      data: { merchantId: merchant.id, customerId: customer.id, consumerId: customer.consumerId, sequence: 1 },
    };
    expect(verified(got, secret)).toEqual(expected);
    expect(got.headers).toMatchObject({ 'content-type': 'application/json', 'webhook-endpoint-id': id });
    const eventId = got.headers['webhook-id'] as string;
    expect(await eventOf(eventId)).toMatchObject({
      type: expected.type,
      resourceId: customer.id,
      data: expected.data,
      deliveries: [{ endpointId: id, status: 'delivered', attempts: 1, nextAttemptAt: null }],
    });
    expect(await attemptsOf(eventId)).toMatchObject([
      { endpointId: id, number: 1, status: 'delivered', statusCode: 204, error: null, createdAt: START },
    ]);
    expect(await env.deliverWebhooks()).toBe(0);
  });

  it('has the body that the document describes for its type, and no other field', async () => {
    const { webhooks, components } = (await merchant.get('/openapi.json')).body;
    const ajv = new Ajv2020({ strict: false, validateFormats: false });
    ajv.addSchema({ $id: 'document', components });
    const { id } = await newEndpoint();
    await shopOf(merchant).customer();
    await env.deliverWebhooks();
    await merchant.post(`/v0/webhookEndpoints/${id}/test`);
    const bodies = receiver.received.map(({ body }) => JSON.parse(body));
    expect(bodies.map(({ type }) => type)).toEqual(['customer.created.v0', 'webhook_endpoint.test.v0']);
    const isFor = (name: string, body: unknown): boolean => {
      const { $ref } = webhooks[name].post.requestBody.content['application/json'].schema;
      return ajv.validate({ $ref: `document${$ref}`, unevaluatedProperties: false }, body);
    };
    for (const body of bodies) {
      for (const name of [body.type, ALL_KINDS]) expect(isFor(name, body), ajv.errorsText()).toBe(true);
      expect(isFor('invoice.paid.v0', body)).toBe(false);
      expect(isFor(body.type, { ...body, more: 1 })).toBe(false);
    }
    expect(Object.keys(webhooks).toSorted()).toEqual(
      [...EVENT_TYPES, 'webhook_endpoint.test.v0', ALL_KINDS].toSorted(),
    );
  });

  it('goes to each endpoint that wants its kind, and to no disabled or deleted one', async () => {
    const wanting = await newEndpoint({ eventTypes: ['customer.created.v0', 'invoice.paid.v0'] });
    const all = await newEndpoint();
    await newEndpoint({ eventTypes: ['invoice.paid.v0'] });
    await newEndpoint({ status: 'disabled' });
    const gone = await newEndpoint();
    expect(await merchant.delete(`/v0/webhookEndpoints/${gone.id}`)).toMatchObject({ status: 204 });
    expect(await merchant.get(`/v0/webhookEndpoints/${gone.id}`)).toMatchObject({ status: 404 });
    const id = await happen();
    await env.deliverWebhooks();
    const { deliveries } = await eventOf(id);
    expect(deliveries.map(({ endpointId }: Resource) => endpointId).toSorted()).toEqual(
      [wanting.id, all.id].toSorted(),
    );
    expect(receiver.received.length).toBe(2);
  });

  it('is left out where the transaction of its event is rolled back', async () => {
    await newEndpoint();
    const undone = env.database.transaction({ merchants: [merchant.id] }, async (tx) => {
      const told = { merchantId: merchant.id, type: 'customer.created.v0', data: { customerId: 'cus_a' } } as const;
      await publish(tx, told, Temporal.Instant.from(START));
      throw new Error('rolled back');
    });
    await expect(undone).rejects.toThrow('rolled back');
    expect(await env.deliverWebhooks()).toBe(0);
  });

  it('is tried again by the schedule, under one id and with a fresh timestamp, and exhausted after the tenth', async () => {
    const { secret, id } = await newEndpoint({ eventTypes: ['customer.created.v0'] });
    status = 500;
    const event = await happen();
    const waits: number[] = [];
    let at = Temporal.Instant.from(START);
    for (let attempt = 1; attempt <= 10; attempt += 1) {
      expect(await env.deliverWebhooks()).toBe(1);
      const [delivery] = (await eventOf(event)).deliveries;
      if (attempt === 10) {
        expect(delivery).toEqual({ endpointId: id, status: 'exhausted', attempts: 10, nextAttemptAt: null });
        break;
      }
      const next = Temporal.Instant.from(delivery.nextAttemptAt);
      waits.push(next.since(at).total('seconds'));
      env.setNow(next.subtract({ milliseconds: 1 }).toString());
      expect(await env.deliverWebhooks()).toBe(0);
      at = next;
      env.setNow(at.toString());
    }
    const slots = [5, 300, 1800, 7200, 18_000, 36_000, 50_400, 72_000, 86_400];
    for (const [index, wait] of waits.entries()) {
      const slot = slots[index] as number;
      expect(wait).toBeGreaterThanOrEqual(slot * 0.8);
      expect(wait).toBeLessThanOrEqual(slot * 1.2);
    }
    expect(new Set(receiver.received.map((each) => each.headers['webhook-id']))).toEqual(new Set([event]));
    expect(new Set(receiver.received.map((each) => each.headers['webhook-timestamp'])).size).toBe(10);
    expect(new Set(receiver.received.map(({ body }) => body)).size).toBe(1);
    for (const each of receiver.received) verified(each, secret);
    const attempts = await attemptsOf(event);
    expect(attempts.map(({ number }) => number)).toEqual([10, 9, 8, 7, 6, 5, 4, 3, 2, 1]);
    expect(attempts[0]).toMatchObject({ status: 'failed', statusCode: 500, reply: 'said' });
  });

  it('is of wall time, also for what happens on a test clock', async () => {
    await newEndpoint();
    const id = await env.database.transaction({ merchants: [merchant.id] }, (tx) =>
      publish(
        tx,
        { merchantId: merchant.id, type: 'customer.created.v0', data: { customerId: 'cus_f' } },
        Temporal.Instant.from('2099-01-01T00:00:00Z'),
      ),
    );
    expect(await env.deliverWebhooks()).toBe(1);
    const [got] = receiver.received as [Received];
    expect(JSON.parse(got.body).timestamp).toBe('2099-01-01T00:00:00Z');
    expect(Number(got.headers['webhook-timestamp'])).toBe(Temporal.Instant.from(START).epochMilliseconds / 1000);
    expect(await attemptsOf(id)).toMatchObject([{ createdAt: START }]);
  });
});

describe('the secret', () => {
  it('is rotated with two signatures for 24 hours', async () => {
    const { secret: first, id } = await newEndpoint();
    const rotated = await merchant.post(`/v0/webhookEndpoints/${id}/rotateSecret`);
    expect(rotated).toMatchObject({ status: 200, body: { previousSecretUntil: '2026-03-02T00:00:00Z' } });
    const { secret: second } = rotated.body;
    await happen();
    await env.deliverWebhooks();
    const [both] = receiver.received.splice(0) as [Received];
    for (const secret of [first, second]) verified(both, secret);
    expect(String(both.headers['webhook-signature']).split(' ').length).toBe(2);
    later('PT24H');
    await happen();
    await env.deliverWebhooks();
    const [one] = receiver.received as [Received];
    verified(one, second);
    expect(() => verified(one, first)).toThrow();
  });

  it('is answered when it is made, and nowhere else', async () => {
    const endpoint = await newEndpoint();
    expect(endpoint.secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
    const rotated = (await merchant.post(`/v0/webhookEndpoints/${endpoint.id}/rotateSecret`)).body.secret;
    expect(rotated).not.toBe(endpoint.secret);
    const seen = [
      await merchant.get(`/v0/webhookEndpoints/${endpoint.id}`),
      await merchant.get('/v0/webhookEndpoints'),
      await merchant.patch(`/v0/webhookEndpoints/${endpoint.id}`, { description: 'ours' }),
      await merchant.get('/v0/auditLog'),
    ].map(({ text }) => text);
    for (const secret of [endpoint.secret, rotated])
      expect(seen.filter((text) => text.includes(secret) || text.includes(secret.slice(6)))).toEqual([]);
  });
});

describe('an endpoint that fails', () => {
  it.each([
    { status: 429, retryAfter: '8', from: 8, to: 8 },
    { status: 503, retryAfter: '3600', from: 10, to: 10 },
    { status: 503, retryAfter: 'Sun, 01 Mar 2026 00:00:09 GMT', from: 9, to: 9 },
    { status: 503, retryAfter: 'soon', from: 4, to: 6 },
    { status: 500, retryAfter: '3600', from: 4, to: 6 },
    { status: 301, retryAfter: '3600', from: 4, to: 6 },
  ])('is left alone as $status with Retry-After $retryAfter asks, up to twice the wait', async (each) => {
    await newEndpoint();
    ({ status } = each);
    headers = { 'retry-after': each.retryAfter, location: receiver.url };
    const id = await happen();
    expect(await env.deliverWebhooks()).toBe(1);
    const { nextAttemptAt } = (await eventOf(id)).deliveries[0];
    const wait = Temporal.Instant.from(nextAttemptAt).since(START).total('seconds');
    expect(wait).toBeGreaterThanOrEqual(each.from);
    expect(wait).toBeLessThanOrEqual(each.to);
    expect(receiver.received.length).toBe(1);
  });

  it('is disabled by a 410, and gets nothing any more', async () => {
    const { id } = await newEndpoint();
    status = 410;
    const [first, second] = [await happen(), await happen()];
    await env.deliverWebhooks();
    expect((await merchant.get(`/v0/webhookEndpoints/${id}`)).body).toMatchObject({
      status: 'disabled',
      disabledReason: 'gone',
    });
    for (const event of [first, second])
      expect((await eventOf(event)).deliveries).toMatchObject([{ status: 'exhausted' }]);
    receiver.received.length = 0;
    await happen();
    expect(await env.deliverWebhooks()).toBe(0);
    const told = (await merchant.get('/v0/webhookEvents?type=webhook_endpoint.disabled.v0')).body.data;
    expect(told).toMatchObject([{ resourceId: id, data: { webhookEndpointId: id, reason: 'gone' } }]);
  });

  it('is told of after a day and disabled after five days of failures only', async () => {
    const { id } = await newEndpoint();
    status = 500;
    const kinds = async () =>
      (await merchant.get(`/v0/webhookEvents?resourceId=${id}`)).body.data.map(({ type }: Resource) => type);
    const failAfter = async (duration: string) => {
      later(duration);
      await happen();
      await env.deliverWebhooks();
    };
    await failAfter('PT0S');
    await failAfter('PT23H59M');
    expect(await kinds()).toEqual([]);
    await failAfter('PT24H');
    await failAfter('PT30H');
    expect(await kinds()).toEqual(['webhook_endpoint.failing.v0']);
    status = 200;
    await failAfter('PT119H');
    status = 500;
    await failAfter('PT120H');
    expect((await merchant.get(`/v0/webhookEndpoints/${id}`)).body).toMatchObject({ status: 'enabled' });
    for (let event = 0; event < 8; event += 1) await happen();
    await failAfter('PT240H');
    const disabled = (await merchant.get(`/v0/webhookEndpoints/${id}`)).body;
    expect(disabled).toMatchObject({ status: 'disabled', disabledReason: 'failing' });
    const failing = Array(2).fill('webhook_endpoint.failing.v0');
    expect(await kinds()).toEqual(['webhook_endpoint.disabled.v0', ...failing]);
    const enabled = await merchant.patch(`/v0/webhookEndpoints/${id}`, { status: 'enabled' });
    expect(enabled.body).toMatchObject({ status: 'enabled', disabledReason: null, failingSince: null });
  });

  it('is not disabled for time in which the program was off', async () => {
    const { id } = await newEndpoint();
    status = 500;
    const at = (duration: string) => Temporal.Instant.from(START).add({ hours: 1000 }).add(duration);
    const failAfter = async (duration: string) => {
      env.setNow(at(duration).toString());
      await happen();
      await env.deliverWebhooks(); // the program begins again before it says so
      await programRunChore.run(env.database, at(duration));
      return (await merchant.get(`/v0/webhookEndpoints/${id}`)).body.status;
    };
    for (let event = 0; event < 9; event += 1) await happen();
    expect(await failAfter('PT0S')).toBe('enabled');
    expect(await failAfter('PT2M')).toBe('enabled');
    expect(await failAfter('PT146H')).toBe('enabled'); // off for six days
    await env.database.transaction('nobody', (tx) =>
      tx.rows(sql`
        select note_program_run(${at('PT146H')}::timestamptz + n * interval '5 minutes')
          from generate_series(0, 12 * 120) n`),
    );
    expect(await failAfter('PT265H57M')).toBe('enabled');
    expect(await failAfter('PT265H58M')).toBe('disabled'); // on for five days: 2 minutes, and since then
  });
});
