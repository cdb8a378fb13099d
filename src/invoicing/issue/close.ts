import type { Tx } from '../../db/index.ts';
import { type Instant, latest } from '../../kernel/time.ts';
import { findUsageMark, markedUsageSnapshot, readWithoutEvents, settleEach } from '../../metering/index.ts';
import { asksCommitment } from '../difference/due.ts';
import type { Waiting } from '../drafts/manual-line.ts';
import { updateManualLinesTaken } from '../drafts/manual-lines.sql.ts';
import { waitingFor } from '../drafts/manual-lines.ts';
import type { TermsOf } from '../drafts/terms-of-invoices.ts';
import { type ChangedInvoice, changed, followedBy, moved, unchanged } from '../invoice/changed-invoice.ts';
import type { InvoiceRow } from '../invoice/invoice.ts';
import {
  insertBilledUsage,
  insertPeriods,
  selectGraceBefore,
  updateInvoice,
  updateInvoices,
} from '../invoice/invoices.sql.ts';
import type { BillingSource, BillingTerms } from '../terms/billing-terms.ts';
import { lockBilling } from '../usage/billing-lock.sql.ts';
import { replaceTaken } from '../usage/burnt-taken.sql.ts';
import { insertUsageTaken } from '../usage/late-usage.sql.ts';
import { subjectsOf } from '../usage/late-usage.ts';
import { readUsageOfEach } from '../usage/read-usage.ts';
import { nextInvoice } from './open.ts';

/** Transition 2 of one invoice; see `endPeriods`. */
export async function closePeriod(
  tx: Tx,
  terms: BillingTerms,
  invoice: InvoiceRow,
  trigger: 'endPeriod' | 'terminate' | 'closeNow',
  now: Instant,
): Promise<InvoiceRow> {
  const [closed] = await closePeriods(tx, () => terms, [invoice], trigger, now);
  return closed as InvoiceRow;
}

/** Transition 2 of some invoices of one merchant, which are stored; see `endPeriods`. */
export async function closePeriods(
  tx: Tx,
  termsOf: TermsOf,
  invoices: readonly InvoiceRow[],
  trigger: 'endPeriod' | 'terminate' | 'closeNow',
  now: Instant,
): Promise<InvoiceRow[]> {
  const closing = await endPeriods(tx, termsOf, invoices.map(unchanged), trigger, now);
  await updateInvoices(tx, closing);
  return closing.map(({ after }) => after);
}

/**
 * Transition 2, of some invoices of one merchant: the periods are over. The next ones open in the same transaction,
 * unless their subscriptions ended.
 * @param pending the invoices, with what is changed of them and not stored yet
 * @returns what is to be stored of them; all else is stored
 */
export async function endPeriods(
  tx: Tx,
  termsOf: TermsOf,
  pending: readonly ChangedInvoice[],
  trigger: 'endPeriod' | 'terminate' | 'closeNow',
  now: Instant,
): Promise<ChangedInvoice[]> {
  const invoices = pending.map(({ after }) => after);
  const next = invoices.flatMap((invoice) => nextInvoice(termsOf(invoice), invoice) ?? []);
  await insertPeriods(tx, next, now);
  return pending.map((each) =>
    followedBy(each, moved(each.after, trigger, { nextActionAt: each.after.gracePeriodEnd }, now)),
  );
}

/** The time that an invoice waits at least for others which must be calculated before it. */
const A_WHILE = { minutes: 1 };

/**
 * Transition 3, of some invoices of one merchant, each of another subscription: the grace is over, and the quantities
 * are read and stored. No event can slip in between: what is accepted after the quantities are read is late usage. A
 * part of a period waits for the parts before it, and a commitment for all series that end by then.
 * @param pending the invoices, with what is changed of them and not stored yet
 * @param of.until up to where later parts of their period are billed; absent: there are none
 * @returns what is to be stored of them; all else is stored
 */
export async function closeUsages(
  tx: Tx,
  of: { readonly source: BillingSource; readonly termsOf: TermsOf; readonly until?: Instant | null },
  pending: readonly ChangedInvoice[],
  now: Instant,
): Promise<ChangedInvoice[]> {
  const [first] = pending;
  if (!first) return [];
  const { source, termsOf, until = null } = of;
  const invoices = pending.map(({ after }) => after);
  const waiting = await selectGraceBefore(
    tx,
    invoices.map(({ id }) => id),
    invoices.filter((invoice) => asksCommitment(termsOf(invoice), invoice)).map(({ id }) => id),
  );
  const closing = invoices
    .filter(({ id }) => !waiting.has(id))
    .map((invoice) => ({ invoice, terms: termsOf(invoice), waiting: waitingFor(termsOf(invoice), invoice) }));
  const mark = await saveUsage(tx, source, closing, until, now);
  return pending.map((each) => {
    const graceEnd = waiting.get(each.after.id);
    return followedBy(
      each,
      graceEnd
        ? changed(each.after, { nextActionAt: latest(graceEnd, now.add(A_WHILE)) }, now)
        : moved(each.after, 'endGrace', { usageMark: mark, nextActionAt: now }, now),
    );
  });
}

/** An invoice whose usage is read, and the lines by hand that it takes. */
interface Closing {
  readonly invoice: InvoiceRow;
  readonly terms: BillingTerms;
  readonly waiting: Waiting;
}

/** @returns up to which event the usage was read; null where nothing was */
async function saveUsage(
  tx: Tx,
  source: BillingSource,
  closing: readonly Closing[],
  until: Instant | null,
  now: Instant,
): Promise<bigint | null> {
  if (closing.length === 0) return null;
  await lockBilling(
    tx,
    closing.map(({ terms }) => terms.subscriptionId),
  );
  await updateManualLinesTaken(tx, closing, now);
  const toRead = closing.map(({ terms, invoice }) => ({
    terms,
    invoice: until === null ? invoice : { ...invoice, periodEnd: until },
  }));
  const { mark, snapshot, read } = await readWithoutEvents(tx, async () => {
    const mark = await findUsageMark(tx);
    return {
      mark,
      snapshot: await markedUsageSnapshot(tx, mark),
      read: await readUsageOfEach(tx, source, toRead),
    };
  });
  const marks = closing.map(({ invoice, terms }) => ({ subjects: subjectsOf(terms), until: invoice.periodEnd }));
  await settleEach(tx, marks, now);
  const usage = closing.map(({ invoice }, place) => ({ invoice, usage: read[place] ?? [] }));
  await insertBilledUsage(tx, usage);
  for (const each of usage) await replaceTaken(tx, each.invoice, each.usage);
  await insertUsageTaken(
    tx,
    closing.map(({ invoice }) => invoice.id),
    snapshot,
  );
  return mark;
}

/** Moves the end of a period whose usage is not read yet, and with it its grace and its due time. */
export const cutPeriod = (
  tx: Tx,
  invoice: InvoiceRow,
  end: Instant,
  gracePeriodEnd: Instant,
  now: Instant,
): Promise<InvoiceRow> =>
  updateInvoice(
    tx,
    invoice,
    {
      periodEnd: end,
      gracePeriodEnd,
      nextActionAt: invoice.status === 'CLOSING' ? gracePeriodEnd : end,
    },
    now,
  );
