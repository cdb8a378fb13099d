import type { FastifyInstance } from 'fastify';
import pino from 'pino';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type Merchant, sharedEnvironment, type TestEnvironment } from '../../test/support/environment.ts';
import { isWaitedFor } from '../../test/support/locks.ts';
import { createServer } from '../http/index.ts';
import { Authenticator, recordAudit } from '../identity/index.ts';
import { orThrow } from '../kernel/result.ts';
import { describeTaxId } from '../tax/index.ts';
import {
  type Blocker,
  type CustomerHooks,
  createCustomer,
  customerErrors,
  customerParty,
  customerRoutes,
  customerTaxRates,
  type ExternalIdChange,
  findCustomer,
} from './index.ts';

/** Plugs of other domains into customers, on a server with only customers. */
const now = Temporal.Instant.from('2026-01-01T00:00:00Z');
let env: TestEnvironment;
let merchant: Merchant;
let server: FastifyInstance;
let blockers: Record<'subscriptions' | 'invoices', Blocker | null>;
let changes: ExternalIdChange[];
let failure: Error | null;

const hooks: CustomerHooks = {
  describeTaxId,
  onExternalIdChanged: async (_tx, change) => {
    if (failure) throw failure;
    changes.push(change);
  },
};

beforeAll(async () => {
  env = await sharedEnvironment();
  merchant = await env.merchant();
  const authenticator = new Authenticator({ database: env.database, now: () => now });
  server = await createServer({
    database: env.database,
    routes: customerRoutes({
      ...hooks,
      blockers: [async () => blockers.subscriptions, async () => blockers.invoices],
    }),
    errorTables: [customerErrors],
    authenticate: (token, address) => authenticator.authenticate(token, address),
    audit: recordAudit,
    now: () => now,
    logger: pino({ level: 'silent' }),
    baseUrl: 'http://localhost',
    checkReplies: true,
  });
});
beforeEach(() => {
  blockers = { subscriptions: null, invoices: null };
  changes = [];
  failure = null;
});
afterAll(async () => {
  await server.close();
  await env.close();
});

const send = async (method: 'GET' | 'POST' | 'PATCH' | 'DELETE', url: string, payload?: object) => {
  const headers = { authorization: `Bearer ${merchant.key}` };
  const answer = await server.inject({ method, url, headers, ...(payload && { payload }) });
  return { status: answer.statusCode, body: answer.payload === '' ? null : answer.json() };
};
let made = 0;
const create = async (externalId?: string) => {
  made += 1;
  const consumer = { name: 'C', email: `c${made}@example.com`, address: {} };
  return send('POST', '/v0/customers', { consumer, ...(externalId !== undefined && { externalId }) });
};

describe('DELETE /v0/customers/{id} while something holds the customer', () => {
  it('409 with every blocker; nothing is deleted', async () => {
    const { body } = await create();
    blockers.subscriptions = { type: 'subscription', count: 2, items: [{ id: 'sub_1', name: 'Pro' }, { id: 'sub_2' }] };
    blockers.invoices = { type: 'invoice', count: 1, items: [{ id: 'inv_1' }] };
    const refused = await send('DELETE', `/v0/customers/${body.id}`);
    expect(refused).toMatchObject({ status: 409, body: { error: 'conflict', code: 'CUSTOMER_IN_USE' } });
    expect(refused.body.message).toEqual(expect.any(String));
    expect(refused.body.details).toEqual({ blockers: [blockers.subscriptions, blockers.invoices] });
    expect((await send('GET', `/v0/customers/${body.id}`)).status).toBe(200);
  });

  it('names only the blockers, and deletes once there are none', async () => {
    const { body } = await create();
    blockers.subscriptions = { type: 'subscription', count: 0, items: [] };
    blockers.invoices = { type: 'invoice', count: 1, items: [{ id: 'inv_1' }] };
    const refused = await send('DELETE', `/v0/customers/${body.id}`);
    expect(refused.body.details.blockers).toEqual([blockers.invoices]);
    blockers.invoices = null;
    expect((await send('DELETE', `/v0/customers/${body.id}`)).status).toBe(204);
  });
});

describe('the hook for a changed externalId', () => {
  it('gets every change, and nothing else', async () => {
    const { body } = await create('a');
    const path = `/v0/customers/${body.id}`;
    await create();
    await send('PATCH', path, { taxId: '1' });
    await send('PATCH', path, { externalId: 'a' });
    await send('PATCH', path, { externalId: 'b' });
    await send('PATCH', path, { externalId: null });
    await send('PATCH', path, { externalId: 'c' });
    await send('DELETE', path);
    const who = { merchantId: merchant.id, customerId: body.id };
    expect(changes).toEqual([
      { ...who, before: null, after: 'a' },
      { ...who, before: 'a', after: 'b' },
      { ...who, before: 'b', after: null },
      { ...who, before: null, after: 'c' },
      { ...who, before: 'c', after: null },
    ]);
  });

  it('does not get a refused change', async () => {
    await create('taken');
    const { body } = await create('mine');
    changes = [];
    expect((await send('PATCH', `/v0/customers/${body.id}`, { externalId: 'taken' })).status).toBe(409);
    expect((await create('taken')).status).toBe(409);
    expect(changes).toEqual([]);
  });

  it('works in the same transaction: what it throws undoes the change', async () => {
    const { body } = await create('kept');
    failure = new Error('the link could not be written');
    const answer = await send('PATCH', `/v0/customers/${body.id}`, { externalId: 'lost' });
    expect(answer).toMatchObject({ status: 500, body: { error: 'internal_error' } });
    expect(JSON.stringify(answer.body)).not.toContain('link');
    expect((await send('GET', `/v0/customers/${body.id}`)).body.externalId).toBe('kept');
  });
});

describe('for other domains', () => {
  const inTransaction = <T>(work: Parameters<typeof env.database.transaction<T>>[1]) =>
    env.database.transaction({ merchants: [merchant.id] }, work);

  it('createCustomer takes a consumer without an address, as an inline customer is', async () => {
    const { customer, created } = await inTransaction(async (tx) =>
      orThrow(await createCustomer(tx, { consumer: { name: 'Inline', email: 'in@line.example' } }, now, hooks)),
    );
    expect(created).toBe(true);
    expect((await send('GET', `/v0/customers/${customer.id}`)).body.organization.name).toBe('Inline');
  });

  it('customerParty is the consumer with its addresses, the customer’s tax registration first', async () => {
    const consumer = {
      name: 'Party Ltd',
      email: 'p@party.example',
      phone: '+1',
      address: { line1: 'Street 1', country: 'US' },
    };
    const { customer } = await inTransaction(async (tx) =>
      orThrow(await createCustomer(tx, { consumer, taxId: 'T-customer' }, now, hooks)),
    );
    await merchant.patch(`/v0/organizations/${customer.consumerId}`, { legalName: 'Party Limited', taxId: 'T-org' });
    const party = () => inTransaction((tx) => customerParty(tx, customer.id));
    const expected = {
      name: 'Party Ltd',
      legalName: 'Party Limited',
      taxId: 'T-customer',
      address: { line1: 'Street 1', country: 'US' },
      emails: ['p@party.example'],
      phone: '+1',
    };
    expect(await party()).toEqual(expected);
    await send('PATCH', `/v0/customers/${customer.id}`, { taxId: null });
    expect(await party()).toEqual({ ...expected, taxId: 'T-org' });
    await send('DELETE', `/v0/customers/${customer.id}`);
    expect(await party()).toEqual({ ...expected, taxId: 'T-org' }); // issued invoices still name it
  });

  it('customerParty leaves out what is not known', async () => {
    const { body } = await create();
    expect(await inTransaction((tx) => customerParty(tx, body.id))).toEqual({
      name: 'C',
      address: {},
      emails: [body.organization.billingEmails[0]],
    });
  });

  it('customerTaxRates are decimals; a customer that never was is a fault', async () => {
    const { body } = await create();
    await send('PATCH', `/v0/customers/${body.id}`, { taxRates: 8.875 });
    const rates = await inTransaction((tx) => customerTaxRates(tx, body.id));
    expect(rates.default?.toFixed()).toBe('8.875');
    await expect(inTransaction((tx) => customerTaxRates(tx, 'cus_nobody'))).rejects.toThrow('does not exist');
  });

  it('findCustomer with `keep` holds a deletion off until the transaction ends', async () => {
    const { body } = await create();
    const order: string[] = [];
    let deleted: Promise<unknown> = Promise.resolve();
    await inTransaction(async (tx) => {
      expect((await findCustomer(tx, body.id, { keep: true }))?.id).toBe(body.id);
      deleted = send('DELETE', `/v0/customers/${body.id}`).then(({ status }) => order.push(`deleted ${status}`));
      while (order.length === 0 && !(await isWaitedFor(tx)));
      order.push('kept');
    });
    await deleted;
    expect(order).toEqual(['kept', 'deleted 204']);
    expect(await inTransaction((tx) => findCustomer(tx, body.id))).toBeUndefined();
  });
});
