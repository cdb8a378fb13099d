import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Client, type Merchant, sharedEnvironment, type TestEnvironment } from '../../test/support/environment.ts';

let env: TestEnvironment;
const clients = {} as Record<'none' | 'viewer' | 'member' | 'admin' | 'operator' | 'foreign', Client>;
let merchant: Merchant;
let colleague: Merchant;
let consumerId: string;
beforeAll(async () => {
  env = await sharedEnvironment();
  merchant = await env.merchant();
  colleague = await env.userOf(merchant, 'viewer');
  const consumer = { name: 'Consumer', type: 'consumer', merchantId: merchant.id };
  consumerId = (await env.platform.post('/v0/organizations', consumer)).body.id;
  clients.none = env.client();
  clients.viewer = await env.userOf(merchant, 'viewer');
  clients.member = await env.userOf(merchant, 'member');
  clients.admin = merchant;
  clients.operator = env.platform;
  clients.foreign = await env.merchant();
});
afterAll(() => env.close());

type Call = (client: Client) => ReturnType<Client['get']>;
const user = () => ({ organizationId: merchant.id, email: 'u@example.com', role: 'viewer' });
const newKey = async () => (await merchant.post(`/v0/users/${colleague.userId}/apikeys`, { name: 'k' })).body.id;

/** The status for each role; `foreign` is an admin of another merchant. */
const table: { operation: string; call: Call; status: Record<keyof typeof clients, number> }[] = [
  {
    operation: 'POST /v0/organizations',
    call: (client) => client.post('/v0/organizations', { name: 'M', type: 'merchant' }),
    status: { none: 401, viewer: 403, member: 403, admin: 403, operator: 201, foreign: 403 },
  },
  {
    operation: 'GET /v0/organizations',
    call: (client) => client.get(`/v0/organizations?merchantId=${merchant.id}`),
    status: { none: 401, viewer: 200, member: 200, admin: 200, operator: 200, foreign: 403 },
  },
  {
    operation: 'GET /v0/organizations/{id}',
    call: (client) => client.get(`/v0/organizations/${merchant.id}`),
    status: { none: 401, viewer: 200, member: 200, admin: 200, operator: 200, foreign: 403 },
  },
  {
    operation: 'PATCH /v0/organizations/{id}',
    call: (client) => client.patch(`/v0/organizations/${merchant.id}`, { settings: { lateUsageDays: 7 } }),
    status: { none: 401, viewer: 403, member: 403, admin: 200, operator: 200, foreign: 403 },
  },
  {
    operation: 'PATCH /v0/organizations/{id} of a consumer',
    call: (client) => client.patch(`/v0/organizations/${consumerId}`, { phone: '1' }),
    status: { none: 401, viewer: 403, member: 200, admin: 200, operator: 200, foreign: 403 },
  },
  {
    operation: 'POST /v0/users',
    call: (client) => client.post('/v0/users', user()),
    status: { none: 401, viewer: 403, member: 403, admin: 201, operator: 201, foreign: 403 },
  },
  {
    operation: 'GET /v0/users',
    call: (client) => client.get(`/v0/users?organizationId=${merchant.id}`),
    status: { none: 401, viewer: 200, member: 200, admin: 200, operator: 200, foreign: 403 },
  },
  {
    operation: 'GET /v0/users/{id}',
    call: (client) => client.get(`/v0/users/${colleague.userId}`),
    status: { none: 401, viewer: 200, member: 200, admin: 200, operator: 200, foreign: 403 },
  },
  {
    operation: 'PATCH /v0/users/{id}',
    call: (client) => client.patch(`/v0/users/${colleague.userId}`, { firstName: 'Colleague' }),
    status: { none: 401, viewer: 403, member: 403, admin: 200, operator: 200, foreign: 403 },
  },
  {
    operation: 'POST /v0/users/{userId}/apikeys of another',
    call: (client) => client.post(`/v0/users/${colleague.userId}/apikeys`, { name: 'k' }),
    status: { none: 401, viewer: 403, member: 403, admin: 201, operator: 201, foreign: 403 },
  },
  {
    operation: 'GET /v0/users/{userId}/apikeys',
    call: (client) => client.get(`/v0/users/${colleague.userId}/apikeys`),
    status: { none: 401, viewer: 200, member: 200, admin: 200, operator: 200, foreign: 403 },
  },
  {
    operation: 'DELETE /v0/users/{userId}/apikeys/{keyId} of another',
    call: async (client) => client.delete(`/v0/users/${colleague.userId}/apikeys/${await newKey()}`),
    status: { none: 401, viewer: 403, member: 403, admin: 204, operator: 204, foreign: 403 },
  },
  {
    operation: 'GET /v0/me',
    call: (client) => client.get('/v0/me'),
    status: { none: 401, viewer: 200, member: 200, admin: 200, operator: 200, foreign: 200 },
  },
  {
    operation: 'GET /v0/auditLog',
    call: (client) => client.get(`/v0/auditLog?merchantId=${merchant.id}`),
    status: { none: 401, viewer: 200, member: 200, admin: 200, operator: 200, foreign: 403 },
  },
];

describe.each(table)('$operation', ({ call, status }) => {
  it.each(Object.entries(status))('answers a caller of role %s with %d', async (role, expected) => {
    expect((await call(clients[role as keyof typeof clients])).status).toBe(expected);
  });
});
