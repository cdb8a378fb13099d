import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sql } from '../../src/db/index.ts';
import { readPdf } from '../../src/documents/testing/read-pdf.ts';
import { newId } from '../../src/kernel/ids.ts';
import { approve } from '../support/approvals.ts';
import { type Merchant, openTestEnvironment, type TestEnvironment } from '../support/environment.ts';
import { type Resource, type Shop, shopOf } from '../support/shop.ts';

/** Manual invoices without a period (domain.md §4; api.md, POST /v2/invoices). */
let env: TestEnvironment;
let merchant: Merchant;
let shop: Shop;
let customer: Resource;
beforeAll(async () => {
  env = await openTestEnvironment({ documents: 'typeset' });
  env.setNow('2026-03-10T09:30:00Z');
  merchant = await env.merchant();
  shop = shopOf(merchant);
  customer = await shop.customer({ taxRates: 20 });
});
afterAll(() => env.close());

const WORKSHOP = { displayName: 'Workshop', quantity: '1.5', unitPrice: 800 };
const GOODWILL = { displayName: 'Goodwill', quantity: 1, unitPrice: '-100' };
const body = (fields: object = {}) => ({
  customerId: customer.id,
  currency: 'EUR',
  lines: [WORKSHOP, GOODWILL],
  ...fields,
});
const make = (fields: object = {}) => shop.create('/v2/invoices', body(fields));
const act = (invoice: Resource, action: string) => shop.act(`/v2/invoices/${invoice.id}/${action}`);
const sessionOf = (invoice: Resource): string => invoice.paymentUrl.split('/').at(-1);
const complete = (session: string, paymentMethod = 'pm_ok') =>
  merchant.post(`/v0/paymentSessions/${session}/complete`, { paymentMethod });

const rows = <Row>(query: ReturnType<typeof sql>) =>
  env.database.transaction({ merchants: [merchant.id] }, (tx) => tx.rows<Row>(query));
const published = async (invoice: { id: string }) => {
  const told = await rows<{ type: string }>(
    sql`select type from outbox where data ->> 'invoiceId' = ${invoice.id} and type like 'invoice.%' order by seq`,
  );
  return told.map(({ type }) => type);
};

it('has its lines among the line items of GET /v2/invoices/lineItems, draft or issued', async () => {
  const draft = await make();
  const linesOf = () => shop.read(`/v2/invoices/lineItems?invoiceId=${draft.id}`);
  const listed = await linesOf();
  expect(listed).toMatchObject({ totalCount: 2, summary: { feeSubtotal: '1100.00', currency: 'EUR' } });
  expect(listed.data).toMatchObject([
    { invoiceId: draft.id, subscriptionId: null, type: 'manual', displayName: 'Workshop', subtotal: '1200.00' },
    { invoiceId: draft.id, subscriptionId: null, type: 'manual', displayName: 'Goodwill', total: '-120.00' },
  ]);
  expect(listed.data.map(({ customerId }: Resource) => customerId)).toEqual([customer.id, customer.id]);
  await act(draft, 'cancel');
  expect((await linesOf()).data).toHaveLength(2);
  const stranger = await env.merchant();
  expect((await stranger.get(`/v2/invoices/lineItems?invoiceId=${draft.id}`)).status).toBe(403);
});

describe('an invoice by hand', () => {
  it('is a draft, is approved, paid and refunded', async () => {
    const draft = await make({ metadata: { project: 'Onboarding' } });
    expect(draft).toMatchObject({
      kind: 'ad_hoc',
      status: 'DRAFT',
      subscriptionId: null,
      autoApprove: false,
      billingCadence: 'P0D',
      sequenceNumber: 0,
      subtotal: '1100.00',
      totalTax: '220.00',
      grandTotal: '1320.00',
      itemCount: 2,
      invoiceNumber: null,
      issuedAt: null,
      nextActionAt: null,
      documentWithheldReason: 'not_issued',
      metadata: { project: 'Onboarding' },
    });
    const { billingAnchor, periodStart, periodEnd, gracePeriodEnd, createdAt } = draft;
    expect([billingAnchor, periodStart, periodEnd, gracePeriodEnd]).toEqual(Array.from({ length: 4 }, () => createdAt));

    const issued = await act(draft, 'approve');
    expect(issued).toMatchObject({ status: 'ISSUED', invoiceNumber: 'INV-000001', issuedAt: '2026-03-10T09:30:00Z' });
    expect((await env.client().get(`/pay/${sessionOf(issued)}`)).text).toContain('Workshop');
    await shop.pay(issued);
    const paid = await shop.invoice(draft.id);
    expect(paid).toMatchObject({ status: 'PAID', paidAmount: '1320.00', unpaidAmount: '0.00', paymentUrl: null });
    expect(paid.lines).toMatchObject([
      {
        eventType: 'fee',
        lineItemType: 'charge',
        type: 'manual',
        invoiceDisplayName: 'Workshop',
        quantity: 1.5,
        unitPrice: '800',
        totalPrice: '1200.00',
        taxRate: 20,
        totalTax: '240.00',
      },
      { eventType: 'fee', type: 'manual', unitPrice: '-100', totalPrice: '-100.00', totalTax: '-20.00' },
    ]);
    expect(await shop.create(`/v2/invoices/${draft.id}/refunds`)).toMatchObject({ total: '1320.00', status: 'ISSUED' });
    await env.runDueWork();
    expect(await rows(sql`select return_status from payment_receipt where invoice_id = ${draft.id}`)).toEqual([
      { returnStatus: 'returned' },
    ]);
    expect(await published(draft)).toEqual(['invoice.issued.v0', 'invoice.paid.v0', 'invoice.refunded.v0']);
  });

  it('with autoApprove is issued at once, due after its term, payable until then, and reported overdue', async () => {
    const issued = await make({ autoApprove: true, paymentTermDays: 14 });
    expect(issued).toMatchObject({
      status: 'ISSUED',
      paymentTermDays: 14,
      dueAt: '2026-03-24T09:30:00Z',
      nextActionAt: '2026-03-25T00:00:00Z',
      paymentUrl: expect.stringContaining('/pay/ps_'),
    });
    env.setNow('2026-03-25T00:00:00Z'); // the session expired, without an effect
    await env.runDueWork();
    const overdue = await shop.invoice(issued.id);
    expect(overdue).toMatchObject({
      status: 'ISSUED',
      paymentUrl: expect.stringContaining(`/pay/invoices/${issued.id}`),
    });
    expect(await published(issued)).toEqual(['invoice.issued.v0', 'invoice.overdue.v0']);
    const { id } = await shop.create(`/v2/invoices/${issued.id}/paymentSessions`);
    expect((await complete(id)).status).toBe(200);
    expect(await shop.invoice(issued.id)).toMatchObject({ status: 'PAID' });
    env.setNow('2026-03-10T09:30:00Z');
  });

  it('has a document with the day on which it was issued, and no period', async () => {
    const { id } = await make({ autoApprove: true });
    const { status, bytes } = await merchant.get(`/v2/invoices/${id}/pdf`);
    expect(status).toBe(200);
    const text = readPdf(bytes).pages.join('\n').replaceAll('\u00a0', ' ');
    for (const part of ['Workshop', 'Goodwill', '10 March 2026', '1,320.00']) expect(text).toContain(part);
    expect(text).not.toMatch(/Period|2026 –/);
  });

  it('waits where the merchant requires approvals, also with autoApprove', async () => {
    const by = shopOf(await env.merchant());
    const own = (await by.read('/v0/me')).organization.id;
    await by.change(`/v0/organizations/${own}`, { settings: { requiredApprovals: { invoice: ['financial_review'] } } });
    const { id } = await by.customer();
    const draft = await by.create('/v2/invoices', body({ customerId: id, autoApprove: true }));
    expect(draft).toMatchObject({ status: 'DRAFT', autoApprove: true, nextActionAt: null });
    await approve(by, shopOf(await env.userOf({ id: own }, 'member')), draft, 'financial_review');
    expect(await by.invoice(draft.id)).toMatchObject({ status: 'ISSUED' });
  });

  it('is calculated again from the same lines at the tax of now', async () => {
    const other = await shop.customer();
    const lines = [{ ...WORKSHOP, taxRate: 7 }, GOODWILL];
    const draft = await make({ customerId: other.id, lines });
    // 7 % of the first line; the merchant has no rate
    expect(draft).toMatchObject({ subtotal: '1100.00', totalTax: '84.00' });
    await shop.change(`/v0/customers/${other.id}`, { taxRates: 10 });
    expect(await act(draft, 'recalculate')).toMatchObject({ status: 'CALCULATING' });
    await env.runDueWork();
    expect(await shop.invoice(draft.id)).toMatchObject({ status: 'DRAFT', totalTax: '110.00', itemCount: 2 });
  });

  it('that comes below 0 at other tax rates has failed, and says so', async () => {
    const other = await shop.customer();
    const charge = { displayName: 'Setup', quantity: 1, unitPrice: 100, taxRate: 20 };
    const credit = { displayName: 'Credit', quantity: 1, unitPrice: -110 };
    const draft = await make({ customerId: other.id, lines: [charge, credit] }); // 120 − 110
    await shop.change(`/v0/customers/${other.id}`, { taxRates: 0 });
    await act(draft, 'recalculate');
    for (const minutes of [0, 1, 6, 36, 156]) {
      env.setNow(Temporal.Instant.from('2026-03-10T09:30:00Z').add({ minutes }).toString());
      await env.runDueWork();
    }
    env.setNow('2026-03-10T09:30:00Z');
    expect(await shop.invoice(draft.id)).toMatchObject({ status: 'FAILED', failureReason: 'CALCULATION_FAILED' });
  });

  it.each([
    { what: 'a draft', autoApprove: false, told: ['invoice.cancelled.v0'], notes: [] },
    {
      what: 'an issued one',
      autoApprove: true,
      told: ['invoice.issued.v0', 'invoice.cancelled.v0'],
      notes: ['cancellation'],
    },
  ])('is cancelled: $what', async ({ autoApprove, told, notes }) => {
    const invoice = await make({ autoApprove });
    expect(await act(invoice, 'cancel')).toMatchObject({ status: 'CANCELLED', paymentUrl: null });
    expect(await published(invoice)).toEqual(told);
    const found = await rows<{ kind: string }>(sql`select kind from credit_note where invoice_id = ${invoice.id}`);
    expect(found.map(({ kind }) => kind)).toEqual(notes);
    if (autoApprove) expect((await complete(sessionOf(invoice))).status).toBe(409);
  });

  it('over nothing is paid at once', async () => {
    const line = { displayName: 'A free seat', quantity: 1, unitPrice: 0 };
    expect(await make({ lines: [line], autoApprove: true })).toMatchObject({
      status: 'PAID',
      grandTotal: '0.00',
      paidAt: '2026-03-10T09:30:00Z',
      paymentUrl: null,
      invoiceNumber: expect.stringMatching(/^INV-/),
    });
  });

  it.each([
    { currency: 'JPY', unitPrice: '333', subtotal: '833', totalTax: '167', grandTotal: '1000' }, // 832.5, 166.6
    { currency: 'USD', unitPrice: '0.335', subtotal: '0.84', totalTax: '0.17', grandTotal: '1.01' }, // 0.8375, 0.168
    // 0.27775, 0.0556
    { currency: 'KWD', unitPrice: 0.1111, subtotal: '0.278', totalTax: '0.056', grandTotal: '0.334' },
  ])('in $currency has its digits, from the line to the payment', async ({ currency, unitPrice, ...totals }) => {
    const invoice = await make({
      currency,
      lines: [{ displayName: 'Hours', quantity: 2.5, unitPrice }],
      autoApprove: true,
    });
    expect(invoice).toMatchObject(totals);
    expect((await complete(sessionOf(invoice))).body).toMatchObject({ amount: totals.grandTotal, currency });
    expect(await shop.invoice(invoice.id)).toMatchObject({ status: 'PAID', paidAmount: totals.grandTotal });
  });

  it('is among the customer’s invoices, and keeps the customer while it is open', async () => {
    const other = await shop.customer();
    const { id } = await make({ customerId: other.id });
    expect((await shop.read(`/v2/invoices?customerId=${other.id}`)).data.map((each: Resource) => each.id)).toEqual([
      id,
    ]);
    expect((await merchant.delete(`/v0/customers/${other.id}`)).status).toBe(409);
  });

  it('is made once for a key, by twelve twins at once, and shown as it is now', async () => {
    const twin = body({ autoApprove: true, idempotencyKey: 'twelve' });
    const answers = await Promise.all(Array.from({ length: 12 }, () => merchant.post('/v2/invoices', twin)));
    expect(answers.map(({ status }) => status).toSorted()).toEqual([...Array.from({ length: 11 }, () => 200), 201]);
    expect(new Set(answers.map((answer) => answer.body.id)).size).toBe(1);
    await complete(sessionOf(answers[0]?.body));
    expect(await merchant.post('/v2/invoices', twin)).toMatchObject({ status: 200, body: { status: 'PAID' } });
  });

  it.each([
    { what: 'no lines', fields: { lines: [] }, failing: ['lines'] },
    {
      what: 'a line without a price',
      fields: { lines: [{ displayName: 'A', quantity: 1 }] },
      failing: ['lines.0.unitPrice'],
    },
    {
      what: 'less than nothing of something',
      fields: { lines: [{ ...WORKSHOP, quantity: '-1' }] },
      failing: ['lines.0.quantity'],
    },
    { what: 'a rate above 100 %', fields: { lines: [{ ...WORKSHOP, taxRate: 101 }] }, failing: ['lines.0.taxRate'] },
    { what: 'lines below 0', fields: { lines: [GOODWILL] }, failing: ['lines'] },
    { what: 'no currency', fields: { currency: 'XXX' }, failing: ['currency'] },
  ])('is refused, and nothing is made: $what', async ({ fields, failing }) => {
    const count = async () => (await shop.read('/v2/invoices')).pagination.total;
    const before = await count();
    const answer = await merchant.post('/v2/invoices', body(fields));
    expect([answer.status, answer.body.errors.map(({ field }: { field: string }) => field)]).toEqual([400, failing]);
    expect(await count()).toBe(before);
  });

  it('names the item of a line, which must be the merchant’s', async () => {
    const item = await shop.create('/v0/items', { name: 'Training' });
    const { lines } = await shop.invoice((await make({ lines: [{ ...WORKSHOP, itemId: item.id }] })).id);
    expect(lines[0].itemId).toBe(item.id);
    const foreign = await shopOf(await env.merchant()).create('/v0/items', { name: 'Theirs' });
    const field = 'lines.1.itemId';
    for (const [itemId, status] of [
      [newId('item'), 404],
      [foreign.id, 403],
    ]) {
      const answer = await merchant.post('/v2/invoices', body({ lines: [WORKSHOP, { ...WORKSHOP, itemId }] }));
      expect(answer.status).toBe(status);
      expect(answer.text).toContain(field);
    }
  });
});
