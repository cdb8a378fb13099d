import {
  Id,
  ListOf,
  ListQuery,
  listReply,
  Nullable,
  OneOf,
  pageOf,
  type Route,
  route,
  Text,
  Timestamp,
  Type,
} from '../http/index.ts';
import { ok } from '../kernel/result.ts';
import { parseInstant } from '../kernel/time.ts';
import { listAuditEntries, publicAuditEntry } from './audit.ts';
import type { EnvironmentName } from './keys.ts';
import { logoRoutes } from './logo/routes.ts';
import { me } from './me.ts';
import { Organization, organizationRoutes } from './organization-routes.ts';
import type { OrganizationParts } from './organizations.ts';
import { apiKeyRoutes, User, userRoutes } from './user-routes.ts';

const Me = Type.Object(
  {
    object: Type.Literal('me'),
    user: User,
    organization: Organization,
    role: OneOf(['admin', 'member', 'viewer']),
    environment: OneOf(['production', 'sandbox']),
  },
  { $id: 'Me' },
);

const AuditEntry = Type.Object(
  {
    id: Type.String(),
    object: Type.Literal('auditEntry'),
    merchantId: Id('organization'),
    actor: OneOf(['user', 'customer']),
    userId: Nullable(Id('user')),
    keyId: Nullable(Id('apiKey')),
    customerId: Nullable(Id('customer')),
    operation: Type.String({
      description: 'The operationId of the call; of a customer that of the page in the customer portal.',
    }),
    resourceId: Nullable(Type.String()),
    before: Type.Unknown({ description: 'The resource before the change; null for a creation.' }),
    after: Type.Unknown({ description: 'What the call answered, without secrets.' }),
    requestId: Type.String(),
    createdAt: Timestamp,
  },
  { $id: 'AuditEntry' },
);

const AuditFilter = ListQuery({
  merchantId: Type.Optional(Id('organization')),
  resourceId: Type.Optional(Text({ minLength: 1, maxLength: 100 })),
  operation: Type.Optional(Text({ minLength: 1, maxLength: 100 })),
  userId: Type.Optional(Id('user')),
  from: Type.Optional(Timestamp),
  to: Type.Optional(Timestamp),
});

const selfRoutes = (environment: EnvironmentName): readonly Route[] => [
  route(
    {
      method: 'GET',
      path: '/v0/me',
      operationId: 'getMe',
      tag: 'Identity',
      summary: 'Retrieve the user, organization and role of this API key',
      access: { role: 'viewer', merchant: 'caller' },
      replies: { 200: Me },
    },
    async ({ tx, caller }) => ok(await me(tx, caller, environment)),
  ),
  route(
    {
      method: 'GET',
      path: '/v0/auditLog',
      operationId: 'listAuditLog',
      tag: 'Identity',
      summary: 'List who changed what, when, before and after',
      description: '`from` is inclusive, `to` is exclusive.',
      access: { role: 'viewer', merchant: 'query' },
      query: AuditFilter,
      replies: { 200: ListOf(AuditEntry) },
    },
    async ({ tx, merchantId, query: { from, to, ...query } }) => {
      const filter = { ...query, merchantId, ...instants({ from, to }) };
      const { data, total } = await listAuditEntries(tx, filter, pageOf(query));
      return ok(listReply({ data: data.map(publicAuditEntry), total }, pageOf(query)));
    },
  ),
];

/** The instants of those fields that were given. */
const instants = (texts: Record<string, string | undefined>) =>
  Object.fromEntries(Object.entries(texts).flatMap(([field, text]) => (text ? [[field, parseInstant(text)]] : [])));

/** Organizations, users, API keys, the caller, and the audit log (api.md, Identity). */
export const identityRoutes = ({ environment, ...parts }: OrganizationParts): readonly Route[] => [
  ...organizationRoutes({ environment, ...parts }),
  ...logoRoutes,
  ...userRoutes,
  ...apiKeyRoutes(environment),
  ...selfRoutes(environment),
];
