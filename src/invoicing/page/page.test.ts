import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  type Answer,
  type Client,
  type Merchant,
  openTestEnvironment,
  type TestEnvironment,
} from '../../../test/support/environment.ts';
import { type Resource, type Shop, START, shopOf } from '../../../test/support/shop.ts';

/** The page of an invoice, for the customer with its address (docs/payments.md). */
let env: TestEnvironment;
let merchant: Merchant;
let shop: Shop;
let nobody: Client;
beforeAll(async () => {
  env = await openTestEnvironment({ documents: 'typeset' });
  merchant = await env.merchant();
  shop = shopOf(merchant);
  nobody = env.client();
  await shop.change(`/v0/organizations/${merchant.id}`, {
    name: 'Halcyon Labs',
    legalName: 'Halcyon Laboratories Ltd',
    billingEmails: ['accounts@halcyon.example'],
    phone: '+44 20 7946 0000',
    taxId: 'GB123456789',
    address: { line1: '1 Sea Road', city: 'Brighton', zipCode: 'BN1 1AA', country: 'GB' },
  });
});
afterAll(() => env.close());

const FORM = { 'content-type': 'application/x-www-form-urlencoded' };
const see = (id: string): Promise<Answer> => nobody.get(`/pay/invoices/${id}`);
const press = (id: string, headers: Record<string, string> = {}): Promise<Answer> =>
  nobody.post(`/pay/invoices/${id}`, '', { ...FORM, ...headers });
const sessionsOf = async ({ id }: Resource): Promise<Resource[]> =>
  (await shop.read('/v0/paymentSessions?limit=100')).data.filter(({ entityId }: Resource) => entityId === id);
const bill = (fields: object = {}): Promise<Resource> =>
  shop.customer().then(({ id }) =>
    shop.create('/v2/invoices', {
      customerId: id,
      currency: 'EUR',
      lines: [{ displayName: 'Work', quantity: 2, unitPrice: 50, taxRate: 20 }],
      paymentTermDays: 14,
      autoApprove: true,
      ...fields,
    }),
  );
const record = ({ id }: Resource, amount: string): Promise<Resource> =>
  shop.create(`/v2/invoices/${id}/payments`, { amount, method: 'bank_transfer', idempotencyKey: `${id} ${amount}` });

/** The words of a page, without its markup. */
const words = ({ text }: Answer): string =>
  text
    .slice(text.indexOf('<main'))
    .replace(/<[^>]+>/g, ' ')
    .replace(/\s+/g, ' ');
const hasButton = ({ text }: Answer): boolean => text.includes('<form method="post"');

describe('the page of an invoice', () => {
  it('shows what is asked, for what, by when, from whom, and how to reach them', async () => {
    const invoice = await bill();
    const page = await see(invoice.id);
    expect([page.status, page.headers['content-type']]).toEqual([200, 'text/html; charset=utf-8']);
    for (const part of [
      `Invoice ${invoice.invoiceNumber}`,
      'Work',
      '€120.00',
      'This invoice is not paid yet',
      '14 days after issue',
      'Halcyon Laboratories Ltd',
      '1 Sea Road',
      'Brighton, BN1 1AA',
      'accounts@halcyon.example',
      '+44 20 7946 0000',
      'Pay €120.00 by card',
    ])
      expect(words(page)).toContain(part);
    expect(page.text).toContain('href="mailto:accounts@halcyon.example"');
  });

  it('is for one reader: no cache, search engine or other site keeps it, and it loads and runs nothing', async () => {
    const { headers, text } = await see((await bill()).id);
    expect(headers).toMatchObject({
      'cache-control': 'private, no-store',
      'x-robots-tag': 'noindex, nofollow',
      'referrer-policy': 'no-referrer',
      'x-content-type-options': 'nosniff',
    });
    expect(headers['content-security-policy']).toMatch(/default-src 'none'.*frame-ancestors 'self'/);
    expect(text).not.toMatch(/<script|<link|<img|<iframe|\son\w+=|\sstyle=|url\(|@import/i);
  });

  it('shows the first lines of a long invoice, and what the others come to', async () => {
    const lines = Array.from({ length: 250 }, (_, n) => ({
      displayName: `Call ${n}.`,
      quantity: 1,
      unitPrice: '0.10',
    }));
    const page = await see((await bill({ lines })).id);
    for (const part of ['Call 199. €0.10', '50 more lines, on the document €5.00', 'Total €25.00'])
      expect(words(page)).toContain(part);
    expect(words(page)).not.toContain('Call 200.');
  });

  it('shows the logo, from here and from nowhere else', async () => {
    const invoice = await bill();
    const [{ id: session }] = await sessionsOf(invoice);
    const logo =
      '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 20 10"><path d="M0 0h20v10z" fill="#123456"/></svg>';
    const put = await merchant.put(`/v0/organizations/${merchant.id}/logo`, logo, { 'content-type': 'image/svg+xml' });
    expect(put.status).toBe(200);
    const page = await see(invoice.id);
    expect(page.text).toContain(`<img class="logo" src="${invoice.id}/logo" alt="">`);
    expect(page.headers['content-security-policy']).toContain("img-src 'self'");
    expect((await nobody.get(`/pay/${session}`)).text).toContain(`src="invoices/${invoice.id}/logo"`);
    const image = await nobody.get(`/pay/invoices/${invoice.id}/logo`);
    expect([image.status, image.headers['content-type']]).toEqual([200, 'image/svg+xml']);
    expect(image.headers['content-security-policy']).toContain('sandbox');
    await merchant.delete(`/v0/organizations/${merchant.id}/logo`);
    expect((await nobody.get(`/pay/invoices/${invoice.id}/logo`)).status).toBe(404);
    expect((await see(invoice.id)).headers['content-security-policy']).not.toContain('img-src');
  });

  it('shows hostile names as text', async () => {
    const hostile = `<script>alert(1)</script>"'`;
    const { text } = await see((await bill({ lines: [{ displayName: hostile, quantity: 1, unitPrice: 5 }] })).id);
    expect(text).not.toContain('<script');
    expect(text).toContain('&lt;script&gt;');
  });
});

describe('in every state', () => {
  it('partly paid: what came, and what is left', async () => {
    const invoice = await bill();
    await record(invoice, '50.00');
    const page = await see(invoice.id);
    for (const part of ['€70.00 is left to pay', 'Bank transfer', '€50.00', 'Pay €70.00 by card'])
      expect(words(page)).toContain(part);
  });

  it('paid: when, and nothing more to pay', async () => {
    const invoice = await bill();
    await record(invoice, '120.00');
    const page = await see(invoice.id);
    expect(page.status).toBe(200);
    expect(words(page)).toMatch(/This invoice is paid Paid on \d+ \w+ \d{4}\. There is nothing left to pay\./);
    expect(hasButton(page)).toBe(false);
  });

  it('paid by card: with which, and the receipt', async () => {
    const { invoice } = await shop.paid();
    const page = await see(invoice.id);
    expect(words(page)).toContain('Visa ending in 4242, 1 February 2026 Receipt (PDF) $12.00');
    const [payment] = (await shop.read(`/v2/invoices/${invoice.id}/payments`)).data;
    expect(page.text).toContain(`href="${invoice.id}/receipts/${payment.id}"`);
    const receipt = await nobody.get(`/pay/invoices/${invoice.id}/receipts/${payment.id}`);
    const stored = await env.platform.get(`/v2/invoices/${invoice.id}/payments/${payment.id}/receipt`);
    expect([receipt.status, receipt.headers['content-type'], receipt.bytes.equals(stored.bytes)]).toEqual([
      200,
      'application/pdf',
      true,
    ]);
  });

  it('refunded: by which credit note, and what became of the money', async () => {
    const { invoice } = await shop.paid();
    const refund = await shop.create(`/v2/invoices/${invoice.id}/refunds`, { reason: 'A mistake' });
    expect(words(await see(invoice.id))).toMatch(/was refunded .* is being sent back/);
    await env.runDueWork();
    const page = await see(invoice.id);
    for (const part of ['This invoice was refunded', refund.externalCreditNoteId, 'sent back on', '\u2212$12.00'])
      expect(words(page)).toContain(part);
    expect(
      (await nobody.get(`/pay/invoices/${invoice.id}/creditNotes/${refund.id}`)).bytes.subarray(0, 5).toString(),
    ).toBe('%PDF-');
    await shop.act(`/v2/invoices/${invoice.id}/refunds/${refund.id}/void`, { reason: 'Not after all' });
    expect(words(await see(invoice.id))).toContain('This invoice is paid');
  });

  it('cancelled: nothing to pay, and the credit note', async () => {
    const invoice = await bill();
    await shop.act(`/v2/invoices/${invoice.id}/cancel`, { reason: 'A mistake' });
    const page = await see(invoice.id);
    expect(page.status).toBe(200);
    expect(words(page)).toContain('This invoice was cancelled There is nothing to pay.');
    expect(words(page)).toMatch(/Credit note CN-\d+ \(PDF\)/);
    expect(hasButton(page)).toBe(false);
  });

  it('written off: nothing to pay', async () => {
    const invoice = await bill();
    await shop.act(`/v2/invoices/${invoice.id}/writeOff`, { reason: 'Gone' });
    const page = await see(invoice.id);
    expect(words(page)).toContain('This invoice is closed There is nothing to pay.');
    expect(hasButton(page)).toBe(false);
  });

  it('over nothing: nothing to pay', async () => {
    const invoice = await bill({ lines: [{ displayName: 'A gift', quantity: 1, unitPrice: 0 }] });
    expect(words(await see(invoice.id))).toContain('There is nothing to pay');
  });

  it('overdue, by its own clock', async () => {
    const { clock, invoice } = await shop.issued();
    expect(words(await see(invoice.id))).toContain('This invoice is not paid yet');
    await shop.advance(clock, 'P2D');
    const page = await see(invoice.id);
    expect(words(page)).toContain('This invoice is overdue $12.00 was to be paid by 1 February 2026.');
    expect(hasButton(page)).toBe(true);
  });

  it('a card was declined: why, when it is charged again, and how to pay before', async () => {
    const clock = await shop.clock(START);
    const customer = await shop.customer();
    const { id } = await shop.create(`/v0/customers/${customer.id}/paymentMethods`);
    await shop.act(`/v0/paymentSessions/${id}/complete`, { paymentMethod: 'pm_then_declined' });
    const plan = await shop.plan([await shop.feePrice()]);
    const subscription = await shop.subscribe(plan, { clock, customer, autoCharge: true });
    await shop.advance(clock, 'P1M');
    const [invoice] = await shop.invoices(subscription);
    expect(invoice.status).toBe('PAYMENT_FAILED');
    const page = await see(invoice.id);
    for (const part of ['The card was declined.', 'It is charged again on 3 February 2026', 'Pay $10.00 by card'])
      expect(words(page)).toContain(part);
    expect((await press(invoice.id)).status).toBe(303);
  });

  it('by bank transfer only: no button, and what to quote', async () => {
    const clock = await shop.clock(START);
    const plan = await shop.plan([await shop.feePrice()]);
    const subscription = await shop.subscribe(plan, { clock, bankTransferOnly: true, paymentTermDays: 30 });
    await shop.advance(clock, 'P1M');
    const [invoice] = await shop.invoices(subscription);
    const page = await see(invoice.id);
    for (const part of ['Ask Halcyon Labs for it', 'Amount $10.00', `Reference ${invoice.invoiceNumber}`])
      expect(words(page)).toContain(part);
    expect(hasButton(page)).toBe(false);
    const account = { holder: 'Ferry Ltd', iban: 'DE89 3704 0044 0532 0130 00' };
    const settings = (bankTransfer: object | null) =>
      merchant.patch(`/v0/organizations/${merchant.id}`, { settings: { bankTransfer } });
    await settings(account);
    const told = words(await see(invoice.id));
    await settings(null);
    for (const part of ['Ferry Ltd', 'DE89 3704 0044 0532 0130 00', `Reference ${invoice.invoiceNumber}`])
      expect(told).toContain(part);
    expect(told).not.toContain('Ask Halcyon Labs');
    expect([(await press(invoice.id)).headers.location, await sessionsOf(invoice)]).toEqual([invoice.id, []]);
    const session = await shop.create(`/v2/invoices/${invoice.id}/paymentSessions`);
    expect((await press(invoice.id)).headers.location).toBe(`../${session.id}`);
  });

  it.each(['DRAFT', 'cancelled DRAFT', 'ACTIVE'])('%s: the same page as for what there is not', async (what) => {
    const subscribed = async () => {
      const subscription = await shop.subscribe(await shop.plan([await shop.feePrice()]), {
        clock: await shop.clock(START),
      });
      return (await shop.invoices(subscription))[0];
    };
    const invoice = what === 'ACTIVE' ? await subscribed() : await bill({ autoApprove: false });
    if (what.startsWith('cancelled')) await shop.act(`/v2/invoices/${invoice.id}/cancel`, { reason: 'No' });
    const unknown = await see(`inv_${'0'.repeat(32)}`);
    for (const page of [
      await see(invoice.id),
      await press(invoice.id),
      await nobody.get(`/pay/invoices/${invoice.id}/invoice.pdf`),
    ])
      expect([page.status, page.headers['content-type'], page.text]).toEqual([
        404,
        unknown.headers['content-type'],
        unknown.text,
      ]);
    expect((await shop.invoice(invoice.id)).permalink).toBe(null);
  });

  it('an offer: it can be paid until its session expires, and then there is nothing to pay', async () => {
    const customer = await shop.customer();
    const { invoiceId, paymentSessions } = await shop.create(`/v0/customers/${customer.id}/wallet/topUps`, {
      amount: '25.00',
      currency: 'USD',
      idempotencyKey: 'offer',
    });
    const session = paymentSessions[0].url.split('/').at(-1);
    expect(words(await see(invoiceId))).toContain('Payment on account');
    expect((await press(invoiceId)).headers.location).toBe(`../${session}`);
    await shop.act(`/v0/paymentSessions/${session}/expire`);
    expect(words(await see(invoiceId))).toContain('This offer has expired');
    expect((await press(invoiceId)).headers.location).toBe(invoiceId);
  });
});

describe('what opens a session', () => {
  it('is no GET and no HEAD', async () => {
    const invoice = await bill();
    const before = (await sessionsOf(invoice)).length;
    await shop.act(`/v0/paymentSessions/${(await sessionsOf(invoice))[0].id}/expire`);
    for (let n = 0; n < 3; n += 1) await see(invoice.id);
    const head = await env.server.inject({ method: 'HEAD', url: `/pay/invoices/${invoice.id}` });
    expect(head.statusCode).toBe(200);
    expect(await sessionsOf(invoice)).toHaveLength(before);
  });

  it('is the button, and ten presses at once are one session', async () => {
    const invoice = await bill();
    await shop.act(`/v0/paymentSessions/${(await sessionsOf(invoice))[0].id}/expire`);
    const answers = await Promise.all(Array.from({ length: 10 }, () => press(invoice.id)));
    const open = (await sessionsOf(invoice)).filter(({ status }) => status === 'pending');
    expect(open).toHaveLength(1);
    for (const { status, headers } of answers) expect([status, headers.location]).toEqual([303, `../${open[0].id}`]);
    expect((await nobody.get(`/pay/${open[0].id}`)).text).toContain('Choose a test card');
  });

  it('is no form of another site, and none with fields', async () => {
    const invoice = await bill();
    await shop.act(`/v0/paymentSessions/${(await sessionsOf(invoice))[0].id}/expire`);
    const foreign = await press(invoice.id, { 'sec-fetch-site': 'cross-site' });
    expect([foreign.status, foreign.headers.location]).toEqual([303, invoice.id]);
    const odd = await nobody.post(`/pay/invoices/${invoice.id}`, 'amount=1', FORM);
    expect([odd.status, odd.headers['content-type']]).toEqual([400, 'text/html; charset=utf-8']);
    expect(await sessionsOf(invoice)).toHaveLength(1);
    expect((await press(invoice.id, { 'sec-fetch-site': 'same-origin' })).headers.location).toMatch(/^\.\.\/ps_/);
  });
});

describe('the documents behind it', () => {
  it('are the stored ones', async () => {
    const invoice = await bill();
    await env.runDueWork();
    const stored = await shop.invoice(invoice.id).then(() => env.platform.get(`/v2/invoices/${invoice.id}/pdf`));
    const pdf = await nobody.get(`/pay/invoices/${invoice.id}/invoice.pdf`);
    expect([pdf.status, pdf.headers['content-type'], pdf.bytes.equals(stored.bytes)]).toEqual([
      200,
      'application/pdf',
      true,
    ]);
    expect(pdf.headers).toMatchObject({ 'cache-control': 'private, no-store', 'x-robots-tag': 'noindex, nofollow' });
    const xml = await nobody.get(`/pay/invoices/${invoice.id}/invoice.xml`);
    expect([xml.status, xml.text.includes(invoice.invoiceNumber)]).toEqual([200, true]);
    for (const href of ['invoice.pdf', 'invoice.xml'])
      expect((await see(invoice.id)).text).toContain(`href="${invoice.id}/${href}"`);
  });

  it('are not rendered for a HEAD request', async () => {
    const invoice = await bill();
    const head = await env.server.inject({ method: 'HEAD', url: `/pay/invoices/${invoice.id}/invoice.pdf` });
    expect([head.statusCode, head.rawPayload.length]).toEqual([200, 0]);
  });

  it.each(['invoice.pdf', 'invoice.xml', 'creditNotes/crn_1', 'receipts/pay_1', 'nothing'])(
    '%s of an offer: a 404 page',
    async (name) => {
      const customer = await shop.customer();
      const { invoiceId } = await shop.create(`/v0/customers/${customer.id}/wallet/topUps`, {
        amount: '25.00',
        currency: 'USD',
        idempotencyKey: name,
      });
      const page = await nobody.get(`/pay/invoices/${invoiceId}/${name}`);
      expect([page.status, page.headers['content-type']]).toEqual([404, 'text/html; charset=utf-8']);
    },
  );

  it('of another invoice are not under this one', async () => {
    const [one, other] = [await bill(), await bill()];
    await shop.act(`/v2/invoices/${other.id}/cancel`, { reason: 'No' });
    const [note] = (await shop.read(`/v2/invoices/${other.id}/creditNotes`)).data;
    expect((await nobody.get(`/pay/invoices/${other.id}/creditNotes/${note.id}`)).status).toBe(200);
    expect((await nobody.get(`/pay/invoices/${one.id}/creditNotes/${note.id}`)).status).toBe(404);
    const payment = await record(one, '50.00');
    expect((await nobody.get(`/pay/invoices/${one.id}/receipts/${payment.id}`)).status).toBe(200);
    expect((await nobody.get(`/pay/invoices/${other.id}/receipts/${payment.id}`)).status).toBe(404);
  });
});

describe('what is no invoice', () => {
  it.each([
    '/pay/invoices/inv_00',
    '/pay/invoices/nothing',
    '/pay/invoices/%00',
    '/pay/invoices/',
    '/pay/some/where/else',
    '/pay/invoices/inv_00/receipts/pay_1/more',
  ])('%s is a 404 page', async (path) => {
    const { status, headers, text } = await nobody.get(path, { accept: 'text/html,application/xhtml+xml' });
    expect([status, headers['content-type']]).toEqual([404, 'text/html; charset=utf-8']);
    expect(text).toContain('This link does not exist');
  });

  it('is JSON for a program that says so', async () => {
    const { status, body } = await nobody.get(`/pay/invoices/inv_${'0'.repeat(32)}/invoice.pdf`, {
      accept: 'application/json',
    });
    expect([status, body.error]).toEqual([404, 'not_found']);
  });
});

describe('a session page', () => {
  it('that has expired leads to the next session while the invoice is asked', async () => {
    const invoice = await bill();
    const [{ id }] = await sessionsOf(invoice);
    await shop.act(`/v0/paymentSessions/${id}/expire`);
    const { text } = await nobody.get(`/pay/${id}`);
    expect(text).toContain('This payment link has expired');
    expect(text).toContain(`action="invoices/${invoice.id}"`);
  });

  it.each([
    {
      what: 'paid otherwise',
      end: (invoice: Resource) => record(invoice, '120.00'),
      says: 'This invoice is paid',
    },
    {
      what: 'cancelled',
      end: ({ id }: Resource) => shop.act(`/v2/invoices/${id}/cancel`, { reason: 'No' }),
      says: 'This invoice was cancelled There is nothing to pay.',
    },
    {
      what: 'written off',
      end: ({ id }: Resource) => shop.act(`/v2/invoices/${id}/writeOff`, { reason: 'No' }),
      says: 'This invoice is closed There is nothing to pay.',
    },
  ])('of an invoice that was $what says so, and asks for nothing', async ({ end, says }) => {
    const invoice = await bill();
    const [{ id }] = await sessionsOf(invoice);
    await end(invoice);
    const page = await nobody.get(`/pay/${id}`);
    expect(words(page)).toContain(says);
    expect(words(page)).not.toContain('Ask for a new link');
    expect(hasButton(page)).toBe(false);
  });

  it('that was paid leads to the invoice and its document, and says what became of it', async () => {
    const { invoice } = await shop.paid();
    const [{ id }] = (await sessionsOf(invoice)).filter(({ status }) => status === 'completed');
    const page = await nobody.get(`/pay/${id}`);
    expect(words(page)).toContain('Payment received');
    expect(page.text).toContain(`href="invoices/${invoice.id}/invoice.pdf"`);
    expect(page.text).toContain(`href="invoices/${invoice.id}"`);
    await shop.create(`/v2/invoices/${invoice.id}/refunds`, { reason: 'No' });
    expect(words(await nobody.get(`/pay/${id}`))).toContain('Refunded on');
  });
});

it('is what permalink and, without an open session, paymentUrl of an issued invoice name', async () => {
  const invoice = await bill();
  const page = `http://localhost:4401/pay/invoices/${invoice.id}`;
  expect(invoice.permalink).toBe(page);
  await shop.act(`/v0/paymentSessions/${(await sessionsOf(invoice))[0].id}/expire`);
  expect((await shop.invoice(invoice.id)).paymentUrl).toBe(page);
  await record(invoice, '120.00');
  expect(await shop.invoice(invoice.id)).toMatchObject({ status: 'PAID', paymentUrl: null, permalink: page });
});
