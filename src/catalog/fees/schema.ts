import {
  type FieldWords,
  Id,
  ListQuery,
  Name,
  Nullable,
  type Static,
  Strict,
  Text,
  Timestamp,
  Type,
} from '../../http/index.ts';

const FEE_FIELDS: FieldWords = {
  name: ['The name of the fee, 1 to 255 characters.', 'Platform fee'],
  description: ['The description of the fee, in your own words. Default: empty.', 'Access to the platform'],
  productId: 'The product of the fee. A creation needs it unless it names an item.',
  itemId: 'The item that the fee is for. Null: none. With an item, the product is the one of the item.',
};

export const FeeReply = Type.Object(
  {
    id: Id('fee'),
    object: Type.Literal('fee'),
    name: Type.String(),
    description: Type.String(),
    merchantId: Id('organization'),
    productId: Id('product'),
    itemId: Nullable(Id('item')),
    createdAt: Timestamp,
    updatedAt: Timestamp,
  },
  {
    $id: 'Fee',
    description: 'A fee that prices can bill: an amount that does not depend on usage.',
    'x-fields': FEE_FIELDS,
  },
);

const placement = {
  productId: Type.Optional(Id('product')),
  itemId: Type.Optional(Nullable(Id('item'))),
};

export const FeeCreateBody = Strict(
  { name: Name, description: Type.Optional(Text()), ...placement, merchantId: Type.Optional(Id('organization')) },
  {
    $id: 'FeeCreate',
    'x-fields': FEE_FIELDS,
    examples: [{ name: 'Platform fee', description: 'Access to the platform', productId: 'prod_8c3d5e0f1a2b4c6d' }],
  },
);
export type FeeCreateBody = Static<typeof FeeCreateBody>;

export const FeeUpdateBody = Strict(
  { name: Type.Optional(Name), description: Type.Optional(Text()), ...placement },
  { $id: 'FeeUpdate', 'x-fields': FEE_FIELDS, examples: [{ name: 'Platform fee 2026' }] },
);
export type FeeUpdateBody = Static<typeof FeeUpdateBody>;

export const FeeListQuery = ListQuery({
  merchantId: Type.Optional(Id('organization')),
  productId: Type.Optional(Id('product')),
  itemId: Type.Optional(Id('item')),
});
