import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Merchant, sharedEnvironment, type TestEnvironment } from '../../test/support/environment.ts';

let env: TestEnvironment;
let merchant: Merchant;
let other: Merchant;
let platformId: string;
beforeAll(async () => {
  env = await sharedEnvironment();
  merchant = await env.merchant();
  other = await env.merchant();
  platformId = (await env.platform.get('/v0/me')).body.organization.id;
});
afterAll(() => env.close());

const create = (body: object = {}) =>
  merchant.post('/v0/users', { organizationId: merchant.id, email: 'Ada@example.com', role: 'member', ...body });

describe('POST /v0/users', () => {
  it('creates a user of one’s organization with all its fields', async () => {
    const person = {
      firstName: 'Ada',
      lastName: 'Lovelace',
      phone: '+44 20 0',
      address: { city: 'London', country: 'GB' },
      type: 'INDIVIDUAL',
    };
    const { status, body } = await create(person);
    expect(status).toBe(201);
    expect(body).toMatchObject({
      object: 'user',
      email: 'Ada@example.com',
      role: 'member',
      organizationId: merchant.id,
      organizations: [{ id: merchant.id, state: 'active', roles: ['member'] }],
      ...person,
    });
    expect((await merchant.get(`/v0/users/${body.id}`)).body).toEqual(body);
  });

  it('leaves out what has nothing to say', async () => {
    const { body } = await create();
    for (const field of ['firstName', 'lastName', 'phone', 'address', 'type']) expect(body).not.toHaveProperty(field);
  });

  it('lets operators create users of any merchant, and further operators', async () => {
    const anywhere = await env.platform.post('/v0/users', {
      organizationId: other.id,
      email: 'o@x.example',
      role: 'admin',
    });
    expect(anywhere.body.organizationId).toBe(other.id);
    const operator = await env.platform.post('/v0/users', {
      organizationId: platformId,
      email: 'p@x.example',
      role: 'viewer',
    });
    const key = await env.platform.post(`/v0/users/${operator.body.id}/apikeys`, { name: 'desk' });
    const client = env.client(key.body.secret);
    expect((await client.get(`/v0/organizations/${merchant.id}`)).status).toBe(200);
    expect((await client.patch(`/v0/organizations/${merchant.id}`, { name: 'X' })).status).toBe(403);
  });

  it.each([
    { body: { organizationId: undefined }, fields: ['organizationId'] },
    { body: { organizationId: 'me' }, fields: ['organizationId'] },
    { body: { email: undefined, role: undefined }, fields: ['email', 'role'] },
    { body: { email: 'nobody' }, fields: ['email'] },
    { body: { role: 'owner' }, fields: ['role'] },
    { body: { type: 'ROBOT' }, fields: ['type'] },
    { body: { firstName: '' }, fields: ['firstName'] },
    { body: { address: { line1: 5 } }, fields: ['address.line1'] },
    { body: { address: { country: 'Narnia' } }, fields: ['address.country'] },
    { body: { createdAt: '2026-01-01T00:00:00Z', id: 'usr_mine' }, fields: ['createdAt', 'id'] },
  ])('400 for $body: $fields', async ({ body, fields }) => {
    const answer = await create(body);
    expect(answer).toMatchObject({ status: 400, body: { error: 'validation_error' } });
    expect(answer.body.errors.map((error: { field: string }) => error.field).toSorted()).toEqual(fields);
  });

  it('400 for a consumer, which has no users', async () => {
    const consumer = await env.platform.post('/v0/organizations', {
      name: 'C',
      type: 'consumer',
      merchantId: merchant.id,
    });
    expect(await create({ organizationId: consumer.body.id })).toMatchObject({
      status: 400,
      body: { errors: [{ field: 'organizationId', message: 'must not be a consumer' }] },
    });
  });

  it('404 for an unknown organization, 403 for another’s and for the platform', async () => {
    expect(await create({ organizationId: 'org_nobody' })).toMatchObject({
      status: 404,
      body: { details: { field: 'organizationId' } },
    });
    expect((await create({ organizationId: other.id })).status).toBe(403);
    expect((await create({ organizationId: platformId, role: 'admin' })).status).toBe(403);
    expect((await other.get('/v0/users')).body.pagination.total).toBe(2);
  });

  it.each(['member', 'viewer'] as const)('403 for a %s', async (role) => {
    const user = await env.userOf(merchant, role);
    const answer = await user.post('/v0/users', { organizationId: merchant.id, email: 'x@x.example', role });
    expect(answer.status).toBe(403);
  });
});

describe('GET /v0/users', () => {
  it('lists the users of one’s organization, newest first, by role and e-mail address', async () => {
    const mine = await env.merchant();
    const member = await env.userOf(mine, 'member');
    const ids = async (query = '') =>
      (await mine.get(`/v0/users${query}`)).body.data.map(({ id }: { id: string }) => id);
    expect(await ids()).toEqual([member.userId, mine.userId]);
    expect(await ids('?role=admin')).toEqual([mine.userId]);
    expect(await ids('?email=MEMBER@example.com')).toEqual([member.userId]);
    expect(await ids(`?organizationId=${mine.id}&limit=1&offset=1`)).toEqual([mine.userId]);
    const seen = await env.platform.get(`/v0/users?organizationId=${mine.id}`);
    expect(seen.body.pagination.total).toBe(2);
    expect((await env.platform.get('/v0/users')).body.pagination.total).toBeGreaterThan(4);
  });

  it.each(['role=owner', 'email=x', 'organizationId=x', 'limit=x', 'name=ada'])('400 for ?%s', async (query) => {
    expect((await merchant.get(`/v0/users?${query}`)).body.errors[0].field).toBe(query.split('=')[0]);
  });

  it('403 for another organization’s, 404 for an unknown one', async () => {
    expect((await merchant.get(`/v0/users?organizationId=${other.id}`)).status).toBe(403);
    expect((await merchant.get(`/v0/users?merchantId=${other.id}`)).status).toBe(403);
    expect((await merchant.get('/v0/users?organizationId=org_nobody')).status).toBe(404);
  });
});

describe('GET /v0/users/{id}', () => {
  it('200 for one’s own, 403 for another’s, 404 for an unknown or malformed id', async () => {
    expect((await merchant.get(`/v0/users/${merchant.userId}`)).body.id).toBe(merchant.userId);
    expect((await merchant.get(`/v0/users/${other.userId}`)).status).toBe(403);
    expect((await merchant.get('/v0/users/usr_nobody')).status).toBe(404);
    expect((await merchant.get(`/v0/users/${merchant.id}`)).status).toBe(404);
  });
});

describe('PATCH /v0/users/{id}', () => {
  it('changes what is sent, clears what is null, and leaves the rest', async () => {
    const { body } = await create({ firstName: 'Ada', lastName: 'Byron', phone: '1' });
    const changed = await merchant.patch(`/v0/users/${body.id}`, { lastName: 'Lovelace', phone: null, role: 'viewer' });
    expect(changed.status).toBe(200);
    expect(changed.body).toMatchObject({
      firstName: 'Ada',
      lastName: 'Lovelace',
      role: 'viewer',
      email: 'Ada@example.com',
    });
    expect(changed.body).not.toHaveProperty('phone');
    expect((await merchant.get(`/v0/users/${body.id}`)).body).toEqual(changed.body);
  });

  it.each([
    { type: 'INDIVIDUAL', status: 200, firstName: 'B' },
    { type: 'COMPANY', status: 400, firstName: 'Ada' },
  ])('of an INDIVIDUAL with the type $type is a $status', async ({ type, status, firstName }) => {
    const { body } = await create({ firstName: 'Ada', type: 'INDIVIDUAL' });
    expect((await merchant.patch(`/v0/users/${body.id}`, { firstName: 'B', type })).status).toBe(status);
    expect((await merchant.get(`/v0/users/${body.id}`)).body).toMatchObject({ firstName, type: 'INDIVIDUAL' });
  });

  it.each([
    { body: { role: 'owner' }, field: 'role' },
    { body: { role: '' }, field: 'role' },
    { body: { email: '' }, field: 'email' },
    { body: { organizationId: 'org_x' }, field: 'organizationId' },
    { body: { type: 'COMPANY' }, field: 'type' },
  ])('400 for $body', async ({ body, field }) => {
    const answer = await merchant.patch(`/v0/users/${merchant.userId}`, body);
    expect(answer).toMatchObject({ status: 400, body: { errors: [{ field }] } });
  });

  it('403 for anyone but an admin, and across merchants; 404 for an unknown one', async () => {
    const member = await env.userOf(merchant, 'member');
    expect((await member.patch(`/v0/users/${member.userId}`, { role: 'admin' })).status).toBe(403);
    expect((await merchant.patch(`/v0/users/${other.userId}`, { role: 'viewer' })).status).toBe(403);
    expect((await other.get(`/v0/users/${other.userId}`)).body.role).toBe('admin');
    expect((await merchant.patch('/v0/users/usr_nobody', { role: 'viewer' })).status).toBe(404);
  });
});

describe('GET /v0/me', () => {
  it.each(['admin', 'member', 'viewer'] as const)('tells a %s who it is', async (role) => {
    const user = await env.userOf(merchant, role);
    const { status, body } = await user.get('/v0/me');
    expect(status).toBe(200);
    expect(body).toMatchObject({
      object: 'me',
      user: { object: 'user', id: user.userId, organizations: [{ id: merchant.id, state: 'active', roles: [role] }] },
      organization: { object: 'organization', id: merchant.id, type: 'merchant' },
      role,
      environment: 'sandbox',
    });
  });

  it('shows an operator as a user of the platform', async () => {
    expect((await env.platform.get('/v0/me')).body).toMatchObject({ organization: { type: 'platform', settings: {} } });
  });

  it('400 for a query, which it does not take', async () => {
    expect((await merchant.get('/v0/me?verbose=1')).status).toBe(400);
  });
});
