import { ListOf, listReply, pageOf, type Route, route } from '../../http/index.ts';
import { ok } from '../../kernel/result.ts';
import type { CatalogOptions } from '../options.ts';
import { changeMetric, createMetric, getMetric, listMetrics } from './metrics.ts';
import { MetricCreate, MetricListQuery, MetricOut, MetricUpdate } from './schema.ts';

const one = { of: 'id', kind: 'billableMetric' } as const;

/** `/v0/billableMetrics` (§4, Catalog); what they have measured is answered in `../usage/`. */
export const metricRoutes = (options: CatalogOptions): readonly Route[] => [
  route(
    {
      method: 'POST',
      path: '/v0/billableMetrics',
      operationId: 'createBillableMetric',
      tag: 'Catalog',
      summary: 'Create a billable metric',
      access: { role: 'member', merchant: 'body', by: ['productId', 'itemId'] },
      body: MetricCreate,
      replies: { 201: MetricOut },
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
      access: { role: 'viewer', merchant: 'query', by: ['productId', 'itemId'] },
      query: MetricListQuery,
      replies: { 200: ListOf(MetricOut) },
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
      access: { role: 'viewer', merchant: one },
      replies: { 200: MetricOut },
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
      access: { role: 'member', merchant: one },
      body: MetricUpdate,
      replies: { 200: MetricOut },
      errors: [409],
    },
    async ({ tx, merchantId, params, body, now }) => changeMetric(tx, merchantId, params.id, body, now, options),
  ),
];
