import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Merchant, openTestEnvironment, type TestEnvironment } from '../../test/support/environment.ts';
import { EVENT_KINDS } from './kinds.ts';

const page = readFileSync(new URL('../../docs/webhooks.md', import.meta.url), 'utf8');

let env: TestEnvironment;
let merchant: Merchant;
beforeAll(async () => {
  env = await openTestEnvironment();
  merchant = await env.merchant();
});
afterAll(() => env.close());

it('shows every kind, and no other', () => {
  const rows = [...page.matchAll(/^\| `([a-z_]+\.[a-z_]+\.v0)` \| (.*) \|$/gm)].map(([, type, says]) => [type, says]);
  expect(Object.fromEntries(rows)).toEqual(EVENT_KINDS);
});

const freePort = async (): Promise<number> => {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as { port: number };
  await new Promise((resolve) => server.close(resolve));
  return port;
};

it('shows a receiver that takes what is signed and refuses what is not', async () => {
  const [, source = ''] = /```js\n([\s\S]*?)```/.exec(page) ?? [];
  expect(
    source
      .trim()
      .split('\n')
      .filter((line) => line !== '').length,
  ).toBeLessThanOrEqual(20);
  const port = await freePort();
  const url = `http://127.0.0.1:${port}/`;
  const { id, secret } = (await merchant.post('/v0/webhookEndpoints', { url })).body;
  const receiver = spawn(process.execPath, ['--input-type=module', '-e', source], {
    env: { ...process.env, PORT: String(port), WEBHOOK_SECRET: secret },
  });
  let printed = '';
  receiver.stdout.on('data', (chunk: Buffer) => {
    printed += chunk.toString();
  });
  const listens = () =>
    fetch(url, { method: 'POST', body: '{}' }).then(
      ({ status }) => status,
      () => 0,
    );
  await expect.poll(listens, { timeout: 10_000 }).toBe(401);
  const test = () => merchant.post(`/v0/webhookEndpoints/${id}/test`);
  expect((await test()).body).toMatchObject({ delivered: true, statusCode: 204 });
  await expect.poll(() => printed).toContain('webhook_endpoint.test.v0');
  const other = (await merchant.post('/v0/webhookEndpoints', { url })).body;
  expect((await merchant.post(`/v0/webhookEndpoints/${other.id}/test`)).body).toMatchObject({ statusCode: 401 });
  receiver.kill();
});
