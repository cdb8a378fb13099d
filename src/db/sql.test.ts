import { describe, expect, it } from 'vitest';
import { Decimal } from '../kernel/decimal.ts';
import { allOf, assignments, column, compile, sql } from './sql.ts';

describe('a statement', () => {
  it('has its values as parameters, in the order of their places', () => {
    const byId = (id: string, at: Temporal.Instant) => sql`select * from invoice where id = ${id} and at < ${at}`;
    const text = 'select * from invoice where id = $1 and at < $2';
    const [first, second] = ['2026-01-01T00:00:00Z', '2026-02-01T00:00:00Z'];
    expect(compile(byId('a', Temporal.Instant.from(first)))).toEqual({ text, values: ['a', first] });
    expect(compile(byId('b', Temporal.Instant.from(second)))).toEqual({ text, values: ['b', second] });
  });

  it('numbers the values of its parts in their order', () => {
    const part = sql`b = ${2}`;
    expect(compile(sql`select ${1} where ${part} and c = ${3} or ${part}`)).toEqual({
      text: 'select $1 where b = $2 and c = $3 or b = $4',
      values: [1, 2, 3, 2],
    });
  });

  it('may have a part where it had a value before', () => {
    const equals = (value: unknown) => sql`a = ${value}`;
    expect(compile(equals('x')).text).toBe('a = $1');
    expect(compile(equals(sql`now()`)).text).toBe('a = now()');
    expect(compile(equals('y')).text).toBe('a = $1');
  });

  it('has no text from a value', () => {
    const value = `'; drop table invoice; --`;
    expect(compile(sql`select ${value}`)).toEqual({ text: 'select $1', values: [value] });
  });

  it('writes decimals and big integers out, and has null where nothing is given', () => {
    const values = [new Decimal('0.10'), 12n, undefined, [new Decimal(1), null]];
    expect(compile(sql.join(values))).toEqual({ text: '$1, $2, $3, $4', values: ['0.1', '12', null, ['1', null]] });
  });
});

describe('parts of a statement', () => {
  it.each([
    { what: 'a column', part: sql.ref('period_start'), text: '"period_start"' },
    { what: 'a column of a table', part: sql.ref('t.seq'), text: '"t"."seq"' },
    { what: 'a name with a quote', part: sql.table('a"b'), text: '"a""b"' },
    { what: 'the column of a field', part: column('periodStart', 'i'), text: '"i"."period_start"' },
    { what: 'a number', part: sql.lit(3), text: '3' },
    { what: 'text', part: sql.raw('desc nulls last'), text: 'desc nulls last' },
    { what: 'an empty list', part: sql.join([]), text: '' },
    { what: 'a list of parts', part: sql.join([sql`a`, sql`b`, sql`c`]), text: 'a, b, c' },
    { what: 'a list with another separator', part: sql.join([sql`a`, sql`b`], sql` or `), text: 'a or b' },
    { what: 'no condition', part: allOf([undefined, false]), text: 'true' },
  ])('$what', ({ part, text }) => expect(compile(part)).toEqual({ text, values: [] }));

  it('numbers the values of a separator each time', () => {
    expect(compile(sql.join(['a', 'b', 'c'], sql` || ${'-'} || `))).toEqual({
      text: '$1 || $2 || $3 || $4 || $5',
      values: ['a', '-', 'b', '-', 'c'],
    });
  });

  it('sets the fields that are present', () => {
    expect(compile(assignments({ unitPrice: '1', endsAt: null, name: undefined }))).toEqual({
      text: '"unit_price" = $1, "ends_at" = $2',
      values: ['1', null],
    });
  });
});
