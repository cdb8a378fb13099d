import { expect, it } from 'vitest';
import { MOST_ATTEMPTS, nextTry } from './retry.ts';

const now = Temporal.Instant.from('2026-01-01T00:00:00Z');

it.each([
  { attempts: 1, again: '2026-01-01T00:00:05Z' },
  { attempts: 2, again: '2026-01-01T00:00:30Z' },
  { attempts: 3, again: '2026-01-01T00:05:00Z' },
  { attempts: 4, again: '2026-01-01T00:30:00Z' },
  { attempts: 5, again: null },
  { attempts: 6, again: null },
])('after $attempts failures the next try is at $again', ({ attempts, again }) => {
  expect(nextTry(attempts, now)?.toString() ?? null).toBe(again);
});

it('waits longer each time until it gives up', () => {
  const waits = Array.from(
    { length: MOST_ATTEMPTS - 1 },
    (_, index) => nextTry(index + 1, now)?.epochMilliseconds ?? 0,
  );
  expect(waits).toEqual(waits.toSorted((a, b) => a - b));
});
