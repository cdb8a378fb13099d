import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Clock, decideAdvance } from './clock.ts';

const clockAt = (currentTime: string, advancingTo: string | null = null): Clock => ({
  id: 'tc_0000000000000000',
  merchantId: 'org_1',
  name: null,
  description: null,
  currentTime: Temporal.Instant.from(currentTime),
  advancingTo: advancingTo === null ? null : Temporal.Instant.from(advancingTo),
  createdAt: Temporal.Instant.from(currentTime),
  updatedAt: Temporal.Instant.from(currentTime),
  deletedAt: null,
});

describe('where an advance goes', () => {
  it.each([
    { from: '2026-01-31T10:00:00Z', advance: { currentTime: '2026-02-01T00:00:00+02:00' }, to: '2026-01-31T22:00:00Z' },
    { from: '2026-01-31T10:00:00Z', advance: { advanceBy: 'P1M' }, to: '2026-02-28T10:00:00Z' },
    { from: '2026-01-31T10:00:00Z', advance: { advanceBy: 'P1Y2M3DT4H5M6S' }, to: '2027-04-03T14:05:06Z' },
    { from: '2026-01-31T10:00:00Z', advance: { advanceBy: 'P2W' }, to: '2026-02-14T10:00:00Z' },
    { from: '2026-01-31T10:00:00Z', advance: { advanceBy: 'PT1S' }, to: '2026-01-31T10:00:01Z' },
  ])('$advance from $from is $to', ({ from, advance, to }) => {
    expect(decideAdvance(clockAt(from), advance)).toEqual({ ok: true, value: Temporal.Instant.from(to) });
  });

  it.each([
    { advance: { currentTime: '2026-01-31T09:59:59.999999Z' } },
    { advance: { currentTime: '2026-01-31T10:00:00Z' } },
    { advance: { advanceBy: 'PT0S' } },
    { advance: { advanceBy: 'P0D' } },
  ])('$advance is not forward', ({ advance }) => {
    expect(decideAdvance(clockAt('2026-01-31T10:00:00Z'), advance)).toMatchObject({
      ok: false,
      refusal: { code: 'CLOCK_BACKWARDS', details: { currentTime: '2026-01-31T10:00:00Z' } },
    });
  });

  it.each(['1 month', '-P1M', 'P', 'PT', 'P1.5D', 'P174Y', 'P999999Y', ''])('%j is no way to go', (advanceBy) => {
    expect(decideAdvance(clockAt('2026-01-31T10:00:00Z'), { advanceBy })).toMatchObject({
      ok: false,
      refusal: { kind: 'validation', errors: [{ field: 'advanceBy' }] },
    });
  });

  it('is refused while the clock is on its way', () => {
    const clock = clockAt('2026-01-31T10:00:00Z', '2026-03-01T00:00:00Z');
    expect(decideAdvance(clock, { advanceBy: 'P1M' })).toMatchObject({
      refusal: { code: 'CLOCK_ADVANCING', details: { advancingTo: '2026-03-01T00:00:00Z' } },
    });
  });

  it('is always later than the time shown, or refused', () => {
    const instants = fc.date({ min: new Date('2000-01-01'), max: new Date('2199-12-31'), noInvalidDate: true });
    fc.assert(
      fc.property(instants, instants, (from, to) => {
        const clock = clockAt(from.toISOString());
        const decided = decideAdvance(clock, { currentTime: to.toISOString() });
        expect(decided.ok).toBe(to > from);
      }),
    );
  });
});
