import { sql, type Tx } from '../../db/index.ts';
import type { Instant } from '../../kernel/time.ts';
import type { InvoiceRow } from '../invoice/invoice.ts';
import type { ManualLineRow, Waiting } from './manual-line.ts';

export const insertManualLine = (tx: Tx, row: Omit<ManualLineRow, 'seq'>): Promise<ManualLineRow> => {
  const entries = Object.entries(row);
  return tx.one<ManualLineRow>(sql`
    insert into manual_line (${sql.join(entries.map(([name]) => sql.ref(name)))})
    values (${sql.join(entries.map(([, value]) => sql`${value}`))}) returning *`);
};

export const findManualLineByKey = (tx: Tx, merchantId: string, key: string): Promise<ManualLineRow | undefined> =>
  tx.maybe<ManualLineRow>(
    sql`select * from manual_line where merchant_id = ${merchantId} and idempotency_key = ${key}`,
  );

/** A twin with the same key waits here until this transaction ends, and then finds what it made. */
export const lockManualLineKey = (tx: Tx, merchantId: string, key: string): Promise<number> =>
  tx.run(sql`select pg_advisory_xact_lock(hashtextextended(${`manual_line:${merchantId}:${key}`}, 0))`);

const on = ({ merchant_id: merchantId, id, subscription_id: subscriptionId }: InvoiceRow, waiting: Waiting) => sql`
  merchant_id = ${merchantId} and (
    invoice_id = ${id}
    or ${waiting !== 'none'} and subscription_id = ${subscriptionId} and invoice_id is null
       and ${waiting === 'all' || waiting === 'none' ? sql`true` : sql`invoice_at <= ${waiting.until}`})`;

/** The lines that stand on an invoice, or would if its period were closed now; in the order in which they were written. */
export const manualLinesOn = (tx: Tx, invoice: InvoiceRow, waiting: Waiting): Promise<ManualLineRow[]> =>
  tx.rows<ManualLineRow>(sql`select * from manual_line where ${on(invoice, waiting)} order by seq`);

/**
 * An invoice takes its lines, for good. Each statement names whose lines it changes, so that invoices can do it side by
 * side.
 */
export async function takeManualLines(tx: Tx, invoice: InvoiceRow, waiting: Waiting, now: Instant): Promise<void> {
  const taken = sql`calculated_at = ${now}, updated_at = ${now}`;
  if (waiting !== 'none')
    await tx.run(sql`
      update manual_line set invoice_id = ${invoice.id}, ${taken}
       where merchant_id = ${invoice.merchant_id} and subscription_id = ${invoice.subscription_id}
         and invoice_id is null and calculated_at is null and ${waiting === 'all' ? sql`true` : sql`invoice_at <= ${waiting.until}`}`);
  await tx.run(sql`
    update manual_line set ${taken}
     where merchant_id = ${invoice.merchant_id} and invoice_id = ${invoice.id} and calculated_at is null`);
}

/** Lines of a subscription that no invoice that is open now would take. */
export const laterManualLines = (tx: Tx, merchantId: string, subscriptionId: string): Promise<ManualLineRow[]> =>
  tx.rows<ManualLineRow>(sql`
    select * from manual_line
     where merchant_id = ${merchantId} and subscription_id = ${subscriptionId} and calculated_at is null and invoice_id is null
     order by seq`);
