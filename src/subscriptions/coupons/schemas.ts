import {
  DecimalOut,
  DecimalText,
  type FieldWords,
  Formed,
  Id,
  ListQuery,
  Metadata,
  MetadataOut,
  Name,
  Nullable,
  OneOf,
  type Static,
  Strict,
  Text,
  Timestamp,
  Type,
} from '../../http/index.ts';
import { AppliesToBody, AppliesToReply } from '../../invoicing/index.ts';
import { plain } from '../../kernel/decimal.ts';
import { formatMoney } from '../../kernel/money.ts';
import { formatInstant, type Instant } from '../../kernel/time.ts';
import { COUPON_STATUSES, type Coupon, DURATIONS, statusOf } from '../subscription/coupon.ts';

const Code = Formed('^[A-Za-z0-9_-]{1,64}$', 'must be 1 to 64 letters, digits, - or _, such as SPRING50');
const Count = Type.Integer({ minimum: 1, maximum: 1_000_000_000 });
const Currency = Type.String({ format: 'currency' });

const COUPON_FIELDS: FieldWords = {
  name: ['The name, as invoices show it.', 'Half price for three months'],
  code: ['What customers type: letters, digits, `-` and `_`, in any case. Null: only you can apply it.', 'SPRING50'],
  percentOff: 'The discount as a fraction: "0.5" is 50 %. Null: it is an amount.',
  amountOff: 'The discount for each period of the plan, in major units. Null: it is a fraction.',
  currency: 'The currency of the amounts. A coupon with a currency is for subscriptions in it.',
  duration: '`once`: one period. `periods`: as many as `durationInPeriods`. `forever`: it does not end.',
  durationInPeriods: 'With `periods`: the number of billing periods of the plan. Null: it has another duration.',
  carriesOver: 'What a period leaves of `amountOff` goes on to the next one, until it is used up.',
  appliesTo: 'The charges that it is for. Without it: all.',
  minimumAmount: 'What the charges of a period must come to before the coupon, in major units. Null: nothing.',
  maxRedemptions: 'How often it can be redeemed. Null: any number of times.',
  maxRedemptionsPerCustomer: 'How often one customer can redeem it.',
  newCustomersOnly: 'Only customers without any earlier active subscription can redeem it.',
  redeemBy: 'Until when it can be redeemed, exclusive. What is redeemed goes on. Null: it can always be.',
  metadata: ['Data of your own. A change replaces all of it.', { campaign: 'spring' }],
  archived: 'It can no longer be redeemed. What is redeemed goes on.',
};

export const CouponCreateBody = Strict(
  {
    name: Name,
    code: Type.Optional(Nullable(Code)),
    percentOff: Type.Optional(
      Nullable(
        DecimalText({
          exclusiveMinimum: '0',
          maximum: '1',
          fractionDigits: 6,
          words: 'must be a fraction as a string, such as "0.2" for 20 %',
        }),
      ),
    ),
    amountOff: Type.Optional(Nullable(DecimalText({ exclusiveMinimum: '0' }))),
    currency: Type.Optional(Nullable(Currency)),
    duration: OneOf(DURATIONS),
    durationInPeriods: Type.Optional(Nullable(Type.Integer({ minimum: 1, maximum: 1200 }))),
    carriesOver: Type.Optional(Type.Boolean({ default: false })),
    appliesTo: Type.Optional(Nullable(AppliesToBody)),
    minimumAmount: Type.Optional(Nullable(DecimalText({ exclusiveMinimum: '0' }))),
    maxRedemptions: Type.Optional(Nullable(Count)),
    maxRedemptionsPerCustomer: Type.Optional(Count),
    newCustomersOnly: Type.Optional(Type.Boolean({ default: false })),
    redeemBy: Type.Optional(Nullable(Timestamp)),
    metadata: Type.Optional(Metadata),
    merchantId: Type.Optional(Id('organization')),
  },
  {
    $id: 'CouponCreate',
    'x-fields': COUPON_FIELDS,
    examples: [
      {
        name: 'Half price for three months',
        code: 'SPRING50',
        percentOff: '0.5',
        duration: 'periods',
        durationInPeriods: 3,
      },
    ],
  },
);
export type CouponCreateBody = Static<typeof CouponCreateBody>;

export const CouponUpdateBody = Strict(
  {
    name: Type.Optional(Name),
    redeemBy: Type.Optional(Nullable(Timestamp)),
    maxRedemptions: Type.Optional(Nullable(Count)),
    metadata: Type.Optional(Metadata),
    archived: Type.Optional(Type.Boolean()),
  },
  { $id: 'CouponUpdate', 'x-fields': COUPON_FIELDS, examples: [{ maxRedemptions: 500 }] },
);
export type CouponUpdateBody = Static<typeof CouponUpdateBody>;

export const CouponListQuery = ListQuery({
  code: Type.Optional(Text({ maxLength: 255, description: 'Only the coupon with this code, in any case.' })),
  merchantId: Type.Optional(Id('organization')),
});

export const CouponReply = Type.Object(
  {
    id: Id('coupon'),
    object: Type.Literal('coupon'),
    merchantId: Id('organization'),
    name: Type.String(),
    code: Nullable(Type.String()),
    percentOff: Nullable(DecimalOut),
    amountOff: Nullable(DecimalOut),
    currency: Nullable(Type.String()),
    duration: OneOf(DURATIONS),
    durationInPeriods: Nullable(Type.Integer()),
    carriesOver: Type.Boolean(),
    appliesTo: AppliesToReply,
    minimumAmount: Nullable(DecimalOut),
    maxRedemptions: Nullable(Type.Integer()),
    maxRedemptionsPerCustomer: Type.Integer(),
    newCustomersOnly: Type.Boolean(),
    redeemBy: Nullable(Timestamp),
    metadata: MetadataOut,
    archived: Type.Boolean(),
    redemptionCount: Type.Integer(),
    status: OneOf(COUPON_STATUSES),
    createdAt: Timestamp,
    updatedAt: Timestamp,
  },
  {
    $id: 'Coupon',
    description: 'A discount that subscriptions redeem: a fraction or an amount off, for some periods.',
    'x-fields': {
      ...COUPON_FIELDS,
      redemptionCount: 'How often it is redeemed.',
      status: '`active`: it can be redeemed. `exhausted`: `maxRedemptions` is reached. `expired`: `redeemBy` is over.',
    },
  },
);

/** A coupon as the API answers it. @param now wall time */
export function toCouponReply(coupon: Coupon, now: Instant) {
  const amount = (value: Coupon['amountOff']) => value && formatMoney(value, coupon.currency ?? '');
  return {
    id: coupon.id,
    object: 'coupon' as const,
    merchantId: coupon.merchantId,
    name: coupon.name,
    code: coupon.code,
    percentOff: coupon.percentOff && plain(coupon.percentOff),
    amountOff: amount(coupon.amountOff),
    currency: coupon.currency,
    duration: coupon.duration,
    durationInPeriods: coupon.durationInPeriods,
    carriesOver: coupon.carriesOver,
    appliesTo: coupon.appliesTo,
    minimumAmount: amount(coupon.minimumAmount),
    maxRedemptions: coupon.maxRedemptions,
    maxRedemptionsPerCustomer: coupon.maxRedemptionsPerCustomer,
    newCustomersOnly: coupon.newCustomersOnly,
    redeemBy: coupon.redeemBy && formatInstant(coupon.redeemBy),
    metadata: coupon.metadata,
    archived: coupon.archived,
    redemptionCount: coupon.redemptionCount,
    status: statusOf(coupon, now),
    createdAt: formatInstant(coupon.createdAt),
    updatedAt: formatInstant(coupon.updatedAt),
  };
}

export const RedemptionCreateBody = Strict(
  {
    couponId: Type.Optional(Id('coupon')),
    code: Type.Optional(Text({ minLength: 1, maxLength: 255 })),
    from: Type.Optional(Nullable(Timestamp)),
    idempotencyKey: Type.Optional(Text({ minLength: 1, maxLength: 255 })),
  },
  {
    $id: 'RedemptionCreate',
    examples: [{ code: 'SPRING50', idempotencyKey: 'spring-of-acme' }],
    'x-fields': {
      couponId: 'The coupon. Give it or `code`, one of the two.',
      code: 'The code of the coupon, in any case.',
      from: 'From when it counts: the next start of a period of the plan. Default: the first period not yet billed.',
      idempotencyKey: 'Your key of this redemption. The same key again answers 200 with the first redemption.',
    },
  },
);
export type RedemptionCreateBody = Static<typeof RedemptionCreateBody>;

export const RedemptionReply = Type.Object(
  {
    id: Id('redemption'),
    object: Type.Literal('redemption'),
    couponId: Id('coupon'),
    subscriptionId: Id('subscription'),
    customerId: Id('customer'),
    from: Timestamp,
    until: Nullable(Timestamp),
    remainingAmount: Nullable(DecimalOut),
    totalDiscount: DecimalOut,
    currency: Type.String(),
    createdAt: Timestamp,
  },
  {
    $id: 'Redemption',
    description: 'A coupon as a subscription has redeemed it: less for service that begins in a window.',
    'x-fields': {
      couponId: 'The coupon that is redeemed.',
      subscriptionId: 'The subscription that has redeemed it.',
      currency: 'The currency of the subscription.',
      from: 'The start of the window, inclusive.',
      until: 'The end of the window, exclusive. Null: it does not end, or not before the amount is used up.',
      remainingAmount:
        'What is left of the amount for the running period, with what was carried over. Null: no amount.',
      totalDiscount: 'What issued invoices were lower by, less what was given back.',
    },
  },
);
