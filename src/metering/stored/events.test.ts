import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Merchant, sharedEnvironment, type TestEnvironment } from '../../../test/support/environment.ts';

let env: TestEnvironment;
let merchant: Merchant;
let customerId: string;

const TIME = '2026-03-01T10:00:00Z';
const consumer = { name: 'Acme', email: 'acme@example.com', address: { country: 'DE' } };

async function metric(owner: Merchant, fields: object) {
  const product = await owner.post('/v0/products', { name: 'API', description: 'Calls' });
  const made = await owner.post('/v0/billableMetrics', {
    name: 'Metric',
    description: 'd',
    unit: 'u',
    productId: product.body.id,
    aggregation: 'SUM',
    valueProperty: '$.v',
    ...fields,
  });
  expect(made.status).toBe(201);
  return made.body.id as string;
}

beforeAll(async () => {
  env = await sharedEnvironment();
  env.setNow('2026-03-01T12:00:00Z');
  merchant = await env.merchant();
  const made = await merchant.post('/v0/customers', { consumer, externalId: 'acme' });
  customerId = made.body.customerId;
  await metric(merchant, { eventType: 'summed' });
  await metric(merchant, { eventType: 'counted', aggregation: 'COUNT', valueProperty: null });
  await metric(merchant, { eventType: 'distinct', aggregation: 'UNIQUE_COUNT' });
  await metric(merchant, { eventType: 'later', eventFrom: TIME });
  await metric(merchant, { eventType: 'two', valueProperty: '$.other' });
  await metric(merchant, { eventType: 'two', aggregation: 'MAX' });
  const product = await merchant.post('/v0/products', { name: 'Costs', description: 'd' });
  await merchant.post('/v0/costs', {
    type: 'metered',
    name: 'Tokens',
    unitCost: 1,
    currency: 'USD',
    productId: product.body.id,
    eventType: 'costly',
    aggregation: 'SUM',
    valueProperty: '$.v',
  });
});
afterAll(() => env.close());

const keysOf = (body: { data: { idempotencyKey: string }[] }) => body.data.map(({ idempotencyKey }) => idempotencyKey);

describe('the reason why an event counts nothing', () => {
  // Proves 2.metric.eventType, 6.webhooks.usage.
  it.each([
    { name: 'a number', type: 'summed', data: { v: 1 } },
    { name: 'a decimal string', type: 'summed', data: { v: '1.5' } },
    { name: 'an event to count', type: 'counted', data: {} },
    { name: 'a text to tell apart', type: 'distinct', data: { v: 'red' } },
    { name: 'a value for one of two metrics', type: 'two', data: { v: 1 } },
    { name: 'a value for a cost', type: 'costly', data: { v: 1 } },
    { name: 'no value', type: 'summed', data: {}, reason: 'NO_VALUE' },
    { name: 'a text where a number belongs', type: 'summed', data: { v: 'red' }, reason: 'NO_VALUE' },
    { name: 'null', type: 'distinct', data: { v: null }, reason: 'NO_VALUE' },
    { name: 'an object to tell apart', type: 'distinct', data: { v: {} }, reason: 'NO_VALUE' },
    { name: 'a type that nothing measures', type: 'unknown', data: { v: 1 }, reason: 'UNKNOWN_TYPE' },
    { name: 'the time of eventFrom itself', type: 'later', data: { v: 1 }, reason: 'BEFORE_EVENT_FROM' },
    {
      name: 'the microsecond after eventFrom',
      type: 'later',
      data: { v: 1 },
      timestamp: '2026-03-01T10:00:00.000001Z',
    },
    { name: 'a subject that is nobody', type: 'summed', data: { v: 1 }, subject: 'nobody', reason: 'UNKNOWN_SUBJECT' },
    {
      name: 'an externalSubject that nobody has',
      type: 'unknown',
      data: {},
      externalSubject: 'nobody',
      reason: 'UNKNOWN_SUBJECT',
    },
  ])('$name: $reason', async ({ name, type, data, timestamp = TIME, reason, ...to }) => {
    const subject = 'subject' in to || 'externalSubject' in to ? to : { externalSubject: 'acme' };
    const sent = await merchant.post('/v0/events', {
      type,
      source: 's',
      idempotencyKey: name,
      timestamp,
      data,
      ...subject,
    });
    const one = await merchant.get(`/v0/events/${sent.body.id}`);
    expect(one.body).toMatchObject({ status: reason ? 'unmatched' : 'matched', data });
    expect(one.body.reason).toBe(reason);
    expect(one.body.sentSubject).toBe('subject' in to ? to.subject : undefined);
    const listed = async (status: string) => keysOf((await merchant.get(`/v0/events?limit=100&status=${status}`)).body);
    expect((await listed('matched')).includes(name)).toBe(!reason);
    expect((await listed('unmatched')).includes(name)).toBe(Boolean(reason));
  });

  it('goes away with a metric that is made later', async () => {
    const sent = await merchant.post('/v0/events', {
      type: 'future',
      source: 's',
      subject: customerId,
      data: { v: 1 },
    });
    const status = async () => (await merchant.get(`/v0/events/${sent.body.id}`)).body.status;
    expect(await status()).toBe('unmatched');
    await metric(merchant, { eventType: 'future' });
    expect(await status()).toBe('matched');
  });
});

describe('GET /v0/events', () => {
  let lister: Merchant;
  beforeAll(async () => {
    lister = await env.merchant();
    const made = await lister.post('/v0/customers', { consumer, externalId: 'acme' });
    const to = { subject: made.body.customerId };
    const events = [
      { idempotencyKey: 'a', type: 'one', timestamp: '2026-01-01T00:00:00Z', ...to },
      {
        idempotencyKey: 'b',
        type: 'two',
        timestamp: '2025-12-31T23:59:59.999999Z',
        externalSubject: 'acme',
        externalId: 'row-1',
      },
      { idempotencyKey: 'c', type: 'one', timestamp: '2026-01-02T00:00:00Z', subject: 'x', externalSubject: 'acme' },
      { idempotencyKey: 'd', type: 'two', timestamp: '2026-01-03T00:00:00Z', externalSubject: 'other' },
    ];
    await lister.post(
      '/v0/events',
      events.map((event) => ({ source: 's', ...event })),
    );
    customerOfLister = made.body.customerId;
  });
  let customerOfLister: string;

  it.each([
    { query: () => '', keys: 'dcba' },
    { query: () => 'type=one', keys: 'ca' },
    { query: () => `subject=${customerOfLister}`, keys: 'ba' },
    { query: () => 'subject=x', keys: 'c' },
    { query: () => 'externalSubject=acme', keys: 'cb' },
    { query: () => 'externalId=row-1', keys: 'b' },
    { query: () => 'from=2026-01-01T00:00:00Z', keys: 'dca' },
    { query: () => 'to=2026-01-01T00:00:00Z', keys: 'b' },
    { query: () => 'from=2026-01-01T00:00:00Z&to=2026-01-03T00:00:00Z&type=one', keys: 'ca' },
    { query: () => 'status=matched', keys: '' },
    { query: () => 'subject=nobody', keys: '' },
  ])('is filtered: $keys', async ({ query, keys }) => {
    const { status, body } = await lister.get(`/v0/events?${query()}`);
    expect({ status, keys: keysOf(body).join('') }).toEqual({ status: 200, keys });
    expect(body.pagination).toEqual({ limit: 20, offset: 0, total: keys.length, nextAfter: null });
    for (const event of body.data) expect(event).not.toHaveProperty('data');
  });

  it('is paged, newest first', async () => {
    const { body } = await lister.get('/v0/events?limit=2&offset=1');
    expect([keysOf(body).join(''), body.pagination]).toEqual([
      'cb',
      { limit: 2, offset: 1, total: 4, nextAfter: expect.any(String) },
    ]);
  });

  it('covers all merchants for an operator, or the one that it names', async () => {
    const all = await env.platform.get('/v0/events?limit=1');
    expect(all.body.pagination.total).toBeGreaterThan(4);
    const one = await env.platform.get(`/v0/events?merchantId=${lister.id}`);
    expect(keysOf(one.body).join('')).toBe('dcba');
  });

  it.each([
    { query: 'limit=0', field: 'limit' },
    { query: 'limit=101', field: 'limit' },
    { query: 'offset=-1', field: 'offset' },
    { query: 'status=lost', field: 'status' },
    { query: 'from=yesterday', field: 'from' },
    { query: 'colour=red', field: 'colour' },
  ])('answers 400 to $query', async ({ query, field }) =>
    expect(await lister.get(`/v0/events?${query}`)).toMatchObject({ status: 400, body: { errors: [{ field }] } }),
  );

  it('belongs to no other merchant', async () => {
    const other = await env.merchant();
    expect((await other.get('/v0/events')).body.data).toEqual([]);
    expect((await other.get(`/v0/events?merchantId=${lister.id}`)).status).toBe(403);
    expect((await env.client().get('/v0/events')).status).toBe(401);
  });
});

describe('GET /v0/events/{id}', () => {
  it('answers with the data as it was sent, to the last digit', async () => {
    const body =
      '{"type":"summed","source":"s","externalSubject":"acme","data":{"v":9007199254740993,"w":[1e-9,"x",null,{"y":true}]}}';
    const sent = await merchant.post('/v0/events', body);
    const { status, text } = await merchant.get(`/v0/events/${sent.body.id}`);
    expect(status).toBe(200);
    expect(text).toContain('"data":{"v":9007199254740993,"w":[1e-9,"x",null,{"y":true}]}');
  });

  it.each(['evt_202603unknown', 'evt_x', 'nonsense', 'evt_20260100000000000000000000000000000000'])(
    'answers 404 to %s',
    async (id) =>
      expect(await merchant.get(`/v0/events/${id}`)).toMatchObject({ status: 404, body: { error: 'not_found' } }),
  );

  it('answers 404 to another merchant, and with the event to an operator and a viewer', async () => {
    const sent = await merchant.post('/v0/events', { type: 'summed', source: 's', subject: 'x' });
    const path = `/v0/events/${sent.body.id}`;
    expect((await (await env.merchant()).get(path)).status).toBe(404);
    expect((await env.platform.get(path)).status).toBe(200);
    expect((await (await env.userOf(merchant, 'viewer')).get(path)).status).toBe(200);
    expect((await env.client().get(path)).status).toBe(401);
  });
});

describe('a body', () => {
  const post = (payload: string) =>
    env.server.inject({
      method: 'POST',
      url: '/v0/events',
      headers: { authorization: `Bearer ${merchant.key}`, 'content-type': 'application/json' },
      payload,
    });
  const event = (data = '{}') => `{"type":"summed","source":"s","subject":"x","data":${data}}`;
  const long = event(`{"a":"${'x'.repeat(65_536)}"}`);

  it.each([
    { name: '10,001 values', text: `[${'1e1,'.repeat(10_000)}1]`, fields: ['body'] },
    { name: '8 MiB of numbers', text: `[${'1e100,'.repeat(1_300_000)}1]`, fields: ['body'] },
    { name: '8 MiB of objects', text: `[${'{},'.repeat(2_700_000)}{}]`, fields: ['body'] },
    { name: 'one event of 8 MiB', text: `{"data":{"a":[${'1e100,'.repeat(1_300_000)}1]}}`, fields: ['body'] },
    { name: 'one event of 64 KiB', text: long, fields: ['body'] },
    { name: 'one of three events of 64 KiB', text: `[${event()},${long},{"type":3}]`, fields: ['1', '2.source'] },
    { name: 'an event of 2,001 values', text: `[${event(`{"a":[${'1,'.repeat(2_000)}1]}`)}]`, fields: ['0'] },
    { name: 'a number', text: '7', fields: ['body'] },
  ])('of $name is a 400 that names it', async ({ text, fields }) => {
    const { statusCode, body } = await post(text);
    const answered = JSON.parse(body);
    expect(statusCode).toBe(400);
    expect(answered.error).toBe('validation_error');
    expect(answered.errors.map(({ field }: { field: string }) => field).slice(0, fields.length)).toEqual(fields);
  });

  it.each([
    { name: 'a broken event among others', text: `[${event()},{"type":},${event()}]`, words: 'element 1' },
    { name: 'no end', text: `[${event()}`, words: 'JSON' },
    { name: '100,000 levels', text: '['.repeat(100_000), words: '32 levels' },
    { name: '500,001 values', text: `[${`[${'1,'.repeat(1_500)}1],`.repeat(400)}1]`, words: '500,000 values' },
  ])('with $name is a 400 of the whole', async ({ text, words }) => {
    const { statusCode, body } = await post(text);
    expect({ statusCode, ...JSON.parse(body) }).toMatchObject({
      statusCode: 400,
      code: 'MALFORMED_BODY',
      message: expect.stringContaining(words),
    });
  });

  it('that names the namespace of another merchant is a 403, whatever else is wrong with it', async () => {
    const other = await env.merchant();
    const { statusCode } = await post(`[{"type":3},{"namespace":"${other.id}"}]`);
    expect(statusCode).toBe(403);
  });
});
