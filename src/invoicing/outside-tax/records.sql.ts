import { jsonb, recordset, sql, type Tx } from '../../db/index.ts';
import type { Decimal } from '../../kernel/decimal.ts';
import type { Instant } from '../../kernel/time.ts';
import type { CreditNoteRow } from '../invoice/credit-note.ts';
import type { RecordStatus } from './record-states.ts';

/** A record for a provider, made once; the id is the key at the provider. */
export interface TaxRecordRow {
  merchantId: string;
  id: string;
  invoiceId: string;
  creditNoteId: string | null;
  kind: 'invoice' | 'credits' | 'credit_note' | 'void';
  /** The record that it reverses; null of a sale. */
  afterId: string | null;
  provider: 'stripe_tax';
  currency: string;
  /** The billed amount; below 0 for a reversal. */
  net: Decimal;
  tax: Decimal;
  status: RecordStatus;
  lookUps: number;
  reference: string | null;
  recordedTax: Decimal | null;
  problem: string | null;
  sentAt: Instant | null;
  clockId: string | null;
  nextActionAt: Instant | null;
  createdAt: Instant;
}

export type NewTaxRecord = Pick<
  TaxRecordRow,
  | 'merchantId'
  | 'id'
  | 'invoiceId'
  | 'creditNoteId'
  | 'kind'
  | 'afterId'
  | 'provider'
  | 'currency'
  | 'net'
  | 'tax'
  | 'clockId'
>;

/** Each is due at once. One that is there already stays. */
export const insertRecords = (tx: Tx, records: readonly NewTaxRecord[], now: Instant): Promise<number> =>
  tx.run(sql`
    insert into tax_record (merchant_id, id, invoice_id, credit_note_id, kind, after_id, provider, currency, net, tax,
                            clock_id, status, next_action_at, created_at)
    select merchant_id, id, invoice_id, credit_note_id, kind, after_id, provider, currency, net, tax, clock_id,
           'waiting', ${now}::timestamptz, ${now}::timestamptz
      from jsonb_to_recordset(${recordset(
        records.map((record) => ({ ...record, net: record.net.toFixed(), tax: record.tax.toFixed() })),
      )}) as r (merchant_id text, id text, invoice_id text, credit_note_id text, kind text, after_id text,
                provider text, currency text, net numeric, tax numeric, clock_id text)
    on conflict do nothing`);

export const selectRecord = (tx: Tx, id: string): Promise<TaxRecordRow | undefined> =>
  tx.maybe<TaxRecordRow>(sql`select * from tax_record where merchant_id = ${tx.merchantId} and id = ${id}`);

export const lockRecord = (tx: Tx, id: string): Promise<TaxRecordRow | undefined> =>
  tx.maybe<TaxRecordRow>(sql`select * from tax_record where merchant_id = ${tx.merchantId} and id = ${id} for update`);

/** The first record of an invoice that is not over. */
export const selectOpenRecord = (tx: Tx, invoiceId: string): Promise<TaxRecordRow | undefined> =>
  tx.maybe<TaxRecordRow>(sql`
    select * from tax_record
     where merchant_id = ${tx.merchantId} and invoice_id = ${invoiceId} and status in ('waiting', 'sent')
     order by seq limit 1`);

/** The fields of a record that can change. */
export type RecordChange = Partial<
  Pick<TaxRecordRow, 'lookUps' | 'reference' | 'recordedTax' | 'problem' | 'sentAt'>
> & { readonly status: RecordStatus; readonly nextActionAt: Instant | null };

/** The update says from which status, so that of two callers one finds no row. */
export const updateRecord = (
  tx: Tx,
  { merchantId, id, status: from }: TaxRecordRow,
  change: RecordChange,
  now: Instant,
): Promise<TaxRecordRow> =>
  tx.one<TaxRecordRow>(sql`
    update tax_record
       set status = ${change.status}, next_action_at = ${change.nextActionAt},
           look_ups = coalesce(${change.lookUps ?? null}::int, look_ups),
           reference = coalesce(${change.reference ?? null}::text, reference),
           recorded_tax = coalesce(${change.recordedTax ?? null}::numeric, recorded_tax),
           problem = ${change.problem ?? null}::text,
           sent_at = coalesce(${change.sentAt ?? null}::timestamptz, sent_at),
           done_at = case ${change.status} when 'done' then ${now}::timestamptz end
     where merchant_id = ${merchantId} and id = ${id} and status = ${from}
    returning *`);

/** The records of the same invoice that were made before this one, in their order. */
export const selectEarlier = (tx: Tx, { merchantId, invoiceId, id }: TaxRecordRow): Promise<TaxRecordRow[]> =>
  tx.rows<TaxRecordRow>(sql`
    select * from tax_record
     where merchant_id = ${merchantId} and invoice_id = ${invoiceId}
       and seq < (select seq from tax_record where merchant_id = ${merchantId} and id = ${id})
     order by seq`);

/** The records that waited for this one are due now, at its end. */
export const scheduleNextTaxRecord = (tx: Tx, { merchantId, invoiceId }: TaxRecordRow, now: Instant): Promise<number> =>
  tx.run(sql`
    update tax_record set next_action_at = ${now}
     where merchant_id = ${merchantId} and invoice_id = ${invoiceId} and status = 'waiting'`);

/** All tax that a provider has recorded of an invoice's own lines. */
export const sumRecordedTax = (tx: Tx, invoiceId: string): Promise<Decimal | null> =>
  tx.value<Decimal | null>(sql`
    select case when bool_and(status = 'done') then sum(recorded_tax) end as tax
      from tax_record
     where merchant_id = ${tx.merchantId} and invoice_id = ${invoiceId} and kind in ('invoice', 'credits')`);

/** The provider's id and document of a credit note. An id that it has stays: it was given out. */
export const updateNoteOutside = (
  tx: Tx,
  { merchantId, id }: { merchantId: string; id: string },
  outside: NonNullable<CreditNoteRow['outsideTax']>,
): Promise<number> =>
  tx.run(sql`
    update credit_note
       set outside_tax = ${jsonb(outside)}
                         || jsonb_build_object('reference', coalesce(outside_tax ->> 'reference', ${outside.reference}))
     where merchant_id = ${merchantId} and id = ${id}`);
