import {
  allOf,
  assignments,
  type Changed,
  column,
  insertion,
  isChanged,
  jsonb,
  keptTotal,
  type PageRequest,
  pageOfRows,
  recordset,
  type Sql,
  sql,
  type Tx,
  withJsonb,
} from '../../db/index.ts';
import { changedUpfront } from '../../invoicing/index.ts';
import type { Instant, Period } from '../../kernel/time.ts';
import { changedSessions } from '../../payments/index.ts';
import type { NewSubscription, SubscriptionRow, SubscriptionStatus } from './subscription.ts';

export const insertSubscription = (tx: Tx, subscription: NewSubscription, now: Instant): Promise<SubscriptionRow> => {
  const row = {
    ...withJsonb(subscription, 'metadata', 'redirectUrls', 'quantities', 'priceOverrides'),
    createdAt: now,
    updatedAt: now,
  };
  return tx.one<SubscriptionRow>(sql`${insertion('subscription', row)} returning *`);
};

/** A subscription of the merchant. */
export const selectSubscription = (tx: Tx, id: string): Promise<SubscriptionRow | undefined> =>
  tx.maybe<SubscriptionRow>(sql`select * from subscription where merchant_id = ${tx.merchantId} and id = ${id}`);

export const selectSubscriptionsById = (tx: Tx, ids: readonly string[]): Promise<SubscriptionRow[]> =>
  tx.rows<SubscriptionRow>(
    sql`select * from subscription where merchant_id = ${tx.merchantId} and id = any (${[...ids]}::text[])`,
  );

/**
 * Locks a subscription; taken before its invoices (reliability: merchant, customer, subscription, invoice). Not against
 * rows that only refer to it: a worker that holds an invoice opens the next one, and its foreign key would close the
 * circle.
 */
export const lockSubscription = (tx: Tx, id: string): Promise<SubscriptionRow | undefined> =>
  tx.maybe<SubscriptionRow>(sql`
    select * from subscription where merchant_id = ${tx.merchantId} and id = ${id} for no key update`);

/** The same without waiting. @throws 55P03 if another process has it */
export const lockSubscriptionNow = (tx: Tx, id: string): Promise<SubscriptionRow | undefined> =>
  tx.maybe<SubscriptionRow>(sql`
    select * from subscription where merchant_id = ${tx.merchantId} and id = ${id} for no key update nowait`);

/** Locks the free ones of some subscriptions, without waiting. @returns their ids */
export const lockFreeSubscriptions = (tx: Tx, ids: readonly string[]): Promise<string[]> =>
  tx.values<string>(sql`
    select id from subscription where merchant_id = ${tx.merchantId} and id = any (${[...ids]}::text[])
     order by id for no key update skip locked`);

/** Locks some subscriptions, in the order of their ids. @returns them in the order of their creation */
export const lockSubscriptions = (tx: Tx, ids: readonly string[]): Promise<SubscriptionRow[]> =>
  tx.rows<SubscriptionRow>(sql`
    with locked as materialized (
      select * from subscription
       where merchant_id = ${tx.merchantId} and id = any (${[...ids]}::text[]) order by id for no key update)
    select * from locked order by seq`);

/** The same without waiting. @throws 55P03 if another process has one */
export const lockSubscriptionsNow = (tx: Tx, ids: readonly string[]): Promise<number> =>
  tx.run(sql`
    select from subscription where merchant_id = ${tx.merchantId} and id = any (${[...ids]}::text[])
     order by id for no key update nowait`);

export const selectSubscriptionByKey = (tx: Tx, key: string): Promise<SubscriptionRow | undefined> =>
  tx.maybe<SubscriptionRow>(
    sql`select * from subscription where merchant_id = ${tx.merchantId} and idempotency_key = ${key}`,
  );

export type SubscriptionChanges = Partial<
  Pick<
    SubscriptionRow,
    | 'name'
    | 'metadata'
    | 'status'
    | 'bankTransferOnly'
    | 'autoApprove'
    | 'autoCharge'
    | 'creditsRequired'
    | 'taxExempt'
    | 'paymentTermDays'
    | 'renewalReminderEnabled'
    | 'renewalReminderDays'
    | 'endingAt'
    | 'terminatedAt'
    | 'terminatedBy'
    | 'terminationReason'
    | 'endCredit'
    | 'billingOpened'
    | 'billingAnchor'
    | 'planId'
    | 'planVersionId'
    | 'planVersionNumber'
    | 'quantities'
    | 'redemptions'
    | 'activatedAt'
    | 'remindedPeriod'
    | 'nextActionAt'
    | 'pauses'
    | 'billingStartsAt'
    | 'trialEnd'
    | 'trialEndsTold'
  >
>;

export const updateSubscription = (
  tx: Tx,
  subscription: SubscriptionRow,
  changes: SubscriptionChanges,
  now: Instant,
): Promise<SubscriptionRow> =>
  tx.one<SubscriptionRow>(sql`
    update subscription set ${assignments({
      ...changes,
      metadata: changes.metadata === undefined ? undefined : jsonb(changes.metadata),
      quantities: changes.quantities === undefined ? undefined : jsonb(changes.quantities),
      pauses: changes.pauses === undefined ? undefined : jsonb(changes.pauses),
      redemptions: changes.redemptions === undefined ? undefined : jsonb(changes.redemptions),
      trialEndsTold: changes.trialEndsTold === undefined ? undefined : jsonb(changes.trialEndsTold),
      updatedAt: now,
    })}
     where merchant_id = ${subscription.merchantId} and id = ${subscription.id} and status = ${subscription.status}
    returning *`);

/** Those of some customers that give access to metered features only while there are credits. */
export const selectRequiringCredits = (tx: Tx, customerIds: readonly string[]): Promise<string[]> =>
  tx.values<string>(sql`
    select id from subscription
     where merchant_id = ${tx.merchantId} and customer_id = any (${[...customerIds]}::text[]) and credits_required
       and status <> 'terminated'
     order by id`);

/** From now on its spending counts for a commitment. */
export const markCommitted = (tx: Tx, id: string): Promise<number> =>
  tx.run(sql`update subscription set is_committed = true where merchant_id = ${tx.merchantId} and id = ${id}`);

const PINNED = [
  ...(['planId', 'planVersionId', 'planVersionNumber', 'currency', 'quantities', 'priceOverrides'] as const),
  ...(['billingAnchor', 'nextActionAt'] as const),
] as const;

/**
 * Stores the plan versions, the quantities, the agreed prices and what follows from them of some subscriptions of one
 * merchant. @returns them in their order @throws where one of them is not in its status any more
 */
export async function updatePinned(
  tx: Tx,
  rows: readonly Pick<SubscriptionRow, 'id' | 'status' | (typeof PINNED)[number]>[],
  now: Instant,
): Promise<SubscriptionRow[]> {
  if (rows.length === 0) return [];
  const pinned = rows.map((row) =>
    Object.fromEntries((['id', 'status', ...PINNED] as const).map((name) => [name, row[name]])),
  );
  const stored = await tx.rows<SubscriptionRow>(sql`
    update subscription s
       set ${sql.join(PINNED.map((name) => sql`${column(name)} = u.${column(name)}`))}, updated_at = ${now}
      from jsonb_populate_recordset(null::subscription, ${recordset(pinned)}) u
     where s.merchant_id = ${tx.merchantId} and s.id = u.id and s.status is not distinct from u.status
    returning s.*`);
  if (stored.length !== rows.length) throw new Error('A subscription moved on while it was locked.');
  const byId = new Map(stored.map((row) => [row.id, row]));
  return rows.map(({ id }) => byId.get(id) as SubscriptionRow);
}

/** When a subscription that is active acts next, and the last period whose renewal was told of. */
export type Reminded = Pick<SubscriptionRow, 'id' | 'remindedPeriod' | 'nextActionAt'>;

/** Stores what became of some active subscriptions of one merchant. @throws where one is not active any more */
export async function updateReminded(tx: Tx, rows: readonly Reminded[], now: Instant): Promise<void> {
  if (rows.length === 0) return;
  const kept = rows.map(({ id, remindedPeriod, nextActionAt }) => ({ id, remindedPeriod, nextActionAt }));
  const count = await tx.run(sql`
    update subscription s
       set reminded_period = u.reminded_period, next_action_at = u.next_action_at, updated_at = ${now}
      from jsonb_to_recordset(${recordset(kept)}) as u (id text, reminded_period int, next_action_at timestamptz)
     where s.merchant_id = ${tx.merchantId} and s.id = u.id and s.status = 'active'`);
  if (count !== rows.length) throw new Error('A subscription moved on while it was locked.');
}

export interface SubscriptionFilters {
  customerId?: string;
  consumerId?: string;
  planId?: string;
  status?: SubscriptionStatus;
  startedBefore?: Instant;
  ending?: boolean;
  updatedFrom?: Instant;
  testClockId?: string;
}

/** A subscription that waits for its first payment shows it: the invoice and the payment session. */
const changedSubscriptions = (changed: Changed): Sql =>
  isChanged('subscription', changed, [
    { column: 'id', changed: changedUpfront(changed) },
    { column: 'id', changed: changedSessions('subscription_id', changed) },
  ]);

/** The newest subscriptions of a customer, newest first. */
export const selectSubscriptionsOfCustomer = (tx: Tx, customerId: string, most: number): Promise<SubscriptionRow[]> =>
  tx.rows<SubscriptionRow>(sql`
    select * from subscription where merchant_id = ${tx.merchantId} and customer_id = ${customerId}
     order by seq desc limit ${most}`);

/** Active, with an end (the partial index `subscription_ending` has the same words). */
const isEnding = sql`status = 'active' and ending_at is not null`;

/** How many subscriptions of the merchant are active and will end. */
export const countEnding = (tx: Tx): Promise<number> =>
  tx.value<number>(
    sql`select count(*)::int as count from subscription where merchant_id = ${tx.merchantId} and ${isEnding}`,
  );

/** A page of subscriptions, newest first; of all merchants where `merchantId` is null. */
export const selectSubscriptions = (
  tx: Tx,
  merchantId: string | null,
  filters: SubscriptionFilters,
  page: PageRequest,
) =>
  pageOfRows<SubscriptionRow>(
    tx,
    {
      kind: 'subscription',
      select: sql`*`,
      from: sql`subscription`,
      where: allOf([
        merchantId !== null && sql`merchant_id = ${merchantId}`,
        filters.customerId !== undefined && sql`customer_id = ${filters.customerId}`,
        filters.consumerId !== undefined &&
          sql`exists (select from customer c where c.merchant_id = subscription.merchant_id
                      and c.id = subscription.customer_id
                        and c.consumer_id = ${filters.consumerId})`,
        filters.planId !== undefined && sql`plan_id = ${filters.planId}`,
        filters.status !== undefined && sql`status = ${filters.status}`,
        filters.startedBefore !== undefined && sql`started_at < ${filters.startedBefore}`,
        filters.ending === true && isEnding,
        filters.ending === false && sql`not (${isEnding})`,
        filters.testClockId !== undefined && sql`clock_id = ${filters.testClockId}`,
        filters.updatedFrom && changedSubscriptions({ merchantId, from: filters.updatedFrom }),
      ]),
    },
    page,
    keptTotal(tx, 'subscription', merchantId, filters, ['status', 'planId']),
  );

/** The facts that decide a subscription's time of billing its customer's usage, and whether it has further jobs. */
export type ClaimingRow = Pick<
  SubscriptionRow,
  | 'merchantId'
  | 'id'
  | 'planId'
  | 'planVersionId'
  | 'currency'
  | 'status'
  | 'startedAt'
  | 'endingAt'
  | 'terminatedAt'
  | 'nextActionAt'
  | 'pauses'
>;

/**
 * The subscriptions of a customer on the same clock (or all on none) that are or were active, in the order of their
 * creation: that is the order in which they bill the customer's usage. One that waits for its payment bills none.
 */
export const selectClaiming = (
  tx: Tx,
  { merchantId, ...holder }: Pick<SubscriptionRow, 'merchantId' | 'customerId' | 'clockId'>,
): Promise<ClaimingRow[]> => selectClaimingOf(tx, [holder]);

/** The owner of the usage: a customer on a clock, or on none. */
type Holder = Pick<SubscriptionRow, 'customerId' | 'clockId'>;

/** The same of some customers of one merchant; those of each in the order of their creation. */
export const selectClaimingOf = (tx: Tx, holders: readonly Holder[]): Promise<(ClaimingRow & Holder)[]> =>
  tx.rows<ClaimingRow & Holder>(sql`
    select s.merchant_id, s.id, s.customer_id, s.clock_id, s.plan_id, s.plan_version_id, s.currency, s.status,
           s.started_at, s.ending_at, s.terminated_at, s.next_action_at, s.pauses
      from unnest(${holders.map(({ customerId: id }) => id)}::text[],
                  ${holders.map(({ clockId: id }) => id)}::text[]) h (customer_id, clock_id)
      join subscription s on s.merchant_id = ${tx.merchantId} and s.customer_id = h.customer_id
                         and s.clock_id is not distinct from h.clock_id and s.activated_at is not null
     order by s.seq`);

/** The same with whose they are, and from when on they are billed. */
export type ClaimingCustomerRow = ClaimingRow & Pick<SubscriptionRow, 'customerId' | 'clockId' | 'billingStartsAt'>;

/**
 * The subscriptions of a merchant that can bill usage of a time, in the order of their creation. What ended is billed
 * to the end of its last period, so those that ended within the longest period before are among them.
 */
export const selectClaimingBetween = (tx: Tx, { start, end }: Period): Promise<ClaimingCustomerRow[]> =>
  tx.rows<ClaimingCustomerRow>(sql`
    select merchant_id, id, customer_id, clock_id, plan_id, plan_version_id, currency, status, started_at,
           billing_starts_at, ending_at, terminated_at, next_action_at, pauses
      from subscription
     where merchant_id = ${tx.merchantId} and activated_at is not null and started_at < ${end}
       and (coalesce(terminated_at, ending_at) is null
            or coalesce(terminated_at, ending_at) > ${start.subtract({ hours: LONGEST_PERIOD_HOURS })})
     order by seq`);

const LONGEST_PERIOD_HOURS = 400 * 24;

/**
 * Makes subscriptions due that have ended, for a look at their closed periods before the one that is planned, if one
 * is.
 */
export async function updateEndedToBeDue(tx: Tx, ids: readonly string[], now: Instant): Promise<void> {
  await tx.run(sql`
    update subscription set next_action_at = ${now}
     where merchant_id = ${tx.merchantId} and id = any (${[...ids]}::text[])
       and status = 'terminated' and (next_action_at is null or next_action_at > ${now})`);
}

/**
 * How many subscriptions that have not ended are pinned to each of some plan versions; those with none are left out.
 */
export async function countByVersion(tx: Tx, versionIds: readonly string[]): Promise<ReadonlyMap<string, number>> {
  const rows = await tx.rows<{ versionId: string; count: number }>(sql`
    select plan_version_id as version_id, count(*)::int as count from subscription
     where merchant_id = ${tx.merchantId} and plan_version_id = any (${versionIds}) and status <> 'terminated'
     group by plan_version_id`);
  return new Map(rows.map(({ versionId, count }) => [versionId, count]));
}

/** The plans to which a customer has an active subscription. */
export async function selectActivePlans(tx: Tx, customerId: string): Promise<string[]> {
  const rows = await tx.rows<{ planId: string }>(sql`
    select distinct plan_id from subscription
     where merchant_id = ${tx.merchantId} and customer_id = ${customerId} and status = 'active'`);
  return rows.map(({ planId }) => planId);
}

/** Are there subscriptions that have not ended, of a customer or on a clock? For the guards of their deletion. */
export const selectUnendedSubscriptions = (tx: Tx, by: { customerId: string } | { clockId: string }) =>
  tx.rows<{ id: string; name: string }>(sql`
    select id, name from subscription
     where merchant_id = ${tx.merchantId} and status <> 'terminated'
       and ${'customerId' in by ? sql`customer_id = ${by.customerId}` : sql`clock_id = ${by.clockId}`}
     order by seq`);

/** The subscriptions that were made for an order. */
export const selectSubscriptionsOfOrder = (tx: Tx, orderId: string) =>
  tx.rows<{ id: string }>(sql`
    select id from subscription where merchant_id = ${tx.merchantId} and order_id = ${orderId} order by seq`);

/** A subscription of a plan that runs, or ran until it was ended. */
export interface SubscriptionOfPlan {
  readonly id: string;
  readonly customerId: string;
  /** Null: the plan's. */
  readonly currency: string | null;
  readonly startedAt: Instant;
  readonly status: 'active' | 'terminated';
  readonly terminatedAt: Instant | null;
}

/**
 * The subscriptions of some customers to a plan, as it is by now, oldest first; those that never became active are left
 * out.
 */
export const selectSubscriptionsOfPlan = (tx: Tx, planId: string, customerIds: readonly string[]) =>
  tx.rows<SubscriptionOfPlan>(sql`
    select id, customer_id, currency, started_at, status, terminated_at
      from subscription
     where merchant_id = ${tx.merchantId} and plan_id = ${planId} and customer_id = any (${[...customerIds]}::text[])
       and (status = 'active' or (status = 'terminated' and billing_opened))
     order by seq`);

/** The names of subscriptions by their ids. */
export const selectSubscriptionNames = (tx: Tx, ids: readonly string[]): Promise<{ id: string; name: string }[]> =>
  tx.rows(sql`select id, name from subscription
    where merchant_id = ${tx.merchantId} and id = any (${[...ids]}::text[])`);

/** The clocks of the subscriptions of a customer; null: of those on none. */
export const selectClocksOfCustomer = (tx: Tx, customerId: string): Promise<(string | null)[]> =>
  tx.values<string | null>(sql`
    select distinct clock_id from subscription where merchant_id = ${tx.merchantId} and customer_id = ${customerId}`);
