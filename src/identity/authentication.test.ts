import pino from 'pino';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { cloneDatabase, openTestEnvironment, type TestEnvironment } from '../../test/support/environment.ts';
import { openEnvironment } from '../app.ts';
import type { Database } from '../db/index.ts';
import { generateMasterKey } from '../kernel/sealing.ts';
import { Authenticator, type AuthenticatorOptions } from './authentication.ts';
import { MOST_FAILURES } from './failed-authentications.ts';
import { generateApiKey } from './keys.ts';

let env: TestEnvironment;
beforeAll(async () => {
  env = await openTestEnvironment();
});
afterAll(() => env.close());

const authenticatorOf = (options: Partial<AuthenticatorOptions> = {}) =>
  new Authenticator({ database: env.database, now: () => Temporal.Instant.from('2026-01-01T00:00:00Z'), ...options });

/** A database that counts its questions, and how many run at the same time. */
function countingDatabase() {
  const count = { statements: 0, underWay: 0, most: 0 };
  const call: Database['call'] = async (name, query) => {
    count.statements += 1;
    count.underWay += 1;
    count.most = Math.max(count.most, count.underWay);
    try {
      return await env.database.call(name, query);
    } finally {
      count.underWay -= 1;
    }
  };
  return { count, database: { call } as Database };
}

const unknownKeys = (many: number) => Array.from({ length: many }, () => generateApiKey('sandbox'));

describe('a key that does not pass', () => {
  it.each([
    { what: 'no header', headers: {}, code: 'API_KEY_MISSING' },
    { what: 'another scheme', headers: { authorization: 'Basic dTpw' }, code: 'API_KEY_INVALID' },
    { what: 'an empty key', headers: { authorization: 'Bearer ' }, code: 'API_KEY_INVALID' },
    { what: 'an unknown key', headers: { authorization: `Bearer rk_test_${'a'.repeat(40)}` }, code: 'API_KEY_INVALID' },
    { what: 'a malformed key', headers: { authorization: "Bearer ' or 1=1 --" }, code: 'API_KEY_INVALID' },
    { what: 'an overlong key', headers: { authorization: `Bearer ${'k'.repeat(4000)}` }, code: 'API_KEY_INVALID' },
  ])('$what: 401 $code', async ({ headers, code }) => {
    const answer = await env.client().get('/v0/me', headers);
    expect(answer).toMatchObject({ status: 401, body: { error: 'unauthorized', code } });
    expect(answer.headers['www-authenticate']).toBe('Bearer');
  });

  it('takes the scheme in any case', async () => {
    const merchant = await env.merchant();
    const answer = await env.client().get('/v0/me', { authorization: `bearer ${merchant.key}` });
    expect(answer.status).toBe(200);
  });
});

it('forgets a key within a second of its revocation, and a role with it', async () => {
  const merchant = await env.merchant();
  const member = await env.userOf(merchant, 'member');
  let milliseconds = 1_000_000;
  const authenticator = authenticatorOf({ elapsed: () => milliseconds });
  const role = async () => {
    const found = await authenticator.authenticate(member.key, '127.0.0.1');
    return 'caller' in found ? found.caller.role : found.code;
  };
  expect(await role()).toBe('member');

  await merchant.patch(`/v0/users/${member.userId}`, { role: 'viewer' });
  milliseconds += 1000;
  expect(await role()).toBe('viewer');

  const { body: keys } = await merchant.get(`/v0/users/${member.userId}/apikeys`);
  expect((await merchant.delete(`/v0/users/${member.userId}/apikeys/${keys.data[0].id}`)).status).toBe(204);
  milliseconds += 1000;
  expect(await role()).toBe('API_KEY_INVALID');
});

it('looks a key up once for all who come with it at the same time', async () => {
  const merchant = await env.merchant();
  const asked = vi.spyOn(env.database, 'call');
  try {
    const authenticator = authenticatorOf();
    const together = () =>
      Promise.all(Array.from({ length: 50 }, async () => authenticator.authenticate(merchant.key, '::1')));
    const found = await together();
    expect(found.every((each) => 'caller' in each && each.caller.organizationId === merchant.id)).toBe(true);
    expect(asked).toHaveBeenCalledTimes(1);
  } finally {
    asked.mockRestore();
  }
});

describe('unknown keys', () => {
  it('are looked up together, in one round trip, and with few statements at a time', async () => {
    const { count, database } = countingDatabase();
    const authenticator = authenticatorOf({ database });
    const found = await Promise.all(
      unknownKeys(500).map(async (key) => authenticator.authenticate(key, '198.51.100.1')),
    );
    expect(new Set(found.map((each) => ('code' in each ? each.code : 'found')))).toEqual(new Set(['API_KEY_INVALID']));
    expect(count.statements).toBeLessThanOrEqual(2);
    for (let round = 0; round < 10; round += 1)
      void Promise.all(unknownKeys(50).map(async (key) => authenticator.authenticate(key, '198.51.100.1')));
    await authenticator.authenticate(generateApiKey('sandbox'), '198.51.100.1');
    expect(count.most).toBeLessThanOrEqual(2);
  });

  it('are remembered for less than a second', async () => {
    const { count, database } = countingDatabase();
    let milliseconds = 1;
    const authenticator = authenticatorOf({ database, elapsed: () => milliseconds });
    const [key] = unknownKeys(1) as [string];
    const asked: number[] = [];
    for (const at of [1, 2, 500, 902, 903]) {
      milliseconds = at;
      expect(await authenticator.authenticate(key, '198.51.100.1')).toEqual({ code: 'API_KEY_INVALID' });
      asked.push(count.statements);
    }
    expect(asked).toEqual([1, 1, 1, 2, 2]);
  });

  it.each(['', 'x', 'k'.repeat(31), 'k'.repeat(513)])(
    'never reach the database where they can be none: %j',
    async (key) => {
      const { count, database } = countingDatabase();
      expect(await authenticatorOf({ database }).authenticate(key, '::1')).toEqual({ code: 'API_KEY_INVALID' });
      expect(count.statements).toBe(0);
    },
  );

  it('hold up nobody else: a key that was just made works at once, and a failure of the database is told to all', async () => {
    const merchant = await env.merchant();
    const { body: key } = await merchant.post(`/v0/users/${merchant.userId}/apikeys`, { name: 'new' });
    const authenticator = authenticatorOf();
    const [found] = await Promise.all(
      [key.secret, ...unknownKeys(50)].map(async (each) => authenticator.authenticate(each, '::1')),
    );
    expect(found).toHaveProperty('caller');
    const failing = { call: async () => Promise.reject(new Error('away')) } as unknown as Database;
    const broken = authenticatorOf({ database: failing });
    const asked = unknownKeys(3).map(async (each) => broken.authenticate(each, '::1'));
    for (const each of await Promise.allSettled(asked)) expect(each).toMatchObject({ status: 'rejected' });
  });

  it('cost an address above its limit one look-up at a time, and the keys that it used before nothing', async () => {
    const { count, database } = countingDatabase();
    let milliseconds = 1;
    const authenticator = authenticatorOf({ database, elapsed: () => milliseconds });
    const address = '198.51.100.2';
    const used = await env.merchant();
    const fresh = await env.merchant();
    expect(await authenticator.authenticate(used.key, address)).toHaveProperty('caller');
    for (let failure = 0; failure < MOST_FAILURES; failure += 1) await authenticator.authenticate(undefined, address);
    milliseconds += 1000;
    const before = count.statements;
    const keys = [...unknownKeys(30), used.key];
    const found = await Promise.all(keys.map(async (key) => authenticator.authenticate(key, address)));
    expect(found.slice(0, 30).every((each) => 'code' in each && each.code === 'RATE_LIMITED')).toBe(true);
    expect(found[30]).toHaveProperty('caller');
    expect(count.statements - before).toBeLessThanOrEqual(2);
    expect(await authenticator.authenticate(fresh.key, address)).toHaveProperty('caller');
    expect(await authenticator.authenticate(generateApiKey('sandbox'), '198.51.100.3')).toEqual({
      code: 'API_KEY_INVALID',
    });
  });
});

describe('behind a trusted proxy', () => {
  const open = async (trustedProxies: readonly string[]) => {
    const { url, drop } = await cloneDatabase();
    const environment = await openEnvironment({
      environment: 'sandbox',
      databaseUrl: url,
      publicUrl: 'http://localhost:4401',
      platformKey: generateApiKey('sandbox'),
      masterKey: { key: generateMasterKey() },
      logger: pino({ level: 'silent' }),
      now: () => Temporal.Instant.from('2026-03-01T00:00:00Z'),
      trustedProxies,
    });
    const fail = async (remoteAddress: string, forwardedFor?: string) => {
      const headers = forwardedFor === undefined ? {} : { 'x-forwarded-for': forwardedFor };
      return (await environment.server.inject({ url: '/v0/me', remoteAddress, headers })).statusCode;
    };
    const failOften = async (remoteAddress: string, forwardedFor?: string) => {
      for (let failures = 0; failures < MOST_FAILURES; failures += 1) await fail(remoteAddress, forwardedFor);
    };
    return { fail, failOften, close: () => environment.close().then(drop) };
  };

  it('failures count for the address that the proxy names, whatever a caller claims before it', async () => {
    const { fail, failOften, close } = await open(['127.0.0.1', '10.0.0.0/8']);
    await failOften('127.0.0.1', '198.51.100.9');
    expect(await fail('127.0.0.1', '198.51.100.9')).toBe(429);
    expect(await fail('10.1.2.3', '127.0.0.1, 198.51.100.9')).toBe(429);
    expect(await fail('127.0.0.1', '198.51.100.10')).toBe(401);
    expect(await fail('203.0.113.1', '198.51.100.9')).toBe(401); // no proxy of ours: its header does not count
    await failOften('127.0.0.1');
    expect(await fail('127.0.0.1')).toBe(429);
    await close();
  });

  it('without one nobody speaks for another address, and this machine is spared', async () => {
    const { fail, failOften, close } = await open([]);
    await failOften('127.0.0.1', '198.51.100.9');
    expect(await fail('127.0.0.1', '198.51.100.9')).toBe(401);
    await close();
  });
});

describe('more than 1,000 failed calls a minute from one address', () => {
  const call = (remoteAddress: string, key?: string) =>
    env.server.inject({
      url: '/v0/me',
      remoteAddress,
      headers: key === undefined ? {} : { authorization: `Bearer ${key}` },
    });

  it('hold up further failing ones with Retry-After, never a valid key, and end with the minute', async () => {
    env.setNow('2026-03-01T00:00:00Z');
    const merchant = await env.merchant();
    for (let failures = 0; failures < MOST_FAILURES; failures += 1)
      expect((await call('203.0.113.7')).statusCode).toBe(401);
    env.setNow('2026-03-01T00:00:20Z');
    const refused = await call('203.0.113.7', 'rk_test_guess');
    expect(refused.statusCode).toBe(429);
    expect(refused.json()).toMatchObject({ error: 'too_many_requests', code: 'RATE_LIMITED' });
    expect(refused.headers['retry-after']).toBe('40');

    expect((await call('203.0.113.7', merchant.key)).statusCode).toBe(200);
    expect((await call('203.0.113.8')).statusCode).toBe(401);
    const unknownPath = await env.server.inject({ url: '/v0/nothing', remoteAddress: '203.0.113.7' });
    expect(unknownPath.statusCode).toBe(429);

    env.setNow('2026-03-01T00:01:00Z');
    expect((await call('203.0.113.7')).statusCode).toBe(401);
  });
});
