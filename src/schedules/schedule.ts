import type { Decimal } from '../kernel/decimal.ts';
import type { Instant, Period } from '../kernel/time.ts';
import type { ScheduleStatus } from './states.ts';

export const ALIGNMENTS = ['anchor', 'calendar', 'coterm'] as const;
export type Alignment = (typeof ALIGNMENTS)[number];

export const PRORATIONS = ['none', 'daily'] as const;
export type SchedulePolicy = (typeof PRORATIONS)[number];

export const PERIOD_PRESETS = ['single', 'P1M', 'P3M', 'P6M', 'P1Y', 'custom'] as const;
export type PeriodPreset = (typeof PERIOD_PRESETS)[number];

export const BILLING_MODES = ['advance', 'arrears'] as const;
export type BillingMode = (typeof BILLING_MODES)[number];

/** The `billingCadence` of an interval that is billed once. */
export const ONE_OFF = 'one_off';

/** The dates that decide the windows of a schedule. */
export interface ScheduleDates {
  readonly startDate: Instant;
  readonly endDate: Instant;
  readonly billingAnchor: Instant;
  readonly alignmentPolicy: Alignment;
  readonly periodPreset: PeriodPreset;
  /** In their order and apart from each other; empty unless the preset is `custom`. */
  readonly customPeriodWindows: readonly Period[];
}

/** The terms that divide the charges of a schedule into invoices. */
export interface ScheduleTerms extends ScheduleDates {
  readonly prorationPolicy: SchedulePolicy;
}

/** When an order or a subscription is billed (§2 Billing schedule). */
export interface ScheduleRow extends ScheduleTerms {
  readonly merchantId: string;
  readonly id: string;
  /** Exactly one of orderId and subscriptionId is set. */
  readonly orderId: string | null;
  readonly subscriptionId: string | null;
  readonly customerId: string;
  readonly currency: string;
  readonly status: ScheduleStatus;
  /** Null: the order's, or the subscription's. */
  readonly paymentTermDays: number | null;
  readonly metadata: Record<string, unknown>;
  /** Null: nothing of it was ever to be billed. */
  readonly activatedAt: Instant | null;
  /** Time from here on is not owed; it may lie in the future. */
  readonly cancelledAt: Instant | null;
  readonly testClockId: string | null;
  readonly nextActionAt: Instant | null;
  readonly createdAt: Instant;
  readonly updatedAt: Instant;
}

/** From an instant on, another quantity. */
export interface QuantityTransition {
  readonly effectiveDate: Instant;
  readonly quantity: Decimal;
}

/** A charge over a stretch of a schedule, with its cadence. */
export interface ChargeTerms {
  readonly id: string;
  readonly orderLineItemId: string | null;
  readonly itemId: string | null;
  readonly priceId: string | null;
  readonly description: string | null;
  /** Of one unit for one period of the cadence. Null: the order line's price, for the whole line. */
  readonly unitPrice: Decimal | null;
  readonly baseQuantity: Decimal;
  /** In the order of their dates. */
  readonly quantityTransitions: readonly QuantityTransition[];
  /** A duration, or `one_off`. */
  readonly billingCadence: string;
  readonly billingMode: BillingMode;
  /** Of a one-off charge; null: its start, or in arrears its end. */
  readonly billDate: Instant | null;
  readonly startDate: Instant;
  /** Null: the schedule's. */
  readonly endDate: Instant | null;
}

/** §2: an interval of a schedule, as it is kept. */
export interface IntervalRow extends ChargeTerms {
  readonly merchantId: string;
  readonly scheduleId: string;
  readonly usageFilter: Record<string, unknown> | null;
  readonly metadata: Record<string, unknown>;
  readonly createdAt: Instant;
  readonly updatedAt: Instant;
}

/** The sale by one line of an order, for schedules. */
export interface ContractLine {
  readonly id: string;
  readonly itemId: string | null;
  readonly description: string | null;
  readonly unitPrice: Decimal;
  readonly totalPrice: Decimal;
}

export type ScheduleInvoiceStatus = 'staged' | 'pushed' | 'cancelled';

/** A line of a staged invoice. */
export interface StagedLine {
  /** The subject, across changes of intervals: the same for the same subject in the same window. */
  readonly key: string;
  readonly lineKey: string | null;
  readonly itemId: string | null;
  readonly description: string;
  readonly quantity: Decimal;
  readonly unitPrice: Decimal;
  readonly subtotal: Decimal;
  readonly periodStart: Instant;
  readonly periodEnd: Instant;
}

/** One invoice of a schedule: staged, or made. */
export interface ScheduleInvoiceRow {
  readonly merchantId: string;
  readonly id: string;
  readonly scheduleId: string;
  readonly billAt: Instant;
  /** 0: of the windows; above: of no window, numbered. */
  readonly correction: number;
  readonly periodStart: Instant;
  readonly periodEnd: Instant;
  readonly amount: Decimal;
  readonly lines: readonly StagedLine[];
  readonly status: ScheduleInvoiceStatus;
  readonly invoiceId: string | null;
  readonly createdAt: Instant;
  readonly updatedAt: Instant;
}
