import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { unwrap } from '../../sdk/src/index.ts';
import { openTestEnvironment, type TestEnvironment } from '../../test/support/environment.ts';
import { shopOf } from '../../test/support/shop.ts';
import { openWorld, type World } from '../../test/support/world.ts';
import { runClient } from './index.ts';
import { triggers } from './trigger.ts';

/** The commands as a person at a terminal, or a script, gives them. */
const folder = mkdtempSync(join(tmpdir(), 'reckoner-cli-'));
let env: TestEnvironment;
let world: World;
let url: string;
beforeAll(async () => {
  env = await openTestEnvironment(); // of its own: it opens a port
  await env.server.listen({ port: 0, host: '127.0.0.1' });
  url = `http://127.0.0.1:${(env.server.server.address() as AddressInfo).port}`;
  world = await openWorld(env);
});
afterAll(async () => {
  await env?.close();
  rmSync(folder, { recursive: true, force: true });
});

interface Ran {
  readonly code: number;
  readonly out: string;
  readonly aside: string;
}

interface Setting {
  readonly variables?: Record<string, string>;
  readonly answers?: readonly string[];
  readonly stop?: AbortSignal;
}

/** Runs a command; it sees nothing of the machine that runs the test. */
async function run(
  words: string,
  { variables, answers, stop = new AbortController().signal }: Setting = {},
): Promise<Ran> {
  const said = { out: '', aside: '' };
  const left = [...(answers ?? [])];
  const own = { RECKONER_URL: url, RECKONER_API_KEY: world.merchant.key };
  const code = await runClient(
    words.split(' ').map((word) => word.replaceAll('␣', ' ')),
    {
      variables: {
        DATA_DIR: join(folder, 'none'),
        RECKONER_CONFIG: join(folder, 'config.json'),
        ...(variables ?? own),
      },
      stop,
      ask: async () => left.shift() ?? null,
      browse: () => undefined,
      screen: {
        ...{ isTerminal: false, colours: false, columns: null },
        write: (text) => {
          said.out += text;
        },
        aside: (text) => {
          said.aside += text;
        },
      },
    },
  );
  return { code, ...said };
}

describe('reading', () => {
  it('a list is a table, or a line of JSON for each record', async () => {
    const { out } = await run('list plans --limit 2');
    expect(out.split('\n')[0]).toMatch(/^id +name +currency +createdAt$/);
    const { out: lines } = await run(`list invoices status=PAID customerId=${world.customer.id} --json --all`);
    for (const line of lines.trim().split('\n').filter(Boolean)) expect(JSON.parse(line).status).toBe('PAID');
  });

  it('one resource is its fields, or JSON', async () => {
    expect((await run(`get customers ${world.customer.id}`)).out).toContain(world.customer.id);
    expect(JSON.parse((await run(`get customers ${world.customer.id} --json`)).out).object).toBe('customer');
  });

  it('what others wrote moves no cursor', async () => {
    const { id } = await shopOf(world.merchant).customer({
      consumer: { name: 'A\u001b[2JB\u202e', email: 'a@cli.example', address: { country: 'DE' } },
    });
    const { out } = await run(`get customers ${id}`);
    for (const hazard of ['\u001b', '\u202e']) expect(out).not.toContain(hazard);
  });

  it('opens the page of a resource', async () => {
    const { out } = await run(`open ${world.invoice.id}`);
    expect(out).toBe(`${url}/console/${world.merchant.id}/invoices/${world.invoice.id}\n`);
  });
});

describe('doing', () => {
  it('calls any operation', async () => {
    const { code, out } = await run(`call products.create --data {"name":"By␣hand"} --json`);
    expect([code, JSON.parse(out).name]).toEqual([0, 'By hand']);
  });

  it('reports an event', async () => {
    const { out } = await run(`events send cli.event --customer ${world.customer.id} --data {"units":3} --json`);
    expect(JSON.parse(out)).toMatchObject({ type: 'cli.event', subject: world.customer.id });
  });

  it('moves a clock, by default the newest', async () => {
    const clock = await shopOf(world.merchant).clock('2026-01-01T00:00:00Z');
    const { out } = await run('clock advance P1M --json');
    expect(JSON.parse(out)).toMatchObject({ id: clock.id, currentTime: '2026-02-01T00:00:00Z' });
    expect(JSON.parse((await run(`clock advance 2026-03-01 ${clock.id} --json`)).out).currentTime).toBe(
      '2026-03-01T00:00:00Z',
    );
  });

  it.each(triggers())('triggers %s', async (kind) => {
    const { code, aside } = await run(`trigger ${kind} --json`);
    expect([code, aside]).toEqual([0, `${kind} has happened.\n`]);
    const { data } = (await world.merchant.get(`/v0/webhookEvents?type=${kind}&limit=1`)).body;
    expect(data).toHaveLength(1);
  });
});

describe('following', () => {
  it('hands each new webhook to a local server, with a signature that the SDK verifies', async () => {
    const got: string[] = [];
    let secret = '';
    const receive = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
      const body = Buffer.concat(await request.toArray()).toString();
      got.push((await unwrap(body, request.headers as Record<string, string>, secret)).type);
      response.writeHead(204).end();
    };
    const server = createServer((request, response) => void receive(request, response));
    await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
    const forward = `http://127.0.0.1:${(server.address() as AddressInfo).port}/hooks`;
    const listening = run(`listen --forward-to ${forward} --count 3`);
    await expect.poll(() => readSecret()).not.toBe('');
    secret = readSecret();
    await expect
      .poll(async () => {
        if (got.length < 3) await run('trigger subscription.created.v0');
        return got.length;
      })
      .toBeGreaterThanOrEqual(3);
    const { code, out } = await listening;
    server.close();
    expect(code).toBe(0);
    expect(out.split('\n').filter((line) => /^✔ wev_\w+ {2}[\w.]+ {2}204$/.test(line))).toHaveLength(3);
    expect(got.slice(0, 3)).toContain('subscription.created.v0');
  });

  const readSecret = (): string => {
    try {
      return JSON.parse(readFileSync(join(folder, 'config.json'), 'utf8')).sandboxWebhooks?.secret ?? '';
    } catch {
      return '';
    }
  };

  it('shows what is done, until it is stopped', async () => {
    const stop = new AbortController();
    const tailing = run('logs tail --json --count 1', { stop: stop.signal });
    let done = false;
    void tailing.then(() => {
      done = true;
    });
    await expect
      .poll(async () => {
        if (!done) await shopOf(world.merchant).product();
        return done;
      })
      .toBe(true);
    expect(JSON.parse((await tailing).out).operation).toBe('createProduct');
    const stopped = run('events tail', { stop: stop.signal });
    stop.abort();
    expect((await stopped).code).toBe(0);
  });
});

describe('whose key', () => {
  const away = { RECKONER_CONFIG: join(folder, 'own', 'config.json') };

  it('is kept by login, where only its owner reads it, and forgotten by logout', async () => {
    const asked = { variables: away, answers: [world.merchant.key] };
    expect(await run(`login --url ${url}`, asked)).toMatchObject({ code: 0, out: '' });
    expect(statSync(away.RECKONER_CONFIG).mode & 0o777).toBe(0o600);
    expect((await run('whoami', { variables: away })).out).toContain(url);
    await run('logout', { variables: away });
    expect((await run('whoami', { variables: away })).code).toBe(1);
  });

  it.each([
    ['a key that nobody has', `login --key rk_test_wrong`, 'API_KEY_INVALID'],
    ['a key of the other environment', 'login -e production --key OWN', 'of the sandbox environment'],
    ['no key', 'login', 'No key was given'],
  ])('%s is refused by login', async (_, words, message) => {
    const typed = `${words.replace('OWN', world.merchant.key)} --url ${url}`;
    const { code, aside } = await run(typed, { variables: away });
    expect([code, aside.includes(message)]).toEqual([1, true]);
  });

  it.each([
    ['nobody is there to ask', undefined, 1, 'add --yes'],
    ['no', ['n'], 1, 'Nothing was changed'],
    ['yes', ['y'], 0, ''],
  ])('a change of production asks first: %s', async (_, answers, code, message) => {
    const ran = await run('call products.create --data {"name":"P"} -e production', answers ? { answers } : {});
    expect(ran.code).toBe(code);
    expect(ran.aside).toContain(message);
  });

  it('a key of production asks and triggers nothing, whatever was said of its environment', async () => {
    const production = await openTestEnvironment({ environment: 'production' });
    await production.server.listen({ port: 0, host: '127.0.0.1' });
    const { port } = production.server.server.address() as AddressInfo;
    const { key } = await production.merchant();
    const variables = { RECKONER_URL: `http://127.0.0.1:${port}`, RECKONER_API_KEY: key };
    expect((await run('call products.create --data {"name":"P"}', { variables })).aside).toContain('add --yes');
    expect((await run('trigger invoice.paid.v0', { variables })).aside).toContain('use the sandbox');
    expect((await run('list products', { variables })).aside).toBe('None.\n');
    await production.close();
  });

  it('reading production asks nothing, and --yes neither', async () => {
    expect((await run('list products -e production')).code).toBe(0);
    expect((await run('call products.create --data {"name":"P"} -e production -y')).code).toBe(0);
  });
});

describe('a mistake', () => {
  it.each([
    ['list custmers', 1, 'the nearest is "customers"'],
    ['call invoices.refnd inv_1', 1, 'the nearest is "invoices.refund"'],
    ['call invoices.refund', 1, 'takes 1 ids, not 0'],
    ['get customers cus_none', 1, '404'],
    ['list invoices status:PAID', 1, 'is no filter'],
    ['list invoices --limit none', 1, 'is not a number of records'],
    ['call products.create --data {name', 1, '--data is not JSON'],
    ['call prices.create --data {}', 1, 'invoiceDisplayName'],
    ['trigger invoice.lost.v0', 1, 'the kinds are: customer.created.v0'],
    ['open xyz_1', 1, 'has no page'],
    ['completion tcsh', 1, 'bash, zsh, fish'],
    ['list', 2, 'missing required argument'],
    ['list invoices --everything', 2, 'unknown option'],
    ['get customers x -e staging', 2, 'production, sandbox'],
    ['events', 2, 'Usage: reckoner events'],
  ])('%s: exit %i, with a remedy', async (words, code, message) => {
    const ran = await run(words);
    expect(ran.code).toBe(code);
    expect(ran.aside).toContain(message);
    expect(ran.out).toBe('');
  });

  it('of an address where nobody is says so', async () => {
    const variables = { RECKONER_URL: 'http://127.0.0.1:1', RECKONER_API_KEY: 'k' };
    expect((await run('whoami', { variables })).aside).toContain('is Reckoner running at http://127.0.0.1:1?');
  });
});

describe('completion', () => {
  it.each([
    ['complete -- li', ['list', 'listen']],
    ['complete -- clock a', ['advance']],
    ['complete -- get testC', ['testClocks']],
    ['complete -- call invoices.ref', ['invoices.refund']],
    ['complete -- trigger invoice.p', ['invoice.paid.v0', 'invoice.payment_failed.v0']],
    ['complete -- list --li', ['--limit']],
  ])('%s', async (words, expected) => {
    expect((await run(words)).out.trim().split('\n')).toEqual(expected);
  });

  it.each(['bash', 'zsh', 'fish'])('has a script for %s', async (shell) => {
    expect((await run(`completion ${shell}`)).out).toContain('reckoner complete --');
  });
});
