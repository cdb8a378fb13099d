import { sql, type Tx } from '../db/index.ts';
import type { EntitlementRow } from './entitlements.sql.ts';

/** A subscription's usage of one metric. */
export interface UsageOfSubscription {
  readonly merchantId: string;
  readonly subscriptionId: string;
  readonly metricId: string;
}

/** The entitlements that a plan made for a subscription and that measure a metric, ended ones too. */
export const planEntitlementsMeasuring = (
  tx: Tx,
  { merchantId, subscriptionId, metricId }: UsageOfSubscription,
): Promise<EntitlementRow[]> =>
  tx.rows<EntitlementRow>(sql`
    select * from entitlement
     where merchant_id = ${merchantId} and subscription_id = ${subscriptionId} and is_from_plan
       and ${metricId} = any (billable_metric_ids)
     order by seq`);
