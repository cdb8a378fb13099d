import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { type Merchant, openTestEnvironment, type TestEnvironment } from '../../test/support/environment.ts';
import { type Resource, type Shop, START, shopOf } from '../../test/support/shop.ts';
import { sql } from '../db/index.ts';

let env: TestEnvironment;
let merchant: Merchant;
let shop: Shop;
beforeAll(async () => {
  env = await openTestEnvironment();
  merchant = await env.merchant();
  await merchant.patch(`/v0/organizations/${merchant.id}`, { billingEmails: ['billing@shop.example'] });
  shop = shopOf(merchant);
  env.startWorker();
});
afterAll(() => env.close());

const ALERTS = '/v0/alerts';
const triggersOf = async ({ id }: Resource): Promise<Resource[]> => (await shop.read(`${ALERTS}/${id}/triggers`)).data;
const webhooksOf = ({ id }: Resource): Promise<Resource[]> =>
  env.database.transaction({ merchants: [merchant.id] }, (tx) =>
    tx.rows<Resource>(sql`
      select id, data from outbox where type = 'alert.triggered.v0' and data ->> 'alertId' = ${id} order by seq`),
  );
const mailsOf = async ({ id }: Resource): Promise<Resource[]> =>
  (await shop.read('/v0/mails?limit=100')).data.filter(({ alertId }: Resource) => alertId === id);
/** Once the worker has evaluated: how long that takes is no matter of tests. */
const eventually = (check: () => Promise<void>) => vi.waitFor(check, { timeout: 20_000, interval: 50 });
const whenTriggered = (alert: Resource, times = 1) =>
  eventually(async () => expect(await triggersOf(alert)).toHaveLength(times));
const use = (subject: string, units: number | string, metric: Resource) =>
  shop.use(subject, new Date().toISOString(), units, { type: metric.eventType });
let counter = 0;
const newMetric = () => {
  counter += 1;
  return shop.metric({ eventType: `call-${counter}` });
};

/** A customer with 100 units after each monthly reset. */
async function entitled(): Promise<{ entitlement: Resource; customer: Resource; metric: Resource }> {
  const metric = await newMetric();
  const feature = await shop.create('/v0/features', {
    key: `calls-${counter}`,
    name: 'Calls',
    productId: metric.productId,
    type: 'metered',
  });
  const customer = await shop.customer();
  const entitlement = await shop.create('/v1/entitlements', {
    customerId: customer.id,
    featureId: feature.id,
    template: {
      type: 'metered',
      billableMetricIds: [metric.id],
      issueAfterReset: 100,
      usagePeriod: { interval: 'P1M' },
    },
  });
  return { entitlement, customer, metric };
}

describe('an alert is triggered within seconds of the event that crosses it', () => {
  it('on usage, once, by webhook and by mail', async () => {
    const [customer, metric] = [await shop.customer(), await newMetric()];
    const alert = await shop.create(ALERTS, {
      type: 'usage',
      customerId: customer.id,
      billableMetricId: metric.id,
      threshold: '100',
      name: 'Hundred calls',
    });
    expect(alert).toMatchObject({ object: 'alert', currentValue: '0', isReached: false, lastTriggeredAt: null });
    await use(customer.id, 99, metric);
    await eventually(async () => expect((await shop.read(`${ALERTS}/${alert.id}`)).currentValue).toBe('99'));
    expect(await triggersOf(alert)).toEqual([]);
    await use(customer.id, 1, metric);
    await whenTriggered(alert);
    await use(customer.id, 500, metric);
    const [trigger] = await triggersOf(alert);
    expect(trigger).toMatchObject({ alertId: alert.id, threshold: '100', percent: null, value: '100' });
    const shown = await shop.read(`${ALERTS}/${alert.id}`);
    expect(shown).toMatchObject({ currentValue: '600', isReached: true, lastTriggeredAt: trigger.triggeredAt });
    const webhooks = await webhooksOf(alert);
    expect(webhooks).toEqual([
      {
        id: trigger.webhookEventId,
        data: {
          merchantId: merchant.id,
          alertId: alert.id,
          customerId: customer.id,
          billableMetricId: metric.id,
          entitlementId: null,
          subscriptionId: null,
          ...{ type: 'usage', name: 'Hundred calls', value: '100', threshold: '100', percent: null, currency: null },
          periodStart: trigger.periodStart,
          sequence: 1,
        },
      },
    ]);
    const mails = await mailsOf(alert);
    expect(mails).toHaveLength(1);
    expect(mails[0]).toMatchObject({ kind: 'alertTriggered', to: ['billing@shop.example'] });
    expect(mails[0].subject).toContain('Hundred calls');
  });

  it('on a balance that falls to the threshold, and on a percentage of what there was', async () => {
    const { entitlement, customer, metric } = await entitled();
    const low = await shop.create(ALERTS, { type: 'balance', entitlementId: entitlement.id, threshold: '20' });
    const half = await shop.create(ALERTS, { type: 'balance', entitlementId: entitlement.id, percent: 50 });
    expect(low).toMatchObject({ customerId: customer.id, currentValue: '100', periodEnd: expect.any(String) });
    expect(half).toMatchObject({ percent: 50, limit: null });
    await use(customer.id, 50, metric);
    await whenTriggered(half);
    expect(await triggersOf(low)).toEqual([]);
    await use(customer.id, 30, metric);
    await whenTriggered(low);
    expect((await triggersOf(low))[0]).toMatchObject({ value: '20' });
  });

  it('on the total of the running invoice, with tax', async () => {
    const metric = await newMetric();
    const price = await shop.usagePrice({ billableMetricId: metric.id });
    const plan = await shop.plan([price], { defaultTaxRate: 20 });
    const customer = await shop.customer();
    const subscription = await shop.subscribe(plan, { customer, startedAt: new Date().toISOString() });
    const alert = await shop.create(ALERTS, {
      type: 'invoice_total',
      subscriptionId: subscription.id,
      percent: '60',
      limit: '100',
      notifyCustomer: true,
    });
    await use(subscription.id, 49, metric);
    await eventually(async () => expect((await shop.read(`${ALERTS}/${alert.id}`)).currentValue).toBe('58.8'));
    expect(await triggersOf(alert)).toEqual([]);
    await use(customer.id, 1, metric);
    await whenTriggered(alert);
    expect((await triggersOf(alert))[0]).toMatchObject({ value: '60', percent: 60, limit: '100', threshold: null });
    const kinds = (await mailsOf(alert)).map(({ kind }) => kind).toSorted();
    expect(kinds).toEqual(['alertReached', 'alertTriggered']);
  });

  it('at once, where the figure is there already', async () => {
    const [customer, metric] = [await shop.customer(), await newMetric()];
    await use(customer.id, 10, metric);
    const of = { type: 'usage', customerId: customer.id, billableMetricId: metric.id };
    const alert = await shop.create(ALERTS, { ...of, threshold: '5', period: 'day' });
    expect(alert).toMatchObject({ currentValue: '10', isReached: true });
    await whenTriggered(alert);
  });
});

describe('on a test clock', () => {
  it('is triggered once in each period, also by what came just before its end', async () => {
    const clock = await shop.clock(START);
    const metric = await newMetric();
    const plan = await shop.plan([await shop.usagePrice({ billableMetricId: metric.id })]);
    const customer = await shop.customer();
    const subscription = await shop.subscribe(plan, { clock, customer });
    const usage = await shop.create(ALERTS, {
      type: 'usage',
      customerId: customer.id,
      billableMetricId: metric.id,
      threshold: '10',
    });
    const total = await shop.create(ALERTS, {
      type: 'invoice_total',
      subscriptionId: subscription.id,
      threshold: '10',
    });
    expect(usage).toMatchObject({ testClockId: clock.id, periodStart: START, periodEnd: '2026-02-01T00:00:00Z' });
    await shop.use(customer.id, '2026-01-31T23:59:59.999Z', 10, { type: metric.eventType });
    await shop.advance(clock, 'P1M');
    await shop.use(customer.id, '2026-02-10T00:00:00Z', 9, { type: metric.eventType });
    await shop.advance(clock, 'P1M');
    await shop.use(customer.id, '2026-03-10T00:00:00Z', 11, { type: metric.eventType });
    await shop.advance(clock, 'P1M');
    for (const alert of [usage, total])
      expect((await triggersOf(alert)).map(({ periodStart, value }) => `${periodStart} ${value}`)).toEqual([
        '2026-03-01T00:00:00Z 11',
        '2026-01-01T00:00:00Z 10',
      ]);
  });
});

describe('on a test clock, an invoice total', () => {
  it.each([
    { currency: 'JPY', unitPrice: '1.5', taxRate: 10, units: 6, below: '10', reached: '12' },
    { currency: 'KWD', unitPrice: '0.0015', taxRate: 0, units: 7, below: '0.011', reached: '0.012' },
    { currency: 'USD', unitPrice: '0.333', taxRate: 7.5, units: 9, below: '3.23', reached: '3.58' },
  ])('in $currency is what the invoice would say: rounded, and with tax', async ({ currency, unitPrice, ...of }) => {
    const clock = await shop.clock(START);
    const metric = await newMetric();
    const price = await shop.usagePrice({ billableMetricId: metric.id, properties: { unitPrice } });
    const plan = await shop.plan([price], { currency, defaultTaxRate: of.taxRate });
    const subscription = await shop.subscribe(plan, { clock });
    const alert = await shop.create(ALERTS, {
      type: 'invoice_total',
      subscriptionId: subscription.id,
      threshold: of.reached,
    });
    const useOne = (units: number) => shop.use(subscription.id, START, units, { type: metric.eventType });
    await useOne(of.units);
    expect((await shop.read(`${ALERTS}/${alert.id}`)).currentValue).toBe(of.below);
    await useOne(1);
    await whenTriggered(alert);
    expect((await triggersOf(alert))[0].value).toBe(of.reached);
  });

  it('of periods from the 31st is triggered in each, on the days on which they begin', async () => {
    const clock = await shop.clock('2026-01-31T00:00:00Z');
    const subscription = await shop.subscribe(await shop.plan([await shop.feePrice()]), { clock });
    const of = { type: 'invoice_total', subscriptionId: subscription.id };
    const alert = await shop.create(ALERTS, { ...of, percent: '100', limit: '10' });
    await shop.advance(clock, 'P3M');
    const starts = ['01-31', '02-28', '03-31', '04-30'].map((day) => `2026-${day}T00:00:00Z`);
    await whenTriggered(alert, starts.length);
    expect((await triggersOf(alert)).map(({ periodStart }) => periodStart).toReversed()).toEqual(starts);
  });
});

describe('a budget', () => {
  const accessOf = async (customer: Resource) => (await shop.read(`/v1/customers/${customer.id}/access`)).features[0];

  it('ends access to what its metric measures, and gives it back where it is raised', async () => {
    const { customer, metric } = await entitled();
    const of = { type: 'usage', customerId: customer.id, billableMetricId: metric.id };
    const budget = await shop.create(ALERTS, { ...of, threshold: '10', blocksAccess: true });
    expect(await accessOf(customer)).toMatchObject({ hasAccess: true, reason: null });
    await use(customer.id, 10, metric);
    await whenTriggered(budget);
    expect(await accessOf(customer)).toMatchObject({ hasAccess: false, reason: 'budget_spent', balance: 90 });
    await shop.change(`${ALERTS}/${budget.id}`, { threshold: '20' });
    await eventually(async () => expect(await accessOf(customer)).toMatchObject({ hasAccess: true, reason: null }));
    await use(customer.id, 10, metric);
    await eventually(async () => expect((await accessOf(customer)).reason).toBe('budget_spent'));
    expect(await triggersOf(budget)).toHaveLength(1); // once in a period
    await use(customer.id, 80, metric);
    expect(await accessOf(customer)).toMatchObject({ hasAccess: false, reason: 'no_balance', balance: 0 });
  });

  it('of an invoice total ends access to all of the subscription, until its period ends', async () => {
    const clock = await shop.clock(START);
    const metric = await newMetric();
    const product = { productId: metric.productId };
    const feature = await shop.create('/v0/features', {
      ...product,
      key: `on-${counter}`,
      name: 'On',
      type: 'boolean',
    });
    const price = await shop.usagePrice({
      billableMetricId: metric.id,
      feature: { featureId: feature.id, entitlementTemplate: { type: 'boolean' } },
    });
    const customer = await shop.customer();
    const subscription = await shop.subscribe(await shop.plan([price]), { clock, customer });
    const budget = await shop.create(ALERTS, {
      type: 'invoice_total',
      subscriptionId: subscription.id,
      threshold: '10',
      blocksAccess: true,
    });
    await shop.use(customer.id, START, 10, { type: metric.eventType });
    await whenTriggered(budget);
    expect(await accessOf(customer)).toMatchObject({ type: 'boolean', hasAccess: false, reason: 'budget_spent' });
    await shop.advance(clock, 'P1M');
    expect(await accessOf(customer)).toMatchObject({ hasAccess: true, reason: null });
  });

  it('is not what ends access where nothing is left, and a feature that is asked for by its key is not entitled', async () => {
    const { entitlement, customer, metric } = await entitled();
    await use(customer.id, 100, metric);
    expect(await accessOf(customer)).toMatchObject({ hasAccess: false, reason: 'no_balance' });
    const other = await shop.customer();
    const { features } = await shop.read(`/v1/customers/${other.id}/access?featureKey=${entitlement.featureKey}`);
    expect(features).toEqual([
      {
        featureKey: entitlement.featureKey,
        featureId: entitlement.featureId,
        productId: entitlement.productId,
        type: 'metered',
        hasAccess: false,
        reason: 'not_entitled',
        entitlementIds: [],
      },
    ]);
  });
});

describe('an alert is triggered without an event', () => {
  it('where a grant is void', async () => {
    const { entitlement } = await entitled();
    const path = `/v1/entitlements/${entitlement.id}/grants`;
    const grant = await shop.create(path, { amount: 50 });
    const alert = await shop.create(ALERTS, { type: 'balance', entitlementId: entitlement.id, threshold: '100' });
    expect(alert).toMatchObject({ currentValue: '150', isReached: false });
    await merchant.delete(`${path}/${grant.id}`);
    await whenTriggered(alert);
    expect((await triggersOf(alert))[0]).toMatchObject({ value: '100' });
  });

  it('where a line is added by hand, and again in the next period after fees in advance', async () => {
    const clock = await shop.clock(START);
    const subscription = await shop.subscribe(await shop.plan([await shop.feePrice()]), { clock });
    const alert = await shop.create(ALERTS, {
      type: 'invoice_total',
      subscriptionId: subscription.id,
      threshold: '25',
    });
    const line = { subscriptionId: subscription.id, displayName: 'Setup', currency: 'USD', quantity: 1, unitPrice: 15 };
    await shop.create('/v2/invoices/lineItems', line);
    await whenTriggered(alert);
    expect((await triggersOf(alert))[0]).toMatchObject({ value: '25', periodStart: START });
  });

  it('where events of a name become those of the customer', async () => {
    const [customer, metric] = [await shop.customer(), await newMetric()];
    const event = { type: metric.eventType, source: 'test', externalSubject: `late-${counter}`, data: { units: 7 } };
    await merchant.post('/v0/events', event);
    const of = { type: 'usage', customerId: customer.id, billableMetricId: metric.id };
    const alert = await shop.create(ALERTS, { ...of, threshold: '7', period: 'month' });
    await merchant.patch(`/v0/customers/${customer.id}`, { externalId: event.externalSubject });
    await whenTriggered(alert);
  });
});
