import { refuse, stateTable } from '../kernel/state-table.ts';

/** api.md: the four values of a schedule's `status`. */
export const scheduleStatuses = ['draft', 'active', 'completed', 'cancelled'] as const;
export type ScheduleStatus = (typeof scheduleStatuses)[number];

/** Everything that can happen to a schedule, and when it does. */
export const scheduleTriggers = {
  activate: 'The order is approved, or the subscription is active.',
  withdraw: 'The order is a draft again, and no invoice of it was pushed.',
  complete: 'The last window is invoiced.',
  resume: 'A change of a completed schedule adds an amount to invoice.',
  cancel: 'The order is cancelled, or the subscription ends.',
} as const;
export type ScheduleTrigger = keyof typeof scheduleTriggers;

const wrong = refuse('INVALID_TRANSITION');

/** The complete table of transitions (domain.md §6). The database has the same edges and refuses others. */
export const scheduleStates = stateTable<ScheduleStatus, ScheduleTrigger>(
  {
    thing: 'billing schedule',
    done: {
      activate: 'activated',
      withdraw: 'withdrawn',
      complete: 'completed',
      resume: 'resumed',
      cancel: 'cancelled',
    },
  },
  {
    draft: { activate: 'active', withdraw: wrong, complete: wrong, resume: wrong, cancel: 'cancelled' },
    active: { activate: wrong, withdraw: 'draft', complete: 'completed', resume: wrong, cancel: 'cancelled' },
    completed: { activate: wrong, withdraw: wrong, complete: wrong, resume: 'active', cancel: wrong },
    cancelled: { activate: wrong, withdraw: wrong, complete: wrong, resume: wrong, cancel: wrong },
  },
);
