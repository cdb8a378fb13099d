import { expect } from 'vitest';
import { minorDigits } from '../../src/kernel/currency.ts';
import { decimal, sum } from '../../src/kernel/decimal.ts';
import type { Resource } from './shop.ts';

/** The laws of every invoice, to the last minor unit (domain.md §4, Tax; I-22, I-23). */
export function expectTotals(invoice: Resource): void {
  const { lines, currency, subtotal, totalTax, grandTotal, paidAmount, unpaidAmount, itemCount } = invoice;
  const total = (field: string) =>
    sum(lines.map((line: Resource) => decimal(line[field]))).toFixed(minorDigits(currency));
  expect({ subtotal: total('totalPrice'), totalTax: total('totalTax'), grandTotal: total('totalAmount') }).toEqual({
    subtotal,
    totalTax,
    grandTotal,
  });
  expect(decimal(subtotal).plus(totalTax).toFixed()).toBe(decimal(grandTotal).toFixed());
  expect(decimal(paidAmount).plus(unpaidAmount).toFixed()).toBe(decimal(grandTotal).toFixed());
  expect(decimal(grandTotal).gte(0)).toBe(true);
  expect(lines).toHaveLength(itemCount);
  for (const line of lines)
    expect(decimal(line.totalPrice).plus(line.totalTax).toFixed()).toBe(decimal(line.totalAmount).toFixed());
}
