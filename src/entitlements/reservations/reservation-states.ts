import { refuse, stateTable } from '../../kernel/state-table.ts';

export const RESERVATION_STATUSES = ['held', 'settled', 'released', 'expired'] as const;
export type ReservationStatus = (typeof RESERVATION_STATUSES)[number];

/** `expire`: its time is over without a settlement or release. */
export const RESERVATION_EVENTS = ['settle', 'release', 'expire'] as const;
export type ReservationEvent = (typeof RESERVATION_EVENTS)[number];

const illegal = refuse('INVALID_TRANSITION');

/** A reservation ends once, in one way; the same way again is the same as once (domain.md §5). */
export const reservationStates = stateTable<ReservationStatus, ReservationEvent>(
  { thing: 'reservation', done: { settle: 'settled', release: 'released' } },
  {
    held: { settle: 'settled', release: 'released', expire: 'expired' },
    settled: { settle: 'settled', release: illegal, expire: illegal },
    released: { settle: illegal, release: 'released', expire: illegal },
    expired: { settle: illegal, release: illegal, expire: 'expired' },
  },
);
