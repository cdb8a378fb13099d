import { sql, type Tx } from '../../db/index.ts';
import type { Instant } from '../../kernel/time.ts';
import type { BalanceOf } from '../../ledger/index.ts';
import type { CreditFact, EmptyInvoice, NamedNote } from './entries.ts';

/** The numbers of some invoices; those without one are left out. */
export const selectNumbersOf = (tx: Tx, ids: readonly string[]): Promise<{ id: string; number: string }[]> =>
  tx.rows<{ id: string; number: string }>(sql`
    select id, invoice_number as number from invoice
     where merchant_id = ${tx.merchantId} and id = any (${[...ids]}::text[]) and invoice_number is not null`);

/** Some credit notes by their ids, and the ones that cancelled some invoices. */
export const selectNamedNotes = (
  tx: Tx,
  ids: readonly string[],
  cancelledIds: readonly string[],
): Promise<(NamedNote & { readonly kind: string })[]> =>
  tx.rows<NamedNote & { readonly kind: string }>(sql`
    select id, number, total, invoice_id, kind from credit_note
     where merchant_id = ${tx.merchantId} and id = any (${[...ids]}::text[])
    union
    select id, number, total, invoice_id, kind from credit_note
     where merchant_id = ${tx.merchantId} and invoice_id = any (${[...cancelledIds]}::text[])
       and kind in ('cancellation', 'reissue')`);

/** The receipts of which some parts were applied. */
export const selectReceiptsOfApplications = (
  tx: Tx,
  ids: readonly string[],
): Promise<{ id: string; receiptId: string }[]> =>
  tx.rows<{ id: string; receiptId: string }>(sql`
    select id, receipt_id from receipt_application
     where merchant_id = ${tx.merchantId} and id = any (${[...ids]}::text[])`);

/** The currencies of the billing credits of a customer. */
export const selectCurrenciesOfCredits = (tx: Tx, customerId: string): Promise<string[]> =>
  tx.values<string>(sql`
    select distinct currency from billing_credit
     where merchant_id = ${tx.merchantId} and customer_id = ${customerId}`);

/** The invoices over nothing that a customer pays, by their times: the ledger knows none of them. */
export const selectEmptyInvoices = (
  tx: Tx,
  { customerId, currency }: BalanceOf,
  { from, to, most }: { readonly from: Instant; readonly to: Instant; readonly most: number },
): Promise<EmptyInvoice[]> =>
  tx.rows<EmptyInvoice>(sql`
    select issued_at as at, id, invoice_number as number from invoice
     where merchant_id = ${tx.merchantId}
       and (payer_id = ${customerId} or (customer_id = ${customerId} and payer_id is null))
       and currency = ${currency} and invoice_number is not null and grand_total = 0
       and issued_at >= ${from} and issued_at < ${to}
     order by issued_at, seq limit ${most}`);

/** The grants and voids of a customer's billing credits, and their uses on invoices with a number, by their times. */
export const selectCreditFacts = (
  tx: Tx,
  { customerId, currency }: BalanceOf,
  { from, to, most }: { readonly from: Instant; readonly to: Instant; readonly most: number },
): Promise<CreditFact[]> =>
  tx.rows<CreditFact>(sql`
    select f.at, b.id, f.what, b.name, f.amount, f.invoice_number
      from billing_credit b
     cross join lateral (
       select b.created_at as at, 'creditGranted' as what, b.amount, null as invoice_number, 0 as place
       union all
       select b.voided_at, 'creditVoided', b.amount, null, 2 where b.voided_at is not null
       union all
       select i.issued_at, 'creditUsed', -sum(l.total_price), i.invoice_number, 1
         from invoice_line l
         join invoice i on i.merchant_id = l.merchant_id and i.id = l.invoice_id
        where l.merchant_id = b.merchant_id and l.billing_credit_id = b.id and i.invoice_number is not null
        group by i.id, i.issued_at, i.invoice_number) f
     where b.merchant_id = ${tx.merchantId} and b.customer_id = ${customerId} and b.currency = ${currency}
       and f.at >= ${from} and f.at < ${to}
     order by f.at, f.place, b.seq, f.invoice_number limit ${most}`);
