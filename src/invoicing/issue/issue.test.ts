import { describe, expect, it } from 'vitest';
import { decimal } from '../../kernel/decimal.ts';
import { formatInstant, type Instant } from '../../kernel/time.ts';
import { creditNoteNumber, invoiceNumber } from '../invoice/numbering.ts';
import type { InvoiceStatus } from '../invoice/states.ts';
import { afterFailure } from '../outside-tax/attempts.ts';
import { decideAction, type InvoiceAction } from './actions.ts';
import { dueAt, overdueFrom } from './issue.ts';
import { decideRefund } from './refund.ts';

const at = (text: string): Instant => Temporal.Instant.from(text);

it.each([
  { days: 0, due: '2025-01-31T10:30:00Z', overdue: '2025-02-01T00:00:00Z' },
  { days: 1, due: '2025-02-01T10:30:00Z', overdue: '2025-02-02T00:00:00Z' },
  { days: 30, due: '2025-03-02T10:30:00Z', overdue: '2025-03-03T00:00:00Z' },
  { days: 365, due: '2026-01-31T10:30:00Z', overdue: '2026-02-01T00:00:00Z' },
])('an invoice of 31 January with $days days is due $due and overdue from $overdue', ({ days, due, overdue }) => {
  const dueInstant = dueAt(at('2025-01-31T10:30:00Z'), days);
  expect([formatInstant(dueInstant), formatInstant(overdueFrom(dueInstant))]).toEqual([due, overdue]);
});

it('is overdue a day later where it is due at the very start of a day: that day is not over', () => {
  expect(formatInstant(overdueFrom(at('2025-02-01T00:00:00Z')))).toBe('2025-02-02T00:00:00Z');
});

it.each([
  { prefix: null, counter: 1n, number: 'INV-000001' },
  { prefix: 'ACME', counter: 42n, number: 'ACME-000042' },
  { prefix: 'ACME', counter: 999_999n, number: 'ACME-999999' },
  { prefix: 'ACME', counter: 1_000_000n, number: 'ACME-1000000' },
])('invoice $counter of $prefix is $number', ({ prefix, counter, number }) => {
  expect(invoiceNumber(prefix, counter)).toBe(number);
});

it('numbers credit notes with a counter of their own', () => expect(creditNoteNumber(7n)).toBe('CN-000007'));

it('tries a failed calculation four more times, ever later, and then gives up', () => {
  expect([1, 2, 3, 4, 5].map(afterFailure)).toEqual([
    { trigger: 'deferCalculation', waitMinutes: 1 },
    { trigger: 'deferCalculation', waitMinutes: 5 },
    { trigger: 'deferCalculation', waitMinutes: 30 },
    { trigger: 'deferCalculation', waitMinutes: 120 },
    { trigger: 'failCalculation' },
  ]);
});

describe('by hand', () => {
  const code = (result: { ok: true } | { ok: false; refusal: { kind: string; code?: string } }) =>
    result.ok ? 'done' : result.refusal.code;
  it.each([
    { action: 'cancel', status: 'DRAFT', outcome: 'done' },
    { action: 'cancel', status: 'ISSUED', outcome: 'done' },
    { action: 'cancel', status: 'ISSUED', paid: '0.01', outcome: 'INVALID_TRANSITION' }, // row 18: nothing paid
    { action: 'cancel', status: 'ISSUED', paid: '5', wallet: '5', outcome: 'done' }, // the wallet gets its part back
    { action: 'cancel', status: 'ISSUED', paid: '5.01', wallet: '5', outcome: 'INVALID_TRANSITION' },
    { action: 'cancel', status: 'ISSUED', inFlight: true, outcome: 'INVALID_TRANSITION' },
    { action: 'cancel', status: 'PAID', outcome: 'INVALID_TRANSITION' },
    // the unpaid remainder of a part payment may be written off
    { action: 'writeOff', status: 'ISSUED', paid: '1', outcome: 'done' },
    { action: 'writeOff', status: 'ISSUED', inFlight: true, outcome: 'INVALID_TRANSITION' },
    { action: 'writeOff', status: 'ISSUED', number: null, outcome: 'INVALID_TRANSITION' }, // an offer is not owed
    { action: 'writeOff', status: 'DRAFT', outcome: 'INVALID_TRANSITION' },
    { action: 'approve', status: 'DRAFT', outcome: 'done' },
    { action: 'approve', status: 'ISSUED', outcome: 'INVALID_TRANSITION' },
    { action: 'recalculate', status: 'DRAFT', outcome: 'done' },
    { action: 'recalculate', status: 'FAILED', outcome: 'done' },
    { action: 'recalculate', status: 'ISSUED', outcome: 'INVALID_TRANSITION' },
  ])(
    '$action of $status $number (paid $paid, by the wallet $wallet, in flight $inFlight): $outcome',
    ({ action, status, paid = '0', wallet = '0', number = 'INV-1', inFlight = false, outcome }) => {
      const invoice = {
        status: status as InvoiceStatus,
        paidAmount: decimal(paid),
        walletApplied: decimal(wallet),
        creditedAmount: decimal('0'),
        paymentInFlight: inFlight,
        invoiceNumber: number,
      };
      expect(code(decideAction(invoice, action as InvoiceAction))).toBe(outcome);
    },
  );

  it.each([
    { status: 'PAID', inForce: undefined, outcome: 'done' },
    { status: 'PAID', inForce: {}, outcome: 'INVOICE_ALREADY_REFUNDED' },
    { status: 'ISSUED', inForce: undefined, outcome: 'INVOICE_NOT_PAID' },
    { status: 'CANCELLED', inForce: {}, outcome: 'INVOICE_NOT_PAID' },
    { status: 'WRITTEN_OFF', inForce: undefined, outcome: 'INVOICE_NOT_PAID' },
  ])('a refund of $status with $inForce in force: $outcome', ({ status, inForce, outcome }) => {
    expect(code(decideRefund({ status: status as InvoiceStatus }, inForce))).toBe(outcome);
  });
});
