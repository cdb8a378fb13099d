import { sql, type Tx } from '../../db/index.ts';
import type { Decimal } from '../../kernel/decimal.ts';
import type { InvoiceRow } from '../invoice/invoice.ts';

/** The top-up of an invoice for its customer's wallet: its top-up lines without tax, less those that are credited. */
export const sumTopUps = async (tx: Tx, { merchantId, id }: InvoiceRow): Promise<Decimal> =>
  (
    await tx.one<{ total: Decimal }>(sql`
      select coalesce(sum(total_amount), 0) as total from invoice_line
       where merchant_id = ${merchantId} and invoice_id = ${id} and type = 'wallet_top_up'
         and not exists (
           select from credit_note n join credit_note_line c on c.merchant_id = n.merchant_id and c.credit_note_id = n.id
            where n.merchant_id = invoice_line.merchant_id and n.invoice_id = invoice_line.invoice_id
              and n.kind = 'partial' and n.status = 'ISSUED' and c.applies_to_line_id = invoice_line.id)`)
  ).total;
