import type { Tx } from '../../db/index.ts';
import { formatInstant, HOURS_PER_DAY, type Instant, isAfter } from '../../kernel/time.ts';
import type { Calculation } from '../calculation/calculation.ts';
import { deleteOpenCredits, selectCreditsOn, type TimeAfter } from '../credit-notes/unused-credits.sql.ts';
import { type CreditOrder, giveCredits } from '../credits/give-credits.ts';
import { loadBilling, loadOwnDue } from '../drafts/billing-state.ts';
import { calculateInvoice } from '../drafts/calculate-invoice.ts';
import { selectManualLinesOn } from '../drafts/manual-lines.sql.ts';
import { calculateAgain } from '../drafts/start-calculations.ts';
import { tryCalculation } from '../drafts/try-calculations.ts';
import type { InvoicingDependencies } from '../invoice/dependencies.ts';
import type { InvoiceRow } from '../invoice/invoice.ts';
import type { LineRow } from '../invoice/invoice-line.ts';
import { lockInvoicesIn, selectBilledUsage, selectLines } from '../invoice/invoices.sql.ts';
import { isOwnSeries, justBefore } from '../owed/charges.ts';
import type { BillingTerms } from '../terms/billing-terms.ts';
import { boundsOfSeries, isPausedThroughout, segmentAt, segmentsOf } from '../timeline/segments.ts';
import { alignPeriods, type TermsFrom } from './align-periods.ts';
import { closePeriods } from './close.ts';
import { issueInvoice } from './issue.ts';
import { openOneOff } from './make-one-off.ts';

const UNISSUED = ['ACTIVE', 'CLOSING', 'CLOSED', 'CALCULATING', 'DRAFT', 'FAILED'] as const;

/**
 * Closes ended periods of some subscriptions of one merchant before a worker does, so that the open period of each
 * includes the instant of its change.
 */
export async function closeWhatIsOver(tx: Tx, changes: readonly TermsFrom[], now: Instant): Promise<void> {
  const [first] = changes;
  if (!first) return;
  const byId = new Map(changes.map((change) => [change.terms.subscriptionId, change]));
  const changeOf = ({ subscriptionId }: InvoiceRow) => byId.get(subscriptionId ?? '') as TermsFrom;
  for (;;) {
    const open = await lockInvoicesIn(tx, [...byId.keys()], ['ACTIVE']);
    const over = open.filter((invoice) => !isAfter(invoice.periodEnd, changeOf(invoice).at));
    if (over.length === 0) return;
    await closePeriods(tx, (invoice) => changeOf(invoice).terms, over, 'endPeriod', now);
  }
}

/**
 * The versions of some subscriptions of one merchant change, each at its instant (§3, Plan change): their open periods
 * follow, what is due in advance stands on the open invoice of the plan's own series or, where none goes on, on an
 * invoice of now, and what is not used is given back. All of it follows from the histories as they stand. Drafts that
 * have another amount and invoices of now are calculated one by one.
 * @param changes the terms with the change
 * @returns for each the invoice on which most of it stands; null where nothing is open
 */
export async function followChanges(
  dependencies: InvoicingDependencies,
  tx: Tx,
  changes: readonly TermsFrom[],
  now: Instant,
): Promise<(InvoiceRow | null)[]> {
  const [first] = changes;
  if (!first) return [];
  const times = changes.map(({ terms, at }) => ({
    subscriptionId: terms.subscriptionId,
    after: takesFrom(terms, at),
  }));
  const removed = Map.groupBy(await deleteOpenCredits(tx, times), ({ subscriptionId: id }) => id);
  await alignPeriods(dependencies, tx, changes, now);
  const lockUnissued = (ids: readonly string[]) => lockInvoicesIn(tx, ids, UNISSUED);
  const all = await lockUnissued(times.map(({ subscriptionId: id }) => id));
  const byId = Map.groupBy(all, ({ subscriptionId: id }) => id);
  const followed: { bearer: InvoiceRow | null; open: InvoiceRow | null; order: CreditOrder }[] = [];
  for (const [place, { terms, at }] of changes.entries()) {
    const { subscriptionId, after } = times[place] as TimeAfter;
    const aligned = byId.get(subscriptionId) ?? [];
    const unissued = (await redoDrafts(dependencies, tx, { terms, invoices: aligned }, now))
      ? await lockUnissued([subscriptionId])
      : aligned;
    const active = unissued.filter(({ status }) => status === 'ACTIVE');
    const bearer = active.find((invoice) => goesOn(terms, invoice, at)) ?? (await bearNow(tx, terms, at, now));
    const ended = unissued.find(({ kind, periodEnd: end }) => kind === 'subscription' && end.equals(at));
    const open = bearer ?? ended ?? active[0] ?? null;
    const isSilent = open !== null && isPausedThroughout(terms, { start: open.periodStart, end: open.periodEnd });
    const target = isSilent ? null : open; // the invoice of a pause may never be issued
    followed.push({ bearer, open, order: { terms, after, target, creditedAgain: removed.get(subscriptionId) ?? [] } });
  }
  await giveCredits(
    dependencies,
    tx,
    followed.map(({ order }) => order),
    now,
  );
  const bearers: (InvoiceRow | null)[] = [];
  for (const { bearer, open } of followed)
    bearers.push(bearer?.status === 'CALCULATING' ? await finish(dependencies, tx, bearer, now) : open);
  return bearers;
}

/**
 * The start of the time that a change takes from the bills: a change prorated by days takes it from the start of its
 * day.
 */
function takesFrom(terms: BillingTerms, at: Instant): Instant {
  const { proration } = segmentAt(segmentsOf(terms), at);
  return proration === 'day' ? at.subtract({ hours: HOURS_PER_DAY }) : justBefore(at);
}

/** Does the period of an invoice of the plan's own series hold an instant at which the series does not begin? */
const goesOn = (terms: BillingTerms, invoice: InvoiceRow, at: Instant): boolean => {
  const bounds = boundsOfSeries(terms, invoice.billingCadence, at);
  const isHeld = bounds !== null && !bounds.startedAt.equals(at) && !isAfter(invoice.periodStart, at);
  return isHeld && isOwnSeries(terms, invoice);
};

/**
 * Of these invoices drafts with another amount by now are calculated again: they have billed nothing.
 * @returns was there one?
 */
export async function redoDrafts(
  dependencies: InvoicingDependencies,
  tx: Tx,
  { terms, invoices }: { readonly terms: BillingTerms; readonly invoices: readonly InvoiceRow[] },
  now: Instant,
): Promise<boolean> {
  let isRedone = false;
  for (const invoice of invoices) {
    const isDraft = invoice.status === 'CALCULATING' || invoice.status === 'DRAFT';
    if (!isDraft || invoice.kind === 'ad_hoc' || !(await isOther(dependencies, tx, terms, invoice))) continue;
    await calculateAgain(dependencies, tx, invoice, now);
    isRedone = true;
  }
  return isRedone;
}

async function isOther(
  dependencies: InvoicingDependencies,
  tx: Tx,
  terms: BillingTerms,
  invoice: InvoiceRow,
): Promise<boolean> {
  if (invoice.status !== 'DRAFT' || invoice.terms === null) return true;
  const billing = await loadBilling(tx, dependencies.source, { terms, invoice, frozen: invoice.terms });
  const calculation = calculateInvoice(billing, invoice.terms, invoice, await selectBilledUsage(tx, invoice), {
    manual: await selectManualLinesOn(tx, invoice),
    credits: await selectCreditsOn(tx, invoice),
  });
  return contentOf(calculation.lines) !== contentOf(await selectLines(tx, invoice.id));
}

const contentOf = (lines: Calculation['lines'] | readonly LineRow[]): string =>
  lines
    .map(({ type, priceId, totalAmount: amount, periodStart: start, periodEnd: end }) =>
      [type, priceId, amount.toFixed(), formatInstant(start), formatInstant(end)].join(' '),
    )
    .join('\n');

/** An invoice of now, as at the beginning of a subscription; null where nothing is asked. */
async function bearNow(tx: Tx, terms: BillingTerms, at: Instant, now: Instant): Promise<InvoiceRow | null> {
  const { due } = await loadOwnDue(tx, terms, upfrontAt(terms, at), {}, null);
  if (due.length === 0) return null;
  return openOneOff(
    tx,
    {
      ...terms,
      kind: 'upfront',
      lines: [],
      livesBySession: false,
      purpose: null,
      autoApprove: terms.autoApprove,
      billsFrom: at,
    },
    now,
  );
}

/** The question about an upfront invoice, before it is created. */
const upfrontAt = ({ merchantId, subscriptionId }: BillingTerms, at: Instant) => ({
  merchantId,
  subscriptionId,
  id: '',
  kind: 'upfront',
  billingAnchor: at,
  billingCadence: 'P0D',
  periodNumber: 0,
  periodStart: at,
  periodEnd: at,
});

/** Calculated and, unless it waits for an approval, issued at once. */
async function finish(
  dependencies: InvoicingDependencies,
  tx: Tx,
  invoice: InvoiceRow,
  now: Instant,
): Promise<InvoiceRow> {
  const draft = await tryCalculation(dependencies, tx, invoice, now);
  const isReady = draft.status === 'DRAFT' && draft.nextActionAt !== null;
  return isReady ? issueInvoice(dependencies, tx, draft, 'autoApprove', now) : draft;
}
