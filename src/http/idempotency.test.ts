import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Edge, type EdgeCaller, openEdge, thingRoutes } from '../../test/support/edge.ts';
import { sql } from '../db/index.ts';
import { ok } from '../kernel/result.ts';
import { canonicalJson, forgetIdempotencyKeys } from './idempotency.ts';
import { routesOf, Strict, Type } from './index.ts';

const api = routesOf('Things');

/** The gates of running handlers, by name. */
const gates = new Map<string, { reached: PromiseWithResolvers<void>; open: PromiseWithResolvers<void> }>();
const gate = (name: string) => {
  const made = { reached: Promise.withResolvers<void>(), open: Promise.withResolvers<void>() };
  gates.set(name, made);
  return made;
};
let calls = 0;
let isBroken = false;

const other = api.post('/v0/others', 'createOther', {
  summary: 'Another route',
  access: { role: 'member', merchant: 'caller' },
  body: Strict({ name: Type.String() }),
  replies: { 200: Type.Object({ answer: Type.String() }) },
  handler: async ({ body }) => ok({ answer: body.name }),
});

let edge: Edge;
let merchant: EdgeCaller;
beforeAll(async () => {
  const during = async (name: string) => {
    calls += 1;
    gates.get(name)?.reached.resolve();
    await gates.get(name)?.open.promise;
    if (isBroken) throw new Error('for now');
  };
  edge = await openEdge([...thingRoutes(during), other]);
  merchant = edge.caller();
});
afterAll(() => edge.close());

const create = (name: string, key: string, caller = merchant) =>
  caller.call('POST', '/v0/things', { body: { name }, headers: { 'idempotency-key': key } });

const countOf = (name: string, caller = merchant) =>
  edge.database.transaction({ merchants: [caller.organizationId] }, async (tx) => {
    const { count } = await tx.one<{ count: number }>(
      sql`select count(*)::int as count from thing where name = ${name}`,
    );
    return count;
  });

describe('the same request with the same key', () => {
  it('is answered as the first time, and done once', async () => {
    const first = await create('once', 'a');
    const again = await create('once', 'a');
    expect(first).toMatchObject({ status: 201, body: { name: 'once' } });
    expect(first.headers['idempotent-replayed']).toBeUndefined();
    expect(again.status).toBe(201);
    expect(again.text).toBe(first.text);
    expect(again.headers['idempotent-replayed']).toBe('true');
    expect(await countOf('once')).toBe(1);
  });

  it('is the same however its JSON is written', async () => {
    const headers = { 'idempotency-key': 'spelling' };
    const first = await merchant.call('POST', '/v0/things', {
      payload: `{"name":"spelt","merchantId":"${merchant.organizationId}"}`,
      headers,
    });
    const again = await merchant.call('POST', '/v0/things', {
      payload: ` { "merchantId" : "${merchant.organizationId}", "name":"sp\\u0065lt" } `,
      headers,
    });
    expect([first.status, again.text]).toEqual([201, first.text]);
  });

  it('has one effect when 50 of it come at once, and one answer', async () => {
    const answers = await Promise.all(Array.from({ length: 50 }, () => create('crowd', 'crowd')));
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([201]));
    expect(new Set(answers.map(({ text }) => text)).size).toBe(1);
    expect(answers.filter(({ headers }) => headers['idempotent-replayed'] === 'true')).toHaveLength(49);
    expect(await countOf('crowd')).toBe(1);
  });

  it('waits for a twin that is still running', async () => {
    const { reached, open } = gate('slow');
    const first = create('slow', 'slow');
    await reached.promise;
    const twin = create('slow', 'slow');
    await sleep(50);
    open.resolve();
    expect((await twin).text).toBe((await first).text);
    expect(await countOf('slow')).toBe(1);
  });

  it('is a 409 when the twin takes longer than two seconds', async () => {
    const { reached, open } = gate('stuck');
    const first = create('stuck', 'stuck');
    await reached.promise;
    const twin = await create('stuck', 'stuck');
    expect(twin).toMatchObject({ status: 409, body: { error: 'conflict', code: 'IDEMPOTENCY_IN_PROGRESS' } });
    expect(twin.headers['retry-after']).toBe('1');
    open.resolve();
    expect((await first).status).toBe(201);
    expect((await create('stuck', 'stuck')).status).toBe(201);
    expect(await countOf('stuck')).toBe(1);
  });

  it('is refused as the first time, and what was half done is undone', async () => {
    const first = await create('refuse it', 'refused');
    const before = calls;
    const again = await create('refuse it', 'refused');
    expect(first).toMatchObject({ status: 409, body: { code: 'THING_REFUSED', details: { name: 'refuse it' } } });
    expect(again).toMatchObject({ status: 409, text: first.text });
    expect(again.headers['idempotent-replayed']).toBe('true');
    expect(calls).toBe(before);
    expect(await countOf('refuse it')).toBe(0);
  });

  it('is run again after a fault of ours', async () => {
    isBroken = true;
    expect(await create('mended', 'mended')).toMatchObject({ status: 500 });
    isBroken = false;
    expect(await create('mended', 'mended')).toMatchObject({ status: 201 });
    expect(await countOf('mended')).toBe(1);
  });

  it('is run again after a request that was not valid', async () => {
    const headers = { 'idempotency-key': 'corrected' };
    expect(await merchant.call('POST', '/v0/things', { body: { nam: 'x' }, headers })).toMatchObject({ status: 400 });
    expect(await create('corrected', 'corrected')).toMatchObject({ status: 201 });
  });
});

describe('the same key', () => {
  it('with another body is a 409, and nothing is done', async () => {
    await create('mine', 'reused');
    expect(await create('yours', 'reused')).toMatchObject({
      status: 409,
      body: { error: 'conflict', code: 'IDEMPOTENCY_KEY_REUSED' },
    });
    expect(await countOf('yours')).toBe(0);
  });

  it('of another merchant, and on another route, is another key', async () => {
    const stranger = edge.caller();
    const mine = await create('shared', 'shared');
    const theirs = await create('shared', 'shared', stranger);
    expect([mine.status, theirs.status]).toEqual([201, 201]);
    expect(theirs.body.id).not.toBe(mine.body.id);
    const elsewhere = await merchant.call('POST', '/v0/others', {
      body: { name: 'shared' },
      headers: { 'idempotency-key': 'shared' },
    });
    expect(elsewhere).toMatchObject({ status: 200, body: { answer: 'shared' } });
  });

  it('of another user of the same merchant is the same key', async () => {
    const first = await create('ours', 'ours');
    const again = await create('ours', 'ours', edge.caller('member', merchant.organizationId));
    expect(again.text).toBe(first.text);
  });
});

describe('a key', () => {
  it.each([
    { what: 'of 255 characters', key: 'k'.repeat(255), status: 201 },
    { what: 'with spaces and signs', key: ' !~"a b', status: 201 },
    { what: 'of 256 characters', key: 'k'.repeat(256), status: 400 },
    { what: 'that is empty', key: '', status: 400 },
    { what: 'that is not ASCII', key: 'ключ', status: 400 },
    { what: 'with a tab', key: 'a\tb', status: 400 },
  ])('$what is answered $status', async ({ what, key, status }) => {
    const answer = await create(what, key);
    expect(answer.status).toBe(status);
    if (status === 400) expect(answer.body.errors).toEqual([expect.objectContaining({ field: 'Idempotency-Key' })]);
  });

  it('is ignored where nothing is created', async () => {
    const { body } = await create('read', 'read-1');
    const answer = await merchant.call('GET', `/v0/things/${body.id}`, { headers: { 'idempotency-key': '' } });
    expect(answer.status).toBe(200);
  });

  it('is kept for seven days', async () => {
    const first = await create('kept', 'kept'); // at 2026-01-01T00:00:00Z
    await forgetIdempotencyKeys.run(edge.database, Temporal.Instant.from('2026-01-08T00:00:00Z'));
    expect((await create('kept', 'kept')).text).toBe(first.text);
    await forgetIdempotencyKeys.run(edge.database, Temporal.Instant.from('2026-01-08T00:00:00.000001Z'));
    expect((await create('kept', 'kept')).body.id).not.toBe(first.body.id);
  });
});

it('writes two spellings of one value as one text', () => {
  expect(canonicalJson({ b: [{ d: 1, c: 2 }], a: null })).toBe('{"a":null,"b":[{"c":2,"d":1}]}');
  expect(canonicalJson({ a: JSON.rawJSON('1.10') })).toBe('{"a":1.10}');
});
