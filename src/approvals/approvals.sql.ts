import { allOf, insertion, jsonb, keptTotal, pageOfRows, sql, type Tx } from '../db/index.ts';
import type { PageRequest } from '../http/index.ts';
import type { ApprovalKind } from '../identity/index.ts';
import type { Instant } from '../kernel/time.ts';
import type { Approval, ResourceKey, ResourceType } from './approval.ts';
import type { Decision } from './states.ts';

const REQUEST = sql`merchant_id, id, resource_type, resource_id, kind, decision, requester, request_note,
  data_snapshot_hash, created_at, updated_at`;
const INSERTED = sql`${REQUEST}, content`;
const COLUMNS = sql`${REQUEST}, reviewer, decision_note, pushed_at, decided_at`;

/** @param content the content of the hash */
export const insertApproval = (tx: Tx, approval: Approval, content: unknown): Promise<Approval> =>
  tx.one<Approval>(sql`
    ${insertion('approval', { ...approval, content: jsonb(content) }, INSERTED)}
    returning ${COLUMNS}`);

export const selectApproval = (tx: Tx, id: string): Promise<Approval | undefined> =>
  tx.maybe<Approval>(sql`select ${COLUMNS} from approval where merchant_id = ${tx.merchantId} and id = ${id}`);

/** Its resource is locked first. */
export const lockApproval = (tx: Tx, id: string): Promise<Approval | undefined> =>
  tx.maybe<Approval>(sql`
    select ${COLUMNS} from approval where merchant_id = ${tx.merchantId} and id = ${id} for update`);

/** The content of the approval. */
export const selectContent = async (tx: Tx, { merchantId, id }: Approval): Promise<unknown> => {
  const { content } = await tx.one<{ content: unknown }>(sql`
    select content from approval where merchant_id = ${merchantId} and id = ${id}`);
  return content;
};

export interface ApprovalFilter {
  readonly resourceType?: ResourceType | undefined;
  readonly resourceId?: string | undefined;
  readonly kind?: ApprovalKind | undefined;
  readonly decision?: Decision | undefined;
}

export const selectApprovalPage = (tx: Tx, merchantId: string | null, filter: ApprovalFilter, page: PageRequest) =>
  pageOfRows<Approval>(
    tx,
    {
      kind: 'approval',
      select: COLUMNS,
      from: sql`approval`,
      where: allOf([
        merchantId !== null && sql`merchant_id = ${merchantId}`,
        filter.resourceType !== undefined && sql`resource_type = ${filter.resourceType}`,
        filter.resourceId !== undefined && sql`resource_id = ${filter.resourceId}`,
        filter.kind !== undefined && sql`kind = ${filter.kind}`,
        filter.decision !== undefined && sql`decision = ${filter.decision}`,
      ]),
    },
    page,
    keptTotal(tx, 'approval', merchantId, filter, ['decision', 'kind']),
  );

/** The fields of an approval that a decision changes. */
export type DecisionChanges = Pick<Approval, 'decision' | 'reviewer' | 'decisionNote' | 'decidedAt'>;

export const updateDecision = (
  tx: Tx,
  { merchantId, id }: Approval,
  { decision, reviewer, decisionNote, decidedAt }: DecisionChanges,
): Promise<Approval> =>
  tx.one<Approval>(sql`
    update approval
       set decision = ${decision}, reviewer = ${reviewer}, decision_note = ${decisionNote}, decided_at = ${decidedAt},
           updated_at = ${decidedAt}
     where merchant_id = ${merchantId} and id = ${id}
    returning ${COLUMNS}`);

/** Cancels the pending approvals of some resources. @returns those that were pending, oldest first */
export const updatePendingToCancelled = (tx: Tx, resourceIds: readonly string[], now: Instant) =>
  tx.rows<Approval>(sql`
    with cancelled as (
      update approval set decision = 'cancelled', decided_at = ${now}, updated_at = ${now}
       where merchant_id = ${tx.merchantId} and resource_id = any (${[...resourceIds]}::text[]) and decision = 'pending'
      returning seq, ${COLUMNS})
    select * from cancelled order by seq`);

export const selectPending = (tx: Tx, { merchantId, id }: ResourceKey, kind: ApprovalKind) =>
  tx.maybe<Approval>(sql`
    select ${COLUMNS} from approval
     where merchant_id = ${merchantId} and resource_id = ${id} and kind = ${kind} and decision = 'pending'`);

/** Approvals that were given for a content of a resource, oldest first. */
export const selectGiven = (tx: Tx, { merchantId, id }: ResourceKey, dataSnapshotHash: string) =>
  tx.rows<Approval>(sql`
    select ${COLUMNS} from approval
     where merchant_id = ${merchantId} and resource_id = ${id} and decision = 'approved'
       and data_snapshot_hash = ${dataSnapshotHash}
     order by seq`);

/** The contents of a resource that were approved, the last one first. */
export const selectApprovedContents = (tx: Tx, { merchantId, id }: ResourceKey): Promise<unknown[]> =>
  tx.values<unknown>(sql`
    select content from approval
     where merchant_id = ${merchantId} and resource_id = ${id} and decision = 'approved' order by seq desc`);

/** The same of some resources of a merchant, each for its own content. */
export const selectGivenOf = (tx: Tx, contents: readonly { readonly id: string; readonly hash: string }[]) =>
  tx.rows<Approval>(sql`
    select ${COLUMNS} from approval
     where merchant_id = ${tx.merchantId} and decision = 'approved'
       and (resource_id, data_snapshot_hash) in (
         select * from unnest(${contents.map(({ id }) => id)}::text[], ${contents.map(({ hash }) => hash)}::text[]))
     order by seq`);

export const updatePushed = (tx: Tx, ids: readonly string[], now: Instant) =>
  tx.run(sql`
    update approval set pushed_at = ${now}, updated_at = ${now}
     where merchant_id = ${tx.merchantId} and id = any (${[...ids]}::text[])`);
