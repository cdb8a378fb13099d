import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { currencyCodes, minorDigits } from '../kernel/currency.ts';
import { type Decimal, decimal, plain } from '../kernel/decimal.ts';
import { figureProblems, figuresOf, namedTotalOf, totalAmountOf } from './arithmetic.ts';

const given = (fields: Record<string, string | null>) => {
  const read = (name: string) => (fields[name] == null ? null : decimal(fields[name] as string));
  return {
    quantity: read('quantity') as Decimal,
    listUnitPrice: read('listUnitPrice') as Decimal,
    discountUnitAmount: read('discountUnitAmount') ?? decimal('0'),
    unitPrice: read('unitPrice'),
    totalPrice: read('totalPrice'),
  };
};

describe('the figures of a line', () => {
  it.each([
    { currency: 'USD', quantity: '2', list: '50', discount: '0', unit: '50', total: '100' },
    { currency: 'USD', quantity: '2', list: '50', discount: '12.5', unit: '37.5', total: '75' },
    { currency: 'USD', quantity: '3', list: '0.335', discount: '0', unit: '0.335', total: '1.01' }, // 1.005 away from 0
    { currency: 'USD', quantity: '1', list: '0.004', discount: '0', unit: '0.004', total: '0' },
    { currency: 'JPY', quantity: '3', list: '33.5', discount: '0', unit: '33.5', total: '101' }, // 100.5
    { currency: 'KWD', quantity: '3', list: '0.0335', discount: '0', unit: '0.0335', total: '0.101' }, // 0.1005
    { currency: 'USD', quantity: '0', list: '50', discount: '50', unit: '0', total: '0' },
    {
      currency: 'USD',
      quantity: '999999999999.999999999999',
      list: '999999999999.999999999999',
      discount: '0',
      unit: '999999999999.999999999999',
      total: '999999999999999999999998', // exact before it is rounded: …998.000…001
    },
  ])('in $currency of $quantity at $list less $discount are $unit and $total', ({ currency, ...line }) => {
    const figures = figuresOf(
      given({ quantity: line.quantity, listUnitPrice: line.list, discountUnitAmount: line.discount }),
      currency,
    );
    expect([plain(figures.unitPrice), plain(figures.totalPrice)]).toEqual([line.unit, line.total]);
  });

  it.each([
    { fields: { unitPrice: '50', totalPrice: '100' }, wrong: [] },
    { fields: { unitPrice: '50.00', totalPrice: '100.000' }, wrong: [] },
    { fields: { unitPrice: null, totalPrice: null }, wrong: [] },
    { fields: { unitPrice: '49', totalPrice: '98' }, wrong: ['unitPrice'] },
    { fields: { unitPrice: '50', totalPrice: '99.99' }, wrong: ['totalPrice'] },
    { fields: { unitPrice: '49', totalPrice: '100' }, wrong: ['unitPrice', 'totalPrice'] },
    { fields: { discountUnitAmount: '5', unitPrice: '50', totalPrice: '100' }, wrong: ['unitPrice'] },
    { fields: { discountUnitAmount: '5', unitPrice: '45', totalPrice: '90' }, wrong: [] },
    { fields: { discountUnitAmount: '50.01', unitPrice: '-0.01', totalPrice: '0' }, wrong: ['discountUnitAmount'] },
    { fields: { quantity: '3', listUnitPrice: '0.335', unitPrice: '0.335', totalPrice: '1.005' }, wrong: [] }, // exact
    { fields: { quantity: '3', listUnitPrice: '0.335', unitPrice: '0.335', totalPrice: '1.01' }, wrong: [] }, // rounded
    {
      fields: { quantity: '3', listUnitPrice: '0.335', unitPrice: '0.335', totalPrice: '1.00' },
      wrong: ['totalPrice'],
    },
  ])('disagree in $wrong for $fields', ({ fields, wrong }) => {
    const figures = given({ quantity: '2', listUnitPrice: '50', ...fields });
    const problems = figureProblems(figures, 'USD', 'lineItems.4.');
    expect(problems.map(({ field }) => field)).toEqual(wrong.map((name) => `lineItems.4.${name}`));
  });

  it('of any line agree with themselves, exact and rounded, and with no total a minor unit off', () => {
    const figure = fc
      .tuple(fc.bigInt({ min: 0n, max: 10n ** 24n - 1n }), fc.integer({ min: 0, max: 12 }))
      .map(([units, digits]) =>
        decimal(units)
          .div(decimal(10).pow(12 + digits))
          .toDecimalPlaces(12),
      );
    const line = fc.record({
      quantity: figure,
      list: figure,
      discount: figure,
      currency: fc.constantFrom(...currencyCodes),
    });
    fc.assert(
      fc.property(line, ({ quantity, list, discount, currency }) => {
        const [listUnitPrice, discountUnitAmount] = list.gte(discount) ? [list, discount] : [discount, list];
        const own = { quantity, listUnitPrice, discountUnitAmount };
        const figures = figuresOf(own, currency);
        const digits = minorDigits(currency);
        // The same worked out in whole numbers of 10^-24.
        const integer = (value: Decimal, places: number) => BigInt(value.times(decimal(10).pow(places)).toFixed(0));
        const exact = integer(quantity, 12) * (integer(listUnitPrice, 12) - integer(discountUnitAmount, 12));
        const unit = 10n ** BigInt(24 - digits);
        expect(integer(figures.totalPrice, digits)).toBe((2n * exact + unit) / (2n * unit));
        const exactTotal = quantity.times(figures.unitPrice);
        expect(figureProblems(figures, currency, '')).toEqual([]);
        expect(figureProblems({ ...figures, totalPrice: exactTotal }, currency, '')).toEqual([]);
        for (const off of [-1, 1]) {
          const wrong = figures.totalPrice.plus(decimal(10).pow(-digits).times(off));
          if (!wrong.eq(exactTotal))
            expect(figureProblems({ ...figures, totalPrice: wrong }, currency, '')).toHaveLength(1);
        }
      }),
      { numRuns: 1000 },
    );
  });
});

describe('the total of an order', () => {
  const lines = ['10', '0.5'].map((total) => ({ totalPrice: decimal(total) }));
  const order = (namedTotal: Decimal | null) => totalAmountOf({ namedTotal, lineItems: lines } as never);

  it('is the sum of its lines until a request sets another', () => {
    expect(plain(order(null))).toBe('10.5');
    expect(plain(order(decimal('12')))).toBe('12');
  });

  it('that equals the sum continues to follow the lines', () => {
    expect(namedTotalOf(decimal('10.50'), lines)).toBeNull();
    expect(namedTotalOf(decimal('10.51'), lines)).toEqual(decimal('10.51'));
  });
});
