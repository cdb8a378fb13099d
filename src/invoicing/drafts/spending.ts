import type { Tx } from '../../db/index.ts';
import type { Decimal } from '../../kernel/decimal.ts';
import { roundTo } from '../../kernel/money.ts';
import { earliest, type Instant, isAfter, isBefore } from '../../kernel/time.ts';
import { spentUntil } from '../calculation/due-lines.ts';
import { selectBilledLinesOf, selectCreditsOf } from '../difference/billed.sql.ts';
import type { StoredLine } from '../difference/billed.ts';
import { selectPeriodsAt } from '../difference/commitments.sql.ts';
import { allocateSpending, type Spendable, type Spending, type Split, spendingsIn } from '../difference/spending.ts';
import type { FrozenTerms } from '../invoice/frozen-terms.ts';
import type { InvoiceRow } from '../invoice/invoice.ts';
import { asBilled, cellOf, chargesInArrears, justBefore } from '../owed/charges.ts';
import { appliesTo, hasPlan, namesCharges } from '../terms/applies-to.ts';
import type { BillingSource, BillingTerms } from '../terms/billing-terms.ts';
import { type Commitment, heldSegments } from '../terms/commitment.ts';
import { listPriceId } from '../terms/list-price.ts';
import { versionsOf } from '../timeline/segments.ts';
import { readUsageOfEach } from '../usage/read-usage.ts';
import { inputOf } from './calculate-invoice.ts';

/** The lines of a subscription that are not stored, and the terms of invoices that have none. */
export interface UnstoredSpending {
  readonly lines: readonly StoredLine[];
  /** The invoice that is calculated: what is stored of it does not count. */
  readonly invoiceId: string;
  readonly frozen: FrozenTerms;
}

/** A subscription with what of its spending is not stored. */
export interface SpendingSubscription {
  readonly terms: BillingTerms;
  readonly unstored: UnstoredSpending;
}

/** A commitment with the subscriptions whose spending counts for it. */
export interface CountedCommitment {
  readonly commitment: Commitment;
  /** The end of its one subscription; null: none is set, or it is of several. */
  readonly endsAt: Instant | null;
  readonly holds: (terms: BillingTerms) => boolean;
}

/**
 * What is spent of subscriptions for the segments of their commitments (commercial.md §4): of the lines of all their
 * invoices, less what is credited of them.
 * @param commitments in their order
 * @param until spending after it does not count; null: all of it
 */
export async function loadSpent(
  tx: Tx,
  source: BillingSource,
  subscriptions: readonly SpendingSubscription[],
  commitments: readonly CountedCommitment[],
  until: Instant | null,
): Promise<Decimal[][]> {
  const all = subscriptions.map(({ terms }) => terms);
  const spendable = commitments.map((counted) => spendableOf(all, counted));
  const starts = spendable.flatMap(({ segments }) => segments.map(({ start }) => start));
  const [first] = starts;
  if (!first) return [];
  const since = justBefore(starts.reduce(earliest, first));
  const questions = subscriptions.map(({ terms: { merchantId, subscriptionId }, unstored }) => ({
    ...{ invoice: { merchantId, subscriptionId, id: unstored.invoiceId }, since, before: null },
  }));
  const [lines, credits] = [await selectBilledLinesOf(tx, questions), await selectCreditsOf(tx, questions)];
  const bounds = spendable.flatMap(({ segments }) => segments.flatMap((each) => [each.start, each.until]));
  const spendings: Spending[] = [];
  for (const [place, { terms, unstored }] of subscriptions.entries()) {
    const own = [...(lines[place] ?? []), ...unstored.lines];
    const splits = await loadSplits(tx, source, terms, { lines: own, bounds, frozen: unstored.frozen });
    const { subscriptionId } = terms;
    for (const spending of spendingsIn(own, credits[place] ?? [], splits))
      spendings.push({ ...spending, subscriptionId });
  }
  return allocateSpending(
    spendable,
    spendings.filter(({ at }) => until === null || !isAfter(at, until)),
  );
}

/** A commitment with the prices of subscriptions that count for it. */
function spendableOf(all: readonly BillingTerms[], { commitment, endsAt, holds }: CountedCommitment): Spendable {
  const own = all.filter(holds);
  const counting = new Map(own.map((terms) => [terms.subscriptionId, countingOf(terms, commitment)]));
  return {
    segments: heldSegments(commitment, endsAt),
    isTerm: commitment.trueUp === 'term',
    counts: ({ subscriptionId, priceId }) => counting.get(subscriptionId)?.(priceId) ?? false,
  };
}

/** Which prices of a subscription count for a commitment; null: the minimum of the plan. */
function countingOf(terms: BillingTerms, { appliesTo: of }: Commitment): (priceId: string | null) => boolean {
  const isForAll = !namesCharges(of) && of.planIds.length === 0;
  const chosen = new Set(
    versionsOf(terms).flatMap((version) =>
      version.prices
        .filter((price) => appliesTo(of, { planId: version.planId, price }))
        .map((price) => listPriceId(price.id)),
    ),
  );
  const countsMinimum = !namesCharges(of) && hasPlan(of, terms.planId);
  return (priceId) => (priceId === null ? countsMinimum : isForAll || chosen.has(priceId));
}

interface ToSplit {
  readonly lines: readonly StoredLine[];
  readonly bounds: readonly Instant[];
  readonly frozen: FrozenTerms;
}

/** What usage comes to until the bounds of segments that are inside its periods. */
async function loadSplits(
  tx: Tx,
  source: BillingSource,
  terms: BillingTerms,
  { lines, bounds, frozen }: ToSplit,
): Promise<Split[]> {
  const known = new Map(bounds.map((at) => [at.toString(), at]));
  const cuts = [...known.values()].toSorted(Temporal.Instant.compare);
  const inside = cuts.filter((at) => lines.some((line) => isCutAt(line, at)));
  const splits = new Map<string, Split>();
  for (const at of inside)
    for (const invoice of onePerPeriod(await selectPeriodsAt(tx, terms.subscriptionId, at)))
      for (const { priceId, period, until } of await splitAt(
        tx,
        source,
        asBilled(terms, invoice),
        invoice,
        at,
        frozen,
      )) {
        const key = `${priceId} ${period.start.toString()}`;
        splits.set(key, { priceId, period, until: [...(splits.get(key)?.until ?? []), ...until] });
      }
  return [...splits.values()];
}

const isCutAt = ({ feeId, priceId, periodStart, periodEnd }: StoredLine, at: Instant): boolean =>
  feeId === null && priceId !== null && isAfter(at, periodStart) && isBefore(at, periodEnd);

/** One invoice of each period that holds the instant: parts of a period are read from its start. */
const onePerPeriod = (invoices: readonly InvoiceRow[]): InvoiceRow[] => [
  ...new Map(
    invoices.map((invoice) => [
      `${invoice.billingCadence} ${invoice.billingAnchor.toString()} ${invoice.periodNumber}`,
      invoice,
    ]),
  ).values(),
];

/** What the usage of a period comes to until an instant. */
async function splitAt(
  tx: Tx,
  source: BillingSource,
  terms: BillingTerms,
  invoice: InvoiceRow,
  at: Instant,
  frozen: FrozenTerms,
): Promise<Split[]> {
  const part = { ...invoice, periodEnd: at };
  const cell = cellOf(terms, invoice);
  const [usage = []] = await readUsageOfEach(tx, source, [{ terms, invoice: part }]);
  const nothing = { due: [], commitments: [], coupons: [] };
  const input = inputOf(nothing, invoice.terms ?? frozen, invoice, usage, { manual: [] });
  return chargesInArrears(terms, cell, at)
    .filter(({ price }) => price.metric !== null)
    .map((charge) => {
      const amount = roundTo(spentUntil(input, { charge }, usage), invoice.currency, 'half-away-from-zero');
      return { priceId: charge.price.id, period: { start: cell.start, end: cell.end }, until: [{ at, amount }] };
    });
}
