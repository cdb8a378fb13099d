import { Id, ListQuery, MapOut, Metadata, Name, type Static, Strict, Text, Timestamp, Type } from '../../http/index.ts';

export const ProductOut = Type.Object(
  {
    id: Id('product'),
    object: Type.Literal('product'),
    name: Type.String(),
    description: Type.String(),
    merchantId: Id('organization'),
    metadata: MapOut,
    createdAt: Timestamp,
    updatedAt: Timestamp,
  },
  { $id: 'Product' },
);

export const ProductCreate = Strict(
  {
    name: Name,
    description: Text(),
    metadata: Type.Optional(Metadata),
    merchantId: Type.Optional(Id('organization')),
  },
  { $id: 'ProductCreate' },
);
export type ProductCreate = Static<typeof ProductCreate>;

export const ProductUpdate = Strict(
  { name: Type.Optional(Name), description: Type.Optional(Text()), metadata: Type.Optional(Metadata) },
  { $id: 'ProductUpdate' },
);
export type ProductUpdate = Static<typeof ProductUpdate>;

export const ProductListQuery = ListQuery({ merchantId: Type.Optional(Id('organization')) });
