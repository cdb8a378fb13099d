import { cancelApprovals, findMissingKinds } from '../../approvals/index.ts';
import { effectiveNow } from '../../clocks/index.ts';
import type { Tx } from '../../db/index.ts';
import { fail, notFound, ok, type Result } from '../../kernel/result.ts';
import { next, statesFor, wrongState } from '../../kernel/state-table.ts';
import type { Instant } from '../../kernel/time.ts';
import { selectUncalculated } from '../difference/billed.sql.ts';
import { freezeAgain } from '../drafts/freeze-terms.ts';
import type { InvoicingDependencies } from '../invoice/dependencies.ts';
import { type InvoiceRow, subscriptionsOf } from '../invoice/invoice.ts';
import { lockInvoice, selectInvoice, updateInvoiceStatus } from '../invoice/invoices.sql.ts';
import { announceUndone, lockPurpose, mayIssue } from '../invoice/purposes.ts';
import { type InvoiceTrigger, invoiceStates, takesMoney } from '../invoice/states.ts';
import { checkSession, openSessionFor, shownSession } from '../paying/sessions.ts';
import type { SessionOptions } from '../terms/session-options.ts';
import { lockBilling } from '../usage/billing-lock.sql.ts';
import { cancelInvoice, isPaidInMoney, writeOffInvoice } from './cancel.ts';
import { issueInvoice } from './issue.ts';

/** The actions of a person on an invoice. */
export type InvoiceAction = 'approve' | 'cancel' | 'writeOff' | 'recalculate';

export interface AskedAction {
  readonly action: InvoiceAction;
  readonly reason: string | null;
  /** With `cancel`: the next invoice bills again what belonged on this one. */
  readonly rebill: boolean;
}

/** Performs the action if the table of states allows it now, else returns the table's refusal. */
export async function actOnInvoice(
  dependencies: InvoicingDependencies,
  tx: Tx,
  { merchantId, invoiceId }: { readonly merchantId: string; readonly invoiceId: string },
  asked: AskedAction,
  wall: Instant,
): Promise<Result<InvoiceRow>> {
  const locked = await lockWithNow(tx, invoiceId, wall, dependencies);
  if (!locked.ok) return locked;
  const { invoice, now } = locked.value;
  const { action, rebill } = asked;
  const decided = decideAction(invoice, action);
  if (!decided.ok) return decided;
  if (rebill && !(await canRebill(tx, invoice))) return fail('REBILL_NOT_POSSIBLE', { kind: invoice.kind });
  if (action === 'approve') {
    const missing = await findMissingKinds(tx, 'invoice', { merchantId, id: invoiceId }, invoice.contentHash);
    if (missing.length > 0) return fail('APPROVAL_PENDING', { missing });
    const allowed = await mayIssue(dependencies, tx, invoice);
    if (!allowed.ok) return allowed;
  }
  if (action === 'cancel') {
    const undone = await announceUndone(dependencies, tx, invoice, 'givenBack', now);
    if (!undone.ok) return undone;
  }
  return ok(await act(dependencies, tx, invoice, asked, now));
}

/** Is it of a subscription that another invoice follows? */
async function canRebill(tx: Tx, invoice: InvoiceRow): Promise<boolean> {
  if (invoice.kind !== 'subscription' && invoice.kind !== 'upfront') return false;
  const others = await selectUncalculated(tx, invoice);
  return others.some(({ kind, isRebilled }) => kind === 'subscription' && !isRebilled);
}

/**
 * An invoice, locked, with its effective now: its clock is held first, then the row.
 * @param parts given where the invoice may be paid or cancelled: what hangs on it is locked between the two, and the
 * billing of its subscription, because credits may change other invoices of it
 */
export async function lockWithNow(
  tx: Tx,
  invoiceId: string,
  wall: Instant,
  dependencies?: Pick<InvoicingDependencies, 'purposes'>,
): Promise<Result<{ invoice: InvoiceRow; now: Instant }>> {
  const found = await selectInvoice(tx, invoiceId);
  if (!found) return notFound('invoice');
  const now = await effectiveNow(tx, found.clockId, wall);
  if (dependencies) await lockPurpose(dependencies, tx, found);
  if (dependencies && subscriptionsOf(found).length > 0) await lockBilling(tx, subscriptionsOf(found));
  const invoice = await lockInvoice(tx, invoiceId);
  return invoice ? ok({ invoice, now }) : notFound('invoice');
}

/**
 * The table's answer; and for cancelling, that nothing is paid but by the wallet, and nothing on its way (domain.md §4,
 * row 18). What lives by its session is an offer that nobody owes, so there is nothing to write off.
 */
export function decideAction(
  invoice: Pick<
    InvoiceRow,
    'status' | 'paidAmount' | 'walletApplied' | 'creditedAmount' | 'paymentInFlight' | 'invoiceNumber'
  >,
  action: InvoiceAction,
): Result<void> {
  const moved = next(invoiceStates, invoice.status, action satisfies InvoiceTrigger);
  if (!moved.ok) return moved;
  const refused = (why: string, details: Record<string, unknown>) =>
    wrongState(
      {
        thing: 'invoice',
        status: invoice.status,
        trigger: action,
        allowedFrom: statesFor(invoiceStates, action),
        done: null,
      },
      { why, details },
    );
  const isMoneyMatter = action === 'cancel' || action === 'writeOff';
  if (isMoneyMatter && invoice.paymentInFlight)
    return refused('A payment of this invoice is in progress; wait for its outcome.', { paymentInFlight: true });
  if (action === 'writeOff' && invoice.invoiceNumber === null)
    return refused('This invoice is an unpaid offer and no debt: cancel it instead.', { invoiceNumber: null });
  if (action === 'cancel' && isPaidInMoney(invoice))
    return refused('Money has been paid for this invoice, so it cannot be cancelled. Refund it once it is paid.', {
      paidAmount: invoice.paidAmount.toFixed(),
    });
  return ok(undefined);
}

async function act(
  dependencies: InvoicingDependencies,
  tx: Tx,
  invoice: InvoiceRow,
  { action, reason, rebill }: AskedAction,
  now: Instant,
): Promise<InvoiceRow> {
  switch (action) {
    case 'approve':
      return issueInvoice(dependencies, tx, invoice, 'approve', now);
    case 'cancel':
      return cancelInvoice(dependencies, tx, invoice, reason, now, { rebill });
    case 'writeOff':
      return writeOffInvoice(dependencies, tx, invoice, now);
    case 'recalculate':
      await cancelApprovals(tx, [invoice.id], now);
      return updateInvoiceStatus(
        tx,
        invoice,
        'recalculate',
        {
          nextActionAt: now,
          calculationAttempts: 0,
          failureReason: null,
          terms: await freezeAgain(dependencies, tx, invoice, 'present', now),
        },
        now,
      );
  }
}

/**
 * POST …/paymentSessions: a session for the unpaid amount of an issued invoice; the one before it expires (domain.md
 * §4).
 */
export async function openInvoiceSession(
  dependencies: InvoicingDependencies,
  tx: Tx,
  invoiceId: string,
  options: SessionOptions,
  wall: Instant,
): Promise<Result<unknown>> {
  const locked = await lockWithNow(tx, invoiceId, wall);
  if (!locked.ok) return locked;
  const { invoice, now } = locked.value;
  if (!takesMoney(invoice.status))
    return wrongState({
      thing: 'invoice',
      status: invoice.status,
      trigger: 'openPaymentSession',
      allowedFrom: statesFor(invoiceStates, 'settle'),
      done: 'paid',
    });
  if (invoice.paymentInFlight) return fail('PAYMENT_IN_PROGRESS');
  const checked = await checkSession(dependencies, tx, options, now);
  if (!checked.ok) return checked;
  const session = await openSessionFor(dependencies, tx, invoice, options, now);
  return session.ok ? ok(shownSession(dependencies, session.value)) : session;
}
