import {
  type FieldWords,
  Id,
  JsonOut,
  ListQuery,
  Nullable,
  OneOf,
  type Route,
  routesOf,
  Text,
  Timestamp,
  Type,
} from '../http/index.ts';
import { ok } from '../kernel/result.ts';
import { type InstantText, instantOf } from '../kernel/time.ts';
import { listAuditEntries, publicAuditEntry } from './audit.ts';
import type { EnvironmentName } from './keys.ts';
import { logoRoutes } from './logo/routes.ts';
import { me } from './me.ts';
import { OrganizationReply, organizationRoutes } from './organization-routes.ts';
import type { OrganizationDependencies } from './organizations.ts';
import { apiKeyRoutes, UserReply, userRoutes } from './user-routes.ts';

const api = routesOf('Identity');

const ME_FIELDS: FieldWords = {
  user: 'The user of the API key.',
  organization: 'The organization of the user.',
  role: 'The role of the user, which every call with this key has.',
  environment: 'The environment in which the key works.',
};

const AUDIT_FIELDS: FieldWords = {
  actor: '`user`: a user, with an API key or in the web console. `customer`: the customer in the customer portal.',
  userId: 'The user who made the change. Null: the customer made it.',
  userOrganizationId:
    'The organization of the user. Another one than `merchantId`: an operator of the platform made the change. ' +
    'Null: the customer made it.',
  keyId: 'The API key of the call. Null: the user was signed in at the web console, or the customer made the change.',
  customerId: 'The customer behind the change. Null: a user made it.',
  operation: ['The `operationId` of the call, or the name of the page in the customer portal.', 'updateCustomer'],
  resourceId: ['The id of the changed resource. Null: the change has no single resource.', 'cus_8c3d5e0f1a2b4c6d'],
  before: 'The resource before the change. Null: it was created.',
  after: 'The answer of the call, without secrets.',
  requestId: ['The `X-Request-Id` of the call.', 'req-8c3d5e0f'],
};

const AUDIT_FILTERS: FieldWords = {
  resourceId: 'Only changes of this resource.',
  operation: 'Only changes by this operation, such as `updateCustomer`.',
  from: 'Only changes at this time or later.',
  to: 'Only changes before this time.',
};

/** The caller, in an answer. */
export const MeReply = Type.Object(
  {
    object: Type.Literal('me'),
    user: UserReply,
    organization: OrganizationReply,
    role: OneOf(['admin', 'member', 'viewer']),
    environment: OneOf(['production', 'sandbox']),
  },
  { $id: 'Me', description: 'The caller: its key, its user and its organization.', 'x-fields': ME_FIELDS },
);

const AuditEntryReply = Type.Object(
  {
    id: Type.String(),
    object: Type.Literal('auditEntry'),
    merchantId: Id('organization'),
    actor: OneOf(['user', 'customer']),
    userId: Nullable(Id('user')),
    userOrganizationId: Nullable(Id('organization')),
    keyId: Nullable(Id('apiKey')),
    customerId: Nullable(Id('customer')),
    operation: Type.String(),
    resourceId: Nullable(Type.String()),
    before: JsonOut,
    after: JsonOut,
    requestId: Type.String(),
    createdAt: Timestamp,
  },
  {
    $id: 'AuditEntry',
    description: 'One change that was made through the API: who changed what, and when.',
    'x-fields': AUDIT_FIELDS,
  },
);

const AuditListQuery = ListQuery(
  {
    merchantId: Type.Optional(Id('organization')),
    resourceId: Type.Optional(Text({ minLength: 1, maxLength: 100 })),
    operation: Type.Optional(Text({ minLength: 1, maxLength: 100 })),
    userId: Type.Optional(Id('user')),
    from: Type.Optional(Timestamp),
    to: Type.Optional(Timestamp),
  },
  { fields: AUDIT_FILTERS },
);

const selfRoutes = (environment: EnvironmentName): readonly Route[] => [
  api.get('/v0/me', 'getMe', {
    summary: 'Retrieve the user of this API key',
    description: 'Shows the owner of a key. Use it to test a key.',
    access: { role: 'viewer', merchant: 'caller' },
    replies: { 200: MeReply },
    handler: async ({ tx, caller }) => ok(await me(tx, caller, environment)),
  }),
  api.list('/v0/auditLog', 'listAuditLog', {
    summary: 'List the audit log',
    description:
      'Every change by a call or in the customer portal, newest first. Entries are never changed or deleted.',
    access: { role: 'viewer', merchant: 'query' },
    reads: 'report',
    query: AuditListQuery,
    of: AuditEntryReply,
    list: async ({ tx, merchantId, query: { from, to, ...query }, page }) => {
      const filter = { ...query, merchantId, ...instants({ from, to }) };
      return listAuditEntries(tx, filter, page);
    },
    each: publicAuditEntry,
  }),
];

/** The instants of those fields that were given. */
const instants = (texts: Record<string, InstantText | undefined>) =>
  Object.fromEntries(Object.entries(texts).flatMap(([field, text]) => (text ? [[field, instantOf(text)]] : [])));

/** Organizations, users, API keys, the caller, and the audit log (api.md, Identity). */
export const identityRoutes = ({ environment, ...parts }: OrganizationDependencies): readonly Route[] => [
  ...organizationRoutes({ environment, ...parts }),
  ...logoRoutes,
  ...userRoutes,
  ...apiKeyRoutes(environment),
  ...selfRoutes(environment),
];
