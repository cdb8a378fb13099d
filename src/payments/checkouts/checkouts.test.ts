import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { rounds } from '../../../test/support/cases.ts';
import { sql } from '../../db/index.ts';
import { decimal } from '../../kernel/decimal.ts';
import { openShop, type Shop, type Shopkeeper } from '../testing/shop.ts';
import { recordCheckoutState } from './checkouts.ts';

const FORM = { 'content-type': 'application/x-www-form-urlencoded' };

let shop: Shop;
let merchant: Shopkeeper;
beforeAll(async () => {
  shop = await openShop();
  merchant = await shop.merchant();
});
afterAll(() => shop.close());

const NOW = '2026-03-01T12:00:00Z';

/** A toy with a session that is paid at the provider. */
async function offered(more: Record<string, unknown> = {}) {
  const toy = await shop.toy(merchant);
  const session = await shop.open(merchant, toy, { provider: 'stripe', ...more });
  return { toy, session };
}
const press = (id: string) => shop.nobody.post(`/pay/${id}`, '', FORM);
/** The page to which pressing the button leads. */
const pageAfter = async (id: string) => (await shop.nobody.get(`/pay/${(await press(id)).headers.location}`)).text;
const comeBack = (id: string) => shop.nobody.get(`/pay/${id}/return`);
const show = async (id: string) => (await merchant.get(`/v0/paymentSessions/${id}`)).body;
/** Presses the button. @returns the provider's reference of its page */
async function leaveFor(id: string): Promise<string> {
  const { status, headers } = await press(id);
  expect(status).toBe(303);
  return String(headers.location).split('/').at(-1) as string;
}
const unmatched = (id: string) =>
  shop.inMerchant(merchant.id, (tx) =>
    tx.rows<{ amount: string; currency: string; reason: string; status: string }>(sql`
      select amount::text, currency, reason, return_status as status from stray_payment where session_id = ${id}`),
  );
const kinds = async (toy: string) => (await shop.handlerCalls(merchant, toy)).map(({ kind }) => kind);
/** The balance of an account of the merchant. */
const balance = (account: string, currency: string) =>
  shop.inMerchant(merchant.id, async (tx) => {
    const { total } = await tx.one<{ total: string }>(sql`
      select trim_scale(coalesce(sum(amount), 0))::text as total from ledger_entry
       where merchant_id = ${merchant.id} and account = ${account} and currency = ${currency}`);
    return total;
  });
const deliver = (notice: object, headers: Record<string, string> = { 'fake-signature': 'fake webhook secret' }) =>
  shop.nobody.post(`/v0/providers/stripe/webhooks/${merchant.id}`, JSON.stringify(notice), {
    'content-type': 'application/json',
    ...headers,
  });

describe('a session of a provider outside', () => {
  it('is paid on the provider’s page, and completed when the customer comes back', async () => {
    const { toy, session } = await offered({ successRedirectUrl: 'https://shop.example/thanks' });
    const reference = await leaveFor(session.id);
    expect((await show(session.id)).status).toBe('pending');
    shop.provider.pay(reference);
    const { status, headers } = await comeBack(session.id);
    expect([status, headers.location]).toEqual([303, 'https://shop.example/thanks']);
    expect(await show(session.id)).toMatchObject({ status: 'completed', provider: 'stripe' });
    expect(await kinds(toy)).toEqual(['completed']);
  });

  it('opens one page, however often the button is pressed', async () => {
    const { session } = await offered();
    const references = await Promise.all(Array.from({ length: 5 }, () => leaveFor(session.id)));
    expect(new Set(references).size).toBe(1);
  });

  it('opens the same page where the answer was lost', async () => {
    const { session } = await offered();
    shop.provider.fault('openCheckout', 'lost after');
    expect(await pageAfter(session.id)).toContain('does not answer');
    await leaveFor(session.id);
    const own = shop.provider.calls.filter((call) => call.startsWith(`openCheckout ${session.id}`));
    expect(new Set(own)).toEqual(new Set([`openCheckout ${session.id}:1`]));
  });

  it('is completed by due work where no notice comes and nobody comes back', async () => {
    const { toy, session } = await offered();
    shop.provider.pay(await leaveFor(session.id));
    shop.setNow('2026-03-01T12:01:00Z');
    await shop.runDueWork();
    shop.setNow(NOW);
    expect(await kinds(toy)).toEqual(['completed']);
  });

  it('is not completed with a test card', async () => {
    const { session } = await offered();
    const answer = await merchant.post(`/v0/paymentSessions/${session.id}/complete`, { paymentMethod: 'pm_ok' });
    expect(answer).toMatchObject({ status: 409, body: { code: 'PAID_AT_PROVIDER' } });
  });

  it('waits while the bank takes its time, and can be paid anew when it refuses', async () => {
    const { toy, session } = await offered();
    const reference = await leaveFor(session.id);
    shop.provider.process(reference);
    await comeBack(session.id);
    expect((await show(session.id)).status).toBe('processing');
    expect(await pageAfter(session.id)).not.toContain('<button');
    shop.provider.failLater(reference, 'insufficient_funds');
    await comeBack(session.id);
    expect(await show(session.id)).toMatchObject({ status: 'failed', failureReason: 'insufficient_funds' });
    shop.provider.pay(await leaveFor(session.id));
    await comeBack(session.id);
    expect(await kinds(toy)).toEqual(['declined', 'completed']);
  });

  it('stores the card where the session keeps it', async () => {
    const { session } = await offered({ savePaymentMethod: true });
    shop.provider.pay(await leaveFor(session.id));
    await comeBack(session.id);
    const { paymentMethodId } = await show(session.id);
    const { body } = await merchant.get(`/v0/customers/${merchant.customerId}/paymentMethods`);
    expect(body.data).toContainEqual(expect.objectContaining({ id: paymentMethodId, last4: '4242' }));
  });
});

describe('a notice', () => {
  it.each([
    { what: 'without a signature', headers: {} },
    { what: 'with another one', headers: { 'fake-signature': 'forged' } },
  ])('$what is a 401, and nothing is stored', async ({ headers }) => {
    const notice = { id: `evt_${randomUUID()}`, kind: 'checkout', objectReference: 'cs_1' };
    expect(await deliver(notice, headers)).toMatchObject({ status: 401, body: { code: 'PROVIDER_SIGNATURE_INVALID' } });
    const count = await shop.inMerchant(merchant.id, (tx) =>
      tx.rows(sql`select 1 from provider_notice where event_id = ${notice.id}`),
    );
    expect(count).toEqual([]);
  });

  it('in any order, number and delay makes one payment', async () => {
    const { toy, session } = await offered();
    const reference = await leaveFor(session.id);
    const from = shop.provider.notices.length;
    shop.provider.process(reference);
    shop.provider.pay(reference);
    const told = shop.provider.notices.slice(from);
    for (const notice of [...told.toReversed(), ...told, ...told]) {
      expect((await deliver(notice)).status).toBe(200);
      await shop.runDueWork();
    }
    await Promise.all([shop.runDueWork(), comeBack(session.id), comeBack(session.id)]);
    expect(await kinds(toy)).toEqual(['completed']);
    expect(await unmatched(session.id)).toEqual([]);
    expect(await shop.published(merchant, session.id)).toEqual(['payment_session.completed.v0']);
  });
});

describe('money that pays nothing', () => {
  it.each([
    { what: 'less than was asked', taken: { amount: decimal('69.43') } },
    { what: 'more than was asked', taken: { amount: decimal('70') } },
    { what: 'in another currency', taken: { currency: 'EUR' } },
  ])('($what) leaves the session open and goes back once', async ({ taken }) => {
    const { toy, session } = await offered();
    shop.provider.pay(await leaveFor(session.id), taken);
    await comeBack(session.id);
    await shop.runDueWork();
    expect((await shop.toyStatus(merchant, toy)).status).toBe('open');
    expect(await unmatched(session.id)).toMatchObject([{ reason: 'differs', status: 'returned' }]);
    const refund = shop.provider.refunds.at(-1);
    expect([refund?.amount.toFixed(), refund?.currency]).toEqual([
      (taken.amount ?? decimal('69.44')).toFixed(),
      taken.currency ?? 'USD',
    ]);
    expect(await balance('refunds_payable', taken.currency ?? 'USD')).toBe('0');
  });

  it('comes too late: the page is ended with its session, and what was paid on it goes back', async () => {
    const { toy, session } = await offered();
    const reference = await leaveFor(session.id);
    await merchant.post(`/v0/paymentSessions/${session.id}/expire`);
    shop.provider.pay(reference);
    await shop.runDueWork();
    expect((await shop.toyStatus(merchant, toy)).status).toBe('cancelled');
    expect(await kinds(toy)).toEqual(['expired']);
    expect(await unmatched(session.id)).toEqual([
      { amount: '69.44', currency: 'USD', reason: 'too_late', status: 'returned' },
    ]);
  });

  it('does not come where the page is ended first', async () => {
    const { session } = await offered();
    const reference = await leaveFor(session.id);
    await merchant.post(`/v0/paymentSessions/${session.id}/expire`);
    await shop.runDueWork();
    expect(() => shop.provider.pay(reference)).toThrow('The page is over.');
    expect(await unmatched(session.id)).toEqual([]);
  });

  it('goes back once although the provider’s answer was lost', async () => {
    const { session } = await offered();
    const before = shop.provider.refunds.length;
    shop.provider.pay(await leaveFor(session.id), { currency: 'EUR' });
    shop.provider.fault('refund', 'lost after');
    await comeBack(session.id);
    await shop.runDueWork();
    expect(await unmatched(session.id)).toMatchObject([{ status: 'requested' }]);
    shop.setNow('2026-03-01T12:01:00Z');
    await shop.runDueWork();
    shop.setNow(NOW);
    expect(await unmatched(session.id)).toMatchObject([{ status: 'returned' }]);
    expect(shop.provider.refunds).toHaveLength(before + 1);
  });
});

it('of paying and expiring at one instant exactly one happens, and money that is too late goes back', {
  timeout: 120_000,
}, async () => {
  const all = Array.from({ length: rounds(100, 800) }, (_, round) => round);
  const queue = all.values();
  const results = { paid: 0, returned: 0 };
  const play = async (round: number) => {
    const { toy, session } = await offered();
    const reference = await leaveFor(session.id);
    shop.provider.pay(reference);
    const state = await shop.provider.readCheckout({} as never, reference);
    const record = () =>
      recordCheckoutState(shop.dependencies, { merchantId: merchant.id, id: `${session.id}:1` }, state);
    const expire = () => merchant.post(`/v0/paymentSessions/${session.id}/expire`);
    const works = round % 2 === 0 ? [record, expire, record] : [expire, record, record];
    await Promise.all(works.map((work) => work()));
    const { status } = await shop.toyStatus(merchant, toy);
    const returned = (await unmatched(session.id)).length;
    expect([await kinds(toy), returned]).toEqual(status === 'paid' ? [['completed'], 0] : [['expired'], 1]);
    results[status === 'paid' ? 'paid' : 'returned'] += 1;
  };
  const lane = async () => {
    for (const round of queue) await play(round);
  };
  await Promise.all(Array.from({ length: 5 }, lane));
  expect(results.paid + results.returned).toBe(all.length);
});
