import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Merchant, openTestEnvironment, type TestEnvironment } from '../../../test/support/environment.ts';
import { type Resource, type Shop, START, shopOf } from '../../../test/support/shop.ts';
import { openTables, type Tables } from '../../../test/support/tables.ts';
import { billingSource } from '../../subscriptions/index.ts';
import type { InvoicingDependencies } from '../invoice/dependencies.ts';
import { findPeriodTotals } from './running.ts';

let env: TestEnvironment;
let tables: Tables;
let merchant: Merchant;
let shop: Shop;
beforeAll(async () => {
  env = await openTestEnvironment();
  tables = await openTables(env.url);
  merchant = await env.merchant();
  shop = shopOf(merchant);
});
afterAll(async () => {
  await tables.close();
  await env.close();
});

const dependencies = { source: billingSource } as InvoicingDependencies;
const totalsOf = (ids: readonly string[]) =>
  env.database.transaction({ merchants: [merchant.id] }, async (tx) => {
    const totalOf = await findPeriodTotals(dependencies, tx, ids);
    return ids.map(totalOf).map((total) => total?.toString() ?? null);
  });

const lastOf = async (subscription: Resource): Promise<Resource> => (await shop.invoices(subscription)).at(-1);
const onClock = async (prices: readonly Resource[], fields: Record<string, unknown> = {}) => {
  const clock = await shop.clock(START);
  return { clock, subscription: await shop.subscribe(await shop.plan(prices, fields), { clock }) };
};

/** The second part of a period whose first part is in its grace. Both have 8 units; the first 10 cost 1.00 each. */
async function secondPart(): Promise<Resource> {
  const tiers = [
    { upTo: '10', unitPrice: '1' },
    { upTo: null, unitPrice: '0.5' },
  ];
  const price = await shop.usagePrice({ model: 'graduated', properties: { tiers } });
  const { clock, subscription } = await onClock([price], { gracePeriod: 'P2D' });
  await shop.use(subscription.id, '2026-01-02T00:00:00Z', 8);
  await shop.advance(clock, '2026-01-11T00:00:00Z');
  await shop.act(`/v2/invoices/${(await lastOf(subscription)).id}/closeNow`, { reason: 'The customer asked for it' });
  await shop.advance(clock, 'PT2S');
  await shop.use(subscription.id, '2026-01-11T00:00:01Z', 8);
  return subscription;
}

it('totals of a list are those that each invoice shows, and one that cannot be calculated stops no other', async () => {
  const { subscription: taxed } = await onClock([await shop.usagePrice()], { defaultTaxRate: 20 });
  await shop.use(taxed.id, START, 5);
  const { subscription: byHand } = await onClock([await shop.feePrice()]);
  const line = { displayName: 'Setup', currency: 'USD', quantity: 1 };
  await shop.create('/v2/invoices/lineItems', { subscriptionId: byHand.id, ...line, unitPrice: 15 });
  const { subscription: other } = await onClock([await shop.feePrice()]);
  await shop.create('/v2/invoices/lineItems', { subscriptionId: other.id, ...line, unitPrice: 7 });
  const price = await shop.feePrice();
  const { subscription: broken } = await onClock([price]);
  const { invoice: issued } = await shop.issued();
  const cut = await secondPart();
  await tables.query('update price set properties = $1 where id = $2', [{ unitPrice: 'not a price' }, price.id]);

  const ids = [issued.id];
  for (const subscription of [broken, taxed, byHand, other, cut]) ids.push((await lastOf(subscription)).id);
  const shown = [];
  for (const id of ids) shown.push(Number((await shop.read(`/v2/invoices/${id}`)).grandTotal));
  expect(shown).toEqual([12, 0, 6, 25, 17, 5]);
  expect(await totalsOf([...ids, 'inv_none'])).toEqual(['12', null, '6', '25', '17', '5', null]);
  for (const id of ids) expect((await totalsOf([id]))[0]).toEqual((await totalsOf(ids))[ids.indexOf(id)]);
});
