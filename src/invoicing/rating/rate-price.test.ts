import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { currencyCodes, minorDigits } from '../../kernel/currency.ts';
import { decimal, ONE, plain, sum } from '../../kernel/decimal.ts';
import type { Fraction } from '../../kernel/fraction.ts';
import { roundTo } from '../../kernel/money.ts';
import type { Pricing } from './models.ts';
import { checkLimits, type PriceInPeriod, type Rated, type RatedLine, ratePrice } from './rate-price.ts';
import type { Aggregation, UsageGroup } from './usage.ts';

const fraction = (text: string): Fraction => {
  const [numerator, denominator] = text.split('/');
  return { numerator: BigInt(numerator as string), denominator: BigInt(denominator as string) };
};
const used = (quantity: string, aggregation: Aggregation = 'SUM'): Rated => ({
  kind: 'usage',
  aggregation,
  groups: [{ group: {}, quantity: decimal(quantity), eventCount: 1n }],
});
const fee = (quantity: string): Rated => ({ kind: 'fee', quantity: decimal(quantity) });
const at = (unitPrice: string, includedUnits?: string): Pricing => ({
  model: 'standard',
  properties: { unitPrice, ...(includedUnits === undefined ? {} : { includedUnits }) },
});
const tiers = [
  { upTo: '1000', unitPrice: '0.10', flatPrice: '30' },
  { upTo: null, unitPrice: '0.05', flatPrice: '15' },
];

const price = (fields: Partial<PriceInPeriod> & Pick<PriceInPeriod, 'pricing' | 'rated'>) =>
  ratePrice({ currency: 'USD', ...fields });
/** `kind quantity × unitPrice = totalPrice` of each line. */
const shown = (lines: readonly RatedLine[]) =>
  lines.map((line) => `${line.kind} ${plain(line.quantity)} × ${plain(line.unitPrice)} = ${plain(line.totalPrice)}`);

describe('rounding', () => {
  it.each([
    // 18,059,974 × 0.000003 = 54.179922 and 245,896 × 0.000015 = 3.68844: the trace, 57.87 together.
    { unitPrice: '0.000003', quantity: '18059974', currency: 'USD', total: '54.18' },
    { unitPrice: '0.000015', quantity: '245896', currency: 'USD', total: '3.69' },
    { unitPrice: '0.005', quantity: '1', currency: 'USD', total: '0.01' }, // half is rounded away from zero
    { unitPrice: '-0.005', quantity: '1', currency: 'USD', total: '-0.01' },
    { unitPrice: '0.0049', quantity: '1', currency: 'USD', total: '0' },
    { unitPrice: '0.000000001', quantity: '0.000000001', currency: 'USD', total: '0' },
    { unitPrice: '0.000000001', quantity: '1000000000000000', currency: 'USD', total: '1000000' }, // 1e15 × 1e-9
    { unitPrice: '0.005', quantity: '1', currency: 'KWD', total: '0.005' },
    { unitPrice: '0.0005', quantity: '1', currency: 'KWD', total: '0.001' },
    { unitPrice: '1.2345', quantity: '3', currency: 'KWD', total: '3.704' }, // 3.7035
    { unitPrice: '0.5', quantity: '1', currency: 'JPY', total: '1' },
    { unitPrice: '0.49', quantity: '1', currency: 'JPY', total: '0' },
    { unitPrice: '0.000003', quantity: '18059974', currency: 'JPY', total: '54' },
    { unitPrice: '0.00005', quantity: '1', currency: 'CLF', total: '0.0001' },
    { unitPrice: '0.1', quantity: '0.25', currency: 'HUF', total: '0.03' }, // 0.025: two digits by ISO 4217
  ])('$quantity × $unitPrice is $total $currency', ({ unitPrice, quantity, currency, total }) => {
    const rated = price({ pricing: at(unitPrice), rated: used(quantity), currency });
    expect(plain(rated.total)).toBe(total);
    expect(shown(rated.lines)).toEqual([`charge ${quantity} × ${unitPrice} = ${total}`]);
    expect(plain((rated.lines[0] as RatedLine).exactPrice)).toBe(plain(decimal(unitPrice).times(quantity)));
  });

  it('rounds the price once, however many groups it has: 10,000 of 0.004 are 40.00', () => {
    const groups = Array.from(
      { length: 10_000 },
      (_, n): UsageGroup => ({
        group: { user: String(n) },
        quantity: ONE,
        eventCount: 1n,
      }),
    );
    const rated = price({ pricing: at('0.004'), rated: { kind: 'usage', aggregation: 'COUNT', groups } });
    expect(shown(rated.lines)).toEqual(['charge 10000 × 0.004 = 40']);
  });
});

describe('the order: quantity, grants, included units, model, adjustments, maximum, minimum', () => {
  it.each<{ what: string; fields: Partial<PriceInPeriod> & Pick<PriceInPeriod, 'pricing' | 'rated'>; lines: string[] }>(
    [
      { what: 'a quantity below 0', fields: { pricing: at('2'), rated: used('-5') }, lines: ['charge 0 × 2 = 0'] },
      { what: 'a fee of quantity 0', fields: { pricing: at('2'), rated: fee('0') }, lines: ['charge 0 × 2 = 0'] },
      {
        what: 'a fee of quantity 3',
        fields: { pricing: at('19.99'), rated: fee('3') },
        lines: ['charge 3 × 19.99 = 59.97'],
      },
      {
        what: 'included units not used up',
        fields: { pricing: at('2', '100'), rated: used('99') },
        lines: ['charge 99 × 2 = 0'],
      },
      {
        what: 'included units just used up',
        fields: { pricing: at('2', '100'), rated: used('100') },
        lines: ['charge 100 × 2 = 0'],
      },
      {
        what: 'one more than the included units',
        fields: { pricing: at('2', '100'), rated: used('101') },
        lines: ['charge 101 × 2 = 2'],
      },
      {
        what: 'included units before the tiers', // 1,200 − 200 = 1,000 units, all of them in the first tier: 100 + 30
        fields: { pricing: { model: 'graduated', properties: { tiers, includedUnits: '200' } }, rated: used('1200') },
        lines: ['charge 1200 × 0.108333333 = 130'], // 130 ÷ 1,200
      },
      {
        what: 'included units before the packages', // 150 − 50 = 100 units: one package
        fields: {
          pricing: { model: 'package', properties: { size: '100', price: '7', includedUnits: '50' } },
          rated: used('150'),
        },
        lines: ['charge 150 × 0.046666667 = 7'],
      },
      {
        what: 'grants before included units', // 300 used, 120 covered, 100 included: 80 × 2
        fields: { pricing: at('2', '100'), rated: { ...used('300'), grants: decimal('120') } as Rated },
        lines: ['charge 180 × 2 = 160', 'grants 120 × 0 = 0'],
      },
      {
        what: 'grants for more than was used',
        fields: { pricing: at('2'), rated: { ...used('30'), grants: decimal('120') } as Rated },
        lines: ['charge 0 × 2 = 0', 'grants 30 × 0 = 0'],
      },
      {
        what: 'a maximum that is passed',
        fields: { pricing: at('2'), rated: used('80'), maximumAmount: decimal('100') },
        lines: ['charge 80 × 2 = 160', 'maximum 1 × -60 = -60'],
      },
      {
        what: 'a maximum that is just reached',
        fields: { pricing: at('2'), rated: used('50'), maximumAmount: decimal('100') },
        lines: ['charge 50 × 2 = 100'],
      },
      {
        what: 'a minimum that is not reached',
        fields: { pricing: at('2'), rated: used('30'), minimumAmount: decimal('100') },
        lines: ['charge 30 × 2 = 60', 'minimum 1 × 40 = 40'],
      },
      {
        what: 'a minimum that is just reached',
        fields: { pricing: at('2'), rated: used('50'), minimumAmount: decimal('100') },
        lines: ['charge 50 × 2 = 100'],
      },
      {
        what: 'a minimum without any usage',
        fields: { pricing: at('2'), rated: used('0'), minimumAmount: decimal('9.99') },
        lines: ['charge 0 × 2 = 0', 'minimum 1 × 9.99 = 9.99'],
      },
      {
        what: 'a minimum and a maximum that are one amount',
        fields: { pricing: at('2'), rated: used('80'), minimumAmount: decimal('100'), maximumAmount: decimal('100') },
        lines: ['charge 80 × 2 = 160', 'maximum 1 × -60 = -60'],
      },
      {
        what: 'a maximum of 0',
        fields: { pricing: at('2'), rated: used('80'), maximumAmount: decimal('0') },
        lines: ['charge 80 × 2 = 160', 'maximum 1 × -160 = -160'],
      },
      {
        what: 'a limit with more digits than the currency', // 99.995 rounds to 100.00, once
        fields: { pricing: at('0.004'), rated: used('1'), minimumAmount: decimal('99.995') },
        lines: ['charge 1 × 0.004 = 0', 'minimum 1 × 100 = 100'],
      },
      { what: 'a rebate', fields: { pricing: at('-0.10'), rated: used('25') }, lines: ['charge 25 × -0.1 = -2.5'] },
    ],
  )('$what', ({ fields, lines }) => expect(shown(price(fields).lines)).toEqual(lines));

  const half = (charges: readonly RatedLine[]) =>
    charges.map((charge): RatedLine => {
      const off = charge.totalPrice.div(2).negated();
      return { ...charge, kind: 'adjustment', eventType: 'discount', unitPrice: off, totalPrice: off, exactPrice: off };
    });

  it.each([
    // 160 less half is 80: under the maximum of 100, and above the minimum of 50.
    { limits: { maximumAmount: '100' }, lines: ['charge 80 × 2 = 160', 'adjustment 80 × -80 = -80'] },
    {
      limits: { maximumAmount: '70' },
      lines: ['charge 80 × 2 = 160', 'adjustment 80 × -80 = -80', 'maximum 1 × -10 = -10'],
    },
    {
      limits: { minimumAmount: '90' },
      lines: ['charge 80 × 2 = 160', 'adjustment 80 × -80 = -80', 'minimum 1 × 10 = 10'],
    },
  ])('adjustments before the limits $limits', ({ limits, lines }) => {
    const amounts = Object.fromEntries(Object.entries(limits).map(([name, amount]) => [name, decimal(amount)]));
    expect(shown(price({ pricing: at('2'), rated: used('80'), discounts: half, ...amounts }).lines)).toEqual(lines);
  });
});

describe('a part of a period', () => {
  it.each<{
    what: string;
    fields: Partial<PriceInPeriod> & Pick<PriceInPeriod, 'pricing' | 'rated'>;
    part: string;
    lines: string[];
  }>([
    {
      what: 'half a fee',
      fields: { pricing: at('30'), rated: fee('1') },
      part: '15/30',
      lines: ['charge 1 × 30 = 15'],
    },
    {
      what: 'a third of a fee',
      fields: { pricing: at('100'), rated: fee('1') },
      part: '1/3',
      lines: ['charge 1 × 100 = 33.33'],
    },
    {
      what: 'two thirds of it',
      fields: { pricing: at('100'), rated: fee('1') },
      part: '2/3',
      lines: ['charge 1 × 100 = 66.67'],
    },
    {
      what: 'half a cent of a fee',
      fields: { pricing: at('0.01'), rated: fee('1') },
      part: '1/2',
      lines: ['charge 1 × 0.01 = 0.01'],
    },
    {
      what: 'three fees, together',
      fields: { pricing: at('10'), rated: fee('3') },
      part: '1/7',
      lines: ['charge 3 × 10 = 4.29'],
    }, // 4.2857…
    {
      what: 'a fee in yen', // 1,000 × 10/31 = 322.58
      fields: { pricing: at('1000'), rated: fee('1'), currency: 'JPY' },
      part: '10/31',
      lines: ['charge 1 × 1000 = 323'],
    },
    {
      what: 'a fee in dinars', // 322.5806…
      fields: { pricing: at('1000'), rated: fee('1'), currency: 'KWD' },
      part: '10/31',
      lines: ['charge 1 × 1000 = 322.581'],
    },
    {
      what: 'a fee for a microsecond of a month', // 1,000,000 ÷ 2,592,000,000,000
      fields: { pricing: at('1000000'), rated: fee('1') },
      part: '1/2592000000000',
      lines: ['charge 1 × 1000000 = 0'],
    },
    {
      what: 'a tiered fee, flat price and all', // (5 × 0.10 + 30) ÷ 2
      fields: { pricing: { model: 'graduated', properties: { tiers } }, rated: fee('5') },
      part: '1/2',
      lines: ['charge 5 × 3.05 = 15.25'],
    },
    {
      what: 'usage is its own measure',
      fields: { pricing: at('2'), rated: used('30') },
      part: '1/2',
      lines: ['charge 30 × 2 = 60'],
    },
    {
      what: 'counted usage too',
      fields: { pricing: at('2'), rated: used('30', 'COUNT') },
      part: '1/2',
      lines: ['charge 30 × 2 = 60'],
    },
    {
      what: 'packages too',
      fields: { pricing: { model: 'package', properties: { size: '100', price: '5' } }, rated: used('101') },
      part: '1/2',
      lines: ['charge 101 × 0.099009901 = 10'],
    },
    {
      what: 'included units are scaled',
      fields: { pricing: at('2', '100'), rated: used('60') },
      part: '1/2',
      lines: ['charge 60 × 2 = 20'],
    },
    {
      what: 'included units that do not end', // 100 ÷ 3 are free: (60 − 33.33…) × 3 = 80
      fields: { pricing: at('3', '100'), rated: used('60') },
      part: '1/3',
      lines: ['charge 60 × 3 = 80'],
    },
    {
      what: 'included units that do not end, down to half a cent', // (75 − 66.66…) × 0.003 = 8.33… × 0.003 = 0.025
      fields: { pricing: at('0.003', '100'), rated: used('75') },
      part: '2/3',
      lines: ['charge 75 × 0.003 = 0.03'],
    },
    {
      what: 'and to half a yen', // (75 − 66.66…) × 0.3 = 2.5
      fields: { pricing: at('0.3', '100'), rated: used('75'), currency: 'JPY' },
      part: '2/3',
      lines: ['charge 75 × 0.3 = 3'],
    },
    {
      what: 'flat prices that do not end, of all tiers together', // 3 × 0.005 ÷ 3 = 0.005
      fields: {
        pricing: {
          model: 'graduated',
          properties: { tiers: ['1', '2', null].map((upTo) => ({ upTo, unitPrice: '0', flatPrice: '0.005' })) },
        },
        rated: used('3'),
      },
      part: '1/3',
      lines: ['charge 3 × 0.003333333 = 0.01'], // 0.01 ÷ 3
    },
    {
      what: 'flat prices are scaled, tier bounds are not', // 1,000 × 0.10 + 15 + 500 × 0.05 + 7.5
      fields: { pricing: { model: 'graduated', properties: { tiers } }, rated: used('1500') },
      part: '1/2',
      lines: ['charge 1500 × 0.098333333 = 147.5'],
    },
    {
      what: 'the flat price of a volume tier', // 1,500 × 0.05 + 7.5
      fields: { pricing: { model: 'volume', properties: { tiers } }, rated: used('1500') },
      part: '1/2',
      lines: ['charge 1500 × 0.055 = 82.5'],
    },
    ...(['AVG', 'MIN', 'MAX', 'LATEST', 'UNIQUE_COUNT'] as const).map((aggregation) => ({
      what: `${aggregation}: the whole line, included units and all`, // (60 − 20) × 2 ÷ 2
      fields: { pricing: at('2', '20'), rated: used('60', aggregation) },
      part: '1/2',
      lines: ['charge 60 × 2 = 40'],
    })),
    {
      what: 'UNIQUE_COUNT with a flat price, scaled once', // (10 × 0.10 + 30) ÷ 2
      fields: { pricing: { model: 'graduated', properties: { tiers } }, rated: used('10', 'UNIQUE_COUNT') },
      part: '1/2',
      lines: ['charge 10 × 1.55 = 15.5'],
    },
    {
      what: 'the minimum is scaled', // 100 × 10/30 = 33.33, of which 20 are used
      fields: { pricing: at('2'), rated: used('10'), minimumAmount: decimal('100') },
      part: '10/30',
      lines: ['charge 10 × 2 = 20', 'minimum 1 × 13.33 = 13.33'],
    },
    {
      what: 'the minimum of a scaled fee', // 30 ÷ 3 = 10 to 100 ÷ 3
      fields: { pricing: at('30'), rated: fee('1'), minimumAmount: decimal('100') },
      part: '1/3',
      lines: ['charge 1 × 30 = 10', 'minimum 1 × 23.33 = 23.33'],
    },
    {
      what: 'the maximum is scaled',
      fields: { pricing: at('2'), rated: used('30'), maximumAmount: decimal('100') },
      part: '1/2',
      lines: ['charge 30 × 2 = 60', 'maximum 1 × -10 = -10'],
    },
    {
      what: 'the minimum in yen', // 1,000 × 10/31 = 322.58
      fields: { pricing: at('2'), rated: used('0'), minimumAmount: decimal('1000'), currency: 'JPY' },
      part: '10/31',
      lines: ['charge 0 × 2 = 0', 'minimum 1 × 323 = 323'],
    },
  ])('$what', ({ fields, part, lines }) => {
    expect(shown(price({ ...fields, fraction: fraction(part) }).lines)).toEqual(lines);
  });

  it('the tiers of a scaled line still sum to its exact price', () => {
    const [line] = price({
      pricing: { model: 'graduated', properties: { tiers } },
      rated: fee('1500'),
      fraction: fraction('1/3'),
    }).lines as [RatedLine];
    const total = sum((line.tiers ?? []).map((tier) => tier.amount));
    expect(total.minus(line.exactPrice).abs().lt('1e-60')).toBe(true);
    expect(plain(line.totalPrice)).toBe('56.67'); // (100 + 30 + 25 + 15) ÷ 3
  });
});

describe('lines', () => {
  it('of usage are `usage`, of fees `fee`, of minimums `fee`, of maximums and grants `discount`', () => {
    const usage = { ...used('30'), grants: decimal('1') } as Rated;
    const low = price({ pricing: at('2'), rated: usage, minimumAmount: decimal('100') });
    const high = price({ pricing: at('2'), rated: fee('80'), maximumAmount: decimal('100') });
    expect([...low.lines, ...high.lines].map(({ kind, eventType }) => `${kind}: ${eventType}`)).toEqual([
      'charge: usage',
      'grants: discount',
      'minimum: fee',
      'charge: fee',
      'maximum: discount',
    ]);
    expect(low.lines.every((line) => line.lineItemType === 'charge')).toBe(true);
  });

  it.each<{ pricing: Pricing; quantity: string; unitPrice: string }>([
    { pricing: { model: 'graduated', properties: { tiers } }, quantity: '0', unitPrice: '0.1' }, // the first tier's
    { pricing: { model: 'volume', properties: { tiers } }, quantity: '0', unitPrice: '0.1' },
    { pricing: { model: 'package', properties: { size: '3', price: '1' } }, quantity: '0', unitPrice: '0.333333333' },
    { pricing: { model: 'graduated', properties: { tiers } }, quantity: '3', unitPrice: '10.1' }, // 30.30 ÷ 3
    // 6 ÷ 7
    { pricing: { model: 'package', properties: { size: '3', price: '2' } }, quantity: '7', unitPrice: '0.857142857' },
    {
      pricing: { model: 'volume', properties: { tiers: [{ upTo: null, unitPrice: '0.004' }] } },
      quantity: '3',
      unitPrice: '0.003333333',
    }, // 0.01 ÷ 3
  ])('$quantity units by $pricing.model show the unit price $unitPrice', ({ pricing, quantity, unitPrice }) => {
    expect(plain((price({ pricing, rated: used(quantity) }).lines[0] as RatedLine).unitPrice)).toBe(unitPrice);
  });

  it('say how many of their units the price includes', () => {
    const includedOf = (quantity: string) =>
      price({ pricing: at('2', '100'), rated: used(quantity) }).lines.map((line) => plain(line.includedUnits));
    expect([includedOf('30'), includedOf('100'), includedOf('250')]).toEqual([['30'], ['100'], ['100']]);
  });

  it('say nothing of included units where the price has none, or nothing was used', () => {
    const workingsOf = (pricing: Pricing, quantity: string) =>
      price({ pricing, rated: used(quantity) }).lines.map(({ workings }) => workings?.included);
    expect([workingsOf(at('2'), '30'), workingsOf(at('2', '100'), '0')]).toEqual([[undefined], [undefined]]);
    expect(workingsOf(at('2', '100'), '30')).toEqual([{ units: '30', allowance: '100' }]);
  });

  it('count only the groups that the filters let through', () => {
    const groups = ['eu', 'us', 'eu', null].map(
      (region): UsageGroup => ({
        group: { region },
        quantity: decimal('10'),
        eventCount: 1n,
      }),
    );
    const rated: Rated = { kind: 'usage', aggregation: 'SUM', groups, groupFilters: { region: ['eu'] } };
    expect(shown(price({ pricing: at('2'), rated }).lines)).toEqual(['charge 20 × 2 = 40']);
  });
});

describe('the limits of a price', () => {
  it.each([
    { minimum: null, maximum: null, fields: [] },
    { minimum: '0', maximum: '0', fields: [] },
    { minimum: '-0', maximum: null, fields: [] },
    { minimum: '10', maximum: '10.00', fields: [] },
    { minimum: '10.01', maximum: '10', fields: ['minimumAmount'] },
    { minimum: '-1', maximum: null, fields: ['minimumAmount'] },
    { minimum: null, maximum: '-0.01', fields: ['maximumAmount'] },
  ])('$minimum to $maximum have faults in $fields', ({ minimum, maximum, fields }) => {
    const read = (text: string | null) => (text === null ? null : decimal(text));
    expect(checkLimits(read(minimum), read(maximum)).map((error) => error.field)).toEqual(fields);
  });
});

const amount = fc.integer({ min: 0, max: 10 ** 9 }).map((units) => plain(decimal(units).div(10 ** 6)));
const quantity = fc
  .tuple(fc.bigInt({ min: 0n, max: 10n ** 12n }), fc.integer({ min: 0, max: 9 }))
  .map(([digits, places]) => plain(decimal(digits).div(10 ** places)));
const bound = fc.integer({ min: 1, max: 100_000 }).map(String);
const included = fc.option(fc.integer({ min: 0, max: 1000 }).map(String), { nil: undefined });
const withIncluded = <T extends object>(properties: T, includedUnits: string | undefined) =>
  includedUnits === undefined ? properties : { ...properties, includedUnits };
const twoTiers = fc.tuple(bound, amount, amount, amount, amount).map(([upTo, a, b, c, d]) => [
  { upTo, unitPrice: a, flatPrice: b },
  { upTo: null, unitPrice: c, flatPrice: d },
]);
const pricing: fc.Arbitrary<Pricing> = fc.oneof(
  fc
    .tuple(amount, included)
    .map(([unitPrice, units]): Pricing => ({ model: 'standard', properties: withIncluded({ unitPrice }, units) })),
  fc
    .tuple(twoTiers, included)
    .map(([list, units]): Pricing => ({ model: 'graduated', properties: withIncluded({ tiers: list }, units) })),
  fc
    .tuple(twoTiers, included)
    .map(([list, units]): Pricing => ({ model: 'volume', properties: withIncluded({ tiers: list }, units) })),
  fc
    .tuple(bound, amount, included)
    .map(
      ([size, cost, units]): Pricing => ({ model: 'package', properties: withIncluded({ size, price: cost }, units) }),
    ),
);
const part = fc
  .tuple(fc.bigInt({ min: 1n, max: 10n ** 13n }), fc.bigInt({ min: 1n, max: 10n ** 13n }))
  .map(([a, b]): Fraction => (a <= b ? { numerator: a, denominator: b } : { numerator: b, denominator: a }));
const limit = fc.option(amount.map(decimal), { nil: null });
const anyPrice: fc.Arbitrary<PriceInPeriod> = fc.record({
  pricing,
  currency: fc.constantFrom(...currencyCodes),
  rated: fc.oneof(
    quantity.map(fee),
    fc.tuple(fc.array(quantity, { maxLength: 8 }), quantity).map(
      ([list, grants]): Rated => ({
        kind: 'usage',
        aggregation: 'SUM',
        groups: list.map((text, n) => ({ group: { n: String(n) }, quantity: decimal(text), eventCount: 1n })),
        grants: decimal(grants),
      }),
    ),
    fc
      .tuple(quantity, fc.constantFrom<Aggregation>('AVG', 'MAX', 'UNIQUE_COUNT'))
      .map(([text, how]) => used(text, how)),
  ),
  fraction: part,
  minimumAmount: limit,
  maximumAmount: limit,
});

describe('what always holds', () => {
  it('the lines sum to the total, to the last minor unit of the currency', () => {
    fc.assert(
      fc.property(anyPrice, (input) => {
        const { lines, total } = ratePrice(input);
        expect(sum(lines.map((line) => line.totalPrice)).eq(total)).toBe(true);
        for (const { totalPrice } of lines)
          expect(totalPrice.decimalPlaces()).toBeLessThanOrEqual(minorDigits(input.currency));
      }),
    );
  });

  it('the charge is its exact price rounded once, and its tiers sum to that exact price', () => {
    fc.assert(
      fc.property(anyPrice, (input) => {
        const [charge] = ratePrice(input).lines as [RatedLine];
        expect(charge.totalPrice.eq(roundTo(charge.exactPrice, input.currency, 'half-away-from-zero'))).toBe(true);
        if (charge.tiers)
          expect(
            sum(charge.tiers.map((tier) => tier.amount))
              .minus(charge.exactPrice)
              .abs()
              .lt('1e-40'),
          ).toBe(true);
      }),
    );
  });

  it('the total lies between the scaled limits; where they cross, the minimum holds', () => {
    fc.assert(
      fc.property(anyPrice, (input) => {
        const { total } = ratePrice(input);
        const { numerator, denominator } = input.fraction as Fraction;
        const scaled = (limitAmount: typeof total) =>
          roundTo(limitAmount.times(String(numerator)).div(String(denominator)), input.currency, 'half-away-from-zero');
        if (input.minimumAmount) expect(total.gte(scaled(input.minimumAmount))).toBe(true);
        const crossed = input.minimumAmount && input.maximumAmount && input.minimumAmount.gt(input.maximumAmount);
        if (input.maximumAmount && !crossed) expect(total.lte(scaled(input.maximumAmount))).toBe(true);
      }),
    );
  });

  it('no grant makes a price dearer, except over the cliffs of volume', () => {
    fc.assert(
      fc.property(
        anyPrice.filter((input) => input.pricing.model !== 'volume' && input.rated.kind === 'usage'),
        (input) => {
          const without = ratePrice({ ...input, rated: { ...input.rated, grants: decimal(0) } as Rated });
          expect(ratePrice(input).total.lte(without.total)).toBe(true);
        },
      ),
    );
  });

  it('the two parts of a split fee differ from the whole by a minor unit at most', () => {
    fc.assert(
      fc.property(
        pricing,
        quantity,
        part,
        fc.constantFrom('JPY', 'USD', 'KWD', 'CLF'),
        (model, text, cut, currency) => {
          const remainder = { numerator: cut.denominator - cut.numerator, denominator: cut.denominator };
          const totalOf = (share?: Fraction) =>
            ratePrice({ pricing: model, currency, rated: fee(text), ...(share ? { fraction: share } : {}) }).total;
          const off = totalOf(cut).plus(totalOf(remainder)).minus(totalOf()).abs();
          expect(off.lte(decimal(1).div(10 ** minorDigits(currency)))).toBe(true);
        },
      ),
    );
  });

  it('the order of groups changes nothing', () => {
    fc.assert(
      fc.property(anyPrice, (input) => {
        if (input.rated.kind === 'fee') return;
        const turned = ratePrice({ ...input, rated: { ...input.rated, groups: input.rated.groups.toReversed() } });
        expect(shown(turned.lines)).toEqual(shown(ratePrice(input).lines));
      }),
    );
  });
});
