import { sql, type Tx } from '../../db/index.ts';
import type { Instant } from '../../kernel/time.ts';
import { type BilledUsage, groupKey } from '../invoice/billed-usage.ts';
import type { InvoiceRow } from '../invoice/invoice.ts';

/** What other parts of a period used, and up to when. */
export interface OtherParts {
  /** The end of the last part whose usage was read. */
  readonly until: Instant;
  readonly used: readonly BilledUsage[];
}

/** All parts of the period of which an invoice is one, in their order, itself among them; alone where `closeNow` cut nothing. */
export const partsOf = (tx: Tx, invoice: InvoiceRow): Promise<InvoiceRow[]> =>
  tx.rows<InvoiceRow>(sql`
    select * from invoice
     where merchant_id = ${invoice.merchant_id} and subscription_id = ${invoice.subscription_id} and kind = 'subscription'
       and billing_cadence = ${invoice.billing_cadence}
       and coalesce(continues_from, period_start) = ${invoice.continues_from ?? invoice.period_start}
     order by period_start`);

/** Keeps what an invoice is calculated with: of its own part of a period, or of one for which it bills late usage. */
export async function saveOtherParts(
  tx: Tx,
  invoice: InvoiceRow,
  ofInvoiceId: string,
  { until, used }: OtherParts,
): Promise<void> {
  if (used.length === 0) return;
  const rows = used.map((row) => ({
    merchant_id: invoice.merchant_id,
    invoice_id: invoice.id,
    of_invoice_id: ofInvoiceId,
    price_id: row.price_id,
    group_key: groupKey(row.group_values),
    group_values: row.group_values,
    quantity: row.quantity.toFixed(),
    event_count: row.event_count,
    granted: row.granted.toFixed(),
    until: until.toString(),
  }));
  await tx.run(sql`
    insert into usage_of_parts
    select * from jsonb_populate_recordset(null::usage_of_parts, ${JSON.stringify(rows)}::jsonb)`);
}

type PartRow = BilledUsage & { readonly of_invoice_id: string; readonly until: Instant };

/** What was kept of other parts for an invoice. */
export const otherPartsOn = (
  tx: Tx,
  { merchant_id: merchantId, id }: Pick<InvoiceRow, 'merchant_id' | 'id'>,
): Promise<PartRow[]> =>
  tx.rows<PartRow>(sql`
    select of_invoice_id, until, price_id, group_values, quantity, event_count, granted from usage_of_parts
     where merchant_id = ${merchantId} and invoice_id = ${id} order by of_invoice_id, price_id, group_key`);
