import { type Sql, sql, type Tx } from '../../db/index.ts';
import type { Decimal } from '../../kernel/decimal.ts';
import type { Instant } from '../../kernel/time.ts';
import { IS_LINE_OF, STATUS_OF_LINES } from '../invoice/grouped.sql.ts';
import type { InvoiceRow } from '../invoice/invoice.ts';
import type { Commitment } from '../terms/commitment.ts';

export const COMMITMENT_COLUMNS: Sql = sql`merchant_id, id, customer_id, subscription_id, order_id, name, currency,
  type, segments, applies_to, priority, true_up, invoice_at, available_on, rollover, on_end, ended_at, end_reason, clock_id,
  next_action_at, overrides, created_at, updated_at`;

/** The commitments of a type for which the spending of a subscription counts, in their order. */
export const selectCommitmentsOf = (tx: Tx, subscriptionId: string, type: Commitment['type']): Promise<Commitment[]> =>
  tx.rows<Commitment>(sql`
    select ${COMMITMENT_COLUMNS} from commitment
     where merchant_id = ${tx.merchantId} and subscription_id = ${subscriptionId} and type = ${type}
     order by priority, seq`);

/** The commitments of some customers that agree prices, in their order. */
export const selectAgreeing = (tx: Tx, customerIds: readonly string[]): Promise<Commitment[]> =>
  tx.rows<Commitment>(sql`
    select ${COMMITMENT_COLUMNS} from commitment
     where merchant_id = ${tx.merchantId} and customer_id = any (${[...customerIds]}::text[]) and overrides <> '[]'
     order by priority, seq`);

/** The postpaid commitments of some customers in a currency on a clock, in their order. */
export const selectPostpaid = (
  tx: Tx,
  customerIds: readonly string[],
  { clockId, currency }: Pick<Commitment, 'clockId' | 'currency'>,
): Promise<Commitment[]> =>
  tx.rows<Commitment>(sql`
    select ${COMMITMENT_COLUMNS} from commitment
     where merchant_id = ${tx.merchantId} and customer_id = any (${[...customerIds]}::text[])
       and clock_id is not distinct from ${clockId} and currency = ${currency} and type = 'postpaid'
     order by priority, seq`);

/** The subscriptions of some customers in a currency on a clock that were ever billed, the oldest first. */
export const selectBilledSubscriptions = (
  tx: Tx,
  customerIds: readonly string[],
  { clockId, currency }: Pick<Commitment, 'clockId' | 'currency'>,
): Promise<string[]> =>
  tx.values<string>(sql`
    select subscription_id from invoice
     where merchant_id = ${tx.merchantId} and customer_id = any (${[...customerIds]}::text[])
       and subscription_id is not null and clock_id is not distinct from ${clockId} and currency = ${currency}
     group by subscription_id order by min(seq)`);

/** What an invoice asked of what is missing to a commitment. */
export interface AskedTrueUp {
  readonly invoiceId: string;
  readonly commitmentId: string;
  readonly segment: number;
  /** Less what the commitment gave back of it by credit notes. */
  readonly net: Decimal;
  readonly tax: Decimal;
  readonly taxRate: Decimal;
  /** What of it can be given back: nothing of an invoice that does not stand. */
  readonly left: Decimal;
  readonly leftTax: Decimal;
}

/** A line that asked it. */
export interface TrueUpLine extends AskedTrueUp {
  readonly lineId: string;
  /** By how many credit notes the commitment gave something of it back. */
  readonly notes: number;
}

/** Of a line `l`: what its credit notes come to, and those that its commitment itself has written. */
export const NOTES_ON_TRUE_UP: Sql = sql`
  select coalesce(sum(r.amount) filter (where c.status = 'ISSUED'), 0) as amount,
         coalesce(sum(r.tax_amount) filter (where c.status = 'ISSUED'), 0) as tax,
         coalesce(sum(r.amount) filter (where c.status = 'ISSUED' and k.is_own), 0) as given,
         (count(*) filter (where k.is_own))::int as notes
    from credit_note c
    join credit_note_line r on r.merchant_id = c.merchant_id and r.credit_note_id = c.id
   cross join lateral (select starts_with(c.idempotency_key, l.commitment_id || ' ') as is_own) k
   where c.merchant_id = l.merchant_id and c.invoice_id = l.invoice_id and r.applies_to_line_id = l.id`;

/**
 * What the invoices of a subscription asked, the oldest first. A cancelled one counts, unless it is billed again.
 * @param without the invoice that is calculated
 */
export const selectTrueUps = (tx: Tx, subscriptionId: string, without = ''): Promise<TrueUpLine[]> =>
  tx.rows<TrueUpLine>(sql`
    select l.invoice_id, l.id as line_id, l.commitment_id, (l.workings->'trueUp'->>'segment')::int as segment,
           l.total_price - n.given as net, l.total_tax as tax, l.tax_rate, n.notes,
           case when s.stands then l.total_price - n.amount else 0 end as left,
           case when s.stands then l.total_tax - n.tax else 0 end as left_tax
      from invoice i
      join invoice_line l on ${IS_LINE_OF} and l.type = 'true_up'
     cross join lateral (${NOTES_ON_TRUE_UP}) n
     cross join lateral (
       select ${STATUS_OF_LINES} in ('DRAFT', 'ISSUED', 'PAYMENT_FAILED', 'PAID')
              and not exists (select from credit_note c
                               where c.merchant_id = i.merchant_id and c.invoice_id = l.invoice_id and c.kind = 'refund'
                                 and c.status = 'ISSUED') as stands) s
     where i.merchant_id = ${tx.merchantId} and i.subscription_id = ${subscriptionId} and i.id <> ${without}
       and i.status in ('DRAFT', 'ISSUED', 'PAYMENT_FAILED', 'PAID', 'WRITTEN_OFF', 'CANCELLED')
       and i.rebilled_from is null
     order by l.seq`);

/** The periods of a subscription that hold an instant, or end at it. */
export const selectPeriodsAt = (tx: Tx, subscriptionId: string, at: Instant): Promise<InvoiceRow[]> =>
  tx.rows<InvoiceRow>(sql`
    select * from invoice i
     where merchant_id = ${tx.merchantId} and subscription_id = ${subscriptionId} and kind = 'subscription'
       and period_start < ${at} and period_end >= ${at} and ${STATUS_OF_LINES} <> 'CANCELLED'
     order by seq`);
