import { sql, type Tx } from '../../db/index.ts';
import type { Instant, Period } from '../../kernel/time.ts';
import { STATUS_OF_LINES } from '../invoice/grouped.sql.ts';
import type { InvoiceRow } from '../invoice/invoice.ts';

/**
 * The open period of a subscription that closes next: of one series, or of all (of two that end together the older
 * one).
 */
export const selectNextToClose = (
  tx: Tx,
  subscriptionId: string,
  cadence: string | null,
): Promise<InvoiceRow | undefined> =>
  tx.maybe<InvoiceRow>(sql`
    select * from invoice
     where merchant_id = ${tx.merchantId} and subscription_id = ${subscriptionId} and kind = 'subscription'
       and status = 'ACTIVE'
       and (${cadence}::text is null or billing_cadence = ${cadence})
     order by period_end, seq limit 1`);

/** The open period that closes next of each of some subscriptions; of two that end together the older one. */
export const selectNextToCloseOfEach = (tx: Tx, subscriptionIds: readonly string[]): Promise<InvoiceRow[]> =>
  tx.rows<InvoiceRow>(sql`
    select distinct on (subscription_id) * from invoice
     where merchant_id = ${tx.merchantId} and subscription_id = any (${[...subscriptionIds]}::text[])
       and kind = 'subscription' and status = 'ACTIVE'
     order by subscription_id, period_end, seq`);

/** The open periods of a customer's subscriptions, in the order of their creation. */
export const selectRunningOfCustomer = (tx: Tx, customerId: string): Promise<InvoiceRow[]> =>
  tx.rows<InvoiceRow>(sql`
    select * from invoice
     where merchant_id = ${tx.merchantId} and customer_id = ${customerId} and kind = 'subscription'
       and status = 'ACTIVE'
     order by seq`);

/** The start of an invoice's period that early closings divided: the start of its first part. */
export const selectStartOfPeriod = (tx: Tx, invoice: InvoiceRow): Promise<Instant> =>
  tx.value<Instant>(sql`
    select min(period_start) as start from invoice
     where merchant_id = ${invoice.merchantId} and subscription_id = ${invoice.subscriptionId}
       and kind = 'subscription' and billing_cadence = ${invoice.billingCadence}
       and period_number = ${invoice.periodNumber} and period_end <= ${invoice.periodEnd}`);

/** A period of a series, with the invoices that bill it: several where early closings divided it. */
export interface BilledPeriod extends Period {
  readonly invoiceIds: readonly string[];
}

/** The newest periods of a series of a subscription, newest first; early closings do not divide them. */
export const selectSeriesPeriods = (
  tx: Tx,
  of: { readonly merchantId: string; readonly subscriptionId: string; readonly cadence: string },
  most: number,
): Promise<BilledPeriod[]> =>
  tx.rows<BilledPeriod>(sql`
    select min(period_start) as start, max(period_end) as "end",
           array_agg(id order by period_start, seq) as invoice_ids
      from invoice i
     where merchant_id = ${of.merchantId} and subscription_id = ${of.subscriptionId} and kind = 'subscription'
       and billing_cadence = ${of.cadence} and ${STATUS_OF_LINES} <> 'CANCELLED' and reissued_as_id is null
     group by period_number order by min(period_start) desc limit ${most}`);

/** Of each merchant with invoices that are not issued yet: when the oldest of their periods began. */
export const selectOldestOpenPeriods = (tx: Tx): Promise<{ merchantId: string; from: Instant }[]> =>
  tx.rows<{ merchantId: string; from: Instant }>(sql`
    select merchant_id, min(period_start) as "from" from invoice
     where status in ('ACTIVE', 'CLOSING', 'CLOSED', 'CALCULATING', 'DRAFT', 'FAILED')
     group by merchant_id`);
