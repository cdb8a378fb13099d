import { describe, expect, it } from 'vitest';
import { Decimal } from '../kernel/decimal.ts';
import { insertion, withJsonb } from './insertion.ts';
import { assignments, compile, jsonb, type Sql, sql } from './sql.ts';

const textOf = (record: object) => compile(insertion('fee', record)).text;

describe('an insert of a record', () => {
  it('has a column for each field, and the values as parameters', () => {
    const at = Temporal.Instant.from('2026-01-01T00:00:00Z');
    const content = Buffer.from('x');
    const record = {
      merchantId: 'a',
      amount: new Decimal('0.10'),
      createdAt: at,
      content,
      tags: ['x', 'y'],
      endsAt: null,
    };
    expect(compile(insertion('fee', record))).toEqual({
      text:
        'insert into "fee" ("amount", "content", "created_at", "ends_at", "merchant_id", "tags") ' +
        'values ($1, $2, $3, $4, $5, $6)',
      values: ['0.1', content, '2026-01-01T00:00:00Z', null, 'a', ['x', 'y']],
    });
  });

  it('has a marked value as jsonb, and parts of a statement as they are', () => {
    const record = { id: 'a', metadata: jsonb({ b: [1] }), seq: sql`nextval('s')`, tax: jsonb([]) };
    expect(compile(insertion('fee', record))).toEqual({
      text: `insert into "fee" ("id", "metadata", "seq", "tax") values ($1, $2::jsonb, nextval('s'), $3::jsonb)`,
      values: ['a', '{"b":[1]}', '[]'],
    });
  });

  it('leaves out what is undefined', () => {
    expect(textOf({ id: 'a', name: undefined })).toBe('insert into "fee" ("id") values ($1)');
    expect(textOf({ id: 'a', name: null })).toBe('insert into "fee" ("id", "name") values ($1, $2)');
  });

  it('has the same text for the same fields, whatever their order', () => {
    expect(textOf({ name: 'n', id: 'a' })).toBe(textOf({ id: 'b', name: null }));
    expect(compile(insertion('fee', { name: 'n', id: 'a' })).values).toEqual(['a', 'n']);
  });

  it('is a part that others follow', () => {
    const statement = sql`${insertion('fee', { id: 'a' })} on conflict do nothing returning ${sql`id`}, ${1}`;
    expect(compile(statement)).toEqual({
      text: 'insert into "fee" ("id") values ($1) on conflict do nothing returning id, $2',
      values: ['a', 1],
    });
  });

  it('has no text from a name with a quote', () => {
    expect(textOf({ 'a"b': 1 })).toBe('insert into "fee" ("a""b") values ($1)');
  });
});

describe('an insert with a list of columns', () => {
  const list = sql`merchant_id, id,
    clock_id as test_clock_id, name`;

  it('has these columns in their order, and no other field', () => {
    const record = { name: 'n', id: 'a', testClockId: 'c', merchantId: 'm', archivedAt: null };
    expect(compile(insertion('fee', record, list))).toEqual({
      text: 'insert into "fee" ("merchant_id", "id", "clock_id", "name") values ($1, $2, $3, $4)',
      values: ['m', 'a', 'c', 'n'],
    });
  });

  it('is not mistaken for one without a list, or with another', () => {
    const record = { id: 'a', clockId: 'c' };
    const textWith = (columns?: Sql) => compile(insertion('fee', record, columns)).text;
    expect(textWith(sql`id, test_clock as clock_id`)).toBe('insert into "fee" ("id", "test_clock") values ($1, $2)');
    expect(textWith()).toBe('insert into "fee" ("clock_id", "id") values ($1, $2)');
    expect(textWith(sql`id, clock_id`)).toBe('insert into "fee" ("id", "clock_id") values ($1, $2)');
  });

  it('leaves out what is undefined', () => {
    expect(compile(insertion('fee', { id: 'a', name: undefined, merchantId: 'm' }, list))).toEqual({
      text: 'insert into "fee" ("merchant_id", "id") values ($1, $2)',
      values: ['m', 'a'],
    });
  });

  it.each(['id, count(*) as total', 'id, (select 1) as one', 'f.id', 'id, *'])(
    'refuses what is computed: %s',
    (text) => {
      expect(() => insertion('fee', { id: 'a' }, sql.raw(text))).toThrow('is not a column');
    },
  );

  it('may be made of a shorter one', () => {
    const longer = sql`${sql`merchant_id, id`}, archived_at`;
    expect(compile(insertion('fee', { id: 'a', merchantId: 'm', archivedAt: null }, longer)).values).toEqual([
      'm',
      'a',
      null,
    ]);
  });
});

describe('a record with fields as jsonb', () => {
  interface Stored {
    id: string;
    metadata: object | null;
    rates?: readonly string[] | undefined;
  }
  const marked = (record: Stored) => withJsonb(record, 'metadata', 'rates');

  it('has them marked for an insert and an update', () => {
    const record = marked({ id: 'a', metadata: { b: 1 }, rates: ['x'] });
    expect(compile(insertion('fee', record))).toEqual({
      text: 'insert into "fee" ("id", "metadata", "rates") values ($1, $2::jsonb, $3::jsonb)',
      values: ['a', '{"b":1}', '["x"]'],
    });
    expect(compile(assignments({ ...record })).text).toBe('"id" = $1, "metadata" = $2::jsonb, "rates" = $3::jsonb');
  });

  it('leaves null and what is absent', () => {
    expect(compile(insertion('fee', marked({ id: 'a', metadata: null, rates: undefined })))).toEqual({
      text: 'insert into "fee" ("id", "metadata") values ($1, $2)',
      values: ['a', null],
    });
  });
});
