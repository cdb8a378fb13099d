import type { Tx } from '../../db/index.ts';
import type { Decimal } from '../../kernel/decimal.ts';
import type { Result } from '../../kernel/result.ts';
import type { Instant, Period } from '../../kernel/time.ts';
import type { Meter, UsageSource } from '../../metering/index.ts';
import type { DisplayUnit, Pricing } from '../rating/index.ts';
import type { AppliesTo } from './applies-to.ts';
import type { PriceOverridesBody } from './price-override-schema.ts';
import type { SessionOptions } from './session-options.ts';

/** The usage of a price: the metric, and its name on a line. */
export interface BilledMetric {
  readonly id: string;
  readonly name: string;
  readonly description: string;
  readonly unit: string;
  readonly itemId: string | null;
  readonly taxRate: Decimal | null;
  readonly displayUnit?: DisplayUnit | null;
  readonly meter: Meter;
}

/**
 * A negotiated price of a subscription, as it is stored and answered (commercial.md §1): what it says of a price holds
 * in `[from, to)` instead of the catalog's. Amounts are decimal text in major units, times RFC 3339.
 */
export interface PriceOverride {
  readonly priceId: string;
  /** Scales all amounts of money of the price. Null: `properties`, or bounds alone. */
  readonly multiplier: string | null;
  /** Of the price's model. */
  readonly properties: Readonly<Record<string, unknown>> | null;
  /** `none` takes it away; null: the catalog's. */
  readonly minimumAmount: string | null;
  readonly maximumAmount: string | null;
  /** Null: from the start. */
  readonly from: string | null;
  /** Null: it does not end. */
  readonly to: string | null;
}

/**
 * A coupon as a subscription redeemed it (commercial.md §2): a reduction of the charges whose service begins in
 * `[from, until)`.
 */
export interface BilledRedemption {
  readonly id: string;
  readonly couponId: string;
  readonly name: string;
  /** A fraction; null: an amount. */
  readonly percentOff: Decimal | null;
  /** For each period of the plan. */
  readonly amountOff: Decimal | null;
  readonly carriesOver: boolean;
  /** What the charges of a period must come to. */
  readonly minimumAmount: Decimal | null;
  readonly appliesTo: AppliesTo;
  readonly from: Instant;
  /** Exclusive; null: it does not end. */
  readonly until: Instant | null;
  readonly createdAt: Instant;
}

/**
 * A pause of a subscription, as it is stored (commercial.md §6): in `[from, to)` it has no fees, minimum and access.
 * Times are RFC 3339.
 */
export interface Pause {
  readonly from: string;
  /** When it is resumed; null: until somebody does. */
  readonly to: string | null;
  /** Is the usage in it billed? */
  readonly usage: 'bill' | 'free';
  /** The target of credits for fees that are paid. */
  readonly credit: CreditMode;
  /** Are the periods counted from the resumption on? */
  readonly anchor: 'keep' | 'restart';
  readonly reason: string | null;
  readonly status: 'pausing' | 'paused' | 'over';
}

/** One price of a pinned plan version, with all that rating and the line need. */
export interface BilledPrice {
  /** Of an agreed price with its variant: `listPriceId` is the catalog's id. */
  readonly id: string;
  readonly invoiceDisplayName: string;
  readonly paymentTerm: 'in_arrears' | 'in_advance';
  readonly pricing: Pricing;
  /** Normalised; null: the plan's; `P0D`: once. */
  readonly billingCadence: string | null;
  readonly metric: BilledMetric | null;
  readonly fee: {
    readonly id: string;
    readonly name: string;
    readonly description: string;
    readonly itemId: string | null;
  } | null;
  /** Fees only: how many of it. */
  readonly quantity: Decimal;
  readonly minimumAmount: Decimal | null;
  readonly maximumAmount: Decimal | null;
  readonly taxRate: Decimal | null;
  /** Its own; null or absent: the metric's. */
  readonly displayUnit?: DisplayUnit | null;
  readonly groupFilters: Readonly<Record<string, readonly string[]>> | null;
  /** Units that grants cover are not charged (domain.md §5). */
  readonly grantDiscountEnabled?: boolean;
  /** Where an override holds: the price as the catalog has it, and what was agreed. */
  readonly agreed?: { readonly list: BilledPrice; readonly override: PriceOverride };
}

/**
 * The cut of a period by a change: to the microsecond, by whole days of the period, or not at all (domain.md §3, Plan
 * change).
 */
export type Proration = 'second' | 'day' | 'none';

/** The target of credits for unused time: the next invoice, the wallet, or none (§3, Credits). */
export type CreditMode = 'invoice' | 'wallet' | 'none';

/** A plan version to which a subscription is or was pinned. */
export interface BilledVersion {
  /** It holds from here until the next one does; the first one from the start of billing. */
  readonly from: Instant;
  readonly planId: string;
  /** Percent. */
  readonly planTaxRate: Decimal | null;
  /** Normalised. */
  readonly planCadence: string;
  readonly prices: readonly BilledPrice[];
  /** The minimum of all charges of a plan's period together; null: none. */
  readonly minimumAmount: Decimal | null;
  /**
   * From where the periods of its series are counted, by cadence; of one that is not named from the subscription's
   * anchor.
   */
  readonly anchors: Readonly<Record<string, Instant>>;
  /** The change that brought it; null or absent: the first. */
  readonly changeId?: string | null;
  /** The cut of a period by the change to it. */
  readonly proration: Proration;
  /** The target of credits for its unused time. */
  readonly credit?: CreditMode;
  /** A fee that it takes up again after a gap is billed anew (docs/decisions/0179). */
  readonly takesUpAnew?: boolean;
  /** The agreed prices of its time; `versionsOf` cuts it where one begins or ends. */
  readonly overrides?: readonly PriceOverride[];
  /** The agreed prices of all commitments of the subscription; its own hold before them. */
  readonly committed?: readonly PriceOverride[];
  /** The prices, by the catalog's id, whose agreed terms change with it: they are cut by the second. */
  readonly agreedAnew?: ReadonlySet<string>;
  /** All pauses of the subscription; `versionsOf` cuts it where one begins or ends. */
  readonly pauses?: readonly Pause[];
  /** In its time the subscription is paused: only its usage counts, or nothing does. */
  readonly paused?: Pause['usage'];
  /** It was to come later: where that is in a pause, it comes with the resumption. */
  readonly waits?: boolean;
}

/** The bounds of a subscription's periods. */
export interface SeriesBounds {
  /** Periods are counted from here (domain.md §1). May lie before or after the start. */
  readonly anchor: Instant;
  readonly startedAt: Instant;
  /** Exclusive; null while no end is set. */
  readonly endsAt: Instant | null;
}

/** The terms of a subscription that its invoices need. */
export interface BillingTerms {
  readonly merchantId: string;
  readonly subscriptionId: string;
  /** In the order in which subscriptions are made. */
  readonly seq: bigint;
  readonly customerId: string;
  /** The order that it is of; null: none. */
  readonly orderId: string | null;
  readonly planId: string;
  readonly clockId: string | null;
  readonly currency: string;
  /** The plan's own cadence, normalised: the series on which prices that are billed once stand. */
  readonly planCadence: string;
  /**
   * From where periods are counted, from when they are billed (the end of the trial, else the start), and until when.
   */
  readonly bounds: SeriesBounds;
  readonly gracePeriod: Temporal.Duration;
  readonly autoApprove: boolean;
  readonly paymentTermDays: number;
  readonly bankTransferOnly: boolean;
  /** Its invoices are charged to the customer's stored card. */
  readonly autoCharge: boolean;
  /** The options of the session for its first payment. */
  readonly checkout: SessionOptions;
  readonly taxExempt: boolean;
  /** The target of credits for unused time at its end. */
  readonly endCredit?: CreditMode;
  readonly taxBehavior: 'exclusive' | 'inclusive';
  readonly planTaxRate: Decimal | null;
  readonly prices: readonly BilledPrice[];
  /** The commitment of the terms' own version. */
  readonly minimumAmount: Decimal | null;
  /**
   * All versions that hold at any time, in the order of time; absent where there was never another one than this, with
   * the prices of the catalog.
   */
  readonly versions?: readonly BilledVersion[];
  /** Versions of changes that were cancelled before they came; only invoices that knew them ask for them. */
  readonly cancelled?: readonly BilledVersion[];
  /** Its coupons, the oldest first; absent: none. */
  readonly redemptions?: readonly BilledRedemption[];
  /** Its spending counts, or counted, for a commitment. */
  readonly isCommitted?: boolean;
}

/** The payment terms of a subscription's invoices. */
export type PaymentTerms = Pick<BillingTerms, 'paymentTermDays' | 'bankTransferOnly' | 'autoCharge' | 'checkout'>;

/** The same with the name of the subscription, for people. */
export type NamedPaymentTerms = PaymentTerms & { readonly name: string };

/** A discount on the prices of a subscription's invoices whose instant its window holds (§4, Adjustment rules). */
export interface Adjustment {
  readonly id: string;
  /** A fraction above 0, at most 1: 0.35 is 35 percent. */
  readonly percentageDiscount: Decimal;
  readonly effectiveFrom: Instant;
  /** Exclusive; null: it never ends. */
  readonly effectiveTo: Instant | null;
  /** The name of its lines; may be empty. */
  readonly description: string;
  readonly createdAt: Instant;
}

/** How many units grants of an entitlement burnt, of all its metrics together. */
export interface BurntUnits {
  readonly entitlementId: string;
  /** Its metrics. */
  readonly metricIds: readonly string[];
  readonly units: Decimal;
}

/** The sources of a metric's usage that a subscription bills in a period (domain.md §3, "Whose usage"). */
export type FindUsageSources = (terms: BillingTerms, metricId: string, period: Period) => UsageSource[];

/**
 * The questions of invoicing to subscriptions, an earlier domain: `app.ts` passes them, so that data goes one way and
 * no import goes back.
 */
export interface BillingSource {
  /** The payment terms of some of a merchant's subscriptions at this moment; by subscription. */
  paymentTerms(tx: Tx, subscriptionIds: Iterable<string>): Promise<ReadonlyMap<string, NamedPaymentTerms>>;
  terms(tx: Tx, subscriptionId: string): Promise<BillingTerms>;
  /** The terms of some of a merchant's subscriptions; by subscription. */
  termsOf(tx: Tx, subscriptionIds: Iterable<string>): Promise<ReadonlyMap<string, BillingTerms>>;
  /** The one clock of all subscriptions of a customer; null: they are on several, or on none. */
  clockOf(tx: Tx, customerId: string): Promise<string | null>;
  /** The usage that some of a merchant's subscriptions bill; the answer has it for each of them. */
  usageSources(tx: Tx, all: readonly BillingTerms[]): Promise<FindUsageSources>;
  /** The burnt units of grants in a period, for the subscription's entitlements that measure one of some metrics. */
  granted(tx: Tx, terms: BillingTerms, metricIds: readonly string[], period: Period): Promise<readonly BurntUnits[]>;
  /** The subscriptions of a customer that have not ended. */
  unended(tx: Tx, customerId: string): Promise<string[]>;
  /** The subscriptions of some customers that give access to metered features only while there are credits. */
  requiringCredits(tx: Tx, customerIds: readonly string[]): Promise<string[]>;
  /** From now on the spending of a subscription counts for a commitment. */
  markCommitted(tx: Tx, subscriptionId: string): Promise<unknown>;
  /** The agreed prices of a commitment, as they are stored. @returns the faults, by their fields */
  decideOverrides(
    tx: Tx,
    given: PriceOverridesBody,
    prices: readonly BilledPrice[],
  ): Promise<Result<readonly PriceOverride[]>>;
  /** All adjustments of some subscriptions; by subscription, those of each oldest first. */
  adjustments(tx: Tx, subscriptionIds: readonly string[]): Promise<ReadonlyMap<string, readonly Adjustment[]>>;
}
