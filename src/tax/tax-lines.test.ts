import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { currencyCodes, minorDigits } from '../kernel/currency.ts';
import { decimal, plain, sum } from '../kernel/decimal.ts';
import { roundTo } from '../kernel/money.ts';
import { type TaxBehavior, taxLines } from './tax-lines.ts';

/** `amount @ rate` of each line; `-` for a line without a rate. */
const lines = (...texts: string[]) =>
  texts.map((text) => {
    const [amount, rate] = text.split(' @ ') as [string, string];
    return { amount: decimal(amount), taxRate: rate === '-' ? null : decimal(rate) };
  });
const shown = (taxed: ReturnType<typeof taxLines>) => ({
  lines: taxed.lines.map(({ net, tax, gross }) => `${plain(net)} + ${plain(tax)} = ${plain(gross)}`),
  taxes: taxed.taxes.map(({ rate, base, amount }) => `${plain(rate)} % of ${plain(base)} = ${plain(amount)}`),
});

describe('exclusive tax', () => {
  it.each([
    {
      what: 'the trace: 11.574 is 11.57, of which 10.836 and 0.738 get a part each', // floors 10.83 + 0.73; .8 > .6
      given: lines('54.18 @ 20', '3.69 @ 20'),
      currency: 'USD',
      lines: ['54.18 + 10.83 = 65.01', '3.69 + 0.74 = 4.43'],
      taxes: ['20 % of 57.87 = 11.57'],
    },
    {
      what: 'three lines whose taxes alone would round up: 3 × 0.008 is 0.02',
      given: lines('0.10 @ 8', '0.10 @ 8', '0.10 @ 8'),
      currency: 'USD',
      lines: ['0.1 + 0.01 = 0.11', '0.1 + 0.01 = 0.11', '0.1 + 0 = 0.1'],
      taxes: ['8 % of 0.3 = 0.02'],
    },
    {
      what: 'two rates, the highest first',
      given: lines('10.00 @ 7', '20.00 @ 19', '5.00 @ 7.00'),
      currency: 'EUR',
      lines: ['10 + 0.7 = 10.7', '20 + 3.8 = 23.8', '5 + 0.35 = 5.35'],
      taxes: ['19 % of 20 = 3.8', '7 % of 15 = 1.05'],
    },
    {
      what: 'a discount line lowers the base',
      given: lines('100.00 @ 20', '-35.00 @ 20'),
      currency: 'EUR',
      lines: ['100 + 20 = 120', '-35 + -7 = -42'],
      taxes: ['20 % of 65 = 13'],
    },
    {
      what: 'a charge and its credit keep their own taxes, though nothing is left to tax',
      given: lines('100.00 @ 20', '-100.00 @ 20'),
      currency: 'EUR',
      lines: ['100 + 20 = 120', '-100 + -20 = -120'],
      taxes: ['20 % of 0 = 0'],
    },
    {
      what: 'a small remainder does not blow up the shares: 0.006 of tax on 1,000.00 less 999.97',
      given: lines('1000.00 @ 20', '-999.97 @ 20'),
      currency: 'EUR',
      lines: ['1000 + 200 = 1200', '-999.97 + -199.99 = -1199.96'],
      taxes: ['20 % of 0.03 = 0.01'],
    },
    {
      what: 'half a cent',
      given: lines('0.10 @ 5'),
      currency: 'USD',
      lines: ['0.1 + 0.01 = 0.11'],
      taxes: ['5 % of 0.1 = 0.01'],
    },
    {
      what: 'less half a cent',
      given: lines('-0.10 @ 5'),
      currency: 'USD',
      lines: ['-0.1 + -0.01 = -0.11'],
      taxes: ['5 % of -0.1 = -0.01'],
    },
    {
      what: '8.875 %',
      given: lines('100.00 @ 8.875'),
      currency: 'USD',
      lines: ['100 + 8.88 = 108.88'],
      taxes: ['8.875 % of 100 = 8.88'],
    },
    // 10.5
    { what: 'yen', given: lines('105 @ 10'), currency: 'JPY', lines: ['105 + 11 = 116'], taxes: ['10 % of 105 = 11'] },
    {
      what: 'dinars',
      given: lines('1.111 @ 5'),
      currency: 'KWD',
      lines: ['1.111 + 0.056 = 1.167'],
      taxes: ['5 % of 1.111 = 0.056'],
    }, // 0.05555
    {
      what: '0 % is a rate',
      given: lines('10.00 @ 0'),
      currency: 'USD',
      lines: ['10 + 0 = 10'],
      taxes: ['0 % of 10 = 0'],
    },
    {
      what: 'no rate is no tax',
      given: lines('10.00 @ -', '5.00 @ 20'),
      currency: 'USD',
      lines: ['10 + 0 = 10', '5 + 1 = 6'],
      taxes: ['20 % of 5 = 1'],
    },
    { what: 'no lines', given: [], currency: 'USD', lines: [], taxes: [] },
  ])('$what', ({ given, currency, lines: expected, taxes }) => {
    expect(shown(taxLines(given, 'exclusive', currency))).toEqual({ lines: expected, taxes });
  });
});

describe('inclusive tax', () => {
  it.each([
    {
      what: '20 % in 120',
      given: lines('120.00 @ 20'),
      currency: 'EUR',
      lines: ['100 + 20 = 120'],
      taxes: ['20 % of 100 = 20'],
    },
    {
      what: '19 % in 9.99',
      given: lines('9.99 @ 19'),
      currency: 'EUR',
      lines: ['8.39 + 1.6 = 9.99'],
      taxes: ['19 % of 8.39 = 1.6'],
    }, // 1.59504
    {
      what: '20 % in three of 1.00: 0.5 in all', // 0.1666… each: 0.16 and two cents more
      given: lines('1.00 @ 20', '1.00 @ 20', '1.00 @ 20'),
      currency: 'EUR',
      lines: ['0.83 + 0.17 = 1', '0.83 + 0.17 = 1', '0.84 + 0.16 = 1'],
      taxes: ['20 % of 2.5 = 0.5'],
    },
    {
      what: 'a discount line',
      given: lines('120.00 @ 20', '-12.00 @ 20'),
      currency: 'EUR',
      lines: ['100 + 20 = 120', '-10 + -2 = -12'],
      taxes: ['20 % of 90 = 18'],
    },
    // 9.0909
    { what: 'yen', given: lines('100 @ 10'), currency: 'JPY', lines: ['91 + 9 = 100'], taxes: ['10 % of 91 = 9'] },
    { what: '0 %', given: lines('10.00 @ 0'), currency: 'USD', lines: ['10 + 0 = 10'], taxes: ['0 % of 10 = 0'] },
    { what: 'no rate', given: lines('10.00 @ -'), currency: 'USD', lines: ['10 + 0 = 10'], taxes: [] },
  ])('$what', ({ given, currency, lines: expected, taxes }) => {
    expect(shown(taxLines(given, 'inclusive', currency))).toEqual({ lines: expected, taxes });
  });
});

describe('refusals', () => {
  it('of an amount that is not rounded', () => {
    expect(() => taxLines(lines('0.001 @ 20'), 'exclusive', 'USD')).toThrow(RangeError);
  });
  it('of a negative rate', () => {
    expect(() => taxLines(lines('1.00 @ -20'), 'exclusive', 'USD')).toThrow(RangeError);
  });
});

describe('what always holds', () => {
  const rate = fc.option(fc.constantFrom('0', '5', '7', '7.7', '8.875', '19', '20', '25', '100'), { nil: '-' });
  const invoice = fc.tuple(
    fc.array(fc.tuple(fc.bigInt({ min: -(10n ** 12n), max: 10n ** 12n }), rate), { maxLength: 40 }),
    fc.constantFrom(...currencyCodes),
    fc.constantFrom<TaxBehavior>('exclusive', 'inclusive'),
  );
  const given = (rows: [bigint, string][], currency: string) =>
    rows.map(([units, text]) => ({
      amount: decimal(units).div(10 ** minorDigits(currency)),
      taxRate: text === '-' ? null : decimal(text),
    }));

  it('net and tax of every line are its gross, and the amount that was given is one of them', () => {
    fc.assert(
      fc.property(invoice, ([rows, currency, behavior]) => {
        const taxable = given(rows, currency);
        for (const [index, { net, tax, gross }] of taxLines(taxable, behavior, currency).lines.entries()) {
          expect(net.plus(tax).eq(gross)).toBe(true);
          expect((behavior === 'inclusive' ? gross : net).eq((taxable[index] as (typeof taxable)[0]).amount)).toBe(
            true,
          );
          expect(tax.decimalPlaces()).toBeLessThanOrEqual(minorDigits(currency));
        }
      }),
    );
  });

  it('the taxes of the rates are those of the lines, each rounded once from its exact sum', () => {
    fc.assert(
      fc.property(invoice, ([rows, currency, behavior]) => {
        const taxable = given(rows, currency);
        const taxed = taxLines(taxable, behavior, currency);
        expect(sum(taxed.taxes.map((tax) => tax.amount)).eq(sum(taxed.lines.map((line) => line.tax)))).toBe(true);
        for (const tax of taxed.taxes) {
          const own = taxable.filter((line) => line.taxRate?.eq(tax.rate));
          const over = behavior === 'inclusive' ? tax.rate.plus(100) : decimal(100);
          const exact = sum(own.map((line) => line.amount.times(tax.rate))).div(over);
          expect(plain(tax.amount)).toBe(plain(roundTo(exact, currency, 'half-away-from-zero')));
        }
      }),
    );
  });

  it('no line is a whole minor unit away from its own exact tax', () => {
    fc.assert(
      fc.property(invoice, ([rows, currency, behavior]) => {
        const unit = decimal(1).div(10 ** minorDigits(currency));
        const taxable = given(rows, currency);
        for (const [index, { tax }] of taxLines(taxable, behavior, currency).lines.entries()) {
          const { amount, taxRate } = taxable[index] as (typeof taxable)[0];
          const percent = taxRate ?? decimal(0);
          const exact = amount.times(percent).div(behavior === 'inclusive' ? percent.plus(100) : 100);
          expect(tax.minus(exact).abs().lt(unit.times('1.0000000001'))).toBe(true);
        }
      }),
    );
  });

  it('a credit of all lines takes back exactly what they were taxed with', () => {
    fc.assert(
      fc.property(invoice, ([rows, currency, behavior]) => {
        const taxable = given(rows, currency);
        const taxed = taxLines(taxable, behavior, currency);
        const mirrored = taxable.map((line) => ({ ...line, amount: line.amount.negated() }));
        expect(taxLines(mirrored, behavior, currency).lines.map((line) => plain(line.tax))).toEqual(
          taxed.lines.map((line) => plain(line.tax.negated())),
        );
      }),
    );
  });
});

describe('a line whose tax is known', () => {
  const known = (text: string, tax: string) => ({
    ...(lines(text)[0] as ReturnType<typeof lines>[number]),
    tax: decimal(tax),
  });

  it('keeps it, and the other lines of its rate are rounded without it', () => {
    // 0.99 × 8.875 % twice is 0.175725, 0.18; the credit has the billed 0.08, and not 0.09.
    const taxed = taxLines(
      [...lines('0.99 @ 8.875', '0.99 @ 8.875'), known('-0.99 @ 8.875', '-0.08')],
      'exclusive',
      'USD',
    );
    expect(shown(taxed)).toEqual({
      lines: ['0.99 + 0.09 = 1.08', '0.99 + 0.09 = 1.08', '-0.99 + -0.08 = -1.07'],
      taxes: ['8.875 % of 0.99 = 0.1'],
    });
  });

  it('of an inclusive price has the rest of its amount as net', () => {
    const taxed = taxLines([...lines('99.99 @ 19'), known('-99.99 @ 19', '-15.97')], 'inclusive', 'EUR');
    expect(shown(taxed)).toEqual({
      lines: ['84.03 + 15.96 = 99.99', '-84.02 + -15.97 = -99.99'],
      taxes: ['19 % of 0.01 = -0.01'],
    });
  });

  it('that is 0 is a known tax, too', () => {
    expect(shown(taxLines([known('-5.00 @ 20', '0')], 'exclusive', 'USD')).lines).toEqual(['-5 + 0 = -5']);
  });
});
