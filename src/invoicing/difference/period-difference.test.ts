import { expect, it } from 'vitest';
import { decimal, plain } from '../../kernel/decimal.ts';
import { type Pricing, ratePrice } from '../rating/index.ts';
import type { BilledSoFar } from './billed.ts';
import { differenceOf } from './period-difference.ts';

const GRADUATED: Pricing = {
  model: 'graduated',
  properties: {
    tiers: [
      { upTo: '100', unitPrice: '1', flatPrice: '5' },
      { upTo: null, unitPrice: '0.5' },
    ],
  },
};
const VOLUME: Pricing = {
  model: 'volume',
  properties: {
    tiers: [
      { upTo: '100', unitPrice: '1' },
      { upTo: null, unitPrice: '0.5' },
    ],
  },
};
const CELLS = ['eu', 'us', 'jp'].map((region) => ({ match: { region }, unitPrice: '2' }));
const MATRIX: Pricing = { model: 'matrix', properties: { dimensions: ['region'], cells: CELLS, default: '2' } };
const PACKAGE: Pricing = { model: 'package', properties: { size: '100', price: '9' } };

type Used = Readonly<Record<string, string>>;
const rated = (pricing: Pricing, used: Used, grants = '0') =>
  ratePrice({
    pricing,
    currency: 'USD',
    rated: {
      ...{ kind: 'usage', aggregation: 'SUM', grants: decimal(grants) },
      groups: Object.entries(used).map(([region, quantity]) => ({
        group: region === '' ? {} : { region },
        ...{ quantity: decimal(quantity), eventCount: 1n },
      })),
    },
  }).lines;

/** The bill of so much usage. */
const billed = (pricing: Pricing, used: Used, grants = '0'): BilledSoFar => ({
  charges: rated(pricing, used, grants)
    .filter(({ kind }) => kind === 'charge')
    .map(({ group, quantity, totalPrice, tiers }) => ({
      ...{ group: group ?? {}, quantity, amount: totalPrice },
      tiers:
        tiers?.map(({ above, upTo, ...tier }) => ({
          ...{ above: plain(above), upTo: upTo === null ? null : plain(upTo), quantity: plain(tier.quantity) },
          ...{ unitPrice: plain(tier.unitPrice), flatPrice: plain(tier.flatPrice), amount: plain(tier.amount) },
        })) ?? null,
    })),
  ...{ discount: decimal('0'), coupons: {}, maximum: decimal('0'), minimum: decimal('0'), granted: decimal(grants) },
});

it.each<{ what: string; pricing: Pricing; before: Used; now: Used; grants?: [string, string]; lines: string[] }>([
  {
    what: 'more units in the same tier',
    pricing: GRADUATED,
    before: { '': '40' },
    now: { '': '60' },
    lines: ['20 for 20'],
  },
  {
    what: 'units of two tiers, the flat price once',
    pricing: GRADUATED,
    before: { '': '90' },
    now: { '': '110' },
    lines: ['20 for 15'],
  },
  {
    what: 'all units get cheaper: less than was billed',
    pricing: VOLUME,
    before: { '': '100' },
    now: { '': '120' },
    lines: ['20 for -40'],
  },
  {
    what: 'within a package that was begun',
    pricing: PACKAGE,
    before: { '': '101' },
    now: { '': '199' },
    lines: ['98 for 0'],
  },
  {
    what: 'usage that was taken back',
    pricing: GRADUATED,
    before: { '': '110' },
    now: { '': '90' },
    lines: ['-20 for -15'],
  },
  {
    what: 'nothing new: the line stays, so that the invoice names the charge',
    pricing: GRADUATED,
    before: { '': '9' },
    now: { '': '9' },
    lines: ['0 for 0'],
  },
  {
    what: 'cell by cell, without those of which nothing is new',
    pricing: MATRIX,
    before: { eu: '3', us: '1' },
    now: { eu: '5', us: '1', jp: '1' },
    lines: ['eu 2 for 4', 'jp 1 for 2'],
  },
  {
    what: 'a cell that is gone is taken off',
    pricing: MATRIX,
    before: { eu: '3', us: '1' },
    now: { eu: '3' },
    lines: ['us -1 for -2'],
  },
  {
    what: 'grants cover more of it',
    pricing: PACKAGE,
    before: { '': '150' },
    now: { '': '150' },
    grants: ['0', '100'],
    lines: ['-100 for -9', 'grants 100'],
  },
])('$what', ({ pricing, before, now, grants = ['0', '0'], lines }) => {
  const found = differenceOf(rated(pricing, now, grants[1]), billed(pricing, before, grants[0]));
  expect(
    found.map(({ kind, group, quantity, totalPrice }) =>
      kind === 'grants'
        ? `grants ${plain(quantity)}`
        : `${group?.region ? `${group.region} ` : ''}${plain(quantity)} for ${plain(totalPrice)}`,
    ),
  ).toEqual(lines);
});

it('says of each tier what it holds more', () => {
  const [line] = differenceOf(rated(GRADUATED, { '': '130' }), billed(GRADUATED, { '': '90' }));
  expect(line?.tiers?.map(({ above, quantity, amount }) => [above, quantity, amount].map(plain))).toEqual([
    ['0', '10', '10'],
    ['100', '30', '15'],
  ]);
});

it('leaves figures that do not add up what they are', () => {
  const [line] = differenceOf(rated(GRADUATED, { '': '60' }), billed(GRADUATED, { '': '40' }), false);
  expect([line?.quantity, line?.totalPrice].map((each) => plain(each ?? decimal('0')))).toEqual(['60', '20']);
});
