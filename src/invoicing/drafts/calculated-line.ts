import type { Calculation } from '../calculation/calculation.ts';
import type { StoredLine } from '../difference/billed.ts';
import type { InvoiceRow } from '../invoice/invoice.ts';

/** A line of a preview as if it were billed. */
export const storedLineOf = (
  { id, periodEnd, currency }: InvoiceRow,
  line: Calculation['lines'][number],
): StoredLine => ({
  invoiceId: id,
  invoiceEnd: periodEnd,
  status: 'DRAFT',
  isRefunded: false,
  priceId: line.priceId,
  feeId: line.feeId,
  type: line.type,
  displayName: line.displayName,
  quantity: line.quantity,
  unitPrice: line.unitPrice,
  net: line.totalPrice,
  tax: line.totalTax,
  taxRate: line.taxRate,
  currency,
  periodStart: line.periodStart,
  periodEnd: line.periodEnd,
  group: line.groupValues,
  tiers: line.tiers,
  workings: line.workings,
});
