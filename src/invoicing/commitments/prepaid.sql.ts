import { sql, type Tx } from '../../db/index.ts';
import type { Decimal } from '../../kernel/decimal.ts';
import type { Instant } from '../../kernel/time.ts';
import { CREDIT_COLUMNS, creditUses } from '../difference/billing-credits.sql.ts';
import { COMMITMENT_COLUMNS } from '../difference/commitments.sql.ts';
import type { InvoiceStatus } from '../invoice/states.ts';
import type { UsedCredit } from '../terms/billing-credit.ts';
import type { Commitment } from '../terms/commitment.ts';

/** A date that asked, with its invoice. */
export interface AskedDate {
  readonly place: number;
  readonly invoiceId: string;
  readonly status: InvoiceStatus;
  readonly isRefunded: boolean;
  readonly lineId: string | null;
  /** What it asked, before tax, and what credit notes over parts took off that. */
  readonly asked: Decimal;
  readonly noted: Decimal;
}

/** The dates of some commitments that asked, each with its commitment. */
export const selectAskedDates = (
  tx: Tx,
  commitmentIds: readonly string[],
): Promise<(AskedDate & { readonly commitmentId: string })[]> =>
  tx.rows<AskedDate & { readonly commitmentId: string }>(sql`
    select d.commitment_id, d.place, d.invoice_id, i.status, l.id as line_id, coalesce(l.total_price, 0) as asked,
           coalesce((
             select sum(r.amount) from credit_note c
               join credit_note_line r on r.merchant_id = c.merchant_id and r.credit_note_id = c.id
              where c.merchant_id = i.merchant_id and c.invoice_id = i.id and c.status = 'ISSUED'
                and r.applies_to_line_id = l.id), 0) as noted,
           exists (select from credit_note c
                    where c.merchant_id = i.merchant_id and c.invoice_id = i.id and c.kind = 'refund'
                      and c.status = 'ISSUED') as is_refunded
      from commitment_date d
      join invoice i on i.merchant_id = d.merchant_id and i.id = d.invoice_id
      left join invoice_line l on l.merchant_id = i.merchant_id and l.invoice_id = i.id and l.type = 'prepayment'
     where d.merchant_id = ${tx.merchantId} and d.commitment_id = any (${[...commitmentIds]}::text[])
     order by d.commitment_id, d.place`);

/** @throws where the date has asked already: the key of the table is "once" */
export const insertAskedDate = (
  tx: Tx,
  { commitmentId, place, invoiceId }: { commitmentId: string; place: number; invoiceId: string },
  now: Instant,
): Promise<number> =>
  tx.run(sql`
    insert into commitment_date (merchant_id, commitment_id, place, invoice_id, created_at)
    values (${tx.merchantId}, ${commitmentId}, ${place}, ${invoiceId}, ${now})`);

/** The billing credits that some commitments made, the oldest first. */
export const selectCreditsOfCommitments = (tx: Tx, commitmentIds: readonly string[]): Promise<UsedCredit[]> =>
  tx.rows<UsedCredit>(sql`
    select ${CREDIT_COLUMNS}, u.used, u.held from billing_credit b cross join lateral (${creditUses()}) u
     where b.merchant_id = ${tx.merchantId} and b.commitment_id = any (${[...commitmentIds]}::text[])
     order by b.seq`);

/** What of a credit goes on to another one, or back; null: nothing is decided yet. */
export const updateReleased = (tx: Tx, id: string, released: Decimal, now: Instant): Promise<number> =>
  tx.run(sql`
    update billing_credit set released = ${released}, updated_at = ${now}
     where merchant_id = ${tx.merchantId} and id = ${id}`);

/** The credits of an invoice that was given back pay nothing. */
export const updateUndone = (tx: Tx, ids: readonly string[], now: Instant): Promise<number> =>
  tx.run(sql`
    update billing_credit set is_undone = true, voided_at = coalesce(voided_at, ${now}), updated_at = ${now}
     where merchant_id = ${tx.merchantId} and id = any (${[...ids]}::text[])`);

/** The credits of a commitment burn in its place. */
export const updatePriorityOfCredits = (tx: Tx, commitmentId: string, priority: number, now: Instant) =>
  tx.run(sql`
    update billing_credit set priority = ${priority}, updated_at = ${now}
     where merchant_id = ${tx.merchantId} and commitment_id = ${commitmentId} and priority <> ${priority}`);

export const updateNextAction = (tx: Tx, id: string, nextActionAt: Instant | null, now: Instant): Promise<number> =>
  tx.run(sql`
    update commitment set next_action_at = ${nextActionAt}, updated_at = ${now}
     where merchant_id = ${tx.merchantId} and id = ${id}`);

/** The end of a subscription is set, moved or withdrawn: its prepaid commitments look at it. */
export const updateToSettle = (tx: Tx, subscriptionId: string, now: Instant): Promise<number> =>
  tx.run(sql`
    update commitment set next_action_at = ${now}, updated_at = ${now}
     where merchant_id = ${tx.merchantId} and subscription_id = ${subscriptionId} and type = 'prepaid'`);

/** Locks a commitment without waiting. @throws 55P03 if another process has it */
export const lockCommitmentNow = (tx: Tx, id: string): Promise<number> =>
  tx.run(sql`
    select from commitment where merchant_id = ${tx.merchantId} and id = ${id} for no key update nowait`);

/** The customers and subscriptions of some commitments. */
export const selectScopes = (
  tx: Tx,
  ids: readonly string[],
): Promise<Pick<Commitment, 'id' | 'customerId' | 'subscriptionId'>[]> =>
  tx.rows<Pick<Commitment, 'id' | 'customerId' | 'subscriptionId'>>(sql`
    select id, customer_id, subscription_id from commitment
     where merchant_id = ${tx.merchantId} and id = any (${[...ids]}::text[])`);

/** The prepaid commitments of all subscriptions of a customer in a currency on a clock, in their order. */
export const selectCustomerCommitments = (
  tx: Tx,
  { customerId, clockId, currency }: Pick<Commitment, 'customerId' | 'clockId' | 'currency'>,
): Promise<Commitment[]> =>
  tx.rows<Commitment>(sql`
    select ${COMMITMENT_COLUMNS} from commitment
     where merchant_id = ${tx.merchantId} and customer_id = ${customerId} and subscription_id is null
       and clock_id is not distinct from ${clockId} and currency = ${currency} and type = 'prepaid'
     order by priority, seq`);
