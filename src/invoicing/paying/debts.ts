import type { Tx } from '../../db/index.ts';
import { type Decimal, ONE, sum, ZERO } from '../../kernel/decimal.ts';
import { newId } from '../../kernel/ids.ts';
import type { Instant } from '../../kernel/time.ts';
import { PLAIN_LINE } from '../calculation/line-content.ts';
import { DEBT_LINE } from '../calculation/one-off-lines.ts';
import { type InvoiceRow, payerOf } from '../invoice/invoice.ts';
import type { LineRow } from '../invoice/invoice-line.ts';
import { insertLines } from '../invoice/invoices.sql.ts';
import { lockWaitingDebts, type PaymentDebt, updateCollected } from './debts.sql.ts';

/** The debts that an invoice collects. */
export interface CollectedDebts {
  readonly lines: readonly LineRow[];
  readonly total: Decimal;
}

/**
 * Invoices that are about to be issued collect what their payers owe of reversed payments (commercial.md §7), and of
 * billing credits that were used elsewhere: each debt is a line without tax on the first of them in its currency. An
 * offer collects nothing, because nobody owes it.
 * @returns what they collect, by invoice
 */
export async function collectDebts(
  tx: Tx,
  invoices: readonly InvoiceRow[],
  now: Instant,
): Promise<ReadonlyMap<string, CollectedDebts>> {
  const collecting = invoices.filter(({ livesBySession }) => !livesBySession);
  if (collecting.length === 0) return new Map();
  const debts = await lockWaitingDebts(tx, [...new Set(collecting.map(payerOf))]);
  const byInvoice = debtsByInvoice(collecting, debts);
  const collected = [...byInvoice].map(([invoice, own]) => {
    const lines = own.map((debt, place) => lineOf(debt, invoice, invoice.itemCount + place, now));
    return { invoice, own, lines, total: sum(own.map(({ amount }) => amount)) };
  });
  await insertLines(
    tx,
    collected.flatMap(({ lines }) => lines),
  );
  for (const { invoice, own } of collected)
    await updateCollected(
      tx,
      invoice.id,
      own.map(({ id }) => id),
    );
  return new Map(collected.map(({ invoice, lines, total }) => [invoice.id, { lines, total }]));
}

/** Each debt stands on the first invoice of its payer and its currency. */
function debtsByInvoice(
  invoices: readonly InvoiceRow[],
  debts: readonly PaymentDebt[],
): ReadonlyMap<InvoiceRow, readonly PaymentDebt[]> {
  const places = debts.flatMap((debt) => {
    const invoice = invoices.find((each) => payerOf(each) === debt.customerId && each.currency === debt.currency);
    return invoice ? [{ debt, invoice }] : [];
  });
  const groups = Map.groupBy(places, ({ invoice }) => invoice);
  return new Map([...groups].map(([invoice, those]) => [invoice, those.map(({ debt }) => debt)]));
}

const lineOf = (
  { merchantId, amount, sourceNumber, billingCreditId }: PaymentDebt,
  { id: invoiceId }: InvoiceRow,
  position: number,
  now: Instant,
): LineRow => ({
  ...PLAIN_LINE,
  ...{ merchantId, invoiceId, id: newId('lineItem'), position, type: DEBT_LINE },
  displayName: `${sourceNumber}: ${billingCreditId === null ? 'reversed payment' : 'billing credit used elsewhere'}`,
  ...{ quantity: ONE, unitPrice: amount, totalPrice: amount, taxRate: ZERO, totalTax: ZERO, totalAmount: amount },
  ...{ periodStart: now, periodEnd: now, workings: null, appliesToLineId: null },
});
