import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { chargesDue, feeItem, invoiceAt } from '../../../test/support/owed.ts';
import { decimal } from '../../kernel/decimal.ts';
import type { Instant } from '../../kernel/time.ts';
import type { OwedCharge } from '../owed/charges.ts';
import type { BilledPrice, BilledVersion, Proration } from '../terms/billing-terms.ts';
import { boundsOfSeries, type HistoricTerms, segmentsOf } from './segments.ts';

/** The prices on an invoice with a change of plan inside its period (domain.md §3, Plan change). */
const at = (text: string): Instant => Temporal.Instant.from(text.includes('T') ? text : `${text}T00:00:00Z`);
const fee = (id: string, paymentTerm: BilledPrice['paymentTerm'] = 'in_arrears', billingCadence = 'P1M') =>
  ({ id, paymentTerm, billingCadence, metric: null, quantity: decimal('1') }) as unknown as BilledPrice;
const use = (id: string, aggregation = 'SUM') =>
  ({
    id,
    paymentTerm: 'in_arrears',
    billingCadence: null,
    metric: { meter: { aggregation } },
    quantity: decimal('1'),
  }) as unknown as BilledPrice;

interface Version {
  readonly from: string;
  readonly prices: readonly BilledPrice[];
  readonly planCadence?: string;
  readonly anchors?: Readonly<Record<string, Instant>>;
  readonly proration?: Proration;
}

/** A subscription from an instant on, to these versions. */
const terms = (startedAt: string, versions: readonly Version[], endsAt: string | null = null): HistoricTerms => {
  const history = versions.map(
    ({ from, prices, planCadence = 'P1M', anchors = {}, proration = 'second' }): BilledVersion => ({
      from: at(from),
      planId: 'plan',
      planTaxRate: null,
      minimumAmount: null,
      planCadence,
      prices,
      anchors,
      proration,
    }),
  );
  const { planCadence, prices } = history.at(-1) as BilledVersion;
  const bounds = { anchor: at(startedAt), startedAt: at(startedAt), endsAt: endsAt === null ? null : at(endsAt) };
  return { planCadence, prices, bounds, versions: history };
};

const charges = (of: HistoricTerms, holds: string) => chargesDue(of, invoiceAt(of, 'P1M', at(holds)));

const short = (instant: Instant) => instant.toString().replace('T00:00:00Z', '').replace('2026-', '');
const shown = (list: readonly OwedCharge[]) =>
  list.map(({ price: { id }, period, fraction: { numerator, denominator } }) => {
    const part = numerator === denominator ? '' : ` ${Number((numerator * 10_000n) / denominator) / 10_000}`;
    return `${id} ${short(period.start)}/${short(period.end)}${part}`;
  });

describe('the invoice of a period that a change cuts', () => {
  it.each<{
    what: string;
    versions: Version[];
    startedAt?: string;
    endsAt?: string;
    holds?: string;
    charges: string[];
  }>([
    {
      what: 'what both hold goes on; what starts and what ends is for its time', // 11 of 31 days
      versions: [
        { from: '2026-01-01', prices: [fee('kept'), fee('old'), use('calls')] },
        { from: '2026-01-12', prices: [fee('kept'), fee('new'), use('calls')] },
      ],
      charges: ['kept 01-01/02-01', 'old 01-01/01-12 0.3548', 'calls 01-01/02-01', 'new 01-12/02-01 0.6451'],
    },
    {
      what: 'on the last second',
      versions: [
        { from: '2026-01-01', prices: [fee('old')] },
        { from: '2026-01-31T23:59:59Z', prices: [fee('new')] },
      ],
      charges: ['old 01-01/01-31T23:59:59Z 0.9999', 'new 01-31T23:59:59Z/02-01 0'],
    },
    {
      what: 'at the very start: nothing is left of the old one',
      versions: [
        { from: '2025-12-01', prices: [fee('old')] },
        { from: '2026-01-01', prices: [fee('new')] },
      ],
      startedAt: '2025-12-01',
      charges: ['new 01-01/02-01'],
    },
    {
      what: 'twice in one period',
      versions: [
        { from: '2026-01-01', prices: [fee('a')] },
        { from: '2026-01-11', prices: [fee('b')] },
        { from: '2026-01-21', prices: [fee('c')] },
      ],
      charges: ['a 01-01/01-11 0.3225', 'b 01-11/01-21 0.3225', 'c 01-21/02-01 0.3548'],
    },
    {
      what: 'there and back: one charge, without the time between',
      versions: [
        { from: '2026-01-01', prices: [use('calls')] },
        { from: '2026-01-11', prices: [fee('b')] },
        { from: '2026-01-21', prices: [use('calls')] },
      ],
      charges: ['calls 01-01/02-01 0.6774', 'b 01-11/01-21 0.3225'],
    },
    {
      what: 'there and back at one instant: as if nothing had been',
      versions: [
        { from: '2026-01-01', prices: [fee('a'), use('calls')] },
        { from: '2026-01-11', prices: [fee('b')] },
        { from: '2026-01-11', prices: [fee('a'), use('calls')] },
      ],
      charges: ['a 01-01/02-01', 'calls 01-01/02-01'],
    },
    {
      what: 'by days: the day of the change is the new one’s', // 11 days and 13 hours
      versions: [
        { from: '2026-01-01', prices: [fee('old')] },
        { from: '2026-01-12T13:00:00Z', prices: [fee('new')], proration: 'day' },
      ],
      charges: ['old 01-01/01-12 0.3548', 'new 01-12/02-01 0.6451'],
    },
    {
      what: 'not prorated: the old fee has the period, the new one begins with the next',
      versions: [
        { from: '2026-01-01', prices: [fee('old'), use('calls')] },
        { from: '2026-01-12', prices: [fee('new'), use('units')], proration: 'none' },
      ],
      charges: ['old 01-01/02-01', 'calls 01-01/01-12', 'units 01-12/02-01'],
    },
    {
      // 11.75 and 19.25 days
      what: 'by the second and then by days on that day: the day is not taken from who has it already',
      versions: [
        { from: '2026-01-01', prices: [fee('old')] },
        { from: '2026-01-12T18:00:00Z', prices: [fee('short')] },
        { from: '2026-01-12T20:00:00Z', prices: [fee('new')], proration: 'day' },
      ],
      charges: ['old 01-01/01-12T18:00:00Z 0.379', 'new 01-12T18:00:00Z/02-01 0.6209'],
    },
    {
      what: 'not prorated, and then by the second: the first fee has the period, and no other one is charged or given back',
      versions: [
        { from: '2026-01-01', prices: [fee('old')] },
        { from: '2026-01-12', prices: [fee('short')], proration: 'none' },
        { from: '2026-01-22', prices: [fee('new')] },
      ],
      charges: ['old 01-01/02-01'],
    },
    {
      what: 'not prorated, and then by the second: what goes on through the first change is not cut by it',
      versions: [
        { from: '2026-01-01', prices: [fee('old'), fee('kept')] },
        { from: '2026-01-11', prices: [fee('new'), fee('kept')], proration: 'none' },
        { from: '2026-01-21', prices: [fee('new')] },
      ],
      charges: ['old 01-01/02-01', 'kept 01-01/01-21 0.6451'], // 20 of 31 days
    },
    {
      what: 'a gauge is prorated as a fee is',
      versions: [
        { from: '2026-01-01', prices: [use('level', 'MAX')] },
        { from: '2026-01-12', prices: [use('height', 'MAX')], proration: 'none' },
      ],
      charges: ['level 01-01/01-12'],
    },
    {
      what: '29 February',
      versions: [
        { from: '2024-02-01', prices: [fee('old')] },
        { from: '2024-02-29', prices: [fee('new')] },
      ],
      startedAt: '2024-02-01',
      holds: '2024-02-10',
      charges: ['old 2024-02-01/2024-02-29 0.9655', 'new 2024-02-29/2024-03-01 0.0344'], // 28 and 1 of 29 days
    },
    {
      what: 'an anchor on the 31st: February’s period ends on the 28th, March’s on the 31st',
      versions: [
        { from: '2026-01-31', prices: [fee('old')] },
        { from: '2026-03-10', prices: [fee('new')] },
      ],
      startedAt: '2026-01-31',
      holds: '2026-03-10',
      charges: ['old 02-28/03-10 0.3225', 'new 03-10/03-31 0.6774'], // 10 and 21 of 31 days
    },
    {
      what: 'a change and its reversal at one instant, not prorated, leave nothing',
      versions: [
        { from: '2026-01-01', prices: [fee('a')] },
        { from: '2026-01-11', prices: [fee('b')] },
        { from: '2026-01-11', prices: [fee('a')], proration: 'none' },
        { from: '2026-01-21', prices: [fee('b')] },
      ],
      charges: ['a 01-01/01-21 0.6451', 'b 01-21/02-01 0.3548'], // 20 and 11 of 31 days
    },
    {
      what: 'a fee of a longer period up to the next change, which is known: its invoice is another one',
      versions: [
        { from: '2026-01-01', prices: [fee('a', 'in_advance', 'P1Y')] },
        { from: '2026-01-10', prices: [fee('b', 'in_advance', 'P1Y')] },
        { from: '2026-02-01', prices: [fee('c', 'in_advance', 'P1Y')] },
      ],
      charges: ['a 01-01/01-10 0.0246', 'b 01-10/02-01 0.0602'], // 9 and 22 of 365 days
    },
    {
      what: 'a fee of a longer period from a change at its start on',
      versions: [
        { from: '2026-01-01', prices: [use('calls')] },
        {
          from: '2026-02-01',
          prices: [use('calls'), fee('c', 'in_advance', 'P1Y')],
          anchors: { P1Y: at('2026-01-01') },
        },
      ],
      holds: '2026-02-10',
      charges: ['calls 02-01/03-01', 'c 02-01/2027-01-01 0.915'], // 334 of 365 days
    },
    {
      what: 'a subscription of one second, changed in its midst',
      versions: [
        { from: '2026-01-01', prices: [use('calls')] },
        { from: '2026-01-01T00:00:00.5Z', prices: [use('units')] },
      ],
      endsAt: '2026-01-01T00:00:01Z',
      charges: ['calls 01-01/01-01T00:00:00.5Z 0', 'units 01-01T00:00:00.5Z/01-01T00:00:01Z 0'],
    },
    {
      what: 'what a version bills once in arrears stands where it begins',
      versions: [
        { from: '2026-01-01', prices: [fee('a'), fee('first', 'in_arrears', 'P0D')] },
        {
          from: '2026-01-12',
          prices: [fee('a'), fee('first', 'in_arrears', 'P0D'), fee('second', 'in_arrears', 'P0D')],
        },
      ],
      charges: ['a 01-01/02-01', 'first 01-01/02-01', 'second 01-01/02-01'],
    },
  ])(
    '$what',
    ({ versions, startedAt = versions[0]?.from as string, endsAt = null, holds = '2026-01-01', charges: expected }) => {
      const of = terms(startedAt, versions, endsAt);
      expect(shown(charges(of, holds))).toEqual(expected);
    },
  );
});

describe('what is charged in advance', () => {
  const versions = (change: string): Version[] => [
    { from: '2026-01-01', prices: [fee('kept', 'in_advance'), fee('old', 'in_advance')] },
    { from: change, prices: [fee('kept', 'in_advance'), fee('new', 'in_advance')] },
  ];
  it('of a next period that is cut before it was billed: each for its time', () => {
    const of = terms('2026-01-01', versions('2026-02-15'));
    expect(shown(charges(of, '2026-01-01'))).toEqual([
      'kept 02-01/03-01',
      'old 02-01/02-15 0.5',
      'new 02-15/03-01 0.5',
    ]);
  });
  it('of a change at the boundary: the new version’s', () => {
    const of = terms('2026-01-01', versions('2026-02-01'));
    expect(shown(charges(of, '2026-01-01'))).toEqual(['kept 02-01/03-01', 'new 02-01/03-01']);
  });
  it('of a period that was billed before: what begins with the change, on its own invoice', () => {
    const of = terms('2026-01-01', versions('2026-02-15'));
    const february = { start: at('2026-02-01'), end: at('2026-03-01') };
    const billed = [feeItem('kept', february, { net: '28' }), feeItem('old', february, { net: '28' })];
    expect(shown(chargesDue(of, invoiceAt(of, 'P1M', at('2026-02-01')), billed))).toEqual([
      'kept 03-01/04-01',
      'new 03-01/04-01',
      'new 02-15/03-01 0.5',
    ]);
  });
  it('of series that begin where the plan’s own ends: on the invoice that ends there', () => {
    const of = terms('2026-01-01', [
      { from: '2026-01-01', prices: [fee('month', 'in_advance')] },
      {
        from: '2026-01-12',
        planCadence: 'P1Y',
        prices: [fee('year', 'in_advance', 'P1Y')],
        anchors: { P1Y: at('2026-01-12') },
      },
    ]);
    const cut = invoiceAt(of, 'P1M', at('2026-01-01'));
    expect(short(cut.periodEnd)).toBe('01-12');
    expect(shown(chargesDue(of, cut))).toEqual(['year 01-12/2027-01-12']);
  });
});

describe('a series', () => {
  const monthly = [fee('a')];
  it.each([
    { what: 'goes on with its anchor', anchor: '2026-01-01', startedAt: '2026-01-01', endsAt: null },
    { what: 'begins anew with another one', anchor: '2026-01-12', startedAt: '2026-01-12', endsAt: null },
  ])('$what', ({ anchor, startedAt }) => {
    const of = terms('2026-01-01', [
      { from: '2026-01-01', prices: monthly },
      { from: '2026-01-12', prices: [fee('b')], anchors: { P1M: at(anchor) } },
    ]);
    expect(boundsOfSeries(of, 'P1M', at('2026-01-20'))?.startedAt.equals(at(startedAt))).toBe(true);
  });
  it('that the version has not is none', () => {
    const of = terms('2026-01-01', [{ from: '2026-01-01', prices: monthly }]);
    expect(boundsOfSeries(of, 'P1W', at('2026-01-20'))).toBeNull();
  });
  it('of a change before billing begins is the new version’s from the start', () => {
    const of = terms('2026-01-10', [
      { from: '2026-01-01', prices: monthly },
      { from: '2026-01-05', prices: [fee('b')] },
    ]);
    expect(segmentsOf(of).map(({ prices }) => prices[0]?.id)).toEqual(['b']);
  });
});

describe('pieces of a period', () => {
  it('sum to the whole, wherever and however often it is cut', () => {
    const second = fc.integer({ min: 1, max: 2_678_399 });
    const proration = fc.constantFrom<Proration>('second', 'day', 'none');
    fc.assert(
      fc.property(fc.array(fc.tuple(second, proration), { maxLength: 6 }), (cuts) => {
        const start = at('2026-01-01');
        const ordered = cuts.toSorted(([a], [b]) => a - b);
        const versions = ordered.map(([seconds, by], index) => ({
          from: start.add({ seconds }).toString(),
          prices: [fee(`fee ${index}`)],
          proration: by,
        }));
        const of = terms('2026-01-01', [{ from: '2026-01-01', prices: [fee('first')] }, ...versions]);
        const pieces = charges(of, '2026-01-01');
        const whole = 2_678_400_000_000n;
        expect(pieces.filter(({ fraction: { numerator } }) => numerator <= 0n)).toEqual([]);
        const parts = pieces.map(({ fraction: { numerator, denominator } }) => (numerator * whole) / denominator);
        expect(parts.reduce((a, b) => a + b, 0n)).toBe(whole);
      }),
    );
  });

  it('of what is held before and after a change and the change back bill what no change would', () => {
    const second = fc.integer({ min: 1, max: 2_678_399 });
    fc.assert(
      fc.property(second, second, fc.constantFrom<Proration>('second', 'day', 'none'), (a, b, by) => {
        const start = at('2026-01-01');
        const [there, back] = [Math.min(a, b), Math.max(a, b)];
        const held = [fee('kept'), use('calls'), fee('seats', 'in_advance')];
        const versions = [
          { from: '2026-01-01', prices: held },
          { from: start.add({ seconds: there }).toString(), prices: [...held, fee('more')], proration: by },
          { from: start.add({ seconds: back }).toString(), prices: held, proration: by },
        ];
        const of = terms('2026-01-01', versions);
        const never = terms('2026-01-01', [{ from: '2026-01-01', prices: held }]);
        const without = (list: readonly OwedCharge[]) => shown(list.filter(({ price }) => price.id !== 'more'));
        const asked = [feeItem('seats', { start: at('2026-01-01'), end: at('2026-02-01') }, { net: '31' })];
        const billed = (each: HistoricTerms) => chargesDue(each, invoiceAt(each, 'P1M', at('2026-01-01')), asked);
        expect(without(billed(of))).toEqual(shown(billed(never)));
      }),
    );
  });
});
