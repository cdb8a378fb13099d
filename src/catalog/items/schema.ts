import {
  Id,
  ListQuery,
  MapOut,
  Metadata,
  Name,
  Nullable,
  type Static,
  Strict,
  Text,
  Timestamp,
  Type,
} from '../../http/index.ts';
import { ExternalReferenceOut } from '../../references/index.ts';

export const ItemOut = Type.Object(
  {
    id: Id('item'),
    object: Type.Literal('item'),
    merchantId: Id('organization'),
    name: Type.String(),
    metadata: MapOut,
    externalReferences: Type.Array(ExternalReferenceOut),
    catalogId: Nullable(Id('product')),
    archivedAt: Nullable(Timestamp),
    createdAt: Timestamp,
    updatedAt: Timestamp,
  },
  { $id: 'Item' },
);

export const ItemCreate = Strict(
  {
    name: Name,
    catalogId: Type.Optional(Nullable(Id('product'))),
    metadata: Type.Optional(Metadata),
    merchantId: Type.Optional(Id('organization')),
  },
  { $id: 'ItemCreate' },
);
export type ItemCreate = Static<typeof ItemCreate>;

export const ItemUpdate = Strict(
  {
    name: Type.Optional(Name),
    catalogId: Type.Optional(Nullable(Id('product'))),
    metadata: Type.Optional(Metadata),
    archived: Type.Optional(Type.Boolean()),
  },
  { $id: 'ItemUpdate' },
);
export type ItemUpdate = Static<typeof ItemUpdate>;

export const ItemListQuery = ListQuery(
  {
    merchantId: Type.Optional(Id('organization')),
    catalogId: Type.Optional(Id('product')),
    provider: Type.Optional(Text({ minLength: 1, maxLength: 64 })),
    externalId: Type.Optional(Text({ minLength: 1, maxLength: 255 })),
    includeArchived: Type.Optional(Type.Boolean({ default: false })),
  },
  { limit: 50 },
);
export type ItemListQuery = Static<typeof ItemListQuery>;
