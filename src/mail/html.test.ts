import { describe, expect, it } from 'vitest';
import { contrast } from '../kernel/color.ts';
import { LOCALES } from '../kernel/locale.ts';
import { PALETTES } from '../look/index.ts';
import { issuedMail } from './compose.ts';
import { type MailContent, plainText } from './content.ts';
import { html } from './html.ts';
import { invoiceFacts, NAMES, sampleMails } from './testing/samples.ts';

const LOGO = { source: 'cid:logo@reckoner', width: 960, height: 320 };
const LONG = 'Donaudampfschifffahrtsgesellschaft für Tokenverarbeitung und Hosting Wien-Budapest';
const samples = LOCALES.flatMap((locale) =>
  sampleMails(locale).map((sample) => ({ ...sample, locale: sample.content.locale ?? locale })),
);

/** The text of an element, as a reader sees it. */
const textOf = (markup: string): string =>
  markup
    .replace(/<head>.*<\/head>/s, '')
    .replace(/<!--.*?-->/gs, '')
    .replace(/<[^>]*>/g, '\n');

describe.each(samples)('$kind in $locale', ({ locale, content }) => {
  const shown = html(content, { isSandbox: true, logo: LOGO });

  it('says in HTML all that it says in plain text', () => {
    const { subject, greeting, paragraphs, facts, action, signature, because, links = [] } = content;
    for (const said of [
      subject,
      greeting,
      ...paragraphs,
      ...facts.flat(),
      signature,
      because,
      ...links.map(({ label }) => label),
    ])
      expect(textOf(shown)).toContain(String(said).replaceAll('&', '&amp;'));
    for (const link of [action, ...links]) if (link) expect(shown).toContain(`href="${link.url}"`);
    expect(shown).toContain(`<html lang="${locale}"`);
  });

  it('names the seller with address, email and phone, and the reason', () => {
    const text = plainText(content);
    const isOwn = content.signature === 'Reckoner';
    for (const part of isOwn
      ? ['Reckoner']
      : ['Halcyon Labs GmbH', 'Torstraße 140', '10119 Berlin', 'accounts@halcyon.example', '+49 30 901820'])
      expect(text).toContain(part);
    expect(text.trim().split('\n').at(-1)).toBe(content.because);
  });

  it('loads nothing, and is small', () => {
    expect(shown).not.toMatch(/(?:src|background)=(?!"cid:)|url\(|@import|<link|<script/);
    const long = sampleMails(locale, { ...NAMES, seller: LONG, buyer: LONG }).map((each) => html(each.content));
    for (const text of long) expect(Buffer.byteLength(text)).toBeLessThan(16_000);
  });

  it('has no figure without its currency or unit, and no space before a colon but in French', () => {
    const text = plainText(content);
    expect(text).not.toMatch(/ :|undefined|null|NaN|\[object/);
    if (locale === 'fr')
      expect(text).not.toMatch(/[^\u00a0sp]: /); // https:, and a colon after its space
    else expect(text).not.toContain('\u00a0:');
  });
});

describe.each(['#ffee00', '#000000', '#ffffff', '#0b7a75', null])('a merchant’s colour %s', (accent) => {
  const content = issuedMail({ ...invoiceFacts(), seller: { ...invoiceFacts().seller, accent } });
  const buttons = (text: string) => ({
    light: /class="button" style="background-color:(#\w{6}).*?class="button-text"[^>]*;color:(#\w{6})/s.exec(text),
    dark: /\.button\{background-color:(#\w{6}) !important\}\.button-text\{color:(#\w{6})/.exec(text),
  });

  it('makes a button that can be read on light and on dark screens', () => {
    for (const [mode, found] of Object.entries(buttons(html(content)))) {
      const [, ground = '', ink = ''] = found ?? [];
      expect(contrast(ground, ink), mode).toBeGreaterThanOrEqual(4.5);
      expect(contrast(ground, PALETTES[mode as 'light' | 'dark'].sheet), mode).toBeGreaterThanOrEqual(4.5);
    }
  });
});

it('shows the logo as wide as it may be, and the name instead of none', () => {
  const content = issuedMail(invoiceFacts());
  expect(html(content, { logo: LOGO })).toContain('src="cid:logo@reckoner" alt="Halcyon Labs" width="168" height="56"');
  expect(html(content, { logo: { ...LOGO, width: 60, height: 20 } })).toContain('width="60" height="20"');
  expect(html(content, { logo: { ...LOGO, width: 2000, height: 1 } })).toContain('width="192" height="1"');
  expect(html(content)).not.toContain('<img');
});

it('marks a mail of the sandbox, in both parts', () => {
  const content = issuedMail(invoiceFacts('de'));
  const mark = 'Testumgebung: Diese E-Mail wird gespeichert und nicht gesendet';
  expect(html(content, { isSandbox: true })).toContain(mark);
  expect(plainText(content, true)).toContain(mark);
  expect(html(content) + plainText(content)).not.toContain('Testumgebung');
});

it('begins with what an inbox shows beside the subject, and hides it in the mail', () =>
  expect(html(issuedMail(invoiceFacts()))).toMatch(
    /<body[^>]*>\s*<div style="display:none[^>]*>Here is invoice INV-000042\. Please pay €1,000\.00 by 1 March 2026\.<\/div>/,
  ));

/** As version 0.1.0 stored it, before mails had languages. */
const OLD: MailContent = {
  subject: 'Invoice INV-000001 from Halcyon Labs',
  greeting: 'Hello Prodromos Ltd,',
  paragraphs: ['Here is invoice INV-000001.'],
  facts: [['Invoice', 'INV-000001']],
  action: { label: 'Pay this invoice', url: 'https://pay.example/pay/invoices/inv_0a' },
  signature: 'Halcyon Labs',
};

it('shows a mail that was stored before it had a head and a foot', () => {
  expect(plainText(OLD)).toBe(`Hello Prodromos Ltd,

Here is invoice INV-000001.

Invoice: INV-000001

Pay this invoice: https://pay.example/pay/invoices/inv_0a

Halcyon Labs
`);
  const shown = html(OLD);
  for (const part of [OLD.subject, OLD.greeting, 'INV-000001', 'Pay this invoice', '<html lang="en"'])
    expect(shown).toContain(part);
  expect(shown).not.toMatch(/undefined|null/);
});
