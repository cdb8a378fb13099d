import { readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { nameOfMasterKey } from '../../src/kernel/sealing.ts';
import { outsideDatabase, preparedData } from './prepared.ts';
import {
  credentials,
  kill,
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
vi.setConfig({ testTimeout: 180_000 });

const FAILURE = /✖ (.*)\n {4}Fix: (.*)/;
const PLATFORM_KEY = 'rk_test_of-the-operator-of-this-world';
const OTHER_PLATFORM_KEY = 'rk_test_of-the-next-operator-of-the-world';

/** A start of the sandbox with its data in this folder. */
const start = (dataDirectory: string, settings: Record<string, string> = {}) =>
  startReckoner({
    ...{ DATA_DIR: dataDirectory, RECKONER_ENVIRONMENT: 'sandbox' },
    ...{ RECKONER_SANDBOX_PLATFORM_KEY: PLATFORM_KEY, ...settings },
  });

/** Another command, to its end. */
async function run(command: string, dataDirectory: string, settings: Record<string, string> = {}) {
  const program = trial(process.execPath, [join(project, 'bin', 'reckoner.js'), command], {
    cwd: project,
    env: variables({ DATA_DIR: dataDirectory, RECKONER_ENVIRONMENT: 'sandbox', ...settings }),
  });
  return { code: await program.ended(), output: program.output() };
}

async function ready(program: Trial): Promise<string> {
  await program.until(READY);
  const [, address = ''] = await program.until(/(http:\/\/127\.0\.0\.1:\d+)/);
  return address;
}

async function stop(program: Trial): Promise<void> {
  kill(program.processId, 'SIGTERM');
  expect(await program.ended()).toBe(0);
}

/** The reason for the end of a start, and the remedy. */
async function failureOf(program: Trial): Promise<string> {
  const [said] = await program.until(FAILURE);
  expect(await program.ended()).toBe(1);
  return said;
}

// biome-ignore lint/suspicious/noExplicitAny: tests look into answers of every shape
async function call(address: string, method: string, path: string, body?: unknown, key = PLATFORM_KEY): Promise<any> {
  const response = await fetch(`${address}${path}`, {
    method,
    headers: { authorization: `Bearer ${key}`, ...(body !== undefined && { 'content-type': 'application/json' }) },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  const answer = await response.json();
  if (!response.ok) throw new Error(`${method} ${path}: ${JSON.stringify(answer)}`);
  return answer;
}

/** A webhook endpoint of a new merchant, with a sealed secret. @returns its id */
async function makeSecret(address: string): Promise<string> {
  const merchant = { name: 'Shop', type: 'merchant', defaultCurrency: 'USD' };
  const { id: merchantId } = await call(address, 'POST', '/v0/organizations', merchant);
  const url = `${address}/v0/webhookInbox`;
  return (await call(address, 'POST', '/v0/webhookEndpoints', { merchantId, url })).id;
}

/** Can the program open the secret of the endpoint? The sandbox's inbox takes only webhooks signed with it. */
const opens = async (address: string, endpoint: string, key?: string): Promise<boolean> =>
  (await call(address, 'POST', `/v0/webhookEndpoints/${endpoint}/test`, undefined, key)).delivered;

const masterKeyIn = (folder: string): string => credentials(folder).sandbox?.masterKey ?? '';

describe('the master key that is kept', () => {
  it('is generated once, shown nowhere, and opens the secrets of earlier starts under any platform key', async () => {
    const data = await preparedData();
    const first = start(data, { LOG_LEVEL: 'trace' });
    const address = await ready(first);
    const endpoint = await makeSecret(address);
    const key = masterKeyIn(data);
    expect(key).toMatch(/^[0-9a-f]{64}$/);
    expect(statSync(join(data, 'credentials.json')).mode & 0o777).toBe(0o600);
    await stop(first);
    const shown = await run('keys', data);
    expect(shown.output).toContain('platform key');
    const second = start(data, { RECKONER_SANDBOX_PLATFORM_KEY: OTHER_PLATFORM_KEY });
    const again = await ready(second);
    // The endpoint leads to the port of the first start.
    await call(
      again,
      'PATCH',
      `/v0/webhookEndpoints/${endpoint}`,
      { url: `${again}/v0/webhookInbox` },
      OTHER_PLATFORM_KEY,
    );
    expect(await opens(again, endpoint, OTHER_PLATFORM_KEY)).toBe(true);
    expect(masterKeyIn(data)).toBe(key);
    for (const output of [first.output(), second.output(), shown.output]) expect(output).not.toContain(key);
    await stop(second);
  });

  it('is not generated again after credentials.json was deleted: the start names the remedy', async () => {
    const data = await preparedData();
    const file = join(data, 'credentials.json');
    const first = start(data);
    const endpoint = await makeSecret(await ready(first));
    await stop(first);
    const kept = readFileSync(file, 'utf8');
    const name = nameOfMasterKey(masterKeyIn(data));

    rmSync(file);
    const said = await failureOf(start(data));
    expect(said).toContain(`encrypted with the master key ${name} (1 secret)`);
    expect(said).toMatch(/put the old \S*credentials\.json back/);
    expect(masterKeyIn(data)).toBe('');
    expect(await failureOf(start(data))).toContain(name);

    writeFileSync(file, kept);
    const second = start(data);
    await ready(second);
    await stop(second);

    rmSync(file);
    const third = start(data, { RECKONER_LOST_MASTER_KEYS: name });
    const address = await ready(third);
    await call(address, 'PATCH', `/v0/webhookEndpoints/${endpoint}`, { url: `${address}/v0/webhookInbox` });
    expect(await opens(address, endpoint)).toBe(false);
    await call(address, 'POST', `/v0/webhookEndpoints/${endpoint}/rotateSecret`);
    expect(await opens(address, endpoint)).toBe(true);
    await stop(third);
  });

  it('is replaced where it sealed nothing', async () => {
    const data = await preparedData();
    const first = start(data);
    await ready(first);
    const key = masterKeyIn(data);
    await stop(first);
    rmSync(join(data, 'credentials.json'));
    const second = start(data);
    await ready(second);
    expect(masterKeyIn(data)).toMatch(/^[0-9a-f]{64}$/);
    expect(masterKeyIn(data)).not.toBe(key);
    await stop(second);
  });

  it('is rotated while nothing runs; a running program is not robbed of its key', async () => {
    const data = await preparedData();
    const first = start(data);
    const endpoint = await makeSecret(await ready(first));
    const old = masterKeyIn(data);
    const refused = await run('rotate-master-key', data);
    expect(refused.code).toBe(1);
    expect(refused.output).toMatch(/Fix: stop it/);
    expect(masterKeyIn(data)).toBe(old);
    await stop(first);

    const rotated = await run('rotate-master-key', data);
    expect(rotated.output).toContain('1 re-encrypted, 0 could not be decrypted');
    expect(rotated.code).toBe(0);
    const fresh = masterKeyIn(data);
    expect(fresh).not.toBe(old);
    expect(credentials(data).sandbox).not.toHaveProperty('previousMasterKey');
    for (const key of [old, fresh]) expect(rotated.output).not.toContain(key);

    const second = start(data);
    const address = await ready(second);
    await call(address, 'PATCH', `/v0/webhookEndpoints/${endpoint}`, { url: `${address}/v0/webhookInbox` });
    expect(await opens(address, endpoint)).toBe(true);
    await stop(second);
  });
});

describe('the master key of several processes', () => {
  it('must be the same; with both keys of a rotation they serve before, during and after it', async () => {
    const url = await outsideDatabase();
    const folder = () => join(temporaryFolder(), '.reckoner');
    const onOne = (settings: Record<string, string>) => start(folder(), { SANDBOX_DATABASE_URL: url, ...settings });
    const [old, fresh] = ['old', 'fresh'].map((name) => `${name} `.repeat(20)) as [string, string];

    const keeping = onOne({});
    await ready(keeping);
    expect(keeping.output()).toMatch(/every other process on this database needs the same key/);
    expect(await failureOf(onOne({}))).toMatch(/is encrypted with the master key [\w-]{8} \(0 secrets\)/);
    await stop(keeping);
    await query(url, 'delete from master_key');

    const first = onOne({ RECKONER_SANDBOX_MASTER_KEY: old });
    const endpoint = await makeSecret(await ready(first));
    expect(first.output()).not.toContain('needs the same key');
    const said = await failureOf(onOne({ RECKONER_SANDBOX_MASTER_KEY: fresh }));
    expect(said).toContain(nameOfMasterKey(old.trim()));
    expect(said).not.toContain(old.trim());
    expect(said).not.toContain(fresh.trim());
    await stop(first);

    const both = { RECKONER_SANDBOX_MASTER_KEY: fresh, RECKONER_SANDBOX_MASTER_KEY_PREVIOUS: old };
    const second = onOne(both);
    const address = await ready(second);
    await call(address, 'PATCH', `/v0/webhookEndpoints/${endpoint}`, { url: `${address}/v0/webhookInbox` });
    expect(await opens(address, endpoint)).toBe(true);
    const rotated = await run('rotate-master-key', folder(), { SANDBOX_DATABASE_URL: url, ...both });
    expect(rotated.output).toContain('1 re-encrypted, 0 could not be decrypted');
    expect(await opens(address, endpoint)).toBe(true);
    const third = onOne({ RECKONER_SANDBOX_MASTER_KEY: fresh });
    const last = await ready(third);
    await call(last, 'PATCH', `/v0/webhookEndpoints/${endpoint}`, { url: `${last}/v0/webhookInbox` });
    expect(await opens(last, endpoint)).toBe(true);
    expect(await failureOf(onOne({ RECKONER_SANDBOX_MASTER_KEY: old }))).toContain(nameOfMasterKey(fresh.trim()));
    await stop(third);
    await stop(second);
  });
});
