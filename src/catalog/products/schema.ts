import {
  type FieldWords,
  Id,
  ListQuery,
  Metadata,
  MetadataOut,
  Name,
  type Static,
  Strict,
  Text,
  Timestamp,
  Type,
} from '../../http/index.ts';

const PRODUCT_FIELDS: FieldWords = {
  name: ['The name of the product, 1 to 255 characters.', 'Messaging'],
  description: ['The description of the product, in your own words. Default: empty.', 'Messages by API'],
  metadata: ['Data of your own. A change replaces all of it.', { team: 'north' }],
};

export const ProductReply = Type.Object(
  {
    id: Id('product'),
    object: Type.Literal('product'),
    name: Type.String(),
    description: Type.String(),
    merchantId: Id('organization'),
    metadata: MetadataOut,
    createdAt: Timestamp,
    updatedAt: Timestamp,
  },
  {
    $id: 'Product',
    description: 'A product that a merchant sells. Features, metrics, costs and plans belong to one.',
    'x-fields': PRODUCT_FIELDS,
  },
);

export const ProductCreateBody = Strict(
  {
    name: Name,
    description: Type.Optional(Text()),
    metadata: Type.Optional(Metadata),
    merchantId: Type.Optional(Id('organization')),
  },
  {
    $id: 'ProductCreate',
    'x-fields': PRODUCT_FIELDS,
    examples: [{ name: 'Messaging', description: 'Messages by API' }],
  },
);
export type ProductCreateBody = Static<typeof ProductCreateBody>;

export const ProductUpdateBody = Strict(
  { name: Type.Optional(Name), description: Type.Optional(Text()), metadata: Type.Optional(Metadata) },
  { $id: 'ProductUpdate', 'x-fields': PRODUCT_FIELDS, examples: [{ name: 'Messaging 2' }] },
);
export type ProductUpdateBody = Static<typeof ProductUpdateBody>;

export const ProductListQuery = ListQuery({ merchantId: Type.Optional(Id('organization')) });
