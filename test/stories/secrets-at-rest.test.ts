import pg from 'pg';
import pino from 'pino';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { SEALED_COLUMNS } from '../../src/secrets/columns.ts';
import type { StripeAccount } from '../stripe/account.ts';
import { openStripeServer, type StripeServer } from '../stripe/server.ts';
import { type Merchant, openTestEnvironment, type TestEnvironment } from '../support/environment.ts';
import { dump, textsWith } from '../support/secrets.ts';
import { type Shop, START, shopOf } from '../support/shop.ts';
import { revenue, signedHeaders } from '../support/sources.ts';

/** A merchant with every kind of secret. The database and the logs contain none of them. */
let stripe: StripeServer;
let env: TestEnvironment;
let merchant: Merchant;
let shop: Shop;
let books: StripeAccount;
let texts: string[];
const log: string[] = [];
/** Secrets that a dump and a log must not contain, by kind. */
const secrets: Record<string, string> = {};

const FORM = { 'content-type': 'application/x-www-form-urlencoded' };
const INBOX = 'http://localhost:4401/v0/webhookInbox';

beforeAll(async () => {
  stripe = await openStripeServer(() => Temporal.Instant.from(START).epochMilliseconds / 1_000);
  const logger = pino({ level: 'trace' }, { write: (line: string) => void log.push(line) });
  env = await openTestEnvironment({ stripeApiUrl: stripe.url, logger });
  env.setNow(START);
  secrets['the platform key'] = env.platform.key;
  secrets['the master key'] = env.masterKey;
  await openMerchant();
  await makeApiKey();
  await receiveFromSources();
  await deliverWebhooks();
  await takeMoney();
  await makeMistakes();
  await env.runDueWork();
  texts = await dump(env.url);
});
afterAll(async () => {
  await env.close();
  await stripe.close();
});

/** POSTs twice under one key. @returns the answer, which both are */
async function twice(path: string, body: unknown, status: number) {
  const headers = { 'idempotency-key': `twice ${path}` };
  const first = await merchant.post(path, body, headers);
  expect(first.status).toBe(status);
  const again = await merchant.post(path, body, headers);
  expect(again.headers['idempotent-replayed']).toBe('true');
  expect(again.text).toBe(first.text);
  return first.body;
}

/** A merchant with a key that the API made. */
async function openMerchant(): Promise<void> {
  const operator = shopOf(env.platform);
  const organization = await operator.create('/v0/organizations', {
    ...{ name: 'Shop', type: 'merchant', defaultCurrency: 'USD' },
  });
  const user = await operator.create('/v0/users', {
    ...{ organizationId: organization.id, email: 'a@example.com', role: 'admin' },
  });
  const { secret } = await operator.create(`/v0/users/${user.id}/apikeys`, { name: 'first' });
  secrets['the API key of the merchant'] = secret;
  merchant = { ...env.client(secret), id: organization.id, userId: user.id };
  shop = shopOf(merchant);
}

async function makeApiKey(): Promise<void> {
  const { secret } = await twice(`/v0/users/${merchant.userId}/apikeys`, { name: 'second' }, 201);
  secrets['an API key made by a request that was repeated'] = secret;
  expect((await env.client(secret).get('/v0/me')).status).toBe(200);
}

async function receiveFromSources(): Promise<void> {
  const product = await shop.product();
  const metric = await shop.metric({ productId: product.id });
  const plan = await shop.plan([await shop.usagePrice({ billableMetricId: metric.id })]);
  const sourceOf = (type: string, webhookSecret: string) => ({
    ...{ name: type, planId: plan.id, type, config: { projectId: 'project', webhookSecret } },
    metadata: { billableMetricMapping: { revenue: metric.id } },
  });
  const at = Temporal.Instant.from(START);
  const signing = `whsec_${Buffer.from('what signs the webhooks of a source').toString('base64')}`;
  secrets['the secret of a source'] = signing;
  const source = await twice('/v0/sources', sourceOf('generic_revenue', signing), 201);
  const send = (headers: Record<string, string>) =>
    env.client().post(`/v0/sources/${source.id}/events`, JSON.stringify(event), headers);
  const event = revenue('nobody');
  expect((await send(signedHeaders(JSON.stringify(event), at, signing))).status).toBe(201);
  const changed = `whsec_${Buffer.from('what signs them after a change').toString('base64')}`;
  secrets['the second secret of a source'] = changed;
  await shop.change(`/v0/sources/${source.id}`, { config: { projectId: 'project', webhookSecret: changed } });
  expect((await send(signedHeaders(JSON.stringify(event), at, signing))).status).toBe(401);
  expect((await send(signedHeaders(JSON.stringify(event), at, changed))).status).toBe(200);
  const bearer = 'what RevenueCat sends as its authorization';
  secrets['the secret that RevenueCat sends'] = bearer;
  const store = await shop.create('/v0/sources', sourceOf('revenuecat_revenue', bearer));
  const test = { event: { type: 'TEST', id: 'e1' } };
  const told = await env.client().post(`/v0/sources/${store.id}/events`, test, { authorization: bearer });
  expect(told.status).toBe(200);
}

async function deliverWebhooks(): Promise<void> {
  const endpoint = await twice('/v0/webhookEndpoints', { url: INBOX }, 201);
  secrets['the secret of a webhook endpoint'] = endpoint.secret;
  const rotated = await twice(`/v0/webhookEndpoints/${endpoint.id}/rotateSecret`, undefined, 200);
  expect(rotated.secret).not.toBe(endpoint.secret);
  secrets['the secret of the endpoint after its rotation'] = rotated.secret;
  await shop.create('/v0/webhookEndpoints', { url: 'http://127.0.0.1:9/' });
  await shop.customer();
  await env.deliverWebhooks();
  expect((await merchant.get('/v0/webhookInbox')).body.data).not.toEqual([]);
}

async function takeMoney(): Promise<void> {
  books = stripe.account();
  secrets['the secret key of Stripe'] = books.secretKey;
  secrets['the webhook secret of Stripe'] = books.webhookSecret;
  const { secretKey, webhookSecret } = books;
  const token = 'the token of another provider';
  secrets['the token of another provider'] = token;
  const config = { account: '42', credentials: { token } };
  await shop.replace('/v0/merchantIntegrations', { provider: 'bookkeeping', config });
  await shop.replace('/v0/merchantIntegrations', { provider: 'stripe', config: { secretKey, webhookSecret } });
  await merchant.patch(`/v0/organizations/${merchant.id}`, { settings: { paymentProvider: 'stripe' } });
  const customer = await shop.customer();
  const setup = await shop.create(`/v0/customers/${customer.id}/paymentMethods`);
  const left = await env.client().post(`/pay/${setup.id}`, '', FORM);
  expect(left.status).toBe(303);
  books.payPage(String(left.headers.location).split('/').at(-1) as string, 'visa');
  await env.client().get(`/pay/${setup.id}/return`);
  const clock = await shop.clock(START);
  await shop.subscribe(await shop.plan([await shop.feePrice()]), { clock, customer, autoCharge: true });
  await shop.advance(clock, 'P32D');
  await env.runDueWork();
  const deliver = async (body: string, headers: Record<string, string>) =>
    (await env.client().post(`/v0/providers/stripe/webhooks/${merchant.id}`, body, headers)).status;
  expect(await books.deliver(deliver)).not.toEqual([]);
}

/** Requests that are refused, with secrets in them. */
async function makeMistakes(): Promise<void> {
  const wrong = 'sk_test_of_nobody_0123456789';
  secrets['a secret key that Stripe refuses'] = wrong;
  const refused = await merchant.put('/v0/merchantIntegrations', { provider: 'stripe', config: { secretKey: wrong } });
  expect(refused.body).toMatchObject({ status: 'error' });
  const key = { 'idempotency-key': 'a mistake' };
  const long = 'a secret that is too long '.repeat(100);
  secrets['a secret that is too long'] = long.slice(0, 100);
  const config = { projectId: 'project', webhookSecret: long };
  expect((await merchant.post('/v0/sources', { name: 'x', type: 'generic_revenue', config }, key)).status).toBe(400);
  const unknown = 'rk_test_unknownunknownunknownunknownunknown0';
  secrets['an API key that nobody has'] = unknown;
  expect((await env.client(unknown).get('/v0/me')).status).toBe(401);
}

describe('secrets at rest', () => {
  it('stand in no row of any table, plain, in base64 or in hexadecimal digits', () => {
    const found = Object.entries(secrets).map(([what, secret]) => [what, textsWith(texts, secret)]);
    expect(found).toEqual(Object.keys(secrets).map((what) => [what, []]));
    expect(found.length).toBeGreaterThanOrEqual(13);
  });

  it('stand in no line of the logs', () => {
    expect(log.length).toBeGreaterThan(20);
    const found = Object.entries(secrets).filter(([, secret]) => textsWith(log, secret).length > 0);
    expect(found.map(([what]) => what)).toEqual([]);
  });

  it('are sealed in no column that is not in the table of sealed columns', () => {
    const tables = texts.filter((text) => /v1\.[\w-]{8}\.[\w-]{38}/.test(text)).map((text) => text.split(' ')[0]);
    const listed = SEALED_COLUMNS.map(({ table }) => `public.${table}`);
    expect([...new Set(tables)].toSorted()).toEqual([...new Set([...listed, 'public.master_key'])].toSorted());
  });

  it('would be found in each of the three forms, wherever they began', () => {
    const secret = secrets['the secret of a source'] as string;
    const told = (text: string) => textsWith([text], secret).length;
    expect(told(`{"note": "${secret}"}`)).toBe(1);
    expect(told(`\\x00${Buffer.from(secret).toString('hex')}`)).toBe(1);
    for (const before of ['', 'a', 'ab', 'abc'])
      for (const encoding of ['base64', 'base64url'] as const)
        expect(told(Buffer.from(`${before}${secret} and more`).toString(encoding))).toBe(1);
    expect(told('nothing of it')).toBe(0);
  });

  it('would be found in a column of text, of bytes and of JSON', async () => {
    const secret = secrets['the secret of a source'] as string;
    const owner = new pg.Client({ connectionString: env.url });
    await owner.connect();
    await owner.query('create table probe (words text, bytes bytea, document jsonb)');
    await owner.query('insert into probe (words) values ($1)', [secret]);
    await owner.query('insert into probe (bytes) values ($1)', [Buffer.from(`before ${secret}`)]);
    const document = { deep: [{ note: Buffer.from(`a ${secret}`).toString('base64') }] };
    await owner.query('insert into probe (document) values ($1)', [JSON.stringify(document)]);
    const found = textsWith(await dump(env.url), secret);
    await owner.query('drop table probe');
    await owner.end();
    expect(found.map((text) => text.split(' ')[0])).toEqual(['public.probe', 'public.probe', 'public.probe']);
  });
});
