import { cancelApprovals } from '../../approvals/index.ts';
import { billedParties, findPayers } from '../../customers/index.ts';
import type { Tx } from '../../db/index.ts';
import { findMerchant } from '../../identity/index.ts';
import { type Decimal, ZERO } from '../../kernel/decimal.ts';
import { orThrow } from '../../kernel/result.ts';
import { HOURS_PER_DAY, type Instant } from '../../kernel/time.ts';
import { lockedWalletBalances, type Posting, postAll } from '../../ledger/index.ts';
import { checkTakesCards, defaultMethodsOf } from '../../payments/index.ts';
import { selectInvoicesWithCredits } from '../credit-notes/unused-credits.sql.ts';
import { creditCutLines } from '../credits/corrections.ts';
import { creditExcess } from '../credits/return-credits.ts';
import { scheduleDocuments } from '../documents/documents.sql.ts';
import { type ChangedInvoice, changed, followedBy, moved, unchanged } from '../invoice/changed-invoice.ts';
import type { InvoicingDependencies } from '../invoice/dependencies.ts';
import {
  type InvoiceChanges,
  type InvoiceRow,
  type PartyRecord,
  payerOf,
  subscriptionsOf,
} from '../invoice/invoice.ts';
import type { IssuedLine } from '../invoice/invoice-line.ts';
import { type NumberedInvoice, numbersOf } from '../invoice/invoice-number.ts';
import { lockInvoicesOf, selectIssuedLines, updateInvoices } from '../invoice/invoices.sql.ts';
import { announce } from '../invoice/purposes.ts';
import { publishInvoices } from '../invoice/webhooks.ts';
import { outsideTaxAtIssue, recordInvoices } from '../outside-tax/records.ts';
import { sellsForMoneyOnly, walletShares } from '../paying/apply-wallet.ts';
import { soldAheadBy } from '../paying/bookings.sql.ts';
import { issuePosting, walletPosting } from '../paying/bookings.ts';
import { chargesItself, intendAll, type StoredCard } from '../paying/card-charge.ts';
import { collectDebts } from '../paying/debts.ts';
import { markPaid } from '../paying/pay.ts';
import { isOfTerms, openSessionsFor, type WantedSession } from '../paying/sessions.ts';
import type { PaymentTerms } from '../terms/billing-terms.ts';
import type { SessionOptions } from '../terms/session-options.ts';
import { carryOver } from './carry-over.ts';
import { sellerParty } from './seller.ts';

/** `dueAt` = `issuedAt` + `paymentTermDays` × 24 h (domain.md §4). */
export const dueAt = (issuedAt: Instant, paymentTermDays: number): Instant =>
  issuedAt.add({ hours: paymentTermDays * HOURS_PER_DAY });

/** When an unpaid invoice becomes overdue: as the UTC day of `dueAt` is over. */
export const overdueFrom = (due: Instant): Instant =>
  due.toZonedDateTimeISO('UTC').startOfDay().add({ days: 1 }).toInstant();

/** The facts for the issue of an invoice beside its row, which names its payer of now. */
interface IssueFacts {
  readonly invoice: InvoiceRow;
  /** The changes of it that are not stored yet. */
  readonly pending: ChangedInvoice;
  readonly buyer: PartyRecord;
  readonly lines: readonly IssuedLine[];
  /** Of its subscription, at this moment; undefined where it has none. */
  readonly terms: PaymentTerms | undefined;
  readonly hasCredits: boolean;
}

/** The decision about an invoice before it has its number. */
interface DecidedIssue extends IssueFacts {
  /** As the document says it: the parties and the dates. */
  readonly parties: Pick<InvoiceRow, 'seller' | 'buyer' | 'issuedAt' | 'dueAt'>;
  readonly paymentTermDays: number;
  readonly paysOnline: boolean;
}

/** The cause of the issue of an invoice: a person, the last required approval, or a background job. */
export type IssueTrigger = 'approve' | 'completeApprovals' | 'autoApprove';

/**
 * Transition 10 of one invoice; see `issueInvoices`.
 * @param session the options of its payment session, if it has one; null: it is already paid
 */
export async function issueInvoice(
  dependencies: InvoicingDependencies,
  tx: Tx,
  invoice: InvoiceRow,
  trigger: IssueTrigger,
  now: Instant,
  session?: SessionOptions | null,
): Promise<InvoiceRow> {
  const [issued] = await issueInvoices(dependencies, tx, [invoice], trigger, now, session);
  return issued as InvoiceRow;
}

/** Transition 10 of some invoices; see `issueChanged`. */
export const issueInvoices = (
  dependencies: InvoicingDependencies,
  tx: Tx,
  invoices: readonly InvoiceRow[],
  trigger: IssueTrigger,
  now: Instant,
  session?: SessionOptions | null,
): Promise<InvoiceRow[]> => issueChanged(dependencies, tx, invoices.map(unchanged), trigger, now, session);

/**
 * Transition 10, of some invoices of one merchant: the number, the parties as they are now, the dates; the jobs that
 * follow (document, payment session) are written with it. The payer's wallet pays what it can; where nothing is
 * left, the invoice is paid at once (12). One that lives by its session has neither number nor document until it is
 * paid, and is never overdue. Numbers are in the order of the list.
 * @param pending the drafts, with what is changed of them and not stored yet: it is stored with the issue
 */
export async function issueChanged(
  dependencies: InvoicingDependencies,
  tx: Tx,
  pending: readonly ChangedInvoice[],
  trigger: IssueTrigger,
  now: Instant,
  session?: SessionOptions | null,
): Promise<InvoiceRow[]> {
  const [first] = pending;
  if (!first) return [];
  const merchant = await findMerchant(tx);
  const takesCards = checkTakesCards(merchant.settings).ok;
  const seller = sellerParty(merchant);
  const decided = (await withDebts(tx, await loadFacts(dependencies, tx, pending), now)).map((facts) =>
    decideIssue(facts, { seller, takesCards }, now),
  );
  const invoices = decided.map(({ invoice }) => invoice);
  await lockCredited(tx, decided);
  const numbers = await numbersOf(
    tx,
    merchant.settings,
    decided
      .filter(({ invoice }) => !invoice.livesBySession)
      .map(({ invoice, parties }) => ({ ...invoice, ...parties })),
    new Map(decided.map(({ invoice, lines }) => [invoice.id, lines])),
    now,
  );
  for (const { invoice, parties, hasCredits } of decided) // before the wallet pays: what is given back is in it
    if (hasCredits) {
      await creditExcess(dependencies, tx, { ...invoice, ...parties }, now);
      await creditCutLines(dependencies, tx, invoice, now);
    }
  await carryOver(dependencies, tx, invoices, now);
  const shares = await sharesOfWallets(tx, decided);
  const cards = await cardsFor(tx, decided, shares);
  const moves = decided.map((each) => {
    const { id } = each.invoice;
    const changes = changesOf(each, numbers.get(id), shares.get(id) ?? ZERO, cards.has(id));
    return followedBy(each.pending, moved(each.invoice, trigger, changes, now));
  });
  await updateInvoices(tx, moves);
  if (trigger !== 'autoApprove')
    await cancelApprovals(
      tx,
      invoices.map(({ id }) => id),
      now,
    );
  const issued = moves.map(({ after }) => after);
  const numbered = issued.filter((invoice) => !invoice.livesBySession);
  await publishInvoices(tx, issued, 'invoice.issued.v0', now);
  if (numbered.length > 0) await scheduleDocuments(tx, numbered, now);
  await recordInvoices(tx, numbered, now);
  await postAll(tx, postingsOf(decided, issued), now);
  const places = issued.map((invoice, place) => ({ invoice, facts: decided[place] as DecidedIssue }));
  const asked = session === null ? [] : places.filter(({ invoice }) => !invoice.unpaidAmount.isZero());
  await intendAll(
    tx,
    asked.flatMap(({ invoice }) => (cards.has(invoice.id) ? [{ invoice, card: cards.get(invoice.id) }] : [])),
    'automatic',
    now,
  );
  const sessions = asked
    .filter(({ invoice }) => invoice.paysOnline && !cards.has(invoice.id))
    .map((each) => sessionOf(each, session ?? undefined));
  for (const opened of await openSessionsFor(dependencies, tx, sessions, now)) orThrow(opened);
  await dependencies.mails.notifyAll(
    tx,
    asked.map(({ invoice }) => ({ invoice, fact: { kind: 'issued' } })),
    now,
  );
  for (const invoice of issued) await announce(dependencies, tx, invoice, 'issued', now);
  const ended: InvoiceRow[] = [];
  for (const invoice of issued)
    ended.push(
      invoice.unpaidAmount.isZero() ? await markPaid(dependencies, tx, invoice, { by: 'wallet' }, now) : invoice,
    );
  return ended;
}

/**
 * The excess of credits over an invoice changes the invoices that billed. Those are locked before numbers are drawn.
 */
async function lockCredited(tx: Tx, decided: readonly DecidedIssue[]): Promise<void> {
  const ids = decided.flatMap(({ invoice, hasCredits }) => (hasCredits ? subscriptionsOf(invoice) : []));
  if (ids.length > 0) await lockInvoicesOf(tx, ids);
}

async function loadFacts(
  dependencies: InvoicingDependencies,
  tx: Tx,
  pending: readonly ChangedInvoice[],
): Promise<IssueFacts[]> {
  const invoices = pending.map(({ after }) => after);
  const ids = invoices.map(({ id }) => id);
  const subscriptionIds = invoices.flatMap((invoice) => subscriptionsOf(invoice).slice(0, 1));
  const customerIds = invoices.map(({ customerId }) => customerId);
  const payers = await findPayers(tx, customerIds);
  const buyers = await billedParties(tx, customerIds);
  const lines = await selectIssuedLines(tx, ids);
  const terms = await dependencies.source.paymentTerms(tx, subscriptionIds);
  const withCredits = await selectInvoicesWithCredits(tx, ids);
  // An invoice with credits, or with a line that is carried on, reads the stored statuses of the subscription's
  // invoices.
  const looks = ({ id }: InvoiceRow) => withCredits.has(id) || lines.get(id)?.some(({ type }) => type === 'manual');
  const early = pending.filter(({ before, after }) => before !== after && looks(after));
  await updateInvoices(tx, early);
  return pending.map((each) => ({
    invoice: { ...each.after, payerId: payers.get(each.after.customerId) ?? null },
    pending: early.includes(each) ? unchanged(each.after) : each,
    buyer: buyers.get(each.after.customerId) as PartyRecord,
    lines: lines.get(each.after.id) ?? [],
    terms: terms.get(subscriptionsOf(each.after)[0] ?? ''), // those of a grouped one are alike
    hasCredits: withCredits.has(each.after.id),
  }));
}

/** What their payers owe of reversed payments stands on them, too. */
async function withDebts(tx: Tx, facts: readonly IssueFacts[], now: Instant): Promise<readonly IssueFacts[]> {
  const collected = await collectDebts(
    tx,
    facts.map(({ invoice }) => invoice),
    now,
  );
  if (collected.size === 0) return facts;
  return facts.map((each) => {
    const { invoice, pending, lines } = each;
    const debts = collected.get(invoice.id);
    if (!debts) return each;
    const more = changed(
      invoice,
      {
        subtotal: invoice.subtotal.plus(debts.total),
        grandTotal: invoice.grandTotal.plus(debts.total),
        itemCount: invoice.itemCount + debts.lines.length,
        collectedDebt: debts.total,
      },
      now,
    );
    return { ...each, invoice: more.after, pending: followedBy(pending, more), lines: [...lines, ...debts.lines] };
  });
}

/**
 * The terms of payment: of a period's invoice the subscription's of this moment, because a change applies to later
 * invoices, and one that is open is issued later (§4; I-27); the upfront one is paid as the subscription's creation
 * said. Every other invoice has its own.
 */
function decideIssue(
  facts: IssueFacts,
  { seller, takesCards }: { readonly seller: PartyRecord; readonly takesCards: boolean },
  now: Instant,
): DecidedIssue {
  const { invoice, buyer, terms } = facts;
  const ofTerms = isOfTerms(invoice) ? terms : undefined;
  const paymentTermDays = ofTerms?.paymentTermDays ?? invoice.paymentTermDays;
  return {
    ...facts,
    parties: { seller: sellerOn(invoice, seller), buyer, issuedAt: now, dueAt: dueAt(now, paymentTermDays) },
    paymentTermDays,
    paysOnline: takesCards && ofTerms?.bankTransferOnly !== true,
  };
}

/** How much of each invoice the wallet of its payer pays, by its id. Wallets are locked last of all. */
async function sharesOfWallets(tx: Tx, decided: readonly DecidedIssue[]): Promise<ReadonlyMap<string, Decimal>> {
  const asking = decided
    .filter(({ invoice, lines }) => !invoice.unpaidAmount.isZero() && !sellsForMoneyOnly(lines))
    .map(({ invoice }) => invoice);
  if (asking.length === 0) return new Map();
  const customerIds = [...new Set(asking.map(payerOf))];
  return walletShares(asking, await lockedWalletBalances(tx, customerIds));
}

/** The stored cards to charge for the unpaid amounts, by the ids of their invoices. */
async function cardsFor(
  tx: Tx,
  decided: readonly DecidedIssue[],
  shares: ReadonlyMap<string, Decimal>,
): Promise<ReadonlyMap<string, StoredCard>> {
  const charged = decided.filter(
    ({ invoice, terms, paysOnline }) =>
      paysOnline &&
      !invoice.livesBySession &&
      chargesItself(invoice, terms) &&
      invoice.unpaidAmount.gt(shares.get(invoice.id) ?? ZERO),
  );
  if (charged.length === 0) return new Map();
  const cards = await defaultMethodsOf(
    tx,
    charged.map(({ invoice }) => payerOf(invoice)),
  );
  return new Map(
    charged.flatMap(({ invoice }) => {
      const card = cards.get(payerOf(invoice));
      return card ? [[invoice.id, card]] : [];
    }),
  );
}

/** @param share the wallet's part @param isCharged is a stored card being charged for the remainder? */
function changesOf(
  { invoice, parties, paymentTermDays, paysOnline }: DecidedIssue,
  number: NumberedInvoice | undefined,
  share: Decimal,
  isCharged: boolean,
): InvoiceChanges {
  const isOverNothing = invoice.unpaidAmount.isZero();
  const outside = invoice.livesBySession ? undefined : outsideTaxAtIssue(invoice);
  return {
    ...parties,
    payerId: invoice.payerId,
    ...(outside && { outsideTax: outside }),
    invoiceNumber: number?.invoiceNumber ?? null,
    contentHash: number?.contentHash ?? null,
    paymentTermDays,
    paysOnline,
    walletApplied: invoice.walletApplied.plus(share),
    paidAmount: invoice.paidAmount.plus(share),
    paymentInFlight: isCharged,
    nextActionAt: isOverNothing || invoice.livesBySession ? null : overdueFrom(parties.dueAt as Instant),
  };
}

/** The debt, and the part of it that the wallets have paid. Nobody owes an offer yet. */
const postingsOf = (decided: readonly DecidedIssue[], issued: readonly InvoiceRow[]): Posting[] =>
  issued.flatMap((invoice, place) => {
    const { lines } = decided[place] as DecidedIssue;
    return [
      ...(invoice.livesBySession ? [] : [issuePosting(invoice, soldAheadBy(lines))]),
      ...(invoice.walletApplied.isZero() ? [] : [walletPosting(invoice, invoice.walletApplied)]),
    ];
  });

/** The session of an offer has the options of its subscription's creation, if there are no others. */
function sessionOf(
  { invoice, facts: { terms } }: { readonly invoice: InvoiceRow; readonly facts: DecidedIssue },
  session: SessionOptions | undefined,
): WantedSession {
  const ofTerms = isOfTerms(invoice) ? terms : undefined;
  const options = session ?? (invoice.livesBySession ? ofTerms?.checkout : undefined) ?? {};
  return { invoice, options, keepsCard: ofTerms?.autoCharge === true };
}

/** The seller has the tax id of the registration for the sale; the one-stop shop has its own. */
function sellerOn({ terms }: InvoiceRow, seller: PartyRecord): PartyRecord {
  const registration = terms?.place?.registration;
  if (registration == null || (registration.scheme === 'oss' && seller.taxId !== undefined)) return seller;
  return { ...seller, taxId: registration.taxId, taxIdCountry: registration.country };
}
