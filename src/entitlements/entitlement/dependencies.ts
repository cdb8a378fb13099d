import type { Tx } from '../../db/index.ts';
import type { Result } from '../../kernel/result.ts';
import type { Instant } from '../../kernel/time.ts';
import type { EntitlingSubscription } from './create.ts';

/** The scope of a spent budget: a whole subscription, or the usage of one metric. */
export interface SpentBudget {
  readonly subscriptionId: string | null;
  readonly billableMetricId: string | null;
  /** No billing credits are left for it: then it is about metered features alone. */
  readonly byCredits: boolean;
}

/** The dependencies of entitlements on earlier domains; `wiring.ts` binds them. */
export interface EntitlementDependencies {
  /**
   * A subscription of the merchant that has not ended, locked, with its effective now.
   * @returns 404; INVALID_TRANSITION where it has ended
   */
  readonly lockActiveSubscription: (
    tx: Tx,
    id: string,
    wall: Instant,
  ) => Promise<Result<{ subscription: EntitlingSubscription; now: Instant }>>;
  /** The present spent budgets of a customer, each with its scope. */
  readonly findSpentBudgets: (tx: Tx, customerId: string, wall: Instant) => Promise<readonly SpentBudget[]>;
  /**
   * Has subscriptions that have ended bill once more what closed periods differ by; others do so at their next close.
   */
  readonly wakeEnded: (tx: Tx, ids: readonly string[], now: Instant) => Promise<void>;
}
