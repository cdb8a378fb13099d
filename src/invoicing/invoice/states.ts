import { refuse, stateTable } from '../../kernel/state-table.ts';

/** §2 Invoice: the eleven statuses, in the order in which most invoices pass them. */
export const invoiceStatuses = [
  'ACTIVE',
  'CLOSING',
  'CLOSED',
  'CALCULATING',
  'DRAFT',
  'ISSUED',
  'PAYMENT_FAILED',
  'PAID',
  'WRITTEN_OFF',
  'CANCELLED',
  'FAILED',
] as const;
export type InvoiceStatus = (typeof invoiceStatuses)[number];

/** Where invoices begin: those of a period open, all others are calculated at once (domain.md §4, row 1). */
export const firstStatus = { period: 'ACTIVE', other: 'CALCULATING' } as const satisfies Record<string, InvoiceStatus>;

/** Everything that can happen to an invoice, and when it does. The numbers are the rows of domain.md §4. */
export const invoiceTriggers = {
  /** 2 */ endPeriod: 'The clock reaches `periodEnd`.',
  /** 2 */ terminate: 'The subscription is terminated, or ends, inside the period.',
  /** 2 */ closeNow: 'POST `…/closeNow`: the period ends now, and there is no grace.',
  /** 3 */ endGrace: 'The clock reaches `gracePeriodEnd`: the quantities are read and stored.',
  /** 4 */ startCalculation: 'The runner freezes prices, adjustments and tax source.',
  /** 5 */ finishCalculation: 'Lines, tax, totals and snapshot hash are stored.',
  /** 6 */ deferCalculation: 'A transient error while attempts are left: the next one waits for its back-off.',
  /** 7 */ failCalculation: 'A permanent error, or the last attempt spent: `failureReason` says why.',
  /** 8 */ retry: 'The runner tries a failed calculation again.',
  /** 8, 9 */ recalculate: 'POST `…/recalculate`. Of a draft, pending approvals are cancelled.',
  /** 10 */ autoApprove: '`autoApprove` is set and no required approval is open.',
  /** 10 */ completeApprovals: 'The last required approval is given.',
  /** 10 */ approve: 'POST `…/approve`.',
  /** 11, 18 */ cancel: 'POST `…/cancel`: of a draft, or of an issued invoice on which nothing is paid.',
  /** 18 */ expireSession: 'The payment session expires of an invoice that lives by it alone, and nothing is paid.',
  /** 12, 14, 17 */ settle: 'What is unpaid reaches 0: by card, wallet or transfer, or because the total is 0.',
  /** 13, 15 */ declineCharge: 'A charge is declined; the next retry waits for its day, after the last there is none.',
  /** 16 */ spendDunning: 'The last retry is declined, and `dunning.finally` is `write_off`.',
  /** 16 */ writeOff: 'POST `…/writeOff`.',
  /** 19 */ refund: 'POST `…/refunds`: a child credit note is made. That there is no other is the refund’s own rule.',
} as const;
export type InvoiceTrigger = keyof typeof invoiceTriggers;

const wrong = refuse('INVALID_TRANSITION');
const notPaid = refuse('INVOICE_NOT_PAID'); // §3: a refund is refused with 400, all else with 409

/**
 * A row of the table names what its status allows and spreads this for the rest: of 220 cells 29 allow, and those are
 * what a reader looks for. A new trigger does not compile until it stands here; the test lists the allowed edges a
 * second time.
 */
const refused = {
  endPeriod: wrong,
  terminate: wrong,
  closeNow: wrong,
  endGrace: wrong,
  startCalculation: wrong,
  finishCalculation: wrong,
  deferCalculation: wrong,
  failCalculation: wrong,
  retry: wrong,
  recalculate: wrong,
  autoApprove: wrong,
  completeApprovals: wrong,
  approve: wrong,
  cancel: wrong,
  expireSession: wrong,
  settle: wrong,
  declineCharge: wrong,
  spendDunning: wrong,
  writeOff: wrong,
  refund: notPaid,
} as const satisfies Record<InvoiceTrigger, unknown>;

/** Can money still come for an invoice of this status? */
export const takesMoney = (status: InvoiceStatus): boolean => typeof invoiceStates[status].settle === 'string';

/** How refusals speak of what callers try; the other triggers are due work's own. */
const invoiceWords = {
  thing: 'invoice',
  done: {
    closeNow: 'closed',
    recalculate: 'recalculated',
    approve: 'approved',
    cancel: 'cancelled',
    settle: 'paid',
    writeOff: 'written off',
    refund: 'refunded',
  },
};

/**
 * The complete table of transitions (domain.md §4). What a transition also does stands with the operation that makes
 * it.
 */
export const invoiceStates = stateTable<InvoiceStatus, InvoiceTrigger>(invoiceWords, {
  ACTIVE: { ...refused, endPeriod: 'CLOSING', terminate: 'CLOSING', closeNow: 'CLOSING' },
  CLOSING: { ...refused, endGrace: 'CLOSED' },
  CLOSED: { ...refused, startCalculation: 'CALCULATING' },
  CALCULATING: {
    ...refused,
    finishCalculation: 'DRAFT',
    deferCalculation: 'CALCULATING',
    failCalculation: 'FAILED',
  },
  DRAFT: {
    ...refused,
    recalculate: 'CALCULATING',
    autoApprove: 'ISSUED',
    completeApprovals: 'ISSUED',
    approve: 'ISSUED',
    cancel: 'CANCELLED',
  },
  ISSUED: {
    ...refused,
    cancel: 'CANCELLED',
    expireSession: 'CANCELLED',
    settle: 'PAID',
    declineCharge: 'PAYMENT_FAILED',
    spendDunning: 'WRITTEN_OFF',
    writeOff: 'WRITTEN_OFF',
  },
  PAYMENT_FAILED: {
    ...refused,
    cancel: 'CANCELLED',
    expireSession: 'CANCELLED',
    settle: 'PAID',
    declineCharge: 'PAYMENT_FAILED',
    spendDunning: 'WRITTEN_OFF',
    writeOff: 'WRITTEN_OFF',
  },
  PAID: { ...refused, refund: 'PAID' },
  WRITTEN_OFF: { ...refused, settle: 'PAID' },
  CANCELLED: refused,
  FAILED: { ...refused, retry: 'CALCULATING', recalculate: 'CALCULATING' },
});

const WAY: readonly InvoiceStatus[] = ['ACTIVE', 'CLOSING', 'CLOSED', 'CALCULATING'];

/**
 * Where due work leads an invoice through several states in one transaction, and stores it once: a period that is over
 * is closed, calculated and issued, as far as nothing is waited for.
 */
export const invoicePassages: readonly (readonly [from: InvoiceStatus, to: InvoiceStatus])[] = WAY.flatMap(
  (from, place) => {
    const ends: readonly InvoiceStatus[] = ['DRAFT', 'FAILED', 'ISSUED'];
    return [...WAY.slice(place + 2), ...ends].map((to) => [from, to] as const);
  },
);

/** The table as a page of the documentation (`docs/invoice-states.md`; a test holds the two equal). */
export function printInvoiceStates(): string {
  const triggers = Object.keys(invoiceTriggers) as InvoiceTrigger[];
  const row = (cells: readonly string[]) => `| ${cells.join(' | ')} |`;
  const cell = (status: InvoiceStatus, trigger: InvoiceTrigger) => {
    const to = invoiceStates[status][trigger];
    return typeof to === 'string' ? to : to === wrong ? '·' : `\`${to.refuse}\``;
  };
  return [
    '# The states of an invoice',
    '',
    `An invoice of a period begins \`${firstStatus.period}\`, every other one \`${firstStatus.other}\`. From there a trigger leads to`,
    'the state in its row under the state that the invoice is in. A dot is refused: 409 `INVALID_TRANSITION`. A refund of an',
    'invoice that is not paid is refused with 400 `INVOICE_NOT_PAID`, a second one with 400 `INVOICE_ALREADY_REFUNDED`.',
    'Printed from `src/invoicing/invoice/states.ts`: the program moves by this table and by no other.',
    '',
    row(['trigger', ...invoiceStatuses]),
    row(['---', ...invoiceStatuses.map(() => '---')]),
    ...triggers.map((trigger) => row([`\`${trigger}\``, ...invoiceStatuses.map((status) => cell(status, trigger))])),
    '',
    '## What the triggers are',
    '',
    row(['trigger', 'it happens when']),
    row(['---', '---']),
    ...triggers.map((trigger) => row([`\`${trigger}\``, invoiceTriggers[trigger]])),
    '',
  ].join('\n');
}
