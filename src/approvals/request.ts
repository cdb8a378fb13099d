import { checkReference, type Tx } from '../db/index.ts';
import { type ApprovalKind, merchantSettings } from '../identity/index.ts';
import { isId, newId } from '../kernel/ids.ts';
import { fail, forbidden, notFound, ok, type Result } from '../kernel/result.ts';
import type { Instant } from '../kernel/time.ts';
import type { Approval, ResourceKey, ResourceType } from './approval.ts';
import { insertApproval, selectPending } from './approvals.sql.ts';
import { publishApprovalEvents } from './given.ts';
import type { ApprovalDependencies } from './resource.ts';

/** The actor: a user, or an operator on behalf of one. */
export interface Actor {
  readonly userId: string;
  readonly isOperator: boolean;
  /** On whose behalf an operator acts, and the field that says so. */
  readonly behalf?: { readonly userId: string; readonly field: string } | undefined;
}

/** @returns the acting user; 403 if another caller than an operator names somebody else; 404 for an unknown user */
export async function actingUser(tx: Tx, actor: Actor): Promise<Result<string>> {
  const { userId, isOperator, behalf } = actor;
  if (behalf === undefined || behalf.userId === userId) return ok(userId);
  if (!isOperator) return forbidden(`Only platform operators act on behalf of others: ${behalf.field} is for them.`);
  if (!isId('user', behalf.userId)) return notFound('user', behalf.field);
  return checkReference(tx, 'user', behalf.userId, behalf.field);
}

export interface ApprovalRequest {
  readonly resourceType: ResourceType;
  readonly resourceId: string;
  readonly kind: ApprovalKind;
  /** The hash that the requester saw; absent: the present one. */
  readonly dataSnapshotHash?: string | undefined;
  readonly note: string | null;
}

/**
 * Requests that somebody else decides on a resource as it stands. The resource is locked first, so a request and an
 * edit at the same instant go one after the other.
 * @returns APPROVAL_PENDING; SNAPSHOT_STALE; what the resource refuses
 */
export async function requestApproval(
  dependencies: ApprovalDependencies,
  tx: Tx,
  request: ApprovalRequest,
  actor: Actor,
  wall: Instant,
): Promise<Result<Approval>> {
  const { resourceType, resourceId, kind, note } = request;
  if (!isId(resourceType, resourceId)) return notFound(resourceType, 'resourceId');
  const key: ResourceKey = { merchantId: tx.merchantId, id: resourceId };
  const requester = await actingUser(tx, actor);
  if (!requester.ok) return requester;
  const locked = await dependencies.resources[resourceType].lock(tx, key, wall);
  if (!locked.ok) return locked;
  const resource = locked.value;
  const pending = await selectPending(tx, key, kind);
  if (pending) return fail('APPROVAL_PENDING', { approvalId: pending.id, kind });
  const { dataSnapshotHash, content, now } = resource;
  if ((request.dataSnapshotHash ?? dataSnapshotHash) !== dataSnapshotHash)
    return fail('SNAPSHOT_STALE', { field: 'dataSnapshotHash', dataSnapshotHash });
  const allowed = await resource.request(kind);
  if (!allowed.ok) return allowed;
  const subject = { merchantId: tx.merchantId, resourceType, resourceId, content, dataSnapshotHash };
  const [approval] = await insertRequests(tx, subject, [kind], { requester: requester.value, note }, now);
  return ok(approval as Approval);
}

/** The content of a resource for which approvals are requested. */
export interface RequestedContent
  extends Pick<Approval, 'merchantId' | 'resourceType' | 'resourceId' | 'dataSnapshotHash'> {
  readonly content: unknown;
}

/**
 * Requests the approvals that the merchant requires of a changed resource, or a review if none is required. The
 * resource is locked, and nothing of it is pending.
 */
export async function requestApprovals(
  tx: Tx,
  changed: RequestedContent,
  requester: string,
  now: Instant,
): Promise<void> {
  const required = (await merchantSettings(tx)).requiredApprovals[changed.resourceType];
  const kinds = required.length === 0 ? (['data_review'] as const) : required;
  await insertRequests(tx, changed, kinds, { requester, note: null }, now);
}

async function insertRequests(
  tx: Tx,
  { content, ...subject }: RequestedContent,
  kinds: readonly ApprovalKind[],
  { requester, note }: { readonly requester: string; readonly note: string | null },
  now: Instant,
): Promise<Approval[]> {
  const approvals: Approval[] = [];
  for (const kind of kinds)
    approvals.push(
      await insertApproval(
        tx,
        {
          ...subject,
          id: newId('approval'),
          kind,
          decision: 'pending',
          requester,
          reviewer: null,
          requestNote: note,
          decisionNote: null,
          pushedAt: null,
          decidedAt: null,
          createdAt: now,
          updatedAt: now,
        },
        content,
      ),
    );
  await publishApprovalEvents(tx, approvals, 'approval.requested.v0', now);
  return approvals;
}
