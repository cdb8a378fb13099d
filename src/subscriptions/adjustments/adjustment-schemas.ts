import { DecimalOut, DecimalText, Id, Nullable, type Static, Strict, Text, Timestamp, Type } from '../../http/index.ts';

const PERCENTAGE = 'A fraction above 0, at most 1, of at most 6 digits: "0.35" is 35 percent, "1" is all of it.';

export const AdjustmentCreateBody = Strict(
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
  {
    $id: 'SubscriptionAdjustmentCreate',
    examples: [
      {
        type: 'percentageDiscount',
        percentageDiscount: '0.35',
        effectiveFrom: '2026-01-01T00:00:00Z',
        effectiveTo: '2026-07-01T00:00:00Z',
        description: 'Launch',
        idempotencyKey: 'launch-2026',
      },
    ],
    'x-fields': {
      type: 'The kind of the adjustment. There is one.',
      percentageDiscount:
        'The discount as a fraction above 0 and at most 1, with at most six decimal places: "0.35" is 35 percent.',
      effectiveFrom:
        'The start of the window, inclusive. An invoice is discounted if its `gracePeriodEnd` lies in the window.',
      effectiveTo: 'The end of the window, exclusive. Null: it has no end.',
      idempotencyKey:
        'Your key of this adjustment, valid for ever. The same key again answers 200 with the first ' +
        'adjustment. Without a key, a retry makes a second discount.',
    },
  },
);
export type AdjustmentCreateBody = Static<typeof AdjustmentCreateBody>;

export const SubscriptionAdjustmentReply = Type.Object(
  {
    id: Id('adjustment'),
    object: Type.Literal('subscriptionAdjustment'),
    subscriptionId: Id('subscription'),
    type: Type.Literal('percentageDiscount'),
    percentageDiscount: Type.Unsafe<string>({ ...DecimalOut, description: PERCENTAGE }),
    effectiveFrom: Timestamp,
    effectiveTo: Nullable(Timestamp),
    description: Type.String(),
    createdAt: Timestamp,
  },
  {
    $id: 'SubscriptionAdjustment',
    description: 'A discount on the charges of a subscription, for a window of time.',
    'x-fields': {
      type: 'The kind of the adjustment. There is one.',
      effectiveFrom: 'The start of the window, inclusive.',
      effectiveTo: 'The end of the window, exclusive. Null: it has no end.',
      description: 'The text on each discount line.',
    },
  },
);
