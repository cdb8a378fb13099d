import { listReply, pageOf, Reply, type Route, route } from '../../http/index.ts';
import { ok } from '../../kernel/result.ts';
import { GrantCreateBody, GrantListQuery, GrantListReply, GrantReply } from '../entitlement/grant-schemas.ts';
import { createGrant, getGrant, listGrants, toGrantReply, voidGrant } from './grants.ts';

const TAG = 'Entitlements';
const ofEntitlement = (role: 'viewer' | 'member') => ({ role, merchant: { of: 'id', kind: 'entitlement' } }) as const;
const keyOf = (merchantId: string, params: { readonly id: string }) => ({
  merchantId,
  entitlementId: params.id,
});

/** `/v1/entitlements/{id}/grants` (§4, Entitlements and grants). */
export const grantRoutes: readonly Route[] = [
  route(
    {
      method: 'POST',
      path: '/v1/entitlements/:id/grants',
      operationId: 'createGrant',
      tag: TAG,
      summary: 'Create a grant',
      description:
        'The units count at once, unless `effectiveAt` is later. The same `idempotencyKey` again answers ' +
        '201 with the first grant as it is now; other content is a 409.',
      access: ofEntitlement('member'),
      body: GrantCreateBody,
      replies: { 201: GrantReply },
      errors: [409],
    },
    async ({ tx, merchantId, params, body, now }) => {
      const made = await createGrant(tx, keyOf(merchantId, params), body, now);
      return made.ok ? ok(new Reply(201, toGrantReply(made.value))) : made;
    },
  ),
  route(
    {
      method: 'GET',
      path: '/v1/entitlements/:id/grants',
      operationId: 'listGrants',
      tag: TAG,
      summary: 'List grants of an entitlement',
      description:
        'Newest first. Grants that the template issued are listed too. Voided grants are left out unless ' +
        '`includeVoided` is true.',
      access: ofEntitlement('viewer'),
      query: GrantListQuery,
      replies: { 200: GrantListReply },
    },
    async ({ tx, merchantId, params, query, now }) => {
      const page = pageOf(query);
      const filter = { includeVoided: query.includeVoided ?? false };
      const found = await listGrants(tx, keyOf(merchantId, params), filter, page, now);
      return found.ok ? ok(listReply({ ...found.value, data: found.value.data.map(toGrantReply) }, page)) : found;
    },
  ),
  route(
    {
      method: 'GET',
      path: '/v1/entitlements/:id/grants/:grantId',
      operationId: 'getGrant',
      tag: TAG,
      summary: 'Retrieve a grant',
      description: 'Answers one grant, voided or not.',
      access: ofEntitlement('viewer'),
      replies: { 200: GrantReply },
    },
    async ({ tx, merchantId, params, now }) => {
      const found = await getGrant(tx, keyOf(merchantId, params), params.grantId, now);
      return found.ok ? ok(toGrantReply(found.value)) : found;
    },
  ),
  route(
    {
      method: 'DELETE',
      path: '/v1/entitlements/:id/grants/:grantId',
      operationId: 'voidGrant',
      tag: TAG,
      summary: 'Void a grant',
      description:
        'The units that are left no longer count. The units that were used stay used. A second DELETE ' +
        'answers the same voided grant.',
      access: ofEntitlement('member'),
      replies: { 200: GrantReply },
    },
    async ({ tx, merchantId, params, now }) => {
      const voided = await voidGrant(tx, keyOf(merchantId, params), params.grantId, now);
      return voided.ok ? ok(toGrantReply(voided.value)) : voided;
    },
  ),
];
