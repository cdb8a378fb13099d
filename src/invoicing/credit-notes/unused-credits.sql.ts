import { columns, recordset, sql, type Tx } from '../../db/index.ts';
import type { Decimal } from '../../kernel/decimal.ts';
import { newId } from '../../kernel/ids.ts';
import type { Instant } from '../../kernel/time.ts';
import { usesOfCharges } from '../difference/uses-of-charges.ts';
import type { CreditNoteRow } from '../invoice/credit-note.ts';
import { IS_LINE_OF, STATUS_OF_LINES } from '../invoice/grouped.sql.ts';
import { type InvoiceRow, subscriptionsOf } from '../invoice/invoice.ts';
import { type CreditOn, givenBackBy, type UnusedCreditRow } from './unused-credit.ts';

const FIELDS = [
  'merchantId',
  'id',
  'subscriptionId',
  'invoiceId',
  'priceId',
  'chargedFrom',
  'chargedTo',
  'unusedFrom',
  'unusedTo',
  'displayName',
  'amount',
  'taxAmount',
  'taxRate',
  'notedAmount',
  'notedTax',
  'targetInvoiceId',
  'createdAt',
  'workings',
  'correction',
  'quantity',
  'unitPrice',
  'sourceKey',
  'isNote',
] as const satisfies readonly (keyof UnusedCreditRow)[];

/** A credit that is written. */
export interface NewCredit extends Omit<UnusedCreditRow, 'seq'> {
  /** The last line before it; absent: the last one of its subscription now. */
  readonly lineSeq?: bigint | undefined;
}

/**
 * Writes credits of one merchant, in their order.
 * @returns them in their order
 */
export async function insertUnusedCredits(tx: Tx, rows: readonly NewCredit[]): Promise<UnusedCreditRow[]> {
  const [first] = rows;
  if (!first) return [];
  const stored = await tx.rows<UnusedCreditRow>(sql`
    insert into unused_credit (${columns(FIELDS)}, line_seq)
    select ${columns(FIELDS)},
           coalesce(r.line_seq, (
             select coalesce(max(l.seq), 0)
               from invoice i join invoice_line l on ${IS_LINE_OF}
              where i.merchant_id = ${first.merchantId} and i.subscription_id = r.subscription_id))
      from jsonb_populate_recordset(null::unused_credit, ${recordset(rows.map((row) => ({ isNote: false, ...row })))}) r
    returning *`);
  const byId = new Map(stored.map((row) => [row.id, row]));
  return rows.map(({ id }) => byId.get(id) as UnusedCreditRow);
}

/** Writes one credit. */
export async function insertUnusedCredit(tx: Tx, row: NewCredit): Promise<UnusedCreditRow> {
  const [stored] = await insertUnusedCredits(tx, [row]);
  return stored as UnusedCreditRow;
}

/**
 * The credits of what an invoice billed are of another one with the same lines, too. What of them stands on further
 * invoices is of that one alone.
 * @returns the ids of its credits, by those of the first one's
 */
export async function insertUnusedCreditsAgain(tx: Tx, fromId: string, toId: string): Promise<Map<string, string>> {
  const ofInvoice = sql`merchant_id = ${tx.merchantId} and invoice_id = ${fromId}`;
  const rows = await tx.rows<Omit<UnusedCreditRow, 'seq'>>(sql`
    select ${columns(FIELDS)} from unused_credit where ${ofInvoice} order by seq`);
  const again = rows.map((row) => ({ ...row, id: newId('credit'), invoiceId: toId }));
  await insertUnusedCredits(tx, again);
  await tx.run(sql`
    update unused_credit set target_invoice_id = null where ${ofInvoice} and target_invoice_id is not null`);
  return new Map(rows.map(({ id }, place) => [id, again[place]?.id as string]));
}

/**
 * Those of some invoices of a merchant on which credits stand as lines, or lines of which a total of 0 cut something
 * off.
 */
export const selectInvoicesWithCredits = async (
  tx: Tx,
  invoiceIds: readonly string[],
): Promise<ReadonlySet<string>> => {
  const rows = await tx.rows<{ id: string }>(sql`
    select distinct target_invoice_id as id from unused_credit
     where merchant_id = ${tx.merchantId} and target_invoice_id = any (${[...invoiceIds]}::text[])
       and noted_amount < amount
     union
    select invoice_id from invoice_line
     where merchant_id = ${tx.merchantId} and invoice_id = any (${[...invoiceIds]}::text[]) and workings ? 'cut'`);
  return new Set(rows.map(({ id }) => id));
};

/** Credits that are lines on an invoice, in the order of these. */
export const selectCreditsOn = async (
  tx: Tx,
  { id }: Pick<InvoiceRow, 'merchantId' | 'id'>,
): Promise<readonly CreditOn[]> => (await selectCreditsOnInvoices(tx, [id])).get(id) ?? [];

/** The same of some invoices of a merchant, by invoice. */
export async function selectCreditsOnInvoices(
  tx: Tx,
  invoiceIds: readonly string[],
): Promise<ReadonlyMap<string, readonly CreditOn[]>> {
  const rows = await tx.rows<CreditOn & { targetInvoiceId: string }>(sql`
    select c.*, i.invoice_number as billed_number
      from unused_credit c join invoice i on i.merchant_id = c.merchant_id and i.id = c.invoice_id
     where c.merchant_id = ${tx.merchantId} and c.target_invoice_id = any (${[...invoiceIds]}::text[])
       and c.noted_amount < c.amount
     order by c.seq`);
  if (rows.length === 0) return new Map();
  const uses = await usesOfCharges(
    tx,
    rows.map(({ invoiceId }) => invoiceId),
    invoiceIds,
  );
  const given = givenBackBy(rows, uses);
  return Map.groupBy(
    rows.map((row, place) => ({ ...row, givesBack: given[place] ?? [] })),
    (row) => row.targetInvoiceId,
  );
}

/** Credit notes over the excess of credits that are lines of an invoice. */
export const selectNotesOfCredits = (
  tx: Tx,
  creditIds: readonly string[],
): Promise<{ creditId: string; number: string; amount: Decimal }[]> =>
  tx.rows<{ creditId: string; number: string; amount: Decimal }>(sql`
    select l.credit_id, n.number, l.amount
      from credit_note_line l
      join credit_note n on n.merchant_id = l.merchant_id and n.id = l.credit_note_id
     where l.merchant_id = ${tx.merchantId} and l.credit_id = any (${[...creditIds]}::text[]) and n.refund_id is null
     order by n.seq, l.position`);

/** The part of a credit that a credit note contains. */
export interface NotedPart {
  readonly credit: UnusedCreditRow;
  readonly part: { readonly net: Decimal; readonly tax: Decimal };
}

/** Adds to the parts of some credits of a merchant in credit notes. */
export async function markCredited(tx: Tx, noted: readonly NotedPart[]): Promise<void> {
  const some = noted.filter(({ part }) => !(part.net.isZero() && part.tax.isZero()));
  if (some.length === 0) return;
  await tx.run(sql`
    update unused_credit c set noted_amount = c.noted_amount + n.net, noted_tax = c.noted_tax + n.tax
      from unnest(${some.map(({ credit }) => credit.id)}::text[], ${some.map(({ part }) => part.net)}::numeric[],
                  ${some.map(({ part }) => part.tax)}::numeric[]) n (id, net, tax)
     where c.merchant_id = ${tx.merchantId} and c.id = n.id`);
}

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

/** A subscription, and an instant after which its time is credited anew. */
export interface TimeAfter {
  readonly subscriptionId: string;
  readonly after: Instant;
}

/**
 * Takes back the credits of some subscriptions of one merchant, for time after an instant, that nobody has in hand:
 * lines of an invoice that is not issued, of which nothing stands in a credit note. What is not used is worked out
 * anew. A credit for time before the instant stays where it is.
 */
export async function deleteOpenCredits(tx: Tx, times: readonly TimeAfter[]): Promise<OpenCredit[]> {
  const open = await selectOpenCredits(tx, times);
  if (open.length === 0) return []; // as a rule
  return tx.rows<OpenCredit>(sql`
    delete from unused_credit
     where merchant_id = ${tx.merchantId} and id = any (${open.map(({ id }) => id)}::text[])
    returning *`);
}

/** A credit that stood on an open invoice, with the last line before it. */
export type OpenCredit = UnusedCreditRow & { readonly lineSeq: bigint };

/** The credits that `deleteOpenCredits` would delete. */
export const selectOpenCredits = async (
  tx: Tx,
  times: readonly TimeAfter[],
): Promise<Pick<UnusedCreditRow, 'id' | 'invoiceId'>[]> =>
  times.length === 0
    ? []
    : tx.rows<Pick<UnusedCreditRow, 'id' | 'invoiceId'>>(sql`
    select c.id, c.invoice_id
      from unnest(${times.map(({ subscriptionId: id }) => id)}::text[],
                  ${times.map(({ after }) => after)}::timestamptz[]) q (subscription_id, after)
      join unused_credit c on c.merchant_id = ${tx.merchantId} and c.subscription_id = q.subscription_id
     where c.noted_amount = 0 and c.unused_to > q.after + interval '1 microsecond'
       and exists (select from invoice i where i.merchant_id = c.merchant_id and i.id = c.target_invoice_id
                      and i.issued_at is null and i.status <> 'CANCELLED')`);

const BESIDES = {
  nothing: { credits: sql`true`, notes: sql`kind = 'partial'` },
  notes: { credits: sql`not is_note`, notes: sql`kind <> 'partial'` },
  moving: {
    credits: sql`not is_note
      and (correction ? 'coupon'
           or exists (select from invoice_line l
                       where l.merchant_id = unused_credit.merchant_id and l.invoice_id = unused_credit.invoice_id
                         and l.type = 'billing_credit'))`,
    notes: sql`kind <> 'partial'
      and (kind <> 'credit' or refund_id is not null
           or exists (select from credit_note_line r
                        left join unused_credit c on c.merchant_id = r.merchant_id and c.id = r.credit_id
                       where r.merchant_id = n.merchant_id and r.credit_note_id = n.id
                         and c.invoice_id is distinct from n.invoice_id))`,
  },
};

/**
 * Has anything of an invoice been given back: by a credit, as a line elsewhere or by a credit note, or by corrections
 * of its charges on other invoices that are in force?
 * @param besides what does not count. `notes`: credit notes of people. `moving`: these, and credits that another
 *   invoice with the same lines can bear; not those of coupons, of refunds elsewhere, and beside billing credits
 */
export const isCredited = (
  tx: Tx,
  invoice: Pick<InvoiceRow, 'merchantId' | 'id' | 'subscriptionId' | 'sections'>,
  besides: 'nothing' | 'notes' | 'moving' = 'nothing',
): Promise<boolean> =>
  tx.value<boolean>(sql`
    select exists (select from unused_credit where merchant_id = ${tx.merchantId} and invoice_id = ${invoice.id}
                      and ${BESIDES[besides].credits})
        or exists (select from credit_note n where merchant_id = ${tx.merchantId} and invoice_id = ${invoice.id}
                      and status = 'ISSUED' and ${BESIDES[besides].notes})
        or exists (
          select from invoice_line b
            join invoice i on i.merchant_id = b.merchant_id
             and i.subscription_id = any (${subscriptionsOf(invoice)}::text[])
             and coalesce(b.subscription_id = i.subscription_id, true)
             and coalesce(i.grouped_into_id, i.id) <> ${invoice.id} and ${STATUS_OF_LINES} <> 'CANCELLED'
            join invoice_line l on ${IS_LINE_OF}
             and l.type = case when b.price_id is not null then 'late_usage' else b.type end
             and l.workings->'trueUp' is not distinct from b.workings->'trueUp'
             and l.price_id is not distinct from b.price_id
             and l.period_start < b.period_end and l.period_end > b.period_start
           where b.merchant_id = ${tx.merchantId} and b.invoice_id = ${invoice.id}
             and (b.price_id is not null and b.type <> 'credit' or b.type in ('commitment', 'true_up')) and b.total_amount > 0
             and not exists (select from credit_note n where n.merchant_id = i.merchant_id and n.invoice_id = l.invoice_id
                                and n.kind in ('refund', 'reissue') and n.status = 'ISSUED')
           group by b.id having sum(l.total_amount) < 0) as found`);
