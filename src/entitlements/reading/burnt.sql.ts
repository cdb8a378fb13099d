import { sql, type Tx } from '../../db/index.ts';
import type { EntitlementRow } from '../entitlement/entitlement.ts';

/** A subscription's usage of some metrics. */
export interface UsageOfSubscription {
  readonly merchantId: string;
  readonly subscriptionId: string;
  readonly metricIds: readonly string[];
}

/** The entitlements that a plan made for a subscription and that measure one of some metrics, ended ones too. */
export const selectPlanEntitlementsMeasuring = (
  tx: Tx,
  { merchantId, subscriptionId, metricIds }: UsageOfSubscription,
): Promise<EntitlementRow[]> =>
  tx.rows<EntitlementRow>(sql`
    select * from entitlement
     where merchant_id = ${merchantId} and subscription_id = ${subscriptionId} and is_from_plan
       and billable_metric_ids && ${[...metricIds]}::text[]
     order by seq`);
