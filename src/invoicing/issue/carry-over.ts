import { findPayer } from '../../customers/index.ts';
import type { Tx } from '../../db/index.ts';
import { type Decimal, ONE } from '../../kernel/decimal.ts';
import { newId } from '../../kernel/ids.ts';
import { type Instant, isAfter } from '../../kernel/time.ts';
import { post } from '../../ledger/index.ts';
import { taxLines } from '../../tax/index.ts';
import type { ManualLineRow, NewManualLine } from '../drafts/manual-line.ts';
import {
  type BilledManualLine,
  insertManualLine,
  lockWaitingCarriedLines,
  selectCarriedLinesOn,
  selectNegativeLinesOn,
  selectTakesLines,
  updateIntoWallet,
} from '../drafts/manual-lines.sql.ts';
import { amountOf } from '../drafts/manual-lines.ts';
import type { InvoicingDependencies } from '../invoice/dependencies.ts';
import type { InvoiceRow } from '../invoice/invoice.ts';
import type { BillingTerms } from '../terms/billing-terms.ts';

/*
 * A negative line by hand that is more than its invoice goes on to the next ones, at last to the wallet (domain.md §3;
 * docs/decisions/0056).
 */

/**
 * After the issue of invoices: the excess of their deductions, because no total is below 0, is a line for the next one.
 */
export async function carryOver(
  dependencies: InvoicingDependencies,
  tx: Tx,
  invoices: readonly InvoiceRow[],
  now: Instant,
): Promise<void> {
  const byId = new Map(invoices.flatMap((invoice) => takersOf(invoice).map((id) => [id, invoice] as const)));
  if (byId.size === 0) return;
  const lines = await selectNegativeLinesOn(tx, [...byId.keys()]);
  const carried = lines.flatMap((line) => {
    const invoice = byId.get(line.invoiceId as string) as InvoiceRow;
    return planRemainder(line, invoice.terms?.taxBehavior ?? 'exclusive', invoice.periodEnd, now);
  });
  await saveCarried(dependencies, tx, carried, now);
}

/** The invoices by which lines by hand stand on one: its own, or its members. */
const takersOf = ({ kind, id, sections }: InvoiceRow): readonly string[] =>
  kind === 'grouped' ? sections.flatMap(({ invoiceIds }) => invoiceIds) : kind === 'subscription' ? [id] : [];

/** After the cancellation of an invoice: its carried lines are carried on, except the parts that were already. */
export async function carryOverCancelled(
  dependencies: InvoicingDependencies,
  tx: Tx,
  cancelled: InvoiceRow,
  now: Instant,
): Promise<void> {
  const lines = await selectCarriedLinesOn(tx, takersOf(cancelled));
  const carried = lines.flatMap((line): NewManualLine[] => {
    const amount = amountOf(line).minus(line.remainder);
    const { taxRate, invoiceAt } = line;
    return amount.lt(0) ? [carriedLine(line, { amount, taxRate, invoiceAt, because: 'cancellation' }, now)] : [];
  });
  await saveCarried(dependencies, tx, carried, now);
}

/** The part of a line that its invoice could not deduct. Inclusive amounts include their tax. */
export function planRemainder(
  line: BilledManualLine,
  taxBehavior: BillingTerms['taxBehavior'],
  invoiceAt: Instant,
  now: Instant,
): NewManualLine[] {
  const billed = taxBehavior === 'inclusive' ? line.billedGross : line.billedNet;
  const amount = amountOf(line).minus(billed);
  if (!amount.lt(0)) return [];
  return [carriedLine(line, { amount, taxRate: line.billedRate, invoiceAt, because: 'remainder' }, now)];
}

interface Carrying {
  readonly amount: Decimal;
  readonly taxRate: Decimal | null;
  /** The end of the period whose invoice could not deduct it: the first that closes then or later takes it. */
  readonly invoiceAt: Instant;
  readonly because: NonNullable<ManualLineRow['carriedBecause']>;
}

const SUFFIX = ': carried over';

const carriedLine = (line: ManualLineRow, { amount, taxRate, invoiceAt, because }: Carrying, now: Instant) => ({
  merchantId: line.merchantId,
  id: newId('lineItem'),
  subscriptionId: line.subscriptionId,
  invoiceId: null,
  itemId: line.itemId,
  displayName: line.carriedFromId === null ? line.displayName + SUFFIX : line.displayName,
  description: line.description,
  currency: line.currency,
  quantity: ONE,
  unitPrice: amount,
  periodStart: line.periodStart,
  periodEnd: line.periodEnd,
  invoiceAt,
  calculatedAt: null,
  idempotencyKey: null,
  idempotencyPrint: null,
  createdAt: now,
  updatedAt: now,
  taxRate,
  carriedFromId: line.id,
  carriedBecause: because,
});

/** The unique index `manual_line_carried` refuses a second one for the same line and cause. */
async function saveCarried(
  dependencies: InvoicingDependencies,
  tx: Tx,
  lines: readonly NewManualLine[],
  now: Instant,
): Promise<void> {
  for (const line of lines) await insertManualLine(tx, line);
  for (const subscriptionId of new Set(lines.map((line) => line.subscriptionId)))
    await creditCarriedLines(dependencies, tx, subscriptionId, now);
}

/**
 * A subscription has ended, and no invoice follows that could bear what is carried over: all of it, with the tax that
 * it would have taken off, is in the customer's wallet. Does nothing while an invoice follows.
 */
export async function creditCarriedLines(
  { source }: Pick<InvoicingDependencies, 'source'>,
  tx: Tx,
  subscriptionId: string,
  now: Instant,
): Promise<void> {
  const lines = await lockWaitingCarriedLines(tx, subscriptionId);
  if (lines.length === 0) return;
  const terms = await source.terms(tx, subscriptionId);
  const { endsAt } = terms.bounds;
  if (endsAt === null || isAfter(endsAt, now)) return;
  if (await selectTakesLines(tx, subscriptionId, terms.planCadence)) return;
  await updateIntoWallet(
    tx,
    lines.map(({ id }) => id),
    now,
  );
  for (const line of lines) await bookIntoWallet(tx, terms, line, line.fromInvoiceId, now);
}

/** No document credits tax for it, so all of it reduces the revenue. */
async function bookIntoWallet(
  tx: Tx,
  terms: BillingTerms,
  line: ManualLineRow,
  invoiceId: string | null,
  now: Instant,
): Promise<void> {
  const taxable = { amount: amountOf(line).negated(), taxRate: line.taxRate };
  const [taxed] = taxLines([taxable], terms.taxBehavior, line.currency).lines;
  if (!taxed) throw new Error(`Line ${line.id} has no amount.`);
  await post(
    tx,
    {
      merchantId: line.merchantId,
      key: `carried:${line.id}`,
      reason: 'credit',
      invoiceId,
      currency: line.currency,
      entries: [
        { account: 'revenue', customerId: null, amount: taxed.gross },
        { account: 'wallet', customerId: await findPayer(tx, terms.customerId), amount: taxed.gross.negated() },
      ],
    },
    now,
  );
}
