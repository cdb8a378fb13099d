import {
  type FieldWords,
  Formed,
  Id,
  ListQuery,
  Metadata,
  MetadataOut,
  Name,
  OneOf,
  type Static,
  Strict,
  Timestamp,
  Type,
} from '../../http/index.ts';
import { FEATURE_TYPES } from './feature.ts';

/** §2: groups of lowercase letters and digits, separated by single hyphens. */
const Slug = Formed(
  '^[a-z0-9]+(?:-[a-z0-9]+)*$',
  'must be lowercase letters and digits, groups joined by single hyphens, such as api-calls',
  { maxLength: 255 },
);

const FeatureTypeWord = OneOf(FEATURE_TYPES);

const FEATURE_FIELDS: FieldWords = {
  key: [
    'The name of the feature for programs: groups of lowercase letters and digits, joined by single ' +
      'hyphens. It is unique within the product.',
    'api-calls',
  ],
  name: ['The name that customers see.', 'API calls'],
  type: '`boolean` is access alone. `static` has a configuration too. `metered` has a balance.',
  metadata: ['Data of your own. A change replaces all of it.', { team: 'north' }],
};

const CHANGED_FIELDS: FieldWords = {
  ...FEATURE_FIELDS,
  type: 'The type that the feature has. It never changes, so another one is refused.',
};

const FEATURE_FILTERS: FieldWords = {
  key: 'Only features with this key. Keys are unique within one product only.',
  type: 'Only features of this type.',
};

export const FeatureReply = Type.Object(
  {
    id: Id('feature'),
    object: Type.Literal('feature'),
    key: Slug,
    name: Type.String({ description: 'Shown to customers.' }),
    type: FeatureTypeWord,
    merchantId: Id('organization'),
    productId: Id('product'),
    metadata: MetadataOut,
    createdAt: Timestamp,
    updatedAt: Timestamp,
  },
  {
    $id: 'Feature',
    description: 'A function of a product to which customers can have a right.',
    'x-fields': FEATURE_FIELDS,
  },
);

export const FeatureCreateBody = Strict(
  {
    key: Slug,
    name: Name,
    productId: Id('product'),
    type: FeatureTypeWord,
    metadata: Type.Optional(Metadata),
    merchantId: Type.Optional(Id('organization')),
  },
  {
    $id: 'FeatureCreate',
    'x-fields': FEATURE_FIELDS,
    examples: [{ key: 'api-calls', name: 'API calls', type: 'metered', productId: 'prod_8c3d5e0f1a2b4c6d' }],
  },
);
export type FeatureCreateBody = Static<typeof FeatureCreateBody>;

export const FeatureUpdateBody = Strict(
  {
    key: Type.Optional(Slug),
    name: Type.Optional(Name),
    productId: Type.Optional(Id('product')),
    type: Type.Optional(FeatureTypeWord),
    metadata: Type.Optional(Metadata),
  },
  { $id: 'FeatureUpdate', 'x-fields': CHANGED_FIELDS, examples: [{ name: 'Calls of the API' }] },
);
export type FeatureUpdateBody = Static<typeof FeatureUpdateBody>;

export const FeatureListQuery = ListQuery(
  {
    merchantId: Type.Optional(Id('organization')),
    productId: Type.Optional(Id('product')),
    key: Type.Optional(Slug),
    type: Type.Optional(FeatureTypeWord),
  },
  { fields: FEATURE_FILTERS },
);
