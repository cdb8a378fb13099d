import { sql, type Tx } from '../../db/index.ts';
import type { Instant } from '../../kernel/time.ts';

/** A series of a subscription, and the end of its last period whose usage was read. */
interface ReadSeriesRow {
  readonly subscriptionId: string;
  readonly cadence: string;
  readonly until: Instant;
}

/** Of each series of some subscriptions how far its usage was read; none where no period is closed. */
export const selectReadSeries = (tx: Tx, merchantId: string, subscriptionIds: readonly string[]) =>
  tx.rows<ReadSeriesRow>(sql`
    select subscription_id as "subscriptionId", billing_cadence as cadence, max(period_end) as until
      from invoice
     where merchant_id = ${merchantId} and subscription_id = any (${[...subscriptionIds]}::text[])
       and kind = 'subscription' and usage_mark is not null
     group by subscription_id, billing_cadence`);

/** Forgets which events were read of closed periods that end after an instant. @returns of how many */
export const deleteTaken = (
  tx: Tx,
  merchantId: string,
  subscriptionIds: readonly string[],
  from: Instant,
): Promise<number> =>
  tx.run(sql`
    delete from usage_taken t using invoice i
     where t.merchant_id = ${merchantId} and i.merchant_id = ${merchantId} and i.id = t.invoice_id
       and i.subscription_id = any (${[...subscriptionIds]}::text[]) and i.kind = 'subscription' and i.period_end >= ${from}`);
