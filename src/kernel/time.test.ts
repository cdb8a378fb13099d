import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  addDuration,
  boundary,
  type Cadence,
  earliest,
  endOfDuration,
  formatInstant,
  type Instant,
  isAfter,
  isBefore,
  isOnce,
  latest,
  microsecondsBetween,
  normaliseCadence,
  parseCadence,
  parseDuration,
  parseInstant,
  periodAt,
  periodIndexAt,
  periodNumber,
} from './time.ts';

const at = (text: string): Instant => Temporal.Instant.from(text);
const cadenceOf = (text: string): Cadence => parseCadence(text) as Cadence;
const MICROSECOND = Temporal.Duration.from({ microseconds: 1 });

const CADENCES = ['P1D', 'P10D', 'P45D', 'P1W', 'P2W', 'P1M', 'P3M', 'P6M', 'P1Y'];

/** Every day of a leap year and of a common year, each at another time of day down to the microsecond. */
const ANCHORS = [2023, 2024].flatMap((year) => {
  const newYear = Temporal.PlainDate.from({ year, month: 1, day: 1 });
  return Array.from({ length: newYear.daysInYear }, (_, day) =>
    newYear
      .add({ days: day })
      .toZonedDateTime('UTC')
      .add({ hours: day % 24, minutes: (day * 7) % 60, microseconds: day * 2_741 })
      .toInstant(),
  );
});

describe('reading a date-time', () => {
  it.each([
    { text: '2026-11-21T10:20:30Z', instant: '2026-11-21T10:20:30Z' },
    { text: '2026-11-21t10:20:30z', instant: '2026-11-21T10:20:30Z' },
    { text: '2026-11-21T10:20:30+00:00', instant: '2026-11-21T10:20:30Z' },
    { text: '2026-11-21T10:20:30-00:00', instant: '2026-11-21T10:20:30Z' }, // RFC 3339 §4.3: UTC, place unknown
    { text: '2026-11-21T10:20:30+05:30', instant: '2026-11-21T04:50:30Z' },
    { text: '2026-11-21T10:20:30-08:00', instant: '2026-11-21T18:20:30Z' },
    { text: '2026-11-21T23:30:00-01:00', instant: '2026-11-22T00:30:00Z' },
    { text: '2026-11-21T10:20:30.5Z', instant: '2026-11-21T10:20:30.5Z' },
    { text: '2026-11-21T10:20:30.000Z', instant: '2026-11-21T10:20:30Z' },
    { text: '2026-11-21T10:20:30.123456Z', instant: '2026-11-21T10:20:30.123456Z' },
    { text: '2026-11-21T10:20:30.1234567Z', instant: '2026-11-21T10:20:30.123456Z' }, // cut, not rounded
    { text: '2026-11-21T10:20:30.9999999Z', instant: '2026-11-21T10:20:30.999999Z' },
    { text: '2026-12-31T23:59:59.999999999Z', instant: '2026-12-31T23:59:59.999999Z' }, // stays in its year
    { text: `2026-11-21T10:20:30.${'9'.repeat(40)}Z`, instant: '2026-11-21T10:20:30.999999Z' },
    { text: '2024-02-29T00:00:00Z', instant: '2024-02-29T00:00:00Z' },
    { text: '2000-02-29T00:00:00Z', instant: '2000-02-29T00:00:00Z' },
    { text: '2000-01-01T00:00:00Z', instant: '2000-01-01T00:00:00Z' }, // the first that is taken
    { text: '1999-12-31T23:00:00-01:00', instant: '2000-01-01T00:00:00Z' },
    { text: '2199-12-31T23:59:59.999999Z', instant: '2199-12-31T23:59:59.999999Z' }, // the last
    { text: '2200-01-01T00:59:59+01:00', instant: '2199-12-31T23:59:59Z' },
  ])('$text is $instant', ({ text, instant }) => {
    const parsed = parseInstant(text);
    expect(parsed && formatInstant(parsed)).toBe(instant);
  });

  it.each([
    ['a bare date', '2026-11-21'],
    ['no offset', '2026-11-21T10:20:30'],
    ['no seconds', '2026-11-21T10:20Z'],
    ['a space for the T', '2026-11-21 10:20:30Z'],
    ['an offset without a colon', '2026-11-21T10:20:30+0530'],
    ['an offset of hours alone', '2026-11-21T10:20:30+05'],
    ['an offset of 24 hours', '2026-11-21T10:20:30+24:00'],
    ['an offset of 60 minutes', '2026-11-21T10:20:30+05:60'],
    ['the leap second 60', '2026-12-31T23:59:60Z'],
    ['the hour 24', '2026-11-21T24:00:00Z'],
    ['the minute 60', '2026-11-21T10:60:00Z'],
    ['30 February', '2026-02-30T00:00:00Z'],
    ['29 February of a common year', '2026-02-29T00:00:00Z'],
    ['29 February 2100', '2100-02-29T00:00:00Z'],
    ['31 November', '2026-11-31T00:00:00Z'],
    ['the month 13', '2026-13-01T00:00:00Z'],
    ['the month 0', '2026-00-10T00:00:00Z'],
    ['the day 0', '2026-01-00T00:00:00Z'],
    ['a year before 2000', '1999-12-31T23:59:59.999999Z'],
    ['a year before 2000 by its offset', '2000-01-01T00:59:59+01:00'],
    ['a year after 2199', '2200-01-01T00:00:00Z'],
    ['a year after 2199 by its offset', '2199-12-31T23:59:59-01:00'],
    ['a year of five digits', '+002026-11-21T10:20:30Z'],
    ['a point without digits', '2026-11-21T10:20:30.Z'],
    ['a comma for the point', '2026-11-21T10:20:30,5Z'],
    ['more than 40 digits of fraction', `2026-11-21T10:20:30.${'1'.repeat(41)}Z`],
    ['a zone name', '2026-11-21T10:20:30Z[UTC]'],
    ['space around it', ' 2026-11-21T10:20:30Z'],
    ['a line feed behind it', '2026-11-21T10:20:30Z\n'],
    ['nothing', ''],
    ['a week date', '2026-W47-6T10:20:30Z'],
  ])('refuses %s', (_, text) => expect(parseInstant(text)).toBeNull());

  it('reads what it wrote', () => {
    const microseconds = fc.bigInt({ min: 946_684_800_000_000n, max: 7_258_118_399_999_999n });
    fc.assert(
      fc.property(microseconds, (value) => {
        const instant = new Temporal.Instant(value * 1000n);
        expect(parseInstant(formatInstant(instant))?.equals(instant)).toBe(true);
        expect(formatInstant(instant)).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,6})?Z$/);
      }),
    );
  });
});

describe('comparing', () => {
  const early = at('2026-01-01T00:00:00Z');
  const late = at('2026-01-01T00:00:00.000001Z');

  it('distinguishes instants a microsecond apart', () => {
    expect([isBefore(early, late), isBefore(late, early), isBefore(early, early)]).toEqual([true, false, false]);
    expect([isAfter(late, early), isAfter(early, late), isAfter(early, early)]).toEqual([true, false, false]);
    expect(earliest(late, early)).toBe(early);
    expect(earliest(early, late)).toBe(early);
    expect(latest(early, late)).toBe(late);
    expect(latest(late, early)).toBe(late);
  });

  it.each([
    { from: early, to: late, microseconds: 1n },
    { from: late, to: early, microseconds: -1n },
    { from: at('2024-01-01T00:00:00Z'), to: at('2025-01-01T00:00:00Z'), microseconds: 366n * 86_400_000_000n },
  ])('$from to $to is $microseconds microseconds', ({ from, to, microseconds }) => {
    expect(microsecondsBetween(from, to)).toBe(microseconds);
  });
});

describe('cadences', () => {
  it.each([
    { text: 'P1D', cadence: { months: 0, days: 1 }, normal: 'P1D' },
    { text: 'P7D', cadence: { months: 0, days: 7 }, normal: 'P1W' },
    { text: 'P1W', cadence: { months: 0, days: 7 }, normal: 'P1W' },
    { text: 'P14D', cadence: { months: 0, days: 14 }, normal: 'P2W' },
    { text: 'P1W3D', cadence: { months: 0, days: 10 }, normal: 'P10D' },
    { text: 'P10D', cadence: { months: 0, days: 10 }, normal: 'P10D' },
    { text: 'P45D', cadence: { months: 0, days: 45 }, normal: 'P45D' },
    { text: 'P30D', cadence: { months: 0, days: 30 }, normal: 'P30D' }, // thirty days are no month
    { text: 'P1M', cadence: { months: 1, days: 0 }, normal: 'P1M' },
    { text: 'P01M', cadence: { months: 1, days: 0 }, normal: 'P1M' },
    { text: 'P3M', cadence: { months: 3, days: 0 }, normal: 'P3M' },
    { text: 'P12M', cadence: { months: 12, days: 0 }, normal: 'P1Y' },
    { text: 'P1Y', cadence: { months: 12, days: 0 }, normal: 'P1Y' },
    { text: 'P1Y6M', cadence: { months: 18, days: 0 }, normal: 'P18M' },
    { text: 'P24M', cadence: { months: 24, days: 0 }, normal: 'P2Y' },
    { text: 'P1Y0D', cadence: { months: 12, days: 0 }, normal: 'P1Y' },
    { text: 'P100Y', cadence: { months: 1200, days: 0 }, normal: 'P100Y' },
    { text: 'P0D', cadence: { months: 0, days: 0 }, normal: 'P0D' },
    { text: 'P0M', cadence: { months: 0, days: 0 }, normal: 'P0D' },
    { text: 'P0Y', cadence: { months: 0, days: 0 }, normal: 'P0D' },
    { text: 'P0W', cadence: { months: 0, days: 0 }, normal: 'P0D' },
  ])('$text is $normal', ({ text, cadence, normal }) => {
    expect(parseCadence(text)).toEqual(cadence);
    expect(normaliseCadence(text)).toBe(normal);
    expect(isOnce(text)).toBe(normal === 'P0D');
  });

  it.each([
    'P1M2D', // months and days together have no fixed meaning
    'P1Y1W',
    'P1DT1H',
    'PT24H',
    'PT0S',
    'P1.5M',
    'P-1M',
    '-P1M',
    'p1m',
    'P',
    '',
    'P1M1Y',
    'P1',
    'P101Y',
    'P1201M',
    'P9999W',
    'P99999D',
    'P1M ',
    'P1M\n',
    'monthly',
  ])('refuses %j', (text) => {
    expect(parseCadence(text)).toBeNull();
    expect(() => normaliseCadence(text)).toThrow(RangeError);
  });
});

describe('periods', () => {
  it('are tried from 365 + 366 days', () => expect(ANCHORS).toHaveLength(731));

  it.each([
    { anchor: '2023-01-31T09:00:00Z', cadence: 'P1M', starts: ['01-31', '02-28', '03-31', '04-30', '05-31', '06-30'] },
    { anchor: '2024-01-31T09:00:00Z', cadence: 'P1M', starts: ['01-31', '02-29', '03-31', '04-30', '05-31', '06-30'] },
    { anchor: '2023-01-30T09:00:00Z', cadence: 'P1M', starts: ['01-30', '02-28', '03-30', '04-30', '05-30', '06-30'] },
    { anchor: '2024-01-29T09:00:00Z', cadence: 'P1M', starts: ['01-29', '02-29', '03-29', '04-29'] },
    { anchor: '2023-08-31T09:00:00Z', cadence: 'P3M', starts: ['08-31', '11-30', '02-29', '05-31', '08-31'] },
    { anchor: '2023-08-31T09:00:00Z', cadence: 'P6M', starts: ['08-31', '02-29', '08-31', '02-28'] },
    { anchor: '2024-02-29T09:00:00Z', cadence: 'P1Y', starts: ['02-29', '02-28', '02-28', '02-28', '02-29'] },
    { anchor: '2023-12-31T09:00:00Z', cadence: 'P1D', starts: ['12-31', '01-01', '01-02'] },
    { anchor: '2024-02-22T09:00:00Z', cadence: 'P1W', starts: ['02-22', '02-29', '03-07'] },
    { anchor: '2024-01-01T09:00:00Z', cadence: 'P45D', starts: ['01-01', '02-15', '03-31', '05-15'] },
  ])('$cadence from $anchor starts on $starts, each time at nine', ({ anchor, cadence, starts }) => {
    const found = starts.map((_, n) => formatInstant(boundary(at(anchor), cadenceOf(cadence), n)));
    expect(found.map((text) => text.slice(5, 10))).toEqual(starts);
    expect(found.every((text) => text.endsWith('T09:00:00Z'))).toBe(true);
  });

  it('are those of the calendar, from 1900 to 2300', () => {
    const anchors = fc.integer({ min: -2_208_988_800_000, max: 7_258_118_400_000 });
    const [months, days] = [fc.integer({ min: 0, max: 60 }), fc.integer({ min: 0, max: 400 })];
    fc.assert(
      fc.property(anchors, months, days, fc.integer({ min: -40, max: 40 }), (milliseconds, inMonths, inDays, n) => {
        const anchor = Temporal.Instant.fromEpochMilliseconds(milliseconds);
        const wanted = anchor
          .toZonedDateTimeISO('UTC')
          .add({ months: inMonths * n, days: inDays * n })
          .toInstant();
        const found = boundary(anchor, { months: inMonths, days: inDays }, n);
        expect(formatInstant(found)).toBe(formatInstant(wanted));
      }),
      { numRuns: 2_000 },
    );
  });

  it('go backwards from the anchor as well', () => {
    const starts = [-3, -2, -1, 0].map((n) => formatInstant(boundary(at('2024-03-31T00:00:00Z'), cadenceOf('P1M'), n)));
    expect(starts).toEqual([
      '2023-12-31T00:00:00Z',
      '2024-01-31T00:00:00Z',
      '2024-02-29T00:00:00Z',
      '2024-03-31T00:00:00Z',
    ]);
  });

  describe.each(CADENCES)('of %s from every day of a leap year and a common year', (text) => {
    const cadence = cadenceOf(text);

    it('tile without gap or overlap, keep the time of day, and never drift from the anchor', () => {
      const faults: string[] = [];
      const numbers = [...Array.from({ length: 26 }, (_, n) => n), 119, 120, 121, 1200];
      for (const anchor of ANCHORS) {
        const day = anchor.toZonedDateTimeISO('UTC');
        for (const n of numbers) {
          const period = periodNumber(anchor, cadence, n);
          const fault = (what: string) => faults.push(`period ${n} from ${anchor} ${what}: ${period.start}`);
          if (!period.start.equals(periodNumber(anchor, cadence, n - 1).end)) fault('does not follow the one before');
          if (!isBefore(period.start, period.end)) fault('is empty');
          const start = period.start.toZonedDateTimeISO('UTC');
          if (!start.toPlainTime().equals(day.toPlainTime())) fault('moved its hour');
          const onAnchorsDay =
            cadence.months === 0
              ? day.toPlainDate().until(start.toPlainDate(), { largestUnit: 'day' }).days === n * cadence.days
              : start.day === Math.min(day.day, start.daysInMonth) &&
                (start.year - day.year) * 12 + start.month - day.month === n * cadence.months;
          if (!onAnchorsDay) fault('drifted');
        }
      }
      expect(faults).toEqual([]);
    });

    it('are found again at each boundary and one microsecond on either side', () => {
      const faults: string[] = [];
      for (const anchor of ANCHORS) {
        for (const n of [-2, 0, 1, 2, 11, 12, 13, 24, 240]) {
          const start = boundary(anchor, cadence, n);
          const found = [start.subtract(MICROSECOND), start, start.add(MICROSECOND)].map((instant) =>
            periodIndexAt(anchor, cadence, instant),
          );
          if (found.join() !== `${n - 1},${n},${n}`) faults.push(`around ${start} from ${anchor}: ${found.join()}`);
        }
      }
      expect(faults).toEqual([]);
    });
  });

  it('every instant lies in the one period that is found for it', () => {
    const microseconds = fc.bigInt({ min: 946_684_800_000_000n, max: 7_258_118_399_999_999n });
    fc.assert(
      fc.property(microseconds, microseconds, fc.constantFrom(...CADENCES, 'P1Y6M', 'P100Y'), (a, b, text) => {
        const anchor = new Temporal.Instant(a * 1000n);
        const instant = new Temporal.Instant(b * 1000n);
        const { start, end } = periodAt(anchor, cadenceOf(text), instant);
        expect(isAfter(start, instant)).toBe(false);
        expect(isAfter(end, instant)).toBe(true);
      }),
    );
  });

  it('of P0D do not exist', () => {
    const anchor = at('2026-01-01T00:00:00Z');
    expect(() => periodIndexAt(anchor, cadenceOf('P0D'), anchor)).toThrow(RangeError);
  });
});

describe('durations', () => {
  it.each([
    { text: 'PT0S', end: '2024-01-31T00:00:00Z' },
    { text: 'P0D', end: '2024-01-31T00:00:00Z' },
    { text: 'PT1H30M', end: '2024-01-31T01:30:00Z' },
    { text: 'P1M', end: '2024-02-29T00:00:00Z' },
    { text: 'P1DT12H', end: '2024-02-01T12:00:00Z' },
    { text: 'P1Y2M3W4DT5H6M7S', end: '2025-04-25T05:06:07Z' }, // 31 Mar 2025, then 25 days and the time
    { text: 'PT86400S', end: '2024-02-01T00:00:00Z' },
  ])('$text after 31 January 2024 is $end', ({ text, end }) => {
    const duration = parseDuration(text) as Temporal.Duration;
    expect(formatInstant(addDuration(at('2024-01-31T00:00:00Z'), duration))).toBe(end);
  });

  it.each(['', 'P', 'PT', 'P1DT', '-P1D', 'P-1D', 'P1.5D', 'PT0.5S', 'p1d', '1D', 'P1S', 'P1D ', 'P1000000D'])(
    'refuses %j',
    (text) => expect(parseDuration(text)).toBeNull(),
  );
});

describe('the end of a duration', () => {
  const now = Temporal.Instant.from('2026-01-31T00:00:00Z');
  const lengths = { usual: Temporal.Duration.from('PT10M'), longest: Temporal.Duration.from('P1M') };
  it.each([
    [undefined, '2026-01-31T00:10:00Z'],
    ['PT1S', '2026-01-31T00:00:01Z'],
    ['P1M', '2026-02-28T00:00:00Z'],
    ['P28DT1S', null],
    ['PT0S', null],
    ['P999999Y', null],
    ['soon', null],
  ])('of %s is %s', (text, end) => {
    expect(endOfDuration(text, lengths, now)?.toString() ?? null).toBe(end);
  });
});
