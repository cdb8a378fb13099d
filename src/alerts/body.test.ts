import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Merchant, sharedEnvironment, type TestEnvironment } from '../../test/support/environment.ts';
import { type Resource, shopOf } from '../../test/support/shop.ts';

let env: TestEnvironment;
let merchant: Merchant;
let ids: Record<'customerId' | 'billableMetricId' | 'subscriptionId' | 'entitlementId', string>;
beforeAll(async () => {
  env = await sharedEnvironment();
  merchant = await env.merchant();
  const shop = shopOf(merchant);
  const metric = await shop.metric();
  const customer = await shop.customer();
  const feature = { key: 'calls', name: 'Calls', productId: metric.productId, type: 'metered' };
  const entitlement = await shop.create('/v1/entitlements', {
    customerId: customer.id,
    featureId: (await shop.create('/v0/features', feature)).id,
    template: { type: 'metered', billableMetricIds: [metric.id] },
  });
  const plan = await shop.plan([await shop.usagePrice({ billableMetricId: metric.id })]);
  const subscription = await shop.subscribe(plan, { customer, startedAt: new Date().toISOString() });
  ids = {
    customerId: customer.id,
    billableMetricId: metric.id,
    subscriptionId: subscription.id,
    entitlementId: entitlement.id,
  };
});
afterAll(() => env.close());

const fieldsOf = (body: Resource): string[] => (body.errors ?? []).map(({ field }: Resource) => field);
type Field = keyof typeof ids;
const targets: Record<string, readonly Field[]> = {
  balance: ['entitlementId'],
  invoice_total: ['subscriptionId'],
  usage: ['customerId', 'billableMetricId'],
};
const create = (type: string, fields: object, named: readonly Field[] = targets[type] ?? []) =>
  merchant.post('/v0/alerts', { type, ...Object.fromEntries(named.map((field) => [field, ids[field]])), ...fields });

describe('an alert that cannot be is refused by field', () => {
  it.each([
    { type: 'balance', fields: {}, wrong: ['threshold'] },
    { type: 'balance', fields: { threshold: '1', percent: 1 }, wrong: ['percent'] },
    { type: 'balance', fields: { threshold: '-1' }, wrong: ['threshold'] },
    { type: 'balance', fields: { threshold: 1 }, wrong: ['threshold'] },
    { type: 'balance', fields: { threshold: 'much' }, wrong: ['threshold'] },
    { type: 'balance', fields: { percent: 101 }, wrong: ['percent'] },
    { type: 'balance', fields: { percent: 50, limit: '5' }, wrong: ['limit'] },
    { type: 'balance', fields: { threshold: '5', limit: '5' }, wrong: ['limit'] },
    { type: 'balance', fields: { threshold: '5', blocksAccess: true }, wrong: ['blocksAccess'] },
    { type: 'balance', fields: { threshold: '5', period: 'day' }, wrong: ['period'] },
    { type: 'usage', fields: { percent: 80 }, wrong: ['limit'] },
    { type: 'usage', fields: { percent: 0, limit: '5' }, wrong: ['percent'] },
    { type: 'usage', fields: { percent: 80, limit: '0' }, wrong: ['limit'] },
    { type: 'usage', fields: { threshold: '0' }, wrong: ['threshold'] },
    { type: 'usage', fields: { threshold: '5', period: 'year' }, wrong: ['period'] },
    { type: 'usage', fields: { threshold: '5', budget: true }, wrong: ['budget'] },
    { type: 'invoice_total', fields: { percent: '80' }, wrong: ['limit'] },
    { type: 'invoice_total', fields: { threshold: '5', name: '' }, wrong: ['name'] },
    { type: 'forecast', fields: { threshold: '5' }, wrong: ['type'] },
  ])('$type $fields: $wrong', async ({ type, fields, wrong }) => {
    const { status, body } = await create(type, fields);
    expect([status, fieldsOf(body)]).toEqual([400, wrong]);
  });

  it.each(Object.entries(targets))('%s takes %s, and nobody else', async (type, own) => {
    for (const field of Object.keys(ids) as Field[]) {
      const named = own.includes(field) ? own.filter((each) => each !== field) : [...own, field];
      const { status, body } = await create(type, { threshold: '5' }, named);
      expect([field, status, fieldsOf(body)]).toEqual([field, 400, [field]]);
    }
    expect((await create(type, { threshold: '5' })).status).toBe(201);
  });
});

describe('a change', () => {
  it.each([
    { from: { threshold: '5' }, to: { percent: '80' }, wrong: ['limit'] },
    { from: { threshold: '5' }, to: { limit: '80' }, wrong: ['limit'] },
    { from: { threshold: '5' }, to: { threshold: '0' }, wrong: ['threshold'] },
    { from: { threshold: '5' }, to: { percent: '80', threshold: '1', limit: '1' }, wrong: ['percent'] },
    { from: { threshold: '5' }, to: { type: 'balance' }, wrong: ['type'] },
    {
      from: { threshold: '5' },
      to: { percent: '80', limit: '50' },
      now: { threshold: null, percent: 80, limit: '50' },
    },
    {
      from: { percent: '80', limit: '50' },
      to: { limit: '70.50' },
      now: { threshold: null, percent: 80, limit: '70.5' },
    },
    {
      from: { percent: '80', limit: '50' },
      to: { threshold: '7' },
      now: { threshold: '7', percent: null, limit: null },
    },
    { from: { threshold: '5', name: 'A' }, to: { name: null }, now: { name: null, threshold: '5' } },
  ])('of $from by $to', async ({ from, to, wrong, now }) => {
    const { body: alert } = await create('usage', from);
    const { status, body } = await merchant.patch(`/v0/alerts/${alert.id}`, to);
    if (wrong) expect([status, fieldsOf(body)]).toEqual([400, wrong]);
    else expect([status, body]).toEqual([200, expect.objectContaining(now)]);
  });
});
