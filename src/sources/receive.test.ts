import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Merchant, sharedEnvironment, type TestEnvironment } from '../../test/support/environment.ts';
import { type Resource, type Shop, shopOf } from '../../test/support/shop.ts';
import { deliver, newSource, revenue, revenueShop, SECRET, signedHeaders } from '../../test/support/sources.ts';
import { sql } from '../db/index.ts';
import { newId } from '../kernel/ids.ts';

let env: TestEnvironment;
let merchant: Merchant;
let shop: Shop;
let world: Awaited<ReturnType<typeof revenueShop>>;
let source: Resource;
beforeAll(async () => {
  env = await sharedEnvironment();
  merchant = await env.merchant();
  shop = shopOf(merchant);
  world = await revenueShop(shop);
  source = await newSource(shop, world);
});
afterAll(() => env.close());

const usageOf = async (event: Resource) => shop.read(`/v0/events/${event.usageEventIds[0]}`);
const told = (id: string) =>
  env.database.transaction({ merchants: [merchant.id] }, (tx) =>
    tx.rows<{ type: string; data: Resource }>(
      sql`select type, data from outbox where data->>'sourceEventId' = ${id} order by seq`,
    ),
  );

describe('an event of a source in automatic mode', () => {
  it('becomes usage of the customer at once, with the amount where the metric reads it', async () => {
    const body = revenue(world.externalId, { data: { region: 'eu' } });
    const answer = await deliver(env, source, body);
    expect(answer).toMatchObject({
      status: 201,
      body: {
        object: 'sourceEvent',
        sourceId: source.id,
        status: 'processed',
        externalEventId: body.id,
        customerId: world.customer.id,
        subscriptionId: world.subscription.id,
        amount: '100',
        currency: 'USD',
        occurredAt: '2026-01-10T12:00:00Z',
        rawData: body,
        errorMessage: null,
        processedBy: 'system',
      },
    });
    expect(answer.body.usageEventIds).toHaveLength(1);
    expect(await usageOf(answer.body)).toMatchObject({
      type: 'revenue',
      subject: world.customer.id,
      timestamp: '2026-01-10T12:00:00Z',
      idempotencyKey: answer.body.id,
      data: { amount: '100', currency: 'USD', sourceId: source.id, region: 'eu' },
    });
    expect((await told(answer.body.id)).map(({ type }) => type)).toEqual(['source_event.processed.v0']);
  });

  it('is one event whenever it is told again: 200 with the first', async () => {
    const body = revenue(world.externalId);
    const first = await deliver(env, source, body);
    const again = await deliver(env, source, { ...body, amount: '999' });
    expect([first.status, again.status]).toEqual([201, 200]);
    expect(again.body).toEqual(first.body);
  });

  it('is one event where it is told ten times at once', async () => {
    const body = revenue(world.externalId);
    const answers = await Promise.all(Array.from({ length: 10 }, () => deliver(env, source, body)));
    expect(answers.map(({ status }) => status).toSorted()).toEqual([...Array(9).fill(200), 201]);
    expect(new Set(answers.map((answer) => answer.body.usageEventIds[0])).size).toBe(1);
    const { pagination } = await shop.read(`/v0/sources/${source.id}/events?externalEventId=${body.id}`);
    expect(pagination.total).toBe(1);
    expect(await told(answers[0]?.body.id)).toHaveLength(1);
  });

  it('of a customer whom nobody knows yet is usage of that name, and the customer’s as soon as there is one', async () => {
    const { body: event } = await deliver(env, source, revenue('comes-later'));
    expect(event).toMatchObject({ status: 'processed', errorMessage: null });
    expect(event.customerId).toBeUndefined();
    expect(await usageOf(event)).toMatchObject({ externalSubject: 'comes-later' });
    const customer = await shop.customer({ externalId: 'comes-later' });
    expect((await usageOf(event)).subject).toBe(customer.id);
  });

  it.each([
    { what: 'in another currency', fields: { currency: 'EUR' }, reason: /EUR.*USD/ },
    { what: 'of nobody whom usage could wait for', fields: { customerExternalId: '$anon:1' }, reason: /externalId/ },
    { what: 'whose data no event may hold', fields: { data: { n: 'x'.repeat(70_000) } }, reason: /refused/ },
  ])('$what is failed, and says why', async ({ fields, reason }) => {
    const { status, body } = await deliver(env, source, revenue(world.externalId, fields));
    expect([status, body.status, body.usageEventIds]).toEqual([201, 'failed', []]);
    expect(body.errorMessage).toMatch(reason);
    expect((await told(body.id)).map(({ type }) => type)).toEqual(['source_event.failed.v0']);
  });

  it('of a customer without a subscription of the plan is failed', async () => {
    const customer = await shop.customer({ externalId: 'without-plan' });
    const { body } = await deliver(env, source, revenue('without-plan'));
    expect(body).toMatchObject({ status: 'failed', customerId: customer.id });
    expect(body.errorMessage).toContain(world.plan.id);
  });

  it('for a metric that counts no events is failed', async () => {
    const metric = await shop.metric({ eventType: undefined });
    const { body } = await deliver(env, await newSource(shop, { ...world, metric }), revenue(world.externalId));
    expect(body.errorMessage).toContain('eventType');
  });
});

describe('who may send', () => {
  const send = (headers: Record<string, string>, body: string, client = env.client()) =>
    client.post(`/v0/sources/${source.id}/events`, body, headers);
  const now = () => Temporal.Now.instant();

  it.each([
    { what: 'nothing at all', headers: () => ({}) },
    {
      what: 'another secret',
      headers: (body: string) => signedHeaders(body, now(), `whsec_${Buffer.from('another').toString('base64')}`),
    },
    { what: 'another body', headers: (body: string) => signedHeaders(`${body} `, now()) },
    { what: 'a time six minutes ago', headers: (body: string) => signedHeaders(body, now().subtract({ minutes: 6 })) },
    { what: 'a time six minutes ahead', headers: (body: string) => signedHeaders(body, now().add({ minutes: 6 })) },
    {
      what: 'no id',
      headers: (body: string) => {
        const { 'webhook-id': _, ...others } = signedHeaders(body, now());
        return others;
      },
    },
    { what: 'an API key that nobody has', headers: () => ({ authorization: 'Bearer rk_test_nobody' }) },
    {
      what: 'a wrong signature beside a good key',
      headers: (body: string) => ({ ...signedHeaders(`${body} `, now()), authorization: `Bearer ${merchant.key}` }),
    },
  ])('not by $what: 401, and nothing is stored', async ({ headers }) => {
    const body = revenue(world.externalId);
    const text = JSON.stringify(body);
    expect(await send(headers(text), text)).toMatchObject({ status: 401, body: { code: 'WEBHOOK_SIGNATURE_INVALID' } });
    expect((await shop.read(`/v0/sources/${source.id}/events?externalEventId=${body.id}`)).pagination.total).toBe(0);
  });

  it('one of several signatures is enough', async () => {
    const text = JSON.stringify(revenue(world.externalId));
    const headers = signedHeaders(text, now());
    headers['webhook-signature'] = `v1,AAAA v1a,BBBB ${headers['webhook-signature']}`;
    expect((await send(headers, text)).status).toBe(201);
  });

  it('the merchant with an API key that may write, and no other one', async () => {
    const text = () => JSON.stringify(revenue(world.externalId));
    expect((await send({}, text(), merchant)).status).toBe(201);
    expect((await send({}, text(), env.platform)).status).toBe(201);
    expect((await send({}, text(), await env.userOf(merchant, 'viewer'))).status).toBe(403);
    expect((await send({}, text(), await env.merchant())).status).toBe(403);
  });

  it('a source without a secret takes API keys only', async () => {
    const open = await newSource(shop, world, { config: { projectId: 'p' } });
    expect((await deliver(env, open, revenue(world.externalId))).status).toBe(401);
    expect((await merchant.post(`/v0/sources/${open.id}/events`, revenue(world.externalId))).status).toBe(201);
  });

  it('a source that is disabled takes nothing: 409', async () => {
    const closed = await newSource(shop, world, { enabled: false });
    expect(await deliver(env, closed, revenue(world.externalId))).toMatchObject({
      status: 409,
      body: { code: 'SOURCE_DISABLED' },
    });
    await shop.change(`/v0/sources/${closed.id}`, { enabled: true });
    expect((await deliver(env, closed, revenue(world.externalId))).status).toBe(201);
  });

  it.each([newId('source'), 'src_!', newId('customer')])('no source, no events: %s is a 404', async (id) => {
    expect((await deliver(env, { id }, revenue(world.externalId))).status).toBe(404);
  });
});

describe('bodies that are refused', () => {
  const deep = `${'['.repeat(40)}${']'.repeat(40)}`;
  const base = JSON.stringify(revenue('x')).slice(0, -1);
  it.each([
    { what: 'no JSON', body: '{"id":', fields: null },
    { what: 'a list', body: '[]', fields: ['body'] },
    { what: 'a number', body: '1', fields: ['body'] },
    { what: 'nothing in it', body: '{}', fields: ['id', 'customerExternalId', 'amount', 'currency', 'occurredAt'] },
    { what: 'a field that there is not', body: `${base},"extra":1}`, fields: ['extra'] },
    { what: 'data that is no object', body: `${base},"data":[1]}`, fields: ['data'] },
    { what: 'too many levels', body: `${base},"data":{"a":${deep}}}`, fields: null },
    { what: 'a key that reaches into a prototype', body: `${base},"data":{"__proto__":{}}}`, fields: null },
    { what: 'a NUL', body: `${base},"data":{"a":"\\u0000"}}`, fields: undefined },
    { what: 'a huge number', body: `${base},"data":{"a":1e999}}`, fields: undefined },
  ])('$what', async ({ body, fields }) => {
    const answer = await deliver(env, source, body);
    expect(answer.status, answer.text).toBe(400);
    if (fields === null) expect(answer.body.code).toBe('MALFORMED_BODY');
    else if (fields)
      expect(answer.body.errors.map(({ field }: { field: string }) => field).toSorted()).toEqual(fields.toSorted());
  });

  it.each([
    ['id', ''],
    ['id', 'x'.repeat(256)],
    ['id', 7],
    ['id', 'a\0'],
    ['customerExternalId', ''],
    ['customerExternalId', null],
    ['amount', 'ten'],
    ['amount', '1e9999'],
    ['amount', null],
    ['amount', {}],
    ['currency', 'dollars'],
    ['currency', 'XXX'],
    ['currency', 840],
    ['occurredAt', '2026-01-01'],
    ['occurredAt', 'yesterday'],
    ['occurredAt', '2026-02-30T00:00:00Z'],
    ['occurredAt', '1999-01-01T00:00:00Z'],
    ['occurredAt', 1767225600],
  ])('%s: %j', async (field, value) => {
    const answer = await deliver(env, source, revenue(world.externalId, { [field]: value }));
    expect(answer.status, answer.text).toBe(400);
    expect(answer.body.errors.map((error: { field: string }) => error.field)).toContain(field);
  });

  it('another content type is a 415, and none a 400 or 415', async () => {
    const text = JSON.stringify(revenue(world.externalId));
    const headers = { ...signedHeaders(text, Temporal.Now.instant()), 'content-type': 'text/plain' };
    expect((await env.client().post(`/v0/sources/${source.id}/events`, text, headers)).status).toBe(415);
    expect((await env.client().post(`/v0/sources/${source.id}/events`)).status).toBe(400);
  });

  it('a body above 256 KiB is a 413', async () => {
    expect((await deliver(env, source, revenue('x', { data: { a: 'x'.repeat(300_000) } }))).status).toBe(413);
  });
});

it('amounts keep all their digits', async () => {
  const text = JSON.stringify(revenue(world.externalId)).replace('"100.00"', '123456789012345678901234.56789');
  const { body } = await deliver(env, source, text);
  expect(body.amount).toBe('123456789012345678901234.56789');
  expect(body.status).toBe('processed');
});

it('the secret is nowhere in the answers, the audit log or, readable, in the database', async () => {
  const made = await newSource(shop, world);
  const seen = [
    made,
    await shop.read(`/v0/sources/${made.id}`),
    await shop.read('/v0/sources'),
    await shop.read('/v0/auditLog?limit=100'),
    await shop.change(`/v0/sources/${made.id}`, { config: { projectId: 'other', webhookSecret: SECRET } }),
    await env.database.transaction({ merchants: [merchant.id] }, (tx) =>
      tx.rows(sql`select to_jsonb(s)::text as row from source s`),
    ),
  ];
  expect(JSON.stringify(seen)).not.toContain(SECRET.slice(6, 20));
  expect(made).toMatchObject({ config: { projectId: 'proj_1' }, hasWebhookSecret: true });
});
