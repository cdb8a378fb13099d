import type { Decimal } from '../kernel/decimal.ts';
import type { Instant } from '../kernel/time.ts';
import type { SourceEventStatus } from './event-states.ts';

export const SOURCE_TYPES = ['stripe_revenue', 'revenuecat_revenue', 'generic_revenue'] as const;
export type SourceType = (typeof SOURCE_TYPES)[number];

/** `automatic`: an event is processed as it comes in. `manual`: it waits for a person or a rule. */
export const PROCESSING_MODES = ['automatic', 'manual'] as const;
export type ProcessingMode = (typeof PROCESSING_MODES)[number];

/** An outside system that reports revenue of the customers of a plan (§2). */
export interface Source {
  readonly id: string;
  readonly merchantId: string;
  readonly name: string;
  readonly description: string | null;
  readonly planId: string;
  readonly type: SourceType;
  /** Without the secret. */
  readonly config: Readonly<Record<string, unknown>>;
  /** Sealed. */
  readonly webhookSecret: string | null;
  readonly enabled: boolean;
  readonly metadata: SourceMetadata;
  readonly processingMode: ProcessingMode;
  readonly createdAt: Instant;
  readonly updatedAt: Instant;
}

/** §2: the metric that counts the revenue. */
export interface SourceMetadata extends Readonly<Record<string, unknown>> {
  readonly billableMetricMapping: { readonly revenue: string };
}

/** The revenue that an adapter reads from a provider's webhook. */
export interface Revenue {
  /** The provider's id of the event: the same one is the same event. */
  readonly externalEventId: string;
  /** The payment, if the provider may report it by several events. */
  readonly paymentReference: string | null;
  /** The provider's name for the customer; null where it says none. */
  readonly customerExternalId: string | null;
  /** In major units; negative for a reversal. */
  readonly amount: Decimal;
  /** ISO 4217. */
  readonly currency: string;
  readonly occurredAt: Instant;
  /** The further fields of the usage event, for dimensions of the metric. */
  readonly attributes: Readonly<Record<string, unknown>>;
}

/** A received revenue and what became of it (§2). */
export interface SourceEvent extends Revenue {
  readonly id: string;
  readonly merchantId: string;
  readonly sourceId: string;
  readonly status: SourceEventStatus;
  readonly customerId: string | null;
  readonly subscriptionId: string | null;
  readonly rawData: Readonly<Record<string, unknown>>;
  readonly errorMessage: string | null;
  readonly usageEventIds: readonly string[];
  readonly processedAt: Instant | null;
  /** A user's id, a rule's id, or `system`. */
  readonly processedBy: string | null;
  readonly createdAt: Instant;
  readonly updatedAt: Instant;
}

/** A condition holds for an event, or it does not; a rule matches where all of its conditions hold. */
export interface RuleCondition {
  readonly type: 'date' | 'customerName' | 'customerEmail' | 'amount';
  readonly operator: 'equals' | 'contains' | 'between' | 'greaterThan' | 'lessThan' | 'domain';
  readonly value: RuleValue | { readonly from: RuleValue; readonly to: RuleValue };
}
export type RuleValue = string | number;

/** Approves events of a source in manual mode automatically (api.md). */
export interface SourceRule {
  readonly id: string;
  readonly merchantId: string;
  readonly sourceId: string;
  readonly name: string;
  readonly description: string;
  readonly conditions: readonly RuleCondition[];
  /** Rules are asked in this order, equal ones by their age. */
  readonly order: number;
  readonly enabled: boolean;
  readonly evaluationCount: number;
  readonly matchCount: number;
  readonly lastEvaluatedAt: Instant | null;
  readonly createdBy: string | null;
  readonly createdAt: Instant;
  readonly updatedAt: Instant;
}
