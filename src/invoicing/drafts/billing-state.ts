import type { Tx } from '../../db/index.ts';
import { decimal } from '../../kernel/decimal.ts';
import { earliest, type Instant, isAfter, isBefore } from '../../kernel/time.ts';
import {
  type BilledFor,
  type BilledQuestion,
  type PlaceInBilling,
  type PlaceInTime,
  selectBilledItems,
  selectBilledLinesOf,
  selectCreditsOf,
  selectUncalculated,
  selectUncalculatedOf,
} from '../difference/billed.sql.ts';
import { type BilledItem, itemsOf, type StoredLine } from '../difference/billed.ts';
import { couponsDue, type DueCoupons, isLast, withoutEnd } from '../difference/coupons-due.ts';
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
import { asBilled, cellAt, cellOf, cellsIn, type InvoicePeriod, justBefore, startOfBills } from '../owed/charges.ts';
import { ownPeriodAt } from '../owed/coupon-window.ts';
import { inTwoKinds } from '../owed/coupons.ts';
import type { BillingSource, BillingTerms } from '../terms/billing-terms.ts';
import { cadencesOf, segmentsOf } from '../timeline/segments.ts';
import { type ReadPeriod, readClosedPeriods, readClosedPeriodsOf, type WhichPeriods } from '../usage/late-usage.ts';

/** The charges of an invoice of a subscription, and the closed periods that were read for it. */
export interface Billing {
  readonly due: readonly DueCharge[];
  readonly commitments: readonly DueCommitment[];
  /** The periods of the plan with coupons that are worked out for all of them. */
  readonly coupons: readonly DueCoupons[];
  readonly read: readonly ReadPeriod[];
  /** The items of the other invoices. */
  readonly items: readonly BilledItem[];
}

/** The part of it that decides the amounts. */
export type BillingOfInvoice = Pick<Billing, 'due' | 'commitments' | 'coupons'>;

/** A question about the charges of an invoice of a subscription. */
export interface BillingQuestion {
  readonly terms: BillingTerms;
  readonly invoice: InvoiceRow;
  readonly frozen: Pick<FrozenTerms, 'manualTaxRate'>;
}

/**
 * Loads the bills, and finds the charges of an invoice in all that is owed: its own, and corrections of closed periods.
 */
export async function loadBilling(tx: Tx, source: BillingSource, asked: BillingQuestion): Promise<Billing> {
  const [billing] = (await loadBillings(tx, source, [asked])) as [Loaded];
  return billingOf(billing);
}

/** The loaded facts that decide on the charges of an invoice. */
export interface Loaded {
  readonly state: BillingState;
  readonly read: readonly ReadPeriod[];
  readonly frozen: Pick<FrozenTerms, 'manualTaxRate'>;
}

/**
 * The same for some invoices of one merchant, in their order; `billingOf` finds the charges of each.
 */
export async function loadBillings(
  tx: Tx,
  source: BillingSource,
  asked: readonly BillingQuestion[],
): Promise<Loaded[]> {
  const [first] = asked;
  if (!first) return [];
  const found = await selectUncalculatedOf(
    tx,
    asked.map(({ invoice }) => ({ invoice, beforeSeq: null })),
  );
  const places = found.map(placesOf);
  const withPeriods = asked.flatMap(({ terms, invoice }, place) =>
    invoice.kind === 'upfront' ? [] : [{ place, terms, uncalculated: [...(places[place]?.others ?? []), invoice] }],
  );
  const closed = await readClosedPeriodsOf(tx, source, withPeriods);
  const read = new Map(withPeriods.map(({ place }, index) => [place, closed[index] ?? []]));
  const states = await loadStates(
    tx,
    asked.map(({ terms, invoice }, place) => ({
      ...{ terms, invoice, ...(places[place] ?? placesOf([])), read: read.get(place) ?? [] },
    })),
  );
  return asked.map(({ frozen }, place) => ({
    state: states[place] as BillingState,
    read: read.get(place) ?? [],
    frozen,
  }));
}

/** The charges of an invoice from its loaded facts. */
export function billingOf({ state, read, frozen }: Loaded): Billing {
  const due = [...dueOn(state), ...lateDue(state, read)];
  const commitments = commitmentsDue(state, read, decimal(frozen.manualTaxRate ?? '0'));
  return { due, commitments, coupons: couponsDue(state, due), read, items: state.items };
}

/** The places in time that have no lines, and those whose lines count for nothing. */
function placesOf(found: readonly PlaceInTime[]): Required<Pick<BillingState, 'others' | 'rebilled'>> {
  const { others = [], rebilled = [] } = Object.groupBy(found, ({ isRebilled }) =>
    isRebilled ? 'rebilled' : 'others',
  );
  return { others, rebilled };
}

/** The same as it will be when other invoices have billed some lines. */
export const withBilled = (loaded: Loaded, lines: readonly StoredLine[]): Loaded => ({
  ...loaded,
  state: { ...loaded.state, items: [...loaded.state.items, ...itemsOf(lines, [])] },
});

/**
 * The differences of closed periods of a subscription, if no invoice follows.
 * @param rateOf the tax rate of what no price makes; asked only where there is a difference
 */
export async function loadCorrections(
  tx: Tx,
  source: BillingSource,
  terms: BillingTerms,
  which: WhichPeriods,
  rateOf: () => Promise<string | undefined>,
): Promise<Billing> {
  const all = { merchantId: terms.merchantId, subscriptionId: terms.subscriptionId, id: '' };
  const { others } = placesOf(await selectUncalculated(tx, all));
  const read = await readClosedPeriods(tx, source, { terms, uncalculated: others }, which);
  if (read.length === 0) return { due: [], commitments: [], coupons: [], read, items: [] };
  const starts = startsOf(terms, read);
  const since = justBefore(starts.reduce(earliest));
  const items = await selectBilledItems(tx, all, since);
  const state = { terms, invoice: null, others, items };
  const commitments = commitmentsDue(state, read, decimal((await rateOf()) ?? '0'));
  const due = lateDue(state, read);
  return { due, commitments, coupons: couponsDue(state, due), read, items };
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
): Promise<BillingOfInvoice> {
  const places = placesOf(await selectUncalculated(tx, invoice, place?.seq ?? null));
  const [state] = (await loadStates(tx, [{ terms, invoice, ...places, read: [], place }])) as [BillingState];
  const all = { ...state, items: [...state.items, ...itemsOf(corrections, [])] };
  const commitments = commitmentsDue(all, [], decimal(frozen.manualTaxRate ?? '0'));
  const due = dueOn(state);
  const own = commitments.filter(({ isLate }) => !isLate);
  const coupons = couponsDue(all, due).filter(({ isLate }) => !isLate);
  return { due, commitments: own, coupons };
}

interface StateQuestion {
  readonly terms: BillingTerms;
  readonly invoice: UncalculatedInvoice & BilledFor;
  readonly others: readonly UncalculatedInvoice[];
  readonly rebilled: readonly UncalculatedInvoice[];
  readonly read: readonly ReadPeriod[];
  readonly place?: PlaceInBilling | null;
}

/** Credits are of lines, so they are asked for only where there are some. */
async function loadStates(tx: Tx, asked: readonly StateQuestion[]): Promise<BillingState[]> {
  const questions = asked.map(
    ({ terms, invoice, rebilled, read, place = null }): BilledQuestion => ({
      invoice,
      since: [invoice, ...rebilled].map((each) => billedSince(terms, each, read)).reduce(earliest),
      before: place,
    }),
  );
  const lines = await selectBilledLinesOf(tx, questions);
  const withLines = questions.filter((_, place) => lines[place]?.length);
  const found = await selectCreditsOf(tx, withLines);
  const credits = new Map(withLines.map((question, index) => [question, found[index] ?? []]));
  return asked.map(({ terms, invoice, others, rebilled }, place) => {
    const own = credits.get(questions[place] as BilledQuestion) ?? [];
    return { terms, invoice, others, rebilled, items: itemsOf(lines[place] ?? [], own) };
  });
}

/** From where on lines of closed periods can matter. */
const startsOf = (terms: BillingTerms, read: readonly ReadPeriod[]): Instant[] =>
  read.flatMap(({ invoice }) => startsIn(asBilled(terms, invoice), invoice));

/** The starts of an invoice's period, and of all periods whose charges count for the commitments that it may ask. */
const startsIn = (terms: BillingTerms, invoice: InvoicePeriod): Instant[] => [
  ...[cellOf(terms, invoice), ...planPeriodsOf(terms, invoice).flatMap((cell) => cellsIn(terms, cell))].map((cell) =>
    startOfBills(terms, cell),
  ),
  ...(inTwoKinds(terms.redemptions).ofPeriods.length > 0 ? startsOfOwn(terms, cellOf(terms, invoice).start) : []),
  // What a coupon carries over is its amounts less all that it took.
  ...(terms.redemptions ?? []).flatMap(({ carriesOver, from }) => (carriesOver ? [from] : [])),
];

/**
 * From where on bills of the plan's period that holds an instant can begin: also those of a longer series with service
 * in it, of which it has a share.
 */
function startsOfOwn(terms: BillingTerms, at: Instant): Instant[] {
  const lived = withoutEnd(terms);
  const cell = ownPeriodAt(lived, at);
  return cell ? [cell, ...cellsIn(lived, cell)].map((each) => startOfBills(lived, each)) : [at];
}

/** From where on lines can matter: from the start of the earliest period of which the invoice may bill something. */
function billedSince(terms: BillingTerms, invoice: UncalculatedInvoice, read: readonly ReadPeriod[]): Instant {
  const starts = startsOf(terms, read);
  if (invoice.kind === 'subscription') starts.push(...startsIn(terms, invoice));
  const { kind, periodStart: start, periodEnd: end, billingAnchor: anchor } = invoice;
  if (isLast(terms, invoice) && inTwoKinds(terms.redemptions).ofPeriods.length > 0) starts.push(terms.bounds.startedAt);
  const from = kind === 'upfront' ? earliest(anchor, start) : start;
  for (const segment of segmentsOf(terms)) {
    if (isBefore(segment.start, from) || isAfter(segment.start, end)) continue;
    for (const cadence of cadencesOf(segment)) {
      const cell = cellAt(terms, cadence, segment.start);
      starts.push(cell ? startOfBills(terms, cell) : from);
    }
  }
  return justBefore(starts.reduce(earliest, from));
}
