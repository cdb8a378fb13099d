import type { Tx } from '../../db/index.ts';
import type { InvoiceRow } from '../invoice/invoice.ts';
import type { BillingSource, BillingTerms } from '../terms/billing-terms.ts';

/** The terms of an invoice's subscription. @throws for an invoice that has none: only invoices of periods come here. */
export async function termsOf(tx: Tx, source: BillingSource, invoice: InvoiceRow): Promise<BillingTerms> {
  if (invoice.subscriptionId === null) throw new Error(`Invoice ${invoice.id} is of no subscription.`);
  return source.terms(tx, invoice.subscriptionId);
}

/** The terms of the subscriptions of some invoices. */
export type TermsOf = (invoice: InvoiceRow) => BillingTerms;

/** The same of some invoices of one merchant; those of no subscription have none. */
export async function termsOfInvoices(
  tx: Tx,
  source: BillingSource,
  invoices: readonly InvoiceRow[],
): Promise<TermsOf> {
  const ids = invoices.flatMap(({ subscriptionId: id }) => id ?? []);
  const [first] = invoices;
  const terms = first && ids.length > 0 ? await source.termsOf(tx, ids) : new Map<string, BillingTerms>();
  return ({ id, subscriptionId }) => {
    const found = subscriptionId === null ? undefined : terms.get(subscriptionId);
    if (!found) throw new Error(`Invoice ${id} is of no subscription.`);
    return found;
  };
}
