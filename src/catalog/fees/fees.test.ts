import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Merchant, sharedEnvironment, type TestEnvironment } from '../../../test/support/environment.ts';
import { type Builder, builderFor, FEE_PRICE, failingFields } from '../testing/build.ts';

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

const post = (fields: object) => merchant.post('/v0/fees', { name: 'Seat', description: 'Per seat', ...fields });

describe('POST /v0/fees', () => {
  it('answers the fee, and GET the same', async () => {
    env.setNow('2026-03-01T00:00:00Z');
    const made = await post({ productId });
    expect(made).toMatchObject({ status: 201 });
    expect(made.body).toEqual({
      id: expect.stringMatching(/^fee_[0-9A-Za-z]{22}$/),
      object: 'fee',
      name: 'Seat',
      description: 'Per seat',
      merchantId: merchant.id,
      productId,
      itemId: null,
      createdAt: '2026-03-01T00:00:00Z',
      updatedAt: '2026-03-01T00:00:00Z',
    });
    expect((await merchant.get(`/v0/fees/${made.body.id}`)).body).toEqual(made.body);
  });

  it('takes its product from its item, and refuses another', async () => {
    const itemId = await build.item({ catalogId: productId });
    expect(await post({ itemId })).toMatchObject({ status: 201, body: { itemId, productId } });
    expect(await post({ itemId, productId })).toMatchObject({ status: 201 });
    expect(failingFields(await post({ itemId, productId: await build.product() }))).toEqual(['productId']);
    expect(failingFields(await post({}))).toEqual(['productId']);
    expect(failingFields(await post({ itemId: await build.item() }))).toEqual(['productId']);
  });

  it.each([undefined, null])('answers an empty description for %s', async (description) => {
    const made = await post({ productId, description });
    expect(made).toMatchObject({ status: 201, body: { description: '' } });
    const kept = await merchant.patch(`/v0/fees/${made.body.id}`, { name: 'N', description });
    expect(kept).toMatchObject({ status: 200, body: { name: 'N', description: '' } });
  });

  it('lists every failing field', async () => {
    expect(failingFields(await merchant.post('/v0/fees', { productId: 'x', price: '1', description: 1 }))).toEqual([
      'description',
      'name',
      'price',
      'productId',
    ]);
  });
});

it('GET /v0/fees filters by product and item', async () => {
  const alone = await build.product();
  const itemId = await build.item({ catalogId: alone });
  const [first, second] = [await build.fee(alone), await build.fee(alone, { itemId })];
  const ids = async (query: string) =>
    (await merchant.get(`/v0/fees?${query}`)).body.data.map(({ id }: { id: string }) => id);
  expect(await ids(`productId=${alone}`)).toEqual([second, first]);
  expect(await ids(`itemId=${itemId}`)).toEqual([second]);
});

describe('PATCH /v0/fees/{id}', () => {
  it('changes name and description, and its place until it is priced', async () => {
    const other = await build.product();
    const id = await build.fee(productId);
    expect(await merchant.patch(`/v0/fees/${id}`, { name: 'N', description: 'D' })).toMatchObject({
      status: 200,
      body: { name: 'N', description: 'D', productId },
    });
    expect(await merchant.patch(`/v0/fees/${id}`, { productId: other })).toMatchObject({ body: { productId: other } });
    const itemId = await build.item({ catalogId: productId });
    expect(await merchant.patch(`/v0/fees/${id}`, { itemId })).toMatchObject({ body: { itemId, productId } });
    expect(failingFields(await merchant.patch(`/v0/fees/${id}`, { productId: other }))).toEqual(['productId']);
    const priceId = await build.feePrice(id);
    expect(await merchant.patch(`/v0/fees/${id}`, { itemId: null, productId: other })).toMatchObject({
      status: 409,
      body: { code: 'FEE_IN_USE', details: { blockers: [{ type: 'price', items: [{ id: priceId }] }] } },
    });
    expect(await merchant.patch(`/v0/fees/${id}`, { itemId: null })).toMatchObject({
      body: { itemId: null, productId },
    });
  });
});

describe('DELETE /v0/fees/{id}', () => {
  // Proves 4.catalog.deleteFee.
  it('is a 204, and the fee is gone from every read and every later write', async () => {
    const id = await build.fee(productId);
    expect(await merchant.delete(`/v0/fees/${id}`)).toMatchObject({ status: 204, text: '' });
    expect(await merchant.get(`/v0/fees/${id}`)).toMatchObject({ status: 404 });
    expect(await merchant.patch(`/v0/fees/${id}`, { name: 'N' })).toMatchObject({ status: 404 });
    expect(await merchant.delete(`/v0/fees/${id}`)).toMatchObject({ status: 404 });
    expect(await merchant.post('/v0/prices', { feeId: id, ...FEE_PRICE })).toMatchObject({
      status: 404,
      body: { details: { field: 'feeId' } },
    });
  });

  // Proves 4.catalog.deleteFee, 7.errors.blockedFee, 7.errors.code, 7.errors.details.
  it('is blocked by prices: 409 and the body of §7 to the letter', async () => {
    const id = await build.fee(productId);
    const prices = [
      await build.feePrice(id, { invoiceDisplayName: 'Monthly seats' }),
      await build.feePrice(id, { invoiceDisplayName: 'Yearly seats', billingCadence: 'P1Y' }),
    ];
    const blocked = await merchant.delete(`/v0/fees/${id}`);
    expect(blocked.status).toBe(409);
    expect(blocked.body).toEqual({
      error: 'conflict',
      message: expect.any(String),
      code: 'FEE_IN_USE',
      details: {
        blockers: [
          {
            type: 'price',
            count: 2,
            items: [
              { id: prices[0], invoiceDisplayName: 'Monthly seats' },
              { id: prices[1], invoiceDisplayName: 'Yearly seats' },
            ],
          },
        ],
      },
    });
    expect(await merchant.get(`/v0/fees/${id}`)).toMatchObject({ status: 200 });
    for (const price of prices) await merchant.delete(`/v0/prices/${price}`);
    expect(await merchant.delete(`/v0/fees/${id}`)).toMatchObject({ status: 204 });
  });

  it('names a hundred blockers and counts them all', async () => {
    const id = await build.fee(productId);
    for (let n = 0; n < 103; n += 1) await build.feePrice(id);
    const [blocker] = (await merchant.delete(`/v0/fees/${id}`)).body.details.blockers;
    expect(blocker).toMatchObject({ count: 103 });
    expect(blocker.items).toHaveLength(100);
  });

  it('and a price that comes for it at once never both succeed', async () => {
    for (let round = 0; round < 8; round += 1) {
      const feeId = await build.fee(productId);
      const [deleted, priced] = await Promise.all([
        merchant.delete(`/v0/fees/${feeId}`),
        merchant.post('/v0/prices', { feeId, ...FEE_PRICE }),
      ]);
      expect(`${deleted.status} ${priced.status}`).toBe(priced.status === 201 ? '409 201' : '204 404');
    }
  });
});
