import { refuse, stateTable } from '../kernel/state-table.ts';

export const SOURCE_EVENT_STATUSES = ['pending', 'processed', 'failed', 'rejected'] as const;
export type SourceEventStatus = (typeof SOURCE_EVENT_STATUSES)[number];

/** `process`: a usage event was written. `fail`: none could be. An approval is one of these two. */
export const SOURCE_EVENT_TRIGGERS = ['process', 'fail', 'reject', 'retry'] as const;
export type SourceEventTrigger = (typeof SOURCE_EVENT_TRIGGERS)[number];

const illegal = refuse('INVALID_TRANSITION');

/** domain.md §7. The database holds the same table (migrations/0115_sources.sql). */
export const sourceEventStates = stateTable<SourceEventStatus, SourceEventTrigger>(
  { thing: 'source event', done: { process: 'approved', fail: 'approved', reject: 'rejected', retry: 'retried' } },
  {
    pending: { process: 'processed', fail: 'failed', reject: 'rejected', retry: illegal },
    failed: { process: illegal, fail: illegal, reject: illegal, retry: 'pending' },
    processed: { process: illegal, fail: illegal, reject: illegal, retry: illegal },
    rejected: { process: illegal, fail: illegal, reject: illegal, retry: illegal },
  },
);
