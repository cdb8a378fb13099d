import type { Tx } from '../db/index.ts';
import type { EnvironmentName } from '../identity/index.ts';
import type { InvoicingDependencies } from '../invoicing/index.ts';
import type { Instant } from '../kernel/time.ts';
import type { Alert, AlertTrigger } from './alert.ts';

/** The dependencies of alerts on other domains; `wiring.ts` binds them. */
export interface AlertDependencies {
  readonly environment: EnvironmentName;
  readonly invoicing: InvoicingDependencies;
  /**
   * Writes to the merchant, and to the customer where the alert says so.
   * @param currency of the figure; null: it is no money
   * @param now effective now of the alert
   */
  readonly write: (tx: Tx, alert: Alert, trigger: AlertTrigger, currency: string | null, now: Instant) => Promise<void>;
}
