import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Merchant, sharedEnvironment, type TestEnvironment } from '../support/environment.ts';
import { type Resource, type Shop, START, shopOf } from '../support/shop.ts';

let env: TestEnvironment;
let merchant: Merchant;
let shop: Shop;
beforeAll(async () => {
  env = await sharedEnvironment();
  merchant = await env.merchant();
  shop = shopOf(merchant);
});
afterAll(() => env.close());

const link = (item: Resource, provider: string, fields: object = {}) =>
  shop.create('/v0/externalReferences', {
    entityType: 'item',
    entityId: item.id,
    provider,
    externalId: `${provider}-${item.id}`,
    ...fields,
  });

it('lines of an invoice answer their items with the references of one provider, or of all', async () => {
  const product = await shop.product();
  const item = await shop.create('/v0/items', { name: 'Calls', catalogId: product.id });
  const unsold = await shop.create('/v0/items', { name: 'Unsold', catalogId: product.id });
  const [crm, erp] = [await link(item, 'crm'), await link(item, 'erp', { isDefault: true })];
  await link(unsold, 'erp');
  const metric = await shop.metric({ itemId: item.id });
  const clock = await shop.clock(START);
  const plan = await shop.plan([await shop.usagePrice({ billableMetricId: metric.id }), await shop.feePrice()]);
  const subscription = await shop.subscribe(plan, { clock });
  await shop.use(subscription.id, '2026-01-10T00:00:00Z', 3);
  await shop.advance(clock, 'P1M');
  const [invoice] = await shop.invoices(subscription);
  const path = `/v2/invoices/${invoice.id}/lineItems`;
  const itemsOf = async (query: string) => (await shop.read(`${path}${query}`)).items;

  const sold = { id: item.id, name: 'Calls', catalogId: product.id, archivedAt: null };
  expect(await itemsOf('?expand=items')).toEqual([{ ...sold, externalReferences: [crm, erp] }]);
  expect(await itemsOf('?expand=items&provider=erp')).toEqual([{ ...sold, externalReferences: [erp] }]);
  expect(await itemsOf('?expand=items&provider=nobody')).toEqual([{ ...sold, externalReferences: [] }]);
  expect(await itemsOf('')).toBeUndefined();
  await shop.change(`/v0/items/${item.id}`, { archived: true });
  expect((await itemsOf('?expand=items'))[0]).toMatchObject({ id: item.id, archivedAt: expect.any(String) });
  expect(await merchant.get(`${path}?expand=prices`)).toMatchObject({ status: 400 });
  expect(await merchant.get(`${path}?expand=items&provider=ERP`)).toMatchObject({ status: 400 });
});
