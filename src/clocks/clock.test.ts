import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { formatInstant } from '../kernel/time.ts';
import { type Advance, type Clock, clockStates, decideMove, stateOf } from './clock.ts';

const clockAt = (currentTime: string, advancingTo: string | null = null): Clock => ({
  id: 'tc_0000000000000000',
  merchantId: 'org_1',
  name: null,
  description: null,
  currentTime: Temporal.Instant.from(currentTime),
  advancingTo: advancingTo === null ? null : Temporal.Instant.from(advancingTo),
  advancingFrom: null,
  advanceSteps: 0,
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
    expect(decideMove(clockAt(from), advance as Advance)).toEqual({ ok: true, value: Temporal.Instant.from(to) });
  });

  it.each([
    { advance: { currentTime: '2026-01-31T09:59:59.999999Z' } },
    { advance: { currentTime: '2026-01-31T10:00:00Z' } },
    { advance: { advanceBy: 'PT0S' } },
    { advance: { advanceBy: 'P0D' } },
  ])('$advance is not forward', ({ advance }) => {
    expect(decideMove(clockAt('2026-01-31T10:00:00Z'), advance as Advance)).toMatchObject({
      ok: false,
      refusal: { code: 'CLOCK_BACKWARDS', details: { currentTime: '2026-01-31T10:00:00Z' } },
    });
  });

  it.each(['1 month', '-P1M', 'P', 'PT', 'P1.5D', 'P174Y', 'P999999Y', ''])('%j is no way to go', (advanceBy) => {
    expect(decideMove(clockAt('2026-01-31T10:00:00Z'), { advanceBy })).toMatchObject({
      ok: false,
      refusal: { kind: 'validation', errors: [{ field: 'advanceBy' }] },
    });
  });

  it('is refused while the clock is on its way', () => {
    const clock = clockAt('2026-01-31T10:00:00Z', '2026-03-01T00:00:00Z');
    expect(decideMove(clock, { advanceBy: 'P1M' })).toMatchObject({
      refusal: { code: 'CLOCK_ADVANCING', details: { advancingTo: '2026-03-01T00:00:00Z' } },
    });
  });

  it.each([{ currentTime: '2026-01-31T10:00:00Z' }, { currentTime: '2026-01-30T00:00:00Z' }, { advanceBy: 'PT0S' }])(
    'is nowhere for a clock on its way that is sent to %j: it stops',
    (advance) => {
      const clock = clockAt('2026-01-31T10:00:00Z', '2026-03-01T00:00:00Z');
      expect(decideMove(clock, advance as Advance)).toEqual({ ok: true, value: null });
    },
  );

  it('is always later than the time shown, or refused', () => {
    const instants = fc.date({ min: new Date('2000-01-01'), max: new Date('2199-12-31'), noInvalidDate: true });
    fc.assert(
      fc.property(instants, instants, (from, to) => {
        const clock = clockAt(from.toISOString());
        const decided = decideMove(clock, { currentTime: formatInstant(Temporal.Instant.from(to.toISOString())) });
        expect(decided.ok).toBe(to > from);
      }),
    );
  });
});

describe('the states of a clock', () => {
  const [standing, advancing] = [
    clockAt('2026-01-31T10:00:00Z'),
    clockAt('2026-01-31T10:00:00Z', '2026-03-01T00:00:00Z'),
  ];

  it.each([
    { clock: standing, state: 'standing', advance: 'advancing', stop: { refuse: 'CLOCK_BACKWARDS' } },
    { clock: advancing, state: 'advancing', advance: { refuse: 'CLOCK_ADVANCING' }, stop: 'standing' },
    {
      clock: { ...advancing, deletedAt: advancing.createdAt },
      state: 'deleted',
      advance: { refuse: 'INVALID_TRANSITION' },
      stop: { refuse: 'INVALID_TRANSITION' },
    },
  ] as const)('$state', ({ clock, state, advance, stop }) => {
    expect(stateOf(clock)).toBe(state);
    expect(clockStates[stateOf(clock)]).toMatchObject({ advance, stop });
  });
});
