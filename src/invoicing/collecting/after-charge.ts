import type { Tx } from '../../db/index.ts';
import { merchantSettings } from '../../identity/index.ts';
import { orThrow } from '../../kernel/result.ts';
import type { Instant } from '../../kernel/time.ts';
import type { FinishedCharge } from '../../payments/index.ts';
import type { InvoicingDependencies } from '../invoice/dependencies.ts';
import { type InvoiceChanges, type InvoiceRow, subscriptionsOf } from '../invoice/invoice.ts';
import { updateInvoice, updateInvoiceStatus } from '../invoice/invoices.sql.ts';
import { purposeOf } from '../invoice/purposes.ts';
import { publishInvoice } from '../invoice/webhooks.ts';
import { writeOffInvoice } from '../issue/cancel.ts';
import { overdueFrom } from '../issue/issue.ts';
import { isChargedAutomatically } from '../paying/card-charge.ts';
import { scheduleDunningEnd, scheduleOverdue } from './dunning.sql.ts';
import { decideAfterDecline } from './dunning.ts';
import { takePayment } from './take-payment.ts';

/**
 * Does what follows from a charge, in the transaction that knows its outcome (12 to 17). The caller holds the invoice.
 */
export async function followCharge(
  dependencies: InvoicingDependencies,
  tx: Tx,
  invoice: InvoiceRow,
  finished: FinishedCharge,
  now: Instant,
): Promise<InvoiceRow> {
  const { charge, receiptId } = finished;
  const landed = await updateInvoice(tx, invoice, { paymentInFlight: false }, now);
  if (charge.declineReason === 'paid_on_page') return landed; // the page pays, in the next transaction
  if (charge.declineReason === 'charged_before') return landed; // a person sees to it: the money is there
  const purpose = purposeOf(dependencies, landed.purposeType);
  if (receiptId === null && purpose?.declined) return purpose.declined(tx, landed, now);
  if (receiptId === null) return afterDecline(dependencies, tx, landed, finished, now);
  // While it was in flight nobody else could pay, so what was unpaid then is unpaid now.
  return orThrow(await takePayment(dependencies, tx, landed, { receiptId, amount: charge.amount }, now));
}

async function afterDecline(
  dependencies: InvoicingDependencies,
  tx: Tx,
  invoice: InvoiceRow,
  { charge: { id: chargeId, origin, declineReason, paymentMethodId } }: FinishedCharge,
  now: Instant,
): Promise<InvoiceRow> {
  const { dunning } = await merchantSettings(tx);
  const isAutomatic = await isChargedAutomatically(dependencies, tx, invoice);
  const isOurFault = declineReason === 'provider_not_connected' || declineReason === 'charge_differs';
  const decided = decideAfterDecline(invoice, { origin, isAutomatic, isOurFault }, dunning, now);
  if (decided.kind === 'stands') return updateInvoice(tx, invoice, { failureReason: declineReason }, now);
  const retryAt = decided.kind === 'fails' ? decided.retryAt : null;
  const changes = { failedAttempts: decided.failedAttempts, nextActionAt: retryAt };
  const failed = await failPayment(tx, invoice, { ...changes, failureReason: declineReason }, now);
  const isWrittenOff = decided.kind === 'ends' && decided.by === 'write_off';
  const after = isWrittenOff ? await writeOffInvoice(dependencies, tx, failed, now, 'spendDunning') : failed;
  const isEnding = decided.kind === 'ends' && decided.by === 'terminate' && subscriptionsOf(failed).length > 0;
  if (isEnding) await scheduleDunningEnd(tx, failed, now);
  const fact = { kind: 'declined', chargeId, paymentMethodId, reason: declineReason, next: decided } as const;
  if (!isOurFault) await dependencies.mails.notify(tx, after, fact, now);
  return after;
}

/**
 * Transitions 13 and 15. From now on the invoice's due time is its next retry; another job reports that it is overdue.
 */
async function failPayment(tx: Tx, invoice: InvoiceRow, changes: InvoiceChanges, now: Instant): Promise<InvoiceRow> {
  const failed = await updateInvoiceStatus(tx, invoice, 'declineCharge', changes, now);
  await publishInvoice(tx, failed, 'invoice.payment_failed.v0', now);
  const { dueAt: due, overdueAt: notifiedAt, livesBySession: isOffered } = failed;
  if (due !== null && notifiedAt === null && !isOffered) await scheduleOverdue(tx, failed, overdueFrom(due));
  return failed;
}
