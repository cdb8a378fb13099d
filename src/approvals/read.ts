import type { Tx } from '../db/index.ts';
import type { PageRequest } from '../http/index.ts';
import { notFound, ok, type Result } from '../kernel/result.ts';
import { formatInstant } from '../kernel/time.ts';
import type { Approval } from './approval.ts';
import { type ApprovalFilter, selectApproval, selectApprovalPage, selectContent } from './approvals.sql.ts';
import { type Change, changesBetween } from './changes.ts';
import type { ApprovalDependencies } from './resource.ts';

/** An approval as it is answered (§2). */
export const toApprovalReply = (approval: Approval) => ({
  id: approval.id,
  object: 'approval' as const,
  merchantId: approval.merchantId,
  resourceType: approval.resourceType,
  resourceId: approval.resourceId,
  kind: approval.kind,
  decision: approval.decision,
  requester: approval.requester,
  reviewer: approval.reviewer,
  note: approval.decisionNote ?? approval.requestNote,
  requestNote: approval.requestNote,
  dataSnapshotHash: approval.dataSnapshotHash,
  decidedAt: approval.decidedAt && formatInstant(approval.decidedAt),
  pushedAt: approval.pushedAt && formatInstant(approval.pushedAt),
  createdAt: formatInstant(approval.createdAt),
});

/** One approval; 404. */
export async function getApproval(tx: Tx, id: string): Promise<Result<Approval>> {
  const approval = await selectApproval(tx, id);
  return approval ? ok(approval) : notFound('approval');
}

/** Approvals, newest first: of one resource they are its history. */
export async function listApprovals(tx: Tx, merchantId: string | null, filter: ApprovalFilter, page: PageRequest) {
  const { rows, total } = await selectApprovalPage(tx, merchantId, filter, page);
  return { data: rows.map(toApprovalReply), total };
}

/** The changes of a resource since the request of an approval. A resource that was deleted is one change. */
export async function readChanges(dependencies: ApprovalDependencies, tx: Tx, id: string) {
  const approval = await selectApproval(tx, id);
  if (!approval) return notFound('approval');
  const { resourceType, resourceId, dataSnapshotHash } = approval;
  const asked = await selectContent(tx, approval);
  const present = await dependencies.resources[resourceType].find(tx, { merchantId: tx.merchantId, id: resourceId });
  const changes: readonly Change[] = present
    ? changesBetween(asked, present.content)
    : [{ path: '', before: asked, after: null, text: `The ${resourceType} was deleted.` }];
  return ok({
    object: 'approvalChanges' as const,
    approvalId: id,
    resourceType,
    resourceId,
    approvedSnapshotHash: dataSnapshotHash,
    dataSnapshotHash: present?.dataSnapshotHash ?? null,
    isStale: changes.length > 0,
    changes,
  });
}
