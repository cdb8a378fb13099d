import { describe, expect, it } from 'vitest';
import { dueCharges, invoiceAt } from '../../../test/support/owed.ts';
import { Decimal, decimal, plain } from '../../kernel/decimal.ts';
import type { Instant } from '../../kernel/time.ts';
import type { BilledUsage } from '../invoice/billed-usage.ts';
import type { Aggregation, Pricing } from '../rating/index.ts';
import type { BilledPrice, BilledVersion, Proration } from '../terms/billing-terms.ts';
import type { HistoricTerms } from '../timeline/segments.ts';
import { calculate } from './calculate.ts';
import type { CalculatedLine } from './calculation.ts';

/** Whole invoices worked by hand: their prices, with times and amounts (domain.md §2 to §4). */
const at = (text: string): Instant => Temporal.Instant.from(text.includes('T') ? text : `${text}T00:00:00Z`);

interface Given {
  readonly id: string;
  readonly pricing: Pricing;
  readonly ahead?: boolean;
  readonly aggregation?: Aggregation;
  readonly minimum?: string;
  readonly maximum?: string;
}
const each = (unitPrice: string): Pricing => ({ model: 'standard', properties: { unitPrice } });
const fee = (id: string, unitPrice: string, fields: Partial<Given> = {}): Given => ({
  id,
  pricing: each(unitPrice),
  ...fields,
});
const use = (id: string, unitPrice: string, fields: Partial<Given> = {}): Given =>
  fee(id, unitPrice, { aggregation: 'SUM', ...fields });
const TIERS = [
  { upTo: '1000', unitPrice: '0.10', flatPrice: '30' },
  { upTo: null, unitPrice: '0.05', flatPrice: '15' },
];

const priceOf = ({ id, pricing, ahead, aggregation, minimum, maximum }: Given): BilledPrice => ({
  ...{ id, invoiceDisplayName: id, pricing, billingCadence: null, taxRate: null, groupFilters: null },
  paymentTerm: ahead === true ? 'in_advance' : 'in_arrears',
  metric: aggregation === undefined ? null : ({ id, name: id, meter: { aggregation } } as BilledPrice['metric']),
  fee: aggregation === undefined ? { id, name: id, description: '', itemId: null } : null,
  quantity: decimal('1'),
  minimumAmount: minimum === undefined ? null : decimal(minimum),
  maximumAmount: maximum === undefined ? null : decimal(maximum),
});

interface Case {
  readonly what: string;
  readonly anchor?: string;
  readonly starts: string;
  readonly ends?: string;
  /** The price list, and the lists of later changes with their times. */
  readonly prices: readonly Given[];
  readonly changes?: readonly (readonly [from: string, prices: readonly Given[], by?: Proration])[];
  /** The invoice of the period that holds this instant; by default of the first one. */
  readonly holds?: string;
  readonly used?: Readonly<Record<string, string>>;
  readonly discounts?: readonly string[];
  readonly currency?: string;
  readonly tax?: string;
  readonly lines: readonly string[];
  readonly total: string;
}

function termsOf({ anchor, starts, ends, prices, changes = [] }: Case): HistoricTerms {
  const history = [[starts, prices] as const, ...changes].map(
    ([from, list, proration = 'second']): BilledVersion => ({
      ...{ planId: 'plan', planTaxRate: null, minimumAmount: null, planCadence: 'P1M', anchors: {}, proration },
      from: at(from),
      prices: list.map(priceOf),
    }),
  );
  const bounds = { anchor: at(anchor ?? starts), startedAt: at(starts), endsAt: ends === undefined ? null : at(ends) };
  return { planCadence: 'P1M', prices: history.at(-1)?.prices ?? [], bounds, versions: history };
}

function invoiceOf(given: Case) {
  const terms = termsOf(given);
  const holds = at(given.holds ?? given.starts);
  const charges = dueCharges(terms, invoiceAt(terms, 'P1M', holds));
  const usage = Object.entries(given.used ?? {}).map(
    ([id, quantity]): BilledUsage => ({
      ...{ priceId: id, groupValues: {}, quantity: decimal(quantity), eventCount: 1, granted: decimal('0') },
    }),
  );
  return calculate({
    ...{ currency: given.currency ?? 'USD', charges, usage, taxBehavior: 'exclusive' },
    taxRates: new Map(charges.map(({ charge: { price } }) => [price.id, decimal(given.tax ?? '0')])),
    adjustments: (given.discounts ?? []).map((percentageDiscount, index) => ({
      ...{ id: `adjustment ${index}`, percentageDiscount, description: '' },
    })),
  });
}

const shown = ({ priceId: id, type, totalPrice: net }: CalculatedLine): string =>
  `${id}${type === 'charge' ? '' : ` ${type}`} ${plain(net)}`;

const cases = (list: readonly Case[]) =>
  it.each(list)('$what', (given) => {
    const { lines, grandTotal } = invoiceOf(given);
    expect(lines.map(shown)).toEqual(given.lines);
    expect(plain(grandTotal)).toBe(given.total);
  });

describe('a partial period', () => {
  cases([
    {
      what: 'a minimum: 16 of 31 days of it',
      anchor: '2026-01-01',
      starts: '2026-01-16',
      prices: [use('calls', '2', { minimum: '100' })],
      used: { calls: '10' },
      lines: ['calls 20', 'calls minimum 31.61'], // 100 × 16 ÷ 31 = 51.6129, less 20
      total: '51.61',
    },
    {
      what: 'a minimum that the usage of the part reaches, though not that of a whole period',
      anchor: '2026-01-01',
      starts: '2026-01-16',
      prices: [use('calls', '2', { minimum: '100' })],
      used: { calls: '26' },
      lines: ['calls 52'], // 52 is above 51.61
      total: '52',
    },
    {
      what: 'a maximum: 15 of 31 days of it',
      starts: '2026-01-01',
      ends: '2026-01-16',
      prices: [use('calls', '2', { maximum: '100' })],
      used: { calls: '40' },
      lines: ['calls 80', 'calls maximum -31.61'], // 100 × 15 ÷ 31 = 48.3870, less 80
      total: '48.39',
    },
    {
      what: 'a minimum after a discount: the discount is on the charge alone',
      anchor: '2026-01-01',
      starts: '2026-01-16',
      prices: [use('calls', '2', { minimum: '100' })],
      used: { calls: '30' },
      discounts: ['0.5'],
      lines: ['calls 60', 'calls adjustment -30', 'calls minimum 21.61'], // 51.61 less 30
      total: '51.61',
    },
    {
      what: 'flat prices and included units',
      anchor: '2026-02-01',
      starts: '2026-02-15', // 14 of 28 days
      prices: [
        fee('calls', '0', {
          aggregation: 'SUM',
          pricing: { model: 'graduated', properties: { tiers: TIERS, includedUnits: '400' } },
        }),
      ],
      used: { calls: '1700' },
      lines: ['calls 147.5'], // 1,700 − 200 = 1,500: 1,000 × 0.10 + 15 + 500 × 0.05 + 7.50
      total: '147.5',
    },
    {
      what: 'a fee and a level, both for their time',
      starts: '2026-02-01',
      ends: '2026-02-08', // 7 of 28 days
      prices: [fee('seat', '30'), use('level', '2', { aggregation: 'MAX' })],
      used: { level: '50' },
      lines: ['seat 7.5', 'level 25'], // 30 ÷ 4; 50 × 2 ÷ 4
      total: '32.5',
    },
  ]);
});

describe('a subscription of one second', () => {
  const second = { starts: '2026-01-01', ends: '2026-01-01T00:00:01Z' };
  cases([
    { ...second, what: 'of a fee: too little for a cent', prices: [fee('seat', '100')], lines: ['seat 0'], total: '0' },
    {
      ...second,
      what: 'of a fee that is large enough',
      prices: [fee('seat', '1000000')],
      lines: ['seat 0.37'], // 1,000,000 ÷ 2,678,400 = 0.37335
      total: '0.37',
    },
    {
      ...second,
      what: 'of usage: in full, with a minimum of a second',
      prices: [use('calls', '2', { minimum: '100000' })],
      used: { calls: '0.01' },
      lines: ['calls 0.02', 'calls minimum 0.02'], // 100,000 ÷ 2,678,400 = 0.0373, 0.04
      total: '0.04',
    },
    {
      ...second,
      what: 'asks nothing in advance of what follows',
      prices: [use('calls', '2'), fee('seats', '30', { ahead: true })],
      used: { calls: '3' },
      lines: ['calls 6'],
      total: '6',
    },
  ]);
});

describe('a change', () => {
  const january = { starts: '2026-01-01' };
  cases([
    {
      ...january,
      what: 'on the last second of fees: one of 2,678,400',
      prices: [fee('old', '10')],
      changes: [['2026-01-31T23:59:59Z', [fee('new', '1000000')]]],
      lines: ['old 10', 'new 0.37'], // 10 × 2,678,399 ÷ 2,678,400 = 9.9999963; 0.37335
      total: '10.37',
    },
    {
      ...january,
      what: 'on the last second of usage: each counts its own, with its part of the minimum',
      prices: [use('old', '2', { minimum: '50' })],
      changes: [['2026-01-31T23:59:59Z', [use('new', '3', { minimum: '1000000' })]]],
      used: { old: '20', new: '0.1' },
      lines: ['old 40', 'old minimum 10', 'new 0.3', 'new minimum 0.07'], // 49.99998 is 50.00; 0.37 − 0.30
      total: '50.37',
    },
    {
      ...january,
      what: 'twice in one period: 10, 10 and 11 of 31 days',
      prices: [fee('a', '31')],
      changes: [
        ['2026-01-11', [fee('b', '62')]],
        ['2026-01-21', [fee('c', '93')]],
      ],
      lines: ['a 10', 'b 20', 'c 33'], // a dollar a day, two, three
      total: '63',
    },
    {
      ...january,
      what: 'twice, there and back: of the fee the time in which it held, of what goes on all of it',
      prices: [fee('own', '31'), use('calls', '0.5')],
      changes: [
        ['2026-01-11', [fee('other', '62'), use('calls', '0.5')]],
        ['2026-01-21', [fee('own', '31'), use('calls', '0.5')]],
      ],
      used: { calls: '7' },
      lines: ['own 10', 'own 11', 'calls 3.5', 'other 20'], // a line for each time of the fee
      total: '44.5',
    },
    {
      ...january,
      what: 'twice at one instant: only the last one holds',
      prices: [fee('a', '31')],
      changes: [
        ['2026-01-11', [fee('b', '62')]],
        ['2026-01-11', [fee('c', '93')]],
      ],
      lines: ['a 10', 'c 63'], // 10 days of a dollar, 21 of three
      total: '73',
    },
    {
      ...january,
      what: 'not prorated, then by the second: the first fee has the whole period',
      prices: [fee('a', '31')],
      changes: [
        ['2026-01-11', [fee('b', '62')], 'none'],
        ['2026-01-21', [fee('c', '93')]],
      ],
      lines: ['a 31'],
      total: '31',
    },
    {
      ...january,
      what: 'in yen: each part is rounded alone',
      prices: [fee('a', '1000')],
      changes: [['2026-01-11', [fee('b', '1000')]]],
      currency: 'JPY',
      lines: ['a 323', 'b 677'], // 322.58 and 677.42
      total: '1000',
    },
    {
      what: 'on 29 February: the day is the new one’s',
      starts: '2024-02-01',
      prices: [fee('old', '29'), use('calls', '1', { minimum: '58' })],
      changes: [['2024-02-29', [fee('new', '290'), use('calls', '1', { minimum: '58' })]]],
      used: { calls: '20' },
      lines: ['old 28', 'calls 20', 'calls minimum 38', 'new 10'], // 28 and 1 of 29 days
      total: '96',
    },
    {
      what: 'of an anchor on 29 February: a period from 29 January to 28 February',
      anchor: '2024-02-29',
      starts: '2024-02-29',
      holds: '2025-01-29',
      prices: [fee('old', '30')],
      changes: [['2025-02-08', [fee('new', '60')]]],
      lines: ['old 10', 'new 40'], // 29 January to 28 February: 30 days, of them 10 and 20
      total: '50',
    },
    {
      what: 'of an anchor on the 31st: from 28 February to 31 March',
      starts: '2026-01-31',
      holds: '2026-03-01',
      prices: [fee('old', '31'), fee('seats', '30', { ahead: true })],
      changes: [['2026-03-10', [fee('new', '62'), fee('seats', '30', { ahead: true })]]],
      // 10 and 21 of 31 days; the seats of 31 March to 30 April, and those of this period, which no invoice bills here.
      lines: ['old 10', 'new 42', 'seats 30', 'seats 30'],
      total: '112',
    },
    {
      what: 'of an anchor on the 31st: from 31 January to 28 February',
      starts: '2026-01-31',
      prices: [fee('old', '28')],
      changes: [['2026-02-14', [fee('new', '56')]]],
      lines: ['old 14', 'new 28'], // 14 and 14 of 28 days
      total: '42',
    },
  ]);
});

describe('discounts', () => {
  const january = { starts: '2026-01-01', tax: '20' };
  cases([
    {
      ...january,
      what: 'two of 0.35 are 57.75 percent',
      prices: [fee('seat', '100')],
      discounts: ['0.35', '0.35'],
      lines: ['seat 100', 'seat adjustment -35', 'seat adjustment -22.75'], // 42.25 and 8.45 of tax
      total: '50.7',
    },
    {
      ...january,
      what: 'two of 0.35 on a part of a period: of what the part comes to',
      ends: '2026-01-16', // 15 of 31 days of 310
      prices: [fee('seat', '310')],
      discounts: ['0.35', '0.35'],
      lines: ['seat 150', 'seat adjustment -52.5', 'seat adjustment -34.13'], // 97.50 × 0.35 = 34.125
      total: '76.04', // 63.37 + 12.674
    },
    {
      ...january,
      what: 'of all but a cent, with a rebate larger than what is left',
      prices: [fee('seat', '10'), fee('rebate', '-8')],
      discounts: ['0.999'],
      lines: ['seat 10', 'seat adjustment -9.99', 'rebate -0.01'], // the rebate gives way, the discount does not
      total: '0',
    },
    {
      ...january,
      what: 'larger together than the charge leaves to a rebate and a maximum',
      prices: [use('calls', '1', { maximum: '40' }), fee('rebate', '-25')],
      used: { calls: '100' },
      discounts: ['0.5', '0.5'],
      lines: ['calls 100', 'calls adjustment -50', 'calls adjustment -25', 'rebate -25'], // 25 is below the maximum
      total: '0',
    },
    {
      ...january,
      what: 'a rebate that is used up by a minimum',
      prices: [use('calls', '1', { minimum: '10' }), fee('rebate', '-8')],
      used: { calls: '4' },
      discounts: ['1'],
      lines: ['calls 4', 'calls adjustment -4', 'calls minimum 10', 'rebate -8'], // 2 and 0.40 of tax
      total: '2.4',
    },
  ]);
});

describe('the least and the most there is', () => {
  const january = { starts: '2026-01-01' };
  const models: Record<string, Pricing> = {
    matrix: { model: 'matrix', properties: { dimensions: ['region'], cells: [], default: '0.01' } },
    dynamic: { model: 'dynamic', properties: { multiplier: '0.01' } },
    percentage: { model: 'percentage', properties: { percentage: '0.01' } },
    volume: {
      model: 'volume',
      properties: {
        tiers: [
          { upTo: '1000', unitPrice: '1' },
          { upTo: null, unitPrice: '0.01' },
        ],
      },
    },
    package: { model: 'package', properties: { size: '100', price: '1' } },
  };
  const quantities: Record<string, Record<string, string>> = {
    '0': { matrix: '0', dynamic: '0', percentage: '0', volume: '0', package: '0' },
    // 1e-9 × 0.01 rounds to 0, but a package has begun.
    '0.000000001': { matrix: '0', dynamic: '0', percentage: '0', volume: '0', package: '1' },
    // 1e15 ÷ 100.
    '1000000000000000': Object.fromEntries(Object.keys(models).map((model) => [model, '10000000000000'])),
  };
  for (const [quantity, amounts] of Object.entries(quantities))
    cases(
      Object.entries(models).map(
        ([model, pricing]): Case => ({
          ...january,
          what: `${quantity} by ${model}`,
          prices: [{ id: model, pricing, aggregation: 'SUM' }],
          used: { [model]: quantity },
          lines: [`${model} ${amounts[model]}`],
          total: amounts[model] as string,
        }),
      ),
    );
});

it('of a thousand fees each line is rounded once, from its own exact price', () => {
  const prices = Array.from({ length: 1000 }, (_, place) => fee(`fee ${place}`, `0.${String(place).padStart(4, '0')}`));
  const { lines, subtotal } = invoiceOf({ what: '', starts: '2026-01-01', prices, lines: [], total: '' });
  const rounded = prices.map((_, place) => new Decimal(Math.floor((place + 50) / 100)).div(100));
  expect(plain(subtotal)).toBe(plain(Decimal.sum(...rounded))); // 0.0050 is a cent, 0.0049 none
  expect(lines).toHaveLength(1000);
});
