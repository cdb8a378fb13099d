import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Merchant, sharedEnvironment, type TestEnvironment } from '../support/environment.ts';
import { type Resource, type Shop, START, shopOf } from '../support/shop.ts';

/** The mails of each situation, and their attachments (docs/mail.md). The sandbox only stores them. */
let env: TestEnvironment;
let merchant: Merchant;
let shop: Shop;
beforeAll(async () => {
  env = await sharedEnvironment({ documents: 'typeset' });
  merchant = await env.merchant();
  shop = shopOf(merchant);
});
afterAll(() => env.close());

const mailsTo = async (customer: Resource): Promise<Resource[]> =>
  (await shop.read(`/v0/mails?customerId=${customer.id}&limit=100`)).data.toReversed();
const kindsTo = async (customer: Resource): Promise<string[]> => (await mailsTo(customer)).map(({ kind }) => kind);
const settings = (change: object) => shop.change(`/v0/organizations/${merchant.id}`, { settings: change });
const bill = (customer: Resource, fields: object = {}): Promise<Resource> =>
  shop.create('/v2/invoices', {
    customerId: customer.id,
    currency: 'USD',
    lines: [{ displayName: 'Work', quantity: 1, unitPrice: 100 }],
    autoApprove: true,
    ...fields,
  });
const record = ({ id }: Resource, amount: string): Promise<Resource> =>
  shop.create(`/v2/invoices/${id}/payments`, { amount, method: 'bank_transfer', idempotencyKey: `${id} ${amount}` });
async function storeCard(customer: Resource, card: string): Promise<void> {
  const { id } = await shop.create(`/v0/customers/${customer.id}/paymentMethods`);
  await shop.act(`/v0/paymentSessions/${id}/complete`, { paymentMethod: card });
}
async function fillWallet(customer: Resource, amount: string): Promise<void> {
  const { paymentSessions } = await shop.create(`/v0/customers/${customer.id}/wallet/topUps`, {
    amount,
    currency: 'USD',
    idempotencyKey: customer.id,
  });
  await shop.act(`/v0/paymentSessions/${paymentSessions[0].url.split('/').at(-1)}/complete`, {
    paymentMethod: 'pm_ok',
  });
}
/** A month of a fee of 10.00, charged automatically to a stored card. */
async function charged(card: string, customer: Resource, fields: object = {}) {
  await storeCard(customer, card);
  const clock = await shop.clock(START);
  const plan = await shop.plan([await shop.feePrice()]);
  const subscription = await shop.subscribe(plan, { clock, customer, autoCharge: true, ...fields });
  await shop.advance(clock, 'P1M');
  return { clock, subscription, invoice: (await shop.invoices(subscription))[0] };
}

describe('a stored card that is charged at once', () => {
  it('works: no request to pay, but a receipt with the invoice', async () => {
    const customer = await shop.customer();
    const { invoice } = await charged('pm_ok', customer);
    const mails = await mailsTo(customer);
    expect(mails.map(({ kind }) => kind)).toEqual(['invoicePaid']);
    expect(mails[0].attachments).toEqual([`${invoice.invoiceNumber}.pdf`, `Receipt-${invoice.invoiceNumber}.pdf`]);
    expect(mails[0].text).toContain('Payment method: Visa ending in 4242');
    expect(mails[0].text).not.toContain('Please pay');
  });

  it('is declined: why, when it is tried again, how to pay; and once for each attempt', async () => {
    const customer = await shop.customer();
    const { clock, invoice } = await charged('pm_then_declined', customer);
    const [first] = await mailsTo(customer);
    expect(first).toMatchObject({
      kind: 'paymentFailed',
      invoiceId: invoice.id,
      attachments: [`${invoice.invoiceNumber}.pdf`],
    });
    for (const part of [
      'your Mastercard ending in 0341 was declined. Nothing was charged.',
      'We will try again on 3 February 2026',
      `Pay this invoice: http://localhost:4401/pay/invoices/${invoice.id}`,
    ])
      expect(first.text).toContain(part);
    await shop.advance(clock, 'P2D');
    const [, second] = await mailsTo(customer);
    expect(second).toMatchObject({ kind: 'paymentFailed', attachments: [] });
    expect(second.text).toContain('We will try again on 8 February 2026');
    expect(await kindsTo(customer)).toEqual(['paymentFailed', 'paymentFailed']);
  });

  it.each([
    { end: 'keep', says: 'We will not try again by ourselves. Please pay with any card.' },
    { end: 'terminate', says: 'Your subscription ends, and the invoice is still to be paid.' },
    { end: 'write_off', says: 'you are not asked to pay this invoice any more' },
  ])('is declined for the last time, and the end is $end', async ({ end, says }) => {
    await settings({ dunning: { retryAfterDays: [], finally: end } });
    const customer = await shop.customer();
    await charged('pm_then_declined', customer);
    const mails = await mailsTo(customer);
    expect(mails.map(({ kind }) => kind)).toEqual(['paymentFailed']);
    expect(mails[0].text).toContain(says);
    await settings({ dunning: null });
  });

  it('was removed: the invoice asks for a payment, as without one', async () => {
    const customer = await shop.customer();
    const clock = await shop.clock(START);
    const plan = await shop.plan([await shop.feePrice()]);
    await shop.subscribe(plan, { clock, customer, autoCharge: true });
    await shop.advance(clock, 'P1M');
    const mails = await mailsTo(customer);
    expect(mails.map(({ kind }) => kind)).toEqual(['invoiceIssued']);
    expect(mails[0].text).toContain('Please pay $10.00');
  });

  it('of a customer who wants no receipts still brings the invoice', async () => {
    const customer = await shop.customer({ notificationSettings: { invoicePaid: false } });
    await charged('pm_ok', customer);
    expect(await kindsTo(customer)).toEqual(['invoicePaid']);
    const none = await shop.customer({ notificationSettings: { invoicePaid: false, invoiceIssued: false } });
    await charged('pm_ok', none);
    expect(await kindsTo(none)).toEqual([]);
  });
});

describe('the wallet', () => {
  it('pays all: one mail, which brings the invoice and asks for nothing', async () => {
    const customer = await shop.customer();
    await fillWallet(customer, '150.00');
    const invoice = await bill(customer);
    const mails = (await mailsTo(customer)).filter(({ invoiceId }) => invoiceId === invoice.id);
    expect(mails.map(({ kind }) => kind)).toEqual(['invoicePaid']);
    expect(mails[0].text).toContain('is paid from your balance. You need to do nothing.');
    expect(mails[0].attachments).toEqual([`${invoice.invoiceNumber}.pdf`]);
  });

  it('pays a part: the mail says what is left', async () => {
    const customer = await shop.customer();
    await fillWallet(customer, '30.00');
    const invoice = await bill(customer);
    const [mail] = (await mailsTo(customer)).filter(({ invoiceId }) => invoiceId === invoice.id);
    for (const part of ['Please pay $70.00', 'Paid from your balance: $30.00', 'Amount due: $70.00'])
      expect(mail.text).toContain(part);
  });

  it('is filled: a receipt, with the document of the payment on account', async () => {
    const customer = await shop.customer();
    await fillWallet(customer, '30.00');
    const mails = await mailsTo(customer);
    expect(mails.map(({ kind, attachments }) => [kind, attachments.length])).toEqual([['invoicePaid', 2]]);
  });
});

describe('an offer, which has no number', () => {
  it('writes nothing of a part or of a declined card, and the receipt when all is paid', async () => {
    const customer = await shop.customer();
    await storeCard(customer, 'pm_then_declined');
    const { invoiceId } = await shop.create(`/v0/customers/${customer.id}/wallet/topUps`, {
      amount: '25.00',
      currency: 'USD',
      idempotencyKey: 'an offer',
    });
    await record({ id: invoiceId }, '5.00');
    expect((await shop.act(`/v2/invoices/${invoiceId}/pay`)).status).toBe('PAYMENT_FAILED');
    expect(await kindsTo(customer)).toEqual([]);
    await record({ id: invoiceId }, '20.00');
    expect(await kindsTo(customer)).toEqual(['invoicePaid']);
  });
});

describe('what comes in and goes back', () => {
  it('part payments: one mail for each, with its receipt, and the last one says that it is paid', async () => {
    const customer = await shop.customer();
    const invoice = await bill(customer);
    await record(invoice, '40.00');
    await record(invoice, '25.00');
    await record(invoice, '35.00');
    const mails = await mailsTo(customer);
    expect(mails.map(({ kind }) => kind)).toEqual([
      'invoiceIssued',
      'paymentReceived',
      'paymentReceived',
      'invoicePaid',
    ]);
    expect(mails[1].text).toContain('we have received $40.00');
    expect(mails[1].text).toContain('$60.00 is left to pay');
    expect(mails.slice(1).map(({ attachments }) => attachments)).toEqual(
      Array.from({ length: 3 }, () => [`Receipt-${invoice.invoiceNumber}.pdf`]),
    );
  });

  it('a refund of a card and of the wallet, and its void', async () => {
    const customer = await shop.customer();
    await fillWallet(customer, '30.00');
    const invoice = await bill(customer);
    await shop.pay(invoice);
    const refund = await shop.create(`/v2/invoices/${invoice.id}/refunds`, { reason: 'A mistake' });
    await shop.act(`/v2/invoices/${invoice.id}/refunds/${refund.id}/void`, { reason: 'Not after all' });
    const again = await shop.create(`/v2/invoices/${invoice.id}/refunds`, { reason: 'After all' });
    const mails = (await mailsTo(customer)).filter(({ invoiceId }) => invoiceId === invoice.id).slice(2);
    expect(mails.map(({ kind }) => kind)).toEqual(['invoiceRefunded', 'refundVoided', 'invoiceRefunded']);
    for (const part of [
      '$70.00 goes back to your Visa ending in 4242.',
      '$30.00 is in your balance and pays your next invoices.',
    ])
      expect(mails[0].text).toContain(part);
    expect(mails.map(({ attachments }) => attachments)).toEqual([
      [`${refund.externalCreditNoteId}.pdf`],
      [],
      [`${again.externalCreditNoteId}.pdf`],
    ]);
    expect(mails[1].text).toContain('$70.00 is not sent back: it pays the invoice, as before.');
  });

  it('a refund of recorded money says that the merchant sends it', async () => {
    const customer = await shop.customer();
    const invoice = await bill(customer);
    await record(invoice, '100.00');
    await shop.create(`/v2/invoices/${invoice.id}/refunds`, { reason: 'A mistake' });
    const mail = (await mailsTo(customer)).at(-1) as Resource;
    expect(mail.text).toContain('$100.00 is refunded to you the same way it was paid.');
  });

  it('a credit note over a part, off an unpaid invoice and into the wallet', async () => {
    const customer = await shop.customer();
    const clock = await shop.clock(START);
    const fee = await shop.feePrice({
      paymentTerm: 'in_advance',
      billingCadence: 'P1M',
      properties: { unitPrice: '31' },
    });
    const subscription = await shop.subscribe(await shop.plan([fee]), { clock, customer });
    const [upfront] = await shop.invoices(subscription);
    await shop.pay(upfront);
    await shop.advance(clock, '2026-01-11T00:00:00Z');
    await shop.act(`/v0/subscriptions/${subscription.id}/termination`, { reason: 'Moves away', credit: 'wallet' });
    const mail = (await mailsTo(customer)).find(({ kind }) => kind === 'invoiceCredited') as Resource;
    expect(mail).toMatchObject({ attachments: [expect.stringMatching(/^CN-\d+\.pdf$/)] });
    expect(mail.text).toContain('$21.00 is in your balance and pays your next invoices.');
  });

  it('a cancelled invoice: that there is nothing to pay, where the customer had heard of it', async () => {
    const customer = await shop.customer();
    const invoice = await bill(customer);
    await shop.act(`/v2/invoices/${invoice.id}/cancel`, { reason: 'A mistake' });
    const mails = await mailsTo(customer);
    expect(mails.map(({ kind }) => kind)).toEqual(['invoiceIssued', 'invoiceCancelled']);
    expect(mails[1]).toMatchObject({ attachments: [expect.stringMatching(/^CN-\d+\.pdf$/)] });
    const other = await shop.customer();
    const draft = await bill(other, { autoApprove: false });
    await shop.act(`/v2/invoices/${draft.id}/cancel`, { reason: 'A mistake' });
    expect(await kindsTo(other)).toEqual([]);
  });

  it('an invoice that is written off: nothing', async () => {
    const customer = await shop.customer();
    const invoice = await bill(customer);
    await shop.act(`/v2/invoices/${invoice.id}/writeOff`, { reason: 'Gone' });
    expect(await kindsTo(customer)).toEqual(['invoiceIssued']);
  });
});

it('names the account where it is paid by transfer, and leads to the page without a request for a card', async () => {
  await settings({ bankTransfer: { holder: 'Halcyon Ltd', iban: 'GB33 BUKB 2020 1555 5555 55', bic: 'BUKBGB22' } });
  const customer = await shop.customer();
  const clock = await shop.clock(START);
  const plan = await shop.plan([await shop.feePrice()]);
  const subscription = await shop.subscribe(plan, { clock, customer, bankTransferOnly: true, paymentTermDays: 30 });
  await shop.advance(clock, 'P1M');
  const [invoice] = await shop.invoices(subscription);
  const [mail] = await mailsTo(customer);
  for (const part of [
    'IBAN: GB33 BUKB 2020 1555 5555 55',
    `Reference: ${invoice.invoiceNumber}`,
    `See this invoice: ${invoice.permalink}`,
  ])
    expect(mail.text).toContain(part);
  expect(mail.text).not.toContain('Pay this invoice');
  const page = (await env.client().get(`/pay/invoices/${invoice.id}`)).text;
  for (const part of ['GB33 BUKB 2020 1555 5555 55', 'BUKBGB22', 'Halcyon Ltd']) expect(page).toContain(part);
  await settings({ bankTransfer: null });
});

it('brings no documents where the merchant says so', async () => {
  await settings({ mail: { attachDocuments: false } });
  const customer = await shop.customer();
  await record(await bill(customer), '100.00');
  expect((await mailsTo(customer)).map(({ attachments }) => attachments)).toEqual([[], []]);
  await settings({ mail: null });
});
