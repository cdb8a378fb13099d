import {
  Formed,
  Id,
  ListQuery,
  MapOut,
  Metadata,
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

export const FeatureOut = Type.Object(
  {
    id: Id('feature'),
    object: Type.Literal('feature'),
    key: Slug,
    name: Type.String({ description: 'Shown to customers.' }),
    type: FeatureTypeWord,
    merchantId: Id('organization'),
    productId: Id('product'),
    metadata: MapOut,
    createdAt: Timestamp,
    updatedAt: Timestamp,
  },
  { $id: 'Feature' },
);

export const FeatureCreate = Strict(
  {
    key: Slug,
    name: Name,
    productId: Id('product'),
    type: FeatureTypeWord,
    metadata: Type.Optional(Metadata),
    merchantId: Type.Optional(Id('organization')),
  },
  { $id: 'FeatureCreate' },
);
export type FeatureCreate = Static<typeof FeatureCreate>;

export const FeatureUpdate = Strict(
  {
    key: Type.Optional(Slug),
    name: Type.Optional(Name),
    productId: Type.Optional(Id('product')),
    metadata: Type.Optional(Metadata),
  },
  { $id: 'FeatureUpdate' },
);
export type FeatureUpdate = Static<typeof FeatureUpdate>;

export const FeatureListQuery = ListQuery({
  merchantId: Type.Optional(Id('organization')),
  productId: Type.Optional(Id('product')),
  key: Type.Optional(Slug),
  type: Type.Optional(FeatureTypeWord),
});
