import {
  DecimalOut,
  Id,
  ListQuery,
  Nullable,
  OneOf,
  type Route,
  routesOf,
  type Static,
  Strict,
  Text,
  Timestamp,
  Type,
} from '../../http/index.ts';
import { formatMoney } from '../../kernel/money.ts';
import { ok } from '../../kernel/result.ts';
import { formatInstant, type Instant, instantOf } from '../../kernel/time.ts';
import { PROVIDER_NAMES } from '../provider/provider.ts';
import type { PaymentDependencies } from '../sessions/completion.ts';
import { EXCEPTION_KINDS, EXCEPTION_STATUSES, type PaymentException, selectExceptions } from './exceptions.sql.ts';
import { markReturned } from './mark-returned.ts';

const api = routesOf('Payments');

const PaymentExceptionReply = Type.Object(
  {
    object: Type.Literal('payment_exception'),
    id: Type.String(),
    merchantId: Id('organization'),
    kind: OneOf(EXCEPTION_KINDS),
    status: OneOf([...EXCEPTION_STATUSES, 'returned']),
    invoiceId: Nullable(Id('invoice')),
    amount: Nullable(DecimalOut),
    currency: Nullable(Type.String()),
    provider: OneOf(PROVIDER_NAMES),
    providerReference: Nullable(Type.String()),
    reason: Nullable(Type.String()),
    nextActionAt: Nullable(Timestamp),
    returnedAt: Nullable(Timestamp),
    returnReference: Nullable(Type.String()),
    createdAt: Timestamp,
  },
  {
    $id: 'PaymentException',
    description: 'A payment at an external provider that needs a person.',
    'x-fields': {
      id: 'The id of the charge, the payment or the notice of the provider.',
      kind:
        '`charge`, `refund`, `strayPayment` (money that pays nothing and goes back), or `notice` (a webhook ' +
        'of the provider).',
      status:
        '`unresolved`: the outcome is unknown after 24 hours. `manual`: send the money back yourself. ' +
        '`failed`: the notice could not be read for a day. `returned`: it is settled.',
      invoiceId: 'The invoice. Null: it is of none.',
      amount: 'The amount, in major units. Null: of a notice.',
      currency: 'The currency as an ISO 4217 code. Null: of a notice.',
      provider: 'The payment provider.',
      providerReference: 'The reference with which the provider finds the payment. Null: none is known.',
      reason: 'Why stray money pays nothing (`too_late`, `differs`), or why the notice failed. Null: neither.',
      nextActionAt: 'The time of the next automatic attempt. Null: there is none.',
      returnedAt: 'The time at which the money went back. Null: it did not.',
      returnReference: 'The reference of the return. Null: none.',
      createdAt: ['When it was found.', '2026-03-01T00:00:00Z'],
    },
  },
);

const PaymentExceptionReturnBody = Strict(
  {
    reference: Type.Optional(Text({ minLength: 1, maxLength: 255 })),
    returnedAt: Type.Optional(Timestamp),
  },
  {
    $id: 'PaymentExceptionReturnCreate',
    examples: [{ reference: 'SEPA 2026-03-12/7', returnedAt: '2026-03-12T00:00:00Z' }],
    'x-fields': {
      reference: 'The reference of your bank.',
      returnedAt: 'The time at which the money went back. Default: now.',
    },
  },
);

const toReply = (
  exception: PaymentException & { readonly returnedAt?: Instant; readonly returnReference?: string | null },
): Static<typeof PaymentExceptionReply> => {
  const { amount, currency, nextActionAt, returnedAt } = exception;
  return {
    object: 'payment_exception',
    id: exception.id,
    merchantId: exception.merchantId,
    kind: exception.kind,
    status: exception.status as Static<typeof PaymentExceptionReply>['status'],
    invoiceId: exception.invoiceId,
    amount: amount && currency !== null ? formatMoney(amount, currency) : null,
    currency,
    provider: exception.provider,
    providerReference: exception.providerReference,
    reason: exception.reason,
    nextActionAt: nextActionAt && formatInstant(nextActionAt),
    returnedAt: returnedAt ? formatInstant(returnedAt) : null,
    returnReference: exception.returnReference ?? null,
    createdAt: formatInstant(exception.createdAt),
  };
};

/** The payments at external providers that need a person. */
export const exceptionRoutes = (dependencies: PaymentDependencies): readonly Route[] => [
  api.list('/v0/paymentExceptions', 'listPaymentExceptions', {
    summary: 'List payments that a person must settle',
    description:
      'The newest one comes first. `unresolved`: the outcome of a charge or refund is unknown after 24 hours. ' +
      '`manual`: the provider could not send the money back. `failed`: a webhook could not be read for a day. The ' +
      'list is empty when all is well.',
    access: { role: 'viewer', merchant: 'query' },
    query: ListQuery(
      {
        kind: Type.Optional(OneOf(EXCEPTION_KINDS)),
        status: Type.Optional(OneOf(EXCEPTION_STATUSES)),
        merchantId: Type.Optional(Id('organization')),
      },
      { fields: { kind: 'Only exceptions of this kind.', status: 'Only exceptions with this status.' } },
    ),
    of: PaymentExceptionReply,
    list: ({ tx, merchantId, query, page }) => selectExceptions(tx, merchantId, query, page),
    each: toReply,
  }),
  api.post('/v0/paymentExceptions/:id/markReturned', 'markPaymentExceptionReturned', {
    summary: 'Mark a payment as returned',
    description:
      'Confirms that you have sent the money back yourself. Only an exception with status `manual` can be marked, ' +
      'and only once.',
    access: { role: 'member', merchant: { of: 'id', kind: 'payment' } },
    body: PaymentExceptionReturnBody,
    replies: { 200: PaymentExceptionReply },
    errors: [409],
    handler: async ({ tx, merchantId, params, body, now }) => {
      const { reference = null, returnedAt } = body;
      const at = returnedAt === undefined ? {} : { at: instantOf(returnedAt) };
      const returned = await markReturned(tx, dependencies, { merchantId, id: params.id }, { reference, ...at }, now);
      return returned.ok ? ok(toReply(returned.value)) : returned;
    },
  }),
];
