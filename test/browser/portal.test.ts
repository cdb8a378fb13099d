import type { AddressInfo } from 'node:net';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { expectGood, hasBrowser, openBrowser, openPage } from '../support/browser.ts';
import { type Merchant, openTestEnvironment, type TestEnvironment } from '../support/environment.ts';
import { type Resource, type Shop, shopOf } from '../support/shop.ts';

/** The pages of the customer portal in a real browser, with accessibility checkers. */
const HOSTILE = `${'Donaudampfschifffahrts'.repeat(6)} "><script>alert(1)</script>`;

/** On a phone: what is wider than its place, words broken letter by letter, and places too small for a finger. */
const WITHOUT_ROOM = `(async () => {
  const wide = [...document.querySelectorAll('main *')].filter((each) =>
    !each.closest('.unseen, .tabs, input') && each.clientWidth > 1 && each.scrollWidth > each.clientWidth + 1);
  const narrow = [...document.querySelectorAll('th, td')].filter((each) =>
    !each.closest('.unseen, thead') && each.textContent.trim().length > 3 && each.clientWidth > 1 && each.clientWidth < 50 && each.clientHeight > 60);
  const { violations } = await axe.run(document, { runOnly: ['target-size'] });
  return [...wide, ...narrow].map((each) => each.outerHTML.slice(0, 200))
    .concat(violations.flatMap(({ nodes }) => nodes.map(({ html }) => html)));
})()`;

describe.skipIf(!hasBrowser)('in a browser, the portal', { timeout: 600_000 }, () => {
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
    const eventType = `browser.${locale}`;
    const metric = await shop.metric({ eventType, unit: 'token', groupBy: { model: '$.model' } });
    const matrix = await shop.usagePrice({
      ...{ billableMetricId: metric.id, model: 'matrix', invoiceDisplayName: HOSTILE },
      properties: {
        dimensions: ['model'],
        default: '0.000000000012',
        cells: [{ match: { model: 'atlas' }, unitPrice: '12345.678' }],
      },
    });
    const tiered = await shop.usagePrice({
      ...{ billableMetricId: metric.id, model: 'graduated' },
      properties: {
        tiers: [
          { upTo: '1000000', unitPrice: '0.02', flatPrice: '3' },
          { upTo: null, unitPrice: '0.000000000012' },
        ],
      },
    });
    const plan = await shop.plan([await shop.feePrice(), matrix, tiered], { defaultTaxRate: 19, currency: 'EUR' });
    const other = await shop.plan([await shop.feePrice()], { name: HOSTILE, defaultTaxRate: 19, currency: 'EUR' });
    const portal = { planChange: { plans: [other.id] }, quantities: true, cancellation: 'period_end' };
    await shop.change(`/v0/organizations/${merchant.id}`, { settings: { portal } });
    const now = Temporal.Now.instant();
    const subscription = await shop.create('/v0/subscriptions', {
      name: HOSTILE,
      planId: plan.id,
      startedAt: now.subtract({ hours: 24 * 20 }).toString(),
      customerId: customer.id,
    });
    await shop.create('/v2/invoices', {
      customerId: customer.id,
      currency: 'EUR',
      lines: [{ displayName: HOSTILE, quantity: 2, unitPrice: 1250.5, taxRate: 19 }],
      autoApprove: true,
    });
    for (const model of ['atlas', HOSTILE])
      await shop.use(customer.id, now.toString(), '1234567.891', {
        type: eventType,
        data: { model, units: '1234567.891' },
      });
    const { url } = await shop.act(`/v0/customers/${customer.id}/portal`, { expiresIn: 'PT1H' });
    const page = await openPage(browser, url.replace(new URL(url).origin, home), { language: locale });
    await expectGood(page, 'the link');
    await page.click('form button');
    expect(await page.getAttribute('html', 'lang')).toBe(locale);
    const places = await page.$$eval('nav a', (links) => links.map((link) => link.getAttribute('href') ?? ''));
    expect(places.length).toBeGreaterThanOrEqual(5);
    const { data } = await shop.read(`/v2/invoices?customerId=${customer.id}`);
    const invoices = data.filter(({ issuedAt }: Resource) => issuedAt !== null);
    expect(invoices.length).toBeGreaterThan(0);
    const own = `/portal/subscriptions/${subscription.id}`;
    const others = [own, `${own}/preview?plan=${other.id}`, `${own}/preview?cancel=period_end`];
    for (const place of [...places, ...others, ...invoices.map(({ id }: Resource) => `/portal/invoices/${id}`)]) {
      await page.goto(new URL(place, page.url()).href);
      await page.evaluate("document.querySelectorAll('details').forEach((each) => { each.open = true; })");
      await expectGood(page, place);
      await page.setViewportSize({ width: 360, height: 900 });
      expect(await page.evaluate(WITHOUT_ROOM), place).toEqual([]);
    }
    await page.goto(new URL(own, page.url()).href);
    await page.keyboard.press('Tab');
    expect(await page.evaluate('document.activeElement.className')).toBe('skip');
    await page.click('.bar button');
    await expectGood(page, 'signed out');
    await page.goto(`${home}/portal/${merchant.id}`);
    await expectGood(page, 'sign-in');
  });
});
