import { Id, ListQuery, OneOf, type Route, routesOf, Strict, Type } from '../../http/index.ts';
import { notFound, ok, type Result } from '../../kernel/result.ts';
import { TEST_CARDS } from '../provider/test-cards.ts';
import { ENTITY_TYPES, type PaymentSession } from '../records/session.ts';
import { SESSION_STATUSES } from '../records/session-states.ts';
import { selectSessions } from '../records/sessions.sql.ts';
import { completeSession, endSession, type PaymentDependencies } from './completion.ts';
import { ListedPaymentSessionReply, listedSession, PaymentSessionReply, publicSession } from './replies.ts';
import { findSession } from './sessions.ts';

const api = routesOf('Payments');
const ofSession = { merchant: { of: 'id', kind: 'paymentSession' } } as const;

/** The dependencies of routes and pages on the environment. */
export interface PaymentEnvironment {
  readonly environment: 'production' | 'sandbox';
  /** The base of links, without a slash at the end. */
  readonly publicUrl: string;
}

/**
 * The operations on payment sessions (api.md, Invoices and payments): list, read, expire, and in the sandbox complete.
 */
export const sessionRoutes = (
  dependencies: PaymentDependencies,
  { publicUrl, environment }: PaymentEnvironment,
): readonly Route[] => {
  const shown = (result: Result<PaymentSession>) => (result.ok ? ok(publicSession(result.value, publicUrl)) : result);
  return [
    api.list('/v0/paymentSessions', 'listPaymentSessions', {
      summary: 'List payment sessions',
      description: 'The newest session comes first. Several filters narrow each other.',
      access: { role: 'viewer', merchant: 'query', by: ['customerId', 'subscriptionId'] },
      query: ListQuery(
        {
          subscriptionId: Type.Optional(Id('subscription')),
          customerId: Type.Optional(Id('customer')),
          status: Type.Optional(OneOf(SESSION_STATUSES)),
          entityType: Type.Optional(OneOf(ENTITY_TYPES)),
          merchantId: Type.Optional(Id('organization')),
        },
        {
          fields: { status: 'Only sessions with this status.', entityType: 'Only sessions for this type of record.' },
        },
      ),
      of: ListedPaymentSessionReply,
      list: ({ tx, merchantId, query, page }) => selectSessions(tx, merchantId, query, page),
      each: listedSession,
    }),
    api.get('/v0/paymentSessions/:id', 'getPaymentSession', {
      summary: 'Retrieve a payment session',
      description: '`status` has the outcome. Send the customer to `url` while it is `pending` or `failed`.',
      access: { role: 'viewer', ...ofSession },
      replies: { 200: PaymentSessionReply },
      handler: async ({ tx, params }) => {
        const session = await findSession(tx, params.id);
        return shown(session ? ok(session) : notFound('payment session'));
      },
    }),
    api.post('/v0/paymentSessions/:id/expire', 'expirePaymentSession', {
      summary: 'Expire a payment session',
      description:
        'The session ends before its time. An invoice that is cancelled if it is not paid is cancelled with it. A ' +
        'second call changes nothing and answers the same. While a payment is under way: 409.',
      access: { role: 'member', ...ofSession },
      replies: { 200: PaymentSessionReply },
      errors: [409],
      handler: async ({ tx, now, merchantId, params }) =>
        shown(await endSession(tx, dependencies, { merchantId, id: params.id }, now)),
    }),
    ...(environment === 'sandbox' ? [completion(dependencies, shown)] : []),
  ];
};

const completion = (
  dependencies: PaymentDependencies,
  shown: (result: Result<PaymentSession>) => Result<PaymentSessionReply>,
): Route =>
  api.post('/v0/paymentSessions/:id/complete', 'completePaymentSession', {
    summary: 'Pay a session with a test card (sandbox)',
    description:
      'Does in the sandbox what the hosted page does. A declined card is a 200 with status `failed` and a ' +
      '`failureReason`. Another card may be tried until the session expires. Completing a completed session changes ' +
      'nothing and answers the same.',
    access: { role: 'member', ...ofSession },
    body: Strict(
      { paymentMethod: OneOf(TEST_CARDS) },
      {
        $id: 'PaymentSessionCompletion',
        examples: [{ paymentMethod: 'pm_ok' }],
        'x-fields': { paymentMethod: 'The test card. The guide "Payments" lists the outcome of each.' },
      },
    ),
    replies: { 200: PaymentSessionReply },
    errors: [409],
    handler: async ({ tx, now, merchantId, params, body }) =>
      shown(await completeSession(tx, dependencies, { merchantId, id: params.id, card: body.paymentMethod }, now)),
  });
