import type { TSchema } from 'typebox';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ErrorBody, ValidationErrorBody, validate } from '../../src/http/index.ts';
import { type IdKind, newId } from '../../src/kernel/ids.ts';
import { FakeProvider } from '../../src/payments/testing/fake-provider.ts';
import { connectFake, NOTICE_SECRET } from '../support/connected.ts';
import { type Answer, type Client, openTestEnvironment, type TestEnvironment } from '../support/environment.ts';
import { type Call, draft, operations, type Scenario, urlOf } from '../support/operations.ts';
import { newOrder, orderLine } from '../support/orders.ts';
import { planOfTwoVersions, waitingMigration } from '../support/plan-migrations.ts';
import {
  allDeclarations,
  isWalkedThrough,
  propertiesOf,
  type RouteDeclaration,
  requiredOf,
} from '../support/routes.ts';
import { newSchedule, scheduleBody } from '../support/schedules.ts';
import { type Resource, START } from '../support/shop.ts';
import { openTables, type Tables } from '../support/tables.ts';
import { newMeteredFeature, newSource, openWorld, type World } from '../support/world.ts';

/**
 * Every operation answers each of its declared statuses, and no other. The declaration gives the requests of most
 * statuses; the states for a 409 are made by hand. The last test compares the seen statuses with the document.
 */
const declarations = await allDeclarations();
const byId = new Map(declarations.map((declaration) => [declaration.operationId, declaration]));
const guarded = declarations.filter(({ access }) => !('public' in access));
const named = (list: readonly RouteDeclaration[]) =>
  list.map((declaration) => ({ name: declaration.operationId, declaration }));
const declarationOf = (operationId: string): RouteDeclaration => {
  const declaration = byId.get(operationId);
  if (!declaration) throw new Error(`There is no operation ${operationId}.`);
  return declaration;
};

let env: TestEnvironment;
let tables: Tables;
let world: World;
let stranger: World;
beforeAll(async () => {
  env = await openTestEnvironment({ paymentProviders: [new FakeProvider()] });
  tables = await openTables(env.url);
  [world, stranger] = [await openWorld(env), await openWorld(env)];
});
afterAll(async () => {
  await tables.close();
  await env.close();
});

const WORDS: Readonly<Record<number, string>> = {
  400: 'bad_request',
  401: 'unauthorized',
  403: 'forbidden',
  404: 'not_found',
  409: 'conflict',
  412: 'precondition_failed',
  413: 'payload_too_large',
  415: 'unsupported_media_type',
  503: 'unavailable',
};
const seen = new Set<string>();

/** Calls an operation, notes its answer, and compares an error body with §7. */
async function call(
  operationId: string,
  by: Client,
  { headers, ...sent }: Call & { headers?: Record<string, string> } = {},
): Promise<Answer> {
  const { method, path, hidden } = declarationOf(operationId);
  const url = urlOf(path, sent);
  const answer =
    method === 'GET' ? await by.get(url, headers) : await by[method.toLowerCase() as 'post'](url, sent.body, headers);
  seen.add(`${operationId} ${answer.status}`);
  if (answer.status >= 400 && !hidden) {
    const isValidation = answer.body.error === 'validation_error';
    expect(validate('reply', isValidation ? ValidationErrorBody : ErrorBody, answer.body), answer.text).toEqual([]);
    if (!isValidation) expect(answer.body.error).toBe(WORDS[answer.status]);
    if (isValidation) expect(answer.body.errors.length).toBeGreaterThan(0);
    expect(answer.headers['x-request-id']).toBeTruthy();
  }
  return answer;
}

const scenariosOf = (operationId: string): readonly Scenario[] => operations[operationId] ?? [];
const firstCall = (operationId: string, of = world): Promise<Call> =>
  Promise.resolve((scenariosOf(operationId)[0] as Scenario)(of));
/** Calls by operation and merchant. */
const standing = new Map<World, Map<string, Promise<Call>>>();
/**
 * A call of an operation that would work, for tests that spoil it: each is refused, so the call can be spoiled again in
 * the next test. Preparing it may take many requests.
 */
function standingCall(operationId: string, of = world): Promise<Call> {
  const known = standing.get(of) ?? new Map<string, Promise<Call>>();
  standing.set(of, known);
  const found = known.get(operationId) ?? firstCall(operationId, of);
  known.set(operationId, found);
  return found;
}
const ownerOf = ({ access }: RouteDeclaration): Client =>
  'operator' in access && access.operator ? env.platform : world.merchant;
const usual = ({ replies }: RouteDeclaration): number => (replies[201] ? 201 : Number(Object.keys(replies)[0]));
const fieldsOf = (answer: Answer): string[] => answer.body.errors?.map(({ field }: { field: string }) => field) ?? [];

describe('the usual status', () => {
  it.each(named(guarded))('$name', async ({ declaration }) => {
    for (const scenario of scenariosOf(declaration.operationId)) {
      const answer = await call(declaration.operationId, ownerOf(declaration), await scenario(world));
      expect(answer.status, answer.text).toBe(usual(declaration));
    }
  });

  it.each(['reconcileSubscription', 'changeSubscriptionPlan', 'migratePlan'])(
    '200 for a dry run of %s, which makes nothing',
    async (operationId) => {
      const known = await firstCall(operationId);
      const body = { ...(known.body as object), dryRun: true };
      expect(await call(operationId, world.merchant, { ...known, body })).toMatchObject({ status: 200 });
    },
  );

  it('a second top-up with the same idempotencyKey is answered with the first: 200', async () => {
    const known = await firstCall('topUpWallet');
    const first = await call('topUpWallet', world.merchant, known);
    const again = await call('topUpWallet', world.merchant, known);
    expect([first.status, again.status, again.body.invoiceId]).toEqual([201, 200, first.body.invoiceId]);
  });

  it('a second creation of the same customer is answered with the first: 200', async () => {
    const { body } = await firstCall('createCustomer');
    const first = await call('createCustomer', world.merchant, { body });
    const again = await call('createCustomer', world.merchant, { body });
    expect(again).toMatchObject({ status: 200, body: { id: first.body.id } });
  });

  it('a second subscription with the same idempotencyKey is answered with the first: 200', async () => {
    const { body } = (await firstCall('createSubscription')) as { body: object };
    const first = await call('createSubscription', world.merchant, { body: { ...body, idempotencyKey: 'once' } });
    const again = await call('createSubscription', world.merchant, { body: { ...body, idempotencyKey: 'once' } });
    expect([first.status, again.status, again.body.id]).toEqual([201, 200, first.body.id]);
  });

  it('a preview with a new customer whose externalId is taken: 409', async () => {
    const { body } = (await firstCall('previewSubscription')) as { body: object };
    await world.shop.customer({ externalId: 'taken-in-preview' });
    const customer = { name: 'New', email: 'new@statuses.example', externalId: 'taken-in-preview' };
    const asked = { body: { ...body, customerId: undefined, customer } };
    const answer = await call('previewSubscription', world.merchant, asked);
    expect([answer.status, answer.body.code]).toEqual([409, 'EXTERNAL_ID_TAKEN']);
  });

  it.each(['recordInvoicePayment', 'createPayment'])(
    'a second %s with the same idempotencyKey is answered with the first: 200',
    async (operationId) => {
      const { body, params } = (await firstCall(operationId)) as { body: object; params?: Record<string, string> };
      const twice = { ...(params && { params }), body: { ...body, idempotencyKey: `twice ${operationId}` } };
      const first = await call(operationId, world.merchant, twice);
      const again = await call(operationId, world.merchant, twice);
      expect([first.status, again.status, again.body.id]).toEqual([201, 200, first.body.id]);
    },
  );

  it.each([
    'createSubscriptionAdjustment',
    'createLineItem',
    'redeemCoupon',
    'creditInvoiceLines',
    'createBillingCredit',
    'createReceipt',
  ])('%s again with the same idempotencyKey is answered with the first: 200', async (operationId) => {
    const sent = await firstCall(operationId);
    const again = { ...sent, body: { ...(sent.body as object), idempotencyKey: `once ${operationId}` } };
    const first = await call(operationId, world.merchant, again);
    const second = await call(operationId, world.merchant, again);
    expect([first.status, second.status, second.body.id]).toEqual([201, 200, first.body.id]);
  });

  it('a second one-off invoice with the same idempotencyKey is answered with the first: 200', async () => {
    const { body } = await firstCall('createInvoice');
    const first = await call('createInvoice', world.merchant, { body });
    const again = await call('createInvoice', world.merchant, { body });
    expect([first.status, again.status, again.body.id]).toEqual([201, 200, first.body.id]);
  });
});

describe('400', () => {
  it.each(named(guarded))('for a parameter that $name does not know', async ({ declaration }) => {
    const known = await standingCall(declaration.operationId);
    const answer = await call(declaration.operationId, ownerOf(declaration), {
      ...known,
      query: { ...known.query, surprise: '1' },
    });
    expect(answer, answer.text).toMatchObject({ status: 400, body: { errors: [{ field: 'surprise' }] } });
  });

  it.each(named(guarded.filter(({ method, bodyBytes }) => method !== 'GET' && !bodyBytes)))(
    'for a field that $name does not know',
    async ({ declaration }) => {
      const known = await standingCall(declaration.operationId);
      const body = { ...(known.body as object), surprise: 1 };
      const answer = await call(declaration.operationId, ownerOf(declaration), { ...known, body });
      expect(answer, answer.text).toMatchObject({ status: 400, body: { errors: [{ field: 'surprise' }] } });
    },
  );

  it.each(named(guarded.filter(({ query }) => requiredOf(query).length > 0)))(
    'for each parameter that $name must have',
    async ({ declaration }) => {
      const known = await standingCall(declaration.operationId);
      for (const name of requiredOf(declaration.query)) {
        const { [name]: _, ...query } = known.query ?? {};
        const answer = await call(declaration.operationId, world.merchant, { ...known, query });
        expect(answer, `${name}: ${answer.text}`).toMatchObject({
          status: 400,
          body: { errors: [{ field: name, message: 'is required' }] },
        });
      }
    },
  );

  it.each(named(guarded.filter(({ body }) => requiredOf(body).length > 0)))(
    'for all fields at once that $name must have',
    async ({ declaration }) => {
      const { body: _, ...known } = await standingCall(declaration.operationId);
      const answer = await call(declaration.operationId, ownerOf(declaration), { ...known, body: {} });
      expect(answer.status, answer.text).toBe(400);
      expect(fieldsOf(answer)).toEqual(expect.arrayContaining([...requiredOf(declaration.body)]));
    },
  );

  it.each(named(guarded.filter(({ body }) => body)))(
    'for each field of $name that is of another kind',
    async ({ declaration }) => {
      const known = await standingCall(declaration.operationId);
      for (const [name, schema] of Object.entries(propertiesOf(declaration.body))) {
        const body = { ...(known.body as object), [name]: misfit(schema) };
        const answer = await call(declaration.operationId, ownerOf(declaration), { ...known, body });
        expect(answer.status, `${name}: ${answer.text}`).toBe(400);
        expect(
          fieldsOf(answer).some((field) => field === name || field.startsWith(`${name}.`)),
          `${name}: ${answer.text}`,
        ).toBe(true);
      }
    },
  );

  it.each(named(guarded.filter(({ query }) => query)))(
    'for each parameter of $name that is none of its kind',
    async ({ declaration }) => {
      const known = await standingCall(declaration.operationId);
      for (const [name, schema] of Object.entries(propertiesOf(declaration.query))) {
        if (isFreeText(schema)) continue;
        const answer = await call(declaration.operationId, ownerOf(declaration), {
          ...known,
          query: { ...known.query, [name]: '!' },
        });
        expect(answer.status, `${name}: ${answer.text}`).toBe(400);
        expect(fieldsOf(answer)).toContain(name);
      }
    },
  );

  it.each(named(guarded.filter(({ query }) => 'offset' in propertiesOf(query))))(
    'for a window of $name that is none',
    async ({ declaration }) => {
      const known = await standingCall(declaration.operationId);
      for (const [name, value] of [
        ['limit', '0'],
        ['limit', declaration.operationId === 'listLineItems' ? '1001' : '101'], // api.md: up to 1,000 lines
        ['limit', '1.5'],
        ['offset', '-1'],
      ] as const) {
        const answer = await call(declaration.operationId, world.merchant, {
          ...known,
          query: { ...known.query, [name]: value },
        });
        expect([answer.status, fieldsOf(answer)], `${name}=${value}`).toEqual([400, [name]]);
      }
    },
  );

  it.each(named(guarded.filter(({ body }) => body)))(
    'for a body of $name that is no JSON, or no object',
    async ({ declaration }) => {
      const known = await standingCall(declaration.operationId);
      for (const body of ['{"a":', '1', '"text"', 'null,', '{"a":1,"a":2}']) {
        const answer = await call(declaration.operationId, ownerOf(declaration), { ...known, body });
        expect(answer.status, `${body}: ${answer.text}`).toBe(400);
      }
    },
  );

  it('for an offset of invoices above 10,000 (§8)', async () => {
    expect((await call('listInvoices', world.merchant, { query: { offset: '10000' } })).status).toBe(200);
    expect((await call('listInvoices', world.merchant, { query: { offset: '10001' } })).status).toBe(400);
  });

  const refused: Record<
    string,
    { operationId: string; prepare: (world: World) => Promise<Call>; field?: string; code?: string }
  > = {
    'a refund of an invoice that is not paid': {
      operationId: 'refundInvoice',
      prepare: async ({ shop }) => ({ params: { id: (await shop.issued()).invoice.id } }),
      code: 'INVOICE_NOT_PAID',
    },
    'a second refund': {
      operationId: 'refundInvoice',
      prepare: async ({ invoice }) => ({ params: { id: invoice.id } }),
      code: 'INVOICE_ALREADY_REFUNDED',
    },
    'a clock that is to go back': {
      operationId: 'advanceTestClock',
      prepare: async ({ clock }) => ({ params: { id: clock.id }, body: { currentTime: START } }),
      code: 'CLOCK_BACKWARDS',
    },
    'a clock that is told two ways': {
      operationId: 'advanceTestClock',
      prepare: async ({ clock }) => ({
        params: { id: clock.id },
        body: { currentTime: '2027-01-01T00:00:00Z', advanceBy: 'P1M' },
      }),
      field: 'advanceBy',
    },
    'a start more than one cadence ago': subscriptionWith({ startedAt: '2025-12-31T23:59:59Z' }, 'startedAt'),
    'an end before the start': subscriptionWith({ endingAt: START }, 'endingAt'),
    'payment terms without bank transfer (§2)': subscriptionWith({ paymentTermDays: 1 }, 'paymentTermDays'),
    'both a customer and a description of one': subscriptionWith(
      { customer: { name: 'New', email: 'new@example.com' } },
      'customerId',
    ),
    'a termination at the start (§4)': {
      operationId: 'updateSubscription',
      prepare: async ({ subscription }) => ({
        params: { id: subscription.id },
        body: { terminatedAt: subscription.startedAt },
      }),
      field: 'terminatedAt',
    },
    'a termination by a stranger': {
      operationId: 'updateSubscription',
      prepare: async ({ subscription }) => ({
        params: { id: subscription.id },
        body: { terminatedAt: '2026-01-20T00:00:00Z', terminatedBy: 'cus_somebody' },
      }),
      field: 'terminatedBy',
    },
    'a plan of Legacy Billing (§9)': {
      operationId: 'createPlan',
      prepare: async ({ product }) => ({
        body: { name: 'Old', productId: product.id, currency: 'USD', billingVersion: 0 },
      }),
      field: 'billingVersion',
    },
    'a metric without a product (§4, metric rule 1)': {
      operationId: 'createBillableMetric',
      prepare: async () => ({ body: { name: 'Metric', aggregation: 'COUNT' } }),
      field: 'productId',
    },
    'a SUM of nothing (§4, metric rule 3)': {
      operationId: 'createBillableMetric',
      prepare: async ({ product }) => ({ body: { name: 'Metric', aggregation: 'SUM', productId: product.id } }),
      field: 'valueProperty',
    },
    'a grouping by no path (§4, metric rule 4)': {
      operationId: 'createBillableMetric',
      prepare: async ({ product }) => ({
        body: { name: 'M', aggregation: 'COUNT', productId: product.id, groupBy: { region: 'region' } },
      }),
      field: 'groupBy.region',
    },
    'an event that names nobody (§4, ingestion rule 1)': {
      operationId: 'createEvents',
      prepare: async () => ({ body: { type: 'call', source: 'test' } }),
      field: 'subject',
    },
    'one bad event among good ones': {
      operationId: 'createEvents',
      prepare: async ({ customer }) => ({
        body: [
          { type: 'call', source: 'test', subject: customer.id },
          { source: 'test', subject: customer.id },
        ],
      }),
      field: '1.type',
    },
  };

  it.each(Object.keys(refused))('for %s', async (name) => {
    const { operationId, prepare, field, code } = refused[name] as (typeof refused)[string];
    const answer = await call(operationId, world.merchant, await prepare(world));
    expect(answer.status, answer.text).toBe(400);
    if (code) expect(answer.body).toMatchObject({ error: 'bad_request', code });
    if (field) expect(fieldsOf(answer)).toEqual([field]);
  });

  function subscriptionWith(fields: object, field: string) {
    return {
      operationId: 'createSubscription',
      field,
      prepare: async ({ plan, customer, shop }: World): Promise<Call> => {
        const clock = await shop.clock('2026-02-01T00:00:00Z');
        const startedAt = START;
        return {
          body: { name: 'S', planId: plan.id, customerId: customer.id, testClockId: clock.id, startedAt, ...fields },
        };
      },
    };
  }
});

describe('401', () => {
  it.each(named(guarded))('without a key: $name', async ({ declaration }) => {
    const answer = await call(declaration.operationId, env.client());
    expect(answer).toMatchObject({ status: 401, body: { code: 'API_KEY_MISSING' } });
  });
});

describe('403', () => {
  // Proves 5.authentication.4, 7.errors.403.
  it.each(named(guarded.filter(({ method }) => method !== 'GET')))('for a viewer: $name', async ({ declaration }) => {
    const viewer = await env.userOf(world.merchant, 'viewer');
    expect((await call(declaration.operationId, viewer, {})).status).toBe(403);
  });

  const readsOfOne = guarded.filter(
    ({ method, path, access }) => method === 'GET' && path.includes(':') && !('ownerless' in access),
  );
  it.each(named(readsOfOne))('for another merchant’s: $name', async ({ declaration }) => {
    const answer = await call(
      declaration.operationId,
      world.merchant,
      await standingCall(declaration.operationId, stranger),
    );
    expect(answer.status).toBe(403);
  });

  it.each(named(guarded.filter(({ query }) => 'merchantId' in propertiesOf(query))))(
    'for another merchant: $name',
    async ({ declaration }) => {
      const known = await standingCall(declaration.operationId, stranger);
      const query = { ...known.query, merchantId: stranger.merchant.id };
      expect((await call(declaration.operationId, world.merchant, { ...known, query })).status).toBe(403);
    },
  );

  // Proves 4.invoices.list.nextActionAt, 5.authentication.3.platform.
  it('for nextActionAt=ready of a list of invoices, which is the platform’s (§5)', async () => {
    const ready = { query: { nextActionAt: 'ready' } };
    expect((await call('listInvoices', world.merchant, ready)).status).toBe(403);
    expect((await call('listInvoices', env.platform, ready)).status).toBe(200);
  });
});

describe('404', () => {
  it.each(named(guarded.filter(({ path }) => path.includes(':'))))(
    'for an id that nothing has, or that is none: $name',
    async ({ declaration }) => {
      const known = await standingCall(declaration.operationId);
      for (const [name, id] of Object.entries(known.params ?? {})) {
        for (const unknown of [unknownLike(id), 'nope', `${id}x`, 'a\0b', '%', 'ä'.repeat(300)]) {
          const answer = await call(declaration.operationId, ownerOf(declaration), {
            ...known,
            params: { ...known.params, [name]: unknown },
          });
          expect(answer.status, `${name}=${unknown}: ${answer.text}`).toBe(404);
        }
      }
    },
  );

  it.each(['createLineItem', 'listLineItems'])('for a subscription that there is not: %s', async (operationId) => {
    const known = await standingCall(operationId);
    const subscriptionId = newId('subscription');
    const sent = known.body
      ? { ...known, body: { ...(known.body as object), subscriptionId } }
      : { ...known, query: { ...known.query, subscriptionId } };
    expect(await call(operationId, world.merchant, sent)).toMatchObject({
      status: 404,
      body: { details: { field: 'subscriptionId' } },
    });
  });

  /** Their subscription decides the owner. */
  const OF_A_SUBSCRIPTION = ['createLineItem', 'listLineItems'];
  const byMerchant = guarded.filter(
    ({ query, body, operationId }) =>
      'merchantId' in { ...propertiesOf(query), ...propertiesOf(body) } && !OF_A_SUBSCRIPTION.includes(operationId),
  );
  it.each(named(byMerchant))('for a merchant that there is not: $name', async ({ declaration }) => {
    const known = await standingCall(declaration.operationId);
    const merchantId = newId('organization');
    const isQuery = 'merchantId' in propertiesOf(declaration.query);
    const isNamedOtherwise = [
      'listAvailablePlans',
      'createSubscription',
      'createInvoice',
      'createEntitlement',
      'listActiveEntitlements',
    ].includes(declaration.operationId);
    const sent = isQuery
      ? { ...known, query: { ...known.query, merchantId } }
      : { body: { ...(known.body as object), merchantId } };
    const answer = await call(
      declaration.operationId,
      env.platform,
      isNamedOtherwise ? withUnknownCustomer(known) : sent,
    );
    expect(answer, answer.text).toMatchObject({
      status: 404,
      body: { details: { field: isNamedOtherwise ? 'customerId' : 'merchantId' } },
    });
  });

  // Proves 7.errors.404.
  it.each([
    ['createUser', { organizationId: newId('organization'), email: 'a@example.com', role: 'viewer' }, 'organizationId'],
    ['createEvents', { type: 'call', source: 'test', subject: 'x', namespace: newId('organization') }, 'namespace'],
  ])('for what the body of %s names', async (operationId, body, field) => {
    const answer = await call(operationId, env.platform, { body });
    expect(answer).toMatchObject({ status: 404, body: { details: { field } } });
  });

  // Proves 7.errors.404, 7.errors.code.
  it('for a document that is not there, with the reason', async () => {
    const answer = await call('getInvoicePdf', world.merchant, { params: { id: (await draft(world)).id } });
    expect(answer).toMatchObject({
      status: 404,
      body: { code: 'DOCUMENT_NOT_AVAILABLE', details: { reason: 'not_issued' } },
    });
  });

  const withUnknownCustomer = ({ query, body }: Call): Call =>
    query
      ? { query: { ...query, customerId: newId('customer') } }
      : { body: { ...(body as object), customerId: newId('customer') } };
});

describe('409', () => {
  const issued = async ({ shop }: World) => (await shop.issued()).invoice;
  const terminated = async ({ shop }: World) => {
    const { subscription } = await shop.issued();
    return shop.act(`/v0/subscriptions/${subscription.id}/termination`, { reason: 'Over' });
  };
  const over = async ({ shop, customer, metric, product }: World) =>
    shop.create('/v1/entitlements', {
      customerId: customer.id,
      featureId: (await newMeteredFeature(shop, product)).id,
      template: { type: 'metered', billableMetricIds: [metric.id] },
      activeFrom: START,
      activeTo: '2026-01-02T00:00:00Z',
    });
  const priced = async ({ shop }: World) => {
    const metric = await shop.metric();
    await shop.usagePrice({ billableMetricId: metric.id });
    return metric;
  };
  const planned = async ({ shop }: World) => {
    const price = await shop.feePrice();
    await shop.plan([price]);
    return price;
  };
  const carried = async ({ shop, product }: World, key: string) => {
    const feature = await shop.create('/v0/features', { key, name: 'F', productId: product.id, type: 'boolean' });
    await shop.feePrice({ feature: { featureId: feature.id, entitlementTemplate: { type: 'boolean' } } });
    return feature;
  };
  const tagging = async ({ shop, product }: World) => {
    const item = await shop.create('/v0/items', { name: 'Item', catalogId: product.id });
    await shop.create('/v0/fees', { name: 'Fee', description: '', itemId: item.id });
    return item;
  };
  const completed = async ({ session }: World) => session;
  const expired = async (each: World) => {
    const { paymentUrl } = await issued(each);
    return each.shop.act(`/v0/paymentSessions/${paymentUrl.split('/').at(-1)}/expire`);
  };
  const advancing = async ({ shop }: World) => {
    const clock = await shop.clock(START);
    await tables.query(`update test_clock set advancing_to = clock_time + interval '1 hour' where id = $1`, [clock.id]);
    return clock;
  };
  const withoutProvider = async ({ merchant, shop }: World) => {
    await shop.change(`/v0/organizations/${merchant.id}`, { settings: { paymentProvider: 'none' } });
    return shop.customer();
  };
  const cancelledOrder = async ({ shop }: World) => {
    const { id } = await newOrder(shop, await shop.customer());
    return shop.change(`/v0/orders/${id}`, { cancelledAt: START });
  };
  const cancelledSchedule = async ({ shop }: World) => {
    const order = await newOrder(shop, await shop.customer());
    const schedule = await newSchedule(shop, order);
    await shop.change(`/v0/orders/${order.id}`, { cancelledAt: START });
    return schedule;
  };
  const ofCancelledOrder = (operationId: string, body?: unknown): Conflict => ({
    operationId,
    code: 'INVALID_TRANSITION',
    call: async (each) => {
      const { id, lineItems } = await cancelledOrder(each);
      return { params: { id, lineItemId: lineItems[0].id }, body };
    },
  });
  /** An approval that its requester has cancelled. */
  const takenBack = async ({ shop, customer }: World): Promise<Resource> => {
    const approval = await shop.create(`/v0/orders/${(await newOrder(shop, customer)).id}/approvals`);
    return shop.change(`/v0/approvals/${approval.id}`, { decision: 'cancelled' });
  };
  const provider = 'crm';

  interface Conflict {
    operationId: string;
    code: string;
    call: (world: World) => Promise<Call>;
  }
  const conflict = (
    operationId: string,
    code: string,
    held: (world: World) => Promise<{ id: string }>,
    body?: unknown,
  ): Conflict => ({
    operationId,
    code,
    call: async (each) => ({
      params: { id: (await held(each)).id },
      body: typeof body === 'function' ? body(each) : body,
    }),
  });
  const creation = (operationId: string, code: string, body: (world: World) => unknown): Conflict => ({
    operationId,
    code,
    call: async (each) => ({ body: await body(each) }),
  });

  const conflicts: Conflict[] = [
    creation('createOrganization', 'CONSUMER_EXISTS', async ({ merchant, customer }) => ({
      name: 'Twin',
      type: 'consumer',
      merchantId: merchant.id,
      billingEmails: customer.organization.billingEmails,
    })),
    creation('createCustomer', 'EXTERNAL_ID_TAKEN', async ({ shop }) => {
      await shop.customer({ externalId: 'taken' });
      return { externalId: 'taken', consumer: { name: 'Twin', email: 'twin@example.com', address: {} } };
    }),
    creation('createCustomer', 'CUSTOMER_EXISTS', ({ customer: { organization } }) => ({
      consumer: { name: 'Twin', email: organization.billingEmails[0], address: {} },
    })),
    conflict('updateCustomer', 'EXTERNAL_ID_TAKEN', async ({ shop }) => shop.customer(), { externalId: 'taken' }),
    conflict('deleteCustomer', 'CUSTOMER_IN_USE', async ({ customer }) => customer),
    creation('createFeature', 'KEY_TAKEN', ({ product }) => ({
      key: 'seats',
      name: 'F',
      productId: product.id,
      type: 'static',
    })),
    conflict('updateFeature', 'KEY_TAKEN', (each) => carried(each, 'stools'), { key: 'seats' }),
    conflict('deleteFeature', 'FEATURE_IN_USE', (each) => carried(each, 'chairs')),
    conflict('updateBillableMetric', 'METRIC_IN_USE', priced, { aggregation: 'MAX' }),
    conflict('updateItem', 'ITEM_IN_USE', tagging, { catalogId: null }),
    conflict('deleteItem', 'ITEM_IN_USE', tagging),
    {
      operationId: 'updateFee',
      code: 'FEE_IN_USE',
      call: async ({ shop }) => ({
        params: { id: (await shop.feePrice()).feeId },
        body: { productId: (await shop.product()).id },
      }),
    },
    {
      operationId: 'deleteFee',
      code: 'FEE_IN_USE',
      call: async ({ shop }) => ({ params: { id: (await shop.feePrice()).feeId } }),
    },
    conflict('updatePrice', 'PRICE_IN_USE', planned, { properties: { unitPrice: '11' } }),
    conflict('deletePrice', 'PRICE_IN_USE', planned),
    conflict('updatePlan', 'PLAN_IN_USE', async ({ plan }) => plan, { currency: 'EUR' }),
    {
      operationId: 'updatePlanVersion',
      code: 'VERSION_IS_DEFAULT',
      call: async ({ plan }) => ({ params: { id: plan.id, versionNumber: '1' }, body: { status: 'archived' } }),
    },
    creation('createExternalReference', 'REFERENCE_TAKEN', ({ customer }) => ({
      entityType: 'customer',
      entityId: customer.id,
      provider,
      externalId: 'standing',
    })),
    conflict(
      'updateExternalReference',
      'REFERENCE_TAKEN',
      ({ shop, customer }) =>
        shop.create('/v0/externalReferences', {
          entityType: 'customer',
          entityId: customer.id,
          provider,
          externalId: 'free',
        }),
      { externalId: 'standing' },
    ),
    creation('createEvents', 'IDEMPOTENCY_KEY_REUSED', async ({ shop, customer }) => {
      await shop.use(customer.id, START, 1, { idempotencyKey: 'event' });
      return {
        type: 'call',
        source: 'test',
        subject: customer.id,
        timestamp: START,
        data: { units: 2 },
        idempotencyKey: 'event',
      };
    }),
    creation('createSubscription', 'IDEMPOTENCY_KEY_REUSED', async (each) => {
      const { body } = (await firstCall('createSubscription', each)) as { body: object };
      await each.shop.create('/v0/subscriptions', { ...body, idempotencyKey: 'twice' });
      return { ...body, name: 'Another', idempotencyKey: 'twice' };
    }),
    creation('createPayment', 'IDEMPOTENCY_KEY_REUSED', async (each) => {
      const body = { amount: '20.00', currency: 'EUR', idempotencyKey: 'another' };
      await each.shop.create('/v0/payments', body);
      return { ...body, amount: '21.00' };
    }),
    creation('createInvoice', 'IDEMPOTENCY_KEY_REUSED', async (each) => {
      const { body } = (await firstCall('createInvoice', each)) as { body: object };
      await each.shop.create('/v2/invoices', body);
      return { ...body, paymentTermDays: 30 };
    }),
    {
      operationId: 'createBillingCredit',
      code: 'IDEMPOTENCY_KEY_REUSED',
      call: async (each) => {
        const { params, body } = (await firstCall('createBillingCredit', each)) as Required<Call>;
        await each.shop.create(`/v0/customers/${params.id}/billingCredits`, body);
        return { params, body: { ...(body as object), amount: '2' } };
      },
    },
    {
      operationId: 'purchaseBillingCredit',
      code: 'IDEMPOTENCY_KEY_REUSED',
      call: async (each) => {
        const { params, body } = (await firstCall('purchaseBillingCredit', each)) as Required<Call>;
        await each.shop.create(`/v0/customers/${params.id}/billingCredits/purchase`, body);
        return { params, body: { ...(body as object), amount: '2' } };
      },
    },
    {
      operationId: 'setCreditTopUp',
      code: 'PAYMENT_METHOD_REQUIRED',
      call: async (each) => {
        const { body } = (await firstCall('setCreditTopUp', each)) as Required<Call>;
        return { params: { id: (await each.shop.customer()).id }, body };
      },
    },
    {
      operationId: 'voidBillingCredit',
      code: 'INVALID_TRANSITION',
      call: async (each) => {
        const { params } = (await firstCall('voidBillingCredit', each)) as Required<Call>;
        await each.shop.act(`/v0/billingCredits/${params.id}/void`);
        return { params };
      },
    },
    {
      operationId: 'endCommitment',
      code: 'INVALID_TRANSITION',
      call: async (each) => {
        const { params } = (await firstCall('endCommitment', each)) as Required<Call>;
        await each.shop.act(`/v0/commitments/${params.id}/end`);
        return { params };
      },
    },
    {
      operationId: 'updateCommitment',
      code: 'INVALID_TRANSITION',
      call: async (each) => {
        const { params } = (await firstCall('updateCommitment', each)) as Required<Call>;
        await each.shop.act(`/v0/commitments/${params.id}/end`);
        return { params, body: { onEnd: 'waived' } };
      },
    },
    conflict('updateSubscription', 'INVALID_TRANSITION', terminated, { taxExempt: true }),
    conflict('terminateSubscription', 'INVALID_TRANSITION', terminated, { reason: 'Again' }),
    conflict('reconcileSubscription', 'INVALID_TRANSITION', terminated),
    conflict('pauseSubscription', 'INVALID_TRANSITION', terminated),
    conflict('resumeSubscription', 'INVALID_TRANSITION', terminated),
    {
      operationId: 'endRedemption',
      code: 'INVALID_TRANSITION',
      call: async ({ shop }) => {
        const { subscription } = await shop.issued();
        const { id: couponId } = await shop.create('/v0/coupons', {
          name: 'Half',
          percentOff: '0.5',
          duration: 'once',
        });
        const { id: redemptionId } = await shop.create(`/v0/subscriptions/${subscription.id}/coupons`, { couponId });
        await shop.act(`/v0/subscriptions/${subscription.id}/termination`, { reason: 'Done' });
        return { params: { id: subscription.id, redemptionId } };
      },
    },
    {
      operationId: 'changeSubscriptionPlan',
      code: 'CHANGE_SCHEDULED',
      call: async ({ shop }) => {
        const { subscription } = await shop.issued();
        const body = { planId: (await shop.plan([await shop.feePrice()])).id };
        await shop.create(`/v0/subscriptions/${subscription.id}/changes`, { ...body, effective: 'periodEnd' });
        return { params: { id: subscription.id }, body };
      },
    },
    {
      operationId: 'cancelSubscriptionChange',
      code: 'INVALID_TRANSITION',
      call: async ({ shop }) => {
        const { subscription } = await shop.issued();
        const body = { planId: (await shop.plan([await shop.feePrice()])).id };
        const { change } = await shop.create(`/v0/subscriptions/${subscription.id}/changes`, body);
        return { params: { id: subscription.id, changeId: change.id } };
      },
    },
    {
      operationId: 'migratePlan',
      code: 'PLAN_MIGRATION_RUNNING',
      call: async ({ env, merchant, shop }) => {
        const { plan } = await planOfTwoVersions(shop, 1);
        await waitingMigration(env, merchant.id, plan.id);
        return { params: { id: plan.id }, body: { fromVersion: 1, toVersion: 2 } };
      },
    },
    {
      operationId: 'cancelPlanMigration',
      code: 'INVALID_TRANSITION',
      call: async ({ shop }) => {
        const { plan } = await planOfTwoVersions(shop, 1);
        const { id } = await shop.create(`/v0/plans/${plan.id}/migrations`, { fromVersion: 1, toVersion: 2 });
        return { params: { id: plan.id, migrationId: id } };
      },
    },
    conflict('createSubscriptionAdjustment', 'INVALID_TRANSITION', terminated, {
      type: 'percentageDiscount',
      percentageDiscount: '0.35',
      effectiveFrom: START,
    }),
    {
      operationId: 'deleteSubscriptionAdjustment',
      code: 'ADJUSTMENT_IN_USE',
      call: async ({ shop }) => {
        const clock = await shop.clock(START);
        const subscription = await shop.subscribe(await shop.plan([await shop.feePrice()]), { clock });
        const { id } = await shop.create(`/v0/subscriptions/${subscription.id}/adjustments`, {
          ...{ type: 'percentageDiscount', percentageDiscount: '0.35', effectiveFrom: START },
        });
        await shop.advance(clock, 'P1M');
        return { params: { id: subscription.id, adjustmentId: id } };
      },
    },
    creation('createLineItem', 'INVALID_TRANSITION', async ({ invoice }) => ({
      ...{ invoiceId: invoice.id, displayName: 'Late', currency: 'USD', quantity: 1, unitPrice: 1 },
    })),
    conflict('createGrant', 'ENTITLEMENT_ENDED', over, { amount: 1 }),
    conflict('resetEntitlement', 'ENTITLEMENT_ENDED', over, {}),
    {
      operationId: 'createEntitlement',
      code: 'ENTITLEMENT_EXISTS',
      call: async (each) => {
        const known = await firstCall('createEntitlement', each);
        await each.shop.create('/v1/entitlements', known.body);
        return known;
      },
    },
    conflict('approveInvoice', 'INVALID_TRANSITION', issued),
    conflict('cancelInvoice', 'INVALID_TRANSITION', async ({ invoice }) => invoice),
    {
      operationId: 'reissueInvoice',
      code: 'INVALID_TRANSITION',
      call: async (each) => ({ params: { id: (await draft(each)).id }, body: { reason: 'Wrong' } }),
    },
    conflict('writeOffInvoice', 'INVALID_TRANSITION', draft),
    conflict('closeInvoiceNow', 'INVALID_TRANSITION', issued),
    conflict('recalculateInvoice', 'INVALID_TRANSITION', issued),
    conflict('openInvoicePaymentSession', 'INVALID_TRANSITION', draft),
    {
      operationId: 'voidInvoiceRefund',
      code: 'INVALID_TRANSITION',
      call: async (each) => {
        const known = await firstCall('voidInvoiceRefund', each);
        await call('voidInvoiceRefund', each.merchant, known);
        return known;
      },
    },
    {
      operationId: 'creditInvoiceLines',
      code: 'SETTLEMENT_TOO_MUCH',
      call: async (each) => {
        const known = await firstCall('creditInvoiceLines', each);
        return { ...known, body: { ...(known.body as object), settlement: 'refund' } };
      },
    },
    {
      operationId: 'voidInvoiceCreditNote',
      code: 'INVALID_TRANSITION',
      call: async (each) => {
        const known = await firstCall('voidInvoiceCreditNote', each);
        await call('voidInvoiceCreditNote', each.merchant, known);
        return known;
      },
    },
    conflict('expirePaymentSession', 'INVALID_TRANSITION', completed),
    {
      operationId: 'decidePaymentDispute',
      code: 'INVALID_TRANSITION',
      call: async (each) => {
        const known = await firstCall('decidePaymentDispute', each);
        await call('decidePaymentDispute', each.merchant, known);
        return known;
      },
    },
    conflict('completePaymentSession', 'PAYMENT_SESSION_EXPIRED', expired, { paymentMethod: 'pm_ok' }),
    ofCancelledOrder('updateOrder', { metadata: {} }),
    ofCancelledOrder('deleteOrder'),
    ofCancelledOrder('createOrderLineItem', orderLine()),
    ofCancelledOrder('updateOrderLineItem', { quantity: '3' }),
    ofCancelledOrder('deleteOrderLineItem'),
    creation('createApproval', 'APPROVAL_PENDING', ({ approval }) => ({
      resourceType: 'order',
      resourceId: approval.resourceId,
    })),
    conflict('createOrderApproval', 'APPROVAL_PENDING', async ({ approval }) => ({ id: approval.resourceId })),
    conflict('updateApproval', 'INVALID_TRANSITION', takenBack, { decision: 'cancelled' }),
    creation('createBillingSchedule', 'INVALID_TRANSITION', async (each) =>
      scheduleBody({ orderId: (await cancelledSchedule(each)).orderId }),
    ),
    conflict('updateBillingSchedule', 'INVALID_TRANSITION', cancelledSchedule, { metadata: {} }),
    conflict('deleteBillingSchedule', 'INVALID_TRANSITION', cancelledSchedule),
    conflict('replaceScheduleIntervals', 'INVALID_TRANSITION', cancelledSchedule, { intervals: [] }),
    conflict('regenerateScheduleInvoices', 'INVALID_TRANSITION', cancelledSchedule),
    conflict('advanceTestClock', 'CLOCK_ADVANCING', advancing, { advanceBy: 'P1D' }),
    conflict('deleteTestClock', 'TEST_CLOCK_IN_USE', async ({ clock }) => clock),
  ];

  it.each(conflicts)('$code: $operationId', async ({ operationId, code, call: prepare }) => {
    const sent = await prepare(world);
    const before = await tables.snapshot(world.merchant.id);
    const answer = await call(operationId, ownerOf(declarationOf(operationId)), sent);
    expect(answer, answer.text).toMatchObject({ status: 409, body: { error: 'conflict', code } });
    expect(await tables.snapshot(world.merchant.id)).toEqual(before);
    if (code.endsWith('_IN_USE') && answer.body.details.blockers)
      for (const blocker of answer.body.details.blockers)
        expect(blocker).toEqual({
          type: expect.any(String),
          count: expect.any(Number),
          items: expect.toSatisfy((items: unknown[]) => items.length === Math.min(blocker.count, 10)),
        });
  });

  it('NO_PAYMENT_PROVIDER: setUpPaymentMethod', async () => {
    const { id } = await withoutProvider(stranger);
    const answer = await call('setUpPaymentMethod', stranger.merchant, { params: { id } });
    expect(answer).toMatchObject({ status: 409, body: { code: 'NO_PAYMENT_PROVIDER' } });
  });

  const idempotent = guarded.filter(({ method, idempotent: takesKey }) => method === 'POST' && takesKey !== false);
  it.each(named(idempotent))(
    'IDEMPOTENCY_KEY_REUSED: $name with the Idempotency-Key of another call',
    async ({ declaration }) => {
      const headers = { 'idempotency-key': 'one key' };
      const [first, second] = [await firstCall(declaration.operationId), await firstCall(declaration.operationId)];
      renameIn(second.body);
      const done = await call(declaration.operationId, ownerOf(declaration), { ...first, headers });
      expect(done.status, done.text).toBe(usual(declaration));
      const again = await call(declaration.operationId, ownerOf(declaration), { ...first, headers });
      expect([again.status, again.headers['idempotent-replayed'], again.text]).toEqual([
        done.status,
        'true',
        done.text,
      ]);
      const other = await call(declaration.operationId, ownerOf(declaration), { ...second, headers });
      expect(other, other.text).toMatchObject({ status: 409, body: { code: 'IDEMPOTENCY_KEY_REUSED' } });
    },
  );

  /** Two calls of one operation may be equal but for a name. */
  function renameIn(body: unknown): void {
    if (typeof body !== 'object' || body === null) return;
    if ('name' in body) body.name = 'Another';
    if ('invoiceDisplayName' in body) body.invoiceDisplayName = 'Another';
    if ('metrics' in body && Array.isArray(body.metrics)) renameIn(body.metrics[0]);
  }
});

describe('pages for people', () => {
  it('answer every status that they declare', async () => {
    const nobody = env.client();
    const form = { 'content-type': 'application/x-www-form-urlencoded' };
    const pay = (id: string, body = 'paymentMethod=pm_ok') =>
      call('payOnPage', nobody, { params: { id }, body, headers: form });
    const { id } = (await firstCall('payInvoice')).params as { id: string };
    const led = await call('payInvoice', nobody, { params: { id } });
    expect(led.status).toBe(303);
    const sessionId = String(led.headers.location).split('/').at(-1) as string;
    expect((await call('payInvoice', nobody, { params: { id: newId('invoice') } })).status).toBe(404);
    expect((await call('showPaymentPage', nobody, { params: { id: sessionId } })).status).toBe(200);
    expect((await call('showPaymentPage', nobody, { params: { id: newId('paymentSession') } })).status).toBe(404);
    expect((await pay(newId('paymentSession'))).status).toBe(404);
    expect((await call('returnToPaymentPage', nobody, { params: { id: sessionId } })).status).toBe(303);
    expect((await call('returnToPaymentPage', nobody, { params: { id: newId('paymentSession') } })).status).toBe(404);
    expect((await pay(sessionId, 'paymentMethod=pm_nothing')).headers.location).toContain('problem=chooseCard');
    expect((await pay(sessionId)).status).toBe(303);
    expect((await world.shop.invoice(id)).status).toBe('PAID');
    expect((await call('payInvoice', nobody, { params: { id } })).headers.location).toBe(id); // back to its page
    const expired = (await world.shop.issued()).invoice.paymentUrl.split('/').at(-1);
    await world.shop.act(`/v0/paymentSessions/${expired}/expire`);
    expect((await pay(expired)).headers.location).toContain('problem=notPayable');
  });

  it.each([
    'showInvoicePage',
    'showLogo',
    'downloadInvoice',
    'downloadEInvoice',
    'downloadCreditNote',
    'downloadReceipt',
  ])('%s answers every status that it declares', async (operationId) => {
    const nobody = env.client();
    const known = await firstCall(operationId);
    expect((await call(operationId, nobody, known)).status).toBe(200);
    const unknown = { params: { ...(known.params as object), id: newId('invoice') } };
    expect((await call(operationId, nobody, unknown)).status).toBe(404);
  });
});

it('the webhook of a source answers every status that it declares', async () => {
  const known = await firstCall('receiveSourceEvent');
  const receive = (by: Client, sent: Call & { headers?: Record<string, string> }) =>
    call('receiveSourceEvent', by, { ...known, ...sent });
  const { merchant, shop, plan, metric } = world;
  const disabled = await newSource(shop, { plan, metric });
  await shop.change(`/v0/sources/${disabled.id}`, { enabled: false });
  expect((await receive(merchant, {})).status).toBe(201);
  expect((await receive(merchant, {})).status).toBe(200);
  expect((await receive(merchant, { body: {} })).status).toBe(400);
  expect((await receive(env.client(), {})).status).toBe(401);
  expect((await receive(stranger.merchant, {})).status).toBe(403);
  expect((await receive(merchant, { params: { id: newId('source') } })).status).toBe(404);
  expect((await receive(merchant, { params: { id: disabled.id } })).status).toBe(409);
  expect((await receive(merchant, { body: JSON.stringify({ id: 'x'.repeat(256 * 1024) }) })).status).toBe(413);
  expect((await receive(merchant, { body: 'text', headers: { 'content-type': 'text/plain' } })).status).toBe(415);
  const [row] = await tables.query('select webhook_secret as sealed from source where id = $1', [disabled.id]);
  await tables.query(`update source set webhook_secret = 'v1.another.key' where id = $1`, [disabled.id]);
  expect(await receive(merchant, { params: { id: disabled.id } })).toMatchObject({
    status: 503,
    body: { code: 'SECRET_UNREADABLE' },
  });
  // In the end the auditor needs the key of every secret.
  await tables.query('update source set webhook_secret = $2 where id = $1', [disabled.id, row?.sealed]);
});

it('the webhook of a payment provider answers every status that it declares', async () => {
  const merchant = await env.merchant();
  await connectFake(env, merchant);
  const params = { provider: 'stripe', merchantId: merchant.id };
  const receive = (body: unknown, headers: Record<string, string> = {}) =>
    call('receiveProviderNotice', env.client(), { params, body, headers });
  const notice = { id: 'evt_1', kind: 'charge', objectReference: 'ch_1' };
  expect((await receive(notice, { 'fake-signature': NOTICE_SECRET })).status).toBe(200);
  expect((await receive(notice)).status).toBe(401);
  expect((await receive(JSON.stringify({ id: 'x'.repeat(256 * 1024) }))).status).toBe(413);
  expect((await receive('text', { 'content-type': 'text/plain' })).status).toBe(415);
});

describe('412', () => {
  const conditional = guarded.filter(({ method }) => ['PATCH', 'PUT', 'DELETE'].includes(method));

  it.each(named(conditional))('where the resource is not as If-Match says: $name', async ({ declaration }) => {
    const { operationId, path } = declaration;
    const { body: document } = await env.client().get('/openapi.json');
    const shown = document.paths[path.replaceAll(/:([A-Za-z]+)/g, '{$1}')][declaration.method.toLowerCase()];
    const known = await firstCall(operationId);
    const by = ownerOf(declaration);
    const changeIf = (tag: unknown) => call(operationId, by, { ...known, headers: { 'if-match': String(tag) } });
    if (!('412' in shown.responses)) {
      expect(fieldsOf(await changeIf('"another"'))).toEqual(['If-Match']);
      return;
    }
    const resource = urlOf(path.replace(/^(.*\/:[A-Za-z]+).*$/, '$1'), { params: known.params ?? {} });
    const { etag } = (await by.get(resource)).headers;
    expect(await changeIf('"another"')).toMatchObject({
      status: 412,
      body: { code: 'PRECONDITION_FAILED', details: { current: etag, changed: null } },
    });
    expect((await changeIf(`"another", ${etag}`)).status).toBe(usual(declaration));
  });
});

describe('a body that is not read', () => {
  const withBody = guarded.filter(({ body, bodyBytes }) => body || bodyBytes);

  it.each(named(withBody))('413 where it is larger than $name takes', async ({ declaration }) => {
    const known = await standingCall(declaration.operationId);
    const body = JSON.stringify({ name: 'x'.repeat(declaration.bodyLimit ?? 256 * 1024) });
    const answer = await call(declaration.operationId, ownerOf(declaration), { ...known, body });
    expect(answer).toMatchObject({ status: 413, body: { code: 'PAYLOAD_TOO_LARGE' } });
  });

  // Proves 1.conventions.json.
  it.each(named(withBody))('415 where it is not JSON: $name', async ({ declaration }) => {
    const known = await standingCall(declaration.operationId);
    const headers = { 'content-type': 'text/plain' };
    const answer = await call(declaration.operationId, ownerOf(declaration), { ...known, body: 'name=x', headers });
    expect(answer).toMatchObject({ status: 415, body: { code: 'UNSUPPORTED_MEDIA_TYPE' } });
  });
});

describe('503', () => {
  it('while the merchant’s events cannot be written: createEvents', { timeout: 20_000 }, async () => {
    await tables.query('begin');
    await tables.query('lock table event_key in exclusive mode');
    try {
      const { body } = await firstCall('createEvents');
      const answer = await call('createEvents', world.merchant, { body });
      expect(answer).toMatchObject({ status: 503, body: { error: 'unavailable' } });
      expect(answer.headers['retry-after']).toBeTruthy();
    } finally {
      await tables.query('rollback');
    }
  });
});

/** Declared of every operation, and never answered by these. */
const OUT_OF_REACH = new Set([
  'getMe 403', // any holder of a key may read its own identity
  'getMe 404',
  'showPaymentPage 303', // started sign-ups: stories/sign-up
  'getEvent 403', // api.md, Merchant: another merchant's event is a 404
  'explainEvent 403',
]);

it('has answered each status that is declared, and no other', async () => {
  const { body } = await env.client().get('/openapi.json');
  const declared = new Set<string>();
  for (const methods of Object.values<Record<string, { operationId: string; responses: object }>>(body.paths))
    for (const { operationId, responses } of Object.values(methods))
      for (const status of Object.keys(responses)) if (byId.has(operationId)) declared.add(`${operationId} ${status}`);
  for (const { operationId, replies, errors = [] } of declarations.filter(
    (each) => each.hidden && !isWalkedThrough(each),
  ))
    for (const status of [...Object.keys(replies), ...errors]) declared.add(`${operationId} ${status}`);
  // 500: a fault of ours; 429 and 503: the edge answers them for every operation, and its own tests force them
  const isForced = (each: string) => !(/ (?:429|500|503)$/.test(each) || OUT_OF_REACH.has(each));
  const expected = [...declared].filter(isForced);
  expect(
    expected.filter((each) => !seen.has(each)),
    'declared and never answered',
  ).toEqual([]);
  expect([...seen].filter((each) => !declared.has(each)).toSorted(), 'answered and not declared').toEqual([]);
});

/** A value that no field of this schema takes. */
const misfit = (schema: TSchema): unknown => (takesLists(schema) ? 'text' : [[]]);
const takesLists = (schema: TSchema): boolean =>
  ('type' in schema && schema.type === 'array') || ('anyOf' in schema && (schema.anyOf as TSchema[]).some(takesLists));

/** Texts that may be anything, so that `!` is one. */
const isFreeText = (schema: TSchema): boolean => {
  if ('anyOf' in schema) return (schema.anyOf as TSchema[]).some(isFreeText);
  return (
    'type' in schema &&
    schema.type === 'string' &&
    !('pattern' in schema) &&
    !('format' in schema) &&
    !('enum' in schema)
  );
};

/** Another id of the same kind. */
function unknownLike(id: string): string {
  const [prefix] = id.split('_');
  if (!id.includes('_')) return '999';
  return id.startsWith('inv_')
    ? newId('invoice' satisfies IdKind)
    : `${prefix}_${newId('lineItem').slice(3, 3 + id.length - (prefix as string).length - 1)}`;
}
