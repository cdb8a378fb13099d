import { refuse, stateTable } from '../../kernel/state-table.ts';

/** The statuses of a payment session (api.md, Invoices and payments). */
export const SESSION_STATUSES = ['pending', 'processing', 'completed', 'failed', 'expired', 'cancelled'] as const;
export type SessionStatus = (typeof SESSION_STATUSES)[number];

/** `process`: the provider will answer later. `decline`: the provider said no. */
export const SESSION_EVENTS = ['process', 'complete', 'decline', 'expire', 'cancel'] as const;
export type SessionEvent = (typeof SESSION_EVENTS)[number];

const illegal = refuse('INVALID_TRANSITION');
const tooLate = refuse('PAYMENT_SESSION_EXPIRED');

/**
 * `failed` is not an end: the last card was declined, and until the session expires the customer may try another, as on
 * every checkout page. A payment that is on its way can be neither expired nor cancelled, because money may have moved.
 * Completing twice, and expiring twice, are the same as once.
 */
export const sessionStates = stateTable<SessionStatus, SessionEvent>(
  { thing: 'payment session', done: { complete: 'completed', expire: 'expired', cancel: 'cancelled' } },
  {
    pending: {
      process: 'processing',
      complete: 'completed',
      decline: 'failed',
      expire: 'expired',
      cancel: 'cancelled',
    },
    failed: { process: 'processing', complete: 'completed', decline: 'failed', expire: 'expired', cancel: 'cancelled' },
    processing: { process: illegal, complete: 'completed', decline: 'failed', expire: illegal, cancel: illegal },
    completed: { process: illegal, complete: 'completed', decline: illegal, expire: illegal, cancel: illegal },
    expired: { process: tooLate, complete: tooLate, decline: tooLate, expire: 'expired', cancel: illegal },
    cancelled: { process: illegal, complete: illegal, decline: illegal, expire: illegal, cancel: 'cancelled' },
  },
);
