import { customerParty } from '../../customers/index.ts';
import type { Tx } from '../../db/index.ts';
import { findOrganization, merchantSettings } from '../../identity/index.ts';
import type { Instant } from '../../kernel/time.ts';
import { checkTakesCards } from '../../payments/index.ts';
import { scheduleDocument } from '../documents/documents.sql.ts';
import type { InvoicingParts } from '../invoice/dependencies.ts';
import type { InvoiceRow, PartyRecord } from '../invoice/invoice.ts';
import { numberOf } from '../invoice/invoice-number.ts';
import { moveInvoice } from '../invoice/invoices.sql.ts';
import { publishInvoice } from '../invoice/webhooks.ts';
import { applyWallet } from '../paying/apply-wallet.ts';
import { bookIssue } from '../paying/bookings.ts';
import { askForPayment } from '../paying/card-charge.ts';
import { markPaid } from '../paying/pay.ts';
import type { SessionOptions } from '../terms/session-options.ts';
import { carryOver } from './carry-over.ts';
import { settleCredits } from './credits.ts';

const HOURS_PER_DAY = 24;

/** `dueAt` = `issuedAt` + `paymentTermDays` × 24 h (domain.md §4). */
export const dueAt = (issuedAt: Instant, paymentTermDays: number): Instant =>
  issuedAt.add({ hours: paymentTermDays * HOURS_PER_DAY });

/** When an unpaid invoice becomes overdue: as the UTC day of `dueAt` is over. */
export const overdueFrom = (due: Instant): Instant =>
  due.toZonedDateTimeISO('UTC').startOfDay().add({ days: 1 }).toInstant();

/**
 * Transition 10: the number, the parties as they are now, the dates; the jobs that follow (document, payment session)
 * are written with it. The customer's wallet pays what it can; where nothing is left, the invoice is paid at once (12). One
 * that lives by its session has neither number nor document until it is paid, and is never overdue.
 * @param session how the payment session is opened, where one is
 */
export async function issueInvoice(
  parts: InvoicingParts,
  tx: Tx,
  invoice: InvoiceRow,
  trigger: 'approve' | 'autoApprove',
  now: Instant,
  session?: SessionOptions,
): Promise<InvoiceRow> {
  const settings = await merchantSettings(tx, invoice.merchant_id);
  const seller = await sellerParty(tx, invoice.merchant_id);
  const buyer: PartyRecord = await customerParty(tx, invoice.merchant_id, invoice.customer_id);
  const { paymentTermDays, bankTransferOnly, checkout } = await termsAtIssue(parts, tx, invoice);
  const paysOnline = checkTakesCards(settings).ok && !bankTransferOnly;
  const due = dueAt(now, paymentTermDays);
  const says = { seller, buyer, issued_at: now, due_at: due };
  const livesBySession = invoice.lives_by_session;
  const issued = await moveInvoice(
    tx,
    invoice,
    trigger,
    {
      ...says,
      ...(livesBySession ? { snapshot_hash: null } : await numberOf(tx, { ...invoice, ...says })),
      payment_term_days: paymentTermDays,
      pays_online: paysOnline,
      next_action_at: invoice.unpaid_amount.isZero() || livesBySession ? null : overdueFrom(due),
    },
    now,
  );
  await publishInvoice(tx, issued, 'invoice.issued.v0', now);
  if (!livesBySession) {
    await scheduleDocument(tx, issued, now);
    await bookIssue(tx, issued, now);
  }
  await settleCredits(parts, tx, issued, now); // before the wallet pays: what is given back is in it
  await carryOver(parts, tx, [issued], now);
  const asked = await applyWallet(tx, issued, now);
  if (asked.unpaid_amount.isZero()) return markPaid(parts, tx, asked, { by: 'wallet' }, now);
  const open = paysOnline ? await askForPayment(parts, tx, asked, session ?? checkout ?? {}, now) : asked;
  await parts.letters.tell(tx, open, { kind: 'issued' }, now);
  return open;
}

/**
 * Of a period's invoice the subscription's of this moment: a change applies to later invoices, and one that is open is issued
 * later (§4; I-27); the upfront one is paid as the subscription's creation said. Every other invoice has its own.
 */
async function termsAtIssue(
  parts: InvoicingParts,
  tx: Tx,
  invoice: InvoiceRow,
): Promise<{ paymentTermDays: number; bankTransferOnly: boolean; checkout?: SessionOptions }> {
  const isOfTerms = invoice.kind === 'subscription' || invoice.kind === 'upfront';
  if (!isOfTerms || invoice.subscription_id === null)
    return { paymentTermDays: invoice.payment_term_days, bankTransferOnly: false };
  const terms = await parts.source.terms(tx, invoice.merchant_id, invoice.subscription_id);
  const { paymentTermDays, bankTransferOnly, checkout } = terms;
  return { paymentTermDays, bankTransferOnly, ...(invoice.lives_by_session && { checkout }) };
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
