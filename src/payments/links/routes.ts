import { createdReply, type Route, routesOf } from '../../http/index.ts';
import { notFound, ok } from '../../kernel/result.ts';
import { instantOf } from '../../kernel/time.ts';
import { selectLink, selectLinks } from '../records/links.sql.ts';
import type { PaymentEnvironment } from '../sessions/session-routes.ts';
import { createLink } from './links.ts';
import { PaymentCreateBody, PaymentListQuery, PaymentReply, sessionStatusesOf, toPaymentReply } from './schemas.ts';

const api = routesOf('Payments');

/** The operations on payment links: make, list, read (api.md, Invoices and payments). */
export const linkRoutes = ({ publicUrl, environment }: PaymentEnvironment): readonly Route[] => [
  api.post('/v0/payments', 'createPayment', {
    summary: 'Create a payment link',
    description:
      'The link belongs to no invoice. It can be paid once, until `expiresAt`. The same `idempotencyKey` again ' +
      'answers 200 with the first payment link.',
    access: { role: 'member', merchant: 'body', by: ['customerId'] },
    body: PaymentCreateBody,
    replies: { 201: PaymentReply, 200: PaymentReply },
    errors: [409],
    handler: async ({ tx, body, now }) =>
      createdReply(await createLink(tx, environment, body, now), ({ link }) => toPaymentReply(link, publicUrl)),
  }),
  api.list('/v0/payments', 'listPayments', {
    summary: 'List payment links',
    description: 'The newest payment link comes first.',
    access: { role: 'viewer', merchant: 'query', by: ['customerId'] },
    query: PaymentListQuery,
    of: PaymentReply,
    list: async ({ tx, merchantId, query, page }) => {
      const { customerId, status, updatedFrom: from } = query;
      const sessionStatuses = status === undefined ? undefined : sessionStatusesOf(status);
      const updatedFrom = from === undefined ? undefined : instantOf(from);
      return selectLinks(tx, merchantId, { customerId, sessionStatuses, updatedFrom }, page);
    },
    each: (link) => toPaymentReply(link, publicUrl),
  }),
  api.get('/v0/payments/:id', 'getPayment', {
    summary: 'Retrieve a payment link',
    description: '`status` shows whether it is paid.',
    access: { role: 'viewer', merchant: { of: 'id', kind: 'payment' } },
    replies: { 200: PaymentReply },
    handler: async ({ tx, params }) => {
      const link = await selectLink(tx, params.id);
      return link ? ok(toPaymentReply(link, publicUrl)) : notFound('payment');
    },
  }),
];
