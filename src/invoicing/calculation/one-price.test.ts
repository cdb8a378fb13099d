import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { minorDigits } from '../../kernel/currency.ts';
import { decimal, plain } from '../../kernel/decimal.ts';
import { roundTo } from '../../kernel/money.ts';
import { type AtOnePrice, inTwo } from './one-price.ts';

const of = (units: string, unitPrice: string): AtOnePrice => ({ units: decimal(units), unitPrice: decimal(unitPrice) });
const said = ({ units, unitPrice }: AtOnePrice) => `${plain(units)} × ${plain(unitPrice)}`;
const amountOf = ({ units, unitPrice }: AtOnePrice, currency: string) =>
  roundTo(units.times(unitPrice), currency, 'half-away-from-zero');

describe('a correction in two', () => {
  it.each([
    { whole: of('-90', '1.00'), part: '-40', currency: 'USD', two: ['-40 × 1', '-50 × 1'] },
    { whole: of('-90', '1.60'), part: '-10', currency: 'USD', two: ['-6.25 × 1.6', '-83.75 × 1.6'] },
    { whole: of('-90', '7'), part: '-280', currency: 'JPY', two: ['-40 × 7', '-50 × 7'] },
    { whole: of('-90', '0.125'), part: '-0.5', currency: 'KWD', two: ['-4 × 0.125', '-86 × 0.125'] },
    // 33 × 0.015 is 0.495, and 0.50 rounded: so are 13 × 0.015, 0.20
    { whole: of('-33', '0.015'), part: '-0.30', currency: 'USD', two: ['-20 × 0.015', '-13 × 0.015'] },
    { whole: of('-90', '1'), part: '0', currency: 'USD', two: ['0 × 1', '-90 × 1'] },
    { whole: of('-90', '1'), part: '-90', currency: 'USD', two: ['-90 × 1', '0 × 1'] },
    { whole: of('-90', '3'), part: '-10', currency: 'USD', two: null }, // 3.333… units
    { whole: of('-90', '0'), part: '0', currency: 'USD', two: null },
    { whole: null, part: '-10', currency: 'USD', two: null },
  ])('$part of it in $currency: $two', ({ whole, part, currency, two }) => {
    const found = inTwo(whole, whole ? amountOf(whole, currency) : decimal('-90'), decimal(part), currency);
    expect(found && [said(found.part), said(found.rest)]).toEqual(two);
  });

  const correction = fc.record({
    currency: fc.constantFrom('USD', 'JPY', 'KWD'),
    units: fc.tuple(fc.integer({ min: 1, max: 100_000 }), fc.constantFrom(0, 0, 2, 6)),
    price: fc.tuple(fc.integer({ min: 1, max: 5000 }), fc.integer({ min: 0, max: 6 })),
    share: fc.integer({ min: 0, max: 1000 }),
  });
  it('is all units and the whole amount, each side units times price, or two amounts', () => {
    let parted = 0;
    fc.assert(
      fc.property(correction, ({ currency, units, price, share }) => {
        const whole = of(`-${units[0]}e-${units[1]}`, `${price[0]}e-${price[1]}`);
        const amount = amountOf(whole, currency);
        const part = roundTo(amount.times(share).div(1000), currency, 'half-away-from-zero');
        const found = inTwo(whole, amount, part, currency);
        if (found === null) {
          const isExact = part.div(whole.unitPrice).decimalPlaces() <= 12;
          const rest = { ...whole, units: whole.units.minus(part.div(whole.unitPrice)) };
          expect(isExact && amountOf(rest, currency).eq(amount.minus(part))).toBe(false);
          return;
        }
        parted += 1;
        const [here, there] = [amountOf(found.part, currency), amountOf(found.rest, currency)];
        expect(plain(here)).toBe(plain(part));
        expect(plain(here.plus(there))).toBe(plain(amount));
        expect(plain(found.part.units.plus(found.rest.units))).toBe(plain(whole.units));
        expect(here.decimalPlaces()).toBeLessThanOrEqual(minorDigits(currency));
      }),
      { numRuns: 2000 },
    );
    expect(parted).toBeGreaterThan(200);
  });
});
