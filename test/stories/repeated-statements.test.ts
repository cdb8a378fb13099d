import { afterAll, beforeAll, expect, it } from 'vitest';
import { openTestEnvironment, type TestEnvironment } from '../support/environment.ts';
import { visit } from '../support/portal.ts';
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

it('the pages of an invoice and of a sign-up link ask nothing twice', async () => {
  const { invoice } = await shop.issued();
  const link = await shop.create('/v0/checkoutLinks', { planId: (await shop.plan([await shop.feePrice()])).id });
  const paths = [`/pay/invoices/${invoice.id}`, `/pay/signup/${link.id}`];
  for (const url of paths) {
    await env.server.inject({ url }); // what is kept for the process is known
    const { answer, sent } = await sentDuring(() => env.server.inject({ url }));
    expect(answer.statusCode).toBe(200);
    expect(sent.repeated).toEqual([]);
    expect(sent.all.length).toBeLessThanOrEqual(12);
  }
});

it('the overview of the portal asks as much about four plans as about one', async () => {
  const [plan, customer] = [await shop.plan([await shop.feePrice()]), await shop.customer()];
  const subscribe = () => shop.subscribe(plan, { customer, startedAt: Temporal.Now.instant().toString() });
  const statements = async () => {
    const reader = await visit(env, shop, customer);
    return (await sentDuring(() => reader.open('/portal'))).sent.all.length;
  };
  await subscribe();
  const ofOne = await statements();
  for (const _ of [2, 3, 4]) await subscribe();
  expect(await statements()).toBe(ofOne);
  expect(ofOne).toBeLessThanOrEqual(31); // one of them: which prices do commitments agree?
});

it('balances of credits that are asked at the same time are calculated together', async () => {
  const plan = await shop.plan([await shop.feePrice(), await shop.usagePrice()]);
  const customers = await Promise.all(Array.from({ length: 24 }, () => shop.customer()));
  for (const [place, customer] of customers.entries()) {
    await shop.subscribe(plan, { customer, startedAt: Temporal.Now.instant().subtract({ hours: 2 }).toString() });
    const credit = { name: 'Credit', amount: '9', currency: 'USD', idempotencyKey: `together-${place}` };
    await shop.create(`/v0/customers/${customer.id}/billingCredits`, credit); // it begins inside the period
  }
  const balance = ({ id }: { id: string }) => shop.read(`/v0/customers/${id}/billingCredits/balance?currency=USD`);
  await balance(customers[0]);
  const one = await sentDuring(() => balance(customers[0]));
  const all = await sentDuring(() => Promise.all(customers.map(balance)));
  for (const { sent } of [one, all]) expect(sent.repeated).toEqual([]);
  expect(one.sent.all.length).toBeLessThanOrEqual(35);
  expect(all.sent.all.length).toBeLessThan(8 * one.sent.all.length);
});
