import { sql, type Tx } from '../db/index.ts';
import type { Instant } from '../kernel/time.ts';

/** The scope of a spent budget: a whole subscription, or the usage of one metric. */
export interface SpentBudget {
  readonly subscriptionId: string | null;
  readonly billableMetricId: string | null;
  /** No credits are left for it: it is for metered features alone. */
  readonly byCredits: boolean;
}

/**
 * The budgets of a customer that are spent, as of the last evaluation, in a period that has not ended. A small index
 * finds them.
 */
export const selectSpentBudgets = (tx: Tx, customerId: string, now: Instant): Promise<SpentBudget[]> =>
  tx.rows<SpentBudget>(sql`
    select subscription_id, billable_metric_id, by_credits
      from spent_budgets(${tx.merchantId}, ${customerId}, ${now})`);
