import { DecimalOut, DecimalText, Id, Nullable, type Static, Strict, Text, Timestamp, Type } from '../../http/index.ts';
import { decimal } from '../../kernel/decimal.ts';
import { formatMoney } from '../../kernel/money.ts';
import { formatInstant } from '../../kernel/time.ts';
import { type PaymentSession, sessionUrl } from '../../payments/index.ts';
import type { InvoicingDependencies } from '../invoice/dependencies.ts';
import type { InvoiceRow } from '../invoice/invoice.ts';
import { RedirectUrlsBody, SessionsReply } from '../one-off/wallet-schemas.ts';
import { MOST } from './schemas.ts';

/** A billing credit that a customer is to buy. */
export const BillingCreditPurchaseBody = Strict(
  {
    amount: DecimalText({ exclusiveMinimum: '0', maximum: MOST }),
    price: Type.Optional(DecimalText({ minimum: '0', maximum: MOST })),
    currency: Type.String({ format: 'currency' }),
    expiresAt: Type.Optional(Nullable(Timestamp)),
    idempotencyKey: Text({ minLength: 1, maxLength: 255 }),
    redirectUrls: Type.Optional(RedirectUrlsBody),
    testClockId: Type.Optional(Nullable(Id('testClock'))),
  },
  {
    $id: 'BillingCreditPurchaseCreate',
    'x-minor-units': ['amount', 'price'],
    examples: [{ amount: '110.00', price: '100.00', currency: 'USD', idempotencyKey: 'buy-1' }],
    'x-fields': {
      amount: 'The amount of the credit, above 0, in major units.',
      price: 'What is asked for it, without tax. Less is a discount. Default: `amount`.',
      currency: 'It pays invoices in this currency.',
      expiresAt: 'It pays service before this. Null: it does not expire.',
      idempotencyKey: 'Your key of this purchase. The same key again answers 200 with the first purchase.',
      redirectUrls: 'Addresses to which the payment page leads.',
      testClockId:
        'The test clock of the credit. Default: the one clock of all the customer’s subscriptions, else none.',
    },
  },
);
export type BillingCreditPurchaseBody = Static<typeof BillingCreditPurchaseBody>;

export const BillingCreditPurchaseReply = Type.Object(
  {
    object: Type.Literal('billing_credit_purchase'),
    invoiceId: Id('invoice'),
    customerId: Id('customer'),
    amount: DecimalOut,
    price: DecimalOut,
    currency: Type.String(),
    paymentSessions: SessionsReply,
  },
  {
    $id: 'BillingCreditPurchase',
    description: 'A billing credit that the payment of an invoice makes.',
    'x-fields': {
      invoiceId: 'The invoice over the price, with tax.',
      amount: 'The amount of the credit.',
      price: 'What is asked for it, without tax.',
      paymentSessions: 'The open payment sessions. Empty once the invoice is paid or cancelled.',
    },
  },
);

/** A purchase as the API answers it. */
export const toPurchaseReply = (
  { publicUrl }: InvoicingDependencies,
  {
    invoice: { id, customerId, currency, oneOff },
    session,
  }: { readonly invoice: InvoiceRow; readonly session: PaymentSession | null },
): Static<typeof BillingCreditPurchaseReply> => ({
  object: 'billing_credit_purchase',
  invoiceId: id,
  customerId,
  amount: formatMoney(decimal(oneOff?.buys?.amount ?? '0'), currency),
  price: formatMoney(decimal(oneOff?.buys?.price ?? '0'), currency),
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
});
