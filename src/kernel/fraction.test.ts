import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decimal, plain } from './decimal.ts';
import { isWhole, partOf, scale, WHOLE } from './fraction.ts';

const at = (text: string) => Temporal.Instant.from(text);
const november = { start: at('2026-11-01T00:00:00Z'), end: at('2026-12-01T00:00:00Z') };

describe('a part of a period', () => {
  it.each([
    { start: '2026-11-01T00:00:00Z', end: '2026-12-01T00:00:00Z', of30: '30' },
    { start: '2026-11-16T00:00:00Z', end: '2026-12-01T00:00:00Z', of30: '15' },
    { start: '2026-11-01T00:00:00Z', end: '2026-11-02T00:00:00Z', of30: '1' },
    { start: '2026-11-01T00:00:00Z', end: '2026-11-01T12:00:00Z', of30: '0.5' },
    { start: '2026-11-07T00:00:00Z', end: '2026-11-07T00:00:00Z', of30: '0' },
  ])('$start to $end is $of30 thirtieths of November', ({ start, end, of30 }) => {
    expect(plain(scale(decimal('30'), partOf(november, at(start), at(end))))).toBe(of30);
  });

  it('counts single microseconds', () => {
    const part = partOf(november, at('2026-11-01T00:00:00Z'), at('2026-11-01T00:00:00.000001Z'));
    expect(part).toEqual({ numerator: 1n, denominator: 2_592_000_000_000n });
  });

  it.each([
    { start: '2026-10-31T23:59:59.999999Z', end: '2026-11-02T00:00:00Z' },
    { start: '2026-11-02T00:00:00Z', end: '2026-12-01T00:00:00.000001Z' },
    { start: '2026-11-03T00:00:00Z', end: '2026-11-02T00:00:00Z' },
  ])('refuses $start to $end, which is no part of November', ({ start, end }) => {
    expect(() => partOf(november, at(start), at(end))).toThrow(RangeError);
  });

  it('refuses a period without length', () => {
    expect(() => partOf({ start: november.start, end: november.start }, november.start, november.start)).toThrow(
      RangeError,
    );
  });
});

describe('scaling', () => {
  it('leaves the whole as it is', () => {
    expect(isWhole(WHOLE)).toBe(true);
    expect(isWhole({ numerator: 7n, denominator: 7n })).toBe(true);
    expect(plain(scale(decimal('0.1'), WHOLE))).toBe('0.1');
  });

  it('is exact where the quotient ends', () => {
    expect(plain(scale(decimal('0.01'), { numerator: 1n, denominator: 2n }))).toBe('0.005');
    expect(plain(scale(decimal('31'), { numerator: 15n, denominator: 31n }))).toBe('15');
  });

  it('the two parts of a split period sum to the whole', () => {
    fc.assert(
      fc.property(
        fc.bigInt({ min: 1n, max: 10n ** 15n }),
        fc.bigInt({ min: 0n, max: 10n ** 15n }),
        (denominator, cut) => {
          const numerator = cut % (denominator + 1n);
          const amount = decimal('123.45');
          const first = scale(amount, { numerator, denominator });
          const second = scale(amount, { numerator: denominator - numerator, denominator });
          expect(first.plus(second).minus(amount).abs().lt('1e-60')).toBe(true);
        },
      ),
    );
  });
});
