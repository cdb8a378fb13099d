import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decimal } from '../kernel/decimal.ts';
import { LOCALES } from '../kernel/locale.ts';
import { formatsOf } from './format.ts';
import { frame } from './frame.ts';
import { escapeHtml, html } from './html.ts';
import { accentStyle, contentSecurityPolicy, STYLE } from './style.ts';

describe('escaping', () => {
  it('leaves no character that HTML reads, and loses none', () => {
    const decode = (text: string) =>
      text.replace(
        /&(amp|lt|gt|quot|#39);/g,
        (_, name: string) => ({ amp: '&', lt: '<', gt: '>', quot: '"', '#39': "'" })[name] as string,
      );
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        expect(escapeHtml(text)).not.toMatch(/[<>"']|&(?!amp;|lt;|gt;|quot;|#39;)/);
        expect(decode(escapeHtml(text))).toBe(text);
      }),
    );
  });

  it('happens to every value of a template, but not to markup', () => {
    const inner = html`<b>${'<i>'}</b>`;
    expect(html`<p title="${'"'}">${inner}${[inner, inner]}${null}</p>`.text).toBe(
      '<p title="&quot;"><b>&lt;i&gt;</b><b>&lt;i&gt;</b><b>&lt;i&gt;</b></p>',
    );
  });
});

describe('figures for a person', () => {
  it.each([
    { amount: '1234.5', currency: 'USD', shown: '$1,234.50' },
    { amount: '1200', currency: 'JPY', shown: '¥1,200' },
    { amount: '0.125', currency: 'KWD', shown: 'KWD\u00a00.125' },
    { amount: '-50', currency: 'EUR', shown: '\u2212€50.00' },
    { amount: '12345678901234567890.12', currency: 'USD', shown: '$12,345,678,901,234,567,890.12' },
  ])('$amount $currency is $shown', ({ amount, currency, shown }) => {
    expect(formatsOf('en').money(decimal(amount), currency)).toBe(shown);
  });

  it('days and minutes are in UTC', () => {
    const instant = Temporal.Instant.from('2026-03-12T23:05:00-05:00');
    const { day, minute } = formatsOf('en');
    expect([day(instant), minute(instant)]).toEqual(['13 March 2026', '13 March 2026, 04:05 UTC']);
  });
});

describe('figures and dates in each language', () => {
  const march = Temporal.Instant.from('2026-03-05T14:05:00Z');
  const thin = '\u202f';
  it.each([
    ['en', '$12,345.60', '1,234.5678', '5 March 2026', 'Visa ending in 4242'],
    ['de', '12.345,60\u00a0$', '1.234,5678', '5. März 2026', 'Visa mit den Endziffern 4242'],
    ['fr', `12${thin}345,60\u00a0$US`, `1${thin}234,5678`, '5 mars 2026', 'Visa se terminant par 4242'],
    ['es', '12.345,60\u00a0US$', '1.234,5678', '5 de marzo de 2026', 'Visa terminada en 4242'],
  ] as const)('%s', (locale, amount, figure, date, card) => {
    const formats = formatsOf(locale);
    expect([
      formats.money(decimal('12345.6'), 'USD'),
      formats.number(decimal('1234.5678')),
      formats.day(march),
      formats.card({ brand: 'visa', last4: '4242' }),
    ]).toEqual([amount, figure, date, card]);
  });

  it.each(LOCALES)('%s groups the thousands also of four digits', (locale) => {
    expect(formatsOf(locale).money(decimal('1234'), 'EUR')).toMatch(/1\D234/);
  });
});

describe('the frame', () => {
  const look = { environment: 'sandbox', locale: 'de', accent: '#ffee00' } as const;

  it('says its language, and carries the style of the merchant’s colour', () => {
    const page = frame('Titel', look, html`<p>Text</p>`);
    expect(page).toContain('<html lang="de">');
    expect(page).toContain('Testumgebung');
    expect(page).toContain(`<style>${accentStyle('#ffee00')}</style>`);
  });

  it('has one style sheet where the merchant has no colour', () => {
    expect(frame('T', { ...look, accent: null }, html`x`).match(/<style>/g)).toHaveLength(1);
  });

  it('names no other place for forms where none is given', () => {
    expect(contentSecurityPolicy(null)).toContain("form-action 'self';");
  });

  it('allows just the style sheets that it carries', () => {
    const hashes = (policy: string) => policy.match(/'sha256-[^']+'/g) ?? [];
    expect(hashes(contentSecurityPolicy(null))).toHaveLength(1);
    expect(hashes(contentSecurityPolicy('#ffee00'))).toHaveLength(2);
    expect(`${STYLE}${accentStyle('#ffee00')}`).not.toContain('</style');
  });
});
