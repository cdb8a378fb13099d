import { jsonb, sql, type Tx } from '../../db/index.ts';
import type { Instant } from '../../kernel/time.ts';
import type { BillingCredit } from '../terms/billing-credit.ts';

/** What is known of the credits of a customer in one currency, on one clock, since the last look. */
export interface CreditWatch {
  readonly merchantId: string;
  readonly id: string;
  readonly customerId: string;
  readonly currency: string;
  readonly clockId: string | null;
  readonly isLow: boolean;
  readonly isExhausted: boolean;
}

type Watched = Pick<BillingCredit, 'customerId' | 'currency' | 'testClockId'>;

/** Has credits of a customer looked at, from now on and at once. @param now effective now for them */
export const insertWatch = (tx: Tx, { customerId, currency, testClockId }: Watched, now: Instant): Promise<number> =>
  tx.run(sql`
    insert into credit_watch as w (merchant_id, id, customer_id, currency, clock_id, looked_at, next_action_at)
    values (${tx.merchantId}, ${`${customerId} ${currency} ${testClockId ?? ''}`}, ${customerId}, ${currency},
            ${testClockId}, ${now}, ${now})
    on conflict (merchant_id, id) do update set next_action_at = excluded.next_action_at
     where w.next_action_at is null or w.next_action_at > excluded.next_action_at`);

export const lockWatches = (tx: Tx, ids: readonly string[]): Promise<CreditWatch[]> =>
  tx.rows<CreditWatch>(sql`
    select merchant_id, id, customer_id, currency, clock_id, is_low, is_exhausted from credit_watch
     where merchant_id = ${tx.merchantId} and id = any (${[...ids]}::text[]) order by id for no key update`);

/**
 * Locks the credits and top-ups of some watches, without waiting: everybody locks these before a watch.
 * @returns the ids of the watches of which all are locked now
 */
export async function lockParentsOfWatchesNow(tx: Tx, ids: readonly string[]): Promise<ReadonlySet<string>> {
  const own = sql`w.merchant_id = ${tx.merchantId} and w.id = any (${[...ids]}::text[])`;
  const rows = await tx.rows<{ id: string }>(sql`
    with credit as (
      select w.id from credit_watch w
        join billing_credit b on b.merchant_id = ${tx.merchantId} and b.customer_id = w.customer_id
                             and b.currency = w.currency
       where ${own} order by b.id for no key update of b skip locked
    ), top_up as (
      select w.id from credit_watch w
        join credit_top_up t on t.merchant_id = ${tx.merchantId} and t.customer_id = w.customer_id
       where ${own} order by t.customer_id for no key update of t skip locked
    )
    select w.id from credit_watch w
     where ${own}
       and (select count(*) from credit c where c.id = w.id) = (
             select count(*) from billing_credit b
              where b.merchant_id = ${tx.merchantId} and b.customer_id = w.customer_id and b.currency = w.currency)
       and (select count(*) from top_up t where t.id = w.id) = (
             select count(*) from credit_top_up t
              where t.merchant_id = ${tx.merchantId} and t.customer_id = w.customer_id)`);
  return new Set(rows.map(({ id }) => id));
}

export const updateWatch = (
  tx: Tx,
  { id }: CreditWatch,
  seen: Pick<CreditWatch, 'isLow' | 'isExhausted'> & { readonly nextActionAt: Instant | null },
  now: Instant,
): Promise<number> =>
  tx.run(sql`
    update credit_watch
       set is_low = ${seen.isLow}, is_exhausted = ${seen.isExhausted}, looked_at = ${now},
           next_action_at = ${seen.nextActionAt}
     where merchant_id = ${tx.merchantId} and id = ${id}`);

/** The customers among some, of all merchants, whose credits are watched: their own, or those of who pays for them. */
export const selectWatchedCustomers = (
  tx: Tx,
  customers: readonly { readonly merchantId: string; readonly customerId: string }[],
): Promise<{ merchantId: string; customerId: string }[]> =>
  tx.rows<{ merchantId: string; customerId: string }>(sql`
    select merchant_id, customer_id
      from watched_customers(${customers.map(({ merchantId }) => merchantId)}::text[],
                             ${customers.map(({ customerId }) => customerId)}::text[])`);

/** Has the credits of some customers looked at. */
export const wakeCredits = (tx: Tx, customerIds: readonly string[]): Promise<unknown> =>
  tx.run(sql`select wake_credits(${tx.merchantId}, ${[...customerIds]}::text[])`);

/** Does any merchant have credits? */
export const hasCreditWatches = (tx: Tx): Promise<boolean> =>
  tx.value<boolean>(sql`select exists (select from credit_watch)`);

/** What credits no longer give access to; without a metric: all metered features of the subscription. */
export interface Exhausted {
  readonly customerId: string;
  readonly subscriptionId: string;
  readonly billableMetricId: string;
}

/**
 * Makes what credits no longer give to some customers what it is now.
 * @param others subscriptions of theirs that another look is about
 */
export const replaceExhausted = (
  tx: Tx,
  customerIds: readonly string[],
  exhausted: readonly Exhausted[],
  others: readonly string[],
): Promise<number> =>
  tx.run(sql`
    with wanted as (
      select x.* from jsonb_to_recordset(${jsonb(exhausted)})
        as x ("customerId" text, "subscriptionId" text, "billableMetricId" text)
    ), gone as (
      delete from exhausted_credit e
       where e.merchant_id = ${tx.merchantId} and e.customer_id = any (${[...customerIds]}::text[])
         and e.subscription_id <> all (${[...others]}::text[])
         and not exists (select from wanted w
                          where w."subscriptionId" = e.subscription_id and w."billableMetricId" = e.billable_metric_id)
    )
    insert into exhausted_credit (merchant_id, customer_id, subscription_id, billable_metric_id)
    select ${tx.merchantId}, "customerId", "subscriptionId", "billableMetricId" from wanted
    on conflict do nothing`);
