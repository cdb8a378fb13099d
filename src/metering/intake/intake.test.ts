import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Merchant, sharedEnvironment, type TestEnvironment } from '../../../test/support/environment.ts';
import { sql } from '../../db/index.ts';
import { RefusalError } from '../../kernel/result.ts';
import { selectEventIds } from '../events/event-id.sql.ts';
import type { EventPlace } from '../events/event-id.ts';
import type { IncomingEvent } from '../events/incoming-event.ts';
import { createIntake } from './intake.ts';
import { lockIngest } from './lock.sql.ts';

let env: TestEnvironment;
let merchant: Merchant;
beforeAll(async () => {
  env = await sharedEnvironment();
  env.setNow('2026-03-01T12:00:00Z');
});
afterAll(() => env.close());

const event = { type: 'call', source: 'https://api.example', subject: 'cus_nobody' };

/** The numbers of a merchant's events and keys. */
const stored = (merchantId: string) =>
  env.database.transaction({ merchants: [merchantId] }, (tx) =>
    tx.one<{ events: number; keys: number }>(
      sql`select (select count(*)::int from event) as events, (select count(*)::int from event_key) as keys`,
    ),
  );

beforeAll(async () => {
  merchant = await env.merchant();
});

describe('POST /v0/events', () => {
  it('answers 202 with the event', async () => {
    const { status, body } = await merchant.post('/v0/events', {
      ...event,
      externalSubject: 'acme',
      externalId: 'row-1',
      idempotencyKey: 'first',
      timestamp: '2026-02-28T23:59:59.1234567+01:00',
      data: { tokens: 3 },
    });
    expect({ status, body }).toEqual({
      status: 202,
      body: {
        id: expect.stringMatching(/^evt_202602[0-9A-Za-z]{22}$/),
        object: 'event',
        type: 'call',
        source: 'https://api.example',
        externalSubject: 'acme',
        namespace: merchant.id,
        timestamp: '2026-02-28T22:59:59.123456Z',
        idempotencyKey: 'first',
        externalId: 'row-1',
      },
    });
  });

  // Proves 4.events.6, 4.events.7.
  it('gives an event what it leaves out: server time and a key, which works for a retry', async () => {
    const first = await merchant.post('/v0/events', event);
    expect(first.body.timestamp).toBe('2026-03-01T12:00:00Z');
    const { idempotencyKey } = first.body;
    const retry = await merchant.post('/v0/events', { ...event, idempotencyKey });
    expect(retry).toMatchObject({ status: 202, body: { id: first.body.id } });
    expect((await merchant.post('/v0/events', event)).body.id).not.toBe(first.body.id);
  });

  it.each([
    { name: 'the same content', key: 'same', more: {}, status: 202 },
    { name: 'its fields in another order', key: 'order', more: { data: { b: 2, a: 1 } }, status: 202 },
    {
      name: 'its time written with another offset',
      key: 'offset',
      more: { timestamp: '2026-03-01T03:00:00+03:00' },
      status: 202,
    },
    { name: 'its own namespace named', key: 'named', more: { namespace: 'own' }, status: 202 },
    { name: 'another value', key: 'value', more: { data: { a: 1, b: 3 } }, status: 409 },
    { name: 'a value as text', key: 'text', more: { data: { a: '1', b: 2 } }, status: 409 },
    { name: 'another type', key: 'type', more: { type: 'other' }, status: 409 },
    { name: 'another source', key: 'source', more: { source: 'other' }, status: 409 },
    { name: 'another subject', key: 'subject', more: { subject: 'other' }, status: 409 },
    { name: 'an externalId', key: 'external', more: { externalId: 'x' }, status: 409 },
    { name: 'another time', key: 'time', more: { timestamp: '2026-03-01T00:00:00.000001Z' }, status: 409 },
  ])('answers $status to a key that comes again with $name', async ({ key, more, status }) => {
    const body = { ...event, idempotencyKey: key, timestamp: '2026-03-01T00:00:00Z', data: { a: 1, b: 2 } };
    const first = await merchant.post('/v0/events', body);
    const namespace = 'namespace' in more ? { namespace: merchant.id } : {};
    const again = await merchant.post('/v0/events', { ...body, ...more, ...namespace });
    expect(again.status).toBe(status);
    if (status === 202) expect(again.body).toEqual(first.body);
    else
      expect(again.body).toMatchObject({
        error: 'conflict',
        code: 'IDEMPOTENCY_KEY_REUSED',
        details: { conflicts: [{ index: 0, idempotencyKey: key }] },
      });
  });

  it('compares an event without a time at any later moment, and counts it at the first', async () => {
    const sender = await env.merchant();
    const body = { ...event, idempotencyKey: 'timeless' };
    const first = await sender.post('/v0/events', body);
    env.setNow('2027-04-05T00:00:00Z');
    const again = await sender.post('/v0/events', body);
    env.setNow('2026-03-01T12:00:00Z');
    expect(again).toMatchObject({ status: 202, body: first.body });
    expect(await stored(sender.id)).toEqual({ events: 1, keys: 1 });
  });

  it('takes the Idempotency-Key header for a missing key of a single event', async () => {
    const header = { 'idempotency-key': 'from header' };
    const first = await merchant.post('/v0/events', event, header);
    expect(first).toMatchObject({ status: 202, body: { idempotencyKey: 'from header' } });
    expect((await merchant.post('/v0/events', event, header)).body).toEqual(first.body);
    expect(await merchant.post('/v0/events', { ...event, type: 'other' }, header)).toMatchObject({ status: 409 });
    expect(await merchant.post('/v0/events', { ...event, idempotencyKey: 'from header' })).toMatchObject({
      body: first.body,
    });
    const both = await merchant.post('/v0/events', [event, event], header);
    expect(both.status).toBe(202);
    expect(both.body.data[0].idempotencyKey).not.toBe('from header');
  });

  it('accepts an array in its order, an event that is in it twice once', async () => {
    const sender = await env.merchant();
    const batch = ['a', 'b', 'a', 'c'].map((idempotencyKey) => ({
      ...event,
      idempotencyKey,
      data: { k: idempotencyKey },
    }));
    const { status, body } = await sender.post('/v0/events', batch);
    expect(status).toBe(202);
    expect(body).toMatchObject({ object: 'list', data: batch.map(({ idempotencyKey }) => ({ idempotencyKey })) });
    expect(body.data[2]).toEqual(body.data[0]);
    expect(await stored(sender.id)).toEqual({ events: 3, keys: 3 });
    expect((await sender.post('/v0/events', batch.toReversed())).body.data).toEqual(body.data.toReversed());
    expect(await stored(sender.id)).toEqual({ events: 3, keys: 3 });
  });

  it('refuses an array whole for one conflict in it, and names each', async () => {
    const sender = await env.merchant();
    await sender.post('/v0/events', { ...event, idempotencyKey: 'old' });
    const batch = [
      { ...event, idempotencyKey: 'new' },
      { ...event, idempotencyKey: 'old', type: 'other' },
      { ...event, idempotencyKey: 'new', type: 'other' },
    ];
    expect(await sender.post('/v0/events', batch)).toMatchObject({
      status: 409,
      body: {
        code: 'IDEMPOTENCY_KEY_REUSED',
        details: {
          conflicts: [
            { index: 1, idempotencyKey: 'old' },
            { index: 2, idempotencyKey: 'new' },
          ],
        },
      },
    });
    expect(await stored(sender.id)).toEqual({ events: 1, keys: 1 });
  });

  it('refuses an array whole for one bad event in it', async () => {
    const sender = await env.merchant();
    const answer = await sender.post('/v0/events', [event, { ...event, type: '' }]);
    expect(answer).toMatchObject({ status: 400, body: { error: 'validation_error', errors: [{ field: '1.type' }] } });
    expect(await stored(sender.id)).toEqual({ events: 0, keys: 0 });
  });

  it('makes one event of fifty twins at once', async () => {
    const sender = await env.merchant();
    const twin = { ...event, idempotencyKey: 'twin', data: { n: 1 } };
    const answers = await Promise.all(Array.from({ length: 50 }, () => sender.post('/v0/events', twin)));
    expect(new Set(answers.map(({ status, body }) => `${status} ${body.id}`)).size).toBe(1);
    expect(answers[0]?.status).toBe(202);
    expect(await stored(sender.id)).toEqual({ events: 1, keys: 1 });
  });

  it('accepts one of fifty contents of one key, and refuses the others', async () => {
    const sender = await env.merchant();
    const answers = await Promise.all(
      Array.from({ length: 50 }, (_, n) => sender.post('/v0/events', { ...event, idempotencyKey: 'one', data: { n } })),
    );
    expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([202, ...Array(49).fill(409)]);
    expect(await stored(sender.id)).toEqual({ events: 1, keys: 1 });
  });

  it('does not lock itself up when arrays hold the same keys and new subjects in opposite orders', async () => {
    const sender = await env.merchant();
    const batch = Array.from({ length: 200 }, (_, n) => ({ ...event, subject: `s${n}`, idempotencyKey: `k${n}` }));
    const answers = await Promise.all(
      Array.from({ length: 12 }, (_, n) => sender.post('/v0/events', n % 2 ? batch : batch.toReversed())),
    );
    expect(answers.map(({ status }) => status)).toEqual(Array(12).fill(202));
    expect(await stored(sender.id)).toEqual({ events: 200, keys: 200 });
  });

  it.each([
    { name: 'a member', role: 'member', status: 202 },
    { name: 'a viewer', role: 'viewer', status: 403 },
  ] as const)('answers $status to $name', async ({ role, status }) => {
    const user = await env.userOf(merchant, role);
    expect((await user.post('/v0/events', event)).status).toBe(status);
  });

  it('answers 401 without a key', async () => expect((await env.client().post('/v0/events', event)).status).toBe(401));

  // Proves 4.events.1.
  it.each([
    { name: 'no body', body: '', status: 400, fields: ['type', 'source', 'subject'] },
    { name: 'no JSON', body: '{"type":', status: 400 },
    { name: 'more than 8 MiB', body: `[${' '.repeat(8 * 1024 * 1024)}]`, status: 413 },
    {
      name: 'a key that reaches into a prototype',
      body: '{"type":"t","source":"s","subject":"x","data":{"__proto__":1}}',
      status: 400,
    },
    {
      name: 'data 40 levels deep',
      body: `{"type":"t","source":"s","subject":"x","data":{"a":${'['.repeat(40)}${']'.repeat(40)}}}`,
      status: 400,
    },
  ])('answers $status to $name', async ({ body, status, fields }) => {
    const answer = await merchant.post('/v0/events', body);
    expect(answer.status).toBe(status);
    if (fields) expect(answer.body.errors.map(({ field }: { field: string }) => field)).toEqual(fields);
  });

  it('answers 415 to another content type', async () =>
    expect((await merchant.post('/v0/events', 'type=call', { 'content-type': 'text/plain' })).status).toBe(415));
});

describe('a namespace', () => {
  // Proves 4.events.5.
  it('of another organization is for platform operators alone, and nothing is stored', async () => {
    const other = await env.merchant();
    const sender = await env.merchant();
    const answer = await sender.post('/v0/events', [event, { ...event, namespace: other.id }]);
    expect(answer).toMatchObject({ status: 403, body: { error: 'forbidden' } });
    expect([await stored(other.id), await stored(sender.id)]).toEqual([
      { events: 0, keys: 0 },
      { events: 0, keys: 0 },
    ]);
    expect((await sender.post('/v0/events', { ...event, namespace: sender.id })).status).toBe(202);
  });

  // Proves 4.events.5.
  it('may differ from event to event of an operator, and keys count in each by themselves', async () => {
    const [one, two] = [await env.merchant(), await env.merchant()];
    const batch = [one, two].map(({ id }) => ({ ...event, namespace: id, idempotencyKey: 'shared' }));
    const { status, body } = await env.platform.post('/v0/events', batch);
    expect(status).toBe(202);
    expect(body.data.map(({ namespace }: { namespace: string }) => namespace)).toEqual([one.id, two.id]);
    expect(body.data[0].id).not.toBe(body.data[1].id);
    expect((await one.get(`/v0/events/${body.data[0].id}`)).status).toBe(200);
    expect((await one.get(`/v0/events/${body.data[1].id}`)).status).toBe(404);
  });

  // Proves 4.events.5.
  it('defaults to the operator’s own organization', async () => {
    const { status, body } = await env.platform.post('/v0/events', event);
    const me = await env.platform.get('/v0/me');
    expect({ status, namespace: body.namespace }).toEqual({ status: 202, namespace: me.body.organization.id });
  });

  it.each([
    {
      name: 'unknown',
      namespace: () => 'org_unknown',
      body: (namespace: string) => ({ ...event, namespace }),
      field: 'namespace',
    },
    {
      name: 'unknown in an array',
      namespace: () => 'org_unknown',
      body: (namespace: string) => [event, { ...event, namespace }],
      field: '1.namespace',
    },
  ])('that is $name is a 404', async ({ namespace, body, field }) =>
    expect(await env.platform.post('/v0/events', body(namespace()))).toMatchObject({
      status: 404,
      body: { details: { field } },
    }),
  );
});

describe('the intake', () => {
  const incoming = (merchantId: string, more: Partial<IncomingEvent> = {}): IncomingEvent => ({
    merchantId,
    type: 'call',
    source: 'test',
    subject: 'x',
    externalSubject: null,
    externalId: null,
    at: '2026-03-01T00:00:00Z',
    isTimeSent: true,
    idempotencyKey: 'k',
    data: '{}',
    ...more,
  });

  it('leaves nothing behind of a batch that it refuses', async () => {
    const { id } = await env.merchant();
    const now = Temporal.Instant.from('2026-03-01T00:00:00Z');
    const intake = createIntake(env.database);
    const refused = intake.accept([incoming(id), incoming(id, { type: 'other' })], now);
    await expect(refused).rejects.toThrow(RefusalError);
    expect(await stored(id)).toEqual({ events: 0, keys: 0 });
    expect(await intake.accept([], now)).toEqual([]);
  });

  it('waits while the merchant’s exclusive ingest lock is held, and for no other merchant’s', async () => {
    const [closed, open] = [await env.merchant(), await env.merchant()];
    const now = Temporal.Instant.from('2026-03-01T00:00:00Z');
    const intake = createIntake(env.database);
    const order: string[] = [];
    const waiting = await env.database.transaction({ merchants: [closed.id] }, async (tx) => {
      await lockIngest(tx, 'exclusive');
      const sent = intake.accept([incoming(closed.id)], now).then(() => order.push('accepted'));
      await intake.accept([incoming(open.id)], now);
      order.push('closed');
      return { sent };
    });
    await waiting.sent;
    expect(order).toEqual(['closed', 'accepted']);
  });

  it('finds a stored event in the one partition that its id names', async () => {
    const { id: merchantId } = await env.merchant();
    const { body } = await env.platform.post('/v0/events', { ...event, namespace: merchantId });
    const plan = await env.database.transaction({ merchants: [merchantId] }, async (tx) => {
      const place = (await selectEventIds(tx)).placeOf(body.id) as EventPlace;
      return tx.rows<{ 'QUERY PLAN': string }>(sql`explain select * from event where merchant_id = ${merchantId}
        and seq = ${place.seq} and at >= ${place.from} and at < ${place.to}`);
    });
    expect(
      plan
        .map((line) => line['QUERY PLAN'])
        .join('\n')
        .match(/ on event_\w+/g)?.length,
    ).toBe(1);
  });
});
