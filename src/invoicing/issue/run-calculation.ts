import { createHash } from 'node:crypto';
import { cancelApprovals, findMissingKindsOf } from '../../approvals/index.ts';
import { findTaxations, type Taxation } from '../../customers/index.ts';
import { sqlState, type Tx } from '../../db/index.ts';
import { merchantSettings } from '../../identity/index.ts';
import { decimal, plain, ZERO } from '../../kernel/decimal.ts';
import { newId } from '../../kernel/ids.ts';
import { orThrow } from '../../kernel/result.ts';
import type { Instant } from '../../kernel/time.ts';
import { chooseTaxRate, taxPoint } from '../../tax/index.ts';
import {
  type Calculation,
  type CalculationInput,
  calculate,
  type OtherLine,
  outsideItemsOf,
  taxRatesOf,
} from '../calculation/calculate.ts';
import { otherLineOf } from '../calculation/one-off-lines.ts';
import { calculateKept } from '../calculation/one-off-terms.ts';
import type { OutsideItem } from '../calculation/outside-items.ts';
import { type CreditOn, selectCreditsOnInvoices } from '../credit-notes/unused-credits.sql.ts';
import { type PlaceInBilling, selectFirstSeq, selectPlace } from '../difference/billed.sql.ts';
import { itemsOf, type StoredLine } from '../difference/billed.ts';
import { wrongsOf } from '../difference/check.ts';
import type { BilledUsage } from '../invoice/billed-usage.ts';
import { type ChangedInvoice, changed, followedBy, moved, unchanged } from '../invoice/changed-invoice.ts';
import type { InvoicingDependencies } from '../invoice/dependencies.ts';
import { freezeRates } from '../invoice/freeze-place.ts';
import type { FrozenHistory, FrozenTerms } from '../invoice/frozen-terms.ts';
import type { InvoiceChanges, InvoiceRow } from '../invoice/invoice.ts';
import type { LineRow } from '../invoice/invoice-line.ts';
import {
  replaceLines,
  selectBilledUsage,
  selectBilledUsageOfInvoices,
  selectCalculatedBefore,
  updateInvoice,
  updateInvoiceStatus,
  updateInvoices,
} from '../invoice/invoices.sql.ts';
import { withOutsideAnswer } from '../outside-tax/answer.ts';
import { afterFailure, NO_MORE } from '../outside-tax/attempts.ts';
import { freezeOutside } from '../outside-tax/freeze.ts';
import { leaseUntil } from '../outside-tax/quotes.ts';
import { asBilled, isOwnSeries } from '../owed/charges.ts';
import { adjustmentsAt, stillThere } from '../owed/discounts.ts';
import type { BilledPrice, BillingTerms } from '../terms/billing-terms.ts';
import { versionsOf } from '../timeline/segments.ts';
import { lockBilling } from '../usage/billing-lock.sql.ts';
import { deleteUsageTakenOfCorrected } from '../usage/late-usage.sql.ts';
import { type ReadPeriod, saveReadPeriods } from '../usage/late-usage.ts';
import { readUsage } from '../usage/read-usage.ts';
import { type Billing, billingOf, type Loaded, loadBillings, loadOwnDue, withBilled } from './billing-state.ts';
import { termsOf, termsOfInvoices } from './close.ts';
import { creditLines, creditLinesOn, expectedCredits } from './credits.ts';
import type { ManualLineRow } from './manual-line.ts';
import { selectManualLinesOfInvoices, selectManualLinesOn } from './manual-lines.sql.ts';
import { manualLine, waitingFor } from './manual-lines.ts';

/**
 * Transition 4 of some invoices of one merchant: what could change while the calculation runs or is tried again is
 * frozen (prices are pinned as it is).
 * @param pending the invoices, with what is changed of them and not stored yet
 * @returns what is to be stored of them
 */
export async function startCalculations(
  dependencies: InvoicingDependencies,
  tx: Tx,
  pending: readonly ChangedInvoice[],
  now: Instant,
): Promise<ChangedInvoice[]> {
  const invoices = pending.map(({ after }) => after);
  const terms = await termsOfInvoices(tx, dependencies.source, invoices);
  const asked = invoices.map((invoice) => ({ invoice, terms: terms(invoice) }));
  const frozen = await freezeAllFor(dependencies, tx, asked, now);
  return pending.map((each, place) => {
    const changes = { terms: frozen[place] as FrozenTerms, nextActionAt: now };
    return followedBy(each, moved(each.after, 'startCalculation', changes, now));
  });
}

/**
 * The terms for calculating once more: the tax rates as they are now, and the adjustments taken first that still exist.
 */
export async function freezeAgain(
  dependencies: InvoicingDependencies,
  tx: Tx,
  invoice: InvoiceRow,
  now: Instant,
): Promise<FrozenTerms | null> {
  const isOneOff = invoice.oneOff !== null && invoice.kind !== 'upfront';
  if (isOneOff || invoice.subscriptionId === null) return null; // frozen as it is calculated
  const frozen = await freezeFor(dependencies, tx, await termsOf(tx, dependencies.source, invoice), invoice, now);
  const taken = invoice.terms?.adjustments;
  if (taken === undefined) return frozen;
  const existing = await dependencies.source.adjustments(tx, invoice.merchantId, [invoice.subscriptionId]);
  return { ...frozen, adjustments: stillThere(taken, existing.get(invoice.subscriptionId) ?? []) };
}

/** Starts a new calculation of a draft (transition 9), or continues a running one with a new freeze. */
export async function calculateAgain(
  dependencies: InvoicingDependencies,
  tx: Tx,
  invoice: InvoiceRow,
  now: Instant,
): Promise<InvoiceRow> {
  const terms = await freezeAgain(dependencies, tx, invoice, now);
  if (invoice.status === 'CALCULATING') return updateInvoice(tx, invoice, { terms }, now);
  await cancelApprovals(tx, invoice.merchantId, [invoice.id], now);
  return updateInvoiceStatus(tx, invoice, 'recalculate', { nextActionAt: now, calculationAttempts: 0, terms }, now);
}

/** An invoice whose terms are frozen. */
interface ToFreeze {
  readonly terms: BillingTerms;
  readonly invoice: Pick<InvoiceRow, 'gracePeriodEnd' | 'periodStart' | 'periodEnd'>;
}

/**
 * The tax rates as they are now (domain.md §4, Tax), for the day of the invoice's tax point, and the adjustments that
 * hold its instant.
 */
export async function freeze(
  dependencies: InvoicingDependencies,
  tx: Tx,
  terms: BillingTerms,
  invoice: ToFreeze['invoice'],
): Promise<FrozenTerms> {
  const [frozen] = await freezeAll(dependencies, tx, [{ terms, invoice }]);
  return frozen as FrozenTerms;
}

/** The same for some invoices of one merchant, in their order. */
async function freezeAll(
  dependencies: InvoicingDependencies,
  tx: Tx,
  all: readonly ToFreeze[],
): Promise<FrozenTerms[]> {
  const [first] = all;
  if (!first) return [];
  const { merchantId } = first.terms;
  const taxationOf = await findTaxations(
    tx,
    merchantId,
    all.map(({ terms }) => terms.customerId),
  );
  const adjustments = await dependencies.source.adjustments(
    tx,
    merchantId,
    all.map(({ terms }) => terms.subscriptionId),
  );
  return all.map(({ terms, invoice }) => ({
    ...freezeTax(taxationOf(terms.customerId), terms, invoice),
    adjustments: adjustmentsAt(adjustments.get(terms.subscriptionId) ?? [], invoice.gracePeriodEnd),
  }));
}

function freezeTax(taxation: Taxation, terms: BillingTerms, invoice: ToFreeze['invoice']): FrozenTerms {
  const day = taxPoint(invoice.periodStart, invoice.periodEnd);
  const place = taxation.placeOn(day, terms.taxExempt);
  const choose = (price: BilledPrice | null, plan: Pick<BillingTerms, 'planId' | 'planTaxRate'> = terms) =>
    chooseTaxRate({
      taxExempt: terms.taxExempt,
      customerTaxRates: taxation.customerTaxRates,
      metricId: price?.metric?.id ?? null,
      planId: plan.planId,
      priceTaxRate: price?.taxRate ?? null,
      metricTaxRate: price?.metric?.taxRate ?? null,
      planTaxRate: plan.planTaxRate,
      merchantTaxRate: taxation.merchantTaxRate,
      place,
    });
  const chosen = versionsOf(terms).flatMap((version) =>
    version.prices.map((price) => [price.id, choose(price, version)] as const),
  );
  return {
    history: historyOf(terms),
    taxBehavior: terms.taxBehavior,
    ...(terms.taxExempt && { taxExempt: true }),
    ...freezeRates(Object.fromEntries(chosen), place, { taxIdStatus: taxation.taxId, taxPoint: day }),
    manualTaxRate: plain(choose(null).rate),
  };
}

/** The terms for the calculation of an invoice, not for a preview: they include the question to a tax provider. */
export async function freezeFor(
  dependencies: InvoicingDependencies,
  tx: Tx,
  terms: BillingTerms,
  invoice: ToFreeze['invoice'],
  now: Instant,
): Promise<FrozenTerms> {
  const [frozen] = await freezeAllFor(dependencies, tx, [{ terms, invoice }], now);
  return frozen as FrozenTerms;
}

/** The same for some invoices of one merchant. With a tax provider, the question of each is found separately. */
async function freezeAllFor(
  dependencies: InvoicingDependencies,
  tx: Tx,
  all: readonly ToFreeze[],
  now: Instant,
): Promise<FrozenTerms[]> {
  const [first] = all;
  if (!first) return [];
  const frozen = await freezeAll(dependencies, tx, all);
  const { taxProvider } = await merchantSettings(tx, first.terms.merchantId);
  if (taxProvider === 'internal') return frozen;
  const withOutside: FrozenTerms[] = [];
  for (const [index, { terms }] of all.entries())
    withOutside.push(await freezeOutsideOf(tx, terms, frozen[index] as FrozenTerms, now));
  return withOutside;
}

async function freezeOutsideOf(
  tx: Tx,
  terms: BillingTerms,
  { place, ...frozen }: FrozenTerms,
  now: Instant,
): Promise<FrozenTerms> {
  const { merchantId, customerId, planId } = terms;
  const plans = new Map(
    versionsOf(terms).flatMap((version) => version.prices.map((price) => [price.id, version.planId] as const)),
  );
  const outside = await freezeOutside(tx, { merchantId, customerId, planId, plans }, now);
  if (outside) return { ...frozen, outside: { ...outside, ...(place && { place }) } }; // it decides the place, too
  return place ? { ...frozen, place } : frozen;
}

const historyOf = ({ bounds: { endsAt }, versions }: BillingTerms): FrozenHistory => ({
  endsAt: endsAt?.toString() ?? null,
  ...(versions && { changeIds: versions.flatMap(({ changeId }) => changeId ?? []) }),
});

/** Transitions 5 to 7 of one invoice; see `tryCalculations`. */
export async function tryCalculation(
  dependencies: InvoicingDependencies,
  tx: Tx,
  invoice: InvoiceRow,
  now: Instant,
): Promise<InvoiceRow> {
  const done = await tryCalculations(dependencies, tx, [unchanged(invoice)], now);
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
  pending: readonly ChangedInvoice[],
  now: Instant,
  asks = false,
): Promise<ChangedInvoice[]> {
  const plain = pending.filter(({ after }) => isPlain(after));
  const together = plain.length > 1 ? plain : [];
  const done = new Map<ChangedInvoice, ChangedInvoice>();
  const ended = await finishCalculations(
    dependencies,
    tx,
    together.map(({ after }) => after),
    now,
    asks,
  );
  for (const [place, change] of together.entries())
    done.set(change, afterCalculation(change, ended[place] as Ended, now));
  for (const change of pending)
    if (!done.has(change))
      done.set(change, afterCalculation(change, await finishAlone(dependencies, tx, change, now, asks), now));
  return pending.map((change) => done.get(change) as ChangedInvoice);
}

const isPlain = (invoice: InvoiceRow): boolean =>
  !isOneOff(invoice) && invoice.itemCount === 0 && invoice.terms !== null && invoice.terms.outside === undefined;

/** The end of a calculation: with changes to store, or with an error. */
type Ended = { readonly change: ChangedInvoice } | { readonly error: unknown };

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
  { after: invoice }: ChangedInvoice,
  now: Instant,
  asks: boolean,
): Promise<Ended> {
  try {
    return await tx.savepoint(
      async () => {
        if (isOneOff(invoice)) return { change: await finishOneOff(dependencies, tx, invoice, now, asks) };
        const [ended] = (await finishCalculations(dependencies, tx, [invoice], now, asks)) as [Ended];
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

/** When an invoice that waits for a tax provider is due. */
const askedAt = (asks: boolean, now: Instant): InvoiceChanges => ({ nextActionAt: asks ? leaseUntil(now) : now });

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

/** All facts that decide the amounts of an invoice of a subscription. */
interface CalculationFacts {
  readonly invoice: InvoiceRow;
  readonly rates: FrozenTerms;
  readonly unanswered: FrozenTerms & { readonly history: FrozenHistory };
  readonly loaded: Loaded;
  readonly usage: readonly BilledUsage[];
  readonly beside: Beside;
}

/**
 * The invoices of a subscription are calculated one after another: each bills what is owed and not billed, so it must
 * see the lines of the others. Nothing is stored before all are decided.
 */
async function finishCalculations(
  dependencies: InvoicingDependencies,
  tx: Tx,
  invoices: readonly InvoiceRow[],
  now: Instant,
  asks: boolean,
): Promise<Ended[]> {
  const decided: (Decided | { readonly error: unknown })[] = [];
  for (const facts of await loadFacts(dependencies, tx, invoices, now))
    decided.push(await decideOrFail(dependencies, tx, facts, now));
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

async function loadFacts(
  dependencies: InvoicingDependencies,
  tx: Tx,
  invoices: readonly InvoiceRow[],
  now: Instant,
): Promise<CalculationFacts[]> {
  const [first] = invoices;
  if (!first) return [];
  const { merchantId } = first;
  const termsOf = await termsOfInvoices(tx, dependencies.source, invoices);
  const ids = invoices.map(({ id }) => id);
  await lockBilling(
    tx,
    merchantId,
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
  const usage = await selectBilledUsageOfInvoices(tx, merchantId, ids);
  const manual = await selectManualLinesOfInvoices(tx, merchantId, ids);
  const credits = await selectCreditsOnInvoices(tx, merchantId, ids);
  return asked.map(({ invoice, rates, frozen }, place) => ({
    ...{ invoice, rates, unanswered: frozen, loaded: loaded[place] as Loaded },
    usage: usage.get(invoice.id) ?? [],
    beside: { manual: manual.get(invoice.id) ?? [], credits: credits.get(invoice.id) ?? [] },
  }));
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
  facts: CalculationFacts,
  now: Instant,
): Promise<Decided | { readonly error: unknown }> {
  try {
    return await decideCalculation(dependencies, tx, facts, now);
  } catch (error) {
    if (sqlState(error) !== '') throw error;
    return { error };
  }
}

async function decideCalculation(
  dependencies: InvoicingDependencies,
  tx: Tx,
  { invoice, rates, unanswered, loaded, usage, beside }: CalculationFacts,
  now: Instant,
): Promise<Decided> {
  const billing = billingOf(loaded);
  const items = outsideItemsFor(billing, unanswered, invoice, usage, beside);
  const asked = { items, when: 'later' } as const;
  const answered = await withOutsideAnswer(dependencies.taxProviders, tx, invoice, unanswered, asked, now);
  if (answered === null) return { invoice, waitsWith: rates };
  const frozen = { ...answered, history: unanswered.history };
  const calculation = calculateInvoice(billing, frozen, invoice, usage, beside);
  refuseWrongBill(invoice, calculation, billing);
  return { invoice, calculation, frozen, read: billing.read };
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

/** A wrong bill. It is not retried automatically, because its inputs do not change. */
class WrongBillError extends Error {}

/** A wrong invoice is worse than a late one: an invoice with a found fault is not issued (docs/decisions/0064). */
function refuseWrongBill(invoice: InvoiceRow, { lines }: Calculation, { items }: Billing): void {
  const own = itemsOf(
    lines
      .filter(({ type, priceId }) => type !== 'credit' && priceId !== null)
      .map((line) => storedLineOf(invoice, line)),
    [],
  );
  const wrongs = wrongsOf([...items, ...own]);
  if (wrongs.length > 0) throw new WrongBillError(wrongs.join('; '));
}

const isOneOff = ({ oneOff: kept, kind }: InvoiceRow): boolean => kept !== null && kind !== 'upfront';

/**
 * Calculates an invoice again from its stored inputs: the usage that was read, the frozen terms, and the earlier bills.
 * Corrections of closed periods, lines by hand and credits stay unchanged.
 * @param terms the terms at that time, which may differ from the present ones
 */
export async function calculateStored(
  dependencies: InvoicingDependencies,
  tx: Tx,
  invoice: InvoiceRow,
  terms: BillingTerms | null,
  lines: readonly LineRow[],
): Promise<Calculation> {
  if (terms === null) {
    const credits = lines.filter(({ type }) => type === 'credit').map((line) => asStored(line, 'exclusive'));
    return orThrow(await calculateKept(dependencies, tx, invoice, 'stored', invoice.createdAt, credits)).calculation;
  }
  const frozen = invoice.terms ?? (await freeze(dependencies, tx, terms, invoice));
  return recalculate(tx, terms, frozen, invoice, lines, await selectBilledUsage(tx, invoice));
}

/** The same with the usage given. */
export async function recalculate(
  tx: Tx,
  terms: BillingTerms,
  frozen: FrozenTerms,
  invoice: InvoiceRow,
  lines: readonly LineRow[],
  usage: readonly BilledUsage[],
): Promise<Calculation> {
  const then = frozen.history ? terms : asBilled(terms, invoice);
  const late = lines.filter((line) => isOfLate(then, invoice, line, lines));
  const corrections = late.filter(({ priceId }) => priceId !== null).map((line) => storedLineOf(invoice, line));
  const own = await loadOwnDue(tx, then, invoice, frozen, await placeOf(tx, invoice, frozen), corrections);
  return calculateInvoice(own, frozen, invoice, usage, {
    manual: await selectManualLinesOn(tx, invoice, 'none'),
    late: late.map((line) => asStored(line, frozen.taxBehavior)),
    storedCredits: lines.filter(({ type }) => type === 'credit').map((line) => asStored(line, frozen.taxBehavior)),
  });
}

/** The place of an invoice in the order of billing; null if it is unknown. */
export async function placeOf(
  tx: Tx,
  invoice: InvoiceRow,
  frozen: FrozenTerms | null = invoice.terms,
): Promise<PlaceInBilling | null> {
  const kept = frozen?.history?.place;
  if (kept) return { seq: BigInt(kept.seq), creditSeq: BigInt(kept.creditSeq) };
  const seq = await selectFirstSeq(tx, invoice);
  return seq === null ? null : { seq };
}

/** Does a line correct a closed period? A commitment does that is not of the period which is over with the invoice. */
function isOfLate(terms: BillingTerms, invoice: InvoiceRow, line: LineRow, lines: readonly LineRow[]): boolean {
  const { type, appliesToLineId: of, periodEnd: end, workings } = line;
  if (type === 'commitment') return !(isOwnSeries(terms, invoice) && end.equals(invoice.periodEnd));
  return workings?.late !== undefined || lines.some((other) => other.id === of && other.type === 'late_usage');
}

/** A line as it was before a total of 0 cut it. A line that takes something back has the tax that was billed. */
function asStored(line: LineRow, taxBehavior: FrozenTerms['taxBehavior']): OtherLine {
  const { type, unitPrice: asked, totalPrice: net, totalAmount: gross, taxRate, workings } = line;
  const quoted = taxBehavior === 'inclusive' ? gross : net;
  const amount = type === 'credit' ? asked : quoted.plus(workings?.cut ?? workings?.lost ?? ZERO);
  return {
    amount,
    taxRate,
    ...(type !== 'adjustment' && amount.lt(0) && { cutTurn: 'credit' as const }),
    ...(net.lt(0) && quoted.eq(amount) && { tax: line.totalTax }),
    content: line,
  };
}

/** Transition 5 of one invoice; see `saveCalculations`. */
export async function saveCalculation(
  tx: Tx,
  invoice: InvoiceRow,
  calculation: Calculation,
  frozen: FrozenTerms,
  now: Instant,
): Promise<InvoiceRow> {
  const saved = await saveCalculations(tx, [{ invoice, calculation, frozen }], now);
  await updateInvoices(tx, saved);
  return (saved[0] as ChangedInvoice).after;
}

/** The amounts of an invoice, and the terms of their calculation. */
interface Calculated {
  readonly invoice: InvoiceRow;
  readonly calculation: Calculation;
  readonly frozen: FrozenTerms;
}

/**
 * Transition 5, of some invoices of one merchant: the lines are stored, and the draft is issued by itself unless it
 * waits for somebody.
 * @returns what is to be stored of the invoices themselves
 */
async function saveCalculations(tx: Tx, calculated: readonly Calculated[], now: Instant): Promise<ChangedInvoice[]> {
  const [first] = calculated;
  if (!first) return [];
  const { merchantId } = first.invoice;
  await replaceLines(
    tx,
    merchantId,
    calculated.map(({ invoice, calculation }) => ({
      invoice,
      lines: lineRows(invoice, calculation, () => newId('lineItem')),
    })),
  );
  const hashes = new Map(calculated.map(({ invoice, calculation }) => [invoice.id, draftHash(calculation)]));
  const missing = await findMissingKindsOf(tx, 'invoice', merchantId, hashes);
  return calculated.map(({ invoice, calculation, frozen }) => {
    const waits = !invoice.autoApprove || (missing.get(invoice.id) ?? []).length > 0;
    return moved(
      invoice,
      'finishCalculation',
      {
        subtotal: calculation.subtotal,
        totalTax: calculation.totalTax,
        grandTotal: calculation.grandTotal,
        taxes: [...calculation.taxes],
        itemCount: calculation.lines.length,
        snapshotHash: hashes.get(invoice.id) as string,
        terms: withOutsideCredits(frozen, calculation),
        failureReason: null,
        failureDetail: null,
        nextActionAt: waits ? null : now,
      },
      now,
    );
  });
}

/** A tax provider gets deductions of billed lines separately; the terms store their amount. */
const withOutsideCredits = (
  { outside, ...frozen }: FrozenTerms,
  { outsideCredits: credits }: Calculation,
): FrozenTerms =>
  outside?.answer
    ? { ...frozen, outside: { ...outside, answer: { ...outside.answer, ...(credits && { credits }) } } }
    : frozen;

/** The lines of a calculation with their places, and which takes something off which. */
export function lineRows(invoice: InvoiceRow, calculation: Calculation, idOf: (position: number) => string): LineRow[] {
  const ids = calculation.lines.map((_, position) => calculation.ids?.[position] ?? idOf(position));
  return calculation.lines.map((line, position) => {
    const appliesTo = calculation.appliesTo?.[position] ?? null;
    return {
      ...line,
      merchantId: invoice.merchantId,
      invoiceId: invoice.id,
      id: ids[position] as string,
      position,
      appliesToLineId: appliesTo === null ? null : (ids[appliesTo] as string),
    };
  });
}

/** The content of an invoice beside its charges. */
interface Beside {
  readonly manual: readonly ManualLineRow[];
  readonly credits?: readonly CreditOn[];
  /** Credits and corrections of closed periods on the invoice. */
  readonly storedCredits?: readonly OtherLine[];
  readonly late?: readonly OtherLine[];
}

/** Calculates an invoice of a subscription from its charges and the usage of its own period. */
export function calculateInvoice(
  due: Pick<Billing, 'due' | 'commitments'>,
  frozen: FrozenTerms,
  invoice: InvoiceRow,
  usage: readonly BilledUsage[],
  beside: Beside = { manual: [] },
): Calculation {
  return calculate(inputOf(due, frozen, invoice, usage, beside));
}

/** The items of it that a tax provider is asked to tax; none with our own rates. */
export function outsideItemsFor(
  due: Pick<Billing, 'due' | 'commitments'>,
  frozen: FrozenTerms,
  invoice: InvoiceRow,
  usage: readonly BilledUsage[],
  beside: Beside = { manual: [] },
): OutsideItem[] {
  const { outside } = frozen;
  return outside ? outsideItemsOf({ ...inputOf(due, frozen, invoice, usage, beside), outside }) : [];
}

const inputOf = (
  { due, commitments }: Pick<Billing, 'due' | 'commitments'>,
  frozen: FrozenTerms,
  invoice: InvoiceRow,
  usage: readonly BilledUsage[],
  beside: Beside,
): CalculationInput => ({
  currency: invoice.currency,
  charges: due,
  commitments,
  others: [
    ...(beside.late ?? []),
    ...(invoice.oneOff?.lines ?? []).map((line) => otherLineOf(line, ZERO, invoice.currency, invoice.createdAt)),
    ...beside.manual.map((line) => manualLine(line, decimal(frozen.manualTaxRate ?? '0'))),
    ...(beside.storedCredits ?? creditLines(beside.credits ?? [], frozen.taxBehavior)),
  ],
  usage,
  taxBehavior: frozen.taxBehavior,
  taxRates: taxRatesOf(frozen.taxRates),
  adjustments: frozen.adjustments ?? [],
  ...(frozen.outside?.answer && { outside: frozen.outside }),
});

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
  const billing = billingOf(withBilled(loaded, before ?? (await linesBefore(dependencies, tx, invoice))));
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
async function linesBefore(dependencies: InvoicingDependencies, tx: Tx, invoice: InvoiceRow): Promise<StoredLine[]> {
  const lines: StoredLine[] = [];
  for (const each of await selectCalculatedBefore(tx, invoice)) {
    const preview = await tryPreview(dependencies, tx, each, lines);
    lines.push(...(preview?.lines ?? []).map((line) => storedLineOf(each, line)));
  }
  return lines;
}

/** A line of a preview as if it were billed. */
const storedLineOf = ({ id }: InvoiceRow, line: Calculation['lines'][number]): StoredLine => ({
  invoiceId: id,
  status: 'DRAFT',
  isRefunded: false,
  priceId: line.priceId,
  feeId: line.feeId,
  type: line.type,
  displayName: line.displayName,
  quantity: line.quantity,
  net: line.totalPrice,
  tax: line.totalTax,
  taxRate: line.taxRate,
  periodStart: line.periodStart,
  periodEnd: line.periodEnd,
  group: line.groupValues,
  tiers: line.tiers,
  workings: line.workings,
});

/** The content of a draft, for approvals: equal calculations have the same hash. */
const draftHash = (calculation: Calculation): string =>
  createHash('sha256').update(JSON.stringify(calculation)).digest('hex');
