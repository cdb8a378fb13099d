import {
  type FieldWords,
  Id,
  ListQuery,
  Metadata,
  MetadataOut,
  Name,
  Nullable,
  type Static,
  Strict,
  Text,
  Timestamp,
  Type,
} from '../../http/index.ts';
import { ExternalReferenceReply } from '../../references/index.ts';

const ITEM_FIELDS: FieldWords = {
  name: ['The name of the item, 1 to 255 characters.', 'Message pack'],
  metadata: ['Data of your own. A change replaces all of it.', { sku: 'MP-1' }],
  externalReferences: 'The records of this item in external systems, oldest first.',
  catalogId: 'The product to which the item belongs. Null: to none.',
  archivedAt: 'When the item was archived. Null: it is in use.',
  archived: '`true` archives the item, `false` restores it. An archived item keeps its references.',
};

const ITEM_FILTERS: FieldWords = {
  catalogId: 'Only items of this product.',
  provider: 'Only items with a reference to this external system, such as `salesforce`.',
  externalId: 'Only items with a reference to this record in an external system.',
  includeArchived: '`true`: archived items are listed too.',
};

export const ItemReply = Type.Object(
  {
    id: Id('item'),
    object: Type.Literal('item'),
    merchantId: Id('organization'),
    name: Type.String(),
    metadata: MetadataOut,
    externalReferences: Type.Array(ExternalReferenceReply),
    catalogId: Nullable(Id('product')),
    archivedAt: Nullable(Timestamp),
    createdAt: Timestamp,
    updatedAt: Timestamp,
  },
  {
    $id: 'Item',
    description: 'An item that orders and documents name, with its accounting codes.',
    'x-fields': ITEM_FIELDS,
  },
);

export const ItemCreateBody = Strict(
  {
    name: Name,
    catalogId: Type.Optional(Nullable(Id('product'))),
    metadata: Type.Optional(Metadata),
    merchantId: Type.Optional(Id('organization')),
  },
  { $id: 'ItemCreate', 'x-fields': ITEM_FIELDS, examples: [{ name: 'Message pack', metadata: { sku: 'MP-1' } }] },
);
export type ItemCreateBody = Static<typeof ItemCreateBody>;

export const ItemUpdateBody = Strict(
  {
    name: Type.Optional(Name),
    catalogId: Type.Optional(Nullable(Id('product'))),
    metadata: Type.Optional(Metadata),
    archived: Type.Optional(Type.Boolean()),
  },
  { $id: 'ItemUpdate', 'x-fields': ITEM_FIELDS, examples: [{ archived: true }] },
);
export type ItemUpdateBody = Static<typeof ItemUpdateBody>;

export const ItemListQuery = ListQuery(
  {
    merchantId: Type.Optional(Id('organization')),
    catalogId: Type.Optional(Id('product')),
    provider: Type.Optional(Text({ minLength: 1, maxLength: 64 })),
    externalId: Type.Optional(Text({ minLength: 1, maxLength: 255 })),
    includeArchived: Type.Optional(Type.Boolean({ default: false })),
  },
  { limit: 50, fields: ITEM_FILTERS },
);
export type ItemListQuery = Static<typeof ItemListQuery>;
