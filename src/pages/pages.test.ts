import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
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

  it('has one header, and a skip link before it where there is a navigation', () => {
    const parts = { header: html`<p>Seller</p>`, nav: html`<nav>Pages</nav>`, content: html`<p>Text</p>` };
    const page = frame('T', look, parts);
    expect(page.match(/<header>/g)).toHaveLength(1);
    expect(page).toMatch(
      /<body>\s*<a class="skip" href="#content">.*<header>.*Seller.*<nav>.*<main id="content">\s*<p>Text/s,
    );
    expect(frame('T', look, { ...parts, nav: null })).not.toContain('class="skip"');
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
