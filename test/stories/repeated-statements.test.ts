import { afterAll, beforeAll, expect, it } from 'vitest';
import { openTestEnvironment, type TestEnvironment } from '../support/environment.ts';
import { sentDuring } from '../support/sent-statements.ts';
import { type Shop, START, shopOf } from '../support/shop.ts';

/**
 * An operation loads each fact once, at its head (docs/decisions/0200): no statement of its transaction repeats an
 * earlier one to the letter. `node bench/statements.ts` prints how many statements each has.
 */
let env: TestEnvironment;
let shop: Shop;
beforeAll(async () => {
  env = await openTestEnvironment();
  shop = shopOf(await env.merchant());
});
afterAll(() => env.close());

it('a subscription is made, changed and ended without asking anything twice', async () => {
  const [cheap, dear] = [await shop.plan([await shop.feePrice()]), await shop.plan([await shop.feePrice()])];
  const [clock, customer] = [await shop.clock(START), await shop.customer()];
  const made = await sentDuring(() => shop.subscribe(cheap, { clock, customer }));
  const path = `/v0/subscriptions/${made.answer.id}`;
  const changed = await sentDuring(() => shop.create(`${path}/changes`, { planId: dear.id }));
  const ended = await sentDuring(() => shop.act(`${path}/termination`, { reason: 'Over' }));
  for (const { sent } of [made, changed, ended]) {
    expect(sent.repeated).toEqual([]);
    expect(sent.all.length).toBeGreaterThan(10);
  }
});
