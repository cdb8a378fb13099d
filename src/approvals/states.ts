import { refuse, stateTable } from '../kernel/state-table.ts';

/** §2 Approval: the four decisions. */
export const DECISIONS = ['pending', 'approved', 'rejected', 'cancelled'] as const;
export type Decision = (typeof DECISIONS)[number];

export type ApprovalTrigger = 'approve' | 'reject' | 'cancel';

const wrong = refuse('INVALID_TRANSITION');

/**
 * The complete table: an approval is decided once. One that was given can be cancelled while its resource allows it.
 */
export const approvalStates = stateTable<Decision, ApprovalTrigger>(
  { thing: 'approval', done: { approve: 'approved', reject: 'rejected', cancel: 'cancelled' } },
  {
    pending: { approve: 'approved', reject: 'rejected', cancel: 'cancelled' },
    approved: { approve: wrong, reject: wrong, cancel: 'cancelled' },
    rejected: { approve: wrong, reject: wrong, cancel: wrong },
    cancelled: { approve: wrong, reject: wrong, cancel: wrong },
  },
);
