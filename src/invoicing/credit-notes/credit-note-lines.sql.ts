import { sql, type Tx } from '../../db/index.ts';
import type { CreditNoteLine, CreditNoteRow } from '../invoice/credit-note.ts';

/** Any credit note of an invoice. */
export const findCreditNote = (
  tx: Tx,
  merchantId: string,
  invoiceId: string,
  id: string,
): Promise<CreditNoteRow | undefined> =>
  tx.maybe<CreditNoteRow>(
    sql`select * from credit_note where merchant_id = ${merchantId} and invoice_id = ${invoiceId} and id = ${id}`,
  );

/** The invoice that a credit note is to. */
export const invoiceOfCreditNote = (
  tx: Tx,
  merchantId: string,
  id: string,
): Promise<{ invoice_id: string } | undefined> =>
  tx.maybe<{ invoice_id: string }>(
    sql`select invoice_id from credit_note where merchant_id = ${merchantId} and id = ${id}`,
  );

/** The lines of a credit note over a part, in their order. */
export const linesOfCreditNote = (tx: Tx, note: CreditNoteRow): Promise<CreditNoteLine[]> =>
  tx.rows<CreditNoteLine>(sql`
    select * from credit_note_line where merchant_id = ${note.merchant_id} and credit_note_id = ${note.id} order by position`);

/** What credit notes over parts had taken back before this one was issued, with their numbers. */
export const creditedBefore = (tx: Tx, note: CreditNoteRow): Promise<(CreditNoteLine & { number: string })[]> =>
  tx.rows<CreditNoteLine & { number: string }>(sql`
    select l.*, n.number from credit_note_line l
      join credit_note n on n.merchant_id = l.merchant_id and n.id = l.credit_note_id
     where n.merchant_id = ${note.merchant_id} and n.invoice_id = ${note.invoice_id}
       and n.seq < (select seq from credit_note where merchant_id = ${note.merchant_id} and id = ${note.id})
     order by n.seq, l.position`);

/** Writes the lines of a credit note over a part. */
export const insertCreditNoteLines = (tx: Tx, note: CreditNoteRow, lines: readonly CreditNoteLine[]): Promise<number> =>
  tx.run(sql`
    insert into credit_note_line
    select * from jsonb_populate_recordset(null::credit_note_line, ${JSON.stringify(
      lines.map((line, position) => ({
        merchant_id: note.merchant_id,
        credit_note_id: note.id,
        position,
        credit_id: line.credit_id ?? null,
        display_name: line.display_name,
        amount: line.amount.toFixed(),
        tax_amount: line.tax_amount.toFixed(),
        tax_rate: line.tax_rate.toFixed(),
        period_start: line.period_start.toString(),
        period_end: line.period_end.toString(),
      })),
    )}::jsonb)`);
