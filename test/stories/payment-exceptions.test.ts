import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { decimal } from '../../src/kernel/decimal.ts';
import { FakeProvider } from '../../src/payments/testing/fake-provider.ts';
import { expectBooksToBalance } from '../support/books.ts';
import { type CardsOutside, cardsOutside } from '../support/cards-outside.ts';
import { openTestEnvironment, type TestEnvironment } from '../support/environment.ts';

/** Money at a provider that needs a person is listed and counted, and a return by hand is recorded once. */
let env: TestEnvironment;
let provider: FakeProvider;
let cards: CardsOutside;
beforeAll(async () => {
  provider = new FakeProvider();
  env = await openTestEnvironment({ paymentProviders: [provider] });
});
beforeEach(async () => {
  cards = await cardsOutside(env, provider);
});
afterEach(() => expectBooksToBalance(env, cards.merchant));
afterAll(() => env.close());

const LATER = ['00:01', '00:05', '00:30', '02:00', '12:00'].map((time) => `2026-01-01T${time}:00Z`);
const NEXT_DAY = '2026-01-02T00:00:00Z';
const always = (count: number) => Array.from({ length: count }, () => 'lost before' as const);

async function runAt(...times: string[]): Promise<void> {
  for (const time of times) {
    env.setNow(time);
    await env.runDueWork();
  }
}
const metric = async (labels: string): Promise<string | undefined> => {
  const { text } = await env.client().get('/metrics');
  return text.split('\n').find((line) => line.startsWith(`reckoner_payment_exceptions{${labels}}`));
};
const markReturned = (id: string, body: object = {}) =>
  cards.merchant.post(`/v0/paymentExceptions/${id}/markReturned`, body);

it('a charge without an outcome after a day is listed and counted, until its outcome is known', async () => {
  const invoice = await cards.issue(await cards.customerWith());
  provider.fault('charge', 'lost after');
  provider.fault('findCharge', ...always(6));
  await cards.shop.act(`/v2/invoices/${invoice.id}/pay`);
  await runAt(...LATER);
  expect(await cards.exceptions()).toEqual([]);
  await runAt(NEXT_DAY);
  expect(await cards.exceptions()).toMatchObject([
    {
      object: 'payment_exception',
      id: `${invoice.id}:1`,
      kind: 'charge',
      status: 'unresolved',
      invoiceId: invoice.id,
      amount: '10.00',
      currency: 'USD',
      provider: 'stripe',
      nextActionAt: '2026-01-03T00:00:00Z',
    },
  ]);
  expect(await metric('kind="charge",status="unresolved"')).toMatch(/ 1$/);
  await runAt('2026-01-03T00:00:00Z');
  expect(await cards.shop.invoice(invoice.id)).toMatchObject({ status: 'PAID' });
  expect(await cards.exceptions()).toEqual([]);
  expect(await metric('kind="charge",status="unresolved"')).toMatch(/ 0$/);
});

describe('a refund', () => {
  const refund = async () => {
    const invoice = await cards.issue(await cards.customerWith());
    await cards.shop.act(`/v2/invoices/${invoice.id}/pay`);
    await cards.shop.create(`/v2/invoices/${invoice.id}/refunds`);
    const [payment] = await cards.payments(invoice);
    return { invoice, payment };
  };

  it('without an outcome after a day is listed, and leaves the list with its outcome', async () => {
    provider.fault('refund', 'lost after');
    provider.fault('findRefund', ...always(6));
    const { payment } = await refund();
    await runAt(...LATER, NEXT_DAY);
    expect(await cards.exceptions()).toMatchObject([{ id: payment.id, kind: 'refund', status: 'unresolved' }]);
    expect(await markReturned(payment.id)).toMatchObject({ status: 409, body: { code: 'INVALID_TRANSITION' } });
    await runAt('2026-01-03T00:00:00Z');
    expect(await cards.exceptions()).toEqual([]);
  });

  it('that the provider never got is for the merchant to make, who says so once', async () => {
    provider.fault('refund', 'lost before');
    provider.fault('findRefund', ...always(6));
    const { invoice, payment } = await refund();
    await runAt(...LATER, NEXT_DAY, '2026-01-03T00:00:00Z');
    expect(await cards.exceptions()).toMatchObject([{ id: payment.id, kind: 'refund', status: 'manual' }]);
    expect(await metric('kind="refund",status="manual"')).toMatch(/ 1$/);
    expect(await markReturned(payment.id, { returnedAt: '2026-01-09T00:00:00Z' })).toMatchObject({ status: 400 });
    const body = { reference: 'SEPA 7', returnedAt: '2026-01-02T12:00:00Z' };
    expect(await markReturned(payment.id, body)).toMatchObject({
      status: 200,
      body: { id: payment.id, kind: 'refund', status: 'returned', returnReference: 'SEPA 7', ...{ amount: '10.00' } },
    });
    expect(await cards.payments(invoice)).toMatchObject([{ returnStatus: 'returned', returnReference: 'SEPA 7' }]);
    expect(await markReturned(payment.id, body)).toMatchObject({ status: 409, body: { code: 'INVALID_TRANSITION' } });
    expect(await cards.exceptions()).toEqual([]);
  });
});

it('an unmatched payment that the provider could not send back is marked as returned by hand, once', async () => {
  const invoice = await cards.issue(await cards.shop.customer());
  provider.pay(await cards.leaveFor(invoice.paymentUrl.split('/').at(-1)), { amount: decimal('11') });
  provider.fault('refund', 'rejected');
  await cards.tell(provider.notices.slice(-1));
  await env.runDueWork();
  const [payment, ...others] = await cards.exceptions();
  expect(others).toEqual([]);
  expect(payment).toMatchObject({
    kind: 'strayPayment',
    status: 'manual',
    reason: 'differs',
    amount: '11.00',
    invoiceId: invoice.id,
    nextActionAt: null,
  });
  const other = await env.merchant();
  expect(await other.post(`/v0/paymentExceptions/${payment.id}/markReturned`)).toMatchObject({ status: 403 });
  expect(await markReturned(payment.id, { reference: 'by bank' })).toMatchObject({
    status: 200,
    body: { status: 'returned', returnReference: 'by bank', returnedAt: '2026-01-01T00:00:00Z' },
  });
  expect(await markReturned(payment.id)).toMatchObject({ status: 409, body: { code: 'INVALID_TRANSITION' } });
  expect(await cards.exceptions()).toEqual([]);
  expect(provider.refunds.filter(({ key }) => key === `return:${payment.id}`)).toEqual([]);
});

it('a notice that cannot be read for a day is listed with the reason, tried daily, and gone when it was read', async () => {
  const invoice = await cards.issue(await cards.shop.customer());
  provider.pay(await cards.leaveFor(invoice.paymentUrl.split('/').at(-1)));
  const notice = provider.notices.at(-1) as (typeof provider.notices)[number];
  provider.fault('resolve', ...always(7));
  await cards.tell([notice]);
  await runAt('2026-01-01T00:00:00Z', ...LATER, NEXT_DAY);
  expect(await cards.exceptions()).toMatchObject([
    {
      id: `stripe:${notice.id}`,
      kind: 'notice',
      status: 'failed',
      amount: null,
      providerReference: notice.objectReference,
      reason: 'ProviderAway: The connection was lost.',
      nextActionAt: '2026-01-03T00:00:00Z',
    },
  ]);
  expect(await metric('kind="notice",status="failed"')).toMatch(/ 1$/);
  await runAt('2026-01-03T00:00:00Z');
  expect(await cards.exceptions()).toEqual([]);
  expect(await cards.shop.invoice(invoice.id)).toMatchObject({ status: 'PAID' });
});
