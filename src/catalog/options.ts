import type { Tx } from '../db/index.ts';
import type { Instant } from '../kernel/time.ts';
import type { Blocker } from './blockers.ts';
import type { Cost } from './costs/costs.sql.ts';
import type { Metric } from './metrics/metric.ts';

/**
 * The knowledge of later domains that the catalog needs. The wiring hands it in, so that no import goes back.
 */
export interface CatalogOptions {
  /** How many subscriptions that have not ended are pinned to each version; ids without any may be left out. */
  readonly countSubscriptions: (tx: Tx, versionIds: readonly string[]) => Promise<ReadonlyMap<string, number>>;
  /** The plans to which a customer has an active subscription. */
  readonly findActivePlans: (tx: Tx, customerId: string) => Promise<readonly string[]>;
  /** Holders in other domains that prevent the deletion of an item or a feature. */
  readonly holdersOf?: (tx: Tx, kind: 'item' | 'feature', id: string, now: Instant) => Promise<readonly Blocker[]>;
  /** Does anything of other domains count by a metric, so that what it measures cannot change? */
  readonly isMeasured?: (tx: Tx, metricId: string) => Promise<boolean>;
  /** Called in the transaction that creates a metric or a cost, or changes its meter. */
  readonly onMeterChanged?: (tx: Tx, meter: Metric | Cost) => Promise<void>;
}
