import { sql, type Tx } from '../../db/index.ts';
import type { Decimal } from '../../kernel/decimal.ts';
import type { InvoiceRow } from '../invoice/invoice.ts';

/** The top-up of an invoice for its customer's wallet: the sum of its top-up lines, which have no tax. */
export const sumTopUps = async (tx: Tx, { merchantId, id }: InvoiceRow): Promise<Decimal> =>
  (
    await tx.one<{ total: Decimal }>(sql`
      select coalesce(sum(total_amount), 0) as total from invoice_line
       where merchant_id = ${merchantId} and invoice_id = ${id} and type = 'wallet_top_up'`)
  ).total;
