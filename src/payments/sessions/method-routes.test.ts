import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newId } from '../../kernel/ids.ts';
import { openShop, type Shop, type Shopkeeper } from '../testing/shop.ts';

let shop: Shop;
beforeAll(async () => {
  shop = await openShop();
});
afterAll(() => shop.close());

const pathOf = (merchant: Shopkeeper) => `/v0/customers/${merchant.customerId}/paymentMethods`;

/** Stores a card by a setup session. @returns the method's id. */
async function store(merchant: Shopkeeper, paymentMethod = 'pm_ok'): Promise<string> {
  const session = await merchant.post(pathOf(merchant));
  const done = await merchant.post(`/v0/paymentSessions/${session.body.id}/complete`, { paymentMethod });
  expect(done).toMatchObject({ status: 200, body: { status: 'completed' } });
  return done.body.paymentMethodId;
}

const stored = async (merchant: Shopkeeper) =>
  (await merchant.get(pathOf(merchant))).body.data.map(({ id, isDefault }: { id: string; isDefault: boolean }) => ({
    id,
    isDefault,
  }));

describe('a setup session', () => {
  it('is opened for a day, with nothing to pay', async () => {
    const merchant = await shop.merchant();
    const answer = await merchant.post(pathOf(merchant), {
      successRedirectUrl: 'https://shop.example/thanks',
      failureRedirectUrl: null,
      metadata: { seat: 7 },
    });
    expect(answer).toMatchObject({
      status: 201,
      body: {
        object: 'paymentSession',
        mode: 'setup',
        entityType: 'customer',
        entityId: merchant.customerId,
        customerId: merchant.customerId,
        amount: '0.00',
        currency: 'USD',
        status: 'pending',
        successRedirectUrl: 'https://shop.example/thanks',
        failureRedirectUrl: null,
        metadata: { seat: 7 },
        expiresAt: '2026-03-02T12:00:00Z',
        url: `https://pay.example/pay/${answer.body.id}`,
      },
    });
  });

  it('expires when it is asked to, and takes the place of the one before it', async () => {
    const merchant = await shop.merchant();
    const first = await merchant.post(pathOf(merchant), { expiresAt: '2026-03-01T14:00:00+01:00' });
    expect(first.body.expiresAt).toBe('2026-03-01T13:00:00Z');
    await merchant.post(pathOf(merchant));
    expect((await merchant.get(`/v0/paymentSessions/${first.body.id}`)).body.status).toBe('expired');
  });

  it('stores the card when it is completed, takes no money, and tells nobody of a payment', async () => {
    const merchant = await shop.merchant();
    const id = await store(merchant);
    expect((await merchant.get(pathOf(merchant))).body).toEqual({
      object: 'list',
      data: [
        {
          object: 'paymentMethod',
          id,
          customerId: merchant.customerId,
          type: 'card',
          brand: 'visa',
          last4: '4242',
          expMonth: 12,
          expYear: 2030,
          isDefault: true,
          createdAt: '2026-03-01T12:00:00Z',
        },
      ],
      pagination: { limit: 10, offset: 0, total: 1, nextAfter: null },
    });
    expect(await shop.handlerCalls(merchant, merchant.customerId)).toEqual([]);
  });

  it('stores nothing when the card is declined, and can be tried again', async () => {
    const merchant = await shop.merchant();
    const { body } = await merchant.post(pathOf(merchant));
    const complete = (paymentMethod: string) =>
      merchant.post(`/v0/paymentSessions/${body.id}/complete`, { paymentMethod });
    expect((await complete('pm_declined')).body).toMatchObject({ status: 'failed', failureReason: 'card_declined' });
    expect(await stored(merchant)).toEqual([]);
    expect((await complete('pm_then_declined')).body.status).toBe('completed');
    expect(await stored(merchant)).toHaveLength(1);
  });

  it('completed by ten at once stores one card', async () => {
    const merchant = await shop.merchant();
    const { body } = await merchant.post(pathOf(merchant));
    await Promise.all(
      Array.from({ length: 10 }, () =>
        merchant.post(`/v0/paymentSessions/${body.id}/complete`, { paymentMethod: 'pm_ok' }),
      ),
    );
    expect(await stored(merchant)).toHaveLength(1);
  });

  it.each([
    { body: { successRedirectUrl: 'javascript:alert(1)' }, fields: ['successRedirectUrl'] },
    {
      body: { successRedirectUrl: '//evil.example', failureRedirectUrl: 'http://evil.example/' },
      fields: ['successRedirectUrl', 'failureRedirectUrl'],
    },
    { body: { expiresAt: '2026-03-01T12:00:00Z' }, fields: ['expiresAt'] },
    { body: { expiresAt: '2026-03-02' }, fields: ['expiresAt'] },
    { body: { metadata: { deep: {} } }, fields: ['metadata.deep'] },
    { body: { amount: '1' }, fields: ['amount'] },
  ])('$body is refused with 400, naming $fields', async ({ body, fields }) => {
    const merchant = await shop.merchant();
    const answer = await merchant.post(pathOf(merchant), body);
    expect(answer).toMatchObject({ status: 400, body: { error: 'validation_error' } });
    expect(answer.body.errors.map(({ field }: { field: string }) => field)).toEqual(fields);
  });

  it('goes back only to hosts of the merchant where it has a list of them', async () => {
    const merchant = await shop.merchant({ redirectHosts: ['shop.example'] });
    const open = (successRedirectUrl: string) => merchant.post(pathOf(merchant), { successRedirectUrl });
    expect((await open('https://shop.example/thanks')).status).toBe(201);
    expect((await open('https://evil.example/thanks')).status).toBe(400);
    expect((await open('http://localhost:3000/')).status).toBe(400);
  });

  it('is not opened for a merchant that takes no cards', async () => {
    const merchant = await shop.merchant({ paymentProvider: 'none' });
    expect(await merchant.post(pathOf(merchant))).toMatchObject({ status: 409, body: { code: 'NO_PAYMENT_PROVIDER' } });
  });
});

describe('the default', () => {
  it('is the first card, then the one that is chosen, then the one stored last where the default is forgotten', async () => {
    const merchant = await shop.merchant();
    const [first, second, third] = [await store(merchant), await store(merchant), await store(merchant)];
    const list = (chosen: string) => [third, second, first].map((id) => ({ id, isDefault: id === chosen }));
    expect(await stored(merchant)).toEqual(list(first));
    expect(await merchant.post(`${pathOf(merchant)}/${second}/default`)).toMatchObject({
      status: 200,
      body: { object: 'paymentMethod', id: second, isDefault: true },
    });
    expect(await stored(merchant)).toEqual(list(second));
    expect((await merchant.delete(`${pathOf(merchant)}/${second}`)).status).toBe(204);
    expect(await stored(merchant)).toEqual([
      { id: third, isDefault: true },
      { id: first, isDefault: false },
    ]);
    await merchant.delete(`${pathOf(merchant)}/${first}`);
    await merchant.delete(`${pathOf(merchant)}/${third}`);
    expect(await stored(merchant)).toEqual([]);
  });

  it('is one, whatever is chosen at once', async () => {
    const merchant = await shop.merchant();
    const ids = [await store(merchant), await store(merchant), await store(merchant)];
    const answers = await Promise.all(
      [...ids, ...ids, ...ids].map((id) => merchant.post(`${pathOf(merchant)}/${id}/default`)),
    );
    expect(answers.map(({ status }) => status)).toEqual(Array(9).fill(200));
    expect((await stored(merchant)).filter(({ isDefault }: { isDefault: boolean }) => isDefault)).toHaveLength(1);
  });

  it('stays where another is chosen that does not exist', async () => {
    const merchant = await shop.merchant();
    const id = await store(merchant);
    expect((await merchant.post(`${pathOf(merchant)}/${newId('paymentMethod')}/default`)).status).toBe(404);
    expect(await stored(merchant)).toEqual([{ id, isDefault: true }]);
  });
});

it('a session keeps its story when the card that it stored is forgotten', async () => {
  const merchant = await shop.merchant();
  const session = await merchant.post(pathOf(merchant));
  const path = `/v0/paymentSessions/${session.body.id}`;
  const { body } = await merchant.post(`${path}/complete`, { paymentMethod: 'pm_ok' });
  await merchant.delete(`${pathOf(merchant)}/${body.paymentMethodId}`);
  expect((await merchant.get(path)).body).toMatchObject({ status: 'completed', paymentMethodId: null });
});

it('the methods of a deleted customer are gone, and an open setup of it cannot be completed', async () => {
  const merchant = await shop.merchant();
  const id = await store(merchant);
  const { body } = await merchant.post(pathOf(merchant));
  expect((await merchant.delete(`/v0/customers/${merchant.customerId}`)).status).toBe(204);
  const answers = [
    await merchant.get(pathOf(merchant)),
    await merchant.post(pathOf(merchant)),
    await merchant.post(`${pathOf(merchant)}/${id}/default`),
    await merchant.delete(`${pathOf(merchant)}/${id}`),
    await merchant.post(`/v0/paymentSessions/${body.id}/complete`, { paymentMethod: 'pm_ok' }),
  ];
  expect(answers.map(({ status }) => status)).toEqual([404, 404, 404, 404, 404]);
});

describe('who may', () => {
  it('another merchant gets 403, also with its own customer and a foreign method', async () => {
    const [merchant, other] = [await shop.merchant(), await shop.merchant()];
    const id = await store(merchant);
    const answers = [
      await other.get(pathOf(merchant)),
      await other.post(pathOf(merchant)),
      await other.post(`${pathOf(merchant)}/${id}/default`),
      await other.delete(`${pathOf(merchant)}/${id}`),
    ];
    expect(answers.map(({ status }) => status)).toEqual([403, 403, 403, 403]);
    expect((await other.delete(`${pathOf(other)}/${id}`)).status).toBe(404);
    expect((await other.post(`${pathOf(other)}/${id}/default`)).status).toBe(404);
    expect(await stored(merchant)).toEqual([{ id, isDefault: true }]);
  });

  it('a method of another customer of the same merchant is a 404', async () => {
    const merchant = await shop.merchant();
    const id = await store(merchant);
    const consumer = { name: 'Alan', email: 'alan@buyer.example', address: {} };
    const second = await merchant.post('/v0/customers', { consumer });
    expect((await merchant.delete(`/v0/customers/${second.body.id}/paymentMethods/${id}`)).status).toBe(404);
    expect(await stored(merchant)).toHaveLength(1);
  });

  it('a viewer looks and changes nothing; nobody without a key; an unknown customer is a 404', async () => {
    const merchant = await shop.merchant();
    const viewer = await shop.userOf(merchant, 'viewer');
    const id = await store(merchant);
    expect((await viewer.get(pathOf(merchant))).status).toBe(200);
    expect((await viewer.post(pathOf(merchant))).status).toBe(403);
    expect((await viewer.delete(`${pathOf(merchant)}/${id}`)).status).toBe(403);
    expect((await viewer.post(`${pathOf(merchant)}/${id}/default`)).status).toBe(403);
    expect((await shop.nobody.get(pathOf(merchant))).status).toBe(401);
    expect((await merchant.get(`/v0/customers/${newId('customer')}/paymentMethods`)).status).toBe(404);
  });
});
