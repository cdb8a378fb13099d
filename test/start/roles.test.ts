import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { outsideDatabase } from './prepared.ts';
import { eventually, kill, READY, startReckoner, type Trial, temporaryFolder } from './support.ts';

// A start takes a second or two, and longer on a busy machine: the test checks the events, not their times.
vi.setConfig({ testTimeout: 180_000 });

const PLATFORM_KEY = 'rk_test_of-all-processes-of-this-world';
const MASTER_KEY = 'seals the secrets of this world, all of them';

interface Process {
  readonly program: Trial;
  readonly address: string;
  readonly dataDirectory: string;
}

// biome-ignore lint/suspicious/noExplicitAny: tests look into answers of every shape
type Answer = { status: number; body: any };

async function call(
  address: string,
  method: string,
  path: string,
  key = PLATFORM_KEY,
  body?: unknown,
): Promise<Answer> {
  const response = await fetch(`${address}${path}`, {
    method,
    headers: { authorization: `Bearer ${key}`, ...(body !== undefined && { 'content-type': 'application/json' }) },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  return { status: response.status, body: text.startsWith('{') ? JSON.parse(text) : text };
}

/** A database for several processes, and a way to start one with some roles. */
async function openCluster(): Promise<(roles: string) => Promise<Process>> {
  const url = await outsideDatabase();
  return async (roles) => {
    const dataDirectory = join(temporaryFolder(), '.reckoner');
    const program = startReckoner({
      DATA_DIR: dataDirectory,
      RECKONER_ENVIRONMENT: 'sandbox',
      RECKONER_ROLES: roles,
      SANDBOX_DATABASE_URL: url,
      RECKONER_SANDBOX_PLATFORM_KEY: PLATFORM_KEY,
      RECKONER_SANDBOX_MASTER_KEY: MASTER_KEY,
      SANDBOX_PUBLIC_URL: 'https://pay.example',
    });
    await program.until(READY);
    const [, address = ''] = await program.until(/(http:\/\/127\.0\.0\.1:\d+)/);
    return { program, address, dataDirectory };
  };
}

/** A merchant with a customer, and a plan of 1.00 a unit. */
async function openShop(address: string) {
  const create = async (path: string, body: object, key?: string) => {
    const answer = await call(address, 'POST', path, key, body);
    if (answer.status !== 201) throw new Error(`POST ${path}: ${JSON.stringify(answer)}`);
    return answer.body;
  };
  const merchant = await create('/v0/organizations', { name: 'Shop', type: 'merchant', defaultCurrency: 'USD' });
  const user = await create('/v0/users', { organizationId: merchant.id, email: 'a@example.com', role: 'admin' });
  const { secret: key } = await create(`/v0/users/${user.id}/apikeys`, { name: 'shop' });
  const product = await create('/v0/products', { name: 'API', description: 'Calls' }, key);
  const metric = await create(
    '/v0/billableMetrics',
    {
      name: 'Calls',
      description: 'Calls',
      unit: 'call',
      productId: product.id,
      aggregation: 'SUM',
      eventType: 'call',
      valueProperty: '$.units',
    },
    key,
  );
  const price = await create(
    '/v0/prices',
    {
      billableMetricId: metric.id,
      invoiceDisplayName: 'Calls',
      paymentTerm: 'in_arrears',
      properties: { unitPrice: '1' },
    },
    key,
  );
  const plan = await create(
    '/v0/plans',
    { name: 'Plan', productId: product.id, currency: 'USD', prices: [price.id] },
    key,
  );
  const { customerId } = await create(
    '/v0/customers',
    { consumer: { name: 'Acme', email: 'acme@example.com', address: { country: 'GB' } } },
    key,
  );
  const subscribe = (times: object) =>
    create('/v0/subscriptions', { name: 'Sub', planId: plan.id, customerId, ...times }, key);
  return { key, metric, customerId, subscribe };
}

describe('processes that share the work', () => {
  it('serve one world: what one accepts another reads at once, and a third bills', async () => {
    const open = await openCluster();
    const api = await open('api');
    const ingest = await open('ingest');
    const { key, metric, customerId, subscribe } = await openShop(api.address);
    const now = Temporal.Now.instant();
    const [startedAt, timestamp, to] = [-48, -24, 1].map((hours) => now.add({ hours }).toString());

    for (let units = 1; units <= 20; units += 1) {
      const event = {
        type: 'call',
        source: 's',
        subject: customerId,
        timestamp,
        data: { units },
      };
      const sent = await call(ingest.address, 'POST', '/v0/events', key, event);
      expect(sent.status).toBe(202);
      expect((await call(api.address, 'GET', `/v0/events/${sent.body.id}`, key)).body.data).toEqual({ units });
      const path = `/v0/billableMetrics/${metric.id}/meter?from=${startedAt}&to=${to}`;
      expect((await call(api.address, 'GET', path, key)).body.totalValue).toBe((units * (units + 1)) / 2);
    }

    const subscription = await subscribe({ startedAt });
    const invoices = async () =>
      (await call(api.address, 'GET', `/v2/invoices?subscriptionId=${subscription.id}`, key)).body.data;
    const ended = await call(api.address, 'POST', `/v0/subscriptions/${subscription.id}/termination`, key, {
      reason: 'The test ends it.',
    });
    expect(ended.status).toBe(200);
    // it is due, and no worker runs
    expect((await invoices()).map(({ status }: { status: string }) => status)).toEqual(['CLOSING']);
    const worker = await open('worker');
    await eventually(async () => {
      const [{ status, grandTotal, paymentUrl }] = await invoices();
      expect({ status, grandTotal, isOfPublicUrl: paymentUrl?.startsWith('https://pay.example/') }).toEqual({
        status: 'ISSUED',
        grandTotal: '210.00',
        isOfPublicUrl: true,
      });
    }, 30_000);

    for (const { address } of [api, ingest, worker]) {
      expect((await call(address, 'GET', '/readyz')).status).toBe(200);
      expect((await call(address, 'GET', '/metrics')).status).toBe(200);
    }
    for (const { program } of [worker, ingest, api]) {
      kill(program.processId, 'SIGTERM');
      expect(await program.ended()).toBe(0);
    }
  });

  it('know nothing of another’s part', async () => {
    const open = await openCluster();
    const api = await open('api,worker');
    const ingest = await open('ingest');
    const event = { type: 'call', source: 's', subject: 'x' };
    expect((await call(api.address, 'POST', '/v0/events', PLATFORM_KEY, event)).status).toBe(405);
    expect((await call(api.address, 'GET', '/v0/events')).status).toBe(200);
    expect((await call(ingest.address, 'POST', '/v0/events', PLATFORM_KEY, event)).status).toBe(202);
    expect((await call(ingest.address, 'GET', '/v0/events')).status).toBe(405);
    expect((await call(ingest.address, 'GET', '/v0/customers')).status).toBe(404);
    expect((await call(ingest.address, 'GET', '/v0/customers', 'rk_test_nobody')).status).toBe(401);
    expect(Object.keys((await call(ingest.address, 'GET', '/openapi.json')).body.paths)).toContain('/v0/events');
    expect(api.program.output()).toContain('api, worker only');
    expect(existsSync(join(api.dataDirectory, 'credentials.json'))).toBe(true);
    expect(existsSync(join(ingest.dataDirectory, 'credentials.json'))).toBe(false); // it is not where to call
  });
});
