import { refuse, statesFor, stateTable } from '../../kernel/state-table.ts';

/**
 * `intended`: committed, and no provider was asked. `sent`: a provider outside was asked, and nobody knows the outcome.
 * `pending`: the bank answers later. `unresolved`: no look-up of the first day found the outcome, so a person must.
 */
export const CHARGE_STATUSES = ['intended', 'sent', 'pending', 'unresolved', 'accepted', 'declined'] as const;
export type ChargeStatus = (typeof CHARGE_STATUSES)[number];

export const CHARGE_EVENTS = ['send', 'recall', 'wait', 'giveUp', 'accept', 'decline'] as const;
export type ChargeEvent = (typeof CHARGE_EVENTS)[number];

const illegal = refuse('INVALID_TRANSITION');

/**
 * A charge has one outcome; `recall`: its call had no effect. Until then it is looked up, and its invoice is paid by
 * nothing else.
 */
export const chargeStates = stateTable<ChargeStatus, ChargeEvent>(
  { thing: 'charge', done: { accept: 'accepted', decline: 'declined' } },
  {
    intended: {
      send: 'sent',
      recall: 'intended',
      wait: 'pending',
      giveUp: illegal,
      accept: 'accepted',
      decline: 'declined',
    },
    sent: {
      send: 'sent',
      recall: 'intended',
      wait: 'pending',
      giveUp: 'unresolved',
      accept: 'accepted',
      decline: 'declined',
    },
    pending: {
      send: 'pending',
      recall: illegal,
      wait: 'pending',
      giveUp: 'pending',
      accept: 'accepted',
      decline: 'declined',
    },
    unresolved: {
      send: 'unresolved',
      recall: illegal,
      wait: 'pending',
      giveUp: 'unresolved',
      accept: 'accepted',
      decline: 'declined',
    },
    accepted: { send: illegal, recall: illegal, wait: illegal, giveUp: illegal, accept: illegal, decline: illegal },
    declined: { send: illegal, recall: illegal, wait: illegal, giveUp: illegal, accept: illegal, decline: illegal },
  },
);

export const CHARGES_ON_THEIR_WAY: readonly ChargeStatus[] = statesFor(chargeStates, 'decline');
