import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Merchant, sharedEnvironment, type TestEnvironment } from '../../../test/support/environment.ts';
import { builderFor, failingFields } from '../testing/build.ts';

let env: TestEnvironment;
let merchant: Merchant;
beforeAll(async () => {
  env = await sharedEnvironment();
  merchant = await env.merchant();
});
afterAll(() => env.close());

describe('POST /v0/products', () => {
  it('answers the product of §2, and GET the same', async () => {
    env.setNow('2026-01-31T09:00:00.123456Z');
    const metadata = { tier: 'gold', seats: 5, ratio: 0.25, trial: true };
    const made = await merchant.post('/v0/products', { name: 'Inference', description: 'By the token', metadata });
    expect(made).toMatchObject({ status: 201 });
    expect(made.body).toEqual({
      id: expect.stringMatching(/^prod_[0-9A-Za-z]{22}$/),
      object: 'product',
      name: 'Inference',
      description: 'By the token',
      merchantId: merchant.id,
      metadata,
      createdAt: '2026-01-31T09:00:00.123456Z',
      updatedAt: '2026-01-31T09:00:00.123456Z',
    });
    expect((await merchant.get(`/v0/products/${made.body.id}`)).body).toEqual(made.body);
  });

  it.each([undefined, null])('answers an empty description for %s', async (description) => {
    const made = await merchant.post('/v0/products', { name: 'P', description });
    expect(made).toMatchObject({ status: 201, body: { description: '' } });
    expect((await merchant.get(`/v0/products/${made.body.id}`)).body).toEqual(made.body);
    const changed = await merchant.patch(`/v0/products/${made.body.id}`, { description: 'By the token' });
    expect(changed.body.description).toBe('By the token');
    const kept = await merchant.patch(`/v0/products/${made.body.id}`, { name: 'Q', description });
    expect(kept).toMatchObject({ status: 200, body: { name: 'Q', description: 'By the token' } });
  });

  it('keeps every digit of a number in metadata', async () => {
    const made = await merchant.post('/v0/products', '{"name":"P","description":"","metadata":{"n":9007199254740993}}');
    expect(made.text).toContain('"metadata":{"n":9007199254740993}');
    expect((await merchant.get(`/v0/products/${made.body.id}`)).text).toContain('{"n":9007199254740993}');
  });

  it('keeps any script', async () => {
    const name = 'Ωμέγα · 模型 · نموذج · 🧮';
    const made = await merchant.post('/v0/products', { name, description: name });
    expect((await merchant.get(`/v0/products/${made.body.id}`)).body).toMatchObject({ name, description: name });
  });

  it.each([
    { body: {}, fields: ['name'] },
    { body: { name: '', description: '' }, fields: ['name'] },
    { body: { name: 'x'.repeat(256), description: '' }, fields: ['name'] },
    { body: { name: 'P', description: 'x'.repeat(8193) }, fields: ['description'] },
    { body: { name: 'P', description: '', metadata: { a: {} } }, fields: ['metadata.a'] },
    { body: { name: 7, description: 7, colour: 'red' }, fields: ['colour', 'description', 'name'] },
  ])('is a 400 that lists $fields', async ({ body, fields }) => {
    expect(failingFields(await merchant.post('/v0/products', body))).toEqual(fields);
  });
});

describe('PATCH /v0/products/{id}', () => {
  it('changes what is sent, replaces metadata whole, and moves updatedAt', async () => {
    env.setNow('2026-02-01T00:00:00Z');
    const id = await builderFor(merchant).product({ metadata: { a: '1', b: '2' } });
    env.setNow('2026-02-02T00:00:00Z');
    const changed = await merchant.patch(`/v0/products/${id}`, { name: 'New', metadata: { c: '3' } });
    expect(changed).toMatchObject({
      status: 200,
      body: {
        name: 'New',
        description: 'Models by the token',
        createdAt: '2026-02-01T00:00:00Z',
        updatedAt: '2026-02-02T00:00:00Z',
      },
    });
    expect(changed.body.metadata).toEqual({ c: '3' });
    expect((await merchant.get(`/v0/products/${id}`)).body).toEqual(changed.body);
  });

  it.each([{ name: 1 }, { merchantId: 'org_a' }, { id: 'prod_a' }, { metadata: [] }])(
    'is a 400 for %j',
    async (body) => {
      const id = await builderFor(merchant).product();
      expect(failingFields(await merchant.patch(`/v0/products/${id}`, body))).toEqual([Object.keys(body)[0]]);
    },
  );
});

describe('GET /v0/products', () => {
  it('has each product once, newest first, however it is paged', async () => {
    const other = await env.merchant();
    const build = builderFor(other);
    const made: string[] = [];
    for (let n = 0; n < 23; n += 1) made.unshift(await build.product());
    for (const limit of [1, 2, 5, 7, 10, 22, 23, 24, 100]) {
      const seen: string[] = [];
      for (let offset = 0; offset < 30; offset += limit) {
        const { body } = await other.get(`/v0/products?limit=${limit}&offset=${offset}`);
        expect(body.pagination).toMatchObject({ limit, offset, total: 23 });
        seen.push(...body.data.map(({ id }: { id: string }) => id));
      }
      expect(seen).toEqual(made);
    }
  });
});

it('the same Idempotency-Key makes one product', async () => {
  const before = (await merchant.get('/v0/products')).body.pagination.total;
  const send = () => merchant.post('/v0/products', { name: 'Once', description: '' }, { 'idempotency-key': 'one' });
  const answers = await Promise.all([send(), send(), send()]);
  expect(new Set(answers.map(({ body }) => body.id)).size).toBe(1);
  expect((await merchant.get('/v0/products')).body.pagination.total).toBe(before + 1);
});
