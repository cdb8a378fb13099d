import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sql } from '../../src/db/index.ts';
import { expectBooksToBalance } from '../support/books.ts';
import { type Merchant, openTestEnvironment, type TestEnvironment } from '../support/environment.ts';
import { type Resource, type Shop, shopOf } from '../support/shop.ts';

/** Requested amounts without an invoice (api.md, POST /v0/payments). */
const NOW = '2026-03-10T09:30:00Z';
let env: TestEnvironment;
let merchant: Merchant;
let shop: Shop;
let customer: Resource;
beforeAll(async () => {
  env = await openTestEnvironment();
  env.setNow(NOW);
  merchant = await env.merchant();
  shop = shopOf(merchant);
  customer = await shop.customer();
});
afterAll(async () => {
  await expectBooksToBalance(env, merchant);
  await env.close();
});

const make = (fields: object = {}) => shop.create('/v0/payments', { amount: '75.00', currency: 'EUR', ...fields });
const read = ({ id }: Resource) => shop.read(`/v0/payments/${id}`);
const complete = ({ paymentSessionId }: Resource, paymentMethod = 'pm_ok') =>
  merchant.post(`/v0/paymentSessions/${paymentSessionId}/complete`, { paymentMethod });
const rows = <Row>(query: ReturnType<typeof sql>) =>
  env.database.transaction({ merchants: [merchant.id] }, (tx) => tx.rows<Row>(query));

describe('a payment link', () => {
  it('is paid once, on a page that says what for', async () => {
    const link = await make({
      customerId: customer.id,
      reference: 'Deposit 7',
      metadata: { table: 'four' },
      lineItems: [
        { description: 'Dinner', amount: '30.00', quantity: 2 },
        { description: 'Corkage', amount: '15' },
      ],
    });
    expect(link).toMatchObject({
      object: 'payment',
      id: expect.stringMatching(/^pay_/),
      amount: '75.00',
      currency: 'EUR',
      customerId: customer.id,
      reference: 'Deposit 7',
      metadata: { table: 'four' },
      lineItems: [
        { description: 'Dinner', amount: '30.00', quantity: 2 },
        { description: 'Corkage', amount: '15.00', quantity: 1 },
      ],
      status: 'pending',
      expiresAt: '2026-04-09T09:30:00Z',
      createdAt: NOW,
      paymentUrl: `http://localhost:4401/pay/${link.paymentSessionId}`,
    });
    const { text } = await env.client().get(`/pay/${link.paymentSessionId}`);
    for (const part of ['2 × Dinner', 'Corkage', 'Deposit 7', 'Test merchant']) expect(text).toContain(part);
    const session = await shop.read(`/v0/paymentSessions/${link.paymentSessionId}`);
    expect(session).toMatchObject({ entityType: 'payment', entityId: link.id, invoiceId: null, amount: '75.00' });

    const paid = await complete(link);
    expect([paid.status, paid.body.status]).toEqual([200, 'completed']);
    expect(await complete(link)).toMatchObject({ status: 200 }); // the first outcome is final
    expect(await read(link)).toMatchObject({ status: 'completed' });
    expect(
      await rows(sql`select invoice_id, method, return_status from payment_receipt where session_id = ${session.id}`),
    ).toEqual([{ invoiceId: null, method: 'card', returnStatus: 'none' }]);
  });

  it('stays to be paid with another card where one is declined', async () => {
    const link = await make();
    expect((await complete(link, 'pm_declined')).body.status).toBe('failed');
    expect(await read(link)).toMatchObject({ status: 'pending' });
    expect((await complete(link)).body.status).toBe('completed');
  });

  it('is over when its time is, and before it where its session is ended', async () => {
    const link = await make({ expiresIn: 'PT2H' });
    expect(link.expiresAt).toBe('2026-03-10T11:30:00Z');
    env.setNow('2026-03-10T11:30:00Z');
    await env.runDueWork();
    expect(await read(link)).toMatchObject({ status: 'expired' });
    expect((await complete(link)).body.code).toBe('PAYMENT_SESSION_EXPIRED');
    env.setNow(NOW);
    const ended = await make();
    await shop.act(`/v0/paymentSessions/${ended.paymentSessionId}/expire`);
    expect(await read(ended)).toMatchObject({ status: 'expired' });
  });

  it('stores the card of its customer on request', async () => {
    const payer = await shop.customer();
    await complete(await make({ customerId: payer.id }));
    expect((await shop.read(`/v0/customers/${payer.id}/paymentMethods`)).data).toEqual([]);
    await complete(await make({ customerId: payer.id, savePaymentMethod: true }));
    expect((await shop.read(`/v0/customers/${payer.id}/paymentMethods`)).data).toMatchObject([{ last4: '4242' }]);
  });

  it('under the same key is the same one, as it is now; another one under it is refused', async () => {
    const body = { amount: '12.00', currency: 'EUR', idempotencyKey: 'till-1' };
    const answers = await Promise.all(Array.from({ length: 8 }, () => merchant.post('/v0/payments', body)));
    expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([...Array(7).fill(200), 201]);
    expect(new Set(answers.map((answer) => answer.body.id)).size).toBe(1);
    await complete(answers[0]?.body);
    expect((await merchant.post('/v0/payments', body)).body).toMatchObject({ status: 'completed' });
    const other = await merchant.post('/v0/payments', { ...body, amount: '13.00' });
    expect([other.status, other.body.code]).toEqual([409, 'IDEMPOTENCY_KEY_REUSED']);
  });

  it('is found by its customer and its status', async () => {
    const payer = await shop.customer();
    const [open, paid] = [await make({ customerId: payer.id }), await make({ customerId: payer.id })];
    await complete(open, 'pm_declined');
    await complete(paid);
    const found = async (query: string) =>
      (await shop.read(`/v0/payments?customerId=${payer.id}${query}`)).data.map(({ id }: Resource) => id);
    expect(await found('')).toEqual([paid.id, open.id]);
    expect(await found('&status=pending')).toEqual([open.id]);
    expect(await found('&status=completed')).toEqual([paid.id]);
    expect(await found('&status=expired')).toEqual([]);
  });

  it.each([
    { what: 'nothing', body: { amount: '0' }, fields: ['amount'] },
    { what: 'half a cent', body: { amount: '1.005' }, fields: ['amount'] },
    {
      what: 'items that come to something else',
      body: { lineItems: [{ description: 'Ticket', amount: '10.00', quantity: 3 }] },
      fields: ['lineItems'],
    },
    { what: 'a card kept for nobody', body: { savePaymentMethod: true }, fields: ['savePaymentMethod'] },
    { what: 'no time', body: { expiresIn: 'PT0S' }, fields: ['expiresIn'] },
    { what: 'more than a year', body: { expiresIn: 'P366D' }, fields: ['expiresIn'] },
    { what: 'an end beyond time', body: { expiresIn: 'P999999Y' }, fields: ['expiresIn'] },
    { what: 'no duration', body: { expiresIn: 'soon' }, fields: ['expiresIn'] },
    {
      what: 'a redirect to nowhere',
      body: { successRedirectUrl: 'javascript:alert(1)' },
      fields: ['successRedirectUrl'],
    },
  ])('with $what is a 400', async ({ body, fields }) => {
    const answer = await merchant.post('/v0/payments', { amount: '20.00', currency: 'EUR', ...body });
    expect(answer.status, answer.text).toBe(400);
    expect(answer.body.errors.map(({ field }: { field: string }) => field)).toEqual(fields);
  });

  it('is refused where the merchant takes no cards', async () => {
    const other = await env.merchant();
    await other.patch(`/v0/organizations/${other.id}`, { settings: { paymentProvider: 'none' } });
    const answer = await other.post('/v0/payments', { amount: '20.00', currency: 'EUR' });
    expect([answer.status, answer.body.code]).toEqual([409, 'NO_PAYMENT_PROVIDER']);
  });

  it('paid by many at once is charged once', async () => {
    for (let round = 0; round < 5; round += 1) {
      const link = await make();
      const answers = await Promise.all(Array.from({ length: 6 }, () => complete(link)));
      expect(answers.every(({ status, body }) => status === 200 && body.status === 'completed')).toBe(true);
      const charges = await rows(
        sql`select key from sandbox_provider_record where key like ${`${link.paymentSessionId}:%`}`,
      );
      expect(charges).toHaveLength(1);
    }
  });
});
