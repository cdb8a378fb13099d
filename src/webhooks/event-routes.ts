import { ListOf, listReply, pageOf, type Route, route } from '../http/index.ts';
import { ok } from '../kernel/result.ts';
import { getEvent, listAttempts, listEvents, redeliverEvent, redeliverRange } from './events.ts';
import {
  AttemptReply,
  AttemptsQuery,
  EventReply,
  EventsQuery,
  RangeReply,
  RedeliverBody,
  RedeliverRangeBody,
} from './schemas.ts';

const tag = 'Webhooks';
const one = { of: 'id', kind: 'webhookEvent' } as const;

/** The events, for polling, and their deliveries at each endpoint. */
export const eventRoutes: readonly Route[] = [
  route(
    {
      method: 'GET',
      path: '/v0/webhookEvents',
      operationId: 'listWebhookEvents',
      tag,
      summary: 'List webhook events',
      description:
        'Newest first; events are stored for 30 days. With the id of an event as `after`, the events after it, oldest ' +
        'first: ask with the last id that you have, and you miss none. This needs no endpoint. `nextAfter` continues ' +
        'in the order of its page.',
      access: { role: 'viewer', merchant: 'query' },
      query: EventsQuery,
      replies: { 200: ListOf(EventReply) },
    },
    async ({ tx, merchantId, query }) => {
      const page = pageOf(query);
      return ok(listReply(await listEvents(tx, merchantId, query, page), page));
    },
  ),
  route(
    {
      method: 'GET',
      path: '/v0/webhookEvents/:id',
      operationId: 'getWebhookEvent',
      tag,
      summary: 'Retrieve a webhook event',
      description: 'Answers one event with its deliveries.',
      access: { role: 'viewer', merchant: one },
      replies: { 200: EventReply },
    },
    async ({ tx, merchantId, params }) => getEvent(tx, merchantId, params.id),
  ),
  route(
    {
      method: 'GET',
      path: '/v0/webhookEvents/:id/attempts',
      operationId: 'listWebhookAttempts',
      tag,
      summary: 'List attempts to deliver a webhook event',
      description: 'Newest first, each with the answer of the endpoint.',
      access: { role: 'viewer', merchant: one },
      query: AttemptsQuery,
      replies: { 200: ListOf(AttemptReply) },
    },
    async ({ tx, merchantId, params, query }) => {
      const page = pageOf(query);
      return ok(listReply(await listAttempts(tx, merchantId, params.id, query, page), page));
    },
  ),
  route(
    {
      method: 'POST',
      path: '/v0/webhookEvents/:id/redeliver',
      operationId: 'redeliverWebhookEvent',
      tag,
      summary: 'Send a webhook event again',
      description:
        'Sends the event to `endpointId`, or to every enabled endpoint that is subscribed to its type. The attempts ' +
        'start again, under the same `webhook-id`.',
      access: { role: 'member', merchant: one },
      body: RedeliverBody,
      replies: { 200: EventReply },
      errors: [409],
    },
    async ({ tx, merchantId, params, body }) => redeliverEvent(tx, merchantId, params.id, body),
  ),
  route(
    {
      method: 'POST',
      path: '/v0/webhookEvents/redeliver',
      operationId: 'redeliverWebhookEvents',
      tag,
      summary: 'Send many webhook events again',
      description: 'Sends the events that were created from `from` until before `to`. At most 10,000 deliveries.',
      access: { role: 'member', merchant: 'body' },
      body: RedeliverRangeBody,
      replies: { 200: RangeReply },
      errors: [409],
    },
    async ({ tx, merchantId, body }) => redeliverRange(tx, merchantId, body),
  ),
];
