import { DecimalText, Id, Nullable, type Static, Strict, Text, Timestamp, Type } from '../../http/index.ts';

const MOST = '1000000000000';

/** Money that a customer is to put into the wallet. */
export const WalletTopUpCreate = Strict(
  {
    amount: DecimalText({ exclusiveMinimum: '0', maximum: MOST, fractionDigits: 9, accept: 'both' }),
    currency: Type.String({ format: 'currency' }),
    idempotencyKey: Text({ minLength: 1, maxLength: 255 }),
    redirectUrls: Type.Optional(
      Strict({
        onSuccess: Type.Optional(Text({ maxLength: 2048 })),
        onFailure: Type.Optional(Text({ maxLength: 2048 })),
      }),
    ),
  },
  { $id: 'WalletTopUpCreate', 'x-minor-units': ['amount'] },
);
export type WalletTopUpCreate = Static<typeof WalletTopUpCreate>;

export const WalletTopUp = Type.Object(
  {
    object: Type.Literal('wallet_top_up'),
    invoiceId: Id('invoice'),
    customerId: Id('customer'),
    amount: Type.String({ description: 'A decimal string in major units.' }),
    currency: Type.String(),
    paymentSessions: Type.Array(
      Type.Object({ url: Type.String(), expiresAt: Nullable(Timestamp), amount: Type.String() }),
      { description: 'Where it can be paid now; none once it is paid or cancelled.' },
    ),
  },
  { $id: 'WalletTopUp' },
);
export type WalletTopUp = Static<typeof WalletTopUp>;
