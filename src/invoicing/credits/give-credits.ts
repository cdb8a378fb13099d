import type { Tx } from '../../db/index.ts';
import { earliest, HOURS_PER_DAY, type Instant, isAfter, isBefore, latest } from '../../kernel/time.ts';
import { type CreditOn, givenBackBy, type UnusedCreditRow } from '../credit-notes/unused-credit.ts';
import {
  deleteOpenCredits,
  insertUnusedCredits,
  type NewCredit,
  type OpenCredit,
  selectCreditsOnInvoices,
  selectOpenCredits,
} from '../credit-notes/unused-credits.sql.ts';
import { type BilledQuestion, selectBilledLinesOf, selectCreditsOf } from '../difference/billed.sql.ts';
import { type BilledItem, itemsOf } from '../difference/billed.ts';
import { compareTime, creditsOf, type TimeCredit } from '../difference/time.ts';
import { usesOfCharges } from '../difference/uses-of-charges.ts';
import type { InvoicingDependencies } from '../invoice/dependencies.ts';
import type { InvoiceRow } from '../invoice/invoice.ts';
import { lockInvoicesById, selectInvoice, selectInvoices } from '../invoice/invoices.sql.ts';
import {
  cellsIn,
  chargesInAdvance,
  chargesInArrears,
  isBilledOnce,
  justBefore,
  type OwedCharge,
  startOfBills,
} from '../owed/charges.ts';
import { shareOfTime } from '../rating/index.ts';
import type { BillingTerms, CreditMode } from '../terms/billing-terms.ts';
import { segmentAt, segmentsOf } from '../timeline/segments.ts';
import { couponsBack } from './coupons-back.ts';
import { type CreditsToNote, moneyOf, notedOf, noteEachCredits, owedOfEach, rowOf } from './note-credits.ts';

/** The end of charges that were billed for a time. */
export interface CreditOrder {
  /** The terms as they are now. */
  readonly terms: BillingTerms;
  /** Only bills for the time after it can be unused. */
  readonly after: Instant;
  /**
   * The invoice with a credit as a line, by the price's own series; null if none is open: then it goes into the wallet.
   */
  readonly target: InvoiceRow | null;
  /**
   * The open credits of the time after it, which the caller has deleted already: the unused part of what billed them is
   * computed again.
   */
  readonly creditedAgain?: readonly OpenCredit[];
  /** Only of what this invoice billed; else of all. */
  readonly invoiceId?: string;
}

/**
 * Takes back what was billed for a time and is not owed (§3 Credits), in advance or in arrears, of some subscriptions
 * of one merchant: first what is still unpaid of the invoice that billed it, by a credit note; then as a line of the
 * open invoice, or by a credit note whose total is in the wallet. The unowed part follows from the present history, so
 * a credit that was prepared for an earlier history is computed again.
 */
export async function giveCredits(
  dependencies: InvoicingDependencies,
  tx: Tx,
  orders: readonly CreditOrder[],
  now: Instant,
): Promise<void> {
  const [first] = orders;
  if (!first) return;
  const { merchantId } = first.terms;
  const asked = await withRemoved(tx, orders);
  const stoodOn = await findUnissued(
    tx,
    asked.flatMap(({ removed }) => removed),
  );
  const due = (await lockIssuedItems(tx, asked)).map(({ order, items }) => {
    const only = order.invoiceId;
    const credits = creditsDue(order.terms, items).filter(({ item }) => only === undefined || item.invoiceId === only);
    return { order, ofInvoices: [...Map.groupBy(credits, ({ item }) => item.invoiceId)] };
  });
  // In turns, because a credit note over one invoice of a subscription may need those over its earlier ones.
  const turns = Math.max(...due.map(({ ofInvoices }) => ofInvoices.length));
  for (let turn = 0; turn < turns; turn++) {
    const given = due.flatMap(({ order, ofInvoices }) => {
      const [invoiceId, credits] = ofInvoices[turn] ?? [];
      return invoiceId === undefined || credits === undefined ? [] : [{ order, invoiceId, credits }];
    });
    await giveOnce(dependencies, tx, { merchantId, given, stoodOn, asked }, now);
  }
}

/** Credits of what one invoice billed. */
interface GivenCredits {
  readonly order: CreditOrder;
  readonly invoiceId: string;
  readonly credits: readonly TimeCredit[];
}

/** Writes the credits of some invoices, each of another subscription, and their credit notes. */
async function giveOnce(
  dependencies: InvoicingDependencies,
  tx: Tx,
  {
    merchantId,
    given,
    stoodOn,
    asked,
  }: {
    readonly merchantId: string;
    readonly given: readonly GivenCredits[];
    readonly stoodOn: (credit: TimeCredit) => string | undefined;
    readonly asked: readonly OrderWithRemoved[];
  },
  now: Instant,
): Promise<void> {
  const rows = given.flatMap(({ order: { terms, target }, credits }) =>
    credits.flatMap((credit) => {
      const mode = creditModeAt(terms, credit.item, credit.span.start);
      const bearer = mode === 'invoice' && target ? (stoodOn(credit) ?? target.id) : null;
      return mode === 'none' ? [] : [{ mode, row: placedAsBefore(rowOfTime(terms, credit, bearer, now), asked) }];
    }),
  );
  const stored = await insertUnusedCredits(
    tx,
    rows.map(({ row }) => row),
  );
  const note = async (mode: CreditMode, whatOf: (order: CreditOrder) => CreditsToNote['what']) => {
    const those = stored.filter((_, place) => rows[place]?.mode === mode);
    const byInvoice = Map.groupBy(those, ({ invoiceId }) => invoiceId);
    const all: CreditsToNote[] = [];
    for (const { order, invoiceId } of given) {
      const credits = byInvoice.get(invoiceId) ?? [];
      const what = whatOf(order);
      const back = what === 'all' ? await couponsBack(tx, order.terms, credits, now) : null;
      all.push({ merchantId, invoiceId, credits: [...(back?.get(invoiceId) ?? []), ...credits], what });
    }
    return noteEachCredits(dependencies, tx, all, now);
  };
  await note('invoice', ({ target }) => (target === null ? 'all' : 'unpaid'));
  await note('wallet', () => 'all');
}

/** A credit that is worked out again and comes out the same has the place of the one that was deleted. */
function placedAsBefore(row: NewCredit, asked: readonly OrderWithRemoved[]): NewCredit {
  const same = asked
    .flatMap(({ removed }) => removed)
    .find(
      (each) =>
        each.invoiceId === row.invoiceId &&
        each.priceId === row.priceId &&
        each.targetInvoiceId === row.targetInvoiceId &&
        each.unusedFrom.equals(row.unusedFrom) &&
        each.unusedTo.equals(row.unusedTo) &&
        each.amount.eq(row.amount) &&
        each.taxAmount.eq(row.taxAmount),
    );
  return same ? { ...row, lineSeq: same.lineSeq } : row;
}

interface OrderWithRemoved {
  readonly order: CreditOrder;
  /** The open credits of the time that are deleted. */
  readonly removed: readonly OpenCredit[];
}

/** Deletes the open credits of the orders whose caller has not, unless an order is of one invoice only. */
async function withRemoved(tx: Tx, orders: readonly CreditOrder[]): Promise<readonly OrderWithRemoved[]> {
  const times = orders
    .filter(({ creditedAgain, invoiceId }) => creditedAgain === undefined && invoiceId === undefined)
    .map(({ terms: { subscriptionId }, after }) => ({ subscriptionId, after }));
  const deleted = Map.groupBy(await deleteOpenCredits(tx, times), ({ subscriptionId: id }) => id);
  return orders.map((order) => ({
    order,
    removed: order.creditedAgain ?? deleted.get(order.terms.subscriptionId) ?? [],
  }));
}

/** The issued items of each order. Their invoices are locked, against who would refund or write off meanwhile. */
async function lockIssuedItems(
  tx: Tx,
  asked: readonly OrderWithRemoved[],
): Promise<{ order: CreditOrder; items: BilledItem[] }[]> {
  const questions = asked.map(({ order, removed }) => ({
    ...{ terms: order.terms, after: order.after },
    creditedAgain: removed.map(({ invoiceId }) => invoiceId),
  }));
  const found = await selectIssuedItemsOf(tx, questions);
  const invoiceIds = [...new Set(found.flat().map(({ invoiceId }) => invoiceId))];
  if (invoiceIds.length === 0) return [];
  await lockInvoicesById(tx, invoiceIds);
  const withItems = asked.flatMap(({ order }, place) => (found[place]?.length ? [{ order, place }] : []));
  const items = await selectIssuedItemsOf(
    tx,
    withItems.map(({ place }) => questions[place] as IssuedQuestion),
  );
  return withItems.map(({ order }, place) => ({ order, items: items[place] ?? [] }));
}

/** A credit that begins where a removed one began stays on its invoice, if that is still not issued. */
async function findUnissued(
  tx: Tx,
  removed: readonly OpenCredit[],
): Promise<(credit: TimeCredit) => string | undefined> {
  if (removed.length === 0) return () => undefined;
  const ids = removed.flatMap(({ targetInvoiceId: id }) => id ?? []);
  const invoices = await selectInvoices(tx, ids);
  const unissued = removed.filter(({ targetInvoiceId: id }) => id !== null && invoices.get(id)?.issuedAt === null);
  return ({ item, span }) =>
    unissued.find(
      ({ invoiceId, priceId, unusedFrom }) =>
        invoiceId === item.invoiceId && priceId === item.priceId && unusedFrom.equals(span.start),
    )?.targetInvoiceId ?? undefined;
}

/** The credits for the bills of some items that are not owed by the present terms. */
const creditsDue = (terms: BillingTerms, items: readonly BilledItem[]): TimeCredit[] =>
  compareTime(feesOwed(terms, items), items, terms)
    .unused.filter(({ item }) => item.isStanding)
    .flatMap((unused) => creditsOf(unused, terms, (at) => creditModeAt(terms, unused.item, at) !== 'none'));

/**
 * The credits that will stand on some open invoices of one merchant as things are, in the order of the invoices: those
 * that stand on one now, and where its subscription is planned to end with it, what that end will give (§3 Ends). The
 * invoice of the plan's own series bears that. What is unpaid of the invoices that billed goes off those first.
 */
export async function expectedCredits(
  tx: Tx,
  asked: readonly { readonly terms: BillingTerms; readonly invoice: InvoiceRow }[],
): Promise<(readonly CreditOn[])[]> {
  const invoiceIds = asked.map(({ invoice }) => invoice.id);
  const standing = await selectCreditsOnInvoices(tx, invoiceIds);
  const expected: (readonly CreditOn[])[] = [];
  for (const { terms, invoice } of asked) {
    const { endsAt } = terms.bounds;
    const own = standing.get(invoice.id) ?? [];
    const isLast = endsAt?.equals(invoice.periodEnd) === true && invoice.billingCadence === terms.planCadence;
    expected.push(invoice.status === 'ACTIVE' && isLast ? await creditsAtEnd(tx, terms, invoice, own) : own);
  }
  return expected;
}

/** The credits on the last invoice of a subscription once its period has ended. @param standing those of now */
async function creditsAtEnd(
  tx: Tx,
  terms: BillingTerms,
  invoice: InvoiceRow,
  standing: readonly CreditOn[],
): Promise<readonly CreditOn[]> {
  const { subscriptionId } = terms;
  const { periodEnd: endsAt } = invoice;
  const open = await selectOpenCredits(tx, [{ subscriptionId, after: endsAt }]);
  const replaced = new Set(open.map(({ id }) => id));
  const asked = { terms, after: endsAt, creditedAgain: open.map(({ invoiceId: id }) => id) };
  const [items = []] = await selectIssuedItemsOf(tx, [asked], replaced);
  const due = creditsDue(terms, items).filter(({ item, span }) => creditModeAt(terms, item, span.start) === 'invoice');
  const expected: CreditOn[] = [];
  for (const [invoiceId, those] of Map.groupBy(due, ({ item }) => item.invoiceId)) {
    const billed = await selectInvoice(tx, invoiceId);
    if (!billed) throw new Error(`Invoice ${invoiceId} no longer exists.`);
    const rows = those.map((credit) => ({ ...rowOfTime(terms, credit, invoice.id, endsAt), seq: 0n }));
    const { owed, owedAgain } = (await owedOfEach(tx, [invoiceId]))(billed);
    const given = givenBackBy(rows, await usesOfCharges(tx, [invoiceId], [invoice.id], rows));
    const money = rows.map((row, place) => moneyOf(row, given[place], billed.currency));
    const noted = notedOf(rows, owed.plus(owedAgain), billed.currency, money);
    expected.push(
      ...noted.map(({ credit, part }, place) => ({
        ...{ ...credit, notedAmount: part.net, notedTax: part.tax, billedNumber: billed.invoiceNumber },
        givesBack: given[place] ?? [],
      })),
    );
  }
  return [...standing.filter(({ id }) => !replaced.has(id)), ...expected].filter((credit) =>
    credit.notedAmount.lt(credit.amount),
  );
}

/** A question about the issued bills of a subscription. */
interface IssuedQuestion {
  readonly terms: BillingTerms;
  /** Only of time after it. */
  readonly after: Instant;
  /** Invoices of which all lines of that time are wanted. */
  readonly creditedAgain: readonly string[];
}

/**
 * The bills of issued invoices of some subscriptions of one merchant for time after an instant. Calculated invoices
 * that are not issued are calculated again instead.
 * @param without credits that do not count
 */
async function selectIssuedItemsOf(
  tx: Tx,
  asked: readonly IssuedQuestion[],
  without: ReadonlySet<string> = new Set(),
): Promise<BilledItem[][]> {
  const questions = asked.map(
    (each): BilledQuestion => ({
      invoice: { merchantId: tx.merchantId, subscriptionId: each.terms.subscriptionId, id: '' },
      since: sinceOf(each),
      before: null,
    }),
  );
  const lines = await selectBilledLinesOf(
    tx,
    questions,
    asked.flatMap(({ creditedAgain }) => creditedAgain),
  );
  const credits = await selectCreditsOf(tx, questions);
  return asked.map(({ terms, after }, place) =>
    itemsOf(
      (lines[place] ?? []).filter(
        ({ status, priceId, periodEnd }) =>
          status !== 'DRAFT' && isBefore(after, periodEnd) && priceId !== null && !isBilledOnce(terms, priceId),
      ),
      (credits[place] ?? []).filter(({ id }) => !without.has(id)),
    ),
  );
}

/** The charges in advance of a period are on the invoice before it, so that one is read, too. */
function sinceOf({ terms, after }: Pick<IssuedQuestion, 'terms' | 'after'>): Instant {
  const around = cellsIn(terms, { start: justBefore(after), end: after.add({ microseconds: 1 }) });
  return justBefore(around.map((cell) => startOfBills(terms, cell)).reduce(earliest, after));
}

/** The fees that are owed, in advance and in arrears, for the time of some items. */
function feesOwed(terms: BillingTerms, items: readonly BilledItem[]): OwedCharge[] {
  const [first] = items;
  if (!first) return [];
  const start = items.map(({ period }) => period.start).reduce(earliest, first.period.start);
  const end = items.map(({ period }) => period.end).reduce(latest, first.period.end);
  return cellsIn(terms, { start, end }).flatMap((cell) => [
    ...chargesInAdvance(terms, cell),
    ...chargesInArrears(terms, cell, cell.end).filter(({ price }) => price.metric === null),
  ]);
}

/** The target of credits for unused time from an instant on: as the change or the end of the subscription has it. */
function creditModeAt(terms: BillingTerms, { period }: BilledItem, at: Instant): CreditMode {
  const { endsAt } = terms.bounds;
  if (endsAt !== null && !isBefore(at, endsAt)) return terms.endCredit ?? 'invoice';
  const segments = segmentsOf(terms);
  // A change that is prorated by days takes time from the start of its day on.
  const byDay = segments.find(
    ({ proration, start }) =>
      proration === 'day' && !isBefore(start, at) && isBefore(start, at.add({ hours: HOURS_PER_DAY })),
  );
  const { credit = 'invoice', start } = byDay ?? segmentAt(segments, at);
  return credit === 'none' && isAfter(period.start, start) ? 'invoice' : credit; // billed for a later change, cancelled
}

const rowOfTime = (
  terms: BillingTerms,
  { item, span, net, tax, share }: TimeCredit,
  targetInvoiceId: string | null,
  now: Instant,
): Omit<UnusedCreditRow, 'seq'> => ({
  ...rowOf(terms, item, { net, tax, correction: null, told: null, share: shareOfTime(share) }, now),
  ...{ unusedFrom: span.start, unusedTo: span.end, targetInvoiceId },
});

/**
 * A refund is void, so that the invoice stands again. What of it is not used is given back: off what the customer owes
 * again because the money had left, and else into the wallet.
 */
export async function giveBackAfterVoid(
  dependencies: InvoicingDependencies,
  tx: Tx,
  invoice: InvoiceRow,
  now: Instant,
): Promise<void> {
  if (invoice.subscriptionId === null) return;
  const terms = await dependencies.source.terms(tx, invoice.subscriptionId);
  await giveCredits(
    dependencies,
    tx,
    [{ terms, after: terms.bounds.startedAt, target: null, invoiceId: invoice.id }],
    now,
  );
}
