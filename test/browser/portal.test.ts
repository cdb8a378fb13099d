import type { AddressInfo } from 'node:net';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { expectGood, hasBrowser, openBrowser, openPage } from '../support/browser.ts';
import { type Merchant, openTestEnvironment, type TestEnvironment } from '../support/environment.ts';
import { type Shop, shopOf } from '../support/shop.ts';

/** The pages of the customer portal in a real browser, with accessibility checkers. */
const HOSTILE = `${'Donaudampfschifffahrts'.repeat(6)} "><script>alert(1)</script>`;

describe.skipIf(!hasBrowser)('in a browser, the portal', { timeout: 240_000 }, () => {
  let env: TestEnvironment;
  let merchant: Merchant;
  let shop: Shop;
  let browser: Browser;
  let home: string;
  beforeAll(async () => {
    env = await openTestEnvironment(); // of its own: it opens a port
    merchant = await env.merchant();
    shop = shopOf(merchant);
    await shop.change(`/v0/organizations/${merchant.id}`, { settings: { branding: { color: '#ffee00' } } });
    await env.server.listen({ port: 0, host: '127.0.0.1' });
    home = `http://127.0.0.1:${(env.server.server.address() as AddressInfo).port}`;
    browser = await openBrowser();
  });
  afterAll(async () => {
    await browser?.close();
    await env?.close();
  });

  it.each(['en', 'de'] as const)('opens by a link, and each of its pages is good, in %s', async (locale) => {
    const customer = await shop.customer({
      locale,
      consumer: { name: HOSTILE, email: `${locale}@portal.example`, address: { country: 'DE' } },
    });
    const plan = await shop.plan([await shop.feePrice(), await shop.usagePrice()], { defaultTaxRate: 19 });
    await shop.create('/v0/subscriptions', {
      name: HOSTILE,
      planId: plan.id,
      startedAt: Temporal.Now.instant().toString(),
      customerId: customer.id,
    });
    await shop.create('/v2/invoices', {
      customerId: customer.id,
      currency: 'EUR',
      lines: [{ displayName: HOSTILE, quantity: 2, unitPrice: 1250.5, taxRate: 19 }],
      autoApprove: true,
    });
    const { url } = await shop.act(`/v0/customers/${customer.id}/portal`, { expiresIn: 'PT1H' });
    const page = await openPage(browser, url.replace(new URL(url).origin, home), { language: locale });
    await expectGood(page, 'the link');
    await page.click('form button');
    expect(await page.getAttribute('html', 'lang')).toBe(locale);
    const places = await page.$$eval('nav a', (links) => links.map((link) => link.getAttribute('href') ?? ''));
    expect(places.length).toBeGreaterThanOrEqual(5);
    for (const place of places) {
      await page.goto(new URL(place, page.url()).href);
      await expectGood(page, place);
    }
  });
});
