import type { Tx } from '../../db/index.ts';
import { formatInstant, HOURS_PER_DAY, type Instant, isAfter } from '../../kernel/time.ts';
import type { Calculation } from '../calculation/calculation.ts';
import { deleteOpenCredits, selectCreditsOn } from '../credit-notes/unused-credits.sql.ts';
import { giveCredits } from '../credits/give-credits.ts';
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
import { boundsOfSeries, segmentAt, segmentsOf } from '../timeline/segments.ts';
import { alignPeriods } from './align-periods.ts';
import { closePeriod } from './close.ts';
import { issueInvoice } from './issue.ts';
import { openOneOff } from './make-one-off.ts';

const UNISSUED = ['ACTIVE', 'CLOSING', 'CLOSED', 'CALCULATING', 'DRAFT', 'FAILED'] as const;

/** Closes ended periods before a worker, so that the open period includes the instant. */
export async function closeWhatIsOver(tx: Tx, terms: BillingTerms, at: Instant, now: Instant): Promise<void> {
  for (;;) {
    const open = await lockInvoicesIn(tx, terms.merchantId, terms.subscriptionId, ['ACTIVE']);
    const over = open.filter(({ periodEnd: end }) => !isAfter(end, at));
    if (over.length === 0) return;
    for (const invoice of over) await closePeriod(tx, terms, invoice, 'endPeriod', now);
  }
}

/**
 * The version of a subscription changes at an instant (§3, Plan change): its open periods follow, what is due in
 * advance stands on the open invoice of the plan's own series or, where none goes on, on an invoice of now, and what is
 * not used is given back. All of it follows from the history as it stands.
 * @param terms with the change
 * @returns the invoice on which most of it stands; null where nothing is open
 */
export async function followChange(
  dependencies: InvoicingDependencies,
  tx: Tx,
  { terms, at }: { readonly terms: BillingTerms; readonly at: Instant },
  now: Instant,
): Promise<InvoiceRow | null> {
  const after = takesFrom(terms, at);
  const creditedAgain = await deleteOpenCredits(tx, terms.merchantId, terms.subscriptionId, after);
  await alignPeriods(dependencies, tx, terms, at, now);
  const lockUnissued = () => lockInvoicesIn(tx, terms.merchantId, terms.subscriptionId, UNISSUED);
  const aligned = await lockUnissued();
  const unissued = (await redoDrafts(dependencies, tx, { terms, invoices: aligned }, now))
    ? await lockUnissued()
    : aligned;
  const active = unissued.filter(({ status }) => status === 'ACTIVE');
  const bearer = active.find((invoice) => goesOn(terms, invoice, at)) ?? (await bearNow(tx, terms, at, now));
  const ended = unissued.find(({ kind, periodEnd: end }) => kind === 'subscription' && end.equals(at));
  const target = bearer ?? ended ?? active[0] ?? null;
  await giveCredits(dependencies, tx, { terms, after, target, creditedAgain }, now);
  return bearer?.status === 'CALCULATING' ? finish(dependencies, tx, bearer, now) : target;
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
    manual: await selectManualLinesOn(tx, invoice, 'none'),
    credits: await selectCreditsOn(tx, invoice),
  });
  return contentOf(calculation.lines) !== contentOf(await selectLines(tx, invoice.merchantId, invoice.id));
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
