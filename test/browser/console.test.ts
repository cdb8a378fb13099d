import type { AddressInfo } from 'node:net';
import type { Browser, BrowserContext, Locator, Page, Route } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { makeSignInLink } from '../../src/app.ts';
import { expectGood, hasBrowser, openBrowser, TWO_LOOKS } from '../support/browser.ts';
import { PASSWORD, tokenOf } from '../support/console.ts';
import { loginUrl, openTestEnvironment, type TestEnvironment } from '../support/environment.ts';
import { type Resource, type Shop, START, shopOf } from '../support/shop.ts';
import { openWorld, type World } from '../support/world.ts';

/** The console in a real browser, by the session of a person alone. */
const HOSTILE = `${'Donaudampfschifffahrts'.repeat(3)} "><img src=x onerror=alert(1)>`;
const NAME = 'Rindfleischetikettierungsueberwachungsaufgabenuebertragungsgesetzentwurfsbuero01';

/** An invoice of 60 lines whose names are 80 characters, of a customer and a subscription that are named badly. */
async function hostileBill(shop: Shop) {
  await shop.customer({
    consumer: { name: HOSTILE, email: 'hostile@console.example', address: { country: 'DE', line1: HOSTILE } },
  });
  const productId = (await shop.product({ name: HOSTILE, description: HOSTILE })).id;
  await shop.metric({ productId, name: HOSTILE, description: HOSTILE });
  await shop.create('/v0/features', { productId, name: HOSTILE, key: 'hostile', type: 'static' });
  await shop.create('/v0/webhookEndpoints', { url: 'https://hooks.example/', description: HOSTILE, eventTypes: ['*'] });
  const prices = await Promise.all(
    Array.from({ length: 60 }, (_, index) =>
      shop.feePrice({ invoiceDisplayName: `${NAME.slice(0, 72)} LINE ${index + 1}` }),
    ),
  );
  const plan = await shop.plan(prices, { name: HOSTILE, description: HOSTILE });
  const customer = await shop.customer({
    consumer: { name: NAME, email: 'long@console.example', address: { country: 'DE', line1: NAME } },
  });
  const clock = await shop.create('/v0/testClocks', { name: NAME, currentTime: START });
  const subscription = await shop.subscribe(plan, { clock, customer, name: NAME });
  await shop.advance(clock, 'P1M');
  return { plan, customer, clock, subscription, invoice: (await shop.invoices(subscription))[0] };
}

/** A customer of a story, unlike those of the others: one with the same consumer would be found, and not made. */
const named = (name: string) => ({
  consumer: { name, email: `${name.toLowerCase().replaceAll(' ', '-')}@console.example`, address: { country: 'GB' } },
});

/** So many months after an instant, as a field for a moment takes it in the zone of this machine. */
const localMinute = (instant: string, months: number): string =>
  Temporal.Instant.from(instant)
    .toZonedDateTimeISO(Temporal.Now.timeZoneId())
    .add({ months })
    .toPlainDateTime()
    .toString({ smallestUnit: 'minute' });

/** Reads and previews go on; what would write is refused, with a field that no form has. */
async function refuseWrites(route: Route): Promise<void> {
  const request = route.request();
  const isRead =
    request.method() === 'GET' ||
    /\/(preview|simulate)$|"dryRun":true/.test(request.url() + (request.postData() ?? ''));
  if (isRead) return route.continue();
  const errors = [{ field: 'somewhere', message: 'is refused by the test' }];
  const body = { error: 'bad_request', code: 'VALIDATION_FAILED', message: 'Some fields are wrong.', errors };
  return route.fulfill({ status: 400, contentType: 'application/json', body: JSON.stringify(body) });
}

/** Opens each dialog of a page, and sends it as it is; what it says then is looked at, too. */
async function openEachDialog(page: Page, path: string): Promise<void> {
  const openers = page.locator('main [aria-haspopup=dialog]');
  const seen = new Set<string>();
  for (let index = 0; index < (await openers.count()); index += 1) {
    const opener = openers.nth(index);
    const name = (await opener.textContent()) ?? '';
    if (seen.has(name) || !(await opener.isVisible())) continue;
    seen.add(name);
    await opener.click();
    const dialog = page.getByRole('dialog');
    await dialog.waitFor();
    await page.waitForLoadState('networkidle');
    await expectGood(page, `${path} ${name}`, TWO_LOOKS);
    const submit = dialog.locator('button[type=submit]');
    if ((await submit.count()) === 1) {
      await submit.click();
      await dialog.locator('[role=alert], [aria-invalid=true]').first().waitFor();
      await expectGood(page, `${path} ${name}, refused`, TWO_LOOKS);
    }
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
  }
}

describe.skipIf(!hasBrowser)('in a browser, the console', { timeout: 900_000 }, () => {
  let env: TestEnvironment;
  let browser: Browser;
  let home: string;
  let people = 0;
  beforeAll(async () => {
    env = await openTestEnvironment(); // of its own: it opens a port
    await env.server.listen({ port: 0, host: '127.0.0.1' });
    home = `http://127.0.0.1:${(env.server.server.address() as AddressInfo).port}/console`;
    browser = await openBrowser();
  });
  afterAll(async () => {
    await browser?.close();
    await env?.close();
  });

  /** Opens a window that says what goes wrong in it: errors of scripts, of the page's policy, and of the server. */
  async function openWindow(options: { readonly bypassCSP?: boolean } = {}) {
    const context = await browser.newContext({ viewport: { width: 1280, height: 900 }, locale: 'en-GB', ...options });
    const page = await context.newPage();
    const faults: string[] = [];
    page.on('pageerror', (error) => faults.push(error.message));
    page.on('console', (message) => {
      if (message.type() === 'error' && !/status of 4\d\d/.test(message.text())) faults.push(message.text());
    });
    page.on('response', (response) => {
      if (response.status() >= 500) faults.push(`${response.status()} ${response.url()}`);
    });
    page.on('dialog', (dialog) => {
      faults.push(`a script ran: ${dialog.message()}`);
      void dialog.dismiss();
    });
    return { context, page, faults };
  }

  async function signInBy(page: Page, link: string): Promise<void> {
    await page.goto(`${home}/link#${tokenOf(link)}`);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('textbox', { name: 'Password' }).fill(PASSWORD);
    await page.getByRole('button', { name: 'Save the password' }).click();
  }

  /** A person of a merchant, signed in. */
  async function personOf(merchantId: string, role: 'admin' | 'member' | 'viewer', options = {}) {
    people += 1;
    const email = `${role}-${people}@console.example`;
    await env.platform.post('/v0/users', { organizationId: merchantId, email, role });
    const window = await openWindow(options);
    const link = await makeSignInLink(loginUrl(env.url), { email }, home);
    await signInBy(window.page, 'url' in link ? link.url : '');
    await window.page.getByRole('heading', { name: 'Home' }).waitFor();
    return { ...window, email };
  }

  const field = (within: Page | Locator, name: RegExp) => within.getByRole('textbox', { name });
  const choose = async (page: Page, within: Page | Locator, name: RegExp, option: RegExp) => {
    const [box, chosen] = [within.getByRole('combobox', { name }), page.getByRole('option', { name: option }).first()];
    await box.click();
    // A list that is read anew while it is open may take the option away under the pointer.
    await chosen.click({ timeout: 5_000 }).catch(async () => {
      await box.click();
      await chosen.click();
    });
  };
  const open = (page: Page, name: string) =>
    page.getByRole('navigation', { name: 'Pages' }).getByRole('link', { name, exact: true }).click();

  it('leads from an empty installation to an invoice that is paid, explained and refunded', async () => {
    const { page, faults } = await openWindow();
    const dialog = page.getByRole('dialog');
    const press = (name: string | RegExp) => dialog.getByRole('button', { name }).last().click();
    await signInBy(page, (await env.firstSignInLink()) as string);

    await page.getByRole('button', { name: 'New merchant' }).click();
    await field(dialog, /^Name/).fill('Probe GmbH');
    await field(dialog, /^Default currency/).fill('EUR');
    await field(dialog, /^Address country/).fill('DE');
    await press('New merchant');
    await page.getByRole('link', { name: 'Probe GmbH' }).click();
    await page.getByRole('heading', { name: 'First steps: 0 of 5' }).waitFor();

    await open(page, 'Products');
    await page.getByRole('button', { name: 'New product' }).first().click();
    await field(dialog, /^Name/).fill('Messaging');
    await press('New product');
    await page.getByRole('heading', { name: 'Messaging' }).waitFor();

    await open(page, 'Metrics');
    await page.getByRole('button', { name: 'New metric' }).first().click();
    await field(dialog, /^Name/).fill('Messages');
    await choose(page, dialog, /^Product/, /Messaging/);
    await field(dialog, /^Type of the events/).fill('message.sent');
    await choose(page, dialog, /^Aggregation/, /^Sum/i);
    await field(dialog, /^Path of the value/).fill('$.count');
    await field(dialog, /^Unit/).fill('message');
    await press('New metric');
    await page.getByRole('heading', { name: 'Messages' }).first().waitFor();

    await open(page, 'Plans');
    await page.getByRole('button', { name: 'New plan' }).first().click();
    await field(dialog, /^Name$/).fill('Growth');
    await choose(page, dialog, /^Product/, /Messaging/);
    await field(dialog, /^Currency/).fill('EUR');
    await press('New plan');
    await page.getByRole('heading', { name: 'Growth' }).waitFor();
    await page.getByRole('link', { name: 'Add a price' }).click();
    await choose(page, page, /^Metric or fee/, /Messages/);
    await field(page, /^Name on the invoice/).fill('Messages');
    await field(page, /^Price of one message/).fill('0.015');
    await field(page, /^Free messages/).fill('100');
    await page.getByText('€0.015 per message, first 100 messages free').first().waitFor();
    await page.getByRole('button', { name: 'Save, and go on to the version' }).click();
    await page.getByRole('button', { name: 'Publish' }).click();
    if (await dialog.isVisible()) await press(/^Publish/);
    await page.waitForURL(/\/versions\/2$/);

    await open(page, 'Test clocks');
    await page.getByRole('button', { name: 'New test clock' }).first().click();
    await field(dialog, /^Name/).fill('A month');
    await press('New test clock');
    await page.getByRole('heading', { name: 'A month' }).waitFor();

    await open(page, 'Customers');
    await page.getByRole('button', { name: 'New customer' }).first().click();
    await field(dialog, /^Name/).fill('Delft Design');
    await field(dialog, /^E-mail/).fill('not an address');
    await field(dialog, /^Address country/).fill('NL');
    await field(dialog, /^Your own id/).fill('workspace-1');
    await press('New customer');
    await expect.poll(() => field(dialog, /^E-mail/).getAttribute('aria-invalid')).toBe('true');
    await field(dialog, /^E-mail/).fill('ap@delft.example'); // the other fields are still filled in
    await press('New customer');
    await page.getByRole('heading', { name: 'Delft Design' }).waitFor();

    await open(page, 'Subscriptions');
    await page.getByRole('button', { name: 'New subscription' }).first().click();
    await choose(page, page, /^Customer/, /Delft Design/);
    await choose(page, page, /^Plan/, /Growth/);
    await field(page, /^Name/).fill('Delft on Growth');
    await choose(page, page, /^Test clock/, /A month/);
    await page
      .locator('main form')
      .getByRole('button', { name: /subscri/i })
      .click();
    await page.getByRole('heading', { name: 'Delft on Growth' }).waitFor();

    await open(page, 'Events');
    await page.getByRole('button', { name: 'Send a test event' }).first().click();
    await choose(page, dialog, /^An event that this metric/, /Messages/);
    await choose(page, dialog, /^Customer/, /Delft Design/);
    await field(dialog, /^Data/).fill('{"count": 1500}');
    await press(/^Send/);
    await page.getByRole('cell', { name: 'Counted' }).waitFor();

    await open(page, 'Test clocks');
    await page.getByRole('link', { name: 'A month' }).click();
    await page.getByRole('button', { name: '1 month' }).click();
    await page.getByText('The invoice is issued').waitFor();

    await open(page, 'Invoices');
    await page.getByRole('heading', { name: 'Invoices', level: 1 }).waitFor();
    await page.getByRole('link', { name: 'INV-000001' }).click();
    await page.getByRole('button', { name: /^Explain Messages, €21.00/ }).click(); // three clicks to an event
    await page.getByRole('button', { name: /^Events of/ }).click();
    await page.getByRole('link', { name: /^evt_/ }).click();
    await page.getByRole('heading', { name: 'message.sent' }).waitFor();
    await page.getByText('An invoice bills it').first().waitFor();
    for (let step = 0; step < 3; step += 1) await page.goBack();

    await page.getByRole('button', { name: 'Record a payment' }).click();
    await press('Record a payment');
    await page.getByRole('button', { name: 'Refund' }).click();
    await dialog.getByText('€21.00 goes back to the customer.').waitFor();
    await field(dialog, /^Reason/).fill('It was not delivered');
    await press('Refund €21.00');
    await page.getByRole('tab', { name: 'Payments' }).click();
    await page.getByRole('cell', { name: 'CN-000001' }).waitFor();
    expect(await page.getByRole('button', { name: 'Refund' }).count()).toBe(0);
    await page.getByRole('tab', { name: "Customer's view" }).click();
    await page.frameLocator('iframe').getByText('This invoice was refunded').waitFor();

    await page.keyboard.press('Control+k');
    await page.getByRole('combobox', { name: 'Find' }).fill('delft');
    await page.getByRole('option', { name: /Delft Design/ }).waitFor();
    await page.keyboard.press('Enter');
    await page.getByRole('tab', { name: 'Timeline' }).click();
    await page.getByText('Invoice INV-000001 paid').first().waitFor();
    expect(faults).toEqual([]);
  });

  describe('with a merchant of many things', () => {
    let world: World;
    let admin: { page: Page; faults: string[]; context: BrowserContext };
    let long: Resource;
    beforeAll(async () => {
      world = await openWorld(env);
      long = await hostileBill(shopOf(world.merchant));
      admin = await personOf(world.merchant.id, 'admin', { bypassCSP: true }); // the checker is a script, too
    });

    const PAGES = [
      ...['', '/customers', '/subscriptions', '/subscriptions/new', '/invoices', '/usage/events', '/usage/metrics'],
      ...['/usage/unbilled', '/catalog/plans', '/catalog/products', '/catalog/metrics', '/catalog/features'],
      ...['/catalog/coupons', '/customers/$customer?tab=credits', '/customers/$customer?tab=receipts'],
      '/customers/$customer?tab=statement',
      ...['/entitlements', '/clocks', '/developers/api-keys', '/developers/webhooks', '/developers/webhook-events'],
      ...['/developers/webhook-inbox', '/developers/mails', '/developers/audit-log', '/settings', '/settings/members'],
      ...['/settings/members/you', '/customers/$customer', '/customers/$customer?tab=timeline', '/invoices/$invoice'],
      ...['/invoices/$invoice?tab=payments', '/subscriptions/$subscription', '/catalog/plans/$plan'],
      ...['/catalog/plans/$plan/price', '/catalog/metrics/$metric', '/entitlements/$entitlement', '/clocks/$clock'],
    ];

    const fill = (path: string): string => {
      const ids = world as unknown as Record<string, { readonly id: string }>;
      return path.replace(/\$(\w+)/, (_, name: string) => ids[name]?.id ?? 'unknown');
    };

    it.each(PAGES)('%s is good on a phone and at a desk, light and dark', async (path) => {
      const { page, faults } = admin;
      await page.goto(`${home}/${world.merchant.id}${fill(path)}`);
      await page.locator('main h1').waitFor();
      await page.waitForLoadState('networkidle');
      await page.getByText('There is no such page').waitFor({ state: 'detached' });
      await expectGood(page, path);
      expect(faults).toEqual([]);
    });

    it.each([
      ['/invoices/$invoice', 'LINE 60'],
      ['/invoices/$invoice?tab=payments', 'INV-'],
      ['/subscriptions/$subscription', NAME],
      ['/catalog/plans/$plan', 'LINE 60'],
      ['/customers/$customer', NAME],
      ['/customers/$customer?tab=timeline', NAME],
      ['/clocks/$clock', NAME],
    ])('%s is good with 60 lines, and names of 80 characters that no line can break', async (path, text) => {
      const { page, faults } = admin;
      await page.goto(`${home}/${world.merchant.id}${path.replace(/\$(\w+)/, (_, name: string) => long[name].id)}`);
      await page.locator('main').getByText(text).first().waitFor();
      await page.waitForLoadState('networkidle');
      await expectGood(page, path);
      expect(faults).toEqual([]);
    });

    it.each(PAGES)('%s: its dialogs are good, filled in wrongly, too', async (path) => {
      const { page, faults } = admin;
      await page.goto(`${home}/${world.merchant.id}${fill(path)}`);
      await page.locator('main h1').waitFor();
      await page.waitForLoadState('networkidle');
      await page.route('**/console/api/v*/**', refuseWrites);
      try {
        await openEachDialog(page, path);
      } finally {
        await page.unroute('**/console/api/v*/**');
      }
      expect(faults).toEqual([]);
    });

    it('changes a price of a plan: new subscriptions pay the new one, present ones what they agreed to', async () => {
      const { page } = await personOf(world.merchant.id, 'member');
      const shop = shopOf(world.merchant);
      const price = await shop.feePrice({ invoiceDisplayName: 'Seat', paymentTerm: 'in_advance' });
      const plan = await shop.plan([price]);
      const before = await shop.subscribe(plan, { startedAt: new Date().toISOString(), bankTransferOnly: true });
      await page.goto(`${home}/${world.merchant.id}/catalog/plans/${plan.id}`);
      await page.getByRole('link', { name: 'Change', exact: true }).click();
      await field(page, /^Amount/).fill('12.50');
      await page.getByRole('button', { name: /^Save, and go on/ }).click();
      await page
        .getByRole('cell', { name: /12\.50/ })
        .first()
        .waitFor();
      await page.getByRole('button', { name: 'Publish' }).click();
      await page.getByRole('dialog').getByRole('button', { name: 'Publish' }).click();
      await page.waitForURL(/\/versions\/2$/);

      await page.goto(
        `${home}/${world.merchant.id}/subscriptions/new?customerId=${before.customerId}&planId=${plan.id}`,
      );
      await page.getByRole('region', { name: 'What will be invoiced' }).getByText('$12.50').first().waitFor();
      await field(page, /^Name/).fill('After the change');
      await page.getByRole('button', { name: 'Create the subscription' }).click();
      await page.getByRole('heading', { name: 'After the change' }).waitFor();
      const { data } = await shop.read(`/v0/subscriptions?planId=${plan.id}`);
      expect(data.map((each: Resource) => [each.name, each.planVersionNumber])).toEqual([
        ['After the change', 2],
        [before.name, 1],
      ]);
    });

    it('starts a subscription on a test clock at the time of the clock', async () => {
      const { page, faults } = await personOf(world.merchant.id, 'member');
      const { currentTime } = await shopOf(world.merchant).read(`/v0/testClocks/${world.clock.id}`);
      await page.goto(`${home}/${world.merchant.id}/subscriptions/new`);
      const start = field(page, /^Starts/);
      expect((await start.inputValue()).slice(0, 10)).toBe(new Date().toISOString().slice(0, 10));
      await choose(page, page, /^Test clock/, new RegExp(NAME));
      await expect.poll(() => start.inputValue()).toBe(localMinute(currentTime, 0));
      expect(faults).toEqual([]);
    });

    it('makes a coupon by its percentage, of plans by their names', async () => {
      const { page, faults } = await personOf(world.merchant.id, 'member');
      const dialog = page.getByRole('dialog');
      await page.goto(`${home}/${world.merchant.id}/catalog/coupons`);
      await page.getByRole('button', { name: 'New coupon' }).first().click();
      await field(dialog, /^Name/).fill('An eighth off');
      await field(dialog, /^Percent off/).fill('112.5');
      await dialog.getByText('More').click();
      await choose(page, dialog, /^Applies to plans/, new RegExp(world.plan.name));
      await page.keyboard.press('Escape');
      const make = () => dialog.getByRole('button', { name: 'New coupon' }).click();
      await make();
      await dialog.getByText('Must be above 0, and at most 100').waitFor();
      await field(dialog, /^Percent off/).fill('12.5');
      await make();
      await page.getByRole('cell', { name: '12.5% for one period' }).waitFor();
      const { data } = await shopOf(world.merchant).read('/v0/coupons?limit=1');
      expect(data).toMatchObject([{ percentOff: '0.125', appliesTo: { planIds: [world.plan.id] } }]);
      expect(faults).toEqual([]);
    });

    it('sells a billing credit: the customer has it when its invoice is paid', async () => {
      const { page, faults } = await personOf(world.merchant.id, 'member');
      const dialog = page.getByRole('dialog');
      const customer = await shopOf(world.merchant).customer(named('Buyer of credits'));
      await page.goto(`${home}/${world.merchant.id}/customers/${customer.id}?tab=credits`);
      await page.getByRole('button', { name: 'Sell a billing credit' }).click();
      await field(dialog, /^Amount/).fill('100');
      await field(dialog, /^Price/).fill('80');
      await field(dialog, /^Currency/).fill('USD');
      await dialog.getByRole('button', { name: 'Sell a billing credit' }).click();
      await page.waitForURL(/\/invoices\/inv_/);
      expect((await world.merchant.get(`/v0/customers/${customer.id}/billingCredits`)).body.data).toEqual([]);
      await page.getByRole('button', { name: 'Record a payment' }).click();
      await dialog.getByRole('button', { name: 'Record a payment' }).click();
      await dialog.waitFor({ state: 'detached' });
      await page.goto(`${home}/${world.merchant.id}/customers/${customer.id}?tab=credits`);
      await page.getByRole('button', { name: 'Void' }).waitFor();
      const { data } = (await world.merchant.get(`/v0/customers/${customer.id}/billingCredits`)).body;
      expect(data).toMatchObject([{ source: 'purchase', amount: '100.00', remaining: '100.00', status: 'active' }]);
      expect(faults).toEqual([]);
    });

    it('applies a receipt to an invoice, and saves the statement with both as a document', async () => {
      const { page, faults } = await personOf(world.merchant.id, 'member');
      const dialog = page.getByRole('dialog');
      const shop = shopOf(world.merchant);
      const clock = await shop.create('/v0/testClocks', { currentTime: START });
      const customer = await shop.customer(named('Payer by transfer'));
      const fee = await shop.feePrice({ properties: { unitPrice: '30' } });
      const subscription = await shop.subscribe(await shop.plan([fee]), { clock, customer, bankTransferOnly: true });
      await shop.advance(clock, 'P1M');
      const { invoiceNumber } = (await shop.invoices(subscription)).find(({ status }) => status === 'ISSUED');
      const place = `${home}/${world.merchant.id}/customers/${customer.id}`;
      await page.goto(`${place}?tab=receipts`);
      await page.getByRole('button', { name: 'Record a receipt' }).click();
      await field(dialog, /^Amount/).fill('50');
      await field(dialog, /^Currency/).fill('USD');
      await dialog.getByRole('button', { name: 'Record a receipt' }).click();
      await page.getByRole('cell', { name: 'Unapplied' }).waitFor();
      await page.getByRole('button', { name: 'Apply' }).click();
      await choose(page, dialog, /^Invoice/, new RegExp(`${invoiceNumber} · \\$30.00 unpaid`));
      await dialog.getByRole('button', { name: 'Apply' }).click();
      await page.getByRole('cell', { name: `${invoiceNumber}: $30.00` }).waitFor();
      await page.getByRole('cell', { name: '$20.00' }).waitFor(); // of 50.00, 30.00 pay the invoice

      await page.goto(`${place}?tab=statement&from=2026-01-01&to=2026-02-28`);
      const closing = page.getByRole('row', { name: /Closing balance/ });
      await closing.getByText('−$20.00').waitFor();
      const saving = page.waitForEvent('download');
      await page.getByRole('button', { name: 'PDF' }).click();
      expect((await saving).suggestedFilename()).toBe('statement 2026-01-01 2026-02-28.pdf');

      const child = await shop.customer({ ...named('Paid for'), payerId: customer.id });
      await page.goto(`${home}/${world.merchant.id}/customers/${child.id}?tab=statement`);
      await page.getByText('pays for this customer, and has the statement').waitFor();
      expect(faults).toEqual([]);
    });

    it('makes a commitment of two segments, the second from the end of the first, and ends it', async () => {
      const { page, faults } = await personOf(world.merchant.id, 'member');
      const dialog = page.getByRole('dialog');
      const shop = shopOf(world.merchant);
      const clock = await shop.create('/v0/testClocks', { currentTime: START });
      const customer = await shop.customer(named('Committed'));
      const { id } = await shop.subscribe(await shop.plan([await shop.feePrice()]), { clock, customer });
      const [first, second, end] = [0, 3, 6].map((months) => localMinute(START, months)) as [string, string, string];
      await page.goto(`${home}/${world.merchant.id}/subscriptions/${id}`);
      await page.getByRole('button', { name: 'New postpaid commitment' }).click();
      await field(dialog, /^Name/).fill('Contract');
      const segment = (number: number) => dialog.getByRole('group', { name: `Segments ${number}` });
      await segment(1).getByLabel('Start date').fill(first);
      await segment(1).getByLabel('End date').fill(second);
      await segment(1).getByLabel('Amount').fill('300');
      await dialog.getByRole('button', { name: 'Add a row' }).click();
      expect(await segment(2).getByLabel('Start date').inputValue()).toBe(second);
      await segment(2).getByLabel('End date').fill(end);
      const make = () => dialog.getByRole('button', { name: 'Make the commitment' }).click();
      await make();
      await expect.poll(() => segment(2).getByLabel('Amount').getAttribute('aria-invalid')).toBe('true');
      await segment(2).getByLabel('Amount').fill('500');
      await make();
      await page.getByRole('heading', { name: 'Contract: Active' }).waitFor();
      const { data } = await shop.read(`/v0/commitments?subscriptionId=${id}`);
      const instants = [first, second, end].map((minute) =>
        Temporal.Instant.from(new Date(minute).toISOString()).toString(),
      );
      expect(data).toMatchObject([
        {
          type: 'postpaid',
          segments: [
            { startDate: instants[0], endDate: instants[1], amount: '300.00' },
            { startDate: instants[1], endDate: instants[2], amount: '500.00' },
          ],
        },
      ]);
      await page
        .getByRole('region', { name: /^Contract/ })
        .getByRole('button', { name: 'End' })
        .click();
      await dialog.getByRole('button', { name: 'End the commitment' }).click();
      await page.getByRole('heading', { name: 'Contract: Ended' }).waitFor();
      expect(faults).toEqual([]);
    });

    it('lets a member do the work, and not the deeds of an admin', async () => {
      const { page } = await personOf(world.merchant.id, 'member');
      await page.goto(`${home}/${world.merchant.id}/customers`);
      await page.getByRole('button', { name: 'New customer' }).first().waitFor();
      for (const path of ['/settings', '/settings/members', '/developers/webhooks']) {
        await page.goto(`${home}/${world.merchant.id}${path}`);
        await page.locator('main h1').waitFor();
        await page.waitForLoadState('networkidle');
        expect(await page.locator('main [aria-haspopup=dialog]').allTextContents(), path).toEqual([]);
      }
    });

    it('shows a viewer everything, and no deed', async () => {
      const { page } = await personOf(world.merchant.id, 'viewer');
      for (const path of ['/customers', `/invoices/${world.invoice.id}`, `/customers/${world.customer.id}`]) {
        await page.goto(`${home}/${world.merchant.id}${path}`);
        await page.locator('main h1').waitFor();
        await page.waitForLoadState('networkidle');
        for (const name of ['New customer', 'Refund', 'Delete', 'Edit'])
          expect(await page.getByRole('button', { name, exact: true }).count(), `${path} ${name}`).toBe(0);
      }
    });

    it('shows nothing of another merchant, whatever the address bar says', async () => {
      const stranger = await openWorld(env);
      const { page } = admin;
      for (const path of [
        `/${stranger.merchant.id}/customers`,
        `/${world.merchant.id}/invoices/${stranger.invoice.id}`,
        `/${world.merchant.id}/customers/${stranger.customer.id}`,
      ]) {
        await page.goto(`${home}${path}`);
        await page.getByRole('alert').first().waitFor();
        expect(await page.locator('main').textContent()).not.toContain(stranger.customer.organization.name);
      }
    });

    it('says that the session has ended, and comes back to the same page after the sign-in', async () => {
      const { page, email } = await personOf(world.merchant.id, 'member');
      await page.goto(`${home}/${world.merchant.id}/customers?name=x`);
      await page.getByRole('heading', { name: 'Customers' }).waitFor();
      await page.context().clearCookies();
      await page.getByRole('navigation', { name: 'Pages' }).getByRole('link', { name: 'Invoices' }).click();
      await page.getByRole('heading', { name: 'You are signed out' }).waitFor();
      await page.getByRole('link', { name: 'Sign in' }).click();
      await field(page, /^E-mail/).fill(email);
      await field(page, /^Password/).fill(PASSWORD);
      await page.getByRole('button', { name: 'Sign in' }).click();
      await page.getByRole('heading', { name: 'Invoices' }).waitFor();
      expect(page.url()).toContain(`/${world.merchant.id}/invoices`);
    });

    it('finds the event of nobody, and links it to a customer', async () => {
      const { page } = await personOf(world.merchant.id, 'member');
      const metric = await shopOf(world.merchant).metric({ eventType: 'stray.event', name: 'Strays' });
      const body = { type: metric.eventType, source: 'browser', externalSubject: 'nobody-yet', data: { units: 1 } };
      expect((await world.merchant.post('/v0/events', body)).status).toBe(202);
      await page.goto(`${home}/${world.merchant.id}/usage/events?type=stray.event`);
      await page.locator('main tbody').getByRole('link').first().click();
      await page.getByText('No customer has this id').first().waitFor();
      await page.getByRole('button', { name: 'Link to a customer' }).click();
      const dialog = page.getByRole('dialog');
      await choose(page, dialog, /^Customer/, new RegExp(world.customer.organization.name));
      await dialog
        .getByText(/1 event/)
        .first()
        .waitFor();
      await dialog.getByRole('button', { name: 'Link', exact: true }).click();
      await dialog.waitFor({ state: 'detached' });
      await page.getByText('No customer has this id').waitFor({ state: 'detached' });
      await page.locator('main').getByRole('link', { name: world.customer.organization.name }).waitFor();
    });

    it('tells the second of two people what the first has changed, and keeps what was typed', async () => {
      const { page } = admin;
      const { customer, merchant } = world;
      await page.goto(`${home}/${merchant.id}/customers/${customer.id}`);
      await page.getByRole('button', { name: 'Edit' }).click();
      const dialog = page.getByRole('dialog');
      await field(dialog, /^Buyer reference/).fill('04011000-12345-03');
      await merchant.patch(`/v0/customers/${customer.id}`, { externalId: 'another-hand' });
      await dialog.getByRole('button', { name: 'Save' }).click();
      await dialog.getByText('External ID is now').waitFor();
      await dialog.getByText('another-hand').waitFor();
      await dialog.getByRole('button', { name: /^Load the present state/ }).click();
      await expect.poll(() => field(dialog, /^Buyer reference/).inputValue()).toBe('04011000-12345-03');
      await dialog.getByRole('button', { name: 'Save' }).click();
      await dialog.waitFor({ state: 'detached' });
    });
  });
});
