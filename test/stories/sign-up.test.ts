import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Merchant, openTestEnvironment, type TestEnvironment } from '../support/environment.ts';
import { type Page, type PageReader, readerOf } from '../support/page-reader.ts';
import { type Resource, type Shop, shopOf } from '../support/shop.ts';

/** Subscribing by a link (docs/checkout.md). */
const NOW = '2026-03-10T09:30:00Z';
let env: TestEnvironment;
let merchant: Merchant;
let shop: Shop;
let reader: PageReader;
beforeAll(async () => {
  env = await openTestEnvironment();
  env.setNow(NOW);
  merchant = await env.merchant();
  shop = shopOf(merchant);
  reader = readerOf(env.client());
});
afterAll(() => env.close());

const ADA = {
  name: 'Ada Lovelace',
  email: 'ada@engine.example',
  line1: '12 St James’s Square',
  city: 'London',
  zipCode: 'SW1Y 4JH',
  country: 'GB',
};
const inAdvance = (unitPrice = '49.00') =>
  shop.feePrice({ paymentTerm: 'in_advance', properties: { unitPrice }, invoiceDisplayName: 'Seat' });
const planOf = async (...prices: Promise<Resource>[]) => shop.plan(await Promise.all(prices), { defaultTaxRate: 20 });
const link = async (plan: Resource, fields: object = {}) =>
  shop.create('/v0/checkoutLinks', { planId: plan.id, ...fields });
const open = ({ url }: Resource): Promise<Page> => reader.open(new URL(url).pathname);
const read = ({ id }: Resource) => shop.read(`/v0/checkoutLinks/${id}`);
const subscriptionsOf = async ({ id }: Resource): Promise<Resource[]> =>
  (await shop.read(`/v0/subscriptions?planId=${id}&limit=100`)).data;
const customerNamed = async (name: string): Promise<Resource[]> =>
  (await shop.read(`/v0/customers?name=${encodeURIComponent(name)}`)).data;
const pay = (page: Page, card = 'pm_ok') => reader.press(page, /^(Pay|Save)/, { paymentMethod: card });

describe('a sign-up link', () => {
  it('shows the price, takes the details and the card, and makes the customer as the money comes', async () => {
    const plan = await planOf(inAdvance(), shop.usagePrice({ invoiceDisplayName: 'Calls' }));
    const made = await link(plan, { redirectUrls: { onSuccess: 'https://shop.example/in' }, metadata: { page: 'home' } });
    expect(made).toMatchObject({
      object: 'checkoutLink',
      id: expect.stringMatching(/^clk_/),
      status: 'open',
      maxUses: null,
      uses: 0,
      expiresAt: '2026-04-09T09:30:00Z',
      url: `http://localhost:4401/pay/signup/${made.id}`,
    });
    const page = await open(made);
    for (const part of ['$58.80', 'Due now', 'Seat', '$49.00 every month', '$1.00 for each', '10 April 2026: $58.80'])
      expect(page.words).toContain(part);

    const session = await reader.press(page, 'Go on to payment', ADA);
    for (const part of ['Pay $58.80', 'Seat', 'The next invoice comes on 10 April 2026: $58.80'])
      expect(session.words).toContain(part);
    expect([await subscriptionsOf(plan), await customerNamed(ADA.name)]).toEqual([[], []]);

    const declined = await pay(session, 'pm_declined');
    expect(declined.words).toContain('The card was declined.');
    expect(await subscriptionsOf(plan)).toEqual([]);
    const paid = await pay(declined);
    expect(paid.elsewhere).toBe('https://shop.example/in');

    const [subscription, ...others] = await subscriptionsOf(plan);
    expect(others).toEqual([]);
    expect(subscription).toMatchObject({ status: 'active', autoCharge: true, metadata: { page: 'home' }, startedAt: NOW });
    const [customer] = await customerNamed(ADA.name);
    expect(customer).toMatchObject({
      id: subscription?.customerId,
      locale: 'en',
      organization: { billingEmails: [ADA.email], address: { line1: ADA.line1, city: 'London', country: 'GB' } },
    });
    const [invoice] = (await shop.read(`/v2/invoices?subscriptionId=${subscription?.id}&status=PAID`)).data;
    expect(invoice).toMatchObject({ status: 'PAID', grandTotal: '58.80', paidAmount: '58.80' });
    expect((await shop.read(`/v0/customers/${customer?.id}/paymentMethods`)).data).toMatchObject([{ last4: '4242' }]);
    expect(await read(made)).toMatchObject({ uses: 1, status: 'open' });
    const again = await reader.open(session.address);
    for (const part of ['Payment received', 'it has begun', 'Invoice (PDF)', 'Receipt'])
      expect(again.words).toContain(part);
    const events = (await shop.read('/v0/webhookEvents?limit=100')).data.map(({ type }: Resource) => type);
    for (const type of ['customer.created.v0', 'subscription.activated.v0', 'invoice.paid.v0'])
      expect(events).toContain(type);
    expect(events).not.toContain('payment_session.expired.v0');
  });
});
