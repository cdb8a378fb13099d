import { accessSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Browser, Page } from 'playwright-core';
import { chromium } from 'playwright-core';
import { expect } from 'vitest';

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
async function accessibilityFaults(page: Page): Promise<string[]> {
  await page.evaluate(AXE);
  const { violations } = (await page.evaluate('axe.run(document)')) as Checked;
  return violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html}`));
}

/** How far a page is wider than its window: beyond 0 somebody must scroll sideways. */
const overflowOf = (page: Page): Promise<number> =>
  page.evaluate('document.documentElement.scrollWidth - document.documentElement.clientWidth');

const LOOKS = [
  { width: 360, dark: false },
  { width: 360, dark: true },
  { width: 1280, dark: false },
  { width: 1280, dark: true },
] as const;

/** On a phone and at a desk, light and dark: nothing that a checker finds, and nothing beside the window. */
export async function expectGood(page: Page, what: string): Promise<void> {
  for (const { width, dark } of LOOKS) {
    await page.setViewportSize({ width, height: 900 });
    await page.emulateMedia({ colorScheme: dark ? 'dark' : 'light' });
    expect(await accessibilityFaults(page), `${what}, ${width}, ${dark ? 'dark' : 'light'}`).toEqual([]);
    expect(await overflowOf(page), `${what}, ${width}`).toBe(0);
  }
}
