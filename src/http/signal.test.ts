import { request } from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Edge, type EdgeCaller, openEdge } from '../../test/support/edge.ts';
import { sql } from '../db/index.ts';
import { ok } from '../kernel/result.ts';
import { type Route, routesOf, Strict, Type } from './index.ts';

const api = routesOf('Slow');

/** The signal of a handler at the end of its request. */
let edge: Edge;
let merchant: EdgeCaller;
let address: string;

/** Told by the handlers below: that they have begun, and how they ended. */
let begun: PromiseWithResolvers<void>;
let ended: PromiseWithResolvers<string>;
/** The statements that ran after the end of the request. */
const statements: string[] = [];

const aborted = (signal: AbortSignal) =>
  new Promise<void>((resolve) => {
    signal.addEventListener('abort', () => resolve());
    begun.resolve();
  });

const Done = Type.Object({ isAborted: Type.Boolean() });
const slow = (method: 'GET' | 'POST') =>
  api[method === 'GET' ? 'get' : 'post']('/v0/slow', `${method.toLowerCase()}Slow`, {
    summary: 'Wait for the signal, then ask the database',
    access: { role: 'viewer', merchant: 'caller' },
    replies: { 200: Done },
    makesDue: false,
    handler: async ({ tx, signal }) => {
      await aborted(signal);
      try {
        await tx.one(sql`select 1`);
        statements.push(method);
        return ok({ isAborted: signal.aborted });
      } catch (error) {
        statements.push(error === signal.reason ? 'refused with the reason' : String(error));
        throw error;
      } finally {
        ended.resolve(method);
      }
    },
  });
const quick = (endsByItself?: true) =>
  api.get(endsByItself ? '/v0/ends' : '/v0/quick', endsByItself ? 'ends' : 'quick', {
    summary: 'Tell whether the signal is aborted',
    access: { role: 'viewer', merchant: 'caller' },
    replies: { 200: Done },
    ...(endsByItself && { endsByItself }),
    free: async ({ signal }) => ok({ isAborted: signal.aborted }),
  });
const told = api.post('/v0/told', 'told', {
  summary: 'Tell whether the signal is aborted after the body was read, or wait for it',
  access: { role: 'viewer', merchant: 'caller' },
  body: Strict({ waits: Type.Boolean() }, { $id: 'Told' }),
  replies: { 200: Done },
  free: async ({ signal, body }) => {
    await new Promise((resolve) => setTimeout(resolve, 20)); // the end of the body has been heard of
    const { aborted: isAborted } = signal;
    if (body.waits) await aborted(signal);
    return ok({ isAborted });
  },
});
const routes: readonly Route[] = [slow('GET'), slow('POST'), quick(), quick(true), told];

beforeAll(async () => {
  edge = await openEdge(routes, { handlerMilliseconds: 1_500 });
  merchant = edge.caller();
  address = await edge.server.listen({ port: 0, host: '127.0.0.1' });
});
afterAll(() => edge.close());

/** Begins a request and closes its connection when the handler has begun. */
async function leave(method: 'GET' | 'POST'): Promise<void> {
  const asked = request(`${address}/v0/slow`, { method, headers: { authorization: `Bearer ${merchant.key}` } });
  asked.on('error', () => undefined);
  asked.end();
  await begun.promise;
  asked.destroy();
  await ended.promise;
}

describe('the signal of a request', () => {
  const begin = () => {
    begun = Promise.withResolvers();
    ended = Promise.withResolvers();
    statements.length = 0;
  };

  it('is aborted when the connection closes, and a read asks the database nothing more', async () => {
    begin();
    await leave('GET');
    expect(statements).toEqual(['refused with the reason']);
  });

  it('is aborted when the connection closes, and a write continues', async () => {
    begin();
    await leave('POST');
    expect(statements).toEqual(['POST']);
  });

  it('is aborted when the time is over, which is a 503', async () => {
    begin();
    expect(await merchant.call('GET', '/v0/slow')).toMatchObject({ status: 503, body: { code: 'TOOK_TOO_LONG' } });
    await ended.promise;
    expect(statements).toEqual(['refused with the reason']);
  });

  it.each([
    { waits: false, status: 200, body: { isAborted: false } },
    { waits: true, status: 503, body: { code: 'TOOK_TOO_LONG' } },
  ])('of a request with a body lives on after the body was read: $waits', async ({ waits, status, body }) => {
    begin();
    const headers = { authorization: `Bearer ${merchant.key}`, 'content-type': 'application/json' };
    const answer = await fetch(`${address}/v0/told`, { method: 'POST', headers, body: JSON.stringify({ waits }) });
    expect({ status: answer.status, body: await answer.json() }).toMatchObject({ status, body });
  });

  it.each(['/v0/quick', '/v0/ends'])('is not aborted while %s is being answered', async (path) => {
    const over = await fetch(`${address}${path}`, { headers: { authorization: `Bearer ${merchant.key}` } });
    expect(await over.json()).toEqual({ isAborted: false });
    expect((await merchant.call('GET', path)).body).toEqual({ isAborted: false });
  });

  it('leaves the connection of the database to others', async () => {
    expect(edge.database.load.waiting).toBe(0);
    const { answer } = await edge.database.transaction('nobody', (tx) =>
      tx.one<{ answer: number }>(sql`select 1 as answer`),
    );
    expect(answer).toBe(1);
  });
});

describe('a transaction with a signal', () => {
  it('does not begin after it was aborted', async () => {
    const work = async () => statements.push('began');
    begun = Promise.withResolvers();
    statements.length = 0;
    const reason = new Error('over');
    const begin = edge.database.transaction('nobody', work, { signal: AbortSignal.abort(reason) });
    await expect(begin).rejects.toBe(reason);
    expect(statements).toEqual([]);
  });

  it('commits nothing after it was aborted', async () => {
    const controller = new AbortController();
    const reason = new Error('over');
    const name = 'left behind';
    const scope = { merchants: [merchant.organizationId] };
    const write = edge.database.transaction(
      scope,
      async (tx) => {
        await tx.run(
          sql`insert into thing (merchant_id, id, name) values (${merchant.organizationId}, 'prod_1', ${name})`,
        );
        controller.abort(reason);
      },
      { signal: controller.signal },
    );
    await expect(write).rejects.toBe(reason);
    const rows = await edge.database.transaction(scope, (tx) => tx.rows(sql`select 1 from thing where name = ${name}`));
    expect(rows).toEqual([]);
  });
});
