import { pageOfRows, sql, type Tx } from '../../db/index.ts';
import type { PageRequest } from '../../http/index.ts';
import type { InvoiceRow } from '../invoice/invoice.ts';

export interface OfCustomer {
  readonly merchantId: string;
  readonly customerId: string;
}

/** The invoices that a customer may see, newest first. */
export const selectShownOfCustomer = (
  tx: Tx,
  { merchantId, customerId }: OfCustomer,
  page: PageRequest,
): Promise<{ rows: InvoiceRow[]; total: number }> =>
  pageOfRows<InvoiceRow>(
    tx,
    {
      kind: 'invoice',
      select: sql`*`,
      from: sql`invoice`,
      where: sql`merchant_id = ${merchantId} and customer_id = ${customerId} and issued_at is not null`,
    },
    page,
  );

/** Those for which money is asked, the oldest due first. */
export const selectDueOfCustomer = (
  tx: Tx,
  { merchantId, customerId }: OfCustomer,
  most: number,
): Promise<InvoiceRow[]> =>
  tx.rows<InvoiceRow>(sql`
    select * from invoice
     where merchant_id = ${merchantId} and customer_id = ${customerId}
       and status in ('ISSUED', 'PAYMENT_FAILED') and unpaid_amount > 0 and not lives_by_session
     order by due_at, seq limit ${most}`);
