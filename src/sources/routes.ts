import { bearerToken, type RawBody, Reply, type Route, routesOf, Type } from '../http/index.ts';
import { ok } from '../kernel/result.ts';
import {
  approveEvent,
  approveEvents,
  getSourceEvent,
  listSourceEvents,
  rejectEvent,
  rejectEvents,
  retryEvent,
} from './events.ts';
import { type ReceivingDependencies, receiveWebhook } from './receive.ts';
import { ruleRoutes } from './rule-routes.ts';
import {
  BulkApproveReply,
  BulkBody,
  BulkRejectReply,
  SourceBody,
  SourceEventReply,
  SourceEventsQuery,
  SourceReceiptReply,
  SourceReply,
  SourcesQuery,
  SourceUpdateBody,
} from './schemas.ts';
import { changeSource, createSource, getSource, listSources } from './sources.ts';

const api = routesOf('Sources');
const ofSource = { of: 'id', kind: 'source' } as const;

/** `/v0/sources` and `/v0/sourceRules` (api.md). */
export const sourceRoutes = (dependencies: ReceivingDependencies): readonly Route[] => [
  ...ownRoutes(dependencies),
  ...eventRoutes(dependencies),
  ...ruleRoutes,
];

const ownRoutes = ({ sealer }: ReceivingDependencies): Route[] => [
  api.post('/v0/sources', 'createSource', {
    summary: 'Create a source',
    description:
      'The source receives the webhooks of an external system at `POST /v0/sources/{id}/events`. Each revenue ' +
      'becomes one usage event.',
    access: { role: 'member', merchant: 'body', by: ['planId'] },
    body: SourceBody,
    replies: { 201: SourceReply },
    handler: async ({ tx, body, now }) => createSource(tx, sealer, body, now),
  }),
  api.list('/v0/sources', 'listSources', {
    summary: 'List sources',
    description: 'The newest source comes first.',
    access: { role: 'viewer', merchant: 'query', by: ['planId'] },
    query: SourcesQuery,
    of: SourceReply,
    list: ({ tx, merchantId, query, page }) => listSources(tx, merchantId, query, page),
  }),
  api.get('/v0/sources/:id', 'getSource', {
    summary: 'Retrieve a source',
    description: 'The webhook secret is never in an answer; `hasWebhookSecret` shows whether it is set.',
    access: { role: 'viewer', merchant: ofSource },
    replies: { 200: SourceReply },
    handler: async ({ tx, params }) => getSource(tx, params.id),
  }),
  api.patch('/v0/sources/:id', 'updateSource', {
    summary: 'Update a source',
    description:
      'Fields that are absent stay unchanged. A `config` without `webhookSecret` keeps the secret, and null removes ' +
      'it. `type` never changes.',
    access: { role: 'member', merchant: ofSource },
    body: SourceUpdateBody,
    replies: { 200: SourceReply },
    handler: async ({ tx, params, body, now }) => changeSource(tx, sealer, params.id, body, now),
  }),
];

const eventRoutes = (dependencies: ReceivingDependencies): Route[] => [
  api.post('/v0/sources/:id/events', 'receiveSourceEvent', {
    summary: 'Receive a webhook of the provider',
    description:
      'For the external system. The request has its signature, or an API key of the merchant. A revenue is stored as ' +
      'a source event, and with `processingMode` `automatic` it becomes usage at once. The same event again answers ' +
      '200 with the first one. A webhook that is no revenue answers 200 with `recorded: false`.',
    access: { public: true },
    bodyBytes: true,
    contentTypes: ['application/json'],
    bodyExample: {
      id: 'sale-1',
      customerExternalId: 'acme-1',
      amount: '49.00',
      currency: 'EUR',
      occurredAt: '2026-03-01T12:00:00Z',
      data: { channel: 'web' },
    },
    replies: { 201: SourceEventReply, 200: Type.Union([SourceEventReply, SourceReceiptReply]) },
    errors: [400, 401, 403, 404, 409, 413, 415, 503],
    free: async ({ database, params, body, request, now }) => {
      const { bytes } = body as unknown as RawBody;
      const arrived = { bytes, headers: request.headers, token: bearerToken(request), address: request.ip };
      const received = await receiveWebhook(dependencies, database, params.id, arrived, now);
      if (!received.ok) return received;
      if (received.value.kind !== 'nothing')
        return ok(new Reply(received.value.kind === 'created' ? 201 : 200, received.value.event));
      const { sourceId, reason } = received.value;
      return ok(new Reply(200, { object: 'sourceEventReceipt', sourceId, recorded: false, reason }));
    },
  }),
  api.list('/v0/sources/:id/events', 'listSourceEvents', {
    summary: 'List the events of a source',
    description: 'The newest event comes first. `from` and `to` filter by `createdAt`.',
    access: { role: 'viewer', merchant: ofSource },
    query: SourceEventsQuery,
    of: SourceEventReply,
    list: ({ tx, params, query, page }) => listSourceEvents(tx, params.id, query, page),
  }),
  api.get('/v0/sources/:id/events/:eventId', 'getSourceEvent', {
    summary: 'Retrieve an event of a source',
    description: '`errorMessage` has the reason of a `failed` event.',
    access: { role: 'viewer', merchant: ofSource },
    replies: { 200: SourceEventReply },
    handler: async ({ tx, merchantId, params }) => getSourceEvent(tx, keyOf(merchantId, params)),
  }),
  api.post('/v0/sources/:id/events/:eventId/approve', 'approveSourceEvent', {
    summary: 'Approve a pending event',
    description:
      'The event is `processed` and makes one usage event, or it is `failed` with an `errorMessage`. An event that ' +
      'is not `pending` is 409 `INVALID_TRANSITION`.',
    access: { role: 'member', merchant: ofSource },
    replies: { 200: SourceEventReply },
    handler: async ({ tx, merchantId, params, caller, now }) =>
      approveEvent(tx, keyOf(merchantId, params), caller.userId, now),
  }),
  api.post('/v0/sources/:id/events/:eventId/reject', 'rejectSourceEvent', {
    summary: 'Reject a pending event',
    description: 'The event bills nothing, for good. An event that is not `pending` is 409 `INVALID_TRANSITION`.',
    access: { role: 'member', merchant: ofSource },
    replies: { 200: SourceEventReply },
    handler: async ({ tx, merchantId, params, caller, now }) =>
      rejectEvent(tx, keyOf(merchantId, params), caller.userId, now),
  }),
  api.post('/v0/sources/:id/events/:eventId/retry', 'retrySourceEvent', {
    summary: 'Retry a failed event',
    description:
      'The event goes the way of a new one: it is processed, or waits for a decision. An event that is not `failed` ' +
      'is 409 `INVALID_TRANSITION`.',
    access: { role: 'member', merchant: ofSource },
    replies: { 200: SourceEventReply },
    handler: async ({ tx, merchantId, params, now }) => retryEvent(tx, keyOf(merchantId, params), now),
  }),
  api.post('/v0/sources/:id/events/bulk-approve', 'approveSourceEvents', {
    summary: 'Approve pending events',
    description:
      'Approves up to 1,000 events. Each event has an outcome of its own, so some may fail while others are processed.',
    access: { role: 'member', merchant: ofSource },
    body: BulkBody,
    replies: { 200: BulkApproveReply },
    handler: async ({ tx, merchantId, params, body, caller, now }) =>
      approveEvents(tx, { merchantId, sourceId: params.id }, body.eventIds, caller.userId, now),
  }),
  api.post('/v0/sources/:id/events/bulk-reject', 'rejectSourceEvents', {
    summary: 'Reject pending events',
    description:
      'Rejects up to 1,000 events. Each event has an outcome of its own, so some may fail while others are rejected.',
    access: { role: 'member', merchant: ofSource },
    body: BulkBody,
    replies: { 200: BulkRejectReply },
    handler: async ({ tx, merchantId, params, body, caller, now }) =>
      rejectEvents(tx, { merchantId, sourceId: params.id }, body.eventIds, caller.userId, now),
  }),
];

const keyOf = (merchantId: string, params: { readonly id: string; readonly eventId: string }) => ({
  merchantId,
  sourceId: params.id,
  eventId: params.eventId,
});
