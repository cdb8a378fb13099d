import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Merchant, sharedEnvironment, type TestEnvironment } from '../../../test/support/environment.ts';
import { isWaitedFor } from '../../../test/support/locks.ts';
import { type Resource, type Shop, START, shopOf } from '../../../test/support/shop.ts';
import { sql, type Tx } from '../../db/index.ts';
import { lockBilling, lockBillingNow, lockBillingOfInvoicesNow } from './billing-lock.sql.ts';

/** The order of locks around the billing of a subscription (docs/decisions/0065-the-billing-lock.md). */
let env: TestEnvironment;
let merchant: Merchant;
let shop: Shop;
beforeAll(async () => {
  env = await sharedEnvironment();
  merchant = await env.merchant();
  shop = shopOf(merchant);
});
afterAll(() => env.close());

const within = <T>(work: (tx: Tx) => Promise<T>) => env.database.transaction({ merchants: [merchant.id] }, work);

/** A subscription with a draft of January and the open period of February. */
async function sold(): Promise<{ subscription: Resource; draft: Resource }> {
  const clock = await shop.clock(START);
  const plan = await shop.plan([await shop.feePrice()], { autoApprove: false });
  const subscription = await shop.subscribe(plan, { clock });
  await shop.advance(clock, '2026-02-11T00:00:00Z');
  const [draft] = await shop.invoices(subscription);
  return { subscription, draft };
}

it.each<[string, (sale: { subscription: Resource; draft: Resource }) => Promise<unknown>]>([
  ['the end', ({ subscription }) => shop.act(`/v0/subscriptions/${subscription.id}/termination`, { reason: 'moved' })],
  [
    'an end in the past',
    ({ subscription }) => shop.change(`/v0/subscriptions/${subscription.id}`, { terminatedAt: '2026-01-20T00:00:00Z' }),
  ],
  [
    'a change of the plan',
    async ({ subscription }) => {
      const plan = await shop.plan([await shop.feePrice({ properties: { unitPrice: '25' } })]);
      return shop.create(`/v0/subscriptions/${subscription.id}/changes`, { planId: plan.id });
    },
  ],
  ['the approval of a draft', ({ draft }) => shop.act(`/v2/invoices/${draft.id}/approve`)],
  ['the cancellation of a draft', ({ draft }) => shop.act(`/v2/invoices/${draft.id}/cancel`, { reason: 'wrong' })],
])('%s waits for who bills the subscription without holding one of its invoices', async (_, act) => {
  const sale = await sold();
  let acting: Promise<unknown> = Promise.resolve();
  await within(async (tx) => {
    await lockBilling(tx, [sale.subscription.id]);
    acting = act(sale);
    while (!(await isWaitedFor(tx)));
    const free = await tx.rows(sql`
      select from invoice
       where merchant_id = ${merchant.id} and subscription_id = ${sale.subscription.id} for update skip locked`);
    expect(free).toHaveLength(2);
  });
  await acting;
});

it('locks the billing of invoices whose subscription is free, and does not wait for the others', async () => {
  const [held, free] = [await sold(), await sold()];
  const oneOff = await shop.create('/v2/invoices', {
    customerId: free.subscription.customerId,
    currency: 'USD',
    lines: [{ displayName: 'Advice', quantity: 1, unitPrice: 5, taxRate: 0 }],
  });
  await within(async (tx) => {
    await lockBilling(tx, [held.subscription.id]);
    const ids = [held.draft.id, free.draft.id, oneOff.id];
    const locked = await within(async (other) => {
      const found = await lockBillingOfInvoicesNow(other, ids);
      await expect(within((third) => lockBillingNow(third, [free.subscription.id]))).rejects.toMatchObject({
        code: '55P03',
      });
      return found;
    });
    expect(locked).toEqual(new Set([free.draft.id, oneOff.id]));
  });
  await within((tx) => lockBillingNow(tx, [held.subscription.id, free.subscription.id]));
});
