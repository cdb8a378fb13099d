import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Decimal, decimal, plain, sum, ZERO } from '../../kernel/decimal.ts';
import { type Instant, isBefore } from '../../kernel/time.ts';
import { type CalculationInput, calculate } from '../calculation/calculate.ts';
import type { BilledUsage } from '../invoice/billed-usage.ts';
import { type BilledCharge, chargesOn, fractionUpTo } from '../owed/charges.ts';
import type { Pricing } from '../rating/index.ts';
import type { BilledPrice, BilledVersion } from '../terms/billing-terms.ts';
import { together } from './period-difference.ts';

/** The parts of a period that `closeNow` cut come to what it would have come to as one (domain.md §3, §4 row 2). */
const START = Temporal.Instant.from('2026-01-01T00:00:00Z');
const HOURS = 31 * 24;
const hour = (hours: number): Instant => START.add({ hours });

const priceOf = (pricing: Pricing, fields: Partial<BilledPrice> = {}, aggregation = 'SUM') =>
  ({
    ...{
      id: 'price',
      invoiceDisplayName: 'Calls',
      billingCadence: null,
      paymentTerm: 'in_arrears',
      pricing,
      fee: null,
    },
    ...{ metric: { id: 'metric', meter: { aggregation } }, minimumAmount: null, maximumAmount: null },
    ...fields,
  }) as unknown as BilledPrice;

/** Something used at an hour of January: all of it in one cell of a matrix. */
interface Use {
  readonly at: number;
  readonly quantity: string;
  readonly granted?: string;
  readonly cell?: string;
}

interface Month {
  readonly price: BilledPrice;
  readonly uses: readonly Use[];
  /** At which hours the period is cut. */
  readonly cuts: readonly number[];
  readonly startsAt?: number;
  /** Another version holds from then on: with the price, or without it. */
  readonly change?: { readonly at: number; readonly keeps: boolean; readonly proration: BilledVersion['proration'] };
  readonly currency?: string;
  readonly discounts?: readonly string[];
}

const versionsOf = ({ price, startsAt = 0, change }: Month) => {
  const version = { planId: 'plan', planTaxRate: null, minimumAmount: null, planCadence: 'P1M', anchors: {} };
  const first = { ...version, from: hour(startsAt), prices: [price], proration: 'second' as const };
  if (!change) return [first];
  const { at, keeps, proration } = change;
  return [first, { ...version, from: hour(at), prices: keeps ? [price] : [], proration }];
};

const usedIn = (charges: readonly BilledCharge[], uses: readonly Use[]): BilledUsage[] =>
  charges.flatMap(({ price: { id, pricing }, spans }) =>
    uses
      .filter(({ at }) => spans.some(({ start, end }) => !isBefore(hour(at), start) && isBefore(hour(at), end)))
      .map(({ quantity, granted = '0', cell = null }) => ({
        ...{ price_id: id, event_count: 1, quantity: decimal(quantity), granted: decimal(granted) },
        group_values: pricing.model === 'matrix' ? { region: cell } : {},
      })),
  );

const termsOf = (month: Month) => ({
  ...{ planCadence: 'P1M', prices: [month.price], versions: versionsOf(month) },
  bounds: { anchor: START, startedAt: hour(month.startsAt ?? 0), endsAt: null },
});

/** The parts of January. */
const partsOf = ({ cuts, startsAt = 0 }: Month) =>
  [...cuts, HOURS].map((end, index) => ({
    ...{ billing_cadence: 'P1M', period_number: 0, sequence_number: index + 1 },
    ...{ period_start: hour(index === 0 ? startsAt : (cuts[index - 1] as number)), period_end: hour(end) },
    continues_from: index === 0 ? null : hour(startsAt),
  }));

/** The invoices of January, one for each part. */
function billed(month: Month) {
  const { price, uses, currency = 'USD', discounts = [] } = month;
  let used: BilledUsage[] = [{ price_id: price.id, group_values: {}, ...NOTHING }];
  return partsOf(month).map((part, index) => {
    const charges = chargesOn(termsOf(month), part);
    const usage = together([], usedIn(charges, uses));
    const input: CalculationInput = {
      ...{ currency, charges, usage, taxBehavior: 'exclusive', taxRates: new Map() },
      ...(index > 0 && { earlier: { invoiceId: `part ${index + 1}`, used } }),
      adjustments: discounts.map((percentageDiscount, at) => ({ id: `${at}`, percentageDiscount, description: 'Off' })),
    };
    used = together(used, usage);
    return calculate(input);
  });
}
const NOTHING = { quantity: ZERO, event_count: 0, granted: ZERO };

/** What came late for all parts after they were billed, on one invoice. */
function billedLate(month: Month, late: readonly Use[]) {
  const { price, uses, currency = 'USD' } = month;
  const parts = partsOf(month).flatMap((part) => {
    const charge = chargesOn(termsOf(month), part).find(({ price: { id } }) => id === price.id);
    const fraction = fractionUpTo(termsOf(month), part, price, hour(HOURS));
    return charge && fraction ? [{ ...charge, fraction }] : [];
  });
  const before = parts.map((charge) => together([], usedIn([charge], uses)));
  const after = parts.map((charge) => together([], usedIn([charge], [...uses, ...late])));
  return calculate({
    ...{ currency, charges: [], usage: [], taxBehavior: 'exclusive', taxRates: new Map() },
    late: parts.map((charge, index) => ({
      ...{ ofInvoiceId: `part ${index + 1}`, charge },
      ...{ billed: before[index] as BilledUsage[], now: after[index] as BilledUsage[] },
      others: together([], [...after.slice(0, index), ...before.slice(index + 1)].flat()),
    })),
  });
}

type Part = ReturnType<typeof billed>[number];
/** What a part charges, with what it could not give back and the next invoice does. */
const amountOf = ({ subtotal, lateRests = [] }: Part): Decimal =>
  subtotal.plus(sum(lateRests.map(({ amount }) => decimal(amount))));
const unitsOf = ({ lines }: Part): Decimal =>
  sum(lines.filter(({ type }) => type === 'charge').map(({ quantity }) => quantity));

/** `model` and what belongs to it. */
const graduated: Pricing = {
  model: 'graduated',
  properties: {
    tiers: [
      { upTo: '10', unitPrice: '1' },
      { upTo: null, unitPrice: '0.5' },
    ],
  },
};
const volume: Pricing = {
  model: 'volume',
  properties: {
    tiers: [
      { upTo: '10', unitPrice: '2' },
      { upTo: null, unitPrice: '1' },
    ],
  },
};
const standard = (properties: { includedUnits?: string } = {}): Pricing => ({
  model: 'standard',
  properties: { unitPrice: '1', ...properties },
});
const HALF = HOURS / 2;
const MIN_20 = { minimumAmount: decimal('20') };
const MAX_20 = { maximumAmount: decimal('20') };

describe('a month that is cut in the middle', () => {
  it.each<{ what: string; price: BilledPrice; used: [string, string]; discounts?: string[]; parts: string[][] }>([
    {
      // 14 in all: 10 at 1 and 4 at 0.5 are 12
      what: 'goes on in the tier that the first half reached',
      price: priceOf(graduated),
      used: ['8', '6'],
      parts: [['charge 8 × 1 = 8'], ['charge 6 × 0.666666667 = 4']],
    },
    {
      what: 'of nothing more bears a line of nothing',
      price: priceOf(graduated),
      used: ['8', '0'],
      parts: [['charge 8 × 1 = 8'], ['charge 0 × 1 = 0']],
    },
    {
      // 8 at 2 are 16; 12 at 1 are 12, and 20 at 1 are 20
      what: 'bears the lower price of a volume for the units of the first half, too',
      price: priceOf(volume),
      used: ['8', '12'],
      parts: [['charge 8 × 2 = 16'], ['charge 12 × 0.333333333 = 4']],
    },
    {
      // 12 at 1 are 4 less than 16: the invoice is 0, and the next one gives 4 back
      what: 'does not lose what the lower price of a volume gives back',
      price: priceOf(volume),
      used: ['8', '4'],
      parts: [['charge 8 × 2 = 16'], ['charge 4 × -1 = 0', 'rest -4']],
    },
    {
      what: 'fills the package that the first half began',
      price: priceOf({ model: 'package', properties: { size: '100', price: '5' } }),
      used: ['30', '60'],
      parts: [['charge 30 × 0.166666667 = 5'], ['charge 60 × 0 = 0']],
    },
    {
      // half of the 10 come with the first half: 8 − 5 = 3; in all 9 − 10 is nothing, so 3 come back
      what: 'has all included units',
      price: priceOf(standard({ includedUnits: '10' })),
      used: ['8', '1'],
      parts: [['charge 8 × 1 = 3'], ['charge 1 × 1 = 0', 'rest -3']],
    },
    {
      // half of 20 is 10, of which 4 are used; 20 − 13 = 7, of which 6 were charged
      what: 'has one minimum',
      price: priceOf(standard(), MIN_20),
      used: ['4', '9'],
      parts: [
        ['charge 4 × 1 = 4', 'minimum 1 × 6 = 6'],
        ['charge 9 × 1 = 9', 'minimum 1 × 1 = 1'],
      ],
    },
    {
      // 32 in all: the 8 that the first half lacked are used by now
      what: 'gives back the minimum of the first half that is used',
      price: priceOf(standard(), MIN_20),
      used: ['2', '30'],
      parts: [
        ['charge 2 × 1 = 2', 'minimum 1 × 8 = 8'],
        ['charge 30 × 1 = 30', 'minimum 1 × -8 = -8'],
      ],
    },
    {
      // half of 20 is 10, so 20 of 30 were too many; in all 10 of 30 are
      what: 'has one maximum',
      price: priceOf(standard(), MAX_20),
      used: ['30', '0'],
      parts: [
        ['charge 30 × 1 = 30', 'maximum 1 × -20 = -20'],
        ['charge 0 × 1 = 0', 'maximum 1 × 10 = 10'],
      ],
    },
    {
      // 10 % of 10 and of 30 are less than the least charge of 5
      what: 'is charged the least of a percentage once',
      price: priceOf({ model: 'percentage', properties: { percentage: '0.1', minCharge: '5' } }),
      used: ['10', '20'],
      parts: [['charge 10 × 0.5 = 5'], ['charge 20 × 0 = 0']],
    },
    {
      what: 'has one flat price, a half in each part',
      price: priceOf({
        model: 'graduated',
        properties: { tiers: [{ upTo: null, unitPrice: '1', flatPrice: '10' }] },
      }),
      used: ['0', '2'],
      parts: [['charge 0 × 1 = 5'], ['charge 2 × 3.5 = 7']],
    },
    {
      // 10 − 4 = 6 units in all
      what: 'takes off what was taken back',
      price: priceOf(standard()),
      used: ['10', '-4'],
      parts: [['charge 10 × 1 = 10'], ['charge -4 × 1 = 0', 'rest -4']],
    },
    {
      // −4 counts as nothing, and 10 − 4 as 6
      what: 'counts what was taken back before it was used',
      price: priceOf(standard()),
      used: ['-4', '10'],
      parts: [['charge 0 × 1 = 0'], ['charge 6 × 1 = 6']],
    },
    {
      // 35 % of 12 are 4.20, of which 2.80 were taken
      what: 'has its discount on what it adds',
      price: priceOf(graduated),
      used: ['8', '6'],
      discounts: ['0.35'],
      parts: [
        ['charge 8 × 1 = 8', 'adjustment 1 × -2.8 = -2.8'],
        ['charge 6 × 0.666666667 = 4', 'adjustment 1 × -1.4 = -1.4'],
      ],
    },
    {
      // a fee is for time
      what: 'has half the fee',
      price: priceOf(
        { model: 'standard', properties: { unitPrice: '10' } },
        { metric: null, quantity: decimal('1'), fee: { id: 'fee', name: 'Fee', description: '', itemId: null } },
      ),
      used: ['0', '0'],
      parts: [['charge 1 × 10 = 5'], ['charge 1 × 10 = 5']],
    },
    {
      // a figure that does not add up holds for a time: 4 × 0.5 and 6 × 0.5
      what: 'has the maximum of each half for half the time',
      price: priceOf(standard(), {}, 'MAX'),
      used: ['4', '6'],
      parts: [['charge 4 × 1 = 2'], ['charge 6 × 1 = 3']],
    },
  ])('$what', ({ price, used: [first, second], discounts = [], parts }) => {
    const uses = [
      { at: 1, quantity: first },
      { at: HALF, quantity: second },
    ];
    const shown = billed({ price, uses, cuts: [HALF], discounts }).map(({ lines, lateRests = [] }) => [
      ...lines.map(
        ({ type, quantity, unit_price: unit, total_price: total }) =>
          `${type} ${plain(quantity)} × ${plain(unit)} = ${plain(total)}`,
      ),
      ...lateRests.map(({ amount }) => `rest ${amount}`),
    ]);
    expect(shown).toEqual(parts);
  });

  it('shows what each tier holds more than before, and what left it', () => {
    const tiersOf = (pricing: Pricing, second: string) =>
      billed({
        price: priceOf(pricing),
        uses: [
          { at: 1, quantity: '8' },
          { at: HALF, quantity: second },
        ],
        cuts: [HALF],
      })[1]?.lines[0]?.tiers?.map(({ above, quantity, unitPrice, amount }) => [above, quantity, unitPrice, amount]);
    expect(tiersOf(graduated, '6')).toEqual([
      ['0', '2', '1', '2'],
      ['10', '4', '0.5', '2'],
    ]);
    expect(tiersOf(volume, '12')).toEqual([
      ['0', '-8', '2', '-16'],
      ['10', '20', '1', '20'],
    ]);
  });

  it('has a line for each cell of a matrix that it adds to', () => {
    const pricing: Pricing = {
      model: 'matrix',
      properties: {
        dimensions: ['region'],
        cells: [
          { match: { region: 'eu' }, unitPrice: '2' },
          { match: { region: 'us' }, unitPrice: '3' },
        ],
        default: '1',
      },
    };
    const uses = [
      { at: 1, quantity: '4', cell: 'eu' },
      { at: 2, quantity: '5', cell: 'us' },
      { at: HALF, quantity: '6', cell: 'us' },
      { at: HALF, quantity: '7', cell: 'asia' },
    ];
    const shown = billed({ price: priceOf(pricing), uses, cuts: [HALF] }).map(({ lines }) =>
      lines.map(({ group_values: group, total_price: total }) => `${group?.region ?? 'else'} ${plain(total)}`),
    );
    expect(shown).toEqual([
      ['eu 8', 'us 15'],
      ['us 18', 'else 7'],
    ]);
  });
});

const decimals = (most: number, digits: number, least = 0) =>
  fc.integer({ min: least * 10 ** digits, max: most * 10 ** digits }).map((n) => (n / 10 ** digits).toFixed(digits));
const includedUnits = fc.option(decimals(40, 1), { nil: undefined });
const withIncluded = <Properties extends object>(properties: fc.Arbitrary<Properties>) =>
  fc
    .tuple(properties, includedUnits)
    .map(([some, included]) => ({ ...some, ...(included !== undefined && { includedUnits: included }) }));
const tiers = fc
  .tuple(
    fc.uniqueArray(fc.integer({ min: 1, max: 80 }), { maxLength: 3 }),
    fc.array(fc.tuple(decimals(3, 4), decimals(9, 2)), { minLength: 4, maxLength: 4 }),
  )
  .map(([bounds, prices]) => ({
    tiers: [...bounds.toSorted((a, b) => a - b).map(String), null].map((upTo, index) => {
      const [unitPrice, flatPrice] = prices[index] as [string, string];
      return { upTo, unitPrice, flatPrice };
    }),
  }));
const pricing: fc.Arbitrary<Pricing> = fc.oneof(
  withIncluded(fc.record({ unitPrice: decimals(5, 4) })).map((properties) => ({
    model: 'standard' as const,
    properties,
  })),
  withIncluded(tiers).map((properties) => ({ model: 'graduated' as const, properties })),
  withIncluded(tiers).map((properties) => ({ model: 'volume' as const, properties })),
  withIncluded(fc.record({ size: decimals(30, 1, 1), price: decimals(9, 3) })).map((properties) => ({
    ...{ model: 'package' as const, properties },
  })),
  withIncluded(
    fc.record({
      percentage: decimals(1, 4),
      fixed: decimals(1, 2),
      minCharge: decimals(9, 2),
      maxCharge: fc.constant('30'),
    }),
  ).map((properties) => ({ model: 'percentage' as const, properties })),
  fc.record({ multiplier: decimals(3, 3) }).map((properties) => ({ model: 'dynamic' as const, properties })),
  fc.tuple(decimals(3, 4), decimals(3, 4)).map(([unitPrice, other]) => ({
    model: 'matrix' as const,
    properties: { dimensions: ['region'], cells: [{ match: { region: 'eu' }, unitPrice }], default: other },
  })),
);
const even = fc.integer({ min: 1, max: HOURS / 2 - 1 }).map((n) => 2 * n);
const uses: fc.Arbitrary<Use[]> = fc.array(
  fc.record({
    at: fc.integer({ min: 0, max: HOURS - 1 }),
    quantity: fc.oneof(
      { arbitrary: decimals(40, 2), weight: 5 },
      { arbitrary: decimals(10, 2).map((text) => `-${text}`), weight: 1 },
    ),
    granted: fc.constantFrom('0', '0', '5'),
    cell: fc.constantFrom('eu', 'us'),
  }),
  { maxLength: 8 },
);
/** A price that goes without proration has all that its period still has: where that is cut later, all of its part. */
const isLost = ({ keeps, proration }: NonNullable<Month['change']>) => !keeps && proration === 'none';
const month: fc.Arbitrary<Month> = fc
  .record({
    pricing,
    limits: fc.constantFrom({}, MIN_20, MAX_20, { minimumAmount: decimal('12.345'), maximumAmount: decimal('30') }),
    uses,
    cuts: fc.uniqueArray(even, { maxLength: 4 }),
    startsAt: fc.constantFrom(0, 0, 100),
    // Never at a cut: a change at the very start of a part takes all of it
    change: fc.option(
      fc.record({
        at: even.map((hours) => hours + 1),
        keeps: fc.boolean(),
        proration: fc.constantFrom<BilledVersion['proration']>('second', 'day', 'none'),
      }),
      { nil: undefined },
    ),
    currency: fc.constantFrom('USD', 'JPY', 'KWD'),
    discounts: fc.constantFrom([], [], ['0.35'], ['0.1', '0.35'], ['1']),
  })
  .map(({ pricing: of, limits, cuts, startsAt, change, ...rest }) => ({
    ...rest,
    price: priceOf(of, limits),
    startsAt,
    cuts: cuts.filter((at) => at > startsAt && !(change && isLost(change) && at > change.at)).toSorted((a, b) => a - b),
    ...(change && change.at > startsAt && { change }),
  }));

const RUNS = Number(process.env.PROPERTY_RUNS ?? 400);

describe('a month that is cut anywhere, as often as anybody likes', () => {
  it('comes to what it would have come to as one, to the minor unit', { timeout: 60_000 + RUNS * 20 }, () => {
    fc.assert(
      fc.property(month, (each) => {
        const [whole] = billed({ ...each, cuts: [] });
        const parts = billed(each);
        expect(plain(sum(parts.map(amountOf)))).toBe(plain(amountOf(whole as Part)));
        expect(plain(sum(parts.map(unitsOf)))).toBe(plain(unitsOf(whole as Part)));
      }),
      { numRuns: RUNS },
    );
  });

  it('does so with what comes late for its parts, where no discount holds', { timeout: 60_000 + RUNS * 20 }, () => {
    fc.assert(
      fc.property(month, uses, (some, late) => {
        const each = { ...some, discounts: [] };
        const [whole] = billed({ ...each, cuts: [], uses: [...each.uses, ...late] });
        const parts = [...billed(each), billedLate(each, late)];
        expect(plain(sum(parts.map(amountOf)))).toBe(plain(amountOf(whole as Part)));
      }),
      { numRuns: RUNS },
    );
  });
});
