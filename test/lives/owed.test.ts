import { describe, expect, it } from 'vitest';
import { exact, plus } from '../support/exact.ts';
import type { Deed } from './history.ts';
import { DAY, type Life, type Price, type Step } from './life.ts';
import { owedOf } from './owed.ts';

/** The oracle against figures that a person works out by hand. A life of January 2024 on; monthly, in dollars. */
const fee = (unitPrice: string, more: Partial<Price> = {}): Price => ({
  ...{ cadence: 'P1M', term: 'in_advance', model: 'standard', properties: { unitPrice }, ...more },
});
const use = (properties: Price['properties'], more: Partial<Price> = {}): Price => ({
  ...{ metric: 0, term: 'in_arrears', model: 'standard', properties, ...more },
});
const lifeOf = (prices: readonly Price[], plans: readonly (readonly number[])[], minimum?: string): Life => ({
  ...{ seed: 0, start: '2024-01-01T00:00:00Z', currency: 'USD', isEven: false, taxBehavior: 'exclusive', taxRate: 0 },
  metrics: [{ aggregation: 'SUM' }],
  prices,
  plans: plans.map((held) => ({ cadence: 'P1M', prices: held, graceHours: 0, ...(minimum && { minimum }) })),
  steps: [],
});
/** Day 0 is the 1st of January, 31 the 1st of February, 60 the 1st of March. */
const on = (day: number, step: Step): Deed => ({ step, at: day * DAY });
const start = (sub = 's0', plan = 0): Deed => on(0, { do: 'subscribe', sub, plan, startedAt: 0, asks: 'transfer' });
const change = (plan: number, proration: 'second' | 'day' | 'none' = 'second') =>
  ({ do: 'change', sub: 's0', plan, effective: 'now', proration, credit: 'invoice' }) as const;
const end = (sub = 's0') => ({ do: 'end', sub, credit: 'invoice' }) as const;
const cut = (day: number, cadence: string) => on(day, { do: 'closeNow', sub: 's0', at: 0, cadence } as Step);
const used = (day: number, units: string) => ({ do: 'use', metric: 0, at: day * DAY, units }) as const;

describe('what a life owes', () => {
  it.each<{ what: string; prices: Price[]; plans?: number[][]; minimum?: string; deeds: Deed[]; cents: bigint }>([
    {
      what: 'two months of a fee of 100.00, and a month of an add-on of 20.00 from the 1st of February: 220.00',
      prices: [fee('100'), fee('20')],
      plans: [[0], [0, 1]],
      deeds: [start(), on(31, change(1)), on(60, end())],
      cents: 220_00n,
    },
    {
      what: 'there and back at one instant: two months of 31.00',
      prices: [fee('31'), fee('62')],
      plans: [[0], [1]],
      deeds: [start(), on(10, change(1)), on(10, change(0)), on(60, end())],
      cents: 62_00n,
    },
    {
      what: '10 of 31 days at 31.00, the others at 93.00: 10.00 + 63.00',
      prices: [fee('31'), fee('93')],
      plans: [[0], [1]],
      deeds: [start(), on(10, change(1)), on(31, end())],
      cents: 73_00n,
    },
    {
      what: 'a fee of 1.01 in arrears, cut in the middle of the month: 0.51, which a discount takes, and the rest',
      prices: [fee('1.01', { term: 'in_arrears' })],
      deeds: [
        start(),
        on(15, { do: 'discount', sub: 's0', part: '1', from: 15 * DAY, to: 16 * DAY }),
        cut(15.5, 'P1M'),
        on(31, end()),
      ],
      cents: 50n,
    },
    {
      what: 'two seats at 31.00, three from the 11th: 10 days of 62.00 and 21 of 93.00',
      prices: [fee('31', { quantity: 2 })],
      deeds: [
        start(),
        on(10, {
          do: 'change',
          sub: 's0',
          quantities: { 0: 3 },
          effective: 'now',
          proration: 'second',
          credit: 'invoice',
        }),
        on(31, end()),
      ],
      cents: 83_00n,
    },
    {
      what: 'without proration January has 31.00, and February 93.00',
      prices: [fee('31'), fee('93')],
      plans: [[0], [1]],
      deeds: [start(), on(10, change(1, 'none')), on(60, end())],
      cents: 124_00n,
    },
    {
      what: 'by days, at noon of the 11th: 10.00 + 63.00',
      prices: [fee('31'), fee('93')],
      plans: [[0], [1]],
      deeds: [start(), on(10.5, change(1, 'day')), on(31, end())],
      cents: 73_00n,
    },
    {
      what: 'a set-up fee of a version that begins: 31.00 + 50.00',
      prices: [fee('31'), fee('50', { cadence: 'P0D' })],
      plans: [[0], [0, 1]],
      deeds: [start(), on(0, change(1)), on(31, end())],
      cents: 81_00n,
    },
    {
      what: '300 units are included; a cut changes nothing',
      prices: [use({ unitPrice: '1', includedUnits: '300' })],
      deeds: [
        start(),
        on(5, used(4, '300')),
        on(10, { do: 'closeNow', sub: 's0', at: 0, cadence: 'P1M' } as Step),
        on(31, end()),
      ],
      cents: 0n,
    },
    {
      what: 'of a month that ends on the 16th half of 62 included units: 20.00 for 51',
      prices: [use({ unitPrice: '1', includedUnits: '62' })],
      deeds: [start(), on(15.5, used(4, '51')), on(15.5, end())],
      cents: 20_00n,
    },
    {
      what: 'two subscriptions price what is used; the older one was ended as of a time before it: 100.00, once',
      prices: [use({ unitPrice: '1' })],
      deeds: [
        start('s0'),
        start('s1'),
        on(25, used(24, '100')),
        on(33, { do: 'endPast', sub: 's0', at: 19 * DAY }),
        on(60, end('s1')),
      ],
      cents: 100_00n,
    },
    {
      what: 'of nobody else: what was used after an end as of the past stays billed',
      prices: [use({ unitPrice: '1' })],
      deeds: [start(), on(25, used(24, '100')), on(33, { do: 'endPast', sub: 's0', at: 19 * DAY })],
      cents: 100_00n,
    },
    {
      what: 'a part that was closed early stays billed where an end as of before it is told later: 100.00',
      prices: [use({ unitPrice: '1' })],
      deeds: [start(), on(33, used(32, '100')), cut(33, 'P1M'), on(34, { do: 'endPast', sub: 's0', at: 19 * DAY })],
      cents: 100_00n,
    },
    {
      what: 'of a part that was closed at the very time at which an end as of before is told nothing is read',
      prices: [use({ unitPrice: '1' })],
      deeds: [start(), on(33, used(32, '100')), cut(33, 'P1M'), on(33, { do: 'endPast', sub: 's0', at: 19 * DAY })],
      cents: 0n,
    },
    {
      what: 'a minimum of 31.00 is for the 19 days until an end as of the past, and 9 units are 9.00: 19.00',
      prices: [use({ unitPrice: '1' }, { minimum: '31' })],
      deeds: [start(), on(25, used(4, '9')), on(33, { do: 'endPast', sub: 's0', at: 19 * DAY })],
      cents: 19_00n,
    },
    {
      what: '60 units, of which a grant of 50 covers most, whenever it is made: 10.00',
      prices: [use({ unitPrice: '1' }, { allowance: 0 })],
      deeds: [
        start(),
        on(20, used(4, '60')),
        on(40, { do: 'grant', sub: 's0', amount: 50, effectiveAt: 5 * DAY }),
        on(60, end()),
      ],
      cents: 10_00n,
    },
    {
      what: 'a quarter less of all that follows the upfront invoice: 100.00 + 75.00',
      prices: [fee('100')],
      deeds: [start(), on(0, { do: 'discount', sub: 's0', part: '0.25', from: -DAY }), on(60, end())],
      cents: 175_00n,
    },
    {
      what: 'a minimum of 500.00 until an end as of the past, beside 1.64 weeks of 70.00: 500.00 × 11.5 of 31 days',
      prices: [fee('70', { cadence: 'P1W', term: 'in_arrears' })],
      minimum: '500',
      deeds: [start(), on(15, { do: 'endPast', sub: 's0', at: 11.5 * DAY })],
      cents: 185_48n,
    },
    {
      what: 'of 366.00 a year in advance 31.00 count for January: 169.00 for 200.00',
      prices: [fee('366', { cadence: 'P1Y' })],
      minimum: '200',
      deeds: [start(), on(31, end())],
      cents: 200_00n,
    },
    {
      what: 'what a cut of a year billed counts for no month: 50.00 and 100.00',
      prices: [use({ unitPrice: '1' }, { cadence: 'P1Y' })],
      minimum: '100',
      deeds: [start(), on(6, used(5, '50')), cut(10, 'P1Y'), on(31, end())],
      cents: 150_00n,
    },
    ...[
      { from: 9, cents: 145_00n, part: 'first' },
      { from: 31, cents: 135_00n, part: 'last' },
    ].map(({ from, cents, part }) => ({
      what: `100 units in each part of January, a quarter less in the ${part} one, and 40 fewer in the first one`,
      prices: [use({ unitPrice: '1' })],
      deeds: [
        start(),
        on(0, { do: 'discount', sub: 's0', part: '0.25', from: from * DAY, to: (from + 1) * DAY }),
        on(5, used(5, '100')),
        cut(9, 'P1M'),
        on(15, used(15, '100')),
        on(32, used(5, '-40')),
        on(60, end()),
      ],
      cents,
    })),
  ])('$what', ({ prices, plans = [prices.map((_, index) => index)], minimum, deeds, cents }) => {
    const owed = owedOf(lifeOf(prices, plans, minimum), deeds, new Set());
    expect(owed.every(({ amount }) => amount.under === 1n)).toBe(true);
    expect(owed.reduce((total, { amount }) => total + amount.over, 0n)).toBe(cents);
  });

  const halfAround = { do: 'discount', sub: 's0', part: '0.5', from: 14 * DAY, to: 16 * DAY } as const;
  it.each<{ what: string; deeds: Deed[]; cents: bigint }>([
    { what: 'the 28th of 31 days from below, 10 at 31.00', deeds: [on(31, end())], cents: 310_00n },
    {
      what: 'the same for 15 days at half the price, and the rest: 75.00 + 160.00',
      deeds: [on(14, halfAround), cut(15, 'P1M'), on(31, end())],
      cents: 235_00n,
    },
    { what: 'the 9th of 10 days, 30 at 31.00 for 10 of 31 days', deeds: [on(10, end())], cents: 300_00n },
  ])('of a percentile: $what', ({ deeds, cents }) => {
    const life = lifeOf([use({ unitPrice: '31' })], [[0]]);
    const metric = { aggregation: 'PERCENTILE', percentile: '90', sampleWindow: 'P1D' } as const;
    const days = [used(1, '10'), used(2, '20'), used(3, '30'), used(4, '40'), used(4.5, '5')];
    const all = [start(), ...days.map((step) => on(5, step)), ...deeds];
    const owed = owedOf({ ...life, metrics: [metric] }, all, new Set());
    expect(owed.map(({ amount }) => amount).reduce(plus)).toEqual(exact(cents));
  });
});
