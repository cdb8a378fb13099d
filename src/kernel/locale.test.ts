import { expect, it } from 'vitest';
import { localeAskedFor } from './locale.ts';

it.each([
  [undefined, 'en'],
  ['', 'en'],
  ['de', 'de'],
  ['de-AT', 'de'],
  ['DE-at', 'de'],
  ['fr;q=0.4, es;q=0.9, en;q=0.1', 'es'],
  ['pt-BR, es;q=0.8, en;q=0.7', 'es'],
  ['fr, de', 'fr'],
  ['de;q=0, fr;q=0.001', 'fr'],
  ['de;q=2', 'en'],
  ['de;q=abc, fr;q=0.5', 'fr'],
  ['*', 'en'],
  ['zh, *;q=0.5', 'en'],
  [`${'x,'.repeat(5000)}de`, 'en'],
  ['__proto__', 'en'],
])('a browser that asks for %j gets %s', (header, locale) => expect(localeAskedFor(header)).toBe(locale));
