import {
  Id,
  ListQuery,
  Metadata,
  Nullable,
  OneOf,
  type Static,
  Strict,
  Text,
  Timestamp,
  Type,
} from '../../http/index.ts';
import { formatInstant, type Instant } from '../../kernel/time.ts';
import { KnownBuyer } from './known-buyer.ts';
import { type CheckoutLink, LINK_STATUSES, statusOf } from './link.ts';

const RedirectUrls = Strict(
  {
    onSuccess: Type.Optional(Text({ maxLength: 2048 })),
    onFailure: Type.Optional(Text({ maxLength: 2048 })),
  },
  {
    'x-fields': {
      onSuccess: 'The address after the subscription is created. `https`, or `http` to localhost in the sandbox.',
      onFailure: 'The address behind "cancel and return".',
    },
  },
);

const MOST_USES = 1_000_000;

export const CheckoutLinkCreateBody = Strict(
  {
    planId: Id('plan'),
    currency: Type.Optional(Nullable(Type.String({ format: 'currency' }))),
    redirectUrls: Type.Optional(RedirectUrls),
    expiresIn: Type.Optional(Text({ maxLength: 64 })),
    maxUses: Type.Optional(
      Nullable(
        Type.Integer({
          minimum: 1,
          maximum: MOST_USES,
        }),
      ),
    ),
    customer: Type.Optional(KnownBuyer),
    customerId: Type.Optional(Id('customer')),
    coupons: Type.Optional(Type.Array(Text({ minLength: 1, maxLength: 255 }), { maxItems: 20 })),
    allowPromotionCodes: Type.Optional(Type.Boolean({ default: false })),
    metadata: Type.Optional(Metadata),
    merchantId: Type.Optional(Id('organization')),
  },
  {
    $id: 'CheckoutLinkCreate',
    examples: [
      {
        planId: 'plan_8c3d5e0f1a2b4c6d',
        expiresIn: 'P30D',
        redirectUrls: { onSuccess: 'https://app.example/welcome' },
        metadata: { campaign: 'spring' },
      },
    ],
    'x-fields': {
      redirectUrls: 'Addresses to which the sign-up page leads.',
      planId: 'The plan. The page sells the version that is the default one at the visit.',
      currency: 'The currency: the one of the plan, or one that every price of it has. Default: the one of the plan.',
      expiresIn: 'How long the link can be used, as an ISO 8601 duration of at most a year. Default: `P30D`.',
      maxUses: 'How many people may subscribe by the link. Null: any number. Always 1 with `customer` or `customerId`.',
      coupons: 'Coupons that everybody gets who subscribes by the link, by their ids or codes.',
      allowPromotionCodes: 'The page has a field for the code of a coupon.',
      customerId: 'An existing customer. The page asks for no billing details, and the link works once.',
    },
  },
);
export type CheckoutLinkCreateBody = Static<typeof CheckoutLinkCreateBody>;

export const CheckoutLinkReply = Type.Object(
  {
    object: Type.Literal('checkoutLink'),
    id: Id('checkoutLink'),
    merchantId: Id('organization'),
    planId: Id('plan'),
    currency: Type.String(),
    url: Type.String(),
    status: OneOf(LINK_STATUSES),
    maxUses: Nullable(Type.Integer()),
    uses: Type.Integer(),
    customer: Type.Optional(KnownBuyer),
    customerId: Type.Optional(Id('customer')),
    coupons: Type.Array(Type.String()),
    allowPromotionCodes: Type.Boolean(),
    redirectUrls: Type.Object(
      { onSuccess: Nullable(Type.String()), onFailure: Nullable(Type.String()) },
      {
        'x-fields': {
          onSuccess: 'The address after the subscription is created. Null: the page shows the result.',
          onFailure: 'The address behind "cancel and return". Null: the page has no such button.',
        },
      },
    ),
    metadata: Metadata,
    expiresAt: Timestamp,
    createdAt: Timestamp,
    updatedAt: Timestamp,
  },
  {
    $id: 'CheckoutLink',
    description: 'A page on which people subscribe to a plan.',
    'x-fields': {
      currency: ['The currency of subscriptions by the link, an ISO 4217 code.', 'EUR'],
      url: 'The sign-up page. It needs no key.',
      status: '`open`: people can subscribe. `used`: `maxUses` is reached. `expired`: it has ended.',
      maxUses: 'How many people may subscribe by it. Null: any number.',
      uses: 'The number of subscriptions made with it.',
      coupons: 'Coupons that everybody gets, as they were sent: ids or codes.',
      allowPromotionCodes: 'The page has a field for the code of a coupon.',
      customerId: 'The customer that the link is for. Absent: it creates new customers.',
      redirectUrls: 'Addresses to which the sign-up page leads.',
      metadata: 'Your own keys and values. They become the metadata of the subscription.',
      expiresAt: 'The end of the link.',
    },
  },
);

export const CheckoutLinksQuery = ListQuery({
  planId: Type.Optional(Id('plan')),
  customerId: Type.Optional(Id('customer')),
  merchantId: Type.Optional(Id('organization')),
});

/** A link as the API answers it. */
export const toLinkReply = (link: CheckoutLink, publicUrl: string, now: Instant) => ({
  object: 'checkoutLink' as const,
  id: link.id,
  merchantId: link.merchantId,
  planId: link.planId,
  currency: link.currency,
  url: `${publicUrl}/pay/signup/${link.id}`,
  status: statusOf(link, now),
  maxUses: link.maxUses,
  uses: link.uses,
  ...(link.known !== null && { customer: link.known }),
  ...(link.customerId !== null && { customerId: link.customerId }),
  coupons: [...link.coupons],
  allowPromotionCodes: link.allowPromotionCodes,
  redirectUrls: { onSuccess: link.successRedirectUrl, onFailure: link.failureRedirectUrl },
  metadata: link.metadata,
  expiresAt: formatInstant(link.expiresAt),
  createdAt: formatInstant(link.createdAt),
  updatedAt: formatInstant(link.updatedAt),
});
