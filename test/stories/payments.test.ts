import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sql } from '../../src/db/index.ts';
import { type Merchant, openTestEnvironment, type TestEnvironment } from '../support/environment.ts';
import { type Resource, type Shop, shopOf } from '../support/shop.ts';

/**
 * The payment of an invoice, and the return of money (§3; domain.md §4). Each story has its own subscription and clock.
 */
let env: TestEnvironment;
let merchant: Merchant;
let shop: Shop;
beforeAll(async () => {
  env = await openTestEnvironment({ documents: 'typeset' });
  merchant = await env.merchant();
  shop = shopOf(merchant);
});
afterAll(() => env.close());

const sessionOf = (invoice: Resource): string => invoice.paymentUrl.split('/').at(-1);
const session = (id: string) => shop.read(`/v0/paymentSessions/${id}`);
const complete = (id: string, paymentMethod = 'pm_ok') =>
  merchant.post(`/v0/paymentSessions/${id}/complete`, { paymentMethod });

const told = async (invoice: Resource, type: string): Promise<Resource[]> => {
  const rows = await env.database.transaction({ merchants: [merchant.id] }, (tx) =>
    tx.rows<{ data: Resource }>(
      sql`select data from outbox where type = ${type} and data ->> 'invoiceId' = ${invoice.id} order by seq`,
    ),
  );
  return rows.map(({ data }) => data);
};

/** The successful charges and refunds of an invoice at the sandbox's provider. */
const moved = (invoice: Resource) =>
  env.database.transaction({ merchants: [merchant.id] }, async (tx) => {
    const rows = await tx.rows<{ kind: string; amount: { toFixed(places: number): string } }>(sql`
      select p.kind, p.amount from sandbox_provider_record p
        join payment_receipt r on r.provider_reference in (p.reference, p.charge_reference)
       where r.invoice_id = ${invoice.id} and p.decline_reason is null order by p.created_at, p.kind`);
    return rows.map(({ kind, amount }) => `${kind} ${amount.toFixed(2)}`);
  });

describe('paying', () => {
  // Proves 6.webhooks.paid.
  it('marks the invoice PAID once for repeated completions of the session, and reports it once (§6)', async () => {
    const { invoice, subscription } = await shop.issued();
    const id = sessionOf(invoice);
    const answers = await Promise.all(Array.from({ length: 8 }, () => complete(id)));
    for (const answer of answers)
      expect(answer).toMatchObject({
        status: 200,
        body: { status: 'completed', amount: '12.00', invoiceId: invoice.id },
      });
    expect(await complete(id, 'pm_declined')).toMatchObject({ status: 200, body: { status: 'completed' } }); // final
    expect(await shop.invoice(invoice.id)).toMatchObject({
      status: 'PAID',
      paidAmount: '12.00',
      unpaidAmount: '0.00',
      paidAt: '2026-02-01T00:00:00Z',
      paymentUrl: null,
      nextActionAt: null,
    });
    expect(await told(invoice, 'invoice.paid.v0')).toEqual([
      {
        merchantId: merchant.id,
        invoiceId: invoice.id,
        customerId: subscription.customerId,
        subscriptionId: subscription.id,
        sequence: expect.any(Number),
      },
    ]);
    expect(await moved(invoice)).toEqual(['charge 12.00']);
  });

  it('with a card that is declined leaves the invoice as it was, and another card may be tried', async () => {
    const { invoice } = await shop.issued();
    const id = sessionOf(invoice);
    expect(await complete(id, 'pm_declined')).toMatchObject({
      status: 200,
      body: { status: 'failed', failureReason: 'card_declined', completedAt: null },
    });
    expect(await complete(id, 'pm_insufficient_funds')).toMatchObject({
      body: { status: 'failed', failureReason: 'insufficient_funds' },
    });
    expect(await shop.invoice(invoice.id)).toMatchObject({
      status: 'ISSUED',
      unpaidAmount: '12.00',
      paymentUrl: invoice.paymentUrl,
    });
    expect(await complete(id)).toMatchObject({ body: { status: 'completed', failureReason: null } });
    expect((await shop.invoice(invoice.id)).status).toBe('PAID');
    expect(await moved(invoice)).toEqual(['charge 12.00']);
  });

  it('is possible again after the session has expired: the invoice stays ISSUED and the next session can be opened', async () => {
    const { invoice, clock } = await shop.issued();
    const first = sessionOf(invoice);
    expect(await session(first)).toMatchObject({ status: 'pending', expiresAt: '2026-02-02T00:00:00Z' });
    await shop.advance(clock, '2026-02-02T00:00:00Z');
    expect((await session(first)).status).toBe('expired');
    expect(await complete(first)).toMatchObject({ status: 409, body: { code: 'PAYMENT_SESSION_EXPIRED' } });
    const between = await shop.invoice(invoice.id);
    expect(between).toMatchObject({ status: 'ISSUED', paymentUrl: `http://localhost:4401/pay/invoices/${invoice.id}` });
    expect(await told(invoice, 'payment_session.expired.v0')).toHaveLength(1);

    const led = await env.client().post(new URL(between.paymentUrl).pathname); // the button of the invoice's page
    expect(led.status).toBe(303);
    const second = String(led.headers.location).split('/').at(-1) as string;
    expect(second).not.toBe(first);
    expect(await session(second)).toMatchObject({
      status: 'pending',
      amount: '12.00',
      expiresAt: '2026-02-03T00:00:00Z',
    });
    expect(await complete(second)).toMatchObject({ body: { status: 'completed' } });
    expect((await shop.invoice(invoice.id)).status).toBe('PAID');
  });

  it('by a second session that was opened meanwhile: the first has expired with it', async () => {
    const { invoice } = await shop.issued();
    const first = sessionOf(invoice);
    const second = await shop.create(`/v2/invoices/${invoice.id}/paymentSessions`, {
      sessionExpiryMinutes: 30,
      redirectUrls: { onSuccess: 'https://shop.example/thanks', onFailure: 'https://shop.example/again' },
    });
    expect(second).toMatchObject({
      status: 'pending',
      expiresAt: '2026-02-01T00:30:00Z',
      entityType: 'invoice',
      entityId: invoice.id,
      successRedirectUrl: 'https://shop.example/thanks',
      failureRedirectUrl: 'https://shop.example/again',
    });
    expect((await session(first)).status).toBe('expired');
    expect((await shop.invoice(invoice.id)).paymentUrl).toBe(second.url);
    expect(await complete(first)).toMatchObject({ status: 409 });
    expect(await complete(second.id)).toMatchObject({ status: 200 });
    expect(await merchant.post(`/v2/invoices/${invoice.id}/paymentSessions`)).toMatchObject({
      status: 409,
      body: { code: 'INVALID_TRANSITION' },
    });
  });

  it('by many sessions opened and completed at once takes the money once', async () => {
    const { invoice } = await shop.issued();
    const opened = await Promise.all(
      Array.from({ length: 6 }, () => merchant.post(`/v2/invoices/${invoice.id}/paymentSessions`)),
    );
    const ids = [sessionOf(invoice), ...opened.filter(({ status }) => status === 201).map(({ body }) => body.id)];
    const answers = await Promise.all(ids.map((id) => complete(id)));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
    expect(answers.filter(({ status }) => status === 409)).toHaveLength(ids.length - 1);
    expect(await moved(invoice)).toEqual(['charge 12.00']);
    expect(await shop.invoice(invoice.id)).toMatchObject({ status: 'PAID', paidAmount: '12.00' });
  });

  it('and cancelling at once: one of the two, never both', async () => {
    for (const _ of [1, 2, 3]) {
      const { invoice } = await shop.issued();
      const [paying, cancelling] = await Promise.all([
        complete(sessionOf(invoice)),
        merchant.post(`/v2/invoices/${invoice.id}/cancel`),
      ]);
      expect([paying.status, cancelling.status].toSorted()).toEqual([200, 409]);
      const { status } = await shop.invoice(invoice.id);
      expect(status).toBe(paying.status === 200 ? 'PAID' : 'CANCELLED');
      expect(await moved(invoice)).toEqual(paying.status === 200 ? ['charge 12.00'] : []);
    }
  });

  it('by card on the hosted page, without a key and without JavaScript', async () => {
    const { invoice } = await shop.issued();
    const path = new URL(invoice.paymentUrl).pathname;
    const page = await env.client().get(path);
    expect(page).toMatchObject({ status: 200 });
    expect(page.text).toContain(invoice.invoiceNumber);
    expect(page.text).toContain('12.00');
    const paid = await env
      .client()
      .post(path, 'paymentMethod=pm_ok', { 'content-type': 'application/x-www-form-urlencoded' });
    expect(paid.status).toBe(303);
    expect((await shop.invoice(invoice.id)).status).toBe('PAID');
  });
});

describe('a refund', () => {
  const refund = (invoice: Resource, reason?: string) =>
    merchant.post(`/v2/invoices/${invoice.id}/refunds`, reason ? { reason } : undefined);
  const voidIt = (invoice: Resource, id: string) =>
    merchant.post(`/v2/invoices/${invoice.id}/refunds/${id}/void`, { reason: 'A mistake' });

  // Proves 3.refund.refund, 3.refund.twice, 3.refund.creditNote.
  it('is full, leaves the invoice PAID, and sends the money back as it came, once (§3)', async () => {
    const { invoice } = await shop.paid();
    const made = await refund(invoice, 'A gesture');
    expect(made).toMatchObject({
      status: 201,
      body: {
        object: 'invoice_refund',
        invoiceId: invoice.id,
        merchantId: merchant.id,
        amount: '10.00',
        taxAmount: '2.00',
        total: '12.00',
        currency: 'USD',
        status: 'ISSUED',
        reason: 'A gesture',
        createdAt: '2026-02-01T00:00:00Z',
        voidedAt: null,
        permalink: null,
        pdfUrl: expect.stringMatching(/\/refunds\/crn_\w+\/pdf$/),
      },
    });
    expect(made.body.id).toMatch(/^crn_/);
    expect(made.body.externalCreditNoteId).toMatch(/^CN-\d{6}$/); // the internal engine's own number
    await env.runDueWork();
    expect(await moved(invoice)).toEqual(['charge 12.00', 'refund 12.00']);
    expect(await shop.invoice(invoice.id)).toMatchObject({ status: 'PAID', paidAmount: '12.00', grandTotal: '12.00' });
    expect(await refund(invoice)).toMatchObject({
      status: 400,
      body: { error: 'bad_request', code: 'INVOICE_ALREADY_REFUNDED' },
    });
    expect((await shop.read(`/v2/invoices/${invoice.id}/refunds`)).data).toEqual([made.body]);
    expect(await told(invoice, 'invoice.refunded.v0')).toMatchObject([{ refundId: made.body.id }]);
  });

  it('by many at once is made once', async () => {
    const { invoice } = await shop.paid();
    const answers = await Promise.all(Array.from({ length: 6 }, () => refund(invoice)));
    expect(answers.map(({ status }) => status).toSorted()).toEqual([201, 400, 400, 400, 400, 400]);
    await env.runDueWork();
    expect(await moved(invoice)).toEqual(['charge 12.00', 'refund 12.00']);
  });

  it('that is voided before the money left sends none; the next one does', async () => {
    const { invoice } = await shop.paid();
    const first = (await refund(invoice)).body;
    const voided = await voidIt(invoice, first.id);
    expect(voided).toMatchObject({
      status: 200,
      body: { id: first.id, status: 'VOIDED', voidedAt: '2026-02-01T00:00:00Z', total: '12.00' },
    });
    expect(await voidIt(invoice, first.id)).toMatchObject({ status: 409, body: { code: 'INVALID_TRANSITION' } });
    await env.runDueWork();
    expect(await moved(invoice)).toEqual(['charge 12.00']);
    const second = await refund(invoice);
    expect(second.status).toBe(201);
    await env.runDueWork();
    expect(await moved(invoice)).toEqual(['charge 12.00', 'refund 12.00']);
    const { data } = await shop.read(`/v2/invoices/${invoice.id}/refunds`);
    expect(data.map(({ id, status }: Resource) => [id, status])).toEqual([
      [second.body.id, 'ISSUED'],
      [first.id, 'VOIDED'],
    ]);
    expect(data[0].externalCreditNoteId > data[1].externalCreditNoteId).toBe(true);
  });

  it('that is voided after the money left does not send it a second time', async () => {
    const { invoice } = await shop.paid();
    const first = (await refund(invoice)).body;
    await env.runDueWork();
    expect((await voidIt(invoice, first.id)).body.status).toBe('VOIDED');
    expect((await refund(invoice)).status).toBe(201);
    await env.runDueWork();
    expect(await moved(invoice)).toEqual(['charge 12.00', 'refund 12.00']);
  });

  it('ends no subscription', async () => {
    const { invoice, subscription, clock } = await shop.paid();
    await refund(invoice);
    await shop.advance(clock, '2026-03-01T00:00:00Z');
    expect((await shop.read(`/v0/subscriptions/${subscription.id}`)).status).toBe('active');
    expect((await shop.invoices(subscription)).map(({ status }) => status)).toEqual(['PAID', 'ISSUED', 'ACTIVE']);
  });

  // Proves 3.refund.notPaid, 7.errors.400.
  it.each(['DRAFT', 'ISSUED', 'CANCELLED', 'WRITTEN_OFF', 'ACTIVE'])(
    'of an invoice that is %s is refused (§3)',
    async (status) => {
      const { invoice, subscription } = await shop.issued(status === 'DRAFT' ? { autoApprove: false } : {});
      if (status === 'CANCELLED') await shop.act(`/v2/invoices/${invoice.id}/cancel`);
      if (status === 'WRITTEN_OFF') await shop.act(`/v2/invoices/${invoice.id}/writeOff`);
      const target = status === 'ACTIVE' ? (await shop.invoices(subscription)).at(-1) : await shop.invoice(invoice.id);
      expect(target.status).toBe(status);
      expect(await refund(target)).toMatchObject({ status: 400, body: { code: 'INVOICE_NOT_PAID' } });
    },
  );
});

describe('a stored card', () => {
  it('is kept by a setup session, the first one as the default', async () => {
    const customer = await shop.customer();
    for (const _ of [1, 2]) {
      const setup = await shop.create(`/v0/customers/${customer.id}/paymentMethods`);
      expect(setup).toMatchObject({ mode: 'setup', amount: '0.00', invoiceId: null });
      expect(await complete(setup.id)).toMatchObject({ status: 200, body: { status: 'completed' } });
    }
    const { data } = await shop.read(`/v0/customers/${customer.id}/paymentMethods`);
    expect(data.map(({ isDefault }: Resource) => isDefault)).toEqual([false, true]); // newest first
  });
});
