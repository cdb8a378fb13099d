import type { Tx } from '../../db/index.ts';
import { findCreated, fingerprint } from '../../http/index.ts';
import { Decimal, plain, sum, ZERO } from '../../kernel/decimal.ts';
import { newId } from '../../kernel/ids.ts';
import { fail, invalidField, notFound, ok, type Result } from '../../kernel/result.ts';
import { next, statesFor, wrongState } from '../../kernel/state-table.ts';
import { earliest, type Instant, isBefore } from '../../kernel/time.ts';
import { balanceOfInvoice } from '../../ledger/index.ts';
import { isDisputed, requestPartReturn, stopPartReturns } from '../../payments/index.ts';
import {
  insertCreditNoteLines,
  selectLinesOfCreditNote,
  selectPartialLines,
} from '../credit-notes/credit-note-lines.sql.ts';
import {
  insertPartCreditNote,
  lockCreditNote,
  markCreditNoteVoided,
  selectCreditNoteByKey,
  selectUnvoidedCreditNote,
  sumCreditNotes,
} from '../credit-notes/credit-notes.sql.ts';
import type { PartCreditBody } from '../credit-notes/schemas.ts';
import { leftOfUses, type UnusedCreditRow } from '../credit-notes/unused-credit.ts';
import { insertUnusedCredits, markNotCredited } from '../credit-notes/unused-credits.sql.ts';
import { noteCredits, rowOf, SAID } from '../credits/note-credits.ts';
import { partsOfLines } from '../credits/part-of-line.ts';
import { selectBilledItems } from '../difference/billed.sql.ts';
import {
  type AmountWithTax,
  type BilledItem,
  moneyLeftOf,
  notedIn,
  type StoredCredit,
  sumWithTax,
} from '../difference/billed.ts';
import { type AskedTrueUp, selectTrueUps } from '../difference/commitments.sql.ts';
import { selectOrderItems } from '../difference/order-items.sql.ts';
import { usesOfCharges } from '../difference/uses-of-charges.ts';
import type { CreditNoteLine, CreditNoteRow } from '../invoice/credit-note.ts';
import type { InvoicingDependencies } from '../invoice/dependencies.ts';
import { bySubscription, type InvoiceRow, ownerOfLine } from '../invoice/invoice.ts';
import { type LineRow, linesOf } from '../invoice/invoice-line.ts';
import { selectLines, updateInvoice } from '../invoice/invoices.sql.ts';
import { announce, announceUndone } from '../invoice/purposes.ts';
import { invoiceStates } from '../invoice/states.ts';
import { publishInvoice } from '../invoice/webhooks.ts';
import { recordVoid } from '../outside-tax/records.ts';
import { justBefore } from '../owed/charges.ts';
import { bookNoteVoided, bookPart, takenOffBy } from '../paying/bookings.ts';
import { oweUsedElsewhere } from '../paying/debts-of-credits.ts';
import { markPaid } from '../paying/pay.ts';
import { expireSessionsOf } from '../paying/sessions.ts';
import { lockWithNow } from './actions.ts';
import { reopen } from './reopen.ts';
import { lockCreditsFor, standAgain } from './stand-again.ts';

/**
 * POST …/creditNotes: credits parts of lines. Each part is a reduction of its line, which counts as billed
 * (docs/decisions/0260). What it comes to goes off what is unpaid, back as it came, or into the wallet.
 * @param isEnd a commitment credits its own: prepayments are credited, too, and what is paid goes into the wallet
 * @returns INVALID_TRANSITION, PAYMENT_IN_PROGRESS, INVOICE_ALREADY_REFUNDED, PAYMENT_DISPUTED, SETTLEMENT_TOO_MUCH,
 *   WALLET_SPENT, or the field that asks for too much
 */
export async function creditPart(
  dependencies: InvoicingDependencies,
  tx: Tx,
  invoiceId: string,
  body: PartCreditBody,
  wall: Instant,
  isEnd = false,
): Promise<Result<{ note: CreditNoteRow; isNew: boolean }>> {
  const sent = { key: body.idempotencyKey, fingerprint: fingerprint(`credit notes of ${invoiceId}`, body) };
  const known = await findCreated(tx, sent, { kind: 'credit note', find: selectCreditNoteByKey });
  if (!known.ok) return known;
  if (known.value) return ok({ note: known.value, isNew: false });
  const locked = await lockWithNow(tx, invoiceId, wall, dependencies);
  if (!locked.ok) return locked;
  const { invoice, now } = locked.value;
  const allowed = await checkCreditable(tx, invoice);
  if (!allowed.ok) return allowed;
  const lines = await selectLines(tx, invoice.id);
  const bills = await billsOf(tx, invoice, lines);
  const behavior = invoice.terms?.taxBehavior ?? 'exclusive';
  const noted = await selectPartialLines(tx, invoice.id);
  const parts = partsOfLines(
    { ...bills, lines, noted, behavior, currency: invoice.currency, creditsPrepayments: isEnd },
    body.lines,
  );
  if (!parts.ok) return parts;
  const before = await sumCreditNotes(tx, invoice);
  const left = invoice.grandTotal.minus(before.amount).minus(before.tax);
  const sums = {
    amount: sum(parts.value.map(({ amount }) => amount)),
    tax: sum(parts.value.map((of) => of.taxAmount)),
  };
  const total = sums.amount.plus(sums.tax);
  if (total.gt(left)) return invalidField('lines', `come to ${plain(total)}; ${plain(left)} is left of the invoice`);
  const settled = await settle(tx, invoice, { total, left, settlement: body.settlement ?? null, isEnd });
  if (!settled.ok) return settled;
  const { off, offAgain, back } = settled.value;
  const partOf = (type: string) => sum(parts.value.filter(isOf(lines, type)).map(({ amount }) => amount));
  const [toppedUp, purchase, prepayment] = [partOf('wallet_top_up'), partOf('credit_purchase'), partOf('prepayment')];
  const advanced = purchase.plus(prepayment);
  const undone = purchase.gt(0) ? await announceUndone(dependencies, tx, invoice, 'givenBack', now) : ok(undefined);
  if (!undone.ok) return undone;
  const note = await insertPartCreditNote(
    tx,
    invoice,
    sums,
    {
      ...{ reason: body.reason, refundId: null, settlement: body.settlement ?? null, toppedUp, advanced },
      ...{ idempotencyKey: sent.key, idempotencyPrint: sent.fingerprint },
    },
    now,
    'partial',
  );
  await insertParts(tx, invoice, note, { lines, bills, parts: parts.value }, now);
  const of = { merchantId: tx.merchantId, invoiceId, refundId: note.id };
  const returned = back.gt(0) ? await requestPartReturn(tx, of, back, now) : null;
  const booked = await bookPart(
    tx,
    invoice,
    note,
    { off, offAgain, left: await covered(tx, invoice, returned, back) },
    now,
  );
  if (!booked.ok) return booked;
  const less = { paidAmount: invoice.paidAmount.plus(off), creditedAmount: invoice.creditedAmount.plus(off) };
  const credited = off.isZero() ? invoice : await updateInvoice(tx, invoice, less, now);
  await publishInvoice(tx, credited, 'invoice.credited.v0', now, { creditNoteId: note.id });
  const fact = { kind: 'credited', note, off: off.plus(offAgain), intoWallet: booked.value } as const;
  if (!total.isZero())
    await dependencies.mails.notify(tx, credited, { ...fact, returned: returned?.returned ?? ZERO }, now);
  if (off.gt(0) && credited.unpaidAmount.isZero()) await markPaid(dependencies, tx, credited, { by: 'credit' }, now);
  else if (off.gt(0)) await expireSessionsOf(tx, credited, now);
  return ok({ note, isNew: true });
}

/**
 * Credits a part of the invoice of a commitment: first what is unpaid of it, the rest into the wallet.
 * @returns the refusals of `creditPart`
 */
export const creditCommitment = (
  dependencies: InvoicingDependencies,
  tx: Tx,
  invoiceId: string,
  part: { readonly lineItemId: string; readonly amount: Decimal; readonly key: string; readonly reason: string },
  now: Instant,
): Promise<Result<unknown>> =>
  creditPart(
    dependencies,
    tx,
    invoiceId,
    {
      lines: [{ lineItemId: part.lineItemId, amount: plain(part.amount) }],
      ...{ reason: part.reason, idempotencyKey: part.key },
    },
    now,
    true,
  );

/** The table's answer; an offer that nobody owes has nothing to credit, and neither has a refunded invoice. */
async function checkCreditable(tx: Tx, invoice: InvoiceRow): Promise<Result<void>> {
  const moved = next(invoiceStates, invoice.status, 'creditPart');
  if (!moved.ok) return moved;
  if (invoice.invoiceNumber === null)
    return wrongState(
      {
        ...{ thing: 'invoice', status: invoice.status, trigger: 'creditPart', done: null },
        allowedFrom: statesFor(invoiceStates, 'creditPart'),
      },
      { why: 'This invoice is an unpaid offer and no debt: cancel it instead.', details: { invoiceNumber: null } },
    );
  if (invoice.paymentInFlight) return fail('PAYMENT_IN_PROGRESS');
  if (await selectUnvoidedCreditNote(tx, invoice)) return fail('INVOICE_ALREADY_REFUNDED');
  return ok(undefined);
}

/** What was billed of the lines of an invoice, and what is left of each. */
type Bills = Awaited<ReturnType<typeof billsOf>>;

/** Writes the lines of a credit note over parts of lines, with the reductions of what was billed. */
export async function insertParts(
  tx: Tx,
  invoice: InvoiceRow,
  note: CreditNoteRow,
  of: { readonly lines: readonly LineRow[]; readonly bills: Bills; readonly parts: readonly CreditNoteLine[] },
  now: Instant,
): Promise<void> {
  const taken = of.parts.map((part) => ({ part, row: reductionOf(invoice, of.lines, of.bills.itemsOf, part, now) }));
  await insertUnusedCredits(
    tx,
    taken.flatMap(({ row }) => row ?? []),
  );
  await insertCreditNoteLines(
    tx,
    note,
    taken.map(({ part, row }) => ({ ...part, creditId: row?.id ?? null })),
  );
}

/** What was billed of the lines of an invoice, and what is left of each: of a grouped one by subscriptions. */
export async function billsOf(tx: Tx, invoice: InvoiceRow, lines: readonly LineRow[]) {
  const each: {
    readonly id: string | null;
    readonly items: readonly BilledItem[];
    readonly leftOf: (line: LineRow) => AmountWithTax | null;
  }[] = [];
  for (const own of bySubscription(invoice)) {
    const theirs = linesOf(own, lines);
    const items = await itemsOfLines(tx, own, theirs);
    each.push({ id: own.subscriptionId, items, leftOf: await leftOfLines(tx, own, theirs, items) });
  }
  const of = (line: LineRow) => each.find(({ id }) => id === ownerOfLine(line, invoice).subscriptionId);
  const isPaidByCredits = lines.some(({ type }) => type === 'billing_credit');
  const used = leftOfUses(isPaidByCredits ? await usesOfCharges(tx, [invoice.id]) : []);
  return {
    usedBy: ({ id }: LineRow): Decimal | null => used.get(id) ?? null,
    itemsOf: (line: LineRow): readonly BilledItem[] => of(line)?.items ?? [],
    leftOf: (line: LineRow): AmountWithTax | null => of(line)?.leftOf(line) ?? null,
  };
}

/** All that was billed of the time of some lines of a subscription, by every invoice. */
async function itemsOfLines(
  tx: Tx,
  { merchantId, subscriptionId }: InvoiceRow,
  lines: readonly LineRow[],
): Promise<BilledItem[]> {
  const [first] = lines;
  if (!first || subscriptionId === null) return [];
  const since = justBefore(lines.map(({ periodStart }) => periodStart).reduce(earliest));
  const all = { merchantId, subscriptionId, id: '' };
  return selectBilledItems(tx, all, since);
}

/** What is left of a true-up: later invoices may have given some of it back. */
function leftOfTrueUp(
  all: readonly AskedTrueUp[],
  { commitmentId, segment }: Pick<AskedTrueUp, 'commitmentId' | 'segment'>,
): AmountWithTax {
  const own = all.filter((each) => each.commitmentId === commitmentId && each.segment === segment);
  return sumWithTax(own.map(({ left, leftTax }) => ({ net: left, tax: leftTax })));
}

const isOfLine = ({ id }: Pick<InvoiceRow, 'id'>, line: LineRow, item: BilledItem): boolean =>
  item.invoiceId === id &&
  item.priceId === line.priceId &&
  item.lines.some(({ type }) => (type === 'commitment') === (line.type === 'commitment')) &&
  item.period.start.equals(line.periodStart) &&
  item.period.end.equals(line.periodEnd);

/**
 * What is left of a line together with those of its price and time: on its invoice, and for usage on all invoices,
 * because less usage is a line below 0 on a later one.
 */
async function leftOfLines(tx: Tx, invoice: InvoiceRow, lines: readonly LineRow[], items: readonly BilledItem[]) {
  const orders = await selectOrderItems(tx, [invoice.id]);
  const { subscriptionId } = invoice;
  const hasTrueUps = subscriptionId !== null && lines.some(({ type }) => type === 'true_up');
  const trueUps = hasTrueUps ? await selectTrueUps(tx, subscriptionId) : [];
  return (line: LineRow): AmountWithTax | null => {
    const { trueUp } = line.workings ?? {};
    if (trueUp && hasTrueUps) return leftOfTrueUp(trueUps, trueUp);
    const order = orders.find(
      ({ sourceKey, periodStart }) => sourceKey === line.sourceKey && periodStart.equals(line.periodStart),
    );
    if (order) return { net: order.net.minus(order.creditedNet), tax: order.tax.minus(order.creditedTax) };
    const own = items.find((item) => isOfLine(invoice, line, item));
    if (!own) return null;
    if (own.isFee) return moneyLeftOf(own);
    const same = items.filter(
      (item) =>
        item.isStanding &&
        item.priceId === own.priceId &&
        isBefore(item.period.start, own.period.end) &&
        isBefore(own.period.start, item.period.end),
    );
    const all = sumWithTax(same.map(moneyLeftOf));
    return all.net.lt(moneyLeftOf(own).net) ? all : moneyLeftOf(own);
  };
}

/** Divides a credit note: off what is unpaid, off what is owed again, and what goes back to the payer. */
async function settle(
  tx: Tx,
  invoice: InvoiceRow,
  of: {
    readonly total: Decimal;
    readonly left: Decimal;
    readonly settlement: CreditNoteRow['settlement'];
    readonly isEnd: boolean;
  },
): Promise<Result<{ off: Decimal; offAgain: Decimal; back: Decimal }>> {
  const { total, left, settlement, isEnd } = of;
  const unpaid = Decimal.min(left, invoice.unpaidAmount);
  const most = settlement === null ? left : settlement === 'reduce' ? unpaid : left.minus(unpaid);
  if (total.gt(most)) return fail('SETTLEMENT_TOO_MUCH', { settlement, total: plain(total), most: plain(most) });
  const off = settlement === 'refund' || settlement === 'wallet' ? ZERO : Decimal.min(unpaid, total);
  const owedAgain = Decimal.max(ZERO, await balanceOfInvoice(tx, 'owed_again', invoice.id));
  const offAgain = Decimal.min(owedAgain, total.minus(off));
  const back = settlement === 'wallet' || isEnd ? ZERO : total.minus(off).minus(offAgain);
  if (back.gt(0) && (await isDisputed(tx, invoice.id))) return fail('PAYMENT_DISPUTED');
  return ok({ off, offAgain, back });
}

/** What others took of the payments covers what no money is left for; earlier credit notes may have used that. */
async function covered(
  tx: Tx,
  { id }: InvoiceRow,
  returned: Awaited<ReturnType<typeof requestPartReturn>> | null,
  back: Decimal,
) {
  const missing = back.minus(returned?.returned ?? ZERO);
  if (returned === null || missing.isZero())
    return { returned: returned?.returned ?? ZERO, disputed: ZERO, outside: ZERO };
  const free = async (account: 'disputes' | 'returned_outside', taken: Decimal) =>
    Decimal.max(ZERO, taken.plus(await balanceOfInvoice(tx, account, id)));
  const disputed = Decimal.min(missing, await free('disputes', returned.disputed));
  const outside = Decimal.min(missing.minus(disputed), await free('returned_outside', returned.outside));
  return { returned: returned.returned, disputed, outside };
}

const isOf =
  (lines: readonly LineRow[], type: string) =>
  ({ appliesTo }: CreditNoteLine): boolean =>
    lines.some((line) => line.id === appliesTo && line.type === type);

/**
 * The reduction of what a subscription or an order billed of a time; null of other lines, which nobody compares, and of
 * what goes back to a billing credit.
 */
function reductionOf(
  invoice: InvoiceRow,
  lines: readonly LineRow[],
  itemsOf: (line: LineRow) => readonly BilledItem[],
  part: CreditNoteLine,
  now: Instant,
): Omit<UnusedCreditRow, 'seq'> | null {
  const { merchantId, id: invoiceId } = invoice;
  const line = lines.find(({ id }) => id === part.appliesTo) as LineRow;
  const { subscriptionId } = ownerOfLine(line, invoice);
  const isOfOrder = line.sourceKey !== null;
  if (line.type === 'billing_credit') return null;
  const isBilled = isOfOrder || itemsOf(line).some((item) => isOfLine({ id: invoiceId }, line, item));
  if (!isBilled || !isBefore(part.periodStart, part.periodEnd)) return null;
  return {
    ...{ merchantId, id: newId('credit'), invoiceId, priceId: part.priceId, isNote: true },
    ...{ subscriptionId: isOfOrder ? null : subscriptionId, sourceKey: line.sourceKey },
    ...{ chargedFrom: part.periodStart, chargedTo: part.periodEnd },
    ...{ unusedFrom: part.periodStart, unusedTo: part.periodEnd },
    ...{ displayName: part.displayName, taxRate: part.taxRate, quantity: null, unitPrice: null },
    ...{ amount: part.amount, taxAmount: part.taxAmount, notedAmount: part.amount, notedTax: part.taxAmount },
    ...{ workings: null, correction: SAID, targetInvoiceId: null, createdAt: now },
  };
}

/**
 * Voids a credit note over a part: final, once. What it took off is owed again, and money that has left is, too. What
 * credits could not give back meanwhile, because the note had it, is given back now.
 */
export async function voidPart(
  dependencies: InvoicingDependencies,
  tx: Tx,
  { invoiceId, creditNoteId }: { readonly invoiceId: string; readonly creditNoteId: string },
  reason: string | null,
  wall: Instant,
): Promise<Result<CreditNoteRow>> {
  const locked = await lockWithNow(tx, invoiceId, wall, dependencies);
  if (!locked.ok) return locked;
  const { invoice, now } = locked.value;
  const note = await lockCreditNote(tx, invoice, creditNoteId, 'partial');
  if (!note) return notFound('creditNote');
  const refused = { thing: 'credit note', status: note.status, trigger: 'void', allowedFrom: ['ISSUED'] } as const;
  if (note.status === 'VOIDED') return wrongState({ ...refused, done: 'voided' });
  if (invoice.reissuedAsId !== null)
    return wrongState(
      { ...refused, done: null },
      { why: `Its invoice is replaced by ${invoice.reissuedAsId}: void the credit note on that one.`, details: {} },
    );
  if (invoice.status === 'CANCELLED')
    return wrongState(
      { ...refused, done: null },
      { why: 'Its invoice was cancelled, and the cancellation is over all else.', details: {} },
    );
  if (invoice.paymentInFlight) return fail('PAYMENT_IN_PROGRESS');
  const creditIds = await lockCreditsFor(tx, invoice);
  const withheld = [];
  for (const own of bySubscription(invoice)) withheld.push(...(await withheldBy(tx, own, note)));
  const voided = await markCreditNoteVoided(tx, note, reason, now);
  await recordVoid(tx, invoice, note, now);
  const { stopped, left } = await stopPartReturns(tx, note.id);
  const off = await takenOffBy(tx, invoice, note);
  await bookNoteVoided(tx, invoice, note, stopped, now);
  await markNotCredited(tx, note);
  const owed = await owedAgain(tx, invoice, off, now);
  await publishInvoice(tx, owed, 'invoice.credit_note_voided.v0', now, { creditNoteId: note.id });
  await dependencies.mails.notify(tx, owed, { kind: 'refundVoided', note, stopped, left }, now);
  const given = await insertUnusedCredits(
    tx,
    withheld.map((row) => ({ ...row, createdAt: now })),
  );
  await noteCredits(dependencies, tx, { merchantId: tx.merchantId, invoiceId }, given, 'all', now);
  await standAgain(dependencies, tx, owed, now);
  await announce(dependencies, tx, owed, 'standsAgain', now);
  await oweUsedElsewhere(tx, invoice, { noteId: note.id, creditIds }, now);
  return ok(voided);
}

/** What it took off is unpaid again; an invoice that it had settled is owed again. */
function owedAgain(tx: Tx, invoice: InvoiceRow, off: Decimal, now: Instant): Promise<InvoiceRow> | InvoiceRow {
  if (off.isZero()) return invoice;
  const less = { paidAmount: invoice.paidAmount.minus(off), creditedAmount: invoice.creditedAmount.minus(off) };
  return invoice.status === 'PAID' ? reopen(tx, invoice, less, now) : updateInvoice(tx, invoice, less, now);
}

/** The credits for time that gave less, because a note had a part of their line: what they would give without it. */
async function withheldBy(tx: Tx, invoice: InvoiceRow, note: CreditNoteRow): Promise<Omit<UnusedCreditRow, 'seq'>[]> {
  const { merchantId, subscriptionId } = invoice;
  if (subscriptionId === null) return [];
  const ids = new Set((await selectLinesOfCreditNote(tx, note)).map(({ creditId }) => creditId));
  const isOther = (credit: StoredCredit) => credit.isNote === true && !ids.has((credit as { id?: string }).id ?? '');
  return (await itemsOfLines(tx, invoice, linesOf(invoice, await selectLines(tx, invoice.id))))
    .filter(({ invoiceId, isStanding }) => isStanding && invoiceId === invoice.id)
    .flatMap((item) => {
      const own = { ...item, credits: item.credits.filter((credit) => !isOther(credit)) };
      return own.credits.flatMap(({ correction, unusedFrom: start, unusedTo: end }) => {
        if (correction !== null) return [];
        const given = { ...notedIn(own, { start, end }), correction: null, told: null };
        if (given.net.lte(0)) return [];
        const row = rowOf({ merchantId, subscriptionId }, item, given, note.createdAt);
        return [{ ...row, unusedFrom: start, unusedTo: end }];
      });
    });
}
