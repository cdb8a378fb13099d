import type { Tx } from '../../db/index.ts';
import type { Instant } from '../../kernel/time.ts';
import { selectUnvoidedCreditNote } from '../credit-notes/credit-notes.sql.ts';
import { selectCreditsOn } from '../credit-notes/unused-credits.sql.ts';
import type { CreditNoteRow } from '../invoice/credit-note.ts';
import type { InvoicingDependencies } from '../invoice/dependencies.ts';
import type { InvoiceRow } from '../invoice/invoice.ts';
import { lockInvoice, selectLines } from '../invoice/invoices.sql.ts';
import { leftOf } from './credit-lines.ts';
import { noteCredits } from './note-credits.ts';

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
    const excess = net.plus(line.totalPrice);
    const excessTax = tax.plus(line.totalTax);
    if (excess.lte(0)) continue;
    const used = { ...credit, notedAmount: credit.amount.minus(excess), notedTax: credit.taxAmount.minus(excessTax) };
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
