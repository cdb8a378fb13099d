import { expect, it } from 'vitest';
import type { Pause } from '../../invoicing/index.ts';
import { formatInstant } from '../../kernel/time.ts';
import { trialNoticeAt, trialState } from './trials.ts';

const at = (day: string) => Temporal.Instant.from(`2026-01-${day}T00:00:00Z`);
const pausedFrom = (day: string): Pause => ({
  ...{ from: formatInstant(at(day)), to: null, usage: 'free' },
  ...{ credit: 'none', anchor: 'keep', reason: null, status: 'paused' },
});
const inTrial = {
  ...{ status: 'active' as const, pauses: [] as readonly Pause[], billingOpened: false, endingAt: null },
  ...{ trialEnd: at('15'), trialEndsTold: [] as readonly string[] },
};

it.each([
  { what: 'no trial', fields: { trialEnd: null }, state: 'without a trial' },
  { what: 'an end ahead', fields: {}, state: 'in its trial' },
  { what: 'an end that is now', fields: { trialEnd: at('10') }, state: 'past its trial' },
  { what: 'billing that has begun', fields: { billingOpened: true }, state: 'past its trial' },
  { what: 'a pause in it', fields: { pauses: [pausedFrom('05')] }, state: 'paused in its trial' },
  {
    what: 'a pause since its end',
    fields: { trialEnd: at('08'), pauses: [pausedFrom('08')] },
    state: 'past its trial',
  },
])('a subscription with $what is $state', ({ fields, state }) => {
  expect(trialState({ ...inTrial, ...fields }, at('10'))).toBe(state);
});

it.each([
  { what: 'three days before', fields: {}, notice: '12' },
  { what: 'once for each end', fields: { trialEndsTold: [formatInstant(at('15'))] }, notice: null },
  { what: 'again of another end', fields: { trialEndsTold: [formatInstant(at('14'))] }, notice: '12' },
  { what: 'never while it is paused', fields: { pauses: [pausedFrom('05')] }, notice: null },
  { what: 'never where the subscription ends before', fields: { endingAt: at('15') }, notice: null },
  { what: 'never while it waits for a card', fields: { status: 'pending_payment' as const }, notice: null },
])('the end of a trial is told of $what', ({ fields, notice }) => {
  const due = trialNoticeAt({ ...inTrial, ...fields });
  expect(due && formatInstant(due)).toBe(notice && formatInstant(at(notice)));
});
