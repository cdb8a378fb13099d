import type { Tx } from '../../db/index.ts';
import { canonicalJson } from '../../http/index.ts';
import { addDuration, formatInstant, type Instant, isAfter, isBefore } from '../../kernel/time.ts';
import { billedAfter } from '../credit-notes/unused-credits.sql.ts';
import type { InvoicingParts } from '../invoice/dependencies.ts';
import type { AdvanceRecord, InvoiceRow } from '../invoice/invoice.ts';
import { changeInvoice, lockInvoicesIn } from '../invoice/invoices.sql.ts';
import { advancesOf, type BilledCharge, chargesOn, upfrontCharges } from '../owed/charges.ts';
import type { BillingTerms } from '../terms/billing-terms.ts';
import { boundsOfSeries, cadencesOf, segmentAt, segmentsOf } from '../timeline/segments.ts';
import { dropUnbilledInvoice } from './cancel.ts';
import { closePeriod, cutPeriod } from './close.ts';
import { type CreditMode, giveCredits } from './credits.ts';
import { issueInvoice } from './issue.ts';
import { openOneOff } from './make-one-off.ts';
import { openFirstInvoices } from './open.ts';
import { calculateAgain, tryCalculation } from './run-calculation.ts';

/** Another version holds from an instant on. */
export interface VersionChange {
  /** The terms without it, and with it. */
  readonly before: BillingTerms;
  readonly after: BillingTerms;
  readonly at: Instant;
  readonly credit: CreditMode;
}

const UNISSUED = ['ACTIVE', 'CLOSING', 'CLOSED', 'CALCULATING', 'DRAFT', 'FAILED'] as const;

/** Closes the periods that are over and that no worker has come to yet, so that what is open now holds the instant. */
export async function closeWhatIsOver(parts: InvoicingParts, tx: Tx, terms: BillingTerms, at: Instant, now: Instant) {
  for (;;) {
    const open = await lockTwice(tx, terms, ['ACTIVE']);
    const over = open.filter(({ period_end: end }) => !isAfter(end, at));
    if (over.length === 0) return;
    for (const invoice of over) await closePeriod(tx, parts.source, invoice, 'endPeriod', now);
  }
}

/**
 * Brings the invoices of a subscription into line with a change of its version (domain.md §3, Plan change). A series that goes
 * on keeps its period; one that does not ends there, and new ones begin. What the new version asks in advance of a period that
 * was billed already stands on the open invoice of the plan's own series, or, where none goes on, on an invoice of now.
 * @returns the invoice on which most of it stands; null where nothing is open
 */
export async function followChange(
  parts: InvoicingParts,
  tx: Tx,
  change: VersionChange,
  now: Instant,
): Promise<InvoiceRow | null> {
  const { before, after, at, credit } = change;
  const ownCadence = segmentAt(segmentsOf(before), justBefore(at)).planCadence;
  await recut(parts, tx, change, now);
  await openFirstInvoices(tx, after, now, at);
  await redoDrafts(parts, tx, change, now);
  const unissued = await lockTwice(tx, after, UNISSUED);
  const own = unissued.find(
    ({ kind, billing_cadence: cadence, period_start: start, period_end: end }) =>
      kind === 'subscription' && cadence === ownCadence && isBefore(start, at) && !isBefore(end, at),
  );
  const goesOn = unissued.find(({ status, billing_cadence: cadence, period_start: start }) => {
    const isHeld = boundsOfSeries(after, cadence, at) !== null && !isAfter(start, at);
    return status === 'ACTIVE' && cadence === ownCadence && isHeld && !isNewAt(after, cadence, at);
  });
  const missing = await advancesMissing(tx, change, unissued);
  const bearer = goesOn ? await bear(tx, goesOn, missing, now) : await bearNow(tx, after, missing, now);
  const target = bearer ?? own ?? unissued.find(({ status }) => status === 'ACTIVE') ?? null;
  await giveCredits(parts, tx, { before, after, at, mode: credit, target }, now);
  return bearer?.status === 'CALCULATING' ? finish(parts, tx, bearer, now) : target;
}

const justBefore = (at: Instant): Instant => at.subtract({ nanoseconds: 1000 });

/** Two statements: while the first waited for a worker that closed a period, that worker opened the next one. */
async function lockTwice(tx: Tx, terms: BillingTerms, statuses: readonly InvoiceRow['status'][]) {
  await lockInvoicesIn(tx, terms.merchantId, terms.subscriptionId, statuses);
  return lockInvoicesIn(tx, terms.merchantId, terms.subscriptionId, statuses);
}

/** Ends the open periods of series that do not go on; one that would have no length is taken back. */
async function recut(parts: InvoicingParts, tx: Tx, { after, at }: VersionChange, now: Instant): Promise<void> {
  for (const invoice of await lockTwice(tx, after, ['ACTIVE'])) {
    const { billing_cadence: cadence, period_start: start } = invoice;
    const bounds = boundsOfSeries(after, cadence, start);
    if (!bounds?.anchor.equals(invoice.billing_anchor)) await dropUnbilledInvoice(parts, tx, invoice, now);
    else if (bounds.endsAt !== null && !isAfter(bounds.endsAt, at)) {
      const cut = await cutPeriod(tx, invoice, at, addDuration(at, after.gracePeriod), now);
      await closePeriod(tx, parts.source, cut, 'terminate', now);
    }
  }
}

/** Does a series begin at an instant? */
const isNewAt = (terms: BillingTerms, cadence: string, at: Instant): boolean =>
  boundsOfSeries(terms, cadence, at)?.startedAt.equals(at) ?? false;

/** Drafts whose charges are others by now are calculated again: nothing of them was billed. */
export async function redoDrafts(
  parts: InvoicingParts,
  tx: Tx,
  { before, after }: Pick<VersionChange, 'before' | 'after'>,
  now: Instant,
): Promise<void> {
  for (const invoice of await lockTwice(tx, after, ['CALCULATING', 'DRAFT']))
    if (said(chargesOf(before, invoice)) !== said(chargesOf(after, invoice)))
      await calculateAgain(parts, tx, invoice, now);
}

function chargesOf(terms: BillingTerms, invoice: InvoiceRow): readonly BilledCharge[] {
  if (invoice.kind === 'subscription') return chargesOn(terms, invoice);
  if (invoice.kind !== 'upfront') return [];
  return invoice.advances.length > 0 ? advancesOf(terms, invoice.advances) : upfrontCharges(terms);
}

const said = (charges: readonly BilledCharge[]): string =>
  canonicalJson(
    charges.map(({ price, period, fraction }) => [
      price.id,
      formatInstant(period.start),
      formatInstant(period.end),
      `${fraction.numerator}/${fraction.denominator}`,
    ]),
  );

/** In advance of which series something begins with the change that no invoice bears. */
async function advancesMissing(
  tx: Tx,
  { after, at }: VersionChange,
  unissued: readonly InvoiceRow[],
): Promise<AdvanceRecord[]> {
  const issued = await billedAfter(tx, after.merchantId, after.subscriptionId, justBefore(at));
  const borne = new Set([
    ...unissued
      .flatMap((invoice) => chargesOf(after, invoice))
      .map(({ price, period }) => keyOf(price.id, period.start)),
    ...issued.map(({ price_id: priceId, charged_from: from }) => keyOf(priceId, from)),
  ]);
  return cadencesOf(segmentAt(segmentsOf(after), at))
    .map((cadence): AdvanceRecord => ({ cadence, from: formatInstant(at) }))
    .filter((advance) =>
      advancesOf(after, [advance]).some(
        ({ price, period }) => period.start.equals(at) && !borne.has(keyOf(price.id, at)),
      ),
    );
}

const keyOf = (priceId: string, start: Instant): string => `${priceId} ${formatInstant(start)}`;

const bear = (tx: Tx, invoice: InvoiceRow, missing: readonly AdvanceRecord[], now: Instant): Promise<InvoiceRow> =>
  changeInvoice(tx, invoice, { advances: [...invoice.advances, ...missing] }, now);

/** An invoice of now, as at the beginning of a subscription; null where nothing is asked. */
async function bearNow(
  tx: Tx,
  terms: BillingTerms,
  missing: readonly AdvanceRecord[],
  now: Instant,
): Promise<InvoiceRow | null> {
  if (missing.length === 0) return null;
  const opened = await openOneOff(
    tx,
    { ...terms, kind: 'upfront', lines: [], livesBySession: false, purpose: null, autoApprove: terms.autoApprove },
    now,
  );
  return changeInvoice(tx, opened, { advances: [...missing] }, now);
}

/** Calculated and, unless it waits for somebody, issued at once. */
async function finish(parts: InvoicingParts, tx: Tx, invoice: InvoiceRow, now: Instant): Promise<InvoiceRow> {
  const draft = await tryCalculation(parts, tx, invoice, now);
  const isReady = draft.status === 'DRAFT' && draft.next_action_at !== null;
  return isReady ? issueInvoice(parts, tx, draft, 'autoApprove', now) : draft;
}
