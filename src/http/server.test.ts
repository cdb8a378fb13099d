import type { Server } from 'node:http';
import { connect } from 'node:net';
import pino from 'pino';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Edge, type EdgeCaller, openEdge, thingRoutes } from '../../test/support/edge.ts';
import { openTestEnvironment, type TestEnvironment } from '../../test/support/environment.ts';
import { type Sql, sql } from '../db/index.ts';
import { type ErrorCode, fail, ok } from '../kernel/result.ts';
import { mergeTables } from './errors.ts';
import { type Access, createServer, Reply, type Route, routesOf, Type } from './index.ts';

const api = routesOf('Things');

const misbehaving = (path: string, answer: () => unknown): Route =>
  api.get(path, `get${path.replaceAll('/', '_')}`, {
    summary: 'Answers what it should not',
    access: { role: 'viewer', merchant: 'caller' },
    replies: { 200: Type.Object({ name: Type.String() }) },
    handler: async () => answer() as never,
  });

let toRun: Sql;
const running = api.get('/v0/running', 'getRunning', {
  summary: 'Runs a statement',
  access: { role: 'viewer', merchant: 'caller' },
  replies: { 200: Type.Object({}) },
  handler: async ({ tx }) => ok(await tx.one<object>(toRun)),
});

let edge: Edge;
let merchant: EdgeCaller;
beforeAll(async () => {
  edge = await openEdge([
    ...thingRoutes(),
    running,
    misbehaving('/v0/wrong/shape', () => ok({ name: 1 })),
    misbehaving('/v0/wrong/status', () => ok(new Reply(418, { name: 'x' }))),
    misbehaving('/v0/wrong/code', () => fail('NOBODY_LISTS_THIS' as ErrorCode)),
  ]);
  merchant = edge.caller();
});
afterAll(() => edge.close());

describe('what the parser of HTTP refuses', () => {
  let origin: string | undefined;
  const say = async (text: string): Promise<string> => {
    origin ??= await edge.server.listen({ port: 0, host: '127.0.0.1' });
    const { port } = new URL(origin);
    return new Promise((resolve, reject) => {
      const socket = connect(Number(port), '127.0.0.1', () => socket.write(text));
      let answer = '';
      socket.on('data', (data) => {
        answer += data;
      });
      socket.on('close', () => resolve(answer));
      socket.on('error', reject);
    });
  };
  it.each([
    { what: 'a long address', text: `GET /v0/things?x=${'a'.repeat(20_000)} HTTP/1.1\r\nhost: x\r\n\r\n`, status: 431 },
    { what: 'an unknown method', text: 'FETCH /v0/things HTTP/1.1\r\nhost: x\r\n\r\n', status: 400 },
    { what: 'a header without a colon', text: 'GET /v0/things HTTP/1.1\r\nhost: x\r\nwrong\r\n\r\n', status: 400 },
    { what: 'no Host', text: 'GET /v0/things HTTP/1.1\r\nconnection: close\r\n\r\n', status: 400 },
  ])('$what is a $status in the shape of all errors, with an id', async ({ text, status }) => {
    const [head = '', body = ''] = (await say(text)).split('\r\n\r\n');
    expect(head).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
    expect(head).toMatch(/x-request-id: req_[0-9A-Za-z]{22}/i);
    expect(JSON.parse(body)).toEqual({
      error: status === 431 ? 'headers_too_large' : 'bad_request',
      code: status === 431 ? 'HEADERS_TOO_LARGE' : 'MALFORMED_REQUEST',
      message: expect.any(String),
    });
  });

  it('HTTP/1.0 needs no Host', async () => {
    expect(await say('GET /v0/things/x HTTP/1.0\r\n\r\n')).toMatch(/^HTTP\/1.1 401 /);
  });
});

describe('X-Request-Id', () => {
  it.each(['my-request', '1', 'a'.repeat(128), '!~'])('%j is given back', async (id) => {
    const { headers } = await merchant.call('GET', '/v0/things/x', { headers: { 'x-request-id': id } });
    expect(headers['x-request-id']).toBe(id);
  });

  it.each(['', 'two words', 'a'.repeat(129), 'naïve', 'a\tb'])('%j is replaced by one of ours', async (id) => {
    const { headers } = await merchant.call('GET', '/v0/things/x', { headers: { 'x-request-id': id } });
    expect(headers['x-request-id']).toMatch(/^req_[0-9A-Za-z]{22}$/);
  });

  it('is on every answer, for any outcome of the request', async () => {
    const answers = [
      await merchant.call('POST', '/v0/things', { body: { name: 'a' } }),
      await merchant.call('POST', '/v0/things', { body: {} }),
      await merchant.call('POST', '/v0/things', { payload: '{' }),
      await merchant.call('POST', '/v0/things', { payload: 'x'.repeat(300_000) }),
      await merchant.call('POST', '/v0/things', { payload: 'x', headers: { 'content-type': 'text/plain' } }),
      await merchant.call('POST', '/v0/things', { body: { name: 'throw' } }),
      await merchant.call('GET', '/v0/nothing'),
      await merchant.call('GET', '/openapi.json', { headers: { authorization: '' } }),
      await merchant.call('GET', '/v0/things/x', { headers: { authorization: '' } }),
    ];
    expect(answers.map(({ status }) => status)).toEqual([201, 400, 400, 413, 415, 500, 404, 200, 401]);
    const ids = answers.map(({ headers }) => headers['x-request-id']);
    expect(new Set(ids).size).toBe(ids.length);
    for (const id of ids) expect(id).toMatch(/^req_/);
  });
});

describe('a fault of ours', () => {
  // Proves 7.errors.500, 7.errors.error, 7.errors.message, 7.errors.details.
  it('is a 500 with nothing internal in it, and changes nothing', async () => {
    const { status, body, text, headers } = await merchant.call('POST', '/v0/things', { body: { name: 'throw me' } });
    expect(status).toBe(500);
    expect(body).toEqual({
      error: 'internal_error',
      message: expect.any(String),
      details: { requestId: headers['x-request-id'] },
    });
    expect(text).not.toMatch(/internal detail|throw me|\.ts|at /);
  });

  it.each(['shape', 'status', 'code'])('is an answer of a wrong %s', async (what) => {
    expect(await merchant.call('GET', `/v0/wrong/${what}`)).toMatchObject({
      status: 500,
      body: { error: 'internal_error' },
    });
  });
});

describe('an answer', () => {
  it('is not to be stored or guessed at by browsers and proxies', async () => {
    const { headers } = await merchant.call('POST', '/v0/things', { body: { name: 'a' } });
    expect(headers).toMatchObject({
      'cache-control': 'no-store',
      'x-content-type-options': 'nosniff',
      'content-type': 'application/json; charset=utf-8',
    });
  });
});

describe('a path that does not exist', () => {
  let env: TestEnvironment;
  beforeAll(async () => {
    env = await openTestEnvironment();
  });
  afterAll(() => env.close());

  it.each([
    { key: undefined, code: 'API_KEY_MISSING' },
    { key: 'rk_test_nobody', code: 'API_KEY_INVALID' },
  ])('is a 401 $code before it says that there is no such path', async ({ key, code }) => {
    const answer = await env.client(key).get('/v0/nothing');
    expect(answer).toMatchObject({ status: 401, body: { error: 'unauthorized', code } });
    expect(answer.headers['www-authenticate']).toBe('Bearer');
  });

  it('is a 404 to a caller with a key', async () => {
    expect(await env.platform.get('/v0/nothing')).toMatchObject({ status: 404, body: { error: 'not_found' } });
    expect(await env.platform.get('/v0/testClocks/a/b')).toMatchObject({ status: 404, body: { error: 'not_found' } });
  });

  it('is a 404 where an id is too long to be one, whatever the path takes', async () => {
    expect((await env.platform.get(`/v0/testClocks/${'x'.repeat(600)}`)).status).toBe(404);
    expect((await env.platform.put(`/v0/testClocks/${'x'.repeat(600)}`, {})).status).toBe(405);
  });

  it.each([
    { method: 'put', path: '/v0/testClocks', allow: 'GET, HEAD, POST' },
    { method: 'put', path: '/compact/v0/testClocks', allow: 'GET, HEAD, POST' },
    { method: 'post', path: '/v0/testClocks/tc_x?a=1', allow: 'DELETE, GET, HEAD, PATCH' },
    { method: 'delete', path: '/v2/invoices/x/refunds', allow: 'GET, HEAD, POST' },
    { method: 'patch', path: '/v0/events', allow: 'GET, HEAD, POST' },
    { method: 'post', path: '/healthz', allow: 'GET, HEAD' },
  ] as const)('is a 405 where only $method is not for $path', async ({ method, path, allow }) => {
    const answer = await env.platform[method](path, {});
    expect(answer).toMatchObject({
      status: 405,
      body: { error: 'method_not_allowed', code: 'METHOD_NOT_ALLOWED', details: { allow: allow.split(', ') } },
    });
    expect(answer.headers.allow).toBe(allow);
    expect((await env.client()[method](path, {})).status).toBe(401);
  });

  const get = (authorization: string) =>
    env.server.inject({ method: 'GET', url: '/v0/plans', headers: { authorization } });

  it.each([
    { header: 'Basic dXNlcjpwYXNz', says: 'Use Bearer: Authorization: Bearer <API_KEY>.' },
    { header: 'rk_test_abc', says: 'Write the word Bearer before the API key: Authorization: Bearer <API_KEY>.' },
    {
      header: 'Bearer rk_live_abc',
      says: 'This is a production key (rk_live_…); this is the sandbox, whose keys begin with rk_test_.',
    },
    { header: 'Bearer rk_test_abc', says: 'This API key is unknown or revoked.' },
  ])('answers $header with what is wrong with it', async ({ header, says }) => {
    const { statusCode, body } = await get(header);
    expect({ statusCode, ...JSON.parse(body) }).toMatchObject({
      statusCode: 401,
      code: 'API_KEY_INVALID',
      message: says,
    });
  });
});

describe('a value that the database cannot hold and no schema has seen', () => {
  it.each([
    { what: 'a NUL in a text', query: sql`select ${'a\0b'}::text` },
    { what: 'a text that is no number', query: sql`select ${'x'}::int` },
    { what: 'a lone surrogate in JSON', query: sql`select ${'"\\ud800"'}::jsonb` },
    { what: 'a NUL in JSON', query: sql`select ${'"\\u0000"'}::jsonb` },
  ])('is a 400, not a fault: $what', async ({ query }) => {
    toRun = query;
    expect(await merchant.call('GET', '/v0/running')).toMatchObject({
      status: 400,
      body: { error: 'bad_request', code: 'INVALID_VALUE' },
    });
  });

  it('is still logged as one', async () => {
    const lines: { level: number; msg: string }[] = [];
    const logger = pino({ level: 'error' }, { write: (line: string) => lines.push(JSON.parse(line)) });
    const other = await openEdge([running], { logger });
    toRun = sql`select ${'x'}::int`;
    await other.caller().call('GET', '/v0/running');
    await other.close();
    expect(lines).toMatchObject([{ level: 50, msg: 'a value that cannot be stored passed the schemas' }]);
  });
});

it('looks at its connections often enough to end slow bodies in time, and takes so many at most', () => {
  const { connectionsCheckingInterval, requestTimeout, headersTimeout, maxConnections } = edge.server
    .server as Server & { connectionsCheckingInterval: number };
  expect({ connectionsCheckingInterval, requestTimeout, headersTimeout, maxConnections }).toEqual({
    connectionsCheckingInterval: 2_000,
    requestTimeout: 15_000,
    headersTimeout: 10_000,
    maxConnections: 8_192,
  });
});

describe('the server does not start', () => {
  const boot = (routes: readonly Route[]) =>
    createServer({
      database: edge.database,
      routes,
      errorTables: [],
      authenticate: async () => ({ code: 'API_KEY_MISSING' }),
      audit: async () => undefined,
      now: () => Temporal.Instant.from('2026-01-01T00:00:00Z'),
      logger: pino({ level: 'silent' }),
      baseUrl: 'http://localhost',
    });
  const withPolicy = (path: string, access: unknown): Route => {
    const [post] = thingRoutes() as [Route];
    return { ...post, declaration: { ...post.declaration, path, access: access as Access } };
  };

  it.each([
    { what: 'has no policy', path: '/v0/things', access: undefined, says: 'declares no policy' },
    {
      what: 'names no resource of its path',
      path: '/v0/things/:id',
      access: { role: 'member', merchant: 'caller' },
      says: 'names no resource',
    },
    {
      what: 'names another parameter',
      path: '/v0/things/:id',
      access: { role: 'member', merchant: { of: 'thingId', kind: 'product' } },
      says: 'names no resource',
    },
  ])('with a route that $what', async ({ path, access, says }) => {
    await expect(boot([withPolicy(path, access)])).rejects.toThrow(says);
  });

  it('with a report that may write', async () => {
    const [post] = thingRoutes() as [Route];
    const report = { ...post, declaration: { ...post.declaration, reads: 'report' as const } };
    await expect(boot([report])).rejects.toThrow('is no report');
  });

  it('with two routes on one path', async () => {
    const [post] = thingRoutes() as [Route];
    await expect(boot([post, post])).rejects.toThrow('already declared');
  });

  it('with two tables that list one code differently', () => {
    const entry = { status: 409, message: 'One.' } as const;
    expect(mergeTables([{ CODE: entry }, { CODE: entry }])).toEqual({ CODE: entry });
    expect(() => mergeTables([{ CODE: entry }, { CODE: { ...entry, message: 'Two.' } }])).toThrow(
      'CODE is listed twice',
    );
    expect(() => mergeTables([{ CODE: entry }, { CODE: { ...entry, status: 400 } }])).toThrow('CODE is listed twice');
  });
});

describe('X-Forwarded-For', () => {
  it.each([
    { who: 'a stranger', from: '203.0.113.1', trusted: [], warnings: 1 },
    { who: 'a proxy on this machine that was not named', from: '127.0.0.1', trusted: [], warnings: 1 },
    { who: 'one that is not among those named', from: '127.0.0.1', trusted: ['10.0.0.0/8'], warnings: 1 },
    { who: 'a named proxy', from: '10.0.0.1', trusted: ['10.0.0.0/8'], warnings: 0 },
  ])('of $who leads to $warnings line in the log, however often', async ({ from, trusted, warnings }) => {
    const lines: string[] = [];
    const logger = pino({ level: 'warn' }, { write: (line) => void lines.push(line) });
    const own = await openEdge(thingRoutes(), { logger, trustedProxies: trusted });
    for (let times = 0; times < 3; times += 1)
      await own.server.inject({
        ...{ url: '/v0/things', remoteAddress: from, headers: { 'x-forwarded-for': '198.51.100.9' } },
      });
    expect(lines.filter((line) => line.includes('TRUSTED_PROXIES'))).toHaveLength(warnings);
    await own.close();
  });
});
