import { pageOfRows, recordset, sql, type Tx } from '../db/index.ts';
import type { PageRequest } from '../http/index.ts';
import { decimal, plain } from '../kernel/decimal.ts';
import { formatInstant, type Instant, type InstantText, instantOf } from '../kernel/time.ts';
import type { ScheduleInvoiceRow, ScheduleInvoiceStatus, StagedLine } from './schedule.ts';

const COLUMNS = sql`merchant_id, id, schedule_id, bill_at, correction,
  period_start, period_end, amount, lines, status, invoice_id,
  created_at, updated_at`;

type Texts<Row> = {
  readonly [Name in keyof Row]:
    | (Row[Name] extends Instant ? InstantText : string)
    | (null extends Row[Name] ? null : never);
};

interface Stored extends Omit<ScheduleInvoiceRow, 'lines'> {
  readonly lines: readonly Texts<StagedLine>[];
}

const toRow = ({ lines, ...row }: Stored): ScheduleInvoiceRow => ({
  ...row,
  lines: lines.map((line) => ({
    key: line.key,
    lineKey: line.lineKey,
    itemId: line.itemId,
    description: line.description,
    quantity: decimal(line.quantity),
    unitPrice: decimal(line.unitPrice),
    subtotal: decimal(line.subtotal),
    periodStart: instantOf(line.periodStart),
    periodEnd: instantOf(line.periodEnd),
  })),
});

const toText = (line: StagedLine): Texts<StagedLine> => ({
  key: line.key,
  lineKey: line.lineKey,
  itemId: line.itemId,
  description: line.description,
  quantity: plain(line.quantity),
  unitPrice: plain(line.unitPrice),
  subtotal: plain(line.subtotal),
  periodStart: formatInstant(line.periodStart),
  periodEnd: formatInstant(line.periodEnd),
});

/** The invoices of a schedule by their bill dates. */
export const selectScheduleInvoices = async (tx: Tx, scheduleId: string): Promise<ScheduleInvoiceRow[]> =>
  (
    await tx.rows<Stored>(sql`
      select ${COLUMNS} from schedule_invoice
       where merchant_id = ${tx.merchantId} and schedule_id = ${scheduleId} order by bill_at, correction, seq`)
  ).map(toRow);

export const selectScheduleInvoicePage = async (
  tx: Tx,
  scheduleId: string,
  status: ScheduleInvoiceStatus | undefined,
  page: PageRequest,
) => {
  const { rows, total } = await pageOfRows<Stored>(
    tx,
    {
      kind: 'scheduleInvoice',
      select: COLUMNS,
      from: sql`schedule_invoice`,
      exists: sql`merchant_id = ${tx.merchantId} and schedule_id = ${scheduleId}`,
      where: sql`(${status ?? null}::text is null or status = ${status ?? null})`,
      order: {
        keys: [
          { by: sql`bill_at`, type: 'timestamptz' },
          { by: sql`correction`, type: 'int' },
          { by: sql`seq`, type: 'bigint' },
        ],
        direction: 'asc',
      },
    },
    page,
  );
  return { rows: rows.map(toRow), total };
};

/** Staged lines are deleted and written again with the same ids. */
export const replaceStaged = async (
  tx: Tx,
  scheduleId: string,
  { deleted, written }: { readonly deleted: readonly string[]; readonly written: readonly ScheduleInvoiceRow[] },
): Promise<void> => {
  if (deleted.length > 0)
    await tx.run(sql`
      delete from schedule_invoice
       where merchant_id = ${tx.merchantId} and schedule_id = ${scheduleId} and id = any (${[...deleted]}::text[])
         and status = 'staged'`);
  if (written.length === 0) return;
  const rows = written.map((row) => ({
    merchantId: row.merchantId,
    id: row.id,
    scheduleId: row.scheduleId,
    billAt: row.billAt.toString(),
    correction: row.correction,
    periodStart: row.periodStart.toString(),
    periodEnd: row.periodEnd.toString(),
    amount: plain(row.amount),
    lines: row.lines.map(toText),
    status: row.status,
    invoiceId: row.invoiceId,
    createdAt: row.createdAt.toString(),
    updatedAt: row.updatedAt.toString(),
  }));
  await tx.run(sql`
    insert into schedule_invoice (merchant_id, id, schedule_id, bill_at, correction, period_start, period_end, amount,
                                  lines, status, invoice_id, created_at, updated_at)
    select merchant_id, id, schedule_id, bill_at, correction, period_start, period_end, amount, lines, status,
           invoice_id, created_at, updated_at
      from jsonb_populate_recordset(null::schedule_invoice, ${recordset(rows)})
     order by bill_at, correction
    on conflict (merchant_id, id) do update
       set bill_at = excluded.bill_at, correction = excluded.correction, period_start = excluded.period_start,
           period_end = excluded.period_end, amount = excluded.amount, lines = excluded.lines,
           status = excluded.status, invoice_id = excluded.invoice_id, updated_at = excluded.updated_at`);
};

/** Another invoice has the place of one that was made for a window. */
export const updateInvoiceOfWindow = async (tx: Tx, fromId: string, toId: string, now: Instant): Promise<void> => {
  await tx.run(sql`
    update schedule_invoice set invoice_id = ${toId}, updated_at = ${now}
     where merchant_id = ${tx.merchantId} and invoice_id = ${fromId}`);
};

/** The invoice of a window was withdrawn before it was issued, or it will not be made. */
export const updateToCancelled = async (tx: Tx, ids: readonly string[], now: Instant) => {
  if (ids.length === 0) return;
  await tx.run(sql`
    update schedule_invoice set status = 'cancelled', updated_at = ${now}
     where merchant_id = ${tx.merchantId} and id = any (${[...ids]}::text[])`);
};

/** The orders of these of which an invoice was made. */
export const selectPushedOrders = (tx: Tx, merchantIds: readonly string[], orderIds: readonly string[]) =>
  tx.rows<{ orderId: string }>(sql`
    select distinct s.order_id
      from billing_schedule s join schedule_invoice i on i.merchant_id = s.merchant_id and i.schedule_id = s.id
     where s.merchant_id = any (${[...merchantIds]}::text[]) and s.order_id = any (${[...orderIds]}::text[])
       and i.status = 'pushed'`);

/** A draft is deleted: nothing of it was pushed. */
export const deleteStagedOf = (tx: Tx, scheduleId: string) =>
  tx.run(sql`
    delete from schedule_invoice
     where merchant_id = ${tx.merchantId} and schedule_id = ${scheduleId} and status <> 'pushed'`);
