import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sql } from '../../src/db/index.ts';
import { approve } from '../support/approvals.ts';
import { type Merchant, openTestEnvironment, type TestEnvironment } from '../support/environment.ts';
import { type Resource, type Shop, START, shopOf } from '../support/shop.ts';

/** Invoices between their calculation and their end (domain.md §4), by hand and automatically. */
let env: TestEnvironment;
let merchant: Merchant;
let shop: Shop;
beforeAll(async () => {
  env = await openTestEnvironment({ documents: 'typeset', recomputed: true });
  merchant = await env.merchant();
  shop = shopOf(merchant);
});
afterAll(() => env.close());

/** An ended month of a fee of 10.00 with 20 % tax; `of` decides the fate of the invoice. */
async function monthOver(of: { shop?: Shop; plan?: object; subscription?: object } = {}) {
  const by = of.shop ?? shop;
  const clock = await by.clock(START);
  const plan = await by.plan([await by.feePrice()], { defaultTaxRate: 20, ...of.plan });
  const subscription = await by.subscribe(plan, { clock, ...of.subscription });
  await by.advance(clock, '2026-02-01T00:00:00Z');
  const [invoice] = await by.invoices(subscription);
  return { clock, plan, subscription, invoice };
}

const act = (invoice: Resource, action: string, body?: unknown, by = shop) =>
  by.act(`/v2/invoices/${invoice.id}/${action}`, body);

const creditNotesOf = (invoice: Resource, of = merchant) =>
  env.database.transaction({ merchants: [of.id] }, (tx) =>
    tx.rows<{ kind: string; number: string; total: { toFixed(): string }; status: string; reason: string | null }>(
      sql`select kind, number, total, status, reason from credit_note where invoice_id = ${invoice.id} order by seq`,
    ),
  );

const published = async (invoice: Resource, of = merchant) => {
  const rows = await env.database.transaction({ merchants: [of.id] }, (tx) =>
    tx.rows<{ type: string }>(
      sql`select type from outbox where data ->> 'invoiceId' = ${invoice.id} and type like 'invoice.%' order by seq`,
    ),
  );
  return rows.map(({ type }) => type);
};

describe('a draft', () => {
  it.each([
    { what: 'the plan', of: { plan: { autoApprove: false } } },
    { what: 'the subscription', of: { subscription: { autoApprove: false } } },
  ])('waits where $what does not approve by itself, and is issued when a person does', async ({ of }) => {
    const { clock, invoice } = await monthOver(of);
    expect(invoice).toMatchObject({
      status: 'DRAFT',
      grandTotal: '12.00',
      invoiceNumber: null,
      issuedAt: null,
      nextActionAt: null,
      autoApprove: false,
    });
    expect(invoice).toMatchObject({ paymentUrl: null, pdfUrl: null, documentWithheldReason: 'not_issued' });
    await shop.advance(clock, '2026-02-10T00:00:00Z');
    const approved = await act(invoice, 'approve', { reason: 'Seen' });
    expect(approved).toMatchObject({
      status: 'ISSUED',
      grandTotal: '12.00',
      issuedAt: '2026-02-10T00:00:00Z',
      dueAt: '2026-02-10T00:00:00Z',
    });
    expect(approved.invoiceNumber).toMatch(/^INV-\d{6}$/);
    expect(await published(invoice)).toEqual(['invoice.issued.v0']);
  });

  it('of a subscription with automatic approval does not wait, despite the plan', async () => {
    const { invoice } = await monthOver({ plan: { autoApprove: false }, subscription: { autoApprove: true } });
    expect(invoice).toMatchObject({ status: 'ISSUED', autoApprove: true });
  });

  it('waits where the merchant requires approvals', async () => {
    const by = shopOf(await env.merchant());
    const own = (await by.read('/v0/me')).organization.id;
    await by.change(`/v0/organizations/${own}`, { settings: { requiredApprovals: { invoice: ['financial_review'] } } });
    const { invoice } = await monthOver({ shop: by });
    expect(invoice).toMatchObject({ status: 'DRAFT', autoApprove: true, nextActionAt: null });
    const checker = shopOf(await env.userOf({ id: own }, 'member'));
    await approve(by, checker, invoice, 'financial_review');
    expect(await by.invoice(invoice.id)).toMatchObject({ status: 'ISSUED', invoiceNumber: 'INV-000001' });
  });

  it('is calculated again from the same usage and the tax of now, and waits again', async () => {
    const customer = await shop.customer();
    const { invoice } = await monthOver({ plan: { autoApprove: false }, subscription: { customer } });
    await shop.change(`/v0/customers/${customer.id}`, { taxRates: 5 });
    expect(await act(invoice, 'recalculate', { reason: 'New tax rate' })).toMatchObject({ status: 'CALCULATING' });
    await env.runDueWork();
    expect(await shop.invoice(invoice.id)).toMatchObject({
      status: 'DRAFT',
      subtotal: '10.00',
      totalTax: '0.50',
      grandTotal: '10.50',
      itemCount: 1,
    });
  });

  it('that is cancelled never had a number, and leaves no gap', async () => {
    const by = shopOf(await env.merchant());
    const first = await monthOver({ shop: by, plan: { autoApprove: false } });
    expect(await act(first.invoice, 'cancel', { reason: 'Wrong' }, by)).toMatchObject({
      status: 'CANCELLED',
      invoiceNumber: null,
      issuedAt: null,
    });
    const second = await monthOver({ shop: by });
    expect(second.invoice.invoiceNumber).toBe('INV-000001');
    expect(await creditNotesOf(first.invoice, { ...merchant, id: first.invoice.merchantId })).toEqual([]);
  });
});

describe('an issued invoice', () => {
  it('that is cancelled keeps its number, and gets its cancellation credit note', async () => {
    const by = await env.merchant();
    const { invoice } = await monthOver({ shop: shopOf(by) });
    const cancelled = await act(invoice, 'cancel', { reason: 'Sent to the wrong customer' }, shopOf(by));
    expect(cancelled).toMatchObject({
      status: 'CANCELLED',
      invoiceNumber: 'INV-000001',
      grandTotal: '12.00',
      paidAmount: '0.00',
      paymentUrl: null,
    });
    const [note, ...others] = await creditNotesOf(invoice, by);
    expect({ ...note, total: note?.total.toFixed() }).toEqual({
      kind: 'cancellation',
      number: 'CN-000001',
      total: '12',
      status: 'ISSUED',
      reason: 'Sent to the wrong customer',
    });
    expect(others).toEqual([]);
    const sessionId = invoice.paymentUrl.split('/').at(-1);
    expect((await by.get(`/v0/paymentSessions/${sessionId}`)).body.status).toBe('cancelled');
    expect((await by.get(`/v2/invoices/${invoice.id}/refunds`)).body.data).toEqual([]); // a cancellation is no refund
    expect((await by.get(`/v2/invoices/${invoice.id}/pdf`)).status).toBe(200); // the sent document stays the same
    expect(await published(invoice, by)).toEqual(['invoice.issued.v0', 'invoice.cancelled.v0']);
  });

  it('that is written off can be paid after all', async () => {
    const { invoice } = await monthOver();
    const written = await act(invoice, 'writeOff', { reason: 'Insolvent' });
    expect(written).toMatchObject({ status: 'WRITTEN_OFF', unpaidAmount: '12.00' });
    const session = await shop.create(`/v2/invoices/${invoice.id}/paymentSessions`);
    expect(session).toMatchObject({ status: 'pending', amount: '12.00' });
    await shop.act(`/v0/paymentSessions/${session.id}/complete`, { paymentMethod: 'pm_ok' });
    expect(await shop.invoice(invoice.id)).toMatchObject({ status: 'PAID', paidAmount: '12.00', unpaidAmount: '0.00' });
    expect(await published(invoice)).toEqual(['invoice.issued.v0', 'invoice.written_off.v0', 'invoice.paid.v0']);
  });

  it('over nothing is paid at once, with a number and a document', async () => {
    const clock = await shop.clock(START);
    const subscription = await shop.subscribe(await shop.plan([await shop.feePrice({ quantity: 0 })]), { clock });
    await shop.advance(clock, '2026-02-01T00:00:00Z');
    const [invoice] = await shop.invoices(subscription);
    expect(invoice).toMatchObject({
      status: 'PAID',
      grandTotal: '0.00',
      paidAt: '2026-02-01T00:00:00Z',
      paymentUrl: null,
      nextActionAt: null,
    });
    expect(invoice.invoiceNumber).toMatch(/^INV-/);
    expect((await merchant.get(`/v2/invoices/${invoice.id}/pdf`)).status).toBe(200);
    expect(await published(invoice)).toEqual(['invoice.issued.v0', 'invoice.paid.v0']);
  });

  it('is reported once when it is overdue: after the UTC day of dueAt', async () => {
    const { clock, invoice } = await monthOver({ subscription: { bankTransferOnly: true, paymentTermDays: 14 } });
    expect(invoice).toMatchObject({ dueAt: '2026-02-15T00:00:00Z', nextActionAt: '2026-02-16T00:00:00Z' });
    await shop.advance(clock, '2026-02-15T23:59:59Z');
    expect(await published(invoice)).toEqual(['invoice.issued.v0']);
    await shop.advance(clock, '2026-02-16T00:00:00Z');
    await shop.advance(clock, '2026-03-16T00:00:00Z');
    expect(await published(invoice)).toEqual(['invoice.issued.v0', 'invoice.overdue.v0']);
    expect(await shop.invoice(invoice.id)).toMatchObject({ status: 'ISSUED', nextActionAt: null });
  });

  it('never changes, after any change of customer, plan and merchant', async () => {
    const by = await env.merchant();
    const of = shopOf(by);
    const customer = await of.customer();
    const { invoice, plan } = await monthOver({ shop: of, subscription: { customer } });
    const pdf = (await by.get(`/v2/invoices/${invoice.id}/pdf`)).bytes;
    await of.change(`/v0/customers/${customer.id}`, { taxId: 'GB1', taxRates: 0 });
    await of.change(`/v0/organizations/${customer.consumerId}`, { name: 'Renamed', address: { country: 'FR' } });
    await of.change(`/v0/organizations/${by.id}`, {
      name: 'Sold',
      settings: { invoicePrefix: 'NEW', defaultTaxRate: 1 },
    });
    await of.change(`/v0/plans/${plan.id}`, { name: 'Renamed', defaultTaxRate: 50 });
    await of.change(`/v0/prices/${invoice.lines[0].priceId}`, { invoiceDisplayName: 'Renamed' });
    expect(await of.invoice(invoice.id)).toEqual(invoice);
    expect((await by.get(`/v2/invoices/${invoice.id}/pdf`)).bytes.equals(pdf)).toBe(true);
  });
});

describe('numbers', () => {
  it('follow the order of issue, with the merchant’s prefix, for each merchant from 1', async () => {
    const by = await env.merchant();
    const of = shopOf(by);
    await of.change(`/v0/organizations/${by.id}`, { settings: { invoicePrefix: 'ACME' } });
    const waiting = await monthOver({ shop: of, plan: { autoApprove: false } });
    const first = await monthOver({ shop: of });
    await of.change(`/v0/organizations/${by.id}`, { settings: { invoicePrefix: null } });
    const approved = await act(waiting.invoice, 'approve', undefined, of);
    expect([first.invoice.invoiceNumber, approved.invoiceNumber]).toEqual(['ACME-000001', 'INV-000002']);
  });
});

describe('the list that is the platform’s', () => {
  // Proves 4.invoices.list.nextActionAt.
  it('shows invoices that are ready, each by its own time', async () => {
    const { subscription, clock } = await monthOver();
    const open = (await shop.invoices(subscription)).at(-1);
    const ready = async () =>
      (await env.platform.get(`/v2/invoices?nextActionAt=ready&merchantId=${merchant.id}&limit=100`)).body.data.map(
        ({ id }: Resource) => id,
      );
    expect(await ready()).not.toContain(open.id);
    await env.database.transaction(
      { merchants: [merchant.id] },
      // As an advance does, before its steps.
      (tx) => tx.run(sql`update test_clock set clock_time = '2026-03-01T00:00:00Z' where id = ${clock.id}`),
    );
    expect(await ready()).toContain(open.id);
    await env.runDueWork();
    expect(await ready()).not.toContain(open.id);
  });
});
