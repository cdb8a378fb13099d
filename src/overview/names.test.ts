import { afterAll, beforeAll, expect, it } from 'vitest';
import { openTestEnvironment, type TestEnvironment } from '../../test/support/environment.ts';
import { openWorld, type World } from '../../test/support/world.ts';

let env: TestEnvironment;
let world: World;
beforeAll(async () => {
  env = await openTestEnvironment();
  world = await openWorld(env);
});
afterAll(() => env.close());

const namesOf = (ids: readonly string[], by = world.merchant) => by.get(`/v0/names?ids=${ids.join(',')}`);

it('answers the name behind each id, and null where there is none', async () => {
  const { customer, subscription, plan, invoice } = world;
  const coupon = await world.shop.create('/v0/coupons', { name: 'Half', percentOff: '0.5', duration: 'once' });
  const { id: productId } = await world.shop.product();
  const fee = await world.shop.create('/v0/fees', { name: 'Base fee', description: 'A flat fee', productId });
  const price = await world.shop.feePrice({ feeId: fee.id, invoiceDisplayName: 'Seats' });
  const { status, body } = await namesOf([
    ...[customer.id, subscription.id, plan.id, invoice.id, coupon.id, price.feeId, price.id, 'cus_none', 'nonsense'],
  ]);
  expect(status).toBe(200);
  expect(body).toEqual({
    object: 'names',
    names: {
      [customer.id]: customer.organization.name,
      [subscription.id]: subscription.name,
      [plan.id]: plan.name,
      [invoice.id]: invoice.invoiceNumber,
      [coupon.id]: coupon.name,
      [price.feeId]: 'Base fee',
      [price.id]: 'Seats',
      cus_none: null,
      nonsense: null,
    },
  });
});

it('tells nothing of another merchant', async () => {
  const stranger = await openWorld(env);
  const ids = Object.values(stranger.ids).flat().slice(0, 100);
  const { body } = await namesOf(ids);
  expect(Object.values(body.names).filter((name) => name !== null)).toEqual([]);
});

it.each([
  ['no id', ''],
  ['101 ids', Array.from({ length: 101 }, (_, place) => `cus_${place}`).join(',')],
])('refuses %s', async (_, ids) => {
  const { status, body } = await world.merchant.get(`/v0/names?ids=${ids}`);
  expect([status, body.errors[0].field]).toEqual([400, 'ids']);
});

it('keeps an id like the name of a property of every object', async () => {
  const { body, text } = await namesOf(['__proto__', 'constructor']);
  expect(Object.keys(body.names), text).toEqual(expect.arrayContaining(['constructor']));
});
