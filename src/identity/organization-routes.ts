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
  Text,
  Timestamp,
  Type,
} from '../http/index.ts';
import { notFound, ok } from '../kernel/result.ts';
import {
  changeOrganization,
  checkSettingsRole,
  createOrganization,
  findOrganization,
  listOrganizations,
  type OrganizationDependencies,
  publicOrganization,
} from './organizations.ts';
import { SettingsInput, SettingsReply } from './settings.ts';

const api = routesOf('Identity');

/** An e-mail address as requests carry it. */
export const Email = Type.String({ format: 'email', maxLength: 254, 'x-text': true });

export const Phone = Text({ minLength: 1, maxLength: 50 });

const ORGANIZATION_FIELDS: FieldWords = {
  merchantId: 'The merchant that owns the organization. A merchant owns itself.',
  type: '`merchant` bills customers. `consumer` is behind a customer. `platform` is the operator.',
  name: ['The name that customers see, 1 to 255 characters.', 'Delft Design'],
  legalName: ['The name in the register of companies. Null: `name` is used.', 'Delft Design BV'],
  taxId: ['The tax id, such as a VAT number. Documents show it. Null: none.', 'NL001234567B01'],
  address: 'The postal address. Documents show it. Null: none.',
  billingEmails: ['The addresses that receive invoices and alerts, at most 20.', ['ap@agency.example']],
  email: ['The address with which the organization was created. Null: none.', 'ap@agency.example'],
  phone: ['The telephone number. Null: none.', '+31 15 2140000'],
  defaultCurrency: ['The currency if neither plan nor customer has one: an ISO 4217 code. Null: `USD`.', 'EUR'],
  settings: 'The settings of a merchant, with every default filled in.',
};

const ORGANIZATION_FILTERS: FieldWords = {
  merchantId: 'Only this merchant and its consumers. Default: your own organization; an operator without it gets all.',
  type: 'Only organizations of this type.',
  name: 'Only organizations with this text in their name, in any case; at least 3 characters.',
  email: 'Only organizations with this text in one of their addresses, in any case; at least 3 characters.',
};

const SENT_FIELDS: FieldWords = {
  merchantId: 'The merchant that owns a consumer. A new merchant has none.',
  settings: 'The settings of a merchant. A setting that is not sent stays as it is; null is its default again.',
};

export const OrganizationReply = Type.Object(
  {
    id: Id('organization'),
    object: Type.Literal('organization'),
    merchantId: Id('organization'),
    type: OneOf(['merchant', 'consumer', 'platform']),
    name: Type.String(),
    legalName: Nullable(Type.String()),
    taxId: Nullable(Type.String()),
    address: Nullable(Address),
    billingEmails: Type.Array(Type.String()),
    email: Nullable(Type.String()),
    phone: Nullable(Type.String()),
    defaultCurrency: Nullable(Type.String()),
    settings: SettingsReply,
    createdAt: Timestamp,
    updatedAt: Timestamp,
  },
  { $id: 'Organization', description: 'A merchant, a consumer or the platform.', 'x-fields': ORGANIZATION_FIELDS },
);

const particulars = {
  legalName: Type.Optional(Nullable(Name)),
  taxId: Type.Optional(Nullable(Text({ minLength: 1, maxLength: 100 }))),
  address: Type.Optional(Nullable(Address)),
  billingEmails: Type.Optional(Type.Array(Email, { maxItems: 20, uniqueItems: true })),
  phone: Type.Optional(Nullable(Phone)),
  defaultCurrency: Type.Optional(Nullable(Type.String({ format: 'currency' }))),
  settings: Type.Optional(SettingsInput),
};

const OrganizationCreateBody = Strict(
  {
    name: Name,
    type: OneOf(['merchant', 'consumer']),
    merchantId: Type.Optional(Id('organization')),
    ...particulars,
  },
  {
    $id: 'OrganizationCreate',
    'x-fields': { ...ORGANIZATION_FIELDS, ...SENT_FIELDS },
    examples: [
      {
        name: 'Acme',
        type: 'merchant',
        defaultCurrency: 'EUR',
        address: { line1: 'Unter den Linden 1', city: 'Berlin', zipCode: '10117', country: 'DE' },
        billingEmails: ['billing@acme.example'],
      },
    ],
  },
);

const OrganizationUpdateBody = Strict(
  { name: Type.Optional(Name), ...particulars },
  {
    $id: 'OrganizationChange',
    'x-fields': { ...ORGANIZATION_FIELDS, ...SENT_FIELDS },
    examples: [{ billingEmails: ['billing@acme.example'], settings: { defaultTaxRate: 20, invoicePrefix: 'ACME' } }],
  },
);

const OrganizationListQuery = ListQuery(
  {
    merchantId: Type.Optional(Id('organization')),
    type: Type.Optional(OneOf(['merchant', 'consumer', 'platform'])),
    name: Type.Optional(Text({ minLength: 3, maxLength: 255 })),
    email: Type.Optional(Text({ minLength: 3, maxLength: 254 })),
  },
  { fields: ORGANIZATION_FILTERS },
);

/** The operations on merchants and consumers (api.md, Identity). New API keys say in which environment they work. */
export const organizationRoutes = (dependencies: OrganizationDependencies): readonly Route[] => [
  api.post('/v0/organizations', 'createOrganization', {
    summary: 'Create a merchant or a consumer',
    description:
      'For platform operators. A consumer belongs to the merchant in `merchantId`. A merchant needs a user and an ' +
      'API key next.',
    access: { role: 'member', merchant: 'caller', operator: true },
    body: OrganizationCreateBody,
    replies: { 201: OrganizationReply },
    errors: [409],
    handler: async ({ tx, now, caller, body }) => {
      const allowed = checkSettingsRole(caller, body.settings);
      if (!allowed.ok) return allowed;
      const made = await createOrganization(tx, body, dependencies.environment, now);
      return made.ok ? ok(publicOrganization(made.value)) : made;
    },
  }),
  api.list('/v0/organizations', 'listOrganizations', {
    summary: 'List organizations',
    description: 'The merchant itself and its consumers, newest first.',
    access: { role: 'viewer', merchant: 'query' },
    query: OrganizationListQuery,
    of: OrganizationReply,
    list: ({ tx, merchantId, query, page }) => listOrganizations(tx, { ...query, merchantId }, page),
    each: publicOrganization,
  }),
  api.get('/v0/organizations/:id', 'getOrganization', {
    summary: 'Retrieve an organization',
    description: 'Answers one organization; a merchant with its settings.',
    access: { role: 'viewer', merchant: { of: 'id', kind: 'organization' } },
    replies: { 200: OrganizationReply },
    handler: async ({ tx, params }) => {
      const found = await findOrganization(tx, params.id);
      return found ? ok(publicOrganization(found)) : notFound('organization');
    },
  }),
  api.patch('/v0/organizations/:id', 'updateOrganization', {
    summary: 'Update an organization or its settings',
    description:
      'A field of `settings` that is not sent stays as it is; null is its default again. Only admins change ' +
      'settings. Issued invoices do not change.',
    access: { role: 'member', merchant: { of: 'id', kind: 'organization' } },
    body: OrganizationUpdateBody,
    replies: { 200: OrganizationReply },
    handler: async ({ tx, now, caller, merchantId, params, body }) => {
      const which = { merchantId, id: params.id };
      const changed = await changeOrganization(tx, caller, which, body, dependencies, now);
      return changed.ok ? ok(publicOrganization(changed.value)) : changed;
    },
  }),
];
