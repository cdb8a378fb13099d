import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { png, svg } from '../../src/identity/logo/testing.ts';
import { type Merchant, sharedEnvironment, type TestEnvironment } from '../support/environment.ts';
import { type Resource, type Shop, START, shopOf } from '../support/shop.ts';

/** The look of mails, and their ways into the portal (docs/mail.md). The sandbox only stores them. */
let env: TestEnvironment;
let merchant: Merchant;
let shop: Shop;
let door: string;
beforeAll(async () => {
  env = await sharedEnvironment();
  merchant = await env.merchant();
  shop = shopOf(merchant);
  door = `http://localhost:4401/portal/${merchant.id}`;
  await shop.change(`/v0/organizations/${merchant.id}`, {
    legalName: 'Tokenwerk GmbH',
    address: { line1: 'Torstraße 140', city: 'Berlin', zipCode: '10119', country: 'DE' },
    billingEmails: ['rechnung@tokenwerk.example'],
    phone: '+49 30 901820',
    settings: { branding: { color: '#0b7a75' } },
  });
});
afterAll(() => env.close());

const settings = (change: object) => shop.change(`/v0/organizations/${merchant.id}`, { settings: change });
const mailsTo = async ({ id }: Resource): Promise<Resource[]> =>
  (await shop.read(`/v0/mails?customerId=${id}&limit=100`)).data.toReversed();
const putLogo = async (type: string, payload: Buffer | string) =>
  env.server.inject({
    method: 'PUT',
    url: `/v0/organizations/${merchant.id}/logo`,
    headers: { authorization: `Bearer ${merchant.key}`, 'content-type': type },
    payload,
  });
async function issued(fields: Record<string, unknown> = {}): Promise<Resource> {
  const customer = await shop.customer(fields);
  await shop.create('/v2/invoices', {
    ...{ customerId: customer.id, currency: 'EUR', autoApprove: true },
    lines: [{ displayName: 'Work', quantity: 1, unitPrice: 100 }],
  });
  const [mail] = await mailsTo(customer);
  return mail as Resource;
}

describe('a mail', () => {
  it('has the merchant’s colour, name, address and contact, the reason, and the mark of the sandbox', async () => {
    const { html, text } = await issued({ locale: 'de' });
    expect(html).toContain('class="button" style="background-color:#0b7a75');
    for (const part of ['Tokenwerk GmbH', 'Torstraße 140', '10119 Berlin', 'Deutschland', '+49 30 901820']) {
      expect(text).toContain(part);
      expect(html).toContain(part);
    }
    expect(html).toContain('href="mailto:rechnung@tokenwerk.example"');
    expect(text).toMatch(/^Testumgebung: /);
    expect(text).toMatch(/Sie erhalten diese E-Mail, weil Test merchant die Rechnungen für .* sendet\.\n$/);
  });

  it('shows the logo where it is read alone, and the name in a list and instead of an SVG', async () => {
    const { id, html: listed } = await issued();
    expect(listed).not.toContain('<img');
    const read = async (): Promise<string> => (await shop.read(`/v0/mails/${id}`)).html;
    expect(await read()).not.toContain('<img');
    await putLogo('image/png', png());
    expect(await read()).toContain('src="data:image/png;base64,');
    expect(await read()).toContain('alt="Test merchant" width="60" height="20"');
    await putLogo('image/svg+xml', svg());
    expect(await read()).not.toContain('<img');
  });

  it('leads to all invoices in the portal, if the merchant has not turned that off', async () => {
    expect((await issued()).text).toContain(`All your invoices: ${door}\n`);
    expect((await env.client().get(new URL(door).pathname)).status).toBe(200);
    await settings({ mail: { portalLinks: false } });
    const { text, html } = await issued();
    expect(text + html).not.toContain('/portal/');
    await settings({ mail: null });
  });
});

describe('a renewal', () => {
  const manages = 'You can cancel the subscription in your account before';
  it.each([
    { portal: { cancellation: 'period_end' }, says: manages, link: 'Manage the subscription' },
    { portal: null, says: 'To change or cancel the subscription, write to rechnung@', link: 'Open your account' },
  ])('is cancelled in the portal where it allows that: $portal', async ({ portal, says, link }) => {
    await settings({ portal });
    const customer = await shop.customer();
    const clock = await shop.clock(START);
    const plan = await shop.plan([await shop.feePrice()], { renewalReminderDays: 3 });
    await shop.subscribe(plan, { clock, customer, renewalReminderEnabled: true });
    await shop.advance(clock, '2026-01-30T00:00:00Z');
    const [mail] = await mailsTo(customer);
    expect(mail).toMatchObject({ kind: 'renewalReminder' });
    expect(mail?.text).toContain(says);
    expect(mail?.text).toContain(`${link}: ${door}`);
    await settings({ portal: null });
  });
});

it('says of a declined card where to store another one', async () => {
  const customer = await shop.customer();
  const { id } = await shop.create(`/v0/customers/${customer.id}/paymentMethods`);
  await shop.act(`/v0/paymentSessions/${id}/complete`, { paymentMethod: 'pm_then_declined' });
  const clock = await shop.clock(START);
  await shop.subscribe(await shop.plan([await shop.feePrice()]), { clock, customer, autoCharge: true });
  await shop.advance(clock, 'P1M');
  const [mail] = await mailsTo(customer);
  expect(mail?.kind).toBe('paymentFailed');
  for (const part of ['To have another card charged then', `Change the payment method: ${door}`])
    expect(mail?.text).toContain(part);
});

it('writes the figure of an alert with its currency, from Reckoner to the merchant and from it to the customer', async () => {
  const customer = await shop.customer();
  const plan = await shop.plan([await shop.feePrice({ properties: { unitPrice: '600' } })], { currency: 'USD' });
  const clock = await shop.clock(START);
  const subscription = await shop.subscribe(plan, { clock, customer });
  const alert = await shop.create('/v0/alerts', {
    ...{ type: 'invoice_total', subscriptionId: subscription.id, threshold: '500', name: 'Much', notifyCustomer: true },
  });
  await shop.advance(clock, 'P1D');
  const mails = await mailsTo(customer);
  const [toMerchant, toCustomer] = ['alertTriggered', 'alertReached'].map((kind) =>
    mails.find((mail) => mail.kind === kind),
  ) as [Resource, Resource];
  for (const { text } of [toMerchant, toCustomer]) {
    expect(text).toContain('has reached $500.00.');
    expect(text).toContain('Invoice total so far, with tax: $600.00');
  }
  expect(toMerchant.text).toContain(`Alert: Much (${alert.id})`);
  expect(toMerchant.text).toContain(`(${customer.id})`);
  expect(toMerchant.text).toContain('\n\nReckoner\n\n');
  expect(toCustomer.text).toContain('\n\nTest merchant\nTokenwerk GmbH\n');
  expect(toCustomer.text).toContain(`Open your account: ${door}`);
});
