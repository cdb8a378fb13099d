import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Merchant, sharedEnvironment, type TestEnvironment } from '../support/environment.ts';
import { type Resource, type Shop, START, shopOf } from '../support/shop.ts';

/** Invoices of periods that are joined for who pays them (commercial.md §8). */
let env: TestEnvironment;
let merchant: Merchant;
let shop: Shop;
beforeAll(async () => {
  env = await sharedEnvironment({ recomputed: true });
  merchant = await env.merchant();
  shop = shopOf(merchant);
});
afterAll(() => env.close());

const invoicesOf = async ({ id }: Resource) => (await shop.read(`/v2/invoices?customerId=${id}&limit=100`)).data as Resource[];
const grouped = async (customer: Resource) =>
  (await invoicesOf(customer)).filter(({ kind }: Resource) => kind === 'grouped').toReversed();

describe('a customer whose invoices are joined', () => {
  it('has one invoice for the subscriptions that close at one instant, with a section for each', async () => {
    const clock = await shop.clock(START);
    const customer = await shop.customer({ invoiceGrouping: 'customer' });
    const plan = await shop.plan([await shop.feePrice()], { defaultTaxRate: 20 });
    const one = await shop.subscribe(plan, { clock, customer, name: 'Team' });
    const two = await shop.subscribe(plan, { clock, customer, name: 'Lab' });
    await shop.advance(clock, 'P1M');
    const [invoice, ...others] = await grouped(customer);
    expect(others).toEqual([]);
    expect(invoice).toMatchObject({
      ...{ kind: 'grouped', status: 'ISSUED', customerId: customer.id, subscriptionId: null, groupedIntoId: null },
      ...{ subtotal: '20.00', totalTax: '4.00', grandTotal: '24.00', itemCount: 2 },
      sections: [
        { subscriptionId: one.id, customerId: customer.id, name: 'Team', subtotal: '10.00' },
        { subscriptionId: two.id, customerId: customer.id, name: 'Lab', subtotal: '10.00' },
      ],
    });
  });
});
