import { sql, type Tx } from '../db/index.ts';
import type { InvoiceRow } from './invoices.sql.ts';

/** Issued invoices of periods, a page of them, after the one that the last page ended with. */
export const issuedOfPeriods = (tx: Tx, after: Pick<InvoiceRow, 'merchant_id' | 'id'>, limit: number) =>
  tx.rows<InvoiceRow>(sql`
    select * from invoice
     where kind = 'subscription' and issued_at is not null and usage_mark is not null
       and (merchant_id, id) > (${after.merchant_id}, ${after.id})
     order by merchant_id, id limit ${limit}`);
