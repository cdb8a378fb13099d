import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Merchant, sharedEnvironment, type TestEnvironment } from '../../../test/support/environment.ts';
import { type Builder, builderFor, FEE_PRICE, failingFields, METRIC_PRICE } from '../testing/build.ts';

let env: TestEnvironment;
let merchant: Merchant;
let build: Builder;
let productId: string;
let metricId: string;
let feeId: string;
beforeAll(async () => {
  env = await sharedEnvironment();
  merchant = await env.merchant();
  build = builderFor(merchant);
  productId = await build.product();
  metricId = await build.metric(productId, { groupBy: { region: '$.region', model: '$.model' } });
  feeId = await build.fee(productId);
});
afterAll(() => env.close());

const ofMetric = (fields: object = {}) =>
  merchant.post('/v0/prices', { billableMetricId: metricId, ...METRIC_PRICE, ...fields });
const ofFee = (fields: object = {}) => merchant.post('/v0/prices', { feeId, ...FEE_PRICE, ...fields });

const TIERS = [
  { upTo: '1000', unitPrice: '0.02', flatPrice: '5' },
  { upTo: null, unitPrice: '0.01' },
];

describe('POST /v0/prices', () => {
  it('answers the price of a metric, and GET the same', async () => {
    env.setNow('2026-03-01T00:00:00Z');
    const featureId = await build.feature(productId, { key: 'tokens', name: 'Tokens' });
    const entitlementTemplate = { type: 'metered', usagePeriod: { interval: 'P1M' }, issueAfterReset: 1000000.5 };
    const made = await ofMetric({
      billingCadence: 'P12M',
      minimumAmount: '10.00',
      maximumAmount: 1000,
      taxRate: 7.7,
      groupFilters: { region: ['eu', 'us'] },
      grantDiscountEnabled: true,
      feature: { featureId, entitlementTemplate },
    });
    expect(made).toMatchObject({ status: 201 });
    expect(made.body).toEqual({
      id: expect.stringMatching(/^price_[0-9A-Za-z]{22}$/),
      object: 'price',
      merchantId: merchant.id,
      billableMetricId: metricId,
      invoiceDisplayName: 'Tokens',
      paymentTerm: 'in_arrears',
      model: 'standard',
      properties: { unitPrice: '0.000003' },
      billingCadence: 'P12M',
      quantity: 1,
      minimumAmount: '10',
      maximumAmount: '1000',
      currencyPrices: {},
      displayUnit: null,
      taxRate: 7.7,
      groupFilters: { region: ['eu', 'us'] },
      grantDiscountEnabled: true,
      features: [
        {
          id: expect.any(String),
          featureId,
          entitlementTemplate: {
            ...entitlementTemplate,
            usagePeriod: { interval: 'P1M', anchor: 'billing' },
            issueAfterResetPriority: -1,
          },
          feature: { key: 'tokens', name: 'Tokens', type: 'metered' },
        },
      ],
      createdAt: '2026-03-01T00:00:00Z',
      updatedAt: '2026-03-01T00:00:00Z',
    });
    expect((await merchant.get(`/v0/prices/${made.body.id}`)).body).toEqual(made.body);
  });

  it('answers the price of a fee: what has nothing to say is left out', async () => {
    const { status, body } = await ofFee();
    expect(status).toBe(201);
    expect(body).toMatchObject({
      feeId,
      quantity: 1,
      billingCadence: 'P1M',
      grantDiscountEnabled: false,
      features: [],
    });
    for (const field of ['billableMetricId', 'minimumAmount', 'maximumAmount', 'taxRate', 'groupFilters'])
      expect(body).not.toHaveProperty(field);
    expect((await ofMetric()).body).toMatchObject({ billingCadence: null });
  });

  it.each([
    { fields: { model: 'standard', properties: { unitPrice: '-0.5', includedUnits: '10' } } }, // a rebate
    { fields: { model: 'graduated', properties: { tiers: TIERS } } },
    { fields: { model: 'volume', properties: { tiers: TIERS, includedUnits: '5' } } },
    { fields: { model: 'package', properties: { size: '1000', price: '2.5' } } },
    { fields: { model: 'percentage', properties: { percentage: '0.029', fixed: '0.3' } } },
  ])('takes $fields', async ({ fields }) => {
    expect(await ofMetric(fields)).toMatchObject({ status: 201, body: fields });
    expect(await ofFee(fields)).toMatchObject({ status: 201, body: fields });
  });

  it.each([
    { fields: { model: 'dynamic', properties: {} } },
    {
      fields: {
        model: 'matrix',
        properties: { dimensions: ['region'], cells: [{ match: { region: 'eu' }, unitPrice: '2' }], default: '1' },
      },
    },
  ])('takes $fields for a metric, and not for a fee, which has no events', async ({ fields }) => {
    expect(await ofMetric(fields)).toMatchObject({ status: 201, body: fields });
    expect(failingFields(await ofFee(fields))).toEqual(['model']);
  });

  it('takes a matrix of as many cells as it may have, and no more', async () => {
    const cells = Array.from({ length: 1001 }, (_, n) => ({ match: { region: `r${n}` }, unitPrice: '2' }));
    const matrix = (most: number) => ({
      ...{ model: 'matrix', properties: { dimensions: ['region'], cells: cells.slice(0, most), default: '1' } },
    });
    const made = await ofMetric(matrix(1000));
    expect(made.status).toBe(201);
    expect(made.body.properties.cells).toHaveLength(1000);
    expect(failingFields(await ofMetric(matrix(1001)))).toEqual(['properties.cells']);
  });

  it('keeps numbers in properties as decimal strings with all their digits', async () => {
    const made = await ofMetric({ properties: { unitPrice: JSON.rawJSON('0.000000000000000000012345') } });
    expect(made.body.properties).toEqual({ unitPrice: '0.000000000000000000012345' });
  });

  it.each([0, 3, 999_999_999_999])('takes the quantity %d of a fee', async (quantity) => {
    expect(await ofFee({ quantity })).toMatchObject({ status: 201, body: { quantity } });
  });

  it.each(['P0D', 'P1D', 'P2W', 'P3M', 'P1Y', 'P18M'])('takes the cadence %s of a fee', async (billingCadence) => {
    expect(await ofFee({ billingCadence })).toMatchObject({ status: 201, body: { billingCadence } });
  });

  it.each<{ fields: object; failing: string[] }>([
    { fields: { invoiceDisplayName: '' }, failing: ['invoiceDisplayName'] },
    { fields: { paymentTerm: 'later' }, failing: ['paymentTerm'] },
    { fields: { paymentTerm: 'in_advance' }, failing: ['paymentTerm'] }, // usage is known afterwards
    { fields: { properties: {} }, failing: ['properties.unitPrice'] },
    { fields: { properties: { unitPrice: 'cheap' } }, failing: ['properties.unitPrice'] },
    { fields: { properties: { unitPrice: '1e3' } }, failing: ['properties.unitPrice'] },
    { fields: { properties: { unitPrice: '1', price: '1' } }, failing: ['properties.price'] },
    { fields: { properties: { unitPrice: '1', includedUnits: '-1' } }, failing: ['properties.includedUnits'] },
    { fields: { properties: [] }, failing: ['properties'] },
    { fields: { model: 'graduated' }, failing: ['properties.tiers', 'properties.unitPrice'] },
    { fields: { model: 'graduated', properties: { tiers: [] } }, failing: ['properties.tiers'] },
    {
      fields: { model: 'graduated', properties: { tiers: [{ upTo: '10', unitPrice: '1' }] } },
      failing: ['properties.tiers.0.upTo'],
    },
    {
      fields: {
        model: 'volume',
        properties: { tiers: [{ upTo: '10', unitPrice: '1' }, { upTo: '5', unitPrice: '1' }, TIERS[1]] },
      },
      failing: ['properties.tiers.1.upTo'],
    },
    { fields: { model: 'package', properties: { size: '0', price: '1' } }, failing: ['properties.size'] },
    {
      fields: { model: 'matrix', properties: { dimensions: ['colour'], cells: [], default: '1' } },
      failing: ['properties.dimensions.0'],
    },
    { fields: { model: 'dynamic', properties: { includedUnits: '1' } }, failing: ['properties.includedUnits'] },
    { fields: { model: 'dynamic', properties: {}, grantDiscountEnabled: true }, failing: ['grantDiscountEnabled'] },
    { fields: { billingCadence: 'P0D' }, failing: ['billingCadence'] }, // usage is never once
    { fields: { billingCadence: 'monthly' }, failing: ['billingCadence'] },
    { fields: { billingCadence: 'P1M1D' }, failing: ['billingCadence'] },
    { fields: { quantity: 5 }, failing: ['quantity'] },
    { fields: { minimumAmount: '-1' }, failing: ['minimumAmount'] },
    { fields: { minimumAmount: '11', maximumAmount: '10' }, failing: ['minimumAmount'] },
    { fields: { taxRate: 101 }, failing: ['taxRate'] },
    { fields: { groupFilters: { region: [] } }, failing: ['groupFilters.region'] },
    { fields: { groupFilters: { region: 'eu' } }, failing: ['groupFilters.region'] },
    { fields: { groupFilters: { color: ['red'] } }, failing: ['groupFilters.color'] }, // not among the metric's groupBy
    { fields: { groupFilters: { constructor: ['red'] } }, failing: ['groupFilters.constructor'] },
    { fields: { grantDiscountEnabled: 'yes' }, failing: ['grantDiscountEnabled'] },
    { fields: { features: [] }, failing: ['features'] },
    { fields: { currency: 'USD' }, failing: ['currency'] }, // the plan's
  ])("of a metric's price is a 400 for $fields", async ({ fields, failing }) => {
    expect(failingFields(await ofMetric(fields))).toEqual(failing);
  });

  it.each<{ fields: object; failing: string[] }>([
    { fields: { billingCadence: undefined }, failing: ['billingCadence'] },
    { fields: { billingCadence: null }, failing: ['billingCadence'] },
    { fields: { billingCadence: 'PT1H' }, failing: ['billingCadence'] },
    { fields: { quantity: -1 }, failing: ['quantity'] },
    { fields: { quantity: 1.5 }, failing: ['quantity'] },
    { fields: { quantity: '1' }, failing: ['quantity'] },
    { fields: { quantity: 1_000_000_000_000 }, failing: ['quantity'] },
    { fields: { groupFilters: { region: ['eu'] } }, failing: ['groupFilters'] },
    { fields: { grantDiscountEnabled: true }, failing: ['grantDiscountEnabled'] },
    {
      fields: { billingCadence: null, grantDiscountEnabled: true, properties: {} },
      failing: ['billingCadence', 'grantDiscountEnabled', 'properties.unitPrice'],
    },
  ])("of a fee's price is a 400 for $fields", async ({ fields, failing }) => {
    expect(failingFields(await ofFee(fields))).toEqual(failing);
  });

  it('names all faults of a body at once, those of its properties and of its metric too', async () => {
    const answer = await ofMetric({
      invoiceDisplayName: undefined,
      model: 'matrix',
      properties: { dimensions: ['color'], cells: [], default: '3e-7', includedUnits: '1M' },
    });
    expect(answer.body.errors).toEqual([
      { field: 'invoiceDisplayName', message: 'is required' },
      { field: 'properties.includedUnits', message: expect.stringMatching(/^matrix takes no includedUnits/) },
      { field: 'properties.default', message: 'has an exponent; write "0.0000003"' },
    ]);
    const found = await ofMetric({
      quantity: 5,
      groupFilters: { color: ['red'] },
      properties: { unitPrice: '1' },
      minimumAmount: '2',
      maximumAmount: '1',
    });
    expect(failingFields(found)).toEqual(['groupFilters.color', 'minimumAmount', 'quantity']);
  });

  it.each([{ dimensions: 5 }, { dimensions: [7], cells: 1 }, { dimensions: {} }])(
    'is a 400 for the properties %j of a stored matrix',
    async (properties) => {
      const matrix = { model: 'matrix', properties: { dimensions: ['region'], cells: [], default: '1' } };
      const { id } = (await ofMetric(matrix)).body;
      expect(failingFields(await merchant.patch(`/v0/prices/${id}`, { properties }))).toContain('properties.default');
    },
  );

  it('is for exactly one of a metric and a fee', async () => {
    expect(failingFields(await merchant.post('/v0/prices', METRIC_PRICE))).toEqual(['billableMetricId']);
    expect(failingFields(await ofFee({ billableMetricId: metricId }))).toEqual(['billableMetricId']);
  });

  it.each(['percentages', 'tiered', ''])('says which models there are for %j', async (model) => {
    const answer = await ofMetric({ model });
    expect(failingFields(answer)).toEqual(['model']);
    for (const known of ['standard', 'graduated', 'volume', 'package'])
      expect(answer.body.errors[0].message).toContain(known);
  });
});

describe('the feature of a price', () => {
  const feature = async (type: string, entitlementTemplate: object) => ({
    feature: { featureId: await build.feature(productId, { type }), entitlementTemplate },
  });
  const at = (field: string) => `feature.entitlementTemplate.${field}`;

  it.each([
    { type: 'boolean', template: { type: 'boolean' } },
    { type: 'static', template: { type: 'static', config: { seats: 5, regions: ['eu'] } } },
    { type: 'metered', template: { type: 'metered', isSoftLimit: true, resetMaxRollover: 5, resetMinRollover: 5 } },
  ])('of type $type is kept as it was sent', async ({ type, template }) => {
    const made = await ofMetric(await feature(type, template));
    expect(made).toMatchObject({ status: 201 });
    expect(made.body.features[0].entitlementTemplate).toEqual(template);
  });

  it('of type boolean needs no template', async () => {
    const featureId = await build.feature(productId, { type: 'boolean' });
    const made = await ofMetric({ feature: { featureId } });
    expect(made.body.features[0].entitlementTemplate).toEqual({ type: 'boolean' });
    const cleared = await ofMetric({ feature: { featureId, entitlementTemplate: null }, billingCadence: 'annual' });
    expect(cleared.body).toMatchObject({
      billingCadence: 'P1Y',
      features: [{ entitlementTemplate: { type: 'boolean' } }],
    });
    const changed = await merchant.patch(`/v0/prices/${made.body.id}`, {
      feature: { featureId },
      billingCadence: 'annual',
    });
    expect(changed.body).toMatchObject({
      billingCadence: 'P1Y',
      features: [{ entitlementTemplate: { type: 'boolean' } }],
    });
  });

  it.each(['static', 'metered'])('of type %s needs one', async (type) => {
    const featureId = await build.feature(productId, { type });
    const refused = await ofMetric({ feature: { featureId } });
    expect(failingFields(refused)).toEqual(['feature.entitlementTemplate']);
    expect(refused.body.errors[0].message).toBe(`is required for a ${type} feature`);
  });

  it.each([
    { type: 'boolean', template: { type: 'metered' }, failing: [at('type')] },
    { type: 'metered', template: { type: 'static', config: {} }, failing: [at('type')] },
    { type: 'metered', template: { type: 'metered', config: {} }, failing: [at('config')] },
    {
      type: 'metered',
      template: { type: 'metered', resetMaxRollover: 1, resetMinRollover: 2 },
      failing: [at('resetMinRollover')],
    },
    {
      type: 'metered',
      template: { type: 'metered', usagePeriod: { interval: 'P0D' } },
      failing: [at('usagePeriod.interval')],
    },
    { type: 'static', template: { type: 'static' }, failing: [at('config')] },
    { type: 'static', template: {}, failing: [at('type')] },
  ])('is a 400 where $template is for a feature of type $type', async ({ type, template, failing }) => {
    expect(failingFields(await ofMetric(await feature(type, template)))).toEqual(failing);
  });

  it.each(['SUM', 'COUNT', 'UNIQUE_COUNT', 'MAX', 'LATEST'])('is measured by a metric of %s', async (aggregation) => {
    const billableMetricId = await build.metric(productId, { aggregation });
    expect(await ofMetric({ billableMetricId, ...(await feature('metered', { type: 'metered' })) })).toMatchObject({
      status: 201,
    });
  });

  it.each([
    { aggregation: 'AVG' },
    { aggregation: 'MIN' },
    { aggregation: 'PERCENTILE', percentile: '95', sampleWindow: 'PT5M' },
  ])('is not measured by a metric of $aggregation, whichever way it is named', async (fields) => {
    const billableMetricId = await build.metric(productId, fields);
    const own = await feature('metered', { type: 'metered' });
    expect(failingFields(await ofMetric({ billableMetricId, ...own }))).toEqual([at('billableMetricIds')]);
    const named = await feature('metered', { type: 'metered', billableMetricIds: [metricId, billableMetricId] });
    expect(failingFields(await ofMetric(named))).toEqual([at('billableMetricIds.1')]);
  });

  it('that is metered must measure something: on a fee, a named metric or one that another price gives it', async () => {
    const template = { type: 'metered' };
    const carried = await feature('metered', template);
    expect(failingFields(await ofFee(carried))).toEqual([at('billableMetricIds')]);
    expect(await ofFee(await feature('metered', { ...template, billableMetricIds: [metricId] }))).toMatchObject({
      status: 201,
    });
    expect(await ofMetric(carried)).toMatchObject({ status: 201 });
    expect(await ofFee(carried)).toMatchObject({ status: 201 });
    expect(await ofFee(await feature('boolean', { type: 'boolean' }))).toMatchObject({ status: 201 });
  });
});

it('GET /v0/prices filters by metric and fee', async () => {
  const metric = await build.metric(productId);
  const fee = await build.fee(productId);
  const prices = [await build.metricPrice(metric), await build.metricPrice(metric), await build.feePrice(fee)];
  const ids = async (query: string) =>
    (await merchant.get(`/v0/prices?${query}`)).body.data.map(({ id }: { id: string }) => id);
  expect(await ids(`billableMetricId=${metric}`)).toEqual([prices[1], prices[0]]);
  expect(await ids(`feeId=${fee}`)).toEqual([prices[2]]);
  expect(await ids('limit=1')).toEqual([prices[2]]);
});

describe('PATCH /v0/prices/{id}', () => {
  const patch = (id: string, body: object) => merchant.patch(`/v0/prices/${id}`, body);

  it('changes all terms of a price that no version holds', async () => {
    const id = await build.feePrice(feeId);
    const change = {
      invoiceDisplayName: 'N',
      paymentTerm: 'in_arrears',
      model: 'package',
      properties: { size: '10', price: '5' },
      billingCadence: 'P0D',
      quantity: 7,
      minimumAmount: '1',
      maximumAmount: '9',
      taxRate: 3,
    };
    expect(await patch(id, change)).toMatchObject({ status: 200, body: change });
    expect((await merchant.get(`/v0/prices/${id}`)).body).toMatchObject(change);
    const cleared = await patch(id, { minimumAmount: null, maximumAmount: null, taxRate: null });
    for (const field of ['minimumAmount', 'maximumAmount', 'taxRate']) expect(cleared.body).not.toHaveProperty(field);
  });

  it('gives it a feature, keeps the place of the same one, and takes it away', async () => {
    const featureId = await build.feature(productId);
    const id = await build.metricPrice(metricId);
    const given = await patch(id, { feature: { featureId, entitlementTemplate: { type: 'metered' } } });
    const changed = await patch(id, {
      feature: { featureId, entitlementTemplate: { type: 'metered', isSoftLimit: true } },
    });
    expect(changed.body.features).toMatchObject([
      { id: given.body.features[0].id, entitlementTemplate: { isSoftLimit: true } },
    ]);
    expect((await patch(id, { feature: null })).body.features).toEqual([]);
    expect(await merchant.delete(`/v0/features/${featureId}`)).toMatchObject({ status: 204 });
  });

  it.each([
    // the old properties do not fit
    { body: { model: 'graduated' }, failing: ['properties.tiers', 'properties.unitPrice'] },
    { body: { billingCadence: 'P0D' }, failing: ['billingCadence'] },
    { body: { paymentTerm: 'in_advance' }, failing: ['paymentTerm'] },
    { body: { groupFilters: { color: ['red'] } }, failing: ['groupFilters.color'] },
    { body: { billableMetricId: 'bm_a' }, failing: ['billableMetricId'] },
    { body: { feeId: null }, failing: ['feeId'] },
    { body: { properties: [] }, failing: ['properties'] },
  ])('holds the rules for what results: $body', async ({ body, failing }) => {
    expect(failingFields(await patch(await build.metricPrice(metricId), body))).toEqual(failing);
  });

  it('of a price that a version holds, even an archived one, changes the display name only', async () => {
    const id = await build.metricPrice(metricId, { groupFilters: { region: ['eu'] }, minimumAmount: '1.50' });
    const plan = await build.plan(productId, { prices: [id] });
    for (const body of [
      { paymentTerm: 'in_arrears', properties: { unitPrice: '1' } },
      { model: 'package', properties: { size: '1', price: '1' } },
      { billingCadence: 'P1M' },
      { minimumAmount: '1.51' },
      { maximumAmount: '5' },
      { taxRate: 0 },
      { groupFilters: null },
      { grantDiscountEnabled: true },
      { feature: { featureId: await build.feature(productId), entitlementTemplate: { type: 'metered' } } },
      { invoiceDisplayName: 'N', taxRate: 1 },
    ])
      expect(await patch(id, body), JSON.stringify(body)).toMatchObject({
        status: 409,
        body: { code: 'PRICE_IN_USE', details: { planId: plan.id, versionNumber: 1 } },
      });
    const same = { properties: { unitPrice: '0.0000030' }, minimumAmount: 1.5, groupFilters: { region: ['eu'] } };
    expect(await patch(id, same)).toMatchObject({ status: 409 }); // a unit price in another spelling keeps it
    const named = await patch(id, { ...same, properties: { unitPrice: '0.000003' }, invoiceDisplayName: 'Renamed' });
    expect(named).toMatchObject({ status: 200, body: { invoiceDisplayName: 'Renamed' } });
    const other = await build.metricPrice(metricId);
    await merchant.post(`/v0/plans/${plan.id}/versions`, {
      replacePrices: [{ replacesPriceId: id, withPriceId: other }],
    });
    await merchant.patch(`/v0/plans/${plan.id}/versions/1`, { status: 'archived' });
    expect(await patch(id, { taxRate: 1 })).toMatchObject({ status: 409 });
  });

  it('and a plan that comes for it at once: the plan has the price as it was, or as it is', async () => {
    for (let round = 0; round < 8; round += 1) {
      const id = await build.metricPrice(metricId);
      const [changed, planned] = await Promise.all([
        patch(id, { taxRate: 5 }),
        merchant.post('/v0/plans', { name: 'P', productId, currency: 'USD', prices: [id] }),
      ]);
      expect(planned.status).toBe(201);
      expect(planned.body.prices[0].taxRate).toBe(changed.status === 200 ? 5 : undefined);
    }
  });
});

describe('DELETE /v0/prices/{id}', () => {
  it('is a 204, then a 404, and no plan can take it', async () => {
    const id = await build.metricPrice(metricId);
    expect(await merchant.delete(`/v0/prices/${id}`)).toMatchObject({ status: 204, text: '' });
    expect(await merchant.get(`/v0/prices/${id}`)).toMatchObject({ status: 404 });
    expect(await merchant.patch(`/v0/prices/${id}`, { invoiceDisplayName: 'N' })).toMatchObject({ status: 404 });
    expect(await merchant.delete(`/v0/prices/${id}`)).toMatchObject({ status: 404 });
    const plan = { name: 'P', productId, currency: 'USD', prices: [id] };
    expect(await merchant.post('/v0/plans', plan)).toMatchObject({
      status: 404,
      body: { details: { field: 'prices.0' } },
    });
  });

  it('is a 409 while a published or draft version holds it; an archived one keeps it, marked', async () => {
    const [id, other] = [await build.metricPrice(metricId), await build.metricPrice(metricId)];
    const plan = await build.plan(productId, { prices: [id] });
    const versions = `/v0/plans/${plan.id}/versions`;
    expect(await merchant.delete(`/v0/prices/${id}`)).toMatchObject({
      status: 409,
      body: {
        code: 'PRICE_IN_USE',
        details: {
          blockers: [
            { type: 'planVersion', count: 1, items: [{ planId: plan.id, versionNumber: 1, status: 'published' }] },
          ],
        },
      },
    });
    await merchant.post(versions, { replacePrices: [{ replacesPriceId: id, withPriceId: other }] });
    await merchant.post(versions, { addPrices: [id], publish: false });
    await merchant.patch(`${versions}/1`, { status: 'archived' });
    expect(await merchant.delete(`/v0/prices/${id}`)).toMatchObject({
      status: 409,
      body: { details: { blockers: [{ items: [{ versionNumber: 3, status: 'draft' }] }] } },
    });
    await merchant.patch(`${versions}/3`, { status: 'archived' });
    expect(await merchant.delete(`/v0/prices/${id}`)).toMatchObject({ status: 204 });
    expect((await merchant.get(`${versions}/1`)).body.prices).toMatchObject([{ id, priceDeleted: true }]);
    expect((await merchant.get(`${versions}/3`)).body.prices).toMatchObject([
      { id: other, priceDeleted: false },
      { id, priceDeleted: true },
    ]);
  });
});
