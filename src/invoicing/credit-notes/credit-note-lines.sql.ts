import { recordset, sql, type Tx } from '../../db/index.ts';
import type { CreditNoteLine, CreditNoteRow } from '../invoice/credit-note.ts';

/** Any credit note of an invoice. */
export const selectCreditNote = (tx: Tx, invoiceId: string, id: string): Promise<CreditNoteRow | undefined> =>
  tx.maybe<CreditNoteRow>(
    sql`select * from credit_note where merchant_id = ${tx.merchantId} and invoice_id = ${invoiceId} and id = ${id}`,
  );

/** The invoice that a credit note is to. */
export const selectInvoiceOfCreditNote = (tx: Tx, id: string): Promise<{ invoiceId: string } | undefined> =>
  tx.maybe<{ invoiceId: string }>(
    sql`select invoice_id from credit_note where merchant_id = ${tx.merchantId} and id = ${id}`,
  );

/** The lines of a credit note over a part, in their order. */
export const selectLinesOfCreditNote = (tx: Tx, note: CreditNoteRow): Promise<CreditNoteLine[]> =>
  tx.rows<CreditNoteLine>(sql`
    select * from credit_note_line where merchant_id = ${note.merchantId} and credit_note_id = ${note.id}
      order by position`);

/** The credits over parts before this one was issued, with their numbers. */
export const selectLinesCreditedBefore = (
  tx: Tx,
  note: CreditNoteRow,
): Promise<(CreditNoteLine & { number: string })[]> =>
  tx.rows<CreditNoteLine & { number: string }>(sql`
    select l.*, n.number from credit_note_line l
      join credit_note n on n.merchant_id = l.merchant_id and n.id = l.credit_note_id
     where n.merchant_id = ${note.merchantId} and n.invoice_id = ${note.invoiceId} and n.kind = 'credit'
       and (n.voided_at is null or n.voided_at > ${note.createdAt})
       and n.seq < (select seq from credit_note where merchant_id = ${note.merchantId} and id = ${note.id})
     order by n.seq, l.position`);

/** Writes the lines of a credit note over a part. */
export const insertCreditNoteLines = (tx: Tx, note: CreditNoteRow, lines: readonly CreditNoteLine[]): Promise<number> =>
  tx.run(sql`
    insert into credit_note_line
    select * from jsonb_populate_recordset(null::credit_note_line, ${recordset(
      lines.map((line, position) => ({
        merchantId: note.merchantId,
        creditNoteId: note.id,
        position,
        creditId: line.creditId ?? null,
        displayName: line.displayName,
        amount: line.amount.toFixed(),
        taxAmount: line.taxAmount.toFixed(),
        taxRate: line.taxRate.toFixed(),
        periodStart: line.periodStart.toString(),
        periodEnd: line.periodEnd.toString(),
      })),
    )})`);
