import { expect, it } from 'vitest';
import { fontFamilies, loadFonts } from './fonts.ts';

const fonts = loadFonts();

it.each([
  'Ünïcödé ßẞ œ Łódź',
  'Έρευνα και Ανάπτυξη',
  'Київ, Москва',
  'شركة النور ۱۲۳',
  'हिन्दी',
  '上海星辰科技有限公司',
  'カスタムモデル',
  '€ £ ¥ ₹ ₺ ₴ ₦ − – … ·',
])('%s can be shown', (text) => expect(fonts.displayable(text)).toBe(text));

it.each([
  { text: 'ok 😀!', shown: 'ok \ufffd!' },
  { text: 'family 👨\u200d👩\u200d👧', shown: 'family \ufffd' }, // one character to its reader, one replacement
  { text: '\u{10ffff}', shown: '\ufffd' },
  { text: 'ش\u0309', shown: 'ش' }, // letter and mark are in two fonts: the letter alone is better than none
])('$text is shown as $shown', ({ text, shown }) => expect(fonts.displayable(text)).toBe(shown));

it.each([
  { text: 'Ünïcödé −1,234.50 € – Έρευνα', shows: true },
  { text: 'a long\u200bword', shows: true },
  { text: 'شركة', shows: false }, // can be shown, but by another font than the first
  { text: 'ok 😀!', shows: false },
  { text: '\u0001', shows: false }, // JSON writes it as six signs
])('the first font alone showing $text: $shows', ({ text, shows }) => {
  const json = JSON.stringify({ name: { text, rtl: false } });
  expect(fonts.showsAll(json)).toBe(shows);
  if (shows) expect(fonts.displayable(text)).toBe(text);
});

it('the replacement itself can be shown', () => expect(fonts.displayable('\ufffd')).toBe('\ufffd'));

it('the fonts go by names that no machine has', () => {
  const wide = (text: string): Buffer => Buffer.from(text, 'utf16le').swap16();
  for (const family of fontFamilies) expect(fonts.files.some((file) => file.includes(wide(family)))).toBe(true);
});
