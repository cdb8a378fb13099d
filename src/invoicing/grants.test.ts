import { describe, expect, it } from 'vitest';
import { decimal, plain } from '../kernel/decimal.ts';
import type { Period } from '../kernel/time.ts';
import { allotBurnt, stretchesOf } from './grants.ts';

/** Which price's quantity burnt units leave (domain.md §5). Days are of January 2026. */
const day = (number: number) => Temporal.Instant.from('2026-01-01T00:00:00Z').add({ hours: 24 * (number - 1) });
const days = (start: number, end: number): Period => ({ start: day(start), end: day(end) });
const MONTH = days(1, 31);

/** `metric used`, optionally with the days in which the price held. */
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
    expect(allotBurnt(pools.map(burnt), claims.map(claim)).map(plain)).toEqual(taken);
  });

  it.each([
    { what: 'one time', claims: ['a 1', 'b 1'], stretches: [MONTH] },
    { what: 'a part of another', claims: ['a 1', 'a 1 11 31'], stretches: [days(1, 11), days(11, 31)] },
    { what: 'times with a gap', claims: ['a 1 1 5', 'a 1 9 31'], stretches: [days(1, 5), days(9, 31)] },
    { what: 'none', claims: [], stretches: [] },
  ])('are asked for by stretches: $what', ({ claims, stretches }) => {
    expect(stretchesOf(claims.map(claim))).toEqual(stretches);
  });
});
