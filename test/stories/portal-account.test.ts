import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Merchant, sharedEnvironment, type TestEnvironment } from '../support/environment.ts';
import { visit } from '../support/portal.ts';
import { type Resource, type Shop, START, shopOf } from '../support/shop.ts';

/** The cards and billing details of customers in the portal, and their usage and balances. */
let env: TestEnvironment;
let merchant: Merchant;
let shop: Shop;
beforeAll(async () => {
  env = await sharedEnvironment();
  merchant = await env.merchant();
  shop = shopOf(merchant);
});
afterAll(() => env.close());

const HOSTILE = `"><script>alert('x')</script>`;
const auditOf = async (operation: string, customer: Resource) =>
  (await shop.read(`/v0/auditLog?operation=${operation}`)).data.filter(
    ({ customerId }: Resource) => customerId === customer.id,
  );

describe('billing credits', () => {
  const give = (customer: Resource) =>
    shop.create(`/v0/customers/${customer.id}/billingCredits`, {
      ...{ name: 'Sorry', amount: '12.50', currency: 'USD', idempotencyKey: `portal ${customer.id}` },
    });

  it('are what is left of them in each currency', async () => {
    const customer = await shop.customer();
    const reader = await visit(env, shop, customer);
    expect((await reader.open('/portal/balances')).words).toContain('There are no allowances.');
    await give(customer);
    const { words } = await reader.open('/portal/balances');
    expect(words).toMatch(/Credits \$12\.50 Left · for invoices, before tax Used \$0\.00/);
    expect(words).not.toContain('There are no allowances.');
  });

  it('are money, so a customer for whom another one pays sees none', async () => {
    const payer = await shop.customer();
    const customer = await shop.customer({ payerId: payer.id });
    await give(customer);
    const reader = await visit(env, shop, customer);
    expect((await reader.open('/portal/balances')).words).not.toContain('Credits');
  });
});

describe('cards', () => {
  it('are added on the page of a session, and the new one is charged from then on', async () => {
    const customer = await shop.customer();
    const reader = await visit(env, shop, customer);
    const addCard = async (card: string) => {
      const session = await reader.press(await reader.open('/portal/cards'), 'Add a card');
      expect(session.address).toMatch(/^\/pay\/ps_/);
      return reader.press(session, /card/i, { paymentMethod: card });
    };
    const first = await addCard('pm_ok');
    expect([first.address, first.words]).toEqual(['/portal/cards?done=default', expect.stringContaining('Visa')]);
    await addCard('pm_ok');
    const { data } = await shop.read(`/v0/customers/${customer.id}/paymentMethods`);
    expect(data.map(({ isDefault }: Resource) => isDefault)).toEqual([true, false]);
    expect(await auditOf('addPortalCard', customer)).toHaveLength(2);
  });

  it('are chosen and removed, each once however often it is pressed', async () => {
    const customer = await shop.customer();
    const [older, newer] = [await storeCard(customer), await storeCard(customer)];
    expect([older.isDefault, newer.isDefault]).toEqual([true, false]);
    const reader = await visit(env, shop, customer);
    const page = await reader.follow(reader.first, 'Payment methods');
    const chosen = await reader.press(page, /^Charge this card/);
    expect(chosen.words).toContain('This card is charged from now on.');
    expect(await defaultOf(customer)).toBe(newer.id);
    const removeNewer = () => env.client().post(`/portal/cards/${newer.id}/remove`, body, headers);
    const body = new URLSearchParams({ formKey: keyOf(page) }).toString();
    const headers = {
      cookie: `reckoner_portal=${reader.cookies.get('reckoner_portal')}`,
      'content-type': 'application/x-www-form-urlencoded',
    };
    const answers = await Promise.all(Array.from({ length: 10 }, removeNewer));
    expect(answers.map(({ status }) => status).toSorted()).toEqual([303, ...Array(9).fill(404)]);
    expect(await defaultOf(customer)).toBe(older.id);
    expect(await auditOf('removePortalCard', customer)).toMatchObject([{ resourceId: newer.id, actor: 'customer' }]);
  });

  it('that failed are replaced, and the open dunning continues with the new one', async () => {
    const clock = await shop.clock(START);
    const customer = await shop.customer();
    const setup = await shop.create(`/v0/customers/${customer.id}/paymentMethods`);
    await shop.act(`/v0/paymentSessions/${setup.id}/complete`, { paymentMethod: 'pm_then_declined' });
    const plan = await shop.plan([await shop.feePrice()]);
    const subscription = await shop.subscribe(plan, { clock, customer, autoCharge: true });
    await shop.advance(clock, 'P1M');
    await shop.advance(clock, 'P1D');
    const [invoice] = await shop.invoices(subscription);
    expect(invoice).toMatchObject({ status: 'PAYMENT_FAILED', failureReason: 'card_declined' });
    const reader = await visit(env, shop, customer);
    expect(reader.first.words).toContain('The last payment did not work.');
    const page = await reader.follow(reader.first, 'Check your payment methods');
    expect(page.words).toContain('$10.00 could not be charged.');
    expect(page.words).toContain('is tried again on 3 February 2026');
    const added = await reader.press(await reader.press(page, 'Add a card'), /card/i, { paymentMethod: 'pm_ok' });
    expect(added.address).toBe('/portal/cards?done=default');
    await shop.advance(clock, 'P2D');
    expect(await shop.invoice(invoice.id)).toMatchObject({ status: 'PAID' });
  });
});

const storeCard = async (customer: Resource) => {
  const setup = await shop.create(`/v0/customers/${customer.id}/paymentMethods`);
  await shop.act(`/v0/paymentSessions/${setup.id}/complete`, { paymentMethod: 'pm_ok' });
  return (await shop.read(`/v0/customers/${customer.id}/paymentMethods`)).data[0];
};
const defaultOf = async (customer: Resource) =>
  (await shop.read(`/v0/customers/${customer.id}/paymentMethods`)).data.find(({ isDefault }: Resource) => isDefault)
    ?.id;
const keyOf = (page: { forms: readonly { fields: readonly { name: string; value: string }[] }[] }) =>
  page.forms[0]?.fields.find(({ name }) => name === 'formKey')?.value as string;

describe('billing details', () => {
  it('are changed as by the customer, and issued invoices keep theirs', async () => {
    const { clock, invoice, subscription } = await shop.issued();
    const customer = { id: subscription.customerId };
    const before = (await env.client().get(`/pay/invoices/${invoice.id}/invoice.pdf`)).text;
    const reader = await visit(env, shop, customer);
    const page = await reader.follow(reader.first, 'Billing details');
    const saved = await reader.press(page, 'Save', {
      name: 'Ada Lovelace & Co',
      emails: 'ada@example.com, bills@example.com',
      line1: '12 St James’s Square',
      line2: '',
      zipCode: 'SW1Y 4JH',
      city: 'London',
      country: 'GB',
      taxId: 'GB123456789',
    });
    expect(saved.words).toContain('Your details were saved.');
    expect(await shop.read(`/v0/customers/${customer.id}`)).toMatchObject({
      taxId: 'GB123456789',
      organization: {
        name: 'Ada Lovelace & Co',
        billingEmails: ['ada@example.com', 'bills@example.com'],
        address: { line1: '12 St James’s Square', zipCode: 'SW1Y 4JH', city: 'London', country: 'GB' },
      },
    });
    expect(await auditOf('savePortalDetails', customer)).toMatchObject([
      {
        actor: 'customer',
        resourceId: customer.id,
        before: { taxId: null },
        after: { taxId: 'GB123456789', organization: { name: 'Ada Lovelace & Co' } },
      },
    ]);
    expect((await env.client().get(`/pay/invoices/${invoice.id}/invoice.pdf`)).text).toBe(before);
    await shop.advance(clock, 'P1M');
    const next = (await shop.invoices(subscription))[1];
    expect((await env.client().get(`/pay/invoices/${next.id}/invoice.pdf`)).text).toContain('Ada Lovelace');
  });

  it.each([
    { field: 'name', value: ' ', says: 'This must be filled in.' },
    { field: 'emails', value: '', says: 'Enter one to 20 e-mail addresses' },
    { field: 'emails', value: 'ada@example.com, nobody', says: 'Enter one to 20 e-mail addresses' },
    { field: 'taxId', value: 'x'.repeat(101), says: 'At most 100 characters.' },
  ])('with $field “$value” are asked again, and nothing is saved', async ({ field, value, says }) => {
    const customer = await shop.customer();
    const reader = await visit(env, shop, customer);
    const page = await reader.open('/portal/details');
    const again = await reader.press(page, 'Save', { city: 'Elsewhere', [field]: value });
    expect([again.status, again.words]).toEqual([400, expect.stringContaining(says)]);
    expect(again.text).toContain(`aria-describedby="${field === 'emails' ? 'emails-hint ' : ''}${field}-wrong"`);
    expect(again.links).toContainEqual(expect.objectContaining({ href: `#${field}` }));
    expect(again.forms.flatMap(({ fields }) => fields)).toContainEqual(
      expect.objectContaining({ name: 'city', value: 'Elsewhere' }),
    );
    expect(await shop.read(`/v0/customers/${customer.id}`)).toMatchObject({
      organization: { name: customer.organization.name, address: { city: 'London' } },
    });
  });

  it('stay text, whatever is typed', async () => {
    const customer = await shop.customer();
    const reader = await visit(env, shop, customer);
    const page = await reader.open('/portal/details');
    const hostile = { name: HOSTILE, phone: HOSTILE, line1: HOSTILE, line2: HOSTILE, city: HOSTILE, taxId: HOSTILE };
    const saved = await reader.press(page, 'Save', { ...hostile, state: HOSTILE, zipCode: HOSTILE });
    expect(saved.status).toBe(200);
    expect(saved.text).not.toContain('<script');
    expect(saved.forms.flatMap(({ fields }) => fields)).toContainEqual(
      expect.objectContaining({ name: 'line2', value: HOSTILE }),
    );
  });
});

describe('usage', () => {
  it('is shown day by day, in this period and the ones before it', async () => {
    const clock = await shop.clock(START);
    const metric = await shop.metric({ eventType: 'portal.usage', name: HOSTILE });
    const plan = await shop.plan([await shop.usagePrice({ billableMetricId: metric.id })]);
    const subscription = await shop.subscribe(plan, { clock });
    await shop.advance(clock, 'P34D');
    const { customerId } = subscription;
    for (const [timestamp, units] of [
      ['2026-01-05T10:00:00Z', '3.5'],
      ['2026-01-05T20:00:00Z', '1.25'],
      ['2026-02-02T00:00:00Z', '7'],
    ] as const)
      await shop.use(customerId, timestamp, units, { type: 'portal.usage' });
    const reader = await visit(env, shop, { id: customerId });
    const page = await reader.follow(reader.first, 'Usage');
    expect(page.words).toContain('In all 7 calls');
    expect(page.words).toContain('2 February 2026 7 calls');
    const before = await reader.follow(page, /^1 – 31 Jan 2026$/);
    expect(before.words).toContain('In all 4.75 calls Cost without tax $4.75 Calls $1.00 per call');
    expect(before.words).toContain('5 January 2026 4.75 calls');
    expect(before.words).toContain('6 January 2026 0 calls');
    for (const { text } of [page, before]) {
      expect(text).toContain('role="img"');
      expect(text).not.toContain('<script');
      expect(text).not.toContain('style="');
    }
    const none = await visit(env, shop, await shop.customer());
    expect((await none.open('/portal/usage')).words).toContain('No usage is measured');
  });
});

describe('usage that is billed by group', () => {
  it('is shown by group, with the amount of each, and what is left of many groups', async () => {
    const clock = await shop.clock(START);
    const metric = await shop.metric({
      ...{ eventType: 'portal.token', name: 'Tokens', unit: 'token' },
      groupBy: { model: '$.model' },
    });
    const models = Array.from({ length: 10 }, (_, index) => `m${index}`);
    const price = await shop.usagePrice({
      ...{ billableMetricId: metric.id, model: 'matrix' },
      properties: {
        dimensions: ['model'],
        cells: models.map((model, index) => ({ match: { model }, unitPrice: `0.${index + 1}` })),
        default: '1',
      },
    });
    const { customerId } = await shop.subscribe(await shop.plan([price]), { clock });
    await shop.advance(clock, 'P9D');
    for (const [index, model] of models.entries())
      await shop.use(customerId, '2026-01-05T10:00:00Z', 100 - index, {
        type: metric.eventType,
        data: { model, units: 100 - index },
      });
    const reader = await visit(env, shop, { id: customerId });
    const page = await reader.open('/portal/usage');
    expect(page.words).toContain('In all 955 tokens');
    expect(page.words).toContain('model: m0 100 tokens $10.00');
    expect(page.words).toContain('Others 276 tokens');
    const amounts = [...page.words.matchAll(/ tokens \$(\S+)/g)].map(([, amount]) => Number(amount));
    const upcoming = await shop.read(`/v0/customers/${customerId}`).then(async () => {
      const { data } = await shop.read(`/v0/subscriptions?customerId=${customerId}`);
      return shop.read(`/v0/subscriptions/${data[0].id}/upcomingInvoice`);
    });
    expect(amounts.reduce((total, each) => total + each, 0)).toBeCloseTo(Number(upcoming.grandTotal), 8);
    expect(page.text.match(/<path class="s\d"/g)).toHaveLength(8);
  });
});

describe('balances', () => {
  it('are those of the API, with the days on which they went down', async () => {
    const clock = await shop.clock(START);
    const product = await shop.product();
    const metric = await shop.metric({ eventType: 'portal.balance', productId: product.id });
    const feature = await shop.create('/v0/features', {
      name: 'Tokens of the month',
      key: 'portal-tokens',
      type: 'metered',
      productId: product.id,
    });
    const price = await shop.feePrice({
      feature: {
        featureId: feature.id,
        entitlementTemplate: {
          type: 'metered',
          usagePeriod: { interval: 'P1M' },
          isSoftLimit: false,
          issueAfterReset: 100,
          billableMetricIds: [metric.id],
        },
      },
    });
    const subscription = await shop.subscribe(await shop.plan([price], { productId: product.id }), { clock });
    await shop.advance(clock, 'P4D');
    await shop.use(subscription.customerId, '2026-01-03T10:00:00Z', 40, { type: 'portal.balance' });
    const reader = await visit(env, shop, { id: subscription.customerId });
    const page = await reader.follow(reader.first, 'Allowances');
    expect(page.headings).toContain('Tokens of the month');
    expect(page.words).toContain('60 Left · until 1 February 2026');
    expect(page.words).toContain('2 January 2026 0 100');
    expect(page.words).toContain('3 January 2026 40 60');
  });
});
