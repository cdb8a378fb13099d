import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openTestEnvironment, type TestEnvironment } from '../support/environment.ts';
import { type Resource, type Shop, START, shopOf } from '../support/shop.ts';
import { type MailDrop, openMailDrop } from '../support/smtp.ts';

/** What customers are written, on a test clock (domain.md §3; docs/mail.md). In the sandbox it is held. */
let env: TestEnvironment;
let drop: MailDrop;
let shop: Shop;
beforeAll(async () => {
  drop = await openMailDrop();
  env = await openTestEnvironment({ mailServer: { url: drop.url, from: 'billing@pay.example' } });
  shop = shopOf(await env.merchant());
});
afterAll(async () => {
  await env.close();
  await drop.close();
});

const mailsTo = async (customer: Resource, query = ''): Promise<Resource[]> =>
  (await shop.read(`/v0/mails?customerId=${customer.id}&limit=100${query}`)).data.toReversed();

/** Two months of a fee of 10.00, the first invoice paid by card. */
async function twoMonths(customer: Resource) {
  const clock = await shop.clock(START);
  const plan = await shop.plan([await shop.feePrice()], { invoiceDisplayName: 'Halcyon Pro', renewalReminderDays: 3 });
  const subscription = await shop.subscribe(plan, { clock, customer });
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
  expect(drop.messages).toEqual([]);
});

it('leads to where an invoice is paid, with the amount as on the document', async () => {
  const customer = await shop.customer();
  const { second } = await twoMonths(customer);
  const [mail] = await mailsTo(customer, `&invoiceId=${second.id}`);
  const link = `http://localhost:4401/pay/invoices/${second.id}`;
  expect(mail.text).toContain('To pay: $10.00');
  expect(mail.text).toContain(`Pay this invoice: ${link}`);
  expect(mail.html).toContain(`<a href="${link}">`);
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

it('reminds of no renewal where the subscription says so', async () => {
  const customer = await shop.customer();
  const clock = await shop.clock(START);
  const plan = await shop.plan([await shop.feePrice()]);
  await shop.subscribe(plan, { clock, customer, renewalReminderEnabled: false });
  await shop.advance(clock, 'P1M');
  expect((await mailsTo(customer)).map(({ kind }) => kind)).toEqual(['invoiceIssued']);
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

  it('nobody of an invoice over nothing that it is paid, as it is issued', async () => {
    const customer = await shop.customer();
    await invoice(customer, { lines: [{ displayName: 'A gift', quantity: 1, unitPrice: 0 }] });
    const mails = await mailsTo(customer);
    expect(mails.map(({ kind }) => kind)).toEqual(['invoiceIssued']);
    expect(mails[0].text).toContain('There is nothing left to pay.');
  });

  it('nobody of a draft', async () => {
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
