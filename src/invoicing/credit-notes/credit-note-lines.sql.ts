import { columns, recordset, sql, type Tx } from '../../db/index.ts';
import { newId } from '../../kernel/ids.ts';
import type { CreditNoteLine, CreditNoteLineRow, CreditNoteRow, ReadCreditNote } from '../invoice/credit-note.ts';

/** The customer of a credit note. */
export const CUSTOMER_OF_NOTE = sql`
  (select i.customer_id from invoice i
    where i.merchant_id = credit_note.merchant_id and i.id = credit_note.invoice_id) as customer_id`;

/** Any credit note of an invoice. */
export const selectCreditNote = (tx: Tx, invoiceId: string, id: string): Promise<ReadCreditNote | undefined> =>
  tx.maybe<ReadCreditNote>(sql`
    select *, ${CUSTOMER_OF_NOTE} from credit_note
     where merchant_id = ${tx.merchantId} and invoice_id = ${invoiceId} and id = ${id}`);

/** The invoice that a credit note is to. */
export const selectInvoiceOfCreditNote = (tx: Tx, id: string): Promise<{ invoiceId: string } | undefined> =>
  tx.maybe<{ invoiceId: string }>(
    sql`select invoice_id from credit_note where merchant_id = ${tx.merchantId} and id = ${id}`,
  );

/** The lines of a credit note over a part, in their order. */
export const selectLinesOfCreditNote = (tx: Tx, note: CreditNoteRow): Promise<CreditNoteLineRow[]> =>
  tx.rows<CreditNoteLineRow>(sql`
    select * from credit_note_line where merchant_id = ${note.merchantId} and credit_note_id = ${note.id}
      order by position`);

/** The lines of credit notes over parts, by credit note. */
export async function selectLinesOfCreditNotes(
  tx: Tx,
  notes: readonly Pick<CreditNoteRow, 'id'>[],
): Promise<ReadonlyMap<string, readonly CreditNoteLineRow[]>> {
  const lines = await tx.rows<CreditNoteLineRow & { creditNoteId: string }>(sql`
    select * from credit_note_line
     where merchant_id = ${tx.merchantId} and credit_note_id = any (${notes.map(({ id }) => id)}::text[])
     order by position`);
  return Map.groupBy(lines, ({ creditNoteId }) => creditNoteId);
}

/** The credits over parts before this one was issued, with their numbers. */
export const selectLinesCreditedBefore = (
  tx: Tx,
  note: CreditNoteRow,
): Promise<(CreditNoteLineRow & { number: string })[]> =>
  tx.rows<CreditNoteLineRow & { number: string }>(sql`
    select l.*, n.number from credit_note_line l
      join credit_note n on n.merchant_id = l.merchant_id and n.id = l.credit_note_id
     where n.merchant_id = ${note.merchantId} and n.invoice_id = ${note.invoiceId} and n.kind in ('credit', 'partial')
       and (n.voided_at is null or n.voided_at > ${note.createdAt})
       and n.seq < (select seq from credit_note where merchant_id = ${note.merchantId} and id = ${note.id})
     order by n.seq, l.position`);

/** The lines of credit notes of people that are in force on an invoice. */
export const selectPartialLines = (tx: Tx, invoiceId: string): Promise<CreditNoteLineRow[]> =>
  tx.rows<CreditNoteLineRow>(sql`
    select l.* from credit_note n
      join credit_note_line l on l.merchant_id = n.merchant_id and l.credit_note_id = n.id
     where n.merchant_id = ${tx.merchantId} and n.invoice_id = ${invoiceId} and n.kind = 'partial'
       and n.status = 'ISSUED'
     order by n.seq, l.position`);

const FIELDS = [
  'merchantId',
  'creditNoteId',
  'id',
  'position',
  'creditId',
  'priceId',
  'displayName',
  'quantity',
  'unitPrice',
  'isAmount',
  'amount',
  'taxAmount',
  'taxRate',
  'periodStart',
  'periodEnd',
] as const;

/**
 * Writes the lines of a credit note over a part. A line that names a charge applies to the line that billed it, before
 * its discounts and limits.
 */
export const insertCreditNoteLines = (tx: Tx, note: CreditNoteRow, lines: readonly CreditNoteLine[]): Promise<number> =>
  tx.run(sql`
    insert into credit_note_line (${columns(FIELDS)}, applies_to_line_id)
    select ${columns(FIELDS)}, coalesce(r.applies_to_line_id, (
           select l.id from invoice_line l
            where l.merchant_id = ${note.merchantId} and l.invoice_id = ${note.invoiceId}
              and l.price_id is not distinct from r.price_id and l.source_key is not distinct from r.source_key
              and l.period_start = r.charged_from and l.period_end = r.charged_to
              and coalesce(l.subscription_id = r.subscription_id, true)
              and l.type not in ('credit', 'grants', 'billing_credit')
            order by array_position(array['adjustment', 'maximum', 'minimum'], l.type) nulls first, l.position
            limit 1))
      from jsonb_to_recordset(${recordset(
        lines.map((line, position) => ({
          ...{ ...line, ...appliesTo(line), creditId: line.creditId ?? null },
          ...{ merchantId: note.merchantId, creditNoteId: note.id, id: newId('lineItem'), position },
        })),
      )}) r (merchant_id text, credit_note_id text, id text, position int, credit_id text, price_id text,
           display_name text, quantity numeric, unit_price numeric, is_amount boolean, amount numeric,
           tax_amount numeric, tax_rate numeric, period_start timestamptz, period_end timestamptz,
           applies_to_line_id text, source_key text, subscription_id text, charged_from timestamptz, charged_to timestamptz)`);

const appliesTo = ({ priceId, appliesTo: of = null }: CreditNoteLine) =>
  typeof of === 'string' || of === null
    ? { priceId, appliesToLineId: of, sourceKey: null, subscriptionId: null, chargedFrom: null, chargedTo: null }
    : {
        ...{ priceId, appliesToLineId: null, sourceKey: of.sourceKey, subscriptionId: of.subscriptionId },
        ...{ chargedFrom: of.from, chargedTo: of.to },
      };
