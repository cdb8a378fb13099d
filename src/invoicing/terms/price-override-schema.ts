import { DecimalOut, Id, Nullable, Timestamp, Type } from '../../http/index.ts';
import { PriceProperties } from '../rating/index.ts';

/** A negotiated price as it is answered. */
export const PriceOverrideReply = Type.Object(
  {
    priceId: Id('price'),
    multiplier: Nullable(DecimalOut),
    properties: Nullable(PriceProperties),
    minimumAmount: Nullable(Type.String()),
    maximumAmount: Nullable(Type.String()),
    from: Nullable(Timestamp),
    to: Nullable(Timestamp),
  },
  {
    $id: 'PriceOverride',
    description: 'A negotiated price of a subscription: other terms for a price of its plan, for a time.',
    'x-fields': {
      priceId: 'The price of the plan version for which other terms hold.',
      multiplier: 'The factor of all amounts of money of the price. Null: it has none.',
      properties: 'Other numbers, of the model of the price. Null: it has none.',
      minimumAmount: 'Another minimum of the price in each period. `none`: no minimum. Null: the one of the price.',
      maximumAmount: 'Another maximum of the price in each period. `none`: no maximum. Null: the one of the price.',
      from: 'The begin of the terms, inclusive. Null: the begin of the subscription.',
      to: 'The end of the terms, exclusive. Null: they do not end.',
    },
  },
);
