import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, it } from 'vitest';
import { png } from '../../src/identity/logo/testing.ts';
import { html } from '../../src/mail/html.ts';
import { sampleMails } from '../../src/mail/testing/samples.ts';
import { expectGood, hasBrowser, openBrowser, openPage } from '../support/browser.ts';

/** The HTML of mails in a real browser, with accessibility checkers: one layout, so a few mails stand for all. */
const LONG = `${'Donaudampfschifffahrts'.repeat(4)} & "Söhne"`;
const NAMES = { seller: LONG, buyer: LONG, number: 'NORDHOST-RECHNUNG-2026-0000000000012345678', plan: LONG };
const LOGO = { source: `data:image/png;base64,${png().toString('base64')}`, width: 60, height: 20 };
const SHOWN = new Set(['invoiceIssued', 'paymentFailed', 'alertTriggered', 'portalLink']);

describe.skipIf(!hasBrowser)('in a browser, a mail', { timeout: 240_000 }, () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await openBrowser();
  });
  afterAll(() => browser?.close());

  const samples = sampleMails('de', NAMES).filter(({ kind }) => SHOWN.has(kind));
  it.each(samples)('of $kind is good on phone and desk, light and dark', async ({ kind, content }) => {
    const page = await openPage(browser, 'about:blank');
    const isFromMerchant = kind !== 'alertTriggered';
    await page.setContent(html(content, { isSandbox: true, logo: isFromMerchant ? LOGO : null }));
    await expectGood(page, kind);
    await page.context().close();
  });
});
