import net from 'node:net';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Edge, type EdgeCaller, openEdge } from '../../test/support/edge.ts';
import { decimalOf, plain } from '../kernel/decimal.ts';
import { ok } from '../kernel/result.ts';
import { BodyError, readJsonBody } from './body.ts';
import { DecimalNumber, ListQuery, Metadata, routesOf, Strict, Text, Timestamp, Type } from './index.ts';

const api = routesOf('Echo');

const Echo = Strict(
  {
    name: Type.Optional(Text({ maxLength: 20 })),
    count: Type.Optional(Type.Integer()),
    amount: Type.Optional(DecimalNumber()),
    at: Type.Optional(Timestamp),
    metadata: Type.Optional(Metadata),
    part: Type.Optional(Strict({ email: Type.String({ format: 'email' }), tags: Type.Array(Type.String()) })),
  },
  { $id: 'Echo' },
);
const Echoed = Type.Object({ body: Type.Unknown(), amount: Type.Unknown() });

const routes = [
  api.post('/v0/echo', 'echo', {
    summary: 'Answer what was sent',
    access: { role: 'member', merchant: 'caller' },
    body: Echo,
    replies: { 200: Echoed },
    handler: async ({ body }) => ok({ body, amount: body.amount === undefined ? null : plain(decimalOf(body.amount)) }),
  }),
  api.get('/v0/echo', 'listEcho', {
    summary: 'Answer the query',
    access: { role: 'viewer', merchant: 'caller' },
    query: ListQuery({ flag: Type.Optional(Type.Boolean()), word: Type.Optional(Text({ maxLength: 5 })) }),
    replies: { 200: Type.Object({ query: Type.Unknown() }) },
    handler: async ({ query }) => ok({ query }),
  }),
  api.post('/v0/touch', 'touch', {
    summary: 'Takes no body',
    access: { role: 'member', merchant: 'caller' },
    replies: { 200: Type.Object({ touched: Type.Boolean() }) },
    handler: async () => ok({ touched: true }),
  }),
];

let edge: Edge;
let caller: EdgeCaller;
beforeAll(async () => {
  edge = await openEdge(routes);
  caller = edge.caller();
});
afterAll(() => edge.close());

const send = (payload: string | Buffer, headers: Record<string, string> = {}) =>
  caller.call('POST', '/v0/echo', { payload, headers });

describe('a content type', () => {
  it.each([
    'application/json',
    'application/json; charset=utf-8',
    'application/json;charset=UTF-8',
    'Application/JSON',
  ])('%j is taken', async (type) => {
    expect(await send('{"name":"a"}', { 'content-type': type })).toMatchObject({
      status: 200,
      body: { body: { name: 'a' } },
    });
  });

  it.each([
    'text/plain',
    'application/json\t',
    'application/json\t;charset=utf-8',
    ' application/json',
    'application/json ',
    'application/json; charset=utf-16',
    'application/json; charset=utf-8; boundary=x',
    'application/json, text/plain',
    'application/jsonp',
    'application/json;',
    'application/vnd.api+json',
    'application/x-www-form-urlencoded',
    'multipart/form-data; boundary=x',
    '*/*',
    '',
  ])('%j is a 415, whatever the body holds', async (type) => {
    for (const payload of ['{"name":"a"}', '{"unknown":1}'])
      expect(await send(payload, { 'content-type': type })).toMatchObject({
        status: 415,
        body: { error: 'unsupported_media_type', code: 'UNSUPPORTED_MEDIA_TYPE' },
      });
  });

  it('with a charset that is not UTF-8 is a 415 that names it', async () => {
    const { body } = await send('{"name":"a"}', { 'content-type': 'application/json; charset="iso-8859-1"' });
    expect(body.message).toBe('Send the body as UTF-8: the charset iso-8859-1 is not read.');
  });

  it('beside a Content-Encoding is a 415 that says which encodings are taken (RFC 9110, 15.5.16)', async () => {
    for (const coding of ['gzip', 'br', 'GZIP', 'gzip, br'])
      expect(await send('{"name":"a"}', { 'content-encoding': coding })).toMatchObject({
        status: 415,
        headers: { 'accept-encoding': 'identity' },
        body: { code: 'UNSUPPORTED_MEDIA_TYPE', message: expect.stringContaining('Content-Encoding') },
      });
    expect((await send('{"name":"a"}', { 'content-encoding': 'identity' })).status).toBeLessThan(300);
  });

  // Proves 1.conventions.json.
  it('that is missing is a 415 when there is a body, and none is needed without one', async () => {
    const address = await edge.server.listen({ port: 0, host: '127.0.0.1' });
    const { port } = new URL(address);
    const say = (lines: string[]) =>
      raw(Number(port), [...lines, `authorization: Bearer ${caller.key}`, 'connection: close']);
    expect(await say(['POST /v0/echo HTTP/1.1', 'host: x', 'content-length: 2'])).toMatch(/^HTTP\/1.1 415/);
    expect(await say(['POST /v0/echo HTTP/1.1', 'host: x', 'transfer-encoding: chunked'])).toMatch(/^HTTP\/1.1 415/);
    expect(await say(['POST /v0/touch HTTP/1.1', 'host: x', 'content-length: 0'])).toMatch(/^HTTP\/1.1 200/);
    expect(await say(['POST /v0/touch HTTP/1.1', 'host: x'])).toMatch(/^HTTP\/1.1 200/);
  });

  it('of an empty body counts for nothing: JSON is taken as no body', async () => {
    expect(await caller.call('POST', '/v0/touch', { payload: '' })).toMatchObject({ status: 200 });
    expect(await caller.call('POST', '/v0/echo', { payload: '' })).toMatchObject({ status: 200, body: { body: {} } });
    expect(await caller.call('POST', '/v0/echo', { payload: ' \n' })).toMatchObject({
      status: 200,
      body: { body: {} },
    });
  });
});

/** Sends a request as these lines, with `{}` as the body if it announces one. */
function raw(port: number, lines: string[]): Promise<string> {
  const bodies: Record<string, string> = {
    'transfer-encoding: chunked': '2\r\n{}\r\n0\r\n\r\n',
    'content-length: 2': '{}',
  };
  const body = lines.map((line) => bodies[line] ?? '').join('');
  return new Promise((resolve, reject) => {
    const socket = net.connect(port, '127.0.0.1', () => socket.write(`${lines.join('\r\n')}\r\n\r\n${body}`));
    let text = '';
    socket.on('data', (data) => {
      text += data;
    });
    socket.on('end', () => resolve(text)).on('error', reject);
  });
}

describe('a body that is no JSON', () => {
  it.each([
    '{',
    '{"name":}',
    '{"name":"a",}',
    "{'name':'a'}",
    '{"name":"a"} {}',
    '{"name":"\u0001"}',
    '{"count":01}',
    '{"count":NaN}',
    'undefined',
    '\u00a0{}',
    '[1,2',
  ])('%j is a 400', async (payload) => {
    expect(await send(payload)).toMatchObject({ status: 400, body: { error: 'bad_request', code: 'MALFORMED_BODY' } });
  });

  it('that is not UTF-8 is a 400, and no character replaces the bytes', async () => {
    const payload = Buffer.concat([Buffer.from('{"name":"'), Buffer.from([0xc3, 0x28]), Buffer.from('"}')]);
    expect(await send(payload)).toMatchObject({ status: 400, body: { code: 'MALFORMED_BODY' } });
  });

  it.each(['[]', '"text"', '1', 'true', '[{"name":"a"}]', 'null'])('but %s, no object, is a 400', async (payload) => {
    expect(await send(payload)).toMatchObject({ status: 400, body: { error: 'validation_error' } });
  });
});

describe('a body that would be costly or harmful', () => {
  const nested = (depth: number) => `{"metadata":${'['.repeat(depth - 1)}${']'.repeat(depth - 1)}}`;

  it('is refused deeper than 32 levels before anything else is said about it', async () => {
    expect((await send(nested(32))).body.error).toBe('validation_error');
    expect((await send(nested(33))).body).toMatchObject({
      code: 'MALFORMED_BODY',
      message: expect.stringContaining('32'),
    });
    expect((await send(nested(100_000))).body.code).toBe('MALFORMED_BODY');
  });

  it('is refused with more than 1,000 keys', async () => {
    const keys = (count: number) => `{${Array.from({ length: count }, (_, index) => `"k${index}":1`).join()}}`;
    const thousand = await send(keys(1000));
    expect(thousand.body.errors).toHaveLength(1000);
    expect((await send(keys(1001))).body).toMatchObject({ code: 'MALFORMED_BODY' });
  });

  it('is refused with more than 10,000 values', async () => {
    const values = (count: number) => `{"metadata":[${Array.from({ length: count }, () => '1e100').join()}]}`;
    expect((await send(values(9_998))).body.error).toBe('validation_error');
    expect((await send(values(10_000))).body).toMatchObject({
      code: 'MALFORMED_BODY',
      message: 'The body has more than 10,000 values.',
    });
  });

  it('does not count what stands in strings', async () => {
    expect(await send(JSON.stringify({ name: '[[[{:::"\\"}' }))).toMatchObject({ status: 200 });
  });

  it.each([
    '{"__proto__":{"isAdmin":true}}',
    '{"\\u005f_proto__":1}',
    '{"__pr\\u006fto__" :1}',
    '{"metadata":{"__proto__":"x"}}',
    '[{"__proto__":1}]',
  ])('%s is refused', async (payload) => {
    expect(await send(payload)).toMatchObject({ status: 400, body: { code: 'MALFORMED_BODY' } });
  });

  it('may speak of a prototype in a value, and has no other way to one', async () => {
    expect(await send('{"name":"__proto__"}')).toMatchObject({ status: 200 });
    expect(await send('{"constructor":{"prototype":{}}}')).toMatchObject({
      status: 400,
      body: { errors: [{ field: 'constructor', message: 'is not a known field' }] },
    });
    expect(({} as Record<string, unknown>).isAdmin).toBeUndefined();
  });

  it('of more than 256 KiB is a 413', async () => {
    const filled = (bytes: number) => `{"name":"${'x'.repeat(bytes - 11)}"}`;
    expect((await send(filled(256 * 1024))).status).toBe(400);
    expect(await send(filled(256 * 1024 + 1))).toMatchObject({
      status: 413,
      body: { error: 'payload_too_large', code: 'PAYLOAD_TOO_LARGE' },
    });
  });

  it('is read or refused, whatever it is (I-62)', () => {
    fc.assert(
      fc.property(
        fc.oneof(
          fc.json(),
          fc.string({ unit: 'binary' }),
          fc.jsonValue().map((value) => JSON.stringify(value)),
        ),
        (text) => {
          try {
            const value = readJsonBody(text);
            expect(value === undefined ? '' : JSON.stringify(value)).toBe(
              text.trim() === '' ? '' : JSON.stringify(JSON.parse(text)),
            );
          } catch (error) {
            expect(error).toBeInstanceOf(BodyError);
          }
        },
      ),
    );
  });
});

describe('numbers', () => {
  it.each([
    { sent: '0.1', read: '0.1' },
    { sent: '9007199254740993', read: '9007199254740993' },
    { sent: '0.30000000000000000004', read: '0.30000000000000000004' },
    { sent: '1e2', read: '100' },
    { sent: '-0', read: '0' },
    { sent: '12345678901234567890123456789012345678', read: '12345678901234567890123456789012345678' },
  ])('$sent is read exactly', async ({ sent, read }) => {
    expect(await send(`{"amount":${sent}}`)).toMatchObject({ status: 200, body: { amount: read } });
  });

  it.each(['1e400', '-1e400', '1e-400', '1e39', '123456789012345678901234567890123456789', '1e99999999999'])(
    '%s is refused where a decimal is wanted, and in metadata',
    async (number) => {
      expect((await send(`{"amount":${number}}`)).body).toMatchObject({ errors: [{ field: 'amount' }] });
      expect((await send(`{"metadata":{"a":${number}}}`)).body).toMatchObject({ errors: [{ field: 'metadata.a' }] });
    },
  );

  it.each(['1e400', '9007199254740993', '0.30000000000000000004'])('%s is no object', async (number) => {
    expect((await send(`{"metadata":${number}}`)).body.errors[0]).toMatchObject({
      field: 'metadata',
      message: 'must be an object',
    });
    expect((await send(`{"part":${number}}`)).body.errors[0]).toMatchObject({ field: 'part' });
    expect(await send(number)).toMatchObject({ status: 400, body: { error: 'validation_error' } });
  });

  it.each(['1e400', '1.5', '"1"', 'true', '9007199254740993.5'])('%s is no integer', async (number) => {
    expect((await send(`{"count":${number}}`)).body).toMatchObject({ errors: [{ field: 'count' }] });
  });
});

describe('what is not valid', () => {
  // Proves 7.errors.validation, 7.errors.message, 7.errors.400.
  it('is listed field by field, all at once', async () => {
    const { status, body } = await send(
      JSON.stringify({
        name: 'x'.repeat(21),
        count: 'many',
        at: '2026-01-01',
        part: { email: 'nobody', tags: ['a', 1], more: true },
        unknown: 1,
        other: null,
      }),
    );
    expect(status).toBe(400);
    expect(body.error).toBe('validation_error');
    expect(body.errors.map(({ field }: { field: string }) => field).toSorted()).toEqual(
      ['at', 'count', 'name', 'other', 'part.email', 'part.more', 'part.tags.1', 'unknown'].toSorted(),
    );
    for (const { message } of body.errors) expect(message).not.toBe('');
  });

  it.each(['a\0b', '\ud800', '\udc00x'])('is text that PostgreSQL cannot hold: %j', async (name) => {
    expect((await send(JSON.stringify({ name }))).body).toMatchObject({ errors: [{ field: 'name' }] });
  });

  it('is an unknown field, though nothing is done with it', async () => {
    const { body } = await caller.call('POST', '/v0/touch', { body: { why: 1 } });
    expect(body).toMatchObject({
      error: 'validation_error',
      errors: [{ field: 'why', message: 'is not a known field' }],
    });
  });
});

describe('a query', () => {
  it('is read as what it stands for', async () => {
    const { body } = await caller.call('GET', '/v0/echo?limit=5&flag=true&word=a%20b');
    expect(body.query).toEqual({ limit: 5, offset: 0, flag: true, word: 'a b' });
  });

  it.each([
    { query: 'limit=1&limit=2', field: 'limit' },
    { query: 'word=a&word=b', field: 'word' },
    { query: 'limit=0', field: 'limit' },
    { query: 'limit=101', field: 'limit' },
    { query: 'limit=ten', field: 'limit' },
    { query: 'limit=', field: 'limit' },
    { query: 'limit=1e400', field: 'limit' },
    { query: 'limit=Infinity', field: 'limit' },
    { query: 'offset=1e400', field: 'offset' },
    { query: 'offset=-1e400', field: 'offset' },
    { query: 'offset=NaN', field: 'offset' },
    { query: 'limit=1.5', field: 'limit' },
    { query: 'offset=-1', field: 'offset' },
    { query: 'offset=99999999999', field: 'offset' },
    { query: 'flag=yes', field: 'flag' },
    { query: 'word=abcdef', field: 'word' },
    { query: 'word=%00', field: 'word' },
    { query: 'nonsense=1', field: 'nonsense' },
    { query: 'limit[]=1', field: 'limit[]' },
    { query: '__proto__=1', field: '__proto__' },
  ])('?$query is refused for $field', async ({ query, field }) => {
    expect(await caller.call('GET', `/v0/echo?${query}`)).toMatchObject({
      status: 400,
      body: { error: 'validation_error', errors: [{ field }] },
    });
  });

  it('names all that is wrong at once', async () => {
    const { body } = await caller.call('GET', '/v0/echo?limit=x&offset=y&z=1');
    expect(body.errors.map(({ field }: { field: string }) => field).toSorted()).toEqual(['limit', 'offset', 'z']);
  });
});

describe('a path that cannot be decoded', () => {
  it.each(['/v0/echo/%', '/v0/echo/%zz', '/v0/%c3%28'])('like %s is one that does not exist', async (path) => {
    const answer = await caller.call('GET', path);
    expect(answer).toMatchObject({ status: 404, body: { error: 'not_found' } });
    expect(answer.headers['x-request-id']).toMatch(/^req_/);
  });
});
