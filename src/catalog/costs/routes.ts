import { type Route, routesOf } from '../../http/index.ts';
import type { CatalogOptions } from '../options.ts';
import { changeCost, createCost, deleteCost, getCost, listCosts } from './costs.ts';
import { CostCreateBody, CostListQuery, CostReply, CostUpdateBody } from './schema.ts';

const api = routesOf('Catalog');

const one = { of: 'id', kind: 'cost' } as const;

/** `/v0/costs` (§4, Catalog); what usage has cost is answered in `../usage/`. */
export const costRoutes = (options: CatalogOptions): readonly Route[] => [
  api.post('/v0/costs', 'createCost', {
    summary: 'Create a cost',
    description:
      'A cost is an expense of yours for usage. It is measured like a metric, and no customer is billed for it. ' +
      'Reports subtract it from revenue.',
    access: { role: 'member', merchant: 'body', by: ['productId'] },
    body: CostCreateBody,
    replies: { 201: CostReply },
    handler: async ({ tx, body, now }) => createCost(tx, body, now, options),
  }),
  api.list('/v0/costs', 'listCosts', {
    summary: 'List costs',
    description: 'Newest first.',
    access: { role: 'viewer', merchant: 'query', by: ['productId'] },
    query: CostListQuery,
    of: CostReply,
    list: ({ tx, merchantId, query, now, page }) => listCosts(tx, merchantId, query, page, now),
  }),
  api.get('/v0/costs/:id', 'getCost', {
    summary: 'Retrieve a cost',
    description: 'Answers the cost itself. `GET /v0/costs/{id}/summary` answers its usage.',
    access: { role: 'viewer', merchant: one },
    replies: { 200: CostReply },
    handler: async ({ tx, params, now }) => getCost(tx, params.id, now),
  }),
  api.patch('/v0/costs/:id', 'updateCost', {
    summary: 'Update a cost',
    description:
      'A field that is not sent stays as it is. A new `unitCost` holds from `effectiveFrom` on, and reports of the ' +
      'time before keep the earlier one.',
    access: { role: 'member', merchant: one },
    body: CostUpdateBody,
    replies: { 200: CostReply },
    handler: async ({ tx, params, body, now }) => changeCost(tx, params.id, body, now, options),
  }),
  api.delete('/v0/costs/:id', 'deleteCost', {
    summary: 'Delete a cost',
    description: 'Reports of the time before keep the cost; later usage costs nothing. Its events stay.',
    access: { role: 'member', merchant: one },
    handler: async ({ tx, params, now }) => deleteCost(tx, params.id, now),
  }),
];
