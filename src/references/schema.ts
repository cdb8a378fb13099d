import {
  type FieldWords,
  Formed,
  Id,
  ListQuery,
  Metadata,
  MetadataOut,
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

const REFERENCE_FIELDS: FieldWords = {
  entityType: 'The kind of the resource. It never changes.',
  entityId: ['The id of the resource. It never changes.', 'itm_8c3d5e0f1a2b4c6d'],
  provider: ['The external system: a word of lowercase letters, digits and underscores.', 'salesforce'],
  externalId: ['The id of the record in the external system, 1 to 255 characters.', '01t-0042'],
  externalLabel: ['The name of the record there. Null: none.', 'Pack (EU)'],
  metadata: ['Data of your own. A change replaces all of it.', { region: 'eu' }],
  isPrimary: ['`true`: the external id means this resource and no other. Default: `true`.', true],
  isDefault: '`true`: of several references to one provider, this one is sent there. Default: `false`.',
};

const REFERENCE_FILTERS: FieldWords = {
  entityType: 'Only references of resources of this kind.',
  entityId: 'Only references of this resource.',
  provider: 'Only references to this external system.',
  externalId: 'Only references to this record.',
};

export const ExternalReferenceReply = Type.Object(
  {
    id: Id('externalReference'),
    object: Type.Literal('externalReference'),
    merchantId: Id('organization'),
    entityType: EntityTypeWord,
    entityId: Type.String(),
    provider: Type.String(),
    externalId: Type.String(),
    externalLabel: Nullable(Type.String()),
    metadata: MetadataOut,
    isPrimary: Type.Boolean(),
    isDefault: Type.Boolean(),
    createdAt: Timestamp,
    updatedAt: Timestamp,
  },
  { $id: 'ExternalReference', description: 'The id of a resource in an outside system.', 'x-fields': REFERENCE_FIELDS },
);

export const ReferenceCreateBody = Strict(
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
  {
    $id: 'ExternalReferenceCreate',
    'x-fields': REFERENCE_FIELDS,
    examples: [
      {
        entityType: 'item',
        entityId: 'itm_8c3d5e0f1a2b4c6d',
        provider: 'salesforce',
        externalId: '01t-0042',
        externalLabel: 'Pack (EU)',
      },
    ],
  },
);
export type ReferenceCreateBody = Static<typeof ReferenceCreateBody>;

export const ReferenceUpdateBody = Strict(
  {
    provider: Type.Optional(Provider),
    externalId: Type.Optional(ExternalId),
    externalLabel: Type.Optional(ExternalLabel),
    isPrimary: Type.Optional(Type.Boolean()),
    isDefault: Type.Optional(Type.Boolean()),
    metadata: Type.Optional(Metadata),
  },
  {
    $id: 'ExternalReferenceUpdate',
    'x-fields': REFERENCE_FIELDS,
    examples: [{ externalLabel: 'Pack (EU, 2026)', isDefault: true }],
  },
);
export type ReferenceUpdateBody = Static<typeof ReferenceUpdateBody>;

export const ReferenceListQuery = ListQuery(
  {
    merchantId: Type.Optional(Id('organization')),
    entityType: Type.Optional(EntityTypeWord),
    entityId: Type.Optional(EntityId),
    provider: Type.Optional(Provider),
    externalId: Type.Optional(ExternalId),
  },
  { limit: 50, fields: REFERENCE_FILTERS },
);
export type ReferenceListQuery = Static<typeof ReferenceListQuery>;
