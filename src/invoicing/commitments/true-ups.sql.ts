import { sql, type Tx } from '../../db/index.ts';
import type { Instant } from '../../kernel/time.ts';
import { NOTES_ON_TRUE_UP, type TrueUpLine } from '../difference/commitments.sql.ts';
import type { Commitment } from '../terms/commitment.ts';

/** A line by which an own invoice of a commitment asked something. */
type OwnTrueUp = Omit<TrueUpLine, 'tax' | 'taxRate' | 'leftTax'>;

/**
 * What own invoices of some commitments asked, the oldest first. A cancelled one counts; one in whose place another one
 * stands does not.
 */
export const selectOwnTrueUps = (tx: Tx, commitmentIds: readonly string[]): Promise<OwnTrueUp[]> =>
  tx.rows<OwnTrueUp>(sql`
    select l.commitment_id, (l.workings->'trueUp'->>'segment')::int as segment,
           l.invoice_id, l.id as line_id, l.total_price - n.given as net, n.notes,
           case when i.status in ('DRAFT', 'ISSUED', 'PAYMENT_FAILED', 'PAID')
                 and not exists (select from credit_note c
                                  where c.merchant_id = i.merchant_id and c.invoice_id = i.id and c.kind = 'refund'
                                    and c.status = 'ISSUED')
                then l.total_price - n.amount else 0 end as left
      from invoice_line l
      join invoice i on i.merchant_id = l.merchant_id and i.id = l.invoice_id
     cross join lateral (${NOTES_ON_TRUE_UP}) n
     where l.merchant_id = ${tx.merchantId}
       and l.commitment_id = any (${[...commitmentIds]}::text[])
       and i.subscription_id is null and i.reissued_as_id is null
     order by l.seq`);

/** Is one of its invoices on its way, so that it is not known what it asks? */
export const isTrueUpOnItsWay = (tx: Tx, commitmentId: string): Promise<boolean> =>
  tx.value<boolean>(sql`
    select exists (
      select from commitment_true_up t join invoice i on i.merchant_id = t.merchant_id and i.id = t.invoice_id
       where t.merchant_id = ${tx.merchantId} and t.commitment_id = ${commitmentId}
         and i.status in ('CALCULATING', 'FAILED'))`);

/** @throws where it has asked so often already: the key of the table is "once" */
export const insertOwnTrueUp = (
  tx: Tx,
  { commitmentId, segment, invoiceId }: Pick<OwnTrueUp, 'commitmentId' | 'segment' | 'invoiceId'>,
  now: Instant,
): Promise<number> =>
  tx.run(sql`
    insert into commitment_true_up (merchant_id, commitment_id, segment, number, invoice_id, created_at)
    select ${tx.merchantId}, ${commitmentId}, ${segment}::int, count(*), ${invoiceId}, ${now}
      from commitment_true_up
     where merchant_id = ${tx.merchantId} and commitment_id = ${commitmentId} and segment = ${segment}`);

/** An invoice of a period that is not calculated. */
export interface OpenPeriod {
  readonly periodStart: Instant;
  readonly periodEnd: Instant;
  readonly gracePeriodEnd: Instant;
}

/** The invoices of some subscriptions that are to be calculated. One that failed is not waited for. */
export const selectOpenPeriods = (tx: Tx, subscriptionIds: readonly string[]): Promise<OpenPeriod[]> =>
  tx.rows<OpenPeriod>(sql`
    select period_start, period_end, grace_period_end from invoice
     where merchant_id = ${tx.merchantId} and subscription_id = any (${[...subscriptionIds]}::text[])
       and status in ('ACTIVE', 'CLOSING', 'CLOSED', 'CALCULATING')`);

/** When the last invoice of some subscriptions closes that begins by an instant; null: there is none. */
export const selectLastClosing = (tx: Tx, subscriptionIds: readonly string[], by: Instant): Promise<Instant | null> =>
  tx.value<Instant | null>(sql`
    select max(grace_period_end) as at from invoice
     where merchant_id = ${tx.merchantId} and subscription_id = any (${[...subscriptionIds]}::text[])
       and period_start <= ${by}`);

type Watched = Pick<Commitment, 'id' | 'clockId'>;

export const insertTrueUpWatch = (tx: Tx, { id, clockId }: Watched, nextActionAt: Instant): Promise<number> =>
  tx.run(sql`
    insert into true_up_watch (merchant_id, id, clock_id, next_action_at)
    values (${tx.merchantId}, ${id}, ${clockId}, ${nextActionAt})`);

/** Locks the watch. @returns how many of its segments are settled */
export const lockTrueUpWatch = (tx: Tx, id: string): Promise<number> =>
  tx.value<number>(sql`
    select settled from true_up_watch where merchant_id = ${tx.merchantId} and id = ${id} for no key update`);

export const updateTrueUpWatch = (tx: Tx, id: string, settled: number, nextActionAt: Instant | null): Promise<number> =>
  tx.run(sql`
    update true_up_watch set settled = ${settled}, next_action_at = ${nextActionAt}
     where merchant_id = ${tx.merchantId} and id = ${id}`);
