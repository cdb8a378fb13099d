import { Reply, type Route, routesOf } from '../../http/index.ts';
import { mapped } from '../../kernel/result.ts';
import { GrantCreateBody, GrantListQuery, GrantReply } from '../entitlement/grant-schemas.ts';
import { createGrant, getGrant, listGrants, toGrantReply, voidGrant } from './grants.ts';

const api = routesOf('Entitlements');
const ofEntitlement = (role: 'viewer' | 'member') => ({ role, merchant: { of: 'id', kind: 'entitlement' } }) as const;
const keyOf = (merchantId: string, params: { readonly id: string }) => ({
  merchantId,
  entitlementId: params.id,
});

/** `/v1/entitlements/{id}/grants` (§4, Entitlements and grants). */
export const grantRoutes: readonly Route[] = [
  api.post('/v1/entitlements/:id/grants', 'createGrant', {
    summary: 'Create a grant',
    description:
      'The units count at once, unless `effectiveAt` is later. The same `idempotencyKey` again answers 201 with the ' +
      'first grant as it is now; other content is a 409.',
    access: ofEntitlement('member'),
    body: GrantCreateBody,
    replies: { 201: GrantReply },
    errors: [409],
    handler: async ({ tx, merchantId, params, body, now }) =>
      mapped(await createGrant(tx, keyOf(merchantId, params), body, now), (made) => new Reply(201, toGrantReply(made))),
  }),
  api.list('/v1/entitlements/:id/grants', 'listGrants', {
    summary: 'List grants of an entitlement',
    description:
      'Newest first. Grants that the template issued are listed too. Voided grants are left out unless ' +
      '`includeVoided` is true.',
    access: ofEntitlement('viewer'),
    query: GrantListQuery,
    of: GrantReply,
    list: ({ tx, merchantId, params, query, page, now }) =>
      listGrants(tx, keyOf(merchantId, params), { includeVoided: query.includeVoided ?? false }, page, now),
    each: toGrantReply,
  }),
  api.get('/v1/entitlements/:id/grants/:grantId', 'getGrant', {
    summary: 'Retrieve a grant',
    description: 'Answers one grant, voided or not.',
    access: ofEntitlement('viewer'),
    replies: { 200: GrantReply },
    handler: async ({ tx, merchantId, params, now }) =>
      mapped(await getGrant(tx, keyOf(merchantId, params), params.grantId, now), toGrantReply),
  }),
  api.delete('/v1/entitlements/:id/grants/:grantId', 'voidGrant', {
    summary: 'Void a grant',
    description:
      'The units that are left no longer count. The units that were used stay used. A second DELETE answers the same ' +
      'voided grant.',
    access: ofEntitlement('member'),
    replies: { 200: GrantReply },
    handler: async ({ tx, merchantId, params, now }) =>
      mapped(await voidGrant(tx, keyOf(merchantId, params), params.grantId, now), toGrantReply),
  }),
];
