import { expect, it } from 'vitest';
import { decimal } from '../kernel/decimal.ts';
import { isSame } from './same.ts';

const at = (text: string) => Temporal.Instant.from(text);

it.each([
  { a: { x: 1, y: { p: [1, 2], q: null } }, b: { y: { q: null, p: [1, 2] }, x: 1 }, same: true },
  { a: [1, 2], b: [2, 1], same: false },
  { a: decimal('1.50'), b: decimal('1.5'), same: true },
  { a: decimal('1.50'), b: null, same: false },
  { a: at('2026-01-01T01:00:00+01:00'), b: at('2026-01-01T00:00:00Z'), same: true },
  { a: at('2026-01-01T00:00:00Z'), b: at('2026-01-01T00:00:00.000001Z'), same: false },
  { a: JSON.rawJSON('9007199254740993'), b: JSON.rawJSON('9007199254740992'), same: false },
  { a: null, b: undefined, same: false },
  { a: '1', b: 1, same: false },
  { a: {}, b: [], same: false },
])('$a and $b: $same', ({ a, b, same }) => expect(isSame(a, b)).toBe(same));
