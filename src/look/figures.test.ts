import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decimal } from '../kernel/decimal.ts';
import { LOCALES } from '../kernel/locale.ts';
import { breakable, figuresOf } from './figures.ts';

const { amount, day, money, percent, period, quantity } = figuresOf('en');

const at = (text: string): Temporal.Instant => Temporal.Instant.from(text);

describe('money', () => {
  it.each([
    { text: '1234.5', currency: 'EUR', shown: '€1,234.50' },
    { text: '-0.1', currency: 'USD', shown: '−$0.10' },
    { text: '-0.00', currency: 'USD', shown: '$0.00' },
    { text: '1200', currency: 'JPY', shown: '¥1,200' },
    { text: '0.125', currency: 'KWD', shown: 'KWD\u00a00.125' },
    // Intl alone would omit digits of ISO 4217
    { text: '1000', currency: 'HUF', shown: 'HUF\u00a01,000.00' },
    { text: '0.000012', currency: 'USD', shown: '$0.000012' },
    { text: '9007199254740993.01', currency: 'EUR', shown: '€9,007,199,254,740,993.01' },
  ])('$text $currency is $shown', ({ text, currency, shown }) => expect(money(text, currency)).toBe(shown));

  it.each(['', '1,5', 'NaN', 'Infinity', '12€'])('refuses %j', (text) => expect(() => money(text, 'EUR')).toThrow());
  it('refuses what is no currency', () => expect(() => money('1', 'XYZ')).toThrow(RangeError));
});

it('an amount without its currency shows its digits all the same', () => {
  expect(amount('2.5', 'EUR')).toBe('2.50');
  expect(amount('2.5', 'JPY')).toBe('2.5');
});

it.each([
  ['1', '1'],
  ['1200.50', '1,200.5'],
  ['0.000000001', '0.000000001'],
  ['-3', '−3'],
])('the quantity %s is %s', (text, shown) => expect(quantity(text)).toBe(shown));

it('a rate is shown in percent', () => expect(percent('8.8750')).toBe('8.875%'));

it('every digit of a value is shown, and none besides', () =>
  fc.assert(
    fc.property(
      fc.bigInt({ min: -(10n ** 40n), max: 10n ** 40n }),
      fc.integer({ min: 0, max: 30 }),
      (units, places) => {
        const value = decimal(units).div(decimal(10n ** BigInt(places)));
        for (const shown of [
          amount(value.toFixed(), 'EUR'),
          quantity(value.toFixed()),
          breakable(quantity(value.toFixed())),
        ])
          expect(decimal(shown.replace('−', '-').replace(/[,\u200b]/g, '')).eq(value)).toBe(true);
      },
    ),
  ));

it('a figure that a column holds is not broken', () => {
  expect(breakable('1,234.50')).toBe('1,234.50');
  expect(breakable('123,456,789,012.12345678')).toBe('123,\u200b456,\u200b789,\u200b012.\u200b123456\u200b78');
});

it('a day is the day in UTC', () => expect(day(at('2025-12-01T00:30:00+02:00'))).toBe('30\u00a0November\u00a02025'));

it.each([
  { start: '2025-11-01T00:00Z', end: '2025-12-01T00:00Z', shown: '1 – 30 Nov 2025' },
  { start: '2025-11-15T00:00Z', end: '2025-12-15T00:00Z', shown: '15 Nov – 14 Dec 2025' },
  { start: '2025-12-15T00:00Z', end: '2026-01-15T00:00Z', shown: '15 Dec 2025 – 14 Jan 2026' },
  { start: '2025-11-03T00:00Z', end: '2025-11-04T00:00Z', shown: '3 Nov 2025' },
  { start: '2025-11-03T10:00Z', end: '2025-11-04T10:00Z', shown: '3 Nov 2025' },
  { start: '2025-11-24T14:05Z', end: '2025-12-24T14:05Z', shown: '24 Nov – 23 Dec 2025' }, // the next one:
  { start: '2025-12-24T14:05Z', end: '2026-01-24T14:05Z', shown: '24 Dec 2025 – 23 Jan 2026' },
  { start: '2025-11-03T10:00Z', end: '2025-11-03T17:00Z', shown: '3 Nov 2025' },
  { start: '2025-11-03T10:00Z', end: '2025-11-03T10:00Z', shown: '3 Nov 2025' },
])('the period from $start to before $end is $shown', ({ start, end, shown }) =>
  expect(period(at(start), at(end))).toBe(shown),
);

describe('in each language', () => {
  const [start, end] = [at('2025-03-01T00:00Z'), at('2025-04-01T00:00Z')];
  it.each([
    {
      locale: 'en' as const,
      shown: [
        '€1,234,567.50',
        '−¥1,200',
        'KWD\u00a00.125',
        '1,200.5',
        '8.875%',
        '1\u00a0March\u00a02025',
        '1 – 31 Mar 2025',
      ],
    },
    {
      locale: 'de' as const,
      shown: [
        ...['1.234.567,50\u00a0€', '−1.200\u00a0¥', '0,125\u00a0KWD', '1.200,5', '8,875\u00a0%'],
        ...['1.\u00a0März\u00a02025', '1. – 31. März 2025'],
      ],
    },
    {
      locale: 'fr' as const,
      shown: [
        ...['1\u202f234\u202f567,50\u00a0€', '−1\u202f200\u00a0¥', '0,125\u00a0KWD', '1\u202f200,5', '8,875\u00a0%'],
        ...['1er\u00a0mars\u00a02025', '1er – 31 mars 2025'],
      ],
    },
    {
      locale: 'es' as const,
      shown: [
        ...['1.234.567,50\u00a0€', '−1.200\u00a0¥', '0,125\u00a0KWD', '1.200,5', '8,875\u00a0%'],
        ...['1\u00a0de\u00a0marzo\u00a0de\u00a02025', '1 – 31 mar 2025'],
      ],
    },
  ])('$locale writes $shown', ({ locale, shown }) => {
    const written = figuresOf(locale);
    expect([
      ...[written.money('1234567.5', 'EUR'), written.money('-1200', 'JPY'), written.money('0.125', 'KWD')],
      ...[written.quantity('1200.5'), written.percent('8.875'), written.day(start), written.period(start, end)],
    ]).toEqual(shown);
  });

  it.each(LOCALES)('%s has twelve months, all different', (locale) => {
    const days = Array.from({ length: 12 }, (_, month) =>
      at('2025-01-15T00:00Z').toZonedDateTimeISO('UTC').add({ months: month }),
    );
    const { day: dayIn, period: periodIn } = figuresOf(locale);
    expect(new Set(days.map((date) => dayIn(date.toInstant()))).size).toBe(12);
    expect(new Set(days.map((date) => periodIn(date.toInstant(), date.toInstant()))).size).toBe(12);
    expect(days.map((date) => dayIn(date.toInstant())).join()).not.toContain('undefined');
  });
});

describe('figures and dates in each language', () => {
  const march = at('2026-03-05T14:05:00Z');
  const thin = '\u202f';
  const gap = '\u00a0';
  it.each([
    ['en', '$12,345.60', '1,234.5678', '5 March 2026', '5 Mar 2026', 'Visa ending in 4242'],
    ['de', `12.345,60${gap}$`, '1.234,5678', '5. März 2026', '5. März 2026', 'Visa mit den Endziffern 4242'],
    ['fr', `12${thin}345,60${gap}$`, `1${thin}234,5678`, '5 mars 2026', '5 mars 2026', 'Visa se terminant par 4242'],
    ['es', `12.345,60${gap}$`, '1.234,5678', '5 de marzo de 2026', '5 mar 2026', 'Visa terminada en 4242'],
  ] as const)('%s', (locale, amount, figure, date, short, card) => {
    const figures = figuresOf(locale);
    expect([
      figures.money('12345.6', 'USD'),
      figures.quantity(decimal('1234.5678')),
      figures.day(march).replaceAll(gap, ' '),
      figures.shortDay(march).replaceAll(gap, ' '),
      figures.card({ brand: 'visa', last4: '4242' }),
    ]).toEqual([amount, figure, date, short, card]);
    expect(figures.minute(march).replaceAll(gap, ' ')).toBe(`${date}, 14:05 UTC`);
  });
});
