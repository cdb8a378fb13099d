import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sharedEnvironment, type TestEnvironment } from '../support/environment.ts';
import { type Resource, START } from '../support/shop.ts';
import { newMeteredFeature, openWorld, type World } from '../support/world.ts';

/**
 * Answers below `/compact` in the forms that clients of that dialect require (docs/clients.md): nulls that stay, empty
 * texts, figures as numbers, and the merchant's own JSON as it is.
 */
let env: TestEnvironment;
let world: World;
beforeAll(async () => {
  env = await sharedEnvironment();
  world = await openWorld(env);
});
afterAll(() => env.close());

const RANGE = `from=${START}&to=2026-02-01T00:00:00Z`;
const OWN = { maxSeats: null, tags: [null, 1], nested: { a: null } };
const GRANTS = ({ entitlement }: World) => `/v1/entitlements/${entitlement.id}/grants`;

interface Row {
  readonly answer: string;
  /** The call as it is below `/compact` and on the plain path. */
  readonly call: (world: World) => Promise<readonly [method: 'get' | 'post' | 'delete', path: string, body?: unknown]>;
  /** The part of the answer that is compared. */
  readonly part: (body: Resource) => unknown;
  readonly plain: unknown;
  readonly compact: unknown;
}

let count = 0;
const next = () => {
  count += 1;
  return count;
};

const staticEntitlement = async ({ shop, product, customer }: World): Promise<Resource> => {
  const key = `static-${next()}`;
  const feature = await shop.create('/v0/features', { key, name: key, productId: product.id, type: 'static' });
  return shop.create('/v1/entitlements', {
    customerId: customer.id,
    featureId: feature.id,
    template: { type: 'static', config: OWN },
  });
};
const adHoc = ({ shop, customer }: World): Promise<Resource> =>
  shop.create('/v2/invoices', {
    customerId: customer.id,
    currency: 'USD',
    lines: [{ displayName: 'Audit', quantity: 1, unitPrice: '10' }],
  });
const ofGrant = ({ recurrencePeriod, idempotencyKey, expiresAt }: Resource) => ({
  recurrencePeriod,
  idempotencyKey,
  expiresAt,
});
const plainGrant = { recurrencePeriod: null, idempotencyKey: null, expiresAt: null };
const compactGrant = { recurrencePeriod: null, idempotencyKey: null };

const rows: readonly Row[] = [
  {
    answer: 'entitlements.issue',
    call: async ({ customer, shop, product, metric }) => [
      'post',
      '/v1/entitlements',
      {
        customerId: customer.id,
        featureId: (await newMeteredFeature(shop, product)).id,
        template: { type: 'metered', billableMetricIds: [metric.id] },
      },
    ],
    part: ({ config, activeTo, pricingUnitId }) => ({ config, activeTo, pricingUnitId }),
    plain: { config: null, activeTo: null, pricingUnitId: null },
    compact: { config: null },
  },
  {
    answer: 'grants.create',
    call: async (known) => ['post', GRANTS(known), { amount: 1 }],
    part: ofGrant,
    plain: plainGrant,
    compact: compactGrant,
  },
  {
    answer: 'grants.list',
    call: async (known) => ['get', GRANTS(known)],
    part: ({ data }) => ofGrant(data[0]),
    plain: plainGrant,
    compact: compactGrant,
  },
  {
    answer: 'grants.get',
    call: async (known) => ['get', `${GRANTS(known)}/${known.grant.id}`],
    part: ofGrant,
    plain: plainGrant,
    compact: compactGrant,
  },
  {
    answer: 'grants.void',
    call: async (known) => {
      const { id } = await known.shop.create(GRANTS(known), { amount: 1 });
      return ['delete', `${GRANTS(known)}/${id}`];
    },
    part: ofGrant,
    plain: plainGrant,
    compact: compactGrant,
  },
  {
    answer: 'profitability without a series',
    call: async () => ['get', `/v0/profitability?${RANGE}`],
    part: ({ rows: [row] }) => ({ marginPct: row.marginPct, trend: row.trend }),
    plain: { marginPct: null, trend: null },
    compact: { marginPct: null, trend: null },
  },
  {
    answer: 'profitability with a series',
    call: async () => ['get', `/v0/profitability?${RANGE}&bucketWidth=month`],
    part: ({ rows: [row] }) => row.trend.periodChange,
    plain: null,
    compact: null,
  },
  {
    answer: 'an invoice without a subscription',
    call: async (known) => ['get', `/v2/invoices/${(await adHoc(known)).id}`],
    part: ({ subscriptionId, failureDetail, tax }) => ({ subscriptionId, failureDetail, tax }),
    plain: { subscriptionId: null, tax: null },
    compact: { subscriptionId: '' },
  },
  {
    answer: 'a list with an invoice without a subscription',
    call: async (known) => {
      await adHoc(known);
      return ['get', '/v2/invoices?limit=1'];
    },
    part: ({ data: [invoice] }) => invoice.subscriptionId,
    plain: null,
    compact: '',
  },
  {
    answer: 'line items of an invoice without a subscription',
    call: async (known) => ['get', `/v2/invoices/lineItems?invoiceId=${(await adHoc(known)).id}`],
    part: ({ data: [line] }) => line.subscriptionId,
    plain: null,
    compact: '',
  },
  {
    answer: 'grants.purchase',
    call: async (known) => [
      'post',
      `${GRANTS(known)}/purchase`,
      { amount: 10, price: '15.00', idempotencyKey: `purchase-${next()}` },
    ],
    part: ({ paymentSessions: [session] }) => Object.keys(session),
    plain: ['url', 'expiresAt', 'amount'],
    compact: ['url', 'expiresAt'],
  },
  {
    answer: 'costs.getCostSummary',
    call: async ({ cost }) => ['get', `/v0/costs/${cost.id}/summary?${RANGE}&window=DAY`],
    part: ({ totalCost, timeSeries }) => [totalCost, ...timeSeries.map((each: Resource) => each.cost)],
    plain: ['0.30', '0.30'],
    compact: [0.3, 0.3],
  },
  {
    answer: 'costs.getCostSummary of a cost that measures nothing',
    call: async ({ shop, product }) => {
      const { id } = await shop.create('/v0/costs', { name: 'C', unitCost: 1, currency: 'USD', productId: product.id });
      return ['get', `/v0/costs/${id}/summary?${RANGE}`];
    },
    part: ({ totalCost, totalQuantity }) => ({ totalCost, totalQuantity }),
    plain: { totalCost: null, totalQuantity: null },
    compact: { totalCost: null },
  },
  {
    answer: 'costs.getCostReport',
    call: async ({ cost }) => [
      'get',
      `/v0/costs/report?groupBy=cost&costId=${cost.id}&${RANGE}&comparePriorPeriod=true`,
    ],
    part: ({ totalCost, groups: [group], timeSeries: [first] }) => [
      totalCost,
      group.totalCost,
      group.priorPeriod,
      Object.values(first.groups),
    ],
    plain: ['0.30', '0.30', { cost: '0.00', changePercent: null }, ['0.30']],
    compact: [0.3, 0.3, { cost: 0, changePercent: null }, [0.3]],
  },
  {
    answer: 'billableMetrics.listEvents',
    call: async ({ merchant, metric }) => {
      const timestamp = '2026-01-20T00:00:00Z';
      const externalSubject = `nobody-${next()}`;
      await merchant.post('/v0/events', {
        type: 'call',
        source: 't',
        externalSubject,
        timestamp,
        data: { units: 1, model: null },
      });
      return ['get', `/v0/billableMetrics/${metric.id}/events?${RANGE}&externalSubject=${externalSubject}`];
    },
    part: ({ events: [event] }) => ({ subject: event.subject, data: event.data }),
    plain: { data: { units: 1, model: null } },
    compact: { subject: '', data: { units: 1, model: null } },
  },
  {
    answer: "the merchant's nulls in a static entitlement",
    call: async (known) => ['get', `/v1/entitlements/${(await staticEntitlement(known)).id}`],
    part: ({ config }) => config,
    plain: OWN,
    compact: OWN,
  },
  {
    answer: "the merchant's nulls in the access of a customer",
    call: async (known) => {
      const { featureKey } = await staticEntitlement(known);
      return ['get', `/v1/customers/${known.customer.id}/access?featureKey=${featureKey}`];
    },
    part: ({ features: [{ config, reason }] }) => ({ config, reason }),
    plain: { config: OWN, reason: null },
    compact: { config: OWN },
  },
  {
    answer: "the merchant's nulls in the data of an event",
    call: async ({ merchant }) => {
      const sent = { type: 'other', source: 't', externalSubject: 'x', timestamp: START, data: { model: null } };
      return ['get', `/v0/events/${(await merchant.post('/v0/events', sent)).body.id}`];
    },
    part: ({ data }) => data,
    plain: { model: null },
    compact: { model: null },
  },
  {
    answer: "the merchant's nulls in the config of a source",
    call: async ({ shop, plan, metric }) => {
      const { id } = await shop.create('/v0/sources', {
        name: 'App',
        planId: plan.id,
        type: 'generic_revenue',
        config: { projectId: 'p', region: null },
        metadata: { billableMetricMapping: { revenue: metric.id }, team: null },
      });
      return ['get', `/v0/sources/${id}`];
    },
    part: ({ config, metadata }) => ({ config, team: metadata.team }),
    plain: { config: { projectId: 'p', region: null }, team: null },
    compact: { config: { projectId: 'p', region: null }, team: null },
  },
  {
    answer: 'the last tier of a price',
    call: async ({ shop, metric }) => {
      const tiers = [
        { upTo: '10', unitPrice: '1' },
        { upTo: null, unitPrice: '2' },
      ];
      const price = await shop.usagePrice({
        billableMetricId: metric.id,
        model: 'graduated',
        properties: { tiers },
        billingCadence: null,
      });
      return ['get', `/v0/prices/${price.id}`];
    },
    part: ({ properties, billingCadence }) => ({ upTo: properties.tiers.at(-1).upTo, billingCadence }),
    plain: { upTo: null, billingCadence: null },
    compact: { upTo: null },
  },
  {
    answer: 'usage without a value for its group',
    call: async ({ metric }) => ['get', `/v0/billableMetrics/${metric.id}/meter?${RANGE}&groupBy=region`],
    part: ({ groupedValues: [group] }) => group.groupBy,
    plain: { region: null },
    compact: {},
  },
];

/** An answer without what JSON leaves out. */
const written = (value: unknown): unknown => JSON.parse(JSON.stringify(value));

describe.each(rows)('$answer', ({ call, part, plain, compact }) => {
  it.each([
    { prefix: '', expected: plain },
    { prefix: '/compact', expected: compact },
  ])('is on $prefix as its clients read it', async ({ prefix, expected }) => {
    const [method, path, body] = await call(world);
    const url = `${prefix}${path}`;
    const answer = await (method === 'get' ? world.merchant.get(url) : world.merchant[method](url, body));
    expect(answer.status, answer.text).toBeLessThan(300);
    expect(written(part(answer.body))).toEqual(expected);
  });
});
