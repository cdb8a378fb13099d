import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { next } from '../../kernel/state-table.ts';
import {
  firstStatus,
  type InvoiceStatus,
  type InvoiceTrigger,
  invoiceStates,
  invoiceStatuses,
  invoiceTriggers,
  printInvoiceStates,
} from './states.ts';

/** The allowed edges, written from the rows of domain.md §4 and not from the table. */
const ALLOWED: [row: number, InvoiceStatus, InvoiceTrigger, InvoiceStatus][] = [
  [2, 'ACTIVE', 'endPeriod', 'CLOSING'],
  [2, 'ACTIVE', 'terminate', 'CLOSING'],
  [2, 'ACTIVE', 'closeNow', 'CLOSING'],
  [3, 'CLOSING', 'endGrace', 'CLOSED'],
  [4, 'CLOSED', 'startCalculation', 'CALCULATING'],
  [5, 'CALCULATING', 'finishCalculation', 'DRAFT'],
  [6, 'CALCULATING', 'deferCalculation', 'CALCULATING'],
  [7, 'CALCULATING', 'failCalculation', 'FAILED'],
  [8, 'FAILED', 'retry', 'CALCULATING'],
  [8, 'FAILED', 'recalculate', 'CALCULATING'],
  [9, 'DRAFT', 'recalculate', 'CALCULATING'],
  [10, 'DRAFT', 'autoApprove', 'ISSUED'],
  [10, 'DRAFT', 'completeApprovals', 'ISSUED'],
  [10, 'DRAFT', 'approve', 'ISSUED'],
  [11, 'DRAFT', 'cancel', 'CANCELLED'],
  [12, 'ISSUED', 'settle', 'PAID'],
  [13, 'ISSUED', 'declineCharge', 'PAYMENT_FAILED'],
  [14, 'PAYMENT_FAILED', 'settle', 'PAID'],
  [15, 'PAYMENT_FAILED', 'declineCharge', 'PAYMENT_FAILED'],
  [16, 'ISSUED', 'spendDunning', 'WRITTEN_OFF'],
  [16, 'PAYMENT_FAILED', 'spendDunning', 'WRITTEN_OFF'],
  [16, 'ISSUED', 'writeOff', 'WRITTEN_OFF'],
  [16, 'PAYMENT_FAILED', 'writeOff', 'WRITTEN_OFF'],
  [17, 'WRITTEN_OFF', 'settle', 'PAID'],
  [18, 'ISSUED', 'cancel', 'CANCELLED'],
  [18, 'PAYMENT_FAILED', 'cancel', 'CANCELLED'],
  [18, 'ISSUED', 'expireSession', 'CANCELLED'],
  [18, 'PAYMENT_FAILED', 'expireSession', 'CANCELLED'],
  [19, 'PAID', 'refund', 'PAID'],
  [19, 'ISSUED', 'creditPart', 'ISSUED'],
  [19, 'PAYMENT_FAILED', 'creditPart', 'PAYMENT_FAILED'],
  [19, 'PAID', 'creditPart', 'PAID'],
  [20, 'PAID', 'reopen', 'ISSUED'],
  [20, 'PAID', 'reverseRecovery', 'WRITTEN_OFF'],
  [21, 'ISSUED', 'reissue', 'CANCELLED'],
  [21, 'PAYMENT_FAILED', 'reissue', 'CANCELLED'],
  [21, 'PAID', 'reissue', 'PAID'],
  [22, 'DRAFT', 'join', 'CANCELLED'],
];

const triggers = Object.keys(invoiceTriggers) as InvoiceTrigger[];

describe('the states of an invoice', () => {
  // Proves 2.invoice.status.
  it('are the eleven of §2', () => {
    expect([...invoiceStatuses].toSorted()).toEqual(
      'ACTIVE CALCULATING CANCELLED CLOSED CLOSING DRAFT FAILED ISSUED PAID PAYMENT_FAILED WRITTEN_OFF'.split(' '),
    );
    expect(Object.keys(invoiceStates).toSorted()).toEqual([...invoiceStatuses].toSorted());
  });

  it('have every row of the domain page from 2 to 22 among their edges', () => {
    expect([...new Set(ALLOWED.map(([row]) => row))]).toEqual(Array.from({ length: 21 }, (_, n) => n + 2));
  });

  it('begin with an open period or with a calculation', () => {
    expect(firstStatus).toEqual({ period: 'ACTIVE', other: 'CALCULATING' });
  });

  const cells = invoiceStatuses.flatMap((status) => triggers.map((trigger) => ({ status, trigger })));

  it('have a cell for each of 25 triggers', () => expect(cells).toHaveLength(11 * 25));

  it.each(cells)('$status, $trigger', ({ status, trigger }) => {
    const edge = ALLOWED.find(([, from, by]) => from === status && by === trigger);
    const code = trigger === 'refund' ? 'INVOICE_NOT_PAID' : 'INVALID_TRANSITION';
    expect(next(invoiceStates, status, trigger)).toEqual(
      edge
        ? { ok: true, value: edge[3] }
        : {
            ok: false,
            refusal: expect.objectContaining({
              kind: 'code',
              code,
              details: expect.objectContaining({ status, trigger }),
            }),
          },
    );
  });

  it('are printed in the documentation as they are in the code', () => {
    const page = readFileSync(new URL('../../../docs/invoice-states.md', import.meta.url), 'utf8');
    expect(page).toBe(printInvoiceStates());
  });
});
