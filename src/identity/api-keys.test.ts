import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Merchant, openTestEnvironment, type TestEnvironment } from '../../test/support/environment.ts';
import type { Caller, Role } from '../http/index.ts';
import { mayManageKeys } from './api-keys.ts';

let env: TestEnvironment;
let merchant: Merchant;
let other: Merchant;
beforeAll(async () => {
  env = await openTestEnvironment();
  env.setNow('2026-05-01T12:00:00Z');
  merchant = await env.merchant();
  other = await env.merchant();
});
afterAll(() => env.close());

const keysOf = (user: { userId: string }) => `/v0/users/${user.userId}/apikeys`;

describe('who manages whose keys (api.md, Identity)', () => {
  it.each<[Role, boolean, 'own' | 'others', boolean]>([
    ['viewer', false, 'own', false],
    ['viewer', false, 'others', false],
    ['viewer', true, 'own', false],
    ['viewer', true, 'others', false],
    ['member', false, 'own', true],
    ['member', false, 'others', false],
    ['member', true, 'own', true],
    ['member', true, 'others', true],
    ['admin', false, 'own', true],
    ['admin', false, 'others', true],
    ['admin', true, 'own', true],
    ['admin', true, 'others', true],
  ])('a %s (operator: %s) its %s: %s', (role, isOperator, whose, may) => {
    const caller: Caller = { userId: 'usr_1', keyId: 'key_1', organizationId: 'org_1', role, isOperator };
    expect(mayManageKeys(caller, { id: whose === 'own' ? 'usr_1' : 'usr_2' })).toBe(may);
  });
});

describe('POST /v0/users/{userId}/apikeys', () => {
  // Proves 4.other.apiKey, 5.authentication.2.
  it('shows the secret this once, and it works', async () => {
    const { status, body } = await merchant.post(keysOf(merchant), {
      name: 'CI',
      expiresAt: '2026-06-01T00:00:00+02:00',
    });
    expect(status).toBe(201);
    expect(body).toMatchObject({
      object: 'apiKey',
      userId: merchant.userId,
      name: 'CI',
      prefix: 'rk_test_',
      last4: body.secret.slice(-4),
      expiresAt: '2026-05-31T22:00:00Z',
      lastUsedAt: null,
      createdAt: '2026-05-01T12:00:00Z',
    });
    expect(body.secret).toMatch(/^rk_test_[0-9A-Za-z]{40}$/);
    expect((await env.client(body.secret).get('/v0/me')).body.user.id).toBe(merchant.userId);
    const listed = (await merchant.get(keysOf(merchant))).body.data.find(({ id }: { id: string }) => id === body.id);
    expect(listed).toMatchObject({ name: 'CI', lastUsedAt: '2026-05-01T12:00:00Z' });
    expect(listed).not.toHaveProperty('secret');
  });

  it('gives a production key in production', async () => {
    const production = await openTestEnvironment({ environment: 'production' });
    const mine = await production.merchant();
    const { body } = await mine.post(keysOf(mine), { name: 'live' });
    expect(body).toMatchObject({ prefix: 'rk_live_', secret: expect.stringMatching(/^rk_live_/) });
    await production.close();
  });

  it('lets two keys of one user overlap, so that one can replace the other', async () => {
    const mine = await env.merchant();
    const [first, second] = await Promise.all([
      mine.post(keysOf(mine), { name: 'old' }),
      mine.post(keysOf(mine), { name: 'new' }),
    ]);
    for (const { body } of [first, second]) expect((await env.client(body.secret).get('/v0/me')).status).toBe(200);
    await env.client(second.body.secret).delete(`${keysOf(mine)}/${first.body.id}`);
    expect((await env.client(second.body.secret).get('/v0/me')).status).toBe(200);
  });

  // Proves 4.other.apiKey, 5.authentication.2, 9.versioning.5.
  it.each([
    { body: {}, field: 'name' },
    { body: { name: '' }, field: 'name' },
    { body: { name: null }, field: 'name' },
    { body: { name: 'x'.repeat(256) }, field: 'name' },
    { body: { name: 'k', expiresAt: '2026-05-01T11:59:59Z' }, field: 'expiresAt' },
    { body: { name: 'k', expiresAt: '2026-05-01T12:00:00Z' }, field: 'expiresAt' },
    { body: { name: 'k', expiresAt: '2026-06-01' }, field: 'expiresAt' },
    { body: { name: 'k', secret: 'rk_test_mine' }, field: 'secret' },
    { body: { name: 'k', userId: 'usr_x' }, field: 'userId' },
  ])('400 for $body', async ({ body, field }) => {
    const answer = await merchant.post(keysOf(merchant), body);
    expect(answer).toMatchObject({ status: 400, body: { error: 'validation_error', errors: [{ field }] } });
  });

  it('follows the rules about whose keys one makes', async () => {
    const member = await env.userOf(merchant, 'member');
    const viewer = await env.userOf(merchant, 'viewer');
    const status = async (caller: Merchant, user: { userId: string }) =>
      (await caller.post(keysOf(user), { name: 'k' })).status;
    expect(await status(member, member)).toBe(201);
    expect(await status(member, viewer)).toBe(403);
    expect(await status(viewer, viewer)).toBe(403);
    expect(await status(merchant, viewer)).toBe(201);
    expect((await env.platform.post(keysOf(viewer), { name: 'k' })).status).toBe(201);
  });

  it('does not let an operator in a lower role make itself an admin’s key', async () => {
    const platformId = (await env.platform.get('/v0/me')).body.organization.id;
    const operator = await env.userOf({ id: platformId }, 'member');
    const viewer = await env.userOf(merchant, 'viewer');
    expect((await operator.post(keysOf(viewer), { name: 'k' })).status).toBe(201);
    expect((await operator.post(keysOf(merchant), { name: 'k' })).status).toBe(403);
  });

  it('403 for another merchant’s user, 404 for an unknown one', async () => {
    expect((await merchant.post(keysOf(other), { name: 'k' })).status).toBe(403);
    expect((await other.get(keysOf(other))).body.pagination.total).toBe(1);
    expect((await merchant.post('/v0/users/usr_nobody/apikeys', { name: 'k' })).status).toBe(404);
  });

  it('answers a repeated request with the same secret, but only to the key that made it', async () => {
    const member = await env.userOf(merchant, 'member');
    const send = (client: Merchant) => client.post(keysOf(merchant), { name: 'once' }, { 'idempotency-key': 'once' });
    const first = await send(merchant);
    const again = await send(merchant);
    expect(again.body).toEqual(first.body);
    expect(again.headers['idempotent-replayed']).toBe('true');
    expect(await send(member)).toMatchObject({ status: 409, body: { code: 'IDEMPOTENCY_KEY_REUSED' } });
  });
});

describe('an expired key', () => {
  it('answers 401 API_KEY_EXPIRED from its last instant on', async () => {
    const mine = await env.merchant();
    const { body } = await mine.post(keysOf(mine), { name: 'brief', expiresAt: '2026-05-01T13:00:00Z' });
    const client = env.client(body.secret);
    env.setNow('2026-05-01T12:59:59.999999Z');
    expect((await client.get('/v0/me')).status).toBe(200);
    env.setNow('2026-05-01T13:00:00Z');
    const answer = await client.get('/v0/me');
    expect(answer).toMatchObject({ status: 401, body: { error: 'unauthorized', code: 'API_KEY_EXPIRED' } });
    env.setNow('2026-05-01T12:00:00Z');
  });
});

describe('GET /v0/users/{userId}/apikeys', () => {
  it('lists the keys of a user, newest first, without revoked ones', async () => {
    const mine = await env.merchant();
    const made = await mine.post(keysOf(mine), { name: 'second' });
    const gone = await mine.post(keysOf(mine), { name: 'third' });
    await mine.delete(`${keysOf(mine)}/${gone.body.id}`);
    const { status, body } = await mine.get(keysOf(mine));
    expect(status).toBe(200);
    expect(body.pagination).toEqual({ limit: 10, offset: 0, total: 2, nextAfter: null });
    expect(body.data.map(({ name }: { name: string }) => name)).toEqual(['second', 'test']);
    expect((await mine.get(`${keysOf(mine)}?limit=1`)).body.data[0].id).toBe(made.body.id);
  });

  it('400 for a bad page, 403 for another merchant’s user, 404 for an unknown one', async () => {
    expect((await merchant.get(`${keysOf(merchant)}?limit=1000`)).status).toBe(400);
    expect((await merchant.get(keysOf(other))).status).toBe(403);
    expect((await merchant.get('/v0/users/usr_nobody/apikeys')).status).toBe(404);
  });
});

describe('DELETE /v0/users/{userId}/apikeys/{keyId}', () => {
  it('204 once, then 404', async () => {
    const { body } = await merchant.post(keysOf(merchant), { name: 'gone' });
    const path = `${keysOf(merchant)}/${body.id}`;
    expect(await merchant.delete(path)).toMatchObject({ status: 204, text: '' });
    expect((await merchant.delete(path)).status).toBe(404);
    expect((await env.client(body.secret).get('/v0/me')).body.code).toBe('API_KEY_INVALID');
  });

  it('403 for keys of others and of other merchants, 404 for unknown and mismatched ones; nothing is revoked', async () => {
    const member = await env.userOf(merchant, 'member');
    const mine = await merchant.post(keysOf(merchant), { name: 'mine' });
    const theirs = await other.post(keysOf(other), { name: 'theirs' });
    expect((await member.delete(`${keysOf(merchant)}/${mine.body.id}`)).status).toBe(403);
    expect((await merchant.delete(`${keysOf(other)}/${theirs.body.id}`)).status).toBe(403);
    expect((await merchant.delete(`${keysOf(merchant)}/${theirs.body.id}`)).status).toBe(404);
    expect((await merchant.delete(`${keysOf(member)}/${mine.body.id}`)).status).toBe(404);
    expect((await merchant.delete(`${keysOf(merchant)}/key_nobody`)).status).toBe(404);
    for (const { body } of [mine, theirs]) expect((await env.client(body.secret).get('/v0/me')).status).toBe(200);
  });

  it('refuses to revoke the keys of a role above the caller’s, for operators too', async () => {
    const { id: platformId } = (await env.platform.get('/v0/me')).body.organization;
    const operator = await env.userOf({ id: platformId }, 'member');
    const viewer = await env.userOf(merchant, 'viewer');
    const [admins, viewers] = [
      await merchant.post(keysOf(merchant), { name: 'k' }),
      await merchant.post(keysOf(viewer), { name: 'k' }),
    ];
    expect(await operator.delete(`${keysOf(merchant)}/${admins.body.id}`)).toMatchObject({
      status: 403,
      body: { message: 'A user cannot revoke the keys of a role above their own.' },
    });
    expect((await env.client(admins.body.secret).get('/v0/me')).status).toBe(200);
    expect((await operator.delete(`${keysOf(viewer)}/${viewers.body.id}`)).status).toBe(204);
    expect((await env.platform.delete(`${keysOf(merchant)}/${admins.body.id}`)).status).toBe(204);
  });

  it('400 for a body', async () => {
    const { body } = await merchant.post(keysOf(merchant), { name: 'x' });
    expect((await merchant.delete(`${keysOf(merchant)}/${body.id}`, { really: true })).status).toBe(400);
  });
});

it('leaves nothing of a key in the database but its hash, prefix and last four characters', async () => {
  const { body } = await merchant.post(keysOf(merchant), { name: 'canary' }, { 'idempotency-key': 'canary' });
  const secretPart = body.secret.slice(8, -4);
  const client = new pg.Client({ connectionString: env.url });
  await client.connect();
  try {
    const { rows: tables } = await client.query<{ name: string }>(
      `select quote_ident(table_name) as name from information_schema.tables
        where table_schema = 'public' and table_type = 'BASE TABLE'`,
    );
    expect(tables.map(({ name }) => name)).toContain('idempotency_key');
    for (const { name } of tables) {
      const { rows } = await client.query(`select 1 from ${name} as t where t::text like '%' || $1 || '%' limit 1`, [
        secretPart,
      ]);
      expect({ name, rows }).toEqual({ name, rows: [] });
    }
  } finally {
    await client.end();
  }
});
