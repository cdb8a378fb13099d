import fc from 'fast-check';
import { expect, it } from 'vitest';
import { minorDigits } from '../../kernel/currency.ts';
import { type Decimal, decimal, plain, sum, ZERO } from '../../kernel/decimal.ts';
import { WHOLE } from '../../kernel/fraction.ts';
import type { DueCharge } from '../difference/due.ts';
import type { LineRow } from '../invoice/invoice-line.ts';
import type { BilledPrice } from '../terms/billing-terms.ts';
import { calculate } from './calculate.ts';
import type { Calculation, CalculationInput, OtherLine } from './calculation.ts';
import { keptLines } from './kept-lines.ts';
import { PLAIN_LINE } from './line-content.ts';

const period = {
  start: Temporal.Instant.from('2026-01-01T00:00:00Z'),
  end: Temporal.Instant.from('2026-02-01T00:00:00Z'),
};
const price = (id: string, unitPrice: string, metric: boolean): BilledPrice => ({
  ...{
    id,
    invoiceDisplayName: id,
    paymentTerm: 'in_arrears',
    pricing: { model: 'standard', properties: { unitPrice } },
  },
  ...{ billingCadence: null, quantity: decimal(1), minimumAmount: null, maximumAmount: null, taxRate: null },
  metric: metric ? ({ id, name: id, meter: { aggregation: 'SUM' } } as BilledPrice['metric']) : null,
  fee: metric ? null : { id, name: id, description: '', itemId: null },
  groupFilters: null,
});

const rate = fc.constantFrom('0', '7', '8.875', '19', '20');
const units = fc.integer({ min: 0, max: 400 });
const late = fc.record({ was: units, is: units, billedRate: rate, parts: fc.subarray(['0.1', '0.25', '0.333333']) });
const invoice = fc.record({
  fee: units,
  late: fc.array(late, { maxLength: 3 }),
  credits: fc.array(fc.record({ amount: units, rate }), { maxLength: 2 }),
  rates: fc.array(rate, { minLength: 4, maxLength: 4 }),
  currency: fc.constantFrom('USD', 'JPY', 'KWD'),
  taxBehavior: fc.constantFrom('exclusive' as const, 'inclusive' as const),
});
type Invoice = typeof invoice extends fc.Arbitrary<infer V> ? V : never;

const chargeOf = (of: BilledPrice) => ({ price: of, period, fraction: WHOLE, spans: [period] });

function inputOf({ fee, rates, currency, taxBehavior, ...of }: Invoice): CalculationInput {
  const minor = (count: number): Decimal => decimal(count).div(10 ** minorDigits(currency));
  const taxOf = (amount: Decimal, percent: string): Decimal =>
    amount.times(percent).div(100).toDecimalPlaces(minorDigits(currency));
  const lateDue = ({ was, is, billedRate, parts }: Invoice['late'][number], place: number): DueCharge => {
    const usage = price(`usage ${place}`, plain(minor(1)), true);
    const billed = minor(was);
    const charges = [{ group: {}, quantity: decimal(was), amount: billed, tiers: null }];
    const figure = { priceId: usage.id, groupValues: {}, quantity: decimal(is), eventCount: 1, granted: ZERO };
    return {
      charge: chargeOf(usage),
      before: { charges, discount: ZERO, coupons: {}, maximum: ZERO, minimum: ZERO, granted: ZERO },
      back: { net: billed, tax: taxOf(billed, billedRate), taxRate: decimal(billedRate) },
      late: {
        usage: [figure],
        adjustments: parts.map((part) => ({ id: part, percentageDiscount: part, description: '' })),
        items: [],
      },
    };
  };
  return {
    ...{ currency, taxBehavior, usage: [] },
    charges: [{ charge: chargeOf(price('fee', plain(minor(fee)), false)) }, ...of.late.map(lateDue)],
    taxRates: new Map(
      ['fee', ...of.late.map((_, place) => `usage ${place}`)].map((id, at) => [id, decimal(rates[at] as string)]),
    ),
    others: of.credits.map(
      (credit): OtherLine => ({
        ...{ amount: minor(credit.amount).negated(), taxRate: decimal(credit.rate), cutTurn: 'credit' },
        tax: taxOf(minor(credit.amount), credit.rate).negated(),
        content: {
          ...{ ...PLAIN_LINE, type: 'credit', displayName: 'Credit', unitPrice: ZERO, workings: null },
          ...{ periodStart: period.start, periodEnd: period.end },
        },
      }),
    ),
  };
}

const rowsOf = ({ lines, appliesTo = [] }: Calculation): LineRow[] =>
  lines.map((line, position) => {
    const of = appliesTo[position] ?? null;
    return {
      ...{ ...line, merchantId: '', invoiceId: '', id: String(position), position },
      appliesToLineId: of === null ? null : String(of),
    };
  });

const said = ({ lines, subtotal, totalTax }: Calculation): string[] => [
  ...lines.map(({ type, totalPrice, totalTax: tax }) => `${type} ${plain(totalPrice)} + ${plain(tax)}`),
  `${plain(subtotal)} + ${plain(totalTax)}`,
];

it('a second calculation that keeps corrections and credits comes to the same net amounts and taxes', () => {
  fc.assert(
    fc.property(invoice, (of) => {
      const input = inputOf(of);
      const first = calculate(input);
      const kept = keptLines(
        rowsOf(first).filter(({ priceId }) => priceId !== 'fee'),
        of.taxBehavior,
      );
      const again = calculate({ ...input, charges: input.charges.slice(0, 1), others: kept });
      expect(said(again)).toEqual(said(first));
      expect(sum(again.lines.map(({ totalAmount }) => totalAmount)).eq(first.grandTotal)).toBe(true);
    }),
    { numRuns: 400 },
  );
});
