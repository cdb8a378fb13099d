import { describe, expect, it } from 'vitest';
import { decimal, plain } from '../../kernel/decimal.ts';
import { type Aggregation, filterGroups, isAdditive, totalEvents, totalQuantity, type UsageGroup } from './usage.ts';

const usage = (region: string | null, model: string, quantity: string): UsageGroup => ({
  group: { region, model },
  quantity: decimal(quantity),
  eventCount: 2n,
});

const groups = [
  usage('eu', 'large', '1'),
  usage('eu', 'small', '10'),
  usage('us', 'large', '100'),
  usage(null, 'large', '1000'),
];

describe('the filters of a price', () => {
  it.each([
    { filters: {}, total: '1111' },
    { filters: { region: ['eu'] }, total: '11' },
    { filters: { region: ['eu', 'us'] }, total: '111' }, // a missing region is in no list
    { filters: { model: ['large'] }, total: '1101' },
    { filters: { region: ['eu'], model: ['large'] }, total: '1' },
    { filters: { region: ['EU'] }, total: '0' },
    { filters: { region: [] }, total: '0' },
    { filters: { region: ['asia'] }, total: '0' },
  ])('$filters let $total units through', ({ filters, total }) => {
    expect(plain(totalQuantity(filterGroups(groups, filters), 'SUM'))).toBe(total);
  });

  it('are refused for a dimension by which the usage is not grouped', () => {
    expect(() => filterGroups(groups, { colour: ['red'] })).toThrow(RangeError);
  });
});

describe('the quantity of all groups', () => {
  it.each([
    { quantities: [], total: '0' },
    { quantities: ['-5'], total: '0' }, // below 0 counts as 0
    { quantities: ['-5', '3'], total: '0' },
    { quantities: ['-5', '8'], total: '3' }, // a correction takes from its sum
    { quantities: Array.from({ length: 10 }, () => '0.1'), total: '1' },
  ])('of $quantities is $total', ({ quantities, total }) => {
    const list = quantities.map((quantity) => usage('eu', 'large', quantity));
    expect(plain(totalQuantity(list, 'SUM'))).toBe(total);
    expect(totalEvents(list)).toBe(BigInt(2 * quantities.length));
  });

  it.each<{ aggregation: Aggregation; additive: boolean; overGroups?: boolean }>([
    { aggregation: 'SUM', additive: true },
    { aggregation: 'COUNT', additive: true },
    { aggregation: 'AVG', additive: false },
    { aggregation: 'MIN', additive: false },
    { aggregation: 'MAX', additive: false },
    { aggregation: 'UNIQUE_COUNT', additive: false },
    { aggregation: 'LATEST', additive: false, overGroups: true }, // three seats here and four there
  ])('the $aggregation of parts adds up: $additive', ({ aggregation, additive, overGroups = additive }) => {
    expect(isAdditive(aggregation)).toBe(additive);
    expect(plain(totalQuantity(groups.slice(0, 1), aggregation))).toBe('1');
    if (overGroups) expect(plain(totalQuantity(groups, aggregation))).toBe('1111');
    else expect(() => totalQuantity(groups.slice(0, 2), aggregation)).toThrow(RangeError);
  });
});
