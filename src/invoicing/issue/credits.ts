import type { Tx } from '../../db/index.ts';
import { Decimal, plain, sum, ZERO } from '../../kernel/decimal.ts';
import { newId } from '../../kernel/ids.ts';
import { roundTo } from '../../kernel/money.ts';
import { earliest, formatInstant, HOURS_PER_DAY, type Instant, isBefore, latest } from '../../kernel/time.ts';
import { balanceOfInvoice } from '../../ledger/index.ts';
import type { OtherLine } from '../calculation/calculate.ts';
import { bookCredit } from '../credit-notes/credit-bookings.ts';
import { insertCreditNoteLines } from '../credit-notes/credit-note-lines.sql.ts';
import { insertPartCreditNote, selectUnvoidedCreditNote } from '../credit-notes/credit-notes.sql.ts';
import {
  type CreditOn,
  deleteOpenCredits,
  insertUnusedCredit,
  markCredited,
  selectCreditsOn,
  selectOpenCredits,
  type UnusedCreditRow,
} from '../credit-notes/unused-credits.sql.ts';
import { selectBilledLines, selectCredits } from '../difference/billed.sql.ts';
import { type BilledItem, itemsOf, leftOfItem } from '../difference/billed.ts';
import { compareTime, creditsOf, type TimeCredit } from '../difference/time.ts';
import type { CreditNoteLine, CreditNoteRow } from '../invoice/credit-note.ts';
import type { InvoicingDependencies } from '../invoice/dependencies.ts';
import type { InvoiceRow } from '../invoice/invoice.ts';
import { lockInvoice, selectInvoice, selectLines, updateInvoice } from '../invoice/invoices.sql.ts';
import type { CreditWorkings } from '../invoice/workings.ts';
import {
  cellsIn,
  chargesInAdvance,
  chargesInArrears,
  isBilledOnce,
  justBefore,
  type OwedCharge,
} from '../owed/charges.ts';
import { markPaid } from '../paying/pay.ts';
import { expireSessionsOf } from '../paying/sessions.ts';
import { shareOfTime } from '../rating/index.ts';
import type { BillingTerms, CreditMode } from '../terms/billing-terms.ts';
import { segmentAt, segmentsOf } from '../timeline/segments.ts';

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
  /** Invoices whose credits on open invoices were removed: their unused part is computed again. */
  readonly creditedAnew?: readonly string[];
  /** Only of what this invoice billed; else of all. */
  readonly invoiceId?: string;
}

/**
 * Takes back what was billed for a time and is not owed (§3 Credits), in advance or in arrears: first what is still
 * unpaid of the invoice that billed it, by a credit note; then as a line of the open invoice, or by a credit note whose
 * total is in the wallet. What is not owed follows from the history as it stands, so that what was on its way for an
 * earlier one is worked out anew.
 */
export async function giveCredits(
  dependencies: InvoicingDependencies,
  tx: Tx,
  { terms, after, target, creditedAnew = [], invoiceId: only }: CreditOrder,
  now: Instant,
): Promise<void> {
  const { merchantId, subscriptionId } = terms;
  const deleted = only === undefined ? await deleteOpenCredits(tx, merchantId, subscriptionId, after) : [];
  const anew = [...creditedAnew, ...deleted];
  const found = await selectIssuedItems(tx, terms, after, anew);
  const invoiceIds = [...new Set(found.map(({ invoiceId }) => invoiceId))].toSorted();
  // holds off who would refund or write off meanwhile
  for (const id of invoiceIds) await lockInvoice(tx, merchantId, id);
  const items = invoiceIds.length === 0 ? found : await selectIssuedItems(tx, terms, after, anew);
  const due = creditsDue(terms, items).filter(({ item }) => only === undefined || item.invoiceId === only);
  for (const [invoiceId, those] of Map.groupBy(due, ({ item }) => item.invoiceId)) {
    const given = new Map<CreditMode, UnusedCreditRow[]>([
      ['invoice', []],
      ['wallet', []],
    ]);
    for (const credit of those) {
      const mode = creditModeAt(terms, credit.span.start);
      const bearer = mode === 'invoice' ? (target?.id ?? null) : null;
      given.get(mode)?.push(await insertUnusedCredit(tx, rowOf(terms, credit, bearer, now)));
    }
    const lines = given.get('invoice') ?? [];
    await noteCredits(dependencies, tx, { merchantId, invoiceId }, lines, target === null ? 'all' : 'unpaid', now);
    await noteCredits(dependencies, tx, { merchantId, invoiceId }, given.get('wallet') ?? [], 'all', now);
  }
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
  const anew = new Set(open.map(({ id }) => id));
  const items = await selectIssuedItems(
    tx,
    terms,
    endsAt,
    open.map(({ invoiceId: id }) => id),
    anew,
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
  return [...standing.filter(({ id }) => !anew.has(id)), ...expected].filter((credit) =>
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
  creditedAnew: readonly string[],
  without: ReadonlySet<string> = new Set(),
): Promise<BilledItem[]> {
  const { merchantId, subscriptionId } = terms;
  const all = { merchantId, subscriptionId, id: '' };
  // The charges in advance of a period are on the invoice before it, so that one is read, too.
  const around = cellsIn(terms, { start: justBefore(after), end: after.add({ microseconds: 1 }) });
  const since = justBefore(around.map(({ start }) => start).reduce(earliest, after));
  const lines = await selectBilledLines(tx, all, since, null, creditedAnew);
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
export function creditModeAt(terms: BillingTerms, at: Instant): CreditMode {
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
 * The reason that leaves nothing of an invoice to credit: the credit note over all of it, or its write-off, also just
 * now. Its lock prevents either of them until the end.
 */
async function overAllOf(tx: Tx, merchantId: string, invoiceId: string): Promise<CreditNoteRow | 'written off' | null> {
  const invoice = await lockInvoice(tx, merchantId, invoiceId);
  if (!invoice) throw new Error(`Invoice ${invoiceId} no longer exists.`);
  return invoice.status === 'WRITTEN_OFF' ? 'written off' : ((await selectUnvoidedCreditNote(tx, invoice)) ?? null);
}

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

/** The part of a credit that is in no credit note yet. */
const leftOf = ({ amount, taxAmount, notedAmount, notedTax }: UnusedCreditRow) => ({
  net: amount.minus(notedAmount),
  tax: taxAmount.minus(notedTax),
});

/**
 * Writes a credit note on the invoice that billed: over what of it is unpaid, or owed again after a refund, which is
 * owed no more, or over all, of which the rest goes into the wallet. While a payment is on its way all of it counts as
 * paid.
 */
export async function noteCredits(
  dependencies: InvoicingDependencies,
  tx: Tx,
  { merchantId, invoiceId }: { readonly merchantId: string; readonly invoiceId: string },
  credits: readonly UnusedCreditRow[],
  what: 'unpaid' | 'all',
  now: Instant,
): Promise<void> {
  if (credits.length === 0) return;
  const invoice = await lockInvoice(tx, merchantId, invoiceId);
  if (!invoice) throw new Error(`Invoice ${invoiceId} no longer exists.`);
  const { owed, owedAgain } = await owedOf(tx, invoice);
  const total = sum(credits.map((credit) => leftOf(credit).net.plus(leftOf(credit).tax)));
  const off = Decimal.min(owed, total);
  const offAgain = Decimal.min(owedAgain, total.minus(off));
  let [net, tax] = [ZERO, ZERO];
  const lines: CreditNoteLine[] = [];
  for (const { credit, part } of notedOf(credits, what === 'all' ? total : off.plus(offAgain), invoice.currency)) {
    net = net.plus(part.net);
    tax = tax.plus(part.tax);
    await markCredited(tx, credit, part.net, part.tax);
    if (!part.net.plus(part.tax).isZero()) lines.push(lineOfNote(credit, part));
  }
  if (net.plus(tax).isZero()) return;
  const note = await insertPartCreditNote(tx, invoice, { amount: net, tax }, 'Not used', now);
  await insertCreditNoteLines(tx, note, lines);
  await bookCredit(tx, invoice, note, { off, offAgain }, now);
  const less = { paidAmount: invoice.paidAmount.plus(off), creditedAmount: invoice.creditedAmount.plus(off) };
  const credited = off.isZero() ? invoice : await updateInvoice(tx, invoice, less, now);
  const notOwed = off.plus(offAgain);
  const fact = { kind: 'credited', note, off: notOwed, intoWallet: note.total.minus(notOwed) } as const;
  await dependencies.letters.tell(tx, credited, fact, now);
  if (off.isZero()) return;
  if (credited.unpaidAmount.isZero()) await markPaid(dependencies, tx, credited, { by: 'credit' }, now);
  else await expireSessionsOf(tx, credited, now);
}

/** The debt of an invoice that a credit can reduce, and the debt that is open again after a refund. */
async function owedOf(tx: Tx, invoice: InvoiceRow): Promise<{ owed: Decimal; owedAgain: Decimal }> {
  const owed = invoice.paymentInFlight || invoice.status === 'PAID' ? ZERO : invoice.unpaidAmount;
  const again = await balanceOfInvoice(tx, invoice.merchantId, 'owed_again', invoice.id);
  return { owed, owedAgain: Decimal.max(ZERO, again) };
}

/** The part of some credits that a credit note over `most` contains: all of the first ones, until it is used up. */
function notedOf<Row extends UnusedCreditRow>(credits: readonly Row[], most: Decimal, currency: string) {
  let left = most;
  return credits.map((credit) => {
    const part = upTo(leftOf(credit), left, currency);
    left = left.minus(part.net).minus(part.tax);
    return { credit, part };
  });
}

/** For a subscription it is unused time; for an order everything that is no longer owed. */
const nameOf = ({ displayName: name, sourceKey: key }: UnusedCreditRow): string =>
  key === null ? `${name}: not used` : `${name}: credit`;

/** The part of a credit on a credit note, for its document. */
const lineOfNote = (credit: UnusedCreditRow, part: { net: Decimal; tax: Decimal }): CreditNoteLine => ({
  creditId: credit.id,
  displayName: nameOf(credit),
  amount: part.net,
  taxAmount: part.tax,
  taxRate: credit.taxRate,
  periodStart: credit.unusedFrom,
  periodEnd: credit.unusedTo,
});

/** The part of a net amount and its tax that is `most` together. */
export function upTo({ net, tax }: { net: Decimal; tax: Decimal }, most: Decimal, currency: string) {
  const gross = net.plus(tax);
  if (gross.lte(most)) return { net, tax };
  const part = Decimal.min(net, roundTo(net.times(most).div(gross), currency, 'half-away-from-zero'));
  return { net: part, tax: Decimal.min(tax, most.minus(part)) };
}

/**
 * The charge of a credit, and the credited part. Amounts are before tax, so that those of inclusive prices do not show
 * them.
 */
const creditWorkings = (credit: CreditOn, taxBehavior: 'exclusive' | 'inclusive'): CreditWorkings => ({
  id: credit.id,
  invoiceNumber: credit.billedNumber,
  from: formatInstant(credit.chargedFrom),
  to: formatInstant(credit.chargedTo),
  billed: taxBehavior === 'inclusive' || credit.workings === null ? null : credit.workings.billed,
  share: credit.workings?.share ?? null,
  amount: plain(credit.amount),
  before: credit.workings?.before ?? '0',
});

/** The credits on an invoice, as lines of its calculation. */
export const creditLines = (credits: readonly CreditOn[], taxBehavior: 'exclusive' | 'inclusive'): OtherLine[] =>
  credits.map((credit) => {
    const { net, tax } = leftOf(credit);
    const amount = (taxBehavior === 'inclusive' ? net.plus(tax) : net).negated();
    return {
      amount,
      taxRate: credit.taxRate,
      tax: tax.negated(),
      cutTurn: 'credit',
      content: {
        eventType: 'fee',
        lineItemType: 'refund',
        type: 'credit',
        priceId: credit.priceId,
        billableMetricId: null,
        feeId: null,
        itemId: null,
        displayName: nameOf(credit),
        metricName: '',
        metricUnit: '',
        metricDescription: '',
        quantity: new Decimal(1),
        unitPrice: amount,
        discountPrice: ZERO,
        periodStart: credit.unusedFrom,
        periodEnd: credit.unusedTo,
        groupValues: null,
        tiers: null,
        sourceKey: credit.sourceKey,
        workings: { credit: creditWorkings(credit, taxBehavior) },
      },
    };
  });

/** The credits on an invoice with prices without tax. */
export const creditLinesOn = async (tx: Tx, invoice: InvoiceRow): Promise<OtherLine[]> =>
  creditLines(await selectCreditsOn(tx, invoice), 'exclusive');

/**
 * After the issue of an invoice: the excess of its credit lines, because no total is below 0, is a credit note on the
 * invoice that billed, in the wallet.
 */
export async function creditExcess(
  dependencies: InvoicingDependencies,
  tx: Tx,
  invoice: InvoiceRow,
  now: Instant,
): Promise<void> {
  const credits = await selectCreditsOn(tx, invoice);
  if (credits.length === 0) return;
  const lines = (await selectLines(tx, invoice.merchantId, invoice.id)).filter(({ type }) => type === 'credit');
  for (const [index, credit] of credits.entries()) {
    const line = lines[index];
    if (!line) throw new Error(`Credit ${credit.id} has no line on invoice ${invoice.id}.`);
    const { net, tax } = leftOf(credit);
    const rest = net.plus(line.totalPrice);
    const restTax = tax.plus(line.totalTax);
    if (rest.lte(0)) continue;
    const used = { ...credit, notedAmount: credit.amount.minus(rest), notedTax: credit.taxAmount.minus(restTax) };
    await noteCredits(
      dependencies,
      tx,
      { merchantId: invoice.merchantId, invoiceId: credit.invoiceId },
      [used],
      'all',
      now,
    );
  }
}

/**
 * An invoice is cancelled: the credits that stood on it would be lost with it, so each is a credit note on the invoice
 * that billed, off what is unpaid of that and else in the wallet. Of an invoice that was refunded meanwhile nothing is
 * left to give back.
 */
export async function returnCredits(
  dependencies: InvoicingDependencies,
  tx: Tx,
  cancelled: InvoiceRow,
  now: Instant,
): Promise<void> {
  const credits = await selectCreditsOn(tx, cancelled);
  for (const [invoiceId, given] of Map.groupBy(credits, ({ invoiceId }) => invoiceId)) {
    if ((await overAllOf(tx, cancelled.merchantId, invoiceId)) !== null) continue;
    await noteCredits(dependencies, tx, { merchantId: cancelled.merchantId, invoiceId }, given, 'all', now);
  }
}
