import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sql } from '../../src/db/index.ts';
import { type Merchant, sharedEnvironment, type TestEnvironment } from '../support/environment.ts';
import { type Resource, type Shop, shopOf } from '../support/shop.ts';

/** The usage periods of a plan's allowance begin with the billing periods of its price (domain.md §5). */
let env: TestEnvironment;
let merchant: Merchant;
let shop: Shop;
beforeAll(async () => {
  env = await sharedEnvironment();
  merchant = await env.merchant();
  shop = shopOf(merchant);
});
afterAll(() => env.close());

const JANUARY = '2024-01-01T00:00:00Z';
let features = 0;
const newFeature = async (): Promise<Resource> => {
  features += 1;
  const { id } = await shop.product();
  return shop.create('/v0/features', { key: `allowance-${features}`, name: 'Units', productId: id, type: 'metered' });
};

interface Included {
  feature?: Resource;
  metric?: Resource;
  units?: number;
  usagePeriod?: object;
  price?: object;
}
/** 1.00 a unit, of which `units` are included in each usage period. */
async function included({ feature, metric, units = 100, usagePeriod = { interval: 'P1M' }, price }: Included = {}) {
  return shop.usagePrice({
    ...(metric && { billableMetricId: metric.id }),
    grantDiscountEnabled: true,
    feature: {
      featureId: (feature ?? (await newFeature())).id,
      entitlementTemplate: { type: 'metered', isSoftLimit: true, usagePeriod, issueAfterReset: units },
    },
    ...price,
  });
}

const entitlementOf = async (subscription: Resource): Promise<Resource> => {
  const [listed] = (await shop.read(`/v1/entitlements?subscriptionId=${subscription.id}`)).data;
  return shop.read(`/v1/entitlements/${listed.entitlementId}`);
};
const periodOf = async (subscription: Resource) => {
  const { currentPeriodStart, currentPeriodEnd } = await entitlementOf(subscription);
  return [currentPeriodStart, currentPeriodEnd].map((time: string) => time.slice(0, 10));
};
const totalsOf = async (subscription: Resource): Promise<string[]> =>
  (await shop.invoices(subscription)).filter(({ status }) => status !== 'ACTIVE').map(({ grandTotal }) => grandTotal);

describe('100 included and 100 used in each billing month', () => {
  it('of a plan with an anchor cost nothing', async () => {
    const clock = await shop.clock('2024-01-20T00:00:00Z');
    const plan = await shop.plan([await included()], { billingAnchor: JANUARY });
    const subscription = await shop.subscribe(plan, { clock });
    for (const day of ['01-25', '02-10', '03-10'])
      await shop.use(subscription.customerId, `2024-${day}T00:00:00Z`, 100);
    expect(await periodOf(subscription)).toEqual(['2024-01-20', '2024-02-01']);
    await shop.advance(clock, '2024-04-01T00:00:00Z');
    expect(await totalsOf(subscription)).toEqual(['0.00', '0.00', '0.00']);
  });

  it.each([
    { billingAnchor: undefined, ends: '2024-02-15' },
    { billingAnchor: JANUARY, ends: '2024-02-01' },
  ])('after a trial cost nothing, with the anchor $billingAnchor', async ({ billingAnchor, ends }) => {
    const clock = await shop.clock(JANUARY);
    const plan = await shop.plan([await included()], { trialPeriod: 'P14D', ...(billingAnchor && { billingAnchor }) });
    const subscription = await shop.subscribe(plan, { clock });
    await shop.use(subscription.customerId, '2024-01-05T00:00:00Z', 100); // in the trial
    await shop.use(subscription.customerId, '2024-01-20T00:00:00Z', 100);
    expect((await periodOf(subscription))[0]).toBe('2024-01-01');
    await shop.advance(clock, '2024-01-16T00:00:00Z');
    expect(await periodOf(subscription)).toEqual(['2024-01-15', ends]);
    await shop.advance(clock, '2024-03-01T00:00:00Z');
    expect(new Set(await totalsOf(subscription))).toEqual(new Set(['0.00']));
  });
});

it.each([
  { usagePeriod: { interval: 'P1M', anchor: 'start' }, period: ['2024-01-20', '2024-02-20'] },
  { usagePeriod: { interval: 'P1M', anchor: '2024-01-25T00:00:00Z' }, period: ['2024-01-20', '2024-01-25'] },
  { usagePeriod: { interval: 'P1M', anchor: 'billing' }, period: ['2024-01-20', '2024-02-01'] },
  { usagePeriod: { interval: 'P1W' }, period: ['2024-01-20', '2024-01-22'] },
])('$usagePeriod begins with $period', async ({ usagePeriod, period }) => {
  const clock = await shop.clock('2024-01-20T00:00:00Z');
  const plan = await shop.plan([await included({ usagePeriod })], { billingAnchor: JANUARY });
  expect(await periodOf(await shop.subscribe(plan, { clock }))).toEqual(period);
});

it.each([
  [{ interval: 'P1M', anchor: 'never' }, 'feature.entitlementTemplate.usagePeriod.anchor'],
  [{ interval: 'P1M', anchor: '2024-01-25' }, 'feature.entitlementTemplate.usagePeriod.anchor'],
])('%j is refused', async (usagePeriod, field) => {
  const { id } = await newFeature();
  const answer = await merchant.post('/v0/prices', {
    ...{ billableMetricId: (await shop.metric()).id, invoiceDisplayName: 'Units', paymentTerm: 'in_arrears' },
    properties: { unitPrice: '1' },
    feature: { featureId: id, entitlementTemplate: { type: 'metered', usagePeriod } },
  });
  expect(answer).toMatchObject({ status: 400, body: { errors: [{ field }] } });
});

describe('by hand', () => {
  const made = async (template: object) =>
    merchant.post('/v1/entitlements', {
      ...{ customerId: (await shop.customer()).id, featureId: (await newFeature()).id, activeFrom: JANUARY },
      template: { type: 'metered', billableMetricIds: [(await shop.metric()).id], ...template },
    });

  it('periods begin at the start, and cannot follow billing', async () => {
    const { body } = await made({ usagePeriod: { interval: 'P1D' } });
    expect(body.currentPeriodStart).toMatch(/T00:00:00Z$/);
    const refused = await made({ usagePeriod: { interval: 'P1D', anchor: 'billing' } });
    expect(refused).toMatchObject({ status: 400, body: { errors: [{ field: 'template.usagePeriod.anchor' }] } });
  });
});

describe('a change that begins the billing periods anew', () => {
  /** Monthly until the 20th, then yearly with `units` a month. */
  async function changed(units: number, at = '2024-01-20T00:00:00Z') {
    const clock = await shop.clock(JANUARY);
    const [feature, metric] = [await newFeature(), await shop.metric()];
    const fields = { feature, metric };
    const monthly = await shop.plan([await included(fields)]);
    const yearly = await shop.plan([await included({ ...fields, units })], { billingCadence: 'P1Y' });
    const subscription = await shop.subscribe(monthly, { clock });
    await shop.use(subscription.customerId, '2024-01-10T00:00:00Z', 60);
    await shop.advance(clock, at);
    await shop.create(`/v0/subscriptions/${subscription.id}/changes`, { planId: yearly.id });
    return { clock, subscription };
  }

  it.each([
    { units: 100, balance: 40 },
    { units: 150, balance: 90 },
    { units: 50, balance: 40 },
  ])('to $units a month grants only what is new: $balance are left of 40', async ({ units, balance }) => {
    const { clock, subscription } = await changed(units);
    expect(await entitlementOf(subscription)).toMatchObject({ balance, usageInPeriod: 60 });
    expect((await periodOf(subscription))[1]).toBe('2024-02-20');
    await shop.advance(clock, '2024-02-19T23:59:59Z');
    expect((await entitlementOf(subscription)).balance).toBe(balance);
    await shop.advance(clock, '2024-02-20T00:00:00Z');
    expect(await entitlementOf(subscription)).toMatchObject({ balance: units, usageInPeriod: 0 });
    expect(await periodOf(subscription)).toEqual(['2024-02-20', '2024-03-20']);
  });

  it.each([
    { units: 100, balance: 100 },
    { units: 150, balance: 150 },
  ])('at the end of a usage period resets it, with $units a month', async ({ units, balance }) => {
    const { subscription } = await changed(units, '2024-02-01T00:00:00Z');
    expect(await entitlementOf(subscription)).toMatchObject({ balance, usageInPeriod: 0 });
    expect(await periodOf(subscription)).toEqual(['2024-02-01', '2024-03-01']);
  });

  it('follows the shortest of the cadences that carry the feature', async () => {
    const clock = await shop.clock(JANUARY);
    const [feature, metric] = [await newFeature(), await shop.metric()];
    const price = await included({ feature, metric });
    const [{ entitlementTemplate }] = price.features;
    const weekly = await shop.feePrice({
      billingCadence: 'P1W',
      feature: { featureId: feature.id, entitlementTemplate },
    });
    const subscription = await shop.subscribe(await shop.plan([price]), { clock });
    await shop.advance(clock, '2024-01-20T00:00:00Z');
    const both = await shop.plan([price, weekly]); // the month goes on, the weeks begin
    await shop.create(`/v0/subscriptions/${subscription.id}/changes`, { planId: both.id });
    expect(await periodOf(subscription)).toEqual(['2024-01-01', '2024-02-20']);
    await shop.advance(clock, '2024-02-20T00:00:00Z');
    expect(await periodOf(subscription)).toEqual(['2024-02-20', '2024-03-20']);
  });

  it('there and back at once gives nothing twice', async () => {
    const clock = await shop.clock(JANUARY);
    const [feature, metric] = [await newFeature(), await shop.metric()];
    const monthly = await shop.plan([await included({ feature, metric })]);
    const yearly = await shop.plan([await included({ feature, metric })], { billingCadence: 'P1Y' });
    const subscription = await shop.subscribe(monthly, { clock });
    await shop.use(subscription.customerId, '2024-01-10T00:00:00Z', 60);
    await shop.advance(clock, '2024-01-20T00:00:00Z');
    for (const plan of [yearly, monthly, yearly])
      await shop.create(`/v0/subscriptions/${subscription.id}/changes`, { planId: plan.id });
    expect(await entitlementOf(subscription)).toMatchObject({ balance: 40, usageInPeriod: 60 });
  });
});

it('burns the allowance that a reset throws away before what was bought', async () => {
  const clock = await shop.clock(JANUARY);
  const subscription = await shop.subscribe(await shop.plan([await included()]), { clock });
  const { id } = await entitlementOf(subscription);
  const bought = await shop.create(`/v1/entitlements/${id}/grants/purchase`, {
    ...{ amount: 50, price: '8.00', idempotencyKey: 'top-up' },
  });
  await shop.act(`/v0/paymentSessions/${bought.paymentSessions[0].url.split('/').at(-1)}/complete`, {
    paymentMethod: 'pm_ok',
  });
  for (const month of ['02', '03', '04']) {
    await shop.use(subscription.customerId, `2024-0${Number(month) - 1}-10T00:00:00Z`, 60);
    await shop.advance(clock, `2024-${month}-01T00:00:00Z`);
    expect((await entitlementOf(subscription)).balance, month).toBe(150);
  }
  const grants = (await shop.read(`/v1/entitlements/${id}/grants`)).data;
  expect(new Set(grants.map(({ priority }: Resource) => priority))).toEqual(new Set([-1, 0]));
});

it('a template that was stored before keeps the start and priority 0, and agrees with one that says so', async () => {
  const clock = await shop.clock('2024-01-20T00:00:00Z');
  const [feature, metric] = [await newFeature(), await shop.metric()];
  const old = await included({ feature, metric });
  await env.database.transaction({ merchants: [merchant.id] }, (tx) =>
    tx.run(sql`
      update price_feature set entitlement_template = entitlement_template #- '{usagePeriod,anchor}' #- '{issueAfterResetPriority}'
       where price_id = ${old.id}`),
  );
  const said = await shop.usagePrice({
    feature: {
      featureId: feature.id,
      entitlementTemplate: {
        ...{ type: 'metered', isSoftLimit: true, issueAfterReset: 100, issueAfterResetPriority: 0 },
        usagePeriod: { interval: 'P1M', anchor: 'start' },
      },
    },
  });
  const plan = await shop.plan([old, said], { billingAnchor: JANUARY });
  const subscription = await shop.subscribe(plan, { clock });
  expect(await periodOf(subscription)).toEqual(['2024-01-20', '2024-02-20']);
  const { id } = await entitlementOf(subscription);
  expect((await shop.read(`/v1/entitlements/${id}/grants`)).data).toMatchObject([{ priority: 0 }]);
});
