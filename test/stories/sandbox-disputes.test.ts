import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { type Merchant, openTestEnvironment, sharedEnvironment, type TestEnvironment } from '../support/environment.ts';
import { type Resource, type Shop, shopOf } from '../support/shop.ts';

let env: TestEnvironment;
let merchant: Merchant;
let shop: Shop;
beforeAll(async () => {
  env = await sharedEnvironment();
  merchant = await env.merchant();
  shop = shopOf(merchant);
});
afterAll(() => env.close());

const paymentOf = async (invoice: Resource) => (await shop.read(`/v2/invoices/${invoice.id}/payments`)).data[0];
const decide = (payment: Resource, outcome: unknown) =>
  merchant.post(`/v0/payments/${payment.id}/dispute`, { outcome });

/** An invoice over 12.00 that a card paid; the clock stands at the payment. */
async function sold(card: string): Promise<{ clock: Resource; invoice: Resource; payment: Resource }> {
  const { clock, invoice } = await shop.issued();
  await shop.pay(invoice, card);
  return { clock, invoice, payment: await paymentOf(invoice) };
}

// pm_disputed of api.md (POST complete).
describe('a payment by pm_disputed', () => {
  it('is paid, and disputed as a whole a day later, not before', async () => {
    const { clock, invoice, payment } = await sold('pm_disputed');
    expect(await shop.invoice(invoice.id)).toMatchObject({ status: 'PAID' });
    expect(payment).toMatchObject({ amount: '12.00', dispute: null });
    await shop.advance(clock, 'PT23H59M');
    expect((await paymentOf(invoice)).dispute).toBeNull();
    expect((await decide(payment, 'won')).body).toMatchObject({ code: 'INVALID_TRANSITION' });
    await shop.advance(clock, 'PT1M');
    expect(await paymentOf(invoice)).toMatchObject({ dispute: { status: 'open', amount: '12.00' } });
    expect((await merchant.post(`/v2/invoices/${invoice.id}/refunds`, {})).body).toMatchObject({
      code: 'PAYMENT_DISPUTED',
    });
  });

  it.each([
    { outcome: 'won', refund: 'returned' },
    { outcome: 'lost', refund: 'none' },
  ])('whose dispute is $outcome has its money $refund by a refund', async ({ outcome, refund }) => {
    const { clock, invoice, payment } = await sold('pm_disputed');
    await shop.advance(clock, 'P1D');
    const decided = await decide(payment, outcome);
    expect(decided.status, decided.text).toBe(200);
    expect(decided.body).toMatchObject({ paymentId: payment.id, amount: '12.00', currency: 'USD', status: outcome });
    for (const again of ['won', 'lost'])
      expect(await decide(payment, again)).toMatchObject({ status: 409, body: { code: 'INVALID_TRANSITION' } });
    await shop.create(`/v2/invoices/${invoice.id}/refunds`);
    await shop.advance(clock, 'P1D');
    expect(await paymentOf(invoice)).toMatchObject({ dispute: { status: outcome }, returnStatus: refund });
  });

  it('is decided once where both outcomes are asked for at the same time', async () => {
    const { clock, payment } = await sold('pm_disputed');
    await shop.advance(clock, 'P1D');
    const both = await Promise.all(['won', 'lost', 'won', 'lost'].map((outcome) => decide(payment, outcome)));
    expect(both.map(({ status }) => status).toSorted()).toEqual([200, 409, 409, 409]);
  });
});

describe('the decision of a dispute', () => {
  it('of a payment that is not disputed is a 409', async () => {
    const { clock, payment } = await sold('pm_ok');
    await shop.advance(clock, 'P2D');
    expect(await decide(payment, 'won')).toMatchObject({ status: 409, body: { code: 'INVALID_TRANSITION' } });
  });

  it.each([{ outcome: 'drawn' }, { outcome: 1 }, { outcome: null }, {}])('%j is a 400', async (body) => {
    const { payment } = await sold('pm_ok');
    expect((await merchant.post(`/v0/payments/${payment.id}/dispute`, body)).status).toBe(400);
  });

  it('of another merchant is a 403, of nobody a 404', async () => {
    const { payment } = await sold('pm_ok');
    const other = await env.merchant();
    const foreign = await other.post(`/v0/payments/${payment.id}/dispute`, { outcome: 'won' });
    expect(foreign.status).toBe(403);
    expect((await decide({ id: 'pay_0000000000000000' }, 'won')).status).toBe(404);
  });
});

it('a payment that was refunded before its dispute opens leaves once: the dispute stays an inquiry', async () => {
  const { clock, invoice, payment } = await sold('pm_disputed');
  await shop.create(`/v2/invoices/${invoice.id}/refunds`);
  await shop.advance(clock, 'P3D');
  expect(await paymentOf(invoice)).toMatchObject({ returnStatus: 'returned', dispute: { status: 'inquiry' } });
  expect(await decide(payment, 'lost')).toMatchObject({ status: 409, body: { code: 'INVALID_TRANSITION' } });
});

it('the payment of a link is disputed by wall time, and decided by the id of the link', async () => {
  const own = await openTestEnvironment();
  onTestFinished(() => own.close());
  own.setNow('2026-01-01T12:00:00Z');
  const seller = await own.merchant();
  const link = (await seller.post('/v0/payments', { amount: '5', currency: 'USD' })).body;
  const session = link.paymentUrl.split('/').at(-1);
  await seller.post(`/v0/paymentSessions/${session}/complete`, { paymentMethod: 'pm_disputed' });
  const decideLink = () => seller.post(`/v0/payments/${link.id}/dispute`, { outcome: 'lost' });
  own.setNow('2026-01-02T11:59:59Z');
  await own.runDueWork();
  expect((await decideLink()).status).toBe(409);
  own.setNow('2026-01-02T12:00:00Z');
  await own.runDueWork();
  expect(await decideLink()).toMatchObject({ status: 200, body: { amount: '5.00', status: 'lost' } });
});
