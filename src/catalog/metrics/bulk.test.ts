import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Merchant, openTestEnvironment, type TestEnvironment } from '../../../test/support/environment.ts';
import { type Resource, type Shop, shopOf } from '../../../test/support/shop.ts';

let env: TestEnvironment;
let merchant: Merchant;
let shop: Shop;
let productId: string;
beforeAll(async () => {
  env = await openTestEnvironment();
  merchant = await env.merchant();
  shop = shopOf(merchant);
  productId = (await shop.product()).id;
});
afterAll(() => env.close());

const bulk = (metrics: readonly object[]) => merchant.post('/v0/billableMetrics/bulk', { metrics });
const sum = (kind: string, fields: object = {}) => ({
  ...{ name: kind, aggregation: 'SUM', eventType: 'llm.request', valueProperty: `$.${kind}`, productId },
  ...fields,
});
const count = async (): Promise<number> => (await shop.read('/v0/billableMetrics?limit=1')).pagination.total;

describe('metrics of one event type', () => {
  it('are made in their order, and each counts', async () => {
    const { status, body } = await bulk(['input', 'output', 'cached'].map((kind) => sum(kind)));
    expect([status, body.object]).toEqual([201, 'list']);
    expect(body.data.map(({ name, object }: Resource) => [name, object])).toEqual(
      ['input', 'output', 'cached'].map((name) => [name, 'billableMetric']),
    );
    const { id } = await shop.customer();
    const event = { type: 'llm.request', source: 'test', subject: id, timestamp: '2026-01-05T00:00:00Z' };
    await merchant.post('/v0/events', { ...event, data: { input: 3, output: 2, cached: 1 } });
    const values: number[] = [];
    for (const metric of body.data) {
      const range = `from=2026-01-01T00:00:00Z&to=2026-02-01T00:00:00Z&subject=${id}`;
      values.push((await shop.read(`/v0/billableMetrics/${metric.id}/meter?${range}`)).totalValue);
    }
    expect(values).toEqual([3, 2, 1]);
  });

  it.each([
    ['no value to add up', () => [sum('a'), sum('b', { valueProperty: null })], ['1.valueProperty']],
    ['another event type', () => [sum('a'), sum('b', { eventType: 'other' })], ['1.eventType']],
    ['no event type', () => [sum('a', { eventType: null })], ['0.eventType']],
    ['a field that is none', () => [sum('a'), sum('b', { other: 1 })], ['1.other']],
    ['no product', () => [sum('a'), sum('b', { productId: undefined })], ['1.productId']],
    ['two faults', () => [sum('a', { name: '' }), sum('b', { aggregation: 'TWICE' })], ['0.name', '1.aggregation']],
    ['none', () => [], ['metrics']],
    ['101', () => Array.from({ length: 101 }, (_, place) => sum(`n${place}`)), ['metrics']],
  ])('with %s are refused together, and none is made', async (_, metrics, fields) => {
    const before = await count();
    const { status, body } = await bulk(metrics());
    expect([status, body.errors.map(({ field }: Resource) => field)]).toEqual([400, fields]);
    expect(await count()).toBe(before);
  });

  it('may each name their merchant, but no other one', async () => {
    const named = (merchantId: string) => bulk([sum('a'), sum('b', { merchantId })]);
    expect((await named(merchant.id)).status).toBe(201);
    const before = await count();
    expect((await named((await env.merchant()).id)).status).toBe(403);
    expect(await count()).toBe(before);
  });

  it('of the product of another merchant are refused', async () => {
    const before = await count();
    const theirs = (await shopOf(await env.merchant()).product()).id;
    expect((await bulk([sum('a'), sum('b', { productId: theirs })])).status).toBe(403);
    expect(await count()).toBe(before);
  });
});
