import {
  type CompactForms,
  DecimalNumber,
  DecimalOut,
  DecimalText,
  type FieldWords,
  Id,
  Nullable,
  NumberOut,
  type Route,
  routesOf,
  type Static,
  Strict,
  Text,
  Timestamp,
  Type,
} from '../../http/index.ts';
import type { InvoicingDependencies } from '../../invoicing/index.ts';
import { minorDigits } from '../../kernel/currency.ts';
import { decimalOf, decimalOrNull, jsonNumber } from '../../kernel/decimal.ts';
import { formatMoney } from '../../kernel/money.ts';
import { ok } from '../../kernel/result.ts';
import { formatInstant, instantOrNull } from '../../kernel/time.ts';
import { sessionUrl } from '../../payments/index.ts';
import { RolloverBound } from '../entitlement/grant-schemas.ts';
import { type Purchased, type PurchaseRequest, purchaseGrant } from './purchase.ts';

const api = routesOf('Entitlements');

const PURCHASE_FIELDS: FieldWords = {
  amount: ['The number of units, at least 0.00000001.', 1000],
  price: ['The price in major units, without tax: 0.50 to 4503599.62.', '8.00'],
  idempotencyKey: ['The key that makes the purchase once. A known key answers the same invoice.', 'top-up-1'],
  effectiveAt: 'When the grant begins to count. Default: when the invoice is paid.',
  expiresAt: 'When the grant stops counting. Default: never.',
  successUrl: [
    'The page to which the customer returns after the payment. Default: none.',
    'https://app.acme.example/paid',
  ],
  cancelUrl: [
    'The page to which the customer returns without a payment. Default: none.',
    'https://app.acme.example/credits',
  ],
  paymentExpiresAt: 'When the payment session ends. An unpaid invoice is then cancelled. Default: 24 hours from now.',
  resetMaxRollover: [
    'The units that a reset carries over at most. Default: 999999999999, which is no bound.',
    999999999999,
  ],
  resetMinRollover: ['The units that there are after a reset at least. Default: 0.', 0],
  currency: [
    'The currency of the price: an ISO 4217 code. Default: the one of the plan, the customer or the ' +
      'merchant, or `USD`.',
    'USD',
  ],
  grantAmount: ['The number of units that the payment grants.', 1000],
};

const SESSION_FIELDS: FieldWords = {
  url: ['The page on which the customer pays.', 'https://billing.example.com/pay/ps_8c3d5e0f1a2b4c6d'],
  expiresAt: 'When the session ends. Null: it does not.',
  amount: ['The amount in major units, with tax.', '9.60'],
};

/** §4, Grant purchase rules. */
const GrantPurchaseCreateBody = Strict(
  {
    amount: DecimalNumber({ minimum: '0.00000001' }),
    price: DecimalText({ minimum: '0.50', maximum: '4503599.62', fractionDigits: 9 }),
    idempotencyKey: Text({ minLength: 1, maxLength: 255 }),
    effectiveAt: Type.Optional(Timestamp),
    expiresAt: Type.Optional(Timestamp),
    successUrl: Type.Optional(Text({ maxLength: 2048 })),
    cancelUrl: Type.Optional(Text({ maxLength: 2048 })),
    paymentExpiresAt: Type.Optional(Timestamp),
    resetMaxRollover: Type.Optional(RolloverBound),
    resetMinRollover: Type.Optional(RolloverBound),
    currency: Type.Optional(Type.String({ format: 'currency' })),
  },
  {
    $id: 'GrantPurchaseCreate',
    'x-fields': PURCHASE_FIELDS,
    examples: [{ amount: 1000, price: '8.00', idempotencyKey: 'top-up-1' }],
  },
);

const GrantPurchaseReply = Type.Object(
  {
    object: Type.Literal('grant_purchase'),
    invoiceId: Id('invoice'),
    entitlementId: Id('entitlement'),
    grantAmount: NumberOut,
    price: DecimalOut,
    currency: Type.String(),
    paymentSessions: Type.Array(
      Type.Object(
        { url: Type.String(), expiresAt: Nullable(Timestamp), amount: DecimalOut },
        { 'x-fields': SESSION_FIELDS, 'x-compact': { amount: 'absent' } satisfies CompactForms },
      ),
      { description: 'The open payment sessions. Empty once the invoice is paid or cancelled.' },
    ),
  },
  { $id: 'GrantPurchase', description: 'A grant that is paid by an invoice.', 'x-fields': PURCHASE_FIELDS },
);

/** POST …/grants/purchase (§4). */
export const purchaseRoutes = (dependencies: InvoicingDependencies): readonly Route[] => [
  api.post('/v1/entitlements/:id/grants/purchase', 'purchaseGrant', {
    summary: 'Buy a grant',
    description:
      'Creates an invoice that is paid at the returned URL. The payment creates the grant in the same transaction. ' +
      'The same `idempotencyKey` answers the same invoice in every status; another `amount` or `price` under it ' +
      'fails with 409, and `details.invoiceId` names the invoice. When the payment session expires, an unpaid ' +
      'invoice is cancelled.',
    access: { role: 'member', merchant: { of: 'id', kind: 'entitlement' } },
    body: GrantPurchaseCreateBody,
    replies: { 201: GrantPurchaseReply },
    errors: [409],
    handler: async ({ tx, merchantId, params, body, now }) => {
      const entitlementId = params.id;
      const bought = await purchaseGrant(dependencies, tx, { merchantId, entitlementId }, requestOf(body), now);
      return bought.ok ? ok(toPurchaseReply(dependencies, bought.value)) : bought;
    },
  }),
];

function requestOf(body: Static<typeof GrantPurchaseCreateBody>): PurchaseRequest {
  const [resetMaxRollover, resetMinRollover] = [
    decimalOrNull(body.resetMaxRollover),
    decimalOrNull(body.resetMinRollover),
  ];
  return {
    amount: decimalOf(body.amount),
    price: decimalOf(body.price),
    idempotencyKey: body.idempotencyKey,
    currency: body.currency,
    effectiveAt: instantOrNull(body.effectiveAt),
    expiresAt: instantOrNull(body.expiresAt),
    paymentExpiresAt: instantOrNull(body.paymentExpiresAt),
    rollover: { ...(resetMaxRollover && { resetMaxRollover }), ...(resetMinRollover && { resetMinRollover }) },
    successUrl: body.successUrl,
    cancelUrl: body.cancelUrl,
  };
}

function toPurchaseReply(
  { publicUrl }: InvoicingDependencies,
  { purchase, session }: Purchased,
): Static<typeof GrantPurchaseReply> {
  const { price, currency } = purchase;
  return {
    object: 'grant_purchase',
    invoiceId: purchase.invoiceId,
    entitlementId: purchase.entitlementId,
    grantAmount: jsonNumber(purchase.amount),
    price: price.toFixed(Math.max(minorDigits(currency), price.decimalPlaces())),
    currency,
    paymentSessions: session
      ? [
          {
            url: sessionUrl(publicUrl, session.id),
            expiresAt: formatInstant(session.expiresAt),
            amount: formatMoney(session.amount, session.currency),
          },
        ]
      : [],
  };
}
