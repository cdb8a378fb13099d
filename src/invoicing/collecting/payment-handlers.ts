import type { Tx } from '../../db/index.ts';
import { ok } from '../../kernel/result.ts';
import type { Instant } from '../../kernel/time.ts';
import { OWN_REASONS } from '../../look/index.ts';
import { type PaymentHandlers, receiptsOf } from '../../payments/index.ts';
import type { InvoicingDependencies } from '../invoice/dependencies.ts';
import type { InvoiceRow } from '../invoice/invoice.ts';
import { lockInvoice, lockInvoices, lockInvoicesNow, selectInvoices, updateInvoice } from '../invoice/invoices.sql.ts';
import { lockPurpose } from '../invoice/purposes.ts';
import { endWithSession } from '../issue/cancel.ts';
import { refundInvoice } from '../issue/refund.ts';
import { describeForSession, viewInvoice } from '../page/view.ts';
import { followCharge } from './after-charge.ts';
import { takePayment } from './take-payment.ts';

/** The handlers for sessions of invoices (domain.md §4, rows 12 to 18). */
export const invoicePaymentHandlers = (dependencies: InvoicingDependencies): PaymentHandlers => ({
  async completed(tx, { session, receiptId, amount, currency, wasProcessing }, now) {
    const found = await lockInvoice(tx, session.entityId);
    if (!found) throw new Error(`Session ${session.id} is of no invoice.`);
    const invoice = wasProcessing ? await landed(tx, found, now) : found;
    if (invoice.currency !== currency) throw new Error(`Session ${session.id} is not in ${invoice.currency}.`); // I-38
    const paid = await takePayment(dependencies, tx, invoice, { receiptId, amount }, now);
    return paid.ok ? ok(undefined) : paid;
  },
  async processing(tx, { session }, now) {
    const invoice = await lockInvoice(tx, session.entityId);
    if (!invoice) throw new Error(`Session ${session.id} is of no invoice.`);
    await updateInvoice(tx, invoice, { paymentInFlight: true }, now);
  },
  async declined(tx, { session, wasProcessing }, now) {
    // The customer may try another card until the session expires; only an automatic charge moves an invoice (row 13).
    const invoice = wasProcessing ? await lockInvoice(tx, session.entityId) : undefined;
    if (invoice) await landed(tx, invoice, now);
  },
  async charged(tx, finished, now) {
    const { invoiceId, id } = finished.charge;
    const invoice = await lockInvoice(tx, invoiceId);
    if (!invoice) throw new Error(`Charge ${id} is of no invoice.`);
    await followCharge(dependencies, tx, invoice, finished, now);
  },
  async refundedOutside(tx, { invoiceId, receiptId }, wall) {
    const others = (await receiptsOf(tx, invoiceId)).filter(
      ({ id, reversedAt }) => id !== receiptId && reversedAt === null,
    );
    if (others.length > 0) return false; // it would give back more than was given back there
    const refunded = await tx.savepoint(
      () => refundInvoice(dependencies, tx, invoiceId, OWN_REASONS.refundedOutside, wall),
      ({ ok: isDone }) => isDone,
    );
    return refunded.ok;
  },
  async expired(tx, sessions, now) {
    const [first] = sessions;
    if (!first) return;
    const ids = sessions.map(({ entityId: id }) => id);
    const invoices = await lockInvoices(tx, ids);
    if (invoices.length < ids.length) throw new Error(`One of the sessions from ${first.id} on is of no invoice.`);
    for (const invoice of invoices) await endWithSession(dependencies, tx, invoice, now);
  },
  describe: async (tx, { entityType, entityId, asked }, now) => {
    if (entityType === 'customer') return null;
    const view = await viewInvoice(tx, dependencies.environment, entityId, now, asked);
    return view && describeForSession(view);
  },
  async lock(tx, { entityId }) {
    await lockUpstream(dependencies, tx, [entityId], true);
    await lockInvoice(tx, entityId);
  },
  async lockNow(tx, entities) {
    const [first] = entities;
    if (!first) return;
    const ids = entities.map(({ entityId }) => entityId);
    await lockUpstream(dependencies, tx, ids, false);
    await lockInvoicesNow(tx, ids);
  },
});

/** The payment of a session is no longer in progress. */
const landed = (tx: Tx, invoice: InvoiceRow, now: Instant): Promise<InvoiceRow> =>
  updateInvoice(tx, invoice, { paymentInFlight: false }, now);

/** A subscription that waits for its invoice is locked before the invoice, as everywhere. */
async function lockUpstream(
  dependencies: InvoicingDependencies,
  tx: Tx,
  ids: readonly string[],
  wait: boolean,
): Promise<void> {
  for (const invoice of (await selectInvoices(tx, ids)).values()) await lockPurpose(dependencies, tx, invoice, wait);
}
