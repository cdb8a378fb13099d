import { existsSync, readFileSync, statSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { outsideDatabase, preparedCluster, preparedData } from './prepared.ts';
import {
  copyProject,
  credentials,
  embeddedUrl,
  eventually,
  isRoot,
  keepForTests,
  kill,
  launch,
  launched,
  processesNaming,
  programFolder,
  project,
  query,
  READY,
  startReckoner,
  type Trial,
  temporaryFolder,
  trial,
  variables,
} from './support.ts';

// A start takes a second or two, and longer on a busy machine: the test checks the events, not their times.
vi.setConfig({ testTimeout: 120_000 });

const status = async (url: string, key?: string): Promise<number> => {
  const response = await fetch(url, key === undefined ? {} : { headers: { authorization: `Bearer ${key}` } });
  await response.arrayBuffer();
  return response.status;
};

/** Both environments answer, each only to its own key. */
async function expectBothToServe(dataDirectory: string): Promise<void> {
  const { production, sandbox } = credentials(dataDirectory);
  if (!production || !sandbox) throw new Error('credentials.json lacks an environment');
  expect(await status(`${production.baseUrl}/readyz`)).toBe(200);
  expect(await status(`${sandbox.baseUrl}/readyz`)).toBe(200);
  expect(await status(`${production.baseUrl}/v0/nothing`, production.platformKey)).toBe(404);
  expect(await status(`${sandbox.baseUrl}/v0/nothing`, sandbox.platformKey)).toBe(404);
  expect(await status(`${production.baseUrl}/v0/nothing`, sandbox.platformKey)).toBe(401);
  expect(await status(`${sandbox.baseUrl}/v0/nothing`, production.platformKey)).toBe(401);
}

const mark = (dataDirectory: string) =>
  query(embeddedUrl(dataDirectory, 'reckoner_sandbox'), 'create table mark as select 42 as answer');
const readMark = (dataDirectory: string) =>
  query(embeddedUrl(dataDirectory, 'reckoner_sandbox'), 'select answer from mark');

const command = (name: string, settings: Record<string, string>) =>
  trial(process.execPath, [join(project, 'bin', 'reckoner.js'), name], { cwd: project, env: variables(settings) });

describe('npm start on an empty folder', () => {
  let data: string;
  let program: Trial;
  let end: () => Promise<void>;
  beforeAll(async () => {
    data = join(temporaryFolder(), '.reckoner');
    program = startReckoner({ DATA_DIR: data });
    await program.until(/Stop: Ctrl-C/);
    end = keepForTests();
  });
  afterAll(() => end?.());

  // Proves 1.conventions.sandbox.
  it('serves production and sandbox, and says where it keeps the keys, which are for a terminal alone', async () => {
    await expectBothToServe(data);
    const { production, sandbox } = credentials(data);
    expect(production?.platformKey).toMatch(/^rk_live_[0-9A-Za-z]{40}$/);
    expect(sandbox?.platformKey).toMatch(/^rk_test_[0-9A-Za-z]{40}$/);
    for (const key of [production?.platformKey, sandbox?.platformKey, sandbox?.merchantKey])
      expect(program.output()).not.toContain(key ?? 'none');
    expect(program.output()).toMatch(/key stored in \S*credentials\.json/);
    expect(statSync(join(data, 'credentials.json')).mode & 0o777).toBe(0o600);
    expect(program.output()).not.toContain('\u001b');
  });

  it('refuses a second start on the same folder, and the first continues', async () => {
    const second = startReckoner({ DATA_DIR: data });
    expect(await second.ended()).toBe(1);
    expect(second.output()).toContain('is in use by another Reckoner process');
    expect(second.output()).toContain('Fix: ');
    await expectBothToServe(data);
  });

  it('says that the program runs already when its ports are asked for again', async () => {
    const { port } = new URL(credentials(data).production?.baseUrl ?? '');
    const second = startReckoner({ DATA_DIR: data, PORT: port });
    expect(await second.ended()).toBe(1);
    expect(second.output()).toContain('Reckoner is running already, with the data in ');
    await expectBothToServe(data);
  });

  it('audits and recomputes beside the running program, which continues', async () => {
    for (const [name, told] of [
      ['audit', /sandbox: data audited .*(\d+) of \1 invariants hold/],
      ['recompute', /sandbox: invoices recomputed .*(\d+) of \1 have the same result/],
    ] as const) {
      const beside = command(name, { DATA_DIR: data });
      expect([await beside.ended(), beside.output()]).toEqual([0, expect.stringMatching(told)]);
      expect(beside.output()).toContain('the PostgreSQL of the running program is used');
    }
    const migrating = command('migrate', { DATA_DIR: data });
    expect(await migrating.ended()).toBe(1);
    await expectBothToServe(data);
  });

  it('ends cleanly on SIGTERM, and the next start has the same keys and data without showing them again', async () => {
    await mark(data);
    const keys = credentials(data);
    kill(program.processId, 'SIGTERM');
    expect(await program.ended()).toBe(0);
    expect(processesNaming(data)).toEqual([]);
    expect(existsSync(join(data, 'pg', 'cluster', 'postmaster.pid'))).toBe(false);
    expect(existsSync(join(data, 'pg', 'run'))).toBe(false);

    const second = startReckoner({ DATA_DIR: data });
    await second.until(/Stop: Ctrl-C/);
    await expectBothToServe(data);
    expect(await readMark(data)).toEqual([{ answer: 42 }]);
    expect(credentials(data).production?.platformKey).toBe(keys.production?.platformKey);
    expect(credentials(data).sandbox?.platformKey).toBe(keys.sandbox?.platformKey);
    expect(second.output()).not.toContain(keys.sandbox?.platformKey);
  });
});

it('takes another platform key in place of the one before it', async () => {
  const data = await preparedData();
  const keys = ['a', 'b'].map((letter) => `rk_live_${letter.repeat(40)}`) as [string, string];
  for (const key of keys) {
    const program = startReckoner({
      ...{ DATA_DIR: data, RECKONER_ENVIRONMENT: 'production', RECKONER_PLATFORM_KEY: key, METRICS_PORT: '0' },
    });
    await program.until(READY);
    const { baseUrl } = credentials(data).production as { baseUrl: string };
    const found = await Promise.all(keys.map((each) => status(`${baseUrl}/v0/me`, each)));
    expect(found).toEqual(keys.map((each) => (each === key ? 200 : 401)));
    const [, metrics = ''] = /metrics (http:\S+)/.exec(program.output()) ?? [];
    expect(await status(metrics)).toBe(200);
    kill(program.processId, 'SIGTERM');
    expect(await program.ended()).toBe(0);
  }
});

describe('npm start', () => {
  it('is ready before the demo is filled, tells its pieces, and goes on with it after a stop', async () => {
    const data = await preparedData();
    const settings = { DATA_DIR: data, RECKONER_ENVIRONMENT: 'sandbox', RECKONER_DEMO: 'true', LOG_LEVEL: 'info' };
    const first = startReckoner(settings);
    await first.until(READY);
    await first.until(/Stop: Ctrl-C/);
    const { sandbox } = credentials(data);
    expect(await status(`${sandbox?.baseUrl}/v0/me`, sandbox?.merchantKey)).toBe(200);
    await first.until(/demo: two products and three plans/);
    expect(first.output()).not.toContain('Demo complete');
    expect(first.output()).not.toContain('/v0/prices'); // its calls are not among the logged requests
    kill(first.processId, 'SIGTERM');
    expect(await first.ended()).toBe(0);
    expect(first.output()).not.toContain('is not complete');

    const second = startReckoner(settings);
    await second.until(/Demo complete {3}Halcyon Labs: 12 customers · 3 plans · [\d,]+ usage events · \d+ invoices/);
    expect(second.output()).toMatch(/month 3 of 3: usage billed, invoices paid/);
    expect(credentials(data).sandbox?.merchantKey).toBe(sandbox?.merchantKey);
    kill(second.processId, 'SIGTERM');
    expect(await second.ended()).toBe(0);
  });

  it('answers a request that was under way when the stop began', async () => {
    const data = await preparedData();
    const program = startReckoner({ DATA_DIR: data, RECKONER_ENVIRONMENT: 'sandbox' });
    await program.until(READY);
    const { socket, host, port, reply } = await halfARequest(data);
    kill(program.processId, 'SIGTERM');
    await program.until(/Stopping/);
    await eventually(async () => expect(await listens(port, host)).toBe(false));
    socket.write('}');
    expect(await program.ended()).toBe(0);
    expect(reply()).toMatch(/^HTTP\/1\.1 400 /); // the organization has no name, so it was found and not refused
  });

  it('ends at once on a second Ctrl-C, and the next start has everything', async () => {
    const data = await preparedData();
    const first = startReckoner({ DATA_DIR: data, RECKONER_ENVIRONMENT: 'sandbox' });
    await first.until(READY);
    await mark(data);
    const { socket } = await halfARequest(data);
    kill(first.processId, 'SIGINT');
    await first.until(/Stopping/);
    await sleep(1_200); // sooner, it could be the same Ctrl-C passed on by npm
    kill(first.processId, 'SIGINT');
    expect(await first.ended()).toBe(130);
    socket.destroy();
    const second = startReckoner({ DATA_DIR: data, RECKONER_ENVIRONMENT: 'sandbox' });
    await second.until(READY);
    expect(await readMark(data)).toEqual([{ answer: 42 }]);
  });

  it('ends cleanly, and once, when npm and the terminal both pass on Ctrl-C', async () => {
    const data = await preparedData();
    const npm = trial('npm', ['start'], {
      cwd: project,
      env: variables({ DATA_DIR: data, PORT: '0', SANDBOX_PORT: '0', RECKONER_DEMO: 'false' }),
    });
    await npm.until(READY);
    kill(-npm.processId, 'SIGINT');
    await npm.until(/Stopped. Your data stays/);
    await npm.ended();
    expect(readFileSync(join(data, 'pg', 'postgresql.log'), 'utf8')).toContain('database system is shut down');
    expect(processesNaming(data)).toEqual([]);
  });

  it('ends cleanly when only npm gets the signal, and when npm is killed', async () => {
    const data = await preparedData();
    const environment = variables({ DATA_DIR: data, PORT: '0', SANDBOX_PORT: '0', RECKONER_DEMO: 'false' });
    const told = trial('npm', ['start'], { cwd: project, env: environment });
    await told.until(READY);
    kill(told.processId, 'SIGTERM');
    await told.ended();
    expect(told.output()).toContain('Stopped. Your data stays');
    const killed = trial('npm', ['start'], { cwd: project, env: environment });
    await killed.until(READY);
    kill(killed.processId, 'SIGKILL');
    await killed.until(/Stopped. Your data stays/);
    await eventually(() => expect(processesNaming(data)).toEqual([]));
  });

  it('recovers after everything was killed at once', async () => {
    const data = await preparedData();
    const first = startReckoner({ DATA_DIR: data });
    await first.until(READY);
    await mark(data);
    const postgres = Number(readFileSync(join(data, 'pg', 'cluster', 'postmaster.pid'), 'utf8').split('\n')[0]);
    const children = processesNaming('postgres:').filter((line) => childOf(line, postgres));
    kill(first.processId, 'SIGKILL');
    kill(postgres, 'SIGKILL');
    for (const line of children) kill(Number.parseInt(line, 10), 'SIGKILL');
    await first.ended();
    const second = startReckoner({ DATA_DIR: data });
    await second.until(READY);
    await expectBothToServe(data);
    expect(await readMark(data)).toEqual([{ answer: 42 }]);
  });

  it('looks at its ports before it makes anything, and names the setting and a free port', async () => {
    const data = join(temporaryFolder(), '.reckoner');
    const other = createServer().listen(0, '127.0.0.1');
    await new Promise((resolve) => other.once('listening', resolve));
    const { port } = other.address() as { port: number };
    const program = startReckoner({ DATA_DIR: data, SANDBOX_PORT: String(port) });
    expect(await program.ended()).toBe(1);
    other.close();
    expect(program.output()).toContain(`Port ${port} is in use by another program.`);
    expect(program.output()).toMatch(/Fix: .*SANDBOX_PORT=\d+ npm start/);
    expect(existsSync(data)).toBe(false);
  });

  it('prints its lines together, and the log after them', async () => {
    const program = trial('/bin/sh', ['-c', 'exec "$0" "$@" 2>&1', process.execPath, 'bin/reckoner.js', 'start'], {
      cwd: project,
      env: variables({ DATA_DIR: await preparedData(), PORT: '0', SANDBOX_PORT: '0', LOG_LEVEL: 'info' }),
    });
    await program.until(/Stop: Ctrl-C[\s\S]*Server listening[\s\S]*Server listening/);
    expect(program.output().slice(0, program.output().indexOf('Stop: Ctrl-C'))).not.toContain('{"level"');
    kill(program.processId, 'SIGTERM');
    expect(await program.ended()).toBe(0);
  });

  it('names every setting that cannot be used, and starts nothing', async () => {
    const data = join(temporaryFolder(), '.reckoner');
    const url = 'postgres://a:b@db.example/one';
    const program = startReckoner({
      DATA_DIR: data,
      PORT: '99999',
      RECKONER_DEMO: 'perhaps',
      RECKONER_ROLE: 'api',
      DATABASE_URL: url,
      SANDBOX_DATABASE_URL: url,
    });
    expect(await program.ended()).toBe(1);
    for (const name of ['PORT', 'RECKONER_DEMO', 'SANDBOX_DATABASE_URL', 'RECKONER_ROLE is not a setting'])
      expect(program.output()).toContain(name);
    expect(existsSync(data)).toBe(false);
  });

  it('uses databases from outside, and then needs none of its own', async () => {
    const outside = launch(await preparedCluster());
    const { url } = await launched(outside);
    for (const name of ['billing', 'billing_sandbox']) await query(url, `create database ${name}`);
    const [production, sandbox] = [url.replace('/trial?', '/billing?'), url.replace('/trial?', '/billing_sandbox?')];
    const data = join(temporaryFolder(), '.reckoner');
    const program = startReckoner({ DATA_DIR: data, DATABASE_URL: production, SANDBOX_DATABASE_URL: sandbox });
    await program.until(READY);
    expect(program.output()).toContain('the database of production: its user is a superuser');
    await expectBothToServe(data);
    expect(existsSync(join(data, 'pg'))).toBe(false);
    kill(program.processId, 'SIGTERM');
    expect(await program.ended()).toBe(0);
    const [{ tables } = { tables: 0 }] = await query<{ tables: number }>(
      production,
      `select count(*)::int as tables from information_schema.tables where table_schema = 'public'`,
    );
    expect(tables).toBeGreaterThan(0);
    const asLogin = (owner: string) => owner.replace('//reckoner@', '//reckoner_login@');
    const again = startReckoner({
      DATA_DIR: data,
      DATABASE_URL: asLogin(production),
      SANDBOX_DATABASE_URL: asLogin(sandbox),
    });
    await again.until(READY);
    expect(again.output()).not.toContain('superuser');
    await expectBothToServe(data);
  });

  it('says so when a database from outside is not there', async () => {
    const data = join(temporaryFolder(), '.reckoner');
    const program = startReckoner({ DATA_DIR: data, DATABASE_URL: 'postgres://a:secret@127.0.0.1:1/one' });
    expect(await program.ended()).toBe(1);
    expect(program.output()).toContain('127.0.0.1:1/one cannot be reached');
    expect(program.output()).toContain('DATABASE_URL');
    expect(program.output()).not.toContain('secret');
    expect(existsSync(join(data, 'pg'))).toBe(false); // it is looked at first
  });

  it('says that the embedded PostgreSQL is for the sandbox where production has another', async () => {
    const outside = launch(await preparedCluster());
    const { url } = await launched(outside);
    await query(url, 'create database billing');
    const data = await preparedData();
    const program = startReckoner({ DATA_DIR: data, DATABASE_URL: url.replace('/trial?', '/billing?') });
    await program.until(READY);
    expect(program.output()).toMatch(/PostgreSQL for production \(.*\n.*\n?.*PostgreSQL for the sandbox \(embedded/);
    await expectBothToServe(data);
  });

  it(
    isRoot
      ? 'serves root from a project in a folder that only root may enter'
      : 'serves this ordinary user from a project in a folder that nobody else may enter (this run is not root)',
    async () => {
      const folder = programFolder(0o700);
      copyProject(folder, 'everything');
      const program = startReckoner({}, folder);
      await program.until(READY);
      await expectBothToServe(join(folder, '.reckoner'));
      kill(program.processId, 'SIGTERM');
      expect(await program.ended()).toBe(0);
    },
  );
});

describe('the other commands', () => {
  it('migrates without serving, and finds nothing new the second time', async () => {
    const data = join(temporaryFolder(), '.reckoner');
    const first = command('migrate', { DATA_DIR: data });
    expect(await first.ended()).toBe(0);
    expect(first.output()).toMatch(/production: schema migrated .*\(\d+ applied\)/);
    const second = command('migrate', { DATA_DIR: data });
    expect(await second.ended()).toBe(0);
    expect(second.output()).toMatch(/sandbox: schema migrated .*nothing new/);
    expect(processesNaming(data)).toEqual([]);
  });

  it.each([
    {
      what: 'with an edited migration',
      edit: `update migration_hash set hash = 'another' where name = '0080_invoicing'`,
      told: 'another version of Reckoner: its migration 0080_invoicing differs from the file of this version.',
    },
    {
      what: 'of a newer version that needs later programs',
      edit: `
        insert into kysely_migration values ('9999_future', now()::text);
        insert into migration_hash (name, hash, oldest) values ('9999_future', 'a', '9999_future')`,
      told: 'a newer version of Reckoner: this version has no migration 9999_future.',
    },
    {
      what: 'without hashes, with other tables than version 0.1.0',
      edit: 'drop function migration_hashes(); alter table customer add column mood text',
      told: 'another version of Reckoner: its tables are not those of version 0.1.0.',
    },
  ])('a database $what is refused by start, migrate and audit', async ({ edit, told }) => {
    const url = await outsideDatabase();
    await query(url, edit);
    const DATA_DIR = join(temporaryFolder(), '.reckoner');
    for (const name of ['start', 'migrate', 'audit']) {
      const refused = command(name, { DATA_DIR, RECKONER_ENVIRONMENT: 'sandbox', SANDBOX_DATABASE_URL: url });
      expect(await refused.ended()).toBe(1);
      expect(refused.output()).toContain(`This database was made by ${told}`);
      expect(refused.output()).toContain('Fix: start the version that made the database, or use a new one: DATA_DIR=');
    }
  });

  it.skipIf(process.platform !== 'linux').each([
    { place: '/proc/x', told: 'The folder /proc/x cannot be created: no folder can be created in /proc.' },
    { place: '/etc/hostname', told: '/etc/hostname is a file and not a folder.' },
    { place: '/etc/hostname/x/y', told: '/etc/hostname is a file and not a folder.' },
  ])('says that $place cannot be the data folder, and ends', async ({ place, told }) => {
    const program = command('keys', { DATA_DIR: place });
    expect(await program.ended()).toBe(1);
    expect(program.output()).toContain(told);
    expect(program.output()).toContain('Fix: use another folder: DATA_DIR=');
  });

  it('has no keys to show before the first start, and says how to get them', async () => {
    const program = command('keys', { DATA_DIR: join(temporaryFolder(), '.reckoner') });
    expect(await program.ended()).toBe(1);
    expect(program.output()).toContain('npm start');
  });

  it('helps, and says so when it knows no such command', async () => {
    const help = command('help', {});
    expect(await help.ended()).toBe(0);
    expect(help.output()).toContain('SANDBOX_DATABASE_URL');
    const version = command('--version', {});
    expect(await version.ended()).toBe(0);
    expect(version.output()).toMatch(/^\d+\.\d+\.\d+\n$/);
    const unknown = command('dance', {});
    expect(await unknown.ended()).toBe(1);
    expect(unknown.output()).toContain('"dance"');
  });

  it('runs again on the bundled Node when the one that was called is too old', async () => {
    const program = trial(process.execPath, ['--no-harmony-temporal', join(project, 'bin', 'reckoner.js'), 'help'], {
      cwd: project,
      env: variables({}),
    });
    expect(await program.ended()).toBe(0);
    expect(program.output()).toContain('SANDBOX_DATABASE_URL');
  });
});

/** A call to the sandbox that the server has begun to read and that waits for its last byte, `}`. */
async function halfARequest(data: string) {
  const { baseUrl = '', platformKey = '' } = credentials(data).sandbox ?? {};
  const { hostname: host, port } = new URL(baseUrl);
  const socket = connect(Number(port), host);
  let reply = '';
  socket.on('error', () => undefined); // it may be cut off
  socket.on('data', (chunk) => {
    reply += chunk.toString('utf8');
  });
  const head = `POST /v0/organizations HTTP/1.1\r\nHost: ${host}\r\nAuthorization: Bearer ${platformKey}\r\n`;
  socket.write(`${head}Content-Type: application/json\r\nContent-Length: 2\r\n\r\n{`);
  // The server has read everything from before a later, answered request.
  await eventually(async () => expect(await status(`${baseUrl}/v0/nothing`, platformKey)).toBe(404));
  return { socket, host, port: Number(port), reply: () => reply };
}

function listens(port: number, host: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, host);
    socket.once('connect', () => {
      socket.destroy();
      resolve(true);
    });
    socket.once('error', () => resolve(false));
  });
}

function childOf(line: string, parent: number): boolean {
  try {
    const fields = readFileSync(`/proc/${Number.parseInt(line, 10)}/stat`, 'utf8')
      .split(') ')[1]
      ?.split(' ');
    return Number(fields?.[1]) === parent;
  } catch {
    return false;
  }
}
