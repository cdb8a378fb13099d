import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { EntitlementTemplate } from '../catalog/prices/template.ts';
import { DecimalText, FreeMap, MapOf, Metadata, Nullable, OneOf, Strict, Type, validate } from './index.ts';
import { dropNulls, takesNull } from './nulls.ts';

const Part = Strict({
  needed: Type.String(),
  needsNull: Nullable(Type.String()),
  free: Type.Optional(Type.String()),
  clears: Type.Optional(Nullable(Type.String())),
});
const Thing = Strict({
  name: Type.String(),
  upTo: Nullable(Type.String()),
  count: Type.Optional(Type.Integer({ default: 7 })),
  word: Type.Optional(OneOf(['a', 'b'])),
  price: Type.Optional(DecimalText({ accept: 'both' })),
  limit: Type.Optional(Nullable(Type.Integer())),
  part: Type.Optional(Part),
  parts: Type.Optional(Type.Array(Part)),
  shapes: Type.Optional(
    Type.Array(
      Type.Union([
        Strict({ kind: Type.Literal('circle'), radius: Nullable(Type.Integer()) }),
        Strict({ kind: Type.Literal('square'), radius: Type.Optional(Type.Integer()) }),
      ]),
    ),
  ),
  byName: Type.Optional(MapOf(Type.String(), Type.Optional(Part))),
  metadata: Type.Optional(Metadata),
  data: Type.Optional(FreeMap()),
});

const part = { needed: 'x', needsNull: null };
const remaining = (value: unknown, absent: 'optional' | 'not nullable' = 'optional') => {
  const copy = structuredClone(value);
  dropNulls(Thing, copy, absent);
  return copy;
};

describe('null is absent', () => {
  it.each([
    { field: 'count', words: 'of an integer' },
    { field: 'word', words: 'of a word' },
    { field: 'price', words: 'of a decimal' },
    { field: 'limit', words: 'of a nullable field' },
    { field: 'part', words: 'of an object' },
    { field: 'parts', words: 'of a list' },
    { field: 'metadata', words: 'of a map' },
    { field: 'data', words: 'of free content' },
  ])('for an optional field $words', ({ field }) =>
    expect(remaining({ name: 'n', [field]: null })).toEqual({ name: 'n' }),
  );

  it('in nested objects, lists and values of a map', () => {
    const sent = { ...part, free: null, clears: null };
    expect(remaining({ part: sent, parts: [sent, sent], byName: { a: sent } })).toEqual({
      part,
      parts: [part, part],
      byName: { a: part },
    });
  });

  it('for the branch of a union that is meant', () => {
    const shapes = [
      { kind: 'circle', radius: null },
      { kind: 'square', radius: null },
    ];
    expect(remaining({ shapes })).toEqual({ shapes: [{ kind: 'circle', radius: null }, { kind: 'square' }] });
  });

  it('for the case of a condition that is meant', () => {
    const template = { type: 'metered', usagePeriod: { interval: 'P1M', anchor: null }, resetMaxRollover: null };
    expect(validate('body', EntitlementTemplate, template)).toEqual([]);
    expect(template).toEqual({ type: 'metered', usagePeriod: { interval: 'P1M' } });
    const other = { type: 'boolean', resetMaxRollover: null };
    expect(validate('body', EntitlementTemplate, other).map(({ field }) => field)).toEqual(['resetMaxRollover']);
  });

  it('so that the default is filled in', () => {
    const sent = { name: 'n', upTo: null, count: null };
    expect(validate('body', Thing, sent)).toEqual([]);
    expect(sent).toEqual({ name: 'n', upTo: null, count: 7 });
  });
});

describe('null stays', () => {
  it.each([
    { value: { name: null }, words: 'where the field is required' },
    { value: { upTo: null }, words: 'where null is a value of a required field' },
    { value: { surprise: null }, words: 'where there is no such field' },
    { value: { metadata: { a: null } }, words: 'in metadata' },
    { value: { data: { a: null, b: { c: [null] } } }, words: 'in free content' },
    { value: { byName: { a: null } }, words: 'as a value of a map' },
    { value: { parts: [null] }, words: 'in a list' },
    { value: { count: JSON.rawJSON('12345678901234567890') }, words: 'out of exact numbers' },
  ])('$words', ({ value }) => {
    const { count } = value as { count?: unknown };
    const sent = count === undefined ? structuredClone(value) : value;
    dropNulls(Thing, sent, 'optional');
    expect(sent).toEqual(value);
  });

  it('in a PATCH where the field is nullable, so that it is cleared', () => {
    const sent = { count: null, limit: null, part: { ...part, free: null, clears: null } };
    expect(remaining(sent, 'not nullable')).toEqual({ limit: null, part: { ...part, clears: null } });
  });

  it('as an error of a required field', () =>
    expect(validate('body', Thing, { name: null, upTo: null })).toEqual([
      { field: 'name', message: 'must be a string' },
    ]));
});

it('says which schemas take null', () => {
  const taking = [Nullable(Type.String()), Type.Null(), Type.Unknown(), { const: null }, { enum: [null] }];
  expect(taking.filter((schema) => !takesNull(schema))).toEqual([]);
  const refusing = [Type.String(), OneOf(['a']), DecimalText({ accept: 'both' }), Metadata, Type.Literal('a')];
  expect(refusing.filter(takesNull)).toEqual([]);
});

it('changes nothing in what has no null, and nothing a second time', () => {
  const words = fc.constantFrom('name', 'count', 'part', 'parts', 'byName', 'data', 'limit', 'needed', 'free');
  const { tree } = fc.letrec((tie) => ({
    tree: fc.oneof(
      { maxDepth: 4 },
      fc.constantFrom(null, 'x', 1),
      fc.array(tie('tree'), { maxLength: 3 }),
      fc.dictionary(words, tie('tree'), { maxKeys: 4 }),
    ),
  }));
  const withoutNull = (value: unknown): unknown => JSON.parse(JSON.stringify(value).replaceAll('null', '"x"'));
  fc.assert(
    fc.property(tree, (value) => {
      const full = withoutNull(value);
      expect(remaining(full)).toEqual(full);
      expect(remaining(remaining(value))).toEqual(remaining(value));
    }),
  );
});
