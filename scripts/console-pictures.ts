import { mkdirSync } from 'node:fs';
import type { Page } from 'playwright-core';
import { openBrowser } from '../test/support/browser.ts';
import { home } from './checks/project.ts';

/**
 * Takes the pictures of docs/console.md: `npm run docs:pictures -- LINK`, with the link that a first start with the
 * demo prints for its owner.
 */
const FOLDER = `${home}docs/pictures/`;
const DESK = { width: 1280, height: 800 };
const PHONE = { width: 390, height: 844 };
const [link = ''] = process.argv.slice(2);
if (!link.includes('/console/link#')) throw new Error('Name the link that the first start with the demo prints.');

mkdirSync(FOLDER, { recursive: true });
const browser = await openBrowser();
const context = await browser.newContext({ viewport: DESK, locale: 'en-GB', colorScheme: 'light' });
const page = await context.newPage();

const settle = async (): Promise<void> => {
  await page.waitForLoadState('networkidle');
  await page.waitForTimeout(500); // charts are drawn after their data
};
const take = async (name: string): Promise<void> => {
  await settle();
  await page.screenshot({ path: `${FOLDER}console-${name}.png` });
};
const menu = (name: string) =>
  page.getByRole('navigation', { name: 'Pages' }).getByRole('link', { name, exact: true }).click();
const firstOf = async (opened: Page, hasText = ''): Promise<void> => {
  await settle();
  await opened.locator('main tbody tr', { hasText }).first().getByRole('link').first().click();
};

await page.goto(link);
await page.getByRole('button', { name: 'Sign in' }).click();
await page.getByRole('button', { name: 'Later' }).click();
await page.getByRole('heading', { name: 'Home' }).waitFor();
await take('home');
await menu('Customers');
await firstOf(page);
await page.getByRole('tab', { name: 'Timeline' }).click();
await take('timeline');
await page.goto(`${page.url().split('/customers')[0]}/invoices?status=PAID`);
await take('invoices');
await firstOf(page, 'Birchwood');
await page
  .getByRole('button', { name: /^Explain/ })
  .last()
  .click();
await take('explain');
await page.setViewportSize(PHONE);
await take('phone');
await page.setViewportSize(DESK);
await menu('Plans');
await firstOf(page);
await take('plan');
await menu('Metric explorer');
await take('metrics');
await page.emulateMedia({ colorScheme: 'dark' });
await menu('Events');
await firstOf(page);
await take('event');
await browser.close();
