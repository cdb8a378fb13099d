import { describe, expect, it } from 'vitest';
import { decimal } from '../../kernel/decimal.ts';
import { unitCostAt, unitCostsIn } from './unit-cost.ts';

const at = (day: number) => Temporal.Instant.from(`2026-03-${String(day).padStart(2, '0')}T00:00:00Z`);
const costs = {
  unitCost: decimal('3'),
  earlierUnitCosts: [
    { until: at(5).toString(), unitCost: '1' },
    { until: at(10).toString(), unitCost: '2' },
  ],
  deletedAt: null,
};
const read = (
  of: typeof costs | (Omit<typeof costs, 'deletedAt'> & { deletedAt: Temporal.Instant }),
  from: number,
  to: number,
) =>
  unitCostsIn(of, at(from), at(to)).map((span) => [
    ...[span.from, span.to].map((each) => each.toZonedDateTimeISO('UTC').day),
    span.unitCost.toNumber(),
  ]);

describe('the unit costs of a time', () => {
  it.each([
    { from: 1, to: 5, spans: [[1, 5, 1]] },
    {
      from: 1,
      to: 6,
      spans: [
        [1, 5, 1],
        [5, 6, 2],
      ],
    },
    {
      from: 1,
      to: 20,
      spans: [
        [1, 5, 1],
        [5, 10, 2],
        [10, 20, 3],
      ],
    },
    { from: 5, to: 10, spans: [[5, 10, 2]] },
    { from: 10, to: 11, spans: [[10, 11, 3]] },
  ])('from $from to $to are $spans', ({ from, to, spans }) => expect(read(costs, from, to)).toEqual(spans));

  it.each([
    {
      deleted: 12,
      spans: [
        [4, 5, 1],
        [5, 10, 2],
        [10, 12, 3],
      ],
    },
    {
      deleted: 7,
      spans: [
        [4, 5, 1],
        [5, 7, 2],
      ],
    },
    { deleted: 4, spans: [] },
  ])('end with a deletion on day $deleted', ({ deleted, spans }) =>
    expect(read({ ...costs, deletedAt: at(deleted) }, 4, 20)).toEqual(spans),
  );

  it.each([
    [4, 1],
    [5, 2],
    [9, 2],
    [10, 3],
  ])('is on day %i: %i', (day, unitCost) => expect(unitCostAt(costs, at(day)).toNumber()).toBe(unitCost));
});
