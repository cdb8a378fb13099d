import {
  DecimalOut,
  type FieldWords,
  Id,
  Nullable,
  OneOf,
  type Static,
  Strict,
  Text,
  Timestamp,
  Type,
} from '../http/index.ts';
import { KINDS } from './entry.ts';

/** How many entries a page has by default. */
export const PAGE_LENGTH = 50;

export const TimelineQuery = Strict(
  {
    kinds: Type.Optional(Type.Union([Text(), Type.Array(Text())])),
    from: Type.Optional(Timestamp),
    to: Type.Optional(Timestamp),
    limit: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: 100,
        default: PAGE_LENGTH,
        description: 'How many entries the page has at most.',
      }),
    ),
    before: Type.Optional(Text({ minLength: 1, maxLength: 1000 })),
  },
  {
    'x-fields': {
      kinds: ['Only entries of these kinds, separated by commas, or repeated. Default: all.', 'invoice,payment'],
      from: 'Only entries at this time or later.',
      to: 'Only entries before this time.',
      before: 'The page begins behind this place: the `nextCursor` of the page before.',
    },
  },
);
export type TimelineQuery = Static<typeof TimelineQuery>;

const ENTRY_FIELDS: FieldWords = {
  id: ['The id of the entry. It stays the same.', 'wev_0a1B2c3D4e5F6g7H8i9J0k'],
  at: 'When it happened. On a test clock, the time of the clock. Of usage, the beginning of the day.',
  kind: 'The kind of the entry.',
  what: [
    'What happened, as a word: `invoice.issued`. Of a change by a user or the customer, the operation: ' +
      '`updateCustomer`. The guide "Customers" lists the words.',
    'invoice.issued',
  ],
  title: ['What happened, in a few English words.', 'Invoice INV-000042 issued'],
  resourceType: ['The kind of the resource that it happened to. Null: none.', 'invoice'],
  resourceId: ['The id of the resource that it happened to. Null: none.', 'inv_5f1d7a84be0c4d2e9a3b6c8d0e2f4a61'],
  invoiceId: 'The invoice. Null: it is about none.',
  amount: [
    'The amount: of an invoice its total, of the wallet the change of its balance, of a grant its units. Null: none.',
    '49.00',
  ],
  currency: ['The currency of the amount. Null: the amount is in units, or there is none.', 'USD'],
  count: ['Of usage: the number of events. Null: it is no usage.', 12],
  label: [
    'A number or a name in the title: of an invoice its number, of usage the event type, of an email its kind. Null: ' +
      'none.',
    'INV-000042',
  ],
  actor: 'Of a change: by a `user` of the merchant, or by the `customer` in the customer portal. Null: no change.',
  userId: 'The user who made the change. Null: no user did.',
};

const TimelineEntryReply = Type.Object(
  {
    object: Type.Literal('timelineEntry'),
    id: Type.String(),
    at: Timestamp,
    kind: OneOf(KINDS),
    what: Type.String(),
    title: Type.String(),
    resourceType: Nullable(Type.String()),
    resourceId: Nullable(Type.String()),
    invoiceId: Nullable(Id('invoice')),
    amount: Nullable(DecimalOut),
    currency: Nullable(Type.String()),
    count: Nullable(Type.Integer()),
    label: Nullable(Type.String()),
    actor: Nullable(OneOf(['user', 'customer'])),
    userId: Nullable(Id('user')),
  },
  { $id: 'TimelineEntry', description: 'Something that happened to a customer.', 'x-fields': ENTRY_FIELDS },
);
export type TimelineEntryReply = Static<typeof TimelineEntryReply>;

export const TimelineReply = Type.Object(
  {
    object: Type.Literal('list'),
    data: Type.Array(TimelineEntryReply),
    hasMore: Type.Boolean(),
    nextCursor: Nullable(Type.String()),
  },
  {
    $id: 'Timeline',
    description: 'A page of the timeline of a customer, the latest entry first.',
    'x-fields': {
      data: 'The entries of the page.',
      hasMore: ['Are there more entries behind this page?', false],
      nextCursor: 'The `before` of the next page. Null: this is the last page.',
    },
  },
);
export type TimelineReply = Static<typeof TimelineReply>;
