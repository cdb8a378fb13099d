import type { Calculation } from '../calculation/calculation.ts';
import { itemsOf } from '../difference/billed.ts';
import { wrongsOf } from '../difference/check.ts';
import type { InvoiceRow } from '../invoice/invoice.ts';
import type { Billing } from './billing-state.ts';
import { storedLineOf } from './calculated-line.ts';

/** A wrong bill. It is not retried automatically, because its inputs do not change. */
export class WrongBillError extends Error {}

/** A wrong invoice is worse than a late one: an invoice with a found fault is not issued (docs/decisions/0064). */
export function refuseWrongBill(invoice: InvoiceRow, { lines }: Calculation, { items }: Billing): void {
  const own = itemsOf(
    lines
      .filter(({ type, priceId }) => type !== 'credit' && priceId !== null)
      .map((line) => storedLineOf(invoice, line)),
    [],
  );
  const wrongs = wrongsOf([...items, ...own]);
  if (wrongs.length > 0) throw new WrongBillError(wrongs.join('; '));
}
