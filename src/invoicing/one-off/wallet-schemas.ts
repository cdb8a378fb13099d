import { DecimalOut, DecimalText, Id, Nullable, type Static, Strict, Text, Timestamp, Type } from '../../http/index.ts';

const MOST = '1000000000000';

/** Where the payment page leads to. */
export const RedirectUrlsBody = Strict(
  {
    onSuccess: Type.Optional(Text({ maxLength: 2048 })),
    onFailure: Type.Optional(Text({ maxLength: 2048 })),
  },
  {
    'x-fields': {
      onSuccess: 'The address after a payment. `https`, or `http` to localhost in the sandbox.',
      onFailure: 'The address after the customer leaves the page without a payment.',
    },
  },
);

/** The sessions by which an invoice can be paid now. */
export const SessionsReply = Type.Array(
  Type.Object(
    { url: Type.String(), expiresAt: Nullable(Timestamp), amount: DecimalOut },
    {
      'x-fields': {
        url: 'The payment page. Send the customer there.',
        expiresAt: 'The end of the session. Then the invoice is cancelled. Null: it has no end.',
        amount: 'The amount of the session, in major units.',
      },
    },
  ),
);

/** Money that a customer is to put into the wallet. */
export const WalletTopUpCreateBody = Strict(
  {
    amount: DecimalText({ exclusiveMinimum: '0', maximum: MOST, fractionDigits: 9, accept: 'both' }),
    currency: Type.String({ format: 'currency' }),
    idempotencyKey: Text({ minLength: 1, maxLength: 255 }),
    redirectUrls: Type.Optional(RedirectUrlsBody),
  },
  {
    $id: 'WalletTopUpCreate',
    'x-minor-units': ['amount'],
    examples: [{ amount: '50.00', currency: 'EUR', idempotencyKey: 'top-up-1' }],
    'x-fields': {
      amount: 'The amount to pay into the wallet, above 0, in major units, as a number or a decimal string.',
      idempotencyKey:
        'Your key of this top-up, valid for ever for this customer. The same key again answers 200 with the ' +
        'first top-up.',
      redirectUrls: 'Addresses to which the payment page leads.',
    },
  },
);
export type WalletTopUpCreateBody = Static<typeof WalletTopUpCreateBody>;

export const WalletTopUpReply = Type.Object(
  {
    object: Type.Literal('wallet_top_up'),
    invoiceId: Id('invoice'),
    customerId: Id('customer'),
    amount: DecimalOut,
    currency: Type.String(),
    paymentSessions: SessionsReply,
  },
  {
    $id: 'WalletTopUp',
    description: 'A top-up of a wallet: an invoice without tax, and the page on which it is paid.',
    'x-fields': {
      invoiceId: 'The invoice. The money is in the wallet once it is `PAID`.',
      amount: 'The amount of the top-up, in major units.',
      paymentSessions: 'The open payment sessions. Empty: it is paid or cancelled.',
    },
  },
);
export type WalletTopUpReply = Static<typeof WalletTopUpReply>;
