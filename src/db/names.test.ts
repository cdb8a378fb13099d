import { describe, expect, it } from 'vitest';
import { columnOf, columnsOf, fieldOf, rowOf } from './names.ts';

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

  it('make a row of the values of columns', () => {
    expect(rowOf(['id', 'unitPrice'], ['a', null])).toEqual({ id: 'a', unitPrice: null });
  });
});
