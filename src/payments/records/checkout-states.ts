import { refuse, statesFor, stateTable } from '../../kernel/state-table.ts';

/**
 * `opening`: the provider was asked for the page and has not answered, so nobody has its address. `paid`, `stored`: the
 * customer did what it asks. `failed`: the bank refused at last. `expired`: nobody can pay by it any more.
 */
export const CHECKOUT_STATUSES = ['opening', 'open', 'processing', 'paid', 'stored', 'failed', 'expired'] as const;
export type CheckoutStatus = (typeof CHECKOUT_STATUSES)[number];

export const CHECKOUT_EVENTS = ['open', 'process', 'pay', 'store', 'fail', 'expire'] as const;
export type CheckoutEvent = (typeof CHECKOUT_EVENTS)[number];

const no = refuse('INVALID_TRANSITION');
const over = { open: no, process: no, store: no, fail: no } as const;

/**
 * The states of a provider's page, whose notices come in any order. Money that came is never un-said; a page that
 * expired may be paid late.
 */
export const checkoutStates = stateTable<CheckoutStatus, CheckoutEvent>(
  { thing: 'payment page', done: {} },
  {
    opening: { open: 'open', process: no, pay: no, store: no, fail: no, expire: 'expired' },
    open: { open: no, process: 'processing', pay: 'paid', store: 'stored', fail: 'failed', expire: 'expired' },
    processing: { open: no, process: no, pay: 'paid', store: 'stored', fail: 'failed', expire: 'expired' },
    paid: { ...over, pay: no, expire: no },
    stored: { ...over, pay: no, expire: no },
    failed: { ...over, pay: 'paid', expire: no },
    expired: { ...over, pay: 'paid', expire: no },
  },
);

/** The statuses in which a page still asks the customer, or the bank. */
export const LIVE_CHECKOUTS: readonly CheckoutStatus[] = statesFor(checkoutStates, 'expire');
