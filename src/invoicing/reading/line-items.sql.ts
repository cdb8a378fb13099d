import { sql, type Tx } from '../../db/index.ts';
import type { Decimal } from '../../kernel/decimal.ts';
import type { ManualLineRow } from '../drafts/manual-line.ts';
import type { InvoiceRow } from '../invoice/invoice.ts';
import type { LineRow } from '../invoice/invoice-line.ts';

/** Of one subscription, of one invoice, of both, or of the whole merchant. */
export interface LineFilter {
  readonly subscriptionId: string | null;
  readonly invoiceId: string | null;
}

const invoicesOf = (merchantId: string, { subscriptionId, invoiceId }: LineFilter) => sql`
  i.merchant_id = ${merchantId}
  and (${subscriptionId}::text is null or i.subscription_id = ${subscriptionId})
  and (${invoiceId}::text is null or i.id = ${invoiceId})`;

/** The newest invoices of open periods. */
export const selectOpenInvoices = (
  tx: Tx,
  merchantId: string,
  filter: LineFilter,
  limit: number,
): Promise<InvoiceRow[]> =>
  tx.rows<InvoiceRow>(sql`
    select i.* from invoice i where ${invoicesOf(merchantId, filter)} and i.status in ('ACTIVE', 'CLOSING')
      order by i.seq desc limit ${limit}`);

/** A window of the lines of invoices that have been calculated, those of the newest invoice first. */
export const selectInvoicedLines = (
  tx: Tx,
  merchantId: string,
  filter: LineFilter,
  { limit, offset }: { limit: number; offset: number },
): Promise<LineRow[]> =>
  tx.rows<LineRow>(sql`
    select l.* from invoice i join invoice_line l on l.merchant_id = i.merchant_id and l.invoice_id = i.id
     where ${invoicesOf(merchantId, filter)} order by i.seq desc, l.position limit ${limit} offset ${offset}`);

/** The lines of calculated invoices in one currency. */
export interface LineSums {
  readonly currency: string;
  readonly count: number;
  readonly fees: Decimal;
  readonly metered: Decimal;
}

export const sumInvoicedLines = (tx: Tx, merchantId: string, filter: LineFilter): Promise<LineSums[]> =>
  tx.rows<LineSums>(sql`
    select i.currency, count(*)::int as count, coalesce(sum(l.total_price) filter (where l.event_type = 'fee'), 0) as fees,
           coalesce(sum(l.total_price) filter (where l.event_type = 'usage'), 0) as metered
      from invoice i join invoice_line l on l.merchant_id = i.merchant_id and l.invoice_id = i.id
     where ${invoicesOf(merchantId, filter)} group by i.currency`);

export const selectInvoicesById = (tx: Tx, merchantId: string, ids: readonly string[]): Promise<InvoiceRow[]> =>
  tx.rows<InvoiceRow>(sql`select * from invoice where merchant_id = ${merchantId} and id = any (${[...ids]})`);

export const selectManualLinesById = (tx: Tx, merchantId: string, ids: readonly string[]): Promise<ManualLineRow[]> =>
  tx.rows<ManualLineRow>(sql`select * from manual_line where merchant_id = ${merchantId} and id = any (${[...ids]})`);
