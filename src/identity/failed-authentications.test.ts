import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  countFailure,
  FailedAuthentications,
  type FailureWindow,
  MOST_FAILURES,
  secondsToWait,
} from './failed-authentications.ts';

const at = (seconds: number) =>
  Temporal.Instant.from('2026-01-01T00:00:00Z').add({ milliseconds: Math.round(seconds * 1000) });

describe('failures of one address', () => {
  it('are counted within a minute of the first, and from 0 after it', () => {
    const first = countFailure(undefined, at(0));
    expect(first).toEqual({ startedAt: at(0), failures: 1 });
    expect(countFailure(first, at(59.999))).toEqual({ startedAt: at(0), failures: 2 });
    expect(countFailure(first, at(60))).toEqual({ startedAt: at(60), failures: 1 });
  });

  it('are counted from 0 when the clock went back', () => {
    expect(countFailure({ startedAt: at(30), failures: 999 }, at(10))).toEqual({ startedAt: at(10), failures: 1 });
  });

  it.each([
    { failures: MOST_FAILURES, now: 10, wait: null },
    { failures: MOST_FAILURES + 1, now: 10, wait: 50 },
    { failures: MOST_FAILURES + 1, now: 10.2, wait: 50 },
    { failures: MOST_FAILURES + 1, now: 59.9, wait: 1 },
  ])('$failures of them after $now s: wait $wait s', ({ failures, now, wait }) => {
    expect(secondsToWait({ startedAt: at(0), failures }, at(now))).toBe(wait);
  });

  it('let at most 1,000 through in each minute, and whoever waits as told is let through', () => {
    const bursts = fc.array(
      fc.record({ calls: fc.integer({ min: 1, max: 700 }), pause: fc.integer({ min: 0, max: 70 }) }),
      {
        maxLength: 12,
      },
    );
    fc.assert(
      fc.property(bursts, (all) => {
        let window: FailureWindow | undefined;
        let now = at(0);
        const passed = new Map<string, number>();
        for (const { calls, pause } of all) {
          now = now.add({ seconds: pause });
          for (let call = 0; call < calls; call += 1) {
            window = countFailure(window, now);
            const minute = `${window.startedAt}`;
            const wait = secondsToWait(window, now);
            if (wait === null) passed.set(minute, (passed.get(minute) ?? 0) + 1);
            else expect(countFailure(window, now.add({ seconds: wait })).failures).toBe(1);
          }
        }
        for (const count of passed.values()) expect(count).toBeLessThanOrEqual(MOST_FAILURES);
      }),
      { numRuns: 30 },
    );
  });
});

it('counts each address for itself, and this machine not at all', () => {
  const failures = new FailedAuthentications(() => at(0));
  for (let call = 0; call < MOST_FAILURES; call += 1) expect(failures.count('203.0.113.1')).toBeNull();
  expect(failures.count('203.0.113.1')).toBe(60);
  expect(failures.count('203.0.113.2')).toBeNull();
  for (let call = 0; call <= MOST_FAILURES; call += 1) expect(failures.count('127.0.0.1')).toBeNull();
});

it('counts the addresses of one IPv6 network together, and asks without counting', () => {
  const failures = new FailedAuthentications(() => at(0));
  for (let call = 0; call < MOST_FAILURES; call += 1) {
    expect(failures.held('2001:db8::1')).toBeNull();
    expect(failures.count(`2001:db8::${(call % 500).toString(16)}`)).toBeNull();
  }
  expect(failures.held('2001:db8::ffff')).toBe(60);
  expect(failures.count('2001:db8::ffff')).toBe(60);
  expect(failures.held('2001:db8:0:1::1')).toBeNull();
});

it('counts this machine too where addresses come from a proxy', () => {
  const failures = new FailedAuthentications(() => at(0), { sparesThisMachine: false });
  for (let call = 0; call < MOST_FAILURES; call += 1) expect(failures.count('127.0.0.1')).toBeNull();
  expect(failures.count('127.0.0.1')).toBe(60);
});
