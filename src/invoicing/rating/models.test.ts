import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { validate } from '../../http/validation.ts';
import { type Decimal, decimal, plain, sum } from '../../kernel/decimal.ts';
import { WHOLE } from '../../kernel/fraction.ts';
import { checkProperties, isPriceModel, type Pricing, priceModelNames, priceModels, rateModel } from './models.ts';
import { normaliseProperties } from './properties.ts';

const rate = (pricing: Pricing, quantity: Decimal, flatShare = WHOLE) =>
  rateModel(pricing, { quantity, eventCount: 0n, groups: [], flatShare })[0];
const amountOf = (pricing: Pricing, quantity: string) => plain(rate(pricing, decimal(quantity)).amount);

/** [upTo, unitPrice, flatPrice] of each tier. */
type TierRow = readonly [string | null, string, string?];
const tiersOf = (rows: readonly TierRow[]) =>
  rows.map(([upTo, unitPrice, flatPrice]) => ({ upTo, unitPrice, ...(flatPrice === undefined ? {} : { flatPrice }) }));
const graduated = (...rows: TierRow[]): Pricing => ({ model: 'graduated', properties: { tiers: tiersOf(rows) } });
const volume = (...rows: TierRow[]): Pricing => ({ model: 'volume', properties: { tiers: tiersOf(rows) } });
const standard = (unitPrice: string): Pricing => ({ model: 'standard', properties: { unitPrice } });
const cells = (...matches: Record<string, string>[]): Pricing => ({
  model: 'matrix',
  properties: {
    dimensions: ['a', 'b'],
    cells: matches.map((match) => ({ match, unitPrice: '1' })),
    default: '1',
  },
});
const packaged = (size: string, price: string): Pricing => ({ model: 'package', properties: { size, price } });

describe('standard', () => {
  it.each([
    { unitPrice: '0.000003', quantity: '18059974', amount: '54.179922' }, // the prompt tokens of the trace
    { unitPrice: '0.000015', quantity: '245896', amount: '3.68844' }, // and its generated tokens
    { unitPrice: '10', quantity: '0', amount: '0' },
    { unitPrice: '0', quantity: '1000000', amount: '0' },
    { unitPrice: '10', quantity: '0.000000001', amount: '0.00000001' }, // 10 × 1e-9
    { unitPrice: '0.000000001', quantity: '0.000000001', amount: '0.000000000000000001' },
    { unitPrice: '0.01', quantity: '1000000000000000', amount: '10000000000000' }, // 1e15 cents
    { unitPrice: '1', quantity: '9007199254740993', amount: '9007199254740993' }, // 2^53 + 1 keeps its last unit
    { unitPrice: '0.1', quantity: '3', amount: '0.3' }, // not 0.30000000000000004
    { unitPrice: '-0.5', quantity: '7', amount: '-3.5' }, // a rebate
    { unitPrice: '19.99', quantity: '12.5', amount: '249.875' },
  ])('$quantity × $unitPrice is $amount', ({ unitPrice, quantity, amount }) => {
    expect(amountOf(standard(unitPrice), quantity)).toBe(amount);
  });
});

describe('graduated', () => {
  const plainTiers = graduated(['1000', '0.10'], ['5000', '0.08'], [null, '0.05']);
  const withFlats = graduated(['10', '5', '100'], ['20', '4', '50'], [null, '3', '25']);
  const freeFirst = graduated(['1000', '0'], [null, '0.02']);

  it.each([
    { tiers: 'three tiers', pricing: plainTiers, quantity: '0', amount: '0' },
    { tiers: 'three tiers', pricing: plainTiers, quantity: '0.000000001', amount: '0.0000000001' }, // 1e-9 × 0.10
    { tiers: 'three tiers', pricing: plainTiers, quantity: '999', amount: '99.9' },
    { tiers: 'three tiers', pricing: plainTiers, quantity: '1000', amount: '100' }, // the 1000th unit is in the first
    // + 1e-9 × 0.08
    { tiers: 'three tiers', pricing: plainTiers, quantity: '1000.000000001', amount: '100.00000000008' },
    { tiers: 'three tiers', pricing: plainTiers, quantity: '1001', amount: '100.08' },
    { tiers: 'three tiers', pricing: plainTiers, quantity: '4999', amount: '419.92' }, // 100 + 3999 × 0.08
    { tiers: 'three tiers', pricing: plainTiers, quantity: '5000', amount: '420' }, // 100 + 4000 × 0.08
    { tiers: 'three tiers', pricing: plainTiers, quantity: '5001', amount: '420.05' },
    // 420 + 7345 × 0.05 = 420 + 367.25
    { tiers: 'three tiers', pricing: plainTiers, quantity: '12345', amount: '787.25' },
    // 420 + (1e15 − 5000) × 0.05
    { tiers: 'three tiers', pricing: plainTiers, quantity: '1000000000000000', amount: '50000000000170' },
    { tiers: 'flat prices', pricing: withFlats, quantity: '0', amount: '100' }, // the first tier is entered at 0
    { tiers: 'flat prices', pricing: withFlats, quantity: '1', amount: '105' },
    { tiers: 'flat prices', pricing: withFlats, quantity: '10', amount: '150' }, // 10 × 5 + 100; the second not entered
    { tiers: 'flat prices', pricing: withFlats, quantity: '10.5', amount: '202' }, // 150 + 0.5 × 4 + 50
    { tiers: 'flat prices', pricing: withFlats, quantity: '11', amount: '204' },
    { tiers: 'flat prices', pricing: withFlats, quantity: '20', amount: '240' }, // 150 + 10 × 4 + 50
    { tiers: 'flat prices', pricing: withFlats, quantity: '21', amount: '268' }, // 240 + 1 × 3 + 25
    { tiers: 'a free first tier', pricing: freeFirst, quantity: '1000', amount: '0' },
    { tiers: 'a free first tier', pricing: freeFirst, quantity: '1001', amount: '0.02' },
    { tiers: 'one open tier', pricing: graduated([null, '0.3', '1']), quantity: '10', amount: '4' },
    // 2.5 × 2 + 0.5
    { tiers: 'a bound between units', pricing: graduated(['2.5', '2'], [null, '1']), quantity: '3', amount: '5.5' },
  ])('$tiers: $quantity units are $amount', ({ pricing, quantity, amount }) => {
    expect(amountOf(pricing, quantity)).toBe(amount);
  });

  it('shows what each tier adds, and leaves out the tiers that are not entered', () => {
    const { tiers } = rate(withFlats, decimal('15'));
    expect(JSON.parse(JSON.stringify(tiers))).toEqual([
      { above: '0', upTo: '10', quantity: '10', unitPrice: '5', flatPrice: '100', amount: '150' },
      { above: '10', upTo: '20', quantity: '5', unitPrice: '4', flatPrice: '50', amount: '70' },
    ]);
  });

  it('scales flat prices with the part of the period, and neither bounds nor unit prices', () => {
    const half = { numerator: 1n, denominator: 2n };
    expect(plain(rate(withFlats, decimal('15'), half).amount)).toBe('145'); // 10 × 5 + 50 + 5 × 4 + 25
  });
});

describe('volume', () => {
  const cliffs = volume(['1000', '0.10'], ['5000', '0.08'], [null, '0.05']);
  const withFlats = volume(['10', '5', '100'], ['20', '4', '50'], [null, '3', '25']);

  it.each([
    { tiers: 'three tiers', pricing: cliffs, quantity: '0', amount: '0' },
    { tiers: 'three tiers', pricing: cliffs, quantity: '0.000000001', amount: '0.0000000001' },
    { tiers: 'three tiers', pricing: cliffs, quantity: '999', amount: '99.9' },
    { tiers: 'three tiers', pricing: cliffs, quantity: '1000', amount: '100' }, // still the first tier
    // over the cliff: all at 0.08
    { tiers: 'three tiers', pricing: cliffs, quantity: '1000.000000001', amount: '80.00000000008' },
    { tiers: 'three tiers', pricing: cliffs, quantity: '1001', amount: '80.08' },
    { tiers: 'three tiers', pricing: cliffs, quantity: '5000', amount: '400' },
    { tiers: 'three tiers', pricing: cliffs, quantity: '5001', amount: '250.05' }, // 5001 × 0.05
    { tiers: 'three tiers', pricing: cliffs, quantity: '1000000000000000', amount: '50000000000000' },
    { tiers: 'flat prices', pricing: withFlats, quantity: '0', amount: '100' },
    { tiers: 'flat prices', pricing: withFlats, quantity: '10', amount: '150' },
    // 11 × 4 + 50, without the first tier's flat
    { tiers: 'flat prices', pricing: withFlats, quantity: '11', amount: '94' },
    { tiers: 'flat prices', pricing: withFlats, quantity: '20', amount: '130' },
    { tiers: 'flat prices', pricing: withFlats, quantity: '21', amount: '88' }, // 21 × 3 + 25
    { tiers: 'one open tier', pricing: volume([null, '0.3']), quantity: '10', amount: '3' },
  ])('$tiers: $quantity units are $amount', ({ pricing, quantity, amount }) => {
    expect(amountOf(pricing, quantity)).toBe(amount);
  });

  it('shows the one tier that the quantity falls in', () => {
    expect(JSON.parse(JSON.stringify(rate(withFlats, decimal('15')).tiers))).toEqual([
      { above: '10', upTo: '20', quantity: '15', unitPrice: '4', flatPrice: '50', amount: '110' },
    ]);
  });

  it('scales the flat price with the part of the period', () => {
    const quarter = { numerator: 1n, denominator: 4n };
    expect(plain(rate(withFlats, decimal('15'), quarter).amount)).toBe('72.5'); // 15 × 4 + 12.5
  });
});

describe('package', () => {
  it.each([
    { size: '100', price: '5', quantity: '0', amount: '0' }, // no package has begun
    { size: '100', price: '5', quantity: '0.000000001', amount: '5' }, // one begun
    { size: '100', price: '5', quantity: '1', amount: '5' },
    { size: '100', price: '5', quantity: '99.999999999', amount: '5' },
    { size: '100', price: '5', quantity: '100', amount: '5' }, // exactly full
    { size: '100', price: '5', quantity: '100.000000001', amount: '10' },
    { size: '100', price: '5', quantity: '101', amount: '10' },
    { size: '100', price: '5', quantity: '200', amount: '10' },
    { size: '100', price: '5', quantity: '1000000000000000', amount: '50000000000000' }, // 1e13 packages
    { size: '100', price: '5', quantity: '1000000000000001', amount: '50000000000005' },
    { size: '0.1', price: '1', quantity: '0.3', amount: '3' }, // binary numbers would begin a fourth
    { size: '0.000000001', price: '0.01', quantity: '1', amount: '10000000' },
    { size: '3', price: '0.333', quantity: '10', amount: '1.332' }, // 4 × 0.333
    { size: '1', price: '0', quantity: '7', amount: '0' },
  ])('$quantity units in packages of $size for $price are $amount', ({ size, price, quantity, amount }) => {
    expect(amountOf(packaged(size, price), quantity)).toBe(amount);
  });
});

describe('percentage', () => {
  const card = { percentage: '0.029', fixed: '0.30' }; // 2.9 percent and 30 cents for each event
  const clamped = { percentage: '0.01', minCharge: '5', maxCharge: '50' };
  const events = (properties: object, quantity: string, eventCount: bigint): string =>
    plain(
      rateModel({ model: 'percentage', properties } as Pricing, {
        quantity: decimal(quantity),
        eventCount,
        groups: [],
        flatShare: WHOLE,
      })[0].amount,
    );

  it.each([
    { properties: card, quantity: '100', eventCount: 1n, amount: '3.2' }, // 2.90 + 0.30
    { properties: card, quantity: '100', eventCount: 4n, amount: '4.1' }, // 2.90 + 4 × 0.30
    { properties: card, quantity: '0', eventCount: 0n, amount: '0' },
    { properties: card, quantity: '0', eventCount: 2n, amount: '0.6' }, // events of no value are events
    { properties: card, quantity: '0.000000001', eventCount: 1n, amount: '0.300000000029' },
    // 1e15 × 0.029 + 0.30
    { properties: card, quantity: '1000000000000000', eventCount: 1n, amount: '29000000000000.3' },
    { properties: { percentage: '0' }, quantity: '100', eventCount: 9n, amount: '0' },
    { properties: { percentage: '1.5' }, quantity: '100', eventCount: 1n, amount: '150' }, // more than the whole
    { properties: clamped, quantity: '0', eventCount: 0n, amount: '5' }, // at least 5, at any usage
    { properties: clamped, quantity: '499.99', eventCount: 1n, amount: '5' }, // 4.9999
    { properties: clamped, quantity: '500', eventCount: 1n, amount: '5' },
    { properties: clamped, quantity: '500.01', eventCount: 1n, amount: '5.0001' },
    { properties: clamped, quantity: '5000', eventCount: 1n, amount: '50' },
    { properties: clamped, quantity: '5000.01', eventCount: 1n, amount: '50' }, // at most 50, once for all events
    // the fixed part is clamped too
    { properties: { ...card, maxCharge: '1' }, quantity: '100', eventCount: 4n, amount: '1' },
  ])('$quantity in $eventCount events is $amount with $properties', ({ properties, quantity, eventCount, amount }) => {
    expect(events(properties, quantity, eventCount)).toBe(amount);
  });
});

describe('dynamic', () => {
  it.each([
    { multiplier: undefined, quantity: '12.34', amount: '12.34' },
    { multiplier: '1.2', quantity: '10', amount: '12' },
    { multiplier: '0', quantity: '10', amount: '0' },
    { multiplier: '1.05', quantity: '0', amount: '0' },
    { multiplier: '0.001', quantity: '0.000000001', amount: '0.000000000001' },
    { multiplier: '1', quantity: '9007199254740993', amount: '9007199254740993' }, // 2^53 + 1
  ])('a summed value of $quantity times $multiplier is $amount', ({ multiplier, quantity, amount }) => {
    const properties = multiplier === undefined ? {} : { multiplier };
    expect(amountOf({ model: 'dynamic', properties }, quantity)).toBe(amount);
  });
});

describe('matrix', () => {
  const pricing: Pricing = {
    model: 'matrix',
    properties: {
      dimensions: ['region', 'tier'],
      cells: [
        { match: { region: 'eu' }, unitPrice: '2' },
        { match: { tier: 'gold' }, unitPrice: '3' },
        { match: { region: 'us', tier: 'gold' }, unitPrice: '5' },
      ],
      default: '1',
    },
  };
  type Used = readonly [region: string | null, tier: string | null, quantity: string];
  const lines = (used: readonly Used[], priced = pricing) =>
    rateModel(priced, {
      quantity: sum(used.map(([, , quantity]) => decimal(quantity))),
      eventCount: BigInt(used.length),
      groups: used.map(([region, tier, quantity]) => ({
        group: { region, tier },
        quantity: decimal(quantity),
        eventCount: 1n,
      })),
      flatShare: WHOLE,
    }).map((charge) => `${JSON.stringify(charge.group)} ${plain(charge.quantity)} = ${plain(charge.amount)}`);

  it.each<{ what: string; used: readonly Used[]; charges: string[] }>([
    { what: 'nothing', used: [], charges: ['{} 0 = 0'] },
    { what: 'the default', used: [['asia', 'silver', '4']], charges: ['{} 4 = 4'] },
    { what: 'a cell of one key', used: [['eu', 'silver', '4']], charges: ['{"region":"eu"} 4 = 8'] },
    {
      what: 'the first listed of two with as many keys',
      used: [['eu', 'gold', '4']],
      charges: ['{"region":"eu"} 4 = 8'],
    },
    {
      what: 'the cell with the most keys',
      used: [['us', 'gold', '4']],
      charges: ['{"region":"us","tier":"gold"} 4 = 20'],
    },
    { what: 'a missing value', used: [[null, 'gold', '4']], charges: ['{"tier":"gold"} 4 = 12'] },
    { what: 'both missing', used: [[null, null, '4']], charges: ['{} 4 = 4'] },
    { what: 'another spelling', used: [['EU', 'Gold', '4']], charges: ['{} 4 = 4'] },
    {
      what: 'no cell without usage',
      used: [
        ['eu', 'silver', '0'],
        ['asia', null, '4'],
      ],
      charges: ['{} 4 = 4'],
    },
    {
      what: 'several combinations of one cell on one line',
      used: [
        ['eu', 'silver', '1'],
        ['eu', null, '2'],
        ['eu', 'gold', '3'],
      ],
      charges: ['{"region":"eu"} 6 = 12'],
    },
    {
      what: 'all cells, in the order listed and the default last',
      used: [
        ['asia', null, '1'],
        ['us', 'gold', '1'],
        ['asia', 'gold', '1'],
        ['eu', 'gold', '1'],
      ],
      charges: ['{"region":"eu"} 1 = 2', '{"tier":"gold"} 1 = 3', '{"region":"us","tier":"gold"} 1 = 5', '{} 1 = 1'],
    },
    {
      what: 'a combination below 0 as 0, whatever the others are',
      used: [
        ['eu', 'gold', '-3'],
        ['us', 'gold', '2'],
      ],
      charges: ['{"region":"us","tier":"gold"} 2 = 10'],
    },
  ])('prices $what', ({ used, charges }) => {
    expect(lines(used)).toEqual(charges);
  });

  it('charges all that was used above 0, whatever the cells', () => {
    const value = fc.constantFrom('eu', 'us', 'asia', 'gold', 'silver', null);
    const used = fc.array(fc.tuple(value, value, fc.integer({ min: 0, max: 1000 }).map(String)), { maxLength: 20 });
    fc.assert(
      fc.property(used, (rows) => {
        const charges = rateModel(pricing, {
          quantity: sum(rows.map(([, , quantity]) => decimal(quantity))),
          eventCount: 0n,
          groups: rows.map(([region, tier, quantity]) => ({
            group: { region, tier },
            quantity: decimal(quantity),
            eventCount: 0n,
          })),
          flatShare: WHOLE,
        });
        expect(plain(sum(charges.map(({ quantity: of }) => of)))).toBe(plain(sum(rows.map(([, , of]) => decimal(of)))));
      }),
    );
  });
});

describe('the unit price of a line', () => {
  it.each([
    { pricing: standard('0.000003'), quantity: '5', unitPrice: '0.000003', first: '0.000003' },
    { pricing: standard('-2'), quantity: '0', unitPrice: '-2', first: '-2' },
    { pricing: graduated(['10', '5'], [null, '4']), quantity: '5', unitPrice: undefined, first: '5' },
    { pricing: volume(['10', '5'], [null, '4']), quantity: '15', unitPrice: undefined, first: '5' },
    { pricing: packaged('3', '1'), quantity: '15', unitPrice: undefined, first: '0.333333333' },
  ])('of $pricing.model is $unitPrice, at quantity 0 $first', ({ pricing, quantity, unitPrice, first }) => {
    const charge = rate(pricing, decimal(quantity));
    expect(charge.unitPrice?.toFixed()).toBe(unitPrice);
    expect(plain(charge.firstUnitPrice)).toBe(first);
  });
});

describe('the form of properties', () => {
  it.each<[keyof typeof priceModels, unknown]>([
    ['standard', { unitPrice: '0.000003' }],
    ['standard', { unitPrice: 0.5 }],
    ['standard', { unitPrice: JSON.rawJSON('0.10') }],
    ['standard', { unitPrice: '-1', includedUnits: '100' }],
    ['graduated', { tiers: [{ upTo: null, unitPrice: '1' }] }],
    [
      'graduated',
      {
        tiers: [
          { upTo: '10', unitPrice: '1', flatPrice: '5' },
          { upTo: null, unitPrice: 0 },
        ],
        includedUnits: 3,
      },
    ],
    [
      'volume',
      {
        tiers: [
          { upTo: 1000, unitPrice: '1' },
          { upTo: null, unitPrice: '1' },
        ],
      },
    ],
    ['package', { size: '100', price: '5' }],
    ['package', { size: 0.5, price: '0', includedUnits: '0' }],
    ['percentage', { percentage: '0.029' }],
    ['percentage', { percentage: 0.029, fixed: '0.30', minCharge: 0, maxCharge: '10', includedUnits: '100' }],
    ['dynamic', {}],
    ['dynamic', { multiplier: 1.2 }],
    ['matrix', { dimensions: ['region'], cells: [], default: '1' }],
    ['matrix', { dimensions: ['region'], cells: [{ match: { region: 'eu' }, unitPrice: 2 }], default: 0 }],
  ])('%s takes %j', (model, properties) => {
    expect(validate('body', priceModels[model].schema, properties)).toEqual([]);
  });

  it.each<[keyof typeof priceModels, unknown, string]>([
    ['standard', {}, 'unitPrice'],
    ['standard', { unitPrice: 'ten' }, 'unitPrice'],
    ['standard', { unitPrice: null }, 'unitPrice'],
    ['standard', { unitPrice: '1e3' }, 'unitPrice'],
    ['standard', { unitPrice: '1', tiers: [] }, 'tiers'],
    ['standard', { unitPrice: '1', includedUnits: '-1' }, 'includedUnits'],
    ['graduated', { unitPrice: '1' }, 'tiers'],
    ['graduated', { tiers: [] }, 'tiers'],
    ['graduated', { tiers: [{ upTo: null, unitPrice: '-1' }] }, 'tiers.0.unitPrice'],
    ['graduated', { tiers: [{ upTo: null, unitPrice: '1', flatPrice: '-5' }] }, 'tiers.0.flatPrice'],
    ['graduated', { tiers: [{ unitPrice: '1' }] }, 'tiers.0.upTo'],
    ['graduated', { tiers: [{ upTo: null }] }, 'tiers.0.unitPrice'],
    [
      'graduated',
      {
        tiers: [
          { upTo: '0', unitPrice: '1' },
          { upTo: null, unitPrice: '1' },
        ],
      },
      'tiers.0.upTo',
    ],
    ['volume', { tiers: [{ upTo: null, unitPrice: '1', price: '1' }] }, 'tiers.0.price'],
    ['volume', { tiers: Array.from({ length: 101 }, () => ({ upTo: null, unitPrice: '1' })) }, 'tiers'],
    ['package', { size: '0', price: '5' }, 'size'],
    ['package', { size: '-1', price: '5' }, 'size'],
    ['package', { size: '1', price: '-5' }, 'price'],
    ['package', { price: '5' }, 'size'],
    ['percentage', {}, 'percentage'],
    ['percentage', { percentage: '-0.01' }, 'percentage'],
    ['percentage', { percentage: '2.9%' }, 'percentage'],
    ['percentage', { percentage: '0.1', fixed: '-1' }, 'fixed'],
    ['dynamic', { multiplier: '-1' }, 'multiplier'],
    ['dynamic', { includedUnits: '5' }, 'includedUnits'],
    ['matrix', { cells: [], default: '1' }, 'dimensions'],
    ['matrix', { dimensions: [], cells: [], default: '1' }, 'dimensions'],
    ['matrix', { dimensions: ['a', 'a'], cells: [], default: '1' }, 'dimensions'],
    ['matrix', { dimensions: ['a'], cells: [] }, 'default'],
    ['matrix', { dimensions: ['a'], cells: [{ match: { a: 1 }, unitPrice: '1' }], default: '1' }, 'cells.0.match.a'],
    ['matrix', { dimensions: ['a'], cells: [{ match: { a: 'x' } }], default: '1' }, 'cells.0.unitPrice'],
    ['matrix', { dimensions: ['a'], cells: [], default: '1', includedUnits: '5' }, 'includedUnits'],
  ])('%s refuses %j for its %s', (model, properties, field) => {
    expect(validate('body', priceModels[model].schema, properties).map((error) => error.field)).toContain(field);
  });
});

describe('the sense of properties', () => {
  it.each<{ pricing: Pricing; fields: string[] }>([
    { pricing: standard('-1'), fields: [] },
    { pricing: packaged('1', '1'), fields: [] },
    { pricing: graduated([null, '1']), fields: [] },
    { pricing: graduated(['1', '1'], ['2', '1'], [null, '1']), fields: [] },
    { pricing: graduated(), fields: ['tiers'] },
    { pricing: graduated(['10', '1']), fields: ['tiers.0.upTo'] }, // the last is not open
    { pricing: graduated([null, '1'], [null, '1']), fields: ['tiers.0.upTo'] }, // open before the last
    { pricing: graduated(['10', '1'], ['10', '1'], [null, '1']), fields: ['tiers.1.upTo'] }, // an empty tier
    { pricing: graduated(['10', '1'], ['9.5', '1'], [null, '1']), fields: ['tiers.1.upTo'] }, // descending
    { pricing: volume(['10', '1'], ['10.0', '1'], [null, '1']), fields: ['tiers.1.upTo'] }, // equal as numbers
    { pricing: volume(['-1', '1'], [null, '1']), fields: ['tiers.0.upTo'] },
    // not open, and below
    { pricing: volume(['9', '1'], ['10', '1'], ['2', '1']), fields: ['tiers.2.upTo', 'tiers.2.upTo'] },
    { pricing: { model: 'percentage', properties: { percentage: '1', minCharge: '2', maxCharge: '2' } }, fields: [] },
    {
      pricing: { model: 'percentage', properties: { percentage: '1', minCharge: '10', maxCharge: '9' } },
      fields: ['minCharge'],
    },
    { pricing: cells({ a: 'x' }, { b: 'x' }, { a: 'x', b: 'x' }), fields: [] },
    { pricing: cells({ c: 'x' }), fields: ['cells.0.match.c'] }, // no dimension
    { pricing: cells({}), fields: ['cells.0.match'] }, // that is the default
    { pricing: cells({ a: 'x', b: 'y' }, { b: 'y', a: 'x' }), fields: ['cells.1.match'] }, // the same twice
  ])('$pricing has faults in $fields', ({ pricing, fields }) => {
    expect(checkProperties(pricing).map((error) => error.field)).toEqual(fields);
  });
});

describe('the table of models', () => {
  it('knows its names', () => {
    expect(priceModelNames).toEqual(['standard', 'graduated', 'volume', 'package', 'percentage', 'dynamic', 'matrix']);
    expect(isPriceModel('package')).toBe(true);
    expect(isPriceModel('toString')).toBe(false);
  });

  it('keeps every number of the properties as a decimal string', () => {
    expect(
      normaliseProperties({
        tiers: [
          { upTo: 10, unitPrice: JSON.rawJSON('0.1000000000000000000000001'), flatPrice: '5.00' },
          { upTo: null, unitPrice: 1e-7 },
        ],
        includedUnits: JSON.rawJSON('9007199254740993'),
      }),
    ).toEqual({
      tiers: [
        { upTo: '10', unitPrice: '0.1000000000000000000000001', flatPrice: '5.00' },
        { upTo: null, unitPrice: '0.0000001' },
      ],
      includedUnits: '9007199254740993',
    });
  });
});

const amount = fc.integer({ min: 0, max: 10 ** 9 }).map((units) => decimal(units).div(10 ** 6));
const quantity = fc
  .tuple(fc.bigInt({ min: 0n, max: 10n ** 15n }), fc.integer({ min: 0, max: 9 }))
  .map(([digits, places]) => decimal(digits).div(10 ** places));
const tierRows = fc
  .array(fc.tuple(fc.integer({ min: 1, max: 5000 }), amount, amount), { minLength: 1, maxLength: 6 })
  .map((rows) => {
    let bound = 0;
    return rows.map(([width, unitPrice, flatPrice], index): TierRow => {
      bound += width;
      return [index === rows.length - 1 ? null : String(bound), plain(unitPrice), plain(flatPrice)];
    });
  });
const anyPricing: fc.Arbitrary<Pricing> = fc.oneof(
  amount.map((price) => standard(plain(price))),
  tierRows.map((rows) => graduated(...rows)),
  fc.tuple(fc.integer({ min: 1, max: 1000 }), amount).map(([size, price]) => packaged(String(size), plain(price))),
);

describe('what always holds', () => {
  it('standard, graduated and package never cost less for more', () => {
    fc.assert(
      fc.property(anyPricing, quantity, quantity, (pricing, a, b) => {
        const [less, more] = a.lte(b) ? [a, b] : [b, a];
        expect(rate(pricing, less).amount.lte(rate(pricing, more).amount)).toBe(true);
      }),
    );
  });

  it('graduated is the sum of its tiers, which together hold all units and each no more than its width', () => {
    fc.assert(
      fc.property(tierRows, quantity, (rows, q) => {
        const charge = rate(graduated(...rows), q);
        const tiers = charge.tiers ?? [];
        expect(sum(tiers.map((tier) => tier.amount)).eq(charge.amount)).toBe(true);
        expect(sum(tiers.map((tier) => tier.quantity)).eq(q)).toBe(true);
        for (const tier of tiers) {
          expect(tier.quantity.isNegative()).toBe(false);
          if (tier.upTo) expect(tier.quantity.lte(tier.upTo.minus(tier.above))).toBe(true);
          expect(tier.quantity.times(tier.unitPrice).plus(tier.flatPrice).eq(tier.amount)).toBe(true);
        }
      }),
    );
  });

  it('graduated is the same when a tier is cut in two without a flat price', () => {
    fc.assert(
      fc.property(amount, fc.integer({ min: 1, max: 5000 }), quantity, (price, bound, q) => {
        const cut = graduated([String(bound), plain(price)], [null, plain(price)]);
        expect(rate(cut, q).amount.eq(rate(standard(plain(price)), q).amount)).toBe(true);
      }),
    );
  });

  it('volume costs what a standard price of its tier costs, plus the flat price', () => {
    fc.assert(
      fc.property(tierRows, quantity, (rows, q) => {
        const row = rows.find(([upTo]) => upTo === null || q.lte(upTo)) as TierRow;
        const expected = rate(standard(row[1]), q).amount.plus(row[2] ?? '0');
        expect(rate(volume(...rows), q).amount.eq(expected)).toBe(true);
      }),
    );
  });

  it('a package costs no less than its share of units, and less than one package more', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 1000 }), amount, quantity, (size, price, q) => {
        const cost = rate(packaged(String(size), plain(price)), q).amount;
        const share = q.times(price).div(size);
        expect(cost.gte(share.minus('1e-40'))).toBe(true);
        expect(cost.minus(share).lte(price)).toBe(true);
      }),
    );
  });
});
