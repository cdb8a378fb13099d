import { type Taxation, withChildren } from '../../customers/index.ts';
import type { Tx } from '../../db/index.ts';
import { type Instant, isAfter, isBefore, latest } from '../../kernel/time.ts';
import { openSpendings } from '../calculation/calculate.ts';
import type { Calculation } from '../calculation/calculation.ts';
import { expectedCredits } from '../credits/give-credits.ts';
import type { StoredLine } from '../difference/billed.ts';
import type { DueCoupons } from '../difference/coupons-due.ts';
import type { BilledUsage } from '../invoice/billed-usage.ts';
import type { InvoicingDependencies } from '../invoice/dependencies.ts';
import type { FrozenTerms } from '../invoice/frozen-terms.ts';
import type { InvoiceRow } from '../invoice/invoice.ts';
import { selectOpenSubscriptions, selectWaiting } from '../invoice/invoices.sql.ts';
import type { BillingTerms } from '../terms/billing-terms.ts';
import { readUsageOfEach } from '../usage/read-usage.ts';
import { asPlanned, calculatedBefore, inBillingOrder } from './billing-order.ts';
import { type Billing, billingOf, type Loaded, loadBillings, withBilled } from './billing-state.ts';
import { type Beside, calculateInvoice, inputOf } from './calculate-invoice.ts';
import { storedLineOf } from './calculated-line.ts';
import { freezeEach, type KnownTerms } from './freeze-terms.ts';
import { type DividedUsage, HeldCredits, type OpenInvoice } from './held-credits.ts';
import { selectManualLinesIfClosed } from './manual-lines.sql.ts';
import { waitingFor } from './manual-lines.ts';
import type { SpendingSubscription } from './spending.ts';
import { termsOfInvoices } from './terms-of-invoices.ts';
import { freezeTrueUps } from './true-ups.ts';

/**
 * The bills of some open periods of one merchant if they ended now, in their order: the live totals of ACTIVE and
 * CLOSING invoices (row 1). The facts of all, and of the invoices that are calculated before them, are loaded first.
 * @param known the terms of their subscription, if all are of one, and what decides its tax; loaded if absent
 * @returns null for one that cannot be calculated. Faults of the database are thrown.
 */
export async function tryPreviews(
  dependencies: InvoicingDependencies,
  tx: Tx,
  invoices: readonly InvoiceRow[],
  known?: KnownTerms,
): Promise<(Calculation | null)[]> {
  const [first] = invoices;
  if (!first) return [];
  const termsOf = known ? () => known.terms : await termsOfInvoices(tx, dependencies.source, invoices);
  const subscriptionIds = invoices.map((invoice) => termsOf(invoice).subscriptionId);
  const waiting = await selectWaiting(tx, subscriptionIds);
  const turns = invoices.map((stored) => {
    const terms = termsOf(stored);
    const before = calculatedBefore(terms, stored, waiting.get(terms.subscriptionId) ?? []);
    return [...before, asPlanned(terms, stored)].map((invoice): ToPreview => ({ terms, invoice }));
  });
  const held = await holdCredits(
    dependencies,
    tx,
    turns.flatMap((turn) => turn.map(({ invoice }) => invoice)),
    { lock: false },
  );
  const facts = await loadFacts(dependencies, tx, turns.flat(), { held, taxation: known?.taxation });
  const previews: (Calculation | null)[] = [];
  for (const turn of turns) {
    const all = turn.map((each) => facts.get(each) as PreviewFacts);
    previews.push((await previewTurn(dependencies, tx, all, held.copy())).at(-1) ?? null);
  }
  return previews;
}

/** The bill of an open period before billing credits, and what it would spend of them. */
export interface OpenPreview extends OpenInvoice {
  readonly invoice: InvoiceRow;
  readonly calculation: Calculation;
}

/**
 * The bills of all open periods of some subscriptions if they ended now, before billing credits.
 * @param of.held the credits that they may spend; absent: that is not asked
 * @param of.beside invoices that ask what comes before them: at their ends, what these spend is divided
 * @param of.asks `charges`: nothing of what is missing to commitments
 */
export async function previewTogether(
  dependencies: InvoicingDependencies,
  tx: Tx,
  invoices: readonly InvoiceRow[],
  of: { held?: HeldCredits; beside?: readonly InvoiceRow[]; asks?: 'all' | 'charges' } = {},
): Promise<OpenPreview[]> {
  const { held, beside = [], asks = 'all' } = of;
  const { source } = dependencies;
  const termsOf = await termsOfInvoices(tx, source, invoices);
  const turns = [...Map.groupBy(invoices, (invoice) => termsOf(invoice))].map(([terms, those]) =>
    inBillingOrder(terms, those).map((invoice): ToPreview => ({ terms, invoice })),
  );
  const facts = await loadFacts(dependencies, tx, turns.flat(), { held, beside });
  const found: OpenPreview[] = [];
  for (const turn of turns)
    await inTurn(
      dependencies,
      tx,
      turn.map((each) => facts.get(each) as PreviewFacts),
      async (each, billing, frozen) => {
        const calculation = calculateOrNull(each, billing, frozen);
        if (calculation === null) return null;
        const { terms, invoice, usage, beside } = each;
        const withCredits = await held?.freeze(tx, source, { ...each, billing, frozen });
        const spendings = withCredits ? openSpendings(inputOf(billing, withCredits, invoice, usage, beside)) : [];
        found.push({ terms, invoice, calculation, spendings });
        return calculation;
      },
      asks,
    );
  return found;
}

/**
 * The billing credits that some invoices may use, beside what other open periods would spend of them: what is open
 * burns by its time (commercial.md §3).
 */
export async function holdCredits(
  dependencies: InvoicingDependencies,
  tx: Tx,
  invoices: readonly InvoiceRow[],
  how: { readonly lock: boolean },
): Promise<HeldCredits> {
  const held = await HeldCredits.load(tx, invoices, how);
  const owners = held.sharedOwners;
  if (owners.length === 0) return held;
  const waiting = await selectWaiting(tx, await selectOpenSubscriptions(tx, await withChildren(tx, owners)));
  const all = [...waiting.values()].flat();
  const known = new Set(invoices.map(({ id }) => id));
  const last = invoices.map(({ periodEnd }) => periodEnd).reduce(latest);
  const isLater = ({ subscriptionId, periodStart }: InvoiceRow): boolean =>
    subscriptionId === invoices[0]?.subscriptionId ? !isBefore(periodStart, last) : isAfter(periodStart, last);
  if (invoices.length === 1 && all.every((each) => known.has(each.id) || isLater(each))) return held;
  const wide = await HeldCredits.load(tx, [...invoices, ...all.filter(({ id }) => !known.has(id))], { lock: false });
  return wide.with(await previewTogether(dependencies, tx, all, { held: wide, beside: invoices }));
}

interface ToPreview {
  readonly terms: BillingTerms;
  readonly invoice: InvoiceRow;
}

/** All facts that decide the bill of an invoice, but the lines of those that are calculated before it. */
interface PreviewFacts extends ToPreview {
  readonly frozen: FrozenTerms;
  readonly loaded: Loaded;
  readonly usage: readonly BilledUsage[];
  readonly divided: DividedUsage;
  readonly beside: Beside;
}

const UNDIVIDED: DividedUsage = { bounds: [], until: [] };

async function loadFacts(
  dependencies: InvoicingDependencies,
  tx: Tx,
  all: readonly ToPreview[],
  of: { held: HeldCredits | undefined; beside?: readonly InvoiceRow[]; taxation?: Taxation | undefined },
): Promise<ReadonlyMap<ToPreview, PreviewFacts>> {
  const { source } = dependencies;
  const dividing = of.held?.dividing(all, of.beside);
  const usage = await readUsageOfEach(tx, source, [...all, ...(dividing?.parts ?? [])]);
  const divided = dividing?.dividedBy(usage.slice(all.length)) ?? [];
  const rates = await freezeEach(dependencies, tx, all, of.taxation);
  const asked = all.map((each, place) => ({ ...each, frozen: rates[place] as FrozenTerms }));
  const loaded = await loadBillings(tx, source, asked);
  const taking = all.map(({ terms, invoice }) => ({ invoice, waiting: waitingFor(terms, invoice) }));
  const manual = await selectManualLinesIfClosed(tx, taking);
  const credits = await expectedCredits(tx, all);
  return new Map(
    asked.map(({ terms, invoice, frozen }, place) => [
      all[place] as ToPreview,
      {
        ...{ terms, invoice, frozen, loaded: loaded[place] as Loaded, usage: usage[place] ?? [] },
        divided: divided[place] ?? UNDIVIDED,
        beside: { manual: manual[place] ?? [], credits: credits[place] ?? [] },
      },
    ]),
  );
}

/**
 * The bills of some invoices of a subscription, which are in the order of their calculation. Each bills what those
 * before it leave: late usage, the usage of a period of which it is a part, what a change made due.
 * @param calculated null: one that cannot be calculated
 */
async function inTurn(
  dependencies: InvoicingDependencies,
  tx: Tx,
  turn: readonly PreviewFacts[],
  calculated: (facts: PreviewFacts, billing: Billing, frozen: FrozenTerms) => Promise<Calculation | null>,
  asks: 'all' | 'charges' = 'all',
): Promise<(Calculation | null)[]> {
  const { source } = dependencies;
  const before: StoredLine[] = [];
  const previews: (Calculation | null)[] = [];
  for (const facts of turn) {
    const billing = withoutUndecided(billingOf(withBilled(facts.loaded, before)), facts.invoice, turn);
    const { others } = facts.loaded.state;
    const openOf = (all: readonly BillingTerms[]) =>
      withOpenPeriods(dependencies, tx, all, facts.invoice.gracePeriodEnd);
    const frozen =
      asks === 'all' ? await freezeTrueUps(tx, source, { ...facts, billing, others, before, openOf }) : facts.frozen;
    const calculation = await calculated(facts, billing, frozen);
    before.push(...(calculation?.lines ?? []).map((line) => storedLineOf(facts.invoice, line)));
    previews.push(calculation);
  }
  return previews;
}

/**
 * Without the coupons of periods that begin after the first of the invoices ends and before this one does: what is left
 * of them is not decided, because invoices that are not open yet bear them first.
 */
function withoutUndecided(billing: Billing, invoice: InvoiceRow, turn: readonly PreviewFacts[]): Billing {
  const first = turn[0]?.invoice ?? invoice;
  const isUndecided = ({ period: { start } }: DueCoupons): boolean =>
    isAfter(start, first.periodEnd) && isBefore(start, invoice.periodEnd);
  return { ...billing, coupons: billing.coupons.filter((due) => !isUndecided(due)) };
}

/** The same with what billing credits pay. */
const previewTurn = (
  dependencies: InvoicingDependencies,
  tx: Tx,
  turn: readonly PreviewFacts[],
  held: HeldCredits,
): Promise<(Calculation | null)[]> =>
  inTurn(dependencies, tx, turn, async (facts, billing, frozen) => {
    const withCredits = await held.freeze(tx, dependencies.source, { ...facts, billing, frozen });
    const calculation = calculateOrNull(facts, billing, withCredits);
    if (calculation) held.take(facts.invoice, calculation);
    return calculation;
  });

/** Subscriptions with what their open periods come to now. */
export async function withOpenPeriods(
  dependencies: InvoicingDependencies,
  tx: Tx,
  all: readonly BillingTerms[],
  now: Instant,
): Promise<SpendingSubscription[]> {
  const waiting = await selectWaiting(
    tx,
    all.map(({ subscriptionId }) => subscriptionId),
  );
  const previews = await previewTogether(dependencies, tx, [...waiting.values()].flat(), { asks: 'charges' });
  const invoice = { gracePeriodEnd: now, periodStart: now, periodEnd: now };
  const frozen = await freezeEach(
    dependencies,
    tx,
    all.map((terms) => ({ terms, invoice })),
  );
  const open = Map.groupBy(previews, (preview) => preview.invoice.subscriptionId);
  return all.map((terms, place) => {
    const lines = (open.get(terms.subscriptionId) ?? []).flatMap((preview) =>
      preview.calculation.lines.map((line) => storedLineOf(preview.invoice, line)),
    );
    return { terms, unstored: { lines, invoiceId: '', frozen: frozen[place] as FrozenTerms } };
  });
}

function calculateOrNull(
  { invoice, usage, beside }: PreviewFacts,
  billing: Billing,
  frozen: FrozenTerms,
): Calculation | null {
  try {
    return calculateInvoice(billing, frozen, invoice, usage, beside);
  } catch {
    return null; // the calculation of the closed period keeps what was thrown, with the invoice
  }
}
