import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type Merchant, sharedEnvironment, type TestEnvironment } from '../support/environment.ts';
import { type Shop, START, shopOf } from '../support/shop.ts';

let env: TestEnvironment;
let merchant: Merchant;
let shop: Shop;
beforeAll(async () => {
  env = await sharedEnvironment();
});
beforeEach(async () => {
  env.setNow(START);
  merchant = await env.merchant();
  shop = shopOf(merchant);
});
afterAll(() => env.close());

const payable = { name: 'Agency', email: 'ap@agency.example' };

it('two workspaces with one accounts-payable address are billed for their own usage, also what came before them', async () => {
  const metric = await shop.metric();
  const plan = await shop.plan([await shop.usagePrice({ billableMetricId: metric.id })]);
  const use = (externalSubject: string, units: number) =>
    merchant.post('/v0/events', { type: 'call', source: 'app', timestamp: START, externalSubject, data: { units } });
  expect((await use('red', 3)).status).toBe(202);
  expect((await use('blue', 5)).status).toBe(202);
  const subscriptions = [];
  for (const externalId of ['red', 'blue']) {
    const customer = await shop.create('/v0/customers', { consumer: { ...payable, address: {} }, externalId });
    subscriptions.push(await shop.subscribe(plan, { customer, startedAt: START }));
  }
  const totals = await Promise.all(subscriptions.map(({ id }) => shop.read(`/v0/subscriptions/${id}/upcomingInvoice`)));
  expect(totals.map(({ subtotal }) => subtotal)).toEqual(['3.00', '5.00']);
});

describe('a customer that is made with its subscription', () => {
  const subscribe = async (customer: object) =>
    merchant.post('/v0/subscriptions', {
      name: 'Inline',
      planId: (await shop.plan([await shop.usagePrice()])).id,
      startedAt: START,
      customer,
    });

  it('is found again by its e-mail address', async () => {
    const [first, second] = [await subscribe(payable), await subscribe({ ...payable, email: 'AP@agency.example' })];
    expect([first.status, second.status]).toEqual([201, 201]);
    expect(second.body.customerId).toBe(first.body.customerId);
  });

  // Proves 4.subscriptions.create.newCustomer.
  it('is identified by its externalId, where it has one', async () => {
    const [red, blue] = [
      await subscribe({ ...payable, externalId: 'red' }),
      await subscribe({ ...payable, externalId: 'blue' }),
    ];
    const again = await subscribe({ ...payable, externalId: 'blue' });
    expect([red.status, blue.status, again.status]).toEqual([201, 201, 201]);
    expect(blue.body.customerId).not.toBe(red.body.customerId);
    expect(again.body.customerId).toBe(blue.body.customerId);
  });

  it.each([
    { customer: { ...payable, name: 'Other' }, code: 'CUSTOMER_EXISTS' },
    { customer: { ...payable, address: { country: 'FR' } }, code: 'CUSTOMER_EXISTS' },
    { customer: { ...payable, name: 'Other', externalId: 'known' }, code: 'EXTERNAL_ID_TAKEN' },
  ])('is refused with $code where $customer contradicts it, and there is no subscription', async (row) => {
    const known = await subscribe({ ...payable, address: { country: 'DE' }, externalId: 'known' });
    const refused = await subscribe(row.customer);
    expect(refused).toMatchObject({
      status: 409,
      body: { code: row.code, details: { customerId: known.body.customerId } },
    });
    expect((await shop.read('/v0/subscriptions')).pagination.total).toBe(1);
  });

  it('keeps its country as the alpha-2 code', async () => {
    const { body } = await subscribe({ ...payable, address: { country: 'uk' } });
    expect((await shop.read(`/v0/customers/${body.customerId}`)).organization.address).toEqual({ country: 'GB' });
    expect(await subscribe({ ...payable, address: { country: 'Ukk' } })).toMatchObject({
      status: 400,
      body: { errors: [{ field: 'customer.address.country' }] },
    });
  });
});
