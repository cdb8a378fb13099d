import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { minorDigits } from '../../kernel/currency.ts';
import { decimal, plain, sum } from '../../kernel/decimal.ts';
import { type Fraction, scale, WHOLE } from '../../kernel/fraction.ts';
import { rateCommitment } from './commitment.ts';

const part = (numerator: bigint, denominator: bigint): Fraction => ({ numerator, denominator });

describe('what a period falls short of its commitment', () => {
  it.each<{
    what: string;
    minimum: string | null;
    fraction?: Fraction;
    charged: string[];
    currency?: string;
    missing: string;
  }>([
    { what: 'no commitment', minimum: null, charged: ['5'], missing: '0' },
    { what: 'a commitment of 0', minimum: '0', charged: [], missing: '0' },
    { what: 'nothing charged', minimum: '500', charged: [], missing: '500' },
    { what: 'charges below it', minimum: '500', charged: ['100', '49.99'], missing: '350.01' },
    { what: 'charges that just reach it', minimum: '500', charged: ['499.99', '0.01'], missing: '0' },
    { what: 'charges above it', minimum: '500', charged: ['500.01'], missing: '0' },
    { what: 'a rebate, which leaves more to be missing', minimum: '500', charged: ['100', '-20'], missing: '420' },
    { what: 'half a period', minimum: '500', fraction: part(1n, 2n), charged: ['100'], missing: '150' },
    { what: 'a third, rounded once', minimum: '100', fraction: part(1n, 3n), charged: ['10'], missing: '23.33' }, // 33.3…
    { what: 'half a cent, away from 0', minimum: '0.01', fraction: part(1n, 2n), charged: [], missing: '0.01' },
    { what: 'less than half a cent', minimum: '0.01', fraction: part(1n, 3n), charged: [], missing: '0' },
    { what: 'yen', minimum: '1000', fraction: part(20n, 31n), charged: ['45'], currency: 'JPY', missing: '600' }, // 645.16
    { what: 'fils', minimum: '10', fraction: part(1n, 3n), charged: ['0.5'], currency: 'KWD', missing: '2.833' },
  ])('$what', ({ minimum, fraction = WHOLE, charged, currency = 'USD', missing }) => {
    const minimumAmount = minimum === null ? null : decimal(minimum);
    const found = rateCommitment({ minimumAmount, fraction, charged: charged.map((each) => decimal(each)), currency });
    expect(plain(found)).toBe(missing);
  });

  const cents = (most: number) => fc.integer({ min: -most, max: most }).map((each) => decimal(each).div(100));
  const periods = fc.record({
    minimumAmount: fc.nat(1_000_000).map((each) => decimal(each).div(100)),
    fraction: fc
      .tuple(fc.integer({ min: 1, max: 31 }), fc.integer({ min: 31, max: 366 }))
      .map(([a, b]) => part(BigInt(a), BigInt(b))),
    charged: fc.array(cents(100_000), { maxLength: 8 }),
    currency: fc.constantFrom('USD', 'KWD'),
  });

  it('what is missing is never below 0, of whole minor units, and takes the period to its commitment', () => {
    fc.assert(
      fc.property(periods, (period) => {
        const missing = rateCommitment(period);
        expect(missing.gte(0)).toBe(true);
        expect(missing.decimalPlaces()).toBeLessThanOrEqual(minorDigits(period.currency));
        const off = sum(period.charged).plus(missing).minus(scale(period.minimumAmount, period.fraction));
        const half = decimal('0.5').div(10 ** minorDigits(period.currency));
        expect(off.gte(half.negated())).toBe(true);
        if (missing.gt(0)) expect(off.lte(half)).toBe(true);
      }),
    );
  });

  it('billing what is missing leaves nothing missing', () => {
    fc.assert(
      fc.property(periods, (period) => {
        const charged = [...period.charged, rateCommitment(period)];
        expect(rateCommitment({ ...period, charged }).isZero()).toBe(true);
      }),
    );
  });
});
