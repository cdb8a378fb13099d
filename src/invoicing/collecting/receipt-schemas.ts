import {
  DecimalOut,
  DecimalText,
  Id,
  Nullable,
  OneOf,
  type Static,
  Strict,
  Text,
  Timestamp,
  Type,
} from '../../http/index.ts';
import type { Decimal } from '../../kernel/decimal.ts';
import { formatMoney } from '../../kernel/money.ts';
import { formatInstant } from '../../kernel/time.ts';
import { RECORDED_METHODS } from '../../payments/index.ts';
import { leftOfReceipt, type Receipt, statusOfReceipt } from './receipt.ts';

const MOST = '1000000000000';

/** Money that names no invoice. */
export const ReceiptCreateBody = Strict(
  {
    amount: DecimalText({ exclusiveMinimum: '0', maximum: MOST, fractionDigits: 9, accept: 'both' }),
    currency: Type.String({ format: 'currency' }),
    method: OneOf(RECORDED_METHODS),
    reference: Type.Optional(Text({ minLength: 1, maxLength: 255 })),
    receivedAt: Type.Optional(Timestamp),
    testClockId: Type.Optional(Nullable(Id('testClock'))),
    idempotencyKey: Text({ minLength: 1, maxLength: 255 }),
  },
  {
    $id: 'ReceiptCreate',
    'x-minor-units': ['amount'],
    examples: [{ amount: '300.00', currency: 'EUR', method: 'bank_transfer', idempotencyKey: 'bank-entry-40' }],
    'x-fields': {
      amount: 'The received amount, above 0, in major units, as a number or a decimal string.',
      method: 'The means of payment: `bank_transfer`, `cash` or `other`.',
      reference: "The reference of the payer's bank.",
      receivedAt: 'The time of the payment. Default: now.',
      testClockId:
        'Sandbox only. The receipt follows this test clock, and pays invoices on it. Default: the one clock of all ' +
        'subscriptions of the customer, otherwise none.',
      idempotencyKey:
        'Your key of this receipt, valid for ever and for all customers of the merchant. The same key again answers ' +
        '200 with the first receipt.',
    },
  },
);
export type ReceiptCreateBody = Static<typeof ReceiptCreateBody>;

/** What becomes of a receipt. */
export const ReceiptApplyBody = Strict(
  {
    invoiceId: Type.Optional(Id('invoice')),
    wallet: Type.Optional(Type.Literal(true)),
    amount: Type.Optional(DecimalText({ exclusiveMinimum: '0', maximum: MOST, fractionDigits: 9, accept: 'both' })),
  },
  {
    $id: 'ReceiptApply',
    'x-minor-units': ['amount'],
    examples: [{ invoiceId: 'inv_8c3d5e0f1a2b4c6d' }, { wallet: true, amount: '20.00' }],
    'x-fields': {
      invoiceId: 'The invoice that the money pays. Either this or `wallet`.',
      wallet: 'The money goes into the wallet of the customer, or of its payer.',
      amount:
        'How much of the receipt, above 0, in major units. Default: the unapplied amount, and at most the unpaid ' +
        'amount of the invoice.',
    },
  },
);
export type ReceiptApplyBody = Static<typeof ReceiptApplyBody>;

/** The confirmation that unapplied money was sent back. */
export const ReceiptReturnBody = Strict(
  {
    reference: Type.Optional(Text({ minLength: 1, maxLength: 255 })),
    returnedAt: Type.Optional(Timestamp),
  },
  {
    $id: 'ReceiptReturning',
    examples: [{ reference: 'SEPA 2026-03-12/9' }],
    'x-fields': {
      reference: 'The reference of your bank.',
      returnedAt: 'The time at which the money went back. Default: now.',
    },
  },
);
export type ReceiptReturnBody = Static<typeof ReceiptReturnBody>;

const ApplicationReply = Type.Object(
  {
    paymentId: Nullable(Id('payment')),
    invoiceId: Nullable(Id('invoice')),
    wallet: Type.Boolean(),
    amount: DecimalOut,
    appliedAt: Timestamp,
  },
  {
    $id: 'ReceiptApplication',
    description: 'A part of a receipt that pays an invoice or is in the wallet.',
    'x-fields': {
      paymentId: 'The payment of the invoice. Null: the part is in the wallet.',
      invoiceId: 'The invoice that it pays. Null: the part is in the wallet.',
      wallet: 'Whether the part went into the wallet.',
      amount: 'The part, in major units.',
      appliedAt: 'The time at which it was applied.',
    },
  },
);

export const ReceiptReply = Type.Object(
  {
    object: Type.Literal('receipt'),
    id: Id('receipt'),
    merchantId: Id('organization'),
    customerId: Id('customer'),
    amount: DecimalOut,
    unappliedAmount: DecimalOut,
    currency: Type.String(),
    method: OneOf(RECORDED_METHODS),
    reference: Nullable(Type.String()),
    receivedAt: Timestamp,
    status: OneOf(['unapplied', 'applied', 'returned']),
    applications: Type.Array(ApplicationReply),
    returnedAmount: DecimalOut,
    returnedAt: Nullable(Timestamp),
    returnReference: Nullable(Type.String()),
    testClockId: Nullable(Id('testClock')),
    idempotencyKey: Type.String(),
    createdAt: Timestamp,
  },
  {
    $id: 'Receipt',
    description: 'Money of a customer that names no invoice.',
    'x-fields': {
      amount: 'The received amount, in major units.',
      unappliedAmount: 'The part that waits, in major units.',
      method: 'The means of payment: `bank_transfer`, `cash` or `other`.',
      reference: 'The reference that was recorded. Null: none.',
      receivedAt: 'The time of the payment.',
      status:
        '`unapplied`: some of it waits. `applied`: it pays invoices or is in the wallet. `returned`: nothing waits, ' +
        'and some of it was sent back.',
      applications:
        'The parts that pay invoices or are in the wallet, the oldest first. Reversed payments are not here.',
      returnedAmount: 'The part that was sent back, in major units.',
      returnedAt: 'The time of the last return. Null: nothing was sent back.',
      returnReference: 'The reference of the last return. Null: none.',
      testClockId: 'The test clock of the receipt. Null: none.',
      idempotencyKey: 'Your key of the receipt.',
    },
  },
);

/** A receipt as the API answers it. */
export function toReceiptReply(of: Receipt): Static<typeof ReceiptReply> {
  const { receipt, applications } = of;
  const money = (amount: Decimal) => formatMoney(amount, receipt.currency);
  return {
    object: 'receipt',
    id: receipt.id,
    merchantId: receipt.merchantId,
    customerId: receipt.customerId,
    amount: money(receipt.amount),
    unappliedAmount: money(leftOfReceipt(of)),
    currency: receipt.currency,
    method: receipt.method,
    reference: receipt.reference,
    receivedAt: formatInstant(receipt.receivedAt),
    status: statusOfReceipt(of),
    applications: applications.map(({ paymentId, invoiceId, amount, appliedAt }) => ({
      ...{ paymentId, invoiceId, wallet: invoiceId === null, amount: money(amount) },
      appliedAt: formatInstant(appliedAt),
    })),
    returnedAmount: money(receipt.returnedAmount),
    returnedAt: receipt.returnedAt && formatInstant(receipt.returnedAt),
    returnReference: receipt.returnReference,
    testClockId: receipt.clockId,
    idempotencyKey: receipt.idempotencyKey,
    createdAt: formatInstant(receipt.createdAt),
  };
}
