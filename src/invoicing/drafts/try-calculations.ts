import { sqlState, type Tx } from '../../db/index.ts';
import { orThrow } from '../../kernel/result.ts';
import type { Instant } from '../../kernel/time.ts';
import { calculateKept } from '../calculation/one-off-terms.ts';
import { creditLinesOn } from '../credits/credit-lines.ts';
import { type ChangedInvoice, changed, followedBy, moved, unchanged } from '../invoice/changed-invoice.ts';
import type { InvoicingDependencies } from '../invoice/dependencies.ts';
import { hasGivenLines, type InvoiceRow } from '../invoice/invoice.ts';
import { updateInvoices } from '../invoice/invoices.sql.ts';
import { afterFailure, NO_MORE } from '../outside-tax/attempts.ts';
import { askedAt, type Ended, finishCalculations } from './finish-calculations.ts';
import { saveCalculations } from './save-calculations.ts';
import { type TermsOf, termsOfInvoices } from './terms-of-invoices.ts';
import { WrongBillError } from './wrong-bill.ts';

/** Transitions 5 to 7 of one invoice; see `tryCalculations`. */
export async function tryCalculation(
  dependencies: InvoicingDependencies,
  tx: Tx,
  invoice: InvoiceRow,
  now: Instant,
): Promise<InvoiceRow> {
  const termsOf = await termsOfInvoices(tx, dependencies.source, [invoice]);
  const done = await tryCalculations(dependencies, tx, { pending: [unchanged(invoice)], termsOf }, now);
  await updateInvoices(tx, done);
  return (done[0] as ChangedInvoice).after;
}

/**
 * Transitions 5 to 7 of some invoices of one merchant, each of another subscription. A calculation that throws is
 * undone alone, waits and is tried again; after the last attempt the invoice is FAILED and says so, until someone asks
 * for a recalculation. Faults of the database are the runner's. Rare ones are calculated by themselves: those without a
 * period, those that were calculated before, and those of which a tax provider is asked.
 * @param pending invoices that are CALCULATING, with what is changed of them and not stored yet
 * @param asks the caller asks the tax provider after its transaction; else due work does at once
 * @returns what is to be stored of the invoices themselves, in their order. All else is stored.
 */
export async function tryCalculations(
  dependencies: InvoicingDependencies,
  tx: Tx,
  { pending, termsOf }: { readonly pending: readonly ChangedInvoice[]; readonly termsOf: TermsOf },
  now: Instant,
  asks = false,
): Promise<ChangedInvoice[]> {
  const plain = pending.filter(({ after }) => isPlain(after));
  const together = plain.length > 1 ? plain : [];
  const done = new Map<ChangedInvoice, ChangedInvoice>();
  const ended = await finishCalculations(
    dependencies,
    tx,
    { invoices: together.map(({ after }) => after), termsOf },
    now,
    asks,
  );
  for (const [place, change] of together.entries())
    done.set(change, afterCalculation(change, ended[place] as Ended, now));
  for (const change of pending)
    if (!done.has(change))
      done.set(
        change,
        afterCalculation(
          change,
          await finishAlone(dependencies, tx, { invoice: change.after, termsOf }, now, asks),
          now,
        ),
      );
  return pending.map((change) => done.get(change) as ChangedInvoice);
}

const isPlain = (invoice: InvoiceRow): boolean =>
  !hasGivenLines(invoice) && invoice.itemCount === 0 && invoice.terms !== null && invoice.terms.outside === undefined;

function afterCalculation(pending: ChangedInvoice, ended: Ended, now: Instant): ChangedInvoice {
  if ('change' in ended) return followedBy(pending, ended.change);
  const { error } = ended;
  const attempts = pending.after.calculationAttempts + 1;
  const outcome = error instanceof WrongBillError ? NO_MORE : afterFailure(attempts);
  const failed = { calculationAttempts: attempts, failureDetail: String(error) };
  const changes =
    outcome.trigger === 'deferCalculation'
      ? { ...failed, nextActionAt: now.add({ minutes: outcome.waitMinutes }) }
      : { ...failed, failureReason: 'CALCULATION_FAILED', nextActionAt: null };
  return followedBy(pending, moved(pending.after, outcome.trigger, changes, now));
}

/** The writes of a failed calculation are rolled back. */
async function finishAlone(
  dependencies: InvoicingDependencies,
  tx: Tx,
  { invoice, termsOf }: { readonly invoice: InvoiceRow; readonly termsOf: TermsOf },
  now: Instant,
  asks: boolean,
): Promise<Ended> {
  try {
    return await tx.savepoint(
      async () => {
        if (hasGivenLines(invoice)) return { change: await finishOneOff(dependencies, tx, invoice, now, asks) };
        const [ended] = (await finishCalculations(dependencies, tx, { invoices: [invoice], termsOf }, now, asks)) as [
          Ended,
        ];
        if ('error' in ended) throw ended.error;
        return ended;
      },
      () => true,
    );
  } catch (error) {
    if (sqlState(error) !== '') throw error;
    return { error };
  }
}

async function finishOneOff(
  dependencies: InvoicingDependencies,
  tx: Tx,
  invoice: InvoiceRow,
  now: Instant,
  asks: boolean,
): Promise<ChangedInvoice> {
  const credits = await creditLinesOn(tx, invoice);
  const { calculation, frozen, waits } = orThrow(await calculateKept(dependencies, tx, invoice, 'later', now, credits));
  if (waits) return changed(invoice, { terms: frozen, ...askedAt(asks, now) }, now);
  const [change] = await saveCalculations(tx, [{ invoice, calculation, frozen }], now);
  return change as ChangedInvoice;
}
