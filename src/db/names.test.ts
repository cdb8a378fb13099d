import { describe, expect, it } from 'vitest';
import { columnOf, columnsOf, fieldOf, rowsOf } from './names.ts';

describe('columns and fields', () => {
  it.each([
    { column: 'id', field: 'id' },
    { column: 'period_start', field: 'periodStart' },
    { column: 'card_last4', field: 'cardLast4' },
    { column: 'from_plan_version_id', field: 'fromPlanVersionId' },
  ])('$column is $field, and back', ({ column, field }) => {
    expect(fieldOf(column)).toBe(field);
    expect(fieldOf(field)).toBe(field);
    expect(columnOf(field)).toBe(column);
  });

  it('change in a record, but not in its values', () => {
    expect(columnsOf({ merchantId: 'org_1', oneOff: { unitPrice: '1' } })).toEqual({
      merchant_id: 'org_1',
      one_off: { unitPrice: '1' },
    });
  });

  it('make rows of the values of columns, each for itself', () => {
    const names = ['id', 'unitPrice'];
    expect(
      rowsOf(names, [
        ['a', null],
        ['b', 1],
      ]),
    ).toEqual([
      { id: 'a', unitPrice: null },
      { id: 'b', unitPrice: 1 },
    ]);
    expect(rowsOf(names, [['c', 2]])).toEqual([{ id: 'c', unitPrice: 2 }]);
    expect(rowsOf(names, [])).toEqual([]);
  });
});
