import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Merchant, openTestEnvironment, type TestEnvironment } from '../../test/support/environment.ts';
import { orThrow } from '../kernel/result.ts';
import { createMerchant, findOrCreateConsumer, findOrganization, merchantSettings } from './index.ts';

let env: TestEnvironment;
let merchant: Merchant;
let other: Merchant;
let platformId: string;
beforeAll(async () => {
  env = await openTestEnvironment();
  merchant = await env.merchant();
  other = await env.merchant();
  platformId = (await env.platform.get('/v0/me')).body.organization.id;
});
afterAll(() => env.close());

const particulars = {
  legalName: 'Halcyon Labs GmbH',
  taxId: 'DE123456789',
  address: { line1: 'Weg 1', line2: 'Hof', city: 'Köln', state: 'NRW', zipCode: '50667', country: 'DE' },
  billingEmails: ['Books@halcyon.example', 'cfo@halcyon.example'],
  phone: '+49 221 0',
  defaultCurrency: 'EUR',
};
const createConsumer = (body: object = {}) =>
  env.platform.post('/v0/organizations', { name: 'Consumer', type: 'consumer', merchantId: merchant.id, ...body });

describe('POST /v0/organizations', () => {
  it('creates a merchant that owns itself, with its settings and every default', async () => {
    const settings = {
      defaultTaxRate: 19.5,
      invoicePrefix: 'HAL',
      rateLimits: { general: { perSecond: 5, burst: 10 } },
    };
    const answer = await env.platform.post('/v0/organizations', {
      name: 'Halcyon',
      type: 'merchant',
      ...particulars,
      settings,
    });
    expect(answer.status).toBe(201);
    expect(answer.body).toMatchObject({ object: 'organization', type: 'merchant', name: 'Halcyon', ...particulars });
    expect(answer.body.merchantId).toBe(answer.body.id);
    expect(answer.body.settings).toMatchObject({ ...settings, lateUsageDays: 35, paymentProvider: 'sandbox' });
    expect((await env.platform.get(`/v0/organizations/${answer.body.id}`)).body).toEqual(answer.body);
  });

  it('makes a merchant whose users can work at once', async () => {
    const { body } = await env.platform.post('/v0/organizations', { name: 'New', type: 'merchant' });
    const user = await env.platform.post('/v0/users', {
      organizationId: body.id,
      email: 'a@new.example',
      role: 'admin',
    });
    const key = await env.platform.post(`/v0/users/${user.body.id}/apikeys`, { name: 'first' });
    const me = await env.client(key.body.secret).get('/v0/me');
    expect(me).toMatchObject({ status: 200, body: { organization: { id: body.id }, role: 'admin' } });
  });

  it('creates a consumer of a merchant, which finds it and has no settings', async () => {
    const { status, body } = await createConsumer(particulars);
    expect(status).toBe(201);
    expect(body).toMatchObject({
      type: 'consumer',
      merchantId: merchant.id,
      email: 'books@halcyon.example',
      settings: {},
    });
    expect((await merchant.get(`/v0/organizations/${body.id}`)).body).toEqual(body);
    expect((await other.get(`/v0/organizations/${body.id}`)).status).toBe(403);
  });

  it('answers 409 where the merchant has a consumer with this e-mail address, in any case', async () => {
    await createConsumer({ billingEmails: ['twin@example.com'] });
    const again = await createConsumer({ billingEmails: ['TWIN@example.com'] });
    expect(again).toMatchObject({ status: 409, body: { error: 'conflict', code: 'CONSUMER_EXISTS' } });
    const elsewhere = await createConsumer({ billingEmails: ['twin@example.com'], merchantId: other.id });
    expect(elsewhere.status).toBe(201);
  });

  it('keeps the country of an address as its alpha-2 code, at creation and at change', async () => {
    const made = await env.platform.post('/v0/organizations', {
      name: 'Country',
      type: 'merchant',
      address: { country: 'United Kingdom' },
    });
    expect(made.body.address).toEqual({ country: 'GB' });
    const changed = await env.platform.patch(`/v0/organizations/${made.body.id}`, { address: { country: 'irl' } });
    expect(changed.body.address).toEqual({ country: 'IE' });
    const refused = await env.platform.patch(`/v0/organizations/${made.body.id}`, { address: { country: 'Irland' } });
    expect(refused).toMatchObject({ status: 400, body: { errors: [{ field: 'address.country' }] } });
    expect(refused.body.errors[0].message).toContain('did you mean Ireland (IE)?');
  });

  it('takes any number of consumers without an address', async () => {
    expect((await createConsumer()).body.email).toBeNull();
    expect((await createConsumer()).status).toBe(201);
  });

  it.each([
    { body: {}, fields: ['name', 'type'] },
    { body: { name: '', type: 'merchant' }, fields: ['name'] },
    { body: { name: 'x'.repeat(256), type: 'merchant' }, fields: ['name'] },
    { body: { name: 'a\0b', type: 'merchant' }, fields: ['name'] },
    { body: { name: 'P', type: 'platform' }, fields: ['type'] },
    { body: { name: 'M', type: 'merchant', id: 'org_mine', createdAt: 'now' }, fields: ['id', 'createdAt'] },
    { body: { name: 'M', type: 'merchant', billingEmails: ['nobody'] }, fields: ['billingEmails.0'] },
    { body: { name: 'M', type: 'merchant', defaultCurrency: 'usd' }, fields: ['defaultCurrency'] },
    { body: { name: 'M', type: 'merchant', address: { planet: 'Mars' } }, fields: ['address.planet'] },
    { body: { name: 'M', type: 'merchant', address: { country: 'Germny' } }, fields: ['address.country'] },
    { body: { name: 'M', type: 'merchant', settings: { defaultTaxRate: 101 } }, fields: ['settings.defaultTaxRate'] },
    { body: { name: 'M', type: 'merchant', merchantId: 'org_x' }, fields: ['merchantId'] },
    { body: { name: 'C', type: 'consumer' }, fields: ['merchantId'] },
    { body: { name: 'C', type: 'consumer', merchantId: 'cus_x' }, fields: ['merchantId'] },
    { body: { name: 'C', type: 'consumer', settings: {} }, fields: ['settings'] },
  ])('400 for $body: $fields', async ({ body, fields }) => {
    const answer = await env.platform.post('/v0/organizations', body);
    expect(answer).toMatchObject({ status: 400, body: { error: 'validation_error' } });
    expect(answer.body.errors.map((error: { field: string }) => error.field).toSorted()).toEqual(fields.toSorted());
  });

  it('400 for a merchantId that is no merchant, 404 for an unknown one', async () => {
    const consumer = await createConsumer();
    expect(await createConsumer({ merchantId: consumer.body.id })).toMatchObject({ status: 400 });
    expect(await createConsumer({ merchantId: platformId })).toMatchObject({ status: 400 });
    expect(await createConsumer({ merchantId: 'org_nobody' })).toMatchObject({
      status: 404,
      body: { details: { field: 'merchantId' } },
    });
  });

  it('403 for everybody but platform operators', async () => {
    const answer = await merchant.post('/v0/organizations', { name: 'M', type: 'merchant' });
    expect(answer).toMatchObject({ status: 403, body: { error: 'forbidden' } });
  });

  it('makes one merchant of a request that is repeated with its Idempotency-Key', async () => {
    const send = () =>
      env.platform.post('/v0/organizations', { name: 'Once', type: 'merchant' }, { 'idempotency-key': 'k1' });
    const [first, second] = [await send(), await send()];
    expect(first.status).toBe(201);
    expect(second.body).toEqual(first.body);
    expect(second.headers['idempotent-replayed']).toBe('true');
  });
});

describe('GET /v0/organizations', () => {
  it('shows a merchant itself and its consumers, newest first', async () => {
    const mine = await env.merchant();
    await createConsumer({ merchantId: mine.id, name: 'First' });
    await createConsumer({ merchantId: mine.id, name: 'Second' });
    const { status, body } = await mine.get('/v0/organizations');
    expect(status).toBe(200);
    expect(body.data.map(({ name }: { name: string }) => name)).toEqual(['Second', 'First', 'Test merchant']);
    expect(body.pagination).toEqual({ limit: 10, offset: 0, total: 3, nextAfter: null });
    const page = await mine.get('/v0/organizations?limit=1&offset=1');
    expect(page.body).toMatchObject({ data: [{ name: 'First' }], pagination: { limit: 1, offset: 1, total: 3 } });
  });

  it('shows operators all of them, or one merchant’s, by type, name and e-mail address', async () => {
    const mine = await env.merchant();
    await createConsumer({ merchantId: mine.id, name: '100% Öko_Laden', billingEmails: ['Shop@oeko.example'] });
    const names = async (query: string) =>
      (await env.platform.get(`/v0/organizations?${query}`)).body.data.map(({ name }: { name: string }) => name);
    expect(await names('type=platform')).toEqual(['Platform']);
    expect(await names(`merchantId=${mine.id}`)).toEqual(['100% Öko_Laden', 'Test merchant']);
    expect(await names('name=0%25 Ö')).toEqual(['100% Öko_Laden']);
    expect(await names('name=ko_la')).toEqual(['100% Öko_Laden']);
    expect(await names('name=%25%25%25')).toEqual([]);
    expect(await names('email=shop@OEKO')).toEqual(['100% Öko_Laden']);
    expect((await env.platform.get('/v0/organizations')).body.pagination.total).toBeGreaterThan(5);
  });

  it.each(['limit=0', 'limit=101', 'offset=-1', 'type=alien', 'name=ab', 'email=ab', 'merchantId=me', 'color=red'])(
    '400 for ?%s',
    async (query) => {
      const answer = await merchant.get(`/v0/organizations?${query}`);
      expect(answer).toMatchObject({ status: 400, body: { error: 'validation_error' } });
      expect(answer.body.errors[0].field).toBe(query.split('=')[0]);
    },
  );

  it('403 for another merchant’s', async () => {
    expect((await merchant.get(`/v0/organizations?merchantId=${other.id}`)).status).toBe(403);
  });
});

describe('GET /v0/organizations/{id}', () => {
  it('200 for one’s own, 403 for another’s, 404 for an unknown or malformed id', async () => {
    expect((await merchant.get(`/v0/organizations/${merchant.id}`)).body.id).toBe(merchant.id);
    expect((await merchant.get(`/v0/organizations/${other.id}`)).status).toBe(403);
    expect((await merchant.get(`/v0/organizations/${platformId}`)).status).toBe(403);
    expect((await merchant.get('/v0/organizations/org_nobody')).status).toBe(404);
    expect((await merchant.get('/v0/organizations/..%2f')).status).toBe(404);
    expect((await env.platform.get(`/v0/organizations/${other.id}`)).status).toBe(200);
  });
});

describe('PATCH /v0/organizations/{id}', () => {
  it('changes what is sent, clears what is null, and leaves the rest', async () => {
    const mine = await env.merchant();
    const path = `/v0/organizations/${mine.id}`;
    await mine.patch(path, { ...particulars, settings: { lateUsageDays: 10, invoicePrefix: 'X' } });
    env.setNow('2027-01-01T00:00:00Z');
    const { status, body } = await mine.patch(path, {
      name: 'Renamed',
      taxId: null,
      address: null,
      settings: { lateUsageDays: null, redirectHosts: ['shop.example'] },
    });
    expect(status).toBe(200);
    expect(body).toMatchObject({
      ...particulars,
      name: 'Renamed',
      taxId: null,
      address: null,
      settings: { lateUsageDays: 35, invoicePrefix: 'X', redirectHosts: ['shop.example'] },
      updatedAt: '2027-01-01T00:00:00Z',
    });
    expect((await mine.get(path)).body).toEqual(body);
  });

  it('keeps the address that a consumer is found again by', async () => {
    const { body } = await createConsumer({ billingEmails: ['first@example.com'] });
    const changed = await merchant.patch(`/v0/organizations/${body.id}`, { billingEmails: ['second@example.com'] });
    expect(changed.body).toMatchObject({ email: 'first@example.com', billingEmails: ['second@example.com'] });
  });

  it('lets members change consumers, and only admins the merchant', async () => {
    const member = await env.userOf(merchant, 'member');
    const { body } = await createConsumer();
    expect((await member.patch(`/v0/organizations/${body.id}`, { name: 'Known better' })).status).toBe(200);
    expect((await member.patch(`/v0/organizations/${merchant.id}`, { name: 'Mine' })).status).toBe(403);
    expect((await merchant.get(`/v0/organizations/${merchant.id}`)).body.name).toBe('Test merchant');
  });

  it('lets only operators set rate limits; an admin may send them back as they are', async () => {
    const path = `/v0/organizations/${merchant.id}`;
    const rateLimits = { events: { perSecond: 1000, burst: 5000 } };
    expect((await merchant.patch(path, { settings: { rateLimits } })).status).toBe(403);
    expect((await env.platform.patch(path, { settings: { rateLimits } })).body.settings.rateLimits).toEqual(rateLimits);
    expect((await merchant.patch(path, { settings: { rateLimits, lateUsageDays: 5 } })).status).toBe(200);
    expect((await merchant.patch(path, { settings: { rateLimits: null } })).status).toBe(403);
    expect((await merchant.get(path)).body.settings.rateLimits).toEqual(rateLimits);
  });

  it.each([
    { body: { type: 'consumer' }, field: 'type' },
    { body: { merchantId: 'org_x' }, field: 'merchantId' },
    { body: { name: '' }, field: 'name' },
    { body: { settings: 'usual' }, field: 'settings' },
    { body: { settings: { paymentProvider: 'cash' } }, field: 'settings.paymentProvider' },
    { body: { billingEmails: 'none' }, field: 'billingEmails' },
  ])('400 for $body', async ({ body, field }) => {
    const answer = await merchant.patch(`/v0/organizations/${merchant.id}`, body);
    expect(answer).toMatchObject({ status: 400, body: { error: 'validation_error', errors: [{ field }] } });
  });

  it('400 for settings of a consumer', async () => {
    const { body } = await createConsumer();
    const answer = await merchant.patch(`/v0/organizations/${body.id}`, { settings: {} });
    expect(answer).toMatchObject({ status: 400, body: { errors: [{ field: 'settings' }] } });
  });

  it('403 for another merchant’s, 404 for an unknown one', async () => {
    expect((await merchant.patch(`/v0/organizations/${other.id}`, { name: 'Taken over' })).status).toBe(403);
    expect((await other.get(`/v0/organizations/${other.id}`)).body.name).toBe('Test merchant');
    expect((await merchant.patch('/v0/organizations/org_nobody', { name: 'X' })).status).toBe(404);
  });
});

it('refuses the sandbox’s payment provider in production, where the default takes no payments', async () => {
  const production = await openTestEnvironment({ environment: 'production' });
  try {
    const create = (settings: object) =>
      production.platform.post('/v0/organizations', { name: 'Real', type: 'merchant', settings });
    expect((await create({})).body.settings.paymentProvider).toBe('none');
    const refused = { status: 400, body: { errors: [{ field: 'settings.paymentProvider' }] } };
    expect(await create({ paymentProvider: 'sandbox' })).toMatchObject(refused);
    const mine = await production.merchant();
    const patch = await mine.patch(`/v0/organizations/${mine.id}`, { settings: { paymentProvider: 'sandbox' } });
    expect(patch).toMatchObject(refused);
    expect((await mine.get('/v0/me')).body.environment).toBe('production');
  } finally {
    await production.close();
  }
});

describe('from code', () => {
  const now = Temporal.Instant.from('2026-01-01T00:00:00Z');

  it('createMerchant makes all that is needed to call the API', async () => {
    const { organization, secret } = await env.database.transaction('nobody', async (tx) =>
      orThrow(await createMerchant(tx, { name: 'Seeded', adminEmail: 'a@seed.example' }, 'sandbox', now)),
    );
    const me = await env.client(secret).get('/v0/me');
    expect(me.body).toMatchObject({ organization: { id: organization.id, name: 'Seeded' }, role: 'admin' });
    expect(me.body.user.email).toBe('a@seed.example');
  });

  it('merchantSettings fills in the defaults, and a merchant that is none is a fault', async () => {
    await env.database.transaction({ merchants: [other.id] }, async (tx) => {
      expect(await merchantSettings(tx)).toMatchObject({ defaultTaxRate: null, paymentProvider: 'sandbox' });
      await expect(merchantSettings(tx.of(merchant.id))).rejects.toThrow('does not exist');
      expect(await findOrganization(tx, merchant.id)).toBeUndefined();
    });
  });

  it('findOrCreateConsumer makes one consumer of many at once, by address in any case', async () => {
    const ids = await Promise.all(
      Array.from({ length: 10 }, (_, n) =>
        env.database.transaction({ merchants: [other.id] }, async (tx) => {
          const email = n % 2 === 0 ? 'race@example.com' : 'Race@Example.com';
          return (await findOrCreateConsumer(tx, { name: `Racer ${n}`, email }, now)).consumer.id;
        }),
      ),
    );
    expect(new Set(ids).size).toBe(1);
  });
});
