import { describe, expect, it } from 'vitest';
import type { AfterDecline } from '../invoice/dependencies.ts';
import { decideAfterDecline } from './dunning.ts';

const now = Temporal.Instant.from('2026-03-01T08:00:00Z');
const usual = { retryAfterDays: [2, 5, 7, 7], finally: 'keep' } as const;
const automatic = { origin: 'automatic', isAutomatic: true } as const;
const byHand = { origin: 'by_hand', isAutomatic: true } as const;
const onDemand = { origin: 'by_hand', isAutomatic: false } as const;

const fails = (retryAt: string | null, failedAttempts: number): AfterDecline => ({
  kind: 'fails',
  retryAt: retryAt === null ? null : Temporal.Instant.from(retryAt),
  failedAttempts,
});

/** domain.md §4, rows 13, 15 and 16. */
describe('after a declined charge', () => {
  it.each([
    { before: 0, status: 'ISSUED', becomes: fails('2026-03-03T08:00:00Z', 1) },
    { before: 1, status: 'PAYMENT_FAILED', becomes: fails('2026-03-06T08:00:00Z', 2) },
    { before: 2, status: 'PAYMENT_FAILED', becomes: fails('2026-03-08T08:00:00Z', 3) },
    { before: 3, status: 'PAYMENT_FAILED', becomes: fails('2026-03-08T08:00:00Z', 4) },
    { before: 4, status: 'PAYMENT_FAILED', becomes: { kind: 'ends', by: 'keep', failedAttempts: 5 } },
  ] as const)('number $before + 1, the next comes in its time', ({ before, status, becomes }) => {
    expect(decideAfterDecline({ status, failedAttempts: before }, automatic, usual, now)).toEqual(becomes);
  });

  it.each(['keep', 'write_off', 'terminate'] as const)('the last, the settings say what happens: %s', (end) => {
    const dunning = { retryAfterDays: [], finally: end };
    const first = { status: 'ISSUED', failedAttempts: 0 } as const;
    expect(decideAfterDecline(first, automatic, dunning, now)).toEqual({ kind: 'ends', by: end, failedAttempts: 1 });
  });

  it.each([
    {
      what: 'begins it where it is the first',
      status: 'ISSUED',
      how: byHand,
      becomes: fails('2026-03-03T08:00:00Z', 1),
    },
    { what: 'begins nothing where nothing is automatic', status: 'ISSUED', how: onDemand, becomes: fails(null, 0) },
    { what: 'takes no part in it', status: 'PAYMENT_FAILED', how: byHand, becomes: { kind: 'stands' } },
    { what: 'leaves what was written off', status: 'WRITTEN_OFF', how: byHand, becomes: { kind: 'stands' } },
  ] as const)('that somebody asked for $what', ({ status, how, becomes }) => {
    expect(decideAfterDecline({ status, failedAttempts: 0 }, how, usual, now)).toEqual(becomes);
  });
});
