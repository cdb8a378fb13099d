import type { Tx } from '../../db/index.ts';
import { plain, ZERO } from '../../kernel/decimal.ts';
import { newId } from '../../kernel/ids.ts';
import { earliest, HOURS_PER_DAY, type Instant, isBefore, latest } from '../../kernel/time.ts';
import type { CreditOn, UnusedCreditRow } from '../credit-notes/unused-credit.ts';
import {
  deleteOpenCredits,
  insertUnusedCredit,
  type OpenCredit,
  selectCreditsOn,
  selectOpenCredits,
} from '../credit-notes/unused-credits.sql.ts';
import { selectBilledLines, selectCredits } from '../difference/billed.sql.ts';
import { type BilledItem, itemsOf, leftOfItem } from '../difference/billed.ts';
import { compareTime, creditsOf, type TimeCredit } from '../difference/time.ts';
import type { InvoicingDependencies } from '../invoice/dependencies.ts';
import type { InvoiceRow } from '../invoice/invoice.ts';
import { lockInvoice, selectInvoice, selectInvoices } from '../invoice/invoices.sql.ts';
import {
  cellsIn,
  chargesInAdvance,
  chargesInArrears,
  isBilledOnce,
  justBefore,
  type OwedCharge,
} from '../owed/charges.ts';
import { shareOfTime } from '../rating/index.ts';
import type { BillingTerms, CreditMode } from '../terms/billing-terms.ts';
import { segmentAt, segmentsOf } from '../timeline/segments.ts';
import { noteCredits, notedOf, owedOf } from './note-credits.ts';

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
 * Takes back what was billed for a time and is not owed (§3 Credits), in advance or in arrears: first what is still
 * unpaid of the invoice that billed it, by a credit note; then as a line of the open invoice, or by a credit note whose
 * total is in the wallet. The unowed part follows from the present history, so a credit that was prepared for an
 * earlier history is computed again.
 */
export async function giveCredits(
  dependencies: InvoicingDependencies,
  tx: Tx,
  { terms, after, target, creditedAgain, invoiceId: only }: CreditOrder,
  now: Instant,
): Promise<void> {
  const { merchantId, subscriptionId } = terms;
  const deleted = () => (only === undefined ? deleteOpenCredits(tx, merchantId, subscriptionId, after) : []);
  const removed = creditedAgain ?? (await deleted());
  const creditedInvoiceIds = removed.map(({ invoiceId }) => invoiceId);
  const stoodOn = await findUnissued(tx, merchantId, removed);
  const found = await selectIssuedItems(tx, terms, after, creditedInvoiceIds);
  const invoiceIds = [...new Set(found.map(({ invoiceId }) => invoiceId))].toSorted();
  // holds off who would refund or write off meanwhile
  for (const id of invoiceIds) await lockInvoice(tx, merchantId, id);
  const items = invoiceIds.length === 0 ? found : await selectIssuedItems(tx, terms, after, creditedInvoiceIds);
  const due = creditsDue(terms, items).filter(({ item }) => only === undefined || item.invoiceId === only);
  for (const [invoiceId, those] of Map.groupBy(due, ({ item }) => item.invoiceId)) {
    const given = new Map<CreditMode, UnusedCreditRow[]>([
      ['invoice', []],
      ['wallet', []],
    ]);
    for (const credit of those) {
      const mode = creditModeAt(terms, credit.span.start);
      const bearer = mode === 'invoice' && target ? (stoodOn(credit) ?? target.id) : null;
      given.get(mode)?.push(await insertUnusedCredit(tx, rowOf(terms, credit, bearer, now)));
    }
    const lines = given.get('invoice') ?? [];
    await noteCredits(dependencies, tx, { merchantId, invoiceId }, lines, target === null ? 'all' : 'unpaid', now);
    await noteCredits(dependencies, tx, { merchantId, invoiceId }, given.get('wallet') ?? [], 'all', now);
  }
}

/** A credit that begins where a removed one began stays on its invoice, if that is still not issued. */
async function findUnissued(
  tx: Tx,
  merchantId: string,
  removed: readonly OpenCredit[],
): Promise<(credit: TimeCredit) => string | undefined> {
  if (removed.length === 0) return () => undefined;
  const ids = removed.flatMap(({ targetInvoiceId: id }) => id ?? []);
  const invoices = await selectInvoices(tx, merchantId, ids);
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
    .flatMap((unused) => creditsOf(unused, terms, (at) => creditModeAt(terms, at) !== 'none'));

/**
 * The credits that will stand on an open invoice as things are: those that stand on it now, and where the subscription
 * is planned to end with it, what that end will give (§3 Ends). The invoice of the plan's own series bears that. What
 * is unpaid of the invoices that billed goes off those first.
 */
export async function expectedCredits(
  tx: Tx,
  terms: BillingTerms,
  invoice: InvoiceRow,
  now: Instant,
): Promise<readonly CreditOn[]> {
  const standing = await selectCreditsOn(tx, invoice);
  const { endsAt } = terms.bounds;
  const isLast = endsAt?.equals(invoice.periodEnd) === true && invoice.billingCadence === terms.planCadence;
  if (invoice.status !== 'ACTIVE' || !isLast) return standing;
  const open = await selectOpenCredits(tx, terms.merchantId, terms.subscriptionId, endsAt);
  const replaced = new Set(open.map(({ id }) => id));
  const items = await selectIssuedItems(
    tx,
    terms,
    endsAt,
    open.map(({ invoiceId: id }) => id),
    replaced,
  );
  const due = creditsDue(terms, items).filter(({ span }) => creditModeAt(terms, span.start) === 'invoice');
  const expected: CreditOn[] = [];
  for (const [invoiceId, those] of Map.groupBy(due, ({ item }) => item.invoiceId)) {
    const billed = await selectInvoice(tx, terms.merchantId, invoiceId);
    if (!billed) throw new Error(`Invoice ${invoiceId} no longer exists.`);
    const rows = those.map((credit) => ({ ...rowOf(terms, credit, invoice.id, now), seq: 0n }));
    const { owed, owedAgain } = await owedOf(tx, billed);
    for (const { credit, part } of notedOf(rows, owed.plus(owedAgain), billed.currency))
      expected.push({
        ...credit,
        notedAmount: part.net,
        notedTax: part.tax,
        billedNumber: billed.invoiceNumber,
      });
  }
  return [...standing.filter(({ id }) => !replaced.has(id)), ...expected].filter((credit) =>
    credit.notedAmount.lt(credit.amount),
  );
}

/**
 * The bills of issued invoices for time after an instant. Calculated invoices that are not issued are calculated again
 * instead.
 */
async function selectIssuedItems(
  tx: Tx,
  terms: BillingTerms,
  after: Instant,
  creditedAgain: readonly string[],
  without: ReadonlySet<string> = new Set(),
): Promise<BilledItem[]> {
  const { merchantId, subscriptionId } = terms;
  const all = { merchantId, subscriptionId, id: '' };
  // The charges in advance of a period are on the invoice before it, so that one is read, too.
  const around = cellsIn(terms, { start: justBefore(after), end: after.add({ microseconds: 1 }) });
  const since = justBefore(around.map(({ start }) => start).reduce(earliest, after));
  const lines = await selectBilledLines(tx, all, since, null, creditedAgain);
  return itemsOf(
    lines.filter(
      ({ status, priceId, periodEnd }) =>
        status !== 'DRAFT' && isBefore(after, periodEnd) && priceId !== null && !isBilledOnce(terms, priceId),
    ),
    (await selectCredits(tx, all, since)).filter(({ id }) => !without.has(id)),
  );
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
function creditModeAt(terms: BillingTerms, at: Instant): CreditMode {
  const { endsAt } = terms.bounds;
  if (endsAt !== null && !isBefore(at, endsAt)) return terms.endCredit ?? 'invoice';
  const segments = segmentsOf(terms);
  // A change that is prorated by days takes time from the start of its day on.
  const byDay = segments.find(
    ({ proration, start }) =>
      proration === 'day' && !isBefore(start, at) && isBefore(start, at.add({ hours: HOURS_PER_DAY })),
  );
  return (byDay ?? segmentAt(segments, at)).credit ?? 'invoice';
}

const rowOf = (
  { merchantId, subscriptionId }: BillingTerms,
  { item, span, net, tax, share }: TimeCredit,
  targetInvoiceId: string | null,
  now: Instant,
): Omit<UnusedCreditRow, 'seq'> => ({
  merchantId,
  id: newId('credit'),
  subscriptionId,
  invoiceId: item.invoiceId,
  priceId: item.priceId,
  chargedFrom: item.period.start,
  chargedTo: item.period.end,
  unusedFrom: span.start,
  unusedTo: span.end,
  displayName: item.displayName,
  amount: net,
  taxAmount: tax,
  taxRate: item.taxRate,
  notedAmount: ZERO,
  notedTax: ZERO,
  workings: {
    share: shareOfTime(share),
    billed: plain(item.net),
    before: plain(item.net.minus(leftOfItem(item).net)),
  },
  correction: null,
  sourceKey: null,
  targetInvoiceId,
  createdAt: now,
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
  const terms = await dependencies.source.terms(tx, invoice.merchantId, invoice.subscriptionId);
  await giveCredits(
    dependencies,
    tx,
    { terms, after: terms.bounds.startedAt, target: null, invoiceId: invoice.id },
    now,
  );
}
