import type { Tx } from '../../db/index.ts';
import type { Result } from '../../kernel/result.ts';
import type { Instant } from '../../kernel/time.ts';
import type { EntitlingSubscription } from './create.ts';

/** A budget that is spent covers all of a subscription, or what a metric measures. */
export interface SpentBudget {
  readonly subscriptionId: string | null;
  readonly billableMetricId: string | null;
}

/** The dependencies of entitlements on earlier domains; `wiring.ts` binds them. */
export interface EntitlementParts {
  /**
   * A subscription of the merchant that has not ended, locked, with its effective now.
   * @returns 404; INVALID_TRANSITION where it has ended
   */
  readonly holdSubscription: (
    tx: Tx,
    merchantId: string,
    id: string,
    wall: Instant,
  ) => Promise<Result<{ subscription: EntitlingSubscription; now: Instant }>>;
  /** The budgets of a customer that are spent at this moment, each with what it covers. */
  readonly findSpentBudgets: (
    tx: Tx,
    merchantId: string,
    customerId: string,
    wall: Instant,
  ) => Promise<readonly SpentBudget[]>;
  /**
   * Has subscriptions that have ended bill once more what closed periods differ by; others do so at their next close.
   */
  readonly wakeEnded: (tx: Tx, merchantId: string, ids: readonly string[], now: Instant) => Promise<void>;
}
