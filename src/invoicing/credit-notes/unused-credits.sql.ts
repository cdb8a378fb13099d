import { jsonb, sql, type Tx } from '../../db/index.ts';
import type { Decimal } from '../../kernel/decimal.ts';
import type { Instant } from '../../kernel/time.ts';
import type { InvoiceRow } from '../invoice/invoice.ts';
import type { ShareOfTime } from '../rating/index.ts';

/** What is given back of a charge that was billed for a time and not used. */
export interface UnusedCreditRow {
  merchant_id: string;
  id: string;
  seq: bigint;
  subscription_id: string;
  /** The invoice that billed it. */
  invoice_id: string;
  price_id: string;
  charged_from: Instant;
  charged_to: Instant;
  unused_from: Instant;
  unused_to: Instant;
  display_name: string;
  /** Net of tax, all of it. */
  amount: Decimal;
  tax_amount: Decimal;
  /** Percent. */
  tax_rate: Decimal;
  /** What of it stands in credit notes on the invoice that billed it. */
  noted_amount: Decimal;
  noted_tax: Decimal;
  /** What it was worked out from; null of credits from before that was kept. */
  workings: { readonly share: ShareOfTime; readonly billed: string; readonly before: string } | null;
  /** The invoice that bears the rest as a line; null: there is none. */
  target_invoice_id: string | null;
  /** The refund of the invoice that billed, with which it goes back; null: it is given back by itself. */
  withheld_by: string | null;
  created_at: Instant;
}

/** A charge of an issued invoice, and what was given back of it before. */
export interface BilledRow {
  invoice_id: string;
  price_id: string;
  charged_from: Instant;
  charged_to: Instant;
  display_name: string;
  amount: Decimal;
  /** What of the amount only fills up to the minimum of its price. */
  minimum: Decimal;
  tax_rate: Decimal;
  credited_amount: Decimal;
  credited_tax: Decimal;
}

/** The charges of invoices that are issued and not dropped whose time goes on after an instant, and that have a length. */
export const billedAfter = (tx: Tx, merchantId: string, subscriptionId: string, at: Instant): Promise<BilledRow[]> =>
  tx.rows<BilledRow>(sql`
    with billed as (
      select l.invoice_id, l.price_id, l.period_start, l.period_end, sum(l.total_price) as amount,
             coalesce(sum(l.total_price) filter (where l.type = 'minimum'), 0) as minimum, max(l.tax_rate) as tax_rate,
             (array_agg(l.display_name order by l.position))[1] as display_name, min(i.seq) as seq, min(l.position) as position
        from invoice i join invoice_line l on l.merchant_id = i.merchant_id and l.invoice_id = i.id
       where i.merchant_id = ${merchantId} and i.subscription_id = ${subscriptionId}
         and i.status in ('ISSUED', 'PAYMENT_FAILED', 'PAID') and i.invoice_number is not null
         and l.price_id is not null and l.line_item_type = 'charge' and l.period_end > ${at} and l.period_start < l.period_end
       group by l.invoice_id, l.price_id, l.period_start, l.period_end)
    select b.invoice_id, b.price_id, b.period_start as charged_from, b.period_end as charged_to, b.display_name, b.amount,
           b.minimum, b.tax_rate, coalesce(sum(c.amount), 0) as credited_amount, coalesce(sum(c.tax_amount), 0) as credited_tax
      from billed b left join unused_credit c
        on c.merchant_id = ${merchantId} and c.invoice_id = b.invoice_id and c.price_id = b.price_id
           and c.charged_from = b.period_start and c.charged_to = b.period_end
     group by b.invoice_id, b.price_id, b.period_start, b.period_end, b.display_name, b.amount, b.minimum, b.tax_rate, b.seq, b.position
     order by b.seq, b.position`);

export const insertUnusedCredit = (tx: Tx, row: Omit<UnusedCreditRow, 'seq'>): Promise<UnusedCreditRow> =>
  tx.one<UnusedCreditRow>(sql`
    insert into unused_credit (merchant_id, id, subscription_id, invoice_id, price_id, charged_from, charged_to, unused_from,
                               unused_to, display_name, amount, tax_amount, tax_rate, noted_amount, noted_tax,
                               target_invoice_id, withheld_by, created_at, workings)
    values (${row.merchant_id}, ${row.id}, ${row.subscription_id}, ${row.invoice_id}, ${row.price_id}, ${row.charged_from},
            ${row.charged_to}, ${row.unused_from}, ${row.unused_to}, ${row.display_name}, ${row.amount}, ${row.tax_amount},
            ${row.tax_rate}, ${row.noted_amount}, ${row.noted_tax}, ${row.target_invoice_id}, ${row.withheld_by}, ${row.created_at},
            ${jsonb(row.workings)})
    returning *`);

/** A credit, and the number of the invoice that billed. */
export interface CreditOn extends UnusedCreditRow {
  billed_number: string | null;
}

/** Those of some invoices of a merchant on which credits stand as lines. */
export const invoicesWithCredits = async (
  tx: Tx,
  merchantId: string,
  invoiceIds: readonly string[],
): Promise<ReadonlySet<string>> => {
  const rows = await tx.rows<{ id: string }>(sql`
    select distinct target_invoice_id as id from unused_credit
     where merchant_id = ${merchantId} and target_invoice_id = any (${[...invoiceIds]}::text[])
       and noted_amount < amount`);
  return new Set(rows.map(({ id }) => id));
};

/** Credits that stand on an invoice as lines, in the order of these. */
export const creditsOn = (tx: Tx, { merchant_id, id }: InvoiceRow): Promise<CreditOn[]> =>
  tx.rows<CreditOn>(sql`
    select c.*, i.invoice_number as billed_number
      from unused_credit c join invoice i on i.merchant_id = c.merchant_id and i.id = c.invoice_id
     where c.merchant_id = ${merchant_id} and c.target_invoice_id = ${id} and c.noted_amount < c.amount order by c.seq`);

/** Credit notes over what the lines of an invoice could not give back. */
export const notesOfCreditsOn = (
  tx: Tx,
  { merchant_id, id }: Pick<InvoiceRow, 'merchant_id' | 'id'>,
): Promise<{ credit_id: string; number: string; amount: Decimal }[]> =>
  tx.rows<{ credit_id: string; number: string; amount: Decimal }>(sql`
    select l.credit_id, n.number, l.amount
      from unused_credit c
      join credit_note_line l on l.merchant_id = c.merchant_id and l.credit_id = c.id
      join credit_note n on n.merchant_id = l.merchant_id and n.id = l.credit_note_id
     where c.merchant_id = ${merchant_id} and c.target_invoice_id = ${id} order by n.seq, l.position`);

/** More of a credit stands in credit notes by now. */
export const noteMore = (
  tx: Tx,
  { merchant_id, id }: UnusedCreditRow,
  amount: Decimal,
  tax: Decimal,
): Promise<number> =>
  tx.run(sql`
    update unused_credit set noted_amount = noted_amount + ${amount}, noted_tax = noted_tax + ${tax}
     where merchant_id = ${merchant_id} and id = ${id}`);

/** Takes back a credit of a charge whose price goes on after all, as long as nobody has it in hand. */
export const takeBackCredits = (
  tx: Tx,
  merchantId: string,
  of: BilledRow,
  from: Instant,
): Promise<Pick<UnusedCreditRow, 'amount' | 'tax_amount'>[]> =>
  tx.rows<Pick<UnusedCreditRow, 'amount' | 'tax_amount'>>(sql`
    delete from unused_credit c
     where c.merchant_id = ${merchantId} and c.invoice_id = ${of.invoice_id} and c.price_id = ${of.price_id}
       and c.charged_from = ${of.charged_from} and c.charged_to = ${of.charged_to} and c.unused_from < ${from}
       and c.noted_amount = 0
       and (c.withheld_by is not null
            or exists (select from invoice i where i.merchant_id = c.merchant_id and i.id = c.target_invoice_id
                          and i.issued_at is null and i.status <> 'CANCELLED'))
    returning c.amount, c.tax_amount`);

/** The refund with which credits went back is void: they are to be given back by themselves. */
export const releaseCredits = (tx: Tx, merchantId: string, refundId: string): Promise<UnusedCreditRow[]> =>
  tx.rows<UnusedCreditRow>(sql`
    with released as (
      update unused_credit set withheld_by = null
       where merchant_id = ${merchantId} and withheld_by = ${refundId} returning *)
    select * from released order by seq`);

/** Has anything of an invoice been given back, as a line elsewhere or by a credit note? */
export const isCredited = async (tx: Tx, { merchant_id, id }: InvoiceRow): Promise<boolean> =>
  (
    await tx.one<{ found: boolean }>(sql`
    select exists (
      select from unused_credit
       where merchant_id = ${merchant_id} and invoice_id = ${id} and withheld_by is null) as found`)
  ).found;
