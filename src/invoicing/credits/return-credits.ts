import type { Tx } from '../../db/index.ts';
import { plain, ZERO } from '../../kernel/decimal.ts';
import type { Instant } from '../../kernel/time.ts';
import { lockNotesOfRefund, markCreditNoteVoided } from '../credit-notes/credit-notes.sql.ts';
import type { UnusedCreditRow } from '../credit-notes/unused-credit.ts';
import { markNotCredited, selectCreditsOn } from '../credit-notes/unused-credits.sql.ts';
import type { CreditNoteRow } from '../invoice/credit-note.ts';
import type { InvoicingDependencies } from '../invoice/dependencies.ts';
import type { InvoiceRow } from '../invoice/invoice.ts';
import type { LineRow } from '../invoice/invoice-line.ts';
import { selectInvoice, selectLines } from '../invoice/invoices.sql.ts';
import { recordVoid } from '../outside-tax/records.ts';
import { bookNoteVoided } from '../paying/bookings.ts';
import { leftOf } from './credit-lines.ts';
import { leaving, noteCredits, overAllOf } from './note-credits.ts';

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
  const lines = (await selectLines(tx, invoice.id)).filter(({ type }) => type === 'credit');
  const ids = new Set(credits.map(({ id }) => id));
  const others = new Set(lines.filter(({ workings }) => !ids.has(workings?.credit?.id ?? '')));
  for (const [index, credit] of credits.entries()) {
    const named = lines.find(({ workings }) => workings?.credit?.id === credit.id);
    const line = named ?? [...others].find((each) => isLineOf(credit, each)) ?? lines[index];
    if (!line) throw new Error(`Credit ${credit.id} has no line on invoice ${invoice.id}.`);
    others.delete(line);
    const { net, tax } = leftOf(credit);
    const excess = { net: net.plus(line.totalPrice), tax: tax.plus(line.totalTax) };
    if (excess.net.lte(0)) continue;
    await noteCredits(
      dependencies,
      tx,
      { merchantId: invoice.merchantId, invoiceId: credit.invoiceId },
      [leaving(credit, excess)],
      'all',
      now,
    );
  }
}

/** Is a line of a credit, which it names as that was before the invoice that billed was replaced? */
const isLineOf = ({ priceId, unusedFrom, unusedTo, amount }: UnusedCreditRow, line: LineRow): boolean =>
  line.priceId === priceId &&
  line.periodStart.equals(unusedFrom) &&
  line.periodEnd.equals(unusedTo) &&
  line.workings?.credit?.amount === plain(amount);

/**
 * An invoice is cancelled or refunded: the credits that stood on it would be lost with it, so each is a credit note on
 * the invoice that billed, off what is unpaid of that and else in the wallet; with a refund always in the wallet. Of an
 * invoice that was refunded meanwhile nothing is left to give back.
 */
export async function returnCredits(
  dependencies: InvoicingDependencies,
  tx: Tx,
  { merchantId, id }: Pick<InvoiceRow, 'merchantId' | 'id'>,
  now: Instant,
  refundId?: string,
): Promise<void> {
  const credits = await selectCreditsOn(tx, { merchantId, id });
  for (const [invoiceId, given] of Map.groupBy(credits, ({ invoiceId }) => invoiceId)) {
    if ((await overAllOf(tx, invoiceId)) !== null) continue;
    await noteCredits(dependencies, tx, { merchantId, invoiceId, refundId }, given, 'all', now);
  }
}

/** A refund is void, so its invoice bears its credits again: the credit notes that gave them back are void, too. */
export async function voidReturnedCredits(
  tx: Tx,
  refund: CreditNoteRow,
  reason: string | null,
  now: Instant,
): Promise<void> {
  for (const note of await lockNotesOfRefund(tx, refund)) {
    const invoice = await selectInvoice(tx, note.invoiceId);
    if (!invoice) throw new Error(`Invoice ${note.invoiceId} no longer exists.`);
    await markCreditNoteVoided(tx, note, reason, now);
    await recordVoid(tx, invoice, note, now);
    await bookNoteVoided(tx, invoice, note, ZERO, now);
    await markNotCredited(tx, note);
  }
}
