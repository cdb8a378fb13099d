import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { minorDigits } from '../../kernel/currency.ts';
import { Decimal, decimal, plain, sum } from '../../kernel/decimal.ts';
import type { TaxBehavior } from '../../tax/index.ts';
import { ratePrice } from '../rating/index.ts';
import { type InvoiceTotals, invoiceTotals, type TotalledLine } from './totals.ts';

/** `amount @ rate`, then `credit` or `rebate` where the line gives way. */
const lines = (...texts: string[]) =>
  texts.map((text): TotalledLine => {
    const [amount, , rate, cutTurn] = text.split(' ') as [string, string, string, 'credit' | 'rebate' | undefined];
    return {
      amount: decimal(amount),
      taxRate: rate === '-' ? null : decimal(rate),
      ...(cutTurn === undefined ? {} : { cutTurn }),
    };
  });
const shown = ({ subtotal, totalTax, grandTotal }: InvoiceTotals) =>
  `${plain(subtotal)} + ${plain(totalTax)} = ${plain(grandTotal)}`;

describe('totals', () => {
  it.each<{ what: string; given: TotalledLine[]; behavior?: TaxBehavior; currency?: string; totals: string }>([
    { what: 'nothing', given: [], totals: '0 + 0 = 0' },
    { what: 'the trace', given: lines('54.18 @ 20', '3.69 @ 20'), totals: '57.87 + 11.57 = 69.44' },
    { what: 'three rates', given: lines('10.00 @ 7', '20.00 @ 19', '5.00 @ 0'), totals: '35 + 4.5 = 39.5' },
    { what: 'a wallet top-up bears no tax', given: lines('10.00 @ 20', '50.00 @ -'), totals: '60 + 2 = 62' },
    { what: 'a discount', given: lines('100.00 @ 20', '-35.00 @ 20'), totals: '65 + 13 = 78' },
    {
      what: 'inclusive',
      given: lines('120.00 @ 20', '10.70 @ 7'),
      behavior: 'inclusive',
      totals: '110 + 20.7 = 130.7',
    },
    { what: 'yen', given: lines('105 @ 10', '105 @ 10'), currency: 'JPY', totals: '210 + 21 = 231' },
    // 0.16665
    { what: 'dinars', given: lines('1.111 @ 5', '2.222 @ 5'), currency: 'KWD', totals: '3.333 + 0.167 = 3.5' },
  ])('$what', ({ given, behavior, currency, totals }) => {
    const result = invoiceTotals(given, behavior ?? 'exclusive', currency ?? 'USD');
    expect(shown(result)).toBe(totals);
    expect(result.lines.map((line) => plain(line.cut))).toEqual(given.map(() => '0'));
  });

  it('list the tax of each rate', () => {
    const { taxes } = invoiceTotals(lines('10.00 @ 7', '20.00 @ 19', '5.00 @ 7'), 'exclusive', 'EUR');
    expect(taxes.map((tax) => `${plain(tax.rate)} % of ${plain(tax.base)}: ${plain(tax.amount)}`)).toEqual([
      '19 % of 20: 3.8',
      '7 % of 15: 1.05',
    ]);
  });
});

describe('an invoice below zero is cut to zero', () => {
  it.each<{ what: string; given: TotalledLine[]; behavior?: TaxBehavior; totals: string; amounts: string[] }>([
    {
      // 60 of usage less 25 % was billed, and 1 is owed: 44.25 is too much, not 59.
      what: 'a correction of usage with a discount, by no more than both together; then the other credit',
      given: [
        { ...(lines('-59.00 @ 0 credit')[0] as TotalledLine), mostCut: decimal('44.25') },
        ...lines('14.75 @ 0', '-20.00 @ 0 credit'),
      ],
      totals: '0 + 0 = 0',
      amounts: ['-14.75', '14.75', '0'],
    },
    { what: 'a rebate alone', given: lines('-5.00 @ 20 rebate'), totals: '0 + 0 = 0', amounts: ['0'] },
    {
      what: 'a rebate larger than the charges',
      given: lines('10.00 @ 20', '-25.00 @ 20 rebate'),
      totals: '0 + 0 = 0',
      amounts: ['10', '-10'],
    },
    {
      what: 'a rebate just as large',
      given: lines('10.00 @ 20', '-10.00 @ 20 rebate'),
      totals: '0 + 0 = 0',
      amounts: ['10', '-10'],
    },
    {
      what: 'a rebate one cent smaller',
      given: lines('10.00 @ 20', '-9.99 @ 20 rebate'),
      totals: '0.01 + 0 = 0.01',
      amounts: ['10', '-9.99'],
    },
    {
      what: 'credits before rebates', // 10 − 8 − 5: three of the credit go elsewhere
      given: lines('10.00 @ 20', '-5.00 @ 20 credit', '-8.00 @ 20 rebate'),
      totals: '0 + 0 = 0',
      amounts: ['10', '-2', '-8'],
    },
    {
      // 10 − 8 − 5 − 4: the credit, then three of the last rebate
      what: 'rebates when no credit is left, the last first',
      given: lines('10.00 @ 20', '-5.00 @ 20 rebate', '-8.00 @ 20 rebate', '-4.00 @ 20 credit'),
      totals: '0 + 0 = 0',
      amounts: ['10', '-5', '-5', '0'],
    },
    {
      what: 'not the discount of a charge',
      given: lines('100.00 @ 20', '-200.00 @ 20 rebate', '-35.00 @ 20'),
      totals: '0 + 0 = 0',
      amounts: ['100', '-65', '-35'],
    },
    {
      what: 'a negative line of no kind, when nothing else is there',
      given: lines('10.00 @ 20', '-12.00 @ 20'),
      totals: '0 + 0 = 0',
      amounts: ['10', '-10'],
    },
    {
      what: 'a rebate at a rate, of a charge without: with tax it pays 12.00',
      given: lines('12.00 @ 0', '-11.00 @ 20 rebate'), // 13.20 with tax; 10.00 and 2.00 of tax are 12.00
      totals: '2 + -2 = 0',
      amounts: ['12', '-10'],
    },
    {
      what: 'a rebate without a rate, of a charge with one', // 10 + 2 of tax
      given: lines('10.00 @ 20', '-15.00 @ 0 rebate'),
      totals: '-2 + 2 = 0',
      amounts: ['10', '-12'],
    },
    {
      what: 'zero that whole cents do not reach: 0.10 less 0.08 and its 0.02 of tax is 0, less 0.09 and 0.02 is not',
      given: lines('0.10 @ 0', '-1.00 @ 20 rebate'),
      totals: '0.02 + -0.02 = 0',
      amounts: ['0.1', '-0.08'],
    },
    {
      // −0.03 and 0.02 of tax (0.015) are 0.05 already; −0.02 and 0.01 are 0.03
      what: 'a cent that cannot be reached stays',
      given: lines('0.04 @ 0', '-1.00 @ 50 rebate'),
      totals: '0.02 + -0.01 = 0.01',
      amounts: ['0.04', '-0.02'],
    },
    {
      what: 'inclusive amounts',
      given: lines('12.00 @ 20', '-30.00 @ 7 rebate'),
      behavior: 'inclusive',
      totals: '-1.21 + 1.21 = 0', // 2.00 of tax in 12.00, 0.785… in the 12.00 that the rebate may take
      amounts: ['12', '-12'],
    },
  ])('$what', ({ given, behavior, totals, amounts }) => {
    const result = invoiceTotals(given, behavior ?? 'exclusive', 'USD');
    expect(shown(result)).toBe(totals);
    expect(result.lines.map((line) => plain(line.amount))).toEqual(amounts);
    expect(result.lines.map((line) => plain(line.cut.plus(line.amount)))).toEqual(
      given.map((line) => plain(line.amount)),
    );
  });
});

describe('what always holds', () => {
  const line = fc.tuple(
    fc.bigInt({ min: -(10n ** 9n), max: 10n ** 9n }),
    fc.constantFrom('-', '0', '7', '8.875', '20', '100'),
    fc.constantFrom(undefined, 'credit' as const, 'rebate' as const),
  );
  const invoice = fc.tuple(
    fc.array(line, { maxLength: 25 }),
    fc.constantFrom('JPY', 'USD', 'KWD', 'CLF'),
    fc.constantFrom<TaxBehavior>('exclusive', 'inclusive'),
  );
  const given = (rows: [bigint, string, 'credit' | 'rebate' | undefined][], currency: string) =>
    rows.map(
      ([units, rate, cutTurn]): TotalledLine => ({
        amount: decimal(units).div(10 ** minorDigits(currency)),
        taxRate: rate === '-' ? null : decimal(rate),
        ...(cutTurn === undefined ? {} : { cutTurn }),
      }),
    );

  it('lines sum to the totals, subtotal and tax to the grand total, and that is never below zero', () => {
    fc.assert(
      fc.property(invoice, ([rows, currency, behavior]) => {
        const totals = invoiceTotals(given(rows, currency), behavior, currency);
        expect(sum(totals.lines.map((one) => one.net)).eq(totals.subtotal)).toBe(true);
        expect(sum(totals.lines.map((one) => one.tax)).eq(totals.totalTax)).toBe(true);
        expect(sum(totals.lines.map((one) => one.gross)).eq(totals.grandTotal)).toBe(true);
        expect(sum(totals.taxes.map((tax) => tax.amount)).eq(totals.totalTax)).toBe(true);
        expect(totals.subtotal.plus(totals.totalTax).eq(totals.grandTotal)).toBe(true);
        expect(totals.grandTotal.isNegative() && !totals.grandTotal.isZero()).toBe(false);
      }),
    );
  });

  it('nothing is cut that need not be, no charge is touched, and a cut ends within two minor units and their tax of zero', () => {
    fc.assert(
      fc.property(invoice, ([rows, currency, behavior]) => {
        const before = given(rows, currency);
        const totals = invoiceTotals(before, behavior, currency);
        for (const [index, one] of totals.lines.entries()) {
          const { amount } = before[index] as TotalledLine;
          if (amount.gte(0)) expect(one.amount.eq(amount)).toBe(true);
          expect(one.cut.lte(0) && one.cut.gte(Decimal.min(0, amount))).toBe(true);
        }
        const cut = sum(totals.lines.map((one) => one.cut));
        if (!cut.isZero()) expect(totals.grandTotal.lte(decimal(3).div(10 ** minorDigits(currency)))).toBe(true);
      }),
    );
  });

  it('rated prices, taxed and totalled, sum to the last minor unit in every class of currency', () => {
    const unitPrice = fc.integer({ min: -(10 ** 6), max: 10 ** 8 }).map((value) => plain(decimal(value).div(10 ** 6)));
    const usage = fc.integer({ min: 0, max: 10 ** 9 }).map((value) => decimal(value).div(1000));
    const catalog = fc.array(fc.tuple(unitPrice, usage, fc.constantFrom('0', '7', '19', '8.875')), { maxLength: 15 });
    fc.assert(
      fc.property(catalog, fc.constantFrom('JPY', 'USD', 'KWD', 'CLF'), (prices, currency) => {
        const rated = prices.flatMap(([price, quantity, rate]) =>
          ratePrice({
            currency,
            pricing: { model: 'standard', properties: { unitPrice: price } },
            rated: { kind: 'fee', quantity },
            maximumAmount: decimal('1000'),
          }).lines.map(
            (one): TotalledLine => ({
              amount: one.totalPrice,
              taxRate: decimal(rate),
              ...(one.kind === 'charge' ? { cutTurn: 'rebate' } : {}),
            }),
          ),
        );
        const totals = invoiceTotals(rated, 'exclusive', currency);
        expect(sum(totals.lines.map((one) => one.gross)).eq(totals.grandTotal)).toBe(true);
        expect(totals.grandTotal.gte(0)).toBe(true);
        expect(totals.grandTotal.decimalPlaces()).toBeLessThanOrEqual(minorDigits(currency));
      }),
    );
  });
});

describe('a credit with a tax of its own', () => {
  const credit = (amount: string, tax: string): TotalledLine => ({
    ...{ amount: decimal(amount), tax: decimal(tax), taxRate: decimal('20'), cutTurn: 'credit' },
  });
  it.each<{ what: string; given: TotalledLine[]; behavior?: TaxBehavior; totals: string; left: string[] }>([
    {
      what: 'that is not cut keeps it',
      given: [...lines('100.00 @ 20'), credit('-30.00', '-5.99')],
      totals: '70 + 14.01 = 84.01',
      left: ['100 + 20', '-30 + -5.99'],
    },
    {
      what: 'that is all of the invoice leaves nothing',
      given: [...lines('84.03 @ 19'), { ...credit('-84.03', '-15.97'), taxRate: decimal('19') }],
      totals: '0 + 0 = 0',
      left: ['84.03 + 15.97', '-84.03 + -15.97'],
    },
    {
      what: 'that is cut keeps as much of it',
      given: [...lines('10.00 @ 20'), credit('-40.00', '-8.00')],
      totals: '0 + 0 = 0',
      left: ['10 + 2', '-10 + -2'],
    },
    {
      what: 'of an inclusive price is cut by its gross amount',
      given: [...lines('12.00 @ 20'), credit('-48.00', '-8.00')],
      behavior: 'inclusive',
      totals: '0 + 0 = 0',
      left: ['10 + 2', '-10 + -2'],
    },
    {
      what: 'of nothing left to bill is cut to nothing',
      given: [credit('-40.00', '-8.00')],
      totals: '0 + 0 = 0',
      left: ['0 + 0'],
    },
  ])('$what', ({ given, behavior = 'exclusive', totals, left }) => {
    const result = invoiceTotals(given, behavior, 'USD');
    expect(shown(result)).toBe(totals);
    expect(result.lines.map(({ net, tax }) => `${plain(net)} + ${plain(tax)}`)).toEqual(left);
  });
});
