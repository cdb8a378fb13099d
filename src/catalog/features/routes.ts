import { type Route, routesOf } from '../../http/index.ts';
import type { CatalogOptions } from '../options.ts';
import { changeFeature, createFeature, deleteFeature, getFeature, listFeatures } from './features.ts';
import { FeatureCreateBody, FeatureListQuery, FeatureReply, FeatureUpdateBody } from './schema.ts';

const api = routesOf('Catalog');

const one = { of: 'id', kind: 'feature' } as const;

/** `/v0/features` (§4, Catalog). */
export const featureRoutes = (options: CatalogOptions): readonly Route[] => [
  api.post('/v0/features', 'createFeature', {
    summary: 'Create a feature',
    description:
      'A feature alone gives no access. A price or an entitlement gives access to customers. A known `key` in the ' +
      'same product is a 409.',
    access: { role: 'member', merchant: 'body', by: ['productId'] },
    body: FeatureCreateBody,
    replies: { 201: FeatureReply },
    errors: [409],
    handler: async ({ tx, body, now }) => createFeature(tx, body, now),
  }),
  api.list('/v0/features', 'listFeatures', {
    summary: 'List features',
    description: 'Newest first.',
    access: { role: 'viewer', merchant: 'query', by: ['productId'] },
    query: FeatureListQuery,
    of: FeatureReply,
    list: ({ tx, merchantId, query, page }) => listFeatures(tx, merchantId, query, page),
  }),
  api.get('/v0/features/:id', 'getFeature', {
    summary: 'Retrieve a feature',
    description: 'Answers one feature. An unknown id is a 404.',
    access: { role: 'viewer', merchant: one },
    replies: { 200: FeatureReply },
    handler: async ({ tx, params }) => getFeature(tx, params.id),
  }),
  api.patch('/v0/features/:id', 'updateFeature', {
    summary: 'Update a feature',
    description: 'A field that is not sent stays as it is. The type never changes.',
    access: { role: 'member', merchant: one },
    body: FeatureUpdateBody,
    replies: { 200: FeatureReply },
    errors: [409],
    handler: async ({ tx, params, body, now }) => changeFeature(tx, params.id, body, now),
  }),
  api.delete('/v0/features/:id', 'deleteFeature', {
    summary: 'Delete an unused feature',
    description: 'Refused with 409 and the blockers while a price or an entitlement uses the feature.',
    access: { role: 'member', merchant: one },
    errors: [409],
    handler: async ({ tx, params, now }) => deleteFeature(tx, params.id, now, options),
  }),
];
