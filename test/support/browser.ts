import { execFile } from 'node:child_process';
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { mkdtemp, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type { Browser, LaunchOptions, Page } from 'playwright-core';
import { chromium } from 'playwright-core';
import { expect } from 'vitest';

/** The package `@sparticuz/chromium` contains a browser for this system only. */
const isPackaged = process.platform === 'linux' && process.arch === 'x64';

/** Chrome or Chromium as people install it, on the other systems. */
const PLACES = [
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
  '/Applications/Chromium.app/Contents/MacOS/Chromium',
];

const installedPath = process.env.CHROMIUM_PATH ?? (isPackaged ? undefined : PLACES.find(existsSync));

/** Without a browser the tests of `test/browser` are left out. */
export const hasBrowser: boolean = isPackaged || installedPath !== undefined;

/** A browser that requests only the addresses on a page: CHROMIUM_PATH, that of the package, or an installed one. */
export async function openBrowser(): Promise<Browser> {
  if (installedPath !== undefined) return launch({ executablePath: installedPath });
  const folder = await mkdtemp(join(tmpdir(), 'reckoner-browser-'));
  const remove = () => rmSync(folder, { recursive: true, force: true });
  try {
    const browser = await launch(await unpackInto(folder));
    return browser.once('disconnected', remove);
  } catch (error) {
    remove();
    throw error;
  }
}

const launch = (options: LaunchOptions): Promise<Browser> =>
  chromium.launch({
    ...options,
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

const unpacker = fileURLToPath(new URL('unpack-browser.ts', import.meta.url));

/**
 * Each opened browser has a private folder. The package takes the folder for temporary files of the process, which all
 * users of the machine share: it would start whatever is named `chromium` there.
 */
async function unpackInto(folder: string): Promise<LaunchOptions> {
  // The package adds the system libraries of the browser only if the environment looks like one of AWS Lambda.
  const env = { ...process.env, TMPDIR: folder, AWS_EXECUTION_ENV: 'AWS_Lambda_nodejs24.x' };
  await promisify(execFile)(process.execPath, [unpacker], { env });
  // The package's own configuration names a folder that all users share. With these fonts alone, a page looks the same
  // on all machines.
  const fonts = join(folder, 'fonts.conf');
  await writeFile(fonts, `<fontconfig><dir>${join(folder, 'fonts')}</dir><cachedir>${folder}</cachedir></fontconfig>`);
  return {
    executablePath: join(folder, 'chromium'),
    env: { ...process.env, LD_LIBRARY_PATH: join(folder, 'al2023', 'lib'), FONTCONFIG_FILE: fonts },
  };
}

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

/** What makes a page wider than its window, so that a person must scroll sideways; the innermost come last. */
const overflowOf = (page: Page): Promise<string[]> =>
  page.evaluate(`(() => {
    const { scrollWidth, clientWidth } = document.documentElement;
    if (scrollWidth <= clientWidth) return [];
    const wide = [...document.body.querySelectorAll('*')].filter((each) => each.getBoundingClientRect().right > clientWidth);
    return wide.slice(-8).map((each) => each.outerHTML.slice(0, 160));
  })()`);

interface Look {
  readonly width: number;
  readonly dark: boolean;
}

const LOOKS: readonly Look[] = [360, 1280].flatMap((width) => [false, true].map((dark) => ({ width, dark })));

/** A phone in the dark, and a desk by day: for what is shown by the hundred. */
export const TWO_LOOKS: readonly Look[] = [
  { width: 1280, dark: false },
  { width: 360, dark: true },
];

/** On a phone and at a desk, light and dark: checkers find no fault, and the content fits the window. */
export async function expectGood(page: Page, what: string, looks: readonly Look[] = LOOKS): Promise<void> {
  for (const { width, dark } of looks) {
    await page.setViewportSize({ width, height: 900 });
    await page.emulateMedia({ colorScheme: dark ? 'dark' : 'light' });
    expect(await accessibilityFaults(page), `${what}, ${width}, ${dark ? 'dark' : 'light'}`).toEqual([]);
    expect(await overflowOf(page), `${what}, ${width}`).toEqual([]);
  }
}
