import { effectiveNowOf } from '../../clocks/index.ts';
import { allOf, type PageRequest, pageOfRows, type Sql, sql, type Tx } from '../../db/index.ts';
import type { Instant } from '../../kernel/time.ts';
import type { EntitlementRow } from '../entitlement/entitlement.ts';

/** An entitlement with its effective now: the time of its clock, or wall time. */
export interface TimedEntitlement extends EntitlementRow {
  readonly effectiveNow: Instant;
}

const timed = (now: Instant): Sql => sql`*, ${effectiveNowOf('entitlement', now)} as effective_now`;

export interface EntitlementFilters {
  readonly ids?: readonly string[] | undefined;
  readonly customerId?: string | undefined;
  readonly customerIds?: readonly string[] | undefined;
  readonly productId?: string | undefined;
  readonly featureIds?: readonly string[] | undefined;
  readonly subscriptionId?: string | undefined;
}

export const conditionsOf = (merchantId: string | null, filters: EntitlementFilters): (Sql | false)[] => [
  merchantId !== null && sql`merchant_id = ${merchantId}`,
  filters.ids !== undefined && sql`id = any (${[...filters.ids]}::text[])`,
  filters.customerId !== undefined && sql`customer_id = ${filters.customerId}`,
  filters.customerIds !== undefined && sql`customer_id = any (${[...filters.customerIds]}::text[])`,
  filters.productId !== undefined && sql`product_id = ${filters.productId}`,
  filters.featureIds !== undefined && sql`feature_id = any (${[...filters.featureIds]}::text[])`,
  filters.subscriptionId !== undefined && sql`subscription_id = ${filters.subscriptionId}`,
];

/** Newest first; of one merchant, or (null, for operators) of all. */
export const selectEntitlementsPage = (
  tx: Tx,
  merchantId: string | null,
  filters: EntitlementFilters,
  page: PageRequest,
  now: Instant,
) =>
  pageOfRows<TimedEntitlement>(
    tx,
    {
      kind: 'entitlement',
      select: timed(now),
      from: sql`entitlement`,
      where: allOf(conditionsOf(merchantId, filters)),
    },
    page,
  );

const activeWhere = (merchantId: string | null, filters: EntitlementFilters, at: Instant | null, now: Instant): Sql => {
  const asked = at === null ? effectiveNowOf('entitlement', now) : sql`${at}::timestamptz`;
  return allOf([
    ...conditionsOf(merchantId, filters),
    sql`active_from <= ${asked} and (active_to is null or active_to > ${asked})`,
  ]);
};

/** The same of those that are active, each at its effective now. */
export const selectActivePage = (
  tx: Tx,
  merchantId: string | null,
  filters: EntitlementFilters,
  page: PageRequest,
  now: Instant,
) =>
  pageOfRows<TimedEntitlement>(
    tx,
    {
      kind: 'entitlement',
      select: timed(now),
      from: sql`entitlement`,
      where: activeWhere(merchantId, filters, null, now),
    },
    page,
  );

/** All that are active at an instant (null: each at its effective now), oldest first. */
export const selectAllActive = (
  tx: Tx,
  filters: EntitlementFilters,
  at: Instant | null,
  now: Instant,
): Promise<TimedEntitlement[]> =>
  tx.rows<TimedEntitlement>(sql`
    select ${timed(now)} from entitlement where ${activeWhere(tx.merchantId, filters, at, now)} order by seq`);

/** The metered entitlements that measure events of customers and have not ended, oldest first; `wall` is wall time. */
export const selectMeasuringEvents = (
  tx: Tx,
  uses: readonly { customerId: string; subscriptionId: string | null; eventType: string }[],
  wall: Instant,
): Promise<TimedEntitlement[]> =>
  tx.rows<TimedEntitlement>(
    sql`
    select ${timed(wall)} from entitlement
     where merchant_id = ${tx.merchantId} and feature_type = 'metered'
       and customer_id = any (${uses.map(({ customerId }) => customerId)}::text[])
       and (active_to is null or active_to > ${effectiveNowOf('entitlement', wall)})
       and exists (
         select from unnest(${uses.map(({ customerId }) => customerId)}::text[],
                            ${uses.map(({ subscriptionId }) => subscriptionId)}::text[],
                            ${uses.map(({ eventType }) => eventType)}::text[]) u (customer, subscription, type)
           join metrics_of_types(${tx.merchantId},
                                 ${uses.map(({ eventType }) => eventType)}::text[]) m on m.event_type = u.type
          where m.id = any (billable_metric_ids) and u.customer = customer_id
            and (u.subscription is null or u.subscription = subscription_id))
     order by seq`,
    'entitlements that measure events',
  );
