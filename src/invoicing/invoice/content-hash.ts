import { createHash } from 'node:crypto';
import { plain } from '../../kernel/decimal.ts';
import { formatInstant } from '../../kernel/time.ts';
import type { InvoiceRow } from './invoice.ts';
import type { IssuedLine } from './invoice-line.ts';

/** An invoice whose parties and dates are settled. */
export type InvoiceAtIssue = InvoiceRow & {
  [Key in 'seller' | 'buyer' | 'issued_at' | 'due_at']: NonNullable<InvoiceRow[Key]>;
};

/**
 * SHA-256 over everything that an issued invoice says, stored with it: an audit computes it again and finds any later
 * change, also one made around the triggers (reliability I-26).
 */
export function snapshotHash(invoice: InvoiceAtIssue, number: string, lines: readonly IssuedLine[]): string {
  const said = {
    id: invoice.id,
    number,
    issuedAt: formatInstant(invoice.issued_at),
    dueAt: formatInstant(invoice.due_at),
    seller: sorted(invoice.seller),
    buyer: sorted(invoice.buyer),
    currency: invoice.currency,
    period: [formatInstant(invoice.period_start), formatInstant(invoice.period_end)],
    totals: [invoice.subtotal, invoice.total_tax, invoice.grand_total].map(plain),
    taxes: invoice.taxes.map(({ rate, base, amount }) => [rate, base, amount]),
    lines: lines.map((line) => [
      line.id,
      line.display_name,
      line.event_type,
      line.type,
      plain(line.quantity),
      plain(line.unit_price),
      plain(line.total_price),
      plain(line.tax_rate),
      plain(line.total_tax),
      plain(line.total_amount),
      formatInstant(line.period_start),
      formatInstant(line.period_end),
    ]),
  };
  return createHash('sha256').update(JSON.stringify(said)).digest('hex');
}

/** PostgreSQL keeps the keys of `jsonb` in an order of its own; the hash must not depend on it. */
const sorted = (value: unknown): unknown =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
    ? Object.entries(value)
        .toSorted(([a], [b]) => (a < b ? -1 : 1))
        .map(([key, inner]) => [key, sorted(inner)])
    : value;
