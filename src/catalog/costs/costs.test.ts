import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Merchant, sharedEnvironment, type TestEnvironment } from '../../../test/support/environment.ts';
import { type Builder, builderFor, failingFields } from '../testing/build.ts';

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

const cost = (fields: object = {}) => ({
  type: 'metered',
  name: 'GPU',
  unitCost: 0.25,
  currency: 'USD',
  productId,
  ...fields,
});
const METER = { aggregation: 'SUM', eventType: 'gpu', valueProperty: '$.seconds' };

describe('POST /v0/costs', () => {
  it('answers the cost of §2, and GET the same', async () => {
    env.setNow('2026-03-01T00:00:00Z');
    const made = await merchant.post('/v0/costs', cost({ ...METER, unit: 'second', groupBy: { gpu: '$.gpu' } }));
    expect(made).toMatchObject({ status: 201 });
    expect(made.body).toEqual({
      id: expect.stringMatching(/^cst_[0-9A-Za-z]{22}$/),
      object: 'cost',
      type: 'metered',
      name: 'GPU',
      currency: 'USD',
      unitCost: '0.25',
      unit: 'second',
      ...METER,
      timeUnit: null,
      groupBy: { gpu: '$.gpu' },
      productId,
      merchantId: merchant.id,
      createdAt: '2026-03-01T00:00:00Z',
      updatedAt: '2026-03-01T00:00:00Z',
      deletedAt: null,
    });
    expect((await merchant.get(`/v0/costs/${made.body.id}`)).body).toEqual(made.body);
  });

  it('takes a cost without a meter; metered is the only type, and the one that is meant', async () => {
    const { status, body } = await merchant.post('/v0/costs', cost({ type: undefined }));
    expect(status).toBe(201);
    expect(body).toMatchObject({
      type: 'metered',
      unit: null,
      aggregation: null,
      eventType: null,
      timeUnit: null,
      valueProperty: null,
      groupBy: null,
    });
  });

  it.each([
    { number: '0', text: '0' },
    { number: '0.1', text: '0.1' },
    { number: '1e-9', text: '0.000000001' },
    { number: '0.000000000000000000012345678901234567', text: '0.000000000000000000012345678901234567' },
    { number: '9007199254740993', text: '9007199254740993' }, // 2^53 + 1
    { number: '12345678901234567890.123456789', text: '12345678901234567890.123456789' },
    { number: '1.50', text: '1.5' },
  ])('reads the unit cost $number exactly, and answers "$text"', async ({ number, text }) => {
    const made = await merchant.post('/v0/costs', cost({ unitCost: JSON.rawJSON(number) }));
    expect(made).toMatchObject({ status: 201, body: { unitCost: text } });
    expect((await merchant.get(`/v0/costs/${made.body.id}`)).body.unitCost).toBe(text);
  });

  // Proves 4.costs.metered.
  it.each([
    { fields: { unitCost: -0.01 }, failing: ['unitCost'] },
    { fields: { unitCost: '0.25' }, failing: ['unitCost'] }, // §4: a number
    { fields: { unitCost: JSON.rawJSON('1e400') }, failing: ['unitCost'] },
    { fields: { unitCost: null }, failing: ['unitCost'] },
    { fields: { currency: 'usd' }, failing: ['currency'] },
    { fields: { currency: 'XXX' }, failing: ['currency'] },
    { fields: { type: 'fixed' }, failing: ['type'] },
    { fields: { aggregation: 'SUM' }, failing: ['valueProperty'] },
    { fields: { aggregation: 'UNIQUE_COUNT', eventType: 'gpu' }, failing: ['valueProperty'] },
    { fields: { eventType: 'gpu' }, failing: ['aggregation'] },
    { fields: { ...METER, groupBy: { gpu: 'gpu' } }, failing: ['groupBy.gpu'] },
    { fields: { ...METER, valueProperty: '$' }, failing: ['valueProperty'] },
    { fields: { deletedAt: null }, failing: ['deletedAt'] },
    {
      fields: { name: undefined, productId: undefined, currency: undefined, unitCost: undefined },
      failing: ['currency', 'name', 'productId', 'unitCost'],
    },
  ])('is a 400 for $fields', async ({ fields, failing }) => {
    expect(failingFields(await merchant.post('/v0/costs', cost(fields)))).toEqual(failing);
  });
});

describe('PATCH /v0/costs/{id}', () => {
  it('changes everything but the type, under the same rules', async () => {
    const id = await build.cost(productId);
    const other = await build.product();
    const change = { name: 'N', currency: 'EUR', productId: other, ...METER, unit: 's', groupBy: { a: '$.a' } };
    expect(await merchant.patch(`/v0/costs/${id}`, { ...change, unitCost: 0.3 })).toMatchObject({
      status: 200,
      body: { ...change, unitCost: '0.3' },
    });
    expect(failingFields(await merchant.patch(`/v0/costs/${id}`, { aggregation: null }))).toEqual(['aggregation']);
    expect(failingFields(await merchant.patch(`/v0/costs/${id}`, { valueProperty: null }))).toEqual(['valueProperty']);
    expect(failingFields(await merchant.patch(`/v0/costs/${id}`, { type: 'metered' }))).toEqual(['type']);
    const cleared = { aggregation: null, eventType: null, valueProperty: null, groupBy: null, unit: null };
    expect(await merchant.patch(`/v0/costs/${id}`, cleared)).toMatchObject({ status: 200, body: cleared });
  });
});

describe('DELETE /v0/costs/{id}', () => {
  // Proves 4.catalog.deleteCost.
  it('is a 204, and the cost is gone from every read and every later write', async () => {
    const id = await build.cost(productId, METER);
    expect(await merchant.delete(`/v0/costs/${id}`)).toMatchObject({ status: 204, text: '' });
    expect(await merchant.get(`/v0/costs/${id}`)).toMatchObject({ status: 404 });
    expect(await merchant.patch(`/v0/costs/${id}`, { name: 'N' })).toMatchObject({ status: 404 });
    expect(await merchant.delete(`/v0/costs/${id}`)).toMatchObject({ status: 404 });
    const { body } = await merchant.get('/v0/costs?limit=100');
    expect(body.data.map((each: { id: string }) => each.id)).not.toContain(id);
    expect(body.pagination.total).toBe(body.data.length);
  });

  it('of two at once, one is a 204 and one a 404', async () => {
    const id = await build.cost(productId);
    const answers = await Promise.all([merchant.delete(`/v0/costs/${id}`), merchant.delete(`/v0/costs/${id}`)]);
    expect(answers.map(({ status }) => status).toSorted()).toEqual([204, 404]);
  });
});

it('GET /v0/costs filters by product and event type', async () => {
  const alone = await build.product();
  const first = await build.cost(alone, METER);
  const second = await build.cost(alone);
  const ids = async (query: string) =>
    (await merchant.get(`/v0/costs?productId=${alone}${query}`)).body.data.map(({ id }: { id: string }) => id);
  expect(await ids('')).toEqual([second, first]);
  expect(await ids('&eventType=gpu')).toEqual([first]);
});
