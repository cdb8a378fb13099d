import { Id, MapOut, Nullable, OneOf, type Static, Type } from '../http/index.ts';
import { formatMoney } from '../kernel/money.ts';
import { formatInstant } from '../kernel/time.ts';
import { DECLINE_REASONS, PROVIDER_NAMES } from './provider/provider.ts';
import type { PaymentMethod } from './records/method.ts';
import { ENTITY_TYPES, type PaymentSession } from './records/session.ts';
import { SESSION_STATUSES } from './records/session-states.ts';
import { sessionUrl } from './sessions.ts';

/** A payment session. */
export const PaymentSessionReply = Type.Object(
  {
    object: Type.Literal('paymentSession'),
    id: Id('paymentSession'),
    merchantId: Id('organization'),
    mode: OneOf(['payment', 'setup']),
    entityType: OneOf(ENTITY_TYPES),
    entityId: Type.String(),
    entityLabel: Nullable(Type.String()),
    invoiceId: Nullable(Id('invoice')),
    customerId: Nullable(Id('customer')),
    subscriptionId: Nullable(Id('subscription')),
    amount: Type.String({ description: 'In major units; 0 in mode setup.' }),
    currency: Type.String(),
    status: OneOf(SESSION_STATUSES),
    /** Why the last card was declined; another may be tried until the session expires. */
    failureReason: Nullable(OneOf(DECLINE_REASONS)),
    url: Type.String(),
    successRedirectUrl: Nullable(Type.String()),
    failureRedirectUrl: Nullable(Type.String()),
    metadata: MapOut,
    paymentMethodId: Nullable(Type.String({ description: 'The method that was stored.' })),
    provider: OneOf(PROVIDER_NAMES),
    expiresAt: Type.String(),
    completedAt: Nullable(Type.String()),
    createdAt: Type.String(),
    updatedAt: Type.String(),
  },
  { $id: 'PaymentSession' },
);
export type PaymentSessionReply = Static<typeof PaymentSessionReply>;

/** A session as an answer shows it. */
export const publicSession = (session: PaymentSession, publicUrl: string): PaymentSessionReply => ({
  object: 'paymentSession',
  id: session.id,
  merchantId: session.merchantId,
  mode: session.mode,
  entityType: session.entityType,
  entityId: session.entityId,
  entityLabel: session.entityLabel,
  invoiceId: session.invoiceId,
  customerId: session.customerId,
  subscriptionId: session.subscriptionId,
  amount: formatMoney(session.amount, session.currency),
  currency: session.currency,
  status: session.status,
  failureReason: session.failureReason,
  url: sessionUrl(publicUrl, session.id),
  successRedirectUrl: session.successRedirectUrl,
  failureRedirectUrl: session.failureRedirectUrl,
  metadata: session.metadata,
  paymentMethodId: session.paymentMethodId,
  provider: session.provider,
  expiresAt: formatInstant(session.expiresAt),
  completedAt: session.completedAt && formatInstant(session.completedAt),
  createdAt: formatInstant(session.createdAt),
  updatedAt: formatInstant(session.updatedAt),
});

/** A payment session in a list. */
export const ListedPaymentSession = Type.Object(
  {
    object: Type.Literal('payment_session'),
    id: Id('paymentSession'),
    merchantId: Id('organization'),
    mode: OneOf(['payment', 'setup']),
    entityType: OneOf(ENTITY_TYPES),
    entityId: Type.String(),
    entityLabel: Nullable(Type.String()),
    customerId: Nullable(Id('customer')),
    subscriptionId: Nullable(Id('subscription')),
    amount: Type.String(),
    currency: Type.String(),
    status: OneOf(SESSION_STATUSES),
    merchantPaymentAccountId: Nullable(
      Type.String({ description: "The merchant's account at the provider; null in the sandbox, which has none." }),
    ),
    providerPaymentRef: Nullable(Type.String({ description: "The provider's reference of the last attempt." })),
    expiresAt: Type.String(),
    completedAt: Nullable(Type.String()),
    createdAt: Type.String(),
    updatedAt: Type.String(),
  },
  { $id: 'ListedPaymentSession' },
);
export type ListedPaymentSession = Static<typeof ListedPaymentSession>;

/** A session as a list shows it. */
export const listedSession = (session: PaymentSession): ListedPaymentSession => ({
  object: 'payment_session',
  id: session.id,
  merchantId: session.merchantId,
  mode: session.mode,
  entityType: session.entityType,
  entityId: session.entityId,
  entityLabel: session.entityLabel,
  customerId: session.customerId,
  subscriptionId: session.subscriptionId,
  amount: formatMoney(session.amount, session.currency),
  currency: session.currency,
  status: session.status,
  merchantPaymentAccountId: null,
  providerPaymentRef: session.providerReference,
  expiresAt: formatInstant(session.expiresAt),
  completedAt: session.completedAt && formatInstant(session.completedAt),
  createdAt: formatInstant(session.createdAt),
  updatedAt: formatInstant(session.updatedAt),
});

/** A stored payment method. */
export const PaymentMethodReply = Type.Object(
  {
    object: Type.Literal('paymentMethod'),
    id: Id('paymentMethod'),
    customerId: Id('customer'),
    type: Type.Literal('card'),
    brand: Type.String(),
    last4: Type.String(),
    expMonth: Type.Integer(),
    expYear: Type.Integer(),
    isDefault: Type.Boolean({ description: 'Charged first. A customer with methods has exactly one.' }),
    createdAt: Type.String(),
  },
  { $id: 'PaymentMethod' },
);
export type PaymentMethodReply = Static<typeof PaymentMethodReply>;

/** A method as an answer shows it. */
export const publicMethod = (method: PaymentMethod): PaymentMethodReply => ({
  object: 'paymentMethod',
  id: method.id,
  customerId: method.customerId,
  type: method.type,
  brand: method.brand,
  last4: method.last4,
  expMonth: method.expMonth,
  expYear: method.expYear,
  isDefault: method.isDefault,
  createdAt: formatInstant(method.createdAt),
});
