import {
  DecimalOut,
  DecimalText,
  Id,
  ListQuery,
  Metadata,
  MetadataOut,
  Name,
  NumberOut,
  OneOf,
  type Static,
  Strict,
  Text,
  Timestamp,
  Type,
  UpdatedFrom,
} from '../../http/index.ts';
import { decimal, jsonNumber } from '../../kernel/decimal.ts';
import { formatMoney } from '../../kernel/money.ts';
import { formatInstant } from '../../kernel/time.ts';
import type { PaymentLinkNow } from '../records/link.ts';
import type { SessionStatus } from '../records/session-states.ts';
import { sessionUrl } from '../sessions/sessions.ts';

const PAYMENT_STATUSES = ['pending', 'processing', 'completed', 'expired', 'cancelled'] as const;
type PaymentStatus = (typeof PAYMENT_STATUSES)[number];

/** A declined card leaves the link to be paid with another one. */
const statusOf = (status: SessionStatus): PaymentStatus => (status === 'failed' ? 'pending' : status);

/** In which states of its session a link has this status. */
export const sessionStatusesOf = (status: PaymentStatus): readonly SessionStatus[] =>
  status === 'pending' ? ['pending', 'failed'] : [status];

const MOST = '1000000000000';
const MOST_ITEMS = 100;
const Amount = DecimalText({ exclusiveMinimum: '0', maximum: MOST, fractionDigits: 9, accept: 'both' });

const PaymentItemCreate = Strict(
  {
    description: Name,
    amount: Amount,
    quantity: Type.Optional(Type.Integer({ minimum: 1, maximum: 1_000_000, default: 1 })),
  },
  {
    $id: 'PaymentItemCreate',
    description: '`amount` is that of one unit.',
    'x-fields': {
      description: 'The text of the item, as on the payment page.',
      amount: 'The price of one unit, above 0, in major units, as a number or a decimal string.',
      quantity: 'The number of units.',
    },
  },
);

/** A payment link (api.md, POST /v0/payments). */
export const PaymentCreateBody = Strict(
  {
    amount: Amount,
    currency: Type.String({ format: 'currency' }),
    customerId: Type.Optional(Id('customer')),
    reference: Type.Optional(Text({ minLength: 1, maxLength: 255 })),
    metadata: Type.Optional(Metadata),
    lineItems: Type.Optional(Type.Array(PaymentItemCreate, { maxItems: MOST_ITEMS })),
    successRedirectUrl: Type.Optional(Text({ maxLength: 2048 })),
    failureRedirectUrl: Type.Optional(Text({ maxLength: 2048 })),
    savePaymentMethod: Type.Optional(Type.Boolean({ default: false })),
    expiresIn: Type.Optional(Text({ maxLength: 64 })),
    idempotencyKey: Type.Optional(Text({ minLength: 1, maxLength: 255 })),
    merchantId: Type.Optional(Id('organization')),
  },
  {
    $id: 'PaymentCreate',
    'x-minor-units': ['amount'],
    examples: [
      {
        amount: '75.00',
        currency: 'EUR',
        reference: 'Deposit 7',
        lineItems: [{ description: 'Ticket', amount: '25.00', quantity: 3 }],
        expiresIn: 'P7D',
        idempotencyKey: 'deposit-7',
      },
    ],
    'x-fields': {
      amount: 'The amount that is asked, above 0, in major units, as a number or a decimal string.',
      customerId: 'The payer. Required with `savePaymentMethod`.',
      reference: 'Your own reference, for people and searches.',
      lineItems: 'The items that the payment page shows. Their sum is `amount`. Default: none.',
      successRedirectUrl: 'The address after a payment. `https`, or `http` to localhost in the sandbox.',
      failureRedirectUrl: 'The address after the customer leaves the page without a payment.',
      savePaymentMethod: '`true`: the card that pays is stored for the customer.',
      expiresIn: 'How long it can be paid, as an ISO 8601 duration of at most a year. Default: `P30D`.',
      idempotencyKey:
        'Your key of this payment link, valid for ever. The same key again answers 200 with the first ' +
        'payment link.',
    },
  },
);
export type PaymentCreateBody = Static<typeof PaymentCreateBody>;

/** A payment link. */
export const PaymentReply = Type.Object(
  {
    object: Type.Literal('payment'),
    id: Id('payment'),
    merchantId: Id('organization'),
    customerId: Type.Optional(Id('customer')),
    amount: DecimalOut,
    currency: Type.String(),
    status: OneOf(PAYMENT_STATUSES),
    paymentUrl: Type.String(),
    paymentSessionId: Id('paymentSession'),
    reference: Type.Optional(Type.String()),
    idempotencyKey: Type.Optional(Type.String()),
    lineItems: Type.Array(
      Type.Object(
        { description: Type.String(), amount: DecimalOut, quantity: NumberOut },
        {
          'x-fields': {
            description: 'The text of the item.',
            amount: 'The price of one unit, in major units.',
            quantity: 'The number of units.',
          },
        },
      ),
    ),
    metadata: MetadataOut,
    expiresAt: Timestamp,
    createdAt: Timestamp,
  },
  {
    $id: 'Payment',
    description: 'A payment link: an amount to pay on a hosted page, without an invoice.',
    'x-fields': {
      metadata: 'Your own keys and values.',
      customerId: 'The payer. Absent: anybody.',
      amount: 'The amount that is asked, in major units.',
      status:
        '`pending`: it can be paid, also after a declined card. `processing`: a payment is under way. ' +
        '`completed`: it is paid. `expired`, `cancelled`: it can no longer be paid.',
      paymentUrl: 'The payment page. Send the customer there.',
      paymentSessionId: 'The payment session of the page. `POST /v0/paymentSessions/{id}/expire` ends it early.',
      reference: 'Your own reference. Absent: none.',
      idempotencyKey: 'Your key of this payment link. Absent: none.',
      lineItems: 'The items that the payment page shows.',
      expiresAt: 'The time from which it can no longer be paid.',
    },
  },
);

export const PaymentListQuery = ListQuery(
  {
    customerId: Type.Optional(Id('customer')),
    status: Type.Optional(OneOf(PAYMENT_STATUSES)),
    merchantId: Type.Optional(Id('organization')),
    updatedFrom: Type.Optional(UpdatedFrom),
  },
  {
    fields: {
      status: 'Only payment links with this status.',
    },
  },
);

/** A payment link as the API answers it. */
export const toPaymentReply = (link: PaymentLinkNow, publicUrl: string): Static<typeof PaymentReply> => ({
  object: 'payment',
  id: link.id,
  merchantId: link.merchantId,
  ...(link.customerId !== null && { customerId: link.customerId }),
  amount: formatMoney(link.amount, link.currency),
  currency: link.currency,
  status: statusOf(link.sessionStatus),
  paymentUrl: sessionUrl(publicUrl, link.sessionId),
  paymentSessionId: link.sessionId,
  ...(link.reference !== null && { reference: link.reference }),
  ...(link.idempotencyKey !== null && { idempotencyKey: link.idempotencyKey }),
  lineItems: link.lineItems.map((item) => ({ ...item, quantity: jsonNumber(decimal(item.quantity)) })),
  metadata: link.metadata,
  expiresAt: formatInstant(link.expiresAt),
  createdAt: formatInstant(link.createdAt),
});
