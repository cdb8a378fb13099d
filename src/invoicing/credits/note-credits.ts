import type { Tx } from '../../db/index.ts';
import { Decimal, ONE, plain, sum, ZERO } from '../../kernel/decimal.ts';
import { newId } from '../../kernel/ids.ts';
import { roundTo } from '../../kernel/money.ts';
import { intersect } from '../../kernel/spans.ts';
import { earliest, type Instant, type Period } from '../../kernel/time.ts';
import { balancesOfInvoices, creditWallet } from '../../ledger/index.ts';
import { OWN_REASONS } from '../../look/index.ts';
import { type AtOnePrice, inTwo } from '../calculation/one-price.ts';
import { bookCredit } from '../credit-notes/credit-bookings.ts';
import { insertCreditNoteLines } from '../credit-notes/credit-note-lines.sql.ts';
import {
  insertPartCreditNote,
  selectSumsOfCreditNotes,
  selectUnvoidedCreditNote,
} from '../credit-notes/credit-notes.sql.ts';
import {
  type GivenBack,
  givenBackBy,
  leftOfUses,
  type UnusedCreditRow,
  withTax,
} from '../credit-notes/unused-credit.ts';
import { insertUnusedCredit, markCredited, selectCreditsOn } from '../credit-notes/unused-credits.sql.ts';
import { selectBilledItems } from '../difference/billed.sql.ts';
import {
  type AmountWithTax as Amounts,
  type Behavior,
  type BilledItem,
  type Correction,
  grossOf,
  leftOfItem,
  negated,
  quoted,
  sumWithTax,
} from '../difference/billed.ts';
import { usesOfCharges } from '../difference/uses-of-charges.ts';
import type { CreditNoteLine, CreditNoteRow } from '../invoice/credit-note.ts';
import type { InvoicingDependencies } from '../invoice/dependencies.ts';
import { bySubscription, type InvoiceRow, payerOf } from '../invoice/invoice.ts';
import { linesOf } from '../invoice/invoice-line.ts';
import { lockInvoice, lockInvoicesById, selectInvoices, selectLines, updateInvoice } from '../invoice/invoices.sql.ts';
import { justBefore } from '../owed/charges.ts';
import { markPaid } from '../paying/pay.ts';
import { expireSessionsOf } from '../paying/sessions.ts';
import type { ShareOfTime } from '../rating/index.ts';
import type { UseOfCharge } from '../terms/billing-credit.ts';
import type { BillingTerms } from '../terms/billing-terms.ts';
import { isOfCoupon, isOfUsage, leftOf, nameOf } from './credit-lines.ts';

/** The lines of a credit note, what they may come to, and what of them goes off a debt. */
interface NoteOrder {
  readonly lines: CreditNoteLine[];
  readonly reason: string;
  readonly most: Decimal;
  readonly off: Decimal;
  readonly offAgain: Decimal;
}

/** The invoice of a credit note, and the refund that gives the credits back: its void takes them back again. */
export interface NotedInvoice {
  readonly merchantId: string;
  readonly invoiceId: string;
  readonly refundId?: string | undefined;
}

/**
 * Writes a credit note on the invoice that billed: over what of it is unpaid, or owed again after a refund, which is
 * owed no more, or over all, of which the remainder goes into the wallet. While a payment is on its way all of it
 * counts as paid, and so it does for a refund of another invoice. The credit note is never above what is left of its
 * invoice: what the invoice's own deductions had paid goes back to where they came from.
 */
export async function noteCredits(
  dependencies: InvoicingDependencies,
  tx: Tx,
  of: NotedInvoice,
  credits: readonly UnusedCreditRow[],
  what: 'unpaid' | 'all',
  now: Instant,
): Promise<void> {
  await noteEachCredits(dependencies, tx, [{ ...of, credits, what }], now);
}

/** The credits of an invoice that a credit note is to contain. */
export interface CreditsToNote extends NotedInvoice {
  readonly credits: readonly UnusedCreditRow[];
  readonly what: 'unpaid' | 'all';
}

/** What `noteCredits` does, for some invoices of one merchant, each of another subscription. */
export async function noteEachCredits(
  dependencies: InvoicingDependencies,
  tx: Tx,
  all: readonly CreditsToNote[],
  now: Instant,
): Promise<void> {
  const asked = all.filter(({ credits }) => credits.length > 0);
  if (asked.length === 0) return;
  const ids = asked.map(({ invoiceId }) => invoiceId);
  const invoices = await lockInvoicesById(tx, ids);
  const owedOn = await owedOfEach(tx, ids);
  const sumsBefore = await selectSumsOfCreditNotes(tx, ids);
  const uses = Map.groupBy(await usesOfCharges(tx, ids), ({ invoiceId }) => invoiceId);
  const decided = asked.map((each) => {
    const invoice = invoices.get(each.invoiceId);
    if (!invoice) throw new Error(`Invoice ${each.invoiceId} no longer exists.`);
    const own = uses.get(invoice.id) ?? [];
    const given = givenBackBy(each.credits, own);
    return {
      of: { ...each, invoice },
      back: each.what === 'all' ? usesBack(each, given, own, invoice) : [],
      ...decideNote(each, given, invoice, owedOn(invoice), sumsBefore(invoice.id)),
    };
  });
  await markCredited(
    tx,
    decided.flatMap(({ noted }) => noted),
  );
  for (const { of, noted, back, ...amounts } of decided) {
    const reason = noted.every(({ credit }) => isOfUsage(credit) || isOfCoupon(credit))
      ? OWN_REASONS.correction
      : OWN_REASONS.unused;
    const lines = noted.flatMap(({ credit, part }) =>
      grossOf(part).isZero() ? [] : [lineOfNote(credit, part, of.invoice)],
    );
    if (lines.length > 0)
      await writeNote(dependencies, tx, of, { lines: [...lines, ...back], reason, ...amounts }, now);
  }
}

/**
 * What billing credits had paid of charges above what those still owe goes back to them, and not to the customer: lines
 * below 0 of a credit note, with the tax of its credits.
 */
function usesBack(
  { credits }: CreditsToNote,
  given: readonly (readonly GivenBack[])[],
  uses: readonly UseOfCharge[],
  invoice: InvoiceRow,
): CreditNoteLine[] {
  return credits.flatMap((credit, place) => {
    const left = leftOf(credit);
    return withTax(left, given[place] ?? [], invoice.currency).map(({ lineId, net, tax }): CreditNoteLine => {
      const part = negated({ net, tax });
      const amount = quoted(part, invoice.terms?.taxBehavior ?? 'exclusive');
      const { priceId, displayName, taxRate, periodStart, periodEnd } = uses.find(
        (use) => use.lineId === lineId,
      ) as UseOfCharge;
      return {
        ...{ ...shownAs(null, amount), appliesTo: lineId, priceId, displayName, taxRate, periodStart, periodEnd },
        ...{ amount: part.net, taxAmount: part.tax },
      };
    });
  });
}

/**
 * The part of some credits for a credit note, and what of it goes off a debt: never what goes back to billing credits.
 * Pure.
 */
function decideNote(
  { credits, what, refundId }: CreditsToNote,
  given: readonly (readonly GivenBack[])[],
  invoice: InvoiceRow,
  { owed, owedAgain }: Owed,
  before: { readonly amount: Decimal; readonly tax: Decimal },
) {
  const most = invoice.grandTotal.minus(before.amount).minus(before.tax);
  const money = credits.map((credit, place) => moneyOf(credit, given[place], invoice.currency));
  const total = sum(money);
  const off = refundId === undefined ? Decimal.min(owed, total, most) : ZERO;
  const offAgain = Decimal.min(owedAgain, total.minus(off), most.minus(off));
  return {
    most,
    off,
    offAgain,
    noted:
      what === 'all'
        ? credits.map((credit) => ({ credit, part: leftOf(credit) }))
        : notedOf(credits, off.plus(offAgain), invoice.currency, money),
  };
}

/** Issues the credit note, and books it. */
async function writeNote(
  dependencies: InvoicingDependencies,
  tx: Tx,
  of: NotedInvoice & { readonly invoice: InvoiceRow },
  { lines, reason, most, off, offAgain }: NoteOrder,
  now: Instant,
): Promise<void> {
  const { invoice } = of;
  const excess = totalOf(lines).minus(most);
  const back = excess.gt(0) ? await returnDeductions(dependencies, tx, { ...of, lines }, excess, now) : null;
  lines.push(...(back?.lines ?? []));
  const sums = { amount: sum(lines.map(({ amount }) => amount)), tax: sum(lines.map(({ taxAmount }) => taxAmount)) };
  const note = await insertPartCreditNote(tx, invoice, sums, { reason, refundId: of.refundId ?? null }, now);
  await insertCreditNoteLines(tx, note, lines);
  await bookCredit(tx, invoice, note, { off, offAgain }, now);
  if (back?.intoWallet.gt(0)) await bookDeductions(tx, invoice, note, back.intoWallet, now);
  const less = { paidAmount: invoice.paidAmount.plus(off), creditedAmount: invoice.creditedAmount.plus(off) };
  const credited = off.isZero() ? invoice : await updateInvoice(tx, invoice, less, now);
  const notOwed = off.plus(offAgain);
  const fact = { kind: 'credited', note, off: notOwed, intoWallet: note.total.minus(notOwed) } as const;
  if (!note.total.isZero()) await dependencies.mails.notify(tx, credited, fact, now);
  if (off.isZero()) return;
  if (credited.unpaidAmount.isZero()) await markPaid(dependencies, tx, credited, { by: 'credit' }, now);
  else await expireSessionsOf(tx, credited, now);
}

/** What lines of credit notes come to. */
export const notedBy = (lines: readonly CreditNoteLine[]): Amounts =>
  sumWithTax(lines.map(({ amount, taxAmount }) => ({ net: amount, tax: taxAmount })));

const totalOf = (lines: readonly CreditNoteLine[]): Decimal => grossOf(notedBy(lines));

/** The deductions of an invoice that no other invoice bears, for which no document credits tax. */
const bookDeductions = (
  tx: Tx,
  invoice: InvoiceRow,
  { id }: CreditNoteRow,
  amount: Decimal,
  now: Instant,
): Promise<void> => {
  const { merchantId, id: invoiceId, currency } = invoice;
  const against = { account: 'revenue', customerId: null } as const;
  const move = {
    merchantId,
    customerId: payerOf(invoice),
    currency,
    key: `carried:${id}`,
    reason: 'credit',
    invoiceId,
  } as const;
  return creditWallet(tx, { ...move, amount, against }, now);
};

/** The debt of an invoice that a credit can reduce, and the debt that is open again after a refund. */
interface Owed {
  readonly owed: Decimal;
  readonly owedAgain: Decimal;
}

/** The debts of some invoices of a merchant. */
export async function owedOfEach(tx: Tx, invoiceIds: readonly string[]): Promise<(invoice: InvoiceRow) => Owed> {
  const againOf = await balancesOfInvoices(tx, 'owed_again', invoiceIds);
  return (invoice) => ({
    owed: invoice.paymentInFlight || invoice.status === 'PAID' ? ZERO : invoice.unpaidAmount,
    owedAgain: Decimal.max(ZERO, againOf(invoice.id)),
  });
}

/** The part of a credit that does not go back to billing credits, with tax. */
export function moneyOf(credit: UnusedCreditRow, given: readonly GivenBack[] | undefined, currency: string): Decimal {
  const left = leftOf(credit);
  return grossOf(left).minus(grossOf(sumWithTax(withTax(left, given ?? [], currency))));
}

/**
 * The part of some credits that a credit note over `most` contains: all of the first ones, until it is used up.
 * @param mostOf the most of each of them
 */
export function notedOf<Row extends UnusedCreditRow>(
  credits: readonly Row[],
  most: Decimal,
  currency: string,
  mostOf: readonly Decimal[] = [],
) {
  let left = most;
  return credits.map((credit, place) => {
    const part = upTo(leftOf(credit), Decimal.min(left, mostOf[place] ?? left), currency);
    left = left.minus(part.net).minus(part.tax);
    return { credit, part };
  });
}

/** The part of a credit on a credit note, for its document: units at one price where they come to it. */
function lineOfNote(credit: UnusedCreditRow, part: Amounts, { terms, currency }: InvoiceRow): CreditNoteLine {
  const behavior = terms?.taxBehavior ?? 'exclusive';
  const { quantity: units, unitPrice, priceId, sourceKey, subscriptionId, chargedFrom, chargedTo } = credit;
  const told = units && unitPrice && { units, unitPrice };
  const whole = quoted({ net: credit.amount, tax: credit.taxAmount }, behavior);
  return {
    creditId: credit.id,
    ...shownAs(inTwo(told, whole, quoted(part, behavior), currency)?.part ?? null, quoted(part, behavior)),
    priceId,
    appliesTo: { subscriptionId, priceId, sourceKey, from: chargedFrom, to: chargedTo },
    displayName: nameOf(credit),
    amount: part.net,
    taxAmount: part.tax,
    taxRate: credit.taxRate,
    periodStart: credit.unusedFrom,
    periodEnd: isOfCoupon(credit) ? credit.unusedFrom : credit.unusedTo,
  };
}

/** Units at one price, or an amount as the price of one. */
const shownAs = (told: AtOnePrice | null, amount: Decimal) =>
  told === null
    ? { quantity: ONE, unitPrice: amount, isAmount: true }
    : { quantity: told.units, unitPrice: told.unitPrice, isAmount: false };

/** A credit of which no more than a part is left. */
export const leaving = (credit: UnusedCreditRow, { net, tax }: Amounts): UnusedCreditRow => ({
  ...credit,
  notedAmount: credit.amount.minus(net),
  notedTax: credit.taxAmount.minus(tax),
});

/** The part of a net amount and its tax that is `most` together. */
export function upTo({ net, tax }: Amounts, most: Decimal, currency: string): Amounts {
  const gross = net.plus(tax);
  if (gross.lte(most)) return { net, tax };
  const part = Decimal.min(net, roundTo(net.times(most).div(gross), currency, 'half-away-from-zero'));
  return { net: part, tax: Decimal.min(tax, most.minus(part)) };
}

/**
 * The reason that leaves nothing of an invoice to credit: the credit note over all of it, or its write-off, also just
 * now. Its lock prevents either of them until the end.
 */
export async function overAllOf(tx: Tx, invoiceId: string): Promise<CreditNoteRow | 'written off' | null> {
  const invoice = await lockInvoice(tx, invoiceId);
  if (!invoice) throw new Error(`Invoice ${invoiceId} no longer exists.`);
  return invoice.status === 'WRITTEN_OFF' ? 'written off' : ((await selectUnvoidedCreditNote(tx, invoice)) ?? null);
}

interface Deducted {
  readonly lines: readonly CreditNoteLine[];
  /** What no other invoice bears. */
  readonly intoWallet: Decimal;
}

/**
 * Credits may come to more than their invoice asked, because it had deductions. Then these are credited as well: its
 * credits on the invoices that they had credited, its corrections of closed periods on those that had billed them. The
 * remainder, as of lines that a person wrote, is for the wallet.
 * @returns the deductions as lines of the credit note, below 0
 */
async function returnDeductions(
  dependencies: InvoicingDependencies,
  tx: Tx,
  {
    invoice,
    merchantId,
    refundId,
    lines: noted,
  }: NotedInvoice & { readonly invoice: InvoiceRow; readonly lines: readonly CreditNoteLine[] },
  excess: Decimal,
  now: Instant,
): Promise<Deducted> {
  const credits = notedOf(await selectCreditsOn(tx, invoice), excess, invoice.currency).filter(
    ({ part }) => !grossOf(part).isZero(),
  );
  const given = credits.map(({ credit, part }) => leaving(credit, part));
  for (const [invoiceId, those] of Map.groupBy(given, (credit) => credit.invoiceId))
    if ((await overAllOf(tx, invoiceId)) === null)
      await noteCredits(dependencies, tx, { merchantId, invoiceId, refundId }, those, 'all', now);
  const own = await selectLines(tx, invoice.id);
  const lines = credits.map(({ credit, part }) => ({
    ...lineOfNote(credit, negated(part), invoice),
    creditId: null,
    appliesTo: own.find(({ workings }) => workings?.credit?.id === credit.id)?.id ?? null,
  }));
  const left = excess.plus(totalOf(lines));
  const corrected = await returnAllCorrections(dependencies, tx, invoice, refundId, left, now);
  const byHand = await deductionsByHand(tx, invoice, noted, left.plus(totalOf(corrected.lines)));
  return {
    lines: [...lines, ...corrected.lines, ...byHand],
    intoWallet: corrected.intoWallet.minus(totalOf(byHand.filter(({ isOfCredit }) => !isOfCredit))),
  };
}

const NO_DEDUCTION: Deducted = { lines: [], intoWallet: ZERO };

/** The part of the corrections of closed periods on an invoice, of each of its subscriptions. */
async function returnAllCorrections(
  dependencies: InvoicingDependencies,
  tx: Tx,
  invoice: InvoiceRow,
  refundId: string | undefined,
  most: Decimal,
  now: Instant,
): Promise<Deducted> {
  let all = NO_DEDUCTION;
  for (const own of bySubscription(invoice)) {
    const left = most.plus(totalOf(all.lines));
    if (left.lte(0)) break;
    const { lines, intoWallet } = await returnCorrections(dependencies, tx, own, refundId, left, now);
    all = { lines: [...all.lines, ...lines], intoWallet: all.intoWallet.plus(intoWallet) };
  }
  return all;
}

/** The part of the corrections of closed periods on an invoice. The credit that takes a correction back is below 0. */
async function returnCorrections(
  dependencies: InvoicingDependencies,
  tx: Tx,
  invoice: InvoiceRow,
  refundId: string | undefined,
  most: Decimal,
  now: Instant,
): Promise<Deducted> {
  const { merchantId, id, subscriptionId, currency, terms } = invoice;
  const starts = linesOf(invoice, await selectLines(tx, id))
    .filter(({ type, totalPrice }) => CORRECTIONS.has(type) && totalPrice.lt(0))
    .map(({ periodStart }) => periodStart);
  if (subscriptionId === null || starts.length === 0) return NO_DEDUCTION;
  const all = { merchantId, subscriptionId, id: '' };
  const since = justBefore(starts.reduce(earliest));
  const items = await selectBilledItems(tx, all, since);
  const taxBehavior = terms?.taxBehavior ?? 'exclusive';
  const lines: CreditNoteLine[] = [];
  const writtenOff = new Set<string>();
  let intoWallet = ZERO;
  for (const [place, item] of items.entries()) {
    if (item.invoiceId !== id || leftOfItem(item).net.gte(0)) continue;
    const part = upTo(negated(leftOfItem(item)), most.plus(totalOf(lines)), currency);
    if (grossOf(part).isZero()) continue;
    const amount = quoted(part, taxBehavior);
    const told = toldBack(item, amount, { taxBehavior, currency });
    const back = told && { ...told, units: told.units.negated() };
    const taken = rowOf({ merchantId, subscriptionId }, item, { ...negated(part), correction: SAID, told: back }, now);
    const noted = { notedAmount: taken.amount, notedTax: taken.taxAmount };
    lines.push(lineOfNote(await insertUnusedCredit(tx, { ...taken, ...noted }), negated(part), invoice));
    // only what was billed before it: a later bill may itself stand beside a correction of this invoice
    const corrected = items.slice(0, place).filter((each) => isOf(each, item.priceId, item.period));
    const of = { merchantId, subscriptionId, currency, taxBehavior, refundId };
    const given = await takeBack(dependencies, tx, of, [{ items: corrected, amount, correction: SAID, told }], now);
    intoWallet = intoWallet.plus(grossOf(part)).minus(sum(given.map((row) => row.amount.plus(row.taxAmount))));
    for (const { invoiceId, lines: own } of corrected)
      if (own.some(({ status }) => status === 'WRITTEN_OFF')) writtenOff.add(invoiceId);
  }
  // What was never paid of a bill, and is no longer asked for, is nobody's money.
  const unpaid = [...(await selectInvoices(tx, [...writtenOff])).values()].map(({ unpaidAmount }) => unpaidAmount);
  return { lines, intoWallet: Decimal.max(ZERO, intoWallet.minus(sum(unpaid))) };
}

/** The units of a part of a correction that is one line and is not credited yet. */
function toldBack(
  { lines, credits }: BilledItem,
  amount: Decimal,
  { taxBehavior, currency }: Pick<BillingTerms, 'taxBehavior' | 'currency'>,
): AtOnePrice | null {
  const [line, ...others] = lines.filter(({ net, tax }) => !net.isZero() || !tax.isZero());
  if (line === undefined || others.length + credits.length > 0 || line.workings?.takenBack?.isAmount) return null;
  const whole = { units: line.quantity.negated(), unitPrice: line.unitPrice };
  return inTwo(whole, quoted(line, taxBehavior).negated(), amount, currency)?.part ?? null;
}

const CORRECTIONS: ReadonlySet<string> = new Set(['late_usage', 'commitment']);

/** Does an item bill a price at some time of a period? */
export const isOf = (item: BilledItem, priceId: string | null, period: Period): boolean =>
  item.redemptionId === undefined && item.priceId === priceId && intersect([item.period], [period]).length > 0;

/** Negative lines that no credit mirrors, in the order in which they are given back. */
const BY_HAND = ['manual', 'billing_credit', 'coupon'];

/**
 * The part of an invoice's other negative lines that no credit mirrors: those of a person first, then what billing
 * credits still pay, and what coupons took last, because that reaches the customer as money.
 * @param noted lines of the same credit note, some of which give something to billing credits
 */
async function deductionsByHand(
  tx: Tx,
  invoice: InvoiceRow,
  noted: readonly CreditNoteLine[],
  most: Decimal,
): Promise<(CreditNoteLine & { readonly isOfCredit: boolean })[]> {
  if (most.lte(0)) return [];
  const found = (await selectLines(tx, invoice.id)).filter(
    ({ type, totalAmount, workings }) =>
      totalAmount.lt(0) && (['manual', 'billing_credit'].includes(type) || workings?.coupon?.period !== undefined),
  );
  const isPaidByCredits = found.some(({ type }) => type === 'billing_credit');
  const used = leftOfUses(isPaidByCredits ? await usesOfCharges(tx, [invoice.id]) : []);
  const lines: (CreditNoteLine & { readonly isOfCredit: boolean })[] = [];
  for (const line of found.toSorted((a, b) => BY_HAND.indexOf(a.type) - BY_HAND.indexOf(b.type))) {
    const given = sum(noted.flatMap(({ appliesTo, amount }) => (appliesTo === line.id ? amount : [])));
    const whole = negated({ net: line.totalPrice, tax: line.totalTax });
    const left = Decimal.max(ZERO, (used.get(line.id) ?? whole.net).plus(given));
    const [open] = withTax(whole, [{ amount: left }], invoice.currency);
    const part = negated(upTo(open ?? whole, most.plus(totalOf(lines)), invoice.currency));
    if (grossOf(part).isZero()) continue;
    const amount = quoted(part, invoice.terms?.taxBehavior ?? 'exclusive');
    lines.push({
      ...line,
      ...shownAs(null, amount),
      appliesTo: line.id,
      amount: part.net,
      taxAmount: part.tax,
      isOfCredit: line.type === 'billing_credit',
    });
  }
  return lines;
}

/** A credit of the bills of some invoices. */
export interface TakenBack {
  /** The items that billed it, in the order of billing. */
  readonly items: readonly BilledItem[];
  /** As the price quotes it; above 0. */
  readonly amount: Decimal;
  readonly correction: Correction;
  /** Its units at one price; null: no price tells its amount. */
  readonly told: AtOnePrice | null;
}

/** Credits by the invoice whose credit note bears them. */
export type CreditsByInvoice = ReadonlyMap<string, readonly UnusedCreditRow[]>;

/** A correction with kinds that are already on a line of an invoice, or without kinds: a commitment. */
export const SAID: Correction = { quantity: '0', charge: '0', discount: '0', maximum: '0', minimum: '0' };

/**
 * Gives back by credit notes what no invoice can bear: on the invoices that billed it, the last first, with the tax
 * that was billed, and never more than is left of them (§3 Credits).
 * @param besides further credits for their credit notes, by invoice
 * @returns the credits
 */
export async function takeBack(
  dependencies: InvoicingDependencies,
  tx: Tx,
  of: Pick<BillingTerms, 'merchantId' | 'subscriptionId' | 'currency' | 'taxBehavior'> & Pick<NotedInvoice, 'refundId'>,
  all: readonly TakenBack[],
  now: Instant,
  besides: (given: readonly UnusedCreditRow[]) => Promise<CreditsByInvoice> = async () => new Map(),
): Promise<UnusedCreditRow[]> {
  const { merchantId, refundId } = of;
  const given: UnusedCreditRow[] = [];
  for (const { items, amount, correction, told } of all) {
    let missing = amount;
    let content = correction;
    let left = told;
    for (const item of items.filter(({ isStanding }) => isStanding).toReversed()) {
      const credit = creditOf(of, item, missing);
      if (credit === null) continue;
      const parts = inTwo(left, missing, credit.quoted, of.currency);
      const part = { ...credit, correction: content, told: parts?.part ?? null };
      given.push(await insertUnusedCredit(tx, rowOf(of, item, part, now)));
      missing = missing.minus(credit.quoted);
      content = SAID;
      left = parts?.rest ?? null;
    }
  }
  const beside = await besides(given);
  for (const [invoiceId, rows] of Map.groupBy(given, (row) => row.invoiceId)) {
    const credits = [...(beside.get(invoiceId) ?? []), ...rows];
    await noteCredits(dependencies, tx, { merchantId, invoiceId, refundId }, credits, 'all', now);
  }
  return given;
}

/** As much of an item as is left and missing; null where nothing is. */
function creditOf(
  { currency, taxBehavior }: Pick<BillingTerms, 'currency' | 'taxBehavior'>,
  item: BilledItem,
  missing: Decimal,
): (Amounts & { readonly quoted: Decimal }) | null {
  const left = leftOfItem(item);
  const amount = Decimal.min(missing, quoted(left, taxBehavior));
  return amount.lte(0) ? null : { ...partOfLeft(left, amount, taxBehavior, currency), quoted: amount };
}

/** As much of what is left as a price quotes it, with its share of the tax; all of it for all of it. */
export function partOfLeft(left: Amounts, amount: Decimal, behavior: Behavior, currency: string): Amounts {
  const most = quoted(left, behavior);
  if (amount.eq(most)) return left;
  const tax = roundTo(left.tax.times(amount).div(most), currency, 'half-away-from-zero');
  return { net: behavior === 'inclusive' ? amount.minus(tax) : amount, tax };
}

/** A credit of an item, on no invoice yet. */
export const rowOf = (
  { merchantId, subscriptionId }: Pick<BillingTerms, 'merchantId' | 'subscriptionId'>,
  item: BilledItem,
  {
    net,
    tax,
    correction,
    told,
    share = null,
  }: Amounts &
    Pick<TakenBack, 'told'> & { readonly correction: Correction | null; readonly share?: ShareOfTime | null },
  now: Instant,
): Omit<UnusedCreditRow, 'seq'> => ({
  merchantId,
  id: newId('credit'),
  subscriptionId,
  invoiceId: item.invoiceId,
  priceId: item.priceId,
  chargedFrom: item.period.start,
  chargedTo: item.period.end,
  unusedFrom: item.period.start,
  unusedTo: item.period.end,
  displayName: item.displayName,
  amount: net,
  taxAmount: tax,
  taxRate: item.taxRate,
  notedAmount: ZERO,
  notedTax: ZERO,
  workings: { share, billed: plain(item.net), before: plain(item.net.minus(leftOfItem(item).net)) },
  correction,
  quantity: told?.units ?? null,
  unitPrice: told?.unitPrice ?? null,
  sourceKey: null,
  targetInvoiceId: null,
  createdAt: now,
});
