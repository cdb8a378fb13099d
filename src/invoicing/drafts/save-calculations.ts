import { createHash } from 'node:crypto';
import { findMissingKindsOf } from '../../approvals/index.ts';
import type { Tx } from '../../db/index.ts';
import { newId } from '../../kernel/ids.ts';
import type { Instant } from '../../kernel/time.ts';
import type { Calculation } from '../calculation/calculation.ts';
import { type ChangedInvoice, followedBy, moved } from '../invoice/changed-invoice.ts';
import type { FrozenTerms } from '../invoice/frozen-terms.ts';
import type { InvoiceRow } from '../invoice/invoice.ts';
import type { LineRow } from '../invoice/invoice-line.ts';
import { replaceLines, updateInvoices } from '../invoice/invoices.sql.ts';
import { publishInvoices } from '../invoice/webhooks.ts';

/** Transition 5 of one invoice; see `saveCalculations`. */
export async function saveCalculation(
  tx: Tx,
  invoice: InvoiceRow,
  calculation: Calculation,
  frozen: FrozenTerms,
  now: Instant,
): Promise<InvoiceRow> {
  const saved = await saveCalculations(tx, [{ invoice, calculation, frozen }], now);
  await updateInvoices(tx, saved);
  return (saved[0] as ChangedInvoice).after;
}

/** The amounts of an invoice, and the terms of their calculation. */
export interface Calculated {
  readonly invoice: InvoiceRow;
  readonly calculation: Calculation;
  readonly frozen: FrozenTerms;
  /** It asks nobody for anything: its plan has ended, or was paused for all of its period. */
  readonly isSilent?: boolean;
}

/**
 * Transition 5, of some invoices of one merchant: the lines are stored, and the draft is issued by itself unless it
 * waits for somebody. A draft that asks nobody for anything is cancelled (11), so it never takes a number.
 * @returns what is to be stored of the invoices themselves
 */
export async function saveCalculations(
  tx: Tx,
  calculated: readonly Calculated[],
  now: Instant,
): Promise<ChangedInvoice[]> {
  const [first] = calculated;
  if (!first) return [];
  await replaceLines(
    tx,
    calculated.map(({ invoice, calculation }) => ({
      invoice,
      lines: lineRows(invoice, calculation, () => newId('lineItem')),
    })),
  );
  const hashes = new Map(calculated.map(({ invoice, calculation }) => [invoice.id, draftHash(calculation)]));
  const missing = await findMissingKindsOf(tx, 'invoice', hashes);
  const saved = calculated.map(({ invoice, calculation, frozen, isSilent = false }) => {
    const waits = !invoice.autoApprove || (missing.get(invoice.id) ?? []).length > 0;
    const draft = moved(
      invoice,
      'finishCalculation',
      {
        subtotal: calculation.subtotal,
        totalTax: calculation.totalTax,
        grandTotal: calculation.grandTotal,
        taxes: [...calculation.taxes],
        itemCount: calculation.lines.length,
        contentHash: hashes.get(invoice.id) as string,
        terms: withOutsideCredits(frozen, calculation),
        failureReason: null,
        failureDetail: null,
        nextActionAt: waits || isSilent ? null : now,
      },
      now,
    );
    return isSilent ? followedBy(draft, moved(draft.after, 'cancel', {}, now)) : draft;
  });
  const cancelled = saved.flatMap(({ after }) => (after.status === 'CANCELLED' ? [after] : []));
  await publishInvoices(tx, cancelled, 'invoice.cancelled.v0', now);
  return saved;
}

/** A tax provider gets deductions of billed lines separately; the terms store their amount. */
const withOutsideCredits = (
  { outside, ...frozen }: FrozenTerms,
  { outsideCredits: credits }: Calculation,
): FrozenTerms =>
  outside?.answer
    ? { ...frozen, outside: { ...outside, answer: { ...outside.answer, ...(credits && { credits }) } } }
    : frozen;

/** The lines of a calculation with their places, and which takes something off which. */
export function lineRows(invoice: InvoiceRow, calculation: Calculation, idOf: (position: number) => string): LineRow[] {
  const ids = calculation.lines.map((_, position) => calculation.ids?.[position] ?? idOf(position));
  return calculation.lines.map((line, position) => {
    const appliesTo = calculation.appliesTo?.[position] ?? null;
    return {
      ...line,
      merchantId: invoice.merchantId,
      invoiceId: invoice.id,
      id: ids[position] as string,
      position,
      appliesToLineId: appliesTo === null ? null : (ids[appliesTo] as string),
    };
  });
}

/** The content of a draft, for approvals: equal calculations have the same hash. */
const draftHash = (calculation: Calculation): string =>
  createHash('sha256').update(JSON.stringify(calculation)).digest('hex');
