import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sharedEnvironment, type TestEnvironment } from '../../../test/support/environment.ts';
import { encodingFor, hasTag } from './encoding.ts';

it.each([
  { accept: undefined, is: undefined },
  { accept: '', is: undefined },
  { accept: 'gzip, deflate, br, zstd', is: 'br' },
  { accept: 'GZIP', is: 'gzip' },
  { accept: 'br;q=0.5, gzip;q=0.8', is: 'gzip' },
  { accept: 'br;q=0, gzip;q=0', is: undefined },
  { accept: 'gzip;q=0, *', is: 'br' },
  { accept: '*;q=0', is: undefined },
  { accept: 'identity', is: undefined },
  { accept: 'br;q=x', is: undefined },
])('who accepts $accept gets $is', ({ accept, is }) => expect(encodingFor(accept)).toBe(is));

it.each([
  { sent: undefined, has: false },
  { sent: 'W/"a"', has: true },
  { sent: '"a"', has: true },
  { sent: '"b", W/"a"', has: true },
  { sent: '*', has: true },
  { sent: '"b"', has: false },
])('who sent If-None-Match $sent has W/"a": $has', ({ sent, has }) => expect(hasTag(sent, 'W/"a"')).toBe(has));

describe('an answer', () => {
  let env: TestEnvironment;
  let plain: Buffer;
  beforeAll(async () => {
    env = await sharedEnvironment();
    plain = (await get('/openapi.json', {})).rawPayload;
  });
  afterAll(() => env.close());
  const get = (url: string, headers: Record<string, string>) => env.server.inject({ url, headers });

  it.each([
    { encoding: 'br', read: brotliDecompressSync },
    { encoding: 'gzip', read: gunzipSync },
  ])('is compressed by $encoding where that is accepted, and says so', async ({ encoding, read }) => {
    const { headers, rawPayload: bytes } = await get('/openapi.json', { 'accept-encoding': encoding });
    expect(headers).toMatchObject({ 'content-encoding': encoding, vary: 'Accept-Encoding' });
    expect(bytes.length).toBeLessThan(plain.length / 5);
    expect(read(bytes).equals(plain)).toBe(true);
  });

  it.each([
    { who: 'a stranger', more: {}, encoding: 'br' },
    { who: 'somebody with a cookie', more: { cookie: 'a=b' }, encoding: undefined },
  ])('that is a page for $who has the encoding $encoding', async ({ more, encoding }) => {
    const { id } = await env.merchant();
    const { headers } = await get(`/portal/${id}`, { 'accept-encoding': 'br', ...more });
    expect([headers['content-type'], headers['content-encoding']]).toEqual(['text/html; charset=utf-8', encoding]);
  });

  it('says that it varies where it is not compressed', async () => {
    const { headers } = await get('/openapi.json', {});
    expect(headers).toMatchObject({ vary: 'Accept-Encoding' });
    expect(headers).not.toHaveProperty('content-encoding');
  });

  it.each([
    { what: 'one to a request with a cookie', path: '/openapi.json', more: { cookie: 'a=b' } },
    { what: 'a short one', path: '/healthz', more: {} },
  ])('is not compressed: $what', async ({ path, more }) => {
    const { headers } = await get(path, { 'accept-encoding': 'br', ...more });
    expect(headers).not.toHaveProperty('content-encoding');
  });

  it.each(['/openapi.json', '/compact/openapi.json', '/docs/js/scalar.js'])(
    '%s is sent once to who keeps it',
    async (path) => {
      const { etag, ...first } = (await get(path, {})).headers;
      expect(first['cache-control']).toBe(path.endsWith('.js') ? 'public, max-age=3600' : 'no-cache');
      const again = await get(path, { 'if-none-match': String(etag), 'accept-encoding': 'br' });
      expect([again.statusCode, again.payload, again.headers.etag]).toEqual([304, '', etag]);
      expect((await get(path, { 'if-none-match': '"another"' })).statusCode).toBe(200);
    },
  );

  it('has the same headers for HEAD', async () => {
    const head = await env.server.inject({
      method: 'HEAD',
      url: '/openapi.json',
      headers: { 'accept-encoding': 'br' },
    });
    const { headers } = await get('/openapi.json', { 'accept-encoding': 'br' });
    const named = ['content-encoding', 'content-type', 'etag', 'vary', 'content-length'];
    const of = (all: Record<string, unknown>) => named.map((name) => String(all[name]));
    expect([head.statusCode, head.payload, of(head.headers)]).toEqual([200, '', of(headers)]);
  });
});
