import { type Route, routesOf } from '../http/index.ts';
import { newId } from '../kernel/ids.ts';
import { notFound, ok } from '../kernel/result.ts';
import { isDelivered } from './attempts.ts';
import { secretsOf } from './endpoint.ts';
import { selectEndpoint } from './endpoints.sql.ts';
import {
  changeEndpoint,
  createEndpoint,
  type EndpointDependencies,
  getEndpoint,
  listEndpoints,
  removeEndpoint,
  rotateSecret,
} from './endpoints.ts';
import { TEST_TYPE } from './event-data.ts';
import { eventRoutes } from './event-routes.ts';
import { listReceipts } from './inbox.ts';
import {
  EndpointBody,
  EndpointReply,
  EndpointsQuery,
  EndpointUpdateBody,
  InboxQuery,
  InboxReply,
  TestReply,
} from './schemas.ts';
import { send, type WebhookTransport } from './send.ts';

const api = routesOf('Webhooks');
const one = { of: 'id', kind: 'webhookEndpoint' } as const;

/** The dependencies of the routes on the environment. */
export interface WebhookDependencies extends Omit<EndpointDependencies, 'sealer' | 'guard' | 'inboxUrl'> {
  readonly transport: WebhookTransport;
}

/** `/v0/webhookEndpoints` and `/v0/webhookEvents`; in the sandbox `/v0/webhookInbox` (api.md). */
export const webhookRoutes = (
  environment: 'production' | 'sandbox',
  { transport, resolve }: WebhookDependencies,
): readonly Route[] => {
  const dependencies = {
    sealer: transport.sealer,
    guard: transport.guard,
    resolve,
    inboxUrl: transport.inbox?.url ?? null,
  };
  return [
    ...endpointRoutes(dependencies),
    testRoute(transport),
    ...eventRoutes,
    ...(environment === 'sandbox' ? [inboxRoute] : []),
  ];
};

const endpointRoutes = (dependencies: EndpointDependencies): Route[] => [
  api.post('/v0/webhookEndpoints', 'createWebhookEndpoint', {
    summary: 'Create a webhook endpoint',
    description: 'The answer has the `secret` of the signatures, this once. A merchant has at most 20 endpoints.',
    access: { role: 'admin', merchant: 'body' },
    body: EndpointBody,
    replies: { 201: EndpointReply },
    errors: [409],
    secretReply: true,
    handler: async ({ tx, body, now }) => createEndpoint(tx, dependencies, body, now),
  }),
  api.list('/v0/webhookEndpoints', 'listWebhookEndpoints', {
    summary: 'List webhook endpoints',
    description: 'Newest first, without secrets.',
    access: { role: 'viewer', merchant: 'query' },
    query: EndpointsQuery,
    of: EndpointReply,
    list: ({ tx, merchantId, query, page }) => listEndpoints(tx, merchantId, query, page),
  }),
  api.get('/v0/webhookEndpoints/:id', 'getWebhookEndpoint', {
    summary: 'Retrieve a webhook endpoint',
    description: 'Answers one endpoint, without its secret.',
    access: { role: 'viewer', merchant: one },
    replies: { 200: EndpointReply },
    handler: async ({ tx, params }) => getEndpoint(tx, params.id),
  }),
  api.patch('/v0/webhookEndpoints/:id', 'updateWebhookEndpoint', {
    summary: 'Update a webhook endpoint',
    description:
      'A field that is not sent stays as it is. Disabling an endpoint cancels its pending deliveries; they can be ' +
      'sent again later.',
    access: { role: 'admin', merchant: one },
    body: EndpointUpdateBody,
    replies: { 200: EndpointReply },
    handler: async ({ tx, params, body, now }) => changeEndpoint(tx, dependencies, params.id, body, now),
  }),
  api.delete('/v0/webhookEndpoints/:id', 'deleteWebhookEndpoint', {
    summary: 'Delete a webhook endpoint',
    description: 'No more webhooks are sent to it. The events stay.',
    access: { role: 'admin', merchant: one },
    replies: { 204: EndpointReply },
    handler: async ({ tx, params, now }) => removeEndpoint(tx, params.id, now),
  }),
  api.post('/v0/webhookEndpoints/:id/rotateSecret', 'rotateWebhookSecret', {
    summary: 'Rotate the secret of a webhook endpoint',
    description:
      'The answer has the new secret, this once. The secret before signs too for 24 hours, so each webhook has two ' +
      'signatures until then.',
    access: { role: 'admin', merchant: one },
    replies: { 200: EndpointReply },
    secretReply: true,
    handler: async ({ tx, params, now }) => rotateSecret(tx, dependencies, params.id, now),
  }),
];

/** A test is no event: only the endpoint gets it, and it is not sent again. */
const testRoute = (transport: WebhookTransport): Route =>
  api.post('/v0/webhookEndpoints/:id/test', 'testWebhookEndpoint', {
    summary: 'Send a test event to a webhook endpoint',
    description: `Sends \`${TEST_TYPE}\` now, once, also to a disabled endpoint. The reply has the answer of the endpoint.`,
    access: { role: 'admin', merchant: one },
    replies: { 200: TestReply },
    audited: false,
    idempotent: false,
    free: async ({ database, merchantId, params, now, signal }) => {
      const id = params.id;
      const endpoint = await database.transaction({ merchants: [merchantId] }, (tx) => selectEndpoint(tx, id));
      if (!endpoint) return notFound('webhookEndpoint');
      const eventId = newId('webhookEvent');
      const outgoing = {
        eventId,
        endpointId: id,
        url: endpoint.url,
        secrets: secretsOf(endpoint, now),
        type: TEST_TYPE,
        happenedAt: now,
        data: { merchantId, webhookEndpointId: id },
      };
      const answered = await send(transport, outgoing, now, signal);
      return ok({
        object: 'webhookTest' as const,
        endpointId: id,
        eventId,
        delivered: isDelivered(answered),
        statusCode: answered.kind === 'answered' ? answered.status : null,
        reply: answered.kind === 'answered' ? answered.reply : null,
        error: answered.kind === 'failed' ? answered.error : null,
      });
    },
  });

const inboxRoute: Route = api.list('/v0/webhookInbox', 'listWebhookInbox', {
  summary: 'List webhooks in the inbox of the sandbox',
  description:
    'Only in the sandbox. An endpoint with the address of this list as its `url` is the inbox. It verifies webhooks ' +
    'as a receiver does and stores the last 1,000 of a merchant, newest first.',
  access: { role: 'viewer', merchant: 'query' },
  query: InboxQuery,
  of: InboxReply,
  list: ({ tx, merchantId, query, page }) => listReceipts(tx, merchantId, query, page),
});

/** The path of the inbox, for the URL of an endpoint. */
export const INBOX_PATH = '/v0/webhookInbox';
