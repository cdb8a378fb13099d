import { describe, expect, it } from 'vitest';
import { decideFirst, decideOutcome, isAbout, retryAt, type TaxIdCheck } from './check.ts';

const now = Temporal.Instant.from('2026-01-01T00:00:00Z');
const inMinutes = (minutes: number) => now.add({ minutes });

describe('a tax id that was set', () => {
  it.each([
    {
      what: 'has right check digits: the register is asked at once',
      form: { kind: 'registered' as const, prefix: 'DE', number: '136695976', problem: null },
      status: 'unchecked',
      checkedAt: null,
      nextActionAt: now,
    },
    {
      what: 'has wrong ones: it is invalid, and the register is asked all the same',
      form: { kind: 'registered' as const, prefix: 'DE', number: '136695975', problem: 'Wrong.' },
      status: 'invalid',
      checkedAt: now,
      nextActionAt: now,
    },
    {
      what: 'can be no number: it is invalid',
      form: { kind: 'malformed' as const, reason: 'Wrong.' },
      status: 'invalid',
      checkedAt: now,
      nextActionAt: null,
    },
    {
      what: 'has no register: nobody is asked',
      form: { kind: 'unregistered' as const, reason: 'Nobody.' },
      status: 'unchecked',
      checkedAt: null,
      nextActionAt: null,
    },
  ])('$what', ({ form, what: _, ...expected }) => {
    expect(decideFirst(form, now)).toMatchObject(expected);
  });
});

describe('the answer of a register', () => {
  it('is asked for again after 90 days where the number is valid, after 30 where it is not', () => {
    expect(decideOutcome({ outcome: 'valid', name: 'A', address: null }, now)).toEqual({
      ...{ status: 'valid', reason: null, name: 'A', address: null, checkedAt: now, attempts: 0 },
      nextActionAt: now.add({ hours: 90 * 24 }),
    });
    expect(decideOutcome({ outcome: 'invalid' }, now)).toMatchObject({
      ...{ status: 'invalid', checkedAt: now, attempts: 0, nextActionAt: now.add({ hours: 30 * 24 }) },
    });
  });

  it('that did not come changes nothing', () => {
    expect(decideOutcome({ outcome: 'unavailable', reason: 'MS_UNAVAILABLE' }, now)).toBeNull();
  });

  it('is waited for longer and longer, at most for a day', () => {
    expect([1, 2, 3, 4, 5, 6, 100].map((attempts) => retryAt(attempts, now).toString())).toEqual(
      [1, 5, 30, 120, 720, 1440, 1440].map((minutes) => inMinutes(minutes).toString()),
    );
  });

  it('is about one number in one country', () => {
    const check = { taxId: 'DE136695976', country: 'DE' } as TaxIdCheck;
    expect(isAbout(check, { taxId: 'DE136695976', country: 'DE' })).toBe(true);
    expect(isAbout(check, { taxId: 'DE136695976', country: 'AT' })).toBe(false);
    expect(isAbout(check, { taxId: 'DE136695975', country: 'DE' })).toBe(false);
    expect(isAbout({ ...check, taxId: null }, { taxId: 'DE136695976', country: 'DE' })).toBe(false);
  });
});
