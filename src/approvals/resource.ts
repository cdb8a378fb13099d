import type { Tx } from '../db/index.ts';
import type { ApprovalKind } from '../identity/index.ts';
import type { Result } from '../kernel/result.ts';
import type { Instant } from '../kernel/time.ts';
import type { ResourceKey, ResourceType } from './approval.ts';

/** The approved content of a resource, as of now. */
export interface ResourceState {
  /** JSON. Elements of arrays have an `id` or a `key` by which they are found again. */
  readonly content: unknown;
  /** SHA-256 of the content, as the resource shows it. */
  readonly dataSnapshotHash: string;
}

/** A resource that stays as it is until the transaction ends, and what approvals do to it. */
export interface LockedResource extends ResourceState, ResourceKey {
  readonly customerId: string;
  /** Effective now of the resource. */
  readonly now: Instant;
  /** Is it issued already, so that a push of it leaves without any other approval? */
  readonly isReleased: boolean;
  /** The resource and its parts, for the external references of a push. */
  readonly entityIds: readonly string[];
  /** An approval is requested. @returns a refusal where the resource does not allow it */
  request(kind: ApprovalKind): Promise<Result<unknown>>;
  /** The last required approval is given. */
  approve(): Promise<Result<unknown>>;
  /** A reviewer rejects. */
  reject(): Promise<Result<unknown>>;
  /** A pending approval is cancelled. */
  recall(): Promise<Result<unknown>>;
  /** A given approval is cancelled. */
  withdraw(): Promise<Result<unknown>>;
}

/** How approvals reach the resources of one type; `wiring.ts` hands it in. */
export interface ApprovalResource {
  /** Locks a resource. @param wall wall time @returns 404 */
  lock(tx: Tx, key: ResourceKey, wall: Instant): Promise<Result<LockedResource>>;
  /** @returns null where there is no such resource any more */
  find(tx: Tx, key: ResourceKey): Promise<ResourceState | null>;
}

/** The id of an entity in an external system, in the webhook of a push. */
export type PushedReference = {
  readonly entityType: string;
  readonly entityId: string;
  readonly provider: string;
  readonly externalId: string;
};

/** The dependencies of approvals on other domains. */
export interface ApprovalDependencies {
  readonly resources: Readonly<Record<ResourceType, ApprovalResource>>;
  /** The default external references of some entities of a merchant. */
  readonly findDefaultReferences: (tx: Tx, entityIds: readonly string[]) => Promise<readonly PushedReference[]>;
}
