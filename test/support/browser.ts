import { accessSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Browser, Page } from 'playwright-core';
import { chromium } from 'playwright-core';

const PLACES = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];

const isThere = (path: string): boolean => {
  try {
    accessSync(path);
    return true;
  } catch {
    return false;
  }
};

/** Where a Chromium is on this machine; undefined where there is none, and tests of `test/browser` are left out. */
export const chromiumPath: string | undefined = process.env.CHROMIUM_PATH ?? PLACES.find(isThere);

/** A browser that asks nothing of the network but what a page leads to. */
export const openBrowser = (): Promise<Browser> =>
  chromium.launch({
    executablePath: chromiumPath as string,
    args: [
      '--no-sandbox',
      '--disable-gpu',
      '--disable-quic',
      '--no-first-run',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
    ],
  });

export interface Looking {
  /** In CSS pixels: 360 is a phone, 1280 a desk. */
  readonly width?: number;
  readonly dark?: boolean;
  /** What the browser asks for; English unless given. */
  readonly language?: string;
  /** The page's own script does not run. */
  readonly withoutScripts?: boolean;
}

/** Opens a page as somebody sees it, in a window of its own. */
export async function openPage(browser: Browser, url: string, looking: Looking = {}): Promise<Page> {
  const { width = 1280, dark = false, language = 'en', withoutScripts = false } = looking;
  const context = await browser.newContext({
    viewport: { width, height: 900 },
    colorScheme: dark ? 'dark' : 'light',
    locale: language,
    javaScriptEnabled: !withoutScripts,
    bypassCSP: true, // the checker is a script, too
  });
  const page = await context.newPage();
  await page.goto(url);
  return page;
}

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

interface Checked {
  readonly violations: readonly { readonly id: string; readonly nodes: readonly { readonly html: string }[] }[];
}

/** What is wrong with a page by the rules of WCAG 2.2 AA and good practice, each with where; empty where nothing is. */
export async function accessibilityFaults(page: Page): Promise<string[]> {
  await page.evaluate(AXE);
  const { violations } = (await page.evaluate('axe.run(document)')) as Checked;
  return violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html}`));
}

/** How far a page is wider than its window: beyond 0 somebody must scroll sideways. */
export const overflowOf = (page: Page): Promise<number> =>
  page.evaluate('document.documentElement.scrollWidth - document.documentElement.clientWidth');
