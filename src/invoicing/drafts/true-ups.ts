import type { Tx } from '../../db/index.ts';
import { merchantSettings } from '../../identity/index.ts';
import { Decimal, plain, sum, ZERO } from '../../kernel/decimal.ts';
import { HOURS_PER_DAY, type Instant, isAfter, isBefore } from '../../kernel/time.ts';
import { type StoredLine, sumWithTax } from '../difference/billed.ts';
import { type AskedTrueUp, selectCommitmentsOf, selectTrueUps } from '../difference/commitments.sql.ts';
import type { UncalculatedInvoice } from '../difference/due.ts';
import type { BilledUsage } from '../invoice/billed-usage.ts';
import type { FrozenTerms, FrozenTrueUp } from '../invoice/frozen-terms.ts';
import type { InvoiceRow } from '../invoice/invoice.ts';
import { isOwnSeries } from '../owed/charges.ts';
import type { BillingSource, BillingTerms } from '../terms/billing-terms.ts';
import { type Commitment, missingTo, type Target, targetsOf } from '../terms/commitment.ts';
import type { Billing } from './billing-state.ts';
import { type Beside, calculateInvoice } from './calculate-invoice.ts';
import { storedLineOf } from './calculated-line.ts';
import { loadTogether } from './commitments-together.ts';
import { loadSpent, type SpendingSubscription } from './spending.ts';

/** Subscriptions with what their open periods come to, without true-ups. */
type OpenOf = (all: readonly BillingTerms[]) => Promise<SpendingSubscription[]>;

/** An invoice on which commitments may ask what is missing, with the facts of its calculation. */
export interface InvoiceWithTrueUps {
  readonly terms: BillingTerms;
  readonly invoice: InvoiceRow;
  readonly billing: Billing;
  readonly frozen: FrozenTerms;
  readonly usage: readonly BilledUsage[];
  readonly beside: Beside;
  /** The other invoices of the subscription that are not calculated. */
  readonly others: readonly UncalculatedInvoice[];
  readonly openOf: OpenOf;
  /** Of a preview: the lines of invoices that are calculated before it. */
  readonly before?: readonly StoredLine[];
}

/**
 * The terms of a calculation with what commitments ask on the invoice: what is missing to their amounts as things are
 * now, its own lines included, less what other invoices asked (docs/decisions/0268).
 */
export async function freezeTrueUps(tx: Tx, source: BillingSource, facts: InvoiceWithTrueUps): Promise<FrozenTerms> {
  const { trueUps: _, ...frozen } = facts.frozen;
  const { terms, invoice } = facts;
  const at = asksUntil(terms, invoice);
  if (at === null || terms.isCommitted !== true) return frozen;
  const commitments = await selectCommitmentsOf(tx, terms.subscriptionId, 'postpaid');
  const { lateUsageDays } = await merchantSettings(tx);
  const due = commitments.map((commitment) =>
    targetsOf(commitment, terms.bounds.endsAt).filter((target) => isDue(facts, target, at, lateUsageDays)),
  );
  if (due.every((targets) => targets.length === 0)) return frozen;
  const { billingCredits: _credits, ...plainTerms } = frozen;
  const { lines } = calculateInvoice(facts.billing, plainTerms, invoice, facts.usage, facts.beside);
  const own = [...(facts.before ?? []), ...lines.map((line) => storedLineOf(invoice, line))];
  const known = { terms, unstored: { lines: own, invoiceId: invoice.id, frozen } };
  const spent = await spentFor(tx, source, commitments, known, facts.openOf);
  const asked = [...(await selectTrueUps(tx, terms.subscriptionId, invoice.id)), ...askedBy(facts.before ?? [])];
  const trueUps = trueUpsOf({ commitments, due, spent, asked, frozen });
  return trueUps.length === 0 ? frozen : { ...frozen, trueUps };
}

/**
 * What a subscription that has ended misses to its commitments and no invoice asked, or, below 0, what was asked too
 * much. An end as of the past may find its last invoice issued (commercial.md §4: else an `ad_hoc` invoice). Its other
 * invoices are calculated.
 */
export async function openTrueUps(
  tx: Tx,
  source: BillingSource,
  terms: BillingTerms,
  { frozen, openOf }: Pick<InvoiceWithTrueUps, 'frozen' | 'openOf'>,
  now: Instant,
): Promise<FrozenTrueUp[]> {
  const commitments = await selectCommitmentsOf(tx, terms.subscriptionId, 'postpaid');
  const due = commitments.map((commitment) =>
    targetsOf(commitment, terms.bounds.endsAt).filter(({ end }) => !isAfter(end, now)),
  );
  if (due.every((targets) => targets.length === 0)) return [];
  const known = { terms, unstored: { lines: [], invoiceId: '', frozen } };
  const spent = await spentFor(tx, source, commitments, known, openOf);
  const asked = await selectTrueUps(tx, terms.subscriptionId);
  return trueUpsOf({ commitments, due, spent, asked, frozen });
}

/**
 * What is spent for commitments of a subscription. Where one of several subscriptions may have a part of it, what the
 * others owe decides, too.
 */
async function spentFor(
  tx: Tx,
  source: BillingSource,
  commitments: readonly Commitment[],
  own: SpendingSubscription,
  openOf: OpenOf,
): Promise<Decimal[][]> {
  const together = await loadTogether(tx, source, own.terms, own.terms);
  const isOwn = ({ subscriptionId }: BillingTerms) => subscriptionId === own.terms.subscriptionId;
  const others = together.subscriptions.filter((terms) => !isOwn(terms));
  const open = others.length > 0 ? await openOf(others) : [];
  const subscriptions = together.subscriptions.map((terms) =>
    isOwn(terms) ? own : (open[others.indexOf(terms)] as SpendingSubscription),
  );
  const spent = await loadSpent(tx, source, subscriptions, together.commitments, null);
  return commitments.map(
    ({ id }) => spent[together.commitments.findIndex(({ commitment }) => commitment.id === id)] ?? [],
  );
}

/** What commitments ask for some of their targets. */
function trueUpsOf({
  commitments,
  due,
  spent,
  asked,
  frozen,
}: {
  readonly commitments: readonly Commitment[];
  readonly due: readonly (readonly Target[])[];
  readonly spent: readonly (readonly Decimal[])[];
  readonly asked: readonly AskedTrueUp[];
  readonly frozen: FrozenTerms;
}): FrozenTrueUp[] {
  return commitments.flatMap((commitment, place) =>
    (due[place] ?? []).flatMap((target): FrozenTrueUp[] => {
      const own = spent[place] ?? [];
      const reached = commitment.trueUp === 'term' ? sum(own) : (own[target.segment] ?? ZERO);
      const before = asked.filter((each) => each.commitmentId === commitment.id && each.segment === target.segment);
      return trueUpOf(commitment, target, reached, before, frozen);
    }),
  );
}

/** Until when an invoice asks what was missing by then; null: it asks nothing. An open one asks nothing, either. */
function asksUntil(terms: BillingTerms, invoice: InvoiceRow): Instant | null {
  const { kind, status, oneOff, periodStart, periodEnd } = invoice;
  if (kind === 'subscription') return status !== 'ACTIVE' && isOwnSeries(terms, invoice) ? periodEnd : null;
  return kind === 'ad_hoc' && oneOff === null ? periodStart : null;
}

/** Does an invoice ask for a target? Another one that is not calculated yet may hold its end. */
function isDue(
  { terms, invoice, others }: InvoiceWithTrueUps,
  { end }: Target,
  at: Instant,
  lateUsageDays: number,
): boolean {
  if (isAfter(end, at)) return false;
  const isOver = isAfter(invoice.periodStart, end.add({ hours: HOURS_PER_DAY * lateUsageDays }));
  if (invoice.kind === 'subscription' && isOver) return false;
  return !others.some(
    (other) =>
      other.kind === 'subscription' &&
      isOwnSeries(terms, other) &&
      isBefore(other.periodStart, end) &&
      !isBefore(other.periodEnd, end),
  );
}

/** What an invoice asks for a target: none where as much is asked as is missing, or nothing more can be given back. */
function trueUpOf(
  { id, name }: Commitment,
  { segment, start, end, amount }: Target,
  spent: Decimal,
  asked: readonly AskedTrueUp[],
  frozen: FrozenTerms,
): FrozenTrueUp[] {
  const before = sum(asked.map(({ net }) => net));
  const back = sumWithTax(asked.map(({ left, leftTax }) => ({ net: left, tax: leftTax })));
  const most = Decimal.max(ZERO, back.net);
  const difference = Decimal.max(missingTo(amount, spent).minus(before), most.negated());
  if (difference.isZero()) return [];
  const isBack = difference.lt(0);
  const last = asked.findLast(({ left }) => left.gt(0));
  return [
    {
      ...{ commitmentId: id, segment, name, from: start.toString(), to: end.toString() },
      ...{ amount: plain(amount), spent: plain(spent), before: plain(before), asked: plain(difference) },
      taxRate: isBack && last ? plain(last.taxRate) : (frozen.manualTaxRate ?? '0'),
      back: isBack ? { net: plain(back.net), tax: plain(back.tax) } : null,
    },
  ];
}

/** What lines of a preview ask. */
const askedBy = (lines: readonly StoredLine[]): AskedTrueUp[] =>
  lines.flatMap(({ invoiceId, net, tax, taxRate, workings }) =>
    workings?.trueUp ? [{ ...workings.trueUp, invoiceId, net, tax, taxRate, left: net, leftTax: tax }] : [],
  );
