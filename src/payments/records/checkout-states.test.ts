import { describe, expect, it } from 'vitest';
import { next } from '../../kernel/state-table.ts';
import { CHECKOUT_EVENTS, CHECKOUT_STATUSES, checkoutStates, LIVE_CHECKOUTS } from './checkout-states.ts';

const TABLE = `
  opening    | open . . . . expired
  open       | . processing paid stored failed expired
  processing | . . paid stored failed expired
  paid       | . . . . . .
  stored     | . . . . . .
  failed     | . . paid . . .
  expired    | . . paid . . .`;

describe('a payment page at a provider', () => {
  const rows = TABLE.trim()
    .split('\n')
    .map((line) => line.split('|').map((part) => part.trim().split(/\s+/)) as [[string], string[]]);

  it('has the states of the table', () => {
    expect(rows.map(([[from]]) => from)).toEqual([...CHECKOUT_STATUSES]);
    expect(LIVE_CHECKOUTS).toEqual(['opening', 'open', 'processing']);
  });

  it.each(rows.flatMap(([[from], cells]) => cells.map((to, n) => ({ from, event: CHECKOUT_EVENTS[n], to }))))(
    '$from, $event: $to',
    ({ from, event, to }) => {
      const moved = next(checkoutStates, from as never, event as never);
      expect(moved.ok ? moved.value : '.').toBe(to);
    },
  );
});
