import type { ApprovalKind } from '../identity/index.ts';
import type { Instant } from '../kernel/time.ts';
import type { Decision } from './states.ts';

export const APPROVAL_KINDS = ['data_review', 'financial_review', 'push'] as const satisfies readonly ApprovalKind[];
export const RESOURCE_TYPES = ['order', 'invoice'] as const;
export type ResourceType = (typeof RESOURCE_TYPES)[number];

/** A resource that can be approved. Its id says of which type it is. */
export interface ResourceKey {
  readonly merchantId: string;
  readonly id: string;
}

/** The request that a second person decides on a resource as it stands (§2 Approval). */
export interface Approval {
  readonly merchantId: string;
  readonly id: string;
  readonly resourceType: ResourceType;
  readonly resourceId: string;
  readonly kind: ApprovalKind;
  readonly decision: Decision;
  /** A user's id. */
  readonly requester: string;
  /** The user who approved or rejected. */
  readonly reviewer: string | null;
  readonly requestNote: string | null;
  readonly decisionNote: string | null;
  readonly dataSnapshotHash: string;
  /** Of kind `push`: when its webhook was written. */
  readonly pushedAt: Instant | null;
  readonly decidedAt: Instant | null;
  readonly createdAt: Instant;
  readonly updatedAt: Instant;
}
