import { describe, expect, it } from 'vitest';
import { decimal, ZERO } from '../kernel/decimal.ts';
import { groupParts, isTaken, type UnbilledPart } from './unbilled.ts';

const part = (fields: Partial<UnbilledPart>): UnbilledPart => ({
  reason: 'NOT_PRICED',
  metricId: 'bm_a',
  eventType: 'call',
  group: null,
  eventCount: 1,
  quantity: decimal('2'),
  ...fields,
});

describe('a price takes usage', () => {
  it.each([
    { filters: [null], group: {}, taken: true },
    { filters: [{ region: ['eu', 'us'] }], group: { region: 'us' }, taken: true },
    { filters: [{ region: ['eu', 'us'] }], group: { region: 'asia' }, taken: false },
    { filters: [{ region: ['eu', ''] }], group: { region: null }, taken: false },
    { filters: [{ region: ['eu'] }], group: {}, taken: false },
    { filters: [{ region: ['eu'], tier: ['1'] }], group: { region: 'eu', tier: '2' }, taken: false },
    { filters: [{ region: ['eu'] }, { tier: ['2'] }], group: { region: 'us', tier: '2' }, taken: true },
    { filters: [], group: {}, taken: false },
  ])('$group under $filters: $taken', ({ filters, group, taken }) =>
    expect(isTaken(filters as never, group as never)).toBe(taken),
  );
});

describe('parts as lines of a report', () => {
  const parts = [
    part({ eventCount: 1 }),
    part({ reason: 'GROUP_FILTERED', group: { region: 'asia' }, eventCount: 5 }),
    part({ reason: 'GROUP_FILTERED', group: { region: 'mars' }, eventCount: 2 }),
    part({ metricId: 'bm_b', eventCount: 3, quantity: null }),
    part({ reason: 'UNKNOWN_TYPE', metricId: null, eventType: 'x', eventCount: 4, quantity: null }),
  ];
  const shown = (by: ('reason' | 'metric')[]) =>
    groupParts(parts, by).map(({ reason, metricId, eventCount, quantity }) => [
      reason,
      metricId,
      eventCount,
      quantity?.toFixed() ?? null,
    ]);

  it('are the parts themselves by reason and metric, the most events first', () =>
    expect(shown(['reason', 'metric'])).toEqual([
      ['GROUP_FILTERED', 'bm_a', 5, '2'],
      ['UNKNOWN_TYPE', null, 4, null],
      ['NOT_PRICED', 'bm_b', 3, null],
      ['GROUP_FILTERED', 'bm_a', 2, '2'],
      ['NOT_PRICED', 'bm_a', 1, '2'],
    ]));

  it('add quantities of one metric alone', () => {
    expect(shown(['metric'])).toEqual([
      [null, 'bm_a', 8, '6'],
      ['UNKNOWN_TYPE', null, 4, null],
      ['NOT_PRICED', 'bm_b', 3, null],
    ]);
    expect(shown(['reason'])).toEqual([
      ['GROUP_FILTERED', 'bm_a', 7, '4'],
      ['NOT_PRICED', null, 4, null],
      ['UNKNOWN_TYPE', null, 4, null],
    ]);
  });

  it('are none where there is nothing', () => {
    expect(groupParts([], ['reason'])).toEqual([]);
    expect(ZERO.isZero()).toBe(true);
  });
});
