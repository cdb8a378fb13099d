import {
  Address,
  type FieldWords,
  Id,
  ListQuery,
  Name,
  Nullable,
  OneOf,
  type Route,
  routesOf,
  Strict,
  Timestamp,
  Type,
} from '../http/index.ts';
import { mapped, ok } from '../kernel/result.ts';
import { instantOrNull } from '../kernel/time.ts';
import { createKeyFor, listApiKeys, publicApiKey, revokeKeyOf } from './api-keys.ts';
import type { EnvironmentName } from './keys.ts';
import { Email, Phone } from './organization-routes.ts';
import { changeUser, checkGrantedRole, createUser, findUser, listUsers, publicUser } from './users.ts';

const api = routesOf('Identity');

const Role = OneOf(['admin', 'member', 'viewer']);
const UserType = OneOf(['COMPANY', 'INDIVIDUAL']);

const USER_FIELDS: FieldWords = {
  organizationId: 'The organization of the user.',
  email: ['The e-mail address of the user.', 'ada@acme.example'],
  firstName: ['The first name.', 'Ada'],
  lastName: ['The last name.', 'Novak'],
  phone: ['The telephone number.', '+49 30 901820'],
  address: 'The postal address.',
  type: '`COMPANY` or `INDIVIDUAL`. Absent: not known.',
  role:
    'A `viewer` reads. A `member` also writes. An `admin` also changes users, settings, integrations and ' +
    'webhooks.',
  organizations: 'The organizations of the user; there is one.',
  state: ['The state of the membership.', 'active'],
  roles: 'The roles in this organization; there is one.',
};

const CHANGED_FIELDS: FieldWords = {
  ...USER_FIELDS,
  type: 'The type that the user has. It never changes, so another one is refused.',
};

const USER_FILTERS: FieldWords = {
  organizationId: 'Only users of this organization.',
  email: 'Only the users with this e-mail address, in any case.',
  role: 'Only users with this role.',
};

const KEY_FIELDS: FieldWords = {
  name: ['The name of the key, such as its use.', 'Billing service'],
  prefix: ['The beginning of the key.', 'rk_test_'],
  last4: ['The last four characters of the key.', 'a1b2'],
  secret: 'The key itself. Only the answer to the creation has it.',
  expiresAt: 'When the key stops working. Null: never.',
  lastUsedAt: 'When the key was last used. Null: never.',
};

export const UserReply = Type.Object(
  {
    id: Id('user'),
    object: Type.Literal('user'),
    organizationId: Id('organization'),
    email: Type.String(),
    firstName: Type.Optional(Type.String()),
    lastName: Type.Optional(Type.String()),
    phone: Type.Optional(Type.String()),
    address: Type.Optional(Address),
    type: Type.Optional(UserType),
    role: Role,
    organizations: Type.Array(
      Type.Object({
        id: Id('organization'),
        state: OneOf(['invited', 'active', 'suspended', 'declined']),
        roles: Type.Array(Role),
      }),
    ),
    createdAt: Timestamp,
    updatedAt: Timestamp,
  },
  { $id: 'User', description: 'A user of an organization.', 'x-fields': USER_FIELDS },
);

const person = {
  firstName: Type.Optional(Nullable(Name)),
  lastName: Type.Optional(Nullable(Name)),
  phone: Type.Optional(Nullable(Phone)),
  address: Type.Optional(Nullable(Address)),
};

const UserCreateBody = Strict(
  { organizationId: Id('organization'), email: Email, role: Role, type: Type.Optional(Nullable(UserType)), ...person },
  {
    $id: 'UserCreate',
    'x-fields': USER_FIELDS,
    examples: [
      {
        organizationId: 'org_8c3d5e0f1a2b4c6d',
        email: 'ada@acme.example',
        role: 'member',
        firstName: 'Ada',
        lastName: 'Novak',
      },
    ],
  },
);

const UserUpdateBody = Strict(
  { email: Type.Optional(Email), role: Type.Optional(Role), type: Type.Optional(UserType), ...person },
  { $id: 'UserChange', 'x-fields': CHANGED_FIELDS, examples: [{ role: 'viewer' }] },
);

const UserListQuery = ListQuery(
  {
    merchantId: Type.Optional(Id('organization')),
    organizationId: Type.Optional(Id('organization')),
    email: Type.Optional(Email),
    role: Type.Optional(Role),
  },
  { fields: USER_FILTERS },
);

const ApiKeyReply = Type.Object(
  {
    id: Id('apiKey'),
    object: Type.Literal('apiKey'),
    userId: Id('user'),
    name: Type.String(),
    prefix: Type.String(),
    last4: Type.String(),
    secret: Type.Optional(Type.String()),
    expiresAt: Nullable(Timestamp),
    lastUsedAt: Nullable(Timestamp),
    createdAt: Timestamp,
  },
  {
    $id: 'ApiKey',
    description: 'A key for calls to the API. The key itself is in the answer to its creation only.',
    'x-fields': KEY_FIELDS,
  },
);

const ApiKeyCreateBody = Strict(
  { name: Name, expiresAt: Type.Optional(Nullable(Timestamp)) },
  { $id: 'ApiKeyCreate', 'x-fields': KEY_FIELDS, examples: [{ name: 'Billing service' }] },
);

export const userRoutes: readonly Route[] = [
  api.post('/v0/users', 'createUser', {
    summary: 'Create a user of an organization',
    description:
      'A user acts through API keys. Users of the platform organization are operators. A user cannot grant a role ' +
      'above their own.',
    access: { role: 'admin', merchant: 'body', by: ['organizationId'] },
    body: UserCreateBody,
    replies: { 201: UserReply },
    handler: async ({ tx, now, caller, body }) => {
      const granted = checkGrantedRole(caller, body.role);
      if (!granted.ok) return granted;
      const made = await createUser(tx, body, now);
      return made.ok ? ok(publicUser(made.value)) : made;
    },
  }),
  api.list('/v0/users', 'listUsers', {
    summary: 'List users',
    description: 'Newest first.',
    access: { role: 'viewer', merchant: 'query', by: ['organizationId'] },
    query: UserListQuery,
    of: UserReply,
    list: ({ tx, merchantId, query, page }) => listUsers(tx, { ...query, merchantId }, page),
    each: publicUser,
  }),
  api.get('/v0/users/:id', 'getUser', {
    summary: 'Retrieve a user',
    description: 'Answers one user. An unknown id is a 404.',
    access: { role: 'viewer', merchant: { of: 'id', kind: 'user' } },
    replies: { 200: UserReply },
    handler: async ({ tx, params }) => mapped(await findUser(tx, params.id), publicUser),
  }),
  api.patch('/v0/users/:id', 'updateUser', {
    summary: 'Update a user',
    description:
      'A field that is not sent stays unchanged. A new role applies to all keys of the user within a second.',
    access: { role: 'admin', merchant: { of: 'id', kind: 'user' } },
    body: UserUpdateBody,
    replies: { 200: UserReply },
    handler: async ({ tx, now, caller, merchantId, params, body }) =>
      mapped(await changeUser(tx, caller, { merchantId, id: params.id }, body, now), publicUser),
  }),
];

const keysOf = { of: 'userId', kind: 'user' } as const;

/** The operations on API keys (api.md, Identity). New ones say in which environment they work. */
export const apiKeyRoutes = (environment: EnvironmentName): readonly Route[] => [
  api.post('/v0/users/:userId/apikeys', 'createApiKey', {
    summary: 'Create an API key',
    description:
      'Only this answer has the `secret`. The key works in this environment only, with the role of the user.',
    secretReply: true,
    access: { role: 'member', merchant: keysOf },
    body: ApiKeyCreateBody,
    replies: { 201: ApiKeyReply },
    handler: async ({ tx, now, caller, merchantId, params, body }) => {
      const user = { merchantId, userId: params.userId };
      const input = { name: body.name, expiresAt: instantOrNull(body.expiresAt) };
      const made = await createKeyFor(tx, caller, user, input, environment, now);
      return made.ok ? ok(publicApiKey(made.value.key, made.value.secret)) : made;
    },
  }),
  api.list('/v0/users/:userId/apikeys', 'listApiKeys', {
    summary: 'List the API keys of a user',
    description: 'Newest first, without their secrets.',
    access: { role: 'viewer', merchant: keysOf },
    of: ApiKeyReply,
    list: ({ tx, params, page }) => listApiKeys(tx, params.userId, page),
    each: (key) => publicApiKey(key),
  }),
  api.delete('/v0/users/:userId/apikeys/:keyId', 'revokeApiKey', {
    summary: 'Revoke an API key',
    description: 'Within a second the key stops working. A revoked key cannot be restored.',
    access: { role: 'member', merchant: keysOf },
    handler: ({ tx, now, caller, merchantId, params }) =>
      revokeKeyOf(tx, caller, { merchantId, userId: params.userId, id: params.keyId }, now),
  }),
];
