import { sqlState, type Tx } from '../../db/index.ts';
import { type Instant, isAfter } from '../../kernel/time.ts';
import type { Calculation } from '../calculation/calculation.ts';
import { selectCreditsOnInvoices } from '../credit-notes/unused-credits.sql.ts';
import { selectPlace } from '../difference/billed.sql.ts';
import type { BilledUsage } from '../invoice/billed-usage.ts';
import { type ChangedInvoice, changed } from '../invoice/changed-invoice.ts';
import type { InvoicingDependencies } from '../invoice/dependencies.ts';
import type { FrozenHistory, FrozenTerms } from '../invoice/frozen-terms.ts';
import type { InvoiceChanges, InvoiceRow } from '../invoice/invoice.ts';
import { selectBilledUsageOfInvoices } from '../invoice/invoices.sql.ts';
import { withOutsideAnswer } from '../outside-tax/answer.ts';
import { leaseUntil } from '../outside-tax/quotes.ts';
import type { BillingTerms } from '../terms/billing-terms.ts';
import { isPausedThroughout } from '../timeline/segments.ts';
import { lockBilling } from '../usage/billing-lock.sql.ts';
import { deleteUsageTakenOfCorrected } from '../usage/late-usage.sql.ts';
import { type ReadPeriod, saveReadPeriods } from '../usage/late-usage.ts';
import { byAge } from './billing-order.ts';
import { billingOf, type Loaded, loadBillings } from './billing-state.ts';
import { type Beside, calculateInvoice, outsideItemsFor } from './calculate-invoice.ts';
import { freezeAllFor, historyOf } from './freeze-terms.ts';
import type { DividedUsage, HeldCredits } from './held-credits.ts';
import { selectManualLinesOfInvoices } from './manual-lines.sql.ts';
import { holdCredits, withOpenPeriods } from './preview.ts';
import { type Calculated, saveCalculations } from './save-calculations.ts';
import type { TermsOf } from './terms-of-invoices.ts';
import { freezeTrueUps } from './true-ups.ts';
import { refuseWrongBill } from './wrong-bill.ts';

/** The end of a calculation: with changes to store, or with an error. */
export type Ended = { readonly change: ChangedInvoice } | { readonly error: unknown };

/** When an invoice that waits for a tax provider is due. */
export const askedAt = (asks: boolean, now: Instant): InvoiceChanges => ({
  nextActionAt: asks ? leaseUntil(now) : now,
});

interface InvoicesWithTerms {
  readonly invoices: readonly InvoiceRow[];
  readonly termsOf: TermsOf;
}

/** All facts that decide the amounts of an invoice of a subscription. */
interface CalculationFacts {
  readonly invoice: InvoiceRow;
  readonly rates: FrozenTerms;
  readonly unanswered: FrozenTerms & { readonly history: FrozenHistory };
  readonly loaded: Loaded;
  readonly usage: readonly BilledUsage[];
  readonly beside: Beside;
  readonly terms: BillingTerms;
}

/** The same with the usage by which it spends credits. */
type PayableFacts = CalculationFacts & { readonly divided: DividedUsage };

/**
 * The invoices of a subscription are calculated one after another: each bills what is owed and not billed, so it must
 * see the lines of the others. Nothing is stored before all are decided.
 */
export async function finishCalculations(
  dependencies: InvoicingDependencies,
  tx: Tx,
  of: InvoicesWithTerms,
  now: Instant,
  asks: boolean,
): Promise<Ended[]> {
  const loaded = await loadFacts(dependencies, tx, of, now);
  const held = await holdCredits(dependencies, tx, of.invoices, { lock: true });
  const divided = await held.divide(tx, dependencies.source, loaded);
  const facts = loaded.map((each, place): PayableFacts => ({ ...each, divided: divided[place] as DividedUsage }));
  const decided: (Decided | { readonly error: unknown })[] = [];
  for (const each of facts.toSorted(inTurn))
    decided[facts.indexOf(each)] = await decideOrFail(dependencies, tx, each, held, now);
  const calculated: Calculated[] = [];
  for (const each of decided)
    if ('calculation' in each) {
      await saveReadPeriods(tx, each.read);
      calculated.push({ ...each, frozen: await placed(tx, each.invoice, each.calculation, each.frozen) });
    }
  const saved = await saveCalculations(tx, calculated, now);
  const changes = new Map(saved.map((change) => [change.before.id, change]));
  return decided.map((each) => {
    if ('error' in each) return each;
    if ('calculation' in each) return { change: changes.get(each.invoice.id) as ChangedInvoice };
    return { change: changed(each.invoice, { terms: each.waitsWith, ...askedAt(asks, now) }, now) };
  });
}

/** Credits pay the older subscription first. */
const inTurn = (a: PayableFacts, b: PayableFacts): number => byAge(a.terms, b.terms);

async function loadFacts(
  dependencies: InvoicingDependencies,
  tx: Tx,
  { invoices, termsOf }: InvoicesWithTerms,
  now: Instant,
): Promise<CalculationFacts[]> {
  const [first] = invoices;
  if (!first) return [];
  const ids = invoices.map(({ id }) => id);
  await lockBilling(
    tx,
    invoices.map((invoice) => termsOf(invoice).subscriptionId),
  );
  // of a calculation before this one
  for (const invoice of invoices) if (invoice.itemCount > 0) await deleteUsageTakenOfCorrected(tx, invoice);
  const unfrozen = invoices.filter(({ terms }) => terms === null);
  const fresh = await freezeAllFor(
    dependencies,
    tx,
    unfrozen.map((invoice) => ({ invoice, terms: termsOf(invoice) })),
    now,
  );
  // The charges follow from the present history, also if it changed since the rates were frozen.
  const asked = invoices.map((invoice) => {
    const terms = termsOf(invoice);
    const rates = invoice.terms ?? (fresh[unfrozen.indexOf(invoice)] as FrozenTerms);
    return { invoice, terms, rates, frozen: { ...rates, history: historyOf(terms) } };
  });
  const loaded = await loadBillings(tx, dependencies.source, asked);
  const usage = await selectBilledUsageOfInvoices(tx, ids);
  const manual = await selectManualLinesOfInvoices(tx, ids);
  const credits = await selectCreditsOnInvoices(tx, ids);
  return asked.map(({ invoice, terms, rates, frozen }, place) => ({
    ...{ invoice, terms, rates, unanswered: frozen, loaded: loaded[place] as Loaded },
    usage: usage.get(invoice.id) ?? [],
    beside: { manual: manual.get(invoice.id) ?? [], credits: credits.get(invoice.id) ?? [] },
  }));
}

/**
 * Does an invoice ask nobody for anything? It has no line, and its subscription has ended with its period, or before;
 * or all its lines are 0, and the subscription was paused for all of its period (commercial.md §6). A credit that a
 * total of 0 cut is given by the issue.
 */
function isSilent(terms: BillingTerms, { kind, periodStart, periodEnd }: InvoiceRow, { lines }: Calculation): boolean {
  const { endsAt } = terms.bounds;
  if (lines.length === 0 && endsAt !== null && !isAfter(endsAt, periodEnd)) return true;
  return (
    kind === 'subscription' &&
    lines.every(({ type, totalAmount: of, workings }) => of.isZero() && !workings?.cut && type !== 'credit') &&
    isPausedThroughout(terms, { start: periodStart, end: periodEnd })
  );
}

/** The decision about an invoice: its amounts, or that it waits for a tax provider. */
type Decided =
  | (Calculated & {
      readonly frozen: FrozenTerms & { readonly history: FrozenHistory };
      readonly read: readonly ReadPeriod[];
    })
  | { readonly invoice: InvoiceRow; readonly waitsWith: FrozenTerms };

async function decideOrFail(
  dependencies: InvoicingDependencies,
  tx: Tx,
  facts: PayableFacts,
  held: HeldCredits,
  now: Instant,
): Promise<Decided | { readonly error: unknown }> {
  try {
    return await decideCalculation(dependencies, tx, facts, held, now);
  } catch (error) {
    if (sqlState(error) !== '') throw error;
    return { error };
  }
}

async function decideCalculation(
  dependencies: InvoicingDependencies,
  tx: Tx,
  { invoice, terms, rates, unanswered, loaded, usage, divided, beside }: PayableFacts,
  held: HeldCredits,
  now: Instant,
): Promise<Decided> {
  const billing = billingOf(loaded);
  const { source } = dependencies;
  const { others } = loaded.state;
  const facts = { terms, invoice, billing, frozen: unanswered, usage, divided };
  const openOf = (all: readonly BillingTerms[]) => withOpenPeriods(dependencies, tx, all, now);
  const withTrueUps = await freezeTrueUps(tx, source, { ...facts, beside, others, openOf });
  const withCredits = await held.freeze(tx, source, { ...facts, frozen: withTrueUps, beside });
  const items = outsideItemsFor(billing, withCredits, invoice, usage, beside);
  const asked = { items, when: 'later' } as const;
  const answered = await withOutsideAnswer(dependencies.taxProviders, tx, invoice, withCredits, asked, now);
  if (answered === null) return { invoice, waitsWith: rates };
  const frozen = { ...answered, history: unanswered.history };
  const calculation = calculateInvoice(billing, frozen, invoice, usage, beside);
  held.take(invoice, calculation);
  refuseWrongBill(invoice, calculation, billing);
  return { invoice, calculation, frozen, isSilent: isSilent(terms, invoice, calculation), read: billing.read };
}

/** The lines of an invoice say its place in the order of billing; one without lines keeps it. */
async function placed(
  tx: Tx,
  invoice: InvoiceRow,
  { lines }: Calculation,
  frozen: FrozenTerms & { readonly history: FrozenHistory },
): Promise<FrozenTerms> {
  if (lines.length > 0) return frozen;
  const { seq, creditSeq } = await selectPlace(tx, invoice);
  return { ...frozen, history: { ...frozen.history, place: { seq: String(seq), creditSeq: String(creditSeq) } } };
}
