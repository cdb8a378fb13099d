import type { Tx } from '../../db/index.ts';
import { Decimal, sum, ZERO } from '../../kernel/decimal.ts';
import { roundTo } from '../../kernel/money.ts';
import type { Instant } from '../../kernel/time.ts';
import { balanceOfInvoice } from '../../ledger/index.ts';
import { bookCredit } from '../credit-notes/credit-bookings.ts';
import { insertCreditNoteLines } from '../credit-notes/credit-note-lines.sql.ts';
import { insertPartCreditNote } from '../credit-notes/credit-notes.sql.ts';
import type { UnusedCreditRow } from '../credit-notes/unused-credit.ts';
import { markCredited } from '../credit-notes/unused-credits.sql.ts';
import type { CreditNoteLine } from '../invoice/credit-note.ts';
import type { InvoicingDependencies } from '../invoice/dependencies.ts';
import type { InvoiceRow } from '../invoice/invoice.ts';
import { lockInvoice, updateInvoice } from '../invoice/invoices.sql.ts';
import { markPaid } from '../paying/pay.ts';
import { expireSessionsOf } from '../paying/sessions.ts';
import { leftOf, nameOf } from './credit-lines.ts';

/**
 * Writes a credit note on the invoice that billed: over what of it is unpaid, or owed again after a refund, which is
 * owed no more, or over all, of which the remainder goes into the wallet. While a payment is on its way all of it
 * counts as paid.
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
  await dependencies.mails.tell(tx, credited, fact, now);
  if (off.isZero()) return;
  if (credited.unpaidAmount.isZero()) await markPaid(dependencies, tx, credited, { by: 'credit' }, now);
  else await expireSessionsOf(tx, credited, now);
}

/** The debt of an invoice that a credit can reduce, and the debt that is open again after a refund. */
export async function owedOf(tx: Tx, invoice: InvoiceRow): Promise<{ owed: Decimal; owedAgain: Decimal }> {
  const owed = invoice.paymentInFlight || invoice.status === 'PAID' ? ZERO : invoice.unpaidAmount;
  const again = await balanceOfInvoice(tx, invoice.merchantId, 'owed_again', invoice.id);
  return { owed, owedAgain: Decimal.max(ZERO, again) };
}

/** The part of some credits that a credit note over `most` contains: all of the first ones, until it is used up. */
export function notedOf<Row extends UnusedCreditRow>(credits: readonly Row[], most: Decimal, currency: string) {
  let left = most;
  return credits.map((credit) => {
    const part = upTo(leftOf(credit), left, currency);
    left = left.minus(part.net).minus(part.tax);
    return { credit, part };
  });
}

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
