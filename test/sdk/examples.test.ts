import { cpSync, symlinkSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { keepForTests, programFolder, project, trial, variables } from '../start/support.ts';
import { openBrowser } from '../support/browser.ts';

/** The examples as a reader starts them: one command, in a clone in which nothing runs yet. */
let clone: string;
let end: () => Promise<void>;
beforeAll(() => {
  clone = programFolder();
  end = keepForTests();
  for (const each of ['bin', 'scripts', 'src', 'node_modules', 'package.json', 'tsconfig.json'])
    symlinkSync(join(project, each), join(clone, each));
  for (const each of ['sdk', 'examples'])
    cpSync(join(project, each), join(clone, each), {
      recursive: true,
      filter: (path) => !/\/(?:node_modules|dist|\.events|\.next)$/.test(path),
    });
});
afterAll(() => end());

const freePort = (): Promise<string> =>
  new Promise((found) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const { port } = server.address() as { port: number };
      server.close(() => found(String(port)));
    });
  });

/** What npm needs of this machine; nothing that is a setting of Reckoner. */
const OF_NPM = Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('RECKONER_')));

const run = (example: string, settings: Record<string, string>, command: string, ...words: readonly string[]) =>
  trial(command, [...words], {
    cwd: join(clone, 'examples', example),
    env: { ...OF_NPM, ...variables({ PORT: '0', SANDBOX_PORT: '0', ...settings }) },
  });

describe('the examples', { timeout: 600_000 }, () => {
  it('llm-proxy meters credits, gates a model, and hears that credits run low', async () => {
    const PROXY_PORT = await freePort();
    const proxy = run('llm-proxy', { PROXY_PORT }, 'npm', 'start', '--silent');
    await proxy.until(/The proxy answers at/);
    const call = async (path: string, body?: object) => {
      const response = await fetch(`http://127.0.0.1:${PROXY_PORT}${path}`, {
        headers: { authorization: 'Bearer acme' },
        ...(body && { method: 'POST', body: JSON.stringify(body) }),
      });
      return { status: response.status, body: await response.json() };
    };
    const ask = (model: string, words: number) =>
      call('/v1/chat/completions', { model, messages: [{ role: 'user', content: 'word '.repeat(words) }] });

    expect((await ask('atlas-mini', 1)).status).toBe(401); // nobody has this key yet
    await call('/sign-up', { workspace: 'acme', name: 'Acme', email: 'ap@acme.example' });
    await expect.poll(async () => (await ask('atlas-mini', 1)).status, { timeout: 30_000 }).toBe(200);
    expect(await ask('atlas-pro', 1)).toMatchObject({ status: 403, body: { upgrades: ['Pro'] } });
    expect(await ask('atlas-mega', 1)).toMatchObject({ status: 404 });

    expect((await ask('atlas-mini', 60_000)).status).toBe(200); // 120 of 100 credits, in one answer
    await expect
      .poll(() => ask('atlas-mini', 1), { timeout: 60_000 })
      .toMatchObject({
        status: 402,
        body: { reason: 'no_balance', upgrades: ['Pro'] },
      });
    await expect
      .poll(async () => (await call('/notices')).body, { timeout: 60_000 })
      .toContain('All Credits are used up.');

    expect(await call('/upgrade', {})).toEqual({ status: 200, body: { outcome: 'changed' } });
    expect((await ask('atlas-pro', 10)).status).toBe(200); // at once: the answer before is forgotten
    await expect
      .poll(async () => (await call('/notices')).body, { timeout: 60_000 })
      .toContain('Your plan has changed.');
    expect((await call('/hooks', {})).status).toBe(401); // without a signature
  });

  it('next-page shows prices and usage, and leads to the portal', async () => {
    const [developed, port] = [await freePort(), await freePort()];
    await run('next-page', {}, 'npm', 'start', '--silent', '--', '--port', developed).until(/Ready in/);
    const text = () => fetch(`http://127.0.0.1:${developed}`).then((response) => response.text());
    await expect.poll(text, { timeout: 120_000, interval: 1_000 }).toContain(' so far'); // the demo is filled meanwhile

    // In a browser it is tried as it is deployed: a page in development may load itself anew under a click.
    const build = run('next-page', {}, 'npm', 'run', '--silent', 'build');
    expect(await build.ended(), build.output()).toBe(0); // with its types
    const deployed = run('next-page', {}, 'node', '../start.js', 'next', 'start', '--port', port);
    await deployed.until(/Ready in/);
    const browser = await openBrowser();
    try {
      const shown = await browser.newPage();
      await shown.goto(`http://localhost:${port}`, { timeout: 120_000 });
      await shown.getByText('Platform fee: $49.00 a month').waitFor();
      await shown.getByText(/^images: \d+ of 500 used$/).waitFor();
      await shown.getByText(/: \$[\d.,]+ so far, invoiced on /).waitFor();
      await shown.getByRole('button', { name: 'Choose Scale' }).click();
      await shown.locator('[aria-current]', { hasText: 'Scale' }).waitFor();
      await shown.getByRole('button', { name: 'Invoices and cards' }).click();
      await shown.waitForURL(/\/portal\/open\?token=/, { waitUntil: 'commit' }).catch(async (thrown: unknown) => {
        throw new Error(`${String(thrown)}\n${await shown.locator('body').innerText()}\n${deployed.output()}`);
      });
    } finally {
      await browser.close();
    }
  });
});
