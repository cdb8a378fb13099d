import { type Route, routesOf } from '../http/index.ts';
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

const api = routesOf('Webhooks');
const one = { of: 'id', kind: 'webhookEvent' } as const;

/** The events, for polling, and their deliveries at each endpoint. */
export const eventRoutes: readonly Route[] = [
  api.list('/v0/webhookEvents', 'listWebhookEvents', {
    summary: 'List webhook events',
    description:
      'Newest first; events are stored for 30 days. With the id of an event as `after`, the events after it, oldest ' +
      'first: ask with the last id that you have, and you miss none. This needs no endpoint. `nextAfter` continues ' +
      'in the order of its page.',
    access: { role: 'viewer', merchant: 'query' },
    query: EventsQuery,
    of: EventReply,
    list: ({ tx, merchantId, query, page }) => listEvents(tx, merchantId, query, page),
  }),
  api.get('/v0/webhookEvents/:id', 'getWebhookEvent', {
    summary: 'Retrieve a webhook event',
    description: 'Answers one event with its deliveries.',
    access: { role: 'viewer', merchant: one },
    replies: { 200: EventReply },
    handler: async ({ tx, params }) => getEvent(tx, params.id),
  }),
  api.list('/v0/webhookEvents/:id/attempts', 'listWebhookAttempts', {
    summary: 'List attempts to deliver a webhook event',
    description: 'Newest first, each with the answer of the endpoint.',
    access: { role: 'viewer', merchant: one },
    query: AttemptsQuery,
    of: AttemptReply,
    list: ({ tx, params, query, page }) => listAttempts(tx, params.id, query, page),
  }),
  api.post('/v0/webhookEvents/:id/redeliver', 'redeliverWebhookEvent', {
    summary: 'Send a webhook event again',
    description:
      'Sends the event to `endpointId`, or to every enabled endpoint that is subscribed to its type. The attempts ' +
      'start again, under the same `webhook-id`.',
    access: { role: 'member', merchant: one },
    body: RedeliverBody,
    replies: { 200: EventReply },
    errors: [409],
    handler: async ({ tx, params, body }) => redeliverEvent(tx, params.id, body),
  }),
  api.post('/v0/webhookEvents/redeliver', 'redeliverWebhookEvents', {
    summary: 'Send many webhook events again',
    description: 'Sends the events that were created from `from` until before `to`. At most 10,000 deliveries.',
    access: { role: 'member', merchant: 'body' },
    body: RedeliverRangeBody,
    replies: { 200: RangeReply },
    errors: [409],
    handler: async ({ tx, body }) => redeliverRange(tx, body),
  }),
];
