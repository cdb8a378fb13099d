import { sql, type Tx } from '../../db/index.ts';
import type { Decimal } from '../../kernel/decimal.ts';
import type { Instant } from '../../kernel/time.ts';
import { isPastDue, isUnpaid } from './invoice-list.sql.ts';

/** What is unpaid of a merchant's invoices in one currency, and the parts of it. */
export interface UnpaidSums {
  readonly currency: string;
  readonly unpaidCount: number;
  readonly unpaid: Decimal;
  readonly overdueCount: number;
  readonly overdue: Decimal;
  /** Of invoices whose last charge was declined. */
  readonly failedCount: number;
  readonly failed: Decimal;
}

/** The sums of the invoices that the list with `unpaid=true` has, from the index `invoice_unpaid` alone. */
export const selectUnpaidSums = (tx: Tx, now: Instant): Promise<UnpaidSums[]> =>
  tx.rows<UnpaidSums>(sql`
    select currency, sum(many)::int as unpaid_count, sum(amount) as unpaid,
           coalesce(sum(many) filter (where is_past_due), 0)::int as overdue_count,
           coalesce(sum(amount) filter (where is_past_due), 0) as overdue,
           coalesce(sum(many) filter (where status = 'PAYMENT_FAILED'), 0)::int as failed_count,
           coalesce(sum(amount) filter (where status = 'PAYMENT_FAILED'), 0) as failed
      from (select currency, status, ${isPastDue(now)} as is_past_due, count(*) as many, sum(unpaid_amount) as amount
              from invoice where merchant_id = ${tx.merchantId} and ${isUnpaid} group by 1, 2, 3) unpaid
     group by currency order by currency`);

/** When the first paid invoice of the merchant was paid; undefined: none is. */
export const selectFirstPaid = async (tx: Tx): Promise<Instant | undefined> =>
  (
    await tx.maybe<{ paidAt: Instant }>(sql`
      select paid_at from invoice where merchant_id = ${tx.merchantId} and status = 'PAID' order by seq limit 1`)
  )?.paidAt;

/** When the first invoice with usage of more than 0 ended its grace period; undefined: there is none. */
export const selectFirstPriced = async (tx: Tx): Promise<Instant | undefined> =>
  (
    await tx.maybe<{ at: Instant }>(sql`
      select i.grace_period_end as at
        from (select merchant_id, invoice_id from invoice_line
               where merchant_id = ${tx.merchantId} and event_type = 'usage' and total_price > 0
               order by seq limit 1) l
        join invoice i on i.merchant_id = l.merchant_id and i.id = l.invoice_id`)
  )?.at;

/** An invoice or a credit note that a number finds. */
export interface NumberedDocument {
  readonly type: 'invoice' | 'refund';
  readonly id: string;
  readonly number: string;
  readonly status: string;
  readonly customerId: string;
  readonly invoiceId: string;
  /** 1: the whole number; 2: its beginning. */
  readonly rank: number;
}

/** The invoices and credit notes whose numbers begin with a text, in any case; at most so many of each. */
export const selectByNumber = (tx: Tx, text: string, most: number): Promise<NumberedDocument[]> =>
  tx.rows<NumberedDocument>(sql`
    select type, id, number, status, customer_id, invoice_id, rank
      from numbers_found(${tx.merchantId}, ${text}, ${most})`);

/** A credit note by its id. */
export const selectCreditNoteById = (tx: Tx, id: string): Promise<NumberedDocument | undefined> =>
  tx.maybe<NumberedDocument>(sql`
    select 'refund' as type, c.id, c.number, c.status, i.customer_id, c.invoice_id, 0 as rank
      from credit_note c join invoice i on i.merchant_id = c.merchant_id and i.id = c.invoice_id
     where c.merchant_id = ${tx.merchantId} and c.id = ${id}`);

/** The numbers of invoices by their ids; null before the issue. */
export const selectInvoiceNumbers = (tx: Tx, ids: readonly string[]): Promise<{ id: string; name: string | null }[]> =>
  tx.rows(sql`select id, invoice_number as name from invoice
    where merchant_id = ${tx.merchantId} and id = any (${[...ids]}::text[])`);
