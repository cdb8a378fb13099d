import { type RawBody, type Route, routesOf, Type } from '../../http/index.ts';
import { ok } from '../../kernel/result.ts';
import type { RemoteDependencies } from '../calls/dependencies.ts';
import { receiveNotice } from './notices.ts';

const api = routesOf('Payments');

const NoticeReceiptReply = Type.Object(
  { object: Type.Literal('providerNotice'), received: Type.Literal(true) },
  {
    $id: 'ProviderNotice',
    description: 'The receipt for a webhook of a payment provider.',
    'x-fields': {
      received: 'The notice is stored.',
    },
  },
);

/** The endpoints for providers' webhooks (api.md, Invoices and payments). */
export const noticeRoutes = (remote: RemoteDependencies): readonly Route[] => [
  api.post('/v0/providers/:provider/webhooks/:merchantId', 'receiveProviderNotice', {
    summary: 'Receive a webhook of a payment provider',
    description:
      'For the payment provider, not for you. The signature of the provider is checked first. A notice is stored ' +
      'once, and duplicates change nothing. A background job then reads the object from the provider.',
    access: { public: true },
    bodyBytes: true,
    contentTypes: ['application/json'],
    bodyExample: {
      id: 'evt_1PgafmB7WZ01zgkW6dKueIc5',
      object: 'event',
      type: 'payment_intent.succeeded',
      data: { object: { id: 'pi_1DqH152eZvKYlo2CFHYZuxkP', object: 'payment_intent' } },
    },
    replies: { 200: NoticeReceiptReply },
    errors: [401, 413, 415],
    free: async ({ database, params, body, request, now }) => {
      const { bytes } = body as unknown as RawBody;
      const { provider, merchantId } = params as { provider: string; merchantId: string };
      const received = await receiveNotice(
        remote,
        database,
        { merchantId, provider, bytes, headers: request.headers },
        now,
      );
      return received.ok ? ok({ object: 'providerNotice', received: true }) : received;
    },
  }),
];
