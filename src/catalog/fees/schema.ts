import { Id, ListQuery, Name, Nullable, type Static, Strict, Text, Timestamp, Type } from '../../http/index.ts';

export const FeeOut = Type.Object(
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
  { $id: 'Fee' },
);

const placement = {
  productId: Type.Optional(Id('product')),
  itemId: Type.Optional(Nullable(Id('item'))),
};

export const FeeCreate = Strict(
  { name: Name, description: Text(), ...placement, merchantId: Type.Optional(Id('organization')) },
  { $id: 'FeeCreate' },
);
export type FeeCreate = Static<typeof FeeCreate>;

export const FeeUpdate = Strict(
  { name: Type.Optional(Name), description: Type.Optional(Text()), ...placement },
  { $id: 'FeeUpdate' },
);
export type FeeUpdate = Static<typeof FeeUpdate>;

export const FeeListQuery = ListQuery({
  merchantId: Type.Optional(Id('organization')),
  productId: Type.Optional(Id('product')),
  itemId: Type.Optional(Id('item')),
});
