import type { Tx } from '../db/index.ts';
import { type ApprovalKind, merchantSettings } from '../identity/index.ts';
import { fail, forbidden, notFound, ok, type Result } from '../kernel/result.ts';
import { next } from '../kernel/state-table.ts';
import type { Instant } from '../kernel/time.ts';
import { publish } from '../webhooks/index.ts';
import type { Approval } from './approval.ts';
import { lockApproval, selectApproval, selectGiven, updateDecision, updatePushed } from './approvals.sql.ts';
import { isComplete } from './complete.ts';
import { cancelApprovals, publishApprovalEvents } from './given.ts';
import { type Actor, actingUser } from './request.ts';
import type { ApprovalDependencies, LockedResource } from './resource.ts';
import { type ApprovalTrigger, approvalStates } from './states.ts';

export type DecisionAsked = 'approved' | 'rejected' | 'cancelled';

const TRIGGER = {
  approved: 'approve',
  rejected: 'reject',
  cancelled: 'cancel',
} as const satisfies Record<DecisionAsked, ApprovalTrigger>;

/** The user who decides. An admin may also cancel requests of others. */
export interface Reviewer extends Actor {
  readonly isAdmin: boolean;
}

/**
 * Decides on an approval, once. What follows for the resource happens in the same transaction: it is approved or issued
 * when the last required approval is given.
 * @returns INVALID_TRANSITION; SELF_APPROVAL; SNAPSHOT_STALE for an approval of a resource that has changed; 403 where
 * somebody else than the requester or an admin cancels; what the resource refuses
 */
export async function decideApproval(
  dependencies: ApprovalDependencies,
  tx: Tx,
  { merchantId, id }: { readonly merchantId: string; readonly id: string },
  { decision, note }: { readonly decision: DecisionAsked; readonly note?: string | null | undefined },
  reviewer: Reviewer,
  wall: Instant,
): Promise<Result<Approval>> {
  const known = await selectApproval(tx, id);
  if (!known) return notFound('approval');
  const by = await actingUser(tx, reviewer);
  if (!by.ok) return by;
  const key = { merchantId, id: known.resourceId };
  const locked = await dependencies.resources[known.resourceType].lock(tx, key, wall);
  if (!locked.ok) return locked;
  const resource = locked.value;
  const approval = (await lockApproval(tx, id)) as Approval;
  const moved = next(approvalStates, approval.decision, TRIGGER[decision]);
  if (!moved.ok) return moved;
  const allowed = mayDecide(approval, decision, by.value, reviewer, resource);
  if (!allowed.ok) return allowed;
  const required = (await merchantSettings(tx)).requiredApprovals[approval.resourceType];
  const before = await selectGiven(tx, key, resource.dataSnapshotHash);
  const decided = await updateDecision(tx, approval, {
    decision,
    reviewer: decision === 'cancelled' ? approval.reviewer : by.value,
    decisionNote: note ?? approval.decisionNote,
    decidedAt: resource.now,
  });
  await publishApprovalEvents(tx, [decided], 'approval.decided.v0', resource.now);
  const followed = await follow(dependencies, tx, resource, { was: approval, decided, required, before });
  return followed.ok ? ok(decided) : followed;
}

function mayDecide(
  approval: Approval,
  decision: DecisionAsked,
  by: string,
  { isAdmin, isOperator }: Reviewer,
  { dataSnapshotHash }: LockedResource,
): Result<unknown> {
  if (decision === 'cancelled') {
    const isAllowed = by === approval.requester || isAdmin || isOperator;
    return isAllowed ? ok(undefined) : forbidden('Only the requester or an admin cancels an approval.');
  }
  if (by === approval.requester) return fail('SELF_APPROVAL', { requester: approval.requester });
  if (decision === 'approved' && approval.dataSnapshotHash !== dataSnapshotHash)
    return fail('SNAPSHOT_STALE', { dataSnapshotHash, approvedSnapshotHash: approval.dataSnapshotHash });
  return ok(undefined);
}

const kindsOf = (approvals: readonly Approval[]): ReadonlySet<ApprovalKind> =>
  new Set(approvals.map(({ kind }) => kind));

interface Decision {
  readonly was: Approval;
  readonly decided: Approval;
  readonly required: readonly ApprovalKind[];
  /** The approvals that were given for this content before. */
  readonly before: readonly Approval[];
}

/** Applies the effect of a decision to the resource. */
async function follow(
  dependencies: ApprovalDependencies,
  tx: Tx,
  resource: LockedResource,
  { was, decided, required, before }: Decision,
): Promise<Result<unknown>> {
  const { id, now } = resource;
  if (decided.decision !== 'approved') {
    const done =
      decided.decision === 'rejected'
        ? await resource.reject()
        : await (was.decision === 'approved' ? resource.withdraw() : resource.recall());
    if (done.ok) await cancelApprovals(tx, [id], now); // what was asked beside it holds no more
    return done;
  }
  const given = [...before, decided];
  const isNowComplete = isComplete(required, kindsOf(given));
  if (isNowComplete && !isComplete(required, kindsOf(before))) {
    const done = await resource.approve();
    if (!done.ok) return done;
  }
  if (isNowComplete || resource.isReleased) await push(dependencies, tx, resource, given);
  return ok(undefined);
}

/** Sends the approved content to external systems: one webhook for each approval of kind `push`. */
async function push(
  dependencies: ApprovalDependencies,
  tx: Tx,
  { merchantId, id, customerId, entityIds, now }: LockedResource,
  given: readonly Approval[],
): Promise<void> {
  const pushes = given.filter(({ kind, pushedAt }) => kind === 'push' && pushedAt === null);
  if (pushes.length === 0) return;
  const externalReferences = await dependencies.findDefaultReferences(tx, entityIds);
  for (const { id: approvalId, resourceType } of pushes)
    await publish(
      tx,
      {
        merchantId,
        type: `${resourceType}.pushed.v0`,
        data: { [`${resourceType}Id`]: id, customerId, approvalId, externalReferences },
      },
      now,
    );
  await updatePushed(
    tx,
    pushes.map(({ id: pushId }) => pushId),
    now,
  );
}
