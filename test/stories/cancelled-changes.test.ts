import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Merchant, sharedEnvironment, type TestEnvironment } from '../support/environment.ts';
import { type Resource, type Shop, START, shopOf } from '../support/shop.ts';
import { openTables } from '../support/tables.ts';

/**
 * A scheduled change that is cancelled after an invoice billed ahead for it (domain.md §3, Plan change). The invoice is
 * calculated again with the change (docs/decisions/0066).
 */
let env: TestEnvironment;
let merchant: Merchant;
let shop: Shop;
beforeAll(async () => {
  env = await sharedEnvironment({ recomputed: true });
  merchant = await env.merchant();
  shop = shopOf(merchant);
});
afterAll(() => env.close());

const at = (day: string): string => `2026-${day}T00:00:00Z`;

it.each([
  { what: 'after a change with credits', credit: 'invoice' },
  { what: 'after a change without credits, which took nothing of it', credit: 'none' },
])('is given back $what', async ({ credit }) => {
  const fee = (unitPrice: string, paymentTerm: string) =>
    shop.feePrice({ properties: { unitPrice }, paymentTerm, billingCadence: 'P1M' });
  const planOf = (price: Resource, billingCadence: string) =>
    shop.plan([price], { gracePeriod: 'P0D', billingCadence });
  const usual = await fee('10', 'in_arrears');
  const clock = await shop.clock(START);
  const first = await planOf(usual, 'P2W');
  const subscription = await shop.subscribe(first, { clock, bankTransferOnly: true });
  await shop.advance(clock, at('01-30'));
  const changes = `/v0/subscriptions/${subscription.id}/changes`;
  await shop.create(changes, { quantities: { [usual.id]: 2 }, effective: 'now', proration: 'none', credit });
  const { id: planId } = await planOf(await fee('280', 'in_advance'), 'P1M');
  const { change } = await shop.create(changes, { planId, effective: 'periodEnd' });
  expect(change.effectiveAt).toBe(at('02-12'));
  await shop.advance(clock, at('02-05'));
  const months = async () =>
    (await shop.invoices(subscription)).filter(({ billingCadence }) => billingCadence === 'P1M');
  const shown = (invoice: Resource = {}) => [
    ...(invoice.lines ?? []).map(({ totalPrice }: Resource) => totalPrice),
    invoice.unpaidAmount,
  ];
  // a fee of January, and 17 of 28 days, which January's invoice bills as it bills February in advance
  expect(shown((await months())[0])).toEqual(['10.00', '170.00', '180.00']);
  expect((await merchant.delete(`${changes}/${change.id}`)).status).toBe(204);
  expect(shown((await months())[0])).toEqual(['10.00', '170.00', '10.00']);
  await shop.advance(clock, at('03-10'));
  expect(shown((await months())[1]), 'of February, for two').toEqual(['20.00', '20.00']);
  const tables = await openTables(env.url);
  const [found] = await tables.query(
    `select plan_at('${merchant.id}', '${subscription.id}', '${at('03-01')}') as plan`,
  );
  await tables.close();
  expect(found, 'the plan of its revenue').toEqual({ plan: first.id });
});
