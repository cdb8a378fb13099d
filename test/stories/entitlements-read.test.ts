import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sql } from '../../src/db/index.ts';
import { type Merchant, sharedEnvironment, type TestEnvironment } from '../support/environment.ts';
import { type Resource, type Shop, START, shopOf } from '../support/shop.ts';

/**
 * Readings of entitlements over HTTP: balances now, in the past and ahead, lists, access and history (domain.md §5).
 */
let env: TestEnvironment;
beforeAll(async () => {
  env = await sharedEnvironment();
});
afterAll(() => env.close());

interface Story {
  merchant: Merchant;
  shop: Shop;
  metric: Resource;
  clock: Resource;
  plan: Resource;
  subscription: Resource;
  entitlement: Resource;
}

const MONTHLY = { type: 'metered', usagePeriod: { interval: 'P1M' }, issueAfterReset: 100 };

/**
 * A merchant with a plan and a subscription to it from January on. The price of the plan's metric has a metered
 * feature.
 */
async function openStory(template: Record<string, unknown> = MONTHLY): Promise<Story> {
  const merchant = await env.merchant();
  const shop = shopOf(merchant);
  const metric = await shop.metric();
  const feature = await shop.create('/v0/features', {
    key: 'calls',
    name: 'Calls',
    productId: metric.productId,
    type: 'metered',
  });
  const price = await shop.usagePrice({
    billableMetricId: metric.id,
    feature: { featureId: feature.id, entitlementTemplate: template },
  });
  const plan = await shop.plan([price]);
  const clock = await shop.clock(START);
  const subscription = await shop.subscribe(plan, { clock });
  const { data } = await shop.read(`/v1/entitlements?subscriptionId=${subscription.id}`);
  return { merchant, shop, metric, clock, plan, subscription, entitlement: data[0] };
}

/** `balance usageInPeriod overage`. */
async function figures({ shop, entitlement }: Story, at?: string): Promise<string> {
  const query = at === undefined ? '' : `?at=${at}`;
  const { balance, usageInPeriod, overage } = await shop.read(`/v1/entitlements/${entitlement.id}${query}`);
  return `${balance} ${usageInPeriod} ${overage}`;
}

const outbox = (merchant: Merchant) =>
  env.database.transaction({ merchants: [merchant.id] }, (tx) =>
    tx.rows<{ type: string; data: Record<string, unknown> }>(
      sql`select type, data from outbox where type like 'entitlement.%' order by seq`,
    ),
  );

describe('an entitlement', () => {
  it('shows its balance, its usage period and what it measures', async () => {
    const { merchant, shop, metric, plan, subscription, entitlement } = await openStory();
    await shop.use(subscription.id, '2026-01-10T00:00:00Z', '12.5');
    expect(await shop.read(`/v1/entitlements/${entitlement.id}`)).toEqual({
      id: expect.stringMatching(/^ent_/),
      merchantId: merchant.id,
      object: 'entitlement',
      customerId: subscription.customerId,
      featureId: entitlement.featureId,
      featureKey: 'calls',
      featureType: 'metered',
      productId: metric.productId,
      planId: plan.id,
      subscriptionId: subscription.id,
      status: 'active',
      activeFrom: START,
      activeTo: null,
      hasAccess: true,
      metadata: {},
      config: null,
      isSoftLimit: false,
      balance: 87.5,
      usageInPeriod: 12.5,
      overage: 0,
      reserved: 0,
      currentPeriodStart: START,
      currentPeriodEnd: '2026-02-01T00:00:00Z',
      lastResetAt: null,
      billableMetrics: [metric.id],
      pricingUnitId: null,
    });
  });

  // Proves 4.entitlements.at, 4.entitlements.get.
  it('answers for any instant, past or ahead, whatever its clock shows, and a late event changes them all from its time on', async () => {
    const story = await openStory();
    const { shop, clock, subscription } = story;
    await shop.use(subscription.id, '2026-01-10T00:00:00Z', 30);
    await shop.use(subscription.id, '2026-02-10T00:00:00Z', 120);
    const instants = [
      '2026-01-10T00:00:00Z',
      '2026-01-10T00:00:01Z',
      '2026-02-01T00:00:00Z',
      '2026-02-11T00:00:00Z',
      '2026-03-01T00:00:00Z',
    ];
    const all = async () => {
      const seen = [];
      for (const at of instants) seen.push(await figures(story, at));
      return seen;
    };
    const before = ['100 0 0', '70 30 0', '100 0 0', '0 120 20', '100 0 0'];
    expect(await all()).toEqual(before);
    expect(await figures(story)).toBe('70 30 0');
    await shop.advance(clock, '2026-02-01T00:00:00Z');
    expect(await figures(story)).toBe('0 120 20');
    await shop.advance(clock, '2026-05-15T00:00:00Z');
    expect(await all()).toEqual(before);
    expect(await figures(story)).toBe('100 0 0');
    await shop.use(subscription.id, '2026-01-05T00:00:00Z', 50);
    await shop.use(subscription.id, '2026-05-02T00:00:00Z', 1);
    expect(await all()).toEqual(['50 50 0', '20 80 0', '100 0 0', '0 120 20', '100 0 0']);
    expect(await figures(story)).toBe('99 1 0');
  });

  it('carries over what its template lets it, month after month', async () => {
    const story = await openStory({ ...MONTHLY, resetMaxRollover: 25 });
    const { shop, clock, subscription } = story;
    await shop.use(subscription.id, '2026-01-10T00:00:00Z', 80);
    await shop.use(subscription.id, '2026-02-10T00:00:00Z', 130);
    const seen = [];
    for (const month of ['02', '03', '04', '05']) {
      await shop.advance(clock, `2026-${month}-02T00:00:00Z`);
      seen.push(await figures(story));
    }
    // 20 are left of January; all 120 and 10 more are used in February. March leaves 100, of which 25 stay, and so does
    // each after it.
    expect(seen).toEqual(['0 130 10', '100 0 0', '125 0 0', '150 0 0']);
  });

  it('reports each reset once, and writes its grant', async () => {
    const { merchant, shop, clock, subscription, entitlement } = await openStory();
    await shop.advance(clock, '2026-03-01T00:00:00Z');
    const resets = (await outbox(merchant)).filter(({ type }) => type === 'entitlement.reset.v0');
    expect(resets.map(({ data }) => data)).toEqual(
      [1, 2].map(() =>
        expect.objectContaining({
          entitlementId: entitlement.id,
          customerId: subscription.customerId,
          subscriptionId: subscription.id,
        }),
      ),
    );
    const { data } = await shop.read(`/v1/entitlements/${entitlement.id}/grants`);
    expect(data.map(({ amount, effectiveAt }: Resource) => `${amount} ${effectiveAt}`)).toEqual([
      '100 2026-03-01T00:00:00Z',
      '100 2026-02-01T00:00:00Z',
      '100 2026-01-01T00:00:00Z',
    ]);
  });

  it('is canceled with its subscription, and keeps the figures of its end', async () => {
    const story = await openStory();
    const { shop, clock, subscription, entitlement } = story;
    await shop.use(subscription.id, '2026-01-10T00:00:00Z', 30);
    await shop.advance(clock, '2026-01-20T00:00:00Z');
    await shop.act(`/v0/subscriptions/${subscription.id}/termination`, { reason: 'Moved' });
    await shop.advance(clock, '2026-04-01T00:00:00Z');
    const ended = await shop.read(`/v1/entitlements/${entitlement.id}`);
    expect(ended).toMatchObject({
      status: 'canceled',
      hasAccess: false,
      activeTo: '2026-01-20T00:00:00Z',
      balance: 70,
    });
    const past = await shop.read(`/v1/entitlements/${entitlement.id}?at=2026-01-11T00:00:00Z`);
    expect(past).toMatchObject({ status: 'active', hasAccess: true, balance: 70 });
  });

  it.each([
    { what: 'a hard limit that is used up', isSoftLimit: false, used: 100, hasAccess: false },
    { what: 'a hard limit with something left', isSoftLimit: false, used: '99.99999999', hasAccess: true },
    { what: 'a soft limit that is used up', isSoftLimit: true, used: 150, hasAccess: true },
  ])('gives access by what is left: $what', async ({ isSoftLimit, used, hasAccess }) => {
    const { shop, subscription, entitlement } = await openStory({ ...MONTHLY, isSoftLimit });
    await shop.use(subscription.id, START, used);
    expect(await shop.read(`/v1/entitlements/${entitlement.id}`)).toMatchObject({ hasAccess });
  });

  it('of one time has no usage period', async () => {
    const { shop, entitlement } = await openStory({ type: 'metered', issueAfterReset: 10 });
    const times = { currentPeriodStart: null, currentPeriodEnd: null, lastResetAt: null };
    expect(await shop.read(`/v1/entitlements/${entitlement.id}?at=2030-01-01T00:00:00Z`)).toMatchObject({
      ...times,
      balance: 10,
    });
  });

  it('of another merchant is a 403, and an unknown one a 404', async () => {
    const { entitlement } = await openStory();
    const stranger = await env.merchant();
    for (const path of ['', '/history'])
      expect((await stranger.get(`/v1/entitlements/${entitlement.id}${path}`)).status).toBe(403);
    expect((await stranger.get('/v1/entitlements/ent_unknown')).status).toBe(404);
  });
});

describe('a list of entitlements', () => {
  // Proves 4.entitlements.list.
  it('is filtered by whose they are, and what to', async () => {
    const { merchant, shop, metric, plan, clock, subscription, entitlement } = await openStory();
    const customer = await shop.customer({ externalId: 'acme' });
    const other = await shop.subscribe(plan, { clock, customer });
    const [second] = (await shop.read(`/v1/entitlements?subscriptionId=${other.id}`)).data;
    const ids = async (query: string) =>
      (await shop.read(`/v1/entitlements?${query}`)).data.map(({ entitlementId }: Resource) => entitlementId);
    const both = [second.id, entitlement.id];
    const table: [string, string[]][] = [
      ['', both],
      [`customerId=${subscription.customerId}`, [entitlement.id]],
      ['externalCustomerId=acme', [second.id]],
      ['externalCustomerId=nobody', []],
      [`productId=${metric.productId}`, both],
      ['featureKey=calls', both],
      ['featureKey=seats', []],
      [`merchantId=${merchant.id}&subscriptionId=${other.id}`, [second.id]],
    ];
    for (const [query, expected] of table) expect(await ids(query), query).toEqual(expected);
    const twice = await merchant.get(`/v1/entitlements?customerId=${customer.id}&externalCustomerId=acme`);
    expect(twice.status).toBe(400);
    expect(twice.body.errors).toMatchObject([{ field: 'externalCustomerId' }]);
  });

  // Proves 4.entitlements.at.
  it('shows each as alone, at its own time or at a requested one', async () => {
    const story = await openStory();
    const { shop, clock, subscription, entitlement } = story;
    await shop.use(subscription.id, '2026-02-10T00:00:00Z', 40);
    await shop.advance(clock, '2026-02-11T00:00:00Z');
    for (const query of ['', '?at=2026-02-10T00:00:00Z']) {
      const { data } = await shop.read(`/v1/entitlements${query}`);
      const alone = await shop.read(`/v1/entitlements/${entitlement.id}${query}`);
      expect(data).toEqual([{ ...alone, entitlementId: entitlement.id }]);
    }
  });

  it('covers all merchants for an operator', async () => {
    const { shop, subscription, entitlement } = await openStory();
    await shop.use(subscription.id, START, 5);
    const stranger = await openStory();
    const { body } = await env.platform.get('/v1/entitlements?limit=100');
    const found = new Map(body.data.map((row: Resource) => [row.id, row.balance]));
    expect([found.get(entitlement.id), found.get(stranger.entitlement.id)]).toEqual([95, 100]);
  });

  it('of what is active leaves out what has ended, and says when it looked', async () => {
    const { shop, metric, plan, clock, subscription, entitlement } = await openStory();
    const path = `/v0/entitlements/activeEntitlements?customerId=${subscription.customerId}`;
    await shop.advance(clock, '2026-01-20T00:00:00Z');
    const active = {
      id: entitlement.id,
      object: 'entitlement',
      billableMetrics: [metric.id],
      customerId: subscription.customerId,
      planId: plan.id,
      productId: metric.productId,
      subscriptionId: subscription.id,
      verifiedAt: '2026-01-20T00:00:00Z',
    };
    expect((await shop.read(path)).data).toEqual([active]);
    await shop.act(`/v0/subscriptions/${subscription.id}/termination`, { reason: 'Moved' });
    expect((await shop.read(path)).data).toEqual([]);
  });
});

describe('what a customer may use', () => {
  it('is one answer for every feature: any entitlement gives access, balances are added up', async () => {
    const { merchant, shop, metric, plan, clock, subscription, entitlement } = await openStory();
    const customer = await shop.read(`/v0/customers/${subscription.customerId}`);
    const second = await shop.subscribe(plan, { clock, customer });
    const theme = await shop.create('/v0/features', {
      key: 'theme',
      name: 'Theme',
      productId: metric.productId,
      type: 'static',
    });
    const fixed = await shop.create('/v1/entitlements', {
      customerId: customer.id,
      featureId: theme.id,
      subscriptionId: second.id,
      template: { type: 'static', config: { colours: ['red'] } },
    });
    await shop.use(subscription.id, START, 130);
    const access = async (query = '') => (await shop.read(`/v1/customers/${customer.id}/access${query}`)).features;
    const ofPlans = (await shop.read(`/v1/entitlements?customerId=${customer.id}&featureKey=calls`)).data;
    const calls = {
      featureKey: 'calls',
      featureId: entitlement.featureId,
      productId: metric.productId,
      type: 'metered',
      hasAccess: true,
      reason: null,
      balance: 100,
      entitlementIds: ofPlans.map(({ id }: Resource) => id).toReversed(),
    };
    expect(await access()).toEqual([
      calls,
      {
        featureKey: 'theme',
        featureId: theme.id,
        productId: metric.productId,
        type: 'static',
        hasAccess: true,
        reason: null,
        config: { colours: ['red'] },
        entitlementIds: [fixed.id],
      },
    ]);
    const empty = await shop.product();
    expect(await access(`?productId=${empty.id}`)).toEqual([]);
    expect(await access('?at=2025-12-31T23:59:59Z')).toEqual([]);
    expect((await merchant.get('/v1/customers/cus_unknown/access')).status).toBe(404);

    expect(await access('?featureKey=calls')).toEqual([calls]);
    expect(await access('?featureKey=unknown')).toEqual([]);
    const whole = await shop.read(`/v1/customers/${customer.id}/access`);
    expect(whole).toMatchObject({ object: 'customerAccess', customerId: customer.id });
    await merchant.patch(`/v0/customers/${customer.id}`, { externalId: 'workspace-7' });
    const path = '/v1/customers/access?externalCustomerId=workspace-7';
    expect(await shop.read(path)).toEqual(whole);
    expect((await shop.read(`${path}&featureKey=theme`)).features).toEqual(whole.features.slice(1));
    const unknown = await merchant.get('/v1/customers/access?externalCustomerId=workspace-8');
    expect(unknown).toMatchObject({ status: 404, body: { details: { field: 'externalCustomerId' } } });
    const stranger = await env.merchant();
    expect((await stranger.get(path)).status).toBe(404);
    expect((await env.platform.get(path)).status).toBe(400);
    expect((await env.platform.get(`${path}&merchantId=${merchant.id}`)).body).toEqual(whole);
  });
});

describe('the history of a balance', () => {
  it('goes window by window: each begins with what happens at its start, and ends before the next', async () => {
    const { shop, clock, subscription, entitlement } = await openStory({ ...MONTHLY, resetMaxRollover: 15 });
    await shop.use(subscription.id, '2026-01-30T08:00:00Z', 80);
    await shop.use(subscription.id, '2026-02-01T08:00:00Z', 130);
    await shop.advance(clock, '2026-02-02T00:00:00Z');
    const path = `/v1/entitlements/${entitlement.id}/history`;
    const { windows } = await shop.read(`${path}?from=2026-01-30T06:00:00Z&to=2026-02-02T00:00:00Z`);
    const [january, february] = (await shop.read(`/v1/entitlements/${entitlement.id}/grants`)).data
      .map(({ id }: Resource) => id)
      .toReversed();
    const window = (from: string, to: string, row: Record<string, unknown>) => ({ from, to, ...row });
    expect(windows).toEqual([
      window('2026-01-30T06:00:00Z', '2026-01-31T00:00:00Z', {
        balanceAtStart: 100,
        usage: 80,
        overage: 0,
        balanceAtEnd: 20,
        grants: [{ grantId: january, burned: 80, balance: 20 }],
      }),
      window('2026-01-31T00:00:00Z', '2026-02-01T00:00:00Z', {
        balanceAtStart: 20,
        usage: 0,
        overage: 0,
        balanceAtEnd: 20,
        grants: [{ grantId: january, burned: 0, balance: 20 }],
      }),
      window('2026-02-01T00:00:00Z', '2026-02-02T00:00:00Z', {
        balanceAtStart: 115,
        usage: 130,
        overage: 15,
        balanceAtEnd: 0,
        grants: [
          { grantId: january, burned: 15, balance: 0 },
          { grantId: february, burned: 100, balance: 0 },
        ],
      }),
    ]);
    const monthly = await shop.read(`${path}?from=${START}&windowSize=MONTH`);
    expect(
      monthly.windows.map(({ from, to, usage, balanceAtEnd }: Resource) => [from, to, usage, balanceAtEnd]),
    ).toEqual([
      [START, '2026-02-01T00:00:00Z', 80, 20],
      ['2026-02-01T00:00:00Z', '2026-02-02T00:00:00Z', 130, 0],
    ]);
  });

  it('names what was burned of a grant that is gone before the window ends', async () => {
    const { shop, subscription, entitlement } = await openStory();
    const grant = await shop.create(`/v1/entitlements/${entitlement.id}/grants`, {
      amount: 50,
      priority: -1,
      effectiveAt: START,
      expiresAt: '2026-01-10T12:00:00Z',
    });
    await shop.use(subscription.id, '2026-01-10T11:59:59Z', 20);
    const { windows } = await shop.read(
      `/v1/entitlements/${entitlement.id}/history?from=2026-01-10T00:00:00Z&to=2026-01-11T00:00:00Z`,
    );
    expect(windows).toMatchObject([{ balanceAtStart: 150, usage: 20, balanceAtEnd: 100 }]);
    expect(windows[0].grants).toContainEqual({ grantId: grant.id, burned: 20, balance: 0 });
  });

  it.each([
    { why: 'its end is not after its start', query: 'from=2026-01-02T00:00:00Z&to=2026-01-02T00:00:00Z', field: 'to' },
    {
      why: 'there would be too many windows',
      query: 'from=2026-01-01T00:00:00Z&to=2026-02-01T00:00:00Z&windowSize=MINUTE',
      field: 'windowSize',
    },
  ])('is refused where $why', async ({ query, field }) => {
    const { merchant, entitlement } = await openStory();
    const { status, body } = await merchant.get(`/v1/entitlements/${entitlement.id}/history?${query}`);
    expect([status, body.errors?.[0]?.field]).toEqual([400, field]);
  });

  it('has at most 10,000 figures: its windows times the grants that count in them', async () => {
    const { merchant, shop, entitlement } = await openStory();
    const ask = (windowSize: string) =>
      merchant.get(
        `/v1/entitlements/${entitlement.id}/history?from=${START}&to=2026-01-17T16:00:00Z&windowSize=${windowSize}`,
      );
    expect((await ask('HOUR')).body.windows).toHaveLength(400);
    for (let count = 0; count < 30; count += 1)
      await shop.create(`/v1/entitlements/${entitlement.id}/grants`, { amount: 1, effectiveAt: START });
    expect(await ask('HOUR')).toMatchObject({
      status: 400,
      body: { errors: [{ field: 'windowSize', message: expect.stringContaining('more than 10,000') }] },
    });
    expect((await ask('DAY')).body.windows).toHaveLength(17);
  });

  it('is that of a balance: a feature that is not metered has none', async () => {
    const { merchant, shop, metric, subscription } = await openStory();
    const seats = await shop.create('/v0/features', {
      key: 'seats',
      name: 'Seats',
      productId: metric.productId,
      type: 'boolean',
    });
    const byHand = await shop.create('/v1/entitlements', {
      customerId: subscription.customerId,
      featureId: seats.id,
      template: { type: 'boolean' },
    });
    const { status, body } = await merchant.get(`/v1/entitlements/${byHand.id}/history`);
    expect([status, body.code]).toEqual([400, 'ENTITLEMENT_NOT_METERED']);
  });
});
