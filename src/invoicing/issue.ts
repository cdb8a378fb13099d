import { customerParty } from '../customers/index.ts';
import type { Tx } from '../db/index.ts';
import { findOrganization, merchantSettings } from '../identity/index.ts';
import { type Decimal, plain } from '../kernel/decimal.ts';
import { fail, ok, orThrow, type Result } from '../kernel/result.ts';
import { next } from '../kernel/state-table.ts';
import type { Instant } from '../kernel/time.ts';
import { checkTakesCards } from '../payments/index.ts';
import { publish } from '../webhooks/index.ts';
import { insertCreditNote } from './credit-notes.sql.ts';
import { scheduleDocument } from './documents.sql.ts';
import { changeInvoice, drawNumber, type InvoiceRow, moveInvoice, type PartyRecord } from './invoices.sql.ts';
import { invoiceNumber } from './numbering.ts';
import type { InvoicingParts } from './parts.ts';
import { expireSessionsOf, openSessionFor } from './sessions.ts';
import { snapshotHash } from './snapshot.ts';
import { invoiceStates } from './states.ts';

const HOURS_PER_DAY = 24;

/** `dueAt` = `issuedAt` + `paymentTermDays` × 24 h (domain.md §4). */
export const dueAt = (issuedAt: Instant, paymentTermDays: number): Instant =>
  issuedAt.add({ hours: paymentTermDays * HOURS_PER_DAY });

/** When an unpaid invoice becomes overdue: as the UTC day of `dueAt` is over. */
export const overdueFrom = (due: Instant): Instant =>
  due.toZonedDateTimeISO('UTC').startOfDay().add({ days: 1 }).toInstant();

/**
 * Transition 10: the number, the parties as they are now, the dates; the jobs that follow (document, payment session)
 * are written with it. An invoice of 0 is paid at once (12).
 */
export async function issueInvoice(
  parts: InvoicingParts,
  tx: Tx,
  invoice: InvoiceRow,
  trigger: 'approve' | 'autoApprove',
  now: Instant,
): Promise<InvoiceRow> {
  const settings = await merchantSettings(tx, invoice.merchant_id);
  const seller = await sellerParty(tx, invoice.merchant_id);
  const buyer: PartyRecord = await customerParty(tx, invoice.merchant_id, invoice.customer_id);
  const due = dueAt(now, invoice.payment_term_days);
  const number = invoiceNumber(settings.invoicePrefix, await drawNumber(tx, invoice.merchant_id, 'invoice'));
  const issued = await moveInvoice(
    tx,
    invoice,
    trigger,
    {
      invoice_number: number,
      seller,
      buyer,
      issued_at: now,
      due_at: due,
      snapshot_hash: await snapshotHash(tx, invoice, { number, seller, buyer, issuedAt: now, dueAt: due }),
      next_action_at: invoice.unpaid_amount.isZero() ? null : overdueFrom(due),
    },
    now,
  );
  await publishInvoice(tx, issued, 'invoice.issued.v0', now);
  await scheduleDocument(tx, issued, now);
  if (issued.unpaid_amount.isZero()) return markPaid(tx, issued, now);
  if (checkTakesCards(settings).ok) orThrow(await openSessionFor(parts, tx, issued, {}, now));
  return issued;
}

async function sellerParty(tx: Tx, merchantId: string): Promise<PartyRecord> {
  const organization = await findOrganization(tx, merchantId, merchantId);
  if (!organization) throw new Error(`Merchant ${merchantId} has no organization.`);
  return {
    name: organization.name,
    ...(organization.legalName !== null && { legalName: organization.legalName }),
    ...(organization.taxId !== null && { taxId: organization.taxId }),
    ...(organization.address !== null && { address: organization.address as Record<string, string> }),
    ...(organization.billingEmails.length > 0 && { emails: organization.billingEmails }),
    ...(organization.phone !== null && { phone: organization.phone }),
  };
}

/**
 * Money came in for an invoice (12, 14, 17). It is paid when nothing is left; until then a part payment leaves it as it is.
 * @returns INVALID_TRANSITION where the invoice takes no money (any more), or not as much.
 */
export async function receivePayment(
  tx: Tx,
  invoice: InvoiceRow,
  amount: Decimal,
  now: Instant,
): Promise<Result<InvoiceRow>> {
  const settled = next(invoiceStates, invoice.status, 'settle');
  if (!settled.ok) return settled;
  if (amount.gt(invoice.unpaid_amount))
    return fail('INVALID_TRANSITION', { status: invoice.status, unpaidAmount: plain(invoice.unpaid_amount) });
  const paid = invoice.paid_amount.plus(amount);
  return ok(
    paid.eq(invoice.grand_total)
      ? await markPaid(tx, invoice, now, paid)
      : await changeInvoice(tx, invoice, { paid_amount: paid }, now),
  );
}

async function markPaid(
  tx: Tx,
  invoice: InvoiceRow,
  now: Instant,
  paidAmount: Decimal = invoice.paid_amount,
): Promise<InvoiceRow> {
  const changes = { paid_amount: paidAmount, paid_at: now, next_action_at: null, payment_in_flight: false };
  const paid = await moveInvoice(tx, invoice, 'settle', changes, now);
  await expireSessionsOf(tx, paid, now);
  await publishInvoice(tx, paid, 'invoice.paid.v0', now);
  return paid;
}

/** Overdue is derived and never stored as a state; the webhook about it is written once. */
export async function tellOverdue(tx: Tx, invoice: InvoiceRow, now: Instant): Promise<void> {
  const told = await changeInvoice(tx, invoice, { overdue_at: now, next_action_at: null }, now);
  await publishInvoice(tx, told, 'invoice.overdue.v0', now);
}

/** Transitions 11 and 18. A numbered invoice gets its cancellation credit note in the same transaction. */
export async function cancelInvoice(
  tx: Tx,
  invoice: InvoiceRow,
  reason: string | null,
  now: Instant,
): Promise<InvoiceRow> {
  const cancelled = await moveInvoice(tx, invoice, 'cancel', { next_action_at: null }, now);
  if (cancelled.invoice_number !== null) {
    await insertCreditNote(tx, cancelled, 'cancellation', reason, now);
    await expireSessionsOf(tx, cancelled, now);
  }
  await publishInvoice(tx, cancelled, 'invoice.cancelled.v0', now);
  return cancelled;
}

/** Transition 16, by hand. */
export async function writeOffInvoice(tx: Tx, invoice: InvoiceRow, now: Instant): Promise<InvoiceRow> {
  const written = await moveInvoice(tx, invoice, 'writeOff', { next_action_at: null }, now);
  await expireSessionsOf(tx, written, now);
  await publishInvoice(tx, written, 'invoice.written_off.v0', now);
  return written;
}

/** Writes a webhook about an invoice into the outbox; its data holds ids, never amounts (domain.md §9). */
export const publishInvoice = (
  tx: Tx,
  invoice: InvoiceRow,
  type: `invoice.${string}.v0`,
  now: Instant,
  more: Record<string, string> = {},
): Promise<string> =>
  publish(
    tx,
    {
      merchantId: invoice.merchant_id,
      type,
      data: {
        merchantId: invoice.merchant_id,
        invoiceId: invoice.id,
        customerId: invoice.customer_id,
        ...(invoice.subscription_id !== null && { subscriptionId: invoice.subscription_id }),
        ...more,
      },
    },
    now,
  );
