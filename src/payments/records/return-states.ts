import type { Decimal } from '../../kernel/decimal.ts';
import { refuse, statesFor, stateTable } from '../../kernel/state-table.ts';

/**
 * `requested`: due work will send it. `stopped`: the refund was voided before the money left, or others have taken all
 * of it, so a later one may send it. `manual`: no provider took it, or the provider could not send it back, so the
 * merchant gives it back by hand, and says so.
 */
export const RETURN_STATUSES = ['none', 'requested', 'returned', 'stopped', 'manual'] as const;
export type ReturnStatus = (typeof RETURN_STATUSES)[number];

/**
 * `request`: a refund asks a provider for it, `requestByHand`: the merchant; `send`: the provider did; `fail`: the
 * provider could not; `sayReturned`: the merchant did.
 */
export const RETURN_EVENTS = ['request', 'requestByHand', 'send', 'fail', 'sayReturned', 'stop'] as const;
export type ReturnEvent = (typeof RETURN_EVENTS)[number];

const illegal = refuse('INVALID_TRANSITION');

/** The return of received money. Returned is the end: it leaves at most once, ever. */
export const returnStates = stateTable<ReturnStatus, ReturnEvent>(
  { thing: 'payment', done: { sayReturned: 'marked as returned' } },
  {
    none: {
      request: 'requested',
      requestByHand: 'manual',
      send: illegal,
      fail: illegal,
      sayReturned: illegal,
      stop: illegal,
    },
    requested: {
      request: illegal,
      requestByHand: illegal,
      send: 'returned',
      fail: 'manual',
      sayReturned: illegal,
      stop: 'stopped',
    },
    manual: {
      request: illegal,
      requestByHand: illegal,
      send: illegal,
      fail: illegal,
      sayReturned: 'returned',
      stop: 'stopped',
    },
    stopped: {
      request: 'requested',
      requestByHand: 'manual',
      send: illegal,
      fail: illegal,
      sayReturned: illegal,
      stop: illegal,
    },
    returned: {
      request: illegal,
      requestByHand: illegal,
      send: illegal,
      fail: illegal,
      sayReturned: illegal,
      stop: illegal,
    },
  },
);

/** The statuses in which something may happen. */
export const statusesFor = (event: ReturnEvent): ReturnStatus[] => statesFor(returnStates, event);

/** What others than a refund have taken of a payment. */
export interface TakenOfPayment {
  /** By lost disputes. */
  readonly disputed: Decimal;
  /** By refunds at the provider's dashboard that no credit note is for. */
  readonly outside: Decimal;
}
