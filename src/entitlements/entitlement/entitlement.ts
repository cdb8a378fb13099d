import type { EntitlementTemplate } from '../../catalog/index.ts';
import { formatInstant, type Instant } from '../../kernel/time.ts';

export type FeatureType = 'metered' | 'static' | 'boolean';

/** A time in which the subscription of an entitlement is paused. RFC 3339; null: no end is known. */
export interface PausedTime {
  readonly from: string;
  readonly to: string | null;
}

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
  /** In the order of time. */
  readonly pauses: readonly PausedTime[];
  readonly metadata: Readonly<Record<string, unknown>>;
  readonly nextActionAt: Instant | null;
  readonly createdAt: Instant;
  readonly updatedAt: Instant;
}

/** An entitlement as its balance and its answer depend on it. */
export type CountedEntitlement = Omit<EntitlementRow, 'seq' | 'nextActionAt' | 'createdAt' | 'updatedAt'>;

/** A template as an entitlement has it: one that follows billing says from where its usage periods are counted. */
export type TermTemplate = EntitlementTemplate & { readonly usagePeriod?: { readonly countedFrom?: string } };

/** The template from an instant on. */
export interface TermRow {
  readonly entitlementId: string;
  readonly effectiveFrom: Instant;
  readonly template: TermTemplate;
}

/** Do the usage periods of a template begin with billing periods? */
export const followsBilling = (template: EntitlementTemplate): boolean =>
  template.type === 'metered' && template.usagePeriod?.anchor === 'billing';

/** The template of an entitlement. @param anchor from where the billing periods of its price are counted */
export const termOf = (template: EntitlementTemplate, anchor: Instant): TermTemplate =>
  template.type === 'metered' && template.usagePeriod && followsBilling(template)
    ? { ...template, usagePeriod: { ...template.usagePeriod, countedFrom: formatInstant(anchor) } }
    : template;

export type NewEntitlement = Omit<EntitlementRow, 'seq' | 'isCanceled' | 'createdAt' | 'updatedAt'>;
