import { freeRoute, ListOf, listReply, pageOf, type Route, route } from '../http/index.ts';
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

const tag = 'Webhooks';
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
  route(
    {
      method: 'POST',
      path: '/v0/webhookEndpoints',
      operationId: 'createWebhookEndpoint',
      tag,
      summary: 'Create a webhook endpoint',
      description: 'The answer has the `secret` of the signatures, this once. A merchant has at most 20 endpoints.',
      access: { role: 'admin', merchant: 'body' },
      body: EndpointBody,
      replies: { 201: EndpointReply },
      errors: [409],
      secretReply: true,
    },
    async ({ tx, merchantId, body, now }) => createEndpoint(tx, dependencies, merchantId, body, now),
  ),
  route(
    {
      method: 'GET',
      path: '/v0/webhookEndpoints',
      operationId: 'listWebhookEndpoints',
      tag,
      summary: 'List webhook endpoints',
      description: 'Newest first, without secrets.',
      access: { role: 'viewer', merchant: 'query' },
      query: EndpointsQuery,
      replies: { 200: ListOf(EndpointReply) },
    },
    async ({ tx, merchantId, query }) => {
      const page = pageOf(query);
      return ok(listReply(await listEndpoints(tx, merchantId, query, page), page));
    },
  ),
  route(
    {
      method: 'GET',
      path: '/v0/webhookEndpoints/:id',
      operationId: 'getWebhookEndpoint',
      tag,
      summary: 'Retrieve a webhook endpoint',
      description: 'Answers one endpoint, without its secret.',
      access: { role: 'viewer', merchant: one },
      replies: { 200: EndpointReply },
    },
    async ({ tx, merchantId, params }) => getEndpoint(tx, merchantId, params.id),
  ),
  route(
    {
      method: 'PATCH',
      path: '/v0/webhookEndpoints/:id',
      operationId: 'updateWebhookEndpoint',
      tag,
      summary: 'Update a webhook endpoint',
      description:
        'A field that is not sent stays as it is. Disabling an endpoint cancels its pending deliveries; ' +
        'they can be sent again later.',
      access: { role: 'admin', merchant: one },
      body: EndpointUpdateBody,
      replies: { 200: EndpointReply },
    },
    async ({ tx, merchantId, params, body, now }) => changeEndpoint(tx, dependencies, merchantId, params.id, body, now),
  ),
  route(
    {
      method: 'DELETE',
      path: '/v0/webhookEndpoints/:id',
      operationId: 'deleteWebhookEndpoint',
      tag,
      summary: 'Delete a webhook endpoint',
      description: 'No more webhooks are sent to it. The events stay.',
      access: { role: 'admin', merchant: one },
      replies: { 204: EndpointReply },
    },
    async ({ tx, merchantId, params, now }) => removeEndpoint(tx, merchantId, params.id, now),
  ),
  route(
    {
      method: 'POST',
      path: '/v0/webhookEndpoints/:id/rotateSecret',
      operationId: 'rotateWebhookSecret',
      tag,
      summary: 'Rotate the secret of a webhook endpoint',
      description:
        'The answer has the new secret, this once. The secret before signs too for 24 hours, so each ' +
        'webhook has two signatures until then.',
      access: { role: 'admin', merchant: one },
      replies: { 200: EndpointReply },
      secretReply: true,
    },
    async ({ tx, merchantId, params, now }) => rotateSecret(tx, dependencies, merchantId, params.id, now),
  ),
];

/** A test is no event: only the endpoint gets it, and it is not sent again. */
const testRoute = (transport: WebhookTransport): Route =>
  freeRoute(
    {
      method: 'POST',
      path: '/v0/webhookEndpoints/:id/test',
      operationId: 'testWebhookEndpoint',
      tag,
      summary: 'Send a test event to a webhook endpoint',
      description: `Sends \`${TEST_TYPE}\` now, once, also to a disabled endpoint. The reply has the answer of the endpoint.`,
      access: { role: 'admin', merchant: one },
      replies: { 200: TestReply },
      audited: false,
      idempotent: false,
    },
    async ({ database, merchantId, params, now, signal }) => {
      const id = params.id;
      const endpoint = await database.transaction({ merchants: [merchantId] }, (tx) =>
        selectEndpoint(tx, merchantId, id),
      );
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
  );

const inboxRoute: Route = route(
  {
    method: 'GET',
    path: '/v0/webhookInbox',
    operationId: 'listWebhookInbox',
    tag,
    summary: 'List webhooks in the inbox of the sandbox',
    description:
      'Only in the sandbox. An endpoint with the address of this list as its `url` is the inbox. It ' +
      'verifies webhooks as a receiver does and stores the last 1,000 of a merchant, newest first.',
    access: { role: 'viewer', merchant: 'query' },
    query: InboxQuery,
    replies: { 200: ListOf(InboxReply) },
  },
  async ({ tx, merchantId, query }) => {
    const page = pageOf(query);
    return ok(listReply(await listReceipts(tx, merchantId, query, page), page));
  },
);

/** The path of the inbox, for the URL of an endpoint. */
export const INBOX_PATH = '/v0/webhookInbox';
