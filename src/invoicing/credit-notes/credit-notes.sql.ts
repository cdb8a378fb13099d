import { insertion, type PageRequest, pageOfRows, sql, type Tx } from '../../db/index.ts';
import { type Decimal, ZERO } from '../../kernel/decimal.ts';
import { newId } from '../../kernel/ids.ts';
import type { Instant } from '../../kernel/time.ts';
import type { CreditNoteRow, ReadCreditNote } from '../invoice/credit-note.ts';
import type { InvoiceRow } from '../invoice/invoice.ts';
import { drawNumbers } from '../invoice/invoices.sql.ts';
import { creditNoteNumber } from '../invoice/numbering.ts';
import { recordCreditNote } from '../outside-tax/records.ts';
import { CUSTOMER_OF_NOTE } from './credit-note-lines.sql.ts';

/**
 * Issues a credit note over all of an invoice that others leave; its number is drawn in this transaction (domain.md
 * §4).
 */
export async function insertCreditNote(
  tx: Tx,
  invoice: InvoiceRow,
  kind: 'refund' | 'cancellation' | 'reissue',
  reason: string | null,
  now: Instant,
): Promise<CreditNoteRow> {
  const credited = await sumCreditNotes(tx, invoice);
  const remainder = { amount: invoice.subtotal.minus(credited.amount), tax: invoice.totalTax.minus(credited.tax) };
  return issueCreditNote(tx, invoice, kind, remainder, { reason, refundId: null }, now);
}

/** Issues a credit note over a part of an invoice. */
export const insertPartCreditNote = (
  tx: Tx,
  invoice: InvoiceRow,
  part: NotedAmounts,
  why: NoteFacts,
  now: Instant,
  kind: 'credit' | 'partial' = 'credit',
): Promise<CreditNoteRow> => issueCreditNote(tx, invoice, kind, part, why, now);

type NoteFacts = Pick<CreditNoteRow, 'reason' | 'refundId'> &
  Partial<Pick<CreditNoteRow, 'settlement' | 'toppedUp' | 'advanced' | 'idempotencyKey' | 'idempotencyPrint'>>;

/** Net of tax, and its tax. */
interface NotedAmounts {
  readonly amount: Decimal;
  readonly tax: Decimal;
}

async function issueCreditNote(
  tx: Tx,
  invoice: InvoiceRow,
  kind: CreditNoteRow['kind'],
  { amount, tax }: NotedAmounts,
  why: NoteFacts,
  now: Instant,
): Promise<CreditNoteRow> {
  const number = creditNoteNumber(await drawNumbers(tx, 'credit_note', 1, invoice.clockId, now));
  const note = await tx.one<CreditNoteRow>(sql`
    ${insertion('credit_note', {
      ...{ merchantId: invoice.merchantId, id: newId('refund'), kind, invoiceId: invoice.id, number },
      ...{ amount, taxAmount: tax, total: amount.plus(tax), currency: invoice.currency, status: 'ISSUED' },
      ...{ ...why, createdAt: now },
    })} returning *`);
  await recordCreditNote(tx, invoice, note, now);
  return note;
}

/** The amounts of some invoices of a merchant in credit notes over parts that are not void, by invoice. */
export async function selectSumsOfCreditNotes(
  tx: Tx,
  invoiceIds: readonly string[],
): Promise<(invoiceId: string) => NotedAmounts> {
  const rows = await tx.rows<NotedAmounts & { invoiceId: string }>(sql`
    select invoice_id, sum(amount) as amount, sum(tax_amount) as tax from credit_note
     where merchant_id = ${tx.merchantId} and invoice_id = any (${[...invoiceIds]}::text[]) and kind in ('credit', 'partial')
       and status = 'ISSUED'
     group by invoice_id`);
  const sums = new Map(rows.map(({ invoiceId, amount, tax }) => [invoiceId, { amount, tax }]));
  return (invoiceId) => sums.get(invoiceId) ?? { amount: ZERO, tax: ZERO };
}

/** The amounts of one invoice in credit notes over parts that are not void. */
export const sumCreditNotes = async (tx: Tx, { id }: InvoiceRow): Promise<NotedAmounts> =>
  (await selectSumsOfCreditNotes(tx, [id]))(id);

/** The credit note over all of an invoice that is in force; at most one (unique index `one_unvoided_credit_note`). */
export const selectUnvoidedCreditNote = (tx: Tx, invoice: InvoiceRow): Promise<CreditNoteRow | undefined> =>
  tx.maybe<CreditNoteRow>(sql`
    select * from credit_note
     where merchant_id = ${invoice.merchantId} and invoice_id = ${invoice.id} and status = 'ISSUED'
       and kind not in ('credit', 'partial')`);

/** The credit notes over parts of an invoice that are in force, the oldest first. */
export const selectPartNotes = (tx: Tx, invoiceId: string): Promise<CreditNoteRow[]> =>
  tx.rows<CreditNoteRow>(sql`
    select * from credit_note
     where merchant_id = ${tx.merchantId} and invoice_id = ${invoiceId} and kind in ('partial', 'credit')
       and status = 'ISSUED'
     order by seq`);

/** Locks a credit note of this kind of an invoice: a refund, or one of a person over a part. */
export const lockCreditNote = (
  tx: Tx,
  invoice: InvoiceRow,
  id: string,
  kind: 'refund' | 'partial',
): Promise<CreditNoteRow | undefined> =>
  tx.maybe<CreditNoteRow>(sql`
    select * from credit_note
     where merchant_id = ${invoice.merchantId} and invoice_id = ${invoice.id} and id = ${id}
       and kind = ${kind} for update`);

export const selectCreditNoteByKey = (tx: Tx, key: string): Promise<CreditNoteRow | undefined> =>
  tx.maybe<CreditNoteRow>(
    sql`select * from credit_note where merchant_id = ${tx.merchantId} and idempotency_key = ${key}`,
  );

/** Locks the credit notes that give back what credits had paid of a refunded invoice. */
export const lockNotesOfRefund = (tx: Tx, { merchantId, id }: CreditNoteRow): Promise<CreditNoteRow[]> =>
  tx.rows<CreditNoteRow>(sql`
    select * from credit_note
     where merchant_id = ${merchantId} and refund_id = ${id} and status = 'ISSUED' order by seq for update`);

export const markCreditNoteVoided = (
  tx: Tx,
  note: CreditNoteRow,
  reason: string | null,
  now: Instant,
): Promise<CreditNoteRow> =>
  tx.one<CreditNoteRow>(sql`
    update credit_note set status = 'VOIDED', voided_at = ${now}, void_reason = ${reason}
     where merchant_id = ${note.merchantId} and id = ${note.id} and status = 'ISSUED' returning *`);

export const selectRefunds = (tx: Tx, invoiceId: string, page: PageRequest) =>
  pageOfRows<CreditNoteRow>(
    tx,
    {
      kind: 'refund',
      select: sql`*`,
      from: sql`credit_note`,
      exists: sql`merchant_id = ${tx.merchantId} and invoice_id = ${invoiceId} and kind = 'refund'`,
    },
    page,
  );

/** The newest credit notes on an invoice, newest first. */
export const selectNewestCreditNotes = (tx: Tx, invoiceId: string, most: number): Promise<CreditNoteRow[]> =>
  tx.rows<CreditNoteRow>(sql`
    select * from credit_note where merchant_id = ${tx.merchantId} and invoice_id = ${invoiceId}
     order by seq desc limit ${most}`);

/** The refunds in force of some invoices; the index allows one of each. */
export const selectRefundsInForce = (tx: Tx, invoiceIds: readonly string[]): Promise<CreditNoteRow[]> =>
  tx.rows<CreditNoteRow>(sql`
    select * from credit_note
     where merchant_id = ${tx.merchantId} and invoice_id = any (${[...invoiceIds]}::text[])
       and kind = 'refund' and status = 'ISSUED'`);

/** All credit notes on an invoice, newest first: its refunds, its cancellation, and those over a part. */
export const selectCreditNotes = (tx: Tx, invoiceId: string, page: PageRequest) =>
  pageOfRows<ReadCreditNote>(
    tx,
    {
      kind: 'refund',
      select: sql`*, ${CUSTOMER_OF_NOTE}`,
      from: sql`credit_note`,
      exists: sql`merchant_id = ${tx.merchantId} and invoice_id = ${invoiceId}`,
    },
    page,
  );
