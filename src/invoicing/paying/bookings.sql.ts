import { sql, type Tx } from '../../db/index.ts';
import type { Decimal } from '../../kernel/decimal.ts';
import type { InvoiceRow } from '../invoice/invoice.ts';

/** What an invoice asks for the wallet of its customer: the sum of its top-up lines, which bear no tax. */
export const topUpOf = async (tx: Tx, { merchantId, id }: InvoiceRow): Promise<Decimal> =>
  (
    await tx.one<{ total: Decimal }>(sql`
      select coalesce(sum(total_amount), 0) as total from invoice_line
       where merchant_id = ${merchantId} and invoice_id = ${id} and type = 'wallet_top_up'`)
  ).total;
