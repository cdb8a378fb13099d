import {
  DecimalText,
  Id,
  ListOf,
  ListQuery,
  Nullable,
  type Static,
  Strict,
  Text,
  Timestamp,
  Type,
} from '../../http/index.ts';

const PERCENTAGE = 'A fraction above 0, at most 1, of at most 6 digits: "0.35" is 35 percent, "1" is all of it.';

export const AdjustmentCreate = Strict(
  {
    type: Type.Literal('percentageDiscount'),
    percentageDiscount: DecimalText({
      exclusiveMinimum: '0',
      maximum: '1',
      fractionDigits: 6,
      words: 'must be a fraction as a string, such as "0.2" for 20 %',
    }),
    effectiveFrom: Timestamp,
    effectiveTo: Type.Optional(Nullable(Timestamp)),
    description: Type.Optional(Text({ maxLength: 255, description: 'Shown on each discount line.' })),
    idempotencyKey: Type.Optional(Text({ minLength: 1, maxLength: 255 })),
  },
  { $id: 'SubscriptionAdjustmentCreate' },
);
export type AdjustmentCreate = Static<typeof AdjustmentCreate>;

export const SubscriptionAdjustment = Type.Object(
  {
    id: Id('adjustment'),
    object: Type.Literal('subscriptionAdjustment'),
    subscriptionId: Id('subscription'),
    type: Type.Literal('percentageDiscount'),
    percentageDiscount: Type.String({ description: PERCENTAGE }),
    effectiveFrom: Timestamp,
    effectiveTo: Nullable(Timestamp),
    description: Type.String(),
    createdAt: Timestamp,
  },
  { $id: 'SubscriptionAdjustment' },
);

export const AdjustmentList = ListOf(SubscriptionAdjustment);
export const AdjustmentListQuery = ListQuery({});
