import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  type Client,
  type Merchant,
  openTestEnvironment,
  type TestEnvironment,
} from '../../test/support/environment.ts';
import { newId } from '../kernel/ids.ts';
import { referenceRoutes } from '../references/index.ts';
import { catalogRoutes } from './routes.ts';
import { builderFor, FEE_PRICE, METRIC, METRIC_PRICE } from './testing/build.ts';

const routes = [
  ...catalogRoutes({ countSubscriptions: async () => new Map(), findActivePlans: async () => [] }),
  ...referenceRoutes,
].map(({ declaration }) => ({ method: declaration.method, path: declaration.path }));
const withId = routes.filter(({ path }) => path.includes(':id'));
const lists = routes.filter(({ method, path }) => method === 'GET' && !path.includes(':'));
const writing = routes.filter(({ method }) => method !== 'GET');

let env: TestEnvironment;
let merchant: Merchant;
let stranger: Merchant;
let viewer: Merchant;
/** One resource of the merchant under each path, and one of another merchant. */
let own: Record<string, string>;
let foreign: Record<string, string>;

async function oneOfEach(client: Client): Promise<Record<string, string>> {
  const build = builderFor(client);
  const productId = await build.product();
  const itemId = await build.item({ catalogId: productId });
  const metricId = await build.metric(productId);
  const feeId = await build.fee(productId);
  const priceId = await build.metricPrice(metricId);
  const reference = { entityType: 'item', entityId: itemId, provider: 'crm', externalId: 'x' };
  return {
    '/v0/products': productId,
    '/v0/features': await build.feature(productId),
    '/v0/billableMetrics': metricId,
    '/v0/costs': await build.cost(productId),
    '/v0/items': itemId,
    '/v0/fees': feeId,
    '/v0/prices': priceId,
    '/v0/plans': (await build.plan(productId, { prices: [priceId] })).id,
    '/v0/externalReferences': (await client.post('/v0/externalReferences', reference)).body.id,
  };
}

beforeAll(async () => {
  env = await openTestEnvironment();
  merchant = await env.merchant();
  stranger = await env.merchant();
  viewer = await env.userOf(merchant, 'viewer');
  own = await oneOfEach(merchant);
  foreign = await oneOfEach(stranger);
});
afterAll(() => env.close());

const collectionOf = (path: string): string => path.replace(/\/:.*/, '');
const urlOf = (path: string, id: string): string => path.replace(':id', id).replace(':versionNumber', '1');

const call = (client: Client, method: string, url: string) =>
  method === 'GET'
    ? client.get(url)
    : method === 'DELETE'
      ? client.delete(url)
      : client[method === 'POST' ? 'post' : 'patch'](url, {});

describe.each(routes)('$method $path', ({ method, path }) => {
  it('wants a key', async () => {
    const answer = await call(env.client(), method, urlOf(path, 'x'));
    expect(answer).toMatchObject({ status: 401, body: { error: 'unauthorized', code: 'API_KEY_MISSING' } });
  });
});

describe.each(withId)('$method $path', ({ method, path }) => {
  it("is a 403 for another merchant's resource, and leaves it as it was", async () => {
    const id = foreign[collectionOf(path)] as string;
    const before = await stranger.get(`${collectionOf(path)}/${id}`);
    expect(await call(merchant, method, urlOf(path, id))).toMatchObject({ status: 403, body: { error: 'forbidden' } });
    expect((await stranger.get(`${collectionOf(path)}/${id}`)).body).toEqual(before.body);
  });

  it.each([
    'x',
    'prod_',
    'prod_0000000000000000000000',
    'usr_0000000000000000000000',
    '%00',
    '..%2f..',
    "' or 1=1",
    `prod_${'9'.repeat(400)}`,
  ])('is a 404 for the id %j', async (id) => {
    const answer = await call(merchant, method, urlOf(path, encodeURIComponent(id).replaceAll('%25', '%')));
    expect(answer.status).toBe(404);
  });
});

it.each(writing)('$method $path is a 403 for a viewer', async ({ method, path }) => {
  const answer = await call(viewer, method, urlOf(path, own[collectionOf(path)] as string));
  expect(answer).toMatchObject({ status: 403, body: { error: 'forbidden' } });
});

it.each(routes.filter(({ method, path }) => method === 'GET' && !path.includes('available')))(
  'a viewer may GET $path',
  async ({ path }) => {
    expect(await viewer.get(urlOf(path, own[collectionOf(path)] as string))).toMatchObject({ status: 200 });
  },
);

describe.each(lists.filter(({ path }) => !path.includes('available')))('GET $path', ({ path }) => {
  it("shows a merchant its own and nothing of another's", async () => {
    const { body } = await merchant.get(path);
    expect(body.data.map(({ id }: { id: string }) => id)).toContain(own[path]);
    expect(body.data.every(({ merchantId }: { merchantId: string }) => merchantId === merchant.id)).toBe(true);
  });

  it('is a 403 for the merchantId of another', async () => {
    expect(await merchant.get(`${path}?merchantId=${stranger.id}`)).toMatchObject({ status: 403 });
  });

  it('shows an operator all merchants, or the one that it names', async () => {
    const owners = async (query: string) =>
      new Set(
        (await env.platform.get(`${path}?limit=100${query}`)).body.data.map(
          (each: { merchantId: string }) => each.merchantId,
        ),
      );
    expect(await owners('')).toEqual(new Set([merchant.id, stranger.id]));
    expect(await owners(`&merchantId=${stranger.id}`)).toEqual(new Set([stranger.id]));
    expect(await env.platform.get(`${path}?merchantId=${newId('organization')}`)).toMatchObject({ status: 404 });
  });

  it.each([
    { query: 'limit=0', field: 'limit' },
    { query: 'limit=101', field: 'limit' },
    { query: 'limit=1.5', field: 'limit' },
    { query: 'limit=ten', field: 'limit' },
    { query: 'offset=-1', field: 'offset' },
    { query: 'offset=x', field: 'offset' },
    { query: 'merchantId=me', field: 'merchantId' },
    { query: 'sort=name', field: 'sort' },
  ])('is a 400 for ?$query', async ({ query, field }) => {
    expect(await merchant.get(`${path}?${query}`)).toMatchObject({
      status: 400,
      body: { error: 'validation_error', errors: [{ field }] },
    });
  });

  it(`has pages of ${path === '/v0/items' || path === '/v0/externalReferences' ? 50 : 10} unless asked otherwise`, async () => {
    const limit = path === '/v0/items' || path === '/v0/externalReferences' ? 50 : 10;
    expect((await merchant.get(path)).body).toMatchObject({ object: 'list', pagination: { limit, offset: 0 } });
  });
});

describe('an id in a query', () => {
  it.each([
    { path: '/v0/features', filter: 'productId', of: '/v0/products', prefix: 'prod_' },
    { path: '/v0/billableMetrics', filter: 'productId', of: '/v0/products', prefix: 'prod_' },
    { path: '/v0/billableMetrics', filter: 'itemId', of: '/v0/items', prefix: 'itm_' },
    { path: '/v0/costs', filter: 'productId', of: '/v0/products', prefix: 'prod_' },
    { path: '/v0/items', filter: 'catalogId', of: '/v0/products', prefix: 'prod_' },
    { path: '/v0/fees', filter: 'productId', of: '/v0/products', prefix: 'prod_' },
    { path: '/v0/fees', filter: 'itemId', of: '/v0/items', prefix: 'itm_' },
    { path: '/v0/prices', filter: 'billableMetricId', of: '/v0/billableMetrics', prefix: 'bm_' },
    { path: '/v0/prices', filter: 'feeId', of: '/v0/fees', prefix: 'fee_' },
    { path: '/v0/plans', filter: 'productId', of: '/v0/products', prefix: 'prod_' },
    { path: '/v0/externalReferences', filter: 'entityId', of: '/v0/items', prefix: 'itm_' },
  ])('GET $path?$filter: own 200, foreign 403, unknown 404, malformed 400', async ({ path, filter, of, prefix }) => {
    const ask = async (id: string | undefined) => merchant.get(`${path}?${filter}=${id}`);
    expect(await ask(own[of])).toMatchObject({ status: 200 });
    expect(await ask(foreign[of])).toMatchObject({ status: 403 });
    expect(await ask(`${prefix}0000000000`)).toMatchObject({ status: 404, body: { details: { field: filter } } });
    expect(await ask('nonsense')).toMatchObject({ status: 400, body: { errors: [{ field: filter }] } });
  });
});

describe('an id in a body', () => {
  const product = (id: string | undefined) => ({ productId: id });
  const template = (ids: (string | undefined)[]) => ({ type: 'metered', billableMetricIds: ids });
  const metricPrice = (id: string | undefined) => ({ billableMetricId: id, ...METRIC_PRICE });
  it.each([
    {
      path: '/v0/features',
      of: '/v0/products',
      field: 'productId',
      body: (id: string) => ({
        key: newId('feature').slice(5).toLowerCase(),
        name: 'F',
        type: 'boolean',
        ...product(id),
      }),
    },
    {
      path: '/v0/billableMetrics',
      of: '/v0/products',
      field: 'productId',
      body: (id: string) => ({ ...METRIC, ...product(id) }),
    },
    {
      path: '/v0/billableMetrics',
      of: '/v0/items',
      field: 'itemId',
      body: (id: string) => ({ ...METRIC, itemId: id }),
    },
    {
      path: '/v0/costs',
      of: '/v0/products',
      field: 'productId',
      body: (id: string) => ({ name: 'C', unitCost: 1, currency: 'USD', ...product(id) }),
    },
    { path: '/v0/items', of: '/v0/products', field: 'catalogId', body: (id: string) => ({ name: 'I', catalogId: id }) },
    {
      path: '/v0/fees',
      of: '/v0/products',
      field: 'productId',
      body: (id: string) => ({ name: 'F', description: '', ...product(id) }),
    },
    {
      path: '/v0/fees',
      of: '/v0/items',
      field: 'itemId',
      body: (id: string) => ({ name: 'F', description: '', itemId: id }),
    },
    { path: '/v0/prices', of: '/v0/billableMetrics', field: 'billableMetricId', body: (id: string) => metricPrice(id) },
    { path: '/v0/prices', of: '/v0/fees', field: 'feeId', body: (id: string) => ({ feeId: id, ...FEE_PRICE }) },
    {
      path: '/v0/prices',
      of: '/v0/features',
      field: 'feature.featureId',
      body: (id: string) => ({
        ...metricPrice(own['/v0/billableMetrics']),
        feature: { featureId: id, entitlementTemplate: { type: 'metered' } },
      }),
    },
    {
      path: '/v0/prices',
      of: '/v0/billableMetrics',
      field: 'feature.entitlementTemplate.billableMetricIds.1',
      body: (id: string) => ({
        ...metricPrice(own['/v0/billableMetrics']),
        feature: {
          featureId: own['/v0/features'],
          entitlementTemplate: template(
            [own['/v0/billableMetrics'], id].filter((each, n, all) => all.indexOf(each) === n),
          ),
        },
      }),
    },
    {
      path: '/v0/plans',
      of: '/v0/products',
      field: 'productId',
      body: (id: string) => ({ name: 'P', currency: 'USD', ...product(id) }),
    },
    {
      path: '/v0/plans',
      of: '/v0/prices',
      field: 'prices.0',
      body: (id: string) => ({ name: 'P', currency: 'USD', ...product(own['/v0/products']), prices: [id] }),
    },
    {
      path: '/v0/externalReferences',
      of: '/v0/items',
      field: 'entityId',
      body: (id: string) => ({ entityType: 'item', entityId: id, provider: 'crm', externalId: newId('item') }),
    },
  ])('POST $path with $field: own 201, foreign 403, unknown 404', async ({ path, of, field, body }) => {
    const total = async () => (await merchant.get(path)).body.pagination.total;
    expect(await merchant.post(path, body(own[of] as string))).toMatchObject({ status: 201 });
    const before = await total();
    expect(await merchant.post(path, body(foreign[of] as string))).toMatchObject({ status: 403 });
    const unknown = `${(own[of] as string).split('_')[0]}_0000000000000000000000`;
    expect(await merchant.post(path, body(unknown))).toMatchObject({ status: 404, body: { details: { field } } });
    expect(await total()).toBe(before);
  });

  it.each([
    { path: '/v0/features', body: () => ({ productId: foreign['/v0/products'] }) },
    { path: '/v0/billableMetrics', body: () => ({ itemId: foreign['/v0/items'] }) },
    { path: '/v0/billableMetrics', body: () => ({ productId: foreign['/v0/products'] }) },
    { path: '/v0/costs', body: () => ({ productId: foreign['/v0/products'] }) },
    { path: '/v0/items', body: () => ({ catalogId: foreign['/v0/products'] }) },
    { path: '/v0/fees', body: () => ({ itemId: foreign['/v0/items'] }) },
    {
      path: '/v0/prices',
      body: () => ({ feature: { featureId: foreign['/v0/features'], entitlementTemplate: { type: 'metered' } } }),
    },
    { path: '/v0/plans', body: () => ({ productId: foreign['/v0/products'] }) },
  ])('PATCH $path is a 403 for a foreign one, and changes nothing', async ({ path, body }) => {
    const url = `${path}/${own[path]}`;
    const before = await merchant.get(url);
    expect(await merchant.patch(url, body())).toMatchObject({ status: 403 });
    expect((await merchant.get(url)).body).toEqual(before.body);
  });

  it.each(['addPrices', 'removePrices', 'replacesPriceId', 'withPriceId'])(
    'POST a version with a foreign or unknown price in %s',
    async (field) => {
      const url = `/v0/plans/${own['/v0/plans']}/versions`;
      const body = (id: string | undefined) =>
        field.endsWith('Prices')
          ? { [field]: [id] }
          : { replacePrices: [{ replacesPriceId: own['/v0/prices'], withPriceId: own['/v0/prices'], [field]: id }] };
      const path = field.endsWith('Prices') ? `${field}.0` : `replacePrices.0.${field}`;
      expect(await merchant.post(url, body(foreign['/v0/prices']))).toMatchObject({ status: 403 });
      const unknown = await merchant.post(url, body('price_0000000000'));
      expect(unknown).toMatchObject({ status: 404, body: { details: { field: path } } });
      expect((await merchant.get(url)).body.pagination.total).toBe(1);
    },
  );
});

describe('a creation for another merchant', () => {
  it('is a 403 for a merchant, whatever else the body says', async () => {
    for (const { path } of routes.filter(({ method, path: each }) => method === 'POST' && !each.includes(':')))
      expect(await merchant.post(path, { merchantId: stranger.id }), path).toMatchObject({ status: 403 });
  });

  it('is an operator’s right, who must say for whom', async () => {
    const body = { name: 'Made by the platform', description: '' };
    expect(await env.platform.post('/v0/products', body)).toMatchObject({ status: 400 });
    const made = await env.platform.post('/v0/products', { ...body, merchantId: stranger.id });
    expect(made).toMatchObject({ status: 201, body: { merchantId: stranger.id } });
    expect(await stranger.get(`/v0/products/${made.body.id}`)).toMatchObject({ status: 200 });
    expect(await merchant.get(`/v0/products/${made.body.id}`)).toMatchObject({ status: 403 });
  });
});
