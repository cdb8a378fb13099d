import {
  DecimalOut,
  DecimalText,
  type FieldWords,
  Id,
  Metadata,
  MetadataOut,
  Name,
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
import { AppliesToBody, AppliesToReply } from '../terms/applies-to.ts';
import { CREDIT_CATEGORIES, CREDIT_SOURCES } from '../terms/billing-credit.ts';
import { CREDIT_STATUSES, type CreditBalance, figuresOf, type ReadCredit } from './figures.ts';

export const MOST = '1000000000000';
const MOST_PRIORITY = 1_000_000;
const Currency = Type.String({ format: 'currency' });

const CREDIT_FIELDS: FieldWords = {
  name: ['The name, as invoices show it.', 'Welcome credit'],
  amount: 'The amount before tax, above 0, in major units.',
  currency: 'It pays invoices in this currency.',
  category: '`promotional`: a discount. `paid`: money that the customer has paid.',
  priority: 'Of several credits the one with the lowest number is used first.',
  effectiveAt: 'It pays service from here on. Default: now.',
  expiresAt: 'It pays service before this. Null: it does not expire.',
  appliesTo: 'The charges that it pays. Without it: all.',
  subscriptionId: 'The subscription that it pays. Null: all of the customer’s on the same clock.',
  metadata: ['Data of your own.', { campaign: 'spring' }],
  testClockId: 'The test clock of the credit. Default: the one clock of all the customer’s subscriptions, else none.',
};

export const BillingCreditCreateBody = Strict(
  {
    name: Name,
    amount: DecimalText({ exclusiveMinimum: '0', maximum: MOST }),
    currency: Currency,
    category: Type.Optional(OneOf(CREDIT_CATEGORIES)),
    priority: Type.Optional(Type.Integer({ minimum: -MOST_PRIORITY, maximum: MOST_PRIORITY })),
    effectiveAt: Type.Optional(Nullable(Timestamp)),
    expiresAt: Type.Optional(Nullable(Timestamp)),
    appliesTo: Type.Optional(Nullable(AppliesToBody)),
    subscriptionId: Type.Optional(Nullable(Id('subscription'))),
    idempotencyKey: Text({ minLength: 1, maxLength: 255 }),
    testClockId: Type.Optional(Nullable(Id('testClock'))),
    metadata: Type.Optional(Metadata),
  },
  {
    $id: 'BillingCreditCreate',
    'x-minor-units': ['amount'],
    examples: [{ name: 'Welcome credit', amount: '100.00', currency: 'USD', idempotencyKey: 'welcome-acme' }],
    'x-fields': {
      ...CREDIT_FIELDS,
      idempotencyKey: 'Your key of this credit. The same key again answers 200 with the first credit.',
    },
  },
);
export type BillingCreditCreateBody = Static<typeof BillingCreditCreateBody>;

export const BillingCreditReply = Type.Object(
  {
    id: Id('billingCredit'),
    object: Type.Literal('billing_credit'),
    customerId: Id('customer'),
    subscriptionId: Nullable(Id('subscription')),
    commitmentId: Nullable(Id('commitment')),
    invoiceId: Nullable(Id('invoice')),
    name: Type.String(),
    amount: DecimalOut,
    currency: Type.String(),
    category: OneOf(CREDIT_CATEGORIES),
    priority: Type.Integer(),
    effectiveAt: Timestamp,
    expiresAt: Nullable(Timestamp),
    voidedAt: Nullable(Timestamp),
    appliesTo: AppliesToReply,
    remaining: DecimalOut,
    usedAmount: DecimalOut,
    pendingAmount: DecimalOut,
    expiredAmount: DecimalOut,
    voidedAmount: DecimalOut,
    status: OneOf(CREDIT_STATUSES),
    source: OneOf(CREDIT_SOURCES),
    idempotencyKey: Nullable(Type.String()),
    testClockId: Type.Optional(Id('testClock')),
    metadata: MetadataOut,
    createdAt: Timestamp,
    updatedAt: Timestamp,
  },
  {
    $id: 'BillingCredit',
    description: 'Money before tax that pays lines of a customer’s invoices.',
    'x-fields': {
      ...CREDIT_FIELDS,
      commitmentId: 'The commitment that made it. Null: none did.',
      invoiceId: 'The invoice by which it was bought. Null: it was given.',
      voidedAt: 'Since when it pays no service because it was voided. Null: it is not voided.',
      remaining: 'What can still be used.',
      usedAmount: 'What issued invoices used, less what was given back.',
      pendingAmount: 'What drafts hold, and open periods will use.',
      expiredAmount: 'What was left as it expired.',
      voidedAmount: 'What was left as it was voided.',
      status: '`scheduled`: it begins later. `used_up`: issued invoices used all of it.',
      source: 'How it was made.',
      idempotencyKey: 'The key of the request that made it.',
    },
  },
);

/** A credit as the API answers it. */
export function toBillingCreditReply({ credit, open, now }: ReadCredit) {
  const money = (amount: Parameters<typeof formatMoney>[0]) => formatMoney(amount, credit.currency);
  const { remaining, used, pending, expired, voided, status } = figuresOf(credit, open, now);
  const { subscriptionId, commitmentId, invoiceId, category, priority, appliesTo, source, idempotencyKey, metadata } =
    credit;
  return {
    id: credit.id,
    object: 'billing_credit' as const,
    customerId: credit.customerId,
    ...{ subscriptionId, commitmentId, invoiceId },
    name: credit.name,
    amount: money(credit.amount),
    currency: credit.currency,
    ...{ category, priority },
    effectiveAt: formatInstant(credit.effectiveAt),
    expiresAt: credit.expiresAt && formatInstant(credit.expiresAt),
    voidedAt: credit.voidedAt && formatInstant(credit.voidedAt),
    appliesTo,
    remaining: money(remaining),
    usedAmount: money(used),
    pendingAmount: money(pending),
    expiredAmount: money(expired),
    voidedAmount: money(voided),
    ...{ status, source, idempotencyKey },
    ...(credit.testClockId !== null && { testClockId: credit.testClockId }),
    metadata,
    createdAt: formatInstant(credit.createdAt),
    updatedAt: formatInstant(credit.updatedAt),
  };
}

export const CreditBalanceQuery = Strict(
  { currency: Currency, at: Type.Optional(Timestamp) },
  { 'x-fields': { currency: 'The currency.', at: 'The credits that are effective by then. Default: now.' } },
);

export const CreditBalanceReply = Type.Object(
  {
    object: Type.Literal('billing_credit_balance'),
    customerId: Id('customer'),
    currency: Type.String(),
    at: Timestamp,
    granted: DecimalOut,
    used: DecimalOut,
    pending: DecimalOut,
    expired: DecimalOut,
    available: DecimalOut,
  },
  {
    $id: 'BillingCreditBalance',
    description: 'The billing credits of a customer in one currency.',
    'x-fields': {
      at: 'The time of the balance.',
      granted: 'The amounts of the credits that are effective, less what was voided.',
      used: 'What issued invoices used.',
      pending: 'What drafts hold, and the usage and fees of open periods will use.',
      expired: 'What was left as credits expired.',
      available: '`granted − used − pending − expired`, never below 0.',
    },
  },
);

/** A balance as the API answers it. */
export const toBalanceReply = (
  customerId: string,
  currency: string,
  { at, granted, used, pending, expired, available }: CreditBalance,
) => ({
  object: 'billing_credit_balance' as const,
  customerId,
  currency,
  at: formatInstant(at),
  granted: formatMoney(granted, currency),
  used: formatMoney(used, currency),
  pending: formatMoney(pending, currency),
  expired: formatMoney(expired, currency),
  available: formatMoney(available, currency),
});
