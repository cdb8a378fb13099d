import { ListOf, listReply, pageOf, type Route, route, Type } from '../../http/index.ts';
import { ok } from '../../kernel/result.ts';
import type { CatalogOptions } from '../options.ts';
import { changeFeature, createFeature, deleteFeature, getFeature, listFeatures } from './features.ts';
import { FeatureCreateBody, FeatureListQuery, FeatureReply, FeatureUpdateBody } from './schema.ts';

const one = { of: 'id', kind: 'feature' } as const;

/** `/v0/features` (§4, Catalog). */
export const featureRoutes = (options: CatalogOptions): readonly Route[] => [
  route(
    {
      method: 'POST',
      path: '/v0/features',
      operationId: 'createFeature',
      tag: 'Catalog',
      summary: 'Create a feature',
      description:
        'A feature alone gives no access. A price or an entitlement gives access to customers. A ' +
        'known `key` in the same product is a 409.',
      access: { role: 'member', merchant: 'body', by: ['productId'] },
      body: FeatureCreateBody,
      replies: { 201: FeatureReply },
      errors: [409],
    },
    async ({ tx, merchantId, body, now }) => createFeature(tx, merchantId, body, now),
  ),
  route(
    {
      method: 'GET',
      path: '/v0/features',
      operationId: 'listFeatures',
      tag: 'Catalog',
      summary: 'List features',
      description: 'Newest first.',
      access: { role: 'viewer', merchant: 'query', by: ['productId'] },
      query: FeatureListQuery,
      replies: { 200: ListOf(FeatureReply) },
    },
    async ({ tx, merchantId, query }) => {
      const page = pageOf(query);
      return ok(listReply(await listFeatures(tx, merchantId, query, page), page));
    },
  ),
  route(
    {
      method: 'GET',
      path: '/v0/features/:id',
      operationId: 'getFeature',
      tag: 'Catalog',
      summary: 'Retrieve a feature',
      description: 'Answers one feature. An unknown id is a 404.',
      access: { role: 'viewer', merchant: one },
      replies: { 200: FeatureReply },
    },
    async ({ tx, merchantId, params }) => getFeature(tx, merchantId, params.id),
  ),
  route(
    {
      method: 'PATCH',
      path: '/v0/features/:id',
      operationId: 'updateFeature',
      tag: 'Catalog',
      summary: 'Update a feature',
      description: 'A field that is not sent stays as it is. The type never changes.',
      access: { role: 'member', merchant: one },
      body: FeatureUpdateBody,
      replies: { 200: FeatureReply },
      errors: [409],
    },
    async ({ tx, merchantId, params, body, now }) => changeFeature(tx, merchantId, params.id, body, now),
  ),
  route(
    {
      method: 'DELETE',
      path: '/v0/features/:id',
      operationId: 'deleteFeature',
      tag: 'Catalog',
      summary: 'Delete an unused feature',
      description: 'Refused with 409 and the blockers while a price or an entitlement uses the feature.',
      access: { role: 'member', merchant: one },
      replies: { 204: Type.Null() },
      errors: [409],
    },
    async ({ tx, merchantId, params, now }) => deleteFeature(tx, merchantId, params.id, now, options),
  ),
];
