import { addDuration } from '../../kernel/time.ts';
import { asksCommitment } from '../difference/due.ts';
import type { InvoiceRow } from '../invoice/invoice.ts';
import { endOfPeriod } from '../owed/charges.ts';
import type { BillingTerms } from '../terms/billing-terms.ts';

/**
 * The invoices of a subscription that are calculated before one of them, in their order: those that are closed, then
 * those whose grace ends first. Of those of one instant a commitment comes last (domain.md §2), and the older ones
 * come first.
 * @param waiting all that are still to be calculated, in the order of their creation
 */
export function calculatedBefore(
  terms: BillingTerms,
  { id }: InvoiceRow,
  waiting: readonly InvoiceRow[],
): InvoiceRow[] {
  const order = inBillingOrder(terms, waiting);
  return order.slice(
    0,
    Math.max(
      0,
      order.findIndex((invoice) => invoice.id === id),
    ),
  );
}

/** Invoices of a subscription that are still to be calculated, with the ends that they will have, in their order. */
export const inBillingOrder = (terms: BillingTerms, waiting: readonly InvoiceRow[]): InvoiceRow[] =>
  waiting
    .map((invoice) => asPlanned(terms, invoice))
    .map((invoice) => ({ invoice, asks: asksCommitment(terms, invoice) }))
    .toSorted(compare)
    .map(({ invoice }) => invoice);

interface Placed {
  readonly invoice: InvoiceRow;
  readonly asks: boolean;
}

const compare = (a: Placed, b: Placed): number =>
  Number(isOpen(a)) - Number(isOpen(b)) ||
  Temporal.Instant.compare(a.invoice.gracePeriodEnd, b.invoice.gracePeriodEnd) ||
  Number(a.asks) - Number(b.asks);

const isOpen = ({ invoice: { status } }: Placed): boolean => status === 'ACTIVE' || status === 'CLOSING';

/** The older subscription first; of two that began at one instant, the one that was made first. */
export const byAge = (a: BillingTerms, b: BillingTerms): number =>
  Temporal.Instant.compare(a.bounds.startedAt, b.bounds.startedAt) || Number(a.seq - b.seq);

/** An open invoice with the end that its period will have: a change that is to come may end its series. */
export function asPlanned(terms: BillingTerms, invoice: InvoiceRow): InvoiceRow {
  const end = invoice.status === 'ACTIVE' ? endOfPeriod(terms, invoice) : null;
  if (end === null || end.equals(invoice.periodEnd)) return invoice;
  return { ...invoice, periodEnd: end, gracePeriodEnd: addDuration(end, terms.gracePeriod) };
}
