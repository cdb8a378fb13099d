import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { openTestEnvironment, type TestEnvironment } from '../../test/support/environment.ts';
import { Authenticator } from './authentication.ts';
import { MOST_FAILURES } from './failed-authentications.ts';

let env: TestEnvironment;
beforeAll(async () => {
  env = await openTestEnvironment();
});
afterAll(() => env.close());

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
  const authenticator = new Authenticator(
    env.database,
    () => Temporal.Instant.from('2026-01-01T00:00:00Z'),
    () => milliseconds,
  );
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
  const asked = vi.spyOn(env.database, 'transaction');
  try {
    const authenticator = new Authenticator(env.database, () => Temporal.Instant.from('2026-01-01T00:00:00Z'));
    const together = () =>
      Promise.all(Array.from({ length: 50 }, () => authenticator.authenticate(merchant.key, '::1')));
    const found = await together();
    expect(found.every((each) => 'caller' in each && each.caller.organizationId === merchant.id)).toBe(true);
    expect(asked).toHaveBeenCalledTimes(1);
  } finally {
    asked.mockRestore();
  }
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
