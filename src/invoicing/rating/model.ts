import type { TSchema } from 'typebox';
import type { Decimal } from '../../kernel/decimal.ts';
import type { Fraction } from '../../kernel/fraction.ts';
import type { FieldError } from '../../kernel/result.ts';
import type { GroupValues, UsageGroup } from './usage.ts';
import type { Workings } from './workings.ts';

/** One price model: what its properties look like, when they make sense, and what a quantity costs (domain.md §2). */
export interface PriceModel<Properties> {
  /** Validation, type and OpenAPI entry of `properties`. */
  readonly schema: TSchema;
  /** What the schema cannot say. Fields are paths inside `properties`: `tiers.1.upTo`. */
  readonly check: (properties: Properties) => FieldError[];
  /**
   * What the quantity costs: exact, unrounded, in major units. At least one charge; more than one where groups are
   * lines.
   */
  readonly rate: (properties: Properties, measured: Measured) => readonly [Charge, ...Charge[]];
}

/** What a model prices: the figures of one price in one period. Each model reads those that it needs. */
export interface Measured {
  /** Units to pay for, after grants and included units; never below 0. */
  readonly quantity: Decimal;
  /** How many events they are made of, for a price on each event. A fee has none. */
  readonly eventCount: bigint;
  /** The same usage by group values, after the price's filters, for a price that differs by group. */
  readonly groups: readonly UsageGroup[];
  /** What flat amounts are scaled by, where the price holds for a part of the period only. */
  readonly flatShare: Fraction;
}

/** What a model answers: one line of the invoice to be. */
export interface Charge {
  readonly quantity: Decimal;
  /** Exact, in major units. */
  readonly amount: Decimal;
  /** The one price of each unit; null where there is none, and the invoice shows the average (total ÷ quantity). */
  readonly unitPrice: Decimal | null;
  /** What stands as unit price where the quantity is 0 and an average does not exist. */
  readonly firstUnitPrice: Decimal;
  readonly tiers: readonly TierUse[] | null;
  readonly group: GroupValues | null;
  /** What else tells how the amount came about. */
  readonly workings?: Pick<Workings, 'packages' | 'percentage' | 'others'>;
}

/**
 * What one tier adds to a charge: `quantity × unitPrice + flatPrice` (times the part of the period, for a scaled line).
 */
export interface TierUse {
  /** The tier holds the units above this one … */
  readonly above: Decimal;
  /** … up to and including this one; null: all further ones. */
  readonly upTo: Decimal | null;
  readonly quantity: Decimal;
  readonly unitPrice: Decimal;
  /** As applied: 0 where the tier has none. */
  readonly flatPrice: Decimal;
  readonly amount: Decimal;
}
