import { cancelApprovals } from '../../approvals/index.ts';
import type { Tx } from '../../db/index.ts';
import { Decimal, ZERO } from '../../kernel/decimal.ts';
import { newId } from '../../kernel/ids.ts';
import { type Failure, fail, ok, type Result } from '../../kernel/result.ts';
import { next, statesFor, wrongState } from '../../kernel/state-table.ts';
import type { Instant } from '../../kernel/time.ts';
import { isDisputed } from '../../payments/index.ts';
import { DEBT_LINE } from '../calculation/one-off-lines.ts';
import { calculateKept } from '../calculation/one-off-terms.ts';
import { insertCreditNote, sumCreditNotes } from '../credit-notes/credit-notes.sql.ts';
import { isCredited } from '../credit-notes/unused-credits.sql.ts';
import { creditLinesOn } from '../credits/credit-lines.ts';
import { selectPlace } from '../difference/billed.sql.ts';
import { saveCalculation } from '../drafts/save-calculations.ts';
import { startCalculations } from '../drafts/start-calculations.ts';
import { termsOfInvoices } from '../drafts/terms-of-invoices.ts';
import { tryCalculation, tryCalculations } from '../drafts/try-calculations.ts';
import { type ChangedInvoice, changed, unchanged } from '../invoice/changed-invoice.ts';
import type { CreditNoteRow } from '../invoice/credit-note.ts';
import type { InvoicingDependencies } from '../invoice/dependencies.ts';
import { hasGivenLines, type InvoiceChanges, type InvoiceRow } from '../invoice/invoice.ts';
import type { LineRow } from '../invoice/invoice-line.ts';
import {
  insertInvoice,
  insertLines,
  selectLines,
  updateInvoiceStatus,
  updateInvoices,
} from '../invoice/invoices.sql.ts';
import { purposeOf } from '../invoice/purposes.ts';
import { invoiceStates } from '../invoice/states.ts';
import { publishInvoice } from '../invoice/webhooks.ts';
import { bookReissue } from '../paying/bookings.ts';
import { updateToCollectAgain } from '../paying/debts.sql.ts';
import { cancelSessionsOf } from '../paying/sessions.ts';
import { deleteUsageTakenOfCorrected } from '../usage/late-usage.sql.ts';
import { lockWithNow } from './actions.ts';
import { closeUsages } from './close.ts';
import { issueChanged } from './issue.ts';
import {
  deleteBurntTaken,
  insertBilledFactsAgain,
  selectEndOfLaterParts,
  updateCreditTargets,
  updateInvoiceOfManualLines,
} from './reissue.sql.ts';
import { copyNotes, planNotes, writeNotes } from './reissue-notes.ts';

/** How an invoice is issued again. */
export interface Reissue {
  readonly reason: string;
  /** Rated anew, with what is known now; else with the same lines. */
  readonly recalculate: boolean;
}

/**
 * POST …/reissue (commercial.md §7): a credit note is over all of an issued invoice, and another invoice has its place
 * (docs/decisions/0270). What was paid is in the wallet, which pays the new one.
 * @returns INVALID_TRANSITION, PAYMENT_IN_PROGRESS, PAYMENT_DISPUTED, or the new invoice
 */
export async function reissueInvoice(
  dependencies: InvoicingDependencies,
  tx: Tx,
  invoiceId: string,
  { reason, recalculate }: Reissue,
  wall: Instant,
): Promise<Result<InvoiceRow>> {
  const locked = await lockWithNow(tx, invoiceId, wall, dependencies);
  if (!locked.ok) return locked;
  const { invoice, now } = locked.value;
  const lines = await selectLines(tx, invoiceId);
  const allowed = await checkReissue(dependencies, tx, invoice, lines, recalculate);
  if (!allowed.ok) return allowed;
  if (recalculate && lines.some(({ type, totalPrice }) => type === 'manual' && totalPrice.lt(0)))
    return refused(invoice, 'It has a deduction by hand, which may have gone on to another invoice: keep its lines.');
  const note = await insertCreditNote(tx, invoice, 'reissue', reason, now);
  const id = newId('invoice');
  const replaced = await replace(dependencies, tx, invoice, note, id, now);
  const made = recalculate
    ? await calculateAnew(dependencies, tx, replaced, id, now)
    : ok(await copy(tx, replaced, id, lines, now));
  if (!made.ok) return made;
  const draft = made.value;
  if (draft.status === 'CANCELLED') return ok(draft); // nothing is left to ask
  if (draft.status !== 'DRAFT') return refused(invoice, 'The new invoice cannot be calculated at once.');
  await purposeOf(dependencies, invoice.purposeType)?.reissued?.(tx, invoice, draft, now);
  const notes = await (recalculate ? planNotes : copyNotes)(tx, invoice, lines, draft);
  const less = changed(draft, { paidAmount: notes.total, creditedAmount: notes.total }, now);
  const [issued] = await issueChanged(dependencies, tx, [less], 'autoApprove', now);
  await writeNotes(dependencies, tx, issued as InvoiceRow, notes, now);
  return ok(issued as InvoiceRow);
}

/** The table's refusal of a status that it allows otherwise. */
const refused = ({ status }: InvoiceRow, why: string): Failure =>
  wrongState(
    {
      ...{ thing: 'invoice', status, trigger: 'reissue', done: null },
      allowedFrom: statesFor(invoiceStates, 'reissue'),
    },
    { why, details: {} },
  ) as Failure;

async function checkReissue(
  dependencies: InvoicingDependencies,
  tx: Tx,
  invoice: InvoiceRow,
  lines: readonly LineRow[],
  recalculate: boolean,
): Promise<Result<void>> {
  const moved = next(invoiceStates, invoice.status, 'reissue');
  if (!moved.ok) return moved;
  const no = (why: string) => refused(invoice, why);
  if (invoice.reissuedAsId !== null)
    return no(`This invoice is replaced by ${invoice.reissuedAsId}: reissue that one.`);
  if (invoice.invoiceNumber === null) return no('This invoice is an unpaid offer and no debt: cancel it instead.');
  const purpose = purposeOf(dependencies, invoice.purposeType);
  if ((purpose && !purpose.reissued) || lines.some(({ type }) => type === 'wallet_top_up'))
    return no('Something was bought with this invoice, so another one cannot replace it.');
  if (invoice.kind === 'grouped') return no('An invoice of several subscriptions is not reissued.');
  if (await isCredited(tx, invoice, recalculate ? 'notes' : 'moving'))
    return no('It is refunded, or has credits that another invoice cannot bear; `recalculate: false` bears more.');
  const noted = await sumCreditNotes(tx, invoice);
  if (!noted.amount.isZero() && noted.amount.plus(noted.tax).gte(invoice.grandTotal))
    return no('All of it is credited, so nothing is left to replace.');
  if (invoice.paymentInFlight) return fail('PAYMENT_IN_PROGRESS');
  return (await isDisputed(tx, invoice.id)) ? fail('PAYMENT_DISPUTED') : ok(undefined);
}

/** From its place in the order of billing on the invoice counts for nothing; a paid one stays PAID. */
async function replace(
  dependencies: InvoicingDependencies,
  tx: Tx,
  invoice: InvoiceRow,
  note: CreditNoteRow,
  reissuedAsId: string,
  now: Instant,
): Promise<InvoiceRow> {
  const isPaid = invoice.status === 'PAID';
  const rebilledFrom = invoice.subscriptionId === null ? null : (await selectPlace(tx, invoice)).seq;
  const changes: InvoiceChanges = {
    ...{ reissuedAsId, rebilledFrom, nextActionAt: null },
    ...(!isPaid && { walletApplied: ZERO, paidAmount: invoice.paidAmount.minus(invoice.walletApplied) }),
  };
  const replaced = await updateInvoiceStatus(tx, invoice, 'reissue', changes, now);
  await cancelApprovals(tx, [invoice.id], now);
  await cancelSessionsOf(tx, replaced, now);
  const more = isPaid ? { creditNoteId: note.id } : {};
  await publishInvoice(tx, replaced, isPaid ? 'invoice.credited.v0' : 'invoice.cancelled.v0', now, more);
  await bookReissue(tx, invoice, note, now);
  if (!invoice.collectedDebt.isZero()) await updateToCollectAgain(tx, invoice.id);
  const intoWallet = Decimal.max(ZERO, note.total.minus(invoice.unpaidAmount));
  await dependencies.mails.notify(
    tx,
    replaced,
    isPaid ? { kind: 'credited', note, off: ZERO, intoWallet } : { kind: 'cancelled', note, intoWallet },
    now,
  );
  return replaced;
}

/** The new invoice of the same kind, period and number in the sequence, with nothing on it yet. */
const open = (
  tx: Tx,
  replaced: InvoiceRow,
  more: Pick<InvoiceRow, 'id' | 'status'> & Partial<Pick<InvoiceRow, 'terms' | 'usageMark' | 'isCopy'>>,
  now: Instant,
): Promise<InvoiceRow> => {
  const { merchantId, kind, customerId, subscriptionId, clockId, currency } = replaced;
  const { billingCadence, billingAnchor, periodNumber, periodStart, periodEnd, gracePeriodEnd } = replaced;
  const { sequenceNumber, paymentTermDays, metadata, oneOff, purposeType, purposeId } = replaced;
  return insertInvoice(
    tx,
    {
      ...{ merchantId, kind, customerId, subscriptionId, clockId, currency },
      ...{ billingCadence, billingAnchor, periodNumber, periodStart, periodEnd, gracePeriodEnd },
      ...{ sequenceNumber, paymentTermDays, metadata, oneOff, purposeType, purposeId },
      ...{ reissueOfId: replaced.id, autoApprove: true, nextActionAt: null },
      ...more,
    },
    now,
  );
};

/** The same lines, rates and usage. A debt is no line of it: its issue collects what waits. */
async function copy(
  tx: Tx,
  replaced: InvoiceRow,
  id: string,
  lines: readonly LineRow[],
  now: Instant,
): Promise<InvoiceRow> {
  const { terms, usageMark, subtotal, collectedDebt, totalTax, grandTotal, taxes, contentHash } = replaced;
  const isCopy = !hasGivenLines(replaced); // the others are calculated from what was asked for
  const opened = await open(tx, replaced, { id, status: 'CALCULATING', terms, usageMark, isCopy }, now);
  const kept = lines.filter(({ type }) => type !== DEBT_LINE);
  const ids = new Map(kept.map((line) => [line.id, newId('lineItem')]));
  await insertLines(
    tx,
    kept.map((line, position) => ({
      ...{ ...line, invoiceId: id, id: ids.get(line.id) as string, position },
      appliesToLineId: line.appliesToLineId === null ? null : (ids.get(line.appliesToLineId) ?? null),
    })),
  );
  await insertBilledFactsAgain(tx, replaced.id, id);
  const totals = { subtotal: subtotal.minus(collectedDebt), totalTax, grandTotal: grandTotal.minus(collectedDebt) };
  const content = { ...totals, taxes, contentHash, itemCount: kept.length };
  return updateInvoiceStatus(tx, opened, 'finishCalculation', content, now);
}

/** Rated with the usage, the terms and the tax rates of now. What the old one corrected is looked at again. */
async function calculateAnew(
  dependencies: InvoicingDependencies,
  tx: Tx,
  replaced: InvoiceRow,
  id: string,
  now: Instant,
): Promise<Result<InvoiceRow>> {
  const status = replaced.kind === 'subscription' ? 'CLOSING' : 'CALCULATING';
  const opened = await open(tx, replaced, { id, status }, now);
  await updateCreditTargets(tx, replaced.id, id);
  await updateInvoiceOfManualLines(tx, replaced.id, id);
  if (replaced.subscriptionId !== null) {
    await deleteUsageTakenOfCorrected(tx, replaced, 'billed');
    await deleteBurntTaken(tx, replaced.id);
  }
  if (hasGivenLines(opened)) {
    const credits = await creditLinesOn(tx, opened);
    const calculated = await calculateKept(dependencies, tx, opened, 'later', now, credits);
    if (!calculated.ok) return calculated;
    const { calculation, frozen, waits } = calculated.value;
    return ok(waits ? opened : await saveCalculation(tx, opened, calculation, frozen, now));
  }
  if (status === 'CALCULATING') return ok(await tryCalculation(dependencies, tx, opened, now));
  const termsOf = await termsOfInvoices(tx, dependencies.source, [opened]);
  const { source } = dependencies;
  const until = await selectEndOfLaterParts(tx, opened);
  const closed = await closeUsages(tx, { source, termsOf, until }, [unchanged(opened)], now);
  if (closed[0]?.after.status !== 'CLOSED') return ok(opened);
  const started = await startCalculations(dependencies, tx, { pending: closed, termsOf }, now);
  const done = await tryCalculations(dependencies, tx, { pending: started, termsOf }, now);
  await updateInvoices(tx, done);
  return ok((done[0] as ChangedInvoice).after);
}
