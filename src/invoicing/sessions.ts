import type { Tx } from '../db/index.ts';
import { findOrganization, merchantSettings } from '../identity/index.ts';
import { invalid, ok, type Result } from '../kernel/result.ts';
import type { Instant } from '../kernel/time.ts';
import {
  checkTakesCards,
  DEFAULT_SESSION_MINUTES,
  type EntityDescription,
  expireSessions,
  openSession,
  openSessionsOf,
  type PaymentHandlers,
  type PaymentSession,
  publicSession,
  redirectProblems,
  sessionUrl,
} from '../payments/index.ts';
import { findInvoice, type InvoiceRow, linesOf, lockInvoice } from './invoices.sql.ts';
import { receivePayment } from './issue.ts';
import type { InvoicingParts } from './parts.ts';
import { takesMoney } from './states.ts';

export interface SessionOptions {
  readonly redirectUrls?: { readonly onSuccess?: string; readonly onFailure?: string };
  readonly sessionExpiryMinutes?: number;
}

/** Opens a payment session for what is unpaid of an invoice; the one before it expires in the same transaction. */
export async function openSessionFor(
  parts: InvoicingParts,
  tx: Tx,
  invoice: InvoiceRow,
  options: SessionOptions,
  now: Instant,
): Promise<Result<PaymentSession>> {
  const settings = await merchantSettings(tx, invoice.merchant_id);
  const takesCards = checkTakesCards(settings);
  if (!takesCards.ok) return takesCards;
  const errors = redirectProblems(
    {
      'redirectUrls.onSuccess': options.redirectUrls?.onSuccess,
      'redirectUrls.onFailure': options.redirectUrls?.onFailure,
    },
    { environment: parts.environment, redirectHosts: settings.redirectHosts },
  );
  if (errors.length > 0) return invalid(errors);
  return openSession(
    tx,
    {
      merchantId: invoice.merchant_id,
      mode: 'payment',
      entityType: 'invoice',
      entityId: invoice.id,
      entityLabel: invoice.invoice_number,
      subscriptionId: invoice.subscription_id,
      customerId: invoice.customer_id,
      amount: invoice.unpaid_amount,
      currency: invoice.currency,
      expiresAt: now.add({ minutes: options.sessionExpiryMinutes ?? DEFAULT_SESSION_MINUTES }),
      clockId: invoice.clock_id,
      successRedirectUrl: options.redirectUrls?.onSuccess ?? null,
      failureRedirectUrl: options.redirectUrls?.onFailure ?? null,
    },
    now,
  );
}

/** Expires the open session of an invoice that can no longer be paid by one. */
export const expireSessionsOf = (tx: Tx, invoice: InvoiceRow, now: Instant): Promise<number> =>
  expireSessions(tx, invoice.merchant_id, invoice.id, now);

/** The addresses of the open sessions of some invoices, by invoice id. */
export async function sessionUrls(
  parts: InvoicingParts,
  tx: Tx,
  invoices: readonly InvoiceRow[],
): Promise<ReadonlyMap<string, string>> {
  const sessions = await openSessionsOf(
    tx,
    invoices.map(({ merchant_id, id }) => ({ merchantId: merchant_id, entityId: id })),
  );
  return new Map(sessions.map((session) => [session.entity_id, sessionUrl(parts.publicUrl, session.id)]));
}

/** A session as the API answers it. */
export const shownSession = (parts: InvoicingParts, session: PaymentSession) => publicSession(session, parts.publicUrl);

/** What payments tells of the sessions of invoices (domain.md §4, rows 12 to 18). */
export const invoicePaymentHandlers: PaymentHandlers = {
  async completed(tx, { merchantId, session, amount, currency }, now) {
    const invoice = await lockInvoice(tx, merchantId, session.entity_id);
    if (!invoice) throw new Error(`Session ${session.id} is of no invoice.`);
    if (invoice.currency !== currency) throw new Error(`Session ${session.id} is not in ${invoice.currency}.`); // I-38
    const paid = await receivePayment(tx, invoice, amount, now);
    return paid.ok ? ok(undefined) : paid;
  },
  async declined() {
    // The customer may try another card until the session expires; only an automatic charge moves an invoice (row 13).
  },
  async expired() {
    // An expired session changes nothing of an ordinary invoice: it stays ISSUED, and the next session can be opened.
  },
  describe: (tx, { merchantId, entityId }) => describeInvoice(tx, merchantId, entityId),
  async lock(tx, { merchantId, entityId }) {
    await lockInvoice(tx, merchantId, entityId);
  },
};

async function describeInvoice(tx: Tx, merchantId: string, invoiceId: string): Promise<EntityDescription | null> {
  const invoice = await findInvoice(tx, merchantId, invoiceId);
  if (!invoice) return null;
  const seller = invoice.seller?.name ?? (await findOrganization(tx, merchantId, merchantId))?.name ?? '';
  const lines = await linesOf(tx, merchantId, invoiceId);
  return {
    title: 'Invoice',
    seller,
    number: invoice.invoice_number,
    lines: [
      ...lines.map((line) => ({ description: line.display_name, amount: line.total_price })),
      ...(invoice.total_tax.isZero() ? [] : [{ description: 'Tax', amount: invoice.total_tax }]),
    ],
    dueAt: invoice.due_at,
    currency: invoice.currency,
    amount: invoice.unpaid_amount,
    ...(takesMoney(invoice.status) && { nextSession: `invoices/${invoice.id}` }),
  };
}
