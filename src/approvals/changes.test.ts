import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { changesBetween } from './changes.ts';

const line = (id: string, fields: Record<string, unknown> = {}) => ({ id, description: `Line ${id}`, ...fields });
const said = (before: unknown, after: unknown) => changesBetween(before, after).map(({ path, text }) => [path, text]);

describe('the differences between two contents', () => {
  it.each<[string, unknown, unknown, [string, string][]]>([
    ['none', { a: '1' }, { a: '1' }, []],
    ['a field', { totalAmount: '1' }, { totalAmount: '2' }, [['totalAmount', 'Total amount changed from 1 to 2.']]],
    ['a field that is null', { type: null }, { type: 'renewal' }, [['type', 'Type changed from nothing to renewal.']]],
    ['a field that is absent is null', { type: null }, {}, []],
    ['a truth', { taxExempt: true }, { taxExempt: false }, [['taxExempt', 'Tax exempt changed from true to false.']]],
    [
      'a line that is put before others',
      { lineItems: [line('a')] },
      { lineItems: [line('b'), line('a')] },
      [['lineItems[b]', 'Line item “Line b” was added.']],
    ],
    [
      'a line that is gone',
      { lineItems: [line('a'), line('b')] },
      { lineItems: [line('b')] },
      [['lineItems[a]', 'Line item “Line a” was removed.']],
    ],
    ['lines in another order', { lineItems: [line('a'), line('b')] }, { lineItems: [line('b'), line('a')] }, []],
    [
      'a field deep inside',
      { billingSchedules: [{ id: 's', intervals: [{ id: 'i', unitPrice: '1' }] }] },
      { billingSchedules: [{ id: 's', intervals: [{ id: 'i', unitPrice: '2' }] }] },
      [['billingSchedules[s].intervals[i].unitPrice', 'Interval “i”: unit price changed from 1 to 2.']],
    ],
    ['a list without keys', { days: [1, 2] }, { days: [1, 3] }, [['days', 'Days changed from [1,2] to [1,3].']]],
  ])('%s', (_, before, after, expected) => {
    expect(said(before, after)).toEqual(expected);
  });

  it('are none between a content and itself, and some between two that differ', () => {
    const content = fc.record({
      total: fc.string(),
      term: fc.option(fc.string(), { nil: null }),
      lines: fc.uniqueArray(fc.record({ id: fc.string({ minLength: 1 }), price: fc.string() }), {
        selector: ({ id }) => id,
      }),
    });
    fc.assert(
      fc.property(content, content, (a, b) => {
        expect(changesBetween(a, structuredClone(a))).toEqual([]);
        const sorted = ({ lines, ...rest }: typeof a) =>
          JSON.stringify({ ...rest, lines: lines.toSorted((x, y) => (x.id < y.id ? -1 : 1)) });
        expect(changesBetween(a, b).length > 0).toBe(sorted(a) !== sorted(b));
      }),
    );
  });
});
