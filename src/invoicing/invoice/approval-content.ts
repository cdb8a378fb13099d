import { plain } from '../../kernel/decimal.ts';
import { formatInstant } from '../../kernel/time.ts';
import type { InvoiceRow } from './invoice.ts';
import type { LineRow } from './invoice-line.ts';
import { saidServiceTime, writeServiceTime } from './service-time.ts';

/**
 * The content of an invoice for an approval: its customer, charges, amounts, and due time. Lines have a `key` by their
 * subject, because a calculation gives them new ids.
 */
export const approvalContent = (invoice: InvoiceRow, lines: readonly LineRow[]) => {
  const seen = new Map<string, number>();
  return {
    id: invoice.id,
    kind: invoice.kind,
    customerId: invoice.customerId,
    subscriptionId: invoice.subscriptionId,
    currency: invoice.currency,
    periodStart: formatInstant(invoice.periodStart),
    periodEnd: formatInstant(invoice.periodEnd),
    paymentTermDays: invoice.paymentTermDays,
    ...serviceOf(invoice),
    subtotal: plain(invoice.subtotal),
    totalTax: plain(invoice.totalTax),
    grandTotal: plain(invoice.grandTotal),
    lines: lines.map((line) => {
      const key = keyOf(line);
      const nth = (seen.get(key) ?? 0) + 1;
      seen.set(key, nth);
      return {
        key: nth === 1 ? key : `${key} ${nth}`,
        displayName: line.displayName,
        quantity: plain(line.quantity),
        unitPrice: plain(line.unitPrice),
        totalPrice: plain(line.totalPrice),
        taxRate: plain(line.taxRate),
        totalTax: plain(line.totalTax),
        totalAmount: plain(line.totalAmount),
      };
    }),
  };
};

/** Only what was said: earlier contents stay what they are. */
const serviceOf = (invoice: InvoiceRow) => {
  const said = invoice.kind === 'ad_hoc' ? saidServiceTime(invoice) : null;
  return said && writeServiceTime(said);
};

const keyOf = ({ type, priceId: price, displayName: name, periodStart: start, groupValues: group }: LineRow): string =>
  [type, price ?? name, formatInstant(start), ...(group ? [JSON.stringify(group)] : [])].join(' ');
