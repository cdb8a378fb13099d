import type { AddressInfo } from 'node:net';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { expectGood, hasBrowser, type Looking, openBrowser, openPage } from '../support/browser.ts';
import { type Merchant, openTestEnvironment, type TestEnvironment } from '../support/environment.ts';
import { type Resource, type Shop, shopOf } from '../support/shop.ts';

/** The pages on which people subscribe and pay, in a real browser: journeys, and accessibility checkers. */
const LONG = `${'Donaudampfschifffahrts'.repeat(8)} <script>alert(1)</script>"'`;
const ADA = { name: 'Ada Lovelace', email: 'ada@engine.example', line1: '1 Square', city: 'London', zipCode: 'SW1' };

describe.skipIf(!hasBrowser)('in a browser', { timeout: 120_000 }, () => {
  let env: TestEnvironment;
  let merchant: Merchant;
  let shop: Shop;
  let browser: Browser;
  let home: string;
  beforeAll(async () => {
    env = await openTestEnvironment(); // of its own: it opens a port
    merchant = await env.merchant();
    shop = shopOf(merchant);
    await env.server.listen({ port: 0, host: '127.0.0.1' });
    home = `http://127.0.0.1:${(env.server.server.address() as AddressInfo).port}`;
    browser = await openBrowser();
  });
  afterAll(async () => {
    await browser?.close();
    await env?.close();
  });

  const open = (address: string, looking?: Looking) =>
    openPage(browser, `${home}${new URL(address, home).pathname}`, looking);
  const planOf = async (fields: object = {}) =>
    shop.plan(
      [
        await shop.feePrice({
          paymentTerm: 'in_advance',
          properties: { unitPrice: '49.00' },
          invoiceDisplayName: 'Seat',
        }),
        await shop.usagePrice(),
      ],
      { defaultTaxRate: 20, ...fields },
    );
  const linkTo = async (plan: Resource, fields: object = {}): Promise<string> =>
    (await shop.create('/v0/checkoutLinks', { planId: plan.id, ...fields })).url;
  const fill = async (page: Page, details: Record<string, string> = ADA, country = 'GB') => {
    for (const [field, text] of Object.entries(details)) await page.fill(`#${field}`, text);
    await page.selectOption('#country', country);
  };
  const goOn = (page: Page) => page.click('form button:not(.quiet, .unseen)');
  const payWith = async (page: Page, card: string) => {
    await page.check(`input[value=${card}]`);
    await page.click('form button');
  };
  const heading = (page: Page) => page.textContent('h1');
  it('people subscribe by a link: mistakes, a declined card, a card that asks, and the receipt', async () => {
    const page = await open(await linkTo(await planOf({ name: 'Pro' })));
    await expectGood(page, 'form');
    await goOn(page);
    expect(await page.textContent('.notice h3')).toBe('Please look at these fields again');
    await expectGood(page, 'mistakes');
    await page.click('.notice a >> nth=0');
    expect(await page.evaluate('document.activeElement.id')).toBe('name');
    await fill(page);
    await goOn(page);
    await expectGood(page, 'payment');
    await payWith(page, 'pm_declined');
    expect(await page.textContent('[role=alert] strong')).toBe('The card was declined.');
    await expectGood(page, 'declined');
    await payWith(page, 'pm_3ds');
    expect(await heading(page)).toBe('Confirm this payment');
    await expectGood(page, 'confirm');
    await page.click('text=Confirm >> nth=-1');
    expect(await heading(page)).toBe('Payment received');
    await expectGood(page, 'paid');
  });

  it('a page that waits for the bank looks again by itself, and can be stopped', async () => {
    const page = await open(await linkTo(await planOf()));
    await fill(page);
    await goOn(page);
    await payWith(page, 'pm_slow');
    expect(await heading(page)).toBe('Your payment is in progress');
    await page.click('text=Stop checking automatically');
    await expectGood(page, 'waiting');
    await page.click('text=Look again');
    await page.waitForURL(/look=1$/, { timeout: 20_000 });
    await page.click('text=Stop checking automatically');
  });

  it('a tax number is checked while it is typed, and by a button without scripts', async () => {
    const link = await linkTo(await planOf());
    const page = await open(link);
    await page.selectOption('#country', 'DE');
    await page.fill('#taxId', '136695976');
    await page.press('#taxId', 'Tab');
    await expect
      .poll(() => page.textContent('#taxId-check'))
      .toContain('We could not confirm this number now. VAT is charged.');
    const plain = await open(link, { withoutScripts: true });
    await plain.selectOption('#country', 'DE');
    await plain.fill('#taxId', '12');
    await plain.click('button.quiet');
    expect(await plain.textContent('#taxId-check')).toContain('This is not a tax number of this country.');
    expect(await plain.inputValue('#taxId')).toBe('12');
  });

  it('goes back to what was typed, after mistakes, a check and the payment page, and sends no form again', async () => {
    const page = await open(await linkTo(await planOf()));
    await page.fill('#name', 'Back Again');
    await goOn(page); // the other fields are empty
    await expectGood(page, 'mistakes');
    await fill(page, { ...ADA, name: 'Back Again' });
    await page.click('button.quiet');
    await goOn(page);
    expect(await heading(page)).toContain('Subscription to');
    const back = async (selector: string) => {
      const answer = await page.goBack();
      expect([answer?.status(), answer?.request().method()]).toEqual([200, 'GET']);
      expect(await page.inputValue(selector)).toBe('Back Again');
    };
    await back('#name');
    await back('#name');
    await page.reload();
    expect(await page.inputValue('#name')).toBe('Back Again');
    expect(new URL(page.url()).search).not.toMatch(/Back|London|engine/);
    await fill(page, { ...ADA, name: 'Back Again' });
    await goOn(page);
    await payWith(page, 'pm_declined');
    await page.waitForSelector('[role=alert] strong');
    await page.goBack();
    await page.goForward();
    expect(await page.textContent('[role=alert] strong')).toBe('The card was declined.');
  });

  it('long and hostile names in every field stay text, inside the window', async () => {
    const plan = await planOf({ name: LONG, description: LONG, invoiceDisplayName: LONG });
    const page = await open(await linkTo(plan));
    const alerts: string[] = [];
    page.on('dialog', (dialog) => {
      alerts.push(dialog.message());
      void dialog.dismiss();
    });
    await expectGood(page, 'hostile form');
    await fill(page, { ...ADA, name: LONG, line1: LONG, line2: LONG, city: LONG, state: LONG });
    await goOn(page);
    await expectGood(page, 'hostile payment');
    await payWith(page, 'pm_ok');
    await expectGood(page, 'hostile receipt');
    expect(alerts).toEqual([]);
  });

  it.each(['de', 'fr', 'es'])('the pages in %s', async (language) => {
    const page = await open(await linkTo(await planOf()), { language });
    expect(await page.getAttribute('html', 'lang')).toBe(language);
    await expectGood(page, 'form');
    await goOn(page);
    await expectGood(page, 'mistakes');
  });

  it('a link that has expired, one that has been used, and one that does not exist', async () => {
    const link = await shop.create('/v0/checkoutLinks', { planId: (await planOf()).id });
    await shop.act(`/v0/checkoutLinks/${link.id}/expire`);
    const expired = await open(link.url);
    expect(await heading(expired)).toBe('This link has expired');
    await expectGood(expired, 'expired');
    const free = await shop.plan([await shop.feePrice({ properties: { unitPrice: '0' } })]);
    const once = await linkTo(free, { maxUses: 1 });
    const page = await open(once);
    await fill(page);
    await goOn(page);
    expect(await heading(page)).toBe('Your subscription has started');
    await expectGood(page, 'begun');
    const used = await open(once);
    expect(await heading(used)).toBe('This link has been used');
    await expectGood(used, 'used');
    await expectGood(await open('/pay/signup/clk_none'), 'unknown');
  });

  it('a payment link with its lines, and what was paid', async () => {
    const { paymentUrl } = await shop.create('/v0/payments', {
      amount: '75.00',
      currency: 'EUR',
      reference: 'Table 7',
      lineItems: [{ description: 'Dinner', amount: '37.50', quantity: 2 }],
    });
    const page = await open(paymentUrl);
    await expectGood(page, 'open');
    await payWith(page, 'pm_ok');
    expect(await page.textContent('table')).toContain('2 × Dinner');
    await expectGood(page, 'paid');
  });
});
