import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newId } from '../../src/kernel/ids.ts';
import { openTestEnvironment, type TestEnvironment } from '../support/environment.ts';
import { operations, urlOf } from '../support/operations.ts';
import { orderLine } from '../support/orders.ts';
import { allDeclarations, propertiesOf, type RouteDeclaration } from '../support/routes.ts';
import { intervalBody, putIntervals } from '../support/schedules.ts';
import type { Resource } from '../support/shop.ts';
import { addUnmatchedPayment } from '../support/unmatched-payment.ts';
import { FAR_AHEAD, newSourceEvent, openWorld, storeMethod, type World } from '../support/world.ts';

/**
 * Every list is one envelope, newest first, and its pages together have each record once (§1; api.md, Lists;
 * reliability I-63).
 */
const declarations = await allDeclarations();
const REPORTS = ['getUnbilledUsage', 'getCostReport']; // they page their groups
const lists = declarations
  .filter(({ operationId, query }) => 'offset' in propertiesOf(query) && !REPORTS.includes(operationId))
  .map((declaration) => ({ name: declaration.operationId, declaration }));

let env: TestEnvironment;
let world: World;
let foreign: World;
beforeAll(async () => {
  env = await openTestEnvironment();
  world = await openWorld(env);
  foreign = await openWorld(env);
  const { shop, merchant, customer, metric, invoice, plan } = world;
  for (const { method, path, operationId } of declarations) {
    if (method !== 'POST' || path.includes(':') || operationId === 'createOrganization') continue;
    for (const scenario of operations[operationId] ?? [])
      for (const _ of [1, 2])
        expect((await merchant.post(path, (await scenario(world)).body)).status).toBeLessThan(300);
  }
  for (const units of [1, 2, 3]) await shop.use(customer.id, '2026-01-10T00:00:00Z', units, { externalId: 'order-1' });
  for (const name of ['one', 'two', 'three']) await shop.create(`/v0/users/${merchant.userId}/apikeys`, { name });
  for (const _ of [1, 2])
    await shop.create(`/v0/plans/${plan.id}/versions`, {
      addPrices: [(await shop.usagePrice({ billableMetricId: metric.id })).id],
    });
  await storeMethod(shop, customer);
  for (const _ of [1, 2]) await addUnmatchedPayment(env, merchant.id);
  await merchant.put('/v0/merchantIntegrations', { provider: 'hr' });
  await shop.create(`/v0/orders/${world.order.id}/lineItems`, orderLine());
  await putIntervals(shop, world.schedule, [intervalBody({ unitPrice: '5' }), intervalBody({ unitPrice: '6' })]);
  await newSourceEvent(shop, world.source);
  for (const idempotencyKey of ['one', 'two']) {
    const topUp = { amount: '5', currency: 'CHF', idempotencyKey };
    const { paymentSessions } = await shop.create(`/v0/customers/${customer.id}/wallet/topUps`, topUp);
    await shop.pay({ paymentUrl: paymentSessions[0].url });
  }
  for (const percentageDiscount of ['0.1', '0.2'])
    await shop.create(`/v0/subscriptions/${world.subscription.id}/adjustments`, {
      type: 'percentageDiscount',
      percentageDiscount,
      effectiveFrom: FAR_AHEAD,
    });
  for (const name of ['one', 'two']) {
    const coupon = await shop.create('/v0/coupons', { name, percentOff: '0.5', duration: 'once' });
    await shop.create(`/v0/subscriptions/${world.subscription.id}/coupons`, { couponId: coupon.id });
  }
  const { id: customerId } = world.customer;
  await shop.create(`/v0/customers/${customerId}/billingCredits`, {
    ...{ name: 'Second', amount: '1', currency: 'USD', idempotencyKey: 'second' },
  });
  const { id: subscriptionId, currency } = world.subscription;
  await shop.create('/v0/commitments', {
    ...{ customerId, subscriptionId, name: 'Second', currency, type: 'postpaid' },
    segments: [{ startDate: '2150-01-01T00:00:00Z', endDate: '2151-01-01T00:00:00Z', amount: '1' }],
  });
  for (const _ of [1, 2]) {
    await env.deliverWebhooks();
    await shop.act(`/v0/webhookEvents/${world.webhookEvent.id}/redeliver`);
  }
  const ofEntitlement = `/v1/entitlements/${world.entitlement.id}`;
  await shop.create(`${ofEntitlement}/grants`, { amount: 5 });
  await shop.create(`${ofEntitlement}/reservations`, { amount: 1, expiresAt: FAR_AHEAD });
  await env.runDueWork(); // the alert triggers, and again in a new usage period
  await shop.act(`${ofEntitlement}/reset`);
  await env.runDueWork();
  await shop.act(`/v2/invoices/${invoice.id}/refunds/${world.refund.id}/void`);
  await shop.create(`/v2/invoices/${invoice.id}/refunds`);
});
afterAll(() => env.close());

/** With a `limit` of 100 all rows, on any number of pages. */
async function list(declaration: RouteDeclaration, query: Record<string, string> = {}): Promise<Resource> {
  const first = await page(declaration, query);
  if (query.limit !== '100') return first;
  const data = [...first.data];
  while (data.length < first.pagination.total)
    data.push(...(await page(declaration, { ...query, offset: String(data.length) })).data);
  return { ...first, data };
}

async function page(
  { operationId, path }: RouteDeclaration,
  query: Record<string, string> = {},
  of = world,
): Promise<Resource> {
  const known = await operations[operationId]?.[0](of);
  const url = urlOf(path, { ...known, query: { ...known?.query, ...query } });
  const answer = await of.merchant.get(url);
  expect(answer.status, `${url} ${answer.text}`).toBe(200);
  return answer.body;
}

/** Lists of records without an id of their own. */
const keyOf = (row: Resource): string => row.id ?? JSON.stringify(row);

/** The id that `after` takes for the last row of a page. */
const lastIdOf = ({ pagination }: Resource): string => pagination.nextAfter.split('.')[0];

/** Rows of several kinds. */
const MIXED = new Set(['listLineItems', 'listPaymentExceptions']);
/** Their rows are not registered with an owner. */
const OWNERLESS = new Set([
  'listEvents',
  'listMetricEvents',
  'listAuditLog',
  'listWalletEntries',
  'listWebhookAttempts',
  'listWebhookInbox',
  'listLineItems',
  'listPaymentExceptions',
]);
/** A merchant with one of everything has no row of these. */
const EMPTY = new Set([
  'listAvailablePlans',
  'listSubscriptionAdjustments',
  'listWalletEntries',
  'listAlertTriggers',
  'listPaymentExceptions',
]);

describe('every list', () => {
  // Proves 1.conventions.list, 1.conventions.object, 4.orders.list, 4.entitlements.grants.
  it.each(lists)('$name has the envelope of §1, and its pages together are the whole', async ({ declaration }) => {
    const whole = await list(declaration, { limit: '100' });
    expect(whole).toMatchObject({ object: 'list', pagination: { limit: 100, offset: 0, total: whole.data.length } });
    expect(whole.data.length, 'too few rows to tell').toBeGreaterThan(1);
    expect(whole.data.filter(({ object }: Resource) => typeof object !== 'string')).toEqual([]);
    const walked: string[] = [];
    for (let offset = 0; offset < whole.data.length + 2; offset += 2) {
      const page = await list(declaration, { limit: '2', offset: String(offset) });
      expect(page.pagination).toMatchObject({ limit: 2, offset, total: whole.data.length });
      expect(page.data.length).toBe(Math.max(0, Math.min(2, whole.data.length - offset)));
      walked.push(...page.data.map(keyOf));
    }
    expect(walked).toEqual(whole.data.map(keyOf));
    expect(new Set(walked).size).toBe(walked.length);
  });

  it.each(lists)('$name is the whole when each page begins after the last', async ({ name, declaration }) => {
    const whole = await list(declaration, { limit: '100' });
    const walked: Resource[] = [];
    const plain: Resource[] = [];
    for (let after: string | null = null, pages = 0; pages === 0 || after !== null; pages += 1) {
      expect(pages, 'pages without end').toBeLessThan(whole.data.length);
      const { data, pagination } = await page(declaration, { limit: '2', ...(after !== null && { after }) });
      expect(pagination).toMatchObject({ limit: 2, offset: 0, total: whole.pagination.total });
      if (pagination.nextAfter !== null)
        plain.push((await page(declaration, { limit: '1', after: lastIdOf({ pagination }) })).data[0]);
      walked.push(...data);
      after = pagination.nextAfter;
    }
    const all = whole.pagination.nextAfter === null ? whole.data : walked;
    expect(walked.map(keyOf)).toEqual(all.map(keyOf));
    // with the id alone, webhook events come in the order of their commits
    if (name === 'listWebhookEvents') return;
    expect(plain.map(keyOf)).toEqual(walked.filter((_, index) => index > 0 && index % 2 === 0).map(keyOf));
  });

  it.each(lists)('$name takes no `after` that is not its own', async ({ name, declaration }) => {
    const known = await operations[declaration.operationId]?.[0](world);
    const ask = (query: Record<string, string>) =>
      world.merchant.get(urlOf(declaration.path, { ...known, query: { ...known?.query, ...query } }));
    const first = await page(declaration, { limit: '1' });
    const id = lastIdOf(first);
    const unknown = `${id.slice(0, -4)}0000`;
    const tampered = first.pagination.nextAfter.replace(id, unknown);
    for (const [query, status] of [
      [{ after: id, offset: '0' }, 400],
      [{ after: '%%' }, 400],
      [{ after: unknown }, 404],
      [{ after: tampered }, 404],
    ] as const)
      expect((await ask(query)).status, JSON.stringify(query)).toBe(status);
    const ofAnotherKind = MIXED.has(name) ? 404 : 400;
    expect((await ask({ after: newId(id.startsWith('mint_') ? 'plan' : 'merchantIntegration') })).status).toBe(
      ofAnotherKind,
    );
    const theirs = await page(declaration, { limit: '1' }, foreign);
    const theirId = theirs.data[0]?.id ?? theirs.data[0]?.subscriptionId;
    expect(theirId === undefined, 'has another merchant a row?').toBe(EMPTY.has(name));
    if (theirId === undefined) return;
    expect((await ask({ after: theirId })).status).toBe(OWNERLESS.has(name) ? 404 : 403);
  });

  /** Made on test clocks, at the times of those. */
  const SIMULATED = new Set([
    'listSubscriptions',
    'listInvoices',
    'listInvoiceRefunds',
    'listPaymentSessions',
    'listMails',
    'listOrders',
    'listBillingSchedules',
    'listWebhookEvents',
    'listAlerts',
  ]);
  const IN_CONTRACT_ORDER = new Set(['listScheduleIntervals', 'listScheduleInvoices']);
  const made = lists.filter(({ name }) => !SIMULATED.has(name) && !IN_CONTRACT_ORDER.has(name));
  it.each(made)('$name is newest first', async ({ declaration }) => {
    const { data } = await list(declaration, { limit: '100' });
    const times: string[] = data.flatMap(({ createdAt }: Resource) => createdAt ?? []);
    const older = (time: string, next: string) => Temporal.Instant.compare(time, next) < 0;
    expect(times.filter((time, index) => older(time, times[index + 1] ?? time))).toEqual([]);
  });

  it.each(lists)('$name shows as many as its page says where nobody asks', async ({ declaration }) => {
    const { pagination } = await list(declaration);
    const limits: Record<string, number> = {
      listItems: 50,
      listExternalReferences: 50,
      listEvents: 20,
      listMetricEvents: 20,
      listGrants: 20,
      listLineItems: 100,
      listOrders: 50,
      listOrderLineItems: 50,
      listApprovals: 50,
      listScheduleIntervals: 100,
      listScheduleInvoices: 100,
    };
    expect(pagination).toMatchObject({ limit: limits[declaration.operationId] ?? 10, offset: 0 });
  });
});

describe('every filter that is a field of the rows', () => {
  /** Looked for inside the field, or in a field of another name. */
  const LOOSE = new Set(['listOrganizations name', 'listCustomers name']);
  const filters = lists.flatMap(({ declaration }) =>
    Object.keys(propertiesOf(declaration.query))
      .filter(
        (field) =>
          !['limit', 'offset', 'merchantId', 'from', 'to', 'include', 'nextActionAt', 'after', 'updatedFrom'].includes(
            field,
          ),
      )
      .filter((field) => !LOOSE.has(`${declaration.operationId} ${field}`))
      .map((field) => ({ name: declaration.operationId, field, declaration })),
  );

  it.each(filters)('$name by $field shows those and no others', async ({ declaration, field }) => {
    const { data } = await list(declaration, { limit: '100' });
    const values = new Map<string, unknown>(
      data.flatMap((row: Resource) =>
        row[field] === undefined || row[field] === null ? [] : [[`${row[field]}`, row[field]]],
      ),
    );
    for (const [text, value] of [...values].slice(0, 4)) {
      const found = await list(declaration, { limit: '100', [field]: text });
      const expected = data.filter((row: Resource) => row[field] === value);
      expect(found.data.map(keyOf), `${field}=${text}`).toEqual(expected.map(keyOf));
      expect(found.pagination.total).toBe(expected.length);
    }
  });
});
