import type { Tx } from '../../db/index.ts';
import { Decimal, sum, ZERO } from '../../kernel/decimal.ts';
import { newId } from '../../kernel/ids.ts';
import { fail, failAsConflict, ok, type Result } from '../../kernel/result.ts';
import type { Instant } from '../../kernel/time.ts';
import {
  type AccountKind,
  balanceOfInvoice,
  bookedEntries,
  type Entry,
  type LedgerReason,
  lockedWalletBalance,
  type Posting,
  post,
} from '../../ledger/index.ts';
import type { LeftOfPayment } from '../../payments/index.ts';
import { sumCreditNotes } from '../credit-notes/credit-notes.sql.ts';
import type { CreditNoteRow } from '../invoice/credit-note.ts';
import { type InvoiceRow, payerOf } from '../invoice/invoice.ts';
import { type SoldAhead, sumSoldAhead } from './bookings.sql.ts';

/**
 * The ledger entries of invoices (domain.md §4, Wallet; reliability I-43 to I-45). An invoice is a claim as soon as it
 * has its number; its top-up waits in `top_ups_due` until it is paid. The receivable of a customer is the unpaid amount
 * of open invoices with a number, less the payments of invoices that get their number later.
 */

/** Signs of `amounts`: above 0 debits the account. Accounts of customers are those of the invoice's payer. */
const book = (
  tx: Tx,
  invoice: InvoiceRow,
  what: { key: string; reason: LedgerReason },
  amounts: Partial<Record<AccountKind, Decimal>>,
  now: Instant,
): Promise<void> => post(tx, postingOf(invoice, what, amounts), now);

const postingOf = (
  invoice: InvoiceRow,
  { key, reason }: { key: string; reason: LedgerReason },
  amounts: Partial<Record<AccountKind, Decimal>>,
): Posting => {
  const { merchantId, id: invoiceId, currency } = invoice;
  return { merchantId, key, reason, invoiceId, currency, entries: entriesOf(amounts, payerOf(invoice)) };
};

const OF_CUSTOMER: readonly AccountKind[] = [
  'receivable',
  'owed_again',
  'to_collect',
  'wallet',
  'top_ups_due',
  'deferred_credits',
];

const entriesOf = (amounts: Partial<Record<AccountKind, Decimal>>, customerId: string): Entry[] =>
  (Object.entries(amounts) as [AccountKind, Decimal][]).map(([account, amount]) => ({
    account,
    customerId: OF_CUSTOMER.includes(account) ? customerId : null,
    amount,
  }));

/** The invoice has its number: its customer owes it, and its tax is owed on. */
export async function bookIssue(tx: Tx, invoice: InvoiceRow, now: Instant): Promise<void> {
  await post(tx, issuePosting(invoice, await sumSoldAhead(tx, invoice)), now);
}

/** The same, for posting. What was sold ahead is no revenue yet. */
export const issuePosting = (invoice: InvoiceRow, { topUp, advance }: SoldAhead): Posting =>
  postingOf(
    invoice,
    { key: `issue:${invoice.id}`, reason: 'invoice_issued' },
    {
      receivable: invoice.grandTotal,
      revenue: topUp.plus(advance).plus(invoice.collectedDebt).minus(invoice.subtotal),
      deferred_credits: advance.negated(),
      tax: invoice.totalTax.negated(),
      top_ups_due: topUp.negated(),
      to_collect: invoice.collectedDebt.negated(),
    },
  );

/**
 * Money came in and pays an invoice, or a part of it. What was written off is no claim any more, so money for it takes
 * back the loss.
 * @param before the invoice as it was before
 * @param payment the money's own record, and what of it pays the invoice
 */
export function bookPayment(
  tx: Tx,
  before: InvoiceRow,
  { receiptId, amount }: { readonly receiptId: string; readonly amount: Decimal },
  now: Instant,
): Promise<void> {
  const claim: AccountKind = before.status === 'WRITTEN_OFF' ? 'write_off' : 'receivable';
  const what = { key: `payment:${receiptId}`, reason: 'payment' } as const;
  return book(tx, before, what, { cash: amount, [claim]: amount.negated() }, now);
}

/** Money of the wallet pays a part of the invoice, or all of it. */
export const walletPosting = (invoice: InvoiceRow, amount: Decimal): Posting =>
  postingOf(
    invoice,
    { key: `wallet:${invoice.id}`, reason: 'wallet_applied' },
    { wallet: amount, receivable: amount.negated() },
  );

/**
 * The invoice is PAID: its top-up is in the wallet. After a reversed payment that happens again, so what the wallet has
 * of it already counts.
 * @param before the invoice before
 */
export async function bookTopUp(tx: Tx, before: InvoiceRow, now: Instant): Promise<void> {
  const { topUp: all } = await sumSoldAhead(tx, before);
  if (all.isZero()) return;
  const key = `top_up:${before.id}`;
  const booked = await bookedEntries(tx, before, key);
  const topUp = all.plus(sumOf(booked, 'wallet'));
  const due: AccountKind = before.status === 'WRITTEN_OFF' ? 'write_off' : 'top_ups_due';
  const isFirst = booked.length === 0;
  const what = { key: isFirst ? key : `${key}:${newId('ledgerTransaction')}`, reason: 'wallet_top_up' } as const;
  await book(tx, before, what, { [due]: topUp, wallet: topUp.negated() }, now);
}

const sumOf = (entries: readonly Entry[], of: AccountKind): Decimal =>
  sum(entries.filter(({ account }) => account === of).map(({ amount }) => amount));

/** Was the invoice ever written off? */
export const wasWrittenOff = async (tx: Tx, invoice: InvoiceRow): Promise<boolean> =>
  (await bookedEntries(tx, invoice, `write_off:${invoice.id}`)).length > 0;

/** A reversed payment: all of it, and its excess over the invoice. */
interface ReversedMoney {
  readonly id: string;
  readonly amount: Decimal;
  readonly overpaid: Decimal;
}

/**
 * A recorded payment is reversed: what it paid is owed again, or is a loss again where it was written off. What it put
 * into the wallet is taken out; what is not there any more is owed until an invoice collects it. The top-up of an
 * invoice that it had paid leaves the wallet, too.
 * @param before the invoice as it was before
 * @returns how much of the excess is owed; WALLET_SPENT where some of the top-up is spent
 */
export async function bookReversal(
  tx: Tx,
  before: InvoiceRow,
  { id, amount, overpaid }: ReversedMoney,
  claim: 'receivable' | 'write_off',
  now: Instant,
): Promise<Result<Decimal>> {
  const topUp = before.status === 'PAID' ? (await sumSoldAhead(tx, before)).topUp : ZERO;
  const hasFilled = topUp.gt(0) || overpaid.gt(0);
  const held = hasFilled ? await lockedWalletBalance(tx, payerOf(before), before.currency) : ZERO;
  if (held.lt(topUp))
    return failAsConflict(
      'WALLET_SPENT',
      { currency: before.currency, balance: held.toFixed(), needed: topUp.toFixed() },
      'The top-up that this payment made has been spent from the wallet, so the payment cannot be reversed.',
    );
  const taken = Decimal.min(overpaid, held.minus(topUp));
  const spent = overpaid.minus(taken);
  const reason = 'payment_reversed';
  await book(
    tx,
    before,
    { key: `reversed:${id}`, reason },
    { cash: amount.negated(), [claim]: amount.minus(overpaid), wallet: taken, to_collect: spent },
    now,
  );
  const due: AccountKind = claim === 'write_off' ? 'write_off' : 'top_ups_due';
  await book(tx, before, { key: `top_up:${before.id}:${id}`, reason }, { wallet: topUp, [due]: topUp.negated() }, now);
  return ok(spent);
}

/**
 * The invoice is CANCELLED: nothing is owed, and the wallet has its share again.
 * @param invoice before the cancellation, with the wallet's share
 */
export async function bookCancellation(tx: Tx, invoice: InvoiceRow, now: Instant): Promise<void> {
  const back = invoice.walletApplied;
  const what = { key: `cancel:${invoice.id}`, reason: 'invoice_cancelled' } as const;
  if (invoice.invoiceNumber === null) return book(tx, invoice, what, { receivable: back, wallet: back.negated() }, now);
  const { topUp, advance } = await sumSoldAhead(tx, invoice);
  const credited = await sumCreditNotes(tx, invoice);
  // What notes gave back while it was paid, before its payment was reversed, was for nothing.
  const given = credited.amount.plus(credited.tax).minus(invoice.creditedAmount);
  await book(
    tx,
    invoice,
    what,
    {
      revenue: invoice.subtotal.minus(topUp).minus(advance).minus(credited.amount).minus(invoice.collectedDebt),
      deferred_credits: advance,
      tax: invoice.totalTax.minus(credited.tax),
      top_ups_due: topUp,
      receivable: invoice.unpaidAmount.negated(),
      wallet: back.negated(),
      owed_again: given,
      to_collect: invoice.collectedDebt,
    },
    now,
  );
  await takeGiven(tx, invoice, given, now);
}

/** Takes what notes gave back for nothing out of the wallet, as far as it is there; the remainder is owed. */
async function takeGiven(tx: Tx, invoice: InvoiceRow, given: Decimal, now: Instant): Promise<void> {
  if (given.lte(0)) return;
  const taken = Decimal.min(given, await lockedWalletBalance(tx, payerOf(invoice), invoice.currency));
  const takenBack = { key: `given:${invoice.id}`, reason: 'invoice_cancelled' } as const;
  await book(tx, invoice, takenBack, { wallet: taken, owed_again: taken.negated() }, now);
}

/**
 * An invoice is replaced by another one: nothing of it is owed, and what was paid is in the wallet, which pays the new
 * one. The debts that it collected wait for that one again.
 * @param before the invoice as it was before
 * @param note over all that other credit notes left
 */
export async function bookReissue(tx: Tx, before: InvoiceRow, note: CreditNoteRow, now: Instant): Promise<void> {
  const { status, unpaidAmount, walletApplied, collectedDebt } = before;
  const back = { revenue: note.amount.minus(collectedDebt), tax: note.taxAmount, to_collect: collectedDebt };
  if (status === 'PAID') {
    const what = { key: `reissue:${note.id}`, reason: 'credit' } as const;
    return book(tx, before, what, { ...back, wallet: note.total.negated() }, now);
  }
  // Below 0 where notes gave back what the wallet had paid, or a payment that was reversed since.
  const money = note.total.minus(unpaidAmount).minus(walletApplied);
  const reason = 'invoice_cancelled';
  await book(
    tx,
    before,
    { key: `cancel:${before.id}`, reason },
    {
      ...{ ...back, receivable: unpaidAmount.negated() },
      ...{ wallet: walletApplied.negated(), owed_again: money.negated() },
    },
    now,
  );
  if (money.lt(0)) return takeGiven(tx, before, money.negated(), now);
  const moved = { owed_again: money, wallet: money.negated() };
  await book(tx, before, { key: `reissued:${before.id}`, reason }, moved, now);
}

/** The unpaid amount is written off; an unpaid top-up was never owed to the wallet. */
export async function bookWriteOff(tx: Tx, invoice: InvoiceRow, now: Instant): Promise<void> {
  const { topUp } = await sumSoldAhead(tx, invoice);
  await book(
    tx,
    invoice,
    { key: `write_off:${invoice.id}`, reason: 'invoice_written_off' },
    {
      write_off: invoice.unpaidAmount.minus(topUp),
      top_ups_due: topUp,
      receivable: invoice.unpaidAmount.negated(),
    },
    now,
  );
}

/**
 * An invoice is refunded. What goes back to whoever paid is owed until it has left; what had left already under an
 * earlier refund, and was owed again since, is paid; all else was paid from the wallet and goes back into it. A
 * top-up leaves it.
 * @param left how much money goes back because of this refund, and what others had taken, which goes nowhere
 * @returns what goes into the wallet, below 0 what leaves it; WALLET_SPENT where there is less in it than was put
 *   into it.
 */
export async function bookRefund(
  tx: Tx,
  invoice: InvoiceRow,
  note: CreditNoteRow,
  { returned, disputed, outside }: LeftOfPayment,
  now: Instant,
): Promise<Result<Decimal>> {
  const { topUp, advance } = await sumSoldAhead(tx, invoice);
  const owedAgain = await balanceOfInvoice(tx, 'owed_again', invoice.id);
  const taken = disputed.plus(outside);
  const intoWallet = note.total.minus(returned).minus(taken).minus(owedAgain).minus(topUp);
  const held = await checkHeld(tx, invoice, intoWallet);
  if (!held.ok) return held;
  await book(
    tx,
    invoice,
    { key: `refund:${note.id}`, reason: 'refund' },
    {
      revenue: note.amount.minus(topUp).minus(advance).minus(invoice.collectedDebt),
      deferred_credits: advance,
      write_off: invoice.collectedDebt, // nobody asks for it again
      tax: note.taxAmount,
      refunds_payable: returned.negated(),
      disputes: disputed.negated(),
      returned_outside: outside.negated(),
      owed_again: owedAgain.negated(),
      wallet: intoWallet.negated(),
    },
    now,
  );
  return ok(intoWallet);
}

/** What a credit note over a part of an invoice does, beside its amounts. */
interface PartNoted {
  /** Off what is unpaid, and off what is owed again after a refund that was voided too late. */
  readonly off: Decimal;
  readonly offAgain: Decimal;
  /** What goes back as it came, and what others had taken of the payments. */
  readonly left: LeftOfPayment;
}

/**
 * A person credits a part of an invoice: less is owed, money goes back, and the remainder is in the wallet. A top-up
 * leaves the wallet, or is not due any more.
 * @returns what goes into the wallet, below 0 what leaves it; WALLET_SPENT where that is not in it any more
 */
export async function bookPart(
  tx: Tx,
  invoice: InvoiceRow,
  note: CreditNoteRow,
  { off, offAgain, left: { returned, disputed, outside } }: PartNoted,
  now: Instant,
): Promise<Result<Decimal>> {
  const { toppedUp, advanced } = note;
  const isInWallet = invoice.status === 'PAID';
  const back = note.total.minus(off).minus(offAgain).minus(returned).minus(disputed).minus(outside);
  const intoWallet = isInWallet ? back.minus(toppedUp) : back;
  const held = await checkHeld(tx, invoice, intoWallet);
  if (!held.ok) return held;
  await book(
    tx,
    invoice,
    { key: keyOfNote(note), reason: 'credit' },
    {
      revenue: note.amount.minus(toppedUp).minus(advanced),
      deferred_credits: advanced,
      tax: note.taxAmount,
      receivable: off.negated(),
      owed_again: offAgain.negated(),
      refunds_payable: returned.negated(),
      disputes: disputed.negated(),
      returned_outside: outside.negated(),
      top_ups_due: isInWallet ? ZERO : toppedUp,
      wallet: intoWallet.negated(),
    },
    now,
  );
  return ok(intoWallet);
}

/** How much a credit note over a part took off what was unpaid. */
export const takenOffBy = async (tx: Tx, invoice: InvoiceRow, note: CreditNoteRow): Promise<Decimal> =>
  sum(
    (await bookedEntries(tx, invoice, keyOfNote(note)))
      .filter(({ account }) => account === 'receivable')
      .map(({ amount }) => amount.negated()),
  );

const keyOfNote = ({ kind, id }: CreditNoteRow): string => `${kind}:${id}`;

/** Is what a correction takes out of the wallet still in it? */
async function checkHeld(tx: Tx, invoice: InvoiceRow, intoWallet: Decimal): Promise<Result<void>> {
  if (intoWallet.gte(0)) return ok(undefined);
  const { currency } = invoice;
  const held = await lockedWalletBalance(tx, payerOf(invoice), currency);
  const needed = intoWallet.negated();
  return held.gte(needed)
    ? ok(undefined)
    : fail('WALLET_SPENT', { currency, balance: held.toFixed(), needed: needed.toFixed() });
}

/**
 * A refund is void, or a credit note that it had caused: all that it booked is taken back. What has left cannot be, and
 * what the customer has spent of the wallet meanwhile is not there: the customer owes both again.
 * @param stopped how much money stays because the void came in time
 */
export async function bookNoteVoided(
  tx: Tx,
  invoice: InvoiceRow,
  note: CreditNoteRow,
  stopped: Decimal,
  now: Instant,
): Promise<void> {
  const { id } = note;
  await bookUndone(tx, invoice, { booked: keyOfNote(note), key: `void:${id}` }, stopped, now);
  await bookUndone(tx, invoice, { booked: `carried:${id}`, key: `carried:${id}:void` }, ZERO, now);
}

async function bookUndone(
  tx: Tx,
  invoice: InvoiceRow,
  { booked: bookedKey, key }: { readonly booked: string; readonly key: string },
  stopped: Decimal,
  now: Instant,
): Promise<void> {
  const { currency } = invoice;
  const booked = await bookedEntries(tx, invoice, bookedKey);
  if (booked.length === 0) return;
  const undone = (account: AccountKind): Decimal =>
    sum(booked.filter((entry) => entry.account === account).map(({ amount }) => amount.negated()));
  const left = undone('refunds_payable').minus(stopped);
  const outOfWallet = undone('wallet');
  const held = outOfWallet.gt(0) ? await lockedWalletBalance(tx, payerOf(invoice), currency) : ZERO;
  const spent = Decimal.max(ZERO, outOfWallet.minus(held));
  const isLoss = invoice.status === 'WRITTEN_OFF';
  await book(
    tx,
    invoice,
    { key, reason: 'refund_voided' },
    {
      revenue: undone('revenue'),
      deferred_credits: undone('deferred_credits'),
      tax: undone('tax'),
      receivable: isLoss ? ZERO : undone('receivable'),
      write_off: undone('write_off').plus(isLoss ? undone('receivable') : ZERO),
      top_ups_due: undone('top_ups_due'),
      refunds_payable: stopped,
      disputes: undone('disputes'),
      returned_outside: undone('returned_outside'),
      wallet: outOfWallet.minus(spent),
      owed_again: undone('owed_again').plus(left).plus(spent),
    },
    now,
  );
}
