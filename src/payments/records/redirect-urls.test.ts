import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { checkRedirectUrl, redirectProblems } from './redirect-urls.ts';

const production = { environment: 'production', redirectHosts: [] } as const;
const sandbox = { environment: 'sandbox', redirectHosts: [] } as const;
const shop = {
  environment: 'production',
  redirectHosts: ['shop.example', 'pay.shop.example:8443', 'usual.example:443'],
} as const;

describe('a redirect URL that is taken', () => {
  it.each([
    { url: 'https://shop.example', rules: production },
    { url: 'https://shop.example/', rules: production },
    { url: 'https://shop.example/thanks?order=7&x=%2F#top', rules: production },
    { url: 'HTTPS://Shop.Example/Thanks', rules: shop },
    { url: 'https://shop.example:443/', rules: shop },
    { url: 'https://pay.shop.example:8443/done', rules: shop },
    { url: 'https://usual.example/', rules: shop },
    { url: 'https://xn--bcher-kva.example/', rules: production },
    { url: 'https://shop.example/a//b/../c', rules: production },
    { url: 'https://shop.example/?next=https://evil.example', rules: shop },
    { url: 'http://localhost', rules: sandbox },
    { url: 'http://localhost:3000/done', rules: sandbox },
    { url: 'http://127.0.0.1:3000/done', rules: sandbox },
    { url: 'http://[::1]:3000/done', rules: sandbox },
    { url: 'https://localhost:3000/done', rules: sandbox },
    { url: 'https://8.8.8.8/', rules: production },
    { url: 'http://localhost:3000/', rules: { environment: 'sandbox', redirectHosts: ['localhost:3000'] } as const },
  ])('$url', ({ url, rules }) => expect(checkRedirectUrl(url, rules)).toBeNull());
});

describe('a hostile redirect URL', () => {
  it.each([
    '',
    ' ',
    '/thanks',
    'thanks',
    '//evil.example',
    '///evil.example',
    '\\\\evil.example',
    '/\\evil.example',
    'https:evil.example',
    'https:/evil.example',
    'https:///evil.example',
    'https:\\\\evil.example',
    'https://\\evil.example',
    'https://shop.example\\@evil.example/',
    'https://evil.example\\.shop.example/',
    'javascript:alert(1)',
    'JaVaScRiPt:alert(1)',
    'javascript://shop.example/%0aalert(1)',
    'java\tscript:alert(1)',
    'data:text/html,<script>alert(1)</script>',
    'vbscript:msgbox(1)',
    'file:///etc/passwd',
    'ftp://shop.example/',
    'ws://shop.example/',
    'blob:https://shop.example/1',
    'about:blank',
    'view-source:https://shop.example/',
    'https://user@shop.example/',
    'https://user:secret@shop.example/',
    'https://@evil.example/',
    'https://:@evil.example/',
    'https://shop.example@evil.example/',
    'https://shop.example%40evil.example/',
    'https://shop.example:443@evil.example/',
    'http://shop.example/',
    'http://localhost/',
    'http://127.0.0.1/',
    'http://localhost.evil.example/',
    'https://shop.example.evil.example/',
    'https://evilshop.example/',
    'https://sub.shop.example/',
    'https://shop.example:8080/',
    'https://pay.shop.example/',
    'https://shop.example./',
    'https://evil.example/shop.example',
    'https://evil.example?shop.example',
    'https://evil.example#shop.example',
    'https://0x7f.1/',
    'https://2130706433/',
    'https://0177.0.0.1/',
    'https://[::ffff:127.0.0.1]/',
    'https://ｓｈｏｐ.example/',
    'https://shop。example/',
    'https://shоp.example/',
    'https://sh%6fp.example/',
    'https://shop.example/\r\nset-cookie: a=b',
    'https://shop.example/\n',
    '\u0000https://shop.example/',
    ' https://shop.example/',
    'https://shop.example/ ',
    'https://shop.exam\tple/',
    'https://shop.example/"onclick="alert(1)',
    "https://shop.example/'",
    'https://shop.example/<script>',
    'https://shop.example/`',
    'https://shop.example/\u202egnp.exe',
    'https://shop.example:99999/',
    'https://shop.example:/',
    'https://',
    'https://?',
  ])('%j is refused', (url) => expect(checkRedirectUrl(url, shop)).toEqual(expect.any(String)));

  it.each([
    'https://a;sandbox',
    'https://a;frame-ancestors/',
    'https://a,b/',
    'https://*/',
    'https://*.example/',
    'https://a!b.example/',
    "https://a'b.example/",
    'https://a$b.example/',
    'https://(a).example/',
    'https://a=b/',
    'https://[2001:db8::1]/',
  ])('%j is refused also where no hosts are named: a header would read its host otherwise', (url) => {
    expect(checkRedirectUrl(url, production)).toEqual(expect.any(String));
    expect(checkRedirectUrl(url, sandbox)).toEqual(expect.any(String));
  });

  it('is refused where it has more than 2,048 characters', () => {
    const start = 'https://shop.example/';
    expect(checkRedirectUrl(start.padEnd(2048, 'a'), shop)).toBeNull();
    expect(checkRedirectUrl(start.padEnd(2049, 'a'), shop)).toBe('must have at most 2048 characters');
  });

  it('is refused over http for any host but this machine, and in production for this machine too', () => {
    expect(checkRedirectUrl('http://shop.example/', sandbox)).toBe('must be https, or http to localhost');
    expect(checkRedirectUrl('http://localhost/', production)).toBe('must be https');
    expect(checkRedirectUrl('http://localhost.evil.example/', sandbox)).toEqual(expect.any(String));
  });
});

it('what is taken is https, on the list, and written as a browser reads it', () => {
  const noise = fc.constantFrom('', '\\', '@', '//', '\t', ':', '.', '%2f', '#', '?', 'evil.example', 'shop.example');
  const url = fc
    .tuple(fc.constantFrom('https:', 'http:', 'https:/', 'javascript:'), fc.array(noise, { maxLength: 8 }), fc.webUrl())
    .map(([scheme, parts, tail]) => (parts.length > 4 ? tail : `${scheme}//${parts.join('')}`));
  fc.assert(
    fc.property(url, (text) => {
      if (checkRedirectUrl(text, shop) !== null) return;
      const read = new URL(text);
      expect([
        read.protocol,
        shop.redirectHosts.some((host) => host === read.host || host === `${read.host}:443`),
      ]).toEqual(['https:', true]);
      expect(text.toLowerCase().startsWith(`https://${read.hostname}`)).toBe(true);
    }),
    { numRuns: 5_000 },
  );
});

it('names each URL that is wrong by its field, and passes over absent ones', () => {
  const urls = { successRedirectUrl: 'javascript:alert(1)', failureRedirectUrl: 'https://evil.example/', other: null };
  expect(redirectProblems(urls, shop)).toEqual([
    { field: 'successRedirectUrl', message: 'must be an absolute https URL in plain ASCII' },
    { field: 'failureRedirectUrl', message: 'must have a host among settings.redirectHosts' },
  ]);
});
