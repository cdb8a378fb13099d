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

/**
 * The first status of invoices: those of a period are open, all others are calculated at once (domain.md §4, row 1).
 */
export const firstStatus = { period: 'ACTIVE', other: 'CALCULATING' } as const satisfies Record<string, InvoiceStatus>;

/** Everything that can happen to an invoice, and when it does. The numbers are the rows of domain.md §4. */
export const invoiceTriggers = {
  /** 2 */ endPeriod: 'The clock reaches `periodEnd`.',
  /** 2 */ terminate: 'The subscription is terminated, or ends, inside the period.',
  /** 2 */ closeNow: 'POST `…/closeNow`: the period ends now, and there is no grace.',
  /** 3 */ endGrace: 'The clock reaches `gracePeriodEnd`: the quantities are read and stored.',
  /** 4 */ startCalculation: 'The calculation begins: prices, adjustments and the tax source are frozen.',
  /** 5 */ finishCalculation: 'Lines, tax, totals and snapshot hash are stored.',
  /** 6 */ deferCalculation: 'A transient error, with attempts left: the next attempt follows after its back-off.',
  /** 7 */ failCalculation: 'A permanent error, or the last attempt failed: `failureReason` has the reason.',
  /** 8 */ retry: 'A failed calculation is retried.',
  /** 8, 9 */ recalculate: 'POST `…/recalculate`. Pending approvals of a draft are cancelled.',
  /** 10 */ autoApprove: '`autoApprove` is set and no required approval is open.',
  /** 10 */ completeApprovals: 'The last required approval is given.',
  /** 10 */ approve: 'POST `…/approve`.',
  /** 11, 18 */ cancel:
    'POST `…/cancel`: of a draft, or of an issued invoice without payments. A draft without a line whose plan has ' +
    'ended is cancelled by itself.',
  /** 18 */ expireSession: 'The payment session of an offer expires unpaid.',
  /** 12, 14, 17 */ settle: 'The unpaid amount reaches 0: by card, wallet or transfer, or because the total is 0.',
  /** 13, 15 */ declineCharge: 'A charge is declined. The next retry follows on its day, until the last one.',
  /** 16 */ spendDunning: 'The last retry is declined, and `dunning.finally` is `write_off`.',
  /** 16 */ writeOff: 'POST `…/writeOff`.',
  /** 19 */ refund: 'POST `…/refunds`: a credit note is created. The operation itself rejects a second refund.',
  /** 19 */ creditPart: 'POST `…/creditNotes`: a credit note over a part. Less unpaid may settle it.',
  /** 20 */ reopen: 'What had paid it is taken back: it is owed again.',
  /** 21 */ reissue: 'POST `…/reissue`: a credit note is over it, and another invoice replaces it.',
  /** 22 */ join: 'Its lines go to a grouped invoice: it never has a number.',
  /** 20 */ reverseRecovery: 'What had paid it after its write-off is taken back: it is written off again.',
} as const;
export type InvoiceTrigger = keyof typeof invoiceTriggers;

const wrong = refuse('INVALID_TRANSITION');
const notPaid = refuse('INVOICE_NOT_PAID'); // §3: a refund is refused with 400, all else with 409

/**
 * A row of the table names what its status allows and spreads this for the rest: of 275 cells 38 allow, and those are
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
  creditPart: wrong,
  reopen: wrong,
  reissue: wrong,
  join: wrong,
  reverseRecovery: wrong,
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
    reissue: 'replaced',
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
    join: 'CANCELLED',
  },
  ISSUED: {
    ...refused,
    creditPart: 'ISSUED',
    reissue: 'CANCELLED',
    cancel: 'CANCELLED',
    expireSession: 'CANCELLED',
    settle: 'PAID',
    declineCharge: 'PAYMENT_FAILED',
    spendDunning: 'WRITTEN_OFF',
    writeOff: 'WRITTEN_OFF',
  },
  PAYMENT_FAILED: {
    ...refused,
    creditPart: 'PAYMENT_FAILED',
    reissue: 'CANCELLED',
    cancel: 'CANCELLED',
    expireSession: 'CANCELLED',
    settle: 'PAID',
    declineCharge: 'PAYMENT_FAILED',
    spendDunning: 'WRITTEN_OFF',
    writeOff: 'WRITTEN_OFF',
  },
  PAID: {
    ...refused,
    refund: 'PAID',
    creditPart: 'PAID',
    reissue: 'PAID',
    reopen: 'ISSUED',
    reverseRecovery: 'WRITTEN_OFF',
  },
  WRITTEN_OFF: { ...refused, settle: 'PAID' },
  CANCELLED: refused,
  FAILED: { ...refused, retry: 'CALCULATING', recalculate: 'CALCULATING' },
});

const WAY: readonly InvoiceStatus[] = ['ACTIVE', 'CLOSING', 'CLOSED', 'CALCULATING'];

/**
 * The moves by which a background job takes an invoice through several states in one transaction, and stores it once:
 * an ended period is closed, calculated and issued, as far as nothing has to wait; or cancelled, where its plan has
 * ended and it has no line.
 */
export const invoicePassages: readonly (readonly [from: InvoiceStatus, to: InvoiceStatus])[] = WAY.flatMap(
  (from, place) => {
    const ends: readonly InvoiceStatus[] = ['DRAFT', 'FAILED', 'ISSUED', 'CANCELLED'];
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
    `An invoice of a period starts as \`${firstStatus.period}\`, every other invoice as \`${firstStatus.other}\`. Each row of the table is a`,
    'trigger, and each column is the state of the invoice before it. The cell has the state after it. A dot means a',
    'refusal: 409 `INVALID_TRANSITION`. A refund of an unpaid invoice is refused with 400 `INVOICE_NOT_PAID`, and a ' +
      'second',
    'refund with 400 `INVOICE_ALREADY_REFUNDED`.',
    '',
    'This page is printed from `src/invoicing/invoice/states.ts`, the only table of transitions in the program.',
    '',
    row(['trigger', ...invoiceStatuses]),
    row(['---', ...invoiceStatuses.map(() => '---')]),
    ...triggers.map((trigger) => row([`\`${trigger}\``, ...invoiceStatuses.map((status) => cell(status, trigger))])),
    '',
    '## Triggers',
    '',
    row(['trigger', 'when']),
    row(['---', '---']),
    ...triggers.map((trigger) => row([`\`${trigger}\``, invoiceTriggers[trigger]])),
    '',
  ].join('\n');
}
