import type { TSchema } from 'typebox';
import type { Decimal } from '../../kernel/decimal.ts';
import type { Fraction } from '../../kernel/fraction.ts';
import type { FieldError } from '../../kernel/result.ts';
import type { ShownPrice } from './shown-price.ts';
import type { Aggregation, EventRule, GroupValues, UsageGroup } from './usage.ts';
import type { Workings } from './workings.ts';

/**
 * One price model, whole: the form of its properties, their rules, the cost of a quantity, and how a price page says it
 * (domain.md §2).
 */
export interface PriceModel<Properties> {
  /** Validation, type and OpenAPI entry of `properties`. */
  readonly schema: TSchema;
  /** The rules that the schema cannot express. Fields are paths inside `properties`: `tiers.1.upTo`. */
  readonly check: (properties: Properties) => FieldError[];
  /**
   * The cost of the quantity: exact, unrounded, in major units. At least one charge; more than one where groups are
   * lines.
   */
  readonly rate: (properties: Properties, measured: Measured) => readonly [Charge, ...Charge[]];
  /** What a price list says of it. */
  readonly describe: (properties: Properties) => ShownPrice;
  /**
   * The aggregations of a metric that it can rate; given by a model that needs the events themselves, so it is neither
   * for fees nor for usage that grants have covered. Absent: it rates any quantity.
   */
  readonly aggregations?: readonly Aggregation[];
  /** Of a model that can price each event by itself. */
  readonly byEvent?: {
    /** The properties that ask for it: for usage that adds up, without units that are included or granted. */
    readonly fields: readonly string[];
    /** The rule of a price that does so, in a part of a period; null: another one. */
    readonly ruleOf: (properties: Properties, share: Fraction) => EventRule | null;
  };
  /** Of a model that bills usage apart by the values of dimensions. */
  readonly byGroup?: {
    readonly dimensions: (properties: Properties) => readonly string[];
    /** Is usage of these values in the charge of that group? */
    readonly isCharged: (properties: Properties, usage: GroupValues, charge: GroupValues) => boolean;
  };
}

/** The input of a model: the figures of one price in one period. Each model reads those that it needs. */
export interface Measured {
  /** Units to pay for, after grants and included units; never below 0. */
  readonly quantity: Decimal;
  /** How many events they are made of, for a price on each event. A fee has none. */
  readonly eventCount: bigint;
  /** What these events come to one by one, for a price that is on each; null or absent: not read. */
  readonly ofEach?: Decimal | null;
  /** The same usage by group values, after the price's filters, for a price that differs by group. */
  readonly groups: readonly UsageGroup[];
  /** The factor of flat amounts, if the price applies to a part of the period only. */
  readonly flatShare: Fraction;
}

/** The result of a model: one line of the future invoice. */
export interface Charge {
  readonly quantity: Decimal;
  /** Exact, in major units. */
  readonly amount: Decimal;
  /** The one price of each unit; null where there is none, and the invoice shows the average (total ÷ quantity). */
  readonly unitPrice: Decimal | null;
  /** The unit price for a quantity of 0, which has no average. */
  readonly firstUnitPrice: Decimal;
  readonly tiers: readonly TierUse[] | null;
  readonly group: GroupValues | null;
  /** The further facts of the calculation. */
  readonly workings?: Pick<Workings, 'packages' | 'percentage' | 'others'>;
}

/**
 * The part of one tier in a charge: `quantity × unitPrice + flatPrice` (times the share of the period, for a scaled
 * line).
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
