import { sql, type Tx } from '../../db/index.ts';
import type { OrderItem } from './order-items.ts';

/**
 * The items of billing schedules on some invoices, with their credits, in the order of billing. Lines of one thing and
 * one time on one invoice are one item.
 */
export const selectOrderItems = (tx: Tx, invoiceIds: readonly string[]): Promise<OrderItem[]> =>
  tx.rows<OrderItem>(sql`
    with item as (
      select l.invoice_id, l.source_key, l.period_start, l.period_end, min(l.seq) as seq, min(l.item_id) as item_id,
             (array_agg(l.display_name order by l.seq))[1] as display_name, sum(l.total_price) as net,
             sum(l.total_tax) as tax, max(l.tax_rate) as tax_rate
        from invoice_line l
       where l.merchant_id = ${tx.merchantId} and l.invoice_id = any (${[...invoiceIds]}::text[])
         and l.source_key is not null and l.type <> 'credit'
       group by l.invoice_id, l.source_key, l.period_start, l.period_end)
    select item.invoice_id, item.source_key, item.item_id,
           item.display_name, item.period_start, item.period_end,
           item.net, item.tax, item.tax_rate, coalesce(c.net, 0) as credited_net,
           coalesce(c.tax, 0) as credited_tax, coalesce(c.noted, 0) as noted_net, i.issued_at is not null as is_issued,
           i.status in ('DRAFT', 'ISSUED', 'PAYMENT_FAILED', 'PAID') and not exists (
             select from credit_note n
              where n.merchant_id = ${tx.merchantId} and n.invoice_id = i.id and n.kind = 'refund'
                and n.status = 'ISSUED'
           ) as is_standing
      from item
      join invoice i on i.merchant_id = ${tx.merchantId} and i.id = item.invoice_id
      left join lateral (
        select sum(c.amount) as net, sum(c.tax_amount) as tax, sum(c.amount) filter (where c.is_note) as noted
          from unused_credit c
         where c.merchant_id = ${tx.merchantId} and c.invoice_id = item.invoice_id and c.source_key = item.source_key
           and c.charged_from = item.period_start and c.charged_to = item.period_end) c on true
     order by i.seq, item.seq`);
