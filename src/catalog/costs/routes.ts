import { ListOf, listReply, pageOf, type Route, route, Type } from '../../http/index.ts';
import { ok } from '../../kernel/result.ts';
import type { CatalogOptions } from '../options.ts';
import { changeCost, createCost, deleteCost, getCost, listCosts } from './costs.ts';
import { CostCreateBody, CostListQuery, CostReply, CostUpdateBody } from './schema.ts';

const one = { of: 'id', kind: 'cost' } as const;

/** `/v0/costs` (§4, Catalog); what usage has cost is answered in `../usage/`. */
export const costRoutes = (options: CatalogOptions): readonly Route[] => [
  route(
    {
      method: 'POST',
      path: '/v0/costs',
      operationId: 'createCost',
      tag: 'Catalog',
      summary: 'Create a cost',
      description:
        'A cost is an expense of yours for usage. It is measured like a metric, and no customer is ' +
        'billed for it. Reports subtract it from revenue.',
      access: { role: 'member', merchant: 'body', by: ['productId'] },
      body: CostCreateBody,
      replies: { 201: CostReply },
    },
    async ({ tx, merchantId, body, now }) => createCost(tx, merchantId, body, now, options),
  ),
  route(
    {
      method: 'GET',
      path: '/v0/costs',
      operationId: 'listCosts',
      tag: 'Catalog',
      summary: 'List costs',
      description: 'Newest first.',
      access: { role: 'viewer', merchant: 'query', by: ['productId'] },
      query: CostListQuery,
      replies: { 200: ListOf(CostReply) },
    },
    async ({ tx, merchantId, query, now }) => {
      const page = pageOf(query);
      return ok(listReply(await listCosts(tx, merchantId, query, page, now), page));
    },
  ),
  route(
    {
      method: 'GET',
      path: '/v0/costs/:id',
      operationId: 'getCost',
      tag: 'Catalog',
      summary: 'Retrieve a cost',
      description: 'Answers the cost itself. `GET /v0/costs/{id}/summary` answers its usage.',
      access: { role: 'viewer', merchant: one },
      replies: { 200: CostReply },
    },
    async ({ tx, merchantId, params, now }) => getCost(tx, merchantId, params.id, now),
  ),
  route(
    {
      method: 'PATCH',
      path: '/v0/costs/:id',
      operationId: 'updateCost',
      tag: 'Catalog',
      summary: 'Update a cost',
      description:
        'A field that is not sent stays as it is. A new `unitCost` holds from `effectiveFrom` on, and reports of ' +
        'the time before keep the earlier one.',
      access: { role: 'member', merchant: one },
      body: CostUpdateBody,
      replies: { 200: CostReply },
    },
    async ({ tx, merchantId, params, body, now }) => changeCost(tx, merchantId, params.id, body, now, options),
  ),
  route(
    {
      method: 'DELETE',
      path: '/v0/costs/:id',
      operationId: 'deleteCost',
      tag: 'Catalog',
      summary: 'Delete a cost',
      description: 'Reports of the time before keep the cost; later usage costs nothing. Its events stay.',
      access: { role: 'member', merchant: one },
      replies: { 204: Type.Null() },
    },
    async ({ tx, merchantId, params, now }) => deleteCost(tx, merchantId, params.id, now),
  ),
];
