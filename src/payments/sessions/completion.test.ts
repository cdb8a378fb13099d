import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { rounds } from '../../../test/support/cases.ts';
import { sql } from '../../db/index.ts';
import { decimal } from '../../kernel/decimal.ts';
import { newId } from '../../kernel/ids.ts';
import { expireSessions } from '../index.ts';
import { openShop, type Shop, type Shopkeeper } from '../testing/shop.ts';

let shop: Shop;
let merchant: Shopkeeper;
beforeAll(async () => {
  shop = await openShop();
  merchant = await shop.merchant();
});
afterAll(() => shop.close());

const complete = (id: string, paymentMethod = 'pm_ok', headers: Record<string, string> = {}) =>
  merchant.post(`/v0/paymentSessions/${id}/complete`, { paymentMethod }, headers);
const receipts = (invoiceId: string) =>
  shop.inMerchant(merchant.id, (tx) =>
    tx.rows<{ id: string; amount: { toFixed(): string } }>(
      sql`select id, amount from payment_receipt where invoice_id = ${invoiceId}`,
    ),
  );

describe('completing a session', () => {
  it('takes the money once, writes a receipt, and tells upstream and the webhooks', async () => {
    const toy = await shop.toy(merchant);
    const session = await shop.open(merchant, toy, { entityLabel: 'INV-000001' });
    const answer = await complete(session.id);
    expect(answer).toMatchObject({
      status: 200,
      body: {
        object: 'paymentSession',
        id: session.id,
        mode: 'payment',
        entityType: 'invoice',
        entityId: toy,
        amount: '69.44',
        currency: 'USD',
        status: 'completed',
        failureReason: null,
        url: `https://pay.example/pay/${session.id}`,
        completedAt: '2026-03-01T12:00:00Z',
        paymentMethodId: null,
        provider: 'sandbox',
      },
    });
    const [receipt] = await receipts(toy);
    expect(receipt?.amount.toFixed()).toBe('69.44');
    expect(await shop.handlerCalls(merchant, toy)).toEqual([
      { entityId: toy, kind: 'completed', sessionId: session.id, receiptId: receipt?.id, detail: '69.44 USD' },
    ]);
    expect(await shop.published(merchant, session.id)).toEqual(['payment_session.completed.v0']);
  });

  it.each(['pm_ok', 'pm_declined'])('again, with %s, answers the same and does nothing', async (card) => {
    const toy = await shop.toy(merchant);
    const { id } = await shop.open(merchant, toy);
    const first = await complete(id);
    const second = await complete(id, card);
    expect(second).toMatchObject({ status: 200, body: first.body });
    expect(await shop.handlerCalls(merchant, toy)).toHaveLength(1);
    expect(await receipts(toy)).toHaveLength(1);
  });

  it('by twenty at once pays once', async () => {
    const toy = await shop.toy(merchant);
    const { id } = await shop.open(merchant, toy);
    const untilFree = async (): Promise<Awaited<ReturnType<typeof complete>>> => {
      const answer = await complete(id);
      return answer.status === 503 ? untilFree() : answer; // on a busy machine the lock of the first is held for 3 s
    };
    const answers = await Promise.all(Array.from({ length: 20 }, untilFree));
    expect([...new Set(answers.map(({ status, text }) => `${status} ${text}`))]).toHaveLength(1);
    expect(answers[0]?.status).toBe(200);
    expect((await shop.handlerCalls(merchant, toy)).map(({ kind }) => kind)).toEqual(['completed']);
    expect(await receipts(toy)).toHaveLength(1);
    expect((await shop.toyStatus(merchant, toy)).paid.toFixed()).toBe('69.44');
    expect(await shop.published(merchant, id)).toEqual(['payment_session.completed.v0']);
  });

  it('with an Idempotency-Key replays the first answer', async () => {
    const { id } = await shop.open(merchant, await shop.toy(merchant));
    const key = { 'idempotency-key': id };
    const first = await complete(id, 'pm_declined', key);
    const replay = await complete(id, 'pm_declined', key);
    expect(replay.text).toBe(first.text);
    expect(replay.headers['idempotent-replayed']).toBe('true');
    expect(await complete(id, 'pm_ok', key)).toMatchObject({ status: 409, body: { code: 'IDEMPOTENCY_KEY_REUSED' } });
  });
});

describe('a declined card', () => {
  it.each([
    { card: 'pm_declined', reason: 'card_declined' },
    { card: 'pm_insufficient_funds', reason: 'insufficient_funds' },
  ])('($card) leaves the session failed, and another card pays it', async ({ card, reason }) => {
    const toy = await shop.toy(merchant);
    const { id } = await shop.open(merchant, toy);
    expect(await complete(id, card)).toMatchObject({
      status: 200,
      body: { status: 'failed', failureReason: reason, completedAt: null },
    });
    expect(await receipts(toy)).toHaveLength(0);
    expect(await complete(id)).toMatchObject({ status: 200, body: { status: 'completed', failureReason: null } });
    expect(await shop.handlerCalls(merchant, toy)).toMatchObject([
      { kind: 'declined', detail: reason },
      { kind: 'completed', detail: '69.44 USD' },
    ]);
  });

  it('is declined as often as it is tried', async () => {
    const toy = await shop.toy(merchant);
    const { id } = await shop.open(merchant, toy);
    for (const _ of [1, 2, 3]) expect((await complete(id, 'pm_declined')).body.status).toBe('failed');
    expect(await shop.handlerCalls(merchant, toy)).toHaveLength(3);
  });

  it('does not keep the session from expiring', async () => {
    const toy = await shop.toy(merchant);
    const { id } = await shop.open(merchant, toy, { expiresAt: shop.now().add({ minutes: 1 }) });
    await complete(id, 'pm_declined');
    const before = shop.now();
    shop.setNow(before.add({ minutes: 1 }).toString());
    await shop.runDueWork();
    expect((await merchant.get(`/v0/paymentSessions/${id}`)).body).toMatchObject({ status: 'expired' });
    shop.setNow(before.toString());
  });
});

describe('what upstream refuses', () => {
  it.each([{}, { 'idempotency-key': 'refused' }])('leaves nothing behind (headers %j)', async (headers) => {
    const toy = await shop.toy(merchant);
    const { id } = await shop.open(merchant, toy, { savePaymentMethod: true });
    await shop.inMerchant(merchant.id, (tx) => tx.run(sql`update toy set status = 'cancelled' where id = ${toy}`));
    expect(await complete(id, 'pm_ok', headers)).toMatchObject({ status: 409, body: { code: 'INVALID_TRANSITION' } });
    expect((await merchant.get(`/v0/paymentSessions/${id}`)).body).toMatchObject({ status: 'pending' });
    expect(await receipts(toy)).toHaveLength(0);
    expect(await shop.handlerCalls(merchant, toy)).toEqual([]);
    expect((await merchant.get(`/v0/customers/${merchant.customerId}/paymentMethods`)).body.data).toEqual([]);
  });
});

describe('a session that is over', () => {
  it('cannot be paid from the instant on at which it expires, also before due work has said so', async () => {
    const toy = await shop.toy(merchant);
    const start = shop.now();
    const { id } = await shop.open(merchant, toy, { expiresAt: start.add({ minutes: 30 }) });
    const last = await shop.open(merchant, await shop.toy(merchant), { expiresAt: start.add({ minutes: 30 }) });
    shop.setNow(start.add({ minutes: 30 }).subtract({ microseconds: 1 }).toString());
    expect((await complete(last.id)).status).toBe(200);
    shop.setNow(start.add({ minutes: 30 }).toString());
    expect(await complete(id)).toMatchObject({
      status: 409,
      body: { error: 'conflict', code: 'PAYMENT_SESSION_EXPIRED' },
    });
    await shop.runDueWork();
    expect(await complete(id)).toMatchObject({ status: 409, body: { code: 'PAYMENT_SESSION_EXPIRED' } });
    expect(await shop.handlerCalls(merchant, toy)).toMatchObject([{ kind: 'expired', sessionId: id }]);
    expect(await shop.published(merchant, id)).toEqual(['payment_session.expired.v0']);
    expect((await merchant.get(`/v0/paymentSessions/${last.id}`)).body.status).toBe('completed');
    shop.setNow(start.toString());
  });

  it('expires by its own test clock, and is paid by its time', async () => {
    const clock = await merchant.post('/v0/testClocks', { currentTime: '2030-01-01T00:00:00Z' });
    const at = Temporal.Instant.from('2030-01-01T00:00:00Z');
    const opening = { clockId: clock.body.id as string, at, expiresAt: at.add({ hours: 1 }) };
    const [late, paid] = [await shop.toy(merchant), await shop.toy(merchant)];
    const sessions = { late: await shop.open(merchant, late, opening), paid: await shop.open(merchant, paid, opening) };
    await shop.runDueWork();
    expect((await complete(sessions.paid.id)).body).toMatchObject({ completedAt: '2030-01-01T00:00:00Z' });
    expect((await merchant.patch(`/v0/testClocks/${clock.body.id}`, { advanceBy: 'PT1H' })).status).toBe(200);
    expect((await merchant.get(`/v0/paymentSessions/${sessions.late.id}`)).body).toMatchObject({
      status: 'expired',
      updatedAt: '2030-01-01T01:00:00Z',
    });
    expect(await shop.handlerCalls(merchant, late)).toMatchObject([{ kind: 'expired' }]);
    expect(await shop.handlerCalls(merchant, paid)).toMatchObject([{ kind: 'completed' }]);
  });
});

describe('a session whose payment is on its way', () => {
  it('can be neither paid again, nor expired, nor replaced', async () => {
    const toy = await shop.toy(merchant);
    const { id } = await shop.open(merchant, toy);
    await shop.inMerchant(merchant.id, (tx) =>
      tx.run(sql`update payment_session set status = 'processing', next_action_at = null where id = ${id}`),
    );
    expect(await complete(id)).toMatchObject({ status: 409, body: { code: 'PAYMENT_IN_PROGRESS' } });
    expect(await merchant.post(`/v0/paymentSessions/${id}/expire`)).toMatchObject({
      status: 409,
      body: { code: 'INVALID_TRANSITION', details: { status: 'processing', trigger: 'expire' } },
    });
    await expect(shop.open(merchant, toy)).rejects.toMatchObject({ refusal: { code: 'PAYMENT_IN_PROGRESS' } });
    expect(await shop.inMerchant(merchant.id, (tx) => expireSessions(tx, toy, shop.now()))).toBe(0);
    expect(await receipts(toy)).toHaveLength(0);
  });
});

describe('a race', () => {
  it('between paying and expiring has exactly one outcome', async () => {
    const outcomes = new Set<string>();
    for (let round = 0; round < 60; round += 1) {
      const toy = await shop.toy(merchant);
      const { id } = await shop.open(merchant, toy);
      const expire = () => merchant.post(`/v0/paymentSessions/${id}/expire`);
      const pay = () => complete(id);
      const [paid, ended] = await Promise.all(round % 2 === 0 ? [pay(), expire()] : [expire(), pay()].toReversed());
      const told = (await shop.handlerCalls(merchant, toy)).map(({ kind }) => kind);
      const { status } = (await merchant.get(`/v0/paymentSessions/${id}`)).body;
      const toyStatus = (await shop.toyStatus(merchant, toy)).status;
      if (status === 'completed') {
        expect([told, toyStatus, paid?.status, ended?.status]).toEqual([['completed'], 'paid', 200, 409]);
        expect(ended?.body.code).toBe('INVALID_TRANSITION');
        expect(await receipts(toy)).toHaveLength(1);
      } else {
        expect([told, toyStatus, paid?.status, ended?.status]).toEqual([['expired'], 'cancelled', 409, 200]);
        expect(paid?.body.code).toBe('PAYMENT_SESSION_EXPIRED');
        expect(await receipts(toy)).toHaveLength(0);
      }
      outcomes.add(status);
    }
    expect(outcomes).toEqual(new Set(['completed', 'expired']));
  });

  it('between paying in the last moment and due work has exactly one outcome', async () => {
    const start = shop.now();
    for (let round = 0; round < rounds(8, 40); round += 1) {
      const toy = await shop.toy(merchant);
      const lastMoment = shop.now();
      const { id } = await shop.open(merchant, toy, { expiresAt: lastMoment.add({ seconds: 1 }) });
      shop.setNow(lastMoment.add({ seconds: 1 }).toString());
      const pay = () => shop.completeAt(merchant, id, 'pm_ok', lastMoment);
      const isWorkFirst = round % 2 === 0;
      const work = isWorkFirst ? shop.runDueWork() : null;
      const payment = pay();
      await (work ?? shop.runDueWork());
      const isPaid = (await payment).ok;
      const told = (await shop.handlerCalls(merchant, toy)).map(({ kind }) => kind);
      expect(told).toEqual([isPaid ? 'completed' : 'expired']);
      expect(await receipts(toy)).toHaveLength(isPaid ? 1 : 0);
      expect((await shop.toyStatus(merchant, toy)).status).toBe(isPaid ? 'paid' : 'cancelled');
    }
    shop.setNow(start.toString());
  });

  it('between paying and upstream that cancels, holding its own lock first, has exactly one outcome', async () => {
    for (let round = 0; round < 30; round += 1) {
      const toy = await shop.toy(merchant);
      const { id } = await shop.open(merchant, toy);
      const cancel = () =>
        shop.inMerchant(merchant.id, async (tx) => {
          const cancelled = await tx.run(
            sql`update toy set status = 'cancelled' where id = ${toy} and status = 'open'`,
          );
          return cancelled === 1 ? expireSessions(tx, toy, shop.now()) : null;
        });
      const [paid, expired] = await Promise.all([complete(id), cancel()]);
      const { status, paid: amount } = await shop.toyStatus(merchant, toy);
      expect([paid.status, expired, status, amount.toFixed()]).toEqual(
        paid.status === 200 ? [200, null, 'paid', '69.44'] : [409, 1, 'cancelled', '0'],
      );
    }
  });
});

describe('a session that may save the card', () => {
  it('stores it when the payment succeeds, not when it is declined', async () => {
    const buyer = await shop.merchant();
    const { id } = await shop.open(buyer, await shop.toy(buyer), { savePaymentMethod: true });
    const list = () => buyer.get(`/v0/customers/${buyer.customerId}/paymentMethods`);
    await buyer.post(`/v0/paymentSessions/${id}/complete`, { paymentMethod: 'pm_declined' });
    expect((await list()).body.data).toEqual([]);
    const paid = await buyer.post(`/v0/paymentSessions/${id}/complete`, { paymentMethod: 'pm_then_declined' });
    expect((await list()).body.data).toMatchObject([
      {
        id: paid.body.paymentMethodId,
        brand: 'mastercard',
        last4: '0341',
        expMonth: 12,
        expYear: 2030,
        isDefault: true,
      },
    ]);
  });
});

describe('amounts', () => {
  it.each([
    { amount: '1200', currency: 'JPY', shown: '1200' },
    { amount: '0.125', currency: 'KWD', shown: '0.125' },
    { amount: '4503599627370496.5', currency: 'USD', shown: '4503599627370496.50' },
  ])('$amount $currency is charged and shown exactly', async ({ amount, currency, shown }) => {
    const toy = await shop.toy(merchant);
    const { id } = await shop.open(merchant, toy, { amount: decimal(amount), currency });
    expect((await complete(id)).body).toMatchObject({ amount: shown, currency, status: 'completed' });
    expect((await shop.toyStatus(merchant, toy)).paid.eq(amount)).toBe(true);
  });
});

describe('the route', () => {
  it.each([
    { title: 'an unknown card', body: { paymentMethod: 'pm_gold' }, status: 400 },
    { title: 'no card', body: {}, status: 400 },
    { title: 'no body', body: undefined, status: 400 },
    { title: 'an unknown field', body: { paymentMethod: 'pm_ok', amount: '0.01' }, status: 400 },
  ])('answers $title with $status and changes nothing', async ({ body, status }) => {
    const { id } = await shop.open(merchant, await shop.toy(merchant));
    expect(await merchant.post(`/v0/paymentSessions/${id}/complete`, body)).toMatchObject({ status });
    expect((await merchant.get(`/v0/paymentSessions/${id}`)).body.status).toBe('pending');
  });

  it('answers an id that is no session with 404', async () => {
    expect((await complete(newId('paymentSession'))).status).toBe(404);
    expect((await complete('ps_')).status).toBe(404);
    expect((await complete(merchant.customerId)).status).toBe(404);
  });
});
