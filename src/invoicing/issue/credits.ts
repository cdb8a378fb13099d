import type { Tx } from '../../db/index.ts';
import { Decimal, plain, sum, ZERO } from '../../kernel/decimal.ts';
import { newId } from '../../kernel/ids.ts';
import { roundTo } from '../../kernel/money.ts';
import { formatInstant, type Instant } from '../../kernel/time.ts';
import { balanceOfInvoice } from '../../ledger/index.ts';
import type { OtherLine } from '../calculation/calculate.ts';
import { bookCredit } from '../credit-notes/credit-bookings.ts';
import { insertCreditNoteLines } from '../credit-notes/credit-note-lines.sql.ts';
import { insertPartCreditNote, unvoidedCreditNote } from '../credit-notes/credit-notes.sql.ts';
import {
  type BilledRow,
  billedAfter,
  type CreditOn,
  creditsOn,
  insertUnusedCredit,
  noteMore,
  releaseCredits,
  takeBackCredits,
  type UnusedCreditRow,
} from '../credit-notes/unused-credits.sql.ts';
import { type BilledForTime, isChargedForTime, unusedPart } from '../difference/unused-time.ts';
import type { CreditNoteLine, CreditNoteRow } from '../invoice/credit-note.ts';
import type { InvoicingParts } from '../invoice/dependencies.ts';
import type { InvoiceRow } from '../invoice/invoice.ts';
import { changeInvoice, linesOf, lockInvoice } from '../invoice/invoices.sql.ts';
import type { CreditWorkings } from '../invoice/workings.ts';
import { markPaid } from '../paying/pay.ts';
import { expireSessionsOf } from '../paying/sessions.ts';
import { shareOfTime } from '../rating/index.ts';
import type { BillingTerms } from '../terms/billing-terms.ts';

/** Where what was not used goes: off the next invoice, into the wallet, or nowhere (domain.md §3). */
export type CreditMode = 'invoice' | 'wallet' | 'none';

/** What ended charges that were billed for a time. */
export interface CreditOrder {
  /** The terms as they were, and as they are now. */
  readonly before: BillingTerms;
  readonly after: BillingTerms;
  readonly at: Instant;
  readonly mode: CreditMode;
  /** The invoice that bears a credit as a line, by the price's own; null where none is open: then it goes into the wallet. */
  readonly target: InvoiceRow | null;
}

/**
 * Gives back what was billed for a time and is not used (domain.md §3), in advance or, before an end that was set back,
 * in arrears: first what is still unpaid of the invoice that billed it, by a credit note; then as a line of the open
 * invoice, or by a credit note whose total is in the wallet. Of an invoice that was refunded nothing is left to give
 * back, as long as the refund is not voided.
 */
export async function giveCredits(
  parts: InvoicingParts,
  tx: Tx,
  { before, after, at, mode, target }: CreditOrder,
  now: Instant,
): Promise<void> {
  if (mode === 'none') return;
  const { merchantId, subscriptionId, currency } = before;
  const billed = await billedAfter(tx, merchantId, subscriptionId, at);
  for (const [invoiceId, rows] of Map.groupBy(billed, ({ invoice_id }) => invoice_id)) {
    const over = await overAllOf(tx, merchantId, invoiceId);
    if (over === 'written off' || over?.kind === 'cancellation') continue;
    const given: UnusedCreditRow[] = [];
    for (const row of rows) {
      const unused = unusedPart(chargeOf(row), before, after, currency);
      // Given back by a change at the same instant, which left no trace in the terms.
      if (!unused && ![before, after].some((terms) => isChargedForTime(chargeOf(row), terms))) continue;
      const from = unused?.from ?? row.charged_to;
      const again = await stillCredited(tx, merchantId, row, from);
      const amount = (unused?.amount ?? ZERO).minus(again.amount);
      if (!unused || amount.lte(0)) continue;
      given.push(
        await insertUnusedCredit(tx, {
          merchant_id: merchantId,
          id: newId('credit'),
          subscription_id: subscriptionId,
          invoice_id: invoiceId,
          price_id: row.price_id,
          charged_from: row.charged_from,
          charged_to: row.charged_to,
          unused_from: unused.from,
          unused_to: unused.to,
          display_name: row.display_name,
          amount,
          tax_amount: Decimal.max(ZERO, unused.tax.minus(again.tax)),
          tax_rate: row.tax_rate,
          noted_amount: ZERO,
          noted_tax: ZERO,
          workings: { share: shareOfTime(unused.share), billed: plain(row.amount), before: plain(again.amount) },
          target_invoice_id: mode === 'invoice' && !over ? (target?.id ?? null) : null,
          withheld_by: over?.id ?? null,
          created_at: now,
        }),
      );
    }
    const isLine = mode === 'invoice' && target !== null;
    if (given.length > 0 && !over)
      await noteCredits(parts, tx, merchantId, invoiceId, given, isLine ? 'unpaid' : 'all', now);
  }
}

/**
 * What of an invoice leaves nothing to give back: the credit note over all of it, or that it is written off, also just now. Its
 * lock holds off who would do it meanwhile.
 */
async function overAllOf(tx: Tx, merchantId: string, invoiceId: string): Promise<CreditNoteRow | 'written off' | null> {
  const invoice = await lockInvoice(tx, merchantId, invoiceId);
  if (!invoice) throw new Error(`Invoice ${invoiceId} is gone.`);
  return invoice.status === 'WRITTEN_OFF' ? 'written off' : ((await unvoidedCreditNote(tx, invoice)) ?? null);
}

/**
 * A refund is void. What a change or an end of its subscription gave back with it meanwhile is given back after all: off what the
 * customer owes again because the money had left, and else into the wallet.
 */
export async function giveWithheld(
  parts: InvoicingParts,
  tx: Tx,
  { merchant_id: merchantId, invoice_id: invoiceId, id }: CreditNoteRow,
  now: Instant,
): Promise<void> {
  const credits = await releaseCredits(tx, merchantId, id);
  if (credits.length > 0) await noteCredits(parts, tx, merchantId, invoiceId, credits, 'all', now);
}

/** What was given back of a charge before, less what is charged again and nobody has in hand yet. */
async function stillCredited(tx: Tx, merchantId: string, row: BilledRow, from: Instant) {
  if (row.credited_amount.isZero()) return { amount: ZERO, tax: ZERO };
  const back = await takeBackCredits(tx, merchantId, row, from);
  return {
    amount: row.credited_amount.minus(sum(back.map(({ amount }) => amount))),
    tax: row.credited_tax.minus(sum(back.map(({ tax_amount }) => tax_amount))),
  };
}

const chargeOf = ({ price_id, charged_from, charged_to, amount, minimum, tax_rate }: BilledRow): BilledForTime => ({
  priceId: price_id,
  start: charged_from,
  end: charged_to,
  amount,
  minimum,
  taxRate: tax_rate,
});

/** What of a credit stands in no credit note yet. */
const leftOf = ({ amount, tax_amount, noted_amount, noted_tax }: UnusedCreditRow) => ({
  net: amount.minus(noted_amount),
  tax: tax_amount.minus(noted_tax),
});

/**
 * Writes a credit note on the invoice that billed: over what of it is unpaid, or owed again after a refund, which is owed no more,
 * or over all, of which the rest goes into the wallet. While a payment is on its way all of it counts as paid.
 */
async function noteCredits(
  parts: InvoicingParts,
  tx: Tx,
  merchantId: string,
  invoiceId: string,
  credits: readonly UnusedCreditRow[],
  what: 'unpaid' | 'all',
  now: Instant,
): Promise<void> {
  const invoice = await lockInvoice(tx, merchantId, invoiceId);
  if (!invoice) throw new Error(`Invoice ${invoiceId} is gone.`);
  const owed = invoice.payment_in_flight || invoice.status === 'PAID' ? ZERO : invoice.unpaid_amount;
  const total = sum(credits.map((credit) => leftOf(credit).net.plus(leftOf(credit).tax)));
  const off = Decimal.min(owed, total);
  const owedAgain = await balanceOfInvoice(tx, merchantId, 'owed_again', invoiceId);
  const offAgain = Decimal.min(Decimal.max(ZERO, owedAgain), total.minus(off));
  let left = what === 'all' ? total : off.plus(offAgain);
  let [net, tax] = [ZERO, ZERO];
  const lines: CreditNoteLine[] = [];
  for (const credit of credits) {
    const part = upTo(leftOf(credit), left, invoice.currency);
    left = left.minus(part.net).minus(part.tax);
    net = net.plus(part.net);
    tax = tax.plus(part.tax);
    await noteMore(tx, credit, part.net, part.tax);
    if (!part.net.plus(part.tax).isZero()) lines.push(lineOfNote(credit, part));
  }
  if (net.plus(tax).isZero()) return;
  const note = await insertPartCreditNote(tx, invoice, { amount: net, tax }, 'Not used', now);
  await insertCreditNoteLines(tx, note, lines);
  await bookCredit(tx, invoice, note, { off, offAgain }, now);
  const less = { paid_amount: invoice.paid_amount.plus(off), credited_amount: invoice.credited_amount.plus(off) };
  const credited = off.isZero() ? invoice : await changeInvoice(tx, invoice, less, now);
  const notOwed = off.plus(offAgain);
  const fact = { kind: 'credited', note, off: notOwed, intoWallet: note.total.minus(notOwed) } as const;
  await parts.letters.tell(tx, credited, fact, now);
  if (off.isZero()) return;
  if (credited.unpaid_amount.isZero()) await markPaid(parts, tx, credited, { by: 'credit' }, now);
  else await expireSessionsOf(tx, credited, now);
}

/** What of a credit stands on a credit note, for its document. */
const lineOfNote = (credit: UnusedCreditRow, part: { net: Decimal; tax: Decimal }): CreditNoteLine => ({
  credit_id: credit.id,
  display_name: `${credit.display_name}: not used`,
  amount: part.net,
  tax_amount: part.tax,
  tax_rate: credit.tax_rate,
  period_start: credit.unused_from,
  period_end: credit.unused_to,
});

/** As much of a net amount and its tax as comes to `most` together. */
function upTo({ net, tax }: { net: Decimal; tax: Decimal }, most: Decimal, currency: string) {
  const gross = net.plus(tax);
  if (gross.lte(most)) return { net, tax };
  const part = Decimal.min(net, roundTo(net.times(most).div(gross), currency, 'half-away-from-zero'));
  return { net: part, tax: Decimal.min(tax, most.minus(part)) };
}

/**
 * Which charge a credit gives back, and what of it. Amounts are before tax, so that those of inclusive prices do not
 * show them.
 */
const creditWorkings = (credit: CreditOn, taxBehavior: 'exclusive' | 'inclusive'): CreditWorkings => ({
  id: credit.id,
  invoiceNumber: credit.billed_number,
  from: formatInstant(credit.charged_from),
  to: formatInstant(credit.charged_to),
  billed: taxBehavior === 'inclusive' || credit.workings === null ? null : credit.workings.billed,
  share: credit.workings?.share ?? null,
  amount: plain(credit.amount),
  before: credit.workings?.before ?? '0',
});

/** The credits that stand on an invoice, as lines of its calculation. */
export const creditLines = (credits: readonly CreditOn[], taxBehavior: 'exclusive' | 'inclusive'): OtherLine[] =>
  credits.map((credit) => {
    const { net, tax } = leftOf(credit);
    const amount = (taxBehavior === 'inclusive' ? net.plus(tax) : net).negated();
    return {
      amount,
      taxRate: credit.tax_rate,
      givesWay: 'credit',
      says: {
        event_type: 'fee',
        line_item_type: 'refund',
        type: 'credit',
        price_id: credit.price_id,
        billable_metric_id: null,
        fee_id: null,
        item_id: null,
        display_name: `${credit.display_name}: not used`,
        metric_name: '',
        metric_unit: '',
        metric_description: '',
        quantity: new Decimal(1),
        unit_price: amount,
        discount_price: ZERO,
        period_start: credit.unused_from,
        period_end: credit.unused_to,
        group_values: null,
        tiers: null,
        workings: { credit: creditWorkings(credit, taxBehavior) },
      },
    };
  });

/**
 * An invoice is issued: what its credit lines could not take off it, because no total is below 0, is a credit note on the
 * invoice that billed, in the wallet.
 */
export async function settleCredits(parts: InvoicingParts, tx: Tx, invoice: InvoiceRow, now: Instant): Promise<void> {
  const credits = await creditsOn(tx, invoice);
  if (credits.length === 0) return;
  const lines = (await linesOf(tx, invoice.merchant_id, invoice.id)).filter(({ type }) => type === 'credit');
  for (const [index, credit] of credits.entries()) {
    const line = lines[index];
    if (!line) throw new Error(`Credit ${credit.id} has no line on invoice ${invoice.id}.`);
    const { net, tax } = leftOf(credit);
    const rest = net.plus(line.total_price);
    if (rest.lte(0)) continue;
    const restTax = Decimal.min(
      tax,
      roundTo(rest.times(credit.tax_rate).div(100), invoice.currency, 'half-away-from-zero'),
    );
    const used = { ...credit, noted_amount: credit.amount.minus(rest), noted_tax: credit.tax_amount.minus(restTax) };
    await noteCredits(parts, tx, invoice.merchant_id, credit.invoice_id, [used], 'all', now);
  }
}

/**
 * An invoice is cancelled: the credits that stood on it would be lost with it, so each is a credit note on the invoice that billed,
 * off what is unpaid of that and else in the wallet. Of an invoice that was refunded meanwhile nothing is left to give back.
 */
export async function returnCredits(parts: InvoicingParts, tx: Tx, cancelled: InvoiceRow, now: Instant): Promise<void> {
  const credits = await creditsOn(tx, cancelled);
  for (const [invoiceId, given] of Map.groupBy(credits, ({ invoice_id }) => invoice_id)) {
    if ((await overAllOf(tx, cancelled.merchant_id, invoiceId)) !== null) continue;
    await noteCredits(parts, tx, cancelled.merchant_id, invoiceId, given, 'all', now);
  }
}
