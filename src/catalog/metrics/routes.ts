import { ListOf, listReply, pageOf, type Route, route } from '../../http/index.ts';
import { ok } from '../../kernel/result.ts';
import type { CatalogOptions } from '../options.ts';
import { changeMetric, createMetric, getMetric, listMetrics } from './metrics.ts';
import { MetricCreateBody, MetricListQuery, MetricReply, MetricUpdateBody } from './schema.ts';

const one = { of: 'id', kind: 'billableMetric' } as const;

/** `/v0/billableMetrics` (§4, Catalog); `../usage/` has their usage. */
export const metricRoutes = (options: CatalogOptions): readonly Route[] => [
  route(
    {
      method: 'POST',
      path: '/v0/billableMetrics',
      operationId: 'createBillableMetric',
      tag: 'Catalog',
      summary: 'Create a billable metric',
      description:
        'A metric makes a quantity out of usage events. It counts events that are stored already too, ' +
        'unless `eventFrom` is later. A price turns the quantity into money.',
      access: { role: 'member', merchant: 'body', by: ['productId', 'itemId'] },
      body: MetricCreateBody,
      replies: { 201: MetricReply },
    },
    async ({ tx, merchantId, body, now }) => createMetric(tx, merchantId, body, now, options),
  ),
  route(
    {
      method: 'GET',
      path: '/v0/billableMetrics',
      operationId: 'listBillableMetrics',
      tag: 'Catalog',
      summary: 'List billable metrics',
      description: 'Newest first.',
      access: { role: 'viewer', merchant: 'query', by: ['productId', 'itemId'] },
      query: MetricListQuery,
      replies: { 200: ListOf(MetricReply) },
    },
    async ({ tx, merchantId, query }) => {
      const page = pageOf(query);
      return ok(listReply(await listMetrics(tx, merchantId, query, page), page));
    },
  ),
  route(
    {
      method: 'GET',
      path: '/v0/billableMetrics/:id',
      operationId: 'getBillableMetric',
      tag: 'Catalog',
      summary: 'Retrieve a billable metric',
      description: 'Answers the metric itself. `GET /v0/billableMetrics/{id}/meter` answers its usage.',
      access: { role: 'viewer', merchant: one },
      replies: { 200: MetricReply },
    },
    async ({ tx, merchantId, params }) => getMetric(tx, merchantId, params.id),
  ),
  route(
    {
      method: 'PATCH',
      path: '/v0/billableMetrics/:id',
      operationId: 'updateBillableMetric',
      tag: 'Catalog',
      summary: 'Update a billable metric',
      description:
        'A field that is not sent stays as it is. Once a price uses the metric, 409 `METRIC_IN_USE` ' +
        'refuses a change of its measurement.',
      access: { role: 'member', merchant: one },
      body: MetricUpdateBody,
      replies: { 200: MetricReply },
      errors: [409],
    },
    async ({ tx, merchantId, params, body, now }) => changeMetric(tx, merchantId, params.id, body, now, options),
  ),
];
