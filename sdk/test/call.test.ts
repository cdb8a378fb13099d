import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  ApiError,
  AuthenticationError,
  ConflictError,
  ConnectionError,
  NotFoundError,
  PermissionError,
  PreconditionFailedError,
  RateLimitError,
  Reckoner,
  ServerError,
  TimeoutError,
  ValidationError,
} from '../src/index.ts';
import { type Fault, type FaultyServer, openFaultyServer } from './faulty-server.ts';

/** What the client promises when the network and the server fail. */
let server: FaultyServer;
let api: Reckoner;
beforeAll(async () => {
  server = await openFaultyServer(() => ({ status: 200, body: { object: 'list', data: [] } }));
  api = new Reckoner({ baseUrl: `${server.url}/`, apiKey: 'rk_test', timeoutMilliseconds: 5_000 });
});
afterAll(() => server.close());

const soon = { headers: { 'retry-after': '0' } };
const refused = (status: number, code?: string): Fault => ({
  ...{ status, body: { error: 'refused', message: 'No.', ...(code && { code }) } },
  ...soon,
});
const keys = (): unknown[] => server.seen.map(({ headers }) => headers['idempotency-key']);

describe('sends again', () => {
  it.each<[string, Fault]>([
    ['a lost connection', 'drop'],
    ['too many requests', refused(429)],
    ['a fault of the server', refused(500)],
    ['a server that is away', refused(503)],
    ['its own request that is still running', refused(409, 'IDEMPOTENCY_IN_PROGRESS')],
  ])('%s, with the same idempotency key', async (_, fault) => {
    server.next(fault, fault);
    await api.customers.create({ consumer: { name: 'A', email: 'a@example.com', address: {} } });
    expect(server.seen).toHaveLength(3);
    expect(new Set(keys()).size).toBe(1);
    expect(keys()[0]).toMatch(/^[\w-]{36}$/);
  });

  it('with the key that the caller chose', async () => {
    server.next('drop');
    await api.products.create({ name: 'A', description: 'B' }, { idempotencyKey: 'order-1' });
    expect(keys()).toEqual(['order-1', 'order-1']);
  });

  it('no more often than it was told, and then says what was wrong', async () => {
    server.next(refused(503), refused(503));
    await expect(api.products.list({}, { retries: 1 })).rejects.toBeInstanceOf(ServerError);
    expect(server.seen).toHaveLength(2);
  });

  it.each<[string, Fault]>([
    ['another 409', refused(409, 'INVALID_TRANSITION')],
    ['a wrong field', refused(400)],
    ['a pause of hours', { status: 429, headers: { 'retry-after': '3600' } }],
  ])('not after %s', async (_, fault) => {
    server.next(fault);
    await expect(api.products.create({ name: 'A', description: 'B' })).rejects.toBeInstanceOf(ApiError);
    expect(server.seen).toHaveLength(1);
  });

  it.each<[string, Fault, number]>([
    ['not after a lost connection: it may be done', 'drop', 1],
    ['not after a fault of the server', refused(503), 1],
    ['after too many requests: nothing was done', refused(429), 2],
  ])('a PATCH, which has no key, %s', async (_, fault, times) => {
    server.next(fault);
    await api.testClocks.advance('tc_1', { advanceBy: 'P1M' }).catch(() => undefined);
    expect(server.seen).toHaveLength(times);
  });

  it('a DELETE whose first answer was lost: that it is gone now is a success', async () => {
    server.next('drop', refused(404));
    await api.items.delete('item_1');
    for (const faults of [[refused(404)], [refused(429), refused(404)]]) {
      server.next(...faults);
      await expect(api.items.delete('item_1')).rejects.toBeInstanceOf(NotFoundError); // nothing was done before
    }
  });
});

describe('an error', () => {
  it.each([
    [400, ValidationError],
    [401, AuthenticationError],
    [403, PermissionError],
    [404, NotFoundError],
    [409, ConflictError],
    [412, PreconditionFailedError],
    [429, RateLimitError],
    [500, ServerError],
    [418, ApiError],
  ])('of status %i has a class of its own', async (status, Kind) => {
    server.next(refused(status));
    await expect(api.getMe({ retries: 0 })).rejects.toBeInstanceOf(Kind);
  });

  it('says code, fields, details and the id of the request', async () => {
    const body = { error: 'bad_request', message: 'Wrong.', code: 'INVALID_VALUE', details: { field: 'name' } };
    server.next({ status: 400, body, headers: { 'x-request-id': 'req_1' } });
    await expect(api.getMe()).rejects.toMatchObject({
      ...{ status: 400, code: 'INVALID_VALUE', details: { field: 'name' }, requestId: 'req_1' },
      fields: [{ field: 'name', message: 'Wrong.' }],
    });
  });

  it('of a proxy, which knows no JSON, has the status', async () => {
    server.next({ status: 502, body: '<html>Bad gateway</html>' });
    await expect(api.getMe({ retries: 0 })).rejects.toMatchObject({ status: 502, code: null });
  });

  it('of a connection says why', async () => {
    const nobody = new Reckoner({ baseUrl: 'http://127.0.0.1:1', apiKey: 'k', retries: 0 });
    await expect(nobody.getMe()).rejects.toBeInstanceOf(ConnectionError);
    await expect(nobody.getMe()).rejects.toThrow(/ECONNREFUSED|bad port/);
  });
});

describe('a call', () => {
  it('ends when its time is over', async () => {
    server.next('silence');
    await expect(api.getMe({ timeoutMilliseconds: 30, retries: 0 })).rejects.toBeInstanceOf(TimeoutError);
  });

  it('ends with the reason of its signal, also in the pause before the next attempt', async () => {
    const [early, late] = [new AbortController(), new AbortController()];
    early.abort(new Error('Enough.'));
    await expect(api.getMe({ signal: early.signal })).rejects.toThrow('Enough.');
    server.next({ status: 429, headers: { 'retry-after': '30' } });
    setTimeout(() => late.abort(new Error('Too late.')), 50);
    await expect(api.getMe({ signal: late.signal })).rejects.toThrow('Too late.');
  });

  it('keeps every digit of a number', async () => {
    server.next({ status: 200, body: '{"balance": 0.1234567890123456789, "count": 12, "small": 1e3}' });
    expect(await api.getMe()).toEqual({ balance: '0.1234567890123456789', count: 12, small: 1000 });
  });

  it('has its key, its ETag and its own headers', async () => {
    server.next();
    await api.customers.update('cus_1', { externalId: 'a' }, { ifMatch: '"x"', headers: { 'x-own': '1' } });
    expect(server.seen[0]?.headers).toMatchObject({ authorization: 'Bearer rk_test', 'if-match': '"x"', 'x-own': '1' });
    expect(server.seen[0]?.url).toBe('/v0/customers/cus_1');
  });

  it('puts a hostile id into one segment of the path, and refuses an empty one', async () => {
    server.next();
    await api.customers.get('../plans?a=b#c');
    expect(server.seen[0]?.url).toBe('/v0/customers/..%2Fplans%3Fa%3Db%23c');
    for (const id of ['', '.', '..']) expect(() => api.customers.delete(id)).toThrow('id is the id of a resource');
  });
});

describe('a list', () => {
  const page = (ids: readonly string[], nextAfter: string | null): Fault => ({
    status: 200,
    body: { object: 'list', data: ids.map((id) => ({ id })), pagination: { limit: 2, offset: 0, total: 3, nextAfter } },
  });

  it('is read to its end, in the pages and with the filters that were asked for', async () => {
    server.next(page(['c', 'b'], 'b'), page(['a'], null));
    const ids: string[] = [];
    for await (const { id } of api.customers.list({ name: 'Acme', limit: 2 })) ids.push(id);
    expect(ids).toEqual(['c', 'b', 'a']);
    expect(server.seen.map(({ url }) => url)).toEqual([
      '/v0/customers?name=Acme&limit=2',
      '/v0/customers?name=Acme&limit=2&after=b',
    ]);
  });

  it('asks for the next page only when it is wanted', async () => {
    server.next(page(['c', 'b'], 'b'));
    for await (const _ of api.customers.list()) break;
    expect(server.seen).toHaveLength(1);
  });

  it('awaited is its first page', async () => {
    server.next(page(['c'], 'c'));
    expect((await api.customers.list()).data).toEqual([{ id: 'c' }]);
    expect(server.seen[0]?.url).toBe('/v0/customers');
  });
});
