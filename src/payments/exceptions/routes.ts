import {
  Id,
  ListOf,
  ListQuery,
  listReply,
  Nullable,
  OneOf,
  pageOf,
  type Route,
  route,
  type Static,
  Strict,
  Text,
  Timestamp,
  Type,
} from '../../http/index.ts';
import { formatMoney } from '../../kernel/money.ts';
import { ok } from '../../kernel/result.ts';
import { formatInstant, type Instant, parseInstant } from '../../kernel/time.ts';
import type { PaymentParts } from '../completion.ts';
import { PROVIDER_NAMES } from '../provider/provider.ts';
import { EXCEPTION_KINDS, EXCEPTION_STATUSES, type PaymentException, selectExceptions } from './exceptions.sql.ts';
import { markReturned } from './mark-returned.ts';

const TAG = 'Payments';

const PaymentExceptionReply = Type.Object(
  {
    object: Type.Literal('payment_exception'),
    id: Type.String({ description: 'Of the charge, the payment, the stray payment or the notice.' }),
    merchantId: Id('organization'),
    kind: OneOf(EXCEPTION_KINDS),
    status: OneOf([...EXCEPTION_STATUSES, 'returned']),
    invoiceId: Nullable(Id('invoice')),
    amount: Nullable(Type.String({ description: 'In major units; null for a notice.' })),
    currency: Nullable(Type.String()),
    provider: OneOf(PROVIDER_NAMES),
    providerReference: Nullable(Type.String({ description: 'What to look for at the provider.' })),
    reason: Nullable(
      Type.String({ description: 'Why stray money pays nothing (`too_late`, `differs`), or why a notice failed.' }),
    ),
    nextActionAt: Nullable(Type.String({ description: 'When it is tried again; null: not by itself.' })),
    returnedAt: Nullable(Type.String()),
    returnReference: Nullable(Type.String()),
    createdAt: Type.String(),
  },
  { $id: 'PaymentException' },
);

const PaymentExceptionReturn = Strict(
  {
    reference: Type.Optional(Text({ minLength: 1, maxLength: 255 })),
    returnedAt: Type.Optional(Timestamp),
  },
  { $id: 'PaymentExceptionReturn' },
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

/** What needs a person in payments by providers outside our database. */
export const exceptionRoutes = (parts: PaymentParts): readonly Route[] => [
  route(
    {
      method: 'GET',
      path: '/v0/paymentExceptions',
      operationId: 'listPaymentExceptions',
      tag: TAG,
      summary: 'List payments that need a person, newest first',
      description:
        'Charges and refunds whose outcome is unknown after 24 hours (`unresolved`), money that the provider could not send ' +
        'back (`manual`), and notices that could not be read for a day (`failed`).',
      access: { role: 'viewer', merchant: 'query' },
      query: ListQuery({
        kind: Type.Optional(OneOf(EXCEPTION_KINDS)),
        status: Type.Optional(OneOf(EXCEPTION_STATUSES)),
        merchantId: Type.Optional(Id('organization')),
      }),
      replies: { 200: ListOf(PaymentExceptionReply) },
    },
    async ({ tx, merchantId, query }) => {
      const { rows, total } = await selectExceptions(tx, merchantId, query, pageOf(query));
      return ok(listReply({ data: rows.map(toReply), total }, pageOf(query)));
    },
  ),
  route(
    {
      method: 'POST',
      path: '/v0/paymentExceptions/:id/markReturned',
      operationId: 'markPaymentExceptionReturned',
      tag: TAG,
      summary: 'Mark a payment that the provider could not send back as returned',
      description: 'Only of a payment whose `status` is `manual`, once: you have sent the money back yourself.',
      access: { role: 'member', merchant: { of: 'id', kind: 'payment' } },
      body: PaymentExceptionReturn,
      replies: { 200: PaymentExceptionReply },
      errors: [409],
    },
    async ({ tx, merchantId, params, body, now }) => {
      const { reference = null, returnedAt } = body;
      const at = returnedAt === undefined ? {} : { at: parseInstant(returnedAt) as Instant };
      const returned = await markReturned(tx, parts, { merchantId, id: params.id }, { reference, ...at }, now);
      return returned.ok ? ok(toReply(returned.value)) : returned;
    },
  ),
];
