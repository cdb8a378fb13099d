import { DecimalOut, Id, MetadataOut, Nullable, OneOf, type Static, Timestamp, Type } from '../../http/index.ts';
import { formatMoney } from '../../kernel/money.ts';
import { formatInstant } from '../../kernel/time.ts';
import { DECLINE_REASONS, PROVIDER_NAMES } from '../provider/provider.ts';
import type { PaymentMethod } from '../records/method.ts';
import { ENTITY_TYPES, type PaymentSession } from '../records/session.ts';
import { SESSION_STATUSES } from '../records/session-states.ts';
import { sessionUrl } from './sessions.ts';

/** The meaning of the fields of a payment session, also in a list. */
const SESSION_WORDS = {
  mode: '`payment`: it asks for an amount. `setup`: it stores a card and charges nothing.',
  entityType:
    'What the session is for: an `invoice`, the first payment of a `subscription`, a payment link ' +
    '(`payment`), a wallet `topup`, or a card of a `customer`.',
  entityId: ['The id of the record that the session is for.', 'inv_8c3d5e0f1a2b4c6d8c3d5e0f1a2b4c6d'],
  entityLabel: 'The name of that record for people, such as an invoice number. Null: it has none.',
  customerId: 'The customer. Null: of a payment link for anybody.',
  subscriptionId: 'The subscription. Null: it is of none.',
  status:
    '`pending`: it can be used. `processing`: the provider has not answered yet. `completed`: it is ' +
    'done. `failed`: the last card was declined, and another may be tried. `expired`, `cancelled`: it is ' +
    'over.',
  expiresAt: ['The time from which it can no longer be used.', '2026-03-02T00:00:00Z'],
  completedAt: 'The time at which it was completed. Null: it was not.',
  amount: 'The amount that is asked, in major units. 0 in mode `setup`.',
  createdAt: ['When the session was opened.', '2026-03-01T00:00:00Z'],
  updatedAt: ['When the session was last changed.', '2026-03-01T00:00:00Z'],
} as const;

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
    amount: DecimalOut,
    currency: Type.String(),
    status: OneOf(SESSION_STATUSES),
    /** Why the last card was declined; another may be tried until the session expires. */
    failureReason: Nullable(OneOf(DECLINE_REASONS)),
    url: Type.String(),
    successRedirectUrl: Nullable(Type.String()),
    failureRedirectUrl: Nullable(Type.String()),
    metadata: MetadataOut,
    paymentMethodId: Nullable(Type.String()),
    provider: OneOf(PROVIDER_NAMES),
    expiresAt: Timestamp,
    completedAt: Nullable(Timestamp),
    createdAt: Timestamp,
    updatedAt: Timestamp,
  },
  {
    $id: 'PaymentSession',
    description: 'An offer to pay an amount, or to store a card, on a hosted page.',
    'x-fields': {
      metadata: 'Your own keys and values.',
      ...SESSION_WORDS,
      invoiceId: 'The invoice that is paid. Null: it pays none.',
      failureReason: 'Why the last card was declined. Null: none was.',
      url: 'The hosted page. Send the customer there; it needs no key.',
      successRedirectUrl: 'The address to which the page leads after success. Null: none.',
      failureRedirectUrl: 'The address to which the page leads without success. Null: none.',
      paymentMethodId: 'The card that was stored. Null: none was.',
      provider: 'The payment provider: `stripe`, or the test cards of the `sandbox`.',
    },
  },
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
export const ListedPaymentSessionReply = Type.Object(
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
    amount: DecimalOut,
    currency: Type.String(),
    status: OneOf(SESSION_STATUSES),
    merchantPaymentAccountId: Nullable(Type.String()),
    providerPaymentRef: Nullable(Type.String()),
    expiresAt: Timestamp,
    completedAt: Nullable(Timestamp),
    createdAt: Timestamp,
    updatedAt: Timestamp,
  },
  {
    $id: 'ListedPaymentSession',
    description: 'A payment session in a list.',
    'x-fields': {
      ...SESSION_WORDS,
      merchantPaymentAccountId: 'The account of the merchant at the provider. Null: not known here.',
      providerPaymentRef: 'The reference of the last attempt at the provider. Null: no attempt was made.',
    },
  },
);
export type ListedPaymentSessionReply = Static<typeof ListedPaymentSessionReply>;

/** A session as a list shows it. */
export const listedSession = (session: PaymentSession): ListedPaymentSessionReply => ({
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
    isDefault: Type.Boolean(),
    createdAt: Timestamp,
  },
  {
    $id: 'PaymentMethod',
    description: 'A stored card of a customer. Its number is never stored here.',
    'x-fields': {
      type: 'The kind of the payment method. There is one.',
      brand: 'The brand of the card, such as `visa`.',
      last4: 'The last four digits of the card number.',
      expMonth: ['The last month in which the card is valid, 1 to 12.', 12],
      expYear: ['The year of that month, with four digits.', 2030],
      createdAt: ['When the card was stored.', '2026-03-01T00:00:00Z'],
      isDefault: 'Automatic charges use the default card. A customer with cards has exactly one.',
    },
  },
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
