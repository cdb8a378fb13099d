import {
  DecimalNumber,
  DecimalText,
  Id,
  Nullable,
  NumberOut,
  type Route,
  readDecimal,
  route,
  type Static,
  Strict,
  Text,
  Timestamp,
  Type,
} from '../../http/index.ts';
import type { InvoicingParts } from '../../invoicing/index.ts';
import { minorDigits } from '../../kernel/currency.ts';
import { type Decimal, jsonNumber } from '../../kernel/decimal.ts';
import { formatMoney } from '../../kernel/money.ts';
import { ok } from '../../kernel/result.ts';
import { formatInstant, type Instant, parseInstant } from '../../kernel/time.ts';
import { sessionUrl } from '../../payments/index.ts';
import { RolloverBound } from '../entitlement/grant-schemas.ts';
import { type Purchased, type PurchaseRequest, purchaseGrant } from './purchase.ts';

/** §4, Grant purchase rules. */
const GrantPurchaseCreate = Strict(
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
  { $id: 'GrantPurchaseCreate' },
);

const GrantPurchase = Type.Object(
  {
    object: Type.Literal('grant_purchase'),
    invoiceId: Id('invoice'),
    entitlementId: Id('entitlement'),
    grantAmount: NumberOut,
    price: Type.String({ description: 'A decimal string in major units, without tax.' }),
    currency: Type.String(),
    paymentSessions: Type.Array(
      Type.Object({ url: Type.String(), expiresAt: Nullable(Timestamp), amount: Type.String() }),
      { description: 'Where it can be paid now, tax included; none once it is paid or cancelled.' },
    ),
  },
  { $id: 'GrantPurchase' },
);

/** POST …/grants/purchase (§4). */
export const purchaseRoutes = (parts: InvoicingParts): readonly Route[] => [
  route(
    {
      method: 'POST',
      path: '/v1/entitlements/:id/grants/purchase',
      operationId: 'purchaseGrant',
      tag: 'Entitlements',
      summary: 'Buy a grant',
      description:
        'Makes an invoice that is paid at the returned URL; the grant is made as it is paid, and without `effectiveAt` takes effect then. ' +
        'The same `idempotencyKey` again answers the same invoice, whatever has become of it. An invoice that is not paid until its ' +
        'payment session expires is cancelled. The currency is by default that of the subscription’s plan, the customer, the merchant, USD.',
      access: { role: 'member', merchant: { of: 'id', kind: 'entitlement' } },
      body: GrantPurchaseCreate,
      replies: { 201: GrantPurchase },
      errors: [409],
    },
    async ({ tx, merchantId, params, body, now }) => {
      const entitlementId = params.id;
      const bought = await purchaseGrant(parts, tx, { merchantId, entitlementId }, requestOf(body), now);
      return bought.ok ? ok(presentPurchase(parts, bought.value)) : bought;
    },
  ),
];

const instant = (text: string | undefined): Instant | null => (text === undefined ? null : parseInstant(text));

function requestOf(body: Static<typeof GrantPurchaseCreate>): PurchaseRequest {
  const [resetMaxRollover, resetMinRollover] = [readDecimal(body.resetMaxRollover), readDecimal(body.resetMinRollover)];
  return {
    amount: readDecimal(body.amount) as Decimal,
    price: readDecimal(body.price) as Decimal,
    idempotencyKey: body.idempotencyKey,
    currency: body.currency,
    effectiveAt: instant(body.effectiveAt),
    expiresAt: instant(body.expiresAt),
    paymentExpiresAt: instant(body.paymentExpiresAt),
    rollover: { ...(resetMaxRollover && { resetMaxRollover }), ...(resetMinRollover && { resetMinRollover }) },
    successUrl: body.successUrl,
    cancelUrl: body.cancelUrl,
    sent: body,
  };
}

function presentPurchase(
  { publicUrl }: InvoicingParts,
  { purchase, session }: Purchased,
): Static<typeof GrantPurchase> {
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
