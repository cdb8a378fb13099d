import pg from 'pg';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { openStripeServer, type StripeServer } from '../../test/stripe/server.ts';
import {
  type Answer,
  type Merchant,
  openTestEnvironment,
  type TestEnvironment,
} from '../../test/support/environment.ts';

let env: TestEnvironment;
let merchant: Merchant;
beforeAll(async () => {
  env = await openTestEnvironment();
  merchant = await env.merchant();
});
afterAll(() => env.close());

const PATH = '/v0/merchantIntegrations';
const put = (fields: object, by = merchant): Promise<Answer> => by.put(PATH, fields);
const get = async (id: string) => (await merchant.get(`${PATH}/${id}`)).body;
const disconnect = (id: string, by = merchant): Promise<Answer> => by.patch(`${PATH}/${id}/disconnect`);
let made = 0;
const newProvider = (): string => `provider_${++made}`;

async function rowsOf<Row extends pg.QueryResultRow>(statement: string): Promise<Row[]> {
  const client = new pg.Client({ connectionString: env.url });
  await client.connect();
  try {
    return (await client.query<Row>(statement)).rows;
  } finally {
    await client.end();
  }
}

describe('PUT /v0/merchantIntegrations', () => {
  it('answers the integration without its secrets, and GET the same', async () => {
    env.setNow('2026-03-01T00:00:00Z');
    const answer = await put({
      provider: 'payouts',
      externalId: 'acct_1',
      config: { secretKey: 'sk_live_1', webhookSecret: 'whsec_1', publishableKey: 'pk_1' },
      metadata: { team: 'billing' },
    });
    expect(answer).toMatchObject({ status: 200 });
    expect(answer.body).toEqual({
      id: expect.stringMatching(/^mint_[0-9A-Za-z]{22}$/),
      object: 'merchantIntegration',
      merchantId: merchant.id,
      provider: 'payouts',
      externalId: 'acct_1',
      status: 'active',
      statusReason: null,
      config: { publishableKey: 'pk_1' },
      secrets: ['secretKey', 'webhookSecret'],
      metadata: { team: 'billing' },
      connectedAt: '2026-03-01T00:00:00Z',
      disconnectedAt: null,
      createdAt: '2026-03-01T00:00:00Z',
      updatedAt: '2026-03-01T00:00:00Z',
    });
    expect(await get(answer.body.id)).toEqual(answer.body);
  });

  it('changes the one of the provider: config whole, secrets and other fields where they are sent', async () => {
    const provider = newProvider();
    env.setNow('2026-03-01T00:00:00Z');
    const first = (await put({ provider, externalId: 'a', config: { url: 'u', token: 't' }, metadata: { a: 'b' } }))
      .body;
    env.setNow('2026-03-02T00:00:00Z');
    const second = (await put({ provider, config: { region: 'eu', apiKey: 'k' } })).body;
    expect(second).toEqual({
      ...first,
      config: { region: 'eu' },
      secrets: ['apiKey', 'token'],
      updatedAt: '2026-03-02T00:00:00Z',
    });
    const third = (await put({ provider, externalId: 'b', config: { token: null }, metadata: {} })).body;
    expect(third).toMatchObject({ id: first.id, externalId: 'b', config: {}, secrets: ['apiKey'], metadata: {} });
    expect(await put({ provider })).toMatchObject({ body: { config: {}, secrets: ['apiKey'], externalId: 'b' } });
  });

  it('stores secrets that the database alone cannot open, and keeps them out of the audit log', async () => {
    const provider = newProvider();
    const { body } = await put({ provider, config: { account: { password: 'open-sesame' } } });
    await put({ provider, config: { account: { password: 'open-sesame' }, token: 'open-sesame' } });
    const rows = await rowsOf<{ config: unknown; secrets: Record<string, string> }>(
      `select config, secrets from merchant_integration where id = '${body.id}'`,
    );
    expect(rows[0]?.config).toEqual({ account: {} });
    expect(Object.keys(rows[0]?.secrets ?? {}).toSorted()).toEqual(['account.password', 'token']);
    expect(JSON.stringify(rows)).not.toContain('open-sesame');
    const log = (await merchant.get(`/v0/auditLog?resourceId=${body.id}`)).body.data;
    expect(log.map(({ operation }: { operation: string }) => operation)).toEqual(
      Array(2).fill('putMerchantIntegration'),
    );
    expect(JSON.stringify(log)).not.toContain('open-sesame');
  });

  it('makes one, however many come at once', async () => {
    const provider = newProvider();
    const answers = await Promise.all(
      Array.from({ length: 8 }, (_, at) => put({ provider, config: { [`field${at}`]: at } })),
    );
    expect(answers.map(({ status }) => status)).toEqual(Array(8).fill(200));
    expect(new Set(answers.map(({ body }) => body.id)).size).toBe(1);
    expect((await merchant.get(`${PATH}?provider=${provider}`)).body.pagination.total).toBe(1);
  });

  it.each([
    { fields: {}, failing: ['provider'] },
    { fields: { provider: 'Stripe' }, failing: ['provider'] },
    { fields: { provider: '' }, failing: ['provider'] },
    { fields: { provider: 'erp', externalId: '' }, failing: ['externalId'] },
    { fields: { provider: 'erp', externalId: 'x'.repeat(256) }, failing: ['externalId'] },
    { fields: { provider: 'erp', status: 'connected' }, failing: ['status'] },
    { fields: { provider: 'erp', config: 'secret' }, failing: ['config'] },
    { fields: { provider: 'erp', config: { url: 'a\0b' } }, failing: ['config.url'] },
    { fields: { provider: 'erp', metadata: { a: {} } }, failing: ['metadata.a'] },
    { fields: { provider: 'erp', secrets: ['a'] }, failing: ['secrets'] },
    { fields: { provider: 'stripe', config: { secretKey: 7 } }, failing: ['config.secretKey'] },
    {
      fields: { provider: 'stripe', config: { secretKey: '', webhookSecret: {} } },
      failing: ['config.secretKey', 'config.webhookSecret'],
    },
  ])('is a 400 for $fields', async ({ fields, failing }) => {
    const answer = await put(fields);
    expect(answer).toMatchObject({ status: 400, body: { error: 'validation_error' } });
    expect(answer.body.errors.map(({ field }: { field: string }) => field)).toEqual(failing);
  });
});

describe('the status of an integration', () => {
  it('becomes disconnected once, without secrets, and active again by PUT', async () => {
    const provider = newProvider();
    env.setNow('2026-04-01T00:00:00Z');
    const { id } = (await put({ provider, config: { url: 'u', token: 't' } })).body;
    env.setNow('2026-04-02T00:00:00Z');
    const gone = {
      status: 'disconnected',
      config: { url: 'u' },
      secrets: [],
      connectedAt: '2026-04-01T00:00:00Z',
      disconnectedAt: '2026-04-02T00:00:00Z',
      updatedAt: '2026-04-02T00:00:00Z',
    };
    expect(await disconnect(id)).toMatchObject({ status: 200, body: gone });
    env.setNow('2026-04-03T00:00:00Z');
    expect(await disconnect(id)).toMatchObject({ status: 200, body: gone });
    const back = {
      id,
      status: 'active',
      secrets: ['token'],
      connectedAt: '2026-04-03T00:00:00Z',
      disconnectedAt: null,
    };
    expect(await put({ provider, config: { token: 'new' } })).toMatchObject({ status: 200, body: back });
  });

  it.each([
    { status: 'error', secrets: ['token'], disconnectedAt: null },
    { status: 'disconnected', secrets: [], disconnectedAt: '2026-05-01T00:00:00Z' },
    { status: 'active', secrets: ['token'], disconnectedAt: null },
  ])('can be put: $status', async ({ status, ...expected }) => {
    env.setNow('2026-05-01T00:00:00Z');
    const answer = await put({ provider: newProvider(), status, config: { token: 't' } });
    expect(answer).toMatchObject({ status: 200, body: { status, ...expected } });
  });
});

describe('GET /v0/merchantIntegrations', () => {
  it("filters by provider and status, and shows nobody else's", async () => {
    const other = await env.merchant();
    const [first, second] = [
      (await put({ provider: 'crm' }, other)).body,
      (await put({ provider: 'erp', status: 'error' }, other)).body,
    ];
    const list = async (query = '') => (await other.get(`${PATH}${query}`)).body.data;
    expect(await list()).toEqual([second, first]);
    expect(await list('?provider=crm')).toEqual([first]);
    expect(await list('?status=error')).toEqual([second]);
    expect(await list('?status=active&provider=erp')).toEqual([]);
    expect(await merchant.get(`${PATH}/${first.id}`)).toMatchObject({ status: 403 });
    expect(await disconnect(first.id)).toMatchObject({ status: 403 });
  });

  it.each(['provider=A', 'status=gone', 'limit=0'])('is a 400 for ?%s', async (query) => {
    expect(await merchant.get(`${PATH}?${query}`)).toMatchObject({ status: 400 });
  });
});

describe('the connection to Stripe', () => {
  let stripe: StripeServer;
  let connected: TestEnvironment;
  let shop: Merchant;
  beforeAll(async () => {
    stripe = await openStripeServer();
    connected = await openTestEnvironment({ stripeApiUrl: stripe.url });
  });
  beforeEach(async () => {
    stripe.faults.clear();
    shop = await connected.merchant();
  });
  afterAll(async () => {
    await connected.close();
    await stripe.close();
  });
  const connect = (config: object, fields: object = {}) => put({ provider: 'stripe', config, ...fields }, shop);

  it('is tried at once, and names the account', async () => {
    const { id, secretKey, webhookSecret } = stripe.account();
    const { body } = await connect({ secretKey, webhookSecret });
    expect(body).toMatchObject({
      status: 'active',
      statusReason: null,
      externalId: id,
      config: {},
      secrets: ['secretKey', 'webhookSecret'],
    });
    expect((await shop.get(`${PATH}/${body.id}`)).body).toEqual(body);
    const [entry] = (await shop.get(`/v0/auditLog?resourceId=${body.id}`)).body.data;
    expect(entry).toMatchObject({ operation: 'putMerchantIntegration', after: { externalId: id, status: 'active' } });
  });

  it.each([
    { what: 'an unknown key', config: { secretKey: 'sk_test_unknown' }, reason: /^Stripe refuses the key/ },
    { what: 'no key', config: { webhookSecret: 'whsec_1' }, reason: /secretKey is missing/ },
  ])('with $what is an error with its reason', async ({ config, reason }) => {
    const { body } = await connect(config);
    expect(body).toMatchObject({ status: 'error', statusReason: expect.stringMatching(reason), externalId: null });
    expect(JSON.stringify(body)).not.toContain('sk_test_unknown');
  });

  it.each(['error_before', 'lost', 'reset'] as const)(
    'is an error while Stripe is away (%s), until it is put again',
    async (fault) => {
      const { id, secretKey } = stripe.account();
      stripe.faults.plan(fault, 'GET', /account$/);
      expect(await connect({ secretKey })).toMatchObject({
        status: 200,
        body: { status: 'error', statusReason: expect.stringContaining('Stripe') },
      });
      expect(await connect({})).toMatchObject({ body: { status: 'active', statusReason: null, externalId: id } });
    },
  );

  it('is an error where the key is of another account than the one that was named', async () => {
    const { id, secretKey } = stripe.account();
    const { body } = await connect({ secretKey }, { externalId: 'acct_other' });
    expect(body).toMatchObject({ status: 'error', statusReason: `The key is of ${id}, not of acct_other.` });
    expect((await connect({}, { externalId: id })).body).toMatchObject({ status: 'active', externalId: id });
  });

  it('is tried again with the stored key: a revoked one becomes an error, a new one works', async () => {
    const account = stripe.account();
    await connect({ secretKey: account.secretKey });
    account.rollKey();
    expect((await connect({})).body).toMatchObject({ status: 'error', externalId: account.id });
    expect((await connect({ secretKey: account.secretKey })).body).toMatchObject({ status: 'active' });
  });

  it('is not tried where it is put as disconnected', async () => {
    stripe.requests.length = 0;
    expect((await connect({ secretKey: 'sk_test_1' }, { status: 'disconnected' })).body).toMatchObject({
      status: 'disconnected',
      statusReason: null,
      secrets: [],
    });
    expect(stripe.requests).toEqual([]);
  });

  it('forgets the reason as it is disconnected', async () => {
    const { body } = await connect({ secretKey: 'sk_test_unknown' });
    expect((await disconnect(body.id, shop)).body).toMatchObject({ status: 'disconnected', statusReason: null });
  });

  it('has the status of the key that is stored, however many keys come at once', async () => {
    const account = stripe.account();
    const keys = [account.secretKey, 'sk_test_wrong', account.secretKey, 'sk_test_wrong'];
    const answers = await Promise.all(keys.map((secretKey) => connect({ secretKey })));
    expect(answers.map(({ body }) => body.status)).toEqual(['active', 'error', 'active', 'error']);
    const { body: last } = await connect({});
    const [stored] = (await shop.get(PATH)).body.data;
    expect(stored).toEqual(last);
  });
});

it('only admins change integrations; members and viewers read them', async () => {
  const { id } = (await put({ provider: newProvider() })).body;
  for (const role of ['member', 'viewer'] as const) {
    const colleague = await env.userOf(merchant, role);
    expect(await colleague.put(PATH, { provider: 'erp' })).toMatchObject({ status: 403 });
    expect(await colleague.patch(`${PATH}/${id}/disconnect`)).toMatchObject({ status: 403 });
    expect(await colleague.get(`${PATH}/${id}`)).toMatchObject({ status: 200 });
  }
});
