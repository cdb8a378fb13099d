import {
  type FieldWords,
  FreeMap,
  Id,
  ListQuery,
  MapOut,
  Metadata,
  MetadataOut,
  Nullable,
  OneOf,
  type Static,
  Strict,
  Text,
  Timestamp,
  Type,
} from '../http/index.ts';
import { Provider } from '../references/index.ts';
import { INTEGRATION_STATUSES } from './integration.ts';

const StatusWord = OneOf(INTEGRATION_STATUSES);

const INTEGRATION_FIELDS: FieldWords = {
  provider: ['The external system: a word of lowercase letters, digits and underscores.', 'stripe'],
  externalId: ['Your account in the external system. Null: not known.', 'acct_1Nv0'],
  status:
    '`active`: connected. `error`: the connection does not work. `disconnected`: it was ended. Default: `active`.',
  statusReason: 'Why the connection does not work, in the words of the provider. Null: nothing is wrong.',
  metadata: ['Data of your own. A change replaces all of it.', { team: 'north' }],
  connectedAt: 'When the integration was last connected.',
  disconnectedAt: 'When the integration was disconnected. Null: it is connected.',
};

const INTEGRATION_FILTERS: FieldWords = {
  provider: 'Only the integration with this external system.',
  status: 'Only integrations in this status.',
};

export const IntegrationReply = Type.Object(
  {
    id: Id('merchantIntegration'),
    object: Type.Literal('merchantIntegration'),
    merchantId: Id('organization'),
    provider: Type.String(),
    externalId: Nullable(Type.String()),
    status: StatusWord,
    statusReason: Nullable(Type.String()),
    config: Type.Unsafe<Record<string, unknown>>({
      ...MapOut,
      description: 'The configuration of the connection, without its secrets.',
    }),
    secrets: Type.Array(Type.String(), {
      description: 'The paths in `config` of the secrets that are stored. The secrets are never answered.',
    }),
    metadata: MetadataOut,
    connectedAt: Timestamp,
    disconnectedAt: Nullable(Timestamp),
    createdAt: Timestamp,
    updatedAt: Timestamp,
  },
  {
    $id: 'MerchantIntegration',
    description: 'An account of the merchant in an outside system. Its secrets are never answered.',
    'x-fields': INTEGRATION_FIELDS,
  },
);

export const IntegrationBody = Strict(
  {
    provider: Provider,
    externalId: Type.Optional(Nullable(Text({ minLength: 1, maxLength: 255 }))),
    status: Type.Optional(StatusWord),
    config: Type.Optional(
      FreeMap({
        description:
          'The configuration of the connection. It is replaced whole, but a secret that is not sent stays; null ' +
          'removes it. A field is a secret by its name, such as `secretKey`, `webhookSecret`, `apiKey` or `token`.',
      }),
    ),
    metadata: Type.Optional(Metadata),
    merchantId: Type.Optional(Id('organization')),
  },
  {
    $id: 'MerchantIntegrationPut',
    'x-fields': INTEGRATION_FIELDS,
    examples: [
      {
        provider: 'salesforce',
        externalId: '00D-77',
        config: { instanceUrl: 'https://ferry.example', refreshToken: 'secret-of-ferry' },
      },
    ],
  },
);
export type IntegrationBody = Static<typeof IntegrationBody>;

export const IntegrationsQuery = ListQuery(
  {
    merchantId: Type.Optional(Id('organization')),
    provider: Type.Optional(Provider),
    status: Type.Optional(StatusWord),
  },
  { fields: INTEGRATION_FILTERS },
);
export type IntegrationsQuery = Static<typeof IntegrationsQuery>;
