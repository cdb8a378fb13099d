import { freeRoute, ListOf, listReply, pageOf, type Route, route } from '../http/index.ts';
import { ok } from '../kernel/result.ts';
import {
  connect,
  disconnectIntegration,
  getIntegration,
  type IntegrationDependencies,
  listIntegrations,
} from './integrations.ts';
import { IntegrationBody, IntegrationReply, IntegrationsQuery } from './schemas.ts';

const tag = 'Integrations';
const one = { of: 'id', kind: 'merchantIntegration' } as const;

/** `/v0/merchantIntegrations` (api.md). */
export const integrationRoutes = (dependencies: IntegrationDependencies): readonly Route[] => [
  freeRoute(
    {
      method: 'PUT',
      path: '/v0/merchantIntegrations',
      operationId: 'putMerchantIntegration',
      tag,
      summary: 'Create or update the integration with a provider',
      description:
        'A merchant has one integration for each provider. A field that is not sent stays; `status` ' +
        'becomes `active`. The keys of `stripe` are tried at once: if they do not work, `status` is ' +
        '`error`, and `statusReason` has the reason.',
      access: { role: 'admin', merchant: 'body' },
      body: IntegrationBody,
      replies: { 200: IntegrationReply },
    },
    async ({ database, audit, merchantId, body, now }) => connect(database, audit, dependencies, merchantId, body, now),
  ),
  route(
    {
      method: 'GET',
      path: '/v0/merchantIntegrations',
      operationId: 'listMerchantIntegrations',
      tag,
      summary: 'List integrations',
      description: 'Newest first, without secrets.',
      access: { role: 'viewer', merchant: 'query' },
      query: IntegrationsQuery,
      replies: { 200: ListOf(IntegrationReply) },
    },
    async ({ tx, merchantId, query }) => {
      const page = pageOf(query);
      return ok(listReply(await listIntegrations(tx, merchantId, query, page), page));
    },
  ),
  route(
    {
      method: 'GET',
      path: '/v0/merchantIntegrations/:id',
      operationId: 'getMerchantIntegration',
      tag,
      summary: 'Retrieve an integration',
      description: 'Answers one integration, without secrets.',
      access: { role: 'viewer', merchant: one },
      replies: { 200: IntegrationReply },
    },
    async ({ tx, merchantId, params }) => getIntegration(tx, merchantId, params.id),
  ),
  route(
    {
      method: 'PATCH',
      path: '/v0/merchantIntegrations/:id/disconnect',
      operationId: 'disconnectMerchantIntegration',
      tag,
      summary: 'Disconnect an integration',
      description: 'Deletes the secrets; the rest of the configuration stays. The next PUT connects it again.',
      access: { role: 'admin', merchant: one },
      replies: { 200: IntegrationReply },
    },
    async ({ tx, merchantId, params, now }) => disconnectIntegration(tx, merchantId, params.id, now),
  ),
];
