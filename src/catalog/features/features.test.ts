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

const feature = (key: string, fields: object = {}) => ({ key, name: 'Tokens', type: 'metered', productId, ...fields });
const carrying = (featureId: string) => ({ feature: { featureId, entitlementTemplate: { type: 'metered' } } });

describe('POST /v0/features', () => {
  it('answers the feature of §2, and GET the same', async () => {
    env.setNow('2026-03-01T00:00:00Z');
    const made = await merchant.post('/v0/features', feature('output-tokens', { metadata: { a: 'b' } }));
    expect(made).toMatchObject({ status: 201 });
    expect(made.body).toEqual({
      id: expect.stringMatching(/^feat_[0-9A-Za-z]{22}$/),
      object: 'feature',
      key: 'output-tokens',
      name: 'Tokens',
      type: 'metered',
      merchantId: merchant.id,
      productId,
      metadata: { a: 'b' },
      createdAt: '2026-03-01T00:00:00Z',
      updatedAt: '2026-03-01T00:00:00Z',
    });
    expect((await merchant.get(`/v0/features/${made.body.id}`)).body).toEqual(made.body);
  });

  // Proves 2.feature.key.
  it.each(['a', '0', 'a1', 'a-b', '2-fast-2', 'x'.repeat(255)])('takes the key %s', async (key) => {
    expect(await merchant.post('/v0/features', feature(key))).toMatchObject({ status: 201, body: { key } });
  });

  // Proves 2.feature.key.
  it.each(['', 'A', 'a_b', 'a b', '-a', 'a-', 'a--b', 'é', 'a\n', 'x'.repeat(256)])(
    'refuses the key %j',
    async (key) => {
      expect(failingFields(await merchant.post('/v0/features', feature(key)))).toEqual(['key']);
    },
  );

  it('lists every failing field', async () => {
    expect(failingFields(await merchant.post('/v0/features', { type: 'gauge' }))).toEqual([
      'key',
      'name',
      'productId',
      'type',
    ]);
  });

  // Proves 2.feature.key.unique.
  it('is a 409 KEY_TAKEN for a key of the same product, not of another', async () => {
    expect(await merchant.post('/v0/features', feature('taken'))).toMatchObject({ status: 201 });
    expect(await merchant.post('/v0/features', feature('taken', { type: 'boolean' }))).toMatchObject({
      status: 409,
      body: { error: 'conflict', code: 'KEY_TAKEN', details: { field: 'key' } },
    });
    const elsewhere = feature('taken', { productId: await build.product() });
    expect(await merchant.post('/v0/features', elsewhere)).toMatchObject({ status: 201 });
  });

  it('makes one of twelve that come with one key at once', async () => {
    const answers = await Promise.all(Array.from({ length: 12 }, () => merchant.post('/v0/features', feature('race'))));
    expect(answers.map(({ status }) => status).toSorted()).toEqual([201, ...Array(11).fill(409)]);
    expect((await merchant.get(`/v0/features?productId=${productId}&key=race`)).body.pagination.total).toBe(1);
  });
});

describe('GET /v0/features', () => {
  it('filters by product, key and type', async () => {
    const alone = await build.product();
    const metered = await build.feature(alone, { key: 'one' });
    const flag = await build.feature(alone, { key: 'two', type: 'boolean' });
    const ids = async (query: string) =>
      (await merchant.get(`/v0/features?productId=${alone}${query}`)).body.data.map(({ id }: { id: string }) => id);
    expect(await ids('')).toEqual([flag, metered]);
    expect(await ids('&key=one')).toEqual([metered]);
    expect(await ids('&type=boolean')).toEqual([flag]);
    expect(await ids('&type=static')).toEqual([]);
    expect(await merchant.get('/v0/features?type=gauge')).toMatchObject({ status: 400 });
  });
});

describe('PATCH /v0/features/{id}', () => {
  it('changes key, name and metadata', async () => {
    const id = await build.feature(productId, { key: 'before' });
    expect(await merchant.patch(`/v0/features/${id}`, { key: 'after', name: 'N', metadata: { a: 'b' } })).toMatchObject(
      {
        status: 200,
        body: { key: 'after', name: 'N', metadata: { a: 'b' }, type: 'metered' },
      },
    );
  });

  it.each([
    { type: 'metered', failing: undefined },
    { type: 'boolean', failing: ['type'] },
    { type: 'gauge', failing: ['type'] },
  ])('of a metered feature with the type $type has the failing fields $failing', async ({ type, failing }) => {
    const id = await build.feature(productId, { key: `typed-${type}` });
    const answer = await merchant.patch(`/v0/features/${id}`, { type, name: 'N' });
    expect(failing ? failingFields(answer) : answer.body).toEqual(
      failing ?? expect.objectContaining({ type: 'metered', name: 'N' }),
    );
    expect((await merchant.get(`/v0/features/${id}`)).body.name).toBe(failing ? 'Tokens' : 'N');
  });

  it('is a 409 KEY_TAKEN for a key that is taken, and leaves all as it was', async () => {
    await build.feature(productId, { key: 'mine' });
    const id = await build.feature(productId, { key: 'yours' });
    expect(await merchant.patch(`/v0/features/${id}`, { key: 'mine', name: 'N' })).toMatchObject({
      status: 409,
      body: { code: 'KEY_TAKEN' },
    });
    expect((await merchant.get(`/v0/features/${id}`)).body).toMatchObject({ key: 'yours', name: 'Tokens' });
  });

  it('moves to another product until a price carries it', async () => {
    const [first, second] = [await build.product(), await build.product()];
    const id = await build.feature(productId);
    expect(await merchant.patch(`/v0/features/${id}`, { productId: first })).toMatchObject({
      status: 200,
      body: { productId: first },
    });
    const priceId = await build.metricPrice(await build.metric(productId), carrying(id));
    expect(await merchant.patch(`/v0/features/${id}`, { productId: second })).toMatchObject({
      status: 409,
      body: { code: 'FEATURE_IN_USE', details: { blockers: [{ type: 'price', count: 1, items: [{ id: priceId }] }] } },
    });
    expect(await merchant.patch(`/v0/features/${id}`, { productId: first, name: 'Same' })).toMatchObject({
      status: 200,
    });
  });
});

describe('DELETE /v0/features/{id}', () => {
  it('is a 204, then a 404, and its key is free again', async () => {
    const id = await build.feature(productId, { key: 'gone' });
    expect(await merchant.delete(`/v0/features/${id}`)).toMatchObject({ status: 204, text: '' });
    expect(await merchant.get(`/v0/features/${id}`)).toMatchObject({ status: 404 });
    expect(await merchant.patch(`/v0/features/${id}`, { name: 'N' })).toMatchObject({ status: 404 });
    expect(await merchant.delete(`/v0/features/${id}`)).toMatchObject({ status: 404 });
    expect((await merchant.get(`/v0/features?key=gone`)).body.data).toEqual([]);
    expect(await merchant.post('/v0/features', feature('gone'))).toMatchObject({ status: 201 });
    const priced = await merchant.post('/v0/prices', {
      billableMetricId: await build.metric(productId),
      invoiceDisplayName: 'T',
      paymentTerm: 'in_arrears',
      properties: { unitPrice: '1' },
      ...carrying(id),
    });
    expect(priced).toMatchObject({ status: 404, body: { details: { field: 'feature.featureId' } } });
  });

  it('is a 409 with the blockers while a price carries it', async () => {
    const id = await build.feature(productId);
    const priceId = await build.metricPrice(await build.metric(productId), carrying(id));
    expect(await merchant.delete(`/v0/features/${id}`)).toMatchObject({
      status: 409,
      body: {
        error: 'conflict',
        code: 'FEATURE_IN_USE',
        details: { blockers: [{ type: 'price', count: 1, items: [{ id: priceId, invoiceDisplayName: 'Tokens' }] }] },
      },
    });
    expect(await merchant.delete(`/v0/prices/${priceId}`)).toMatchObject({ status: 204 });
    expect(await merchant.delete(`/v0/features/${id}`)).toMatchObject({ status: 204 });
  });
});
