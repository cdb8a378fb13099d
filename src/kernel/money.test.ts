import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decimal, plain, sum } from './decimal.ts';
import { allocate, formatMoney, roundTo, roundTogether } from './money.ts';

const HALF_AWAY = 'half-away-from-zero';
const decimals = (...texts: string[]) => texts.map(decimal);
const texts = (values: readonly { toFixed(): string }[]) => values.map((value) => value.toFixed());

/** Currencies with 0, 2, 3 and 4 digits. */
const currency = fc.constantFrom('JPY', 'USD', 'KWD', 'CLF');
const units = fc.bigInt({ min: -(10n ** 24n), max: 10n ** 24n });
const exponent: Readonly<Record<string, number>> = { JPY: 0, USD: 2, KWD: 3, CLF: 4 };
const money = (count: bigint, code: string) => decimal(count).div(10 ** (exponent[code] as number));

describe('rounding', () => {
  it.each([
    { amount: '0.005', currency: 'USD', rounded: '0.01' },
    { amount: '0.0049999999999999999999999999', currency: 'USD', rounded: '0' },
    { amount: '0.0050000000000000000000000001', currency: 'USD', rounded: '0.01' },
    { amount: '-0.005', currency: 'USD', rounded: '-0.01' },
    { amount: '-0.0049', currency: 'USD', rounded: '0' },
    { amount: '2.675', currency: 'USD', rounded: '2.68' }, // the classic on which binary numbers round down
    { amount: '1.005', currency: 'EUR', rounded: '1.01' },
    { amount: '0.015', currency: 'USD', rounded: '0.02' },
    { amount: '0.025', currency: 'USD', rounded: '0.03' }, // half to even would be 0.02
    { amount: '0.5', currency: 'JPY', rounded: '1' },
    { amount: '-0.5', currency: 'JPY', rounded: '-1' },
    { amount: '1.5', currency: 'JPY', rounded: '2' },
    { amount: '2.5', currency: 'JPY', rounded: '3' },
    { amount: '0.0005', currency: 'KWD', rounded: '0.001' },
    { amount: '0.00049', currency: 'KWD', rounded: '0' },
    { amount: '0.00005', currency: 'CLF', rounded: '0.0001' },
    { amount: '123456789012345678901234567890.125', currency: 'USD', rounded: '123456789012345678901234567890.13' },
    { amount: '100.125', currency: 'HUF', rounded: '100.13' }, // two digits by ISO 4217, unlike the habits of shops
  ])('$amount $currency is $rounded', ({ amount, currency, rounded }) => {
    expect(plain(roundTo(decimal(amount), currency, HALF_AWAY))).toBe(rounded);
  });

  it('is never further from the exact amount than half a minor unit, and mirrors negatives', () => {
    fc.assert(
      fc.property(units, fc.integer({ min: 0, max: 12 }), currency, (digits, places, code) => {
        const amount = decimal(digits).div(10 ** places);
        const rounded = roundTo(amount, code, HALF_AWAY);
        expect(rounded.minus(amount).abs().times(2).lessThanOrEqualTo(money(1n, code))).toBe(true);
        expect(roundTo(amount.negated(), code, HALF_AWAY).eq(rounded.negated())).toBe(true);
      }),
    );
  });
});

describe('writing', () => {
  it.each([
    { amount: '57.87', currency: 'USD', text: '57.87' },
    { amount: '1200', currency: 'USD', text: '1200.00' },
    { amount: '1200', currency: 'JPY', text: '1200' },
    { amount: '0.125', currency: 'KWD', text: '0.125' },
    { amount: '0.1', currency: 'KWD', text: '0.100' },
    { amount: '-0', currency: 'EUR', text: '0.00' },
    { amount: '-3.5', currency: 'EUR', text: '-3.50' },
    { amount: '1e21', currency: 'EUR', text: '1000000000000000000000.00' },
  ])('writes $amount $currency as $text', ({ amount, currency, text }) => {
    expect(formatMoney(decimal(amount), currency)).toBe(text);
  });

  it.each([
    { amount: '0.001', currency: 'USD' },
    { amount: '0.5', currency: 'JPY' },
    { amount: '0.0001', currency: 'KWD' },
  ])('refuses to write $amount $currency, which nobody rounded', ({ amount, currency }) => {
    expect(() => formatMoney(decimal(amount), currency)).toThrow(RangeError);
  });
});

describe('sharing a rounded amount by weights', () => {
  it.each([
    { amount: '1.00', weights: ['1', '1', '1'], currency: 'USD', shares: ['0.34', '0.33', '0.33'] },
    { amount: '-1.00', weights: ['1', '1', '1'], currency: 'USD', shares: ['-0.34', '-0.33', '-0.33'] },
    { amount: '0.01', weights: ['1', '1', '1'], currency: 'USD', shares: ['0.01', '0', '0'] },
    { amount: '0.02', weights: ['1', '2', '2'], currency: 'USD', shares: ['0', '0.01', '0.01'] },
    { amount: '100', weights: ['1', '1', '1'], currency: 'JPY', shares: ['34', '33', '33'] },
    { amount: '1', weights: ['1', '1', '1'], currency: 'KWD', shares: ['0.334', '0.333', '0.333'] },
    { amount: '10', weights: ['0', '1', '0'], currency: 'USD', shares: ['0', '10', '0'] },
    { amount: '5', weights: ['0', '0'], currency: 'USD', shares: ['5', '0'] },
    { amount: '0', weights: ['3', '4'], currency: 'USD', shares: ['0', '0'] },
    // 3.5, 1, 0.5: the first one wins the tie
    { amount: '0.05', weights: ['0.7', '0.2', '0.1'], currency: 'USD', shares: ['0.04', '0.01', '0'] },
    { amount: '0.34', weights: ['100', '1', '1'], currency: 'USD', shares: ['0.34', '0', '0'] }, // 33.3…, 0.3…, 0.3…
    { amount: '0.01', weights: ['-1', '-1'], currency: 'USD', shares: ['0.01', '0'] },
    { amount: '0.05', weights: ['10.00', '-9.95'], currency: 'USD', shares: ['10', '-9.95'] },
  ])('$amount $currency by $weights is $shares', ({ amount, weights, currency, shares }) => {
    expect(texts(allocate(decimal(amount), decimals(...weights), currency))).toEqual(shares);
  });

  it.each([
    { amount: '1.00', weights: ['31', '1', '1'], shares: ['0.94', '0.03', '0.03'] }, // 93.93…, 3.03…, 3.03…
    // 1.25, .125, .125, 1.25, .25
    { amount: '0.03', weights: ['10', '1', '1', '10', '2'], shares: ['0.02', '0', '0', '0.01', '0'] },
    { amount: '0.04', weights: ['10', '1', '1'], shares: ['0.04', '0', '0'] }, // 3.33…, 0.33…, 0.33…: equal thirds
    { amount: '0.04', weights: ['1', '10', '1'], shares: ['0.01', '0.03', '0'] },
  ])(
    'gives a cent that several are owed equally to the earliest: $amount by $weights',
    ({ amount, weights, shares }) => {
      expect(texts(allocate(decimal(amount), decimals(...weights), 'USD'))).toEqual(shares);
    },
  );

  it('shares 0 among no parts, and refuses to share another amount among none', () => {
    expect(allocate(decimal('0'), [], 'USD')).toEqual([]);
    expect(() => allocate(decimal('0.01'), [], 'USD')).toThrow(RangeError);
  });

  it('refuses an amount that is not rounded', () => {
    expect(() => allocate(decimal('0.001'), decimals('1', '2'), 'USD')).toThrow(RangeError);
  });

  it('sums to the amount, gives nobody a whole unit too much or too little, and mirrors negatives', () => {
    const weight = fc.tuple(fc.bigInt({ min: 0n, max: 10n ** 20n }), fc.integer({ min: 0, max: 10 }));
    fc.assert(
      fc.property(units, fc.array(weight, { minLength: 1, maxLength: 40 }), currency, (count, pairs, code) => {
        const amount = money(count, code);
        const weights = pairs.map(([digits, places]) => decimal(digits).div(10 ** places));
        const shares = allocate(amount, weights, code);
        expect(sum(shares).eq(amount)).toBe(true);
        const total = sum(weights);
        if (total.isZero()) return;
        for (const [index, share] of shares.entries()) {
          const exact = amount.times(weights[index] as (typeof weights)[0]).div(total);
          expect(share.minus(exact).abs().lessThan(money(1n, code).times('1.0000000001'))).toBe(true);
        }
        expect(texts(allocate(amount.negated(), weights, code))).toEqual(texts(shares.map((share) => share.negated())));
      }),
    );
  });

  it('gives equal weights shares that differ by a unit at most, the larger first', () => {
    fc.assert(
      fc.property(
        fc.bigInt({ min: 0n, max: 10n ** 9n }),
        fc.integer({ min: 1, max: 60 }),
        currency,
        (count, n, code) => {
          const shares = allocate(
            money(count, code),
            Array.from({ length: n }, () => decimal('0.1')),
            code,
          );
          const sorted = shares.toSorted((a, b) => b.comparedTo(a));
          expect(texts(shares)).toEqual(texts(sorted));
          expect(
            (shares[0] as (typeof shares)[0]).minus(shares.at(-1) as (typeof shares)[0]).lte(money(1n, code)),
          ).toBe(true);
        },
      ),
    );
  });
});

describe('rounding parts together', () => {
  it('makes 10,000 parts of 0.004 into 40.00, not 0', () => {
    const parts = roundTogether(
      Array.from({ length: 10_000 }, () => decimal('0.004')),
      'USD',
      HALF_AWAY,
    );
    expect(plain(sum(parts))).toBe('40');
    expect(parts.filter((part) => part.eq('0.01'))).toHaveLength(4000);
  });

  it.each([
    { parts: ['0.004', '0.004'], over: '1', currency: 'USD', rounded: ['0.01', '0'] },
    { parts: ['0.002', '0.002'], over: '1', currency: 'USD', rounded: ['0', '0'] },
    { parts: ['0.5', '0.5'], over: '1', currency: 'JPY', rounded: ['1', '0'] },
    { parts: ['-0.5', '-0.5'], over: '1', currency: 'JPY', rounded: ['-1', '0'] },
    // a cent between, not by weight
    { parts: ['200', '-199.994'], over: '1', currency: 'USD', rounded: ['200', '-199.99'] },
    { parts: ['1', '1', '1'], over: '3', currency: 'USD', rounded: ['0.34', '0.33', '0.33'] },
    { parts: ['1', '1', '1'], over: '-3', currency: 'USD', rounded: ['-0.34', '-0.33', '-0.33'] },
    { parts: ['7'], over: '8', currency: 'KWD', rounded: ['0.875'] },
    { parts: [], over: '1', currency: 'USD', rounded: [] },
  ])('$parts over $over in $currency are $rounded', ({ parts, over, currency, rounded }) => {
    expect(texts(roundTogether(decimals(...parts), currency, HALF_AWAY, decimal(over)))).toEqual(rounded);
  });

  it('sums to the rounded sum, and moves no part by a whole unit, whatever the signs', () => {
    const part = fc.bigInt({ min: -(10n ** 15n), max: 10n ** 15n });
    fc.assert(
      fc.property(
        fc.array(part, { minLength: 1, maxLength: 30 }),
        fc.integer({ min: 0, max: 9 }),
        fc.integer({ min: 1, max: 10_000 }),
        currency,
        (digits, places, over, code) => {
          const parts = digits.map((count) => decimal(count).div(10 ** places));
          const rounded = roundTogether(parts, code, HALF_AWAY, decimal(over));
          expect(plain(sum(rounded))).toBe(plain(roundTo(sum(parts).div(over), code, HALF_AWAY)));
          for (const [index, share] of rounded.entries()) {
            const exact = (parts[index] as (typeof parts)[0]).div(over);
            expect(share.minus(exact).abs().lt(money(1n, code).times('1.0000000001'))).toBe(true);
          }
        },
      ),
    );
  });
});
