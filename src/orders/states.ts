import { refuse, stateTable } from '../kernel/state-table.ts';

/** §2 Order: the four values of `approvalStatus`. */
export const orderStatuses = ['draft', 'pending', 'approved', 'rejected'] as const;
export type OrderStatus = (typeof orderStatuses)[number];

/**
 * The standing of an order: its status, and the two facts that decide with it. `pushed` is an approved order of which
 * an invoice was made; `amended` is such an order with another content than the approved one; `cancelled` is an order
 * of any status with `cancelledAt`.
 */
export const orderStandings = ['draft', 'pending', 'approved', 'pushed', 'amended', 'rejected', 'cancelled'] as const;
export type OrderStanding = (typeof orderStandings)[number];

/** Everything that can happen to an order, and when it does. */
export const orderTriggers = {
  submit: 'An approval is requested.',
  approve: 'The last required approval is given.',
  reject: 'A reviewer rejects.',
  recall: 'A pending approval is cancelled.',
  withdraw: 'A given approval is cancelled.',
  amend: 'The content of the order changes: money, dates, items, lines, schedules.',
  restore: 'The content of the order is one that was approved before.',
  annotate: 'Another field changes: `metadata`, `closeDate`, `resellerId`, `sellingEntity`.',
  cancel: 'PATCH sets `cancelledAt`.',
  remove: 'DELETE of the order.',
} as const;
export type OrderTrigger = keyof typeof orderTriggers;

const wrong = refuse('INVALID_TRANSITION');

/** The complete table of transitions (domain.md §6). The status that a standing is kept as is `statusOf`. */
export const orderStates = stateTable<OrderStanding, OrderTrigger>(
  {
    thing: 'order',
    done: {
      submit: 'submitted',
      approve: 'approved',
      reject: 'rejected',
      recall: 'recalled',
      amend: 'changed',
      restore: 'changed',
      annotate: 'changed',
      cancel: 'cancelled',
      remove: 'deleted',
    },
  },
  {
    draft: {
      submit: 'pending',
      approve: wrong,
      reject: wrong,
      recall: wrong,
      withdraw: wrong,
      amend: 'draft',
      restore: wrong,
      annotate: 'draft',
      cancel: 'cancelled',
      remove: 'draft',
    },
    pending: {
      submit: 'pending', // an approval of another kind
      approve: 'approved',
      reject: 'rejected',
      recall: 'draft',
      withdraw: 'draft', // one kind was given, another is open
      amend: 'draft',
      restore: wrong,
      annotate: 'pending',
      cancel: 'cancelled',
      remove: wrong,
    },
    approved: {
      submit: 'approved', // a review beside the one that approved it changes nothing
      approve: 'approved',
      reject: 'approved',
      recall: 'approved',
      withdraw: 'draft',
      amend: 'draft',
      restore: wrong,
      annotate: 'approved',
      cancel: 'cancelled',
      remove: wrong,
    },
    pushed: {
      submit: 'pushed',
      approve: 'pushed',
      reject: 'pushed',
      recall: 'pushed',
      withdraw: wrong, // invoices went out under it
      amend: 'amended',
      restore: 'pushed',
      annotate: 'pushed',
      cancel: 'cancelled',
      remove: wrong,
    },
    amended: {
      submit: 'amended',
      approve: 'pushed', // differences correct what was invoiced
      reject: 'amended', // the content still differs
      recall: 'amended',
      withdraw: wrong,
      amend: 'amended',
      restore: 'pushed',
      annotate: 'amended',
      cancel: 'cancelled',
      remove: wrong,
    },
    rejected: {
      submit: wrong, // an edit reopens it first
      approve: wrong,
      reject: wrong,
      recall: wrong,
      withdraw: wrong,
      amend: 'draft',
      restore: wrong,
      annotate: 'draft',
      cancel: 'cancelled',
      remove: wrong,
    },
    cancelled: {
      submit: wrong,
      approve: wrong,
      reject: wrong,
      recall: wrong,
      withdraw: wrong,
      amend: wrong,
      restore: wrong,
      annotate: wrong,
      cancel: wrong,
      remove: wrong,
    },
  },
);

/** The standing of an order. */
export function standingOf(
  order: { readonly approvalStatus: OrderStatus; readonly cancelledAt: unknown },
  isPushed: boolean,
): OrderStanding {
  if (order.cancelledAt !== null) return 'cancelled';
  if (!isPushed) return order.approvalStatus;
  return order.approvalStatus === 'approved' ? 'pushed' : 'amended';
}

/** The status that an order is stored with in a standing; a cancelled order keeps the status that it had. */
export function statusOf(standing: OrderStanding, before: OrderStatus): OrderStatus {
  if (standing === 'cancelled') return before;
  if (standing === 'amended') return 'pending';
  return standing === 'pushed' ? 'approved' : standing;
}

/** The table in `docs/orders.md`; a test compares the two. */
export function printOrderStates(): string {
  const triggers = Object.keys(orderTriggers) as OrderTrigger[];
  const row = (cells: readonly string[]) => `| ${cells.join(' | ')} |`;
  const cell = (standing: OrderStanding, trigger: OrderTrigger) => {
    const to = orderStates[standing][trigger];
    return typeof to === 'string' ? to : '·';
  };
  return [
    row(['trigger', ...orderStandings, 'when']),
    row(['---', ...orderStandings.map(() => '---'), '---']),
    ...triggers.map((trigger) =>
      row([`\`${trigger}\``, ...orderStandings.map((standing) => cell(standing, trigger)), orderTriggers[trigger]]),
    ),
  ].join('\n');
}
