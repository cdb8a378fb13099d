import { sql, type Tx } from '../../db/index.ts';
import type { Instant, Period } from '../../kernel/time.ts';
import { STATUS_OF_LINES } from '../invoice/grouped.sql.ts';

/** A series of a subscription, and the end of its last period whose usage was read. */
interface ReadSeriesRow {
  readonly subscriptionId: string;
  readonly cadence: string;
  readonly until: Instant;
}

/** Of each series of some subscriptions how far its usage was read; none where no period is closed. */
export const selectReadSeries = (tx: Tx, subscriptionIds: readonly string[]) =>
  tx.rows<ReadSeriesRow>(sql`
    select subscription_id, billing_cadence as cadence, max(period_end) as until
      from invoice
     where merchant_id = ${tx.merchantId} and subscription_id = any (${[...subscriptionIds]}::text[])
       and kind = 'subscription' and usage_mark is not null
     group by subscription_id, billing_cadence`);

/** Forgets which events were read of closed periods that end after an instant. @returns of how many */
export const deleteTaken = (tx: Tx, subscriptionIds: readonly string[], from: Instant): Promise<number> =>
  tx.run(sql`
    delete from usage_taken t using invoice i
     where t.merchant_id = ${tx.merchantId} and i.merchant_id = ${tx.merchantId} and i.id = t.invoice_id
       and i.subscription_id = any (${[...subscriptionIds]}::text[]) and i.kind = 'subscription'
       and i.period_end >= ${from}`);

/** A period of a subscription whose usage was read, and up to which event. */
export interface ReadPeriodRow {
  readonly subscriptionId: string;
  readonly cadence: string;
  readonly start: Instant;
  readonly end: Instant;
  readonly mark: bigint;
}

/**
 * The periods of some subscriptions whose usage was read for the last time: those of which an invoice is still to be
 * calculated, or a period is to be read again, are left out whole. Of these no event that comes is billed any more,
 * unless they are marked to be read again.
 */
export const selectClosedPeriods = (tx: Tx, subscriptionIds: readonly string[]) =>
  tx.rows<ReadPeriodRow>(sql`
    with read as (
      select i.subscription_id, i.billing_cadence, i.period_start, i.period_end, i.kind,
             nullif(split_part(t.snapshot, '/', 3), '')::bigint as mark,
             bool_or(i.status in ('ACTIVE', 'CLOSING', 'CLOSED', 'CALCULATING', 'FAILED')
                     or i.kind = 'subscription' and i.usage_mark is not null and t.snapshot is null)
               over (partition by i.subscription_id) as is_open
        from invoice i left join usage_taken t on t.merchant_id = i.merchant_id and t.invoice_id = i.id
       where i.merchant_id = ${tx.merchantId} and i.subscription_id = any (${[...subscriptionIds]}::text[])
         and i.reissued_as_id is null)
    select subscription_id, billing_cadence as cadence, period_start as start, period_end as end, mark
      from read where kind = 'subscription' and mark is not null and not is_open`);

/** The usage periods of a merchant's cancelled invoices in a time that are not billed again. */
export const selectCancelledPeriods = (tx: Tx, { start, end }: Period) =>
  tx.rows<Omit<ReadPeriodRow, 'mark'>>(sql`
    select subscription_id, billing_cadence as cadence, period_start as start, period_end as end
      from invoice i
     where merchant_id = ${tx.merchantId} and status = 'CANCELLED' and ${STATUS_OF_LINES} = 'CANCELLED' and kind = 'subscription' and usage_mark is not null
       and rebilled_from is null and period_start < ${end} and period_end > ${start}`);
