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

/** The path of a Chromium on this machine; undefined without one, and then tests of `test/browser` are left out. */
export const chromiumPath: string | undefined = process.env.CHROMIUM_PATH ?? PLACES.find(isThere);

/** A browser that requests only the addresses on a page. */
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
  /** The languages that the browser requests; English by default. */
  readonly language?: string;
  /** The page's own script does not run. */
  readonly withoutScripts?: boolean;
}

/** Opens a page as a person would, in a window of its own. */
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

/** The faults of a page by the rules of WCAG 2.2 AA and good practice, each with its place; empty without faults. */
async function accessibilityFaults(page: Page): Promise<string[]> {
  if (await page.evaluate("typeof axe === 'undefined'")) await page.evaluate(AXE);
  // Of what passes the checker would describe each place, which takes it longer than to look.
  const { violations } = (await page.evaluate(
    "axe.run(document, { resultTypes: ['violations'] }).then(({ violations }) => ({ violations }))",
  )) as Checked;
  return violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html}`));
}

/** The width of a page beyond its window: above 0 a person must scroll sideways. */
const overflowOf = (page: Page): Promise<number> =>
  page.evaluate('document.documentElement.scrollWidth - document.documentElement.clientWidth');

const LOOKS = [
  { width: 360, dark: false },
  { width: 360, dark: true },
  { width: 1280, dark: false },
  { width: 1280, dark: true },
] as const;

/** On a phone and at a desk, light and dark: checkers find no fault, and the content fits the window. */
export async function expectGood(page: Page, what: string): Promise<void> {
  for (const { width, dark } of LOOKS) {
    await page.setViewportSize({ width, height: 900 });
    await page.emulateMedia({ colorScheme: dark ? 'dark' : 'light' });
    expect(await accessibilityFaults(page), `${what}, ${width}, ${dark ? 'dark' : 'light'}`).toEqual([]);
    expect(await overflowOf(page), `${what}, ${width}`).toBe(0);
  }
}
