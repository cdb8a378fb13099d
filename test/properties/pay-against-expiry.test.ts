import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { sql } from '../../src/db/index.ts';
import { FakeProvider } from '../../src/payments/testing/fake-provider.ts';
import { randomFrom } from '../stripe/faults.ts';
import { expectBooksToBalance } from '../support/books.ts';
import { type CardsOutside, cardsOutside } from '../support/cards-outside.ts';
import { rounds } from '../support/cases.ts';
import { openTestEnvironment, type TestEnvironment } from '../support/environment.ts';
import type { Resource } from '../support/shop.ts';

/**
 * A purchase that is paid at the provider at the instant of its session's expiry. It is PAID with its grant and its
 * webhook, or it is CANCELLED without them, and then the money goes back once (reliability I-39).
 */
let provider: FakeProvider;
let env: TestEnvironment;
let cards: CardsOutside;
beforeAll(async () => {
  provider = new FakeProvider();
  env = await openTestEnvironment({ paymentProviders: [provider] });
});
afterEach(() => expectBooksToBalance(env, cards.merchant));
afterAll(() => env.close());

const BATCHES = rounds(1, 2);
/** In each batch. The same with toys instead of invoices is in `src/payments/checkouts/checkouts.test.ts`. */
const ROUNDS = rounds(25, 100);
const EXPIRES_AT = '2026-01-01T01:00:00Z';
const AT_A_TIME = 10;

/** Does something for each item, some at a time. */
async function forEach<Item>(items: readonly Item[], work: (item: Item) => Promise<unknown>): Promise<void> {
  const queue = items.values();
  const lane = async () => {
    for (const item of queue) await work(item);
  };
  await Promise.all(Array.from({ length: AT_A_TIME }, lane));
}

async function entitle(): Promise<Resource> {
  const { shop } = cards;
  const metric = await shop.metric();
  const { productId } = metric;
  const feature = await shop.create('/v0/features', { key: 'credits', name: 'Credits', productId, type: 'metered' });
  const template = { type: 'metered', billableMetricIds: [metric.id] };
  return shop.create('/v1/entitlements', { customerId: (await shop.customer()).id, featureId: feature.id, template });
}

/** A session, and the provider's reference of its page. */
interface Offered {
  readonly session: string;
  readonly page: string;
}

/** Purchases with open pages at the provider. */
async function buyAll(entitlement: Resource): Promise<Offered[]> {
  const offered: Offered[] = [];
  await forEach(Array.from({ length: ROUNDS }), async () => {
    const order = { amount: 1, price: '2.00', paymentExpiresAt: EXPIRES_AT, idempotencyKey: crypto.randomUUID() };
    const { paymentSessions } = await cards.shop.create(`/v1/entitlements/${entitlement.id}/grants/purchase`, order);
    const session = paymentSessions[0].url.split('/').at(-1);
    offered.push({ session, page: await cards.leaveFor(session) });
  });
  return offered;
}

/** The results of the purchases, and the number of each. */
const outcomes = () =>
  env.database.transaction({ merchants: [cards.merchant.id] }, (tx) =>
    tx.rows<{ status: string; invoices: number }>(sql`
      with each as (
        select i.status,
               (select count(*) from payment_receipt r where r.invoice_id = i.id) as payments,
               (select count(*) from entitlement_grant g where g.invoice_id = i.id) as grants,
               (select count(*) from outbox o
                 where o.type = 'invoice.paid.v0' and o.data->>'invoiceId' = i.id) as told_paid,
               (select string_agg(s.reason || ' ' || s.return_status, ',') from stray_payment s
                 where s.invoice_id = i.id) as strays
          from invoice i)
      select status, payments::int, grants::int, told_paid::int, strays, count(*)::int as invoices from each
       group by 1, 2, 3, 4, 5 order by 1`),
  );

it.each(Array.from({ length: BATCHES }, (_, batch) => ({ batch })))(
  `of paying and expiring at one instant exactly one happens (${ROUNDS} rounds, batch $batch)`,
  { timeout: 120_000 },
  async ({ batch }) => {
    cards = await cardsOutside(env, provider);
    const offered = await buyAll(await entitle());
    const random = randomFrom(batch);
    for (const { page } of offered) provider.pay(page);
    env.setNow(EXPIRES_AT);
    const comeBack = ({ session }: Offered) => env.client().get(`/pay/${session}/return`);
    const expire = ({ session }: Offered) => cards.merchant.post(`/v0/paymentSessions/${session}/expire`);
    const [first, second, ...others] = offered.toSorted(() => random() - 0.5) as [Offered, Offered, ...Offered[]];
    await comeBack(first); // so that each happens at least once
    await expire(second);
    await Promise.all([env.runDueWork(), forEach(others, comeBack), forEach(others, expire)]);
    await Promise.all([comeBack(second), expire(first), env.runDueWork()]);
    const found = await outcomes();
    const paid = { status: 'PAID', payments: 1, grants: 1, toldPaid: 1, strays: null };
    const cancelled = { status: 'CANCELLED', payments: 0, grants: 0, toldPaid: 0, strays: 'too_late returned' };
    expect(found).toMatchObject([cancelled, paid]);
    expect(found.map(({ invoices }) => invoices).reduce((sum, count) => sum + count, 0)).toBe(ROUNDS);
  },
);
