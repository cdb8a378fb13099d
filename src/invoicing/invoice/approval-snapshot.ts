import { plain } from '../../kernel/decimal.ts';
import { formatInstant } from '../../kernel/time.ts';
import type { InvoiceRow } from './invoice.ts';
import type { LineRow } from './invoice-line.ts';

/**
 * What an approval of an invoice is given for: whom it charges, for what, how much, and when it is due. Lines have a `key`
 * of what they are, because a calculation gives them new ids.
 */
export const approvalSnapshot = (invoice: InvoiceRow, lines: readonly LineRow[]) => {
  const seen = new Map<string, number>();
  return {
    id: invoice.id,
    kind: invoice.kind,
    customerId: invoice.customer_id,
    subscriptionId: invoice.subscription_id,
    currency: invoice.currency,
    periodStart: formatInstant(invoice.period_start),
    periodEnd: formatInstant(invoice.period_end),
    paymentTermDays: invoice.payment_term_days,
    subtotal: plain(invoice.subtotal),
    totalTax: plain(invoice.total_tax),
    grandTotal: plain(invoice.grand_total),
    lines: lines.map((line) => {
      const key = keyOf(line);
      const nth = (seen.get(key) ?? 0) + 1;
      seen.set(key, nth);
      return {
        key: nth === 1 ? key : `${key} ${nth}`,
        displayName: line.display_name,
        quantity: plain(line.quantity),
        unitPrice: plain(line.unit_price),
        totalPrice: plain(line.total_price),
        taxRate: plain(line.tax_rate),
        totalTax: plain(line.total_tax),
        totalAmount: plain(line.total_amount),
      };
    }),
  };
};

const keyOf = ({
  type,
  price_id: price,
  display_name: name,
  period_start: start,
  group_values: group,
}: LineRow): string => [type, price ?? name, formatInstant(start), ...(group ? [JSON.stringify(group)] : [])].join(' ');
