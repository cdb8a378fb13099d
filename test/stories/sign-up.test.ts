import { createHash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { forgetCheckouts } from '../../src/checkout/index.ts';
import { forgetConfirmedTaxIds } from '../../src/customers/index.ts';
import { acceptClockAt, sql } from '../../src/db/index.ts';
import { type Merchant, openTestEnvironment, type TestEnvironment } from '../support/environment.ts';
import { type Page, type PageReader, readerOf } from '../support/page-reader.ts';
import { type Resource, type Shop, shopOf } from '../support/shop.ts';
import { openVies, type Vies } from '../support/vies.ts';

/** Subscribing by a link (docs/checkout.md). */
const NOW = '2026-03-10T09:30:00Z';
let vies: Vies;
let env: TestEnvironment;
let merchant: Merchant;
let shop: Shop;
let reader: PageReader;
beforeAll(async () => {
  vies = await openVies();
  env = await openTestEnvironment({ viesUrl: vies.url });
  env.setNow(NOW);
  merchant = await env.merchant();
  shop = shopOf(merchant);
  reader = readerOf(env.client());
});
afterAll(async () => {
  await env.close();
  vies.close();
});

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
/** The version that the page of a link shows. */
const planIn = async (path: string): Promise<string> =>
  /name="version" value="([^"]+)"/.exec((await reader.open(path)).text)?.[1] ?? '';
const pay = (page: Page, card = 'pm_ok') => reader.press(page, /^(Pay|Save)/, { paymentMethod: card });

describe('a sign-up link', () => {
  it('shows the price, takes the details and the card, and makes the customer as the money comes', async () => {
    const plan = await planOf(inAdvance(), shop.usagePrice({ invoiceDisplayName: 'Calls' }));
    const made = await link(plan, {
      redirectUrls: { onSuccess: 'https://shop.example/in' },
      metadata: { page: 'home' },
    });
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
    for (const part of ['$58.80', 'Due now', 'Seat', '$49.00 every month', '$1.00 per call', '10 April 2026: $58.80'])
      expect(page.words).toContain(part);

    const session = await reader.press(page, 'Continue to payment', ADA);
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
    expect(subscription).toMatchObject({
      status: 'active',
      autoCharge: true,
      metadata: { page: 'home' },
      startedAt: NOW,
    });
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
    for (const part of ['Payment received', 'it has started', 'Invoice (PDF)', 'Receipt'])
      expect(again.words).toContain(part);
    const events = (await shop.read('/v0/webhookEvents?limit=100')).data.map(({ type }: Resource) => type);
    for (const type of ['customer.created.v0', 'subscription.activated.v0', 'invoice.paid.v0'])
      expect(events).toContain(type);
    expect(events).not.toContain('payment_session.expired.v0');
  });
});

describe('what is exactly once', () => {
  it('one form sent ten times at once leads to one session, and ten payments at once make one subscription', async () => {
    const plan = await planOf(inAdvance());
    const page = await open(await link(plan));
    const sessions = await Promise.all(
      Array.from({ length: 10 }, () => reader.press(page, 'Continue to payment', { ...ADA, name: 'Ten Times' })),
    );
    expect(new Set(sessions.map(({ address }) => address)).size).toBe(1);
    const paid = await Promise.all(sessions.map((session) => pay(session)));
    for (const { headings } of paid) expect(headings).toContain('Payment received');
    expect(await subscriptionsOf(plan)).toHaveLength(1);
    expect(await customerNamed('Ten Times')).toHaveLength(1);
  });

  it('a link for one person has one session that can be paid, whatever tabs are open', async () => {
    const plan = await planOf(inAdvance());
    const made = await link(plan, { customer: { name: 'One Person', email: 'one@person.example', externalId: 'u-1' } });
    expect(made).toMatchObject({ maxUses: 1, customer: { name: 'One Person' } });
    const [tab, other] = [await open(made), await open(made)];
    expect(tab.text).toContain('value="One Person"');
    const { name: _name, email: _email, ...address } = ADA;
    const first = await reader.press(tab, 'Continue to payment', address);
    const second = await reader.press(other, 'Continue to payment', address);
    expect(second.address).not.toBe(first.address);
    const late = await reader.open(first.address);
    expect(late.headings).toContain('This payment link has expired');
    await pay(second);
    expect(await subscriptionsOf(plan)).toHaveLength(1);
    expect(await read(made)).toMatchObject({ uses: 1, status: 'used' });
    expect((await open(made)).headings).toEqual(['This link has been used']);
    const [customer] = await customerNamed('One Person');
    expect(customer).toMatchObject({ externalId: 'u-1' });
    expect((await reader.press(tab, 'Continue to payment', address)).headings).toEqual(['This link has been used']);
    const taken = await merchant.post('/v0/checkoutLinks', { planId: plan.id, customer: { externalId: 'u-1' } });
    expect([taken.status, taken.body.code]).toEqual([409, 'EXTERNAL_ID_TAKEN']);
  });

  it('a link for everybody has one session for the same details, whatever tabs are open, and asks before it sells twice', async () => {
    const plan = await planOf(inAdvance());
    const made = await link(plan);
    const tabs = [await open(made), await open(made), await open(made)] as const;
    const twin = { ...ADA, name: 'Same Person', email: 'same@person.example' };
    const first = await reader.press(tabs[0], 'Continue to payment', twin);
    const second = await reader.press(tabs[1], 'Continue to payment', { ...twin, email: 'Same@Person.example' });
    expect((await reader.open(first.address)).headings).toContain('This payment link has expired');
    expect((await pay(second)).headings).toContain('Payment received');
    const asked = await reader.press(tabs[2], 'Continue to payment', twin);
    expect(asked.words).toContain('You have subscribed already');
    expect(await subscriptionsOf(plan)).toHaveLength(1);
    const other = await reader.press(await open(made), 'Continue to payment', {
      ...twin,
      line1: '13 St James’s Square',
    });
    expect(other.words).toContain('Pay $58.80');
    await pay(await reader.press(asked, 'Continue to payment'));
    expect(await subscriptionsOf(plan)).toHaveLength(2);
  });

  it('of a link for two people, the third is refused as the money comes, and pays nothing', async () => {
    const plan = await planOf(inAdvance());
    const made = await link(plan, { maxUses: 2 });
    const sessions = [];
    for (const name of ['First Two', 'Second Two', 'Third Two'])
      sessions.push(await reader.press(await open(made), 'Continue to payment', { ...ADA, name }));
    await Promise.all(sessions.map((session) => pay(session)));
    expect(await subscriptionsOf(plan)).toHaveLength(2);
    const left = (await Promise.all(sessions.map(({ address }) => reader.open(address)))).filter(
      ({ headings }) => !headings.includes('Payment received'),
    );
    expect(left).toHaveLength(1);
    const refused = await pay(left[0] as Page);
    expect(refused.words).toContain('This can no longer be paid here.');
    expect(await read(made)).toMatchObject({ uses: 2, status: 'used' });
    const third = (await customerNamed('Two')).length;
    expect(third).toBe(2);
  });

  it('confirming a card once, and a bank that answers later, make one subscription', async () => {
    for (const card of ['pm_3ds', 'pm_slow']) {
      const plan = await planOf(inAdvance());
      const session = await reader.press(await open(await link(plan)), 'Continue to payment', ADA);
      const waiting = await pay(session, card);
      expect(await subscriptionsOf(plan)).toEqual([]);
      if (card === 'pm_3ds') await reader.press(waiting, 'Confirm');
      else {
        env.setNow('2026-03-10T09:31:00Z');
        await env.runDueWork();
        env.setNow(NOW);
      }
      expect((await reader.open(session.address)).headings).toContain('Payment received');
      expect(await subscriptionsOf(plan)).toMatchObject([{ status: 'active' }]);
    }
  });
});

describe('the price that is paid is the price that was shown', () => {
  const otherVersion = async (plan: Resource, unitPrice: string) => {
    const price = await inAdvance(unitPrice);
    const [old] = plan.prices;
    const version = await shop.create(`/v0/plans/${plan.id}/versions`, {
      replacePrices: [{ replacesPriceId: old.id, withPriceId: price.id }],
    });
    await shop.change(`/v0/plans/${plan.id}/versions/${version.versionNumber}`, { default: true });
  };

  it('a version that became the default in between is shown first', async () => {
    const plan = await planOf(inAdvance());
    const page = await open(await link(plan));
    await otherVersion(plan, '99.00');
    const again = await reader.press(page, 'Continue to payment', ADA);
    expect(again.words).toContain('The price has changed');
    expect(again.words).toContain('$118.80');
    expect(again.text).toContain('value="Ada Lovelace"');
    const session = await reader.press(again, 'Continue to payment');
    expect(session.words).toContain('Pay $118.80');
  });

  it('a version that becomes the default during a payment applies to the next customer', async () => {
    const plan = await planOf(inAdvance());
    const session = await reader.press(await open(await link(plan)), 'Continue to payment', ADA);
    await otherVersion(plan, '99.00');
    expect((await reader.open(session.address)).words).toContain('Pay $58.80');
    await pay(session);
    const [subscription] = await subscriptionsOf(plan);
    expect(subscription).toMatchObject({ status: 'active', planVersionNumber: 1 });
    const [invoice] = (await shop.read(`/v2/invoices?subscriptionId=${subscription?.id}&status=PAID`)).data;
    expect(invoice.grandTotal).toBe('58.80');
  });

  it('if a tax rate changes during a payment, nothing is charged, and the link shows the new price', async () => {
    const plan = await planOf(inAdvance());
    const made = await link(plan);
    const session = await reader.press(await open(made), 'Continue to payment', ADA);
    await shop.change(`/v0/plans/${plan.id}`, { defaultTaxRate: 25 });
    expect((await pay(session)).words).toContain('Nothing was charged.');
    expect(await subscriptionsOf(plan)).toEqual([]);
    expect((await open(made)).words).toContain('$61.25');
  });

  it('if the tax in inclusive prices changes during a payment, nothing is charged, although the total is the same', async () => {
    const plan = await shop.plan([await inAdvance()], { defaultTaxRate: 20, taxBehavior: 'inclusive' });
    const session = await reader.press(await open(await link(plan)), 'Continue to payment', ADA);
    expect(session.words).toContain('Pay $49.00');
    await shop.change(`/v0/plans/${plan.id}`, { defaultTaxRate: 25 });
    expect((await pay(session)).words).toContain('Nothing was charged.');
    expect(await subscriptionsOf(plan)).toEqual([]);
  });

  it('paid the day after, it has run since the form was sent', async () => {
    const plan = await planOf(inAdvance());
    const session = await reader.press(await open(await link(plan)), 'Continue to payment', ADA);
    env.setNow('2026-03-11T09:00:00Z');
    await pay(session);
    env.setNow(NOW);
    await acceptClockAt(env.url, Temporal.Instant.from(NOW)); // numbers have that day already
    expect(await subscriptionsOf(plan)).toMatchObject([{ status: 'active', startedAt: NOW }]);
  });
});

describe('the prices on the page', () => {
  const cell = (model: string, kind: string, unitPrice: string) => ({ match: { model, kind }, unitPrice });
  const tokens = (properties: object) =>
    shop
      .metric({ name: 'Tokens', unit: 'token', groupBy: { model: '$.model', kind: '$.kind' } })
      .then((metric) =>
        shop.usagePrice({ billableMetricId: metric.id, invoiceDisplayName: 'Tokens', model: 'matrix', properties }),
      );

  it('of models and kinds are a table on one scale, with what is free', async () => {
    const price = tokens({
      dimensions: ['model', 'kind'],
      cells: [
        cell('atlas-4', 'input', '0.000003'),
        cell('atlas-4', 'output', '0.00001'),
        cell('atlas-mini', 'input', '0'),
        cell('atlas-mini', 'output', '0.000000125'),
      ],
      default: '0.00002',
    });
    const { words } = await open(await link(await planOf(inAdvance(), price)));
    expect(words).toContain(
      'Tokens per 1,000,000 tokens Prices model input output atlas-4 $3.00 $10.00 atlas-mini free $0.125 All others $20.00',
    );
    expect(words).toContain('Seat $49.00 every month');
  });

  it('of cells that name one dimension are a row each, the nearest match first', async () => {
    const price = tokens({
      dimensions: ['model', 'kind'],
      cells: [{ match: { model: 'atlas-4' }, unitPrice: '0.5' }, cell('atlas-4', 'output', '2')],
      default: '0',
    });
    const { words } = await open(await link(await planOf(price)));
    expect(words).toContain(
      'per token Prices model · kind Price atlas-4 · output $2.00 atlas-4 · any other $0.50 All others free',
    );
  });

  it.each([
    {
      model: 'graduated',
      properties: {
        tiers: [
          { upTo: '1000', unitPrice: '0' },
          { upTo: null, unitPrice: '0.25', flatPrice: '5' },
        ],
      },
      says: 'each unit at the price of its level Prices Quantity per call Flat up to 1,000 free – above 1,000 $0.25 $5.00',
    },
    {
      model: 'volume',
      properties: {
        tiers: [
          { upTo: '10', unitPrice: '2' },
          { upTo: null, unitPrice: '1' },
        ],
      },
      says: 'all units at the price of the level that the quantity reaches Prices Quantity per call up to 10 $2.00 above 10 $1.00',
    },
    {
      model: 'package',
      properties: { size: '1000', price: '5', includedUnits: '200' },
      says: '$5.00 per package of 1,000 calls, each begun package in full 200 calls included every month',
    },
    {
      model: 'percentage',
      properties: { percentage: '0.029', fixed: '0.30', maxCharge: '50' },
      says: '2.9% of the value (call), plus $0.30 for each event, at most $50.00',
    },
  ])('of the model $model are said in full', async ({ model, properties, says }) => {
    const metric = await shop.metric({ unit: 'call' });
    const price = shop.usagePrice({ billableMetricId: metric.id, invoiceDisplayName: 'Calls', model, properties });
    expect((await open(await link(await planOf(price)))).words).toContain(`Calls ${says}`);
  });
});

describe('where nothing is due now', () => {
  it('a plan that bills usage wants a card, which pays later', async () => {
    const plan = await planOf(shop.usagePrice());
    const page = await open(await link(plan));
    expect(page.words).toContain('Nothing is due now.');
    expect(page.words).toContain(
      'The next invoice comes on 10 April 2026: $0.00, with tax. What you use is billed on top.',
    );
    const session = await reader.press(page, 'Continue to your card', { ...ADA, name: 'Usage Only' });
    expect(session.words).toContain('Subscription to');
    const saved = await pay(session);
    expect(saved.words).toContain('it has started');
    expect(await subscriptionsOf(plan)).toMatchObject([{ status: 'active', autoCharge: true }]);
    const [customer] = await customerNamed('Usage Only');
    expect((await shop.read(`/v0/customers/${customer?.id}/paymentMethods`)).data).toHaveLength(1);
  });

  it('a trial says until when, and what comes then', async () => {
    const price = await inAdvance();
    const plan = await shop.plan([price], { trialPeriod: 'P14D', defaultTaxRate: 20 });
    const page = await open(await link(plan));
    expect(page.words).toContain('Free trial until 24 March 2026');
    expect(page.words).toContain('The next invoice comes on 24 March 2026: $58.80, with tax.');
    await pay(await reader.press(page, 'Continue to your card', ADA));
    expect(await subscriptionsOf(plan)).toMatchObject([{ status: 'active' }]);
  });

  it('a trial that needs a payment method wants a card, also of a free plan, and charges nothing', async () => {
    const terms = { trialPeriod: 'P14D', trialRequiresPaymentMethod: true, trialEndBehavior: 'terminate' };
    const plan = await shop.plan([await shop.feePrice({ properties: { unitPrice: '0' } })], terms);
    const page = await open(await link(plan));
    expect(page.words).toContain('Nothing is due now.');
    await pay(await reader.press(page, 'Continue to your card', { ...ADA, name: 'Trial With A Card' }));
    const [subscription] = await subscriptionsOf(plan);
    expect(subscription).toMatchObject({ status: 'active', payment: null, trialEnd: '2026-03-24T09:30:00Z' });
    expect(await shop.invoices(subscription)).toEqual([]);
    const [customer] = await customerNamed('Trial With A Card');
    expect((await shop.read(`/v0/customers/${customer?.id}/paymentMethods`)).data).toHaveLength(1);
  });

  it('a free plan begins with the form, once', async () => {
    const plan = await planOf(shop.feePrice({ properties: { unitPrice: '0' } }));
    const page = await open(await link(plan));
    const done = await Promise.all(
      Array.from({ length: 5 }, () => reader.press(page, 'Start the subscription', { ...ADA, name: 'Free Rider' })),
    );
    for (const { headings } of done) expect(headings).toEqual(['Your subscription has started']);
    expect(await subscriptionsOf(plan)).toMatchObject([{ status: 'active', autoCharge: false }]);
    expect(await customerNamed('Free Rider')).toHaveLength(1);
    const sent = await open(await link(plan, { redirectUrls: { onSuccess: 'https://shop.example/welcome' } }));
    expect((await reader.press(sent, 'Start the subscription', ADA)).elsewhere).toBe('https://shop.example/welcome');
  });
});

describe('who subscribes', () => {
  it('the page reveals no known address, and a typed address gives no access to a customer', async () => {
    const plan = await planOf(inAdvance());
    const known = await shop.customer({
      consumer: { name: 'Known', email: 'known@buyer.example', address: { country: 'FR' } },
    });
    const made = await link(plan);
    const typed = { ...ADA, name: 'Stranger', email: 'known@buyer.example' };
    const asKnown = await reader.press(await open(made), 'Continue to payment', typed);
    const asNew = await reader.press(await open(made), 'Continue to payment', { ...typed, email: 'new@buyer.example' });
    const same = ({ words }: Page) => words.replace(/known@|new@/g, '');
    expect(same(asKnown)).toBe(same(asNew));
    await pay(asKnown);
    const [stranger] = await customerNamed('Stranger');
    expect(stranger?.id).not.toBe(known.id);
    expect((await shop.read(`/v0/customers/${known.id}/paymentMethods`)).data).toEqual([]);
    expect((await shop.read(`/v0/subscriptions?customerId=${known.id}`)).data).toEqual([]);
  });

  it('a customer that is there types nothing, and reads their own language', async () => {
    const plan = await planOf(inAdvance());
    const customer = await shop.customer();
    await shop.change(`/v0/customers/${customer.id}`, { locale: 'de' });
    const page = await open(await link(plan, { customerId: customer.id }));
    expect(page.language).toBe('de');
    expect(page.words).toContain('Jetzt fällig');
    const session = await reader.press(page, 'Weiter zur Zahlung');
    await reader.press(session, /zahlen$/, { paymentMethod: 'pm_ok' });
    expect(await subscriptionsOf(plan)).toMatchObject([{ status: 'active', customerId: customer.id }]);
    expect((await shop.read(`/v0/customers/${customer.id}/paymentMethods`)).data).toHaveLength(1);
  });

  it('what is wrong is said in one place and at each field, and what was typed stays', async () => {
    const page = await open(await link(await planOf(inAdvance())));
    const wrong = await reader.press(page, 'Continue to payment', {
      name: 'A & "B" <i>',
      email: 'no address',
      country: 'DE',
      taxId: 'DE12',
    });
    expect(wrong.address).toMatch(/\?form=\w{22}$/);
    expect(wrong.title).toMatch(/^Please look at these fields again – /);
    expect(wrong.links.map(({ href, words }) => [href, words])).toEqual([
      ['#email', 'Enter an e-mail address like name@example.com.'],
      ['#line1', 'Enter your street and number.'],
      ['#city', 'Enter your town.'],
      ['#taxId', 'Check your tax number, or leave the field empty.'],
    ]);
    for (const part of [
      'value="A &amp; &quot;B&quot; &lt;i&gt;"',
      'value="no address"',
      '<option value="DE" selected>',
    ])
      expect(wrong.text).toContain(part);
    for (const field of ['email', 'line1', 'city', 'taxId'])
      expect(wrong.text).toMatch(
        new RegExp(`id="${field}"[^>]*aria-invalid="true"[^>]*aria-describedby="[^"]*${field}-problem"`),
      );
  });

  it('a tax number is checked by a button, kept as it is written there, and printed on the invoice', async () => {
    const plan = await planOf(inAdvance());
    const page = await open(await link(plan));
    const german = { ...ADA, name: 'Taxed GmbH', country: 'DE', zipCode: '10115', taxId: '136 695 976' };
    const checked = await reader.press(page, 'Check the number and the tax', german);
    expect([checked.status, checked.words.includes('We could not confirm this number now. VAT is charged.')]).toEqual([
      200,
      true,
    ]);
    const bad = await reader.press(checked, 'Check the number and the tax', { taxId: 'DE1' });
    expect(bad.words).toContain('This is not a tax number of this country.');
    await pay(await reader.press(checked, 'Continue to payment'));
    expect(await customerNamed('Taxed GmbH')).toMatchObject([{ taxId: 'DE136695976' }]);
  });

  it.each([
    { country: 'FR', typed: '40 303 265 045', answer: 'valid', says: 'FR40303265045 is registered.' },
    {
      country: 'FR',
      typed: 'FR40303265045',
      answer: 'invalid',
      says: 'The register of the European Union does not know',
    },
    { country: 'FR', typed: 'FR40303265045', answer: 'down', says: 'We could not confirm this number now.' },
    { country: 'GR', typed: '094259216', answer: 'valid', says: 'EL094259216 is registered.' },
    { country: 'FR', typed: 'FR40303265046', answer: 'valid', says: 'This is not a tax number of this country.' },
    { country: 'DE', typed: 'none', answer: 'valid', says: 'This is not a tax number of this country.' },
    { country: 'US', typed: '12-3456789', answer: 'valid', says: 'Numbers of this country are not checked here.' },
    { country: 'DE', typed: 'DE000000000', answer: 'down', says: 'DE000000000 is registered.' },
    { country: 'DE', typed: 'DE111111111', answer: 'valid', says: 'does not know DE111111111' },
    { country: 'DE', typed: 'FR22222222222', answer: 'valid', says: 'We could not confirm this number now.' },
    { country: '', typed: '12', answer: 'valid', says: 'Numbers of this country are not checked here.' },
    { country: 'FR', typed: '', answer: 'valid', says: '' },
  ] as const)('of $country, $typed is checked while it is typed, with the register $answer', async (row) => {
    await forgetConfirmedTaxIds.run(env.database, Temporal.Instant.from(NOW).add({ hours: 49 }));
    for (const number of ['FR40303265045', 'EL094259216']) vies.tell(number, row.answer);
    const { id } = await link(await planOf(inAdvance()));
    const form = { 'content-type': 'application/x-www-form-urlencoded' };
    const body = new URLSearchParams({ country: row.country, taxId: row.typed }).toString();
    const said = await env.client().post(`/pay/signup/${id}/taxId`, body, form);
    expect(said.status).toBe(200);
    if (row.says === '') expect(said.text).toBe('');
    else expect(said.text).toContain(row.says);
    expect((await env.client().post('/pay/signup/clk_none/taxId', body, form)).status).toBe(404);
  });

  describe('a VAT number of a business abroad', () => {
    const AUSTRIAN = { ...ADA, city: 'Wien', zipCode: '1010', country: 'AT', taxId: 'U13585627' };
    const NUMBER = 'ATU13585627';
    /** A German merchant, and a link to a plan of 49.00 in advance. */
    const openNord = async (): Promise<{ of: Shop; made: Resource }> => {
      const seller = await env.merchant();
      const of = shopOf(seller);
      const germany = { country: 'DE', taxId: 'DE136695976', from: '2020-01-01' };
      await of.change(`/v0/organizations/${seller.id}`, {
        ...{ name: 'Nord GmbH', address: { line1: 'Am Tor 1', city: 'Bremen', zipCode: '28195', country: 'DE' } },
        settings: { taxRegistrations: [germany] },
      });
      const fee = await of.feePrice({ paymentTerm: 'in_advance', properties: { unitPrice: '49.00' } });
      const plan = await of.plan([fee], { currency: 'EUR' });
      return { of, made: await of.create('/v0/checkoutLinks', { planId: plan.id }) };
    };
    const questions = () => vies.asked.filter((number) => number === NUMBER).length;

    it.each([
      { register: 'valid', checks: true, pays: '49.00', status: 'valid', later: 0 },
      { register: 'valid', checks: false, pays: '49.00', status: 'valid', later: 0 },
      { register: 'invalid', checks: true, pays: '58.31', status: 'unchecked', later: 1 },
      { register: 'down', checks: false, pays: '58.31', status: 'unchecked', later: 1 },
    ] as const)('with the register $register is billed $pays (checked before: $checks)', async (row) => {
      const { of, made } = await openNord();
      vies.tell(NUMBER, row.register);
      const page = await open(made);
      const checked = row.checks ? await reader.press(page, 'Check the number and the tax', AUSTRIAN) : page;
      if (row.checks) expect(checked.words).toContain(`€${row.pays}`);
      const session = await reader.press(checked, 'Continue to payment', AUSTRIAN);
      expect(session.words).toContain(`Pay €${row.pays}`);
      const before = questions();
      await pay(session);
      const [customer] = (await of.read('/v0/customers')).data;
      expect(customer.taxIdStatus).toBe(row.status);
      const [invoice] = (await of.read('/v2/invoices?status=PAID')).data;
      expect(invoice.grandTotal).toBe(row.pays);
      await env.runDueWork();
      expect(questions() - before).toBe(row.later);
    });

    it.each([
      { hours: 23, register: 'invalid', pays: '49.00', asked: 0 },
      { hours: 24, register: 'valid', pays: '49.00', asked: 1 },
      { hours: 47, register: 'down', pays: '49.00', asked: 1 },
      { hours: 47, register: 'invalid', pays: '58.31', asked: 1 },
      { hours: 48, register: 'down', pays: '58.31', asked: 1 },
    ] as const)('confirmed $hours hours ago, with the register $register now, is billed $pays', async (row) => {
      const { made } = await openNord();
      vies.tell(NUMBER, 'valid');
      const checked = await reader.press(await open(made), 'Check the number and the tax', AUSTRIAN);
      expect(checked.words).toContain('€49.00');
      const before = questions();
      vies.tell(NUMBER, row.register);
      env.setNow(`${Temporal.Instant.from(NOW).add({ hours: row.hours })}`);
      const session = await reader.press(checked, 'Continue to payment', AUSTRIAN);
      env.setNow(NOW);
      expect(session.words).toContain(`Pay €${row.pays}`);
      expect(questions() - before).toBe(row.asked);
    });
  });

  it('a form is always answered by a redirect, and what it held is shown at an address without it', async () => {
    const made = await link(await planOf(inAdvance()));
    const path = new URL(made.url).pathname;
    const send = (fields: Record<string, string>) =>
      env
        .client()
        .post(path, new URLSearchParams(fields).toString(), { 'content-type': 'application/x-www-form-urlencoded' });
    const typed = { ...ADA, name: 'Going Back', form: 'formOfGoingBack', version: await planIn(path) };
    for (const fields of [
      { ...typed, check: '1' },
      { ...typed, email: 'none' },
      { ...typed, version: 'plv_none' },
    ]) {
      const { status, headers, text } = await send(fields);
      expect([status, headers.location, text]).toEqual([303, `${made.id}?form=formOfGoingBack`, '']);
      const shown = await reader.open(`${path}?form=formOfGoingBack`);
      expect([shown.status, shown.text.includes('value="Going Back"')]).toEqual([200, true]);
      expect(shown.text).not.toContain('value="formOfGoingBack"'); // the next form is another one
    }
    const sent = await send(typed);
    expect(sent.headers.location).toMatch(/^\.\.\/ps_/);
    expect((await reader.open(`${path}?form=formOfGoingBack`)).text).toContain('value="Going Back"');
    expect((await reader.open(`${path}?form=another`)).text).not.toContain('Going Back');
    const elsewhere = await link(await planOf(inAdvance()));
    expect((await reader.open(`${new URL(elsewhere.url).pathname}?form=formOfGoingBack`)).text).not.toContain(
      'Going Back',
    );
  });

  it('what was typed into a form that was never finished is forgotten after a day', async () => {
    const page = await open(await link(await planOf(inAdvance())));
    const wrong = await reader.press(page, 'Continue to payment', { name: 'Soon Forgotten' });
    expect((await reader.open(wrong.address)).text).toContain('Soon Forgotten');
    await forgetCheckouts.run(env.database, Temporal.Instant.from(NOW).add({ hours: 25 }));
    expect((await reader.open(wrong.address)).text).not.toContain('Soon Forgotten');
  });

  it('Enter in a field submits the form, and does not only check the tax number', async () => {
    const page = await open(await link(await planOf(inAdvance())));
    // a browser presses the first (HTML, implicit submission)
    const [first] = page.text.match(/<button[\s\S]*?<\/button>/g) ?? [];
    expect(first).toContain('Continue to payment');
    expect(first).not.toContain('name=');
  });
});

describe('the first payment of a subscription that the merchant made', () => {
  it.each([
    { locale: 'en', says: 'The next invoice comes on 10 April 2026: $58.80, with tax. What you use is billed on top.' },
    { locale: 'de', says: 'Die nächste Rechnung kommt am 10. April 2026: 58,80' },
  ] as const)('says when the next invoice comes, in $locale, and changes nothing by saying so', async (row) => {
    const plan = await planOf(inAdvance(), shop.usagePrice());
    const customer = await shop.customer({ locale: row.locale });
    const made = await shop.subscribe(plan, { customer, startedAt: NOW });
    const path = new URL(made.payment.checkoutUrl).pathname;
    const page = await reader.open(path);
    expect(page.words).toContain(row.says);
    expect((await shop.read(`/v0/subscriptions/${made.id}`)).status).toBe('pending_payment');
    expect((await shop.read(`/v2/invoices?subscriptionId=${made.id}&status=ACTIVE`)).data).toEqual([]);
    await shop.act(`/v0/paymentSessions/${made.payment.paymentSessionId}/complete`, { paymentMethod: 'pm_ok' });
    const [open] = (await shop.read(`/v2/invoices?subscriptionId=${made.id}&status=ACTIVE`)).data;
    expect([open.periodEnd, open.grandTotal]).toEqual(['2026-04-10T09:30:00Z', '58.80']);
    expect((await reader.open(path)).words).not.toContain(row.says);
  });
});

describe('a link that is over', () => {
  it('from its end on accepts no visitor, and no started visitor can pay', async () => {
    const plan = await planOf(inAdvance());
    const made = await link(plan, { expiresIn: 'PT2H', redirectUrls: { onFailure: 'https://shop.example/plans' } });
    const page = await open(made);
    const session = await reader.press(page, 'Continue to payment', ADA);
    env.setNow('2026-03-10T11:30:00Z');
    const over = await open(made);
    expect(over.headings).toEqual(['This link has expired']);
    expect(over.links.map(({ href }) => href)).toEqual(['https://shop.example/plans']);
    expect((await reader.press(page, 'Continue to payment', ADA)).headings).toEqual(['This link has expired']);
    expect((await pay(session)).headings).toContain('This payment link has expired');
    expect(await read(made)).toMatchObject({ status: 'expired' });
    env.setNow(NOW);
    expect(await subscriptionsOf(plan)).toEqual([]);
  });

  it('ended before its time ends what was begun by it; again is the same as once', async () => {
    const plan = await planOf(inAdvance());
    const made = await link(plan);
    const session = await reader.press(await open(made), 'Continue to payment', ADA);
    expect(await shop.act(`/v0/checkoutLinks/${made.id}/expire`)).toMatchObject({ status: 'expired' });
    expect(await shop.act(`/v0/checkoutLinks/${made.id}/expire`)).toMatchObject({ status: 'expired' });
    expect((await reader.open(session.address)).headings).toContain('This payment link has expired');
    expect((await open(made)).headings).toEqual(['This link has expired']);
  });

  it('what was typed by people who did not subscribe is forgotten a day later', async () => {
    const plan = await planOf(inAdvance());
    const session = await reader.press(await open(await link(plan)), 'Continue to payment', {
      ...ADA,
      name: 'Forget Me',
    });
    const kept = () =>
      env.database.transaction({ merchants: [merchant.id] }, (tx) =>
        tx.rows(sql`select from checkout where typed ->> 'name' = 'Forget Me'`),
      );
    expect(await kept()).toHaveLength(1);
    await forgetCheckouts.run(env.database, Temporal.Instant.from('2026-03-12T09:29:00Z'));
    expect(await kept()).toHaveLength(1);
    await forgetCheckouts.run(env.database, Temporal.Instant.from('2026-03-12T09:31:00Z'));
    expect(await kept()).toEqual([]);
    expect((await reader.open(session.address)).status).toBe(200);
  });
});

describe('strangers and mistakes', () => {
  it('a form that another site sends begins nothing', async () => {
    const { id } = await link(await planOf(inAdvance()));
    const form = { 'content-type': 'application/x-www-form-urlencoded', 'sec-fetch-site': 'cross-site' };
    const sent = await env.client().post(`/pay/signup/${id}`, 'form=a&version=b', form);
    expect([sent.status, sent.headers.location]).toEqual([303, id]);
  });

  it('hostile names in every field stay text', async () => {
    const hostile = `<script>alert(1)</script>"'`;
    const plan = await shop.plan([await inAdvance()], {
      name: hostile,
      description: hostile,
      invoiceDisplayName: hostile,
    });
    const page = await open(await link(plan));
    const typed = Object.fromEntries(Object.keys(ADA).map((field) => [field, field === 'country' ? 'GB' : hostile]));
    const wrong = await reader.press(page, 'Continue to payment', {
      ...typed,
      line2: hostile,
      state: hostile,
      taxId: hostile,
    });
    const session = await reader.press(wrong, 'Continue to payment', { email: ADA.email });
    const paid = await pay(session);
    for (const { text } of [page, wrong, session, paid]) {
      expect(text).not.toContain('<script>alert');
      expect(text).toContain('&lt;script&gt;');
    }
  });

  it.each(['clk_none', 'clk_', 'plan_1', '%3Cscript%3E', '..%2F..%2Fetc'])('%s is no link', async (id) => {
    expect((await reader.open(`/pay/signup/${id}`)).status).toBe(404);
  });

  it('runs one script at most, whose hash its policy names', async () => {
    const page = await open(await link(await planOf(inAdvance())));
    const [script, ...others] = [...page.text.matchAll(/<script>([\s\S]*?)<\/script>/g)].map(([, inner = '']) => inner);
    expect(others).toEqual([]);
    const hash = createHash('sha256')
      .update(script as string)
      .digest('base64');
    const policy = String(page.headers['content-security-policy']);
    expect(policy).toContain(`script-src 'sha256-${hash}'; connect-src 'self'`);
    expect(policy).toContain("default-src 'none'");
    expect(page.headers).toMatchObject({ 'cache-control': 'private, no-store', 'referrer-policy': 'no-referrer' });
  });

  it.each([
    {
      what: 'a place that is no address',
      body: { redirectUrls: { onSuccess: 'https:evil.example' } },
      field: 'redirectUrls.onSuccess',
    },
    { what: 'no time', body: { expiresIn: 'PT0S' }, field: 'expiresIn' },
    { what: 'two people for whom it is', body: { customer: { name: 'A' }, maxUses: 2 }, field: 'maxUses' },
    { what: 'nobody', body: { maxUses: 0 }, field: 'maxUses' },
    { what: 'a customer twice', body: { customer: { name: 'A' }, customerId: 'me' }, field: 'customerId' },
  ])('refuses $what', async ({ body, field }) => {
    const plan = await planOf(inAdvance());
    const refused = await merchant.post('/v0/checkoutLinks', { planId: plan.id, ...body });
    expect([refused.status, refused.body.errors.map((error: Resource) => error.field)]).toEqual([400, [field]]);
  });

  it('is refused where no cards are taken, and where the first invoice needs an approval', async () => {
    const other = await env.merchant();
    const theirs = shopOf(other);
    const plan = await theirs.plan([await theirs.feePrice({ paymentTerm: 'in_advance' })]);
    const settings = (fields: object) => theirs.change(`/v0/organizations/${other.id}`, { settings: fields });
    const code = async () => (await other.post('/v0/checkoutLinks', { planId: plan.id })).body.code;
    await settings({ requiredApprovals: { invoice: ['financial_review'], order: [] } });
    expect(await code()).toBe('CHECKOUT_NOT_POSSIBLE');
    await settings({ requiredApprovals: { invoice: [], order: [] }, paymentProvider: 'none' });
    expect(await code()).toBe('NO_PAYMENT_PROVIDER');
    const stranger = await merchant.post('/v0/checkoutLinks', { planId: plan.id });
    expect(stranger.status).toBe(403);
  });

  it('is listed newest first, by plan and by customer', async () => {
    const [plan, customer] = [await planOf(inAdvance()), await shop.customer()];
    const [one, two] = [await link(plan), await link(plan, { customerId: customer.id })];
    const listed = async (query: string) =>
      (await shop.read(`/v0/checkoutLinks?${query}`)).data.map(({ id }: Resource) => id);
    expect(await listed(`planId=${plan.id}`)).toEqual([two.id, one.id]);
    expect(await listed(`customerId=${customer.id}`)).toEqual([two.id]);
  });
});

describe('a coupon of a sign-up link', () => {
  it('is in the price of the page, and held from the form to the payment', async () => {
    const plan = await planOf(inAdvance('50'));
    const fields = { name: 'Half', percentOff: '0.5', duration: 'once', maxRedemptions: 1 };
    const coupon = await shop.create('/v0/coupons', fields);
    const made = await link(plan, { coupons: [coupon.id] });
    expect(made).toMatchObject({ coupons: [coupon.id], allowPromotionCodes: false });
    const page = await open(made);
    // 50.00 less 25.00, and 20 % tax; the next one is 60.00.
    for (const part of ['$30.00', 'Seat: Half', '10 April 2026: $60.00']) expect(page.words).toContain(part);
    const session = await reader.press(page, 'Continue to payment', ADA);
    expect(session.words).toContain('Pay $30.00');
    expect((await shop.read(`/v0/coupons/${coupon.id}`)).redemptionCount).toBe(1);
    await sleep(3_100); // a page keeps its offer for 3 seconds
    const gone = await open(made);
    for (const part of ['The discount is no longer available', '$60.00']) expect(gone.words).toContain(part);
    await pay(session);
    const [subscription] = await subscriptionsOf(plan);
    const { data } = await shop.read(`/v0/subscriptions/${subscription.id}/coupons`);
    expect(data).toMatchObject([{ couponId: coupon.id, totalDiscount: '25.00' }]);
    expect((await shop.read(`/v0/coupons/${coupon.id}`)).redemptionCount).toBe(1);
  });

  it('is typed as a code, and given back where nobody pays', async () => {
    const plan = await planOf(inAdvance('50'));
    const fields = { name: 'Half', code: 'HALF-OFF', percentOff: '0.5', duration: 'once' };
    const coupon = await shop.create('/v0/coupons', fields);
    const made = await link(plan, { allowPromotionCodes: true });
    const path = new URL(made.url).pathname;
    expect((await open(made)).words).toContain('Promotion code');
    const wrong = await reader.open(`${path}?code=nothing`);
    for (const part of ['This code cannot be used', '$60.00']) expect(wrong.words).toContain(part);
    const page = await reader.open(`${path}?code=half-off`);
    expect(page.words).toContain('$30.00');
    const session = await reader.press(page, 'Continue to payment', ADA);
    expect(session.words).toContain('Pay $30.00');
    expect((await shop.read(`/v0/coupons/${coupon.id}`)).redemptionCount).toBe(1);
    await shop.act(`/v0/checkoutLinks/${made.id}/expire`);
    expect((await shop.read(`/v0/coupons/${coupon.id}`)).redemptionCount).toBe(0);
  });

  it('is refused as the link is made, with its field', async () => {
    const plan = await planOf(inAdvance('50'));
    const answer = await merchant.post('/v0/checkoutLinks', { planId: plan.id, coupons: ['nothing'] });
    expect([answer.status, answer.body.details]).toEqual([404, expect.objectContaining({ field: 'coupons.0' })]);
  });
});
