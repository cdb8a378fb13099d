import { expect, it } from 'vitest';
import { allDeclarations, type RouteDeclaration } from '../support/routes.ts';

/** The roles of all operations (api.md, Identity): what one of them asks is a decision, so it stands here once more. */
const OF_ADMINS = [
  'createUser',
  'createWebhookEndpoint',
  'deleteOrganizationLogo',
  'deleteWebhookEndpoint',
  'disconnectMerchantIntegration',
  'putMerchantIntegration',
  'putOrganizationLogo',
  'rotateWebhookSecret',
  'testWebhookEndpoint',
  'updateUser',
  'updateWebhookEndpoint',
];

const roleOf = ({ access }: RouteDeclaration) => ('role' in access ? access.role : null);

it('only admins touch users, integrations, logos and the secrets of webhooks', async () => {
  const all = await allDeclarations();
  const found = all.filter((each) => roleOf(each) === 'admin').map(({ operationId }) => operationId);
  expect(found.toSorted()).toEqual(OF_ADMINS);
});

it('a viewer reads everything and changes nothing', async () => {
  const all = (await allDeclarations()).filter((each) => roleOf(each) !== null);
  const asked = all.map((each) => [each.operationId, roleOf(each) === 'viewer']);
  expect(asked).toEqual(all.map(({ operationId, method }) => [operationId, method === 'GET']));
});
