import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Merchant, sharedEnvironment, type TestEnvironment } from '../support/environment.ts';
import { type Resource, type Shop, START, shopOf } from '../support/shop.ts';

/** A reconciliation brings a plan's grants into line with its newest version, and nothing else (§4; domain.md §5). */
let env: TestEnvironment;
let merchant: Merchant;
let shop: Shop;
let metric: Resource;
beforeAll(async () => {
  env = await sharedEnvironment();
  merchant = await env.merchant();
  shop = shopOf(merchant);
  metric = await shop.metric();
});
afterAll(() => env.close());

const MONTHLY = { type: 'metered', usagePeriod: { interval: 'P1M' } };
const ONE_TIME = { type: 'metered' };
const monthly = (issueAfterReset: number, more: object = {}) => ({ ...MONTHLY, issueAfterReset, ...more });

let features = 0;

/** A subscription to a plan with a feature and its template, on a clock, 10 days into January. */
async function subscribed(template: Record<string, unknown>) {
  features += 1;
  const { type } = template;
  const fields = { key: `feature-${features}`, name: 'Feature', productId: metric.productId, type };
  const feature = await shop.create('/v0/features', fields);
  const priceOf = (entitlementTemplate: object) =>
    shop.usagePrice({ billableMetricId: metric.id, feature: { featureId: feature.id, entitlementTemplate } });
  let price = await priceOf(template);
  const plan = await shop.plan([price]);
  const clock = await shop.clock(START);
  const subscription = await shop.subscribe(plan, { clock });
  await shop.advance(clock, '2026-01-10T00:00:00Z');
  const { data } = await shop.read(`/v1/entitlements?subscriptionId=${subscription.id}`);
  const path = `/v1/entitlements/${data[0].id}`;
  const reconciliations = `/v0/subscriptions/${subscription.id}/reconciliations`;
  return {
    clock,
    plan,
    subscription,
    path,
    named: { featureId: feature.id, featureKey: feature.key },
    async publish(next: object) {
      const other = await priceOf(next);
      const replacePrices = [{ replacesPriceId: price.id, withPriceId: other.id }];
      await shop.create(`/v0/plans/${plan.id}/versions`, { replacePrices });
      price = other;
    },
    /** A dry run first, then the change; both give the same answer. */
    async reconcile() {
      const dry = await merchant.post(reconciliations, { dryRun: true });
      const done = await merchant.post(reconciliations, {});
      expect([dry.status, done.status]).toEqual([200, 201]);
      expect(done.body.features).toEqual(dry.body.features);
      return done.body.features;
    },
    atOnce: () => Promise.all(Array.from({ length: 4 }, () => merchant.post(reconciliations, {}))),
    balance: async () => (await shop.read(path)).balance as number,
    grants: async () => (await shop.read(`${path}/grants?includeVoided=true`)).data as Resource[],
  };
}

const unchanged = (named: object) => ({ added: [], updated: [], skipped: [named], removed: [], failed: [] });
const changed = (named: object, change: object) => ({
  ...unchanged(named),
  skipped: [],
  updated: [{ ...named, ...change }],
});

describe.each([
  { what: 'by the month', of: monthly },
  { what: 'one-time', of: (issueAfterReset: number) => ({ ...ONE_TIME, issueAfterReset }) },
])('an allowance $what', ({ of }) => {
  // Proves 4.subscriptions.reconciliations.
  it('that was raised is granted now by its difference, once, beside what was used', async () => {
    const story = await subscribed(of(100));
    await shop.use(story.subscription.id, '2026-01-05T00:00:00Z', 130);
    await story.publish(of(150));
    expect(await story.reconcile()).toEqual(changed(story.named, { allowance: { before: 100, after: 150 } }));
    expect(await shop.read(story.path)).toMatchObject({ balance: 20, usageInPeriod: 130, overage: 0 });
    expect((await story.grants()).map(({ amount }) => amount)).toEqual([50, 100]);
    expect(await story.reconcile()).toEqual(unchanged(story.named));
    expect(await story.balance()).toBe(20);
    await story.publish(of(400));
    expect(await story.reconcile()).toEqual(changed(story.named, { allowance: { before: 150, after: 400 } }));
    expect(await story.balance()).toBe(270);
  });

  it('that was voided is made again', async () => {
    const story = await subscribed(of(100));
    const [grant] = await story.grants();
    expect((await merchant.delete(`${story.path}/grants/${grant?.id}`)).status).toBe(200);
    expect(await story.balance()).toBe(0);
    expect(await story.reconcile()).toEqual(changed(story.named, { allowance: { before: 0, after: 100 } }));
    expect(await story.balance()).toBe(100);
    expect(await story.reconcile()).toEqual(unchanged(story.named));
  });

  it('that was lowered stays for now', async () => {
    const story = await subscribed(of(100));
    await story.publish(of(40));
    expect(await story.reconcile()).toEqual(changed(story.named, { allowance: { before: 100, after: 40 } }));
    expect(await story.balance()).toBe(100);
    expect(await story.reconcile()).toEqual(unchanged(story.named));
  });
});

it('a reset ends what was granted, and issues what the newest version says', async () => {
  const story = await subscribed(monthly(100));
  await story.publish(monthly(150));
  await story.reconcile();
  await shop.advance(story.clock, '2026-02-01T00:00:00Z');
  expect(await story.balance()).toBe(150);
  expect(await story.reconcile()).toEqual(unchanged(story.named));
  await story.publish(monthly(40));
  await story.reconcile();
  await shop.advance(story.clock, '2026-03-01T00:00:00Z');
  expect(await story.balance()).toBe(40);
});

it('at the very instant of a reset, what the reset issued counts', async () => {
  const story = await subscribed(monthly(100));
  await story.publish(monthly(150));
  await shop.advance(story.clock, '2026-02-01T00:00:00Z');
  expect(await story.reconcile()).toEqual(changed(story.named, { allowance: { before: 100, after: 150 } }));
  expect(await story.balance()).toBe(150);
  expect(await story.reconcile()).toEqual(unchanged(story.named));
  await shop.advance(story.clock, '2026-03-01T00:00:00Z');
  expect(await story.balance()).toBe(150);
});

it('several at once grant once', async () => {
  const story = await subscribed(monthly(100));
  await story.publish(monthly(150));
  const answers = await story.atOnce();
  expect(answers.map(({ status }) => status)).toEqual([201, 201, 201, 201]);
  expect(answers.filter(({ body }) => body.features.updated.length > 0)).toHaveLength(1);
  expect(await story.balance()).toBe(150);
});

it('direct and purchased grants stay, and count for nothing', async () => {
  const story = await subscribed(monthly(100));
  const direct = await shop.create(`${story.path}/grants`, { amount: 7 });
  await story.publish(monthly(150));
  await story.reconcile();
  expect(await story.balance()).toBe(157);
  expect((await story.grants()).map(({ id }) => id)).toContain(direct.id);
});

it('a grant of a reconciliation rolls over by the bounds of the template', async () => {
  const story = await subscribed(monthly(100));
  await story.publish(monthly(150, { resetMaxRollover: 20, issueAfterResetPriority: 3 }));
  await story.reconcile();
  expect((await story.grants())[0]).toMatchObject({ amount: 50, priority: 3, resetMaxRollover: 20 });
  await shop.advance(story.clock, '2026-02-01T00:00:00Z');
  expect(await story.balance()).toBe(170);
});

it('after a change of plan, which leaves the allowance to the next reset, it is raised', async () => {
  const story = await subscribed(monthly(100));
  const bigger = await shop.usagePrice({
    billableMetricId: metric.id,
    feature: { featureId: story.named.featureId, entitlementTemplate: monthly(300) },
  });
  const plan = await shop.plan([bigger]);
  await shop.create(`/v0/subscriptions/${story.subscription.id}/changes`, { planId: plan.id });
  expect(await story.balance()).toBe(100);
  expect(await story.reconcile()).toEqual(changed(story.named, { allowance: { before: 100, after: 300 } }));
  expect(await story.balance()).toBe(300);
});

it('a changed config is listed', async () => {
  const story = await subscribed({ type: 'static', config: { seats: 1 } });
  await story.publish({ type: 'static', config: { seats: 9 } });
  const config = { before: { seats: 1 }, after: { seats: 9 } };
  expect(await story.reconcile()).toEqual(changed(story.named, { config }));
  expect((await shop.read(story.path)).config).toEqual({ seats: 9 });
  expect(await story.reconcile()).toEqual(unchanged(story.named));
});

it('a changed template with the same allowance is listed', async () => {
  const story = await subscribed(monthly(100));
  await story.publish(monthly(100, { isSoftLimit: true }));
  expect(await story.reconcile()).toEqual(changed(story.named, { allowance: { before: 100, after: 100 } }));
  expect(await shop.read(story.path)).toMatchObject({ isSoftLimit: true, balance: 100 });
});
