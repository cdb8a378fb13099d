import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Merchant, sharedEnvironment, type TestEnvironment } from '../../../test/support/environment.ts';
import { decimal, jsonNumber } from '../../kernel/decimal.ts';
import { orThrow } from '../../kernel/result.ts';
import { createCost } from '../costs/costs.ts';
import { type CatalogOptions, findMetric, listMetricsAndCostsByEventType } from '../index.ts';
import { type Builder, builderFor, failingFields, METRIC } from '../testing/build.ts';
import { changeMetric, createMetric } from './metrics.ts';

let env: TestEnvironment;
let merchant: Merchant;
let build: Builder;
let productId: string;
beforeAll(async () => {
  env = await sharedEnvironment();
  merchant = await env.merchant();
  build = builderFor(merchant);
  productId = await build.product();
});
afterAll(() => env.close());

const post = (fields: object) =>
  merchant.post('/v0/billableMetrics', { name: 'Tokens', aggregation: 'COUNT', ...fields });

describe('POST /v0/billableMetrics', () => {
  it('answers the metric of §2, and GET the same', async () => {
    env.setNow('2026-03-01T00:00:00Z');
    const made = await post({
      ...METRIC,
      description: 'Tokens out',
      unit: 'token',
      productId,
      groupBy: { model: '$.model', region: '$.site.region' },
      eventFrom: '2026-02-01T01:00:00.1234567+01:00',
      taxRate: 8.875,
    });
    expect(made).toMatchObject({ status: 201 });
    expect(made.body).toEqual({
      id: expect.stringMatching(/^bm_[0-9A-Za-z]{22}$/),
      object: 'billableMetric',
      aggregation: 'SUM',
      name: 'Tokens',
      description: 'Tokens out',
      unit: 'token',
      displayUnit: null,
      merchantId: merchant.id,
      productId,
      itemId: null,
      eventType: 'llm',
      valueProperty: '$.tokens',
      groupBy: { model: '$.model', region: '$.site.region' },
      timeUnit: null,
      percentile: null,
      sampleWindow: null,
      sampleAggregation: null,
      eventFrom: '2026-02-01T00:00:00.123456Z', // cut, not rounded
      taxRate: 8.875,
      createdAt: '2026-03-01T00:00:00Z',
      updatedAt: '2026-03-01T00:00:00Z',
    });
    expect((await merchant.get(`/v0/billableMetrics/${made.body.id}`)).body).toEqual(made.body);
  });

  it('needs a name, an aggregation and a product only; what is not said is null or empty', async () => {
    const { status, body } = await post({ productId });
    expect(status).toBe(201);
    expect(body).toMatchObject({
      description: '',
      unit: '',
      eventType: null,
      valueProperty: null,
      groupBy: null,
      eventFrom: null,
      itemId: null,
      taxRate: null,
    });
  });

  // Proves 4.metrics.3.
  it.each(['SUM', 'AVG', 'MIN', 'MAX', 'LATEST', 'UNIQUE_COUNT'])(
    '%s needs a valueProperty (§4 rule 3)',
    async (aggregation) => {
      expect(failingFields(await post({ aggregation, productId }))).toEqual(['valueProperty']);
      expect(failingFields(await post({ aggregation, productId, valueProperty: null }))).toEqual(['valueProperty']);
      expect(await post({ aggregation, productId, valueProperty: '$.v' })).toMatchObject({
        status: 201,
        body: { aggregation },
      });
    },
  );

  // Proves 4.metrics.4.
  it.each([
    { body: { aggregation: 'MEDIAN' }, field: 'aggregation' },
    { body: { valueProperty: 'tokens' }, field: 'valueProperty' },
    { body: { valueProperty: '$.a[0]' }, field: 'valueProperty' },
    { body: { groupBy: { region: 'region' } }, field: 'groupBy.region' }, // §4 rule 4
    { body: { groupBy: { region: 7 } }, field: 'groupBy.region' },
    { body: { groupBy: [] }, field: 'groupBy' },
    { body: { eventFrom: '2026-02-01' }, field: 'eventFrom' }, // a bare date
    { body: { eventFrom: '1999-12-31T23:59:59Z' }, field: 'eventFrom' },
    { body: { eventType: '' }, field: 'eventType' },
    { body: { taxRate: -0.1 }, field: 'taxRate' },
    { body: { taxRate: 100.1 }, field: 'taxRate' },
    { body: { taxRate: '20' }, field: 'taxRate' },
    { body: { name: '' }, field: 'name' },
    { body: { productId: 'bm_x' }, field: 'productId' },
  ])('is a 400 for $body', async ({ body, field }) => {
    expect(failingFields(await post({ productId, ...body }))).toEqual([field]);
  });

  // Proves 2.metric.productId, 4.metrics.1, 4.metrics.2.
  it('needs a product, unless an item has one (§4 rules 1 and 2)', async () => {
    const itemId = await build.item({ catalogId: productId });
    const loose = await build.item();
    expect(failingFields(await post({}))).toEqual(['productId']);
    expect(failingFields(await post({ itemId: loose }))).toEqual(['productId']);
    expect(await post({ itemId })).toMatchObject({ status: 201, body: { itemId, productId } });
    expect(await post({ itemId, productId })).toMatchObject({ status: 201, body: { itemId, productId } });
    expect(await post({ itemId: loose, productId })).toMatchObject({ status: 201, body: { itemId: loose, productId } });
    expect(failingFields(await post({ itemId, productId: await build.product() }))).toEqual(['productId']);
  });

  it('is a 404 for an item that was deleted', async () => {
    const itemId = await build.item({ catalogId: productId });
    await merchant.delete(`/v0/items/${itemId}`);
    expect(await post({ itemId })).toMatchObject({ status: 404, body: { details: { field: 'itemId' } } });
  });
});

describe('GET /v0/billableMetrics', () => {
  it('filters by product, item and event type', async () => {
    const alone = await build.product();
    const itemId = await build.item({ catalogId: alone });
    const first = await build.metric(alone, { eventType: 'a' });
    const second = await build.metric(alone, { eventType: 'b', itemId });
    const ids = async (query: string) =>
      (await merchant.get(`/v0/billableMetrics?${query}`)).body.data.map(({ id }: { id: string }) => id);
    expect(await ids(`productId=${alone}`)).toEqual([second, first]);
    expect(await ids(`itemId=${itemId}`)).toEqual([second]);
    expect(await ids(`productId=${alone}&eventType=a`)).toEqual([first]);
  });
});

describe('PATCH /v0/billableMetrics/{id}', () => {
  const patch = (id: string, body: object) => merchant.patch(`/v0/billableMetrics/${id}`, body);

  it('changes everything of a metric that is not priced', async () => {
    const id = await build.metric(productId);
    const change = {
      name: 'N',
      description: 'D',
      unit: 'u',
      aggregation: 'MAX',
      eventType: 'other',
      valueProperty: '$.peak',
      groupBy: { a: '$.a' },
      eventFrom: '2026-01-01T00:00:00Z',
      taxRate: 5,
    };
    expect(await patch(id, change)).toMatchObject({ status: 200, body: change });
    const cleared = { eventType: null, groupBy: null, eventFrom: null, taxRate: null };
    expect((await patch(id, cleared)).body).toMatchObject(cleared);
  });

  it('holds the rules of §4 for what results', async () => {
    const id = await build.metric(productId);
    expect(failingFields(await patch(id, { valueProperty: null }))).toEqual(['valueProperty']);
    const count = await build.metric(productId, { aggregation: 'COUNT', valueProperty: null });
    expect(failingFields(await patch(count, { aggregation: 'SUM' }))).toEqual(['valueProperty']);
    expect(await patch(count, { aggregation: 'SUM', valueProperty: '$.a' })).toMatchObject({ status: 200 });
  });

  it('follows an item to its product, and stays there when the item is taken off', async () => {
    const other = await build.product();
    const itemId = await build.item({ catalogId: other });
    const id = await build.metric(productId);
    expect(failingFields(await patch(id, { itemId, productId }))).toEqual(['productId']);
    expect(await patch(id, { itemId })).toMatchObject({ status: 200, body: { itemId, productId: other } });
    expect(failingFields(await patch(id, { productId }))).toEqual(['productId']);
    expect(await patch(id, { itemId: null })).toMatchObject({ status: 200, body: { itemId: null, productId: other } });
  });

  it('is a 409 METRIC_IN_USE for what a price stands on; names, unit and tax rate still change', async () => {
    const id = await build.metric(productId, { groupBy: { a: '$.a' }, eventFrom: '2026-01-01T00:00:00Z' });
    await build.metricPrice(id);
    for (const change of [
      { aggregation: 'MAX' },
      { eventType: 'other' },
      { valueProperty: '$.other' },
      { groupBy: { b: '$.b' } },
      { eventFrom: '2026-01-02T00:00:00Z' },
      { productId: await build.product() },
    ]) {
      const [field] = Object.keys(change);
      expect(await patch(id, change)).toMatchObject({
        status: 409,
        body: { code: 'METRIC_IN_USE', details: { fields: [field] } },
      });
    }
    const same = { aggregation: 'SUM', groupBy: { a: '$.a' }, eventFrom: '2026-01-01T01:00:00+01:00', productId };
    const names = { name: 'N', description: 'D', unit: 'u', taxRate: 19 };
    expect(await patch(id, { ...same, ...names })).toMatchObject({ status: 200, body: names });
  });
});

it('a metric that only a feature is measured by is held as well', async () => {
  const id = await build.metric(productId);
  const template = { type: 'metered', billableMetricIds: [id] };
  const feature = { featureId: await build.feature(productId), entitlementTemplate: template };
  await build.feePrice(await build.fee(productId), { feature });
  const change = await merchant.patch(`/v0/billableMetrics/${id}`, { aggregation: 'AVG' });
  expect(change).toMatchObject({ status: 409, body: { code: 'METRIC_IN_USE' } });
});

describe('a meter', () => {
  it('reports its creation and its changes to other domains, in the same transaction', async () => {
    const told: string[] = [];
    const options: CatalogOptions = {
      countSubscriptions: async () => new Map(),
      findActivePlans: async () => [],
      onMeterChanged: async (_tx, meter) => void told.push(`${meter.id} ${meter.eventType}`),
    };
    const now = Temporal.Instant.from('2026-03-01T00:00:00Z');
    const [metricId, costId] = await env.database.transaction({ merchants: [merchant.id] }, async (tx) => {
      const metric = orThrow(await createMetric(tx, { name: 'M', aggregation: 'COUNT', productId }, now, options));
      const body = { name: 'C', unitCost: jsonNumber(decimal(1)), currency: 'USD', productId };
      const cost = orThrow(await createCost(tx, body, now, options));
      await changeMetric(tx, metric.id, { name: 'Renamed' }, now, options);
      await changeMetric(tx, metric.id, { eventType: 'llm' }, now, options);
      return [metric.id, cost.id];
    });
    expect(told).toEqual([`${metricId} null`, `${costId} null`, `${metricId} llm`]);
  });
});

describe('what other domains find', () => {
  it('a metric by its id, as a meter, and for its merchant alone', async () => {
    const id = await build.metric(productId, { groupBy: { a: '$.a' }, taxRate: 19.5 });
    const find = (merchantId: string) =>
      env.database.transaction({ merchants: [merchant.id] }, (tx) => findMetric(tx.of(merchantId), id));
    expect(await find(merchant.id)).toMatchObject({
      id,
      eventType: 'llm',
      aggregation: 'SUM',
      valueProperty: '$.tokens',
      groupBy: { a: '$.a' },
      eventFrom: null,
    });
    expect((await find(merchant.id))?.taxRate?.toFixed()).toBe('19.5');
    expect(await find((await env.merchant()).id)).toBeUndefined();
  });

  it('the metrics and costs that count some types of events', async () => {
    const other = await env.merchant();
    const own = builderFor(other);
    const product = await own.product();
    const metric = await own.metric(product, { eventType: 'a' });
    const cost = await own.cost(product, { eventType: 'b', aggregation: 'COUNT' });
    const deleted = await own.cost(product, { eventType: 'a', aggregation: 'COUNT' });
    await other.delete(`/v0/costs/${deleted}`);
    await own.metric(product, { eventType: 'c' });
    const found = await env.database.transaction({ merchants: [other.id] }, (tx) =>
      listMetricsAndCostsByEventType(tx, ['a', 'b', 'none']),
    );
    expect(found.metrics.map(({ id }) => id)).toEqual([metric]);
    expect(found.costs.map(({ id }) => id)).toEqual([cost]);
  });
});
