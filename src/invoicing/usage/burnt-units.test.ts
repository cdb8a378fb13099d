import { describe, expect, it } from 'vitest';
import { decimal, plain } from '../../kernel/decimal.ts';
import type { Period } from '../../kernel/time.ts';
import type { BilledPrice } from '../terms/billing-terms.ts';
import { allotBurnt, cutsBySeries, stretchesOf, takenWithRereads, withoutTaken } from './burnt-units.ts';

/** The price with fewer units because of burnt units (domain.md §5). Days are of January 2026. */
const day = (number: number) => Temporal.Instant.from('2026-01-01T00:00:00Z').add({ hours: 24 * (number - 1) });
const days = (start: number, end: number): Period => ({ start: day(start), end: day(end) });
const MONTH = days(1, 31);

/** `metric used`, optionally with the days of the price. */
const claim = (text: string) => {
  const [metricId = '', used = '', from = '1', to = '31'] = text.split(' ');
  return { metricId, used: decimal(used), spans: [days(Number(from), Number(to))] };
};
/** `metrics burnt`, optionally with the days in which they were. */
const burnt = (text: string) => {
  const [metrics = '', units = '', from = '1', to = '31'] = text.split(' ');
  return {
    entitlementId: text,
    metricIds: metrics.split('+'),
    units: decimal(units),
    stretch: days(Number(from), Number(to)),
  };
};

describe('units that grants burnt', () => {
  it.each([
    { what: 'leave the one price', burnt: ['a 100'], claims: ['a 130'], taken: ['100'] },
    { what: 'leave no more than was used', burnt: ['a 100'], claims: ['a 30'], taken: ['30'] },
    { what: 'leave one of two prices of a metric', burnt: ['a 100'], claims: ['a 130', 'a 40'], taken: ['100', '0'] },
    { what: 'leave the next one with the rest', burnt: ['a 100'], claims: ['a 70', 'a 60'], taken: ['70', '30'] },
    { what: 'leave prices of two metrics once', burnt: ['a+b 100'], claims: ['a 70', 'b 60'], taken: ['70', '30'] },
    { what: 'leave prices in their order', burnt: ['a+b 100'], claims: ['b 60', 'a 70'], taken: ['60', '40'] },
    { what: 'leave no price of another metric', burnt: ['a 100'], claims: ['b 60', 'a 70'], taken: ['0', '70'] },
    { what: 'of two entitlements leave both', burnt: ['a 20', 'b 5'], claims: ['a 70', 'b 60'], taken: ['20', '5'] },
    { what: 'of two on one metric add up', burnt: ['a 20', 'a+b 9'], claims: ['a 25', 'b 60'], taken: ['25', '4'] },
    { what: 'leave nothing where nothing was used', burnt: ['a 9'], claims: ['a 0', 'a 4'], taken: ['0', '4'] },
    { what: 'leave nothing of what was given back', burnt: ['a 9'], claims: ['a -3', 'a 4'], taken: ['0', '4'] },
    { what: 'below 0 add nothing', burnt: ['a -9'], claims: ['a 3'], taken: ['0'] },
    {
      what: 'leave the price that held when they were burnt',
      burnt: ['a 10 1 11', 'a 20 11 31'],
      claims: ['a 50 1 11', 'a 50 11 31'],
      taken: ['10', '20'],
    },
    {
      what: 'leave one that held all the time first, another one with what is left of its own time',
      burnt: ['a 10 1 11', 'a 20 11 31'],
      claims: ['a 15', 'a 50 11 31'],
      taken: ['15', '15'],
    },
    {
      what: 'are fewer by what a later stretch gave back',
      burnt: ['a 10 1 11', 'a -3 11 31'],
      claims: ['a 50', 'a 50 1 11'],
      taken: ['7', '3'],
    },
  ])('$what', ({ burnt: pools, claims, taken }) => {
    expect(allotBurnt(pools.map(burnt), claims.map(claim)).map(({ units }) => plain(units))).toEqual(taken);
  });

  it.each([
    { what: 'one time', claims: ['a 1', 'b 1'], stretches: [MONTH] },
    { what: 'a part of another', claims: ['a 1', 'a 1 11 31'], stretches: [days(1, 11), days(11, 31)] },
    { what: 'times with a gap', claims: ['a 1 1 5', 'a 1 9 31'], stretches: [days(1, 5), days(9, 31)] },
    { what: 'none', claims: [], stretches: [] },
  ])('are asked for by stretches: $what', ({ claims, stretches }) => {
    expect(stretchesOf(claims.map(claim))).toEqual(stretches);
  });

  it('say which they are: entitlement, stretch and number', () => {
    const [first, second] = allotBurnt(['a 10 1 11', 'a 20 11 31'].map(burnt), ['a 15', 'a 50'].map(claim));
    const shown = (allotted: typeof first) => allotted?.taken.map(({ stretch, units }) => [stretch, plain(units)]);
    expect(shown(first)).toEqual([
      [days(1, 11), '10'],
      [days(11, 31), '5'],
    ]);
    expect(shown(second)).toEqual([[days(11, 31), '15']]);
  });

  it.each([
    { what: 'is less', burnt: ['a 10'], taken: ['a 4'], left: ['6'] },
    {
      what: 'is less where it was burnt',
      burnt: ['a 10 1 11', 'a 20 11 31'],
      taken: ['a 4 11 21'],
      left: ['10', '16'],
    },
    { what: 'is nothing, and never below', burnt: ['a 10 1 11', 'a 5 11 31'], taken: ['a 14 1 11'], left: ['0', '5'] },
    // 14 were taken from the 1st to the 31st: 10 off the first ten days, 4 off the others
    {
      what: 'is less in the first stretch that has it',
      burnt: ['a 10 1 11', 'a 20 11 31'],
      taken: ['a 14'],
      left: ['0', '16'],
    },
    { what: 'is as it was before and after', burnt: ['a 10 11 21'], taken: ['a 4 1 11', 'a 4 21 31'], left: ['10'] },
    { what: 'is as it was where less than nothing was burnt', burnt: ['a -3'], taken: ['a 4'], left: ['-3'] },
  ])('of which others took some: what is left $what', ({ burnt: pools, taken, left }) => {
    const others = taken.map(burnt).map(({ units, stretch }) => ({ entitlementId: 'e', stretch, units }));
    const ours = pools.map((text) => ({ ...burnt(text), entitlementId: 'e' }));
    expect(withoutTaken(ours, others).map(({ units }) => plain(units))).toEqual(left);
    const foreign = others.map((one) => ({ ...one, entitlementId: 'f' }));
    expect(withoutTaken(ours, foreign)).toEqual(ours);
  });

  it('are cut where periods of other series end whose prices grants may cover', () => {
    const price = (billingCadence: string | null, grantDiscountEnabled: boolean) =>
      ({ billingCadence, grantDiscountEnabled, paymentTerm: 'in_arrears' }) as BilledPrice;
    const terms = {
      planCadence: 'P1M',
      prices: [price(null, true), price('P7D', true), price('P1D', false)],
      bounds: { anchor: day(1), startedAt: day(1), endsAt: null },
    };
    const cuts = (cadence: string, time: Period) =>
      [...new Set(cutsBySeries(terms, cadence, time).map(String))].map((text) => Temporal.Instant.from(text));
    expect(cuts('P1M', days(3, 17))).toEqual([day(1), day(8), day(15), day(22)]);
    expect(cuts('P1W', days(8, 15))).toEqual([day(1), day(32)]);
  });
});

describe('what periods of other series take that are corrected together', () => {
  const week = (number: number) => ({ billingCadence: 'P1W', billingAnchor: day(1), periodNumber: number });
  const units = (amount: string, from: number, to: number) => ({
    ...{ entitlementId: 'ent', units: decimal(amount), stretch: days(from, to) },
  });
  const stored = [
    { ...units('30', 1, 8), priceId: 'searches', period: week(0) },
    { ...units('5', 8, 15), priceId: 'searches', period: week(1) },
  ];
  const reread = (number: number, priceId: string, taken: ReturnType<typeof units>[] | undefined) => ({
    invoice: week(number),
    usage: [
      {
        ...{ priceId, groupValues: {}, quantity: decimal('0'), eventCount: 0, granted: decimal('0') },
        ...(taken && { taken }),
      },
    ],
  });
  const shown = (cadence: string, read: readonly ReturnType<typeof reread>[]) =>
    takenWithRereads(stored, read, { cadence, time: MONTH }).map(
      ({ units: each, stretch }) => `${plain(each)} from ${stretch.start.toString().slice(8, 10)}`,
    );

  it.each([
    { what: 'nothing was read anew', read: [], taken: ['30 from 01', '5 from 08'] },
    {
      what: 'a week was',
      read: [reread(0, 'searches', [units('80', 1, 8)])],
      taken: ['80 from 01', '5 from 08'],
    },
    { what: 'a week takes nothing now', read: [reread(0, 'searches', [])], taken: ['5 from 08'] },
    {
      what: 'what was read is of a price that no grant covers',
      read: [reread(0, 'searches', undefined)],
      taken: ['30 from 01', '5 from 08'],
    },
    {
      what: 'a week of another price was',
      read: [reread(0, 'calls', [units('2', 3, 8)])],
      taken: ['30 from 01', '2 from 03', '5 from 08'],
    },
    {
      what: 'what was read is of another time',
      read: [reread(9, 'searches', [units('7', 40, 47)])],
      taken: ['30 from 01', '5 from 08'],
    },
  ])('$what', ({ read, taken }) => expect(shown('P1M', read)).toEqual(taken));

  it('its own series is none of the others', () => {
    expect(shown('P1W', [reread(0, 'searches', [units('80', 1, 8)])])).toEqual(['30 from 01', '5 from 08']);
  });
});
