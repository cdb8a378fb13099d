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
  { text: 'ش\u0309', shown: 'ش' }, // letter and mark live in two fonts: the letter alone is better than none
])('$text is shown as $shown', ({ text, shown }) => expect(fonts.displayable(text)).toBe(shown));

it('the replacement itself can be shown', () => expect(fonts.displayable('\ufffd')).toBe('\ufffd'));

it('the fonts go by names that no machine has', () => {
  const wide = (text: string): Buffer => Buffer.from(text, 'utf16le').swap16();
  for (const family of fontFamilies) expect(fonts.files.some((file) => file.includes(wide(family)))).toBe(true);
});
