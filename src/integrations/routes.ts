import { type Route, routesOf } from '../http/index.ts';
import {
  connect,
  disconnectIntegration,
  getIntegration,
  type IntegrationDependencies,
  listIntegrations,
} from './integrations.ts';
import { IntegrationBody, IntegrationReply, IntegrationsQuery } from './schemas.ts';

const api = routesOf('Integrations');
const one = { of: 'id', kind: 'merchantIntegration' } as const;

/** `/v0/merchantIntegrations` (api.md). */
export const integrationRoutes = (dependencies: IntegrationDependencies): readonly Route[] => [
  api.put('/v0/merchantIntegrations', 'putMerchantIntegration', {
    summary: 'Create or update the integration with a provider',
    description:
      'A merchant has one integration for each provider. A field that is not sent stays; `status` becomes `active`. ' +
      'The keys of `stripe` are tried at once: if they do not work, `status` is `error`, and `statusReason` has the ' +
      'reason.',
    access: { role: 'admin', merchant: 'body' },
    body: IntegrationBody,
    replies: { 200: IntegrationReply },
    free: async ({ database, audit, merchantId, body, now }) =>
      connect(database, audit, dependencies, merchantId, body, now),
  }),
  api.list('/v0/merchantIntegrations', 'listMerchantIntegrations', {
    summary: 'List integrations',
    description: 'Newest first, without secrets.',
    access: { role: 'viewer', merchant: 'query' },
    query: IntegrationsQuery,
    of: IntegrationReply,
    list: ({ tx, merchantId, query, page }) => listIntegrations(tx, merchantId, query, page),
  }),
  api.get('/v0/merchantIntegrations/:id', 'getMerchantIntegration', {
    summary: 'Retrieve an integration',
    description: 'Answers one integration, without secrets.',
    access: { role: 'viewer', merchant: one },
    replies: { 200: IntegrationReply },
    handler: async ({ tx, params }) => getIntegration(tx, params.id),
  }),
  api.patch('/v0/merchantIntegrations/:id/disconnect', 'disconnectMerchantIntegration', {
    summary: 'Disconnect an integration',
    description: 'Deletes the secrets; the rest of the configuration stays. The next PUT connects it again.',
    access: { role: 'admin', merchant: one },
    replies: { 200: IntegrationReply },
    handler: async ({ tx, params, now }) => disconnectIntegration(tx, params.id, now),
  }),
];
