import { expect, it } from 'vitest';
import type { Pause } from '../../invoicing/index.ts';
import { formatInstant } from '../../kernel/time.ts';
import { checkPause, currentPause, nextOfPause, type PauseEvent, pauseStates, resumptionErrors } from './pauses.ts';

const at = (day: string) => Temporal.Instant.from(`2026-01-${day}T00:00:00Z`);
const pause = (status: Pause['status'], to: string | null = null): Pause => ({
  ...{ from: formatInstant(at('11')), to: to && formatInstant(at(to)), usage: 'bill' },
  ...{ credit: 'invoice', anchor: 'keep', reason: null, status },
});
const EVENTS: readonly PauseEvent[] = ['pause', 'beginPause', 'resume', 'moveResumption'];

it.each([
  { pauses: [], state: 'active', allowed: ['pause'] },
  { pauses: [pause('over', '12')], state: 'active', allowed: ['pause'] },
  { pauses: [pause('pausing')], state: 'pausing', allowed: ['beginPause', 'resume', 'moveResumption'] },
  { pauses: [pause('over', '12'), pause('paused')], state: 'paused', allowed: ['resume', 'moveResumption'] },
] as const)('a subscription that is $state can only: $allowed', ({ pauses, state, allowed }) => {
  const subscription = { status: 'active' as const, pauses };
  expect(EVENTS.filter((event) => checkPause(subscription, event).ok)).toEqual(allowed);
  for (const event of EVENTS)
    expect(typeof pauseStates[state][event] === 'string').toBe(checkPause(subscription, event).ok);
});

it.each([
  { what: 'none', pauses: [], next: null },
  { what: 'one to come', pauses: [pause('pausing', '21')], next: '11' },
  { what: 'one that is over later', pauses: [pause('paused', '21')], next: '21' },
  { what: 'one without an end', pauses: [pause('paused')], next: null },
])('of $what, what comes next by itself is at $next', ({ pauses, next }) =>
  expect(nextOfPause({ status: 'active', pauses })).toEqual(next === null ? null : at(next)),
);

it('a subscription that has ended is not paused', () =>
  expect(currentPause({ status: 'terminated', pauses: [pause('paused')] })).toBeNull());

it.each([
  { resumesAt: null, now: '05', errors: 0 },
  { resumesAt: '12', now: '05', errors: 0 },
  { resumesAt: '11', now: '05', errors: 1 },
  { resumesAt: '12', now: '12', errors: 1 },
])('a resumption at $resumesAt, asked on $now, has $errors faults', ({ resumesAt, now, errors }) =>
  expect(resumptionErrors(resumesAt === null ? null : at(resumesAt), at('11'), at(now))).toHaveLength(errors),
);
