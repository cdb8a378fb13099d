import { sql, type Tx } from '../../db/index.ts';
import type { TakenUsage } from '../../metering/index.ts';
import { type BilledUsage, groupKey } from '../invoice/billed-usage.ts';
import type { CarriedRest } from '../invoice/frozen-terms.ts';
import type { InvoiceRow } from '../invoice/invoice.ts';
import { type OtherParts, otherPartsOn, saveOtherParts } from './split-period.sql.ts';

/** What was billed of one price of a closed period until now, and what there is. */
export interface LateUsage {
  readonly of_invoice_id: string;
  readonly price_id: string;
  readonly billed: readonly BilledUsage[];
  readonly now: readonly BilledUsage[];
  /** Of a part of a period that `closeNow` cut, what the other parts used that were read by then. */
  readonly others?: OtherParts;
}

/** Two invoices of a subscription that close at once bill what came late one after the other. */
export const lockLate = (tx: Tx, merchantId: string, subscriptionId: string): Promise<number> =>
  tx.run(sql`select pg_advisory_xact_lock(hashtextextended(${`late usage:${merchantId}:${subscriptionId}`}, 0))`);

/** A period whose usage has been read, and which events there were then (null: it is not known). */
export type ClosedPeriod = InvoiceRow & { snapshot: string | null };

export const closedPeriods = (tx: Tx, merchantId: string, subscriptionId: string): Promise<ClosedPeriod[]> =>
  tx.rows<ClosedPeriod>(sql`
    select i.*, t.snapshot from invoice i
      left join usage_taken t on t.merchant_id = i.merchant_id and t.invoice_id = i.id
     where i.merchant_id = ${merchantId} and i.subscription_id = ${subscriptionId} and i.kind = 'subscription'
       and i.usage_mark is not null
     order by i.seq`);

export const saveUsageTaken = (tx: Tx, merchantId: string, invoiceId: string, snapshot: string): Promise<number> =>
  tx.run(sql`
    insert into usage_taken (merchant_id, invoice_id, snapshot) values (${merchantId}, ${invoiceId}, ${snapshot})
    on conflict (merchant_id, invoice_id) do update set snapshot = excluded.snapshot`);

/** Up to which events the usage of a customer's closed periods was read: what comes late for them must not be forgotten. */
export const usageTakenByInvoices = (
  tx: Tx,
  merchantId: string,
  customerId: string,
): Promise<(TakenUsage & { readonly subscriptionId: string })[]> =>
  tx.rows<TakenUsage & { readonly subscriptionId: string }>(sql`
    select i.subscription_id as "subscriptionId", i.period_end as at, t.snapshot
      from usage_taken t join invoice i on i.merchant_id = t.merchant_id and i.id = t.invoice_id
     where i.merchant_id = ${merchantId} and i.customer_id = ${customerId}`);

/** What has been billed of a closed period: what the last invoice that billed some of it late read, else what its own did. */
export const billedOf = (tx: Tx, { merchant_id: merchantId, id }: InvoiceRow): Promise<BilledUsage[]> =>
  tx.rows<BilledUsage>(sql`
    with last as (
      select distinct on (price_id) price_id, invoice_id from late_usage
       where merchant_id = ${merchantId} and of_invoice_id = ${id} order by price_id, seq desc
    )
    select l.price_id, l.group_values, l.quantity, l.event_count, l.granted
      from late_usage l join last using (price_id, invoice_id)
     where l.merchant_id = ${merchantId} and l.of_invoice_id = ${id}
    union all
    select u.price_id, u.group_values, u.quantity, u.event_count, u.granted
      from invoice_usage u
     where u.merchant_id = ${merchantId} and u.invoice_id = ${id} and u.price_id not in (select price_id from last)`);

/**
 * What issued invoices of a subscription could not give back of late usage, and no other invoice than this one bears. What a draft
 * leaves may still change: that waits until it is issued.
 */
export const openRests = (
  tx: Tx,
  merchantId: string,
  subscriptionId: string,
  invoiceId: string,
): Promise<CarriedRest[]> =>
  tx.rows<CarriedRest>(sql`
    select i.id as "fromInvoiceId", r.rest ->> 'ofInvoiceId' as "ofInvoiceId", r.rest ->> 'priceId' as "priceId", r.rest ->> 'amount' as amount
      from invoice i cross join lateral jsonb_array_elements(i.terms -> 'lateRests') with ordinality r (rest, place)
     where i.merchant_id = ${merchantId} and i.subscription_id = ${subscriptionId} and i.id <> ${invoiceId}
       and i.issued_at is not null and i.status <> 'CANCELLED'
       and not exists (
         select from invoice t
          where t.merchant_id = ${merchantId} and t.subscription_id = ${subscriptionId} and t.id <> ${invoiceId}
            and t.status <> 'CANCELLED' and t.terms -> 'lateCarried' @> jsonb_build_array(jsonb_build_object('fromInvoiceId', i.id)))
     order by i.seq, r.place`);

interface LateRow {
  of_invoice_id: string;
  price_id: string;
  group_values: Record<string, string | null>;
  billed_quantity: BilledUsage['quantity'];
  billed_event_count: number;
  billed_granted: BilledUsage['quantity'];
  quantity: BilledUsage['quantity'];
  event_count: number;
  granted: BilledUsage['quantity'];
}

/** What came late for closed periods and an invoice bills. */
export async function lateUsageOn(tx: Tx, { merchant_id: merchantId, id }: InvoiceRow): Promise<LateUsage[]> {
  const rows = await tx.rows<LateRow>(sql`
    select * from late_usage where merchant_id = ${merchantId} and invoice_id = ${id} order by seq`);
  const beside = rows.length === 0 ? [] : await otherPartsOn(tx, { merchant_id: merchantId, id });
  return [...Map.groupBy(rows, (row) => `${row.of_invoice_id} ${row.price_id}`).values()].map((those) => {
    const { of_invoice_id, price_id } = those[0] as LateRow;
    const used = beside.filter((row) => row.of_invoice_id === of_invoice_id && row.price_id === price_id);
    const until = used[0]?.until;
    const usage = (row: LateRow, prefix: 'billed_' | ''): BilledUsage => ({
      price_id,
      group_values: row.group_values,
      quantity: row[`${prefix}quantity`],
      event_count: row[`${prefix}event_count`],
      granted: row[`${prefix}granted`],
    });
    return {
      of_invoice_id,
      price_id,
      billed: those.map((row) => usage(row, 'billed_')),
      now: those.map((row) => usage(row, '')),
      ...(until && { others: { until, used } }),
    };
  });
}

export async function saveLateUsage(tx: Tx, invoice: InvoiceRow, late: readonly LateUsage[]): Promise<void> {
  for (const { of_invoice_id: ofInvoiceId, price_id: priceId, billed, now, others } of late) {
    if (others) await saveOtherParts(tx, invoice, ofInvoiceId, others);
    const keys = [...new Set([...billed, ...now].map(({ group_values }) => groupKey(group_values)))];
    for (const key of keys) {
      const of = (rows: readonly BilledUsage[]) => rows.find(({ group_values }) => groupKey(group_values) === key);
      const [before, after] = [of(billed), of(now)];
      await tx.run(sql`
        insert into late_usage (merchant_id, invoice_id, of_invoice_id, price_id, group_key, group_values,
                                billed_quantity, billed_event_count, billed_granted, quantity, event_count, granted)
        values (${invoice.merchant_id}, ${invoice.id}, ${ofInvoiceId}, ${priceId}, ${key},
                ${JSON.stringify((after ?? before)?.group_values)}::jsonb,
                ${before?.quantity ?? 0}, ${before?.event_count ?? 0}, ${before?.granted ?? 0},
                ${after?.quantity ?? 0}, ${after?.event_count ?? 0}, ${after?.granted ?? 0})`);
    }
  }
}
