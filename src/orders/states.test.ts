import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { next } from '../kernel/state-table.ts';
import {
  type OrderStanding,
  type OrderStatus,
  type OrderTrigger,
  orderStandings,
  orderStates,
  orderStatuses,
  orderTriggers,
  printOrderStates,
  standingOf,
  statusOf,
} from './states.ts';

/** The moves that are allowed, written from domain.md §6 and not from the table. */
const ALLOWED: [OrderStanding, OrderTrigger, OrderStanding][] = [
  ['draft', 'submit', 'pending'],
  ['draft', 'amend', 'draft'],
  ['draft', 'annotate', 'draft'],
  ['draft', 'cancel', 'cancelled'],
  ['draft', 'remove', 'draft'],
  ['pending', 'submit', 'pending'],
  ['pending', 'approve', 'approved'],
  ['pending', 'reject', 'rejected'],
  ['pending', 'recall', 'draft'],
  ['pending', 'withdraw', 'draft'],
  ['pending', 'amend', 'draft'],
  ['pending', 'annotate', 'pending'],
  ['pending', 'cancel', 'cancelled'],
  ['approved', 'submit', 'approved'],
  ['approved', 'approve', 'approved'],
  ['approved', 'reject', 'approved'],
  ['approved', 'recall', 'approved'],
  ['approved', 'withdraw', 'draft'],
  ['approved', 'amend', 'draft'],
  ['approved', 'annotate', 'approved'],
  ['approved', 'cancel', 'cancelled'],
  ['pushed', 'submit', 'pushed'],
  ['pushed', 'approve', 'pushed'],
  ['pushed', 'reject', 'pushed'],
  ['pushed', 'recall', 'pushed'],
  ['pushed', 'amend', 'amended'],
  ['pushed', 'restore', 'pushed'],
  ['pushed', 'annotate', 'pushed'],
  ['pushed', 'cancel', 'cancelled'],
  ['amended', 'submit', 'amended'],
  ['amended', 'approve', 'pushed'],
  ['amended', 'reject', 'amended'],
  ['amended', 'recall', 'amended'],
  ['amended', 'amend', 'amended'],
  ['amended', 'restore', 'pushed'],
  ['amended', 'annotate', 'amended'],
  ['amended', 'cancel', 'cancelled'],
  ['rejected', 'amend', 'draft'],
  ['rejected', 'annotate', 'draft'],
  ['rejected', 'cancel', 'cancelled'],
];

const triggers = Object.keys(orderTriggers) as OrderTrigger[];
const cells = orderStandings.flatMap((from) =>
  triggers.map((trigger) => ({
    from,
    trigger,
    to: ALLOWED.find(([state, event]) => state === from && event === trigger)?.[2] ?? null,
  })),
);

describe('the states of an order', () => {
  it.each(cells)('$from by $trigger: $to', ({ from, trigger, to }) => {
    const found = next(orderStates, from, trigger);
    if (to === null) expect(found).toMatchObject({ ok: false, refusal: { code: 'INVALID_TRANSITION' } });
    else expect(found).toEqual({ ok: true, value: to });
  });

  it('are printed in docs/orders.md', () => {
    expect(readFileSync(new URL('../../docs/orders.md', import.meta.url), 'utf8')).toContain(printOrderStates());
  });
});

describe('where an order stands', () => {
  it.each([
    ...orderStatuses.map((approvalStatus) => ({ approvalStatus, isPushed: false, standing: approvalStatus })),
    { approvalStatus: 'approved', isPushed: true, standing: 'pushed' },
    { approvalStatus: 'pending', isPushed: true, standing: 'amended' },
  ] as { approvalStatus: OrderStatus; isPushed: boolean; standing: OrderStanding }[])(
    '$standing, of $approvalStatus and pushed $isPushed',
    ({ approvalStatus, isPushed, standing }) => {
      expect(standingOf({ approvalStatus, cancelledAt: null }, isPushed)).toBe(standing);
      expect(standingOf({ approvalStatus, cancelledAt: 'then' }, isPushed)).toBe('cancelled');
      expect(statusOf(standing, 'rejected')).toBe(approvalStatus);
      expect(statusOf('cancelled', approvalStatus)).toBe(approvalStatus);
    },
  );
});
