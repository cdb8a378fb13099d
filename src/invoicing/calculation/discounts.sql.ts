import { sql, type Tx } from '../../db/index.ts';
import type { InvoiceRow } from '../invoice/invoice.ts';

/** An invoice that has issued under an adjustment: it was among those taken for its calculation. */
export const selectIssuedUnderAdjustment = async (
  tx: Tx,
  subscriptionId: string,
  adjustmentId: string,
): Promise<string | undefined> => {
  const row = await tx.maybe<{ id: string }>(sql`
    select id from invoice
     where merchant_id = ${tx.merchantId} and subscription_id = ${subscriptionId}
       and (issued_at is not null or grouped_into_id is not null)
       and terms -> 'adjustments' @> ${JSON.stringify([{ id: adjustmentId }])}::jsonb
     order by seq limit 1`);
  return row?.id;
};

/** Locks the invoices that are not issued and were calculated, or are being calculated, with an adjustment. */
export const lockUnissuedUnder = (tx: Tx, subscriptionId: string, adjustmentId: string): Promise<InvoiceRow[]> =>
  tx.rows<InvoiceRow>(sql`
    select * from invoice
     where merchant_id = ${tx.merchantId} and subscription_id = ${subscriptionId} and status in ('CALCULATING', 'DRAFT')
       and terms -> 'adjustments' @> ${JSON.stringify([{ id: adjustmentId }])}::jsonb
     order by seq for update`);
