import {
  DecimalOut,
  DecimalText,
  type FieldWords,
  Id,
  Nullable,
  OneOf,
  type Static,
  Strict,
  Text,
  Timestamp,
  Type,
} from '../../http/index.ts';
import { formatMoney } from '../../kernel/money.ts';
import { formatInstant } from '../../kernel/time.ts';
import { MOST } from './schemas.ts';
import type { CreditTopUp } from './top-up.ts';

const TOP_UP_FIELDS: FieldWords = {
  currency: 'It watches and buys credits in this currency.',
  threshold: 'It tops up when less than this is available, in major units.',
  amount: 'The amount of each top-up without tax, above 0, in major units.',
  expiresAfter: ['How long a credit lasts from its payment, as an ISO 8601 duration. Null: it does not expire.', 'P1Y'],
  maximumPerMonth: ['The most top-ups in a calendar month (UTC). Null: any number.', 4],
};

export const CreditTopUpBody = Strict(
  {
    currency: Type.String({ format: 'currency' }),
    threshold: DecimalText({ minimum: '0', maximum: MOST }),
    amount: DecimalText({ exclusiveMinimum: '0', maximum: MOST }),
    expiresAfter: Type.Optional(Nullable(Text({ minLength: 1, maxLength: 64 }))),
    maximumPerMonth: Type.Optional(Nullable(Type.Integer({ minimum: 1, maximum: 1000 }))),
    testClockId: Type.Optional(Nullable(Id('testClock'))),
  },
  {
    $id: 'CreditTopUpSet',
    'x-minor-units': ['threshold', 'amount'],
    examples: [{ currency: 'USD', threshold: '20.00', amount: '100.00' }],
    'x-fields': {
      ...TOP_UP_FIELDS,
      testClockId:
        'The test clock of its credits. Default: the one clock of all the customer’s subscriptions, else none.',
    },
  },
);
export type CreditTopUpBody = Static<typeof CreditTopUpBody>;

export const CreditTopUpReply = Type.Object(
  {
    object: Type.Literal('credit_top_up'),
    customerId: Id('customer'),
    currency: Type.String(),
    threshold: DecimalOut,
    amount: DecimalOut,
    expiresAfter: Nullable(Type.String()),
    maximumPerMonth: Nullable(Type.Integer()),
    status: OneOf(['active', 'paused']),
    declines: Type.Integer(),
    createdAt: Timestamp,
    updatedAt: Timestamp,
  },
  {
    $id: 'CreditTopUp',
    description: 'Buys billing credits for a customer by the stored card.',
    'x-fields': {
      ...TOP_UP_FIELDS,
      status: '`paused`: three charges in a row were declined. A PUT makes it active again.',
      declines: 'The declined charges since the last one that was paid.',
    },
  },
);

/** A top-up as the API answers it. */
export const toTopUpReply = (of: CreditTopUp): Static<typeof CreditTopUpReply> => ({
  object: 'credit_top_up',
  customerId: of.customerId,
  currency: of.currency,
  threshold: formatMoney(of.threshold, of.currency),
  amount: formatMoney(of.amount, of.currency),
  ...{ expiresAfter: of.expiresAfter, maximumPerMonth: of.maximumPerMonth, status: of.status, declines: of.declines },
  createdAt: formatInstant(of.createdAt),
  updatedAt: formatInstant(of.updatedAt),
});
