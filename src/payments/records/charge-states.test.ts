import { describe, expect, it } from 'vitest';
import { next } from '../../kernel/state-table.ts';
import { CHARGE_EVENTS, CHARGE_STATUSES, chargeStates } from './charge-states.ts';

const TABLE = `
  intended   | sent       intended pending  .          accepted declined
  sent       | sent       intended pending  unresolved accepted declined
  pending    | pending    .        pending  pending    accepted declined
  unresolved | unresolved .        pending  unresolved accepted declined
  accepted   | .          .        .        .          .        .
  declined   | .          .        .        .          .        .`;

describe('a charge', () => {
  const rows = TABLE.trim()
    .split('\n')
    .map((line) => line.split('|').map((part) => part.trim().split(/\s+/)) as [[string], string[]]);

  it('has the states of the table', () => expect(rows.map(([[from]]) => from)).toEqual([...CHARGE_STATUSES]));

  it.each(rows.flatMap(([[from], cells]) => cells.map((to, n) => ({ from, event: CHARGE_EVENTS[n], to }))))(
    '$from, $event: $to',
    ({ from, event, to }) => {
      const moved = next(chargeStates, from as never, event as never);
      expect(moved.ok ? moved.value : '.').toBe(to);
    },
  );
});
