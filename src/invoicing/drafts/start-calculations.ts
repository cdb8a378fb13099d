import { cancelApprovals } from '../../approvals/index.ts';
import type { Tx } from '../../db/index.ts';
import type { Instant } from '../../kernel/time.ts';
import { type ChangedInvoice, followedBy, moved } from '../invoice/changed-invoice.ts';
import type { InvoicingDependencies } from '../invoice/dependencies.ts';
import type { FrozenTerms } from '../invoice/frozen-terms.ts';
import type { InvoiceRow } from '../invoice/invoice.ts';
import { updateInvoice, updateInvoiceStatus } from '../invoice/invoices.sql.ts';
import { freezeAgain, freezeAllFor } from './freeze-terms.ts';
import type { TermsOf } from './terms-of-invoices.ts';

/**
 * Transition 4 of some invoices of one merchant: what could change while the calculation runs or is tried again is
 * frozen (prices are pinned as it is).
 * @param pending the invoices, with what is changed of them and not stored yet
 * @returns what is to be stored of them
 */
export async function startCalculations(
  dependencies: InvoicingDependencies,
  tx: Tx,
  { pending, termsOf }: { readonly pending: readonly ChangedInvoice[]; readonly termsOf: TermsOf },
  now: Instant,
): Promise<ChangedInvoice[]> {
  const asked = pending.map(({ after }) => ({ invoice: after, terms: termsOf(after) }));
  const frozen = await freezeAllFor(dependencies, tx, asked, now);
  return pending.map((each, place) => {
    const changes = { terms: frozen[place] as FrozenTerms, nextActionAt: now };
    return followedBy(each, moved(each.after, 'startCalculation', changes, now));
  });
}

/** Starts a new calculation of a draft (transition 9), or continues a running one with a new freeze. */
export async function calculateAgain(
  dependencies: InvoicingDependencies,
  tx: Tx,
  invoice: InvoiceRow,
  now: Instant,
): Promise<InvoiceRow> {
  const terms = await freezeAgain(dependencies, tx, invoice, 'taken', now);
  if (invoice.status === 'CALCULATING') return updateInvoice(tx, invoice, { terms }, now);
  await cancelApprovals(tx, [invoice.id], now);
  return updateInvoiceStatus(tx, invoice, 'recalculate', { nextActionAt: now, calculationAttempts: 0, terms }, now);
}
