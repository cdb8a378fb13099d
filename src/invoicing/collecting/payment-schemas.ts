import {
  DecimalText,
  Id,
  ListOf,
  ListQuery,
  Nullable,
  OneOf,
  type Static,
  Strict,
  Text,
  Timestamp,
  Type,
} from '../../http/index.ts';
import { decimal } from '../../kernel/decimal.ts';
import { formatMoney } from '../../kernel/money.ts';
import { formatInstant } from '../../kernel/time.ts';
import { type PaymentReceipt, RECORDED_METHODS, RETURN_STATUSES } from '../../payments/index.ts';

const MOST = '1000000000000';

/** Money that somebody says came in. */
export const PaymentCreate = Strict(
  {
    amount: DecimalText({ exclusiveMinimum: '0', maximum: MOST, fractionDigits: 9, accept: 'both' }),
    method: OneOf(RECORDED_METHODS),
    reference: Type.Optional(
      Text({ minLength: 1, maxLength: 255, description: 'What the payer’s bank says it is for.' }),
    ),
    receivedAt: Type.Optional(Timestamp),
    idempotencyKey: Text({ minLength: 1, maxLength: 255 }),
  },
  { $id: 'InvoicePaymentCreate' },
);
export type PaymentCreate = Static<typeof PaymentCreate>;

/** Money that came in for an invoice, by card or recorded. */
export const InvoicePayment = Type.Object(
  {
    object: Type.Literal('payment'),
    id: Id('payment'),
    merchantId: Id('organization'),
    invoiceId: Id('invoice'),
    amount: Type.String({ description: 'All that came, in major units.' }),
    appliedAmount: Type.String({ description: 'What of it paid the invoice.' }),
    walletAmount: Type.String({ description: 'What was more than the invoice asked: it went to the wallet.' }),
    currency: Type.String(),
    method: OneOf(['card', ...RECORDED_METHODS]),
    status: Type.Literal('completed'),
    reference: Nullable(Type.String()),
    receivedAt: Timestamp,
    returnStatus: OneOf(RETURN_STATUSES),
    returnedAt: Nullable(Timestamp),
    returnReference: Nullable(Type.String({ description: 'Of who sent it back.' })),
    refundId: Nullable(Id('refund')),
    paymentSessionId: Nullable(Id('paymentSession')),
    paymentMethodId: Nullable(Id('paymentMethod')),
    idempotencyKey: Nullable(Type.String()),
    dispute: Nullable(
      Type.Object(
        {
          status: OneOf(['inquiry', 'open', 'won', 'lost']),
          amount: Type.String(),
          reason: Type.String({ description: 'In the word of the provider.' }),
        },
        { description: 'The dispute about it that began last.' },
      ),
    ),
    receiptPdfUrl: Type.String({ description: 'The receipt; it takes a key.' }),
    createdAt: Timestamp,
  },
  { $id: 'InvoicePayment' },
);

/** That recorded money was given back by hand. */
export const PaymentReturnCreate = Strict(
  {
    reference: Type.Optional(Text({ minLength: 1, maxLength: 255 })),
    returnedAt: Type.Optional(Timestamp),
  },
  { $id: 'PaymentReturnCreate' },
);
export type PaymentReturnCreate = Static<typeof PaymentReturnCreate>;

export const PaymentList = ListOf(InvoicePayment);
export const PaymentListQuery = ListQuery({});

/** A payment of an invoice as the API answers it. */
export function presentPayment(publicUrl: string, receipt: PaymentReceipt): Static<typeof InvoicePayment> {
  const money = (amount: PaymentReceipt['amount']) => formatMoney(amount, receipt.currency);
  return {
    object: 'payment',
    id: receipt.id,
    merchantId: receipt.merchantId,
    invoiceId: receipt.invoiceId as string, // listed and made by its invoice
    amount: money(receipt.amount),
    appliedAmount: money(receipt.amount.minus(receipt.overpaid)),
    walletAmount: money(receipt.overpaid),
    currency: receipt.currency,
    method: receipt.method,
    status: 'completed',
    reference: receipt.reference,
    receivedAt: formatInstant(receipt.receivedAt),
    returnStatus: receipt.returnStatus,
    returnedAt: receipt.returnedAt && formatInstant(receipt.returnedAt),
    returnReference: receipt.returnReference,
    refundId: receipt.returnRefundId,
    paymentSessionId: receipt.sessionId,
    paymentMethodId: receipt.paymentMethodId,
    idempotencyKey: receipt.idempotencyKey,
    dispute: receipt.dispute ? { ...receipt.dispute, amount: money(decimal(receipt.dispute.amount)) } : null,
    receiptPdfUrl: `${publicUrl}/v2/invoices/${receipt.invoiceId}/payments/${receipt.id}/receipt`,
    createdAt: formatInstant(receipt.createdAt),
  };
}
