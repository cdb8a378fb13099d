import { Id, JsonOut, ListQuery, Nullable, OneOf, type Static, Strict, Text, Timestamp, Type } from '../http/index.ts';
import { APPROVAL_KINDS, RESOURCE_TYPES } from './approval.ts';
import { DECISIONS } from './states.ts';

const Kind = OneOf(APPROVAL_KINDS);
const Note = Text({ maxLength: 1000 });
const Hash = Type.String({ pattern: '^[0-9a-f]{64}$' });

export const ApprovalReply = Type.Object(
  {
    id: Id('approval'),
    object: Type.Literal('approval'),
    merchantId: Id('organization'),
    resourceType: OneOf(RESOURCE_TYPES),
    resourceId: Type.String(),
    kind: Kind,
    decision: OneOf(DECISIONS),
    requester: Type.String(),
    reviewer: Nullable(Type.String()),
    note: Nullable(Type.String()),
    requestNote: Nullable(Type.String()),
    dataSnapshotHash: Type.String(),
    decidedAt: Nullable(Timestamp),
    pushedAt: Nullable(Timestamp),
    createdAt: Timestamp,
  },
  {
    $id: 'Approval',
    description: 'A request that a second person decides on an order or an invoice.',
    'x-fields': {
      resourceType: '`order` or `invoice`.',
      resourceId: ['The id of the order or invoice.', 'ord_8c3d5e0f1a2b4c6d'],
      kind: '`data_review`, `financial_review`, or `push`, which also sends the resource to external systems.',
      decision: '`pending`: not decided. `approved`, `rejected`: another user decided. `cancelled`: it holds no more.',
      requester: ['The id of the user who requested it.', 'usr_8c3d5e0f1a2b4c6d'],
      reviewer: 'The id of the user who approved or rejected it. Null: not decided.',
      note: 'The note of the decision. Before it, the note of the request. Null: none.',
      requestNote: 'The note of the request. Null: none.',
      dataSnapshotHash: 'The SHA-256 of the content to approve.',
      decidedAt: 'The time of the decision. Null: it is pending.',
      pushedAt: 'Of kind `push`: the time at which the webhook was written. Null: none was.',
    },
  },
);

export const ApprovalChangesReply = Type.Object(
  {
    object: Type.Literal('approvalChanges'),
    approvalId: Id('approval'),
    resourceType: OneOf(RESOURCE_TYPES),
    resourceId: Type.String(),
    approvedSnapshotHash: Type.String(),
    dataSnapshotHash: Nullable(Type.String()),
    isStale: Type.Boolean(),
    changes: Type.Array(
      Type.Object(
        {
          path: Type.String(),
          before: JsonOut,
          after: JsonOut,
          text: Type.String(),
        },
        {
          'x-fields': {
            path: ['The field, such as `lineItems[oli_…].quantity`.', 'lineItems[oli_8c3d5e0f1a2b4c6d].quantity'],
            before: ['The approved value. Null: there was none.', '2'],
            after: ['The value now. Null: there is none any more.', '3'],
            text: ['The difference as a sentence.', 'Line item “Seats”: quantity changed from 2 to 3.'],
          },
        },
      ),
    ),
  },
  {
    $id: 'ApprovalChanges',
    description: 'The differences between the approved content and the content now.',
    'x-fields': {
      approvalId: 'The approval.',
      resourceType: '`order` or `invoice`.',
      resourceId: ['The id of the order or invoice.', 'ord_8c3d5e0f1a2b4c6d'],
      approvedSnapshotHash: 'The SHA-256 of the content for which the approval was requested.',
      dataSnapshotHash: 'The SHA-256 of the content now. Null: the resource was deleted.',
      isStale: '`true`: the content has changed since.',
      changes: 'The differences, one for each field.',
    },
  },
);

const asked = {
  kind: Type.Optional(Kind),
  note: Type.Optional(Nullable(Note)),
  dataSnapshotHash: Type.Optional(Hash),
};
const askedWords = {
  kind: '`data_review` (default), `financial_review`, or `push`, which also sends the resource to external systems.',
  note: 'A note for the reviewer. Null: none.',
  dataSnapshotHash:
    'The hash of the content that you have seen. If the content has changed since: 409 `SNAPSHOT_STALE`. ' +
    'Default: the content now.',
} as const;

export const ApprovalCreateBody = Strict(
  {
    resourceType: OneOf(RESOURCE_TYPES),
    resourceId: Type.String(),
    ...asked,
    actorId: Type.Optional(Id('user')),
    merchantId: Type.Optional(Id('organization')),
  },
  {
    $id: 'ApprovalCreate',
    examples: [
      {
        resourceType: 'order',
        resourceId: 'ord_8c3d5e0f1a2b4c6d',
        kind: 'financial_review',
        note: 'Please check the price',
      },
    ],
    'x-fields': {
      ...askedWords,
      resourceType: '`order` or `invoice`.',
      resourceId: ['The id of the order or invoice.', 'ord_8c3d5e0f1a2b4c6d'],
      actorId: 'For platform operators: the user on whose behalf they act. Default: the caller.',
    },
  },
);
export type ApprovalCreateBody = Static<typeof ApprovalCreateBody>;

export const OrderApprovalCreateBody = Strict(
  { ...asked, requester: Type.Optional(Id('user')) },
  {
    $id: 'OrderApprovalCreate',
    examples: [{ kind: 'data_review', note: 'Please check the term' }],
    'x-fields': {
      ...askedWords,
      requester: 'For platform operators: the user on whose behalf they act. Default: the caller.',
    },
  },
);
export type OrderApprovalCreateBody = Static<typeof OrderApprovalCreateBody>;

export const ApprovalUpdateBody = Strict(
  {
    decision: OneOf(['approved', 'rejected', 'cancelled']),
    note: Type.Optional(Nullable(Note)),
    actorId: Type.Optional(Id('user')),
  },
  {
    $id: 'ApprovalUpdate',
    examples: [{ decision: 'approved', note: 'Fine' }],
    'x-fields': {
      decision:
        '`approved` and `rejected`: by another user than the requester. `cancelled`: by the requester or an ' +
        'admin.',
      note: 'A note of the decision. Null: none.',
      actorId: 'For platform operators: the user on whose behalf they act. Default: the caller.',
    },
  },
);
export type ApprovalUpdateBody = Static<typeof ApprovalUpdateBody>;

const LISTED = 50; // api.md, Lists

export const ApprovalListQuery = ListQuery(
  {
    merchantId: Type.Optional(Id('organization')),
    resourceType: Type.Optional(OneOf(RESOURCE_TYPES)),
    resourceId: Type.Optional(Type.String()),
    kind: Type.Optional(Kind),
    decision: Type.Optional(OneOf(DECISIONS)),
  },
  {
    limit: LISTED,
    fields: {
      resourceType: 'Only approvals of this type of resource.',
      resourceId: 'Only approvals of this order or invoice.',
      kind: 'Only approvals of this kind.',
      decision: 'Only approvals with this decision.',
    },
  },
);
