import { effectiveNowOf } from '../../clocks/index.ts';
import { allOf, keptTotal, type Sql, sql, type Tx } from '../../db/index.ts';
import type { PageRequest } from '../../http/index.ts';
import type { InvoiceRow } from '../invoice/invoice.ts';
import type { InvoiceFilters } from './invoice-filters.ts';

/** Money is asked for it (the partial index `invoice_unpaid` has the same words). */
const isUnpaid = sql`status in ('ISSUED', 'PAYMENT_FAILED') and unpaid_amount > 0 and not lives_by_session`;

/** The UTC day of `dueAt` is over, by the invoice's own effective now (domain.md §4); never null. */
const isOverdue = (now: InvoiceFilters['now']): Sql => sql`
  (${isUnpaid} and due_at is not null and due_at < date_trunc('day', ${effectiveNowOf('invoice', now)}, 'UTC'))`;

const conditionsOf = (merchantId: string | null, filters: InvoiceFilters): Sql => {
  const { status, subscriptionId, customerId, invoiceNumber, issued, due, amount, overdue } = filters;
  return allOf([
    merchantId !== null && sql`merchant_id = ${merchantId}`,
    status !== undefined && sql`status = ${status}`,
    subscriptionId !== undefined && sql`subscription_id = ${subscriptionId}`,
    customerId !== undefined && sql`customer_id = ${customerId}`,
    invoiceNumber !== undefined && sql`invoice_number = ${invoiceNumber}`,
    issued.from !== null && sql`issued_at >= ${issued.from}`,
    issued.to !== null && sql`issued_at < ${issued.to}`,
    due.from !== null && sql`due_at >= ${due.from}`,
    due.to !== null && sql`due_at < ${due.to}`,
    // What is stored of an open period is not what it comes to.
    (amount.from !== null || amount.to !== null) && sql`status not in ('ACTIVE', 'CLOSING')`,
    amount.from !== null && sql`grand_total >= ${amount.from}`,
    amount.to !== null && sql`grand_total <= ${amount.to}`,
    overdue === true && isOverdue(filters.now),
    overdue === false && sql`not ${isOverdue(filters.now)}`,
    filters.isReady && sql`next_action_at <= ${effectiveNowOf('invoice', filters.now)}`,
  ]);
};

/**
 * A page of invoices, newest first. Which ones it shows is read from an index alone, where the conditions allow it; only
 * the rows of the page are read whole, however far the offset lies.
 */
export async function selectInvoicePage(
  tx: Tx,
  merchantId: string | null,
  filters: InvoiceFilters,
  { limit, offset }: PageRequest,
): Promise<{ rows: InvoiceRow[]; total: number }> {
  const where = conditionsOf(merchantId, filters);
  const rows = await tx.rows<InvoiceRow>(sql`
    select invoice.*
      from (select merchant_id, seq from invoice where ${where} order by seq desc limit ${limit} offset ${offset}) shown
      join invoice using (merchant_id, seq)
     order by seq desc`);
  if (offset === 0 && rows.length < limit) return { rows, total: rows.length };
  const kept = keptTotal(tx, 'invoice', merchantId, givenOf(filters), 'status');
  if (kept) return { rows, total: await kept() };
  const counted = await tx.one<{ many: number }>(sql`select count(*)::int as many from invoice where ${where}`);
  return { rows, total: counted.many };
}

/** Filters that are given; what is not is undefined. */
function givenOf({ issued, due, amount, isReady, now: _, ...others }: InvoiceFilters) {
  const ends = [issued.from, issued.to, due.from, due.to, amount.from, amount.to].filter((end) => end !== null);
  return { ...others, ends: ends.length === 0 ? undefined : ends, isReady: isReady ? true : undefined };
}
