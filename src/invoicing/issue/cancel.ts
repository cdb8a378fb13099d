import { cancelApprovals } from '../../approvals/index.ts';
import type { Tx } from '../../db/index.ts';
import { ZERO } from '../../kernel/decimal.ts';
import { next } from '../../kernel/state-table.ts';
import type { Instant } from '../../kernel/time.ts';
import { insertCreditNote } from '../credit-notes/credit-notes.sql.ts';
import { returnCredits } from '../credits/return-credits.ts';
import { selectPlace } from '../difference/billed.sql.ts';
import type { CancellationCause, InvoicingDependencies } from '../invoice/dependencies.ts';
import { bySubscription, type InvoiceRow } from '../invoice/invoice.ts';
import { deleteUnbilledInvoice, updateInvoiceStatus } from '../invoice/invoices.sql.ts';
import { announceCancelled } from '../invoice/purposes.ts';
import { invoiceStates } from '../invoice/states.ts';
import { publishInvoice } from '../invoice/webhooks.ts';
import { bookCancellation, bookWriteOff } from '../paying/bookings.ts';
import { updateToCollectAgain } from '../paying/debts.sql.ts';
import { cancelSessionsOf, expireSessionsOf } from '../paying/sessions.ts';
import { deleteUsageTakenOfCorrected } from '../usage/late-usage.sql.ts';
import { carryOverCancelled } from './carry-over.ts';

/**
 * Is anything of it paid that neither the wallet nor a credit paid? The wallet's part goes back into it with a
 * cancellation.
 */
export const isPaidInMoney = (invoice: Pick<InvoiceRow, 'paidAmount' | 'walletApplied' | 'creditedAmount'>): boolean =>
  invoice.paidAmount.gt(invoice.walletApplied.plus(invoice.creditedAmount));

/**
 * Transitions 11 and 18, by hand. A numbered invoice gets its cancellation credit note in the same transaction, and
 * what its credit lines had taken off it is given back otherwise.
 * @param how `sessions`: `expire` them, because their subscription has ended. `rebill`: it does not count as billed,
 *   and the next invoice of its subscription bears what belonged on it
 */
export async function cancelInvoice(
  dependencies: InvoicingDependencies,
  tx: Tx,
  invoice: InvoiceRow,
  reason: string | null,
  now: Instant,
  { rebill = false, sessions = 'cancel' }: { readonly rebill?: boolean; readonly sessions?: 'cancel' | 'expire' } = {},
): Promise<InvoiceRow> {
  const rebilledFrom = rebill ? (await selectPlace(tx, invoice)).seq : null;
  const cancelled = await updateInvoiceStatus(
    tx,
    invoice,
    'cancel',
    { ...withoutWallet(invoice), nextActionAt: null, rebilledFrom },
    now,
  );
  const isNumbered = cancelled.invoiceNumber !== null;
  const note = isNumbered ? await insertCreditNote(tx, cancelled, 'cancellation', reason, now) : null;
  await cancelApprovals(tx, [cancelled.id], now);
  await (sessions === 'cancel' ? cancelSessionsOf : expireSessionsOf)(tx, cancelled, now);
  await ended(dependencies, tx, invoice, cancelled, 'byHand', now);
  await returnCredits(dependencies, tx, cancelled, now);
  await carryOverCancelled(dependencies, tx, cancelled, now);
  for (const own of bySubscription(cancelled))
    await deleteUsageTakenOfCorrected(tx, own, rebill ? 'billed' : 'corrected'); // owed again
  await dependencies.mails.notify(tx, cancelled, { kind: 'cancelled', note, intoWallet: invoice.walletApplied }, now);
  return cancelled;
}

/**
 * Transition 18, by itself: an invoice that lives by its session alone is over with it, unless something is paid or on
 * its way. Of every other invoice an expired session changes nothing.
 */
export async function endWithSession(
  dependencies: InvoicingDependencies,
  tx: Tx,
  invoice: InvoiceRow,
  now: Instant,
): Promise<InvoiceRow> {
  const isOffer = invoice.livesBySession && invoice.invoiceNumber === null; // a number makes it a debt
  const isKept = !isOffer || isPaidInMoney(invoice) || invoice.paymentInFlight;
  if (isKept || !next(invoiceStates, invoice.status, 'expireSession').ok) return invoice;
  const unpaid = { ...withoutWallet(invoice), nextActionAt: null };
  const cancelled = await updateInvoiceStatus(tx, invoice, 'expireSession', unpaid, now);
  await ended(dependencies, tx, invoice, cancelled, 'sessionExpired', now);
  return cancelled;
}

/** The wallet gets its share back, so that share no longer counts as paid. */
const withoutWallet = ({ paidAmount, walletApplied }: InvoiceRow) => ({
  paidAmount: paidAmount.minus(walletApplied),
  walletApplied: ZERO,
});

async function ended(
  dependencies: InvoicingDependencies,
  tx: Tx,
  before: InvoiceRow,
  cancelled: InvoiceRow,
  why: CancellationCause,
  now: Instant,
): Promise<void> {
  await announceCancelled(dependencies, tx, cancelled, why, now);
  await publishInvoice(tx, cancelled, 'invoice.cancelled.v0', now);
  if (cancelled.issuedAt !== null) await bookCancellation(tx, before, now);
  if (!cancelled.collectedDebt.isZero()) await updateToCollectAgain(tx, cancelled.id);
}

/** Transition 16, by hand or because the last retry of its charge was declined. */
export async function writeOffInvoice(
  dependencies: Pick<InvoicingDependencies, 'mails'>,
  tx: Tx,
  invoice: InvoiceRow,
  now: Instant,
  trigger: 'writeOff' | 'spendDunning' = 'writeOff',
): Promise<InvoiceRow> {
  const written = await updateInvoiceStatus(tx, invoice, trigger, { nextActionAt: null }, now);
  await expireSessionsOf(tx, written, now);
  await publishInvoice(tx, written, 'invoice.written_off.v0', now);
  await bookWriteOff(tx, written, now);
  await dependencies.mails.notify(tx, written, { kind: 'writtenOff' }, now);
  return written;
}

/**
 * Takes back an invoice whose period there is not, after all: nothing of it was billed. Credits that stood on it would
 * be lost with it, so they are given back as with a cancellation.
 */
export async function removeUnbilledInvoice(
  dependencies: InvoicingDependencies,
  tx: Tx,
  invoice: InvoiceRow,
  now: Instant,
): Promise<void> {
  await returnCredits(dependencies, tx, invoice, now);
  await deleteUnbilledInvoice(tx, invoice);
}
