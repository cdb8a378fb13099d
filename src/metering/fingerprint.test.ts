import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseExactJson } from '../db/index.ts';
import { canonicalJson } from '../http/index.ts';
import { contentPrint, keyHash } from './fingerprint.ts';

describe('a key', () => {
  it('is another one in another namespace, and is a UUID for every key', () => {
    expect(keyHash('org_a', 'k')).toMatch(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/);
    expect(new Set([keyHash('org_a', 'k'), keyHash('org_b', 'k'), keyHash('org_a', 'K')]).size).toBe(3);
  });

  it('of one source is another one than the same key of another source, or of the whole namespace', () =>
    expect(new Set([keyHash('org_a', 'k'), keyHash('org_a', 'k', 's'), keyHash('org_a', 'k', 't')]).size).toBe(3));

  it('cannot be made from another namespace by moving the border between the two', () =>
    expect(keyHash('org_a', 'b","c')).not.toBe(keyHash('org_a","b', 'c')));
});

describe('the content', () => {
  it.each([
    { a: '{"x":1,"y":{"b":2,"c":3}}', b: '{"y":{"c":3,"b":2},"x":1}', same: true },
    { a: '{"x":9007199254740993}', b: '{"x":9007199254740993}', same: true },
    { a: '{"x":9007199254740993}', b: '{"x":9007199254740992}', same: false },
    { a: '{"x":1}', b: '{"x":"1"}', same: false },
    { a: '{"x":[1,2]}', b: '{"x":[2,1]}', same: false },
    { a: '{"x":null}', b: '{}', same: false },
  ])('$a and $b are the same: $same', ({ a, b, same }) =>
    expect(contentPrint(parseExactJson(a)) === contentPrint(parseExactJson(b))).toBe(same),
  );

  it('is the same whatever the order of the keys, at every depth', () => {
    const reversed = (value: unknown): unknown => {
      if (Array.isArray(value)) return value.map(reversed);
      if (typeof value !== 'object' || value === null) return value;
      return Object.fromEntries(
        Object.entries(value)
          .toReversed()
          .map(([key, part]) => [key, reversed(part)]),
      );
    };
    fc.assert(
      fc.property(fc.jsonValue(), fc.jsonValue(), (a, b) => {
        expect(contentPrint(reversed(a))).toBe(contentPrint(a));
        expect(contentPrint(a) === contentPrint(b)).toBe(canonicalJson(a) === canonicalJson(b));
      }),
    );
  });
});
