import {
  DecimalOut,
  DecimalText,
  Id,
  ListQuery,
  Nullable,
  OneOf,
  type Static,
  Strict,
  Text,
  Timestamp,
  Type,
  UpdatedFrom,
} from '../../http/index.ts';
import { decimal } from '../../kernel/decimal.ts';
import { formatMoney } from '../../kernel/money.ts';
import { formatInstant } from '../../kernel/time.ts';
import { type PartReturn, type PaymentReceipt, RECORDED_METHODS, RETURN_STATUSES } from '../../payments/index.ts';

const MOST = '1000000000000';

/** A payment recorded by hand. */
export const PaymentCreateBody = Strict(
  {
    amount: DecimalText({ exclusiveMinimum: '0', maximum: MOST, fractionDigits: 9, accept: 'both' }),
    method: OneOf(RECORDED_METHODS),
    reference: Type.Optional(Text({ minLength: 1, maxLength: 255 })),
    receivedAt: Type.Optional(Timestamp),
    idempotencyKey: Text({ minLength: 1, maxLength: 255 }),
  },
  {
    $id: 'InvoicePaymentCreate',
    examples: [
      { amount: '500.00', method: 'bank_transfer', reference: 'RF18 5390 0754', idempotencyKey: 'bank-entry-17' },
    ],
    'x-fields': {
      amount:
        'The received amount, above 0, in major units, as a number or a decimal string. An excess goes ' +
        'into the wallet.',
      method: 'The means of payment: `bank_transfer`, `cash` or `other`.',
      reference: "The reference of the payer's bank.",
      receivedAt: 'The time of the payment. Default: now.',
      idempotencyKey:
        'Your key of this payment, valid for ever and for all invoices of the merchant. The same key again ' +
        'answers 200 with the first payment.',
    },
  },
);
export type PaymentCreateBody = Static<typeof PaymentCreateBody>;

/** A part of a payment that goes back. */
const PartReturnReply = Type.Object(
  {
    creditNoteId: Id('refund'),
    amount: DecimalOut,
    status: OneOf(['requested', 'manual', 'returned', 'stopped']),
    returnedAt: Nullable(Timestamp),
    reference: Nullable(Type.String()),
  },
  {
    $id: 'PartReturn',
    description: 'A part of a payment that goes back because of a credit note over a part of the invoice.',
    'x-fields': {
      creditNoteId: 'The credit note that returns it.',
      amount: 'The amount, in major units.',
      status:
        '`requested`: the provider is asked. `manual`: send it back yourself, and mark the payment as returned. ' +
        '`returned`: it went back. `stopped`: the credit note was voided in time, or a dispute took the money.',
      returnedAt: 'The time at which it went back. Null: it did not.',
      reference: 'The reference of the return, of the provider or your own. Null: none.',
    },
  },
);

/** Money that came in for an invoice, by card or recorded. */
export const InvoicePaymentReply = Type.Object(
  {
    object: Type.Literal('payment'),
    id: Id('payment'),
    merchantId: Id('organization'),
    invoiceId: Id('invoice'),
    amount: DecimalOut,
    appliedAmount: DecimalOut,
    walletAmount: DecimalOut,
    currency: Type.String(),
    method: OneOf(['card', ...RECORDED_METHODS]),
    status: OneOf(['completed', 'reversed']),
    reversedAt: Nullable(Timestamp),
    reverseReason: Nullable(Type.String()),
    reference: Nullable(Type.String()),
    receivedAt: Timestamp,
    returnStatus: OneOf(RETURN_STATUSES),
    returnedAt: Nullable(Timestamp),
    returnReference: Nullable(Type.String()),
    refundId: Nullable(Id('refund')),
    paymentSessionId: Nullable(Id('paymentSession')),
    paymentMethodId: Nullable(Id('paymentMethod')),
    idempotencyKey: Nullable(Type.String()),
    receiptId: Nullable(Id('receipt')),
    dispute: Nullable(
      Type.Object(
        {
          status: OneOf(['inquiry', 'open', 'won', 'lost']),
          amount: DecimalOut,
          reason: Type.String(),
        },
        {
          description: 'The latest dispute about the payment. Null: there is none.',
          'x-fields': {
            status:
              '`inquiry`: a question of the bank. `open`: the money is held back. `won`: the money is yours. ' +
              '`lost`: the money is gone.',
            amount: 'The disputed amount, in major units.',
            reason: 'The reason in the word of the provider.',
          },
        },
      ),
    ),
    returns: Type.Array(PartReturnReply),
    receiptPdfUrl: Type.String(),
    createdAt: Timestamp,
  },
  {
    $id: 'InvoicePayment',
    description: 'A payment of an invoice, by card or recorded by hand.',
    'x-fields': {
      amount: 'The whole amount of the payment, in major units.',
      appliedAmount: 'The part that paid the invoice, in major units.',
      walletAmount: 'The excess that went into the wallet of the customer, in major units.',
      method: 'The means of payment: `card`, or `bank_transfer`, `cash` or `other` of a recorded payment.',
      status: '`completed`: it counts. `reversed`: it came back, or was a mistake, and pays nothing.',
      reversedAt: 'The time of the reversal. Null: it is not reversed.',
      reverseReason: 'Why it was reversed. Null: it is not.',
      reference: 'The reference that was recorded. Null: none.',
      receivedAt: 'The time of the payment.',
      returnStatus:
        'Whether the money went back after a refund. `none`: no. `requested`: the provider is asked. ' +
        '`returned`: yes. `stopped`: the refund was voided in time, or a dispute took the money. ' +
        '`manual`: send it back yourself, and mark it as returned.',
      returnedAt: 'The time at which the money went back. Null: it did not.',
      returnReference: 'The reference of the return, of the provider or your own. Null: none.',
      refundId: 'The refund that returns the money. Null: none does.',
      paymentSessionId: 'The payment session. Null: it was paid without one.',
      paymentMethodId: 'The stored card. Null: none was used.',
      idempotencyKey: 'Your key of a recorded payment. Null: it was not recorded by hand.',
      receiptId: 'The receipt whose money it is. Null: the money came for the invoice.',
      returns: 'The parts that go back because of credit notes over a part of the invoice.',
      receiptPdfUrl: 'The address of the receipt as PDF. It needs a key.',
    },
  },
);

/** The confirmation that recorded money was sent back by hand. */
export const PaymentReturnCreateBody = Strict(
  {
    reference: Type.Optional(Text({ minLength: 1, maxLength: 255 })),
    returnedAt: Type.Optional(Timestamp),
  },
  {
    $id: 'PaymentReturnCreate',
    examples: [{ reference: 'SEPA 2026-03-12/7', returnedAt: '2026-03-12T00:00:00Z' }],
    'x-fields': {
      reference: 'The reference of your bank.',
      returnedAt: 'The time at which the money went back. Default: now.',
    },
  },
);
export type PaymentReturnCreateBody = Static<typeof PaymentReturnCreateBody>;

/** The reversal of a recorded payment. */
export const PaymentReverseBody = Strict(
  {
    reason: Text({ minLength: 1, maxLength: 500 }),
    reversedAt: Type.Optional(Timestamp),
    idempotencyKey: Text({ minLength: 1, maxLength: 255 }),
  },
  {
    $id: 'PaymentReverse',
    examples: [{ reason: 'The direct debit was returned', idempotencyKey: 'return-2026-03-12-7' }],
    'x-fields': {
      reason: 'Why the payment does not count.',
      reversedAt: 'The time at which the money came back. Default: now.',
      idempotencyKey:
        'Your key of this reversal, valid for ever and for all payments of the merchant. The same key again ' +
        'answers the reversed payment.',
    },
  },
);
export type PaymentReverseBody = Static<typeof PaymentReverseBody>;

export const PaymentListQuery = ListQuery({ updatedFrom: Type.Optional(UpdatedFrom) });

/** A payment of an invoice as the API answers it. */
export function toInvoicePaymentReply(
  publicUrl: string,
  receipt: PaymentReceipt,
  returns: readonly PartReturn[] = [],
): Static<typeof InvoicePaymentReply> {
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
    status: receipt.reversedAt === null ? 'completed' : 'reversed',
    reversedAt: receipt.reversedAt && formatInstant(receipt.reversedAt),
    reverseReason: receipt.reverseReason,
    reference: receipt.reference,
    receivedAt: formatInstant(receipt.receivedAt),
    returnStatus: receipt.returnStatus,
    returnedAt: receipt.returnedAt && formatInstant(receipt.returnedAt),
    returnReference: receipt.returnReference,
    refundId: receipt.returnRefundId,
    paymentSessionId: receipt.sessionId,
    paymentMethodId: receipt.paymentMethodId,
    idempotencyKey: receipt.idempotencyKey,
    receiptId: receipt.receiptId,
    dispute: receipt.dispute ? { ...receipt.dispute, amount: money(decimal(receipt.dispute.amount)) } : null,
    returns: returns.map(({ refundId, amount, status, returnedAt, reference }) => ({
      ...{ creditNoteId: refundId, amount: money(amount), status, reference },
      returnedAt: returnedAt && formatInstant(returnedAt),
    })),
    receiptPdfUrl: `${publicUrl}/v2/invoices/${receipt.invoiceId}/payments/${receipt.id}/receipt`,
    createdAt: formatInstant(receipt.createdAt),
  };
}
