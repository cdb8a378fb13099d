import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Merchant, openTestEnvironment, type TestEnvironment } from '../../test/support/environment.ts';
import { sql } from '../db/index.ts';

let env: TestEnvironment;
let merchant: Merchant;
let other: Merchant;
let userId: string;
beforeAll(async () => {
  env = await openTestEnvironment();
  [merchant, other] = [await env.merchant(), await env.merchant()];
  env.setNow('2026-01-01T00:00:00Z');
  const user = await merchant.post(
    '/v0/users',
    { organizationId: merchant.id, email: 'u@x.example', role: 'viewer' },
    { 'x-request-id': 'req-of-creation' },
  );
  userId = user.body.id;
  env.setNow('2026-01-02T00:00:00Z');
  await merchant.patch(`/v0/users/${userId}`, { role: 'member' });
  env.setNow('2026-01-03T00:00:00Z');
  await merchant.post(`/v0/users/${userId}/apikeys`, { name: 'k' });
  await merchant.patch(`/v0/users/${userId}`, { role: 'owner' }); // refused: no change, no entry
  await other.patch(`/v0/organizations/${other.id}`, { name: 'Elsewhere' });
});
afterAll(() => env.close());

const operations = async (query = '', client: { get: Merchant['get'] } = merchant) =>
  (await client.get(`/v0/auditLog${query}`)).body.data.map(({ operation }: { operation: string }) => operation);

describe('GET /v0/auditLog', () => {
  it('lists the author, time and values of each change, newest first', async () => {
    const { status, body } = await merchant.get('/v0/auditLog');
    expect(status).toBe(200);
    expect(body.pagination).toEqual({ limit: 10, offset: 0, total: 3, nextAfter: null });
    expect(body.data.map(({ operation }: { operation: string }) => operation)).toEqual([
      'createApiKey',
      'updateUser',
      'createUser',
    ]);
    expect(body.data[1]).toMatchObject({
      object: 'auditEntry',
      merchantId: merchant.id,
      userId: merchant.userId,
      keyId: expect.stringMatching(/^key_/),
      resourceId: userId,
      before: { id: userId, role: 'viewer' },
      after: { id: userId, role: 'member' },
      createdAt: '2026-01-02T00:00:00Z',
    });
    expect(body.data[2]).toMatchObject({ before: null, after: { id: userId }, requestId: 'req-of-creation' });
  });

  it('holds no secret', async () => {
    const { body } = await merchant.get('/v0/auditLog?operation=createApiKey');
    expect(body.data[0].after).toMatchObject({ object: 'apiKey', name: 'k' });
    expect(body.data[0].after).not.toHaveProperty('secret');
  });

  it.each([
    { query: '?operation=updateUser', found: ['updateUser'] },
    { query: '?operation=deleteEverything', found: [] },
    { query: '?from=2026-01-02T00:00:00Z', found: ['createApiKey', 'updateUser'] },
    { query: '?to=2026-01-02T00:00:00Z', found: ['createUser'] },
    { query: '?from=2026-01-02T00:00:00Z&to=2026-01-03T00:00:00Z', found: ['updateUser'] },
    { query: '?limit=1&offset=1', found: ['updateUser'] },
    { query: '?userId=usr_nobody', found: [] },
  ])('finds $found by $query', async ({ query, found }) => {
    expect(await operations(query)).toEqual(found);
  });

  it('finds by resource and by user', async () => {
    expect(await operations(`?resourceId=${userId}`)).toEqual(['updateUser', 'createUser']);
    expect(await operations(`?userId=${merchant.userId}`)).toHaveLength(3);
    expect(await operations(`?userId=${other.userId}`)).toEqual([]);
  });

  it('shows operators the log of all merchants, or of one', async () => {
    expect(await operations('', env.platform)).toEqual([
      'updateOrganization',
      'createApiKey',
      'updateUser',
      'createUser',
    ]);
    expect(await operations(`?merchantId=${other.id}`, env.platform)).toEqual(['updateOrganization']);
  });

  it.each(['from=yesterday', 'to=2026-01-01', 'userId=me', 'limit=0', 'resourceId=', 'action=x'])(
    '400 for ?%s',
    async (query) => {
      const answer = await merchant.get(`/v0/auditLog?${query}`);
      expect(answer).toMatchObject({ status: 400, body: { errors: [{ field: query.split('=')[0] }] } });
    },
  );

  it('403 for another merchant’s', async () => {
    expect((await merchant.get(`/v0/auditLog?merchantId=${other.id}`)).status).toBe(403);
  });
});

it('cannot be changed or thinned out by the application', async () => {
  const attempt = (query: ReturnType<typeof sql>) =>
    env.database.transaction({ merchants: [merchant.id] }, (tx) => tx.run(query));
  await expect(attempt(sql`update audit_entry set user_id = 'usr_scapegoat'`)).rejects.toThrow(/permission denied/);
  await expect(attempt(sql`delete from audit_entry`)).rejects.toThrow(/permission denied/);
});
