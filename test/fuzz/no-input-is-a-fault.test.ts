import fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Route } from '../../src/http/index.ts';
import { priceModels } from '../../src/invoicing/rating/index.ts';
import { ID_PREFIXES, newId } from '../../src/kernel/ids.ts';
import { wireDomains } from '../../src/wiring.ts';
import { type Merchant, openTestEnvironment, type TestEnvironment } from '../support/environment.ts';
import { type KnownIds, replacements, type Schema, UNSTORABLE_TEXTS, valueFor } from './values.ts';

let env: TestEnvironment;
let merchant: Merchant;
let routes: readonly Route[];
const ids: KnownIds = new Map();

const RUNS = Number(process.env.FUZZ_RUNS ?? 12);

beforeAll(async () => {
  env = await openTestEnvironment();
  env.setNow('2026-01-20T00:00:00Z');
  merchant = await env.merchant();
  const domains = wireDomains('sandbox', 'http://localhost');
  routes = domains.routes({ runClock: async () => 0 } as never);
  await domains.close();
  await furnish();
});
afterAll(() => env.close());

/** Remembers every id that an answer shows. */
function learn(value: unknown): void {
  if (typeof value === 'string') {
    const prefix = /^([a-z]+_)[0-9A-Za-z]{16,}$/.exec(value)?.[1];
    if (prefix === undefined) return;
    const known = ids.get(prefix) ?? [];
    if (!known.includes(value)) ids.set(prefix, [...known, value].slice(-20));
  } else if (typeof value === 'object' && value !== null) for (const part of Object.values(value)) learn(part);
}

/** One of each record, so that requests get further than "no such record". */
async function furnish(): Promise<void> {
  const make = async (path: string, body: object) => {
    const answer = await merchant.post(path, body);
    if (answer.status >= 300) throw new Error(`${path} answered ${answer.text}`);
    learn(answer.body);
    return answer.body;
  };
  const product = await make('/v0/products', { name: 'Models', description: 'as a service' });
  await make('/v0/features', { key: 'tokens', name: 'Tokens', type: 'metered', productId: product.id });
  const metric = await make('/v0/billableMetrics', {
    name: 'Tokens',
    description: 'used',
    unit: 'token',
    aggregation: 'SUM',
    productId: product.id,
    eventType: 'api.call',
    valueProperty: '$.tokens',
    groupBy: { region: '$.region' },
  });
  const fee = await make('/v0/fees', { name: 'Base', description: 'monthly', productId: product.id });
  const base = await make('/v0/prices', {
    feeId: fee.id,
    invoiceDisplayName: 'Base',
    paymentTerm: 'in_arrears',
    billingCadence: 'P1M',
    properties: { unitPrice: '10' },
  });
  const usage = await make('/v0/prices', {
    billableMetricId: metric.id,
    invoiceDisplayName: 'Tokens',
    paymentTerm: 'in_arrears',
    properties: { unitPrice: '0.01' },
  });
  const plan = await make('/v0/plans', {
    name: 'Pro',
    productId: product.id,
    currency: 'USD',
    prices: [base.id, usage.id],
  });
  const customer = await make('/v0/customers', {
    consumer: {
      name: 'Ada',
      email: 'ada@example.com',
      address: { line1: '1 St', city: 'Bern', state: 'BE', zipCode: '3000', country: 'CH' },
    },
  });
  const clock = await make('/v0/testClocks', { currentTime: '2026-01-01T00:00:00Z' });
  const common = { planId: plan.id, customerId: customer.customerId ?? customer.id };
  await make('/v0/subscriptions', {
    ...common,
    name: 'on a clock',
    startedAt: '2026-01-01T00:00:00Z',
    testClockId: clock.id,
  });
  await make('/v0/subscriptions', { ...common, name: 'now', startedAt: '2026-01-01T00:00:00Z' });
  await make('/v0/events', {
    type: 'api.call',
    source: 'fuzz',
    subject: common.customerId,
    data: { tokens: 5 },
    timestamp: '2026-01-02T00:00:00Z',
  });
  env.setNow('2026-02-20T00:00:00Z');
  await env.runDueWork();
  learn((await merchant.get('/v2/invoices?limit=100')).body);
}

const requestsTo = ({ declaration }: Route) => {
  const names = [...declaration.path.matchAll(/:([A-Za-z]+)/g)].map(([, name]) => name as string);
  const merchantOf = 'public' in declaration.access ? null : declaration.access.merchant;
  const idsFor = (name: string): string[] => {
    const kind =
      merchantOf !== null && typeof merchantOf === 'object' && merchantOf.of === name ? merchantOf.kind : null;
    const known = kind === null ? [...ids.values()].flat() : (ids.get(ID_PREFIXES[kind]) ?? []);
    return [...known, kind === null ? '1' : newId(kind), 'x'];
  };
  const properties: [string, Schema][] = Object.entries((declaration.query as Schema)?.properties ?? {});
  return fc.record({
    path: fc
      .record(Object.fromEntries(names.map((name) => [name, fc.constantFrom(...idsFor(name))])))
      .map((chosen) =>
        declaration.path.replaceAll(/:([A-Za-z]+)/g, (_, name: string) => encodeURIComponent(chosen[name] as string)),
      ),
    query: fc.record(
      Object.fromEntries(
        properties.filter(([name]) => name !== 'merchantId').map(([name, schema]) => [name, valueFor(schema, ids)]),
      ),
      { requiredKeys: [] },
    ),
    body: declaration.body ? valueFor(withModels(declaration.body), ids) : fc.constant(undefined),
  });
};

/** The properties of a price by its models, because the schema leaves them open. */
const withModels = (schema: Schema): Schema =>
  schema.properties?.model && schema.properties.properties
    ? {
        ...schema,
        properties: {
          ...schema.properties,
          properties: { anyOf: Object.values(priceModels).map((model) => model.schema) },
        },
      }
    : schema;

async function send({ declaration }: Route, request: { path: string; query: Record<string, unknown>; body: unknown }) {
  const pairs = Object.entries(request.query).map(([name, value]): [string, string] => [
    name,
    typeof value === 'string' ? value : JSON.stringify(value),
  ]);
  const path = pairs.length === 0 ? request.path : `${request.path}?${new URLSearchParams(pairs).toString()}`;
  switch (declaration.method) {
    case 'GET':
      return merchant.get(path);
    case 'DELETE':
      return merchant.delete(path, request.body);
    case 'PUT':
      return merchant.put(path, request.body);
    case 'PATCH':
      return merchant.patch(path, request.body);
    case 'POST':
      return merchant.post(path, request.body);
  }
}

it('answers every input with something that is no fault of ours and fits its schema (I-62)', async () => {
  const faults = new Map<string, string>();
  const succeeded = new Set<string>();
  for (const each of routes) {
    const name = `${each.declaration.method} ${each.declaration.path}`;
    await fc.assert(
      fc.asyncProperty(requestsTo(each), async (request) => {
        const { status, text, body } = await send(each, request);
        if (status < 300) succeeded.add(name);
        if (status >= 500) faults.set(name, `${JSON.stringify(request)} → ${status} ${text.slice(0, 200)}`);
        if (each.declaration.method === 'POST' && status < 300) learn(body);
      }),
      { numRuns: RUNS },
    );
  }
  expect(Object.fromEntries(faults)).toEqual({});
  expect(succeeded.size, 'operations that were also used as they are meant to be').toBeGreaterThan(routes.length / 3);
}, 1_200_000);

it('refuses texts that cannot be stored wherever a text or a key may stand', async () => {
  const stored: string[] = [];
  for (const each of routes) {
    if (!each.declaration.body && !each.declaration.query) continue;
    for (const request of fc.sample(requestsTo(each), { numRuns: 4 }))
      for (const text of UNSTORABLE_TEXTS)
        for (const part of ['body', 'query'] as const)
          for (const value of replacements(request[part], text).slice(0, 40)) {
            const { status } = await send(each, { ...request, [part]: value } as never);
            if (status >= 500)
              stored.push(`${each.declaration.method} ${each.declaration.path} ${JSON.stringify(value)}`);
          }
  }
  expect(stored).toEqual([]);
}, 1_200_000);

const bodies = [
  { what: 'a cell', path: '/v0/prices', body: (text: string) => priceOf({ match: { region: text }, unitPrice: '1' }) },
  { what: 'a dimension', path: '/v0/prices', body: (text: string) => priceOf({ match: {}, unitPrice: '1' }, text) },
  { what: 'a key', path: '/v0/plans/:plan/simulate', body: (text: string) => simulationOf({ [text]: '1' }) },
  { what: 'no id', path: '/v0/plans/:plan/simulate', body: () => simulationOf({ tokens: 'many' }) },
];
const idOf = (prefix: string) => ids.get(prefix)?.[0] as string;
const simulationOf = (usage: object) => ({ usage, from: '2026-01-01T00:00:00Z', to: '2026-02-01T00:00:00Z' });
const priceOf = (cell: object, dimension = 'region') => ({
  billableMetricId: idOf('bm_'),
  invoiceDisplayName: 'Tokens',
  paymentTerm: 'in_arrears',
  model: 'matrix',
  properties: { dimensions: [dimension], cells: [cell], default: '1' },
});

it.each(bodies.flatMap((each) => UNSTORABLE_TEXTS.map((text) => ({ ...each, text }))))(
  'answers 400 to $what of $text',
  async ({ path, body, text }) => {
    const { status } = await merchant.post(path.replace(':plan', idOf('plan_')), body(text));
    expect(status).toBe(400);
  },
);
