import type { EntitlementTemplate } from '../../catalog/index.ts';
import type { Instant } from '../../kernel/time.ts';

export type FeatureType = 'metered' | 'static' | 'boolean';

/** An entitlement as it is kept; its balance follows from usage and grants. */
export interface EntitlementRow {
  readonly merchantId: string;
  readonly id: string;
  readonly seq: bigint;
  readonly customerId: string;
  readonly featureId: string;
  readonly featureType: FeatureType;
  readonly productId: string;
  readonly planId: string | null;
  readonly subscriptionId: string | null;
  readonly isFromPlan: boolean;
  readonly clockId: string | null;
  readonly activeFrom: Instant;
  readonly activeTo: Instant | null;
  readonly isCanceled: boolean;
  readonly billableMetricIds: readonly string[];
  readonly metadata: Readonly<Record<string, unknown>>;
  readonly nextActionAt: Instant | null;
  readonly createdAt: Instant;
  readonly updatedAt: Instant;
}

/** The template from an instant on. */
export interface TermRow {
  readonly entitlementId: string;
  readonly effectiveFrom: Instant;
  readonly template: EntitlementTemplate;
}

export type NewEntitlement = Omit<EntitlementRow, 'seq' | 'isCanceled' | 'createdAt' | 'updatedAt'>;
