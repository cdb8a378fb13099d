import { type Route, routesOf } from '../../http/index.ts';
import type { CatalogOptions } from '../options.ts';
import { changeMetric, createMetric, createMetrics, getMetric, listMetrics } from './metrics.ts';
import {
  MetricCreateBody,
  MetricListQuery,
  MetricReply,
  MetricsCreateBody,
  MetricsReply,
  MetricUpdateBody,
} from './schema.ts';

const api = routesOf('Catalog');

const one = { of: 'id', kind: 'billableMetric' } as const;

/** `/v0/billableMetrics` (§4, Catalog); `../usage/` has their usage. */
export const metricRoutes = (options: CatalogOptions): readonly Route[] => [
  api.post('/v0/billableMetrics', 'createBillableMetric', {
    summary: 'Create a billable metric',
    description:
      'A metric makes a quantity out of usage events. It counts events that are stored already too, unless ' +
      '`eventFrom` is later. A price turns the quantity into money.',
    access: { role: 'member', merchant: 'body', by: ['productId', 'itemId'] },
    body: MetricCreateBody,
    replies: { 201: MetricReply },
    handler: async ({ tx, body, now }) => createMetric(tx, body, now, options),
  }),
  api.post('/v0/billableMetrics/bulk', 'createBillableMetrics', {
    summary: 'Create the metrics of an event type',
    description:
      'Creates 1 to 100 metrics of one `eventType`: all of them, or none. `errors[].field` begins with the place of the ' +
      'metric in the list, such as `1.valueProperty`.',
    access: { role: 'member', merchant: 'body' },
    body: MetricsCreateBody,
    bodyChecked: 'by the handler',
    replies: { 201: MetricsReply },
    handler: async ({ tx, body, now }) => createMetrics(tx, body, now, options),
  }),
  api.list('/v0/billableMetrics', 'listBillableMetrics', {
    summary: 'List billable metrics',
    description: 'Newest first.',
    access: { role: 'viewer', merchant: 'query', by: ['productId', 'itemId'] },
    query: MetricListQuery,
    of: MetricReply,
    list: ({ tx, merchantId, query, page }) => listMetrics(tx, merchantId, query, page),
  }),
  api.get('/v0/billableMetrics/:id', 'getBillableMetric', {
    summary: 'Retrieve a billable metric',
    description: 'Answers the metric itself. `GET /v0/billableMetrics/{id}/meter` answers its usage.',
    access: { role: 'viewer', merchant: one },
    replies: { 200: MetricReply },
    handler: async ({ tx, params }) => getMetric(tx, params.id),
  }),
  api.patch('/v0/billableMetrics/:id', 'updateBillableMetric', {
    summary: 'Update a billable metric',
    description:
      'A field that is not sent stays as it is. Once a price uses the metric, 409 `METRIC_IN_USE` refuses a change ' +
      'of its measurement.',
    access: { role: 'member', merchant: one },
    body: MetricUpdateBody,
    replies: { 200: MetricReply },
    errors: [409],
    handler: async ({ tx, params, body, now }) => changeMetric(tx, params.id, body, now, options),
  }),
];
