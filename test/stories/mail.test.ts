import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openTestEnvironment, type TestEnvironment } from '../support/environment.ts';
import { type Resource, type Shop, START, shopOf } from '../support/shop.ts';
import { type MailDrop, openMailDrop } from '../support/smtp.ts';

/** The mails to customers, on a test clock (domain.md §3; docs/mail.md). The sandbox only stores them. */
let env: TestEnvironment;
let drop: MailDrop;
let shop: Shop;
let merchantId: string;
beforeAll(async () => {
  drop = await openMailDrop();
  env = await openTestEnvironment({ documents: 'typeset', mailServer: { url: drop.url, from: 'billing@pay.example' } });
  const merchant = await env.merchant();
  merchantId = merchant.id;
  shop = shopOf(merchant);
});
afterAll(async () => {
  await env.close();
  await drop.close();
});

const mailsTo = async (customer: Resource, query = ''): Promise<Resource[]> =>
  (await shop.read(`/v0/mails?customerId=${customer.id}&limit=100${query}`)).data.toReversed();

/** Two months of a fee of 10.00, the first invoice paid by card, with reminders of each renewal. */
async function twoMonths(customer: Resource) {
  const clock = await shop.clock(START);
  const plan = await shop.plan([await shop.feePrice()], { invoiceDisplayName: 'Halcyon Pro', renewalReminderDays: 3 });
  const subscription = await shop.subscribe(plan, { clock, customer, renewalReminderEnabled: true });
  await shop.advance(clock, '2026-02-01T00:00:00Z');
  const [first] = await shop.invoices(subscription);
  await shop.pay(first);
  await shop.advance(clock, '2026-03-01T00:00:00Z');
  const [, second] = await shop.invoices(subscription);
  return { subscription, first, second };
}

it('writes of each renewal, issue and payment once, as it happens, and sends nothing from the sandbox', async () => {
  const customer = await shop.customer();
  const { subscription, first, second } = await twoMonths(customer);
  await env.runDueWork();
  const mails = await mailsTo(customer);
  expect(
    mails.map(({ kind, createdAt, invoiceId, subscriptionId }) => [kind, createdAt, invoiceId ?? subscriptionId]),
  ).toEqual([
    ['renewalReminder', '2026-01-29T00:00:00Z', subscription.id],
    ['invoiceIssued', '2026-02-01T00:00:00Z', first.id],
    ['invoicePaid', '2026-02-01T00:00:00Z', first.id],
    ['renewalReminder', '2026-02-26T00:00:00Z', subscription.id],
    ['invoiceIssued', '2026-03-01T00:00:00Z', second.id],
  ]);
  expect(mails.map(({ subject }) => subject)).toEqual([
    'Your subscription to Halcyon Pro renews on 1 February 2026',
    `Invoice ${first.invoiceNumber} from Test merchant`,
    `Receipt for invoice ${first.invoiceNumber} from Test merchant`,
    'Your subscription to Halcyon Pro renews on 1 March 2026',
    `Invoice ${second.invoiceNumber} from Test merchant`,
  ]);
  for (const mail of mails)
    expect(mail).toMatchObject({ status: 'held', attempts: 0, sentAt: null, nextAttemptAt: null });
  expect(mails.map(({ attachments }) => attachments)).toEqual([
    [],
    [`${first.invoiceNumber}.pdf`],
    [`Receipt-${first.invoiceNumber}.pdf`],
    [],
    [`${second.invoiceNumber}.pdf`],
  ]);
  expect(drop.messages).toEqual([]);
});

it('leads to where an invoice is paid, with the amount as on the document', async () => {
  const customer = await shop.customer();
  const { second } = await twoMonths(customer);
  const [mail] = await mailsTo(customer, `&invoiceId=${second.id}`);
  const link = `http://localhost:4401/pay/invoices/${second.id}`;
  expect(mail.text).toContain('Amount due: $10.00');
  expect(mail.text).toContain(`Pay this invoice: ${link}`);
  expect(mail.html).toContain(`href="${link}"`);
});

it.each([
  { off: 'invoiceIssued', left: ['renewalReminder', 'invoicePaid', 'renewalReminder'] },
  { off: 'invoicePaid', left: ['renewalReminder', 'invoiceIssued', 'renewalReminder', 'invoiceIssued'] },
  { off: 'renewalReminder', left: ['invoiceIssued', 'invoicePaid', 'invoiceIssued'] },
])('writes nothing that the customer has turned off: $off', async ({ off, left }) => {
  const customer = await shop.customer({ notificationSettings: { [off]: false } });
  await twoMonths(customer);
  expect((await mailsTo(customer)).map(({ kind }) => kind)).toEqual(left);
});

describe('a reminder of a renewal', () => {
  /** The mail about the first renewal of a fee of 290.00 in advance, with 19 % tax. */
  async function reminded(cadence: string, fields: object = {}, planFields: object = {}): Promise<Resource> {
    const customer = await shop.customer();
    const { id } = await shop.create(`/v0/customers/${customer.id}/paymentMethods`);
    await shop.act(`/v0/paymentSessions/${id}/complete`, { paymentMethod: 'pm_ok' });
    const clock = await shop.clock(START);
    const fee = await shop.feePrice({
      paymentTerm: 'in_advance',
      billingCadence: cadence,
      properties: { unitPrice: '290' },
    });
    const plan = await shop.plan([fee], { billingCadence: cadence, defaultTaxRate: 19, ...planFields });
    await shop.subscribe(plan, { clock, customer, autoCharge: true, ...fields });
    await shop.advance(clock, cadence);
    return (await mailsTo(customer)).find(({ kind }) => kind === 'renewalReminder');
  }

  it.each([
    { cadence: 'P1M', fields: {}, written: false },
    { cadence: 'P2M', fields: {}, written: false },
    { cadence: 'P89D', fields: {}, written: false },
    { cadence: 'P3M', fields: {}, written: true },
    { cadence: 'P90D', fields: {}, written: true },
    { cadence: 'P1Y', fields: {}, written: true },
    { cadence: 'P1Y', fields: { renewalReminderEnabled: false }, written: false },
    { cadence: 'P1M', fields: { renewalReminderEnabled: true }, written: true },
  ])('of $cadence with $fields is written: $written', async ({ cadence, fields, written }) =>
    expect((await reminded(cadence, fields)) !== undefined).toBe(written),
  );

  it('is not written where the plan has them off', async () =>
    expect(await reminded('P1Y', {}, { renewalReminderEnabled: false })).toBeUndefined());

  it('says the amount, which is an estimate, the day, the card and how to cancel', async () => {
    const mail = await reminded('P1Y', { renewalReminderDays: 10 });
    expect(mail).toMatchObject({ createdAt: '2026-12-22T00:00:00Z' });
    for (const part of [
      'renews on 1 January 2027',
      'about $345.10. This is an estimate',
      'charged to your Visa ending in 4242',
      'To change or cancel the subscription, contact Test merchant before 1 January 2027.',
    ])
      expect(mail.text).toContain(part);
  });

  it('names no card where none is charged by itself', async () =>
    expect((await reminded('P1Y', { bankTransferOnly: true })).text).not.toContain('Visa'));
});

describe('to whom', () => {
  const invoice = (customer: Resource, fields: object = {}) =>
    shop.create('/v2/invoices', {
      customerId: customer.id,
      currency: 'USD',
      lines: [{ displayName: 'Work', quantity: 1, unitPrice: 100 }],
      autoApprove: true,
      ...fields,
    });

  it('the consumer’s billing addresses, else the one that it was made with', async () => {
    const customer = await shop.customer({
      consumer: { name: 'Ada', email: 'ada@example.com', address: { country: 'GB' } },
    });
    await shop.change(`/v0/organizations/${customer.consumerId}`, {
      billingEmails: ['books@example.com', 'cfo@example.com'],
    });
    await invoice(customer);
    await shop.change(`/v0/organizations/${customer.consumerId}`, { billingEmails: [] });
    await invoice(customer);
    expect((await mailsTo(customer)).map(({ to }) => to)).toEqual([
      ['books@example.com', 'cfo@example.com'],
      ['ada@example.com'],
    ]);
  });

  it('no customer about an invoice of 0, unless the merchant enables it', async () => {
    const gift = { lines: [{ displayName: 'A gift', quantity: 1, unitPrice: 0 }] };
    const customer = await shop.customer();
    await invoice(customer, gift);
    expect(await mailsTo(customer)).toEqual([]);
    await shop.change(`/v0/organizations/${merchantId}`, { settings: { mail: { zeroInvoices: true } } });
    await invoice(customer, gift);
    const mails = await mailsTo(customer);
    expect(mails.map(({ kind }) => kind)).toEqual(['invoiceIssued']);
    expect(mails[0].text).toContain('There is nothing left to pay.');
    await shop.change(`/v0/organizations/${merchantId}`, { settings: { mail: null } });
  });

  it('no customer about a draft', async () => {
    const customer = await shop.customer();
    await invoice(customer, { autoApprove: false });
    expect(await mailsTo(customer)).toEqual([]);
  });
});

it('is shown to its merchant alone', async () => {
  const customer = await shop.customer();
  await twoMonths(customer);
  const [mail] = await mailsTo(customer);
  const other = await env.merchant();
  expect((await other.get(`/v0/mails/${mail.id}`)).status).toBe(403);
  expect((await other.get('/v0/mails')).body.data).toEqual([]);
  expect((await shop.read(`/v0/mails/${mail.id}`)).subject).toBe(mail.subject);
});

it('cannot be sent from the sandbox by hand either', async () => {
  const customer = await shop.customer();
  await twoMonths(customer);
  const [mail] = await mailsTo(customer);
  const merchant = await env.merchant();
  expect((await merchant.post(`/v0/mails/${mail.id}/send`)).status).toBe(404);
});
