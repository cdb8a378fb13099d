import { decimal } from '../kernel/decimal.ts';

/** Words that are no singular, though they look like one. */
const KEPT: ReadonlySet<string> = new Set([
  'data',
  'info',
  'min',
  'sec',
  'hrs',
  'usage',
  'storage',
  'traffic',
  'bandwidth',
]);

/**
 * The unit of a quantity: `token` of more than one is `tokens`. Only the last word is changed, and only an English one
 * in small letters: abbreviations (`GB`, `kWh`), plurals and words of other scripts stay as the merchant wrote them.
 */
export function unitOf(unit: string, quantity: string): string {
  const word = /(?:^|[\s/-])([a-z]{3,})$/.exec(unit)?.[1];
  if (word === undefined || decimal(quantity).eq(1) || word.endsWith('s') || KEPT.has(word)) return unit;
  return unit.slice(0, -word.length) + plural(word);
}

function plural(word: string): string {
  if (/[^aeiou]y$/.test(word)) return `${word.slice(0, -1)}ies`;
  return /(?:x|z|ch|sh)$/.test(word) ? `${word}es` : `${word}s`;
}
