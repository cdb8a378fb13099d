import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sql, type Tx } from '../../src/db/index.ts';
import { createDocumentRenderer } from '../../src/documents/index.ts';
import {
  type InvoicingDependencies,
  invoicePaymentHandlers,
  makeOneOffInvoice,
  type NewOneOffInvoice,
  type PurposeHandler,
} from '../../src/invoicing/index.ts';
import { decimal } from '../../src/kernel/decimal.ts';
import { orThrow } from '../../src/kernel/result.ts';
import { billingSource } from '../../src/subscriptions/index.ts';
import { type Merchant, openTestEnvironment, type TestEnvironment } from '../support/environment.ts';
import { type Resource, type Shop, shopOf } from '../support/shop.ts';
import { noTaxProviders } from '../support/tax.ts';

/** Invoices that are cancelled with their payment session (domain.md §4, rows 12 and 18), as purchases make them. */
let env: TestEnvironment;
let merchant: Merchant;
let shop: Shop;
let customer: Resource;
const renderer = createDocumentRenderer();
const NOW = '2026-03-10T09:30:00Z';
const now = Temporal.Instant.from(NOW);
const HOUR_LATER = '2026-03-10T10:30:00Z';

beforeAll(async () => {
  env = await openTestEnvironment({ documents: 'typeset' });
  merchant = await env.merchant();
  shop = shopOf(merchant);
  customer = await shop.customer({ taxRates: 20 });
});
afterAll(async () => {
  await env.close();
  await renderer.close();
});

const inTransaction = <T>(work: (tx: Tx) => Promise<T>) => env.database.transaction({ merchants: [merchant.id] }, work);
const dependenciesWith = (purposes: Record<string, PurposeHandler>): InvoicingDependencies => ({
  environment: 'sandbox',
  publicUrl: 'http://localhost:4401',
  source: billingSource,
  renderer,
  mails: { notify: async () => {}, notifyAll: async () => {} },
  purposes,
  endUnpaid: () => Promise.reject(new Error('Nothing here is charged.')),
  lockNamedOrder: () => Promise.reject(new Error('Nothing here is of an order.')),
  taxProviders: noTaxProviders,
});

/** Over 50.00 and 20 % tax, with an hour to pay, made as of `NOW`. */
async function purchase(of: Partial<NewOneOffInvoice> = {}, dependencies = dependenciesWith({})) {
  env.setNow(NOW);
  const lines = [{ displayName: 'Credits', quantity: decimal('1'), unitPrice: decimal('50'), type: 'grant' }] as const;
  const order: NewOneOffInvoice = {
    merchantId: merchant.id,
    customerId: customer.id,
    subscriptionId: null,
    planId: null,
    clockId: null,
    kind: 'ad_hoc',
    currency: 'USD',
    lines,
    paymentTermDays: 0,
    livesBySession: true,
    purpose: null,
    autoApprove: false,
    session: { expiresAt: Temporal.Instant.from(HOUR_LATER) },
    ...of,
  };
  const made = await inTransaction(async (tx) => orThrow(await makeOneOffInvoice(dependencies, tx, order, now)));
  return { id: made.invoice.id, session: made.session?.id ?? 'none' };
}

const rows = <Row>(query: ReturnType<typeof sql>) => inTransaction((tx) => tx.rows<Row>(query));
const told = async (id: string) =>
  (
    await rows<{ type: string }>(
      sql`select type from outbox where data ->> 'invoiceId' = ${id} and type like 'invoice.%' order by seq`,
    )
  ).map(({ type }) => type);
const drawn = async () =>
  Number(
    (await rows<{ value: bigint }>(sql`select value from merchant_counter where kind = 'invoice'`))[0]?.value ?? 0,
  );
const expire = (session: string) => merchant.post(`/v0/paymentSessions/${session}/expire`);
const complete = (session: string) =>
  merchant.post(`/v0/paymentSessions/${session}/complete`, { paymentMethod: 'pm_ok' });

describe('until it is paid', () => {
  it('has neither number nor document, is never overdue, and waits for no approval', async () => {
    const { id, session } = await purchase();
    expect(await shop.invoice(id)).toMatchObject({
      status: 'ISSUED',
      grandTotal: '60.00',
      invoiceNumber: null,
      issuedAt: NOW,
      pdfUrl: null,
      documentWithheldReason: 'not_issued',
      paymentUrl: expect.stringContaining(session),
      nextActionAt: null,
    });
    expect(await merchant.get(`/v2/invoices/${id}/pdf`)).toMatchObject({
      status: 404,
      body: { code: 'DOCUMENT_NOT_AVAILABLE', details: { reason: 'not_issued' } },
    });
    expect(await shop.read(`/v0/paymentSessions/${session}`)).toMatchObject({ amount: '60.00', expiresAt: HOUR_LATER });
  });

  it('may be offered by another session, and lives by that one then', async () => {
    const { id, session } = await purchase();
    const next = await shop.create(`/v2/invoices/${id}/paymentSessions`, { sessionExpiryMinutes: 600 });
    expect(await shop.read(`/v0/paymentSessions/${session}`)).toMatchObject({ status: 'expired' });
    env.setNow(HOUR_LATER);
    await env.runDueWork();
    expect(await shop.invoice(id)).toMatchObject({ status: 'ISSUED' });
    await complete(next.id);
    expect(await shop.invoice(id)).toMatchObject({ status: 'PAID' });
  });
});

describe('as it is paid', () => {
  it('draws its number, and gets its document', async () => {
    const before = await drawn();
    const { id, session } = await purchase();
    expect(await drawn()).toBe(before);
    env.setNow('2026-03-10T10:00:00Z');
    expect((await complete(session)).status).toBe(200);
    const paid = await shop.invoice(id);
    expect(paid).toMatchObject({
      status: 'PAID',
      invoiceNumber: `INV-${String(before + 1).padStart(6, '0')}`,
      paidAt: '2026-03-10T10:00:00Z',
      documentWithheldReason: null,
    });
    await env.runDueWork();
    expect(await rows(sql`select 1 as stored from document where owner_id = ${id}`)).toEqual([{ stored: 1 }]);
    expect((await merchant.get(`/v2/invoices/${id}/pdf`)).status).toBe(200);
    expect(await told(id)).toEqual(['invoice.issued.v0', 'invoice.paid.v0']);
    expect(await shop.create(`/v2/invoices/${id}/refunds`)).toMatchObject({ total: '60.00' });
  });

  it('over nothing is paid at once, numbered, and opens no session', async () => {
    const line = { displayName: 'Gift', quantity: decimal('1'), unitPrice: decimal('0'), type: 'grant' } as const;
    const { id, session } = await purchase({ lines: [line] });
    expect(session).toBe('none');
    expect(await shop.invoice(id)).toMatchObject({ status: 'PAID', invoiceNumber: expect.stringMatching(/^INV-/) });
  });
});

describe('with its session', () => {
  it.each([
    {
      how: 'as its time comes',
      end: async () => {
        env.setNow(HOUR_LATER);
        await env.runDueWork();
      },
    },
    { how: 'by hand', end: async (session: string) => void (await expire(session)) },
  ])('it is cancelled, and leaves no gap among the numbers: $how', async ({ end }) => {
    const before = await drawn();
    const { id, session } = await purchase();
    await end(session);
    expect(await shop.invoice(id)).toMatchObject({ status: 'CANCELLED', invoiceNumber: null, paymentUrl: null });
    expect(await told(id)).toEqual(['invoice.issued.v0', 'invoice.cancelled.v0']);
    expect(await rows(sql`select kind from credit_note where invoice_id = ${id}`)).toEqual([]);
    expect(await drawn()).toBe(before);
    expect((await complete(session)).status).toBe(409);
    expect((await merchant.post(`/v2/invoices/${id}/paymentSessions`)).body.code).toBe('INVALID_TRANSITION');
  });

  it('ends by hand, too', async () => {
    const { id, session } = await purchase();
    expect(await shop.act(`/v2/invoices/${id}/cancel`)).toMatchObject({ status: 'CANCELLED', invoiceNumber: null });
    expect(await shop.read(`/v0/paymentSessions/${session}`)).toMatchObject({ status: 'cancelled' });
    expect(await told(id)).toEqual(['invoice.issued.v0', 'invoice.cancelled.v0']);
  });

  it.each([
    { who: 'somebody', end: expire },
    { who: 'due work', end: () => env.runDueWork() },
  ])('is paid or cancelled, never both, where $who ends it as the customer pays, twenty times', async ({ end }) => {
    for (let round = 0; round < 20; round += 1) {
      const before = await drawn();
      const { id, session } = await purchase();
      // Due before its time, so that both may come: from expiresAt on nobody can pay.
      await rows(sql`update payment_session set next_action_at = ${now} where id = ${session}`);
      const first = round % 2 === 0 ? [complete(session), end(session)] : [end(session), complete(session)];
      await Promise.all(first);
      const { status, invoiceNumber } = await shop.invoice(id);
      const receipts = await rows(sql`select 1 from payment_receipt where invoice_id = ${id}`);
      const outcome = {
        status,
        session: (await shop.read(`/v0/paymentSessions/${session}`)).status,
        hasNumber: invoiceNumber !== null,
        drawn: (await drawn()) - before,
        receipts: receipts.length,
        told: await told(id),
      };
      expect(outcome).toEqual(
        status === 'PAID'
          ? {
              status,
              session: 'completed',
              hasNumber: true,
              drawn: 1,
              receipts: 1,
              told: ['invoice.issued.v0', 'invoice.paid.v0'],
            }
          : {
              status: 'CANCELLED',
              session: 'expired',
              hasNumber: false,
              drawn: 0,
              receipts: 0,
              told: ['invoice.issued.v0', 'invoice.cancelled.v0'],
            },
      );
    }
  });
});

describe('what hangs on an invoice', () => {
  const heard: string[] = [];
  const toy: PurposeHandler = {
    paid: async (_tx, invoice) => {
      heard.push(`${invoice.purposeId} ${invoice.status} ${invoice.invoiceNumber !== null}`);
      return { grantId: 'grt_toy' };
    },
    cancelled: async (_tx, invoice) => void heard.push(`${invoice.purposeId} ${invoice.status}`),
  };
  const broken: PurposeHandler = { paid: () => Promise.reject(new Error('The grant cannot be made.')) };
  const purpose = { type: 'toy', id: 'toy_1' };
  const dependencies = () => dependenciesWith({ toy });

  /** Money, or the end of the session, as payments reports it. */
  const tell = (kind: 'completed' | 'expired', id: string, by = dependencies()) =>
    inTransaction(async (tx) => {
      const handlers = invoicePaymentHandlers(by);
      const session = { id: 'ps_toy', merchantId: merchant.id, entityId: id } as Parameters<
        typeof handlers.expired
      >[1][number];
      if (kind === 'expired') return handlers.expired(tx, [session], now);
      const receiptId = `pay_${id}`;
      await tx.run(sql`
        insert into payment_receipt (merchant_id, id, invoice_id, amount, currency, method, idempotency_key,
                                     idempotency_print, received_at, created_at)
        values (${merchant.id}, ${receiptId}, ${id}, 60, 'USD', 'other', ${id}, '', ${now}, ${now})`);
      const money = {
        amount: decimal('60'),
        currency: 'USD',
        receiptId,
        methodKind: 'card' as const,
        wasProcessing: false as const,
      };
      const event = { merchantId: merchant.id, session, ...money, paymentMethodId: null };
      orThrow(await handlers.completed(tx, event, now));
    });

  it('happens as it is paid, and the webhook names what was made', async () => {
    heard.length = 0;
    const { id } = await purchase({ purpose }, dependencies());
    await tell('completed', id);
    expect(heard).toEqual(['toy_1 PAID true']);
    const [event] = await rows<{ data: object }>(
      sql`select data from outbox where type = 'invoice.paid.v0' and data ->> 'invoiceId' = ${id}`,
    );
    expect(event?.data).toMatchObject({ invoiceId: id, customerId: customer.id, grantId: 'grt_toy' });
  });

  it('gets the message that the invoice is cancelled', async () => {
    heard.length = 0;
    const { id } = await purchase({ purpose }, dependencies());
    await tell('expired', id);
    expect(heard).toEqual(['toy_1 CANCELLED']);
  });

  it('undoes the payment where it fails', async () => {
    const { id } = await purchase({ purpose }, dependencies());
    const before = await drawn();
    await expect(tell('completed', id, dependenciesWith({ toy: broken }))).rejects.toThrow('The grant cannot be made.');
    expect(await shop.invoice(id)).toMatchObject({ status: 'ISSUED', paidAmount: '0.00', invoiceNumber: null });
    expect(await drawn()).toBe(before);
  });

  it('must have a kind with a handler', async () => {
    await expect(purchase({ purpose }, dependenciesWith({}))).rejects.toThrow('No domain handles invoices of toy.');
  });
});

describe('the tax rate of a line', () => {
  const rateOf = async (of: Partial<NewOneOffInvoice>, taxRate: string | null) => {
    const line = {
      displayName: 'Credits',
      quantity: decimal('1'),
      unitPrice: decimal('50'),
      taxRate: taxRate === null ? null : decimal(taxRate),
      type: 'grant',
    } as const;
    return (await shop.invoice((await purchase({ ...of, lines: [line] })).id)).lines[0].taxRate;
  };

  it('is the first that is named: the customer’s for the plan, its own default, the line’s, the plan’s, the merchant’s', async () => {
    const plan = await shop.plan([await shop.feePrice()], { defaultTaxRate: 3 });
    const ofPlan = await shop.customer({ taxRates: { [plan.id]: 1, default: 2 } });
    const ofDefault = await shop.customer({ taxRates: { default: 2 } });
    const without = await shop.customer();
    await shop.change(`/v0/organizations/${merchant.id}`, { settings: { defaultTaxRate: 4 } });
    const rates = [
      await rateOf({ customerId: ofPlan.id, planId: plan.id }, '9'),
      await rateOf({ customerId: ofDefault.id, planId: plan.id }, '9'),
      await rateOf({ customerId: without.id, planId: plan.id }, '9'),
      await rateOf({ customerId: without.id, planId: plan.id }, null),
      await rateOf({ customerId: without.id }, null),
    ];
    expect(rates).toEqual([1, 2, 9, 3, 4]);
    await shop.change(`/v0/organizations/${merchant.id}`, { settings: { defaultTaxRate: null } });
    expect(await rateOf({ customerId: without.id }, null)).toBe(0);
  });

  it('is 0 where the subscription is exempt', async () => {
    const plan = await shop.plan([await shop.feePrice()]);
    const subscription = await shop.subscribe(plan, { customer, startedAt: NOW, taxExempt: true });
    expect(await rateOf({ subscriptionId: subscription.id, planId: plan.id }, '9')).toBe(0);
  });
});

describe('is not made', () => {
  it.each([
    { what: 'over less than nothing', of: { price: '-1' }, text: 'lines' },
    { what: 'to be paid until now', of: { session: { expiresAt: now } }, text: 'expiresAt' },
    {
      what: 'with a way back that is none',
      of: { session: { redirectUrls: { onSuccess: 'nowhere' } } },
      text: 'redirectUrls.onSuccess',
    },
  ])(
    '$what',
    async ({ of: { price, ...of }, text }: { of: { price?: string } & Partial<NewOneOffInvoice>; text: string }) => {
      const before = (await shop.read('/v2/invoices')).pagination.total;
      const line = {
        displayName: 'Credits',
        quantity: decimal('1'),
        unitPrice: decimal(price ?? '50'),
        type: 'grant',
      } as const;
      const refusal = { kind: 'validation', errors: [{ field: text, message: expect.any(String) }] };
      await expect(purchase({ ...of, lines: [line] })).rejects.toMatchObject({ refusal });
      expect((await shop.read('/v2/invoices')).pagination.total).toBe(before);
    },
  );

  it('where the merchant takes no cards', async () => {
    await shop.change(`/v0/organizations/${merchant.id}`, { settings: { paymentProvider: 'none' } });
    await expect(purchase()).rejects.toMatchObject({ refusal: { code: 'NO_PAYMENT_PROVIDER' } });
    await shop.change(`/v0/organizations/${merchant.id}`, { settings: { paymentProvider: null } });
  });
});
