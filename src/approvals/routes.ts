import { type Caller, hasRole, type Route, routesOf } from '../http/index.ts';
import { ok, type Result } from '../kernel/result.ts';
import type { Approval } from './approval.ts';
import { decideApproval } from './decide.ts';
import { getApproval, listApprovals, readChanges, toApprovalReply } from './read.ts';
import { type Actor, requestApproval } from './request.ts';
import type { ApprovalDependencies } from './resource.ts';
import {
  ApprovalChangesReply,
  ApprovalCreateBody,
  ApprovalListQuery,
  ApprovalReply,
  ApprovalUpdateBody,
  OrderApprovalCreateBody,
} from './schemas.ts';

const api = routesOf('Approvals');
const one = { of: 'id', kind: 'approval' } as const;

const answer = (approval: Result<Approval>) => (approval.ok ? ok(toApprovalReply(approval.value)) : approval);

const actorOf = ({ userId, isOperator }: Caller, field: string, named: string | undefined): Actor => ({
  userId,
  isOperator,
  ...(named !== undefined && { behalf: { userId: named, field } }),
});

/** `/v0/approvals`, and the request for an order (§4, Orders and approvals; api.md). */
export const approvalRoutes = (dependencies: ApprovalDependencies): readonly Route[] => [
  api.post('/v0/approvals', 'createApproval', {
    summary: 'Request an approval',
    description:
      'Requests an approval of an order or of an invoice. A draft invoice allows any kind, an issued one only ' +
      '`push`. Another user than the requester decides. One request of each kind can be pending: 409 ' +
      '`APPROVAL_PENDING`.',
    access: { role: 'member', merchant: 'body', by: ['resourceId'] },
    body: ApprovalCreateBody,
    replies: { 201: ApprovalReply },
    errors: [409],
    handler: async ({ tx, body, caller, now }) => {
      const { resourceType, resourceId, kind = 'data_review', dataSnapshotHash, note = null, actorId } = body;
      const request = { resourceType, resourceId, kind, dataSnapshotHash, note };
      return answer(await requestApproval(dependencies, tx, request, actorOf(caller, 'actorId', actorId), now));
    },
  }),
  api.post('/v0/orders/:id/approvals', 'createOrderApproval', {
    summary: 'Request an approval of an order',
    description:
      'The order becomes `pending`. Another user than the requester decides. While a request of the kind is pending: ' +
      '409 `APPROVAL_PENDING`. An order without lines: 409 `ORDER_WITHOUT_LINES`.',
    access: { role: 'member', merchant: { of: 'id', kind: 'order' } },
    body: OrderApprovalCreateBody,
    replies: { 201: ApprovalReply },
    errors: [409],
    handler: async ({ tx, params, body, caller, now }) => {
      const { kind = 'data_review', dataSnapshotHash, note = null, requester } = body;
      const resourceId = params.id;
      const request = { resourceType: 'order', resourceId, kind, dataSnapshotHash, note } as const;
      return answer(await requestApproval(dependencies, tx, request, actorOf(caller, 'requester', requester), now));
    },
  }),
  api.list('/v0/approvals', 'listApprovals', {
    summary: 'List approvals',
    description: 'The newest approval comes first. `resourceId` lists the history of one order or invoice.',
    access: { role: 'viewer', merchant: 'query', by: ['resourceId'] },
    query: ApprovalListQuery,
    of: ApprovalReply,
    list: ({ tx, merchantId, query, page }) => listApprovals(tx, merchantId, query, page),
  }),
  api.get('/v0/approvals/:id', 'getApproval', {
    summary: 'Retrieve an approval',
    description: '`decision` has the outcome.',
    access: { role: 'viewer', merchant: one },
    replies: { 200: ApprovalReply },
    handler: async ({ tx, params }) => answer(await getApproval(tx, params.id)),
  }),
  api.get('/v0/approvals/:id/changes', 'getApprovalChanges', {
    summary: 'Compare the approved content with the content now',
    description:
      '`isStale` says whether anything has changed since the request. Each change has a sentence for people.',
    access: { role: 'viewer', merchant: one },
    replies: { 200: ApprovalChangesReply },
    handler: async ({ tx, params }) => readChanges(dependencies, tx, params.id),
  }),
  api.patch('/v0/approvals/:id', 'updateApproval', {
    summary: 'Approve, reject or cancel a request',
    description:
      'The last required approval approves the order or issues the invoice, in the same transaction. The requester ' +
      'cannot approve or reject: 403 `SELF_APPROVAL`. The requester or an admin cancels. If the content has changed ' +
      'since the request: 409 `SNAPSHOT_STALE`. A decision is final.',
    access: { role: 'member', merchant: one },
    body: ApprovalUpdateBody,
    replies: { 200: ApprovalReply },
    errors: [409],
    handler: async ({ tx, merchantId, params, body, caller, now }) => {
      const reviewer = { ...actorOf(caller, 'actorId', body.actorId), isAdmin: hasRole(caller, 'admin') };
      return answer(await decideApproval(dependencies, tx, { merchantId, id: params.id }, body, reviewer, now));
    },
  }),
];
