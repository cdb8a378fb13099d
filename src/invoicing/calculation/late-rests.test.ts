import { describe, expect, it } from 'vitest';
import { decimal, plain } from '../../kernel/decimal.ts';
import { WHOLE } from '../../kernel/fraction.ts';
import type { TaxBehavior } from '../../tax/index.ts';
import type { BilledUsage } from '../invoice/billed-usage.ts';
import type { BilledCharge } from '../owed/charges.ts';
import type { BilledPrice } from '../terms/billing-terms.ts';
import { type CalculationInput, calculate } from './calculate.ts';

/** Late usage that is negative takes an invoice to 0 at most; the rest is told, and the next invoice bears it (domain.md §4). */
const price = (id: string, unitPrice: string) =>
  ({
    ...{ id, invoiceDisplayName: id, pricing: { model: 'standard', properties: { unitPrice } }, fee: null },
    ...{ metric: { id: `of ${id}`, meter: { aggregation: 'SUM' } }, minimumAmount: null, maximumAmount: null },
  }) as unknown as BilledPrice;
const month = {
  start: Temporal.Instant.from('2026-01-01T00:00:00Z'),
  end: Temporal.Instant.from('2026-02-01T00:00:00Z'),
};
const chargeOf = (id: string): BilledCharge => ({
  price: price(id, id === 'rebate' ? '-1' : '1'),
  period: month,
  fraction: WHOLE,
  spans: [month],
});
const used = (priceId: string, quantity: number): BilledUsage[] => [
  { price_id: priceId, group_values: {}, quantity: decimal(String(quantity)), event_count: 1, granted: decimal('0') },
];

interface Case {
  readonly what: string;
  /** Units of the invoice's own period, at 1 each. */
  readonly own: number;
  /** Price, units that were billed, units there are. */
  readonly late?: readonly (readonly [string, number, number])[];
  readonly carried?: readonly (readonly [string, string])[];
  readonly discount?: string;
  readonly taxBehavior?: TaxBehavior;
  readonly lines: readonly string[];
  readonly rests: readonly string[];
}

describe('what is cut of late usage', () => {
  it.each<Case>([
    { what: 'nothing', own: 9, late: [['a', 10, 6]], lines: ['9', '-4'], rests: [] },
    { what: 'nothing at just 0', own: 4, late: [['a', 10, 6]], lines: ['4', '-4'], rests: [] },
    { what: 'a part', own: 3, late: [['a', 10, 6]], lines: ['3', '-3'], rests: ['a -1'] },
    { what: 'all', own: 0, late: [['a', 10, 6]], lines: ['0', '0'], rests: ['a -4'] },
    {
      what: 'the last one first',
      own: 5,
      late: [
        ['a', 10, 6],
        ['b', 10, 6],
      ],
      lines: ['5', '-4', '-1'],
      rests: ['b -3'],
    },
    {
      what: 'less with what is more of another',
      own: 0,
      late: [
        ['a', 9, 2],
        ['b', 1, 6],
      ],
      lines: ['0', '-5', '5'],
      rests: ['a -2'],
    },
    {
      what: 'of what is left after a discount',
      own: 2,
      late: [['a', 10, 0]],
      discount: '0.5',
      lines: ['2', '-1', '-6', '5'],
      rests: ['a -4'],
    },
    {
      what: 'with its tax, where prices include it',
      own: 6,
      late: [['a', 18, 0]],
      taxBehavior: 'inclusive',
      lines: ['5', '-5'],
      rests: ['a -12'],
    },
    { what: 'nothing of a rebate: its rest is lost', own: 1, late: [['rebate', 0, 3]], lines: ['1', '-1'], rests: [] },
    { what: 'nothing of what was carried', own: 9, carried: [['a', '-4']], lines: ['9', '-4'], rests: [] },
    { what: 'a part of what was carried, again', own: 3, carried: [['a', '-4']], lines: ['3', '-3'], rests: ['a -1'] },
    {
      what: 'no discount of what was carried',
      own: 8,
      carried: [['a', '-3']],
      discount: '0.5',
      lines: ['8', '-4', '-3'],
      rests: [],
    },
  ])('$what', ({ own, late = [], carried = [], discount, taxBehavior = 'exclusive', lines, rests }) => {
    const input: CalculationInput = {
      currency: 'USD',
      charges: [chargeOf('own')],
      usage: used('own', own),
      late: late.map(([id, billed, now]) => ({
        ...{ ofInvoiceId: 'january', charge: chargeOf(id), billed: used(id, billed), now: used(id, now) },
      })),
      carried: carried.map(([id, amount]) => ({
        ...{ ofInvoiceId: 'january', charge: chargeOf(id), amount: decimal(amount) },
      })),
      taxBehavior,
      taxRates: new Map(['own', 'a', 'b', 'rebate'].map((id) => [id, decimal('20')])),
      adjustments: discount === undefined ? [] : [{ id: 'adj', percentageDiscount: discount, description: '' }],
    };
    const { lines: found, lateRests = [], grandTotal } = calculate(input);
    expect(found.map(({ total_price: net }) => plain(net))).toEqual(lines);
    expect(lateRests.map(({ ofInvoiceId, priceId, amount }) => `${ofInvoiceId} ${priceId} ${amount}`)).toEqual(
      rests.map((rest) => `january ${rest}`),
    );
    expect(grandTotal.gte(0)).toBe(true);
  });
});
