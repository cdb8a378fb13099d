import type { Pause } from '../../invoicing/index.ts';
import type { Failure, FieldError } from '../../kernel/result.ts';
import { next, refuse, type StateTable, stateTable } from '../../kernel/state-table.ts';
import { formatInstant, type Instant, isAfter } from '../../kernel/time.ts';
import type { SubscriptionRow } from './subscription.ts';

/** What a subscription that is active does: `pausing` has a pause that is still to begin. */
type PauseState = 'active' | 'pausing' | 'paused';
export type PauseEvent = 'pause' | 'beginPause' | 'resume' | 'moveResumption';

const no = refuse('INVALID_TRANSITION');

/** A pause is asked for, begins at once or later, is given another end, and is over (commercial.md §6). */
export const pauseStates: StateTable<PauseState, PauseEvent> = stateTable(
  { thing: 'subscription', done: { pause: 'paused', resume: 'resumed', moveResumption: 'given a `resumesAt`' } },
  {
    active: { pause: 'pausing', beginPause: no, resume: no, moveResumption: no },
    pausing: { pause: no, beginPause: 'paused', resume: 'active', moveResumption: 'pausing' },
    paused: { pause: no, beginPause: no, resume: 'active', moveResumption: 'paused' },
  },
);

/** The pause that has begun or is to begin, and is not over. */
export const currentPause = ({ status, pauses }: Pick<SubscriptionRow, 'status' | 'pauses'>): Pause | null => {
  const last = pauses.at(-1);
  return status !== 'active' || last === undefined || last.status === 'over' ? null : last;
};

const stateOf = (pause: Pause | null): PauseState =>
  pause === null || pause.status === 'over' ? 'active' : pause.status;

/** May this happen to the pause of a subscription? */
export const checkPause = (
  subscription: Pick<SubscriptionRow, 'status' | 'pauses'>,
  event: PauseEvent,
): { readonly ok: true } | Failure => next(pauseStates, stateOf(currentPause(subscription)), event);

/** The pauses of a subscription with changes of the last one; null: that one is withdrawn. */
export const withLast = (
  { pauses }: Pick<SubscriptionRow, 'pauses'>,
  changes: Partial<Pause> | null,
): readonly Pause[] => {
  const last = pauses.at(-1);
  return last === undefined || changes === null
    ? pauses.slice(0, -1)
    : [...pauses.slice(0, -1), { ...last, ...changes }];
};

/** When a pause begins or is over by itself; null: it does not. */
export function nextOfPause(subscription: Pick<SubscriptionRow, 'status' | 'pauses'>): Instant | null {
  const pause = currentPause(subscription);
  const at = pause?.status === 'pausing' ? pause.from : (pause?.to ?? null);
  return at === null ? null : Temporal.Instant.from(at);
}

/** The time of a resumption lies after the beginning of its pause, and ahead. */
export function resumptionErrors(resumesAt: Instant | null, pausedAt: Instant, now: Instant): FieldError[] {
  if (resumesAt === null || (isAfter(resumesAt, pausedAt) && isAfter(resumesAt, now))) return [];
  const message = isAfter(resumesAt, now)
    ? `must be after the pause begins (${formatInstant(pausedAt)})`
    : 'must be ahead';
  return [{ field: 'resumesAt', message }];
}
