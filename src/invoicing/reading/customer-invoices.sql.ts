import { pageOfRows, type Sql, sql, type Tx } from '../../db/index.ts';
import type { PageRequest } from '../../http/index.ts';
import type { InvoiceRow } from '../invoice/invoice.ts';

export interface OfCustomer {
  readonly merchantId: string;
  readonly customerId: string;
}

/** Those that a customer is asked to pay: its own, and of the customers for which it pays. */
const isAskedOf = ({ merchantId, customerId }: OfCustomer): Sql => sql`
  merchant_id = ${merchantId} and (payer_id = ${customerId} or (customer_id = ${customerId} and payer_id is null))`;

/** The invoices that a customer may see, newest first: those that it pays, its own, and those with sections of it. */
export const selectShownOfCustomer = (
  tx: Tx,
  of: OfCustomer,
  page: PageRequest,
): Promise<{ rows: InvoiceRow[]; total: number }> =>
  pageOfRows<InvoiceRow>(
    tx,
    {
      kind: 'invoice',
      select: sql`*`,
      from: sql`invoice`,
      where: sql`
        merchant_id = ${of.merchantId} and issued_at is not null
        and (${of.customerId} in (customer_id, payer_id)
             or id = any (array(
                  select m.grouped_into_id from invoice m
                   where m.merchant_id = ${of.merchantId} and m.customer_id = ${of.customerId}
                     and m.grouped_into_id is not null)))`,
    },
    page,
  );

/** Those for which money is asked, the oldest due first. */
export const selectDueOfCustomer = (tx: Tx, of: OfCustomer, most: number): Promise<InvoiceRow[]> =>
  tx.rows<InvoiceRow>(sql`
    select * from invoice
     where ${isAskedOf(of)}
       and status in ('ISSUED', 'PAYMENT_FAILED') and unpaid_amount > 0 and not lives_by_session
     order by due_at, seq limit ${most}`);
