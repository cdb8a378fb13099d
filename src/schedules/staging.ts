import { kindOf, newId } from '../kernel/ids.ts';
import { type Instant, isAfter, isBefore } from '../kernel/time.ts';
import { amountOf, type PlannedCredit, type PlannedInvoice } from './difference.ts';
import type { ScheduleInvoiceRow, StagedLine } from './schedule.ts';

/** The id of a line's subject; null if it has only words. */
const lineKeyOf = (key: string): string | null => {
  const subject = key.slice(key.indexOf(' ') + 1);
  return kindOf(subject) === null ? null : subject;
};

/** The credit of an invoice, among its staged lines. */
export const creditLine = ({ item, amount }: PlannedCredit): StagedLine => ({
  key: item.key,
  lineKey: lineKeyOf(item.key),
  itemId: item.itemId,
  description: `${item.description}: credit`,
  quantity: amount.div(amount),
  unitPrice: amount.negated(),
  subtotal: amount.negated(),
  periodStart: item.period.start,
  periodEnd: item.period.end,
});

/** The writes of staging: new or changed rows, and the ids of deleted ones. */
export interface StagingPlan {
  readonly written: readonly ScheduleInvoiceRow[];
  readonly gone: readonly string[];
}

/**
 * Brings the staged rows of a schedule to what is planned. A row keeps its id while something is staged for its date.
 * Pure.
 * @param rows all of the schedule
 */
export function planStaging(
  { merchantId, scheduleId }: { readonly merchantId: string; readonly scheduleId: string },
  rows: readonly ScheduleInvoiceRow[],
  planned: readonly PlannedInvoice[],
  now: Instant,
): StagingPlan {
  const staged = rows.filter(({ status }) => status === 'staged');
  const corrections = Math.max(0, ...rows.map(({ correction }) => correction));
  const written: ScheduleInvoiceRow[] = [];
  const kept = new Set<string>();
  for (const invoice of planned) {
    const known = staged.find(({ billAt, correction }) =>
      invoice.isCorrection ? correction > 0 : correction === 0 && billAt.equals(invoice.billAt),
    );
    const row = rowOf({ merchantId, scheduleId }, invoice, known ?? null, corrections + 1, now);
    if (known) kept.add(known.id);
    if (known === undefined || !isSame(known, row)) written.push(row);
  }
  return { written, gone: staged.filter(({ id }) => !kept.has(id)).map(({ id }) => id) };
}

/** The row of a planned invoice. @param correction its number, where it is a correction without a row */
export function rowOf(
  { merchantId, scheduleId }: { readonly merchantId: string; readonly scheduleId: string },
  invoice: PlannedInvoice,
  known: ScheduleInvoiceRow | null,
  correction: number,
  now: Instant,
): ScheduleInvoiceRow {
  const lines = [...invoice.lines, ...invoice.credits.map(creditLine)];
  const starts = lines.map(({ periodStart }) => periodStart);
  const ends = lines.map(({ periodEnd }) => periodEnd);
  return {
    merchantId,
    scheduleId,
    id: known?.id ?? newId('scheduleInvoice'),
    billAt: invoice.billAt,
    correction: invoice.isCorrection ? (known?.correction ?? correction) : 0,
    periodStart: starts.reduce((a, b) => (isBefore(b, a) ? b : a)),
    periodEnd: ends.reduce((a, b) => (isAfter(b, a) ? b : a)),
    amount: amountOf(invoice),
    lines,
    status: 'staged',
    invoiceId: null,
    createdAt: known?.createdAt ?? now,
    updatedAt: now,
  };
}

const contentOf = ({ updatedAt: _, ...row }: ScheduleInvoiceRow): string => JSON.stringify(row);

const isSame = (a: ScheduleInvoiceRow, b: ScheduleInvoiceRow): boolean => contentOf(a) === contentOf(b);
