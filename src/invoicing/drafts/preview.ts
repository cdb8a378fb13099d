import type { Tx } from '../../db/index.ts';
import type { Calculation } from '../calculation/calculation.ts';
import { expectedCredits } from '../credits/give-credits.ts';
import type { StoredLine } from '../difference/billed.ts';
import type { InvoicingDependencies } from '../invoice/dependencies.ts';
import type { InvoiceRow } from '../invoice/invoice.ts';
import { selectWaiting } from '../invoice/invoices.sql.ts';
import type { BillingTerms } from '../terms/billing-terms.ts';
import { readUsage } from '../usage/read-usage.ts';
import { calculatedBefore } from './billing-order.ts';
import { billingOf, type Loaded, loadBillings, withBilled } from './billing-state.ts';
import { calculateInvoice } from './calculate-invoice.ts';
import { storedLineOf } from './calculated-line.ts';
import { freeze } from './freeze-terms.ts';
import { selectManualLinesOn } from './manual-lines.sql.ts';
import { waitingFor } from './manual-lines.ts';
import { termsOf } from './terms-of-invoices.ts';

/**
 * The bill of the open period if it ended now: the live totals of an ACTIVE or CLOSING invoice (row 1).
 * @param before the bills of invoices that are calculated before it; found if absent
 * @returns null if it cannot be calculated. Faults of the database are thrown.
 */
export async function tryPreview(
  dependencies: InvoicingDependencies,
  tx: Tx,
  invoice: InvoiceRow,
  before?: readonly StoredLine[],
): Promise<Calculation | null> {
  const terms = await termsOf(tx, dependencies.source, invoice);
  const usage = await readUsage(tx, dependencies.source, terms, invoice);
  const frozen = await freeze(dependencies, tx, terms, invoice);
  const [loaded] = (await loadBillings(tx, dependencies.source, [{ terms, invoice, frozen }])) as [Loaded];
  const billing = billingOf(withBilled(loaded, before ?? (await linesBefore(dependencies, tx, terms, invoice))));
  const manual = await selectManualLinesOn(tx, invoice, waitingFor(terms, invoice));
  const credits = await expectedCredits(tx, terms, invoice, invoice.periodEnd);
  try {
    return calculateInvoice(billing, frozen, invoice, usage, { manual, credits });
  } catch {
    return null; // the calculation of the closed period keeps what was thrown, with the invoice
  }
}

/**
 * The lines that invoices of a subscription will bill which are calculated before one of them: as they stand now. Each
 * bills what those before it leave: late usage, the usage of a period of which it is a part, what a change made due.
 */
async function linesBefore(
  dependencies: InvoicingDependencies,
  tx: Tx,
  terms: BillingTerms,
  invoice: InvoiceRow,
): Promise<StoredLine[]> {
  const lines: StoredLine[] = [];
  for (const each of calculatedBefore(terms, invoice, await selectWaiting(tx, invoice))) {
    const preview = await tryPreview(dependencies, tx, each, lines);
    lines.push(...(preview?.lines ?? []).map((line) => storedLineOf(each, line)));
  }
  return lines;
}
