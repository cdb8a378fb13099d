import type { Tx } from '../../db/index.ts';
import { Decimal, decimal, plain, ZERO } from '../../kernel/decimal.ts';
import { newId } from '../../kernel/ids.ts';
import { roundTo } from '../../kernel/money.ts';
import { intersect } from '../../kernel/spans.ts';
import { earliest, type Instant, type Period } from '../../kernel/time.ts';
import type { UnusedCreditRow } from '../credit-notes/unused-credit.ts';
import { insertUnusedCredit } from '../credit-notes/unused-credits.sql.ts';
import { selectBilledLines, selectCredits } from '../difference/billed.sql.ts';
import { type BilledItem, type Correction, itemsOf, leftOfItem } from '../difference/billed.ts';
import type { InvoicingDependencies } from '../invoice/dependencies.ts';
import type { InvoiceRow } from '../invoice/invoice.ts';
import type { LineRow } from '../invoice/invoice-line.ts';
import { selectLines } from '../invoice/invoices.sql.ts';
import { asBilled, cellOf, justBefore } from '../owed/charges.ts';
import type { BillingTerms } from '../terms/billing-terms.ts';
import { noteCredits } from './note-credits.ts';

/** A credit of the bills of some invoices. */
export interface TakenBack {
  /** The items that billed it, in the order of billing. */
  readonly items: readonly BilledItem[];
  /** As the price quotes it; above 0. */
  readonly amount: Decimal;
  readonly correction: Correction;
}

/** A correction with kinds that are already on a line of an invoice, or without kinds: a commitment. */
export const SAID: Correction = { quantity: '0', charge: '0', discount: '0', maximum: '0', minimum: '0' };

/**
 * Gives back by credit notes what no invoice can bear: on the invoices that billed it, the last first, with the tax
 * that was billed, and never more than is left of them (§3 Credits).
 */
export async function takeBack(
  dependencies: InvoicingDependencies,
  tx: Tx,
  terms: Pick<BillingTerms, 'merchantId' | 'subscriptionId' | 'currency' | 'taxBehavior' | 'endCredit'>,
  all: readonly TakenBack[],
  now: Instant,
): Promise<void> {
  const given: UnusedCreditRow[] = [];
  for (const { items, amount, correction } of all) {
    let missing = amount;
    let content = correction;
    for (const item of items.filter(({ isStanding }) => isStanding).toReversed()) {
      const credit = creditOf(terms, item, missing);
      if (credit === null) continue;
      given.push(await insertUnusedCredit(tx, rowOf(terms, item, { ...credit, correction: content }, now)));
      missing = missing.minus(credit.quoted);
      content = SAID;
    }
  }
  for (const [invoiceId, rows] of Map.groupBy(given, (row) => row.invoiceId))
    await noteCredits(dependencies, tx, { merchantId: terms.merchantId, invoiceId }, rows, 'all', now);
}

/** As much of an item as is left and missing; null where nothing is. */
function creditOf(
  { currency, taxBehavior }: Pick<BillingTerms, 'currency' | 'taxBehavior'>,
  item: BilledItem,
  missing: Decimal,
): { readonly net: Decimal; readonly tax: Decimal; readonly quoted: Decimal } | null {
  const left = leftOfItem(item);
  const most = taxBehavior === 'inclusive' ? left.net.plus(left.tax) : left.net;
  const quoted = Decimal.min(missing, most);
  if (quoted.lte(0)) return null;
  if (quoted.eq(most)) return { ...left, quoted };
  const tax = roundTo(left.tax.times(quoted).div(most), currency, 'half-away-from-zero');
  return { net: taxBehavior === 'inclusive' ? quoted.minus(tax) : quoted, tax, quoted };
}

/**
 * After the issue of an invoice: the excess of its credits of other invoices, because no total is below 0, is credited
 * by credit notes on those.
 */
export async function creditCutLines(
  dependencies: InvoicingDependencies,
  tx: Tx,
  invoice: InvoiceRow,
  now: Instant,
): Promise<void> {
  const lines = await selectLines(tx, invoice.merchantId, invoice.id);
  const cut = lines.filter(({ workings }) => workings?.cut !== undefined);
  const { merchantId, subscriptionId, currency, terms } = invoice;
  if (cut.length === 0 || subscriptionId === null) return;
  const cells = await dependencies.source.terms(tx, merchantId, subscriptionId);
  // A line of the invoice's own period takes back what earlier parts of that period billed.
  const own = invoice.kind === 'subscription' ? cellOf(asBilled(cells, invoice), invoice).start : invoice.periodStart;
  const timeOf = ({ type, periodStart: start, periodEnd: end }: LineRow): Period => ({
    start: type === 'late_usage' || type === 'commitment' ? start : earliest(start, own),
    end,
  });
  const since = justBefore(cut.map((line) => timeOf(line).start).reduce(earliest));
  const items = itemsOf(await selectBilledLines(tx, invoice, since), await selectCredits(tx, invoice, since));
  const all = cut.map((line): TakenBack => {
    const those = items.filter(
      ({ priceId, period }) => priceId === line.priceId && intersect([period], [timeOf(line)]).length > 0,
    );
    return { items: those, amount: decimal(line.workings?.cut ?? '0').negated(), correction: SAID };
  });
  const taxBehavior = terms?.taxBehavior ?? cells.taxBehavior;
  await takeBack(dependencies, tx, { merchantId, subscriptionId, currency, taxBehavior }, all, now);
}

const rowOf = (
  { merchantId, subscriptionId }: Pick<BillingTerms, 'merchantId' | 'subscriptionId'>,
  item: BilledItem,
  { net, tax, correction }: { readonly net: Decimal; readonly tax: Decimal; readonly correction: Correction },
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
  workings: { share: null, billed: plain(item.net), before: plain(item.net.minus(leftOfItem(item).net)) },
  correction,
  sourceKey: null,
  targetInvoiceId: null,
  createdAt: now,
});
