import type { Tx } from '../../db/index.ts';
import type { DueKind } from '../../jobs/index.ts';
import { Decimal, decimal, ONE, plain, sum, ZERO } from '../../kernel/decimal.ts';
import { newId } from '../../kernel/ids.ts';
import { roundTo } from '../../kernel/money.ts';
import { failAsConflict, ok, orThrow, type Result } from '../../kernel/result.ts';
import { earliest, HOURS_PER_DAY, type Instant, isAfter, isBefore } from '../../kernel/time.ts';
import { updateVoidedAt } from '../billing-credits/billing-credits.sql.ts';
import { makeBillingCredit } from '../billing-credits/make.ts';
import { openUses } from '../billing-credits/open-uses.ts';
import type { InvoicingDependencies, PurposeHandler } from '../invoice/dependencies.ts';
import type { InvoiceRow } from '../invoice/invoice.ts';
import { lockInvoice } from '../invoice/invoices.sql.ts';
import { cancelInvoice } from '../issue/cancel.ts';
import { creditCommitment } from '../issue/credit-part.ts';
import { makeOneOffInvoice } from '../issue/make-one-off.ts';
import type { BillingCredit, UsedCredit } from '../terms/billing-credit.ts';
import type { BillingTerms } from '../terms/billing-terms.ts';
import { type Commitment, earlyEndOf } from '../terms/commitment.ts';
import {
  agreedDates,
  askedDates,
  creditSegments,
  fillSegments,
  type PrepaidDate,
  reachedEnd,
} from '../terms/prepaid.ts';
import { lockBilling, lockBillingIfFree, lockBillingNow } from '../usage/billing-lock.sql.ts';
import { selectCommitment } from './commitments.sql.ts';
import {
  type AskedDate,
  insertAskedDate,
  lockCommitmentNow,
  selectAskedDates,
  selectCreditsOfCommitments,
  selectScopes,
  updateNextAction,
  updateReleased,
  updateUndone,
} from './prepaid.sql.ts';
import { billedFor, termsOfCommitment } from './scope.ts';

/** The type of the purpose of the invoices of prepaid dates; its id is the commitment's. */
export const PREPAID_DATE = 'prepaid_date';

/** After how long an end is looked at again that an invoice on its way holds up. */
const LATER = { hours: 1 };

/** Prepaid commitments ask their dates, carry rests over and follow ends in the background. */
export const commitmentDueKind = (dependencies: InvoicingDependencies): DueKind => ({
  kind: 'commitment',
  lockParents: lockScopesNow,
  step: async (tx, { id }, now) => {
    const commitment = (await selectCommitment(tx, id)) as Commitment;
    await settlePrepaid(dependencies, tx, commitment, now);
  },
});

/** A commitment whose subscriptions are being billed by another process waits. */
export async function lockScopesNow(tx: Tx, records: readonly { readonly id: string }[]): Promise<ReadonlySet<string>> {
  const free = new Set<string>();
  const scopes = await selectScopes(
    tx,
    records.map(({ id }) => id),
  );
  for (const scope of scopes) if (await lockBillingIfFree(tx, await billedFor(tx, scope))) free.add(scope.id);
  return free;
}

/**
 * Brings a prepaid commitment to where it stands now (commercial.md §4): dates that have come are asked, what is asked
 * makes the billing credits of segments, an early end is followed, and rests are carried over. All of it follows from
 * the history, so a second call does nothing. The caller has locked the billing of its subscription.
 */
export async function settlePrepaid(
  dependencies: InvoicingDependencies,
  tx: Tx,
  commitment: Commitment,
  now: Instant,
): Promise<void> {
  const terms = await termsOfCommitment(dependencies.source, tx, commitment);
  const endsAt = terms?.bounds.endsAt ?? null;
  const known = new Set((await selectAskedDates(tx, [commitment.id])).map(({ place }) => place));
  const dates = askedDates(commitment, endsAt).filter(({ place }) => !known.has(place));
  for (const date of dates.filter(({ at }) => !isAfter(at, now)))
    await askDate(dependencies, tx, commitment, terms, date, now);
  const early = reachedEnd(commitment, endsAt, now);
  const isProrated = early !== null && commitment.onEnd === 'prorated';
  const isFollowed = !isProrated || (await prorate(dependencies, tx, commitment, terms, now));
  await makeCredits(tx, commitment, endsAt, now);
  await carryOver(dependencies, tx, commitment, isProrated ? early : null, now);
  if (isProrated) await endCredits(tx, commitment, early, now);
  await updateNextAction(
    tx,
    commitment.id,
    isFollowed ? nextActionOf(commitment, endsAt, dates, now) : now.add(LATER),
    now,
  );
}

/** When something happens next: a date, the end of its subscription, or of a segment whose rest goes on. */
function nextActionOf(
  commitment: Commitment,
  endsAt: Instant | null,
  open: readonly PrepaidDate[],
  now: Instant,
): Instant | null {
  const early = earlyEndOf(commitment, endsAt);
  const ends = commitment.rollover ? commitment.segments.map(({ endDate }) => Temporal.Instant.from(endDate)) : [];
  const next = [...open.map(({ at }) => at), ...(early ? [early] : []), ...ends].filter((at) => isAfter(at, now));
  const [first] = next;
  return first ? next.reduce(earliest, first) : null;
}

/** The invoice of a date: one line, taxed like the minimum of the plan, else as the customer is. */
async function askDate(
  dependencies: InvoicingDependencies,
  tx: Tx,
  commitment: Commitment,
  terms: BillingTerms | null,
  { place, amount }: Pick<PrepaidDate, 'place' | 'amount'>,
  now: Instant,
): Promise<void> {
  const id = newId('invoice');
  const { merchantId, customerId, subscriptionId, clockId, currency, name } = commitment;
  await insertAskedDate(tx, { commitmentId: commitment.id, place, invoiceId: id }, now);
  const made = await makeOneOffInvoice(
    dependencies,
    tx,
    {
      ...{
        id,
        merchantId,
        customerId,
        subscriptionId,
        clockId,
        currency,
        planId: terms?.planId ?? null,
        kind: 'ad_hoc',
      },
      lines: [
        {
          ...{ displayName: `${name}: prepayment`, quantity: ONE, unitPrice: amount, type: 'prepayment' },
          prepayment: { commitmentId: commitment.id, date: place },
        },
      ],
      ...{
        paymentTermDays: terms?.paymentTermDays ?? 0,
        autoApprove: terms?.autoApprove ?? true,
        livesBySession: false,
      },
      purpose: { type: PREPAID_DATE, id: commitment.id },
    },
    now,
  );
  orThrow(made);
}

/** Does the money of a date fill segments? */
const isAvailable = ({ availableOn }: Commitment, { status, isRefunded }: AskedDate): boolean =>
  !isRefunded &&
  (status === 'PAID' || (availableOn === 'issue' && ['ISSUED', 'PAYMENT_FAILED', 'WRITTEN_OFF'].includes(status)));

const isOfSegment = ({ rolledFrom, isUndone }: UsedCredit): boolean => rolledFrom === null && !isUndone;

/** Makes the billing credits that issued, or paid, dates are for: their money fills the segments in order. */
async function makeCredits(tx: Tx, commitment: Commitment, endsAt: Instant | null, now: Instant): Promise<void> {
  const dates = await selectAskedDates(tx, [commitment.id]);
  const made = (await selectCreditsOfCommitments(tx, [commitment.id])).filter(isOfSegment);
  const segments = creditSegments(commitment, endsAt, now);
  const filled = segments.map((_, place) =>
    sum(made.filter(({ segment }) => segment === place).map(({ amount }) => amount)),
  );
  for (const date of dates.filter((each) => isAvailable(commitment, each))) {
    const before = sum(made.filter(({ invoiceId }) => invoiceId === date.invoiceId).map(({ amount }) => amount));
    const rooms = segments.map(({ amount }, place) => amount.minus(filled[place] as Decimal));
    const taken = fillSegments(rooms, Decimal.max(ZERO, date.asked.minus(date.noted).minus(before)));
    for (const [place, amount] of taken.entries()) {
      if (amount.lte(0)) continue;
      filled[place] = (filled[place] as Decimal).plus(amount);
      const { start, until } = segments[place] as (typeof segments)[number];
      if (!isBefore(start, until)) continue;
      const of = { segment: place, invoiceId: date.invoiceId, rolledFrom: null, amount, price: amount };
      await insertCredit(tx, commitment, { ...of, effectiveAt: start, expiresAt: until }, now);
    }
  }
}

type MadeCredit = Pick<
  BillingCredit,
  'segment' | 'invoiceId' | 'rolledFrom' | 'amount' | 'price' | 'effectiveAt' | 'expiresAt'
>;

async function insertCredit(tx: Tx, commitment: Commitment, made: MadeCredit, now: Instant): Promise<void> {
  const { customerId, subscriptionId, orderId, name, currency, priority, appliesTo, clockId } = commitment;
  const of = { customerId, subscriptionId, orderId, name, currency, priority, appliesTo, testClockId: clockId };
  await makeBillingCredit(
    tx,
    { ...of, category: 'paid', source: 'commitment', commitmentId: commitment.id, ...made },
    now,
  );
}

/** Credits of a commitment with what issued invoices, drafts and open periods take of them. */
async function withOpenUses(
  dependencies: InvoicingDependencies,
  tx: Tx,
  { id, customerId }: Pick<Commitment, 'id' | 'customerId'>,
  now: Instant,
): Promise<(UsedCredit & { readonly taken: Decimal })[]> {
  const credits = await selectCreditsOfCommitments(tx, [id]);
  if (credits.length === 0) return [];
  const openOf = await openUses(dependencies, tx, [customerId], now);
  return credits.map((credit) => ({ ...credit, taken: credit.used.plus(credit.held).plus(openOf(credit.id)) }));
}

const restOf = ({ amount, taken, released }: UsedCredit & { readonly taken: Decimal }): Decimal =>
  Decimal.max(ZERO, amount.minus(taken).minus(released ?? ZERO));

/**
 * An early end that is prorated brings what is asked to the part that is over, but never below what the credits paid:
 * what is missing is asked now, and what is too much is given back by credit notes, the last date first.
 * @returns false where an invoice is on its way that cannot be credited now
 */
async function prorate(
  dependencies: InvoicingDependencies,
  tx: Tx,
  commitment: Commitment,
  terms: BillingTerms | null,
  now: Instant,
): Promise<boolean> {
  const { id } = commitment;
  const target = sum(creditSegments(commitment, terms?.bounds.endsAt ?? null, now).map(({ amount }) => amount));
  for (const { invoiceId, status } of await selectAskedDates(tx, [id]))
    if (status === 'DRAFT') {
      const draft = (await lockInvoice(tx, invoiceId)) as InvoiceRow;
      await cancelInvoice(dependencies, tx, draft, 'The commitment has ended.', now);
    }
  const dates = await selectAskedDates(tx, [id]);
  const missing = target.minus(sum(dates.map(({ asked }) => asked)));
  const place = agreedDates(commitment).length;
  if (missing.gt(0) && !dates.some((date) => date.place === place))
    await askDate(dependencies, tx, commitment, terms, { place, amount: missing }, now);
  const standing = dates.filter(({ status, isRefunded }) => status !== 'CANCELLED' && !isRefunded);
  const credits = await withOpenUses(dependencies, tx, commitment, now);
  const taken = sum(credits.map((credit) => credit.taken));
  const kept = sum(standing.map(({ asked, noted }) => asked.minus(noted)));
  const back = Decimal.max(ZERO, kept.minus(Decimal.max(target, taken)));
  let open = back;
  for (const { invoiceId, lineId, asked, noted } of standing.toReversed()) {
    const amount = Decimal.min(open, asked.minus(noted));
    if (amount.lte(0) || lineId === null) continue;
    const of = { lineItemId: lineId, amount, key: `${id} ${invoiceId}`, reason: 'The commitment has ended.' };
    const credited = await creditCommitment(dependencies, tx, invoiceId, of, now);
    if (!credited.ok) break;
    open = open.minus(amount);
  }
  await release(tx, credits, back.minus(open), now);
  return open.isZero();
}

/** What was given back of the money no longer pays, the last segments first. */
async function release(
  tx: Tx,
  credits: readonly (UsedCredit & { readonly taken: Decimal })[],
  back: Decimal,
  now: Instant,
): Promise<void> {
  let open = back;
  for (const credit of credits.toReversed()) {
    const part = Decimal.min(open, restOf(credit));
    if (part.lte(0) || credit.isUndone) continue;
    await updateReleased(tx, credit.id, part.plus(credit.released ?? ZERO), now);
    open = open.minus(part);
  }
}

/** The credits of a commitment that has ended early pay no later service. */
async function endCredits(tx: Tx, commitment: Commitment, early: Instant, now: Instant): Promise<void> {
  for (const { id, expiresAt, voidedAt } of await selectCreditsOfCommitments(tx, [commitment.id]))
    if (voidedAt === null && expiresAt !== null && isAfter(expiresAt, early)) await updateVoidedAt(tx, id, early, now);
}

/**
 * Of the credits of segments that are over, a part of the rest goes on, once. What stays may pay late usage.
 * @param ended when all credits ended; null: they did not
 */
async function carryOver(
  dependencies: InvoicingDependencies,
  tx: Tx,
  commitment: Commitment,
  ended: Instant | null,
  now: Instant,
): Promise<void> {
  const { rollover, currency } = commitment;
  if (rollover === null) return;
  const isDue = (credit: UsedCredit) =>
    isOfSegment(credit) && credit.voidedAt === null && credit.released === null && isOver(credit, ended, now);
  if (!(await selectCreditsOfCommitments(tx, [commitment.id])).some(isDue)) return;
  for (const credit of (await withOpenUses(dependencies, tx, commitment, now)).filter(isDue)) {
    const part = restOf(credit).times(decimal(rollover.fraction));
    const amount = roundTo(part, currency, 'half-away-from-zero');
    await updateReleased(tx, credit.id, amount, now);
    if (amount.lte(0)) continue;
    const effectiveAt = credit.expiresAt as Instant;
    const { id: rolledFrom, segment, invoiceId } = credit;
    const expiresAt = effectiveAt.add({ hours: HOURS_PER_DAY * rollover.days });
    const of = { segment, invoiceId, rolledFrom, amount, price: amount };
    await insertCredit(tx, commitment, { ...of, effectiveAt, expiresAt }, now);
  }
}

const isOver = ({ expiresAt }: UsedCredit, ended: Instant | null, now: Instant): boolean =>
  expiresAt !== null && !isAfter(expiresAt, now) && (ended === null || isBefore(expiresAt, ended));

/**
 * Undoes the credits that an invoice made, with what they carried over.
 * @returns WALLET_SPENT where some of them is used, by open periods too
 */
async function undo(
  dependencies: InvoicingDependencies,
  tx: Tx,
  commitment: Commitment,
  invoice: InvoiceRow,
  now: Instant,
): Promise<Result<undefined>> {
  const credits = await withOpenUses(dependencies, tx, commitment, now);
  const own = credits.filter(({ invoiceId, isUndone }) => invoiceId === invoice.id && !isUndone);
  const used = own.find(({ taken }) => taken.gt(0));
  if (used)
    return failAsConflict(
      'WALLET_SPENT',
      { billingCreditId: used.id, amount: plain(used.amount), used: plain(used.taken) },
      'Some of the billing credit that this invoice made is used, so the money cannot go back.',
    );
  await updateUndone(
    tx,
    own.map(({ id }) => id),
    now,
  );
  return ok(undefined);
}

/**
 * What hangs on the invoice of a prepaid date: the billing credits of segments, from its issue or its payment on, until
 * it is given back.
 */
export function prepaidDates(dependenciesOf: () => InvoicingDependencies): PurposeHandler {
  const commitmentOf = async (tx: Tx, { purposeId }: InvoiceRow): Promise<Commitment> =>
    (await selectCommitment(tx, purposeId as string, true)) as Commitment;
  const fill = async (tx: Tx, invoice: InvoiceRow, now: Instant): Promise<void> => {
    const commitment = await commitmentOf(tx, invoice);
    const terms = await termsOfCommitment(dependenciesOf().source, tx, commitment);
    await makeCredits(tx, commitment, terms?.bounds.endsAt ?? null, now);
  };
  return {
    issued: fill,
    async paid(tx, invoice, now) {
      await fill(tx, invoice, now);
      return {};
    },
    standsAgain: fill,
    async givenBack(tx, invoice, now) {
      return undo(dependenciesOf(), tx, await commitmentOf(tx, invoice), invoice, now);
    },
    async reversed(tx, invoice, now) {
      const commitment = await commitmentOf(tx, invoice);
      if (commitment.availableOn === 'issue') return ok(undefined); // the payment made nothing
      return undo(dependenciesOf(), tx, commitment, invoice, now);
    },
    async lock(tx, { purposeId }, wait) {
      const commitment = await selectCommitment(tx, purposeId);
      if (!commitment) return;
      await (wait ? lockBilling : lockBillingNow)(tx, await billedFor(tx, commitment));
      await (wait ? selectCommitment(tx, purposeId, true) : lockCommitmentNow(tx, purposeId));
    },
  };
}
