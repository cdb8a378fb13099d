import fc from 'fast-check';
import { expect, it } from 'vitest';
import { decideHealth, isDelivered, judge, WAITS_SECONDS } from './attempts.ts';

const now = Temporal.Instant.from('2026-03-01T00:00:00Z');
const answered = (status: number, retryAfter: string | null = null) =>
  ({ kind: 'answered', status, retryAfter, reply: '' }) as const;

it('delivers by an answer of 2xx and by nothing else', () => {
  const delivering = Array.from({ length: 600 }, (_, status) => status).filter((status) =>
    isDelivered(answered(status)),
  );
  expect(delivering).toEqual(Array.from({ length: 100 }, (_, index) => 200 + index));
  expect(isDelivered({ kind: 'failed', error: 'away' })).toBe(false);
});

it('takes 75 hours, 35 minutes and 5 seconds where every wait is the usual one', () => {
  expect(WAITS_SECONDS.reduce((sum, wait) => sum + wait, 0)).toBe(75 * 3600 + 35 * 60 + 5);
});

it('waits within a fifth of its slot, or as long as it is asked to, up to twice the slot', () => {
  const retryAfter = fc.option(
    fc.oneof(fc.nat().map(String), fc.string(), fc.constant('Sun, 01 Mar 2026 06:00:00 GMT')),
  );
  fc.assert(
    fc.property(
      fc.constantFrom(301, 400, 404, 429, 500, 503),
      retryAfter,
      fc.integer({ min: 1, max: 9 }),
      fc.double({ min: 0, max: 1, noNaN: true }),
      (status, asked, slot, chance) => {
        const verdict = judge(answered(status, asked), slot, chance, now);
        const wait = verdict.nextAttemptAt?.since(now).total('seconds') ?? 0;
        const usual = WAITS_SECONDS[slot] as number;
        expect(verdict.status).toBe('pending');
        expect(wait).toBeGreaterThanOrEqual(usual * 0.8 - 0.001);
        expect(wait).toBeLessThanOrEqual(usual * (status === 429 || status === 503 ? 2 : 1.2) + 0.001);
        expect(judge(answered(status, asked), 10, chance, now).status).toBe('exhausted');
      },
    ),
  );
});

it('waits no less for chance that is higher', () => {
  const at = (chance: number) => judge(answered(500), 1, chance, now).nextAttemptAt?.since(now).total('seconds');
  expect([at(0), at(0.5), at(1)]).toEqual([4, 5, 6]);
});

it.each([
  { hours: 0, off: 0, attempts: 99, toldAt: false, notifies: false, disables: false },
  { hours: 23, off: 0, attempts: 99, toldAt: false, notifies: false, disables: false },
  { hours: 24, off: 0, attempts: 1, toldAt: false, notifies: true, disables: false },
  { hours: 24, off: 0, attempts: 99, toldAt: true, notifies: false, disables: false },
  { hours: 119, off: 0, attempts: 99, toldAt: true, notifies: false, disables: false },
  { hours: 120, off: 0, attempts: 10, toldAt: true, notifies: false, disables: true },
  { hours: 120, off: 0, attempts: 9, toldAt: true, notifies: false, disables: false },
  { hours: 120, off: 0, attempts: 10, toldAt: false, notifies: true, disables: true },
  { hours: 200, off: 80, attempts: 10, toldAt: true, notifies: false, disables: true },
  { hours: 200, off: 81, attempts: 10, toldAt: true, notifies: false, disables: false },
  { hours: 144, off: 143, attempts: 10, toldAt: false, notifies: false, disables: false },
])('an endpoint that fails for $hours hours, $off of them off, $attempts times: $notifies, $disables', (row) => {
  const failingSince = now.subtract({ hours: row.hours });
  const toldAt = row.toldAt ? now.subtract({ hours: 1 }) : null;
  const { notifies, disables } = row;
  const health = { failingSince, toldAt, failedAttempts: row.attempts - 1 };
  expect(decideHealth(health, 1, row.off * 3600, now)).toMatchObject({ failingSince, notifies, disables });
});

it('begins to count failures at the first one', () => {
  const health = { failingSince: null, toldAt: null, failedAttempts: 0 };
  expect(decideHealth(health, 2, 0, now)).toMatchObject({ failingSince: now, failedAttempts: 2, notifies: false });
});
