import type { Instant } from '../../kernel/time.ts';

export const FEATURE_TYPES = ['metered', 'static', 'boolean'] as const;

export type FeatureType = (typeof FEATURE_TYPES)[number];

/** §2 Feature: what customers are entitled to. */
export interface Feature {
  readonly id: string;
  readonly merchantId: string;
  readonly productId: string;
  /** Unique within the product. */
  readonly key: string;
  readonly name: string;
  readonly type: FeatureType;
  readonly metadata: Record<string, unknown>;
  readonly createdAt: Instant;
  readonly updatedAt: Instant;
}
