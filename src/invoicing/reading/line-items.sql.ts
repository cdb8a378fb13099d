import { type PageRequest, pageOfRows, sql, type Tx } from '../../db/index.ts';
import type { Decimal } from '../../kernel/decimal.ts';
import type { ManualLineRow } from '../drafts/manual-line.ts';
import type { InvoiceRow } from '../invoice/invoice.ts';
import type { LineRow } from '../invoice/invoice-line.ts';

/** Of one subscription, of one invoice, or of both. */
export interface LineFilter {
  readonly subscriptionId: string | null;
  readonly invoiceId: string | null;
}

const invoicesOf = (merchantId: string, { subscriptionId, invoiceId }: LineFilter) => sql`
  i.merchant_id = ${merchantId}
  and (${subscriptionId}::text is null or i.subscription_id = ${subscriptionId})
  and (${invoiceId}::text is null or i.id = ${invoiceId})`;

/** The invoices of open periods, newest first. */
export const selectOpenInvoices = (tx: Tx, merchantId: string, filter: LineFilter): Promise<InvoiceRow[]> =>
  tx.rows<InvoiceRow>(sql`
    select i.* from invoice i where ${invoicesOf(merchantId, filter)} and i.status in ('ACTIVE', 'CLOSING')
      order by i.seq desc`);

/** The name of a line of an open period, which has no id yet: its place on its invoice. */
export const openLineId = (invoiceId: string, position: number): string => `${invoiceId}_${position}`;

const OPEN_LINE_ID = /^(inv_[0-9a-f]+)_(\d{1,9})$/;

/**
 * A page of the lines of invoices that have been calculated, those of the newest invoice first. It also begins behind a
 * line that was one of an open period.
 * @param sums of all of them; null: none is wanted
 */
export const selectInvoicedLines = async (
  tx: Tx,
  merchantId: string,
  filter: LineFilter,
  page: PageRequest,
  sums: LineSums | null,
): Promise<LineRow[]> => {
  const { rows } = await pageOfRows<LineRow>(
    tx,
    {
      kind: null,
      select: sql`l.*`,
      from: sql`invoice i join invoice_line l on l.merchant_id = i.merchant_id and l.invoice_id = i.id`,
      alias: 'l',
      hasId: (id) => {
        const [, invoiceId, position] = OPEN_LINE_ID.exec(id) ?? [];
        return invoiceId === undefined
          ? sql`l.id = ${id}`
          : sql`l.invoice_id = ${invoiceId} and l.position = ${position}`;
      },
      exists: invoicesOf(merchantId, filter),
      where: sums === null ? sql`false` : sql`true`,
      order: {
        keys: [
          { by: sql`i.seq`, type: 'bigint' },
          { by: sql`-l.position`, type: 'int' },
        ],
        direction: 'desc',
      },
    },
    page,
    async () => sums?.count ?? 0,
  );
  return rows;
};

export interface LineSums {
  readonly count: number;
  readonly fees: Decimal;
  readonly metered: Decimal;
}

export const sumInvoicedLines = (tx: Tx, merchantId: string, filter: LineFilter): Promise<LineSums> =>
  tx.one<LineSums>(sql`
    select count(*)::int as count, coalesce(sum(l.total_price) filter (where l.event_type = 'fee'), 0) as fees,
           coalesce(sum(l.total_price) filter (where l.event_type = 'usage'), 0) as metered
      from invoice i join invoice_line l on l.merchant_id = i.merchant_id and l.invoice_id = i.id
     where ${invoicesOf(merchantId, filter)}`);

export const selectInvoicesById = (tx: Tx, merchantId: string, ids: readonly string[]): Promise<InvoiceRow[]> =>
  tx.rows<InvoiceRow>(sql`select * from invoice where merchant_id = ${merchantId} and id = any (${[...ids]})`);

export const selectManualLinesById = (tx: Tx, merchantId: string, ids: readonly string[]): Promise<ManualLineRow[]> =>
  tx.rows<ManualLineRow>(sql`select * from manual_line where merchant_id = ${merchantId} and id = any (${[...ids]})`);
