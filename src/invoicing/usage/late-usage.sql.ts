import { sql, type Tx } from '../../db/index.ts';
import type { TakenUsage } from '../../metering/index.ts';
import type { InvoiceRow } from '../invoice/invoice.ts';

/** A period with read usage and its lines, and the visible events at that time (null: read it again). */
export type ReadInvoice = Pick<
  InvoiceRow,
  'id' | 'subscriptionId' | 'billingCadence' | 'billingAnchor' | 'periodNumber' | 'periodEnd'
> & { readonly snapshot: string | null };

/** The invoices of periods of some subscriptions whose usage is billed, those of each in the order of time. */
export const selectReadInvoices = (tx: Tx, subscriptionIds: readonly string[]): Promise<ReadInvoice[]> =>
  tx.rows<ReadInvoice>(sql`
    select i.id, i.subscription_id, i.billing_cadence, i.billing_anchor, i.period_number, i.period_end, t.snapshot
      from invoice i
      left join usage_taken t on t.merchant_id = i.merchant_id and t.invoice_id = i.id
     where i.merchant_id = ${tx.merchantId} and i.subscription_id = any (${[...subscriptionIds]}::text[])
       and i.kind = 'subscription' and i.usage_mark is not null and i.reissued_as_id is null
       and i.status not in ('CLOSED', 'CALCULATING', 'FAILED')
     order by i.subscription_id, i.period_start, i.seq`);

export const insertUsageTaken = (tx: Tx, invoiceIds: readonly string[], snapshot: string): Promise<number> =>
  tx.run(sql`
    insert into usage_taken (merchant_id, invoice_id, snapshot)
    select ${tx.merchantId}, id, ${snapshot} from unnest(${invoiceIds.toSorted()}::text[]) id
    on conflict (merchant_id, invoice_id) do update set snapshot = excluded.snapshot`);

/**
 * The periods that an invoice corrects must be read again, because its corrections are not valid, or are valid again.
 * @param which `billed`: also the periods whose usage it billed
 */
export const deleteUsageTakenOfCorrected = (
  tx: Tx,
  { merchantId, id, subscriptionId }: InvoiceRow,
  which: 'corrected' | 'billed' = 'corrected',
): Promise<number> =>
  tx.run(sql`
    delete from usage_taken t using invoice i, invoice_line l
     where l.merchant_id = ${merchantId} and l.invoice_id = ${id}
       and (l.workings -> 'late' is not null or ${which} = 'billed' and l.billable_metric_id is not null)
       and i.merchant_id = ${merchantId} and i.subscription_id = ${subscriptionId} and i.kind = 'subscription'
       and i.period_start < l.period_end and i.period_end > l.period_start
       and t.merchant_id = ${merchantId} and t.invoice_id = i.id`);

/**
 * Up to which events the usage of a customer's closed periods was read: what comes late for them must not be forgotten.
 */
export const selectUsageTakenByInvoices = (
  tx: Tx,
  customerId: string,
): Promise<(TakenUsage & { readonly subscriptionId: string })[]> =>
  tx.rows<TakenUsage & { readonly subscriptionId: string }>(sql`
    select i.subscription_id, i.period_end as at, t.snapshot
      from usage_taken t join invoice i on i.merchant_id = t.merchant_id and i.id = t.invoice_id
     where i.merchant_id = ${tx.merchantId} and i.customer_id = ${customerId}`);
