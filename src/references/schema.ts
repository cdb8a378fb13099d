import {
  Formed,
  Id,
  ListQuery,
  MapOut,
  Metadata,
  Nullable,
  OneOf,
  type Static,
  Strict,
  Text,
  Timestamp,
  Type,
} from '../http/index.ts';
import { idPattern } from '../kernel/ids.ts';

export const ENTITY_TYPES = ['item', 'customer', 'order', 'invoice', 'subscription'] as const;
export type EntityType = (typeof ENTITY_TYPES)[number];

const EntityTypeWord = OneOf(ENTITY_TYPES);

/** An id of any of the kinds that can have references. */
const EntityId = Formed(
  ENTITY_TYPES.map((kind) => `(?:${idPattern(kind)})`).join('|'),
  `must be the id of one of ${ENTITY_TYPES.join(', ')}`,
);

/** The outside system, as a word. */
export const Provider = Formed(
  '^[a-z][a-z0-9_]*$',
  'must be a word of lowercase letters, digits and underscores, such as salesforce',
  {
    maxLength: 64,
  },
);
const ExternalId = Text({ minLength: 1, maxLength: 255 });
const ExternalLabel = Nullable(Text({ maxLength: 255 }));

export const ExternalReferenceOut = Type.Object(
  {
    id: Id('externalReference'),
    object: Type.Literal('externalReference'),
    merchantId: Id('organization'),
    entityType: EntityTypeWord,
    entityId: Type.String(),
    provider: Type.String(),
    externalId: Type.String(),
    externalLabel: Nullable(Type.String()),
    metadata: MapOut,
    isPrimary: Type.Boolean({ description: 'Each external id is the primary reference of at most one entity.' }),
    isDefault: Type.Boolean({ description: 'The one that is sent where the provider wants one of several.' }),
    createdAt: Timestamp,
    updatedAt: Timestamp,
  },
  { $id: 'ExternalReference' },
);

export const ReferenceCreate = Strict(
  {
    entityType: EntityTypeWord,
    entityId: EntityId,
    provider: Provider,
    externalId: ExternalId,
    externalLabel: Type.Optional(ExternalLabel),
    isPrimary: Type.Optional(Type.Boolean({ default: true })),
    isDefault: Type.Optional(Type.Boolean({ default: false })),
    metadata: Type.Optional(Metadata),
    merchantId: Type.Optional(Id('organization')),
  },
  { $id: 'ExternalReferenceCreate' },
);
export type ReferenceCreate = Static<typeof ReferenceCreate>;

export const ReferenceUpdate = Strict(
  {
    provider: Type.Optional(Provider),
    externalId: Type.Optional(ExternalId),
    externalLabel: Type.Optional(ExternalLabel),
    isPrimary: Type.Optional(Type.Boolean()),
    isDefault: Type.Optional(Type.Boolean()),
    metadata: Type.Optional(Metadata),
  },
  { $id: 'ExternalReferenceUpdate' },
);
export type ReferenceUpdate = Static<typeof ReferenceUpdate>;

export const ReferenceListQuery = ListQuery(
  {
    merchantId: Type.Optional(Id('organization')),
    entityType: Type.Optional(EntityTypeWord),
    entityId: Type.Optional(EntityId),
    provider: Type.Optional(Provider),
    externalId: Type.Optional(ExternalId),
  },
  { limit: 50 },
);
export type ReferenceListQuery = Static<typeof ReferenceListQuery>;
