import { sql, type Tx } from '../../db/index.ts';
import type { InvoiceRow } from '../invoice/invoice.ts';

/**
 * Issued invoices whose charges are a subscription's: of periods, joined or not, upfront ones, and those of what came
 * late after an end. A page of them, after the one that the last page ended with.
 */
export const selectIssuedOfSubscriptions = (tx: Tx, after: Pick<InvoiceRow, 'merchantId' | 'id'>, limit: number) =>
  tx.rows<InvoiceRow>(sql`
    select * from invoice
     where issued_at is not null and not is_copy and reissued_as_id is null
       and (kind = 'grouped' or subscription_id is not null and (kind in ('subscription', 'upfront') or kind = 'ad_hoc' and one_off is null))
       and (merchant_id, id) > (${after.merchantId}, ${after.id})
     order by merchant_id, id limit ${limit}`);
