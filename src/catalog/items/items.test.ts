import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Merchant, sharedEnvironment, type TestEnvironment } from '../../../test/support/environment.ts';
import { resolveItems } from '../index.ts';
import { type Builder, builderFor, failingFields } from '../testing/build.ts';
import { deleteItem } from './items.ts';

let env: TestEnvironment;
let merchant: Merchant;
let build: Builder;
beforeAll(async () => {
  env = await sharedEnvironment();
  merchant = await env.merchant();
  build = builderFor(merchant);
});
afterAll(() => env.close());

const link = async (entityId: string, fields: object = {}) =>
  (
    await merchant.post('/v0/externalReferences', {
      entityType: 'item',
      entityId,
      provider: 'crm',
      externalId: `id-${entityId}`,
      ...fields,
    })
  ).body;
const idsOf = async (query: string): Promise<string[]> =>
  (await merchant.get(`/v0/items?${query}`)).body.data.map(({ id }: { id: string }) => id);

describe('POST /v0/items', () => {
  it('answers the item of §2, and GET the same', async () => {
    env.setNow('2026-03-01T00:00:00Z');
    const catalogId = await build.product();
    const made = await merchant.post('/v0/items', { name: 'Pack', catalogId, metadata: { sku: 'A1' } });
    expect(made).toMatchObject({ status: 201 });
    expect(made.body).toEqual({
      id: expect.stringMatching(/^itm_[0-9A-Za-z]{22}$/),
      object: 'item',
      merchantId: merchant.id,
      name: 'Pack',
      metadata: { sku: 'A1' },
      externalReferences: [],
      catalogId,
      archivedAt: null,
      createdAt: '2026-03-01T00:00:00Z',
      updatedAt: '2026-03-01T00:00:00Z',
    });
    expect((await merchant.get(`/v0/items/${made.body.id}`)).body).toEqual(made.body);
  });

  // Proves 2.item.decoupled.
  it.each([
    { body: {}, fields: ['name'] },
    { body: { name: 'I', catalogId: 'itm_a' }, fields: ['catalogId'] },
    { body: { name: 'I', archived: true }, fields: ['archived'] }, // for PATCH
    { body: { name: 'I', unitPrice: '1' }, fields: ['unitPrice'] }, // §2: no pricing
  ])('is a 400 for $body', async ({ body, fields }) => {
    expect(failingFields(await merchant.post('/v0/items', body))).toEqual(fields);
  });
});

describe('an item with external references', () => {
  // Proves 2.item.several.
  it('shows them all, oldest first, alone and in lists', async () => {
    const id = await build.item();
    const first = await link(id);
    const second = await link(id, { provider: 'erp', externalId: 'e-1', isDefault: true });
    expect((await merchant.get(`/v0/items/${id}`)).body.externalReferences).toEqual([first, second]);
    const listed = (await merchant.get('/v0/items')).body.data.find((each: { id: string }) => each.id === id);
    expect(listed.externalReferences).toEqual([first, second]);
    expect((await merchant.patch(`/v0/items/${id}`, { name: 'N' })).body.externalReferences).toEqual([first, second]);
  });

  it('is found by provider and externalId, archived ones only when asked for', async () => {
    const [id, other] = [await build.item(), await build.item()];
    await link(id, { provider: 'shop', externalId: 's-1' });
    await link(other, { provider: 'shop', externalId: 's-1', isPrimary: false });
    await link(other, { provider: 'shop', externalId: 's-2' });
    expect(await idsOf('provider=shop&externalId=s-1')).toEqual([other, id]);
    expect(await idsOf('provider=shop&externalId=s-2')).toEqual([other]);
    expect(await idsOf('provider=shop')).toEqual([other, id]);
    expect(await idsOf('provider=nobody&externalId=s-1')).toEqual([]);
    await merchant.patch(`/v0/items/${other}`, { archived: true });
    expect(await idsOf('provider=shop&externalId=s-2')).toEqual([]);
    expect(await idsOf('provider=shop&externalId=s-2&includeArchived=true')).toEqual([other]);
  });

  it("is never found by another merchant's reference", async () => {
    const id = await build.item();
    await link(id, { provider: 'mine', externalId: 'x' });
    const stranger = await env.merchant();
    expect((await stranger.get('/v0/items?provider=mine&externalId=x')).body.data).toEqual([]);
    const found = (await env.platform.get('/v0/items?provider=mine&externalId=x')).body.data;
    expect(found.map((each: { id: string }) => each.id)).toEqual([id]);
  });

  it('resolves for other domains, narrowed to one provider', async () => {
    const id = await build.item();
    await link(id, { provider: 'crm', externalId: 'c-9' });
    const erp = await link(id, { provider: 'erp', externalId: 'e-9' });
    const resolve = (provider?: string) =>
      env.database.transaction({ merchants: [merchant.id] }, (tx) => resolveItems(tx, [id, 'itm_unknown'], provider));
    expect((await resolve()).map((item) => item.externalReferences.length)).toEqual([2]);
    expect(await resolve('erp')).toEqual([
      { id, name: 'Token pack', catalogId: null, archivedAt: null, externalReferences: [erp] },
    ]);
  });
});

describe('PATCH /v0/items/{id}', () => {
  it('archives and restores, keeping the moment', async () => {
    const id = await build.item();
    env.setNow('2026-04-01T00:00:00Z');
    expect((await merchant.patch(`/v0/items/${id}`, { archived: true })).body.archivedAt).toBe('2026-04-01T00:00:00Z');
    env.setNow('2026-05-01T00:00:00Z');
    expect((await merchant.patch(`/v0/items/${id}`, { archived: true })).body.archivedAt).toBe('2026-04-01T00:00:00Z');
    expect(await idsOf('limit=100')).not.toContain(id);
    expect(await idsOf('limit=100&includeArchived=true')).toContain(id);
    expect(await merchant.get(`/v0/items/${id}`)).toMatchObject({ status: 200 });
    expect((await merchant.patch(`/v0/items/${id}`, { archived: false })).body.archivedAt).toBeNull();
    expect(await idsOf('limit=100')).toContain(id);
  });

  it('changes its catalog until a metric or fee is tagged with it: their product comes from there', async () => {
    const [first, second] = [await build.product(), await build.product()];
    const id = await build.item({ catalogId: first });
    expect(await merchant.patch(`/v0/items/${id}`, { catalogId: null })).toMatchObject({ body: { catalogId: null } });
    expect(await merchant.patch(`/v0/items/${id}`, { catalogId: first })).toMatchObject({ body: { catalogId: first } });
    const metricId = await build.metric(first, { itemId: id });
    expect(await merchant.patch(`/v0/items/${id}`, { catalogId: second })).toMatchObject({
      status: 409,
      body: {
        code: 'ITEM_IN_USE',
        details: { blockers: [{ type: 'billableMetric', count: 1, items: [{ id: metricId }] }] },
      },
    });
    expect(await merchant.patch(`/v0/items/${id}`, { catalogId: first, name: 'N' })).toMatchObject({ status: 200 });
  });

  it.each([{ name: '' }, { archived: 'yes' }, { externalReferences: [] }])('is a 400 for %j', async (body) => {
    const id = await build.item();
    expect(failingFields(await merchant.patch(`/v0/items/${id}`, body))).toEqual(Object.keys(body));
  });
});

describe('DELETE /v0/items/{id}', () => {
  it('is a 204, and takes its references with it', async () => {
    const id = await build.item();
    const { id: referenceId } = await link(id);
    expect(await merchant.delete(`/v0/items/${id}`)).toMatchObject({ status: 204, text: '' });
    expect(await merchant.get(`/v0/items/${id}`)).toMatchObject({ status: 404 });
    expect(await merchant.patch(`/v0/items/${id}`, { name: 'N' })).toMatchObject({ status: 404 });
    expect(await merchant.delete(`/v0/items/${id}`)).toMatchObject({ status: 404 });
    expect(await merchant.get(`/v0/externalReferences/${referenceId}`)).toMatchObject({ status: 404 });
  });

  it('is a 409 that names what is tagged with it, until nothing is', async () => {
    const productId = await build.product();
    const id = await build.item({ catalogId: productId });
    const metricId = await build.metric(productId, { itemId: id });
    const fees = [await build.fee(productId, { itemId: id }), await build.fee(productId, { itemId: id })];
    const blocked = await merchant.delete(`/v0/items/${id}`);
    expect(blocked).toMatchObject({ status: 409, body: { error: 'conflict', code: 'ITEM_IN_USE' } });
    expect(blocked.body.details.blockers).toEqual([
      { type: 'billableMetric', count: 1, items: [{ id: metricId, name: 'Tokens' }] },
      { type: 'fee', count: 2, items: fees.map((feeId) => ({ id: feeId, name: 'Seat' })) },
    ]);
    await merchant.patch(`/v0/billableMetrics/${metricId}`, { itemId: null });
    await merchant.patch(`/v0/fees/${fees[0]}`, { itemId: null });
    expect((await merchant.delete(`/v0/items/${id}`)).body.details.blockers).toHaveLength(1);
    await merchant.delete(`/v0/fees/${fees[1]}`);
    expect(await merchant.delete(`/v0/items/${id}`)).toMatchObject({ status: 204 });
  });

  it('asks the other domains, too, what holds it', async () => {
    const id = await build.item();
    const blocker = { type: 'orderLineItem', count: 1, items: [{ id: 'oli_a' }] };
    const refused = await env.database.transaction({ merchants: [merchant.id] }, (tx) =>
      deleteItem(tx, id, Temporal.Instant.from('2026-01-01T00:00:00Z'), {
        countSubscriptions: async () => new Map(),
        findActivePlans: async () => [],
        holdersOf: async (_tx, kind, itemId) => (kind === 'item' && itemId === id ? [blocker] : []),
      }),
    );
    expect(refused).toMatchObject({ ok: false, refusal: { code: 'ITEM_IN_USE', details: { blockers: [blocker] } } });
    expect(await merchant.get(`/v0/items/${id}`)).toMatchObject({ status: 200 });
  });

  it('and a metric that comes for it at once never both succeed', async () => {
    const productId = await build.product();
    for (let round = 0; round < 8; round += 1) {
      const itemId = await build.item({ catalogId: productId });
      const metric = { name: 'M', aggregation: 'COUNT', itemId };
      const [deleted, made] = await Promise.all([
        merchant.delete(`/v0/items/${itemId}`),
        merchant.post('/v0/billableMetrics', metric),
      ]);
      expect([`${deleted.status} ${made.status}`]).toEqual([made.status === 201 ? '409 201' : '204 404']);
    }
  });
});
