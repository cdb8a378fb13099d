import { describe, expect, it } from 'vitest';
import { chargesDue, feeItem } from '../../../test/support/owed.ts';
import { decimal } from '../../kernel/decimal.ts';
import type { Instant } from '../../kernel/time.ts';
import { upfrontCharges } from '../difference/due.ts';
import type { BilledPrice, BilledVersion } from '../terms/billing-terms.ts';
import type { HistoricTerms } from '../timeline/segments.ts';
import { type Cell, cellAt, chargesInAdvance, chargesInArrears, from, type OwedCharge } from './charges.ts';

const at = (day: string): Instant => Temporal.Instant.from(`${day}T00:00:00Z`);
const price = (id: string, paymentTerm: BilledPrice['paymentTerm'], billingCadence: string | null = null) =>
  ({ id, paymentTerm, billingCadence, metric: null, quantity: decimal('1') }) as BilledPrice;
const use = (id: string, aggregation: string) =>
  ({ ...price(id, 'in_arrears'), metric: { meter: { aggregation } } }) as BilledPrice;
const PRICES = [
  use('use', 'SUM'),
  price('service', 'in_arrears', 'P1M'),
  price('seats', 'in_advance', 'P1M'),
  price('licence', 'in_advance', 'P1Y'),
  price('setup', 'in_advance', 'P0D'),
  price('closing', 'in_arrears', 'P0D'),
];

/** A monthly plan, subscribed to from a day on, until another one. */
const terms = (startedAt: string, endsAt: string | null = null, anchor = startedAt): HistoricTerms => ({
  planCadence: 'P1M',
  prices: PRICES,
  bounds: { anchor: at(anchor), startedAt: at(startedAt), endsAt: endsAt === null ? null : at(endsAt) },
});

const day = (instant: Instant) => instant.toString().slice(0, 10);
const shown = (charges: readonly OwedCharge[]) =>
  charges.map(({ price: { id }, period, fraction: { numerator, denominator } }) => {
    const part = numerator === denominator ? '' : `, ${Number((numerator * 1000n) / denominator)} ‰`;
    return `${id} ${day(period.start)}/${day(period.end)}${part}`;
  });

describe('what stands on the invoice of a period', () => {
  const january = { number: 0, start: '2026-01-01', end: '2026-02-01' };
  it.each([
    {
      what: 'the first: the month in arrears and the next in advance, and what is billed once at its end',
      of: terms('2026-01-01'),
      invoice: { cadence: 'P1M', ...january },
      charges: [
        'use 2026-01-01/2026-02-01',
        'service 2026-01-01/2026-02-01',
        'closing 2026-01-01/2026-02-01',
        'seats 2026-02-01/2026-03-01',
      ],
    },
    {
      what: 'a later one: nothing that is billed once',
      of: terms('2025-12-01'),
      invoice: { cadence: 'P1M', ...january, number: 1 },
      charges: ['use 2026-01-01/2026-02-01', 'service 2026-01-01/2026-02-01', 'seats 2026-02-01/2026-03-01'],
    },
    {
      what: 'the next period is cut by the planned end: that part in advance',
      of: terms('2025-12-01', '2026-02-15'),
      invoice: { cadence: 'P1M', ...january, number: 1 },
      charges: ['use 2026-01-01/2026-02-01', 'service 2026-01-01/2026-02-01', 'seats 2026-02-01/2026-02-15, 500 ‰'],
    },
    {
      what: 'the subscription ends with the period: nothing in advance',
      of: terms('2025-12-01', '2026-02-01'),
      invoice: { cadence: 'P1M', ...january, number: 1 },
      charges: ['use 2026-01-01/2026-02-01', 'service 2026-01-01/2026-02-01'],
    },
    {
      what: 'the subscription ends inside the period: the part in arrears, nothing in advance',
      of: terms('2025-12-01', '2026-02-15'),
      invoice: { cadence: 'P1M', number: 2, start: '2026-02-01', end: '2026-02-15' },
      charges: ['use 2026-02-01/2026-02-15, 500 ‰', 'service 2026-02-01/2026-02-15, 500 ‰'],
    },
    {
      what: 'the period was closed before its boundary: usage at the terms of the whole, the rest will bear what is in advance',
      of: terms('2025-12-01'),
      invoice: { cadence: 'P1M', number: 2, start: '2026-02-01', end: '2026-02-15' },
      charges: ['use 2026-02-01/2026-02-15', 'service 2026-02-01/2026-02-15, 500 ‰'],
    },
    {
      what: 'that rest: of the fee the time that is left',
      of: terms('2025-12-01'),
      invoice: { cadence: 'P1M', number: 2, start: '2026-02-15', end: '2026-03-01' },
      items: [feeItem('service', { start: at('2026-02-01'), end: at('2026-02-15') }, { net: '50' })],
      charges: ['use 2026-02-15/2026-03-01', 'service 2026-02-15/2026-03-01', 'seats 2026-03-01/2026-04-01'],
    },
    {
      what: 'a series of its own has its own prices and periods',
      of: terms('2026-01-01'),
      invoice: { cadence: 'P1Y', number: 0, start: '2026-01-01', end: '2027-01-01' },
      charges: ['licence 2027-01-01/2028-01-01'],
    },
  ])('$what', ({ of, invoice: { cadence, number, start, end }, items = [], charges }) => {
    const invoice = {
      billingCadence: cadence,
      periodNumber: number,
      periodStart: at(start),
      periodEnd: at(end),
    };
    expect(shown(chargesDue(of, invoice, items))).toEqual(charges);
  });
});

describe('what is asked before anything is used', () => {
  it.each([
    {
      what: 'the first period of each series, and what is billed once in advance',
      of: terms('2026-01-01'),
      charges: ['setup 2026-01-01/2026-01-01', 'seats 2026-01-01/2026-02-01', 'licence 2026-01-01/2027-01-01'],
    },
    {
      what: 'a first period up to the plan’s anchor: that part',
      of: terms('2026-02-15', null, '2026-03-01'),
      charges: [
        'setup 2026-02-15/2026-02-15',
        'seats 2026-02-15/2026-03-01, 500 ‰',
        'licence 2026-02-15/2026-03-01, 38 ‰',
      ],
    },
    {
      what: 'an end inside the first period: up to there',
      of: terms('2026-02-01', '2026-02-15'),
      charges: [
        'setup 2026-02-01/2026-02-01',
        'seats 2026-02-01/2026-02-15, 500 ‰',
        'licence 2026-02-01/2026-02-15, 38 ‰',
      ],
    },
  ])('$what', ({ of, charges }) =>
    expect(shown(upfrontCharges({ ...of, taxBehavior: 'exclusive', currency: 'USD' }))).toEqual(charges),
  );
});

describe('a price that leaves a series and comes back in the same period', () => {
  const CALLS = use('use', 'SUM');
  const bounds = { anchor: at('2026-01-01'), startedAt: at('2026-01-01'), endsAt: null };
  const version = (day: string, prices: readonly BilledPrice[]): BilledVersion => ({
    ...{ planId: 'plan', planTaxRate: null, planCadence: 'P3M', minimumAmount: null, anchors: {}, proration: 'second' },
    ...{ from: at(day), prices },
  });
  const versions = [version('2026-01-01', [CALLS]), version('2026-01-11', []), version('2026-02-11', [CALLS])];
  const quarter: HistoricTerms = { planCadence: 'P3M', prices: [CALLS], bounds, versions };
  const cell = cellAt(quarter, 'P3M', at('2026-01-01')) as Cell;

  it.each([
    { what: 'all of it', until: '2026-04-01', start: '2026-01-01', line: '2026-01-01/2026-04-01' },
    {
      what: 'a part that begins while it holds',
      until: '2026-04-01',
      start: '2026-03-01',
      line: '2026-03-01/2026-04-01',
    },
    {
      what: 'a part that begins while it is away',
      until: '2026-04-01',
      start: '2026-01-21',
      line: '2026-02-11/2026-04-01',
    },
    { what: 'a part in which it is away', until: '2026-02-01', start: '2026-01-21', line: '2026-01-01/2026-01-11' },
  ])('is billed with dates of its own time: $what', ({ until, start, line }) => {
    const [charge] = chargesInArrears(quarter, cell, at(until)).map((each) => from(each, at(start)));
    expect(`${day((charge as OwedCharge).period.start)}/${day((charge as OwedCharge).period.end)}`).toBe(line);
  });
});

describe('a fee that a later version takes up again', () => {
  const SEATS = price('seats', 'in_advance', 'P1M');
  const bounds = { anchor: at('2026-01-01'), startedAt: at('2026-01-01'), endsAt: null };
  const held = (from: string, prices: readonly BilledPrice[], more: Partial<BilledVersion> = {}): BilledVersion => ({
    ...{ planId: 'plan', planTaxRate: null, planCadence: 'P1M', minimumAmount: null, anchors: {}, proration: 'second' },
    ...{ from: at(from), prices, takesUpAnew: true, ...more },
  });
  const more = { ...SEATS, quantity: decimal('8') };

  it.each<{ what: string; changes: BilledVersion[]; charges: string[] }>([
    {
      what: 'is of another interval from then on',
      changes: [held('2026-01-11', []), held('2026-01-21', [SEATS])],
      charges: ['seats 2026-01-01/2026-01-11', 'seats 2026-01-21/2026-02-01 since 2026-01-21'],
    },
    {
      what: 'by days: from the start of that day',
      changes: [held('2026-01-11', []), held('2026-01-21', [SEATS], { proration: 'day' })],
      charges: ['seats 2026-01-01/2026-01-11', 'seats 2026-01-21/2026-02-01 since 2026-01-20'],
    },
    {
      what: 'goes on where the change before gave no credit',
      changes: [held('2026-01-11', [], { credit: 'none' }), held('2026-01-21', [SEATS])],
      charges: ['seats 2026-01-01/2026-01-11', 'seats 2026-01-21/2026-02-01'],
    },
    {
      what: 'goes on by a change of an older release',
      changes: [held('2026-01-11', []), held('2026-01-21', [SEATS], { takesUpAnew: false })],
      charges: ['seats 2026-01-01/2026-01-11', 'seats 2026-01-21/2026-02-01'],
    },
    {
      what: 'has no gap while another quantity of it holds',
      changes: [held('2026-01-11', [more]), held('2026-01-21', [SEATS])],
      charges: ['seats 2026-01-01/2026-01-11', 'seats 2026-01-21/2026-02-01', 'seats 2026-01-11/2026-01-21'],
    },
    {
      what: 'first held later is no gap',
      changes: [held('2026-01-01', []), held('2026-01-21', [SEATS])],
      charges: ['seats 2026-01-21/2026-02-01'],
    },
  ])('$what', ({ changes, charges }) => {
    const versions = [held('2026-01-01', [SEATS]), ...changes];
    const terms: HistoricTerms = { planCadence: 'P1M', prices: [SEATS], bounds, versions };
    const found = chargesInAdvance(terms, cellAt(terms, 'P1M', at('2026-01-01')) as Cell);
    expect(
      found.map(({ price: { id }, period: { start, end }, since }) =>
        [`${id} ${day(start)}/${day(end)}`, ...(since ? [`since ${day(since)}`] : [])].join(' '),
      ),
    ).toEqual(charges);
  });
});
