import { insertion, sql, type Tx, withJsonb } from '../../db/index.ts';
import type { Decimal } from '../../kernel/decimal.ts';
import type { Instant } from '../../kernel/time.ts';
import type { CreditNoteRow } from '../invoice/credit-note.ts';
import type { InvoiceRow } from '../invoice/invoice.ts';
import type { CreditOn, UnusedCreditRow } from './unused-credit.ts';

export async function insertUnusedCredit(tx: Tx, row: Omit<UnusedCreditRow, 'seq'>): Promise<UnusedCreditRow> {
  const { last } = await tx.one<{ last: bigint }>(sql`
    select coalesce(max(l.seq), 0) as last
      from invoice i join invoice_line l on l.merchant_id = i.merchant_id and l.invoice_id = i.id
     where i.merchant_id = ${row.merchantId} and i.subscription_id = ${row.subscriptionId}`);
  return tx.one<UnusedCreditRow>(sql`
    ${insertion('unused_credit', { ...withJsonb(row, 'workings', 'correction'), lineSeq: last })}
    returning *`);
}

/**
 * Those of some invoices of a merchant on which credits stand as lines, or lines of which a total of 0 cut something
 * off.
 */
export const selectInvoicesWithCredits = async (
  tx: Tx,
  merchantId: string,
  invoiceIds: readonly string[],
): Promise<ReadonlySet<string>> => {
  const rows = await tx.rows<{ id: string }>(sql`
    select distinct target_invoice_id as id from unused_credit
     where merchant_id = ${merchantId} and target_invoice_id = any (${[...invoiceIds]}::text[])
       and noted_amount < amount
     union
    select invoice_id from invoice_line
     where merchant_id = ${merchantId} and invoice_id = any (${[...invoiceIds]}::text[]) and workings ? 'cut'`);
  return new Set(rows.map(({ id }) => id));
};

/** Credits that are lines on an invoice, in the order of these. */
export const selectCreditsOn = async (
  tx: Tx,
  { merchantId, id }: Pick<InvoiceRow, 'merchantId' | 'id'>,
): Promise<readonly CreditOn[]> => (await selectCreditsOnInvoices(tx, merchantId, [id])).get(id) ?? [];

/** The same of some invoices of a merchant, by invoice. */
export async function selectCreditsOnInvoices(
  tx: Tx,
  merchantId: string,
  invoiceIds: readonly string[],
): Promise<ReadonlyMap<string, readonly CreditOn[]>> {
  const rows = await tx.rows<CreditOn & { targetInvoiceId: string }>(sql`
    select c.*, i.invoice_number as billed_number
      from unused_credit c join invoice i on i.merchant_id = c.merchant_id and i.id = c.invoice_id
     where c.merchant_id = ${merchantId} and c.target_invoice_id = any (${[...invoiceIds]}::text[])
       and c.noted_amount < c.amount
     order by c.seq`);
  return Map.groupBy(rows, (row) => row.targetInvoiceId);
}

/** Credit notes over the excess of an invoice's lines. */
export const selectNotesOfCredits = (
  tx: Tx,
  { merchantId, id }: Pick<InvoiceRow, 'merchantId' | 'id'>,
): Promise<{ creditId: string; number: string; amount: Decimal }[]> =>
  tx.rows<{ creditId: string; number: string; amount: Decimal }>(sql`
    select l.credit_id, n.number, l.amount
      from unused_credit c
      join credit_note_line l on l.merchant_id = c.merchant_id and l.credit_id = c.id
      join credit_note n on n.merchant_id = l.merchant_id and n.id = l.credit_note_id
     where c.merchant_id = ${merchantId} and c.target_invoice_id = ${id} and n.refund_id is null
     order by n.seq, l.position`);

/** Adds to the part of a credit in credit notes. */
export const markCredited = (
  tx: Tx,
  { merchantId, id }: UnusedCreditRow,
  amount: Decimal,
  tax: Decimal,
): Promise<number> =>
  tx.run(sql`
    update unused_credit set noted_amount = noted_amount + ${amount}, noted_tax = noted_tax + ${tax}
     where merchant_id = ${merchantId} and id = ${id}`);

/**
 * A credit note is void: what it credited is in none. A credit that only this one gave, and that is on no invoice, is
 * gone with it.
 */
export async function markNotCredited(tx: Tx, { merchantId, id }: CreditNoteRow): Promise<void> {
  const ofNote = sql`merchant_id = ${merchantId} and credit_note_id = ${id}`;
  await tx.run(sql`
    update unused_credit c set noted_amount = noted_amount - l.amount, noted_tax = noted_tax - l.tax_amount
      from credit_note_line l where l.${ofNote} and c.merchant_id = l.merchant_id and c.id = l.credit_id`);
  await tx.run(sql`
    delete from unused_credit c
     where c.merchant_id = ${merchantId} and c.noted_amount = 0 and c.target_invoice_id is null
       and c.id in (select credit_id from credit_note_line where ${ofNote})`);
}

/**
 * Takes back the credits of a subscription for time after an instant that nobody has in hand: lines of an invoice that
 * is not issued, of which nothing stands in a credit note. What is not used is worked out anew. A credit for time
 * before the instant stays where it is.
 */
export async function deleteOpenCredits(
  tx: Tx,
  merchantId: string,
  subscriptionId: string,
  after: Instant,
): Promise<OpenCredit[]> {
  if ((await selectOpenCredits(tx, merchantId, subscriptionId, after)).length === 0) return []; // as a rule
  return tx.rows<OpenCredit>(sql`
    delete from unused_credit c where ${openCredits(merchantId, subscriptionId, after)}
    returning c.invoice_id, c.price_id, c.unused_from, c.target_invoice_id`);
}

/** A credit that stood on an open invoice: what billed it, from when on it is unused, and that invoice. */
export type OpenCredit = Pick<UnusedCreditRow, 'invoiceId' | 'priceId' | 'unusedFrom' | 'targetInvoiceId'>;

/** The credits that `deleteOpenCredits` would delete. */
export const selectOpenCredits = async (
  tx: Tx,
  merchantId: string,
  subscriptionId: string,
  after: Instant,
): Promise<Pick<UnusedCreditRow, 'id' | 'invoiceId'>[]> =>
  tx.rows<Pick<UnusedCreditRow, 'id' | 'invoiceId'>>(sql`
    select c.id, c.invoice_id from unused_credit c where ${openCredits(merchantId, subscriptionId, after)}`);

const openCredits = (merchantId: string, subscriptionId: string, after: Instant) => sql`
  c.merchant_id = ${merchantId} and c.subscription_id = ${subscriptionId} and c.noted_amount = 0
    and c.unused_to > ${after}::timestamptz + interval '1 microsecond'
    and exists (select from invoice i where i.merchant_id = c.merchant_id and i.id = c.target_invoice_id
                   and i.issued_at is null and i.status <> 'CANCELLED')`;

/**
 * Has anything of an invoice been given back: by a credit, as a line elsewhere or by a credit note, or by corrections
 * of its charges on other invoices that are in force?
 */
export const isCredited = async (
  tx: Tx,
  { merchantId, id, subscriptionId }: Pick<InvoiceRow, 'merchantId' | 'id' | 'subscriptionId'>,
): Promise<boolean> =>
  (
    await tx.one<{ found: boolean }>(sql`
    select exists (select from unused_credit where merchant_id = ${merchantId} and invoice_id = ${id})
        or exists (
          select from invoice_line b
            join invoice i on i.merchant_id = b.merchant_id and i.subscription_id = ${subscriptionId} and i.id <> ${id}
             and i.status <> 'CANCELLED'
            join invoice_line l on l.merchant_id = i.merchant_id and l.invoice_id = i.id
             and l.type = case when b.price_id is null then 'commitment' else 'late_usage' end
             and l.price_id is not distinct from b.price_id
             and l.period_start < b.period_end and l.period_end > b.period_start
           where b.merchant_id = ${merchantId} and b.invoice_id = ${id}
             and (b.price_id is not null and b.type <> 'credit' or b.type = 'commitment') and b.total_amount > 0
             and not exists (select from credit_note n where n.merchant_id = i.merchant_id and n.invoice_id = i.id
                                and n.kind = 'refund' and n.status = 'ISSUED')
           group by b.id having sum(l.total_amount) < 0) as found`)
  ).found;
