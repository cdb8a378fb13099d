import { insertion, sql, type Tx } from '../../db/index.ts';
import type { Decimal } from '../../kernel/decimal.ts';
import { type Instant, isAfter } from '../../kernel/time.ts';
import { IS_LINE_OF } from '../invoice/grouped.sql.ts';
import type { InvoiceRow } from '../invoice/invoice.ts';
import type { ManualLineRow, NewManualLine, Waiting } from './manual-line.ts';

export const insertManualLine = (tx: Tx, row: NewManualLine): Promise<ManualLineRow> =>
  tx.one<ManualLineRow>(sql`${insertion('manual_line', row)} returning *`);

export const selectManualLineByKey = (tx: Tx, key: string): Promise<ManualLineRow | undefined> =>
  tx.maybe<ManualLineRow>(
    sql`select * from manual_line where merchant_id = ${tx.merchantId} and idempotency_key = ${key}`,
  );

/** An invoice, and the lines without an invoice that it takes. */
interface TakingInvoice {
  readonly invoice: InvoiceRow;
  readonly waiting: Waiting;
}

/**
 * The lines on some invoices of one merchant if their periods were closed now, in the order of the invoices; those of
 * each in the order of their creation.
 */
export async function selectManualLinesIfClosed(
  tx: Tx,
  invoices: readonly TakingInvoice[],
): Promise<ManualLineRow[][]> {
  const rows = await tx.rows<ManualLineRow>(sql`
    select * from manual_line
     where merchant_id = ${tx.merchantId} and (
       invoice_id = any (${invoices.map(({ invoice }) => invoice.id)}::text[])
       or subscription_id = any (${invoices.map(({ invoice }) => invoice.subscriptionId)}::text[])
          and invoice_id is null and calculated_at is null and into_wallet_at is null)
     order by seq`);
  const byOwner = Map.groupBy(rows, (row) => row.invoiceId ?? row.subscriptionId);
  return invoices.map(({ invoice: { id, subscriptionId }, waiting }) =>
    [...(byOwner.get(id) ?? []), ...(byOwner.get(subscriptionId ?? '') ?? []).filter(isTakenBy(waiting))].toSorted(
      (a, b) => Number(a.seq - b.seq),
    ),
  );
}

const isTakenBy =
  (waiting: Waiting) =>
  ({ invoiceAt }: ManualLineRow): boolean =>
    waiting === 'all' || (waiting !== 'none' && !isAfter(invoiceAt, waiting.until));

/** The lines on an invoice whose usage is read, in the order of their creation. */
export const selectManualLinesOn = async (tx: Tx, { id }: InvoiceRow): Promise<readonly ManualLineRow[]> =>
  (await selectManualLinesOfInvoices(tx, [id])).get(id) ?? [];

/** The same of some invoices of one merchant, by invoice. */
export async function selectManualLinesOfInvoices(
  tx: Tx,
  invoiceIds: readonly string[],
): Promise<ReadonlyMap<string, readonly ManualLineRow[]>> {
  const rows = await tx.rows<ManualLineRow & { invoiceId: string }>(sql`
    select * from manual_line
     where merchant_id = ${tx.merchantId} and invoice_id = any (${[...invoiceIds]}::text[]) order by seq`);
  return Map.groupBy(rows, (row) => row.invoiceId);
}

/** Some invoices of one merchant, each of another subscription, take their lines, for good. */
export async function updateManualLinesTaken(tx: Tx, invoices: readonly TakingInvoice[], now: Instant): Promise<void> {
  const taken = sql`calculated_at = ${now}, updated_at = ${now}`;
  const taking = invoices.flatMap(({ invoice: { id, subscriptionId }, waiting }) =>
    waiting === 'none' ? [] : [{ id, subscriptionId, until: waiting === 'all' ? null : waiting.until }],
  );
  if (taking.length > 0)
    await tx.run(sql`
      update manual_line m set invoice_id = w.invoice_id, ${taken}
        from unnest(${taking.map(({ id }) => id)}::text[], ${taking.map(({ subscriptionId: id }) => id)}::text[],
                    ${taking.map(({ until }) => until)}::timestamptz[]) w (invoice_id, subscription_id, until)
       where m.merchant_id = ${tx.merchantId} and m.subscription_id = w.subscription_id
         and m.invoice_id is null and m.calculated_at is null and m.into_wallet_at is null
         and (w.until is null or m.invoice_at <= w.until)`);
  await tx.run(sql`
    update manual_line set ${taken}
     where merchant_id = ${tx.merchantId} and invoice_id = any (${invoices.map(({ invoice }) => invoice.id)}::text[])
       and calculated_at is null`);
}

/** Lines of a subscription, or (null) of all, that no invoice that is open now would take. */
export const selectLaterManualLines = (tx: Tx, subscriptionId: string | null): Promise<ManualLineRow[]> =>
  tx.rows<ManualLineRow>(sql`
    select * from manual_line
     where merchant_id = ${tx.merchantId} and (${subscriptionId}::text is null or subscription_id = ${subscriptionId})
       and calculated_at is null
       and invoice_id is null
       and into_wallet_at is null
     order by seq`);

/** A negative line on its invoice: its text there, and its tax. */
export type BilledManualLine = ManualLineRow & {
  readonly billedNet: Decimal;
  readonly billedGross: Decimal;
  readonly billedRate: Decimal;
};

export const selectNegativeLinesOn = (tx: Tx, invoiceIds: readonly string[]): Promise<BilledManualLine[]> =>
  tx.rows<BilledManualLine>(sql`
    select m.*, l.total_price as billed_net, l.total_amount as billed_gross, l.tax_rate as billed_rate
      from manual_line m
      join invoice i on i.merchant_id = m.merchant_id and i.id = m.invoice_id
      join invoice_line l on ${IS_LINE_OF} and l.id = m.id
     where m.merchant_id = ${tx.merchantId} and m.invoice_id = any (${[...invoiceIds]})
       and m.quantity * m.unit_price < 0
     order by m.seq`);

/** The lines on some invoices that were carried over, each with its part that has been carried on. */
export const selectCarriedLinesOn = (
  tx: Tx,
  invoiceIds: readonly string[],
): Promise<(ManualLineRow & { readonly remainder: Decimal })[]> =>
  tx.rows<ManualLineRow & { readonly remainder: Decimal }>(sql`
    select m.*, coalesce(r.unit_price, 0) as remainder
      from manual_line m
      left join manual_line r on r.merchant_id = m.merchant_id and r.carried_from_id = m.id
        and r.carried_because = 'remainder'
     where m.merchant_id = ${tx.merchantId} and m.invoice_id = any (${[...invoiceIds]}::text[])
       and m.carried_from_id is not null
     order by m.seq`);

/** Carried lines that no invoice has taken, with the invoices that could not deduct them; locked. */
export const lockWaitingCarriedLines = (
  tx: Tx,
  subscriptionId: string,
): Promise<(ManualLineRow & { readonly fromInvoiceId: string | null })[]> =>
  tx.rows<ManualLineRow & { readonly fromInvoiceId: string | null }>(sql`
    select m.*, o.invoice_id as from_invoice_id
      from manual_line m
      join manual_line o on o.merchant_id = m.merchant_id and o.id = m.carried_from_id
     where m.merchant_id = ${tx.merchantId} and m.subscription_id = ${subscriptionId} and m.carried_from_id is not null
       and m.invoice_id is null and m.calculated_at is null and m.into_wallet_at is null
     order by m.seq for update of m`);

export const updateIntoWallet = (tx: Tx, ids: readonly string[], now: Instant): Promise<number> =>
  tx.run(sql`
    update manual_line set into_wallet_at = ${now}, updated_at = ${now}
     where merchant_id = ${tx.merchantId} and id = any (${[...ids]})`);

/** Is there an invoice of a series whose period is open, or whose usage has not been read yet? It takes what waits. */
export const selectTakesLines = (tx: Tx, subscriptionId: string, cadence: string): Promise<boolean> =>
  tx.value<boolean>(sql`
    select exists (
      select from invoice
       where merchant_id = ${tx.merchantId} and subscription_id = ${subscriptionId} and kind = 'subscription'
         and billing_cadence = ${cadence} and status in ('ACTIVE', 'CLOSING')) as found`);
