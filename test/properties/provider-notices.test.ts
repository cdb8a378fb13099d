import type { Stripe } from 'stripe';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { sql } from '../../src/db/index.ts';
import type { StripeAccount } from '../stripe/account.ts';
import { randomFrom } from '../stripe/faults.ts';
import { openStripeServer, type StripeServer } from '../stripe/server.ts';
import { expectBooksToBalance } from '../support/books.ts';
import { type Merchant, openTestEnvironment, type TestEnvironment } from '../support/environment.ts';
import { type Resource, type Shop, START, shopOf } from '../support/shop.ts';

/**
 * All notices of Stripe about one payment, in every order, repeated and late: one payment, one step to PAID, one
 * `invoice.paid.v0` (reliability I-37). A wrong amount or currency never pays (I-38).
 */
let stripe: StripeServer;
let env: TestEnvironment;
let merchant: Merchant;
let shop: Shop;
let books: StripeAccount;
beforeAll(async () => {
  stripe = await openStripeServer(() => Temporal.Instant.from(START).epochMilliseconds / 1_000);
  env = await openTestEnvironment({ stripeApiUrl: stripe.url });
});
beforeEach(async () => {
  env.setNow(START);
  stripe.faults.clear();
  merchant = await env.merchant();
  shop = shopOf(merchant);
  books = stripe.account();
  const { secretKey, webhookSecret } = books;
  await shop.replace('/v0/merchantIntegrations', { provider: 'stripe', config: { secretKey, webhookSecret } });
  await shop.change(`/v0/organizations/${merchant.id}`, { settings: { paymentProvider: 'stripe' } });
});
afterEach(() => expectBooksToBalance(env, merchant));
afterAll(async () => {
  await env.close();
  await stripe.close();
});

const FORM = { 'content-type': 'application/x-www-form-urlencoded' };

async function leaveFor(sessionId: string): Promise<string> {
  const { status, headers, text } = await env.client().post(`/pay/${sessionId}`, '', FORM);
  if (status !== 303) throw new Error(`The page answered ${status}: ${text}`);
  return String(headers.location).split('/').at(-1) as string;
}

const issue = (customer: Resource): Promise<Resource> =>
  shop.create('/v2/invoices', {
    customerId: customer.id,
    currency: 'USD',
    autoApprove: true,
    lines: [{ displayName: 'Service', quantity: 1, unitPrice: 10 }],
  });

const AT_A_TIME = 10;
/** Does something for each item, some at a time. @returns the results in their order */
async function forEach<Item, Out>(items: readonly Item[], work: (item: Item, place: number) => Promise<Out>) {
  const results: Out[] = [];
  for (let place = 0; place < items.length; place += AT_A_TIME)
    results.push(
      ...(await Promise.all(items.slice(place, place + AT_A_TIME).map((item, more) => work(item, place + more)))),
    );
  return results;
}

/** An invoice, its payment page, and Stripe's notices of it. */
interface Offered {
  readonly invoice: Resource;
  readonly page: string;
}
async function offer(count: number): Promise<Offered[]> {
  const customer = await shop.customer();
  return forEach(Array.from({ length: count }), async () => {
    const invoice = await issue(customer);
    return { invoice, page: await leaveFor(invoice.paymentUrl.split('/').at(-1)) };
  });
}

/** Stripe's notices of an act. */
function eventsOf(work: () => void): Stripe.Event[] {
  const before = books.events.length;
  work();
  return books.events.slice(before);
}

const send = async (body: string, headers: Record<string, string>) =>
  (await env.client().post(`/v0/providers/stripe/webhooks/${merchant.id}`, body, headers)).status;

/** Delivers the rounds of notices in turn, and reads each before the next. */
async function deliver(rounds: readonly (readonly Stripe.Event[])[]): Promise<void> {
  for (const events of rounds) {
    const statuses = await forEach(events, async (event) => books.deliverAgain(send, [event]));
    expect(new Set(statuses.flat())).toEqual(new Set(events.length === 0 ? [] : [200]));
    await env.runDueWork();
  }
}

/** The rounds of several orders, side by side; every notice comes again one round later. */
const sideBySide = (orders: readonly (readonly Stripe.Event[])[]): Stripe.Event[][] =>
  Array.from({ length: Math.max(...orders.map(({ length }) => length)) + 1 }, (_, round) =>
    orders.flatMap((order) => order.slice(Math.max(0, round - 1), round + 1)),
  );

function permutations<Item>(items: readonly Item[]): Item[][] {
  if (items.length <= 1) return [[...items]];
  return items.flatMap((item, place) =>
    permutations([...items.slice(0, place), ...items.slice(place + 1)]).map((others) => [item, ...others]),
  );
}

/** The state of the invoices: for each its status, payments, and webhooks of the payment. */
const standings = () =>
  env.database.transaction({ merchants: [merchant.id] }, (tx) =>
    tx.rows(sql`
      select i.status, i.payment_in_flight as is_in_flight, count(*)::int as invoices,
             sum((select count(*) from payment_receipt r where r.invoice_id = i.id))::int as payments,
             sum((select count(*) from outbox o
                   where o.type = 'invoice.paid.v0' and o.data->>'invoiceId' = i.id))::int as told,
             sum((select count(*) from stray_payment s where s.invoice_id = i.id))::int as strays
        from invoice i group by 1, 2 order by 1`),
  );
const all = (count: number, status: string) => {
  const once = status === 'PAID' ? count : 0;
  return [{ status, isInFlight: false, invoices: count, payments: once, told: once, strays: 0 }];
};

describe('all notices of one payment', { timeout: 240_000 }, () => {
  it('that is paid at once are one payment in every order', async () => {
    const offered = await offer(120);
    const kinds = ['payment_intent.created', 'charge.succeeded', 'payment_intent.succeeded', 'charge.updated'];
    const orders = offered.map(({ page }, place) => {
      const events = eventsOf(() => books.payPage(page));
      expect(events.map(({ type }) => type)).toEqual([...kinds, 'checkout.session.completed']);
      return permutations(events)[place] as Stripe.Event[];
    });
    await deliver(sideBySide(orders));
    expect(await standings()).toEqual(all(120, 'PAID'));
  });

  it.each([
    { accepted: true, status: 'PAID' },
    { accepted: false, status: 'ISSUED' },
  ])(
    'that a bank answers days later are one outcome ($status), with early notices before and after it',
    async ({ accepted, status }) => {
      const offered = await offer(15);
      const random = randomFrom(37);
      const rounds = Array.from({ length: 9 }, () => [] as Stripe.Event[]);
      const late = (from: number) => rounds[from + Math.floor(random() * (rounds.length - from))] as Stripe.Event[];
      const early = offered.map(({ page }) => eventsOf(() => books.payPageLater(page)));
      for (const event of early.flat()) for (const _ of [1, 2]) late(0).push(event);
      await deliver(rounds.slice(0, 4));
      for (const { page } of offered)
        for (const event of eventsOf(() => books.completePage(page, accepted)))
          for (const _ of [1, 2]) late(4).push(event);
      for (const round of rounds) round.sort(() => random() - 0.5);
      await deliver(rounds.slice(4));
      expect(await standings()).toEqual(all(15, status));
    },
  );

  it('of a stored card and its charge, whose answer was lost, are one card and one payment in every order', async () => {
    const customers = await forEach([false, true], async (isReversed) => {
      const customer = await shop.customer();
      const page = await leaveFor((await shop.create(`/v0/customers/${customer.id}/paymentMethods`)).id);
      const events = eventsOf(() => books.payPage(page));
      expect(events.map(({ type }) => type)).toEqual(['setup_intent.succeeded', 'checkout.session.completed']);
      return { customer, order: isReversed ? events.toReversed() : events };
    });
    await deliver(sideBySide(customers.map(({ order }) => order)));
    for (const { customer } of customers)
      expect((await shop.read(`/v0/customers/${customer.id}/paymentMethods`)).data).toHaveLength(1);
    const invoices = await forEach(Array.from({ length: 24 }), (_, place) =>
      issue((customers[place % 2] as { customer: Resource }).customer),
    );
    const orders: Stripe.Event[][] = [];
    for (const [place, { id }] of invoices.entries()) {
      stripe.faults.plan('lost', 'POST', /payment_intents$/);
      const before = books.events.length;
      expect(await shop.act(`/v2/invoices/${id}/pay`)).toMatchObject({ status: 'ISSUED', paymentInFlight: true });
      const events = books.events.slice(before);
      expect(events).toHaveLength(4);
      orders.push(permutations(events)[place] as Stripe.Event[]);
    }
    await deliver(sideBySide(orders));
    expect(await standings()).toEqual(all(24, 'PAID'));
  });

  it('of a refund, whose answer was lost, are one refund in every order', async () => {
    const offered = await offer(6);
    await deliver([offered.flatMap(({ page }) => eventsOf(() => books.payPage(page)))]);
    const orders: Stripe.Event[][] = [];
    for (const [place, { invoice }] of offered.entries()) {
      stripe.faults.plan('lost', 'POST', /refunds$/);
      books.nextRefundStatus = 'pending';
      const before = books.events.length;
      await shop.create(`/v2/invoices/${invoice.id}/refunds`);
      const refund = [...books.refunds.keys()].at(-1) as string;
      books.finishRefund(refund, 'succeeded');
      const events = books.events.slice(before);
      expect(events.map(({ type }) => type)).toEqual(['refund.created', 'charge.refunded', 'refund.updated']);
      orders.push(permutations(events)[place] as Stripe.Event[]);
    }
    await deliver(sideBySide(orders));
    expect(books.refunds.size).toBe(6);
    for (const { invoice } of offered) {
      const { data } = await shop.read(`/v2/invoices/${invoice.id}/payments`);
      expect(data).toMatchObject([{ returnStatus: 'returned' }]);
      expect((await shop.read(`/v2/invoices/${invoice.id}/refunds`)).data).toHaveLength(1);
    }
  });
});

/** Stripe takes another amount, or another currency, than the requested one. */
const WRONG = [
  { what: 'less', change: { amount: 999, amount_received: 999 } },
  { what: 'more', change: { amount: 1001, amount_received: 1001 } },
  { what: 'another currency', change: { currency: 'eur' } },
] as const;

/** Changes a payment at Stripe, so every reading of it has the wrong amount. */
function falsify(intentId: string, change: object): void {
  const intent = books.intents.get(intentId) as Stripe.PaymentIntent;
  Object.assign(intent, change);
  const { amount, currency } = intent;
  Object.assign(books.charges.get(intent.latest_charge as string) as Stripe.Charge, { amount, currency });
  for (const session of books.sessions.values())
    if (session.payment_intent === intentId) Object.assign(session, { amount_total: amount, currency });
}

describe.each(WRONG)('money that is $what than was asked', { timeout: 120_000 }, ({ change }) => {
  it.each([
    { kind: 'checkout.session.completed', isLater: false },
    { kind: 'payment_intent.succeeded', isLater: false },
    { kind: 'checkout.session.async_payment_succeeded', isLater: true },
    { kind: 'payment_intent.succeeded', isLater: true },
  ])('marks nothing as paid by $kind (bank later: $isLater), and goes back once', async ({ kind, isLater }) => {
    const [{ invoice, page }] = (await offer(1)) as [Offered];
    if (isLater) await deliver([eventsOf(() => books.payPageLater(page))]);
    const events = eventsOf(() => (isLater ? books.completePage(page, true) : books.payPage(page)));
    falsify(books.sessions.get(page)?.payment_intent as string, change);
    await deliver([events.filter(({ type }) => type === kind), events, events.toReversed()]);
    expect(await shop.invoice(invoice.id)).toMatchObject({ status: 'ISSUED', paidAmount: '0.00' });
    expect(await standings()).toMatchObject([{ payments: 0, told: 0, strays: 1 }]);
    expect([...books.refunds.values()]).toMatchObject([{ status: 'succeeded' }]);
  });

  it('marks nothing as paid by a charge of a stored card', async () => {
    const customer = await shop.customer();
    const page = await leaveFor((await shop.create(`/v0/customers/${customer.id}/paymentMethods`)).id);
    await deliver([eventsOf(() => books.payPage(page))]);
    const invoice = await issue(customer);
    stripe.faults.plan('lost', 'POST', /payment_intents$/);
    const before = books.events.length;
    await shop.act(`/v2/invoices/${invoice.id}/pay`);
    falsify([...books.intents.keys()].at(-1) as string, change);
    await deliver([books.events.slice(before), books.events.slice(before)]);
    expect(await shop.invoice(invoice.id)).toMatchObject({
      status: 'PAYMENT_FAILED',
      paidAmount: '0.00',
      paymentInFlight: false,
    });
    expect(await standings()).toMatchObject([{ payments: 0, told: 0, strays: 1 }]);
    expect([...books.refunds.values()]).toMatchObject([{ status: 'succeeded' }]);
  });
});
