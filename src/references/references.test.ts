import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Answer, type Merchant, sharedEnvironment, type TestEnvironment } from '../../test/support/environment.ts';

let env: TestEnvironment;
let merchant: Merchant;
beforeAll(async () => {
  env = await sharedEnvironment();
  merchant = await env.merchant();
});
afterAll(() => env.close());

const PATH = '/v0/externalReferences';
const item = async (): Promise<string> => (await merchant.post('/v0/items', { name: 'Pack' })).body.id;
let made = 0;
const reference = (entityId: string, fields: object = {}) => ({
  entityType: 'item',
  entityId,
  provider: 'crm',
  externalId: `id-${++made}`,
  ...fields,
});
const post = (entityId: string, fields: object = {}): Promise<Answer> =>
  merchant.post(PATH, reference(entityId, fields));
const get = (id: string): Promise<Answer> => merchant.get(`${PATH}/${id}`);
const patch = (id: string, body: object): Promise<Answer> => merchant.patch(`${PATH}/${id}`, body);
const failingFields = (answer: Answer): string[] => {
  expect(answer).toMatchObject({ status: 400, body: { error: 'validation_error' } });
  return answer.body.errors.map(({ field }: { field: string }) => field).toSorted();
};

describe('POST /v0/externalReferences', () => {
  it('answers the reference of §2, and GET the same', async () => {
    env.setNow('2026-03-01T00:00:00Z');
    const entityId = await item();
    const answer = await post(entityId, { externalId: '006/α 1', externalLabel: 'Opportunity', metadata: { a: 'b' } });
    expect(answer).toMatchObject({ status: 201 });
    expect(answer.body).toEqual({
      id: expect.stringMatching(/^xrf_[0-9A-Za-z]{22}$/),
      object: 'externalReference',
      merchantId: merchant.id,
      entityType: 'item',
      entityId,
      provider: 'crm',
      externalId: '006/α 1',
      externalLabel: 'Opportunity',
      metadata: { a: 'b' },
      isPrimary: true,
      isDefault: false,
      createdAt: '2026-03-01T00:00:00Z',
      updatedAt: '2026-03-01T00:00:00Z',
    });
    expect((await get(answer.body.id)).body).toEqual(answer.body);
    expect((await post(entityId)).body).toMatchObject({ externalLabel: null, metadata: {} });
  });

  it.each([
    { fields: { entityType: 'product' }, failing: ['entityType'] },
    { fields: { entityId: 'x' }, failing: ['entityId'] },
    { fields: { entityId: 'prod_0000000000' }, failing: ['entityId'] },
    { fields: { provider: '' }, failing: ['provider'] },
    { fields: { provider: 'CRM' }, failing: ['provider'] },
    { fields: { provider: '1crm' }, failing: ['provider'] },
    { fields: { provider: 'c-rm' }, failing: ['provider'] },
    { fields: { provider: 'crm\n' }, failing: ['provider'] },
    { fields: { externalId: '' }, failing: ['externalId'] },
    { fields: { externalId: 'x'.repeat(256) }, failing: ['externalId'] },
    { fields: { externalId: 'a\0b' }, failing: ['externalId'] },
    { fields: { externalId: 7 }, failing: ['externalId'] },
    { fields: { isPrimary: 'yes' }, failing: ['isPrimary'] },
    { fields: { isDefault: 'no' }, failing: ['isDefault'] },
    { fields: { id: 'xrf_a' }, failing: ['id'] },
    {
      fields: { entityType: undefined, entityId: undefined, provider: undefined, externalId: undefined },
      failing: ['entityId', 'entityType', 'externalId', 'provider'],
    },
  ])('is a 400 for $fields', async ({ fields, failing }) => {
    expect(failingFields(await post(await item(), fields))).toEqual(failing);
  });

  it.each([
    { entityType: 'item', entityId: 'itm_0000000000' },
    { entityType: 'customer', entityId: 'cus_0000000000' },
    { entityType: 'order', entityId: 'ord_0000000000' },
    { entityType: 'invoice', entityId: 'inv_00000000000000000000000000000000' },
    { entityType: 'subscription', entityId: 'sub_0000000000' },
  ])('is a 404 for the unknown $entityType', async (fields) => {
    expect(await post('', fields)).toMatchObject({ status: 404, body: { details: { field: 'entityId' } } });
  });

  it('is a 404 for an entity of another type than said, and for one that was deleted', async () => {
    const entityId = await item();
    expect(await post(entityId, { entityType: 'customer' })).toMatchObject({
      status: 404,
      body: { details: { field: 'entityId' } },
    });
    await merchant.delete(`/v0/items/${entityId}`);
    expect(await post(entityId)).toMatchObject({ status: 404, body: { details: { field: 'entityId' } } });
  });

  it("is a 403 for another merchant's entity, and links nothing", async () => {
    const stranger = await env.merchant();
    const entityId = (await stranger.post('/v0/items', { name: 'Theirs' })).body.id;
    expect(await post(entityId)).toMatchObject({ status: 403, body: { error: 'forbidden' } });
    expect((await stranger.get(`/v0/items/${entityId}`)).body.externalReferences).toEqual([]);
  });

  it('links a customer as well', async () => {
    const consumer = {
      name: 'Ada',
      email: 'ada@example.com',
      address: { line1: '1 Main St', city: 'X', country: 'US' },
    };
    const customerId = (await merchant.post('/v0/customers', { consumer })).body.id;
    expect(await post(customerId, { entityType: 'customer' })).toMatchObject({
      status: 201,
      body: { entityId: customerId },
    });
  });
});

describe('a primary reference', () => {
  // Proves 2.item.primary.
  it('is the only one of its provider and external id for the merchant: 409 says whose it is', async () => {
    const [one, other] = [await item(), await item()];
    const first = await post(one, { externalId: 'p-1' });
    expect(await post(other, { externalId: 'p-1' })).toMatchObject({
      status: 409,
      body: {
        error: 'conflict',
        code: 'REFERENCE_TAKEN',
        details: { externalReferenceId: first.body.id, entityId: one },
      },
    });
    expect(await post(one, { externalId: 'p-1' })).toMatchObject({ status: 409 });
    expect(await post(other, { externalId: 'p-1', isPrimary: false })).toMatchObject({ status: 201 });
    expect(await post(other, { externalId: 'p-1', provider: 'erp' })).toMatchObject({ status: 201 });
    expect(await post(one, { externalId: 'p-2' })).toMatchObject({ status: 201 }); // an entity may have several
    const stranger = await env.merchant();
    const theirs = (await stranger.post('/v0/items', { name: 'Theirs' })).body.id;
    expect(await stranger.post(PATH, reference(theirs, { externalId: 'p-1' }))).toMatchObject({ status: 201 });
  });

  it('is one of twelve that come at once', async () => {
    const entities = await Promise.all(Array.from({ length: 12 }, item));
    const answers = await Promise.all(entities.map((entityId) => post(entityId, { externalId: 'race' })));
    expect(answers.map(({ status }) => status).toSorted()).toEqual([201, ...Array(11).fill(409)]);
    expect((await merchant.get(`${PATH}?externalId=race`)).body.pagination.total).toBe(1);
  });

  it('is one, whether it is made, changed or freed at the same time', async () => {
    for (let round = 0; round < 4; round += 1) {
      const externalId = `contested-${round}`;
      const entities = await Promise.all(Array.from({ length: 4 }, item));
      const holder = await post(entities[0] as string, { externalId });
      const others = await Promise.all(
        entities.slice(1, 3).map((entityId) => post(entityId, { externalId, isPrimary: false })),
      );
      const answers = await Promise.all([
        merchant.delete(`${PATH}/${holder.body.id}`),
        ...others.map(({ body }) => patch(body.id, { isPrimary: true })),
        post(entities[3] as string, { externalId }),
      ]);
      expect(answers.map(({ status }) => status).filter((status) => ![200, 201, 204, 409].includes(status))).toEqual(
        [],
      );
      const { data } = (await merchant.get(`${PATH}?externalId=${externalId}`)).body;
      const primaries = data.filter(({ isPrimary }: { isPrimary: boolean }) => isPrimary);
      const taken = answers.slice(1).filter(({ status }) => status !== 409);
      expect(primaries).toHaveLength(taken.length);
      expect(taken.length).toBeLessThanOrEqual(1);
    }
  });

  it('is one of two that become primary at once', async () => {
    const entities = await Promise.all([item(), item()]);
    const both = await Promise.all(entities.map((id) => post(id, { externalId: 'both', isPrimary: false })));
    const answers = await Promise.all(both.map(({ body }) => patch(body.id, { isPrimary: true })));
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 409]);
  });

  it('cannot be had by a change either, and a refused change leaves all as it was', async () => {
    const entityId = await item();
    await post(entityId, { externalId: 'held' });
    const second = await post(entityId, { externalId: 'held', isPrimary: false, isDefault: true });
    const third = await post(entityId, { externalId: 'free' });
    for (const [id, body] of [
      [second.body.id, { isPrimary: true, externalLabel: 'L' }],
      [third.body.id, { externalId: 'held', isDefault: true }],
    ] as const) {
      const before = (await get(id)).body;
      expect(await patch(id, body)).toMatchObject({ status: 409, body: { code: 'REFERENCE_TAKEN' } });
      expect((await get(id)).body).toEqual(before);
    }
    expect((await get(second.body.id)).body.isDefault).toBe(true);
  });

  it('is free again when it is unlinked or no longer primary', async () => {
    const [one, other] = [await item(), await item()];
    const first = await post(one, { externalId: 'moves' });
    expect(await patch(first.body.id, { isPrimary: false })).toMatchObject({ status: 200, body: { isPrimary: false } });
    const second = await post(other, { externalId: 'moves' });
    expect(second.status).toBe(201);
    expect(await merchant.delete(`${PATH}/${second.body.id}`)).toMatchObject({ status: 204, text: '' });
    expect(await patch(first.body.id, { isPrimary: true })).toMatchObject({ status: 200, body: { isPrimary: true } });
  });
});

describe('a default reference', () => {
  const defaultsOf = async (entityId: string): Promise<string[]> =>
    (await merchant.get(`${PATH}?entityId=${entityId}`)).body.data
      .filter(({ isDefault }: { isDefault: boolean }) => isDefault)
      .map(({ id }: { id: string }) => id);

  it('clears the one before, of the same entity and provider alone', async () => {
    const [entityId, other] = [await item(), await item()];
    const first = await post(entityId, { isDefault: true });
    const elsewhere = await post(entityId, { isDefault: true, provider: 'erp' });
    await post(other, { isDefault: true });
    expect((await defaultsOf(entityId)).toSorted()).toEqual([first.body.id, elsewhere.body.id].toSorted());
    const second = await post(entityId, { isDefault: true });
    expect((await defaultsOf(entityId)).toSorted()).toEqual([second.body.id, elsewhere.body.id].toSorted());
    await patch(first.body.id, { isDefault: true });
    expect((await defaultsOf(entityId)).toSorted()).toEqual([first.body.id, elsewhere.body.id].toSorted());
    await patch(elsewhere.body.id, { provider: 'crm' }); // it brings its default with it
    expect(await defaultsOf(entityId)).toEqual([elsewhere.body.id]);
    expect(await defaultsOf(other)).toHaveLength(1);
  });

  it('is one, however many come at once', async () => {
    const entityId = await item();
    const plain = await Promise.all(Array.from({ length: 4 }, () => post(entityId)));
    const answers = await Promise.all([
      ...Array.from({ length: 4 }, () => post(entityId, { isDefault: true })),
      ...plain.map(({ body }) => patch(body.id, { isDefault: true })),
    ]);
    expect(answers.map(({ status }) => status)).toEqual([201, 201, 201, 201, 200, 200, 200, 200]);
    expect(await defaultsOf(entityId)).toHaveLength(1);
  });
});

describe('PATCH /v0/externalReferences/{id}', () => {
  it('changes what is sent; what it is of stays', async () => {
    const { body } = await post(await item(), { externalLabel: 'L', metadata: { a: 'b' } });
    env.setNow('2026-04-01T00:00:00Z');
    const change = { provider: 'erp', externalId: 'e-77', metadata: {}, isPrimary: false };
    expect(await patch(body.id, change)).toMatchObject({
      status: 200,
      body: { ...change, externalLabel: 'L', updatedAt: '2026-04-01T00:00:00Z' },
    });
    expect((await patch(body.id, { externalLabel: null })).body.externalLabel).toBeNull();
  });

  it.each([
    { body: { entityId: 'itm_a' }, field: 'entityId' },
    { body: { entityType: 'customer' }, field: 'entityType' },
    { body: { provider: 'A' }, field: 'provider' },
    { body: { externalId: '' }, field: 'externalId' },
  ])('is a 400 for $body', async ({ body, field }) => {
    const { id } = (await post(await item())).body;
    expect(failingFields(await patch(id, body))).toEqual([field]);
  });
});

describe('GET /v0/externalReferences', () => {
  it('filters by each field, newest first', async () => {
    const [one, other] = [await item(), await item()];
    const first = (await post(one, { provider: 'lists', externalId: 'l-1' })).body;
    const second = (await post(one, { provider: 'lists', externalId: 'l-2' })).body;
    const third = (await post(other, { provider: 'lists', externalId: 'l-1', isPrimary: false })).body;
    const list = async (query: string) => (await merchant.get(`${PATH}?${query}`)).body.data;
    expect(await list('provider=lists')).toEqual([third, second, first]);
    expect(await list('provider=lists&externalId=l-1')).toEqual([third, first]);
    expect(await list(`entityId=${one}`)).toEqual([second, first]);
    expect(await list(`entityType=item&entityId=${other}`)).toEqual([third]);
    expect(await list('entityType=order&provider=lists')).toEqual([]);
    expect((await merchant.get(`${PATH}?provider=lists&limit=1&offset=1`)).body).toMatchObject({
      data: [second],
      pagination: { limit: 1, offset: 1, total: 3, nextAfter: expect.any(String) },
    });
  });

  it.each(['entityType=product', 'entityId=x', 'provider=A', 'externalId=', 'isPrimary=true'])(
    'is a 400 for ?%s',
    async (query) => {
      expect(await merchant.get(`${PATH}?${query}`)).toMatchObject({ status: 400 });
    },
  );
});

describe('DELETE /v0/externalReferences/{id}', () => {
  it('is a 204, then a 404; the entity stays', async () => {
    const entityId = await item();
    const { id } = (await post(entityId)).body;
    expect(await merchant.delete(`${PATH}/${id}`)).toMatchObject({ status: 204, text: '' });
    expect(await get(id)).toMatchObject({ status: 404 });
    expect(await patch(id, { externalLabel: 'L' })).toMatchObject({ status: 404 });
    expect(await merchant.delete(`${PATH}/${id}`)).toMatchObject({ status: 404 });
    expect((await merchant.get(`/v0/items/${entityId}`)).body.externalReferences).toEqual([]);
  });
});
