import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Reckoner } from '../../sdk/src/index.ts';
import { openTestEnvironment, type TestEnvironment } from '../support/environment.ts';
import { type Resource, type Shop, shopOf } from '../support/shop.ts';

/** The three verbs of the SDK against the running program. */
let env: TestEnvironment;
let shop: Shop;
let api: Reckoner;
let small: Resource;
let large: Resource;
let free: Resource;
beforeAll(async () => {
  env = await openTestEnvironment(); // of its own: it opens a port
  await env.server.listen({ port: 0, host: '127.0.0.1' });
  const merchant = await env.merchant();
  shop = shopOf(merchant);
  const baseUrl = `http://127.0.0.1:${(env.server.server.address() as AddressInfo).port}`;
  api = new Reckoner({ baseUrl, apiKey: merchant.key, buffer: { intervalMilliseconds: 10 } });
  const metric = await shop.metric();
  const feature = await shop.create('/v0/features', {
    ...{ key: 'calls', name: 'Calls', productId: metric.productId, type: 'metered' },
  });
  const planOf = async (name: string, units: number, unitPrice: string) => {
    const entitlementTemplate = { type: 'metered', billableMetricIds: [metric.id], issueAfterReset: units };
    const usage = await shop.usagePrice({
      billableMetricId: metric.id,
      feature: { featureId: feature.id, entitlementTemplate },
    });
    const fee = { paymentTerm: 'in_advance', properties: { unitPrice } };
    return shop.plan(unitPrice === '0' ? [usage] : [usage, await shop.feePrice(fee)], { name });
  };
  free = await planOf('Free', 1, '0');
  small = await planOf('Small', 10, '5');
  large = await planOf('Large', 1000, '50');
});
afterAll(() => env?.close());

const now = { maxMilliseconds: 0 };
let people = 0;
const newCustomer = async (): Promise<{ id: string; externalId: string }> => {
  people += 1;
  const externalId = `workspace-${people}`;
  const { id } = await shop.customer({ externalId });
  return { id, externalId };
};
const pay = (url: string) =>
  shop.act(`/v0/paymentSessions/${url.split('/').at(-1)}/complete`, { paymentMethod: 'pm_ok' });

describe('check', () => {
  it('knows nobody, then says which plans would give the feature, then counts down', async () => {
    const stranger = { externalCustomerId: 'nobody-yet', feature: 'calls' };
    expect(await api.check(stranger)).toMatchObject({ allowed: false, reason: 'unknown_customer', upgrades: [] });

    const { id, externalId } = await newCustomer();
    const check = { externalCustomerId: externalId, feature: 'calls', ...now };
    const { upgrades, ...refused } = await api.check(check);
    expect(refused).toMatchObject({ allowed: false, reason: 'not_entitled', balance: null });
    expect(upgrades.map(({ name }) => name).toSorted()).toEqual(['Free', 'Large', 'Small']);

    const { paymentUrl } = await api.attach({ customerId: id, planId: small.id });
    await pay(paymentUrl as string);
    expect(await api.check(check)).toMatchObject({ allowed: true, reason: null, balance: 10, upgrades: [] });
    expect(await api.check({ ...check, amount: 11 })).toMatchObject({ allowed: false, reason: 'not_enough' });

    await api.track({ type: 'call', source: 'sdk', externalSubject: externalId, data: { units: 10 } });
    await api.buffer.flush();
    expect(await api.check(check)).toMatchObject({ allowed: false, reason: 'no_balance', balance: 0 });
  });

  it('answers from memory for a while, and asks once for all who ask at the same time', async () => {
    const { id } = await newCustomer();
    let asked = 0;
    const counted = new Reckoner({
      ...{ apiKey: 'k', checkMilliseconds: 60_000 },
      fetch: async () => {
        asked += 1;
        return Response.json({ object: 'customerAccess', customerId: id, features: [access(true)] });
      },
    });
    const check = { customerId: id, feature: 'calls' };
    await Promise.all([counted.check(check), counted.check(check)]);
    expect((await counted.check(check)).allowed).toBe(true);
    expect(asked).toBe(1);
    await counted.check({ ...check, ...now });
    expect(asked).toBe(2);
  });

  it('keeps no failure in memory', async () => {
    let fails = true;
    const shaky = new Reckoner({
      ...{ apiKey: 'k', retries: 0 },
      fetch: async () => {
        if (fails) throw new TypeError('fetch failed');
        return Response.json({ object: 'customerAccess', customerId: 'cus_1', features: [access(true)] });
      },
    });
    await expect(shaky.check({ customerId: 'cus_1', feature: 'calls' })).rejects.toThrow('had no answer');
    fails = false;
    expect((await shaky.check({ customerId: 'cus_1', feature: 'calls' })).allowed).toBe(true);
  });

  const access = (hasAccess: boolean) => ({
    featureKey: 'calls',
    type: 'metered',
    hasAccess,
    reason: null,
    balance: 5,
  });
});

describe('attach', () => {
  it('begins, hands the payment out again, changes, and changes nothing twice', async () => {
    const { id } = await newCustomer();
    const first = await api.attach({ customerId: id, planId: small.id });
    expect([first.outcome, first.paymentUrl !== null]).toEqual(['created', true]);
    const again = await api.attach({ customerId: id, planId: small.id });
    expect([again.outcome, again.subscription.id, again.paymentUrl]).toEqual([
      'unchanged',
      first.subscription.id,
      first.paymentUrl,
    ]);
    await pay(first.paymentUrl as string);

    const changed = await api.attach({ customerId: id, planId: large.id });
    expect([changed.outcome, changed.subscription.id, changed.subscription.planId]).toEqual([
      'changed',
      first.subscription.id,
      large.id,
    ]);
    expect((await api.attach({ customerId: id, planId: large.id })).outcome).toBe('unchanged');
    expect((await api.subscriptions.list({ customerId: id })).data).toHaveLength(1);

    await api.subscriptions.terminate(first.subscription.id, { reason: 'It left' });
    const back = await api.attach({ customerId: id, planId: small.id }); // the plan of the first key
    expect([back.outcome, back.subscription.id === first.subscription.id]).toEqual(['created', false]);
  });

  it('is known to check at once, and other plans of the product are upgrades', async () => {
    const { externalId: externalCustomerId } = await newCustomer();
    const check = { externalCustomerId, feature: 'calls' };
    expect((await api.check(check)).reason).toBe('not_entitled');
    await api.attach({ externalCustomerId, planId: free.id });
    expect(await api.check(check)).toMatchObject({ allowed: true, balance: 1 });
    await api.track({ type: 'call', source: 'sdk', externalSubject: externalCustomerId, data: { units: 1 } });
    await api.buffer.flush();
    const { reason, upgrades } = await api.check({ ...check, ...now });
    expect([reason, upgrades.map(({ name }) => name).toSorted()]).toEqual(['no_balance', ['Large', 'Small']]);
  });

  it('begins one subscription for two who press at the same time', async () => {
    const { id } = await newCustomer();
    const wishes = Array.from({ length: 5 }, () => api.attach({ customerId: id, planId: small.id }));
    const ids = (await Promise.all(wishes)).map(({ subscription }) => subscription.id);
    expect(new Set(ids).size).toBe(1);
    expect((await api.subscriptions.list({ customerId: id })).data).toHaveLength(1);
  });

  it('says whom nobody is', async () => {
    await expect(api.attach({ externalCustomerId: 'nobody', planId: small.id })).rejects.toThrow('externalId nobody');
  });
});
