import { expect, it } from 'vitest';
import { next } from '../../kernel/state-table.ts';
import { RESERVATION_EVENTS, RESERVATION_STATUSES, reservationStates } from './reservation-states.ts';

const allowed = new Map([
  ['held settle', 'settled'],
  ['held release', 'released'],
  ['held expire', 'expired'],
  ['settled settle', 'settled'],
  ['released release', 'released'],
  ['expired expire', 'expired'],
]);

it.each(RESERVATION_STATUSES.flatMap((status) => RESERVATION_EVENTS.map((event) => ({ status, event }))))(
  'a reservation that is $status: $event',
  ({ status, event }) => {
    const to = allowed.get(`${status} ${event}`);
    expect(next(reservationStates, status, event)).toEqual(
      to === undefined
        ? {
            ok: false,
            refusal: expect.objectContaining({
              kind: 'code',
              code: 'INVALID_TRANSITION',
              details: expect.objectContaining({ status, trigger: event }),
            }),
          }
        : { ok: true, value: to },
    );
  },
);
