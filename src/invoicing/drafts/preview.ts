import type { Tx } from '../../db/index.ts';
import type { Calculation } from '../calculation/calculation.ts';
import { expectedCredits } from '../credits/give-credits.ts';
import type { StoredLine } from '../difference/billed.ts';
import type { InvoicingDependencies } from '../invoice/dependencies.ts';
import type { InvoiceRow } from '../invoice/invoice.ts';
import { selectWaiting } from '../invoice/invoices.sql.ts';
import { readUsage } from '../usage/read-usage.ts';
import { asPlanned, calculatedBefore } from './billing-order.ts';
import { billingOf, type Loaded, loadBillings, withBilled } from './billing-state.ts';
import { calculateInvoice } from './calculate-invoice.ts';
import { storedLineOf } from './calculated-line.ts';
import { freeze, type KnownTerms } from './freeze-terms.ts';
import { selectManualLinesOn } from './manual-lines.sql.ts';
import { waitingFor } from './manual-lines.ts';
import { termsOf } from './terms-of-invoices.ts';

/**
 * The bill of the open period if it ended now: the live totals of an ACTIVE or CLOSING invoice (row 1).
 * @param known.terms those of its subscription; they and what decides its tax are loaded if absent
 * @param known.before the bills of invoices that are calculated before it; found if absent
 * @returns null if it cannot be calculated. Faults of the database are thrown.
 */
export async function tryPreview(
  dependencies: InvoicingDependencies,
  tx: Tx,
  stored: InvoiceRow,
  known: Partial<KnownTerms> & { readonly before?: readonly StoredLine[] } = {},
): Promise<Calculation | null> {
  const terms = known.terms ?? (await termsOf(tx, dependencies.source, stored));
  const invoice = asPlanned(terms, stored);
  const usage = await readUsage(tx, dependencies.source, terms, invoice);
  const frozen = await freeze(dependencies, tx, { terms, taxation: known.taxation }, invoice);
  const [loaded] = (await loadBillings(tx, dependencies.source, [{ terms, invoice, frozen }])) as [Loaded];
  const billing = billingOf(
    withBilled(
      loaded,
      known.before ?? (await linesBefore(dependencies, tx, { terms, taxation: known.taxation }, invoice)),
    ),
  );
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
  { terms, taxation }: KnownTerms,
  invoice: InvoiceRow,
): Promise<StoredLine[]> {
  const lines: StoredLine[] = [];
  for (const each of calculatedBefore(terms, invoice, await selectWaiting(tx, invoice))) {
    const preview = await tryPreview(dependencies, tx, each, { terms, taxation, before: lines });
    lines.push(...(preview?.lines ?? []).map((line) => storedLineOf(each, line)));
  }
  return lines;
}
