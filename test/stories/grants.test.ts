import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sql } from '../../src/db/index.ts';
import { newId } from '../../src/kernel/ids.ts';
import { type Answer, openTestEnvironment, type TestEnvironment } from '../support/environment.ts';
import { type Resource, type Shop, START, shopOf } from '../support/shop.ts';
import { openTables } from '../support/tables.ts';

/** Entitlements that plans promise and hands make, their grants and their resets (domain.md §5), by test clocks. */
let env: TestEnvironment;
let merchant: Awaited<ReturnType<TestEnvironment['merchant']>>;
let shop: Shop;
beforeAll(async () => {
  env = await openTestEnvironment();
  merchant = await env.merchant();
  shop = shopOf(merchant);
});
afterAll(() => env.close());

const MONTHLY = { type: 'metered', usagePeriod: { interval: 'P1M' } };
let features = 0;
const newFeature = (type = 'metered', of = shop) => {
  features += 1;
  return of
    .product()
    .then(({ id }) => of.create('/v0/features', { key: `feature-${features}`, name: 'Calls', productId: id, type }));
};

/** A subscription from the 1st of January to a plan with a metered feature. */
async function subscribed(template: object = MONTHLY, of = shop) {
  const clock = await of.clock(START);
  const feature = await newFeature('metered', of);
  const price = await of.usagePrice({ feature: { featureId: feature.id, entitlementTemplate: template } });
  const subscription = await of.subscribe(await of.plan([price]), { clock });
  const [entitlement] = await entitlementsOf(subscription, of);
  return { clock, feature, price, subscription, entitlement, path: `/v1/entitlements/${entitlement.id}` };
}

const entitlementsOf = async (subscription: Resource, of = shop): Promise<Resource[]> =>
  (await of.read(`/v1/entitlements?subscriptionId=${subscription.id}`)).data;

/** The failing fields of a 400. */
const fieldsOf = ({ status, body, text }: Answer): string[] => {
  expect(status, text).toBe(400);
  return body.errors.map(({ field }: { field: string }) => field);
};
const grantsOf = async (path: string, query = ''): Promise<Resource[]> =>
  (await shop.read(`${path}/grants${query}`)).data;
const balanceOf = async (path: string) => {
  const { balance, usageInPeriod, overage } = await shop.read(path);
  return { balance, usageInPeriod, overage };
};

describe('what a plan promises', () => {
  it('is there with the subscription, from its start on, in its transaction', async () => {
    const { clock, feature, price, subscription, entitlement } = await subscribed({ ...MONTHLY, issueAfterReset: 100 });
    expect(entitlement).toMatchObject({
      object: 'entitlement',
      customerId: subscription.customerId,
      subscriptionId: subscription.id,
      planId: subscription.planId,
      featureId: feature.id,
      featureKey: feature.key,
      featureType: 'metered',
      status: 'active',
      activeFrom: clock.currentTime,
      activeTo: null,
      hasAccess: true,
      balance: 100,
      billableMetrics: [price.billableMetricId],
    });
  });

  it('is one entitlement for each feature, whatever prices carry it, measuring the metrics of all of them', async () => {
    const [feature, flag] = [await newFeature(), await newFeature('boolean')];
    const carries = { feature: { featureId: feature.id, entitlementTemplate: MONTHLY } };
    const prices = [
      await shop.usagePrice(carries),
      await shop.usagePrice(carries),
      await shop.feePrice({ feature: { featureId: flag.id, entitlementTemplate: { type: 'boolean' } } }),
    ];
    const clock = await shop.clock(START);
    const entitlements = await entitlementsOf(await shop.subscribe(await shop.plan(prices), { clock }));
    expect(entitlements.map(({ featureId }) => featureId)).toEqual([flag.id, feature.id]);
    expect(entitlements[1].billableMetrics.toSorted()).toEqual(
      [prices[0].billableMetricId, prices[1].billableMetricId].toSorted(),
    );
  });

  it('measures, on a fee, what all published prices that carry it are for', async () => {
    const feature = await newFeature();
    const carries = { feature: { featureId: feature.id, entitlementTemplate: MONTHLY } };
    const [published, unpublished] = [await shop.usagePrice(carries), await shop.usagePrice(carries)];
    await shop.plan([published]);
    const clock = await shop.clock(START);
    const [entitlement] = await entitlementsOf(
      await shop.subscribe(await shop.plan([await shop.feePrice(carries)]), { clock }),
    );
    expect(entitlement.billableMetrics).toEqual([published.billableMetricId]);
    expect(unpublished.billableMetricId).not.toBe(published.billableMetricId);
  });

  it('refuses a subscription to a feature that nothing measures any more', async () => {
    const feature = await newFeature();
    const carries = { feature: { featureId: feature.id, entitlementTemplate: MONTHLY } };
    const metered = await shop.usagePrice(carries);
    const plan = await shop.plan([await shop.feePrice(carries)]);
    await shop.change(`/v0/prices/${metered.id}`, { feature: null });
    const customer = await shop.customer();
    const body = { name: 'S', planId: plan.id, customerId: customer.id, startedAt: new Date().toISOString() };
    expect(fieldsOf(await merchant.post('/v0/subscriptions', body))).toEqual(['planId']);
    expect((await shop.read(`/v0/subscriptions?customerId=${customer.id}`)).data).toEqual([]);
  });

  it('ends with the subscription, and with it what was given to it by hand', async () => {
    const { clock, subscription, feature } = await subscribed();
    const byHand = await shop.create('/v1/entitlements', {
      customerId: subscription.customerId,
      featureId: (await newFeature('boolean')).id,
      template: { type: 'boolean' },
      subscriptionId: subscription.id,
    });
    expect(byHand).toMatchObject({ planId: subscription.planId, subscriptionId: subscription.id, activeFrom: START });
    await shop.advance(clock, '2026-01-10T00:00:00Z');
    await shop.act(`/v0/subscriptions/${subscription.id}/termination`, { reason: 'Over' });
    const end = { activeTo: '2026-01-10T00:00:00Z', status: 'canceled', hasAccess: false };
    expect(await entitlementsOf(subscription)).toMatchObject([
      { id: byHand.id, ...end },
      { featureId: feature.id, ...end },
    ]);
  });

  it('follows the planned end, until there is none', async () => {
    const { clock, subscription, path } = await subscribed({ ...MONTHLY, issueAfterReset: 100 });
    const end = '2026-02-10T00:00:00Z';
    await shop.change(`/v0/subscriptions/${subscription.id}`, { endingAt: end });
    expect(await shop.read(path)).toMatchObject({ activeTo: end, status: 'active' });
    await shop.change(`/v0/subscriptions/${subscription.id}`, { endingAt: null });
    await shop.advance(clock, '2026-04-01T00:00:00Z');
    expect(await shop.read(path)).toMatchObject({ activeTo: null, status: 'active', balance: 100 });
    expect(await grantsOf(path)).toHaveLength(4);
  });

  it('began never where the subscription was ended before it started', async () => {
    const clock = await shop.clock(START);
    const feature = await newFeature();
    const price = await shop.usagePrice({ feature: { featureId: feature.id, entitlementTemplate: MONTHLY } });
    const startedAt = '2026-02-01T00:00:00Z';
    const subscription = await shop.subscribe(await shop.plan([price]), { clock, startedAt });
    await shop.act(`/v0/subscriptions/${subscription.id}/termination`, { reason: 'Changed my mind' });
    expect(await entitlementsOf(subscription)).toMatchObject([{ activeFrom: startedAt, activeTo: startedAt }]);
    await shop.advance(clock, '2026-03-01T00:00:00Z');
    expect(await entitlementsOf(subscription)).toMatchObject([{ status: 'canceled', hasAccess: false, balance: 0 }]);
  });

  it('keeps its customer, its feature and its metric as they are', async () => {
    const customer = await shop.customer();
    const feature = await newFeature();
    const metric = await shop.metric();
    const entitlement = await shop.create('/v1/entitlements', {
      customerId: customer.id,
      featureId: feature.id,
      template: { type: 'metered', billableMetricIds: [metric.id] },
    });
    const held = { count: 1, items: [{ id: entitlement.id, featureKey: feature.key }] };
    expect(await merchant.delete(`/v0/customers/${customer.id}`)).toMatchObject({
      status: 409,
      body: { code: 'CUSTOMER_IN_USE', details: { blockers: [{ type: 'entitlements', ...held }] } },
    });
    expect(await merchant.delete(`/v0/features/${feature.id}`)).toMatchObject({
      status: 409,
      body: {
        code: 'FEATURE_IN_USE',
        details: { blockers: expect.arrayContaining([{ type: 'entitlement', ...held }]) },
      },
    });
    expect(await merchant.patch(`/v0/billableMetrics/${metric.id}`, { eventType: 'other' })).toMatchObject({
      status: 409,
      body: { code: 'METRIC_IN_USE' },
    });
  });
});

describe('an entitlement made by hand', () => {
  const body = async (fields: object = {}) => ({
    customerId: (await shop.customer()).id,
    featureId: (await newFeature()).id,
    template: { type: 'metered', billableMetricIds: [(await shop.metric()).id] },
    ...fields,
  });

  it('counts from a past start, and ends at its own time', async () => {
    const from = '2026-01-01T00:00:00Z';
    const sent = await body({ activeFrom: from, activeTo: '2026-02-01T00:00:00Z', metadata: { why: 'a gift' } });
    const made = await shop.create('/v1/entitlements', sent);
    expect(made).toMatchObject({
      customerId: sent.customerId,
      planId: null,
      subscriptionId: null,
      activeFrom: from,
      activeTo: '2026-02-01T00:00:00Z',
      metadata: { why: 'a gift' },
    });
    expect(await shop.read(`/v1/entitlements/${made.id}?at=2026-01-31T23:59:59Z`)).toMatchObject({ status: 'active' });
    expect(await shop.read(`/v1/entitlements/${made.id}?at=2026-02-01T00:00:00Z`)).toMatchObject({ status: 'expired' });
  });

  it.each([
    { type: 'boolean', template: { type: 'boolean' } },
    { type: 'static', template: { type: 'static', config: { seats: 5 } } },
  ])('to a $type feature begins at any time', async ({ type, template }) => {
    for (const activeFrom of [START, new Date().toISOString(), '2150-01-01T00:00:00Z']) {
      const sent = await body({ featureId: (await newFeature(type)).id, template, activeFrom });
      const made = await shop.create('/v1/entitlements', sent);
      expect(made.hasAccess).toBe(!activeFrom.startsWith('2150'));
    }
  });

  it('is one for a customer and a feature, until it has ended, also where two come at once', async () => {
    const sent = await body();
    const answers = await Promise.all([1, 2, 3].map(() => merchant.post('/v1/entitlements', sent)));
    expect(answers.map(({ status }) => status).toSorted()).toEqual([201, 409, 409]);
    expect(answers.find(({ status }) => status === 409)?.body.code).toBe('ENTITLEMENT_EXISTS');
    const over = await body({ activeFrom: START, activeTo: '2026-01-02T00:00:00Z' });
    await shop.create('/v1/entitlements', over);
    await shop.create('/v1/entitlements', { ...over, activeFrom: '2026-01-02T00:00:00Z', activeTo: null });
  });

  it('measures what published prices measure, where its template names no metric', async () => {
    const feature = await newFeature();
    const carries = { feature: { featureId: feature.id, entitlementTemplate: MONTHLY } };
    const price = await shop.usagePrice(carries);
    const sent = await body({ featureId: feature.id, template: MONTHLY });
    expect(fieldsOf(await merchant.post('/v1/entitlements', sent))).toEqual(['template.billableMetricIds']);
    await shop.plan([price]);
    expect((await shop.create('/v1/entitlements', sent)).billableMetrics).toEqual([price.billableMetricId]);
  });

  it('refuses what does not fit together, field by field', async () => {
    const average = await shop.metric({ aggregation: 'AVG' });
    const sent = await body();
    const stranger = (await subscribed()).subscription;
    const cases: [object, string[]][] = [
      [{ template: { type: 'boolean' } }, ['template.type']],
      [{ template: { type: 'metered', billableMetricIds: [average.id] } }, ['template.billableMetricIds.0']],
      [{ template: { ...sent.template, resetMinRollover: 1 } }, ['template.resetMinRollover']],
      [{ template: { ...sent.template, usagePeriod: { interval: 'PT1H' } } }, ['template.usagePeriod.interval']],
      [{ template: { ...sent.template, issueAfterReset: 0 } }, ['template.issueAfterReset']],
      [{ activeFrom: '2026-01-02T00:00:00Z', activeTo: '2026-01-02T00:00:00Z' }, ['activeTo']],
      [{ activeTo: START }, ['activeTo']],
      [{ activeFrom: 'yesterday' }, ['activeFrom']],
      [{ subscriptionId: stranger.id }, ['subscriptionId']],
      [{ customerId: undefined, featureId: undefined, template: undefined }, ['customerId', 'featureId', 'template']],
      [{ grants: [] }, ['grants']],
    ];
    for (const [fields, failing] of cases) {
      expect(fieldsOf(await merchant.post('/v1/entitlements', { ...sent, ...fields })), JSON.stringify(fields)).toEqual(
        failing,
      );
    }
  });

  it('is a 404 where something is not there, a 403 where it is another merchant’s, a 409 on what has ended', async () => {
    const foreign = shopOf(await env.merchant());
    const others = await subscribed(MONTHLY, foreign);
    const deleted = await newFeature();
    expect((await merchant.delete(`/v0/features/${deleted.id}`)).status).toBe(204);
    const sent = await body();
    const named = (id: string) => ({ type: 'metered', billableMetricIds: [id] });
    const cases: [object, number, string | undefined][] = [
      [{ customerId: newId('customer') }, 404, 'customerId'],
      [{ featureId: newId('feature') }, 404, 'featureId'],
      [{ featureId: deleted.id }, 404, 'featureId'],
      [{ subscriptionId: newId('subscription') }, 404, 'subscriptionId'],
      [{ template: named(newId('billableMetric')) }, 404, 'template.billableMetricIds.0'],
      [{ customerId: others.subscription.customerId }, 403, undefined],
      [{ featureId: others.feature.id }, 403, undefined],
      [{ subscriptionId: others.subscription.id }, 403, undefined],
      [{ template: named(others.price.billableMetricId) }, 403, undefined],
    ];
    for (const [fields, status, field] of cases) {
      const answer = await merchant.post('/v1/entitlements', { ...sent, ...fields });
      expect([answer.status, answer.body.details?.field], JSON.stringify(fields)).toEqual([status, field]);
    }
  });

  it('is refused on a subscription that has ended', async () => {
    const { clock, subscription } = await subscribed();
    await shop.advance(clock, 'P1D');
    await shop.act(`/v0/subscriptions/${subscription.id}/termination`, { reason: 'Over' });
    const sent = await body({ customerId: subscription.customerId, subscriptionId: subscription.id });
    expect(await merchant.post('/v1/entitlements', sent)).toMatchObject({
      status: 409,
      body: { code: 'INVALID_TRANSITION' },
    });
  });
});

describe('a direct grant', () => {
  // Proves 2.grant.resetMaxRollover, 2.grant.resetMinRollover, 2.grant.priority.
  it('is answered as it is kept, with its defaults', async () => {
    const { path, entitlement } = await subscribed();
    const grant = await shop.create(`${path}/grants`, { amount: 12.5 });
    expect(grant).toMatchObject({
      object: 'grant',
      entitlementId: entitlement.id,
      amount: 12.5,
      effectiveAt: START,
      createdAt: START,
      expiresAt: null,
      voidedAt: null,
      recurrencePeriod: null,
      idempotencyKey: null,
      resetMaxRollover: 999_999_999_999,
      resetMinRollover: 0,
      priority: 0,
    });
    expect(await shop.read(`${path}/grants/${grant.id}`)).toEqual(grant);
    expect(await balanceOf(path)).toEqual({ balance: 12.5, usageInPeriod: 0, overage: 0 });
  });

  const LATER = '2026-01-02T00:00:00Z';
  it.each([
    ['1e-9', { amount: 1e-9 }],
    ['38 digits', '{"amount": 12345678901234567890123456789012345678}'],
    ['the bounds of the rollover', { amount: 1, resetMinRollover: 0, resetMaxRollover: 999_999_999_999 }],
    ['a floor as high as the ceiling', { amount: 1, resetMinRollover: 5, resetMaxRollover: 5 }],
    ['a floor alone', { amount: 1, resetMinRollover: 5 }],
    ['the least priority', { amount: 1, priority: -32_768 }],
    ['the greatest priority', { amount: 1, priority: 32_767 }],
    ['a past effect', { amount: 1, effectiveAt: '2025-01-01T00:00:00Z' }],
    ['a future effect with an end', { amount: 1, effectiveAt: LATER, expiresAt: '2026-01-02T00:00:00.000001Z' }],
    ['no expiry', { amount: 1, expiresAt: null, recurrencePeriod: null }],
    ['a recurrence in weeks', { amount: 1, recurrencePeriod: 'P2W' }],
  ])('takes %s', async (_, body) => {
    const { path } = await subscribed();
    const answer = await merchant.post(`${path}/grants`, body);
    expect(answer.status, answer.text).toBe(201);
    expect((await merchant.get(`${path}/grants/${answer.body.id}`)).text).toBe(answer.text);
  });

  let refusing: Awaited<ReturnType<typeof subscribed>>;
  it.each([
    ['no amount', {}, 'amount'],
    ['0', { amount: 0 }, 'amount'],
    ['a negative amount', { amount: -1 }, 'amount'],
    ['1e300', '{"amount": 1e300}', 'amount'],
    ['1e999', '{"amount": 1e999}', 'amount'],
    ['39 digits', '{"amount": 123456789012345678901234567890123456789}', 'amount'],
    ['NaN as a text', { amount: 'NaN' }, 'amount'],
    ['a number as a text', { amount: '5' }, 'amount'],
    ['an expiry at its effect', { amount: 1, effectiveAt: LATER, expiresAt: LATER }, 'expiresAt'],
    ['an expiry before its effect', { amount: 1, effectiveAt: LATER, expiresAt: START }, 'expiresAt'],
    ['an expiry that has passed', { amount: 1, expiresAt: START }, 'expiresAt'],
    ['a date without a time', { amount: 1, effectiveAt: '2026-01-02' }, 'effectiveAt'],
    ['a negative ceiling', { amount: 1, resetMaxRollover: -1 }, 'resetMaxRollover'],
    ['a ceiling above all', { amount: 1, resetMaxRollover: 1_000_000_000_000 }, 'resetMaxRollover'],
    ['a fractional ceiling', { amount: 1, resetMaxRollover: 0.5 }, 'resetMaxRollover'],
    ['a negative floor', { amount: 1, resetMinRollover: -1 }, 'resetMinRollover'],
    ['a floor above all', { amount: 1, resetMinRollover: 1_000_000_000_000 }, 'resetMinRollover'],
    ['a fractional floor', { amount: 1, resetMinRollover: 1.5 }, 'resetMinRollover'],
    ['a floor above the ceiling', { amount: 1, resetMinRollover: 2, resetMaxRollover: 1 }, 'resetMinRollover'],
    ['too low a priority', { amount: 1, priority: -32_769 }, 'priority'],
    ['too high a priority', { amount: 1, priority: 32_768 }, 'priority'],
    ['a fractional priority', { amount: 1, priority: 0.5 }, 'priority'],
    ['a recurrence of nothing', { amount: 1, recurrencePeriod: 'P0D' }, 'recurrencePeriod'],
    ['a recurrence in hours', { amount: 1, recurrencePeriod: 'PT1H' }, 'recurrencePeriod'],
    ['a recurrence that is none', { amount: 1, recurrencePeriod: 'monthly' }, 'recurrencePeriod'],
    ['an empty key', { amount: 1, idempotencyKey: '' }, 'idempotencyKey'],
    ['too long a key', { amount: 1, idempotencyKey: 'k'.repeat(256) }, 'idempotencyKey'],
    ['an unknown field', { amount: 1, color: 'red' }, 'color'],
  ])('refuses %s', async (_, body, field) => {
    refusing ??= await subscribed();
    expect(fieldsOf(await merchant.post(`${refusing.path}/grants`, body))).toEqual([field]);
    expect(await grantsOf(refusing.path)).toEqual([]);
  });

  it('is made once for a key, in any later state, and another body is refused', async () => {
    const { path } = await subscribed();
    const sent = { amount: 5, idempotencyKey: 'order-1' };
    const answers = await Promise.all([1, 2, 3].map(() => merchant.post(`${path}/grants`, sent)));
    expect(answers.map(({ status }) => status)).toEqual([201, 201, 201]);
    expect(new Set(answers.map(({ text }) => text)).size).toBe(1);
    expect(await merchant.post(`${path}/grants`, { ...sent, amount: 6 })).toMatchObject({
      status: 409,
      body: { code: 'IDEMPOTENCY_KEY_REUSED' },
    });
    const voided = (await merchant.delete(`${path}/grants/${answers[0]?.body.id}`)).body;
    expect(await shop.create(`${path}/grants`, sent)).toEqual(voided);
    expect((await subscribed()).path).not.toBe(path); // a key is the entitlement's own
    expect((await shop.create(`${(await subscribed()).path}/grants`, sent)).id).not.toBe(voided.id);
  });

  it.each(['boolean', 'static'])('is refused by a %s entitlement', async (type) => {
    const { id } = await shop.create('/v1/entitlements', {
      customerId: (await shop.customer()).id,
      featureId: (await newFeature(type)).id,
      template: type === 'static' ? { type, config: { seats: 3 } } : { type },
    });
    for (const what of ['grants', 'reset']) {
      const answer = await merchant.post(`/v1/entitlements/${id}/${what}`, what === 'grants' ? { amount: 1 } : {});
      expect(answer).toMatchObject({ status: 400, body: { code: 'ENTITLEMENT_NOT_METERED' } });
    }
    expect(await grantsOf(`/v1/entitlements/${id}`)).toEqual([]);
  });

  it('is refused by an entitlement that has ended, and so is a reset; the key of an earlier one still answers', async () => {
    const { clock, path, subscription } = await subscribed();
    const sent = { amount: 5, idempotencyKey: 'before', expiresAt: '2026-01-02T00:00:00Z' };
    const before = await shop.create(`${path}/grants`, sent);
    await shop.advance(clock, 'P2D');
    await shop.act(`/v0/subscriptions/${subscription.id}/termination`, { reason: 'Over' });
    const ended = { status: 409, body: { code: 'ENTITLEMENT_ENDED' } };
    expect(await merchant.post(`${path}/grants`, { amount: 1 })).toMatchObject(ended);
    expect(await merchant.post(`${path}/reset`, {})).toMatchObject(ended);
    expect(await shop.create(`${path}/grants`, sent)).toEqual(before);
  });

  it('is a 404 of an unknown entitlement, a 403 of another merchant’s', async () => {
    const foreign = await env.merchant();
    const { path } = await subscribed();
    const grant = await shop.create(`${path}/grants`, { amount: 1 });
    const unknown = `/v1/entitlements/${newId('entitlement')}`;
    for (const [at, by, status] of [
      [unknown, merchant, 404],
      ['/v1/entitlements/nonsense', merchant, 404],
      [path, foreign, 403],
    ] as const) {
      const answers = [
        await by.post(`${at}/grants`, { amount: 1 }),
        await by.get(`${at}/grants`),
        await by.get(`${at}/grants/${grant.id}`),
        await by.delete(`${at}/grants/${grant.id}`),
        await by.post(`${at}/reset`, {}),
      ];
      expect(answers.map((answer) => answer.status)).toEqual(answers.map(() => status));
    }
  });

  it('burns what was used before it came, in the same usage period', async () => {
    const { path, subscription } = await subscribed();
    await shop.use(subscription.id, '2026-01-01T00:00:00Z', 30);
    expect(await balanceOf(path)).toEqual({ balance: 0, usageInPeriod: 30, overage: 30 });
    await shop.create(`${path}/grants`, { amount: 100 });
    expect(await balanceOf(path)).toEqual({ balance: 70, usageInPeriod: 30, overage: 0 });
  });
});

describe('voiding a grant', () => {
  // Proves 3.grant.void, 3.grant.void.again, 4.entitlements.voidGrant, 4.entitlements.grants.includeVoided.
  it('takes what is left of it out of the balance, once', async () => {
    const { clock, path, subscription } = await subscribed();
    const kept = await shop.create(`${path}/grants`, { amount: 5, priority: 1 });
    const grant = await shop.create(`${path}/grants`, { amount: 100 });
    await shop.use(subscription.id, START, 40);
    await shop.advance(clock, 'P1D');
    const voided = await merchant.delete(`${path}/grants/${grant.id}`);
    expect(voided).toMatchObject({ status: 200, body: { ...grant, voidedAt: '2026-01-02T00:00:00Z' } });
    expect(await balanceOf(path)).toEqual({ balance: 5, usageInPeriod: 40, overage: 0 });
    await shop.advance(clock, 'P1D');
    expect((await merchant.delete(`${path}/grants/${grant.id}`)).text).toBe(voided.text);
    expect(await grantsOf(path)).toEqual([kept]);
    expect(await grantsOf(path, '?includeVoided=true')).toEqual([voided.body, kept]);
    expect(await shop.read(`${path}/grants/${grant.id}`)).toEqual(voided.body);
  });

  it('of another entitlement, or of none, is a 404, and so is reading it', async () => {
    const [one, other] = [await subscribed(), await subscribed()];
    const grant = await shop.create(`${one.path}/grants`, { amount: 5 });
    for (const id of [grant.id, newId('grant'), 'nonsense']) {
      expect((await merchant.delete(`${other.path}/grants/${id}`)).status).toBe(404);
      expect((await merchant.get(`${other.path}/grants/${id}`)).status).toBe(404);
    }
    expect(await shop.read(`${one.path}/grants/${grant.id}`)).toEqual(grant);
  });

  it('sends a webhook, like its creation', async () => {
    const { path, entitlement } = await subscribed();
    const grant = await shop.create(`${path}/grants`, { amount: 5 });
    await merchant.delete(`${path}/grants/${grant.id}`);
    await merchant.delete(`${path}/grants/${grant.id}`);
    const told = await env.database.transaction({ merchants: [merchant.id] }, (tx) =>
      tx.rows<{ type: string; data: object }>(
        sql`select type, data from outbox where data ->> 'grantId' = ${grant.id} order by (data ->> 'sequence')::int`,
      ),
    );
    const { customerId, subscriptionId } = entitlement;
    const data = { grantId: grant.id, entitlementId: entitlement.id, customerId, subscriptionId };
    expect(told).toMatchObject([
      { type: 'grant.created.v0', data },
      { type: 'grant.voided.v0', data },
    ]);
  });
});

describe('the list of grants', () => {
  // Proves 4.entitlements.grants.
  it('has each once, newest first, twenty at a time by default', async () => {
    const { path } = await subscribed({ ...MONTHLY, issueAfterReset: 7 });
    const made: string[] = [];
    for (let n = 1; n <= 22; n += 1) made.unshift((await shop.create(`${path}/grants`, { amount: n })).id);
    const first = await shop.read(`${path}/grants`);
    expect(first.pagination).toEqual({ limit: 20, offset: 0, total: 23, nextAfter: expect.any(String) });
    expect(first.data.map(({ id }: Resource) => id)).toEqual(made.slice(0, 20));
    const others = await grantsOf(path, '?limit=3&offset=20');
    expect(others.map(({ id }) => id).slice(0, 2)).toEqual(made.slice(20));
    expect(others[2]).toMatchObject({ amount: 7 });
    expect((await shop.read(`${path}/grants?limit=100&offset=23`)).data).toEqual([]);
  });

  it.each(['limit=0', 'limit=101', 'limit=1.5', 'offset=-1', 'includeVoided=maybe', 'sort=asc'])(
    'refuses %s',
    async (query) => {
      refusingList ??= await subscribed();
      expect((await merchant.get(`${refusingList.path}/grants?${query}`)).status).toBe(400);
    },
  );
  let refusingList: Awaited<ReturnType<typeof subscribed>>;
});

describe('what the template issues', () => {
  const template = { ...MONTHLY, issueAfterReset: 100, issueAfterResetPriority: 3, resetMaxRollover: 10 };

  it('is a grant from the start on, the same before and after due work has written it', async () => {
    const { clock, path } = await subscribed(template);
    const before = await grantsOf(path);
    expect(before).toMatchObject([
      { amount: 100, priority: 3, effectiveAt: START, createdAt: START, resetMaxRollover: 10, resetMinRollover: 0 },
    ]);
    expect(await shop.read(`${path}/grants/${before[0].id}`)).toEqual(before[0]);
    expect(await rowsOf(before[0].id)).toBe(0);
    await shop.advance(clock, 'PT1H');
    expect(await rowsOf(before[0].id)).toBe(1);
    expect(await grantsOf(path)).toEqual(before);
    await shop.advance(clock, 'P1M');
    expect((await grantsOf(path)).map(({ effectiveAt }) => effectiveAt)).toEqual(['2026-02-01T00:00:00Z', START]);
  });

  it('can be voided before it is written, and is not issued again', async () => {
    const { clock, path } = await subscribed(template);
    const [issued] = await grantsOf(path);
    expect(await merchant.delete(`${path}/grants/${issued.id}`)).toMatchObject({
      status: 200,
      body: { ...issued, voidedAt: START },
    });
    expect(await balanceOf(path)).toMatchObject({ balance: 0 });
    await shop.advance(clock, 'P1D');
    expect(await grantsOf(path)).toEqual([]);
    expect(await grantsOf(path, '?includeVoided=true')).toHaveLength(1);
    expect(await balanceOf(path)).toMatchObject({ balance: 0 });
  });

  const rowsOf = (id: string): Promise<number> =>
    env.database.transaction({ merchants: [merchant.id] }, async (tx) => {
      const rows = await tx.rows(sql`select id from entitlement_grant where id = ${id}`);
      return rows.length;
    });
});

describe('a reset by hand', () => {
  const template = { ...MONTHLY, issueAfterReset: 100, resetMaxRollover: 10 };
  const MIDDLE = '2026-01-15T12:00:00Z';
  const used = async (more: object = {}) => {
    const of = await subscribed({ ...template, ...more });
    await shop.use(of.subscription.id, '2026-01-10T00:00:00Z', 30);
    await shop.advance(of.clock, MIDDLE);
    return of;
  };
  const reset = (path: string, body: object = {}) => shop.act(`${path}/reset`, body);

  it('rolls grants over, issues again and counts periods from there', async () => {
    const { clock, path } = await used();
    expect(await balanceOf(path)).toEqual({ balance: 70, usageInPeriod: 30, overage: 0 });
    const answer = await reset(path);
    expect(answer).toMatchObject({
      balance: 110,
      usageInPeriod: 0,
      overage: 0,
      lastResetAt: MIDDLE,
      currentPeriodStart: MIDDLE,
      currentPeriodEnd: '2026-02-15T12:00:00Z',
    });
    const grants = await grantsOf(path);
    expect(grants.map(({ effectiveAt }) => effectiveAt)).toEqual([MIDDLE, START]);
    await shop.advance(clock, '2026-02-15T12:00:00Z');
    expect((await grantsOf(path)).map(({ id }) => id).slice(1)).toEqual(grants.map(({ id }) => id));
    expect(await balanceOf(path)).toMatchObject({ balance: 120 });
  });

  it('keeps the anchor where it is asked to: the period until the next boundary is shorter', async () => {
    const { path } = await used();
    expect(await reset(path, { retainAnchor: true })).toMatchObject({
      currentPeriodStart: MIDDLE,
      currentPeriodEnd: '2026-02-01T00:00:00Z',
    });
  });

  it.each([
    { words: 'as the template says by default', template: true, asked: undefined, overage: 0, balance: 70 },
    { words: 'or as it is asked', template: true, asked: false, overage: 0, balance: 100 },
    { words: 'either way', template: false, asked: true, overage: 0, balance: 70 },
  ])('burns the old overage first, $words', async ({ template: preserveOverageAtReset, asked, overage, balance }) => {
    const { clock, path, subscription } = await subscribed({ ...template, preserveOverageAtReset });
    await shop.use(subscription.id, '2026-01-10T00:00:00Z', 130);
    await shop.advance(clock, MIDDLE);
    expect(await balanceOf(path)).toEqual({ balance: 0, usageInPeriod: 130, overage: 30 });
    const answer = await reset(path, asked === undefined ? {} : { preserveOverage: asked });
    expect(answer).toMatchObject({ balance, overage, usageInPeriod: 0 });
  });

  it('can be at an instant of the current period, once', async () => {
    const { path } = await used();
    const at = '2026-01-05T00:00:00Z';
    const first = await reset(path, { effectiveAt: at });
    expect(first).toMatchObject({ lastResetAt: at, usageInPeriod: 30, balance: 80 });
    expect(await reset(path, { effectiveAt: at, retainAnchor: true })).toEqual(first);
    expect(await grantsOf(path)).toHaveLength(2);
  });

  it.each([
    { asked: {} },
    { asked: { preserveOverage: false } },
    { asked: { retainAnchor: true, preserveOverage: false } },
    { asked: { effectiveAt: '2026-02-28T00:00:00Z', preserveOverage: false }, later: 'P3D' },
  ])('does nothing at the instant of an automatic one, asked as $asked', async ({ asked, later = 'PT0S' }) => {
    const clock = await shop.clock('2026-01-31T00:00:00Z');
    const feature = await newFeature();
    const entitlementTemplate = { ...MONTHLY, issueAfterReset: 100, preserveOverageAtReset: true };
    const price = await shop.usagePrice({ feature: { featureId: feature.id, entitlementTemplate } });
    const subscription = await shop.subscribe(await shop.plan([price]), { clock });
    await shop.use(subscription.id, '2026-02-10T00:00:00Z', 130);
    await shop.advance(clock, '2026-02-28T00:00:00Z');
    if (later !== 'PT0S') await shop.advance(clock, later);
    const path = `/v1/entitlements/${(await entitlementsOf(subscription))[0].id}`;
    const before = await shop.read(path);
    expect(before).toMatchObject({ balance: 70, currentPeriodEnd: '2026-03-31T00:00:00Z' });
    expect(await reset(path, asked)).toEqual(before);
    expect(await shop.read(`${path}?at=2026-02-28T00:00:00Z`)).toMatchObject({ balance: 70 });
    await shop.advance(clock, '2026-03-31T00:00:00Z');
    expect(await shop.read(path)).toMatchObject({ balance: 100, currentPeriodEnd: '2026-04-30T00:00:00Z' });
  });

  it.each([
    ['ahead', '2026-01-15T12:00:00.000001Z'],
    ['at the start of the entitlement', START],
    ['before it', '2025-12-31T00:00:00Z'],
    ['a date', '2026-01-10'],
  ])('is refused %s', async (_, effectiveAt) => {
    refusingReset ??= await used();
    const answer = await merchant.post(`${refusingReset.path}/reset`, { effectiveAt });
    expect(fieldsOf(answer)).toEqual(['effectiveAt']);
  });
  let refusingReset: Awaited<ReturnType<typeof used>>;

  it('is refused before the current usage period', async () => {
    const { clock, path } = await used();
    await shop.advance(clock, '2026-02-02T00:00:00Z');
    const before = await merchant.post(`${path}/reset`, { effectiveAt: '2026-01-31T23:59:59.999999Z' });
    expect(fieldsOf(before)).toEqual(['effectiveAt']);
    await reset(path, { effectiveAt: '2026-02-01T00:00:00Z' });
  });

  it('is reported once', async () => {
    const { clock, path, entitlement } = await used();
    await reset(path);
    await reset(path);
    await shop.advance(clock, 'PT1H');
    const told = await env.database.transaction({ merchants: [merchant.id] }, (tx) =>
      tx.rows(
        sql`select data from outbox where type = 'entitlement.reset.v0' and data ->> 'entitlementId' = ${entitlement.id}`,
      ),
    );
    expect(told).toMatchObject([{ data: { customerId: entitlement.customerId } }]);
  });
});

describe('a reconciliation', () => {
  const template = { ...MONTHLY, issueAfterReset: 100 };
  const carrying = (feature: Resource, entitlementTemplate: object) => ({
    feature: { featureId: feature.id, entitlementTemplate },
  });

  /** A subscription to `kept` and `left`. Its plan now has `kept` with another template, and `come`. */
  async function outdated() {
    const [kept, left, come] = [await newFeature(), await newFeature(), await newFeature('boolean')];
    const clock = await shop.clock(START);
    const metric = await shop.metric();
    const of = { billableMetricId: metric.id };
    const old = await shop.usagePrice({ ...of, ...carrying(kept, template) });
    const gone = await shop.usagePrice({ ...of, ...carrying(left, template) });
    const plan = await shop.plan([old, gone]);
    const subscription = await shop.subscribe(plan, { clock });
    const more = await shop.usagePrice({ ...of, ...carrying(kept, { ...template, issueAfterReset: 500 }) });
    const flag = await shop.feePrice(carrying(come, { type: 'boolean' }));
    await shop.create(`/v0/plans/${plan.id}/versions`, {
      replacePrices: [{ replacesPriceId: old.id, withPriceId: more.id }],
      removePrices: [gone.id],
      addPrices: [flag.id],
    });
    await shop.advance(clock, '2026-01-10T00:00:00Z');
    const features = {
      added: [{ featureId: come.id, featureKey: come.key, billed: false }],
      updated: [{ featureId: kept.id, featureKey: kept.key, allowance: { before: 100, after: 500 } }],
      skipped: [],
      removed: [{ featureId: left.id, featureKey: left.key }],
      failed: [],
    };
    return {
      clock,
      subscription,
      features,
      path: `/v0/subscriptions/${subscription.id}/reconciliations`,
      kept,
      left,
      come,
    };
  }

  // Proves 4.subscriptions.reconciliations.dryRun.
  it('that is dry shows its effect, and writes nothing', async () => {
    const { path, features: told } = await outdated();
    const before = await everything();
    expect(await shop.act(path, { dryRun: true })).toEqual({
      object: 'subscriptionReconciliation',
      dryRun: true,
      features: told,
      lineItems: { created: 0, removed: 0 },
    });
    expect(await everything()).toEqual(before);
  });

  // Proves 4.subscriptions.reconciliations.
  it('gives what is missing, ends what is gone, and raises what was granted', async () => {
    const { clock, path, features: told, subscription, kept, left, come } = await outdated();
    const before = await entitlementsOf(subscription);
    const direct = await shop.create(`/v1/entitlements/${idOf(before, kept)}/grants`, { amount: 5 });
    expect(await shop.create(path)).toMatchObject({ dryRun: false, features: told });
    const after = await entitlementsOf(subscription);
    const now = '2026-01-10T00:00:00Z';
    expect(after).toMatchObject([
      { featureId: come.id, status: 'active', activeFrom: now, hasAccess: true },
      { featureId: left.id, status: 'canceled', activeTo: now, hasAccess: false },
      { featureId: kept.id, id: idOf(before, kept), status: 'active', balance: 505 },
    ]);
    await shop.advance(clock, '2026-02-01T00:00:00Z');
    expect(await balanceOf(`/v1/entitlements/${idOf(after, kept)}`)).toMatchObject({ balance: 505 });
    expect((await grantsOf(`/v1/entitlements/${idOf(after, kept)}`)).map(({ id }) => id)).toContain(direct.id);
    const again = {
      added: [],
      updated: [],
      removed: [],
      failed: [],
      skipped: [{ featureId: kept.id }, { featureId: come.id }],
    };
    expect((await shop.create(path)).features).toMatchObject(again);
  });

  it('brings back a feature that an earlier one took, as a new entitlement', async () => {
    const { path, subscription, left } = await outdated();
    await shop.create(path);
    const price = await shop.usagePrice(carrying(left, template));
    await shop.create(`/v0/plans/${subscription.planId}/versions`, { addPrices: [price.id] });
    const { features: told } = await shop.create(path);
    expect(told.added).toEqual([{ featureId: left.id, featureKey: left.key, billed: true }]);
    expect((await entitlementsOf(subscription)).filter(({ featureId }) => featureId === left.id)).toMatchObject([
      { status: 'active', balance: 100 },
      { status: 'canceled' },
    ]);
  });

  it('of a subscription that has ended is a 409, of an unknown one a 404', async () => {
    const { path, subscription } = await outdated();
    await shop.act(`/v0/subscriptions/${subscription.id}/termination`, { reason: 'Over' });
    expect(await merchant.post(path, {})).toMatchObject({ status: 409, body: { code: 'INVALID_TRANSITION' } });
    expect(fieldsOf(await merchant.post(path, { dryRun: 'yes' }))).toEqual(['dryRun']);
    const unknown = `/v0/subscriptions/${newId('subscription')}/reconciliations`;
    expect((await merchant.post(unknown, {})).status).toBe(404);
  });

  const idOf = (entitlements: readonly Resource[], feature: Resource): string =>
    entitlements.find(({ featureId }) => featureId === feature.id).id;

  /** All records of the merchant except the audit log, which records the requests. */
  async function everything(): Promise<Readonly<Record<string, string>>> {
    const tables = await openTables(env.url);
    try {
      // A call is written down, also in the timeline, and the count of the audit log follows.
      const {
        audit_entry: _,
        list_count: __,
        list_count_change: ___,
        list_range: ____,
        timeline_fact: _____,
        ...rest
      } = await tables.snapshot(merchant.id);
      return rest;
    } finally {
      await tables.close();
    }
  }
});
