import { sql, type Tx } from '../../db/index.ts';
import type { Instant } from '../../kernel/time.ts';
import { IS_LINE_OF } from '../invoice/grouped.sql.ts';
import type { InvoiceRow } from '../invoice/invoice.ts';

/** The invoices of periods that hold an instant: of one subscription, or of all of a customer's; the oldest first. */
export const selectInvoicesHolding = (tx: Tx, addressee: string, at: Instant): Promise<InvoiceRow[]> =>
  tx.rows<InvoiceRow>(sql`
    select * from invoice
     where merchant_id = ${tx.merchantId} and kind = 'subscription' and ${addressee} in (customer_id, subscription_id)
       and reissued_as_id is null and period_start <= ${at} and period_end > ${at}
     order by seq`);

/**
 * The first period of each series that begins after an instant which no period of the series holds: where a level that
 * was set before billing began is billed first. The oldest first.
 */
export const selectFirstInvoicesAfter = (tx: Tx, addressee: string, at: Instant): Promise<InvoiceRow[]> =>
  tx.rows<InvoiceRow>(sql`
    select first.* from (
      select distinct on (subscription_id, billing_cadence) * from invoice
       where merchant_id = ${tx.merchantId} and kind = 'subscription' and ${addressee} in (customer_id, subscription_id)
         and reissued_as_id is null and period_end > ${at}
       order by subscription_id, billing_cadence, period_start) first
     where first.period_start > ${at}
     order by first.seq`);

/**
 * The line of an invoice that charges the usage of a price, by group where lines are; undefined while there is none.
 */
export const selectUsageLine = async (
  tx: Tx,
  invoice: InvoiceRow,
  priceId: string,
  group: Readonly<Record<string, string | null>>,
): Promise<string | undefined> => {
  const row = await tx.maybe<{ id: string }>(sql`
    select l.id from invoice i join invoice_line l on ${IS_LINE_OF}
     where i.merchant_id = ${invoice.merchantId} and i.id = ${invoice.id} and l.price_id = ${priceId}
       and l.event_type = 'usage' and l.type = 'charge'
       and (l.group_values is null or ${JSON.stringify(group)}::jsonb @> l.group_values)
     order by l.position limit 1`);
  return row?.id;
};
