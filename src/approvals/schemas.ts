import { Id, ListQuery, Nullable, OneOf, type Static, Strict, Text, Timestamp, Type } from '../http/index.ts';
import { APPROVAL_KINDS, RESOURCE_TYPES } from './approval.ts';
import { DECISIONS } from './states.ts';

const Kind = OneOf(APPROVAL_KINDS);
const Note = Text({ maxLength: 1000 });
const Hash = Type.String({ pattern: '^[0-9a-f]{64}$' });

export const ApprovalOut = Type.Object(
  {
    id: Id('approval'),
    object: Type.Literal('approval'),
    merchantId: Id('organization'),
    resourceType: OneOf(RESOURCE_TYPES),
    resourceId: Type.String(),
    kind: Kind,
    decision: OneOf(DECISIONS),
    requester: Type.String({ description: 'The user who asked.' }),
    reviewer: Nullable(Type.String({ description: 'The user who approved or rejected.' })),
    note: Nullable(Type.String({ description: 'Of the decision; before it, of the request.' })),
    requestNote: Nullable(Type.String()),
    dataSnapshotHash: Type.String({ description: 'What the approval is requested for.' }),
    decidedAt: Nullable(Timestamp),
    pushedAt: Nullable({ ...Timestamp, description: 'Of kind `push`: when the webhook was written.' }),
    createdAt: Timestamp,
  },
  { $id: 'Approval' },
);

export const ApprovalChanges = Type.Object(
  {
    object: Type.Literal('approvalChanges'),
    approvalId: Id('approval'),
    resourceType: OneOf(RESOURCE_TYPES),
    resourceId: Type.String(),
    approvedSnapshotHash: Type.String(),
    dataSnapshotHash: Nullable(Type.String({ description: 'Of the resource now; null: it was deleted.' })),
    isStale: Type.Boolean({ description: 'Has anything changed?' }),
    changes: Type.Array(
      Type.Object({
        path: Type.String(),
        before: Type.Unknown(),
        after: Type.Unknown(),
        text: Type.String(),
      }),
    ),
  },
  { $id: 'ApprovalChanges' },
);

const asked = {
  kind: Type.Optional(Kind),
  note: Type.Optional(Nullable(Note)),
  dataSnapshotHash: Type.Optional({ ...Hash, description: 'Of what was seen; another one than now is a 409.' }),
};

export const ApprovalCreate = Strict(
  {
    resourceType: OneOf(RESOURCE_TYPES),
    resourceId: Type.String(),
    ...asked,
    actorId: Type.Optional({ ...Id('user'), description: 'For operators: on whose behalf.' }),
    merchantId: Type.Optional(Id('organization')),
  },
  { $id: 'ApprovalCreate' },
);
export type ApprovalCreate = Static<typeof ApprovalCreate>;

export const OrderApprovalCreate = Strict(
  { ...asked, requester: Type.Optional({ ...Id('user'), description: 'For operators: on whose behalf.' }) },
  { $id: 'OrderApprovalCreate' },
);
export type OrderApprovalCreate = Static<typeof OrderApprovalCreate>;

export const ApprovalUpdate = Strict(
  {
    decision: OneOf(['approved', 'rejected', 'cancelled']),
    note: Type.Optional(Nullable(Note)),
    actorId: Type.Optional({ ...Id('user'), description: 'For operators: on whose behalf.' }),
  },
  { $id: 'ApprovalUpdate' },
);
export type ApprovalUpdate = Static<typeof ApprovalUpdate>;

const LISTED = 50; // api.md, Lists

export const ApprovalListQuery = ListQuery(
  {
    merchantId: Type.Optional(Id('organization')),
    resourceType: Type.Optional(OneOf(RESOURCE_TYPES)),
    resourceId: Type.Optional(Type.String()),
    kind: Type.Optional(Kind),
    decision: Type.Optional(OneOf(DECISIONS)),
  },
  { limit: LISTED },
);
