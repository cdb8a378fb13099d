import { createHash } from 'node:crypto';
import { plain } from '../../kernel/decimal.ts';
import { formatInstant } from '../../kernel/time.ts';
import type { InvoiceRow } from './invoice.ts';
import type { IssuedLine } from './invoice-line.ts';

/** An invoice whose parties and dates are fixed. */
export type InvoiceAtIssue = InvoiceRow & {
  [Key in 'seller' | 'buyer' | 'issuedAt' | 'dueAt']: NonNullable<InvoiceRow[Key]>;
};

/**
 * SHA-256 over everything that an issued invoice says, stored with it: an audit computes it again and finds any later
 * change, also one made around the triggers (reliability I-26).
 */
export function contentHash(invoice: InvoiceAtIssue, number: string, lines: readonly IssuedLine[]): string {
  const content = {
    id: invoice.id,
    number,
    issuedAt: formatInstant(invoice.issuedAt),
    dueAt: formatInstant(invoice.dueAt),
    seller: sorted(invoice.seller),
    buyer: sorted(invoice.buyer),
    currency: invoice.currency,
    period: [formatInstant(invoice.periodStart), formatInstant(invoice.periodEnd)],
    ...(invoice.oneOff?.serviceFrom && { service: [invoice.oneOff.serviceFrom, invoice.oneOff.serviceTo] }),
    totals: [invoice.subtotal, invoice.totalTax, invoice.grandTotal].map(plain),
    taxes: invoice.taxes.map(({ rate, base, amount }) => [rate, base, amount]),
    lines: lines.map((line) => [
      line.id,
      line.displayName,
      line.eventType,
      line.type,
      plain(line.quantity),
      plain(line.unitPrice),
      plain(line.totalPrice),
      plain(line.taxRate),
      plain(line.totalTax),
      plain(line.totalAmount),
      formatInstant(line.periodStart),
      formatInstant(line.periodEnd),
    ]),
  };
  return createHash('sha256').update(JSON.stringify(content)).digest('hex');
}

/** PostgreSQL keeps the keys of `jsonb` in an order of its own; the hash must not depend on it. */
const sorted = (value: unknown): unknown =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
    ? Object.entries(value)
        .toSorted(([a], [b]) => (a < b ? -1 : 1))
        .map(([key, inner]) => [key, sorted(inner)])
    : value;
