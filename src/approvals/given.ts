import type { Tx } from '../db/index.ts';
import { type ApprovalKind, merchantSettings } from '../identity/index.ts';
import type { Instant } from '../kernel/time.ts';
import { publishAll } from '../webhooks/index.ts';
import type { Approval, ResourceKey, ResourceType } from './approval.ts';
import { selectApprovedContents, selectGiven, selectGivenOf, updatePendingToCancelled } from './approvals.sql.ts';
import { missingKinds } from './complete.ts';

/** The kinds of which a resource has an approved approval for a content. */
export const findGivenKinds = async (
  tx: Tx,
  resource: ResourceKey,
  dataSnapshotHash: string,
): Promise<ReadonlySet<ApprovalKind>> =>
  new Set((await selectGiven(tx, resource, dataSnapshotHash)).map(({ kind }) => kind));

/** The contents of a resource that were approved, the last one first. */
export const findApprovedContents = (tx: Tx, resource: ResourceKey): Promise<unknown[]> =>
  selectApprovedContents(tx, resource);

/** The kinds that the merchant requires of such a resource and that are not approved for this content. */
export async function findMissingKinds(
  tx: Tx,
  type: ResourceType,
  { id }: ResourceKey,
  dataSnapshotHash: string | null,
): Promise<readonly ApprovalKind[]> {
  const missing = await findMissingKindsOf(tx, type, new Map([[id, dataSnapshotHash]]));
  return missing.get(id) ?? [];
}

/**
 * The same of some resources of one merchant. @param contents by resource; null: none, so that nothing is approved for
 * it
 */
export async function findMissingKindsOf(
  tx: Tx,
  type: ResourceType,
  contents: ReadonlyMap<string, string | null>,
): Promise<ReadonlyMap<string, readonly ApprovalKind[]>> {
  const required = (await merchantSettings(tx)).requiredApprovals[type];
  const known = [...contents].flatMap(([id, hash]) => (hash === null || required.length === 0 ? [] : [{ id, hash }]));
  const given = Map.groupBy(known.length === 0 ? [] : await selectGivenOf(tx, known), ({ resourceId }) => resourceId);
  return new Map(
    [...contents.keys()].map((id) => [
      id,
      missingKinds(required, new Set((given.get(id) ?? []).map(({ kind }) => kind))),
    ]),
  );
}

/** The resources have changed or are over: every pending approval of them is cancelled. Their rows are locked. */
export async function cancelApprovals(tx: Tx, resourceIds: readonly string[], now: Instant): Promise<void> {
  if (resourceIds.length === 0) return;
  await publishApprovalEvents(tx, await updatePendingToCancelled(tx, resourceIds, now), 'approval.decided.v0', now);
}

/** Writes a webhook event about each of some approvals (domain.md §9). */
export async function publishApprovalEvents(
  tx: Tx,
  approvals: readonly Approval[],
  type: 'approval.requested.v0' | 'approval.decided.v0',
  now: Instant,
): Promise<void> {
  const events = approvals.map(({ merchantId, id, resourceType, resourceId, kind, decision }) => ({
    merchantId,
    type,
    data: { approvalId: id, resourceType, resourceId, kind, decision },
  }));
  await publishAll(tx, events, now);
}
