import type { Tx } from '../db/index.ts';
import type { BillingSource, InvoicingDependencies } from '../invoicing/index.ts';
import type { OrderDependencies } from '../orders/index.ts';

/** The status of a subscription: it waits for its payment, is active or has ended. */
export type StatusOfSubscription = 'pending_payment' | 'active' | 'terminated';

/** The dependencies of schedules beside their transaction; `wiring.ts` passes them. */
export interface ScheduleDependencies {
  readonly orders: OrderDependencies;
  readonly invoicing: InvoicingDependencies;
  readonly source: BillingSource;
  /** Locks a subscription: before its schedules. */
  readonly lockSubscription: (tx: Tx, subscriptionId: string) => Promise<StatusOfSubscription>;
  /** The same for the free ones, without waiting. @returns their ids */
  readonly lockFreeSubscriptions: (tx: Tx, subscriptionIds: readonly string[]) => Promise<readonly string[]>;
}
