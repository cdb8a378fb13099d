import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { openShop, type Shop, type Shopkeeper } from '../testing/shop.ts';

const NOW = '2026-03-01T12:00:00Z';

let shop: Shop;
let merchant: Shopkeeper;
beforeAll(async () => {
  shop = await openShop();
  merchant = await shop.merchant();
});
beforeEach(() => shop.setNow(NOW));
afterAll(() => shop.close());

async function offered(more: Record<string, unknown> = {}) {
  const toy = await shop.toy(merchant);
  return { toy, id: (await shop.open(merchant, toy, more)).id };
}
const complete = async (id: string, paymentMethod: string) =>
  (await merchant.post(`/v0/paymentSessions/${id}/complete`, { paymentMethod })).body;
const show = async (id: string) => (await merchant.get(`/v0/paymentSessions/${id}`)).body;
const kinds = async (toy: string) => (await shop.handlerCalls(merchant, toy)).map(({ kind }) => kind);
const later = async (seconds: number) => {
  shop.setNow(Temporal.Instant.from(NOW).add({ seconds }).toString());
  await shop.runDueWork();
};

describe('a bank that takes its time', () => {
  it.each([
    { card: 'pm_slow', status: 'completed', reason: null, told: ['completed'] },
    { card: 'pm_slow_declined', status: 'failed', reason: 'card_declined', told: ['declined'] },
  ])('answers $card after 30 seconds: $status', async ({ card, status, reason, told }) => {
    const { toy, id } = await offered();
    expect(await complete(id, card)).toMatchObject({ status: 'processing', completedAt: null });
    expect(await complete(id, 'pm_ok')).toMatchObject({ code: 'PAYMENT_IN_PROGRESS' });
    expect(await merchant.post(`/v0/paymentSessions/${id}/expire`)).toMatchObject({ status: 409 });
    await later(29);
    expect((await show(id)).status).toBe('processing');
    await later(30);
    expect(await show(id)).toMatchObject({ status, failureReason: reason });
    expect(await kinds(toy)).toEqual(told);
  });

  it('is waited for beyond the end of the session', async () => {
    const { id } = await offered({ expiresAt: Temporal.Instant.from(NOW).add({ seconds: 10 }) });
    await complete(id, 'pm_slow');
    await later(30);
    expect((await show(id)).status).toBe('completed');
  });
});

describe('a bank that asks the customer to confirm', () => {
  it.each([
    { what: 'confirms', sent: 'pm_3ds', status: 'completed', reason: null },
    { what: 'refuses', sent: 'pm_declined', status: 'failed', reason: 'authentication_required' },
  ])('takes the payment where the customer $what: $status', async ({ sent, status, reason }) => {
    const { id } = await offered();
    expect((await complete(id, 'pm_3ds')).status).toBe('processing');
    expect(await complete(id, sent)).toMatchObject({ status, failureReason: reason });
  });

  it('is refused where the customer does nothing for 15 minutes, and another card may pay', async () => {
    const { toy, id } = await offered();
    await complete(id, 'pm_3ds');
    await later(15 * 60);
    expect(await show(id)).toMatchObject({ status: 'failed', failureReason: 'authentication_required' });
    expect((await complete(id, 'pm_ok')).status).toBe('completed');
    expect(await kinds(toy)).toEqual(['declined', 'completed']);
  });

  it('asks on the hosted page', async () => {
    const { id } = await offered();
    const send = (card: string) =>
      shop.nobody.post(`/pay/${id}`, `paymentMethod=${card}`, { 'content-type': 'application/x-www-form-urlencoded' });
    expect((await send('pm_3ds')).status).toBe(303);
    expect((await shop.nobody.get(`/pay/${id}`)).text).toContain('Confirm this payment');
    expect((await send('pm_3ds')).status).toBe(303);
    expect((await shop.nobody.get(`/pay/${id}`)).text).toContain('Payment received');
  });
});
