import { gunzipSync } from 'node:zlib';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Merchant, sharedEnvironment, type TestEnvironment } from '../../../test/support/environment.ts';
import { type Resource, type Shop, shopOf } from '../../../test/support/shop.ts';
import { checkExpected, tagged } from './preconditions.ts';

/** ETag and If-Match, over HTTP. */
let env: TestEnvironment;
let merchant: Merchant;
let shop: Shop;
beforeAll(async () => {
  env = await sharedEnvironment();
  merchant = await env.merchant();
  shop = shopOf(merchant);
});
afterAll(() => env.close());

const tagOf = async (path: string): Promise<string> => String((await merchant.get(path)).headers.etag);
const changeIf = (path: string, ifMatch: string, body: object) => merchant.patch(path, body, { 'if-match': ifMatch });

/** Resources, each with two changes of one field. */
const RESOURCES: readonly {
  readonly name: string;
  readonly path: () => Promise<string>;
  readonly field: string;
  readonly values: readonly [unknown, unknown];
}[] = [
  {
    name: 'a customer',
    path: async () => `/v0/customers/${(await shop.customer()).id}`,
    field: 'metadata',
    values: [{ tier: 'gold' }, { tier: 'iron' }],
  },
  {
    name: 'a plan',
    path: async () => `/v0/plans/${(await shop.plan([])).id}`,
    field: 'name',
    values: ['Gold', 'Iron'],
  },
  {
    name: 'a price',
    path: async () => `/v0/prices/${(await shop.feePrice()).id}`,
    field: 'invoiceDisplayName',
    values: ['Gold', 'Iron'],
  },
  {
    name: 'a metric',
    path: async () => `/v0/billableMetrics/${(await shop.metric()).id}`,
    field: 'description',
    values: ['Gold', 'Iron'],
  },
  {
    name: 'a webhook endpoint',
    path: async () => {
      const endpoint = { url: 'http://127.0.0.1:9/hooks', eventTypes: ['customer.created.v0'] };
      return `/v0/webhookEndpoints/${(await shop.create('/v0/webhookEndpoints', endpoint)).id}`;
    },
    field: 'description',
    values: ['Gold', 'Iron'],
  },
  {
    name: 'an organization',
    path: async () => {
      const at = `/v0/organizations/${merchant.id}`;
      await shop.change(at, { settings: { mail: { portalLinks: true } } });
      return at;
    },
    field: 'settings',
    values: [{ mail: { portalLinks: false } }, { mail: { portalLinks: true } }],
  },
];

describe('a resource that can be changed', () => {
  it.each(RESOURCES)('$name has one ETag until it changes', async ({ path, field, values }) => {
    const at = await path();
    const first = await tagOf(at);
    expect(first).toMatch(/^"[\w-]{26,}"$/);
    expect(await tagOf(at)).toBe(first);
    expect(await tagOf(`/compact${at}`)).toBe(first);
    expect(await changeIf(at, first, { [field]: values[0] })).toMatchObject({ status: 200 });
    expect(await tagOf(at)).not.toBe(first);
  });

  it.each(RESOURCES)('$name is not changed by who read it before another change', async ({ path, field, values }) => {
    const at = await path();
    const first = await tagOf(at);
    expect(await merchant.patch(at, { [field]: values[0] })).toMatchObject({ status: 200 });
    const now = await merchant.get(at);
    const refused = await changeIf(at, first, { [field]: values[1] });
    expect(refused).toMatchObject({
      status: 412,
      body: { error: 'precondition_failed', code: 'PRECONDITION_FAILED', details: { current: now.headers.etag } },
    });
    expect(refused.body.details.changed).toContainEqual({ field, now: now.body[field] });
    const others = refused.body.details.changed.map((each: Resource) => each.field);
    expect(others.filter((each: string) => each !== field && each !== 'updatedAt')).toEqual([]);
    expect((await merchant.get(at)).body).toEqual(now.body);
    expect(await changeIf(at, refused.body.details.current, { [field]: values[1] })).toMatchObject({ status: 200 });
  });

  it.each(RESOURCES)('$name takes one of several changes at once', async ({ path, field, values }) => {
    const at = await path();
    const first = await tagOf(at);
    const sent = Array.from({ length: 4 }, (_, index) => changeIf(at, first, { [field]: values[index % 2] }));
    const statuses = (await Promise.all(sent)).map(({ status }) => status);
    expect(statuses.toSorted()).toEqual([200, 412, 412, 412]);
  });

  it('loses no change to one with If-Match that began at the same time', async () => {
    for (let round = 0; round < 10; round += 1) {
      const at = `/v0/plans/${(await shop.plan([])).id}`;
      const first = await tagOf(at);
      const [plain, conditional] = await Promise.all([
        merchant.patch(at, { name: 'plain' }),
        changeIf(at, first, { name: 'conditional' }),
      ]);
      expect(plain.status).toBe(200);
      // either it came first and was overwritten on purpose, or it was refused
      expect((await merchant.get(at)).body.name).toBe('plain');
      expect([200, 412]).toContain(conditional.status);
    }
  });

  it('a draft version is published once by who has read it', async () => {
    const plan = await shop.plan([await shop.feePrice()]);
    const addPrices = [(await shop.feePrice()).id];
    const version = await shop.create(`/v0/plans/${plan.id}/versions`, { addPrices, publish: false });
    const at = `/v0/plans/${plan.id}/versions/${version.versionNumber}`;
    const first = await tagOf(at);
    const change = { status: 'published' };
    const sent = await Promise.all([changeIf(at, first, change), changeIf(at, first, change)]);
    const [one, other] = sent.toSorted((a, b) => a.status - b.status);
    expect([one?.status, other?.status]).toEqual([200, 412]);
    expect(other?.body.details.changed).toContainEqual({ field: 'status', now: 'published' });
  });
});

describe('If-Match', () => {
  it.each([
    { header: '*', status: 200 },
    { header: 'TAG', status: 200 },
    { header: '"other", TAG', status: 200 },
    { header: ', "other",TAG ,', status: 200 },
    { header: 'W/TAG', status: 412 },
    { header: 'W/"other", "more"', status: 412 },
    { header: '""', status: 412 },
    { header: '"ü"', status: 412 },
    { header: 'other', status: 400 },
    { header: '"other', status: 400 },
    { header: '*, TAG', status: 400 },
    { header: '"other" TAG', status: 400 },
    { header: 'w/"other"', status: 400 },
    { header: ',', status: 400 },
  ])('$header is answered with $status', async ({ header, status }) => {
    const at = `/v0/products/${(await shop.product()).id}`;
    const ifMatch = header.replace('TAG', await tagOf(at));
    const answer = await changeIf(at, Buffer.from(ifMatch, 'utf8').toString('latin1'), { name: 'Other' });
    expect(answer.status, answer.text).toBe(status);
    if (status === 400) expect(answer.body.errors).toMatchObject([{ field: 'If-Match' }]);
  });

  it('of a deletion is held against the resource, too', async () => {
    const at = `/v0/customers/${(await shop.customer()).id}`;
    const first = await tagOf(at);
    await merchant.patch(at, { metadata: { tier: 'gold' } });
    const refused = await merchant.delete(at, undefined, { 'if-match': first });
    expect(refused).toMatchObject({ status: 412 });
    const { current } = refused.body.details;
    expect(await merchant.delete(at, undefined, { 'if-match': current })).toMatchObject({ status: 204 });
    expect(await merchant.delete(at, undefined, { 'if-match': current })).toMatchObject({ status: 404 });
  });

  it('is told after wrong fields and after a missing right', async () => {
    const at = `/v0/products/${(await shop.product()).id}`;
    expect((await changeIf(at, '"old"', { name: 1 })).body.errors).toMatchObject([{ field: 'name' }]);
    const viewer = await env.userOf(merchant, 'viewer');
    expect((await viewer.patch(at, { name: 'Other' }, { 'if-match': '"old"' })).status).toBe(403);
    expect((await changeIf('/v0/products/prod_unknown', '"old"', { name: 'Other' })).status).toBe(404);
  });

  it('does not stand in the audit log where it was refused', async () => {
    const { id } = await shop.product();
    await changeIf(`/v0/products/${id}`, '"old"', { name: 'Other' });
    const { data } = await shop.read(`/v0/auditLog?resourceId=${id}`);
    expect(data.map(({ operation }: Resource) => operation)).toEqual(['createProduct']);
  });

  it('is not for a list, nor for an operation without a resource to read', async () => {
    expect((await merchant.get('/v0/products')).headers.etag).toBeUndefined();
    const answer = await merchant.put('/v0/merchantIntegrations', { provider: 'erp' }, { 'if-match': '"old"' });
    expect(answer.body.errors).toMatchObject([{ field: 'If-Match' }]);
  });
});

it('a copy that is still current is a 304 without a body', async () => {
  const at = `/v0/products/${(await shop.product()).id}`;
  const tag = await tagOf(at);
  expect(await merchant.get(at, { 'if-none-match': tag })).toMatchObject({ status: 304, text: '' });
  await merchant.patch(at, { name: 'Other' });
  expect(await merchant.get(at, { 'if-none-match': tag })).toMatchObject({ status: 200, body: { name: 'Other' } });
});

it('compressed answers below /compact are their own, though their ETag is that of the plain path', async () => {
  const metadata = Object.fromEntries(['a', 'b', 'c'].map((key) => [key, 'x'.repeat(400)]));
  const { id } = await shop.customer({ metadata });
  const read = async (url: string) => {
    const headers = { authorization: `Bearer ${merchant.key}`, 'accept-encoding': 'gzip' };
    const answer = await env.server.inject({ method: 'GET', url, headers });
    expect(answer.headers['content-encoding']).toBe('gzip');
    return { tag: answer.headers.etag, body: JSON.parse(gunzipSync(answer.rawPayload).toString()) };
  };
  const [plain, compact] = [await read(`/v0/customers/${id}`), await read(`/compact/v0/customers/${id}`)];
  expect(plain.tag).toBe(compact.tag);
  expect(plain.body).toHaveProperty('taxId', null);
  expect(compact.body).not.toHaveProperty('taxId');
});

const field = fc.string({ minLength: 1, maxLength: 4 }).filter((name) => name !== '__proto__' && !/^\d+$/.test(name));

it('a tagged resource is its JSON, and a refusal names exactly the fields that differ', () => {
  fc.assert(
    fc.property(fc.dictionary(field, fc.jsonValue()), fc.dictionary(field, fc.jsonValue()), (one, other) => {
      const before = tagged(one);
      expect(before.text).toBe(JSON.stringify(one));
      const found = checkExpected([before.tag], other);
      const texts = (of: object) => new Set(Object.entries(of).map((entry) => JSON.stringify(entry)));
      const known = texts(one);
      const differing = Object.entries(other).filter((entry) => !known.has(JSON.stringify(entry)));
      if (JSON.stringify(one) === JSON.stringify(other)) expect(found.ok).toBe(true);
      else
        expect(found).toMatchObject({
          ok: false,
          refusal: { details: { changed: differing.map(([name, now]) => ({ field: name, now })) } },
        });
    }),
  );
});
