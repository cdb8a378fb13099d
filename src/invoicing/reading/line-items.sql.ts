import { type PageRequest, pageOfRows, sql, type Tx } from '../../db/index.ts';
import type { Decimal } from '../../kernel/decimal.ts';
import type { ManualLineRow } from '../drafts/manual-line.ts';
import { isOfSubscription } from '../invoice/grouped.sql.ts';
import type { InvoiceRow } from '../invoice/invoice.ts';
import type { LineRow } from '../invoice/invoice-line.ts';

/** Of one subscription, of one invoice, of both, or of the whole merchant. */
export interface LineFilter {
  readonly subscriptionId: string | null;
  readonly invoiceId: string | null;
}

const invoicesOf = (merchantId: string, { subscriptionId, invoiceId }: LineFilter) => sql`
  i.merchant_id = ${merchantId}
  and ${subscriptionId === null ? sql`true` : isOfSubscription(sql`${merchantId}`, subscriptionId, sql`i`)}
  and (${invoiceId}::text is null or i.id = ${invoiceId})`;

/** On a grouped invoice several subscriptions have lines. */
const isLineOf = ({ subscriptionId }: LineFilter) =>
  subscriptionId === null ? sql`true` : sql`coalesce(l.subscription_id, ${subscriptionId}) = ${subscriptionId}`;

/** The newest invoices of open periods. */
export const selectOpenInvoices = (tx: Tx, filter: LineFilter, limit: number): Promise<InvoiceRow[]> =>
  tx.rows<InvoiceRow>(sql`
    select i.* from invoice i where ${invoicesOf(tx.merchantId, filter)} and i.status in ('ACTIVE', 'CLOSING')
      order by i.seq desc limit ${limit}`);

/** The name of a line of an open period, which has no id yet: its place on its invoice. */
export const openLineId = (invoiceId: string, position: number): string => `${invoiceId}_${position}`;

const OPEN_LINE_ID = /^(inv_[0-9a-f]+)_(\d{1,9})$/;

/**
 * A page of the lines of invoices that have been calculated, those of the newest invoice first. It also begins behind a
 * line that was one of an open period.
 * @param count of all of them; 0: none is wanted
 */
export const selectInvoicedLines = async (
  tx: Tx,
  filter: LineFilter,
  page: PageRequest,
  count: number,
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
      exists: invoicesOf(tx.merchantId, filter),
      where: count === 0 ? sql`false` : isLineOf(filter),
      order: {
        keys: [
          { by: sql`i.seq`, type: 'bigint' },
          { by: sql`-l.position`, type: 'int' },
        ],
        direction: 'desc',
      },
    },
    page,
    async () => count,
  );
  return rows;
};

/** The lines of calculated invoices in one currency. */
export interface LineSums {
  readonly currency: string;
  readonly count: number;
  readonly fees: Decimal;
  readonly metered: Decimal;
}

export const sumInvoicedLines = (tx: Tx, filter: LineFilter): Promise<LineSums[]> =>
  tx.rows<LineSums>(sql`
    select i.currency, count(*)::int as count, coalesce(sum(l.total_price) filter (where l.event_type = 'fee'), 0) as fees,
           coalesce(sum(l.total_price) filter (where l.event_type = 'usage'), 0) as metered
      from invoice i join invoice_line l on l.merchant_id = i.merchant_id and l.invoice_id = i.id
     where ${invoicesOf(tx.merchantId, filter)} and ${isLineOf(filter)} group by i.currency`);

export const selectInvoicesById = (tx: Tx, ids: readonly string[]): Promise<InvoiceRow[]> =>
  tx.rows<InvoiceRow>(sql`select * from invoice where merchant_id = ${tx.merchantId} and id = any (${[...ids]})`);

export const selectManualLinesById = (tx: Tx, ids: readonly string[]): Promise<ManualLineRow[]> =>
  tx.rows<ManualLineRow>(
    sql`select * from manual_line where merchant_id = ${tx.merchantId} and id = any (${[...ids]})`,
  );
