import type { Decimal } from '../../kernel/decimal.ts';
import type { Fraction } from '../../kernel/fraction.ts';
import { sortedEntries } from '../../kernel/json.ts';
import type { Period } from '../../kernel/time.ts';

/** Units that grants of an entitlement burnt in a stretch of time, and that a price does not charge. */
export interface TakenUnits {
  readonly entitlementId: string;
  readonly stretch: Period;
  readonly units: Decimal;
}

export interface BilledUsage {
  priceId: string;
  groupValues: Record<string, string | null>;
  quantity: Decimal;
  eventCount: number;
  /** What its events come to one by one, for a price on each event (`EventRule`). */
  ofEach?: Decimal;
  /** The same at the price of the catalog, of a price that was agreed. */
  ofEachAtList?: Decimal;
  /** Units of the quantity that grants covered; on the one row of a price without groups. */
  granted: Decimal;
  /**
   * The share of the price's time, if the figure is for a time and another subscription had the usage of the remainder.
   */
  share?: Fraction;
  /** The units, after the reading and before they are stored. */
  taken?: readonly TakenUnits[];
}

/** Canonical JSON of group values, empty where there are none. */
export const groupKey = (group: Readonly<Record<string, string | null>>): string =>
  Object.keys(group).length === 0 ? '' : JSON.stringify(sortedEntries(group));
