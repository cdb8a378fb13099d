import { sql, type Tx } from '../../db/index.ts';
import type { Instant } from '../../kernel/time.ts';
import type { InvoiceRow } from '../invoice/invoice.ts';
import type { StoredCredit, StoredLine } from './billed.ts';
import type { UncalculatedInvoice } from './due.ts';

/** Whose bill it is, and which invoice is not counted: the one that is being calculated. */
export type BilledFor = Pick<InvoiceRow, 'merchant_id' | 'id' | 'subscription_id'>;

/**
 * The lines that the other invoices of a subscription bill of time after an instant, in the order of billing: fees, usage and
 * corrections, and all that is billed once. Credits are read with `selectCredits`.
 * @param beforeSeq only lines that were billed before this one
 * @param alsoOf invoices of which all lines of that time are selected, however long before it their periods ended
 */
export const selectBilledLines = (
  tx: Tx,
  { merchant_id: merchantId, id, subscription_id: subscriptionId }: BilledFor,
  since: Instant,
  beforeSeq: bigint | null = null,
  alsoOf: readonly string[] = [],
): Promise<StoredLine[]> =>
  tx.rows<StoredLine>(sql`
    select l.invoice_id as "invoiceId", i.status, l.price_id as "priceId", l.fee_id as "feeId", l.type,
           l.display_name as "displayName", l.quantity, l.total_price as net, l.total_tax as tax, l.tax_rate as "taxRate",
           l.period_start as "periodStart", l.period_end as "periodEnd", l.group_values as "group", l.tiers, l.workings,
           exists (select from credit_note n
                    where n.merchant_id = i.merchant_id and n.invoice_id = i.id and n.kind = 'refund' and n.status = 'ISSUED') as "isRefunded"
      from invoice i join invoice_line l on l.merchant_id = i.merchant_id and l.invoice_id = i.id
     where i.merchant_id = ${merchantId} and i.subscription_id = ${subscriptionId} and i.id <> ${id}
       and i.status in ('DRAFT', 'ISSUED', 'PAYMENT_FAILED', 'PAID', 'WRITTEN_OFF', 'CANCELLED')
       and (i.kind <> 'subscription' or i.period_end >= ${since} or l.period_start = l.period_end
            or i.id = any (${[...alsoOf]}::text[]))
       and (l.period_end > ${since} or l.period_start = l.period_end)
       and (l.price_id is not null or l.type = 'commitment') and l.type <> 'credit'
       and (${beforeSeq}::bigint is null or l.seq < ${beforeSeq})
     order by l.seq`);

/**
 * What was taken back of lines of a subscription for time after an instant.
 * @param before only what was taken back before this place
 */
export const selectCredits = (
  tx: Tx,
  { merchant_id: merchantId, subscription_id: subscriptionId }: BilledFor,
  since: Instant,
  before: PlaceInBilling | null = null,
): Promise<(StoredCredit & { readonly id: string })[]> =>
  tx.rows<StoredCredit & { readonly id: string }>(sql`
    select c.id, c.invoice_id as "invoiceId", c.price_id as "priceId", c.charged_from as "chargedFrom", c.charged_to as "chargedTo",
           c.unused_from as "unusedFrom", c.unused_to as "unusedTo", c.amount as net, c.tax_amount as tax, c.correction
      from unused_credit c
     where c.merchant_id = ${merchantId} and c.subscription_id = ${subscriptionId} and c.charged_to > ${since}
       and (${before?.seq ?? null}::bigint is null or c.line_seq < ${before?.seq ?? null})
       and (${before?.creditSeq ?? null}::bigint is null or c.seq <= ${before?.creditSeq ?? null})
     order by c.seq`);

/**
 * The other invoices of a subscription that have no lines yet.
 * @param beforeSeq as it was then: those whose lines are not older than this one
 */
export const selectUncalculated = (
  tx: Tx,
  { merchant_id: merchantId, id, subscription_id: subscriptionId }: BilledFor,
  beforeSeq: bigint | null = null,
): Promise<UncalculatedInvoice[]> =>
  tx.rows<UncalculatedInvoice>(sql`
    select id, kind, billing_cadence, billing_anchor, period_number, period_start, period_end from invoice i
     where i.merchant_id = ${merchantId} and i.subscription_id = ${subscriptionId} and i.id <> ${id}
       and i.kind in ('subscription', 'upfront')
       and (i.status in ('ACTIVE', 'CLOSING', 'CLOSED', 'CALCULATING', 'FAILED')
            or exists (select from invoice_line l
                        where l.merchant_id = i.merchant_id and l.invoice_id = i.id and l.seq > ${beforeSeq}::bigint))
     order by i.seq`);

/** Where an invoice stands in the order of billing of its subscription. */
export interface PlaceInBilling {
  /** Lines before it were billed before. */
  readonly seq: bigint;
  /** Of an invoice without lines: credits after this one were given after it. */
  readonly creditSeq?: bigint;
}

/** The place of an invoice without lines that is calculated now: after all lines and credits of its subscription. */
export const selectPlace = (
  tx: Tx,
  { merchant_id: merchantId, subscription_id: subscriptionId }: Pick<BilledFor, 'merchant_id' | 'subscription_id'>,
): Promise<Required<PlaceInBilling>> =>
  tx.one<Required<PlaceInBilling>>(sql`
    select (select coalesce(max(l.seq), 0) + 1
              from invoice i join invoice_line l on l.merchant_id = i.merchant_id and l.invoice_id = i.id
             where i.merchant_id = ${merchantId} and i.subscription_id = ${subscriptionId}) as seq,
           (select coalesce(max(seq), 0) from unused_credit
             where merchant_id = ${merchantId} and subscription_id = ${subscriptionId}) as "creditSeq"`);

/** The place in the order of billing of the first line of an invoice; null while it has none. */
export const firstSeqOf = async (tx: Tx, { merchant_id: merchantId, id }: BilledFor): Promise<bigint | null> =>
  (
    await tx.one<{ seq: bigint | null }>(sql`
    select min(seq) as seq from invoice_line where merchant_id = ${merchantId} and invoice_id = ${id}`)
  ).seq;
