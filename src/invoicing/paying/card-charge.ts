import type { Tx } from '../../db/index.ts';
import { orThrow } from '../../kernel/result.ts';
import type { Instant } from '../../kernel/time.ts';
import { type ChargeOrigin, defaultMethodOf, intendCharges, performCharge } from '../../payments/index.ts';
import type { InvoicingDependencies } from '../invoice/dependencies.ts';
import { type InvoiceChanges, type InvoiceRow, payerOf, subscriptionsOf } from '../invoice/invoice.ts';
import { updateInvoice } from '../invoice/invoices.sql.ts';
import type { PaymentTerms } from '../terms/billing-terms.ts';
import { receivePayment } from './pay.ts';

/** The card of a customer that can be charged. */
export type StoredCard = NonNullable<Awaited<ReturnType<typeof defaultMethodOf>>>;

/** The default card of an invoice's payer, if there is one. */
export const cardOf = (tx: Tx, invoice: InvoiceRow): Promise<StoredCard | undefined> =>
  defaultMethodOf(tx, payerOf(invoice));

/**
 * Is the invoice charged by itself, as its subscription says at this moment (§2 Subscription, autoCharge)? What
 * somebody buys in between, by a payment page of its own, is not.
 */
export async function isChargedAutomatically(
  dependencies: InvoicingDependencies,
  tx: Tx,
  invoice: InvoiceRow,
): Promise<boolean> {
  const [subscriptionId] = subscriptionsOf(invoice); // those of a grouped one are paid alike
  return subscriptionId !== undefined && chargesItself(invoice, await dependencies.source.terms(tx, subscriptionId));
}

/** The same by the terms of its subscription; undefined where it has none. */
export const chargesItself = (invoice: InvoiceRow, terms: PaymentTerms | undefined): boolean => {
  const isBought = invoice.kind === 'ad_hoc' && invoice.livesBySession;
  return terms !== undefined && !isBought && terms.autoCharge && !terms.bankTransferOnly;
};

/**
 * Charges the stored card for an invoice while its caller waits (domain.md §3, "Upfront payment"). Where there is none,
 * or it is declined, nothing has happened: the invoice's session asks for it. A provider outside our database is asked
 * after the transaction has committed, and the invoice is in flight until then.
 */
export async function chargeAtOnce(
  dependencies: InvoicingDependencies,
  tx: Tx,
  invoice: InvoiceRow,
  now: Instant,
): Promise<InvoiceRow> {
  const card = invoice.paysOnline ? await cardOf(tx, invoice) : undefined;
  if (!card) return invoice;
  if (card.provider !== 'sandbox') return startCharge(tx, invoice, 'at_once', card, now);
  const intended = await intend(tx, invoice, 'automatic', card, now);
  const { receiptId } = await performCharge(tx, { merchantId: invoice.merchantId, id: intended.id }, now);
  if (receiptId === null) return invoice;
  return orThrow(await receivePayment(dependencies, tx, invoice, { receiptId, amount: intended.amount }, now));
}

/**
 * Begins a charge: the intent is stored, and until its outcome nothing else pays, cancels or writes off the invoice.
 */
export async function startCharge(
  tx: Tx,
  invoice: InvoiceRow,
  origin: ChargeOrigin,
  card: StoredCard | undefined,
  now: Instant,
  changes: InvoiceChanges = {},
): Promise<InvoiceRow> {
  await intend(tx, invoice, origin, card, now);
  return updateInvoice(tx, invoice, { ...changes, paymentInFlight: true }, now);
}

/** The intent to charge the unpaid amount. */
export const intend = async (
  tx: Tx,
  invoice: InvoiceRow,
  origin: ChargeOrigin,
  card: StoredCard | undefined,
  now: Instant,
): Promise<IntendedCharge> => {
  const [intended] = await intendAll(tx, [{ invoice, card }], origin, now);
  return intended as IntendedCharge;
};

type IntendedCharge = Awaited<ReturnType<typeof intendCharges>>[number];

/** The same of some invoices of one merchant, each with the card that is charged. */
export const intendAll = (
  tx: Tx,
  charged: readonly { readonly invoice: InvoiceRow; readonly card: StoredCard | undefined }[],
  origin: ChargeOrigin,
  now: Instant,
): Promise<IntendedCharge[]> =>
  intendCharges(
    tx,
    charged.map(({ invoice, card }) => ({
      method: card,
      request: {
        merchantId: invoice.merchantId,
        invoiceId: invoice.id,
        customerId: payerOf(invoice),
        origin,
        amount: invoice.unpaidAmount,
        currency: invoice.currency,
        clockId: invoice.clockId,
      },
    })),
    now,
  );
