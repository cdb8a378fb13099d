import { once } from 'node:events';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { get as getRaw, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Edge, openEdge } from '../../test/support/edge.ts';
import { consoleFiles } from './files.ts';

const SCRIPT = `export const words = ${JSON.stringify('a built script '.repeat(200))};`;
const PAGE = '<!doctype html><meta property="csp-nonce" nonce="{{nonce}}"><style nonce="{{nonce}}"></style>';

let folder: string;
let edge: Edge;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'reckoner-console-'));
  await mkdir(join(folder, 'dist/assets'), { recursive: true });
  await writeFile(join(folder, 'secret.js'), 'not of the console');
  await writeFile(join(folder, 'dist/index.html'), PAGE);
  await writeFile(join(folder, 'dist/favicon.svg'), '<svg xmlns="http://www.w3.org/2000/svg"/>');
  await writeFile(join(folder, 'dist/.hidden.js'), 'hidden');
  await writeFile(join(folder, 'dist/assets/index-Ab12_x-9.js'), SCRIPT);
  await writeFile(join(folder, 'dist/assets/page.exe'), 'no file of a page');
  edge = await openEdge(consoleFiles('https://billing.example', join(folder, 'dist')));
  await edge.server.listen({ host: '127.0.0.1', port: 0 });
});
afterAll(async () => {
  await edge.close();
  await rm(folder, { recursive: true });
});

const ASSET = '/console/assets/index-Ab12_x-9.js';

/** Asks for a path as it is written: a URL would resolve its dots. */
async function raw(path: string): Promise<{ status: number | undefined; text: string }> {
  const { port } = edge.server.server.address() as AddressInfo;
  const [answer] = (await once(getRaw({ host: '127.0.0.1', port, path }), 'response')) as [IncomingMessage];
  return { status: answer.statusCode, text: (await answer.toArray()).join('') };
}

const get = (url: string, headers: Record<string, string> = {}) => edge.server.inject({ url, headers });

describe('the page', () => {
  it.each([
    '/console',
    '/console/',
    '/console?a=1',
    '/console/customers',
    '/console/customers/cus_1/invoices',
    '/console/link',
    '/console/a.b.c',
    '/console/apis',
  ])('is at %s', async (url) => {
    const { statusCode, headers, payload } = await get(url);
    expect([statusCode, headers['content-type'], headers['cache-control']]).toEqual([
      200,
      'text/html; charset=utf-8',
      'no-cache',
    ]);
    expect(payload).toContain('<!doctype html>');
  });

  it('allows its own scripts alone, and is framed by nobody', async () => {
    const { headers, payload } = await get('/console/');
    const nonce = /nonce="([^"]+)"/.exec(payload)?.[1] as string;
    expect(payload).not.toContain('{{nonce}}');
    expect(headers).toMatchObject({
      'x-frame-options': 'DENY',
      'referrer-policy': 'same-origin',
      'x-content-type-options': 'nosniff',
      'strict-transport-security': 'max-age=31536000',
    });
    expect(String(headers['content-security-policy']).split('; ')).toEqual([
      "default-src 'none'",
      "script-src 'self'",
      `style-src 'self' 'nonce-${nonce}'`,
      "style-src-attr 'unsafe-inline'",
      "img-src 'self' data: blob:",
      "font-src 'self'",
      "connect-src 'self'",
      "frame-src 'self'",
      "frame-ancestors 'none'",
      "base-uri 'none'",
      "form-action 'self'",
    ]);
    const second = await get('/console/');
    expect(second.headers['content-security-policy']).not.toBe(headers['content-security-policy']);
    expect(second.payload).not.toContain(nonce);
  });

  it('says how it is built where it is missing', async () => {
    const bare = await openEdge(consoleFiles('http://localhost:4401', join(folder, 'nothing')));
    const { statusCode, headers, payload } = await bare.server.inject({ url: '/console' });
    await bare.close();
    expect([statusCode, headers['content-type']]).toEqual([503, 'text/html; charset=utf-8']);
    expect(payload).toContain('npm run console:build');
    expect(headers['strict-transport-security']).toBeUndefined();
  });
});

describe('an asset', () => {
  it('is kept by browsers for ever', async () => {
    const { statusCode, headers, payload } = await get(ASSET);
    expect([statusCode, payload]).toEqual([200, SCRIPT]);
    expect(headers).toMatchObject({
      'content-type': 'text/javascript; charset=utf-8',
      'cache-control': 'public, max-age=31536000, immutable',
    });
    expect((await get(ASSET, { 'if-none-match': String(headers.etag) })).statusCode).toBe(304);
  });

  it.each([
    { accept: 'gzip', read: gunzipSync },
    { accept: 'gzip, br', read: brotliDecompressSync },
  ])('is compressed for $accept, also with a cookie', async ({ accept, read }) => {
    for (const headers of [{}, { cookie: 'reckoner_console_sandbox=x' }]) {
      const answer = await get(ASSET, { 'accept-encoding': accept, ...headers });
      expect(answer.headers).toMatchObject({ vary: 'Accept-Encoding' });
      expect(answer.rawPayload.length).toBeLessThan(SCRIPT.length);
      expect(read(answer.rawPayload).toString()).toBe(SCRIPT);
    }
  });

  it('beside the page is asked for again each time', async () => {
    const { statusCode, headers } = await get('/console/favicon.svg');
    expect([statusCode, headers['content-type'], headers['cache-control']]).toEqual([200, 'image/svg+xml', 'no-cache']);
  });

  it.each([
    '/console/assets/unknown-1.js',
    '/console/assets/',
    '/console/assets/page.exe',
    '/console/assets/../secret.js',
    '/console/../secret.js',
    '/console/..',
    '/console/..%2fsecret.js',
    '/console/%2e%2e/secret.js',
    '/console/assets%2findex-Ab12_x-9.js',
    '/console/assets%5cindex-Ab12_x-9.js',
    '/console/assets\\index-Ab12_x-9.js',
    '/console/%00',
    '/console/customers%00.js',
    '/console/%252e%252e/secret.js',
    '/console/./assets/index-Ab12_x-9.js',
    '/console/api',
    '/console/api/v0/me',
  ])('is not at %s', async (url) => {
    const { status, text } = await raw(url);
    expect(status).toBe(404);
    expect(text).not.toContain('not of the console');
  });

  it('that is hidden is none', async () => {
    expect((await get('/console/.hidden.js')).payload).toContain('<!doctype html>');
  });
});
