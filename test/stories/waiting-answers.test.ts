import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { jsonb, sql } from '../../src/db/index.ts';
import { FAKE_TOKENS, FakeProvider } from '../../src/payments/testing/fake-provider.ts';
import { expectBooksToBalance } from '../support/books.ts';
import { type CardsOutside, cardsOutside } from '../support/cards-outside.ts';
import { openTestEnvironment, type TestEnvironment } from '../support/environment.ts';
import { type Resource, START } from '../support/shop.ts';

/**
 * Answers of the API that need an external payment provider. They show its outcome, or the present state after a while.
 */
let env: TestEnvironment;
let provider: FakeProvider;
let cards: CardsOutside;
beforeAll(async () => {
  provider = new FakeProvider();
  env = await openTestEnvironment({ paymentProviders: [provider], outcomeMilliseconds: 1_000 });
});
beforeEach(async () => {
  cards = await cardsOutside(env, provider);
});
afterEach(async () => {
  provider.beforeAnswer = () => Promise.resolve();
  await expectBooksToBalance(env, cards.merchant);
});
afterAll(() => env.close());

const pay = ({ id }: Resource, key?: string) =>
  cards.merchant.post(`/v2/invoices/${id}/pay`, undefined, key === undefined ? {} : { 'idempotency-key': key });
const charges = ({ id }: Resource) => provider.calls.filter((call) => call.startsWith(`charge ${id}`));
/** The provider acts on the call, and its answer waits until the test releases it. */
function holdAnswers(): () => void {
  const { promise, resolve } = Promise.withResolvers<void>();
  provider.beforeAnswer = () => promise;
  return resolve;
}

/** Leaves a claim as a request leaves it that dies while it waits; by another key it is a twin of the first. */
const abandon = (key: string, as: string, intent: Record<string, string>) =>
  env.database.transaction({ merchants: [cards.merchant.id] }, (tx) =>
    tx.run(sql`
      insert into idempotency_key (merchant_id, route, key, fingerprint, created_at, intent, answer_due_at)
      select merchant_id, route, ${as}::text, fingerprint, created_at, ${jsonb(intent)}, created_at
        from idempotency_key where key = ${key}
      on conflict (merchant_id, route, key) do update
        set status = null, body = null, intent = excluded.intent, answer_due_at = excluded.answer_due_at`),
  );

describe('POST …/pay', () => {
  it.each([
    { token: FAKE_TOKENS.ok, shown: { status: 'PAID', paidAmount: '10.00', paymentInFlight: false } },
    { token: FAKE_TOKENS.declined, shown: { status: 'PAYMENT_FAILED', failureReason: 'card_declined' } },
    { token: FAKE_TOKENS.pending, shown: { status: 'ISSUED', paymentInFlight: true } },
  ])('answers with the outcome of $token: $shown.status', async ({ token, shown }) => {
    const invoice = await cards.issue(await cards.customerWith(token));
    expect(await pay(invoice)).toMatchObject({ status: 200, body: shown });
    expect(charges(invoice)).toEqual([`charge ${invoice.id}:1`]);
  });

  it('answers as things stand where the provider takes too long, and its outcome follows', async () => {
    const invoice = await cards.issue(await cards.customerWith());
    const release = holdAnswers();
    expect(await pay(invoice)).toMatchObject({ status: 200, body: { status: 'ISSUED', paymentInFlight: true } });
    expect(await pay(invoice)).toMatchObject({ status: 409, body: { code: 'PAYMENT_IN_PROGRESS' } });
    release();
    await env.runDueWork();
    expect(await cards.shop.invoice(invoice.id)).toMatchObject({ status: 'PAID', paymentInFlight: false });
    expect(await cards.payments(invoice)).toHaveLength(1);
  });

  it('answers as things stand where the answer is lost, and charges once', async () => {
    const invoice = await cards.issue(await cards.customerWith());
    provider.fault('charge', 'lost after');
    expect(await pay(invoice, 'lost')).toMatchObject({ status: 200, body: { paymentInFlight: true } });
    env.setNow('2026-01-01T00:01:00Z');
    await env.runDueWork();
    expect(await cards.shop.invoice(invoice.id)).toMatchObject({ status: 'PAID' });
    const replayed = await pay(invoice, 'lost');
    expect(replayed).toMatchObject({ status: 200, body: { status: 'ISSUED', paymentInFlight: true } });
    expect(charges(invoice)).toHaveLength(1);
  });

  it('replays the outcome', async () => {
    const invoice = await cards.issue(await cards.customerWith());
    const [first, twin] = await Promise.all([pay(invoice, 'twins'), pay(invoice, 'twins')]);
    expect(first.body).toMatchObject({ status: 'PAID' });
    expect(twin.text).toBe(first.text);
    expect(charges(invoice)).toHaveLength(1);
  });

  it('waits while another process makes the call', async () => {
    const invoice = await cards.issue(await cards.customerWith());
    const { promise: held, resolve: release } = Promise.withResolvers<void>();
    const { promise: called, resolve: call } = Promise.withResolvers<void>();
    provider.beforeAnswer = () => {
      call();
      return held;
    };
    const first = pay(invoice, 'first');
    await called;
    await abandon('first', 'second', { invoiceId: invoice.id });
    const second = pay(invoice, 'second');
    await sleep(200);
    release();
    expect((await second).body).toMatchObject({ status: 'PAID', paymentInFlight: false });
    expect((await second).text).toBe((await first).text);
    expect(charges(invoice)).toHaveLength(1);
  });

  it('that died between its intent and the answer is taken over by a retry, which looks the charge up', async () => {
    const invoice = await cards.issue(await cards.customerWith());
    provider.fault('charge', 'lost after');
    await pay(invoice, 'died');
    await abandon('died', 'died', { invoiceId: invoice.id });
    env.setNow('2026-01-01T00:00:41Z');
    expect(await pay(invoice, 'died')).toMatchObject({ status: 200, body: { status: 'PAID', paymentInFlight: false } });
    expect(charges(invoice)).toHaveLength(1);
    expect(await cards.payments(invoice)).toHaveLength(1);
  });
});

describe('POST /v0/subscriptions with a stored card', () => {
  const subscribe = async (customer: Resource) => {
    const { shop, merchant } = cards;
    const plan = await shop.plan([await shop.feePrice({ paymentTerm: 'in_advance' })]);
    const body = { name: 'Seats', planId: plan.id, customerId: customer.id, startedAt: START, autoCharge: true };
    return merchant.post('/v0/subscriptions', body, { 'idempotency-key': plan.id });
  };

  it.each([
    { token: FAKE_TOKENS.ok, status: 'active', payment: 'paid' },
    { token: FAKE_TOKENS.declined, status: 'pending_payment', payment: 'pending' },
  ])('answers $status where the provider answers $token', async ({ token, status, payment }) => {
    const answer = await subscribe(await cards.customerWith(token));
    expect(answer).toMatchObject({ status: 201, body: { status, payment: { status: payment } } });
    expect(charges({ id: answer.body.payment.invoiceId })).toHaveLength(1);
  });

  it('answers that it waits where the provider takes too long, and is active when it has answered', async () => {
    const customer = await cards.customerWith();
    const release = holdAnswers();
    const { status, body } = await subscribe(customer);
    expect([status, body.status, body.payment.status]).toEqual([201, 'pending_payment', 'pending']);
    release();
    await env.runDueWork();
    expect(await cards.shop.read(`/v0/subscriptions/${body.id}`)).toMatchObject({ status: 'active' });
  });
});

describe('POST …/refunds', () => {
  it('answers when the provider has sent the money back', async () => {
    const invoice = await cards.issue(await cards.customerWith());
    await pay(invoice);
    const refund = await cards.shop.create(`/v2/invoices/${invoice.id}/refunds`);
    expect(refund).toMatchObject({ total: '10.00', status: 'ISSUED' });
    expect(await cards.payments(invoice)).toMatchObject([{ returnStatus: 'returned' }]);
  });

  it('answers where the provider takes too long, and the money leaves once', async () => {
    const invoice = await cards.issue(await cards.customerWith());
    await pay(invoice);
    const release = holdAnswers();
    await cards.shop.create(`/v2/invoices/${invoice.id}/refunds`);
    expect(await cards.payments(invoice)).toMatchObject([{ returnStatus: 'requested' }]);
    release();
    await env.runDueWork();
    expect(await cards.payments(invoice)).toMatchObject([{ returnStatus: 'returned' }]);
    const [payment] = await cards.payments(invoice);
    expect(provider.refunds.filter(({ key }) => key === `return:${payment.id}`)).toHaveLength(1);
  });
});
