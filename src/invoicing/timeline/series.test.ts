import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decimal, plain } from '../../kernel/decimal.ts';
import { isWhole, scale } from '../../kernel/fraction.ts';
import { formatInstant, type Instant, isBefore, microsecondsBetween } from '../../kernel/time.ts';
import type { SeriesBounds } from '../terms/billing-terms.ts';
import { firstPeriodNumber, periodHolding, periodOf, periodsOf, seriesOf } from './series.ts';

const at = (text: string): Instant => Temporal.Instant.from(text);
const bounds = (anchor: string, startedAt: string, endsAt: string | null = null): SeriesBounds => ({
  anchor: at(anchor),
  startedAt: at(startedAt),
  endsAt: endsAt === null ? null : at(endsAt),
});
const price = (id: string, billingCadence: string | null, paymentTerm: 'in_advance' | 'in_arrears' = 'in_arrears') => ({
  id,
  billingCadence,
  paymentTerm,
});
const ids = (prices: readonly { id: string }[]) => prices.map(({ id }) => id).join(' ');

describe('the series of a plan', () => {
  it.each([
    { what: 'no prices: the plan’s own series all the same', plan: 'P1M', prices: [], series: ['P1M*: '] },
    {
      what: 'metrics take the plan’s cadence',
      plan: 'P1M',
      prices: [price('a', null), price('b', null)],
      series: ['P1M*: a b'],
    },
    {
      what: 'a yearly fee and monthly usage are two',
      plan: 'P1M',
      prices: [price('year', 'P1Y', 'in_advance'), price('use', null)],
      series: ['P1M*: use', 'P1Y: year'],
    },
    {
      what: 'one cadence written in three ways is one series',
      plan: 'P1Y',
      prices: [price('a', 'P12M'), price('b', 'P1Y'), price('c', 'P1Y0D'), price('d', null)],
      series: ['P1Y*: a b c d'],
    },
    {
      what: 'seven days are a week, thirty days are no month',
      plan: 'P1M',
      prices: [price('a', 'P7D'), price('b', 'P30D'), price('c', 'P1W')],
      series: ['P1M*: ', 'P1W: a c', 'P30D: b'],
    },
  ])('$what', ({ plan, prices, series }) => {
    const found = seriesOf(plan, prices);
    expect(found.series.map((one) => `${one.cadence}${one.isPlans ? '*' : ''}: ${ids(one.prices)}`)).toEqual(series);
    expect(ids([...found.onceInAdvance, ...found.onceInArrears])).toBe('');
  });

  it('leaves out what is billed once, by when it is paid', () => {
    const prices = [
      price('setup', 'P0D', 'in_advance'),
      price('closing', 'P0D', 'in_arrears'),
      price('use', null),
      price('welcome', 'P0M', 'in_advance'),
    ];
    const found = seriesOf('P1M', prices);
    expect(found.series.map((one) => ids(one.prices))).toEqual(['use']);
    expect(ids(found.onceInAdvance)).toBe('setup welcome');
    expect(ids(found.onceInArrears)).toBe('closing');
  });

  it('refuses a plan that is billed once', () => expect(() => seriesOf('P0D', [])).toThrow(RangeError));
});

describe('the periods of a series', () => {
  const shown = (cadence: string, given: SeriesBounds, most: number) =>
    [...periodsOf(cadence, given).take(most)].map(
      ({ number, start, end, fraction }) =>
        `${number}: ${formatInstant(start).slice(0, 13)} to ${formatInstant(end).slice(0, 13)} = ${plain(scale(decimal(1), fraction).toDecimalPlaces(4))}`,
    );

  it.each([
    {
      what: 'from a start at the anchor',
      cadence: 'P1M',
      given: bounds('2023-01-31T00:00:00Z', '2023-01-31T00:00:00Z'),
      periods: [
        '0: 2023-01-31T00 to 2023-02-28T00 = 1',
        '1: 2023-02-28T00 to 2023-03-31T00 = 1',
        '2: 2023-03-31T00 to 2023-04-30T00 = 1',
      ],
    },
    {
      what: 'from a start inside a period of the plan’s anchor: the first is partial', // 16 of 30 days
      cadence: 'P1M',
      given: bounds('2026-01-01T00:00:00Z', '2026-11-15T00:00:00Z'),
      periods: [
        '10: 2026-11-15T00 to 2026-12-01T00 = 0.5333',
        '11: 2026-12-01T00 to 2027-01-01T00 = 1',
        '12: 2027-01-01T00 to 2027-02-01T00 = 1',
      ],
    },
    {
      what: 'from a start before the anchor', // 16 of 30 days before it
      cadence: 'P1M',
      given: bounds('2026-12-01T00:00:00Z', '2026-11-15T00:00:00Z'),
      periods: [
        '-1: 2026-11-15T00 to 2026-12-01T00 = 0.5333',
        '0: 2026-12-01T00 to 2027-01-01T00 = 1',
        '1: 2027-01-01T00 to 2027-02-01T00 = 1',
      ],
    },
    {
      what: 'to an end inside a period', // 10 of 31 days
      cadence: 'P1M',
      given: bounds('2026-11-01T00:00:00Z', '2026-11-01T00:00:00Z', '2026-12-11T00:00:00Z'),
      periods: ['0: 2026-11-01T00 to 2026-12-01T00 = 1', '1: 2026-12-01T00 to 2026-12-11T00 = 0.3226'],
    },
    {
      what: 'to an end on a boundary: no empty period follows',
      cadence: 'P1M',
      given: bounds('2026-11-01T00:00:00Z', '2026-11-01T00:00:00Z', '2026-12-01T00:00:00Z'),
      periods: ['0: 2026-11-01T00 to 2026-12-01T00 = 1'],
    },
    {
      what: 'within one period, partial at both ends', // 12 hours of 30 days
      cadence: 'P1M',
      given: bounds('2026-01-01T00:00:00Z', '2026-11-15T06:00:00Z', '2026-11-15T18:00:00Z'),
      periods: ['10: 2026-11-15T06 to 2026-11-15T18 = 0.0167'],
    },
    {
      what: 'none for a subscription that ended before it began',
      cadence: 'P1M',
      given: bounds('2026-11-01T00:00:00Z', '2026-11-15T00:00:00Z', '2026-11-15T00:00:00Z'),
      periods: [],
    },
    {
      what: 'of ten days',
      cadence: 'P10D',
      given: bounds('2024-02-20T00:00:00Z', '2024-02-20T00:00:00Z'),
      periods: [
        '0: 2024-02-20T00 to 2024-03-01T00 = 1',
        '1: 2024-03-01T00 to 2024-03-11T00 = 1',
        '2: 2024-03-11T00 to 2024-03-21T00 = 1',
      ],
    },
  ])('$what', ({ cadence, given, periods }) => expect(shown(cadence, given, 3)).toEqual(periods));

  it('none lie before the start or after the end', () => {
    const given = bounds('2026-01-01T00:00:00Z', '2026-11-15T00:00:00Z', '2026-12-11T00:00:00Z');
    expect(firstPeriodNumber('P1M', given)).toBe(10);
    expect(periodOf('P1M', given, 9)).toBeNull();
    expect(periodOf('P1M', given, 12)).toBeNull();
  });

  it.each([
    { instant: '2026-11-14T23:59:59.999999Z', number: undefined },
    { instant: '2026-11-15T00:00:00Z', number: 10 },
    { instant: '2026-11-30T23:59:59.999999Z', number: 10 },
    { instant: '2026-12-01T00:00:00Z', number: 11 },
    { instant: '2026-12-10T23:59:59.999999Z', number: 11 },
    { instant: '2026-12-11T00:00:00Z', number: undefined },
  ])('$instant is in period $number', ({ instant, number }) => {
    const given = bounds('2026-01-01T00:00:00Z', '2026-11-15T00:00:00Z', '2026-12-11T00:00:00Z');
    expect(periodHolding('P1M', given, at(instant))?.number).toBe(number);
  });

  it('tile the subscription from start to end, and only the first and the last are partial', () => {
    const day = fc.integer({ min: 0, max: 3000 });
    const micros = fc.integer({ min: 0, max: 86_399_999 });
    const cadence = fc.constantFrom('P1D', 'P10D', 'P45D', 'P1W', 'P2W', 'P1M', 'P3M', 'P6M', 'P1Y');
    const instant = (days: number, offset: number) =>
      at('2020-01-01T00:00:00Z').add({ hours: 24 * days, microseconds: offset * 1000 });
    fc.assert(
      fc.property(day, day, fc.integer({ min: 1, max: 800 }), micros, micros, cadence, (a, b, length, m1, m2, text) => {
        const given = { anchor: instant(a, m1), startedAt: instant(b, m2), endsAt: instant(b + length, m1) };
        if (!isBefore(given.startedAt, given.endsAt)) return;
        const periods = [...periodsOf(text, given).take(1000)]; // 800 days have no more
        expect(periods[0]?.start.equals(given.startedAt)).toBe(true);
        expect(periods.at(-1)?.end.equals(given.endsAt)).toBe(true);
        for (const [index, period] of periods.entries()) {
          if (index > 0) expect(period.start.equals(periods[index - 1]?.end as Instant)).toBe(true);
          if (index > 0 && index < periods.length - 1) expect(isWhole(period.fraction)).toBe(true);
          const { numerator, denominator } = period.fraction;
          const part = microsecondsBetween(period.start, period.end);
          const whole = microsecondsBetween(period.whole.start, period.whole.end);
          expect(numerator * whole).toBe(part * denominator);
        }
      }),
    );
  });
});
