import { describe, expect, it } from 'vitest';
import { fieldChanges } from './field-changes.ts';

describe('fieldChanges', () => {
  it.each([
    ['equal things', { a: 1, b: { c: [1] } }, { b: { c: [1] }, a: 1 }, []],
    ['a field in a field', { a: { b: 1, c: 2 } }, { a: { b: 3, c: 2 } }, [{ path: 'a.b', before: 1, after: 3 }]],
    ['a list as a whole', { a: [1] }, { a: [1, 2] }, [{ path: 'a', before: [1], after: [1, 2] }]],
    ['a new thing', null, { id: 'x' }, [{ path: 'id', before: undefined, after: 'x' }]],
    ['a thing that is gone', { id: 'x' }, null, [{ path: 'id', before: 'x', after: undefined }]],
    ['an object for null', { a: null }, { a: { b: 1 } }, [{ path: 'a.b', before: undefined, after: 1 }]],
    ['the time of the change', { updatedAt: 1 }, { updatedAt: 2 }, []],
  ])('of %s', (_name, before, after, expected) => {
    expect(fieldChanges(before, after)).toEqual(expected);
  });
});
