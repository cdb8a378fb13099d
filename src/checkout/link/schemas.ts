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

const RedirectUrls = Strict({
  onSuccess: Type.Optional(Text({ maxLength: 2048 })),
  onFailure: Type.Optional(Text({ maxLength: 2048 })),
});

const MOST_USES = 1_000_000;

export const CheckoutLinkCreate = Strict(
  {
    planId: Id('plan'),
    redirectUrls: Type.Optional(RedirectUrls),
    expiresIn: Type.Optional(
      Text({ maxLength: 64, description: 'ISO 8601 duration up to a year; `P30D` unless given.' }),
    ),
    maxUses: Type.Optional(
      Nullable(
        Type.Integer({
          minimum: 1,
          maximum: MOST_USES,
          description: 'How many people may subscribe by it; null: any number. 1 with `customer` or `customerId`.',
        }),
      ),
    ),
    customer: Type.Optional(KnownBuyer),
    customerId: Type.Optional(Id('customer')),
    metadata: Type.Optional(Metadata),
    merchantId: Type.Optional(Id('organization')),
  },
  { $id: 'CheckoutLinkCreate' },
);
export type CheckoutLinkCreate = Static<typeof CheckoutLinkCreate>;

export const CheckoutLinkReply = Type.Object(
  {
    object: Type.Literal('checkoutLink'),
    id: Id('checkoutLink'),
    merchantId: Id('organization'),
    planId: Id('plan'),
    url: Type.String(),
    status: OneOf(LINK_STATUSES),
    maxUses: Nullable(Type.Integer()),
    uses: Type.Integer({ description: 'How many people have subscribed by it.' }),
    customer: Type.Optional(KnownBuyer),
    customerId: Type.Optional(Id('customer')),
    redirectUrls: Type.Object({ onSuccess: Nullable(Type.String()), onFailure: Nullable(Type.String()) }),
    metadata: Metadata,
    expiresAt: Timestamp,
    createdAt: Timestamp,
    updatedAt: Timestamp,
  },
  { $id: 'CheckoutLink' },
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
  url: `${publicUrl}/pay/signup/${link.id}`,
  status: statusOf(link, now),
  maxUses: link.maxUses,
  uses: link.uses,
  ...(link.known !== null && { customer: link.known }),
  ...(link.customerId !== null && { customerId: link.customerId }),
  redirectUrls: { onSuccess: link.successRedirectUrl, onFailure: link.failureRedirectUrl },
  metadata: link.metadata,
  expiresAt: formatInstant(link.expiresAt),
  createdAt: formatInstant(link.createdAt),
  updatedAt: formatInstant(link.updatedAt),
});
