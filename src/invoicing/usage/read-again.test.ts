import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Merchant, sharedEnvironment, type TestEnvironment } from '../../../test/support/environment.ts';
import { isWaitedFor } from '../../../test/support/locks.ts';
import { type Shop, START, shopOf } from '../../../test/support/shop.ts';
import { sql, type Tx } from '../../db/index.ts';
import { lockBilling } from './billing-lock.sql.ts';
import { insertUsageTaken } from './late-usage.sql.ts';
import { findReadSeries, markToBeReadAgain } from './read-again.ts';

let env: TestEnvironment;
let merchant: Merchant;
let shop: Shop;
beforeAll(async () => {
  env = await sharedEnvironment();
  merchant = await env.merchant();
  shop = shopOf(merchant);
});
afterAll(() => env.close());

const at = (text: string) => Temporal.Instant.from(text);
const within = <T>(work: (tx: Tx) => Promise<T>) => env.database.transaction({ merchants: [merchant.id] }, work);
const mark = (ids: readonly string[], from: string) => within((tx) => markToBeReadAgain(tx, ids, at(from)));
/** The invoices of a subscription with known events, by the month of their period. */
const known = async (subscriptionId: string) =>
  (
    await within((tx) =>
      tx.rows<{ month: string }>(sql`
        select to_char(i.period_start at time zone 'UTC', 'MM') as month
          from usage_taken t join invoice i on i.merchant_id = t.merchant_id and i.id = t.invoice_id
         where i.merchant_id = ${merchant.id} and i.subscription_id = ${subscriptionId} order by 1`),
    )
  ).map(({ month }) => month);

/** A subscription with a closed January and February. */
async function sold() {
  const clock = await shop.clock(START);
  const subscription = await shop.subscribe(await shop.plan([await shop.usagePrice()]), { clock });
  await shop.advance(clock, '2026-03-01T00:00:00Z');
  return { clock, subscription };
}

it.each([
  { from: '2026-01-20T00:00:00Z', left: [] },
  { from: '2026-02-20T00:00:00Z', left: ['01'] },
  { from: '2026-03-01T00:00:01Z', left: ['01', '02'] },
])('from $from on closed periods are read again; then they are known again', async ({ from, left }) => {
  const { clock, subscription } = await sold();
  const { subscription: other } = await sold();
  await mark([subscription.id, 'sub_unknown'], from);
  expect(await known(subscription.id)).toEqual(left);
  expect(await known(other.id)).toEqual(['01', '02']);
  await shop.advance(clock, '2026-04-01T00:00:00Z');
  expect(await known(subscription.id)).toEqual(['01', '02', '03']);
});

it('waits for who is reading the usage, who may not have seen the change, and then forgets what was read', async () => {
  const { subscription } = await sold();
  await mark([subscription.id], '2026-01-01T00:00:00Z');
  const [january] = await shop.invoices(subscription);
  let marked = Promise.resolve();
  await within(async (tx) => {
    await lockBilling(tx, [subscription.id]);
    marked = mark([subscription.id], '2026-01-01T00:00:00Z');
    while (!(await isWaitedFor(tx)));
    await insertUsageTaken(tx, [january.id], 'as it was before');
  });
  await marked;
  expect(await known(subscription.id)).toEqual([]);
});

it('says how far the usage of each series was read', async () => {
  const { clock, subscription } = await sold();
  const now = await shop.read(`/v0/testClocks/${clock.id}`);
  const unread = await shop.subscribe(await shop.plan([await shop.usagePrice()]), { clock: now });
  const found = await within((tx) => findReadSeries(tx, [subscription.id, unread.id]));
  expect(found).toEqual([{ subscriptionId: subscription.id, cadence: 'P1M', until: at('2026-03-01T00:00:00Z') }]);
});
