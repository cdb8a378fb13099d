import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Merchant, sharedEnvironment, type TestEnvironment } from '../../test/support/environment.ts';
import { type Resource, type Shop, shopOf } from '../../test/support/shop.ts';
import { deliver, newSource, revenue, revenueShop } from '../../test/support/sources.ts';

let env: TestEnvironment;
let merchant: Merchant;
let shop: Shop;
let world: Awaited<ReturnType<typeof revenueShop>>;
beforeAll(async () => {
  env = await sharedEnvironment();
  merchant = await env.merchant();
  shop = shopOf(merchant);
  world = await revenueShop(shop);
});
afterAll(() => env.close());

const manual = () => newSource(shop, world, { processingMode: 'manual' });
const above = (value: string | number) => ({ type: 'amount', operator: 'greaterThan', value });
const rule = (source: Resource, fields: object) =>
  shop.create('/v0/sourceRules', { sourceId: source.id, name: 'Rule', conditions: [above(50)], ...fields });
const receive = async (source: Resource, fields: object = {}): Promise<Resource> =>
  (await deliver(env, source, revenue(world.externalId, { ...fields }))).body;

describe('rules of a source in manual mode', () => {
  it('approve by the first that matches in their order, and count what they were asked', async () => {
    const source = await manual();
    const last = await rule(source, { name: 'Everything', conditions: [above(-1)], order: 9 });
    const first = await rule(source, { name: 'Large', conditions: [above(500)], order: 1 });
    const off = await rule(source, { name: 'Off', conditions: [above(-1)], order: 0, enabled: false });
    expect(await receive(source, { amount: '501' })).toMatchObject({ status: 'processed', processedBy: first.id });
    expect(await receive(source, { amount: '500' })).toMatchObject({ status: 'processed', processedBy: last.id });
    expect(await receive(source, { amount: '-1' })).toMatchObject({ status: 'pending' });
    const counts = async ({ id }: Resource) => {
      const { evaluationCount, matchCount, lastEvaluatedAt } = await shop.read(`/v0/sourceRules/${id}`);
      return [evaluationCount, matchCount, lastEvaluatedAt !== null];
    };
    expect(await counts(first)).toEqual([3, 1, true]);
    expect(await counts(last)).toEqual([2, 1, true]);
    expect(await counts(off)).toEqual([0, 0, false]);
  });

  it('are asked again by a retry', async () => {
    const source = await manual();
    const event = await receive(source, { currency: 'EUR' });
    await shop.act(`/v0/sources/${source.id}/events/${event.id}/approve`);
    const { id } = await rule(source, { conditions: [above(1)] });
    const retried = await shop.act(`/v0/sources/${source.id}/events/${event.id}/retry`);
    expect(retried).toMatchObject({ status: 'failed', processedBy: id });
  });

  it('look at the customer that the event is of', async () => {
    const source = await manual();
    const [email] = world.customer.organization.billingEmails;
    const { id } = await rule(source, {
      conditions: [
        { type: 'customerName', operator: 'equals', value: world.customer.organization.name.toUpperCase() },
        { type: 'customerEmail', operator: 'domain', value: email.split('@')[1] },
      ],
    });
    expect(await receive(source)).toMatchObject({ processedBy: id });
    expect(await receive(source, { customerExternalId: 'nobody' })).toMatchObject({ status: 'pending' });
  });

  it('count every event of ten that come at once', async () => {
    const source = await manual();
    const { id } = await rule(source, {});
    const events = await Promise.all(Array.from({ length: 10 }, () => receive(source)));
    expect(new Set(events.map(({ status }) => status))).toEqual(new Set(['processed']));
    expect(await shop.read(`/v0/sourceRules/${id}`)).toMatchObject({ evaluationCount: 10, matchCount: 10 });
  });

  it('are not asked in automatic mode', async () => {
    const source = await newSource(shop, world);
    const { id } = await rule(source, {});
    expect(await receive(source)).toMatchObject({ processedBy: 'system' });
    expect((await shop.read(`/v0/sourceRules/${id}`)).evaluationCount).toBe(0);
  });
});

describe('a rule', () => {
  it('is answered with all of its fields, changed, listed and deleted', async () => {
    const source = await manual();
    const first = await rule(source, {});
    expect(first).toEqual({
      id: expect.stringMatching(/^srl_/),
      object: 'sourceRule',
      merchantId: merchant.id,
      sourceId: source.id,
      name: 'Rule',
      description: '',
      conditions: [above(50)],
      order: 0,
      enabled: true,
      evaluationCount: 0,
      matchCount: 0,
      lastEvaluatedAt: null,
      createdBy: merchant.userId,
      createdAt: expect.any(String),
      updatedAt: expect.any(String),
    });
    const second = await rule(source, { name: 'Second' });
    expect(second.order).toBe(1);
    const changed = await shop.change(`/v0/sourceRules/${first.id}`, {
      name: 'Changed',
      description: 'Why',
      order: 5,
      enabled: false,
      conditions: [{ type: 'date', operator: 'between', value: { from: '2026-01-01', to: '2026-01-31' } }],
    });
    expect(changed).toMatchObject({ name: 'Changed', description: 'Why', order: 5, enabled: false });
    expect(await shop.change(`/v0/sourceRules/${first.id}`, { description: null })).toMatchObject({ description: '' });
    const idsOf = async (query: string) =>
      (await shop.read(`/v0/sourceRules?${query}`)).data.map(({ id }: Resource) => id);
    expect(await idsOf(`sourceId=${source.id}`)).toEqual([second.id, first.id]);
    expect(await idsOf(`sourceId=${source.id}&enabled=true`)).toEqual([second.id]);
    expect((await merchant.delete(`/v0/sourceRules/${second.id}`)).status).toBe(204);
    expect((await merchant.get(`/v0/sourceRules/${second.id}`)).status).toBe(404);
  });

  it.each([
    { conditions: [], field: 'conditions' },
    { conditions: [{ type: 'amount', operator: 'contains', value: 1 }], field: 'conditions.0.operator' },
    { conditions: [above(1), { type: 'date', operator: 'domain', value: 'x' }], field: 'conditions.1.operator' },
    {
      conditions: [{ type: 'customerName', operator: 'between', value: { from: 'a', to: 'b' } }],
      field: 'conditions.0.operator',
    },
    { conditions: [{ type: 'customerEmail', operator: 'greaterThan', value: 'a' }], field: 'conditions.0.operator' },
    { conditions: [above('ten')], field: 'conditions.0.value' },
    { conditions: [{ type: 'amount', operator: 'between', value: 5 }], field: 'conditions.0.value' },
    { conditions: [{ type: 'amount', operator: 'equals', value: { from: 1, to: 2 } }], field: 'conditions.0.value' },
    {
      conditions: [{ type: 'amount', operator: 'between', value: { from: 2, to: 1 } }],
      field: 'conditions.0.value.to',
    },
    {
      conditions: [{ type: 'amount', operator: 'between', value: { from: 'a', to: 1 } }],
      field: 'conditions.0.value.from',
    },
    { conditions: [{ type: 'date', operator: 'equals', value: '2026-02-30' }], field: 'conditions.0.value' },
    { conditions: [{ type: 'date', operator: 'equals', value: 20260101 }], field: 'conditions.0.value' },
    {
      conditions: [{ type: 'date', operator: 'between', value: { from: '2026-02-01', to: '2026-01-01' } }],
      field: 'conditions.0.value.to',
    },
    { conditions: [{ type: 'customerName', operator: 'equals', value: ' ' }], field: 'conditions.0.value' },
    { conditions: [{ type: 'customerName', operator: 'equals', value: 5 }], field: 'conditions.0.value' },
    { conditions: [{ type: 'colour', operator: 'equals', value: 'red' }], field: 'conditions.0.type' },
    { conditions: [{ type: 'amount', operator: 'near', value: 1 }], field: 'conditions.0.operator' },
    { conditions: [{ type: 'amount', operator: 'equals' }], field: 'conditions.0.value' },
  ])('with $conditions is a 400 that names $field', async ({ conditions, field }) => {
    const body = { sourceId: (await manual()).id, name: 'Rule', conditions };
    const answer = await merchant.post('/v0/sourceRules', body);
    expect(answer.status, answer.text).toBe(400);
    expect(answer.body.errors.map((error: { field: string }) => error.field)).toContain(field);
  });
});
