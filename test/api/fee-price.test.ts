import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Merchant, sharedEnvironment, type TestEnvironment } from '../support/environment.ts';
import { type Resource, type Shop, START, shopOf } from '../support/shop.ts';

/** GET /v0/fees/{id}/price/{subscriptionId} (api.md, Catalog). */
let env: TestEnvironment;
let merchant: Merchant;
let shop: Shop;
let clock: Resource;
beforeAll(async () => {
  env = await sharedEnvironment();
  merchant = await env.merchant();
  shop = shopOf(merchant);
  clock = await shop.clock(START);
});
afterAll(() => env.close());

const priceFor = (feeId: string, { id }: Resource) => merchant.get(`/v0/fees/${feeId}/price/${id}`);

describe('the price of a fee for a subscription', () => {
  it('is that of its pinned version, whatever the default version of the plan is', async () => {
    const old = await shop.feePrice({ properties: { unitPrice: '10' }, quantity: 3 });
    const dearer = await shop.feePrice({ feeId: old.feeId, properties: { unitPrice: '12' } });
    const plan = await shop.plan([await shop.feePrice(), old], { defaultTaxRate: 19 });
    const first = await shop.subscribe(plan, { clock });
    await shop.create(`/v0/plans/${plan.id}/versions`, {
      replacePrices: [{ replacesPriceId: old.id, withPriceId: dearer.id }],
    });
    const second = await shop.subscribe(plan, { clock });
    expect(await priceFor(old.feeId, first)).toMatchObject({ status: 200, body: { ...old, taxRate: 19 } });
    expect(await priceFor(old.feeId, second)).toMatchObject({ status: 200, body: { ...dearer, taxRate: 19 } });
  });

  it.each([
    { what: 'of the plan', plan: { defaultTaxRate: 19 }, price: {}, customer: {}, fields: {}, rate: 19 },
    { what: 'of the price', plan: { defaultTaxRate: 19 }, price: { taxRate: 7 }, customer: {}, fields: {}, rate: 7 },
    {
      what: 'of the customer',
      plan: { defaultTaxRate: 19 },
      price: { taxRate: 7 },
      customer: { taxRates: { default: 8.875 } },
      fields: {},
      rate: 8.875,
    },
    {
      what: '0 of an exempt subscription',
      plan: { defaultTaxRate: 19 },
      price: {},
      customer: {},
      fields: { taxExempt: true },
      rate: 0,
    },
  ])('has the tax rate $what', async ({ plan, price, customer, fields, rate }) => {
    const priced = await shop.feePrice(price);
    const subscription = await shop.subscribe(await shop.plan([priced], plan), {
      clock,
      customer: await shop.customer(customer),
      ...fields,
    });
    expect(await priceFor(priced.feeId, subscription)).toMatchObject({ status: 200, body: { taxRate: rate } });
  });

  it('is a 404 where the version has no price of the fee', async () => {
    const [priced, other] = [await shop.feePrice(), await shop.feePrice()];
    const subscription = await shop.subscribe(await shop.plan([priced]), { clock });
    expect(await priceFor(other.feeId, subscription)).toMatchObject({
      status: 404,
      body: { message: 'No such price.' },
    });
  });

  it('is a 404 for an unknown subscription, and a 403 for one of another merchant', async () => {
    const priced = await shop.feePrice();
    const theirs = shopOf(await env.merchant());
    const foreign = await theirs.subscribe(await theirs.plan([await theirs.feePrice()]), {
      clock: await theirs.clock(START),
    });
    expect((await priceFor(priced.feeId, { id: 'sub_none' })).status).toBe(404);
    expect((await priceFor(priced.feeId, foreign)).status).toBe(403);
  });
});
