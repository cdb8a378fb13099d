import {
  DecimalOut,
  DecimalText,
  Formed,
  Id,
  Nullable,
  type Static,
  Strict,
  Timestamp,
  Type,
} from '../../http/index.ts';
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

/** An amount in major units, or no bound at all. */
const Bound = Type.Optional(
  Nullable(Formed('^(?:none|[0-9]{1,38}(?:\\.[0-9]{1,38})?)$', 'must be none or an amount, such as "12.50"')),
);

const PriceOverrideBody = Strict(
  {
    priceId: Id('price'),
    multiplier: Type.Optional(Nullable(DecimalText({ minimum: '0' }))),
    properties: Type.Optional(
      Nullable(Type.Unsafe<Record<string, unknown>>({ type: 'object', 'x-document': PriceProperties })),
    ),
    minimumAmount: Bound,
    maximumAmount: Bound,
    from: Type.Optional(Nullable(Timestamp)),
    to: Type.Optional(Nullable(Timestamp)),
  },
  {
    'x-fields': {
      priceId: 'The price of the plan version for which other terms hold.',
      multiplier: [
        'The factor of all amounts of money of the price, its minimum and maximum too. 0.8 is 20 % less.',
        '0.8',
      ],
      properties: 'Other numbers, of the model of the price. Not together with `multiplier`.',
      minimumAmount: 'Another minimum of the price in each period. `none` takes it away. Null: the one of the price.',
      maximumAmount: 'Another maximum of the price in each period. `none` takes it away. Null: the one of the price.',
      from: 'The begin of the terms. Null: the begin of the subscription, or the time of the change.',
      to: 'The end of the terms, exclusive. Null: they do not end.',
    },
  },
);

/** Negotiated prices: all that hold. */
export const PriceOverridesBody = Type.Array(PriceOverrideBody, { maxItems: 1000 });
export type PriceOverridesBody = Static<typeof PriceOverridesBody>;
