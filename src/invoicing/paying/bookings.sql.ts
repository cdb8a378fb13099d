import { sql, type Tx } from '../../db/index.ts';
import { type Decimal, sum } from '../../kernel/decimal.ts';
import type { InvoiceRow } from '../invoice/invoice.ts';

/** What an invoice asks for the time to come, net of tax. */
export interface SoldAhead {
  /** For the wallet. */
  readonly topUp: Decimal;
  /** For billing credits. */
  readonly advance: Decimal;
}

/** The types of lines that sell billing credits. */
const ADVANCES: readonly string[] = ['credit_purchase', 'prepayment'];

/** The same, by lines. */
export const soldAheadBy = (lines: readonly { readonly type: string; readonly totalPrice: Decimal }[]): SoldAhead => {
  const of = (types: readonly string[]) =>
    sum(lines.filter(({ type }) => types.includes(type)).map(({ totalPrice }) => totalPrice));
  return { topUp: of(['wallet_top_up']), advance: of(ADVANCES) };
};

/** The lines of an invoice for its customer's wallet and billing credits, less those that are credited. */
export const sumSoldAhead = (tx: Tx, { merchantId, id }: InvoiceRow): Promise<SoldAhead> =>
  tx.one<SoldAhead>(sql`
      select coalesce(sum(total_price) filter (where type = 'wallet_top_up'), 0) as top_up,
             coalesce(sum(total_price) filter (where type <> 'wallet_top_up'), 0) as advance
        from invoice_line
       where merchant_id = ${merchantId} and invoice_id = ${id}
         and type in ('wallet_top_up', 'credit_purchase', 'prepayment')
         and not exists (
           select from credit_note n join credit_note_line c on c.merchant_id = n.merchant_id and c.credit_note_id = n.id
            where n.merchant_id = invoice_line.merchant_id and n.invoice_id = invoice_line.invoice_id
              and n.kind = 'partial' and n.status = 'ISSUED' and c.applies_to_line_id = invoice_line.id)`);
