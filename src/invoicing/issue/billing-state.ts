import type { Tx } from '../../db/index.ts';
import { decimal } from '../../kernel/decimal.ts';
import { earliest, type Instant, isAfter, isBefore } from '../../kernel/time.ts';
import {
  type BilledFor,
  type PlaceInBilling,
  selectBilledLines,
  selectCredits,
  selectUncalculated,
} from '../difference/billed.sql.ts';
import { type BilledItem, itemsOf, type StoredLine } from '../difference/billed.ts';
import {
  type BillingState,
  commitmentsDue,
  type DueCharge,
  type DueCommitment,
  dueOn,
  lateDue,
  planPeriodsOf,
  type UncalculatedInvoice,
} from '../difference/due.ts';
import type { FrozenTerms } from '../invoice/frozen-terms.ts';
import type { InvoiceRow } from '../invoice/invoice.ts';
import { asBilled, cellAt, cellOf, type InvoicePeriod, justBefore } from '../owed/charges.ts';
import type { BillingSource, BillingTerms } from '../terms/billing-terms.ts';
import { cadencesOf, segmentsOf } from '../timeline/segments.ts';
import { type ReadPeriod, readClosedPeriods, type WhichPeriods } from '../usage/late-usage.ts';

/** What an invoice of a subscription bills, and the closed periods that were read for it. */
export interface Billing {
  readonly due: readonly DueCharge[];
  readonly commitments: readonly DueCommitment[];
  readonly read: readonly ReadPeriod[];
  /** What the other invoices bill. */
  readonly items: readonly BilledItem[];
}

/** Loads what is billed, and finds what of all that is owed an invoice bills: its own charges, and corrections of closed periods. */
export async function loadBilling(
  tx: Tx,
  source: BillingSource,
  terms: BillingTerms,
  invoice: InvoiceRow,
  frozen: Pick<FrozenTerms, 'manualTaxRate'>,
  assumed: readonly StoredLine[] = [],
): Promise<Billing> {
  const others = await selectUncalculated(tx, invoice);
  const read = invoice.kind === 'upfront' ? [] : await readClosedPeriods(tx, source, terms, [...others, invoice]);
  const state = await loadState(tx, terms, invoice, { others, read, assumed });
  const commitments = commitmentsDue(state, read, decimal(frozen.manualTaxRate ?? '0'));
  return { due: [...dueOn(state), ...lateDue(state, read)], commitments, read, items: state.items };
}

/** What closed periods of a subscription come to more or less than was billed, where no invoice follows. */
export async function loadCorrections(
  tx: Tx,
  source: BillingSource,
  terms: BillingTerms,
  which: WhichPeriods = 'changed',
  frozen: Pick<FrozenTerms, 'manualTaxRate'> = {},
): Promise<Billing> {
  const all = { merchant_id: terms.merchantId, subscription_id: terms.subscriptionId, id: '' };
  const others = await selectUncalculated(tx, all);
  const read = await readClosedPeriods(tx, source, terms, others, which);
  if (read.length === 0) return { due: [], commitments: [], read, items: [] };
  const starts = startsOf(terms, read);
  const since = justBefore(starts.reduce(earliest));
  const items = itemsOf(await selectBilledLines(tx, all, since), await selectCredits(tx, all, since));
  const state = { terms, invoice: null, others, items };
  const commitments = commitmentsDue(state, read, decimal(frozen.manualTaxRate ?? '0'));
  return { due: lateDue(state, read), commitments, read, items };
}

/**
 * The own charges of an invoice as they were due when it was calculated.
 * @param corrections those of closed periods that stand on the invoice itself
 * @param place its place in the order of billing; null: as of now
 */
export async function loadOwnDue(
  tx: Tx,
  terms: BillingTerms,
  invoice: UncalculatedInvoice & BilledFor,
  frozen: Pick<FrozenTerms, 'manualTaxRate'>,
  place: PlaceInBilling | null,
  corrections: readonly StoredLine[] = [],
): Promise<Pick<Billing, 'due' | 'commitments'>> {
  const others = await selectUncalculated(tx, invoice, place?.seq ?? null);
  const state = await loadState(tx, terms, invoice, { others, read: [], place });
  const all = { ...state, items: [...state.items, ...itemsOf(corrections, [])] };
  const commitments = commitmentsDue(all, [], decimal(frozen.manualTaxRate ?? '0'));
  return { due: dueOn(state), commitments: commitments.filter(({ isLate }) => !isLate) };
}

interface Loaded {
  readonly others: readonly UncalculatedInvoice[];
  readonly read: readonly ReadPeriod[];
  readonly place?: PlaceInBilling | null;
  readonly assumed?: readonly StoredLine[];
}

async function loadState(
  tx: Tx,
  terms: BillingTerms,
  invoice: UncalculatedInvoice & BilledFor,
  { others, read, place = null, assumed = [] }: Loaded,
): Promise<BillingState> {
  const since = billedSince(terms, invoice, read);
  const lines = await selectBilledLines(tx, invoice, since, place?.seq ?? null);
  const credits = lines.length === 0 ? [] : await selectCredits(tx, invoice, since, place);
  return { terms, invoice, others, items: itemsOf([...lines, ...assumed], credits) };
}

/** From where on lines of closed periods can matter. */
const startsOf = (terms: BillingTerms, read: readonly ReadPeriod[]): Instant[] =>
  read.flatMap(({ invoice }) => startsIn(asBilled(terms, invoice), invoice));

/** Where the period of an invoice starts, and those of the plan whose commitments its charges count for. */
const startsIn = (terms: BillingTerms, invoice: InvoicePeriod): Instant[] =>
  [cellOf(terms, invoice), ...planPeriodsOf(terms, invoice)].map(({ start }) => start);

/** From where on lines can matter: from the start of the earliest period of which the invoice may bill something. */
function billedSince(terms: BillingTerms, invoice: UncalculatedInvoice, read: readonly ReadPeriod[]): Instant {
  const starts = startsOf(terms, read);
  if (invoice.kind === 'subscription') starts.push(...startsIn(terms, invoice));
  const { kind, period_start: start, period_end: end, billing_anchor: anchor } = invoice;
  const from = kind === 'upfront' ? earliest(anchor, start) : start;
  for (const segment of segmentsOf(terms)) {
    if (isBefore(segment.start, from) || isAfter(segment.start, end)) continue;
    for (const cadence of cadencesOf(segment)) starts.push(cellAt(terms, cadence, segment.start)?.start ?? from);
  }
  return justBefore(starts.reduce(earliest, from));
}
