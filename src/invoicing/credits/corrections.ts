import type { Tx } from '../../db/index.ts';
import { decimal } from '../../kernel/decimal.ts';
import { earliest, type Instant, type Period } from '../../kernel/time.ts';
import type { AtOnePrice } from '../calculation/one-price.ts';
import { selectBilledItems } from '../difference/billed.sql.ts';
import type { InvoicingDependencies } from '../invoice/dependencies.ts';
import type { InvoiceRow } from '../invoice/invoice.ts';
import type { LineRow } from '../invoice/invoice-line.ts';
import { selectInvoices, selectLines } from '../invoice/invoices.sql.ts';
import { asBilled, cellOf, justBefore } from '../owed/charges.ts';
import { giveOpenCoupons } from './coupons-back.ts';
import { isOf, SAID, type TakenBack, takeBack } from './note-credits.ts';

/** The units of a line that are on credit notes, at its price; null: its amounts say no units. */
const notedOf = ({ unitPrice, workings }: LineRow): AtOnePrice | null => {
  const { noted = '0' } = workings?.takenBack ?? {};
  return noted === '0' ? null : { units: decimal(noted).negated(), unitPrice };
};

/**
 * After the issue of an invoice: the excess of its credits of other invoices, because no total is below 0, is credited
 * by credit notes on those. Of a copy of an invoice the issue of that one did.
 */
export async function creditCutLines(
  dependencies: InvoicingDependencies,
  tx: Tx,
  invoice: InvoiceRow,
  now: Instant,
): Promise<void> {
  if (invoice.isCopy) return;
  const lines = await selectLines(tx, invoice.id);
  const cut = lines.filter(({ workings }) => workings?.cut !== undefined);
  if (cut.length === 0) return;
  if (invoice.kind !== 'grouped') return creditCut(dependencies, tx, invoice, cut, now);
  const members = await selectInvoices(
    tx,
    invoice.sections.flatMap(({ invoiceIds }) => invoiceIds),
  );
  for (const member of members.values()) {
    const own = cut.filter(({ memberId }) => memberId === member.id);
    await creditCut(dependencies, tx, member, own, now);
  }
}

/** The same of the lines of one subscription. */
async function creditCut(
  dependencies: InvoicingDependencies,
  tx: Tx,
  invoice: InvoiceRow,
  cut: readonly LineRow[],
  now: Instant,
): Promise<void> {
  const { merchantId, subscriptionId, currency, terms } = invoice;
  if (cut.length === 0 || subscriptionId === null) return;
  const cells = await dependencies.source.terms(tx, subscriptionId);
  // A line of the invoice's own period takes back what earlier parts of that period billed.
  const own = invoice.kind === 'subscription' ? cellOf(asBilled(cells, invoice), invoice).start : invoice.periodStart;
  const timeOf = ({ type, periodStart: start, periodEnd: end }: LineRow): Period => ({
    start: type === 'late_usage' || type === 'commitment' ? start : earliest(start, own),
    end,
  });
  const since = justBefore(cut.map((line) => timeOf(line).start).reduce(earliest));
  const items = await selectBilledItems(tx, invoice, since);
  const isOfPeriod = ({ workings }: LineRow): boolean => workings?.coupon?.period !== undefined;
  await giveOpenCoupons(dependencies, tx, cells, cut.filter(isOfPeriod), now);
  const all = cut
    .filter((line) => !isOfPeriod(line))
    .map((line): TakenBack => {
      const those = items.filter((item) => isOf(item, line.priceId, timeOf(line)));
      return {
        items: those,
        amount: decimal(line.workings?.cut ?? '0').negated(),
        correction: SAID,
        told: notedOf(line),
      };
    });
  const taxBehavior = terms?.taxBehavior ?? cells.taxBehavior;
  await takeBack(dependencies, tx, { merchantId, subscriptionId, currency, taxBehavior }, all, now);
}
