import { describe, expect, it } from 'vitest';
import { fail, forbidden, invalid, invalidField, notFound, ok, orThrow, RefusalError } from './result.ts';

describe('results', () => {
  it('hand out their value', () => {
    expect(ok(7)).toEqual({ ok: true, value: 7 });
    expect(orThrow(ok('seven'))).toBe('seven');
  });

  it.each([
    { made: fail('INVALID_TRANSITION'), refusal: { kind: 'code', code: 'INVALID_TRANSITION' } },
    {
      made: fail('INVALID_TRANSITION', { a: 1 }, 'Said.'),
      refusal: { kind: 'code', code: 'INVALID_TRANSITION', details: { a: 1 }, message: 'Said.' },
    },
    { made: invalidField('a.b', 'no'), refusal: { kind: 'validation', errors: [{ field: 'a.b', message: 'no' }] } },
    {
      made: invalidField('a', 'no', 'C'),
      refusal: { kind: 'validation', errors: [{ field: 'a', message: 'no', code: 'C' }] },
    },
    { made: invalid([], 2000), refusal: { kind: 'validation', errors: [], total: 2000 } },
    { made: notFound('customer'), refusal: { kind: 'not_found', what: 'customer' } },
    { made: notFound('plan', 'planId'), refusal: { kind: 'not_found', what: 'plan', field: 'planId' } },
    { made: forbidden(), refusal: { kind: 'forbidden' } },
    { made: forbidden('Not yours.'), refusal: { kind: 'forbidden', message: 'Not yours.' } },
  ])('carry the refusal $refusal, and throw it at the edge', ({ made, refusal }) => {
    expect(made).toEqual({ ok: false, refusal });
    try {
      orThrow(made);
      expect.unreachable();
    } catch (error) {
      expect(error).toBeInstanceOf(RefusalError);
      expect((error as RefusalError).refusal).toEqual(refusal);
    }
  });
});
