import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { sql } from '../../src/db/index.ts';
import { FakeProvider } from '../../src/payments/testing/fake-provider.ts';
import { expectBooksToBalance } from '../support/books.ts';
import { type CardsOutside, cardsOutside } from '../support/cards-outside.ts';
import { openTestEnvironment, type TestEnvironment } from '../support/environment.ts';
import { immortal, Life, MortalDatabase } from '../support/mortal-database.ts';
import { type Resource, START } from '../support/shop.ts';

/**
 * A process is killed before any statement of a request that calls a provider, or around a commit: between the intent,
 * the call and the outcome. The caller retries under the same key, and another process continues. Money moves once, and
 * has one outcome (reliability I-37, I-40, I-43).
 */
const life = new Life();
let provider: FakeProvider;
let env: TestEnvironment;
let cards: CardsOutside;
let customer: Resource;
beforeAll(async () => {
  provider = new FakeProvider();
  env = await openTestEnvironment({
    paymentProviders: [provider],
    openDatabase: (options) => new MortalDatabase(options, life),
    outcomeMilliseconds: 2_000,
  });
  cards = await cardsOutside(env, provider);
  customer = await cards.customerWith();
});
afterEach(() => expectBooksToBalance(env, cards.merchant));
afterAll(() => env.close());

/** Longer than a claim waits for its own request. */
const RETRIED_AT = '2026-01-01T00:00:41Z';
const LOOKED_UP_AT = '2026-01-01T00:06:00Z';
const MOST_PLACES = 300;
/** Most statements of a new subscription do not concern its charge; each place takes a quarter of a second. */
const SUBSCRIPTION_STRIDE = 5;

interface Request {
  readonly path: string;
  readonly body?: unknown;
}

/**
 * Makes a request again and again, killed `stride` places later each time, and retries it, until no place is left.
 * @returns how often it was killed
 */
async function killEverywhere<Thing>(
  stride: number,
  prepare: () => Promise<{ thing: Thing; request: Request }>,
  check: (thing: Thing, answer: Resource) => Promise<void>,
): Promise<number> {
  for (let place = 0; place < MOST_PLACES; place += stride) {
    env.setNow(START);
    const { thing, request } = await prepare();
    const post = () =>
      cards.merchant.post(request.path, request.body, { 'idempotency-key': `${request.path} ${place}` });
    let passed = 0;
    life.begin(() => {
      passed += 1;
      return passed > place;
    });
    await post();
    const { isOver: wasKilled } = life;
    life.begin(immortal);
    env.setNow(RETRIED_AT);
    const answer = await post();
    env.setNow(LOOKED_UP_AT);
    await env.runDueWork();
    expect(answer.status, `killed at ${place}: ${answer.text}`).toBeLessThan(300);
    await check(thing, answer.body);
    if (!wasKilled) return place / stride;
  }
  throw new Error('The request does not come to its end.');
}

const toldPaid = async (invoiceId: string): Promise<number> => {
  const { count } = await env.database.transaction({ merchants: [cards.merchant.id] }, (tx) =>
    tx.one<{ count: number }>(sql`
      select count(*)::int as count from outbox where type = 'invoice.paid.v0' and data->>'invoiceId' = ${invoiceId}`),
  );
  return count;
};

async function expectPaidOnce(id: string): Promise<void> {
  expect(await cards.shop.invoice(id)).toMatchObject({ status: 'PAID', paymentInFlight: false });
  expect(await cards.payments({ id })).toHaveLength(1);
  expect(provider.acceptedKeys.filter((key) => key.startsWith(id))).toEqual([`${id}:1`]);
  expect(await toldPaid(id)).toBe(1);
}

describe('a process that is killed anywhere', { timeout: 120_000 }, () => {
  it('in POST …/pay charges once, and the retry answers PAID', async () => {
    const kills = await killEverywhere(
      1,
      async () => {
        const invoice = await cards.issue(customer);
        return { thing: invoice, request: { path: `/v2/invoices/${invoice.id}/pay` } };
      },
      async ({ id }, answer) => {
        expect(answer).toMatchObject({ id, status: 'PAID' });
        await expectPaidOnce(id);
      },
    );
    expect(kills).toBeGreaterThan(20);
  });

  it('in POST /v0/subscriptions makes one subscription, which is paid once and active', async () => {
    const plan = await cards.shop.plan([await cards.shop.feePrice({ paymentTerm: 'in_advance' })]);
    let number = 0;
    const kills = await killEverywhere(
      SUBSCRIPTION_STRIDE,
      async () => {
        number += 1;
        const name = `Subscription ${number} of ${plan.id}`;
        const body = { name, planId: plan.id, customerId: customer.id, startedAt: START, autoCharge: true };
        return { thing: name, request: { path: '/v0/subscriptions', body } };
      },
      async (name, { id, payment }) => {
        expect(await cards.shop.read(`/v0/subscriptions/${id}`)).toMatchObject({ status: 'active', name });
        const { pagination } = await cards.shop.read(`/v0/subscriptions?planId=${plan.id}`);
        expect(pagination.total).toBe(number);
        await expectPaidOnce(payment.invoiceId);
      },
    );
    expect(kills).toBeGreaterThan(20);
  });

  it('in POST …/refunds sends the money back once, by one credit note', async () => {
    const kills = await killEverywhere(
      1,
      async () => {
        const invoice = await cards.issue(customer);
        await cards.shop.act(`/v2/invoices/${invoice.id}/pay`);
        return { thing: invoice, request: { path: `/v2/invoices/${invoice.id}/refunds` } };
      },
      async (invoice) => {
        const [payment] = await cards.payments(invoice);
        expect(payment).toMatchObject({ returnStatus: 'returned' });
        expect(provider.refunds.filter(({ key }) => key === `return:${payment.id}`)).toHaveLength(1);
        expect((await cards.shop.read(`/v2/invoices/${invoice.id}/refunds`)).data).toHaveLength(1);
      },
    );
    expect(kills).toBeGreaterThan(20);
  });
});
